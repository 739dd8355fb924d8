/* For C and link.ld. */
/* Head of the shared heap, kept for the table of processes. */
#define TS_RUNTIME_SHARED 0x9000
