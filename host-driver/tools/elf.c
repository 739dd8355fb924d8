/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a firmware's file, whatever is in it. */
#include "firmware.h"
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 << 20 };

static char sentence[400];

#define SAYS(...) (snprintf(sentence, sizeof sentence, __VA_ARGS__), sentence)

/* All of the file, with a 0 behind it; NULL: errno says why. */
static uint8_t *contents(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *all = NULL;

    if (!file) return NULL;
    all = calloc(1, MOST + 1);
    if (all) *bytes = fread(all, 1, MOST, file);
    if (all && ferror(file)) {
        free(all);
        all = NULL;
    }
    fclose(file);
    return all;
}

/* Whether so many things of a size are within the file. */
static int within(size_t bytes, uint64_t offset, uint64_t count, uint64_t size) { return offset <= bytes && count * size <= bytes - offset; }

static const char *copy_segments(const char *path, const uint8_t *all, size_t bytes, const Elf32_Ehdr *head, struct firmware *to)
{
    for (unsigned i = 0; i < head->e_phnum; i++) {
        Elf32_Phdr s;

        memcpy(&s, all + head->e_phoff + i * sizeof s, sizeof s);
        if (s.p_type != PT_LOAD || !s.p_filesz) continue;
        if (!within(bytes, s.p_offset, 1, s.p_filesz)) return SAYS("%s: a segment of %u bytes at %u is not in the file", path, s.p_filesz, s.p_offset);
        if (s.p_paddr > MEMORY_BYTES || s.p_filesz > MEMORY_BYTES - s.p_paddr)
            return SAYS("%s: a segment of %u bytes for address 0x%x: the sP has 0 to 0x%x", path, s.p_filesz, s.p_paddr, MEMORY_BYTES - 1);
        memcpy(to->memory + s.p_paddr, all + s.p_offset, s.p_filesz);
        if (to->used < s.p_paddr + s.p_filesz) to->used = s.p_paddr + s.p_filesz;
    }
    return to->used ? NULL : SAYS("%s: nothing in it is to be loaded", path);
}

/* Address of a symbol, by the tables of symbols that the file has; 1: there is none. */
static uint32_t address_of(const uint8_t *all, size_t bytes, const Elf32_Ehdr *head, const char *name)
{
    for (unsigned i = 0; i < head->e_shnum; i++) {
        Elf32_Shdr table, names;

        memcpy(&table, all + head->e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= head->e_shnum || !within(bytes, table.sh_offset, 1, table.sh_size)) continue;
        memcpy(&names, all + head->e_shoff + table.sh_link * sizeof names, sizeof names);
        for (uint32_t at = 0; at + sizeof(Elf32_Sym) <= table.sh_size; at += sizeof(Elf32_Sym)) {
            uint64_t text;
            Elf32_Sym s;

            memcpy(&s, all + table.sh_offset + at, sizeof s);
            text = (uint64_t)names.sh_offset + s.st_name;
            if (text < bytes && !strcmp((const char *)all + text, name)) return s.st_value;
        }
    }
    return 1;
}

const char *read_firmware(const char *path, struct firmware *to)
{
    const char *wrong = NULL;
    Elf32_Ehdr head;
    size_t bytes = 0;
    uint8_t *all = contents(path, &bytes);

    if (!all) return SAYS("%s: %s", path, strerror(errno));
    *to = (struct firmware){0};
    memcpy(&head, all, sizeof head);
    if (bytes < sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS32 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != EM_RISCV)
        wrong = SAYS("%s is no firmware: a 32-bit little-endian ELF file of RISC-V is wanted, as `make fw` makes it", path);
    else if (head.e_phentsize != sizeof(Elf32_Phdr) || !within(bytes, head.e_phoff, head.e_phnum, sizeof(Elf32_Phdr)) ||
             (head.e_shnum && (head.e_shentsize != sizeof(Elf32_Shdr) || !within(bytes, head.e_shoff, head.e_shnum, sizeof(Elf32_Shdr)))))
        wrong = SAYS("%s: its tables are not in the file, which has %zu bytes: is it whole?", path, bytes);
    else
        wrong = copy_segments(path, all, bytes, &head, to);
    if (!wrong) {
        to->config = address_of(all, bytes, &head, "tt_config");
        if (to->config % 4 || to->config > MEMORY_BYTES - 4 * CONFIG_WORDS) wrong = SAYS("%s has no symbol tt_config in the sP's memory: it is no firmware of a card", path);
    }
    free(all);
    return wrong;
}
