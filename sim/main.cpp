/** \file turnstile-sim: one run of a program on a cluster. Exit status: the program's; 2 for bad input; 3 for a run that stopped. */
#include "report.h"
#include <iostream>

int main(int argc, char **argv) {
    Options options = parseOptions(argc, argv);
    try {
        Cluster cluster(options);
        int status = cluster.run();
        printSummary(options, cluster, status);
        if (cluster.waves().empty())
            std::cerr << "turnstile-sim: no waveform: the run ended at cycle " << cluster.clock() << ", waves-from is " << options.wavesFrom << "\n";
        if (options.saveAt && !cluster.saved())
            std::cerr << "turnstile-sim: no checkpoint: the run ended at cycle " << cluster.cycles() << ", before process 0 wrote mark " << *options.saveAt << " or while calls of the host were under way\n";
        if (!options.report.empty()) {
            writeReport(options, cluster, status);
            const std::string folder = options.report.substr(0, options.report.rfind('/') + 1);
            writeReads(folder + "reads.csv", cluster);
            writeSpeed(folder + "speed.json", options, cluster);
        }
        return status;
    } catch (const std::exception &e) {
        std::cerr << "turnstile-sim: " << e.what() << "\n";
        return 2;
    }
}
