/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the provider share. One lock a domain, held in every call; names that begin with fi_ are libfabric's. */
#ifndef PROVIDER_H
#define PROVIDER_H
#include "wire.h"
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>
#include <stdbool.h>
#include <sys/queue.h>

enum {
    IOVS = 4,
    MAX_MESSAGE = 1 << 30,
    INJECT = FIRST_BYTES, /* in one segment: it leaves in the call, for nobody need make progress for it later */
    DEPTH = 1024,         /* of sends, and of receives, that are not complete: more get EAGAIN */
    CALLS = 64,           /* reads and writes of an endpoint that wait for their reply */
    /* A receive ring has 64 slots: one for each peer, those that peers with much to say share, one for the answer to each segment on its way, and the rest for who is new. */
    PEERS = 32, EXTRA = 12, FLIGHTS = 16,
    WINDOW = 1 + EXTRA,
    BUFFERED = 1 << 20,   /* bytes that a peer may have here without a receive for them */
    REPLIES = 16,         /* that wait for a peer, before its window closes */
    MESSAGE_COSTS = 128,  /* bytes that a buffered message counts beside its own */
};

/* Why an operation failed: prov_errno of its error entry, and `flags` of a REPLY. */
enum refusal { REFUSED_NOT, REFUSED_CUT, REFUSED_CANCELED, REFUSED_SILENT, REFUSED_RESET, REFUSED_FAULTY, REFUSED_KEY, REFUSED_RANGE, REFUSED_CARD, REFUSED_NO_MESSAGE, REFUSALS };

struct domain {
    struct fid_domain fid;
    pthread_mutex_t lock;
    char device[32];
    int site, references;
    int64_t repeat, patience; /* milliseconds */
    LIST_HEAD(, region) regions;
    LIST_HEAD(, endpoint) endpoints;
};

struct region {
    struct fid_mr fid;
    struct domain *domain;
    LIST_ENTRY(region) entry;
    uint8_t *base;
    size_t bytes;
    uint64_t access;
};

/* Of an endpoint, as fi_getname gives it. */
struct address {
    uint16_t name; /* site << 3 | queue */
    uint16_t zero;
    uint32_t epoch; /* not 0 */
};

struct addresses {
    struct fid_av fid;
    struct domain *domain;
    struct address *at;
    size_t count, room;
    int references;
};

struct completions {
    struct fid_cq fid;
    struct domain *domain;
    enum fi_cq_format format;
    int wait, event, timer; /* files; wait -1: nobody can sleep */
    int references;
    bool signaled;
    unsigned told; /* writes of others that came with data and were not read */
    TAILQ_HEAD(, operation) done;
};

/* What an application asked for, from the call until its completion was read. */
struct operation {
    TAILQ_ENTRY(operation) entry;
    struct completions *tells; /* NULL: only of errors, at `tells_errors` */
    struct completions *tells_errors;
    struct peer *peer;         /* of a send, write, read or reply; of a receive while it fills */
    struct region *region;     /* from which a reply comes */
    void *context;
    uint64_t flags;
    struct message head;
    uint64_t ignore;
    fi_addr_t source;          /* of a receive: from whom, or from anyone */
    struct iovec iov[IOVS];
    size_t iovs, room, done;   /* room: bytes of iov; done: that have been sent, or have come */
    size_t arrived;            /* of a receive: bytes of the message, also those without room */
    uint16_t last;             /* number of its last segment */
    unsigned *counted;         /* one less when it is complete */
    bool begun;                /* its first segment was sent */
    bool called, taken;        /* waits for a REPLY; its iov is a copy that is freed with it */
    enum refusal refusal;
};
TAILQ_HEAD(operations, operation);

/* A message without a receive, or with one that found it (claimed) */
struct unexpected {
    TAILQ_ENTRY(unexpected) entry;
    struct peer *peer; /* NULL: it has gone, and the message is whole */
    struct message head;
    fi_addr_t source;
    struct address from;
    uint8_t *bytes;
    size_t arrived, room, counted;
    void *claimed; /* the context of who may have it */
};
TAILQ_HEAD(unexpecteds, unexpected);

/* A segment on its way, to be sent again when it is not acknowledged. */
struct flight {
    TAILQ_ENTRY(flight) entry;
    unsigned bytes;
    union {
        struct segment head;
        uint8_t data[TS_BASIC_BYTES];
    };
};

struct peer {
    LIST_ENTRY(peer) entry;
    struct endpoint *endpoint;
    struct address address;
    enum refusal dead;

    /* To it. */
    struct operations sends, sent; /* with bytes to send; with segments that are not acknowledged */
    uint16_t next, acked, limit;   /* numbers: of the next segment; of the next it expects; of the first it does not take */
    TAILQ_HEAD(, flight) flights;
    unsigned flying, calls;
    bool repeated;                 /* nothing was heard since a segment was sent again: what flies to it is not counted */
    int64_t since, repeat_at, repeat_after; /* when it was heard last or began to owe something; when to ask again, and how long after */
    unsigned replies;

    /* From it. */
    bool heard;
    uint16_t expected, granted;
    uint8_t want;
    bool owes; /* an acknowledgement */
    struct message head; /* of the message that comes */
    size_t arrived;
    bool filling;
    struct operation *receive; /* where it goes: one of these, or nowhere */
    struct unexpected *buffer;
    struct region *region;
    enum refusal refusal; /* of a write */
    size_t buffered;
};

/* What came and was refused. */
struct refused {
    uint64_t malformed, stray, faulty, crowded, beyond, repeated, gap;
};

struct endpoint {
    struct fid_ep fid;
    struct domain *domain;
    LIST_ENTRY(endpoint) entry;
    struct addresses *av;
    struct completions *tx, *rx;
    bool tx_selective, rx_selective, directed; /* directed: receives may name whom they are from */
    uint64_t tx_flags, rx_flags;
    ts_card_t *card;
    int broken; /* an errno: the card has gone */
    struct address address;
    LIST_HEAD(, peer) peers;
    unsigned hearing;  /* peers that send */
    struct operations receives, tagged_receives;
    struct unexpecteds unexpected, tagged_unexpected;
    struct operation *calls[CALLS];
    unsigned in_flight, sends, posted, answered;
    bool to_launch;
    struct refused refused;
};

extern struct fi_provider turnstile_provider;
#define SAY(level, ...) FI_LOG(&turnstile_provider, level, FI_LOG_CORE, __VA_ARGS__)

/* provider.c */
int64_t now(void);
int setting(const char *name, int least, int most, int otherwise);
/* info.c */
int get_info(uint32_t version, const char *node, const char *service, uint64_t flags, const struct fi_info *hints, struct fi_info **info);
/* domain.c, mr.c, av.c, cq.c, endpoint.c */
int open_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
int open_domain(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **domain, void *context);
int open_av(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av, void *context);
int open_cq(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq, void *context);
int open_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep, void *context);
int try_wait(struct fid_fabric *fabric, struct fid **fids, int count);
extern struct fi_ops_mr region_ops;
/* A registered region with this access to all of the range; NULL: `refusal` says why. */
struct region *region_of(struct domain *domain, const struct message *head, size_t bytes, uint64_t access, enum refusal *refusal);
/* NULL: nobody has it. */
const struct address *address_of(const struct addresses *av, fi_addr_t at);
fi_addr_t at_of(const struct addresses *av, const struct address *address);
int parse_address(const char *text, struct address *address);
/* message.c, rma.c */
struct endpoint *endpoint_of(struct fid_ep *ep);
ssize_t start(struct endpoint *endpoint, struct operation *operation, fi_addr_t to, uint64_t flags, bool silent);
extern struct fi_ops_msg message_ops;
extern struct fi_ops_tagged tagged_ops;
extern struct fi_ops_rma rma_ops;

/* cq.c: of one that ended, the sentence. */
const char *sentence_of(int refusal);

/* operation.c */
struct operation *make_operation(void *context, const struct iovec *iov, size_t iovs);
void free_operation(struct operation *operation);
/* A copy of the bytes: the application may change its own. */
int take_bytes(struct operation *operation);
void complete(struct operation *operation, enum refusal refusal);
/* `bytes` of iov from or to an offset; what is beyond it is not copied. */
void gather(const struct operation *operation, size_t offset, void *to, size_t bytes);
void scatter(const struct operation *operation, size_t offset, const void *from, size_t bytes);

/* peer.c: what goes to a peer. */
struct peer *find_peer(struct endpoint *endpoint, const struct address *address);
struct peer *peer_of(struct endpoint *endpoint, const struct address *address);
/* Its operations end with `refusal`; it stays, so that later ones do at once, until it is forgotten. */
void fail_peer(struct peer *peer, enum refusal refusal);
void forget_peer(struct peer *peer);
/* Messages of one that are kept are counted for the other; NULL: for nobody, when the endpoint closes. */
void inherit(struct peer *from, struct peer *to);
void queue_send(struct peer *peer, struct operation *operation);
bool may_go(const struct peer *peer);
/* Sends one segment, if there is one and it may go. */
bool pump(struct peer *peer);
void acknowledge(struct peer *peer);
void acknowledged(struct peer *peer, const struct segment *head);
void tend(struct peer *peer, int64_t time);
void reset(struct endpoint *endpoint, int name, const struct segment *head);
/* receive.c: what comes from one. */
void hear(struct endpoint *endpoint, const ts_basic_message_t *segment);
void drop_incoming(struct peer *peer, enum refusal refusal);
/* What a peer may send now: its window. */
unsigned grant(struct peer *peer);
/* match.c: a message and a receive find each other. */
void begin_message(struct peer *peer);
void message_bytes(struct peer *peer, const uint8_t *from, size_t bytes);
void end_message(struct peer *peer);
/* 0, or a negative errno; the operation is then the caller's. */
int post_receive(struct endpoint *endpoint, struct operation *operation);
void free_unexpected(struct endpoint *endpoint, struct unexpected *message);
/* progress.c: what came is heard, what may go is sent. */
void progress(struct endpoint *endpoint);
void launch(struct endpoint *endpoint);
/* A call of libturnstile failed; what is posted ends when progress is next made. */
void broke(struct endpoint *endpoint, int result);
bool busy(const struct endpoint *endpoint);
#endif
