/** \file The NIU as a recorder: each operation appends one word to `niu_log`; tests compare the log. */
#ifndef NIU_OPS_H
#define NIU_OPS_H
#include <stdint.h>

enum { NIU_LOW_RESERVE = 4 };
#define NIU_DRAM_BYTES (sizeof niu_dram)
#define NIU_DRAM_BASE ((uintptr_t)niu_dram)
extern char niu_dram[1 << 20];

/** printf into the log, a blank between operations. */
void niu_record(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** What TX_FREE says. */
extern uint32_t niu_free;

static inline const char *tag_name(uint32_t t) {
    static const char *const names[] = {"busy", "I", "RO", "RW"};
    return names[t];
}
static inline const char *type_name(uint32_t t) {
    switch (t) {
    case TT_GET_RO: return "GetRO";
    case TT_GET_RW: return "GetRW";
    case TT_UPGRADE: return "Upgrade";
    case TT_INVAL_RO: return "InvalRO";
    case TT_INVAL_RW: return "InvalRW";
    case TT_DATA_RO: return "DataRO";
    case TT_DATA_RO | TT_PART: return "DataRO/part";
    case TT_DATA_RW: return "DataRW";
    case TT_DATA_RW | TT_PART: return "DataRW/part";
    case TT_RECALL: return "Recall";
    case TT_ACK: return "Ack";
    case TT_GRANT: return "Grant";
    case TT_NONE: return "None";
    case TT_PAGE_ASK: return "PageAsk";
    case TT_PAGE_INFO: return "PageInfo";
    }
    return "?";
}

static inline void niu_express_low(uint32_t site, uint32_t type, uint32_t word) {
    (void)word;
    niu_record("%s>%u", type_name(type), site);
}
static inline void niu_express_to(uint32_t source, uint32_t tag, uint32_t word) { niu_record("answer%u:%u>%u.%u", tag, word, source >> 3, source & 7); }
static inline uint32_t niu_low_free(void) { return niu_free; }
static inline void niu_timer_soon(void) { niu_record("timer"); }
static inline void niu_get_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    (void)a, (void)shift;
    niu_record("get(%s,%s)%s>%u", tag_name(old), tag_name(next), type_name(type), site);
}
static inline void niu_put(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    (void)a, (void)shift;
    niu_record("put(%s,%s)", tag_name(old), tag_name(next));
}
static inline void niu_put_part(uint32_t a) {
    (void)a;
    niu_record("put(part)");
}
static inline void niu_forward(uint32_t a, uint32_t site, uint32_t type, uint32_t last) {
    (void)a;
    niu_record("%s%s>%u", last ? "forward:" : "copy:", type_name(type), site);
}
static inline void niu_upgrade(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    (void)a, (void)shift;
    niu_record("tag(%s,%s)", tag_name(old), tag_name(next));
}
static inline void niu_downgrade_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    (void)a, (void)shift;
    niu_record("flush(%s,%s)%s>%u", tag_name(old), tag_name(next), type_name(type), site);
}
static inline void niu_reply(uint32_t site, uint32_t type, uint32_t word) {
    niu_record("%s>%u:%x", type_name(type), site, word & 0xFFF);
}
static inline void niu_page_tags(uint32_t a, uint32_t next) {
    (void)a;
    niu_record("page(%s)", tag_name(next));
}
#endif
