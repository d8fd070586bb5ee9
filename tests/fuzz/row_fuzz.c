/* row_fuzz.c - what row_decode takes, row_encode writes back, byte for byte; and so it goes with the shape and
 * the answer that a row carries. */
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
    fl_buf_init(&again, SHAPE_BYTES_MAX);
    fl_assert(shape_encode(&again, &shape));
    fl_assert(fl_str_eq((struct fl_str){(const char *)again.at, again.len}, body));
    fl_assert(shape_replicas(&shape) > 0 && shape_replicas(&shape) <= SHAPE_REPLICAS_MAX);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_reader reader = fl_reader(data, size);
    struct fl_err err;

    while (reader.pos < size) {
        size_t start = reader.pos;
        struct row row;
        struct fl_buf again;
        char text[256];

        if (!row_decode(&reader, &row, &err)) {
            fl_assert(err.code == FL_TORN);
            break;
        }
        fl_assert(reader.pos > start);
        fl_buf_init(&again, reader.pos - start);
        fl_assert(row_encode(&again, &row));
        fl_assert(again.len == reader.pos - start &&
                  memcmp(again.at, data + start, again.len) == 0);
        fl_buf_clear(&again);
        again.max = reader.pos - start - 1;
        fl_assert(!row_encode(&again, &row)); /* one byte less is too little */
        fl_buf_fini(&again);
        row_print(&row, text, sizeof text);
        fl_assert(strlen(text) < sizeof text);
        if (row.kind == ROW_shape_new) check_shape(row.shape_new.body);
        if (row.kind == ROW_idempotency) check_answer(row.idempotency.answer);
    }
    return 0;
}
