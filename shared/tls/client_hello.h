/* client_hello.h - the first message of a TLS client, read before TLS is: is it whole, and which
 * ticket does it show.  Nothing else of it is checked; TLS itself does that.
 * Pure. */
#pragma once

#include <stddef.h>

#include "shared/base/str.h"

/* A whole first record; a longer one is taken as whole with so many bytes. */
enum { FL_CLIENT_HELLO_BYTES_MAX = 4096, FL_CLIENT_HELLO_BYTES_MIN = 5 };

enum fl_client_hello {
    FL_CLIENT_HELLO_MORE,  /* bytes are missing */
    FL_CLIENT_HELLO_WHOLE, /* a record of the handshake, to its end; perhaps not a good one */
    FL_CLIENT_HELLO_OTHER, /* no TLS */
};

/* MORE: *ret_bytes is how many it needs in all.  WHOLE: *ret_ticket is the first identity of the
 * pre_shared_key extension, a part of 'bytes'; empty: it shows none, or is malformed. */
enum fl_client_hello fl_client_hello_read(struct fl_str bytes, size_t *ret_bytes,
                                          struct fl_str *ret_ticket);
