/* What the parts of the workstation's runtime know of each other. */
#ifndef TS_HOST_H
#define TS_HOST_H
#include <sys/types.h>

/* The Unix process of a process of the program; waits until it has been created. */
pid_t host_process(int index);

#endif
