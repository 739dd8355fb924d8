/*
 * Monitors with delay queues, and askfor on top of them. A process that continues another does not release the lock:
 * it hands it over, so what the resumed process was promised still holds when it runs.
 */
#include "platform.h"

static void check_queue(int queue)
{
    if (queue < 0 || queue >= TS_MONITOR_QUEUES)
        ts_fail("monitor queue %d: the legal range is 0..%d", queue, TS_MONITOR_QUEUES - 1);
}

void ts_monitor_init(ts_monitor_t *monitor, int queues)
{
    check_queue(queues - 1);
    for (int i = 0; i < TS_MONITOR_QUEUES; i++) monitor->delayed[i] = monitor->resumed[i] = 0;
    monitor->held = 0;
    monitor->asking = monitor->ended = monitor->left = 0;
}

void ts_monitor_enter(ts_monitor_t *monitor) { ts_word_lock(&monitor->held); }
void ts_monitor_exit(ts_monitor_t *monitor) { ts_word_unlock(&monitor->held); }

void ts_monitor_delay(ts_monitor_t *monitor, int queue)
{
    check_queue(queue);
    uint32_t turn = ++monitor->delayed[queue];
    ts_word_unlock(&monitor->held);
    while ((int32_t)(monitor->resumed[queue] - turn) < 0) ts_relax();
    ts_fence();
}

void ts_monitor_continue(ts_monitor_t *monitor, int queue)
{
    check_queue(queue);
    ts_fence();
    if (monitor->resumed[queue] != monitor->delayed[queue]) monitor->resumed[queue]++;
    else ts_word_unlock(&monitor->held);
}

int ts_monitor_ended(ts_monitor_t *monitor) { return monitor->ended; }

int ts_monitor_nothing(ts_monitor_t *monitor, int processes)
{
    int code;

    if (!monitor->ended) {
        if (monitor->asking + 1 == processes) {
            monitor->ended = 1; /* all others wait for a problem that nobody is left to make */
        } else {
            monitor->asking++;
            ts_monitor_delay(monitor, 0);
            monitor->asking--;
            if (!monitor->ended) return 0;
        }
    }
    code = monitor->ended;
    if (++monitor->left == processes) monitor->left = monitor->ended = 0;
    return code;
}

int ts_monitor_last(ts_monitor_t *monitor) { return monitor->left == 0; }

void ts_monitor_end(ts_monitor_t *monitor, int code)
{
    ts_monitor_enter(monitor);
    monitor->ended = code ? code : 1;
    ts_monitor_continue(monitor, 0);
}
