/** \file report.json of a run; its format is in docs/reference/formats.md. */
#pragma once
#include "cluster.h"

void writeReport(const Options &options, const Cluster &cluster, int status);
/** The short table after a run. */
void printSummary(const Options &options, const Cluster &cluster, int status);
