/* websocket_key.h - the handshake of RFC 6455: a client's random key, and the answer that belongs
 * to it.  It proves that the server speaks WebSocket, nothing else.
 * Uses OpenSSL.  Thread-safe. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

enum { FL_WEBSOCKET_KEY_MAX = 25, FL_WEBSOCKET_ACCEPT_MAX = 29 }; /* with the final zero */

void fl_websocket_key(char ret_key[FL_WEBSOCKET_KEY_MAX]);
/* False: 'key' is not the base64 of 16 bytes. */
FL_CHECK bool fl_websocket_accept(struct fl_str key, char ret_accept[FL_WEBSOCKET_ACCEPT_MAX]);
