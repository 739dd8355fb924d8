/* SPDX-License-Identifier: Apache-2.0 */
/* What an application asked for: its bytes, and its end. */
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct operation *make_operation(void *context, const struct iovec *iov, size_t iovs)
{
    struct operation *made = calloc(1, sizeof *made);

    if (!made) return NULL;
    made->context = context;
    made->iovs = iovs;
    made->source = FI_ADDR_UNSPEC;
    if (iovs) memcpy(made->iov, iov, iovs * sizeof *iov);
    for (size_t i = 0; i < iovs; i++) made->room += iov[i].iov_len;
    return made;
}

void free_operation(struct operation *operation)
{
    if (operation->taken) free(operation->iov[0].iov_base);
    free(operation);
}

int take_bytes(struct operation *operation)
{
    uint8_t *copy = malloc(operation->room ? operation->room : 1);

    if (!copy) return -FI_ENOMEM;
    gather(operation, 0, copy, operation->room);
    operation->iov[0] = (struct iovec){copy, operation->room};
    operation->iovs = 1;
    operation->taken = true;
    return 0;
}

void complete(struct operation *operation, enum refusal refusal)
{
    struct completions *tells = refusal ? operation->tells_errors : operation->tells;
    const uint64_t one = 1;

    operation->refusal = refusal;
    if (operation->counted) (*operation->counted)--;
    operation->peer = NULL;
    if (!tells) {
        free_operation(operation);
        return;
    }
    TAILQ_INSERT_TAIL(&tells->done, operation, entry);
    if (tells->wait >= 0 && write(tells->event, &one, sizeof one) < 0) SAY(FI_LOG_WARN, "an eventfd of a completion queue takes no more\n");
}

static void copy(const struct operation *operation, size_t offset, uint8_t *bytes, size_t count, bool in)
{
    for (size_t i = 0; i < operation->iovs && count; i++) {
        const struct iovec *iov = &operation->iov[i];
        size_t part;

        if (offset >= iov->iov_len) {
            offset -= iov->iov_len;
            continue;
        }
        part = iov->iov_len - offset < count ? iov->iov_len - offset : count;
        if (in) memcpy((uint8_t *)iov->iov_base + offset, bytes, part);
        else memcpy(bytes, (uint8_t *)iov->iov_base + offset, part);
        bytes += part;
        count -= part;
        offset = 0;
    }
}

void gather(const struct operation *operation, size_t offset, void *to, size_t bytes) { copy(operation, offset, to, bytes, false); }

void scatter(const struct operation *operation, size_t offset, const void *from, size_t bytes) { copy(operation, offset, (uint8_t *)from, bytes, true); }
