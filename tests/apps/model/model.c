/*
 * A cluster without timing or protocol, to run programs before and beside the RTL: the memory is shared by nature, the
 * sPs' services (turnstile_service.h) are answered at once. What it does check is the contract between runtime, loader,
 * NIU registers and services.
 *
 *   model [-s seed] sites aps program.elf [argument...]
 *
 * The seed varies the interleaving. Ends with the program's exit status; 3 when nothing but waiting happens.
 * The last line on stderr gives the instructions of each process.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../apps/include/turnstile_call.h"
#include "../../../apps/include/turnstile_job.h"
#include "../../../build/include/niu_regs.h"
#include "cpu.h"
#include "services.h"

enum { MAX_APS = TS_MAX_PROCESSES, LIMIT = 2000000000, MEMORY = 16 << 20 };

struct inbox {
    uint32_t meta[64], word[64], read, written, data;
};

static struct cpu cpus[MAX_APS];
static struct inbox inbox[MAX_APS];
static unsigned char *private[MAX_APS], *dram;
static uint32_t sites, aps, call_at;
static uint64_t now;
static char line[MAX_APS][512];
static uint32_t length[MAX_APS];

static void die(const char *what)
{
    fprintf(stderr, "model: %s\n", what);
    exit(2);
}

void deliver(uint32_t ap, uint32_t source, uint32_t tag, uint32_t word)
{
    struct inbox *box = &inbox[ap];

    if (box->written - box->read == 64) die("Express receive queue of an aP overflows: more than one answer is outstanding");
    box->meta[box->written % 64] = 1 | source << 8 | tag << 17;
    box->word[box->written++ % 64] = word;
}

static void flush(int ap)
{
    printf("%.*s", (int)length[ap], line[ap]);
    length[ap] = 0;
}

static void finish(int status)
{
    for (uint32_t i = 0; i < sites * aps; i++) flush((int)i);
    fprintf(stderr, "instructions:");
    for (uint32_t i = 0; i < sites * aps; i++) fprintf(stderr, " %llu", (unsigned long long)cpus[i].instructions);
    fprintf(stderr, "\n");
    exit(status);
}

static unsigned char *memory(struct cpu *c, uint32_t address)
{
    if (address - AP_PRIVATE_BASE < AP_PRIVATE_BYTES) return private[c->number] + (address - AP_PRIVATE_BASE);
    if (address - HEAP_BASE < MEMORY_BASE + MEMORY - SYSTEM_BYTES - HEAP_BASE)
        return dram + (address - HEAP_BASE);
    return NULL;
}

bool bus_load(struct cpu *c, uint32_t address, int bytes, uint32_t *value)
{
    unsigned char *m = memory(c, address);
    uint32_t ap = (uint32_t)c->number;
    struct inbox *box = &inbox[ap];

    *value = 0;
    if (m) return memcpy(value, m, (size_t)bytes), true;
    switch (address) {
    case AP_BASE + AP_SITE_ID: *value = ap / aps; return true;
    case AP_BASE + AP_SITES: *value = sites; return true;
    case AP_BASE + AP_AP_ID: *value = ap % aps; return true;
    case AP_BASE + AP_APS: *value = aps; return true;
    case AP_BASE + AP_TIME_LO: *value = (uint32_t)now; return true;
    case AP_BASE + AP_TIME_HI: *value = (uint32_t)(now >> 32); return true;
    }
    uint32_t page = AP_EXPRESS_RX_BASE + (2 + ap % aps) * AP_PAGE_BYTES;
    if (address == page + AP_EXPRESS_RX_META) {
        if (box->read != box->written) {
            box->data = box->word[box->read % 64];
            *value = box->meta[box->read++ % 64];
        }
        return true;
    }
    if (address == page + AP_EXPRESS_RX_DATA) return *value = box->data, true;
    return false;
}

static void express(uint32_t ap, uint32_t address, uint32_t word)
{
    uint32_t tag = address >> EXPRESS_TX_TAG_SHIFT & EXPRESS_TX_TAG_MASK, name = address >> EXPRESS_TX_DEST_SHIFT & EXPRESS_TX_DEST_MASK;
    uint32_t site = name >> 3, source = (ap / aps) << 3 | (2 + ap % aps);

    if ((address >> EXPRESS_TX_QUEUE_SHIFT & EXPRESS_TX_QUEUE_MASK) != 2 + ap % aps) die("an aP sends from a queue that is not its own");
    if (site >= sites || (name & 7) == 0 || (name & 7) > 1 + aps) die("an aP sends to a name that nobody has");
    if ((name & 7) == 1) service(site, ap, tag, word);
    else deliver(site * aps + (name & 7) - 2, source, tag, word);
}

/* There is no workstation here: picolibc's ENOSYS. */
static void refuse_call(struct cpu *c)
{
    struct tt_call *call = (struct tt_call *)(private[c->number] + (call_at - AP_PRIVATE_BASE));

    call->answer = (uint32_t)-88;
}

void bus_store(struct cpu *c, uint32_t address, int bytes, uint32_t value)
{
    unsigned char *m = memory(c, address);
    uint32_t ap = (uint32_t)c->number;
    static int lost;

    if (m) {
        memcpy(m, &value, (size_t)bytes);
    } else if (address == AP_BASE + AP_CONSOLE) {
        if (value == TS_CONSOLE_CALL) return refuse_call(c);
        if (value == TS_CONSOLE_STDERR || value == TS_CONSOLE_STDOUT || value == TS_CONSOLE_LITERAL) return;
        line[ap][length[ap]++] = (char)value;
        if (value == '\n' || length[ap] == sizeof line[0]) flush((int)ap);
    } else if (address == AP_BASE + AP_EXIT) {
        finish((int)value);
    } else if (address - AP_EXPRESS_TX_BASE < AP_EXPRESS_TX_BYTES) {
        express(ap, address, value);
    } else if (address != AP_BASE + AP_MARK && !lost++) {
        fprintf(stderr, "sP: a store of process %u that no memory answers: 0x%08x\n", ap, address);
    }
}

/* Address of a symbol, which a program linked with apps/runtime has. */
static uint32_t symbol(const unsigned char *bytes, const char *name)
{
    const Elf32_Ehdr *header = (const Elf32_Ehdr *)bytes;
    const Elf32_Shdr *section = (const Elf32_Shdr *)(bytes + header->e_shoff);

    for (int i = 0; i < header->e_shnum; i++) {
        if (section[i].sh_type != SHT_SYMTAB) continue;
        const Elf32_Sym *symbols = (const Elf32_Sym *)(bytes + section[i].sh_offset);
        const char *names = (const char *)bytes + section[section[i].sh_link].sh_offset;
        for (uint32_t n = 0; n < section[i].sh_size / sizeof *symbols; n++)
            if (!strcmp(names + symbols[n].st_name, name)) return symbols[n].st_value;
    }
    die("the ELF was not linked with apps/runtime (no __tt_args or __tt_call)");
    return 0;
}

static void load(const char *path, const struct tt_args *args)
{
    FILE *file = fopen(path, "rb");
    static unsigned char bytes[8 << 20];

    if (!file || fread(bytes, 1, sizeof bytes, file) < sizeof(Elf32_Ehdr)) die("the ELF cannot be read");
    Elf32_Ehdr *header = (Elf32_Ehdr *)bytes;
    Elf32_Phdr *segment = (Elf32_Phdr *)(bytes + header->e_phoff);
    uint32_t args_at = symbol(bytes, "__tt_args");
    call_at = symbol(bytes, "__tt_call");
    for (uint32_t ap = 0; ap < sites * aps; ap++) {
        private[ap] = malloc(AP_PRIVATE_BYTES);
        memset(private[ap], 0xa5, AP_PRIVATE_BYTES); /* memory is not zero at start */
        for (int i = 0; i < header->e_phnum; i++)
            if (segment[i].p_type == PT_LOAD)
                memcpy(private[ap] + segment[i].p_paddr - AP_PRIVATE_BASE, bytes + segment[i].p_offset, segment[i].p_filesz);
        memcpy(private[ap] + args_at - AP_PRIVATE_BASE, args, sizeof *args);
        cpus[ap] = (struct cpu){.pc = header->e_entry, .number = (int)ap};
    }
}

int main(int argc, char **argv)
{
    static struct tt_args args;
    uint32_t random = 1;
    int option = 1;

    if (argc > 2 && !strcmp(argv[1], "-s")) random = (uint32_t)atoi(argv[2]) * 2 + 1, option = 3;
    if (argc < option + 3) die("usage: model [-s seed] sites aps program.elf [argument...]");
    sites = (uint32_t)atoi(argv[option]);
    aps = (uint32_t)atoi(argv[option + 1]);
    if (sites < 1 || sites > 64 || aps < 1 || aps > 4) die("sites: 1..64, aps: 1..4");
    char *end = args.text;
    for (int i = option + 2; i < argc; i++, args.argc++) {
        if (end + strlen(argv[i]) + 1 > args.text + sizeof args.text) die("arguments too long");
        end = strcpy(end, argv[i]) + strlen(argv[i]) + 1;
    }
    dram = malloc(MEMORY);
    memset(dram, 0x5a, MEMORY);
    load(argv[option + 2], &args);
    services_init(sites);
    for (; now < LIMIT; now++)
        for (uint32_t ap = 0; ap < sites * aps; ap++) {
            random = random * 1664525 + 1013904223;
            if (sites * aps == 1 || random >> 30) cpu_step(&cpus[ap]); /* each aP rests a random quarter of the time */
        }
    fprintf(stderr, "model: %d steps and no end\n", LIMIT);
    finish(3);
}
