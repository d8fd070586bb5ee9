/* row_fuzz.c - what row_decode takes, row_encode writes back, byte for byte but for what was
 * skipped; so it goes with the shape, unless an older release wrote it, and with the answer that a
 * row carries.  The same bytes are read
 * as rows of release 0001 too: each that is taken means the same when it is written as today's. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "controlplane/core/core_command.h"
#include "controlplane/core/row.h"
#include "controlplane/core/shape.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

static void check_shape(struct fl_str body)
{
    struct shape shape;
    struct fl_buf again;

    if (!shape_decode(body, &shape, NULL)) return;
    fl_buf_init(&again, FL_JOB_SHAPE_BYTES_MAX);
    fl_assert(shape_encode(&again, &shape));
    if (shape_is_old(body)) {
        uint32_t deadline_s, retries_max;

        shape_read_old(body, &deadline_s, &retries_max);
        fl_assert(retries_max <= FL_JOB_RETRIES_MAX);
    } else {
        fl_assert(fl_str_eq((struct fl_str){(const char *)again.at, again.len}, body));
    }
    fl_assert(shape_replicas(&shape) > 0 && shape_replicas(&shape) <= FL_JOB_REPLICAS_MAX);
    fl_buf_fini(&again);
}

/* Its texts are read as C strings, so one with a zero byte in it comes back shorter. */
static void check_answer(struct fl_str bytes)
{
    struct fl_arena arena = {0};
    struct core_answer answer, second;
    struct fl_buf again;

    fl_buf_init(&again, 1 << 20);
    if (core_answer_decode(bytes, &arena, &answer, NULL)) {
        struct fl_str once;

        fl_assert(core_answer_encode(&again, &answer));
        once = (struct fl_str){fl_arena_copy(&arena, again.at, again.len), again.len};
        fl_buf_clear(&again);
        fl_assert(core_answer_decode(once, &arena, &second, NULL));
        fl_assert(core_answer_encode(&again, &second));
        fl_assert(fl_str_eq((struct fl_str){(const char *)again.at, again.len}, once));
    }
    fl_buf_fini(&again);
    fl_arena_fini(&arena);
}

static void print(const struct row *row, char text[512])
{
    row_print(row, text, 512);
    fl_assert(strlen(text) < 512);
}

/* Written again and read again, it says the same; the bytes that this takes. */
static size_t write_again(const struct row *row, struct fl_buf *again)
{
    struct fl_reader reader;
    struct row back, whole = *row;
    struct fl_err err;
    char text[512], text_back[512];

    whole.skipped = 0;
    fl_buf_clear(again);
    fl_assert(row_encode(again, &whole));
    reader = fl_reader(again->at, again->len);
    fl_assert(row_decode(&reader, &back, &err) && fl_reader_is_done(&reader));
    print(&whole, text);
    print(&back, text_back);
    fl_assert(strcmp(text, text_back) == 0);
    return again->len;
}

static void check_too_little_room(const struct row *row, size_t bytes)
{
    struct fl_buf small;

    fl_buf_init(&small, bytes - 1);
    fl_assert(!row_encode(&small, row)); /* one byte less is too little */
    fl_buf_fini(&small);
}

static void check_today(const uint8_t *data, size_t size, struct fl_buf *again)
{
    struct fl_reader reader = fl_reader(data, size);
    struct fl_err err;

    while (reader.pos < size) {
        size_t start = reader.pos, bytes;
        struct row row;

        if (!row_decode(&reader, &row, &err)) {
            fl_assert(err.code == FL_TORN);
            return;
        }
        fl_assert(reader.pos > start);
        if (row.kind == ROW_unknown) continue;
        bytes = write_again(&row, again);
        fl_assert(row.skipped > 0 || bytes != reader.pos - start ||
                  memcmp(again->at, data + start, bytes) == 0);
        check_too_little_room(&row, bytes);
        if (row.kind == ROW_shape_new) check_shape(row.shape_new.body);
        if (row.kind == ROW_idempotency) check_answer(row.idempotency.answer);
    }
}

static void check_0001(const uint8_t *data, size_t size, struct fl_buf *again)
{
    struct fl_reader reader = fl_reader(data, size);
    struct fl_err err;
    struct row row;

    while (reader.pos < size && row_decode_0001(&reader, &row, &err)) {
        fl_assert(row.kind != ROW_unknown && row.skipped == 0);
        write_again(&row, again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_buf again;

    fl_buf_init(&again, 1 << 20);
    check_today(data, size, &again);
    check_0001(data, size, &again);
    fl_buf_fini(&again);
    return 0;
}
