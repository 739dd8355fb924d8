/** \file What the files of a site share. */
#pragma once
#include "site.h"

/** Bus ops of a data cache that the snooper judges (docs/reference/responder-table.md), by their number. */
enum class Op : uint8_t { READ, READ_EXCLUSIVE, UPGRADE, WRITE_BACK };
enum class Action : uint8_t { MEMORY, RECORD, RETRY, ERROR };
Action judge(uint8_t tag, Op op);
/** The op that an access needs now: a store in a shared line upgrades it. */
Op opOf(const Site &s, unsigned ap);

/** Puts the firmware's state of a site in place; gives a number to the one in place. */
void loadFirmware(uint32_t number);
uint32_t saveFirmware();

/** Whether a load or store of the cell by `ap` is a race: another has stored to it, and not made that visible. */
bool races(const Site &s, unsigned ap, unsigned cell);

void accessSteps(const Site &s, unsigned ap, std::vector<Step> &steps);
void commandSteps(const Site &s, std::vector<Step> &steps);
void firmwareSteps(const Site &s, std::vector<Step> &steps);

/** Tag commands with `approve` (contract §3): each access that waits in the cells is approved, or judged afresh. */
void approve(Site &s, unsigned first, unsigned cells, uint8_t next);

std::string cellName(unsigned cell);
std::string tagName(uint8_t tag);
std::string messageText(const Message &m);
std::string commandText(const fw_command &c);
