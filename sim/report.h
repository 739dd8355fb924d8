/** \file report.json of a run; its format is in docs/reference/formats.md. */
#pragma once
#include "cluster.h"

void writeReport(const Options &options, const Cluster &cluster, int status);
/** speed.json: how long the simulation took, which alone differs between equal runs. */
void writeSpeed(const std::string &path, const Options &options, const Ranks &ranks, const Cluster &cluster);
/** Clean remote reads one by one (the first 20,000), a CSV line each: cycles of the nine stages. */
void writeReads(const std::string &path, const Cluster &cluster);
/** The short table after a run. */
void printSummary(const Options &options, const Cluster &cluster, int status);
