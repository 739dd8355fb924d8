/* A program that reads its messages late: more than a queue holds wait in DRAM meanwhile. */
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_message.h>

enum { COUNT = 24 };

int main(void)
{
    ts_express_t message;

    for (unsigned i = 0; i < COUNT; i++) ts_express_send(0, 3, 0, 1000 + i);
    for (unsigned i = 0; i < COUNT; i++) {
        ts_express_receive(&message);
        if (message.word != 1000 + i) {
            printf("message %u is %lu\n", i, (unsigned long)message.word);
            return 1;
        }
    }
    printf("%d messages in order\n", COUNT);
    return 0;
}
