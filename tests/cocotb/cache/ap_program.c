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

#ifdef __riscv_atomic
#define AMO(name) \
  static u32 amo_##name(volatile u32 *at, u32 value) { \
    u32 old; \
    __asm__ volatile("amo" #name ".w %0, %2, (%1)" : "=r"(old) : "r"(at), "r"(value) : "memory"); \
    return old; \
  }
AMO(swap) AMO(add) AMO(xor) AMO(and) AMO(or) AMO(min) AMO(max) AMO(minu) AMO(maxu)
static u32 lr(volatile u32 *at) {
  u32 old;
  __asm__ volatile("lr.w.aqrl %0, (%1)" : "=r"(old) : "r"(at) : "memory");
  return old;
}
static u32 sc(volatile u32 *at, u32 value) {
  u32 failed;
  __asm__ volatile("sc.w.aqrl %0, %2, (%1)" : "=r"(failed) : "r"(at), "r"(value) : "memory");
  return failed;
}

static const struct { u32 (*amo)(volatile u32 *, u32); u32 result; } amos[] = { /* of 0x80000000 and 0xFFFFF801 */
  {amo_swap, 0xFFFFF801u}, {amo_add, 0x7FFFF801u}, {amo_xor, 0x7FFFF801u}, {amo_and, 0x80000000u}, {amo_or, 0xFFFFF801u},
  {amo_min, 0x80000000u}, {amo_max, 0xFFFFF801u}, {amo_minu, 0x80000000u}, {amo_maxu, 0xFFFFF801u}};

/* The instructions by themselves (as riscv-tests' rv32ua), in the private window and in shared DRAM. */
static void instructions(volatile u32 *at) {
  for (u32 i = 0; i < sizeof amos / sizeof *amos; i++) {
    *at = 0x80000000u;
    if (amos[i].amo(at, 0xFFFFF801u) != 0x80000000u || *at != amos[i].result) finish(30 + i);
    if (amos[i].amo(at, 1) != amos[i].result) finish(30 + i);
  }
  *at = 7;
  u32 t = 5;
  __asm__ volatile("amoadd.w %0, %0, (%1)\n add %0, %0, %0" : "+r"(t) : "r"(at) : "memory"); /* rd = rs2, and used at once */
  if (t != 14 || *at != 12) finish(40);
  __asm__ volatile("amoadd.w zero, %1, (%0)\n mv %1, zero" : : "r"(at), "r"(t) : "memory"); /* rd = x0 */
  if (*at != 26) finish(41);
  if (sc(at, 1) != 1 || *at != 26) finish(42); /* without an LR */
  if (lr(at) != 26 || sc(at, 27) != 0 || *at != 27) finish(43);
  if (sc(at, 1) != 1 || *at != 27) finish(44);
  if (lr(at) != 27 || sc(at + 64, 1) != 1 || sc(at, 1) != 1) finish(45); /* to another line */
}

static void traps_of_atomics(volatile u32 *at) {
  u32 before = traps;
#define TRAPS(code, instruction, address) \
  __asm__ volatile(instruction : : "r"(address) : "memory", "t0"); \
  if (traps != ++before || cause != code) finish(code + 46);
  TRAPS(6, "amoadd.w t0, t0, (%0)", (u32)at + 2)
  TRAPS(6, "sc.w t0, t0, (%0)", (u32)at + 1)
  TRAPS(4, "lr.w t0, (%0)", (u32)at + 1)
  TRAPS(7, "amoswap.w t0, zero, (%0)", EXIT)
  TRAPS(7, "sc.w t0, zero, (%0)", EXIT)
  TRAPS(5, "lr.w t0, (%0)", EXIT)
  TRAPS(2, ".insn r 0x2f, 2, 0x14, t0, %0, zero", at) /* funct5 5: none */
  TRAPS(2, ".insn r 0x2f, 3, 0, t0, %0, zero", at) /* 64 bits */
  TRAPS(2, ".insn r 0x2f, 2, 0x08, t0, %0, t0", at) /* LR with rs2 */
  u32 misa;
  __asm__ volatile("csrr %0, misa" : "=r"(misa));
  if ((misa & 0x3FFFFFF) != 0x1101) finish(54);
}

/* Both aPs count in one line by AMO, and by LR and SC. */
static void counters(u32 me) {
  for (u32 i = 0; i < ROUNDS; i++) {
    amo_add(words + 8192, 1);
    u32 seen;
    do seen = lr(words + 8193);
    while (sc(words + 8193, seen + 2 + me));
  }
  amo_add(words + 8194, 1);
  u32 limit = 0;
  while (words[8194] != 2)
    if (++limit == 100000) finish(60);
  if (words[8192] != 2 * ROUNDS) finish(61);
  if (words[8193] != 5 * ROUNDS) finish(62);
}
#endif

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
#ifdef __riscv_atomic
    instructions((volatile u32 *)0x40100100u);
    instructions(words + 4096 + 512 * me);
    traps_of_atomics(words + 4096 + 512 * me);
    counters(me);
#endif
  }
  finish(0);
}

__attribute__((naked, section(".text.start"))) void start(void) {
  __asm__ volatile("li sp, 0x40180000\n call main");
}
