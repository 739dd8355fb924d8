/** \file Prints the descriptors of an image's protocols, for tools/protocols.py, which checks them and tells the simulator their names. */
#include "tempest.h"
#include <stdio.h>

static const char *word(const char *s) { return s && *s ? s : "?"; }
static const char *given(const void *p) { return p ? "given" : "none"; }

static void side(const char *name, const struct tt_side *s) {
    printf("side %s %s %s %u %u\n", name, given((void *)s->read), given((void *)s->write), s->tag, s->state_bytes);
}

static void protocol(const struct tt_protocol *t) {
    printf("protocol %s\n", word(t->name));
    for (int i = 0; i < TT_ROOM(TT_MODES); i++) {
        const struct tt_mode *m = &t->modes[i];
        if (!m->name && !m->home.read && !m->copy.read)
            continue;
        printf("mode %d %s %s\n", i, word(m->name), (const char *[]){"sequential", "release", "software"}[m->consistency % 3]);
        side("home", &m->home);
        side("copy", &m->copy);
    }
    for (int i = 0; i < TT_ROOM(TT_MESSAGES); i++) {
        const struct tt_message *m = &t->messages[i];
        if (m->name || m->handler || m->channel)
            printf("message %d %s %s %u %s %s %s\n", i, word(m->name), m->channel == TT_LOW ? "low" : m->channel == TT_HIGH ? "high" : "?", m->data,
                   given((void *)m->handler), given((void *)m->part), (const char *[]){"-", "asked", "data", "unclean"}[m->stage & 3]);
    }
    for (int i = 0; i < TT_ROOM(TT_COUNTERS); i++)
        if (t->counters[i])
            printf("counter %d %s\n", i, word(t->counters[i]));
    for (int i = 0; i < TT_ROOM(TT_SERVICES); i++)
        if (t->services[i].name || t->services[i].handler)
            printf("service %d %s %s\n", i, word(t->services[i].name), given((void *)t->services[i].handler));
}

int main(void) {
    for (int i = 0; tt_protocols[i]; i++)
        protocol(tt_protocols[i]);
    return 0;
}
