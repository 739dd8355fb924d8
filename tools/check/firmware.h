/** \file
 * The firmware of one site, as the model runs it: all that it remembers is one block of bytes at a fixed place, a handler reads and
 * changes it and says what it launched and sent. Pointers in it mean the same at every site, for all sites run in this one place.
 */
#ifndef CHECK_FIRMWARE_H
#define CHECK_FIRMWARE_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { FW_HEAP = 0x80800000, FW_COMMANDS = 12, FW_MESSAGES = 12, FW_ANSWERS = 8, FW_SITES = 4, FW_ROOM = 1000 };

/** Numbers of messages from here on are calls of a service. */
enum { FW_SERVICE = 64 };

enum fw_op { FW_GET_SEND = 1, FW_PUT, FW_PUT_PART, FW_FORWARD, FW_TAG, FW_FLUSH_SEND, FW_SEND, FW_PAGE_TAGS };

/** What the sP launched. `last`: it frees the slot of the event's data, which FW_PUT and FW_PUT_PART always do. */
struct fw_command {
    uint32_t a;
    uint8_t op, shift, old, next, site, type, last;
    uint8_t data; /**< the model's: 0 none, 1 an old version, 2 the last */
};

/** A low message. */
struct fw_message {
    uint32_t word;
    uint8_t site, type;
};

/** A service's answer to a program. */
struct fw_answer {
    uint8_t site, ap;
    uint32_t word;
};

/** What one handler did. */
struct fw_outcome {
    unsigned commands, messages, answers;
    struct fw_command command[FW_COMMANDS];
    struct fw_message message[FW_MESSAGES];
    struct fw_answer answer[FW_ANSWERS];
    int timer;       /**< it set the timer */
    unsigned looked; /**< how often it asked whether the transmit queue has room */
    char error[200]; /**< empty, or what tt_error, tt_panic or a bound of the model said first */
};

/** Fresh state of a site, in place; page i has mode i of the image, while there are so many. `events`, `slots`: what the firmware is told of the hardware. */
void fw_start(unsigned site, unsigned sites, unsigned aps, unsigned shift, unsigned home_policy, unsigned events, unsigned slots);
/** Blocks whose state the model follows. */
void fw_follow(unsigned blocks, const uint32_t *addresses);
void *fw_image(void);
size_t fw_image_bytes(void);

/** Run one handler on the state in place. `room`: how often it finds room in the transmit queue. */
const struct fw_outcome *fw_run_message(unsigned type, uint32_t word, unsigned from, unsigned room);
const struct fw_outcome *fw_run_fault(unsigned event, uint32_t a, unsigned room);
const struct fw_outcome *fw_run_timer(unsigned room);
/** `service`: FW_SERVICE and its tag; `ap` of `from` calls. */
const struct fw_outcome *fw_run_service(unsigned service, unsigned from, unsigned ap, unsigned room);
/** Number of the service that makes a program's stores to the page visible; 0: they are at once (sequential consistency). */
unsigned fw_release(unsigned page);
/** Its name, "update.release"; only where there is one. */
const char *fw_release_name(unsigned page);
/** Takes a page through its opening, without the model: the registry's decision. */
const struct fw_outcome *fw_open(unsigned page);
void fw_parallel(void);

/** Same meaning, same bytes: lists renumbered, what means nothing in a state overwritten so that a handler that reads it is seen.
 * Returns 0, or what is lost: an entry of a list that no list has. */
const char *fw_canonical(void);
/** Site s becomes to[s], everywhere. */
void fw_rename(const uint8_t *to);
/** 0, or what is not free although nothing is under way. `tags`: of the blocks that are followed. */
const char *fw_not_at_rest(const uint8_t *tags);
/** The state in place is that of `site`, until fw_invariant has been asked. */
void fw_take(unsigned site);
/** What the protocol's own invariant says of a block at rest: 0, or the sentence that does not hold. */
const char *fw_invariant(uint32_t a, unsigned sites, const uint8_t *tags);

/** Words for the block's state; empty while its page is not open. */
void fw_describe(uint32_t a, char *text, size_t bytes);
/** The same, the bare state: "home SHARED". */
void fw_state_name(uint32_t a, char *text, size_t bytes);
/** `word`: the message's, which tells whose it is. */
const char *fw_message_name(unsigned type, uint32_t word);
/** Whether a site's number stands in the message's word, which is renamed with fw_rename_word. */
uint32_t fw_rename_word(unsigned type, uint32_t word, const uint8_t *to);
#ifdef __cplusplus
}
#endif
#endif
