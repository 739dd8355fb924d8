/* SPDX-License-Identifier: Apache-2.0 */
/* A firmware's file: 32-bit little-endian RISC-V ELF. */
#ifndef FIRMWARE_H
#define FIRMWARE_H
#include <stddef.h>
#include <stdint.h>

/* Both RAMs of the sP, and the words of tt_config (contract 8). */
enum { MEMORY_BYTES = 0x20000, CONFIG_WORDS = 10 };

struct firmware {
    uint8_t memory[MEMORY_BYTES];
    uint32_t used;   /* bytes of it, from the first */
    uint32_t config; /* where tt_config is */
};

/* NULL, or the sentence that says what is wrong with the file. */
const char *read_firmware(const char *path, struct firmware *to);
#endif
