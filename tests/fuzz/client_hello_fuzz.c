/* The first message of a TLS client, from strangers, before TLS looks at it.
 * Property: the ticket is a part of the input; MORE wants more bytes than there are, and a
 * whole message stays whole, with the same ticket, before any further byte.
 * The planted bug (planted/client_hello.patch) trusts the length of an extension.
 *
 *     tests/fuzz/planted.sh client_hello */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/tls/client_hello.h"

/* A copy that ends where the input does, so that a read behind it is seen. */
static struct fl_str copy(const uint8_t *data, size_t size, size_t more)
{
    char *bytes = fl_alloc(size + more);

    if (size) memcpy(bytes, data, size);
    return (struct fl_str){bytes, size + more};
}

static void check_ticket(struct fl_str all, struct fl_str ticket)
{
    struct fl_str same;

    if (ticket.len == 0) return;
    fl_assert(ticket.at >= all.at && ticket.at + ticket.len <= all.at + all.len);
    same = copy((const uint8_t *)ticket.at, ticket.len, 0);
    fl_assert(fl_str_eq(same, ticket));
    fl_free((char *)same.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str all = copy(data, size, 0), longer = copy(data, size, 1), ticket, again;
    size_t needed, needed_again;
    enum fl_client_hello read = fl_client_hello_read(all, &needed, &ticket);

    check_ticket(all, ticket);
    if (read == FL_CLIENT_HELLO_MORE) {
        fl_assert(needed > size && needed <= FL_CLIENT_HELLO_BYTES_MAX);
    } else if (read == FL_CLIENT_HELLO_WHOLE) {
        fl_assert(fl_client_hello_read(longer, &needed_again, &again) == FL_CLIENT_HELLO_WHOLE);
        if (size < FL_CLIENT_HELLO_BYTES_MAX) {
            fl_assert(needed_again == needed && fl_str_eq(again, ticket));
        }
    }
    fl_free((char *)all.at);
    fl_free((char *)longer.at);
    return 0;
}
