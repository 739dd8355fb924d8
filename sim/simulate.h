/** \file One run, and what it leaves. */
#pragma once
#include "options.h"
#include "ranks.h"

/** Runs the program, prints what there is to say, writes the files asked for. Returns the status of the run; throws for bad input. */
int simulate(const Options &options, Ranks &ranks);
