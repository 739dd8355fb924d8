/* A program that reads memory of its window that a board without DRAM does not have. */
#include <stdio.h>
#include <turnstile.h>

int main(void)
{
    printf("it is %d\n", *(volatile int *)0x40100000);
    return 0;
}
