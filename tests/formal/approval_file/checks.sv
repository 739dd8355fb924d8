// A file of two entries; any ops of any masters on any lines, any verdicts and tag commands. `line` and `master` are any pair: the
// books say what the file must hold for it.
module checks (input clk);
  localparam TICKS = 17;
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire lookup, record, seen, change, set, approve, commit, aged_ready;
  (* anyseq *) wire [9:0] ahead_line, commit_line;
  (* anyseq *) wire [3:0] ahead_master, commit_master, look_op, commit_op;
  reg [9:0] look_line;
  reg [3:0] look_master;
  (* anyseq *) wire [15:0] allowed;
  (* anyseq *) wire [4:0] word;
  (* anyseq *) wire [4:0] base, care;
  (* anyconst *) wire [9:0] line;
  (* anyconst *) wire [3:0] master;
  wire pending, approved, reuse, room, aged, tick, freed;
  wire [4:0] slot;
  wire [9:0] aged_line;
  wire [3:0] aged_master, aged_op;
  ApprovalFile dut (
      .clk, .reset,
      .io_lookup_valid(lookup), .io_lookup_payload_line(look_line), .io_lookup_payload_master(look_master), .io_lookup_payload_op(look_op),
      .io_ahead_line(ahead_line), .io_ahead_master(ahead_master),
      .io_view_pending(pending), .io_view_approved(approved), .io_view_reuse(reuse), .io_view_room(room), .io_view_slot(slot),
      .io_record(record), .io_seen(seen),
      .io_change_valid(change), .io_change_payload_set(set), .io_change_payload_approve(approve), .io_change_payload_next(3'd0),
      .io_allowed(allowed), .io_rangeAhead_word(word), .io_rangeAhead_base(base), .io_rangeAhead_care(care),
      .io_commit_valid(commit), .io_commit_payload_line(commit_line), .io_commit_payload_master(commit_master), .io_commit_payload_op(commit_op),
      .io_aged_valid(aged), .io_aged_ready(aged_ready), .io_aged_payload_line(aged_line), .io_aged_payload_master(aged_master),
      .io_aged_payload_op(aged_op), .io_readIndex(5'd0), .io_tick(tick), .io_freed(freed));

  reg in_range = 0;  // of the change that this cycle may bring
  reg held = 0, granted = 0;
  reg [3:0] op;
  reg [4:0] age;
  wire here = lookup && look_line == line && look_master == master;
  wire maintains = commit_op == 3 || commit_op >= 6 && commit_op <= 8;
  wire passes = commit && commit_line == line && commit_master == master && (!maintains || commit_op == op);
  wire rejudged = change && approve && in_range && !granted;
  wire revoked = change && set && in_range && granted && !allowed[op];
  wire gives_up = aged && aged_ready && aged_line == line && aged_master == master;

  (* hierconn *) wire \dut.entries_0_valid , \dut.entries_1_valid , \dut.entries_0_approved , \dut.entries_1_approved ;
  (* hierconn *) wire [9:0] \dut.entries_0_held_line , \dut.entries_1_held_line ;
  (* hierconn *) wire [3:0] \dut.entries_0_held_master , \dut.entries_1_held_master , \dut.entries_0_held_op , \dut.entries_1_held_op ;
  (* hierconn *) wire [4:0] \dut.entries_0_age , \dut.entries_1_age ;
  (* hierconn *) wire \dut.entries_0_near , \dut.entries_1_near , \dut.entries_0_sameLine , \dut.entries_1_sameLine ;
  (* hierconn *) wire \dut.entries_0_sameMaster , \dut.entries_1_sameMaster ;
  wire in0 = \dut.entries_0_valid && \dut.entries_0_held_line == line && \dut.entries_0_held_master == master;
  wire in1 = \dut.entries_1_valid && \dut.entries_1_held_line == line && \dut.entries_1_held_master == master;
  always @(posedge clk) begin
    look_line <= ahead_line;
    look_master <= ahead_master;
    in_range <= word == line[9:5] && (line[4:0] & care) == base;
    // The snooper: it records what is not waiting and has a place, and says of a repeat that it saw it.
    assume (!record || lookup && !pending && room);
    assume (!seen || lookup && pending);
    if (!reset) begin
      if (here && record) begin
        held <= 1;
        granted <= 0;
        op <= look_op;
        age <= 0;
      end else begin
        held <= held && !(granted && passes) && !revoked && !(rejudged && !allowed[op]) && !gives_up;
        granted <= granted || rejudged;
        if (here && seen) op <= look_op;
        age <= here ? 0 : age + (tick && age != TICKS);
      end
      once: assert (!(in0 && in1));
      kept: assert (held == (in0 || in1));
      as_it_was: assert (!held || (in0 ? \dut.entries_0_approved : \dut.entries_1_approved ) == granted &&
        (in0 ? \dut.entries_0_held_op : \dut.entries_1_held_op ) == op && (in0 ? \dut.entries_0_age : \dut.entries_1_age ) == age &&
        (in0 ? \dut.entries_0_near : \dut.entries_1_near ) == in_range);
      compared0: assert (!\dut.entries_0_valid || \dut.entries_0_sameLine == (look_line == \dut.entries_0_held_line ) &&
        \dut.entries_0_sameMaster == (look_master == \dut.entries_0_held_master ));
      compared1: assert (!\dut.entries_1_valid || \dut.entries_1_sameLine == (look_line == \dut.entries_1_held_line ) &&
        \dut.entries_1_sameMaster == (look_master == \dut.entries_1_held_master ));
      told: assert (!gives_up || held && age == TICKS && !here && aged_op == op);
      not_stuck: assert (!held || age != TICKS || here || aged);
      if (here) begin
        sees_pending: assert (pending == (held && !granted && !rejudged));
        sees_approved: assert (approved == (held && (granted ? !revoked : rejudged && allowed[op])));
        own_place: assert (!held || pending || room && reuse);
      end
      wakes: assert (!(held && granted && passes || gives_up) || freed);
      cover (held && granted && passes && in1);
      cover (revoked && held);
    end else begin
      held <= 0;
    end
  end
endmodule
