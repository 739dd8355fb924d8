#include "site.h"
#include "niu_regs.h"

Site::Site(VerilatedContext *context, unsigned number, const Options &options, const ApTime::Functions &functions, SiteListener &listener)
    : model(new VSite(context, ("site" + std::to_string(number)).c_str())), memory(options.memory.bytes, options.memoryLatency, options.dram ? std::make_unique<Dram>(*options.dram, options.megahertz, number) : nullptr,
             options.seed ? options.seed * 2654435761u + number + 1 : 0),
      apTimes(options.aps), number_(number), heapBase_(options.memory.heapBase()), functions_(functions), listener_(listener), aps_(apPins(*model)), sp_(spPins(*model)),
#if TURNSTILE_WIRE
      linkOut_(noLink_[0].pins()), linkIn_(noLink_[1].pins()) {
#else
      linkOut_(LINK_PINS(*model, io_link_out)), linkIn_(LINK_PINS(*model, io_link_in)) {
#endif
    VSite &m = *model;
    AxiPins p{};
    p.arvalid = &m.io_axi_ar_valid, p.arid = &m.io_axi_ar_payload_id, p.arlen = &m.io_axi_ar_payload_len;
    p.awvalid = &m.io_axi_aw_valid, p.awid = &m.io_axi_aw_payload_id, p.awlen = &m.io_axi_aw_payload_len;
    p.wvalid = &m.io_axi_w_valid, p.wlast = &m.io_axi_w_payload_last, p.wstrb = &m.io_axi_w_payload_strb;
    p.rready = &m.io_axi_r_ready, p.bready = &m.io_axi_b_ready;
    p.araddr = &m.io_axi_ar_payload_addr, p.awaddr = &m.io_axi_aw_payload_addr, p.wdata = &m.io_axi_w_payload_data[0];
    p.arready = &m.io_axi_ar_ready, p.awready = &m.io_axi_aw_ready, p.wready = &m.io_axi_w_ready;
    p.rvalid = &m.io_axi_r_valid, p.rid = &m.io_axi_r_payload_id, p.rlast = &m.io_axi_r_payload_last;
    p.rresp = &m.io_axi_r_payload_resp, p.rdata = &m.io_axi_r_payload_data[0];
    p.bvalid = &m.io_axi_b_valid, p.bid = &m.io_axi_b_payload_id, p.bresp = &m.io_axi_b_payload_resp;
    memory.connect(p);
    m.io_siteId = number;
    m.io_sites = options.sites;
}

void Site::hostAnswered(uint32_t data) {
    hostReads_.front()(data);
    hostReads_.pop_front();
}

void Site::hostTook() {
    if (!host_.front().write)
        hostReads_.push_back(std::move(host_.front().done));
    host_.pop_front();
    commandOffered_ = false;
}

void Site::quiet() {
    VSite &m = *model;
    m.io_axi_aw_ready = m.io_axi_w_ready = m.io_axi_b_valid = m.io_axi_ar_ready = m.io_axi_r_valid = 0;
    *linkOut_.credit = *linkIn_.valid = m.io_host_command_valid = 0;
    clockStill(m);
}

/* Most cycles are silent: one look at all that could be told. */
bool Site::speaks() const {
    const VSite &m = *model;
    unsigned any = (m.io_probe_take_valid && m.io_probe_take_payload_index != EVENT_IDLE) | m.io_probe_push_0_valid | m.io_probe_push_1_valid |
                   m.io_probe_push_2_valid | (m.io_probe_spWaiting & !spWaited_) | m.io_probe_tags_valid | *linkOut_.valid |
                   *linkIn_.valid | m.io_apConsole_valid | m.io_spConsole_valid | m.io_exit_valid | m.io_mark_valid | m.io_trap_valid |
                   m.io_host_response_valid | (commandOffered_ & m.io_host_command_ready);
    for (const ApPins &p : aps_)
        any |= *p.missStart | *p.missDone | *p.commit;
    return any;
}

void Site::tell(uint64_t cycle) {
    if (!speaks())
        return;
    listener_.speaks(number_, cycle);
    VSite &m = *model;
    if (m.io_probe_take_valid && m.io_probe_take_payload_index != EVENT_IDLE)
        listener_.eventTaken(number_, {cycle, m.io_probe_take_payload_index, m.io_probe_take_payload_arg});
    if (m.io_probe_push_0_valid) listener_.eventPushed(number_, {cycle, m.io_probe_push_0_payload_index, m.io_probe_push_0_payload_arg});
    if (m.io_probe_push_1_valid) listener_.eventPushed(number_, {cycle, m.io_probe_push_1_payload_index, m.io_probe_push_1_payload_arg});
    if (m.io_probe_push_2_valid) listener_.eventPushed(number_, {cycle, m.io_probe_push_2_payload_index, m.io_probe_push_2_payload_arg});
    if (m.io_probe_spWaiting && !spWaited_) listener_.spWaits(number_);
    if (m.io_probe_tags_valid) {
        uint32_t lines = 0;
        for (unsigned line = 0; line < 32; line++)
            lines |= uint32_t((line & m.io_probe_tags_payload_range_care) == m.io_probe_tags_payload_range_base) << line;
        listener_.tagsWritten(number_, m.io_probe_tags_payload_range_word, lines, m.io_probe_tags_payload_next);
    }
    for (unsigned i = 0; i < aps_.size(); i++) {
        const ApPins &p = aps_[i];
        if (*p.missStart) listener_.missStarted(number_, i, *p.missStartAddress, *p.missStartOp);
        if (*p.missDone) listener_.missDone(number_, i, *p.missDoneAddress);
    }
    // A load that found its copy in the cycle of the verdict that ends it commits with the store of that verdict: it is the earlier one.
    for (unsigned stores : {0, 1})
        for (unsigned i = 0; i < aps_.size(); i++)
            if (const ApPins &p = aps_[i]; *p.commit && *p.commitStores == stores) {
                if (p.changes && *p.changes) listener_.committed(number_, i, false, *p.commitAddress, *p.commitSize, *p.found, false);
                listener_.committed(number_, i, stores, *p.commitAddress, *p.commitSize, *p.commitData, apTimes[i].copies());
            }
    if (*linkOut_.valid) {
        const auto part = out_.flit(cycle, *linkOut_.vc, *linkOut_.data, *linkOut_.last);
        if (part == PacketReader::HEADER) listener_.messageLaunched(number_, out_.packet().to, out_.packet().tag);
        if (part == PacketReader::TAIL) listener_.packetSent(number_, out_.packet());
    }
    if (*linkIn_.valid && in_.flit(cycle, *linkIn_.vc, *linkIn_.data, *linkIn_.last) == PacketReader::TAIL)
        listener_.packetCame(number_, in_.packet());
    if (m.io_apConsole_valid) listener_.console(number_, m.io_apConsole_payload_ap, m.io_apConsole_payload_value);
    if (m.io_spConsole_valid) listener_.console(number_, Console::SP, m.io_spConsole_payload);
    if (m.io_exit_valid) listener_.exited(number_, m.io_exit_payload_ap, m.io_exit_payload_value);
    if (m.io_mark_valid) listener_.marked(number_, m.io_mark_payload_ap, m.io_mark_payload_value);
    if (m.io_trap_valid) listener_.trapped(number_, m.io_trap_payload);
    if (m.io_host_response_valid && !hostReads_.empty()) listener_.hostAnswered(number_, m.io_host_response_payload);
    if (commandOffered_ && m.io_host_command_ready) listener_.hostTook(number_);
}

void Site::tellInstructions() {
    for (unsigned i = 0; i < aps_.size(); i++)
        if (debugged >> i & *aps_[i].completes & 1)
            listener_.completes(number_, i, *aps_[i].pc);
    if (debugged >> SP & *sp_.completes & 1)
        listener_.completes(number_, SP, *sp_.pc);
}

bool Site::spMemory(uint32_t address, uint8_t &byte) const {
    const uint32_t of = address - SP_DRAM_BASE;
    if (of < SP_DRAM_BYTES)
        byte = sp_.data[of & 3][of / 4];
    else if (address - SP_IRAM_BASE < SP_IRAM_BYTES)
        byte = sp_.instructions[(address - SP_IRAM_BASE) / 4] >> 8 * (address & 3);
    else
        return false;
    return true;
}

void Site::before(uint64_t cycle) {
    VSite &m = *model;
    memory.cycle();
    spWaited_ = m.io_probe_spWaiting;
    busy_[cycle & 1] = spBusy(cycle) + (counting && !spWaited_);
    for (unsigned i = 0; i < aps_.size(); i++) {
        const ApPins &p = aps_[i];
        if (*p.completes) apTimes[i].completed(functions_, *p.pc, p.registers[1]);
        if (counting) apTimes[i].cycle(cycle, *p.waiting, *p.waitingAddress, heapBase_);
    }
    if (debugged)
        tellInstructions();
    m.io_host_command_valid = !host_.empty();
    if (!host_.empty()) {
        m.io_host_command_payload_write = host_.front().write;
        m.io_host_command_payload_address = host_.front().address;
        m.io_host_command_payload_data = host_.front().data;
        commandOffered_ = true;
    }
}

void Site::state(Checkpoint &c) {
    c.model(*model);
    c(memory, counting, lastEvents, apTimes, commandOffered_, spWaited_, busy_, out_, in_);
}
