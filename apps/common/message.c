/* What messages are on every machine alike. */
#include <string.h>
#include <turnstile_message.h>

#include "platform.h"

void ts_express_send(int to, unsigned tag, unsigned priority, uint32_t word)
{
    ts_express_port_t port = ts_express_port(to, tag, priority);

    ts_fence();
    ts_express_store(port, word);
}

void ts_express_receive(ts_express_t *message)
{
    while (!ts_express_poll(message)) {
    }
}

void ts_basic_send(ts_basic_t *queue, int to, unsigned tag, const void *data, unsigned bytes)
{
    memcpy(ts_basic_make(queue, to, tag, bytes), data, bytes);
    ts_basic_launch(queue);
}

void ts_basic_receive(ts_basic_t *queue, ts_basic_message_t *message)
{
    while (!ts_basic_poll(queue, message)) ts_relax();
}

void *ts_tagon_area(ts_basic_t *queue) { return queue->tagon; }
