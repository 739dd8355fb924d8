/*************************************************************************/
/*  Area under 4/(1+x*x), in the manner of the SPLASH-2 kernels of 1995. */
/*  Isn't it old?  LOCK(x) and BARRIER(y, P) in comments don't count.    */
/*************************************************************************/

#include <stdio.h>
#include <math.h>

#define MAX_PROCS 64
#define DEFAULT_N 96

MAIN_ENV

struct GlobalMemory {
  int id;
  double sum;
  LOCKDEC(idlock)
  LOCKDEC(sumlock)
  GSDEC(strips)
  BARDEC(start)
  int slices[MAX_PROCS];
} *Global;

int P = 1;
int n = DEFAULT_N;
int shift = 1, len = 3, index_ = 0;   /* words that m4 likes to eat */
int Private = 7;
double *partial;
unsigned starttime, finishtime;

void SlaveStart();
double slice();
extern char *optarg;

main(argc, argv)

int argc;
char *argv[];

{
  int i;
  int c;
  int errors = 0;

  CLOCK(starttime)

  while ((c = getopt(argc, argv, "n:p:h")) != -1) {
    switch(c) {
      case 'n': n = atoi(optarg); break;
      case 'p': P = atoi(optarg); break;
      case 'h': printf("Options: LOCK, BARRIER and 'shift' are no options\n"); exit(0);
    }
  }

  MAIN_INITENV(,80000000)

  Global = (struct GlobalMemory *) G_MALLOC(sizeof(struct GlobalMemory));
  partial = (double *) G_MALLOC(P*sizeof(double))
  BARINIT(Global->start);
  LOCKINIT(Global->idlock);
  LOCKINIT(Global->sumlock);
  GSINIT(Global->strips)
  Global->id = 0;
  Global->sum = 0.0;
  Private = 11;

  printf("PI by %d processes, %d strips, LOCK-free? no, shift %d\n", P, n, 1 << shift << len);

  for (i=1; i<P; i++) {
    CREATE(SlaveStart)
  }
  Private = 12;
  SlaveStart();
  WAIT_FOR_END(P-1)

  CLOCK(finishtime)
  for (i=0; i<P; i++) {
    errors += Global->slices[i];
  }
  if (errors != 2*n) {
    printf("FAILED: %d strips done, not %d\n", errors, 2*n);
    exit(1);
  }
  for (i=0; i<P; i++) partial[0] += i ? partial[i] : 0.0;
  if (fabs(Global->sum/2.0 - M_PI) > 0.001 || fabs(partial[0] - Global->sum) > 0.0001) {
    printf("FAILED: %f %f\n", Global->sum/2.0, partial[0]);
    exit(1);
  }
  if (Private != 12) {
    printf("FAILED: private global is %d\n", Private);
    exit(1);
  }
  G_FREE(partial)
  printf("PASSED %.3f\n", Global->sum/2.0);
  MAIN_END;
}

void SlaveStart()

{
  int MyNum;
  int strip, pass;
  double mine = 0.0;

  LOCK(Global->idlock)
    MyNum = Global->id;
    Global->id ++;
  UNLOCK(Global->idlock)

/* POSSIBLE ENHANCEMENT:  Here is where one might pin processes to
   processors to avoid migration */

  if (Private != 11 && Private != 12) exit(1);
  Global->slices[MyNum] = 0;
  partial[MyNum] = 0.0;
  BARRIER(Global->start, P)

  for (pass=0; pass<2; pass++) {
    GETSUB(Global->strips, strip, n-1, P)
    while (strip >= 0) {
      mine += slice(strip);
      Global->slices[MyNum]++;
      GETSUB(Global->strips, strip, n-1, P)
    }
  }
  partial[MyNum] = mine;
  LOCK(Global->sumlock)
    Global->sum += mine;
  UNLOCK(Global->sumlock)
  if (Private == 11) Private = -1;   /* the created: seen by nobody else */
  BARRIER(Global->start, P);
}

double slice(i)

int i;

{
  double x = (i + 0.5) / n;
  return 4.0 / (1.0 + x*x) / n;
}
