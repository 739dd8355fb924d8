/** \file A checkpoint as a file: whose run it is of, in words, and its bytes (docs/design/checkpoint.md). */
#pragma once
#include <string>
#include <utility>
#include <vector>

/** What two runs must have in common for one to go on where the other was: keys as `make run` has them, and their values. */
using RunIdentity = std::vector<std::pair<std::string, std::string>>;

/** Check sum and size of a file's bytes, in words; throws std::runtime_error when it cannot be read. */
std::string fileIdentity(const std::string &path);
/** Whole or not at all: throws std::runtime_error, and leaves what was there before. */
void writeCheckpoint(const std::string &path, const RunIdentity &run, const std::string &bytes);
/** Throws std::runtime_error: no checkpoint, of another run (what differs), cut off or damaged. */
std::string readCheckpoint(const std::string &path, const RunIdentity &run);
