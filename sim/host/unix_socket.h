/** \file Where a guest finds the card. */
#pragma once
#include <string>

/** A listening Unix socket at `path`, which it makes. Throws std::runtime_error that says what went wrong. */
int listenAt(const std::string &path);
