#include "debugger.h"
#include "niu_regs.h"
#include <iostream>

/* Of POSIX. */
enum { SIGINT_NUMBER = 2, SIGTRAP_NUMBER = 5 };
/* Instructions of debugged processors between two looks for Ctrl-C. */
enum { LOOK = 1024 };

Debugger::Debugger(const Options &options, const std::vector<std::unique_ptr<Site>> &sites, const Consistency &consistency)
    : options_(options), sites_(sites), consistency_(consistency), stub_(*this, options.gdbPort) {
    for (const Options::Processor &p : options.debugged) {
        sites[p.site]->debugged |= 1u << p.core;
        pcs_.push_back(p.core == Site::SP ? SP_IRAM_BASE : AP_PRIVATE_BASE);
        begun_.push_back(false);
    }
    for (size_t i = 0; i < sites.size(); i++)
        private_.emplace_back(options.memory.heapBase() - MEMORY_BASE);
}

std::string Debugger::name(unsigned thread) const {
    const Options::Processor &p = options_.debugged[thread - 1];
    return p.core == Site::SP ? "sp" + std::to_string(p.site) : "ap" + std::to_string(p.site) + "." + std::to_string(p.core);
}

void Debugger::begin() {
    const bool sp = options_.debugged[0].core == Site::SP;
    std::cerr << "gdb: waits on port " << stub_.port() << "; gdb-multiarch -ex 'target remote :" << stub_.port() << "' " << (sp ? options_.firmware : options_.program) << std::endl;
    stub_.accept();
    step_ = stub_.serve(1, SIGTRAP_NUMBER, true);
}

/* 0: it is not debugged. */
unsigned Debugger::threadOf(unsigned site, unsigned core) const {
    for (unsigned thread = 1; thread <= threads(); thread++)
        if (options_.debugged[thread - 1].site == site && options_.debugged[thread - 1].core == core)
            return thread;
    return 0;
}

void Debugger::completes(unsigned site, unsigned core, uint32_t pc) {
    const unsigned thread = threadOf(site, core);
    pcs_[thread - 1] = pc;
    if (++instructions_ % LOOK == 0)
        interrupted_ |= stub_.interrupts();
    const bool first = !begun_[thread - 1];
    begun_[thread - 1] = true;
    if (!stub_.connected() || first)
        return;
    if (step_ != thread && watched_ != thread && !interrupted_ && !stub_.breaksAt(pc))
        return;
    const unsigned why = interrupted_ ? SIGINT_NUMBER : SIGTRAP_NUMBER;
    interrupted_ = false;
    watched_ = 0;
    step_ = stub_.serve(thread, why);
}

void Debugger::accessed(unsigned site, unsigned ap, bool store, uint32_t address, unsigned size, uint32_t data) {
    const uint32_t window = options_.memory.ofPrivate(ap, AP_PRIVATE_BASE);
    const bool own = address >= window && address - window < options_.memory.privateBytes;
    if (const unsigned thread = threadOf(site, ap); thread && !watched_ && stub_.watched(store, own ? AP_PRIVATE_BASE + (address - window) : address, 1u << size))
        watched_ = thread;
    if (!store || address < MEMORY_BASE || address >= options_.memory.heapBase())
        return;
    for (uint32_t a = address; a < address + (1u << size); a++)
        private_[site][a - MEMORY_BASE] = 0x100 | uint8_t(data >> 8 * (a & 3));
}

std::array<uint32_t, 33> Debugger::registers(unsigned thread) const {
    const Options::Processor &p = options_.debugged[thread - 1];
    const uint32_t *x = sites_[p.site]->registers(p.core);
    std::array<uint32_t, 33> all{};
    for (unsigned i = 1; i < 32; i++)
        all[i] = x[i];
    all[32] = pcs_[thread - 1];
    return all;
}

/* The heap as all processors see it; else what the site's aPs stored last, but for what the NIU writes, and DRAM. */
bool Debugger::readBus(unsigned site, uint32_t address, uint8_t &byte) const {
    const MemoryLayout &m = options_.memory;
    if (address < MEMORY_BASE || address >= m.end())
        return false;
    byte = *sites_[site]->memory.at(address - MEMORY_BASE);
    if (m.inHeap(address)) {
        if (consistency_.written(address))
            byte = consistency_.last(address);
    } else if (address < m.heapBase()) {
        const uint32_t in = (address - MEMORY_BASE) % m.privateBytes;
        const uint16_t last = private_[site][address - MEMORY_BASE];
        if (last && in < m.privateBytes - AP_MESSAGE_BYTES)
            byte = last;
    }
    return true;
}

bool Debugger::read(unsigned thread, uint32_t address, uint8_t &byte) const {
    const Options::Processor &p = options_.debugged[thread - 1];
    if (p.core == Site::SP)
        return sites_[p.site]->spMemory(address, byte) || readBus(p.site, address, byte);
    if (address >= AP_PRIVATE_BASE && address - AP_PRIVATE_BASE < options_.memory.privateBytes)
        address = options_.memory.ofPrivate(p.core, address);
    return readBus(p.site, address, byte);
}
