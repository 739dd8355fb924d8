// The top of an Alveo U250: clocks, reset, DDR4, pins. All else is `card` (hw/common/card.v); what the LEDs say: docs/user/board.md.
module u250 (
  input  wire       clk156_p,
  input  wire       clk156_n,
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
  // The module in the QSFP cage: selected, out of reset, at full power.
  output wire       qsfp_modsell,
  output wire       qsfp_resetl,
  output wire       qsfp_lpmode,
  input  wire        ddr4_clk_p,
  input  wire        ddr4_clk_n,
  output wire [16:0] ddr4_adr,
  output wire [1:0]  ddr4_ba,
  output wire [1:0]  ddr4_bg,
  output wire        ddr4_act_n,
  output wire [0:0]  ddr4_cke,
  output wire [0:0]  ddr4_cs_n,
  output wire [0:0]  ddr4_odt,
  output wire        ddr4_parity,
  output wire        ddr4_reset_n,
  output wire [0:0]  ddr4_ck_t,
  output wire [0:0]  ddr4_ck_c,
  inout  wire [71:0] ddr4_dq,
  inout  wire [17:0] ddr4_dqs_t,
  inout  wire [17:0] ddr4_dqs_c
);
  assign qsfp_modsell = 1'b0;
  assign qsfp_resetl = 1'b1;
  assign qsfp_lpmode = 1'b0;

  // Clocks ----------------------------------------------------------------------------------------------------------
  wire clk156_pin, made, feedback, clk, locked;
  IBUFDS clk156_buffer (.I(clk156_p), .IB(clk156_n), .O(clk156_pin));
  // The oscillator inside runs at 156.25 * 8 = 1250 MHz, legal 800 to 1600.
  MMCME4_BASE #(.CLKIN1_PERIOD(6.400), .DIVCLK_DIVIDE(1), .CLKFBOUT_MULT_F(8.000), .CLKOUT0_DIVIDE_F(12.500)) mmcm (
    .CLKIN1(clk156_pin), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(made), .LOCKED(locked), .PWRDWN(1'b0), .RST(1'b0)
  );
  BUFG clk_net (.I(made), .O(clk));

  wire ddr_ready, reset;
  reset_hold hold (.clk(clk), .ready(locked && ddr_ready), .reset(reset));

  // Memory: the begin of DDR4 channel 0, at the controller's clock ---------------------------------------------
  wire         aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready, ar_valid, ar_ready, r_valid, r_ready, r_last;
  wire  [31:0] aw_addr, ar_addr;
  wire   [3:0] aw_id, ar_id, b_id, r_id;
  wire   [7:0] aw_len, ar_len;
  wire   [2:0] aw_size, ar_size;
  wire   [1:0] aw_burst, ar_burst, b_resp, r_resp;
  wire [127:0] w_data, r_data;
  wire  [15:0] w_strb;

  wire         d_aw_valid, d_aw_ready, d_w_valid, d_w_ready, d_w_last, d_b_valid, d_b_ready, d_ar_valid, d_ar_ready, d_r_valid, d_r_ready, d_r_last;
  wire  [31:0] d_aw_addr, d_ar_addr;
  wire   [7:0] d_aw_len, d_ar_len;
  wire   [2:0] d_aw_size, d_ar_size;
  wire   [1:0] d_aw_burst, d_ar_burst, d_b_resp, d_r_resp;
  wire [511:0] d_w_data, d_r_data;
  wire  [63:0] d_w_strb;
  wire         ddr_clk, ddr_reset;
  reg          ddr_resetn = 1'b0;
  always @(posedge ddr_clk) ddr_resetn <= !ddr_reset;
  memory_width wider (
    .s_axi_aclk(clk), .s_axi_aresetn(!reset), .m_axi_aclk(ddr_clk), .m_axi_aresetn(ddr_resetn),
    .s_axi_awvalid(aw_valid), .s_axi_awready(aw_ready), .s_axi_awaddr(aw_addr), .s_axi_awid(aw_id), .s_axi_awlen(aw_len), .s_axi_awsize(aw_size),
    .s_axi_awburst(aw_burst), .s_axi_awlock(1'b0), .s_axi_awcache(4'b0011), .s_axi_awprot(3'd0), .s_axi_awregion(4'd0), .s_axi_awqos(4'd0),
    .s_axi_wvalid(w_valid), .s_axi_wready(w_ready), .s_axi_wdata(w_data), .s_axi_wstrb(w_strb), .s_axi_wlast(w_last),
    .s_axi_bvalid(b_valid), .s_axi_bready(b_ready), .s_axi_bid(b_id), .s_axi_bresp(b_resp),
    .s_axi_arvalid(ar_valid), .s_axi_arready(ar_ready), .s_axi_araddr(ar_addr), .s_axi_arid(ar_id), .s_axi_arlen(ar_len), .s_axi_arsize(ar_size),
    .s_axi_arburst(ar_burst), .s_axi_arlock(1'b0), .s_axi_arcache(4'b0011), .s_axi_arprot(3'd0), .s_axi_arregion(4'd0), .s_axi_arqos(4'd0),
    .s_axi_rvalid(r_valid), .s_axi_rready(r_ready), .s_axi_rdata(r_data), .s_axi_rid(r_id), .s_axi_rresp(r_resp), .s_axi_rlast(r_last),
    .m_axi_awvalid(d_aw_valid), .m_axi_awready(d_aw_ready), .m_axi_awaddr(d_aw_addr), .m_axi_awlen(d_aw_len), .m_axi_awsize(d_aw_size),
    .m_axi_awburst(d_aw_burst), .m_axi_wvalid(d_w_valid), .m_axi_wready(d_w_ready), .m_axi_wdata(d_w_data), .m_axi_wstrb(d_w_strb),
    .m_axi_wlast(d_w_last), .m_axi_bvalid(d_b_valid), .m_axi_bready(d_b_ready), .m_axi_bresp(d_b_resp),
    .m_axi_arvalid(d_ar_valid), .m_axi_arready(d_ar_ready), .m_axi_araddr(d_ar_addr), .m_axi_arlen(d_ar_len), .m_axi_arsize(d_ar_size),
    .m_axi_arburst(d_ar_burst), .m_axi_rvalid(d_r_valid), .m_axi_rready(d_r_ready), .m_axi_rdata(d_r_data), .m_axi_rresp(d_r_resp), .m_axi_rlast(d_r_last)
  );
  ddr4_block ddr4 (
    .c0_sys_clk_p(ddr4_clk_p), .c0_sys_clk_n(ddr4_clk_n), .sys_rst(!locked), .c0_init_calib_complete(ddr_ready),
    .c0_ddr4_ui_clk(ddr_clk), .c0_ddr4_ui_clk_sync_rst(ddr_reset), .c0_ddr4_aresetn(ddr_resetn),
    .c0_ddr4_adr(ddr4_adr), .c0_ddr4_ba(ddr4_ba), .c0_ddr4_bg(ddr4_bg), .c0_ddr4_act_n(ddr4_act_n), .c0_ddr4_cke(ddr4_cke), .c0_ddr4_cs_n(ddr4_cs_n),
    .c0_ddr4_odt(ddr4_odt), .c0_ddr4_parity(ddr4_parity), .c0_ddr4_reset_n(ddr4_reset_n), .c0_ddr4_ck_t(ddr4_ck_t), .c0_ddr4_ck_c(ddr4_ck_c),
    .c0_ddr4_dq(ddr4_dq), .c0_ddr4_dqs_t(ddr4_dqs_t), .c0_ddr4_dqs_c(ddr4_dqs_c),
    .c0_ddr4_s_axi_ctrl_awvalid(1'b0), .c0_ddr4_s_axi_ctrl_awaddr(32'd0), .c0_ddr4_s_axi_ctrl_wvalid(1'b0), .c0_ddr4_s_axi_ctrl_wdata(32'd0),
    .c0_ddr4_s_axi_ctrl_bready(1'b1), .c0_ddr4_s_axi_ctrl_arvalid(1'b0), .c0_ddr4_s_axi_ctrl_araddr(32'd0), .c0_ddr4_s_axi_ctrl_rready(1'b1),
    .c0_ddr4_s_axi_awvalid(d_aw_valid), .c0_ddr4_s_axi_awready(d_aw_ready), .c0_ddr4_s_axi_awaddr({4'd0, d_aw_addr[29:0]}), .c0_ddr4_s_axi_awid(4'd0),
    .c0_ddr4_s_axi_awlen(d_aw_len), .c0_ddr4_s_axi_awsize(d_aw_size), .c0_ddr4_s_axi_awburst(d_aw_burst), .c0_ddr4_s_axi_awlock(1'b0),
    .c0_ddr4_s_axi_awcache(4'b0011), .c0_ddr4_s_axi_awprot(3'd0), .c0_ddr4_s_axi_awqos(4'd0),
    .c0_ddr4_s_axi_wvalid(d_w_valid), .c0_ddr4_s_axi_wready(d_w_ready), .c0_ddr4_s_axi_wdata(d_w_data), .c0_ddr4_s_axi_wstrb(d_w_strb), .c0_ddr4_s_axi_wlast(d_w_last),
    .c0_ddr4_s_axi_bvalid(d_b_valid), .c0_ddr4_s_axi_bready(d_b_ready), .c0_ddr4_s_axi_bresp(d_b_resp),
    .c0_ddr4_s_axi_arvalid(d_ar_valid), .c0_ddr4_s_axi_arready(d_ar_ready), .c0_ddr4_s_axi_araddr({4'd0, d_ar_addr[29:0]}), .c0_ddr4_s_axi_arid(4'd0),
    .c0_ddr4_s_axi_arlen(d_ar_len), .c0_ddr4_s_axi_arsize(d_ar_size), .c0_ddr4_s_axi_arburst(d_ar_burst), .c0_ddr4_s_axi_arlock(1'b0),
    .c0_ddr4_s_axi_arcache(4'b0011), .c0_ddr4_s_axi_arprot(3'd0), .c0_ddr4_s_axi_arqos(4'd0),
    .c0_ddr4_s_axi_rvalid(d_r_valid), .c0_ddr4_s_axi_rready(d_r_ready), .c0_ddr4_s_axi_rdata(d_r_data), .c0_ddr4_s_axi_rresp(d_r_resp), .c0_ddr4_s_axi_rlast(d_r_last)
  );

  card card (
    .clk(clk), .reset(reset), .init_clk(clk), .init_ready(locked),
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
