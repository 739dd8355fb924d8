/* Calls the address ARGS. */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 2) return 1;
    ((void (*)(void))(uintptr_t)strtoul(argv[1], NULL, 0))();
    return 0;
}
