#include "cable.h"
#include "VSite.h"

#if TURNSTILE_WIRE

void Cable::reset(bool on) {
    for (VSite *card : cards_)
        card->io_txReset = card->io_rxReset = on;
}

void Cable::cycle() {
    for (size_t i = 0; i < cards_.size(); i++) {
        VSite &to = *cards_[i], &from = *cards_[cards_.size() - 1 - i];
        const bool plugged = cards_.size() == 2;
        to.io_tx_tready = 1;
        to.io_rx_tvalid = plugged && from.io_tx_tvalid;
        to.io_rx_tdata = from.io_tx_tdata;
        to.io_rx_tkeep = from.io_tx_tkeep;
        to.io_rx_tlast = from.io_tx_tlast;
        to.io_rx_tuser = from.io_tx_tuser;
    }
    for (const bool high : {true, false})
        for (VSite *card : cards_) {
            card->io_txClk = card->io_rxClk = high;
            card->eval();
        }
}

#else

void Cable::reset(bool) {}
void Cable::cycle() {}

#endif
