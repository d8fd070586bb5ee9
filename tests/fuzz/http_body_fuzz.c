/* The body of an HTTP request, plain or in chunks, as any stranger might send it and any network
 * cut it.  Input: two bytes that decide how it is cut; one that is the limit of the body, in units
 * of 16 bytes; one that is a Content-Length, or 255: chunked; then the bytes.
 * Property: however they are cut, the same body comes out, ends at the same byte, or is refused for
 * the same reason; it is never over its limit; written again as one chunk it is read as the same.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/http_body.patch) forgets the digits of a chunk's size at the border of a
 * read. */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "shared/wire/http_body.h"

enum { INPUT_BYTES_MAX = 1 << 16 };

struct outcome {
    enum fl_http_body_answer answer;
    size_t used_bytes; /* END: those of the body's frame */
    struct fl_buf body;
    struct fl_http_refusal refusal;
};

static struct outcome read_body(const struct fl_http_head *head, uint64_t bytes_max,
                                struct fl_str bytes, uint64_t seed, size_t piece_max)
{
    struct outcome outcome = {.answer = FL_HTTP_BODY_MORE};
    struct fl_http_body body;
    struct fl_prng prng;
    size_t pos = 0;

    fl_prng_seed(&prng, seed);
    fl_buf_init(&outcome.body, INPUT_BYTES_MAX);
    fl_http_body_init(&body, head, bytes_max);
    do {
        size_t len = 1 + fl_prng_below(&prng, piece_max);
        struct fl_str part, piece;
        char *copy; /* separate, so that ASan sees a byte too far */

        if (len > bytes.len - pos) len = bytes.len - pos;
        copy = fl_realloc_array(NULL, char, len + 1);
        if (len) memcpy(copy + 1, bytes.at + pos, len);
        part = (struct fl_str){copy + 1, len};
        while ((outcome.answer = fl_http_body_next(&body, &part, &piece, &outcome.refusal)) ==
               FL_HTTP_BODY_PIECE) {
            fl_assert(piece.len > 0 && piece.at > copy && piece.at + piece.len <= copy + 1 + len);
            fl_assert(fl_buf_put(&outcome.body, piece.at, piece.len));
        }
        fl_assert(outcome.answer != FL_HTTP_BODY_MORE || part.len == 0);
        pos += len;
        outcome.used_bytes = pos - part.len;
        fl_free(copy);
    } while (outcome.answer == FL_HTTP_BODY_MORE && pos < bytes.len);
    fl_assert(outcome.body.len <= bytes_max);
    return outcome;
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
    fl_assert(a->answer == b->answer && a->body.len == b->body.len);
    fl_assert(a->body.len == 0 || memcmp(a->body.at, b->body.at, a->body.len) == 0);
    fl_assert(a->refusal.status == b->refusal.status && a->refusal.why == b->refusal.why);
}

static void check_again(const struct outcome *whole, uint64_t bytes_max)
{
    struct fl_http_head head = {.is_chunked = true};
    struct outcome again;
    struct fl_buf out;
    char size[20];
    int len = snprintf(size, sizeof size, "%zx\r\n", whole->body.len);

    fl_buf_init(&out, 2 * INPUT_BYTES_MAX);
    if (whole->body.len) {
        fl_assert(fl_buf_put(&out, size, (size_t)len));
        fl_assert(fl_buf_put(&out, whole->body.at, whole->body.len));
        fl_assert(fl_buf_put(&out, "\r\n", 2));
    }
    fl_assert(fl_buf_put(&out, "0\r\n\r\nrest", 9));
    again = read_body(&head, bytes_max, (struct fl_str){(char *)out.at, out.len}, 1, 3);
    check_same(whole, &again);
    fl_assert(again.used_bytes == out.len - 4);
    fl_buf_fini(&again.body);
    fl_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_http_head head = {0};
    struct outcome whole, cut;
    struct fl_str bytes;
    uint64_t bytes_max;

    if (size < 4 || size > INPUT_BYTES_MAX) return 0;
    bytes_max = (uint64_t)data[2] * 16;
    head.is_chunked = data[3] == 255;
    head.content_bytes = head.is_chunked ? 0 : data[3];
    bytes = (struct fl_str){(const char *)data + 4, size - 4};
    whole = read_body(&head, bytes_max, bytes, 0, (size_t)1 << 40);
    cut = read_body(&head, bytes_max, bytes, data[0], 1 + (size_t)data[1] * data[1] / 16);
    check_same(&whole, &cut);
    if (whole.answer == FL_HTTP_BODY_END) {
        fl_assert(whole.used_bytes == cut.used_bytes);
        fl_assert(head.is_chunked || whole.body.len == head.content_bytes);
        check_again(&whole, bytes_max);
    }
    fl_buf_fini(&whole.body);
    fl_buf_fini(&cut.body);
    return 0;
}
