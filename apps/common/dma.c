/* What a transfer's status says, on every machine. */
#include <turnstile_dma.h>

const char *ts_dma_status(unsigned status)
{
    static const char *const words[] = {"is on its way", "is done", "has a wrong length", "has a source that is not its sender's", "goes to a name that is nobody's",
                                        "goes to memory that is not open", "lost a packet on its way"};
    return status < sizeof words / sizeof *words ? words[status] : "has an unknown status";
}
