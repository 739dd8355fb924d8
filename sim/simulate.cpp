#include "simulate.h"
#include "report.h"
#include <iostream>

int simulate(const Options &options, Ranks &ranks) {
    Cluster cluster(options, ranks);
    const int status = cluster.run();
    printSummary(options, cluster, status);
    if (cluster.waves().empty())
        std::cerr << "turnstile-sim: no waveform: the run ended at cycle " << cluster.clock() << ", waves-from is " << options.wavesFrom << "\n";
    if (options.saveAt && !cluster.saved())
        std::cerr << "turnstile-sim: no checkpoint: the run ended at cycle " << cluster.cycles() << ", before process 0 wrote mark " << *options.saveAt << " or while calls of the host were under way\n";
    if (!options.report.empty()) {
        writeReport(options, cluster, status);
        const std::string folder = options.report.substr(0, options.report.rfind('/') + 1);
        writeReads(folder + "reads.csv", cluster);
        writeSpeed(folder + "speed.json", options, ranks, cluster);
    }
    return status;
}
