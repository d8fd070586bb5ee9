#include "shared/tls/client_hello.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    RECORD_HANDSHAKE = 22,
    RECORD_HEAD_BYTES = 5,
    RECORD_BYTES_MAX = 1 << 14,
    VERSION_MAJOR = 3,
    MESSAGE_CLIENT_HELLO = 1,
    VERSION_BYTES = 2,
    RANDOM_BYTES = 32,
    EXTENSION_PRE_SHARED_KEY = 41,
};

/* Takes a number of so many bytes from the front. */
static bool take_number(struct fl_str *from, size_t bytes, size_t *ret_number)
{
    size_t number = 0;

    if (from->len < bytes) return false;
    for (size_t i = 0; i < bytes; i++) {
        number = number << 8 | (uint8_t)from->at[i];
    }
    *from = (struct fl_str){from->at + bytes, from->len - bytes};
    *ret_number = number;
    return true;
}

static bool take(struct fl_str *from, size_t bytes, struct fl_str *ret_part)
{
    if (from->len < bytes) return false;
    *ret_part = (struct fl_str){from->at, bytes};
    *from = (struct fl_str){from->at + bytes, from->len - bytes};
    return true;
}

/* Takes a part that begins with its length, a number of so many bytes. */
static bool take_part(struct fl_str *from, size_t length_bytes, struct fl_str *ret_part)
{
    size_t len;

    return take_number(from, length_bytes, &len) && take(from, len, ret_part);
}

static bool find_extension(struct fl_str message, size_t wanted, struct fl_str *ret_extension)
{
    struct fl_str hello, extensions, part;
    size_t type;

    if (!take_number(&message, 1, &type) || type != MESSAGE_CLIENT_HELLO ||
        !take_part(&message, 3, &hello) || !take(&hello, VERSION_BYTES + RANDOM_BYTES, &part) ||
        !take_part(&hello, 1, &part) || /* session id */
        !take_part(&hello, 2, &part) || /* suites */
        !take_part(&hello, 1, &part) || /* compression */
        !take_part(&hello, 2, &extensions)) {
        return false;
    }
    while (take_number(&extensions, 2, &type) && take_part(&extensions, 2, &part)) {
        if (type != wanted) continue;
        *ret_extension = part;
        return true;
    }
    return false;
}

static struct fl_str ticket_of(struct fl_str message)
{
    struct fl_str extension, identities, ticket;

    if (find_extension(message, EXTENSION_PRE_SHARED_KEY, &extension) &&
        take_part(&extension, 2, &identities) && take_part(&identities, 2, &ticket)) {
        return ticket;
    }
    return (struct fl_str){0};
}

enum fl_client_hello fl_client_hello_read(struct fl_str bytes, size_t *ret_bytes,
                                          struct fl_str *ret_ticket)
{
    struct fl_str rest = bytes, message;
    size_t type, version, len;

    *ret_ticket = (struct fl_str){0};
    *ret_bytes = RECORD_HEAD_BYTES;
    if (bytes.len == 0) return FL_CLIENT_HELLO_MORE;
    if (bytes.at[0] != RECORD_HANDSHAKE) return FL_CLIENT_HELLO_OTHER;
    if (!take_number(&rest, 1, &type) || !take_number(&rest, 2, &version) ||
        !take_number(&rest, 2, &len)) {
        return FL_CLIENT_HELLO_MORE;
    }
    if (version >> 8 != VERSION_MAJOR || len > RECORD_BYTES_MAX) return FL_CLIENT_HELLO_OTHER;
    *ret_bytes = RECORD_HEAD_BYTES + len;
    if (*ret_bytes > FL_CLIENT_HELLO_BYTES_MAX) *ret_bytes = FL_CLIENT_HELLO_BYTES_MAX;
    if (bytes.len < *ret_bytes) return FL_CLIENT_HELLO_MORE;
    if (take(&rest, len, &message)) *ret_ticket = ticket_of(message);
    return FL_CLIENT_HELLO_WHOLE;
}
