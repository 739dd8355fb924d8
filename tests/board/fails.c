/* A program that ends with a status of its own. */
#include <stdio.h>
#include <turnstile.h>

int main(void)
{
    puts("this one fails");
    return 3;
}
