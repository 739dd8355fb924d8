/** \file Where a guest finds the card. */
#pragma once
#include <string>

/** A listening Unix socket at `path`, which it makes. Throws std::runtime_error that says what went wrong. */
int listenAt(const std::string &path);
/** A socket that somebody listens at. Throws as listenAt. */
int connectTo(const std::string &path);

/** Who comes there. A call with him takes a second at most: one who stops within what he says stops nobody else. Throws as listenAt. */
int acceptAt(int listener);
