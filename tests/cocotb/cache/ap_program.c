/* Runs on each aP of cache/ApSite: arithmetic, traps, the private window, false sharing, message passing.
 * A store to the unanswered 0x1000_0000 + code ends it: the bench reads the code off storeError; 0 is success. */
typedef unsigned int u32;
typedef unsigned char u8;
#define EXIT 0x10000000u
#define LINES 6
#define ROUNDS 60

static volatile u32 *const me_at = (volatile u32 *)0x40100000u;
static volatile u8 *const bytes = (volatile u8 *)0x80800000u;
static volatile u32 *const words = (volatile u32 *)0x80810000u;
static volatile u32 traps, cause;

static _Noreturn void finish(u32 code) {
  *(volatile u32 *)(EXIT + 4 * code) = code;
  for (;;) {
  }
}

__attribute__((interrupt("machine"), aligned(4))) static void trap(void) {
  u32 mcause, mepc;
  __asm__ volatile("csrr %0, mcause\n csrr %1, mepc" : "=r"(mcause), "=r"(mepc));
  cause = mcause;
  traps++;
  __asm__ volatile("csrw mepc, %0" ::"r"(mepc + 4));
}

static u32 state;
static u32 next_random(void) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

/* Each aP owns every second byte of the lines: its own must be as it left them, the others only count up. */
static void false_sharing(u32 me) {
  u8 mine[LINES] = {0}, theirs[LINES] = {0};
  for (u32 i = 0; i < ROUNDS * LINES; i++) {
    u32 line = next_random() % LINES;
    volatile u8 *own = bytes + 64 * line + me, *other = bytes + 64 * line + (me ^ 1);
    if (*own != mine[line]) finish(10);
    *own = ++mine[line];
    u8 seen = *other;
    if ((u8)(seen - theirs[line]) > 128) finish(11);
    theirs[line] = seen;
    if (i % 16 == 0) (void)*(bytes + 64 * line + 8192); /* drives the line out */
  }
  for (u32 line = 0; line < LINES; line++)
    if (bytes[64 * line + me] != mine[line]) finish(12);
}

/* aP 0 writes a, then b; aP 1 reads b, then a: never a newer b than a. */
static void message_passing(u32 me) {
  for (u32 i = 1; i <= ROUNDS; i++) {
    if (me == 0) {
      words[0] = i;
      words[32] = i;
    } else {
      u32 b = words[32], a = words[0];
      if (a < b) finish(13);
    }
  }
}

/* Dekker: each writes its flag and reads the other's; both reading 0 is not sequentially consistent. */
static void store_buffering(u32 me) {
  for (u32 i = 0; i < 20; i++) {
    volatile u32 *turn = words + 1024 + 64 * i;
    turn[16 * me] = 1;
    words[64 + 32 * me + i] = turn[16 * (me ^ 1)] + 1;
  }
}

int main(void) {
  u32 me = *me_at;
  __asm__ volatile("csrw mtvec, %0" ::"r"(trap));
  state = 12345 + me;
  if (*(volatile u32 *)(0x80100000u + 0x200000u * me) != me) finish(20);
  volatile u32 a = 1000003u, b = 77u;
  if (a * b != 77000231u || a / b != 12987u || a % b != 4u) finish(21);
  if ((u32)(((unsigned long long)a * a) >> 32) != 232u) finish(22);
  (void)*(volatile u32 *)EXIT;
  if (traps != 1 || cause != 5) finish(23);
  __asm__ volatile("lw zero, 2(%0)" ::"r"(me_at));
  if (traps != 2 || cause != 4) finish(24);
  if (me < 2) {
    false_sharing(me);
    message_passing(me);
    store_buffering(me);
    u32 limit = 0;
    while (words[64 + 32 * (me ^ 1) + 19] == 0)
      if (++limit == 100000) finish(14);
    for (u32 i = 0; i < 20; i++)
      if (words[64 + i] == 1 && words[64 + 32 + i] == 1) finish(15);
  }
  finish(0);
}

__attribute__((naked, section(".text.start"))) void start(void) {
  __asm__ volatile("li sp, 0x40180000\n call main");
}
