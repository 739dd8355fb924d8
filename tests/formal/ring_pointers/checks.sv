// The table of the rings and the engine that sends from them; `q` is any of its transmit rings, used as the contract says.
module checks (input clk);
  localparam CHECK = 1, LINE = 2; // of RingSend's asker
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire regs, regs_write, store, store_consumer, ready, beat, spoiled, job_ready, body_ready, rx_advance;
  (* anyseq *) wire [7:0] regs_address;
  (* anyseq *) wire [31:0] regs_data, value;
  (* anyseq *) wire [3:0] store_queue;
  (* anyseq *) wire [63:0] header;
  (* anyseq *) wire [2:0] rx_queue;
  (* anyconst *) wire [2:0] q;
  wire [7:0] pending;
  wire checked, advance, view_on, view_tagOn;
  wire [2:0] checked_queue, queue;
  wire [3:0] view_log2;
  wire [31:0] base, tagBase, producer, consumer;
  RingTable rings (
      .clk, .reset, .io_regs_command_valid(regs), .io_regs_command_payload_write(regs_write), .io_regs_command_payload_address(regs_address),
      .io_regs_command_payload_data(regs_data), .io_pointer_valid(store), .io_pointer_payload_queue(store_queue),
      .io_pointer_payload_consumer(store_consumer), .io_pointer_payload_value(value),
      .io_fault_0_valid(1'b0), .io_fault_1_valid(1'b0), .io_fault_2_valid(1'b0),
      .io_query_basic(1'b0), .io_query_queue(4'd0), .io_query_word(3'd0),
      .io_pending(pending), .io_checked_valid(checked), .io_checked_payload(checked_queue),
      .io_tx_queue(queue), .io_tx_base(base), .io_tx_tagBase(tagBase), .io_tx_on(view_on), .io_tx_tagOn(view_tagOn), .io_tx_log2(view_log2),
      .io_tx_producer(producer), .io_tx_consumer(consumer), .io_tx_advance(advance),
      .io_rx_queue(rx_queue), .io_rx_advance(rx_advance));
  RingSend send (
      .clk, .reset, .io_pending(pending), .io_checked_valid(checked), .io_checked_payload(checked_queue),
      .io_view_queue(queue), .io_view_base(base), .io_view_tagBase(tagBase), .io_view_on(view_on), .io_view_tagOn(view_tagOn),
      .io_view_log2(view_log2), .io_view_producer(producer), .io_view_consumer(consumer), .io_view_advance(advance),
      .io_command_ready(ready), .io_beat_valid(beat && asked), .io_beat_payload_last(\send.index == 3), .io_beat_payload_fragment({64'd0, header}),
      .io_spoiled(spoiled), .io_port_job_ready(job_ready), .io_port_body_ready(body_ready));

  (* hierconn *) wire [31:0] \rings.tx_producer_values[0] , \rings.tx_consumer_values[0] ;
  (* hierconn *) wire [31:0] \rings.tx_producer_values[1] , \rings.tx_consumer_values[1] ;
  (* hierconn *) wire [31:0] \rings.tx_producer_values[2] , \rings.tx_consumer_values[2] ;
  (* hierconn *) wire [31:0] \rings.tx_producer_values[3] , \rings.tx_consumer_values[3] ;
  (* hierconn *) wire [31:0] \rings.tx_producer_values[4] , \rings.tx_consumer_values[4] ;
  (* hierconn *) wire [31:0] \rings.tx_producer_values[5] , \rings.tx_consumer_values[5] ;
  (* hierconn *) wire [31:0] \rings.tx_producer_values[6] , \rings.tx_consumer_values[6] ;
  (* hierconn *) wire [31:0] \rings.tx_producer_values[7] , \rings.tx_consumer_values[7] ;
  (* hierconn *) wire [7:0] \rings.tx_producer_zero , \rings.tx_consumer_zero ;
  (* hierconn *) wire [3:0] \rings.tx_log2_0 , \rings.tx_log2_1 , \rings.tx_log2_2 , \rings.tx_log2_3 , \rings.tx_log2_4 , \rings.tx_log2_5 , \rings.tx_log2_6 , \rings.tx_log2_7 ;
  (* hierconn *) wire [2:0] \send.queue , \send.queues_0 , \send.queues_1 , \send.queues_2 , \send.queues_3 , \rings.index , \rings.judgedIndex ;
  (* hierconn *) wire [1:0] \send.asker , \send.line , \send.index , \send.newest , \send.landing , \send.oldest , \send.place ;
  (* hierconn *) wire [2:0] \send.landed_io_occupancy ;
  (* hierconn *) wire [3:0] \send.taken ;
  (* hierconn *) wire \send.lines_io_pop_valid , \send.moves , \send.lands , \send.offers , \send.leaves ;
  wire asked = \send.lines_io_pop_valid ; // beats are those of lines that were asked for
  (* hierconn *) wire \rings.tx_setBase , \rings.tx_setLog2 , \rings.tx_judgesSize ;
  wire [7:0][31:0] producers = {\rings.tx_producer_values[7] , \rings.tx_producer_values[6] , \rings.tx_producer_values[5] , \rings.tx_producer_values[4] , \rings.tx_producer_values[3] , \rings.tx_producer_values[2] , \rings.tx_producer_values[1] , \rings.tx_producer_values[0] };
  wire [7:0][31:0] consumers = {\rings.tx_consumer_values[7] , \rings.tx_consumer_values[6] , \rings.tx_consumer_values[5] , \rings.tx_consumer_values[4] , \rings.tx_consumer_values[3] , \rings.tx_consumer_values[2] , \rings.tx_consumer_values[1] , \rings.tx_consumer_values[0] };
  wire [7:0][3:0] sizes = {\rings.tx_log2_7 , \rings.tx_log2_6 , \rings.tx_log2_5 , \rings.tx_log2_4 , \rings.tx_log2_3 , \rings.tx_log2_2 , \rings.tx_log2_1 , \rings.tx_log2_0 };
  wire [31:0] produced = \rings.tx_producer_zero [q] ? 0 : producers[q];
  wire [31:0] sent = \rings.tx_consumer_zero [q] ? 0 : consumers[q];
  wire [31:0] unsent = produced - sent;
  wire [3:0] log2 = sizes[q];
  wire [31:0] slots = 32'd1 << log2;
  wire on = log2 != 0;
  wire sets_up = (\rings.tx_setBase || \rings.tx_setLog2 ) && \rings.index == q;
  wire stores = store && !store_consumer && store_queue[2:0] == q && on && value - sent >= unsent && value - sent <= slots;
  wire judges = \rings.tx_judgesSize && \rings.judgedIndex == q;
  // A slot of q was sent, its pointer moves now, with the end of the cycle its place is free; so many have places; one more gets its place next.
  wire moves = advance && queue == q;
  wire [3:0] of_q = \send.taken & {\send.queues_3 == q, \send.queues_2 == q, \send.queues_1 == q, \send.queues_0 == q};
  wire [2:0] placed = of_q[0] + of_q[1] + of_q[2] + of_q[3];
  // Places are in order: `landed` of them have all their lines.
  wire [2:0] places = \send.taken [0] + \send.taken [1] + \send.taken [2] + \send.taken [3];
  wire [3:0] landed = \send.landed_io_occupancy + \send.offers + \send.leaves + \send.moves ;
  wire [7:0] window = ((8'd1 << places) - 8'd1) << \send.oldest ;
  wire comes = \send.queue == q && \send.asker == LINE && \send.line == 0;
  wire clears = \rings.tx_setLog2 && \rings.index == q;
  wire [31:0] produced_next = clears ? 0 : stores ? value : produced;
  wire [31:0] sent_next = clears ? 0 : moves ? sent + 1 : sent;
  reg [31:0] produced_due, sent_due;
  reg due = 0;
  always @(posedge clk) begin
    {due, produced_due, sent_due} <= {!reset, produced_next, sent_next};
    // A ring is set up while nothing is in it and nobody stores; else an aP stores whatever it likes.
    assume (!(sets_up && on) || unsent == 0 && !stores);
    assume (!\send.lands || places > landed); // asserted in simulation: what lands was asked for
    if (!reset) begin
      in_order: assert (\send.taken == (window[3:0] | window[7:4]) && \send.newest == 2'(\send.oldest + places));
      landed_first: assert (landed <= places && \send.landing == 2'(\send.oldest + landed) && \send.place == 2'(\send.landing - \send.landed_io_occupancy - 1));
      place_free: assert (!(\send.asker == CHECK || \send.asker == LINE && \send.line == 0) || places != 4);
      never_pass: assert (!on || unsent <= slots);
      unsent_only: assert (!(placed != 0 || comes) || on && unsent >= placed + comes);
      oldest_moves: assert (!moves || of_q[\send.oldest ]);
      set_up: assert (!judges || log2 == 0 && unsent == 0);
      looked: assert (advance || queue == \send.queue );
      chosen: assert (!(\send.queue == q && \send.asker == CHECK) || on || unsent == 0);
      no_move_lost: assert (!due || produced == produced_due && sent == sent_due);
      legal_size: assert (log2 <= 12);
      cover (moves && unsent == 2);
      cover (on && unsent == slots && placed == 2 && comes);
    end
  end
endmodule
