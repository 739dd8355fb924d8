// A 100 Gbit/s MAC (CMAC) as a card's wire wants it: RS-FEC always, frames only while the line is aligned, what the other end is told until
// then (remote fault). Both directions have the clock `mac_clk`, 322.27 MHz, which the transceivers make.
module wire_mac (
  input  wire         init_clk,  // 100 MHz, runs always
  input  wire         ready,     // init_clk is good
  input  wire         ref_p,
  input  wire         ref_n,
  input  wire [3:0]   rx_p,
  input  wire [3:0]   rx_n,
  output wire [3:0]   tx_p,
  output wire [3:0]   tx_n,

  output wire         mac_clk,
  output wire         tx_reset,
  output wire         rx_reset,
  input  wire         tx_tvalid,
  output wire         tx_tready,
  input  wire [511:0] tx_tdata,
  input  wire [63:0]  tx_tkeep,
  input  wire         tx_tlast,
  output wire         rx_tvalid,
  output wire [511:0] rx_tdata,
  output wire [63:0]  rx_tkeep,
  output wire         rx_tlast,
  output wire         rx_tuser
);
  wire init_reset;
  reset_hold hold (.clk(init_clk), .ready(ready), .reset(init_reset));

  wire aligned;
  reg  open = 1'b0;
  always @(posedge mac_clk) open <= aligned && !rx_reset;

  // While nothing may be sent, nothing is taken: the card's FIFO keeps its frames, and drops none.
  wire takes;
  assign tx_tready = takes && open;

  mac_block mac (
    .init_clk(init_clk), .sys_reset(init_reset), .gt_ref_clk_p(ref_p), .gt_ref_clk_n(ref_n),
    .gt_rxp_in(rx_p), .gt_rxn_in(rx_n), .gt_txp_out(tx_p), .gt_txn_out(tx_n), .gt_loopback_in(12'd0),
    .gt_txusrclk2(mac_clk), .rx_clk(mac_clk), .usr_tx_reset(tx_reset), .usr_rx_reset(rx_reset),
    .gtwiz_reset_tx_datapath(1'b0), .gtwiz_reset_rx_datapath(1'b0), .core_tx_reset(1'b0), .core_rx_reset(1'b0), .core_drp_reset(1'b0),
    .drp_clk(init_clk), .drp_addr(10'd0), .drp_di(16'd0), .drp_en(1'b0), .drp_we(1'b0), .pm_tick(1'b0),

    .ctl_tx_enable(open), .ctl_tx_send_rfi(!open), .ctl_tx_send_lfi(1'b0), .ctl_tx_send_idle(1'b0), .ctl_tx_test_pattern(1'b0),
    .ctl_rx_enable(1'b1), .ctl_rx_force_resync(1'b0), .ctl_rx_test_pattern(1'b0),
    .ctl_tx_rsfec_enable(1'b1), .ctl_rx_rsfec_enable(1'b1), .ctl_rx_rsfec_enable_correction(1'b1), .ctl_rx_rsfec_enable_indication(1'b1),
    .ctl_rsfec_ieee_error_indication_mode(1'b0), .tx_preamblein(56'd0),
    .stat_rx_aligned(aligned),

    .tx_axis_tvalid(tx_tvalid && open), .tx_axis_tready(takes), .tx_axis_tdata(tx_tdata), .tx_axis_tkeep(tx_tkeep), .tx_axis_tlast(tx_tlast),
    .tx_axis_tuser(1'b0),
    .rx_axis_tvalid(rx_tvalid), .rx_axis_tdata(rx_tdata), .rx_axis_tkeep(rx_tkeep), .rx_axis_tlast(rx_tlast), .rx_axis_tuser(rx_tuser)
  );
endmodule
