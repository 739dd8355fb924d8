/** \file Types lines at the console of a site's sP, one after the other, as its shell asks for them (fw/app). */
#pragma once
#include <cstdint>
#include <string>
#include <vector>

class Site;

class Typist {
public:
    /** Of one line, its end included: what fw/drivers/serial/console.c takes at once. */
    enum : unsigned { MOST = 60 };

    Typist(const std::vector<std::string> &lines, uint64_t at) : lines_(lines), next_(at) {}

    bool on() const { return !lines_.empty(); }
    /** Whether a line is still to be typed or to be answered; types when it is time. `place`: the address of console_typed. A shell that
     * does not answer is an error. */
    bool types(uint64_t cycle, Site &site, uint32_t place, const std::string &shown);
    /** From now on time does not matter. */
    void hurry() { next_ = 0; }

private:
    std::vector<std::string> lines_;
    uint64_t next_;             ///< cycle of the first line
    unsigned typed_ = 0;        ///< of the lines, and one more: an empty one, for which the shell shows its prompt
    uint64_t last_ = 0, other_ = 0; ///< cycles: a line was typed; something else than the prompt was shown
};
