#include "waves.h"
#include "network.h"
#include "site.h"
#include "wires.h"
#if VM_TRACE
#include <verilated_fst_c.h>
#endif

struct Waves::File {
#if VM_TRACE
    VerilatedFstC fst;
#endif
};

Waves::Waves(const Options &options, [[maybe_unused]] const std::vector<std::unique_ptr<Site>> &sites, [[maybe_unused]] Network *network, [[maybe_unused]] Wires *wires)
    : from_(options.wavesFrom), to_(options.wavesTo) {
#if VM_TRACE
    if (options.waves.empty())
        return;
    file_ = std::make_unique<File>();
    for (auto &s : sites)
        s->model->trace(&file_->fst, 99);
    if (network)
        network->trace(&file_->fst);
    if (wires)
        wires->trace(&file_->fst);
    file_->fst.set_time_unit("100ps");
    file_->fst.set_time_resolution("100ps");
    file_->fst.open(options.waves.c_str());
    open_ = true;
#endif
}

Waves::~Waves() {
#if VM_TRACE
    if (open_)
        file_->fst.close();
#endif
}

void Waves::dump([[maybe_unused]] uint64_t cycle, [[maybe_unused]] bool later) {
#if VM_TRACE
    if (!open_ || cycle < from_ || cycle > to_)
        return;
    file_->fst.dump(cycle * 10 + (later ? 5 : 0));
    written_ = true;
#endif
}
