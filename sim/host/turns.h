/** \file Guests at their cards, by turns. */
#pragma once
#include "card.h"
#include "slot.h"
#include <memory>
#include <vector>

/** Serves those of sites 0, 1 and so on until the last guest is gone. Each that asks something gets it before the next, in the order of the sites. One that
 * ends, or breaks the protocol, is told and stops no other. Returns whether none broke it. */
bool serveAll(Cards &cards, std::vector<std::unique_ptr<Slot>> slots);
