/** \file turnstile-sim: one run of a program on a cluster. Exit status: the program's; 2 for bad input; 3 for a run that stopped. */
#include "simulate.h"
#include <iostream>

int main(int argc, char **argv) {
    const Options options = parseOptions(argc, argv);
    try {
        Ranks alone;
        return simulate(options, alone);
    } catch (const std::exception &e) {
        std::cerr << "turnstile-sim: " << e.what() << "\n";
        return 2;
    }
}
