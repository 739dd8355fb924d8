// Any verdict in any cycle. `who` is any master.
module checks (input clk);
  localparam M = 3;
  reg reset = 1;
  always @(posedge clk) reset <= 0;
  (* anyseq *) wire valid, put_off;
  (* anyseq *) wire [3:0] master;
  (* anyconst *) wire [1:0] who;
  wire [M-1:0] elder, standing;
  BusElder dut (.clk, .reset, .io_verdict_valid(valid), .io_verdict_payload(master), .io_putOff(put_off), .io_elder(elder), .io_standing(standing));

  reg [2:0] others = 0;
  reg [M-1:0] before = 0;
  reg vacant = 0;
  always @(posedge clk) begin
    assume (who < M);
    if (!reset) begin
      before <= elder;
      vacant <= standing[who] && elder == 0 && !(valid && !put_off);
      others <= !standing[who] || elder[who] ? 0 : others + (elder != 0 && before == 0);
      one: assert ((elder & (elder - 1)) == 0);
      turn: assert (others < M);
      elected: assert (!vacant || elder != 0);
      cover (others == 1 && standing[who]);
    end
  end
endmodule
