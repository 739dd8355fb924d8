#include "turns.h"
#include <iostream>
#include <poll.h>
#include <stdexcept>

namespace {
class Turns {
public:
    Turns(Cards &cards, std::vector<std::unique_ptr<Slot>> slots) : cards_(cards), slots_(std::move(slots)), left_(slots_.size()) {}

    bool all() {
        while (left_)
            round();
        return good_;
    }

private:
    /* Whoever has something to ask, once. */
    void round() {
        std::vector<pollfd> files;
        for (const auto &slot : slots_)
            files.push_back({slot ? slot->file() : -1, POLLIN, 0});
        if (poll(files.data(), files.size(), cards_.awaited() ? 0 : -1) == 0) {
            cards_.idle();
            interrupt();
        }
        for (size_t site = 0; site < slots_.size(); site++)
            if (slots_[site] && files[site].revents) {
                with(site, [](Slot &slot) { return slot.serve(); });
                interrupt();
            }
    }

    /* An access of one host is time for all cards. */
    void interrupt() {
        for (size_t site = 0; site < slots_.size(); site++)
            with(site, [](Slot &slot) { return slot.interrupt(), true; });
    }

    template <typename What> void with(size_t site, What what) {
        const char *how = " is gone";
        if (!slots_[site])
            return;
        try {
            if (what(*slots_[site]))
                return;
        } catch (const std::runtime_error &e) {
            std::cerr << "turnstile-host: site " << site << ": " << e.what() << std::endl;
            how = " is served no more";
            good_ = false;
        }
        slots_[site].reset();
        cards_.of(site).unplug();
        left_--;
        std::cout << "turnstile-host: the guest of site " << site << how << " after " << cards_.cycles() << " cycles" << std::endl;
    }

    Cards &cards_;
    std::vector<std::unique_ptr<Slot>> slots_; ///< null: the guest is gone
    size_t left_;
    bool good_ = true;
};
} // namespace

bool serveAll(Cards &cards, std::vector<std::unique_ptr<Slot>> slots) { return Turns(cards, std::move(slots)).all(); }
