/** \file
 * A protocol is one C file (or folder) of fw/protocols with one of these descriptors, named as the file. Event table, printed names,
 * statistics, the report's columns, recorder and checker are made from it; nothing else names a protocol.
 */
#ifndef TT_PROTOCOL_H
#define TT_PROTOCOL_H
#include <stdint.h>

/** Bounds of one protocol, and of an image. The numbers 24..31 of a message are the framework's own. */
enum { TT_MESSAGES = 24, TT_MODES = 4, TT_SERVICES = 8, TT_COUNTERS = 16, TT_IMAGE_PROTOCOLS = 8, TT_IMAGE_MODES = 16, TT_IMAGE_SERVICES = 16 };

/* The build counts what is there before it refuses: tools/protocols.py. */
#ifdef TT_DESCRIBE
#define TT_ROOM(most) (2 * (most) + 64)
#else
#define TT_ROOM(most) (most)
#endif

struct tt_page;

/** Of a message: `a` is its word, the address of a block of a page of this protocol, which is open; `meta` says who sent it (tt_source).
 * Of a fault: `a`, the address; it may be called for a fault that was resolved meanwhile, and must then do nothing. Of a service: the
 * caller's word, and who is to be answered (tt_answer). */
typedef void tt_handler(uint32_t a, uint32_t meta);

/** Requests travel low, answers high (docs/design/reservations.md). */
enum tt_channel { TT_LOW = 1, TT_HIGH };

/** Added to the number of a message with data: its early parts. */
enum { TT_PART = 1 };

/** What a message is to a read that is measured stage by stage (docs/reference/nine-stages.md). */
enum tt_stage {
    TT_NO_STAGE,
    TT_READ_ASKED,  /**< a copy asks the home for it */
    TT_READ_DATA,   /**< its data */
    TT_READ_UNCLEAN /**< the home has to ask another first: not a clean read */
};

/** A message type; its number is its index. */
struct tt_message {
    const char *name;
    tt_handler *handler;
    uint8_t channel; /**< enum tt_channel; 0: no such message */
    uint8_t data;    /**< 1: the block's lines travel with it. Its number is even, and the next is that of its early parts */
    uint8_t stage;   /**< enum tt_stage */
    tt_handler *part; /**< with data: an early part of a block of more than two lines; 0: the protocol takes no such blocks */
};

/** Of a mode's page at its home, or elsewhere. */
struct tt_side {
    tt_handler *read;    /**< load on Invalid */
    tt_handler *write;   /**< store on Invalid or ReadOnly */
    uint8_t tag;         /**< enum tt_tag of all blocks of a fresh page */
    uint8_t state_bytes; /**< of each block, zeroed when the page opens (tt_state): 1, 2, 4, 8 or 16 */
};

/** What a mode promises of loads (memory checker, checker): each returns the last store; or so do those of data-race-free programs;
 * or nothing, for a program keeps its copies coherent itself (docs/design/soft.md). */
enum tt_consistency { TT_SEQUENTIAL, TT_RELEASE, TT_BY_SOFTWARE };

/** A page mode: what programs ask for by name. */
struct tt_mode {
    const char *name;
    struct tt_side home, copy;
    uint8_t consistency; /**< enum tt_consistency */
    /** 0, or: the page was opened here, its state is fresh; returns the tag of all blocks. `owner`: TT_NO_SITE, or the site that holds
     * every block exclusively (a first-touch page that moved home, which happens only with `leave`). */
    uint8_t (*open)(struct tt_page *p, uint32_t owner);
    /** 0, or: this site was home of the page and is a copy now that holds every block exclusively. The states are the home's still, and there is room for a copy's. */
    void (*leave)(struct tt_page *p);
};

/** What a program may call: ts_call(process, "protocol.name", word). The handler answers once, now or later, by tt_answer. */
struct tt_service {
    const char *name;
    tt_handler *handler;
};

/** What the checker asks of a block after every step: 0, or the sentence that does not hold. `tags[site]`; `rest`: no access waits, no
 * message is under way, no command. Other sites' state: tt_page_at(site, a). */
typedef const char *tt_invariant(uint32_t a, uint32_t sites, const uint8_t *tags, int rest);

struct tt_protocol {
    const char *name;
    uint32_t site_bytes; /**< of the protocol's state of a whole site, zeroed (tt_site_state); 0: none */
    struct tt_mode modes[TT_ROOM(TT_MODES)];
    struct tt_message messages[TT_ROOM(TT_MESSAGES)];
    struct tt_service services[TT_ROOM(TT_SERVICES)];
    const char *counters[TT_ROOM(TT_COUNTERS)]; /**< counted by tt_count(index) */
#ifdef TT_WORKSTATION
    tt_invariant *invariant;
#define TT_INVARIANT(f) .invariant = f
#else
#define TT_INVARIANT(f)
#endif
};

/** The image's protocols, in the order of PROTOCOL=; the list ends with 0. Made by the build. */
extern const struct tt_protocol *const tt_protocols[];

#ifdef TT_WORKSTATION
struct tt_page *tt_page_at(uint32_t site, uint32_t a);
#endif
#endif
