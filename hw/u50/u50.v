// The top of an Alveo U50: clocks, reset, HBM, pins. All else is `card` (hw/common/card.v); what the LEDs say: docs/user/board.md.
module u50 (
  input  wire       clk100_p,
  input  wire       clk100_n,
  input  wire       pcie_clk_p,
  input  wire       pcie_clk_n,
  input  wire       pcie_reset_n,
  input  wire [1:0] pcie_rx_p,
  input  wire [1:0] pcie_rx_n,
  output wire [1:0] pcie_tx_p,
  output wire [1:0] pcie_tx_n,
  input  wire       qsfp_clk_p,
  input  wire       qsfp_clk_n,
  input  wire [3:0] qsfp_rx_p,
  input  wire [3:0] qsfp_rx_n,
  output wire [3:0] qsfp_tx_p,
  output wire [3:0] qsfp_tx_n,
  output wire       led_up,
  output wire       led_beat,
  output wire       led_trapped,
  // To the board's controller, which cuts the power: the HBM is too hot.
  output wire       hbm_cattrip
);
  // Clocks ----------------------------------------------------------------------------------------------------------
  wire clk100_pin, clk100, made, feedback, clk, locked;
  IBUFDS clk100_buffer (.I(clk100_p), .IB(clk100_n), .O(clk100_pin));
  BUFG clk100_net (.I(clk100_pin), .O(clk100));
  // The oscillator inside runs at 100 * 10 = 1000 MHz, legal 800 to 1600.
  MMCME4_BASE #(.CLKIN1_PERIOD(10.000), .DIVCLK_DIVIDE(1), .CLKFBOUT_MULT_F(10.000), .CLKOUT0_DIVIDE_F(10.000)) mmcm (
    .CLKIN1(clk100), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(made), .LOCKED(locked), .PWRDWN(1'b0), .RST(1'b0)
  );
  BUFG clk_net (.I(made), .O(clk));

  wire hbm_ready, reset;
  reset_hold hold (.clk(clk), .ready(locked && hbm_ready), .reset(reset));

  // Memory: one pseudo channel of the HBM, 256 MB, at the site's clock --------------------------------------------------
  wire         aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready, ar_valid, ar_ready, r_valid, r_ready, r_last;
  wire  [31:0] aw_addr, ar_addr;
  wire   [3:0] aw_id, ar_id, b_id, r_id;
  wire   [7:0] aw_len, ar_len;
  wire   [2:0] aw_size, ar_size;
  wire   [1:0] aw_burst, ar_burst, b_resp, r_resp;
  wire [127:0] w_data, r_data;
  wire  [15:0] w_strb;

  wire         h_aw_valid, h_aw_ready, h_w_valid, h_w_ready, h_w_last, h_b_valid, h_b_ready, h_ar_valid, h_ar_ready, h_r_valid, h_r_ready, h_r_last;
  wire  [31:0] h_aw_addr, h_ar_addr;
  wire   [7:0] h_aw_len, h_ar_len;
  wire   [2:0] h_aw_size, h_ar_size;
  wire   [1:0] h_aw_burst, h_ar_burst, h_b_resp, h_r_resp;
  wire [255:0] h_w_data, h_r_data;
  wire  [31:0] h_w_strb;
  memory_width wider (
    .s_axi_aclk(clk), .s_axi_aresetn(!reset),
    .s_axi_awvalid(aw_valid), .s_axi_awready(aw_ready), .s_axi_awaddr(aw_addr), .s_axi_awid(aw_id), .s_axi_awlen(aw_len), .s_axi_awsize(aw_size),
    .s_axi_awburst(aw_burst), .s_axi_awlock(1'b0), .s_axi_awcache(4'b0011), .s_axi_awprot(3'd0), .s_axi_awregion(4'd0), .s_axi_awqos(4'd0),
    .s_axi_wvalid(w_valid), .s_axi_wready(w_ready), .s_axi_wdata(w_data), .s_axi_wstrb(w_strb), .s_axi_wlast(w_last),
    .s_axi_bvalid(b_valid), .s_axi_bready(b_ready), .s_axi_bid(b_id), .s_axi_bresp(b_resp),
    .s_axi_arvalid(ar_valid), .s_axi_arready(ar_ready), .s_axi_araddr(ar_addr), .s_axi_arid(ar_id), .s_axi_arlen(ar_len), .s_axi_arsize(ar_size),
    .s_axi_arburst(ar_burst), .s_axi_arlock(1'b0), .s_axi_arcache(4'b0011), .s_axi_arprot(3'd0), .s_axi_arregion(4'd0), .s_axi_arqos(4'd0),
    .s_axi_rvalid(r_valid), .s_axi_rready(r_ready), .s_axi_rdata(r_data), .s_axi_rid(r_id), .s_axi_rresp(r_resp), .s_axi_rlast(r_last),
    .m_axi_awvalid(h_aw_valid), .m_axi_awready(h_aw_ready), .m_axi_awaddr(h_aw_addr), .m_axi_awlen(h_aw_len), .m_axi_awsize(h_aw_size),
    .m_axi_awburst(h_aw_burst), .m_axi_wvalid(h_w_valid), .m_axi_wready(h_w_ready), .m_axi_wdata(h_w_data), .m_axi_wstrb(h_w_strb),
    .m_axi_wlast(h_w_last), .m_axi_bvalid(h_b_valid), .m_axi_bready(h_b_ready), .m_axi_bresp(h_b_resp),
    .m_axi_arvalid(h_ar_valid), .m_axi_arready(h_ar_ready), .m_axi_araddr(h_ar_addr), .m_axi_arlen(h_ar_len), .m_axi_arsize(h_ar_size),
    .m_axi_arburst(h_ar_burst), .m_axi_rvalid(h_r_valid), .m_axi_rready(h_r_ready), .m_axi_rdata(h_r_data), .m_axi_rresp(h_r_resp), .m_axi_rlast(h_r_last)
  );
  // The HBM speaks AXI3, bursts of 16 beats at most: a line is two of them.
  hbm_block hbm (
    .HBM_REF_CLK_0(clk100), .APB_0_PCLK(clk100), .APB_0_PRESET_N(locked), .APB_0_PADDR(22'd0), .APB_0_PWDATA(32'd0), .APB_0_PENABLE(1'b0),
    .APB_0_PSEL(1'b0), .APB_0_PWRITE(1'b0), .apb_complete_0(hbm_ready), .DRAM_0_STAT_CATTRIP(hbm_cattrip),
    .AXI_00_ACLK(clk), .AXI_00_ARESET_N(!reset),
    .AXI_00_AWVALID(h_aw_valid), .AXI_00_AWREADY(h_aw_ready), .AXI_00_AWADDR({5'd0, h_aw_addr[27:0]}), .AXI_00_AWID(6'd0), .AXI_00_AWLEN(h_aw_len[3:0]),
    .AXI_00_AWSIZE(h_aw_size), .AXI_00_AWBURST(h_aw_burst),
    .AXI_00_WVALID(h_w_valid), .AXI_00_WREADY(h_w_ready), .AXI_00_WDATA(h_w_data), .AXI_00_WDATA_PARITY(32'd0), .AXI_00_WSTRB(h_w_strb), .AXI_00_WLAST(h_w_last),
    .AXI_00_BVALID(h_b_valid), .AXI_00_BREADY(h_b_ready), .AXI_00_BRESP(h_b_resp),
    .AXI_00_ARVALID(h_ar_valid), .AXI_00_ARREADY(h_ar_ready), .AXI_00_ARADDR({5'd0, h_ar_addr[27:0]}), .AXI_00_ARID(6'd0), .AXI_00_ARLEN(h_ar_len[3:0]),
    .AXI_00_ARSIZE(h_ar_size), .AXI_00_ARBURST(h_ar_burst),
    .AXI_00_RVALID(h_r_valid), .AXI_00_RREADY(h_r_ready), .AXI_00_RDATA(h_r_data), .AXI_00_RRESP(h_r_resp), .AXI_00_RLAST(h_r_last)
  );

  card card (
    .clk(clk), .reset(reset), .init_clk(clk100), .init_ready(locked),
    .pcie_clk_p(pcie_clk_p), .pcie_clk_n(pcie_clk_n), .pcie_reset_n(pcie_reset_n),
    .pcie_rx_p(pcie_rx_p), .pcie_rx_n(pcie_rx_n), .pcie_tx_p(pcie_tx_p), .pcie_tx_n(pcie_tx_n),
    .qsfp_clk_p(qsfp_clk_p), .qsfp_clk_n(qsfp_clk_n), .qsfp_rx_p(qsfp_rx_p), .qsfp_rx_n(qsfp_rx_n), .qsfp_tx_p(qsfp_tx_p), .qsfp_tx_n(qsfp_tx_n),
    .led_up(led_up), .led_beat(led_beat), .led_trapped(led_trapped),
    .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_addr(aw_addr), .aw_id(aw_id), .aw_len(aw_len), .aw_size(aw_size), .aw_burst(aw_burst),
    .w_valid(w_valid), .w_ready(w_ready), .w_data(w_data), .w_strb(w_strb), .w_last(w_last),
    .b_valid(b_valid), .b_ready(b_ready), .b_id(b_id), .b_resp(b_resp),
    .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_addr(ar_addr), .ar_id(ar_id), .ar_len(ar_len), .ar_size(ar_size), .ar_burst(ar_burst),
    .r_valid(r_valid), .r_ready(r_ready), .r_data(r_data), .r_id(r_id), .r_resp(r_resp), .r_last(r_last)
  );
endmodule
