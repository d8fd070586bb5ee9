/* message.h - the control messages of the tunnel: structs, bytes and text, all made from
 * messages.def.  On the wire a message is its number (u16), the length of what follows (var), and
 * its fields in the order of messages.def; many stand one behind the other in one CONTROL frame.
 * Numbers are little endian.  There is exactly one encoding of a message, and the decoder refuses
 * every other: encode(decode(bytes)) == bytes.
 * Strings of a decoded message are views into the bytes it was read from; lists are in the arena.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/replica.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/taint.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"
#include "shared/wire/named_resources.h"

/* The versions of the protocol this build speaks: HELLO offers them, WELCOME names the chosen
 * one. */
#define FL_PROTOCOL_MIN 2
#define FL_PROTOCOL_MAX 6
#define FL_PROTOCOL_OFFERS 3    /* from here on a node may have them */
#define FL_PROTOCOL_WORDS 4     /* and the end of a replica these */
#define FL_PROTOCOL_USAGE 5     /* and what it used */
#define FL_PROTOCOL_TAINTS 6    /* and a node these */
#define FL_PROTOCOL_NODES_END 6 /* and the first list of nodes has an end */

#define FL_MSG_TEXT_MAX 512 /* bytes of what fl_msg_print writes, with its zero byte */

struct fl_u32s {
    const uint32_t *at;
    size_t len;
};

/* kind, C type, encoding */
#define FL_FIELD_KINDS(X)                                                                          \
    X(u8, uint8_t, "1 byte")                                                                       \
    X(u16, uint16_t, "2 bytes")                                                                    \
    X(u32, uint32_t, "4 bytes")                                                                    \
    X(u64, uint64_t, "8 bytes")                                                                    \
    X(i32, int32_t, "4 bytes, two's complement")                                                   \
    X(i64, int64_t, "8 bytes, two's complement")                                                   \
    X(bool, bool, "1 byte, 0 or 1")                                                                \
    X(state, enum fl_replica_state, "1 byte, the number of a replica state")                       \
    X(attempt, struct fl_attempt,                                                                  \
      "18 bytes: job u64 (not 0), element u32, attempt number u16 (not 0), incarnation u32")       \
    X(digest, struct fl_digest, "32 bytes, SHA-256")                                               \
    X(resources, struct fl_resources, "16 bytes: memory in bytes u64, CPU in milli u32, GPUs u32") \
    X(str, struct fl_str, "var length, then UTF-8 without a zero byte")                            \
    X(bytes, struct fl_str, "var length, then any bytes")                                          \
    X(u32s, struct fl_u32s, "var count, then u32 each")

enum fl_field_kind {
#define FL_FIELD_ENUM(kind, type, encoding) FL_FIELD_##kind,
    FL_FIELD_KINDS(FL_FIELD_ENUM)
#undef FL_FIELD_ENUM
        FL_FIELD_KINDS_LEN
};

/* A message may be declared FL_TO_BOTH; a received one goes one way. */
enum fl_direction {
    FL_TO_AGENT = 1,
    FL_TO_CONTROLPLANE = 2,
    FL_TO_BOTH = 3,
};

/* The number on the wire: FL_MSG_start is 2.  0 is no message. */
enum fl_msg_kind {
#define FL_MESSAGE(name, number, direction, fields) FL_MSG_##name = (number),
#include "shared/wire/messages.def"
#undef FL_MESSAGE
};

/* struct fl_msg_start and its siblings. */
#define FL_FIELD_TYPE_u8 uint8_t
#define FL_FIELD_TYPE_u16 uint16_t
#define FL_FIELD_TYPE_u32 uint32_t
#define FL_FIELD_TYPE_u64 uint64_t
#define FL_FIELD_TYPE_i32 int32_t
#define FL_FIELD_TYPE_i64 int64_t
#define FL_FIELD_TYPE_bool bool
#define FL_FIELD_TYPE_state enum fl_replica_state
#define FL_FIELD_TYPE_attempt struct fl_attempt
#define FL_FIELD_TYPE_digest struct fl_digest
#define FL_FIELD_TYPE_resources struct fl_resources
#define FL_FIELD_TYPE_str struct fl_str
#define FL_FIELD_TYPE_bytes struct fl_str
#define FL_FIELD_TYPE_u32s struct fl_u32s
#define FIELD(kind, name) FL_FIELD_TYPE_##kind name;
#define FIELD_MAX(kind, name, max) FL_FIELD_TYPE_##kind name;
#define FIELD_LATE FIELD_MAX
#define FL_MESSAGE(name, number, direction, fields)                                                \
    struct fl_msg_##name {                                                                         \
        fields                                                                                     \
    };
#include "shared/wire/messages.def"
#undef FL_MESSAGE
#undef FIELD
#undef FIELD_MAX
#undef FIELD_LATE

/* {.kind = FL_MSG_go, .go = {.control_seq = 7, .attempt = attempt}} */
struct fl_msg {
    enum fl_msg_kind kind;
    union {
#define FL_MESSAGE(name, number, direction, fields) struct fl_msg_##name name;
#include "shared/wire/messages.def"
#undef FL_MESSAGE
    };
};

struct fl_msg_field {
    const char *name;
    enum fl_field_kind kind;
    uint32_t max;    /* bytes or numbers; 0: its size is fixed */
    uint32_t offset; /* in struct fl_msg_<message> */
    bool is_late; /* left out when it is empty, and all behind it; only at the end of a message */
};

struct fl_msg_info {
    const char *name;
    enum fl_msg_kind kind;
    enum fl_direction to;
    const struct fl_msg_field *fields;
    size_t fields_len;
};

const struct fl_msg_info *fl_msg_info(uint32_t number); /* NULL: unknown */
/* All messages in the order of messages.def; NULL: there are no more. */
const struct fl_msg_info *fl_msg_info_at(size_t i);

const char *fl_field_kind_name(enum fl_field_kind kind);
const char *fl_field_kind_encoding(enum fl_field_kind kind);

/* The bytes of the longest encoding of a message, number and length included. */
size_t fl_msg_bytes_max(const struct fl_msg_info *info);

/* For messages with fields from outside.  False: a field passes its bound, or is not a valid text,
 * state or attempt; FL_INVALID or FL_TOO_LARGE, and 'err' names message and field. */
FL_CHECK bool fl_msg_check(const struct fl_msg *msg, struct fl_err *err);

/* Appends the message; it must pass fl_msg_check (anything else is a bug).  False: it does not fit;
 * 'out' is as before, so that the frame can be closed and the next one begun. */
FL_CHECK bool fl_msg_encode(struct fl_buf *out, const struct fl_msg *msg);

/* Reads the next message of a frame that goes 'to' one side; call it until reader->pos ==
 * reader->len.  False with FL_UNSUPPORTED: this build does not know its number, and the reader
 * stands behind it; if the frame has FL_FRAME_MAY_IGNORE, go on with the next.  False with another
 * code: the message breaks a rule and the rest cannot be trusted; close the tunnel. */
FL_CHECK bool fl_msg_decode(struct fl_reader *reader, enum fl_direction to, struct fl_arena *arena,
                            struct fl_msg *ret_msg, struct fl_err *err);

/* One line of printable ASCII for traces; a longer one ends in "...". */
void fl_msg_print(const struct fl_msg *msg, char ret_text[FL_MSG_TEXT_MAX]);
