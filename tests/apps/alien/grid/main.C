/* Several files, a header, locks by array, pauses along a chain, a bounded buffer. */
#include <stdio.h>
#include "decs.h"

MAIN_ENV

struct Mem *mem;
int nprocs = 1;
int rounds = 3;

int main(int argc, char **argv)
{
  long i, total = 0;

  MAIN_INITENV();
  if (argc > 1) nprocs = atoi(argv[1]);
  mem = (struct Mem *) NU_MALLOC(sizeof(struct Mem), 0);
  for (i = 0; i < 16; i++) mem->cell[i] = 0;
  mem->id = mem->put = mem->got = mem->taken = 0;
  BARINIT(mem->BarPhase, nprocs)
  LOCKINIT(mem->CountLock)
  NLOCKINIT(mem->other)
  ALOCKINIT(mem->CellLock, 16)
  SEMINIT(mem->room, 4)
  SEMINIT(mem->items)
  for (i = 0; i < 64; i++) {
    PAUSEINIT(mem->node[i].done)
  }
  AUG_ON
  TRACE_ON;
  for (i = 1; i < nprocs; i++) {
    CREATE_LITE(Worker);
  }
  Worker();
  WAIT_FOR_END(nprocs - 1);
  AUG_OFF
  TRACE_OFF
  for (i = 0; i < 16; i++) total += mem->cell[i];
  if (total != (long)nprocs * rounds * 16 || mem->taken != 2 * nprocs || mem->node[nprocs-1].value != nprocs) {
    printf("FAILED: %ld increments, %d taken, chain %d\n", total, mem->taken, mem->node[nprocs-1].value);
    return 1;
  }
  printf("PASSED grid with %d\n", nprocs);
  NU_FREE(mem);
  MAIN_END
}
