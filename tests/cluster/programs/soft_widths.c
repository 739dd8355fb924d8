/** \file
 * Every kind of access that gcc checks with SOFT=: widths, unaligned members, copies of structures within and across blocks, atomics, string functions. The
 * last process stores what all others load, in rounds, so that each access misses; all of them count in atomics.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3, LARGE = 300, ADDS = 20 };

struct __attribute__((packed)) odd {
    char pad;
    uint16_t half;
    uint32_t word;
    uint64_t twice;
};
struct large {
    uint32_t words[LARGE / 4];
};
struct small {
    short a, b;
};
struct shared {
    ts_barrier_t all;
    char apart[128];
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t twice;
    float single;
    double real;
    struct odd odd;
    char more[128];
    struct large first, second, third;
    struct small one[3];
    char text[3][200];
    char before[128], moved[256], behind[128]; /* what memcpy alone loads */
    _Atomic uint8_t adds8;
    _Atomic uint16_t adds16;
    _Atomic uint32_t adds32;
    _Atomic uint64_t adds64;
    uint32_t wrong, turns, turn[64];
};
static struct shared *s;

#define CHECK(what) \
    do { \
        if (!(what)) { \
            printf("process %d, round %d: %s\n", ts_self(), round, #what); \
            __atomic_fetch_add(&s->wrong, 1, __ATOMIC_SEQ_CST); \
        } \
    } while (0)

static void store(int round) {
    s->byte = 10 + round;
    s->half = 1000 + round;
    s->word = 100000 + round;
    s->twice = 0x100000002ull + round;
    s->single = 0.5f + round;
    s->real = 0.25 + round;
    s->odd.half = 2000 + round;
    s->odd.word = 200000 + round;
    s->odd.twice = 0x300000004ull + round;
    for (int i = 0; i < LARGE / 4; i++) s->first.words[i] = i * 7 + round;
    s->one[0] = (struct small){5, round};
    strcpy(s->text[0], "what is stored");
    strcat(s->text[0], round & 1 ? " odd" : " even");
    memset(s->text[2], 'a' + round, sizeof s->text[2]);
    memset(s->moved, 'A' + round, sizeof s->moved);
}

static void look(int round) {
    char own[sizeof s->moved];
    memcpy(own, s->moved, sizeof own);
    CHECK(own[0] == 'A' + round && own[100] == own[0] && own[255] == own[0]);
    CHECK(s->byte == 10 + round);
    CHECK(s->half == 1000 + round);
    CHECK(s->word == 100000u + round);
    CHECK(s->twice == 0x100000002ull + round);
    CHECK(s->single == 0.5f + round);
    CHECK(s->real == 0.25 + round);
    CHECK(s->odd.half == 2000 + round);
    CHECK(s->odd.word == 200000u + round);
    CHECK(s->odd.twice == 0x300000004ull + round);
    CHECK(strlen(s->text[0]) == 18u + !(round & 1) && strchr(s->text[0], 'o') && strrchr(s->text[0], 'e') > s->text[0] + 10);
    CHECK(strcmp(s->text[0], round & 1 ? "what is stored odd" : "what is stored even") == 0 && strncmp(s->text[0], "what", 4) == 0);
    CHECK(memchr(s->text[2], 'a' + round, 1) == s->text[2] && s->text[2][199] == 'a' + round);
}

/* Each in its turn: structures in both directions, between blocks that another has. */
static void turns(int round) {
    const int me = ts_self(), all = ts_processes();
    for (int turn = 0; turn < all; turn++) {
        if (turn == me) {
            s->second = me & 1 ? s->third : s->first;
            s->third = s->second;
            s->one[1] = s->one[0];
            memmove(s->text[1], s->text[0], sizeof s->text[0]);
            memmove(s->text[1] + 3, s->text[1], 150);
            CHECK(memcmp(&s->third, &s->first, sizeof s->first) == 0);
            CHECK(s->one[1].a == 5 && s->one[1].b == round);
            CHECK(memcmp(s->text[1] + 3, "what", 4) == 0 && memcmp(s->text[1], "whawhat", 7) == 0);
        }
        ts_barrier(&s->all, all);
    }
}

static void work(void) {
    const int all = ts_processes();
    for (int round = 0; round < ROUNDS; round++) {
        if (ts_self() == all - 1) store(round);
        ts_barrier(&s->all, all);
        look(round);
        turns(round);
        ts_barrier(&s->all, all);
    }
    for (int i = 0; i < ADDS; i++) {
        s->adds8++;
        s->adds16 += 3;
        __atomic_fetch_sub(&s->turns, 1, __ATOMIC_RELAXED);
        uint32_t seen = s->adds32;
        while (!__atomic_compare_exchange_n((uint32_t *)&s->adds32, &seen, seen + 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        }
        s->adds64 += 0x100000001ull;
    }
    ts_barrier(&s->all, all);
}

int main(void) {
    const int all = ts_processes();
    s = ts_alloc(sizeof *s);
    memset(s, 0, sizeof *s);
    ts_barrier_init(&s->all, all);
    ts_create_all(work, all);
    ts_wait_for_end(all);
    const unsigned adds = all * ADDS;
    int right = s->wrong == 0 && s->adds8 == (uint8_t)adds && s->adds16 == (uint16_t)(3 * adds) && s->adds32 == 5 * adds && s->adds64 == 0x100000001ull * adds && s->turns == -adds;
    printf("widths: %s\n", right ? "correct" : "wrong");
    return !right;
}
