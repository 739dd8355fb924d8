/* Cycles of 5000 sums of integers, 500 products and sums of doubles, 500 random numbers: what a mode or a cache makes of them. */
#include <stdio.h>
#include <stdlib.h>

static volatile int words[64];

static unsigned cycles(void)
{
    unsigned now;

    __asm__ volatile("rdcycle %0" : "=r"(now));
    return now;
}

int main(void)
{
    volatile double d = 1.0;
    unsigned begin = cycles(), sums, products, numbers;

    for (int i = 0; i < 5000; i++) words[i & 63] += i;
    sums = cycles();
    for (int i = 0; i < 500; i++) d = d * 1.0001 + 0.5;
    products = cycles();
    for (int i = 0; i < 500; i++) words[i & 63] = rand();
    numbers = cycles();
    printf("cycles: %u %u %u\n", sums - begin, products - sums, numbers - products);
    return 0;
}
