// Any ops, tag commands, table and register accesses. `line` is any line of the first word of the heap: the books hold its tag.
module checks (input clk);
  localparam HEAP = 16'h8080;
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire request, bypass, verdict, retried, command, check, set, approve, defer, event_ready, room, regs, regs_write;
  (* anyseq *) wire [3:0] master, op, judged_master, judged_op;
  (* anyseq *) wire [31:0] address, judged, tag_address, regs_data;
  (* anyseq *) wire [2:0] size, old, next;
  (* anyseq *) wire [11:0] regs_address;
  (* anyseq *) wire [1:0] responder;
  (* anyconst *) wire [4:0] line;
  wire retry, shared, claim, accepted, result, mismatch;
  Snooper dut (
      .clk, .reset,
      .io_snoop_request_valid(request), .io_snoop_request_payload_master(master), .io_snoop_request_payload_op(op),
      .io_snoop_request_payload_address(address), .io_snoop_request_payload_mask(16'd0), .io_snoop_request_payload_bypass(bypass),
      .io_snoop_answer_retry(retry), .io_snoop_answer_shared(shared), .io_snoop_answer_claim(claim),
      .io_snoop_verdict_valid(verdict), .io_snoop_verdict_payload_request_master(judged_master),
      .io_snoop_verdict_payload_request_op(judged_op), .io_snoop_verdict_payload_request_address(judged),
      .io_snoop_verdict_payload_request_mask(16'd0), .io_snoop_verdict_payload_request_bypass(1'b0),
      .io_snoop_verdict_payload_retry(retried), .io_snoop_verdict_payload_shared(1'b0), .io_snoop_verdict_payload_error(1'b0),
      .io_snoop_verdict_payload_conflict(1'b0), .io_snoop_verdict_payload_responder(responder),
      .io_tag_command_valid(command), .io_tag_command_ready(accepted), .io_tag_command_payload_address(tag_address),
      .io_tag_command_payload_size(size), .io_tag_command_payload_check(check), .io_tag_command_payload_old(old),
      .io_tag_command_payload_set(set), .io_tag_command_payload_next(next), .io_tag_command_payload_approve(approve),
      .io_tag_command_payload_defer(defer), .io_tag_result_valid(result), .io_tag_result_payload_mismatch(mismatch),
      .io_event_ready(event_ready), .io_claimRoom(room), .io_regs_command_valid(regs), .io_regs_command_payload_write(regs_write),
      .io_regs_command_payload_address(regs_address), .io_regs_command_payload_data(regs_data));

  // Range of the command, and whether `line` is of it.
  wire [4:0] care = 5'h1f << size;
  wire touches = tag_address[31:16] == HEAP && tag_address[15:11] == 0 && (tag_address[10:6] & care) == (line & care);

  // c is the cycle in which a command is accepted; its result, in c+1, says whether it changed the tags.
  reg [2:0] told = 0, new_tag = 0, wanted;
  reg changes = 0, compares = 0, was_command = 0;
  reg [44:0] was;
  wire [44:0] now = {tag_address, size, check, old, set, next, approve, defer};
  wire [2:0] tag = changes && !mismatch ? new_tag : told;

  // T2 of an op on the line; what it saw, and its action, are from T1.
  (* hierconn *) wire \dut.valid , \dut.tags.busy , \dut.tags.sweeping , \dut.tags.compared , \dut.tags.differs  ;
  (* hierconn *) wire [31:0] \dut.op_address , \dut.tags.mask ;
  (* hierconn *) wire [4:0] \dut.tags.sweepWord ;
  (* hierconn *) wire [2:0] \dut.tag , \dut.tags.next_1 , \dut.tags.old ;
  (* hierconn *) wire \dut.tags.set , \dut.tags.check , \dut.tags.inHeap ;
  (* hierconn *) wire [4:0] \dut.tags.range_word , \dut.tags.range_base , \dut.tags.range_care ;
  (* hierconn *) wire [95:0] \dut.sram.io_tags_q ;
  (* hierconn *) wire [3:0] \dut.sram.banks_0_memory[0] , \dut.sram.banks_1_memory[0] , \dut.sram.banks_2_memory[0] , \dut.sram.banks_3_memory[0] ,
      \dut.sram.banks_4_memory[0] , \dut.sram.banks_5_memory[0] , \dut.sram.banks_6_memory[0] , \dut.sram.banks_7_memory[0] ,
      \dut.sram.banks_8_memory[0] , \dut.sram.banks_9_memory[0] , \dut.sram.banks_10_memory[0] , \dut.sram.banks_11_memory[0] ,
      \dut.sram.banks_12_memory[0] , \dut.sram.banks_13_memory[0] , \dut.sram.banks_14_memory[0] , \dut.sram.banks_15_memory[0] ,
      \dut.sram.banks_16_memory[0] , \dut.sram.banks_17_memory[0] , \dut.sram.banks_18_memory[0] , \dut.sram.banks_19_memory[0] ,
      \dut.sram.banks_20_memory[0] , \dut.sram.banks_21_memory[0] , \dut.sram.banks_22_memory[0] , \dut.sram.banks_23_memory[0] ;
  (* hierconn *) wire \dut.tags.fresh , \dut.tags.mismatch ;
  (* hierconn *) wire [2:0] \dut.table_1_io_actions_0 ;
  (* hierconn *) wire [2:0] \dut.table_1_io_actions_1 ;
  (* hierconn *) wire [2:0] \dut.table_1_io_actions_2 ;
  (* hierconn *) wire [2:0] \dut.table_1_io_actions_3 ;
  (* hierconn *) wire [2:0] \dut.table_1_io_actions_4 ;
  (* hierconn *) wire [2:0] \dut.table_1_io_actions_5 ;
  (* hierconn *) wire [2:0] \dut.table_1_io_actions_6 ;
  (* hierconn *) wire [2:0] \dut.table_1_io_actions_7 ;
  wire [7:0][2:0] actions = {\dut.table_1_io_actions_7 , \dut.table_1_io_actions_6 , \dut.table_1_io_actions_5 , \dut.table_1_io_actions_4 , \dut.table_1_io_actions_3 , \dut.table_1_io_actions_2 , \dut.table_1_io_actions_1 , \dut.table_1_io_actions_0 };
  wire [31:0] read0 = \dut.sram.io_tags_q [31:0], read1 = \dut.sram.io_tags_q [63:32], read2 = \dut.sram.io_tags_q [95:64];
  wire judged_now = \dut.valid && \dut.op_address [15:6] == line;
  wire changed_now = command && accepted && set && touches && !\dut.tags.mismatch ;
  reg seen = 0;
  reg [2:0] seen_tag, action;
  wire [31:0] plane0 = {\dut.sram.banks_7_memory[0] , \dut.sram.banks_6_memory[0] , \dut.sram.banks_5_memory[0] , \dut.sram.banks_4_memory[0] ,
      \dut.sram.banks_3_memory[0] , \dut.sram.banks_2_memory[0] , \dut.sram.banks_1_memory[0] , \dut.sram.banks_0_memory[0] };
  wire [31:0] plane1 = {\dut.sram.banks_15_memory[0] , \dut.sram.banks_14_memory[0] , \dut.sram.banks_13_memory[0] , \dut.sram.banks_12_memory[0] ,
      \dut.sram.banks_11_memory[0] , \dut.sram.banks_10_memory[0] , \dut.sram.banks_9_memory[0] , \dut.sram.banks_8_memory[0] };
  wire [31:0] plane2 = {\dut.sram.banks_23_memory[0] , \dut.sram.banks_22_memory[0] , \dut.sram.banks_21_memory[0] , \dut.sram.banks_20_memory[0] ,
      \dut.sram.banks_19_memory[0] , \dut.sram.banks_18_memory[0] , \dut.sram.banks_17_memory[0] , \dut.sram.banks_16_memory[0] };
  wire [2:0] kept = {plane2[line], plane1[line], plane0[line]};
  always @(posedge clk) begin
    was <= now;
    was_command <= command && !accepted && !reset;
    assume (!was_command || command && was == now);  // a command stays until it is accepted
    assume (size <= 5);
    if (!reset) begin
      changes <= command && accepted && set && touches;
      compares <= command && accepted && check && touches;
      new_tag <= next;
      wanted <= old;
      told <= tag;
      seen <= judged_now;
      seen_tag <= \dut.tag ;
      action <= actions[\dut.tag ];
      whole: assert (!seen || seen_tag == tag);
      by_table: assert (!seen || (!shared || action == 1) && (!claim || action == 4 || action == 5) && (retry || claim || action < 2));
      compared_first: assert (!(result && compares && told != wanted) || mismatch);

      // What makes it inductive: the tag unit's registers are those of the command at hand, the SRAM has the line's tag.
      remembers: assert (\dut.tags.sweeping && \dut.tags.sweepWord == 0 || kept == tag);
      swept: assert (!\dut.tags.sweeping || tag == 0 && !\dut.tags.busy && !changes && !\dut.valid );
      sees: assert (!judged_now || \dut.tag == (changed_now ? next : tag));
      if (\dut.tags.busy ) begin
        reads: assert (!\dut.tags.fresh || \dut.tags.range_word != 0 || {read2[line], read1[line], read0[line]} == tag);
        at_hand: assert (command && \dut.tags.next_1 == next && \dut.tags.set == set && \dut.tags.old == old && \dut.tags.check == check &&
          \dut.tags.range_word == tag_address[15:11] && \dut.tags.range_care == care && \dut.tags.range_base == (tag_address[10:6] & care) &&
          \dut.tags.inHeap == (tag_address[31:16] == HEAP) &&
          \dut.tags.mask [line] == ((tag_address[10:6] & care) == (line & care)));
        differing: assert (!(\dut.tags.compared && check && touches && tag != old) || \dut.tags.differs );
      end
    end else begin
      told <= 0;
      changes <= 0;
      compares <= 0;
      seen <= 0;
    end
  end
endmodule
