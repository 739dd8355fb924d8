#include "standin.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { TO_SEND = 16, QUEUES_OF_A_HOST = 2, FIRST_QUEUE = 6 };

struct ts_card {
    int name, file;
    unsigned made;
    struct {
        int to;
        ts_basic_message_t message;
    } ring[TO_SEND];
};

static struct {
    struct ts_card *card;
    unsigned taken, came;
    ts_basic_message_t ring[STANDIN_SLOTS];
} queues[STANDIN_NAMES];
struct standin standin;

uint64_t standin_random(void)
{
    standin.seed = standin.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return standin.seed >> 33;
}

int standin_send(int from, int to, const void *data, unsigned bytes)
{
    ts_basic_message_t *slot = &queues[to].ring[queues[to].came % STANDIN_SLOTS];

    standin.sent++;
    if (!queues[to].card) return 0;
    if (standin.lose_permille && standin_random() % 1000 < standin.lose_permille) return 0;
    if (queues[to].came - queues[to].taken == STANDIN_SLOTS) {
        standin.full++;
        return 0;
    }
    *slot = (ts_basic_message_t){.from = from, .bytes = bytes};
    memcpy(slot->payload, data, bytes);
    queues[to].came++;
    if (queues[to].came - queues[to].taken > standin.most[to]) standin.most[to] = queues[to].came - queues[to].taken;
    return write(queues[to].card->file, &(uint64_t){1}, 8) == 8;
}

void standin_take_queue(int name)
{
    queues[name].card = NULL;
    queues[name].taken = queues[name].came;
}

/* The provider asks whether a device is there. */
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    (void)path, (void)mode;
    return 0;
}

int ts_open(const char *device, ts_card_t **card)
{
    int site;

    *card = NULL;
    if (standin.gone || sscanf(device, "/dev/turnstile%d", &site) != 1) return TS_ERROR_GONE;
    *card = calloc(1, sizeof **card);
    (*card)->name = site << 3;
    (*card)->file = eventfd(0, EFD_NONBLOCK);
    return 0;
}

void ts_close(ts_card_t *card)
{
    if (!card) return;
    if (queues[card->name].card == card) standin_take_queue(card->name);
    close(card->file);
    free(card);
}

int ts_basic_open(ts_card_t *card)
{
    for (int queue = FIRST_QUEUE; queue < FIRST_QUEUE + QUEUES_OF_A_HOST; queue++) {
        const int name = card->name | queue;

        if (queues[name].card) continue;
        queues[name].card = card;
        queues[name].taken = queues[name].came;
        card->name = name;
        return queue + 8;
    }
    return TS_ERROR_BUSY;
}

int ts_basic_make(ts_card_t *card, int to, unsigned tag, const void *data, unsigned bytes)
{
    if (standin.gone) return TS_ERROR_GONE;
    if (card->made == TO_SEND) return TS_ERROR_FULL;
    card->ring[card->made].to = to;
    card->ring[card->made].message = (ts_basic_message_t){.tag = tag, .bytes = bytes};
    memcpy(card->ring[card->made++].message.payload, data, bytes);
    return 0;
}

int ts_basic_launch(ts_card_t *card)
{
    if (standin.gone) return TS_ERROR_GONE;
    for (unsigned i = 0; i < card->made; i++) standin_send(card->name, card->ring[i].to, card->ring[i].message.payload, card->ring[i].message.bytes);
    card->made = 0;
    return 0;
}

int ts_basic_send(ts_card_t *card, int to, unsigned tag, const void *data, unsigned bytes)
{
    int result = ts_basic_make(card, to, tag, data, bytes);

    return result ? result : ts_basic_launch(card);
}

int ts_basic_poll(ts_card_t *card, ts_basic_message_t *message)
{
    uint64_t count;

    if (standin.gone) return TS_ERROR_GONE;
    if (queues[card->name].card != card || queues[card->name].taken == queues[card->name].came) {
        if (read(card->file, &count, sizeof count) < 0) count = 0;
        return 0;
    }
    *message = queues[card->name].ring[queues[card->name].taken++ % STANDIN_SLOTS];
    return 1;
}

int ts_file(const ts_card_t *card) { return card->file; }
const char *ts_strerror(int code) { return code == TS_ERROR_GONE ? "the stand-in's card was taken away" : "an error of the stand-in"; }
