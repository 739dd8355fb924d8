/** \file
 * Commands of the sP's shell. Each line that is printed takes the sP some thousand cycles, in which no event is taken; between two lines
 * dispatch has its turn.
 */
#include "shell.h"
#include "tempest.h"
#include "trace.h"
#include <stdlib.h>
#include <turnstile/niu.h>
#include <zephyr/kernel.h>
#include <zephyr/shell/shell_uart.h>

static const struct device *const niu = DEVICE_DT_GET(DT_NODELABEL(niu));

bool shell_gives_way;

void shell_take(void) {
    static bool begun;
    if (!turnstile_console_typed())
        return;
    if (!begun)
        begun = shell_start(shell_backend_uart_get_ptr()) == 0;
    turnstile_console_deliver();
}

static void give_way(void) {
    shell_gives_way = true;
    k_yield();
    shell_gives_way = false;
}

#define LINE(sh, ...) (shell_print(sh, __VA_ARGS__), give_way())

/* A heap address, or 0 after words to the user. */
static uint32_t heap_address(const struct shell *sh, const char *text) {
    char *end;
    uint32_t a = strtoul(text, &end, 0);
    if (*end || !tt_in_heap(a)) {
        shell_error(sh, "'%s' is no address of the shared heap: 0x%08x to 0x%08x", text, TT.heap, TT.heap_end - 1);
        return 0;
    }
    return a;
}

static int stats(const struct shell *sh, size_t argc, char **argv) {
    const struct tt_stats *s = &TT.stats;
    LINE(sh, "faults: read %u, write %u, upgrade %u", s->read_faults, s->write_faults, s->upgrade_faults);
    LINE(sh, "blocks sent %u, bytes %u", s->data, s->bytes);
    LINE(sh, "messages: page %u, sync %u, deferred %u", s->page_messages, s->sync_messages, s->deferred);
    LINE(sh, "errors %u, complaints %u", TT.errors, TT.complaints);
    for (uint32_t i = 0; tt_protocols[i]; i++)
        for (uint32_t k = 0; k < TT_COUNTERS; k++)
            if (tt_protocols[i]->counters[k])
                LINE(sh, "%s.%s %u", tt_protocols[i]->name, tt_protocols[i]->counters[k], TT.counters[i * TT_COUNTERS + k]);
    return 0;
}

static int dir(const struct shell *sh, size_t argc, char **argv) {
    static const char *const states[] = {"not open", "asked for", "home is here", "copy"};
    uint32_t a = heap_address(sh, argv[1]);
    if (!a)
        return -EINVAL;
    const struct tt_page *p = tt_page_of(a);
    LINE(sh, "page 0x%08x: %s", a & ~0xFFFu, states[p->state]);
    if (p->state < TT_HOME)
        return 0;
    LINE(sh, "mode %s of %s, home site %u, blocks of %u bytes", TT.modes[p->mode].mode->name, TT.modes[p->mode].protocol->name, p->home, tt_block_bytes(p));
    const uint8_t *state = tt_state_at(a);
    uint32_t bytes = 1u << p->state_log2;
    char text[3 * 16 + 1];
    for (uint32_t i = 0; i < bytes; i++)
        snprintk(text + 3 * i, 4, " %02x", state[i]);
    LINE(sh, "state of block %u:%s", tt_block_index(p, a), text);
    return 0;
}

static int tags(const struct shell *sh, size_t argc, char **argv) {
    static const char *const names[] = {"Other", "Invalid", "ReadOnly", "ReadWrite", "PendRead", "PendExcl", "PendDown", "Fill"};
    uint32_t a = heap_address(sh, argv[1]);
    if (!a)
        return -EINVAL;
    /* Of the page: a line for each run of equal tags. */
    uint32_t from = a & ~0xFFFu, first = from, tag = turnstile_niu_tag(niu, from);
    for (uint32_t line = from + 64; line <= from + 4096; line += 64) {
        uint32_t next = line < from + 4096 ? turnstile_niu_tag(niu, line) : ~0u;
        if (next == tag)
            continue;
        LINE(sh, "0x%08x to 0x%08x: %s", first, line - 1, names[tag & 7]);
        first = line;
        tag = next;
    }
    return 0;
}

static int queues(const struct shell *sh, size_t argc, char **argv) {
    static const char *const kinds[TT_KINDS] = {"blocks", "recalled blocks", "words"};
    struct turnstile_niu_levels l;
    turnstile_niu_levels(niu, &l);
    LINE(sh, "events: high %u, local %u, low %u", l.events_high, l.events_local, l.events_low);
    LINE(sh, "free: low sends %u, high sends %u, slots %u, commands %u", l.low_free, l.high_free, l.slots_free, l.commands_free);
    LINE(sh, "queues held 0x%04x, diverted 0x%04x", l.held, l.diverted);
    LINE(sh, "dropped %u, without a name %u, refused %u", l.dropped, l.untranslated, l.refused);
    for (uint32_t k = 0; k < TT_KINDS; k++)
        LINE(sh, "answers to come: %s %d%s", kinds[k], TT.places[k].all - TT.places[k].spare, TT.places[k].head ? ", more wait for places" : "");
    return 0;
}

static int protocol(const struct shell *sh, size_t argc, char **argv) {
    for (uint32_t m = 0; m < TT.mode_count; m++)
        LINE(sh, "mode %u: %s of %s", m, TT.modes[m].mode->name, TT.modes[m].protocol->name);
    for (uint32_t i = 0; tt_protocols[i]; i++)
        for (uint32_t t = 0; t < TT_MESSAGES; t++) {
            const struct tt_message *of = &tt_protocols[i]->messages[t];
            if (of->channel)
                LINE(sh, "message %u of %s: %s, %s%s", t, tt_protocols[i]->name, of->name, of->channel == TT_LOW ? "low" : "high", of->data ? ", with data" : "");
        }
    return 0;
}

/* Events that do not come are not waited for. */
enum { TRACE_WAITS_MS = 10 };

static int trace(const struct shell *sh, size_t argc, char **argv) {
    uint32_t n = 16;
    if (argc > 1) {
        char *end;
        n = strtoul(argv[1], &end, 0);
        if (*end || n < 1 || n > TRACE_EVENTS) {
            shell_error(sh, "trace %s: 1 to %u events", argv[1], TRACE_EVENTS);
            return -EINVAL;
        }
    }
    trace_begin(n);
    for (uint32_t waited = 0; trace_goes_on() && waited < TRACE_WAITS_MS; waited++)
        k_sleep(K_MSEC(1));
    n = trace_end();
    for (uint32_t i = 0; i < n; i++) {
        const struct trace_event *e = &trace_events[i];
        LINE(sh, "cycle %u: handler 0x%04x, operands 0x%08x 0x%08x, %u cycles", e->cycle, e->handler, e->a, e->meta, e->took);
    }
    return 0;
}

SHELL_CMD_REGISTER(stats, NULL, "faults, messages and counters of protocols", stats);
SHELL_CMD_ARG_REGISTER(dir, NULL, "ADDRESS: page record and state of the block", dir, 2, 0);
SHELL_CMD_ARG_REGISTER(tags, NULL, "ADDRESS: tags of its page", tags, 2, 0);
SHELL_CMD_REGISTER(queues, NULL, "what waits in the NIU, and places for answers", queues);
SHELL_CMD_ARG_REGISTER(trace, NULL, "[N]: the next N events and what their handlers took", trace, 1, 1);
SHELL_CMD_REGISTER(protocol, NULL, "modes and messages of the image", protocol);
