/** \file Where a guest finds the card. */
#pragma once
#include <functional>
#include <string>

/** A listening Unix socket at `path`, which it makes. Throws std::runtime_error that says what went wrong. */
int listenAt(const std::string &path);
/** A socket that somebody listens at. Throws as listenAt. */
int connectTo(const std::string &path);

/** Something to do while a guest asks nothing; false: there is nothing. */
using Idle = std::function<bool()>;
/** Returns when there is something to read, or nothing to do. */
void idleUntilReadable(int file, const Idle &idle);
