/* SPDX-License-Identifier: Apache-2.0 */
/* What a Basic message of the provider is (docs/design/fabric.md). Little endian, as the card. */
#ifndef WIRE_H
#define WIRE_H
#include "turnstile_host.h"
#include <stdint.h>

enum segment_kind { SEGMENT_FIRST = 1, SEGMENT_MORE, SEGMENT_ACK, SEGMENT_PROBE, SEGMENT_RESET };

/* FIRST and MORE are numbered; what comes after them is not. An epoch is an endpoint's: who has a queue later has another. */
struct segment {
    uint8_t kind;
    uint8_t want;   /* segments that wait behind this one, 255: or more */
    uint8_t window; /* how many from `ack` on its sender takes */
    uint8_t zero;
    uint32_t to, from; /* epochs; of a RESET as they were in what it answers, turned round */
    uint16_t number, ack; /* of FIRST and MORE: its own; of the others: of the next. ack: the next that its sender expects */
};

enum operation_kind { OPERATION_MESSAGE = 1, OPERATION_TAGGED, OPERATION_WRITE, OPERATION_READ, OPERATION_REPLY };
enum { WITH_DATA = 1 };

/* At the begin of a FIRST, before its part of the payload. */
struct message {
    uint32_t bytes;    /* of payload, in this segment and those that follow */
    uint8_t operation; /* enum operation_kind */
    uint8_t flags;     /* WITH_DATA: `data` is the application's; of a REPLY: why it failed (enum refusal), 0: it did not */
    uint16_t call;     /* of WRITE and READ: what their REPLY has too */
    uint64_t tag;      /* of WRITE and READ: the offset in the region */
    uint64_t data;     /* of READ: bytes to read */
    uint64_t key;
};

enum { MORE_BYTES = TS_BASIC_BYTES - sizeof(struct segment), FIRST_BYTES = MORE_BYTES - sizeof(struct message) };

_Static_assert(sizeof(struct segment) == 16 && sizeof(struct message) == 32 && FIRST_BYTES == 40, "the wire's format");
#endif
