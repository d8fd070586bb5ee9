/* WebSocket frames, as any client might send them and any network cut them.
 * Input: a byte whose lowest bit says whether we are the server, then the bytes.
 * Property: taken whole or a byte at a time, the same data and control frames come out, or they are
 * refused with the same code; no more comes out than went in; a message's pieces begin with
 * is_first and end with is_last.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/websocket.patch) begins the mask anew with each read. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/wire/websocket.h"

enum { INPUT_BYTES_MAX = 1 << 16 };

struct outcome {
    struct fl_buf out; /* a letter for each event, and the data */
    enum fl_ws_answer answer;
    enum fl_ws_close close;
};

static void note(struct outcome *outcome, const struct fl_ws_piece *piece, bool *is_within)
{
    bool is_data = piece->opcode == FL_WS_BINARY;

    if (is_data) {
        fl_assert(piece->is_first != *is_within);
        *is_within = !piece->is_last;
    } else {
        fl_assert(piece->bytes.len <= FL_WS_CONTROL_BYTES_MAX);
    }
    if (!is_data || piece->is_first) fl_buf_put_u8(&outcome->out, (uint8_t)piece->opcode);
    fl_buf_put(&outcome->out, piece->bytes.at, piece->bytes.len);
    if (!is_data || piece->is_last) fl_buf_put_u8(&outcome->out, '.');
}

static struct outcome read_all(const uint8_t *data, size_t size, bool is_server, size_t step)
{
    struct fl_ws_reader reader = {.wants_mask = is_server};
    struct outcome outcome = {.answer = FL_WS_MORE};
    bool is_within = false;

    fl_buf_init(&outcome.out, 4 * INPUT_BYTES_MAX);
    for (size_t pos = 0; pos < size && outcome.answer != FL_WS_BAD; pos += step) {
        size_t len = size - pos < step ? size - pos : step;
        uint8_t *copy = fl_realloc_array(NULL, uint8_t, len), *at = copy;
        struct fl_ws_piece piece;
        struct fl_err err = {0};

        memcpy(copy, data + pos, len);
        while ((outcome.answer = fl_ws_next(&reader, &at, &len, &piece, &err)) == FL_WS_READY) {
            note(&outcome, &piece, &is_within);
        }
        fl_assert(outcome.answer == FL_WS_BAD || len == 0);
        fl_free(copy);
    }
    outcome.close = reader.close;
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome whole, bytewise;

    if (size < 2 || size > INPUT_BYTES_MAX) return 0;
    whole = read_all(data + 1, size - 1, data[0] & 1, size);
    bytewise = read_all(data + 1, size - 1, data[0] & 1, 1);
    fl_assert(whole.answer == bytewise.answer && whole.close == bytewise.close);
    fl_assert(whole.out.len == bytewise.out.len);
    fl_assert(whole.out.len == 0 || memcmp(whole.out.at, bytewise.out.at, whole.out.len) == 0);
    fl_buf_fini(&whole.out);
    fl_buf_fini(&bytewise.out);
    return 0;
}
