/* Frames of SPDY, as a kubelet might send them and any network cut them.
 * Property: taken whole or a byte at a time, the same bytes of the same streams, ends, resets and
 * pings come out, or they are refused with the same words; no more comes out than went in.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/kube_spdy.patch) begins a control frame's body anew with each read. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "agent/kube/kube_spdy.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

enum { INPUT_BYTES_MAX = 1 << 16 };

struct outcome {
    struct fl_buf out; /* the pieces, put together */
    enum kube_spdy_answer answer;
    struct fl_err err;
};

static void note(struct outcome *outcome, const struct kube_spdy_piece *piece)
{
    if (piece->kind == KUBE_SPDY_DATA) {
        for (size_t i = 0; i < piece->bytes.len; i++) {
            fl_buf_put_u32(&outcome->out, piece->stream);
            fl_buf_put_u8(&outcome->out, (uint8_t)piece->bytes.at[i]);
        }
        if (!piece->is_last) return;
    }
    fl_buf_put_u8(&outcome->out, (uint8_t)piece->kind);
    fl_buf_put_u32(&outcome->out, piece->stream);
    fl_buf_put_u32(&outcome->out, piece->number);
}

static struct outcome read_all(const uint8_t *data, size_t size, size_t step)
{
    struct kube_spdy_reader reader = {0};
    struct outcome outcome = {.answer = KUBE_SPDY_MORE};

    fl_buf_init(&outcome.out, 16 * INPUT_BYTES_MAX);
    for (size_t pos = 0; pos < size && outcome.answer != KUBE_SPDY_BAD; pos += step) {
        size_t len = size - pos < step ? size - pos : step;
        uint8_t *copy = fl_realloc_array(NULL, uint8_t, len);
        struct fl_str bytes = {(const char *)copy, len};
        struct kube_spdy_piece piece;

        memcpy(copy, data + pos, len);
        while ((outcome.answer = kube_spdy_next(&reader, &bytes, &piece, &outcome.err)) ==
               KUBE_SPDY_READY) {
            note(&outcome, &piece);
        }
        fl_assert(outcome.answer == KUBE_SPDY_BAD || bytes.len == 0);
        fl_free(copy);
    }
    fl_assert(!outcome.out.is_over);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome whole, bytewise;

    if (size < 1 || size > INPUT_BYTES_MAX) return 0;
    whole = read_all(data, size, size);
    bytewise = read_all(data, size, 1);
    fl_assert(whole.answer == bytewise.answer);
    fl_assert(strcmp(whole.err.text, bytewise.err.text) == 0);
    fl_assert(whole.out.len == bytewise.out.len);
    fl_assert(whole.out.len == 0 || memcmp(whole.out.at, bytewise.out.at, whole.out.len) == 0);
    fl_buf_fini(&whole.out);
    fl_buf_fini(&bytewise.out);
    return 0;
}
