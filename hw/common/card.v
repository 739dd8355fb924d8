// A card in a slot, without its clocks and its memory: PCI Express block, MAC and turnstile.board.CardSite. `clk` is the site's; memory is
// behind AXI4 on it.
module card (
  input  wire         clk,
  input  wire         reset,
  input  wire         init_clk,    // 100 MHz, runs always
  input  wire         init_ready,  // init_clk is good
  input  wire         pcie_clk_p,
  input  wire         pcie_clk_n,
  input  wire         pcie_reset_n,
  input  wire [1:0]   pcie_rx_p,
  input  wire [1:0]   pcie_rx_n,
  output wire [1:0]   pcie_tx_p,
  output wire [1:0]   pcie_tx_n,
  input  wire         qsfp_clk_p,
  input  wire         qsfp_clk_n,
  input  wire [3:0]   qsfp_rx_p,
  input  wire [3:0]   qsfp_rx_n,
  output wire [3:0]   qsfp_tx_p,
  output wire [3:0]   qsfp_tx_n,
  output wire         led_up,
  output wire         led_beat,
  output wire         led_trapped,

  output wire         aw_valid,
  input  wire         aw_ready,
  output wire [31:0]  aw_addr,
  output wire [3:0]   aw_id,
  output wire [7:0]   aw_len,
  output wire [2:0]   aw_size,
  output wire [1:0]   aw_burst,
  output wire         w_valid,
  input  wire         w_ready,
  output wire [127:0] w_data,
  output wire [15:0]  w_strb,
  output wire         w_last,
  input  wire         b_valid,
  output wire         b_ready,
  input  wire [3:0]   b_id,
  input  wire [1:0]   b_resp,
  output wire         ar_valid,
  input  wire         ar_ready,
  output wire [31:0]  ar_addr,
  output wire [3:0]   ar_id,
  output wire [7:0]   ar_len,
  output wire [2:0]   ar_size,
  output wire [1:0]   ar_burst,
  input  wire         r_valid,
  output wire         r_ready,
  input  wire [127:0] r_data,
  input  wire [3:0]   r_id,
  input  wire [1:0]   r_resp,
  input  wire         r_last
);
  // PCI Express -----------------------------------------------------------------------------------------------------
  wire pcie_slot_reset_n, pcie_clk_gt, pcie_clk_half, user_clk, user_reset;
  IBUF pcie_reset_buffer (.I(pcie_reset_n), .O(pcie_slot_reset_n));
  IBUFDS_GTE4 pcie_clk_buffer (.I(pcie_clk_p), .IB(pcie_clk_n), .CEB(1'b0), .O(pcie_clk_gt), .ODIV2(pcie_clk_half));
  wire         cq_tvalid, cq_tready, cq_tlast, cc_tvalid, cc_tready, cc_tlast, rq_tvalid, rq_tready, rq_tlast;
  wire  [63:0] cq_tdata, cc_tdata, rq_tdata;
  wire   [1:0] cq_tkeep, cc_tkeep, rq_tkeep, np_request;
  wire  [87:0] cq_tuser;
  wire  [32:0] cc_tuser;
  wire  [61:0] rq_tuser;
  wire   [3:0] msix_enable, msix_mask, cc_takes, rq_takes;
  assign cc_tready = cc_takes[0];
  assign rq_tready = rq_takes[0];
  pcie_block pcie (
    .sys_clk(pcie_clk_half), .sys_clk_gt(pcie_clk_gt), .sys_reset(pcie_slot_reset_n), .user_clk(user_clk), .user_reset(user_reset),
    .pci_exp_rxp(pcie_rx_p), .pci_exp_rxn(pcie_rx_n), .pci_exp_txp(pcie_tx_p), .pci_exp_txn(pcie_tx_n),
    .m_axis_cq_tvalid(cq_tvalid), .m_axis_cq_tready(cq_tready), .m_axis_cq_tdata(cq_tdata), .m_axis_cq_tkeep(cq_tkeep),
    .m_axis_cq_tlast(cq_tlast), .m_axis_cq_tuser(cq_tuser), .pcie_cq_np_req(np_request),
    .s_axis_cc_tvalid(cc_tvalid), .s_axis_cc_tready(cc_takes), .s_axis_cc_tdata(cc_tdata), .s_axis_cc_tkeep(cc_tkeep),
    .s_axis_cc_tlast(cc_tlast), .s_axis_cc_tuser(cc_tuser),
    .s_axis_rq_tvalid(rq_tvalid), .s_axis_rq_tready(rq_takes), .s_axis_rq_tdata(rq_tdata), .s_axis_rq_tkeep(rq_tkeep),
    .s_axis_rq_tlast(rq_tlast), .s_axis_rq_tuser(rq_tuser), .m_axis_rc_tready(1'b1),
    .cfg_interrupt_msix_enable(msix_enable), .cfg_interrupt_msix_mask(msix_mask), .cfg_interrupt_msix_address(64'd0),
    .cfg_interrupt_msix_data(32'd0), .cfg_interrupt_msix_int(1'b0), .cfg_interrupt_msix_vec_pending(2'd0),
    .cfg_interrupt_msi_function_number(8'd0), .cfg_interrupt_int(4'd0), .cfg_interrupt_pending(4'd0),
    .cfg_mgmt_addr(10'd0), .cfg_mgmt_function_number(8'd0), .cfg_mgmt_write(1'b0), .cfg_mgmt_write_data(32'd0), .cfg_mgmt_byte_enable(4'd0),
    .cfg_mgmt_read(1'b0), .cfg_mgmt_debug_access(1'b0), .cfg_msg_transmit(1'b0), .cfg_msg_transmit_type(3'd0), .cfg_msg_transmit_data(32'd0),
    .cfg_fc_sel(3'd0), .cfg_dsn(64'd0), .cfg_power_state_change_ack(1'b1), .cfg_err_cor_in(1'b0), .cfg_err_uncor_in(1'b0), .cfg_flr_done(4'd0),
    .cfg_vf_flr_func_num(8'd0), .cfg_vf_flr_done(8'd0), .cfg_link_training_enable(1'b1), .cfg_config_space_enable(1'b1),
    .cfg_req_pm_transition_l23_ready(1'b0), .cfg_hot_reset_in(1'b0), .cfg_pm_aspm_l1_entry_reject(1'b0), .cfg_pm_aspm_tx_l0s_entry_disable(1'b0),
    .cfg_ds_port_number(8'd0), .cfg_ds_bus_number(8'd0), .cfg_ds_device_number(5'd0)
  );

  // The wire --------------------------------------------------------------------------------------------------------
  wire         mac_clk, tx_reset, rx_reset, tx_tvalid, tx_tready, tx_tlast, rx_tvalid, rx_tlast, rx_tuser;
  wire [511:0] tx_tdata, rx_tdata;
  wire  [63:0] tx_tkeep, rx_tkeep;
  wire_mac mac (
    .init_clk(init_clk), .ready(init_ready), .ref_p(qsfp_clk_p), .ref_n(qsfp_clk_n), .rx_p(qsfp_rx_p), .rx_n(qsfp_rx_n), .tx_p(qsfp_tx_p), .tx_n(qsfp_tx_n),
    .mac_clk(mac_clk), .tx_reset(tx_reset), .rx_reset(rx_reset),
    .tx_tvalid(tx_tvalid), .tx_tready(tx_tready), .tx_tdata(tx_tdata), .tx_tkeep(tx_tkeep), .tx_tlast(tx_tlast),
    .rx_tvalid(rx_tvalid), .rx_tdata(rx_tdata), .rx_tkeep(rx_tkeep), .rx_tlast(rx_tlast), .rx_tuser(rx_tuser)
  );

  CardSite site (
    .clk(clk), .reset(reset),
    .io_userClk(user_clk), .io_userReset(user_reset),
    .io_cq_tvalid(cq_tvalid), .io_cq_tready(cq_tready), .io_cq_tlast(cq_tlast), .io_cq_tdata(cq_tdata), .io_cq_tkeep(cq_tkeep), .io_cq_tuser(cq_tuser),
    .io_cc_tvalid(cc_tvalid), .io_cc_tready(cc_tready), .io_cc_tlast(cc_tlast), .io_cc_tdata(cc_tdata), .io_cc_tkeep(cc_tkeep), .io_cc_tuser(cc_tuser),
    .io_rq_tvalid(rq_tvalid), .io_rq_tready(rq_tready), .io_rq_tlast(rq_tlast), .io_rq_tdata(rq_tdata), .io_rq_tkeep(rq_tkeep), .io_rq_tuser(rq_tuser),
    .io_npRequest(np_request), .io_msixEnable(msix_enable), .io_msixMask(msix_mask),
    .io_axi_aw_valid(aw_valid), .io_axi_aw_ready(aw_ready), .io_axi_aw_payload_addr(aw_addr), .io_axi_aw_payload_id(aw_id),
    .io_axi_aw_payload_len(aw_len), .io_axi_aw_payload_size(aw_size), .io_axi_aw_payload_burst(aw_burst),
    .io_axi_w_valid(w_valid), .io_axi_w_ready(w_ready), .io_axi_w_payload_data(w_data), .io_axi_w_payload_strb(w_strb), .io_axi_w_payload_last(w_last),
    .io_axi_b_valid(b_valid), .io_axi_b_ready(b_ready), .io_axi_b_payload_id(b_id), .io_axi_b_payload_resp(b_resp),
    .io_axi_ar_valid(ar_valid), .io_axi_ar_ready(ar_ready), .io_axi_ar_payload_addr(ar_addr), .io_axi_ar_payload_id(ar_id),
    .io_axi_ar_payload_len(ar_len), .io_axi_ar_payload_size(ar_size), .io_axi_ar_payload_burst(ar_burst),
    .io_axi_r_valid(r_valid), .io_axi_r_ready(r_ready), .io_axi_r_payload_data(r_data), .io_axi_r_payload_id(r_id), .io_axi_r_payload_resp(r_resp),
    .io_axi_r_payload_last(r_last),
    .io_txClk(mac_clk), .io_txReset(tx_reset), .io_rxClk(mac_clk), .io_rxReset(rx_reset),
    .io_tx_tvalid(tx_tvalid), .io_tx_tready(tx_tready), .io_tx_tdata(tx_tdata), .io_tx_tkeep(tx_tkeep), .io_tx_tlast(tx_tlast), .io_tx_tuser(),
    .io_rx_tvalid(rx_tvalid), .io_rx_tdata(rx_tdata), .io_rx_tkeep(rx_tkeep), .io_rx_tlast(rx_tlast), .io_rx_tuser({64{rx_tuser}}),
    .io_status_up(led_up), .io_status_beat(led_beat), .io_status_trapped(led_trapped)
  );
endmodule
