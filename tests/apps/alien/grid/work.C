#include "decs.h"

EXTERN_ENV

static void chain(MyNum)
int MyNum;
{
  int r;

  for (r = 0; r < rounds; r++) {
    if (MyNum == MASTER) {
      mem->node[0].value = 1;
      if (nprocs > 1) { SETPAUSE(mem->node[0].done) }
      continue;
    }
    WAITPAUSE(mem->node[MyNum-1].done);
    CLEARPAUSE(mem->node[MyNum-1].done);
    mem->node[MyNum].value = mem->node[MyNum-1].value + 1;
    if (MyNum < nprocs - 1) { EVENT(mem->node[MyNum].done); }
    if (r == 0) PAUSE(mem->node[63].done)
  }
}

void Worker()
{
  int MyNum, r, c, pid;

  LOCK(mem->CountLock)
  MyNum = mem->id++;
  UNLOCK(mem->CountLock)
  GET_PID(pid);
  if (pid < 0) exit(1);
  if (MyNum == 0) { POST(mem->node[63].done) }
  BARRIER(mem->BarPhase)

  for (r = 0; r < rounds; r++) {
    for (c = 0; c < 16; c++) {
      ALOCK(mem->CellLock, PMOD(c + MyNum, 16))
      mem->cell[PMOD(c + MyNum, 16)]++;
      AULOCK(mem->CellLock, PMOD(c + MyNum, 16))
    }
  }
  for (r = 0; r < 2; r++) {
    SEMP(mem->room)
    NLOCK(mem->other)
    mem->buffer[mem->put++ % 4] = MyNum;
    NUNLOCK(mem->other)
    SEMV(mem->items)
    SEMP(mem->items)
    NLOCK(mem->other)
    if (mem->buffer[mem->got++ % 4] >= 0) mem->taken++;
    NUNLOCK(mem->other)
    SEMV(mem->room)
  }
  for (r = 0; r < rounds; r++) {
    BARRIER(mem->BarPhase, nprocs);
  }
  if (MyNum == 0 || nprocs > 1) {
    int saved = rounds;
    rounds = 1;          /* private: nobody else's rounds change */
    chain(MyNum);
    rounds = saved;
  }
  BARRIER(mem->BarPhase, nprocs)
}
