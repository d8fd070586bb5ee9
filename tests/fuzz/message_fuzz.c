/* The payload of a CONTROL frame, as any peer might fill it.
 * Input: a byte whose lowest bit is the direction, then the messages.
 * Property: an accepted message passes the rules, prints as one printable line, and encodes to the
 * very bytes it was read from; strings lie in the input; a message that cannot be read leaves the
 * reader bad, an unknown one leaves it behind itself.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/message.patch) takes any byte but 0 for a true 'bool'.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/message_fuzz -max_total_time=60 DIR tests/fuzz/corpus/message
 *     tests/fuzz/planted.sh message */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/wire/frame.h"
#include "shared/wire/message.h"

static void check_views(const struct fl_msg *msg, const uint8_t *data, size_t size)
{
    const struct fl_msg_info *info = fl_msg_info(msg->kind);

    for (size_t i = 0; i < info->fields_len; i++) {
        const struct fl_msg_field *field = &info->fields[i];
        const struct fl_str *s =
            (const struct fl_str *)((const uint8_t *)&msg->welcome + field->offset);

        if (field->kind != FL_FIELD_str && field->kind != FL_FIELD_bytes) continue;
        fl_assert(s->len <= field->max);
        if (s->len == 0) continue;
        fl_assert((const uint8_t *)s->at >= data && (const uint8_t *)s->at + s->len <= data + size);
    }
}

static void check_text(const struct fl_msg *msg)
{
    char text[FL_MSG_TEXT_MAX];

    memset(text, 1, sizeof text);
    fl_msg_print(msg, text);
    fl_assert(memchr(text, 0, sizeof text));
    for (const char *c = text; *c; c++) {
        fl_assert(*c >= 0x20 && *c < 0x7f);
    }
}

static void check_accepted(const struct fl_msg *msg, const uint8_t *data, size_t from, size_t to)
{
    struct fl_buf again;

    fl_assert(fl_msg_check(msg, NULL));
    check_views(msg, data + from, to - from);
    check_text(msg);
    fl_buf_init(&again, FL_FRAME_PAYLOAD_MAX);
    fl_assert(fl_msg_encode(&again, msg));
    fl_assert(again.len == to - from && memcmp(again.at, data + from, again.len) == 0);
    fl_assert(again.len <= fl_msg_bytes_max(fl_msg_info(msg->kind)));
    fl_buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum fl_direction to = size && (data[0] & 1) ? FL_TO_AGENT : FL_TO_CONTROLPLANE;
    struct fl_arena arena = {0};
    struct fl_reader reader;

    if (size == 0 || size - 1 > FL_FRAME_PAYLOAD_MAX) return 0;
    reader = fl_reader(data, size);
    reader.pos = 1;
    while (reader.pos < reader.len && !reader.is_bad) {
        size_t from = reader.pos;
        struct fl_err err = {0};
        struct fl_msg msg;

        if (fl_msg_decode(&reader, to, &arena, &msg, &err)) {
            fl_assert(!reader.is_bad && (fl_msg_info(msg.kind)->to & to));
            check_accepted(&msg, data, from, reader.pos);
        } else {
            fl_assert(err.code != FL_OK && err.text[0]);
            fl_assert(reader.is_bad == (err.code != FL_UNSUPPORTED));
        }
        fl_assert(reader.is_bad || reader.pos > from);
    }
    fl_arena_fini(&arena);
    return 0;
}
