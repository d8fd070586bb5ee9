/* The bytes of a tunnel, as any peer might send them and any network cut them.
 * Input: two bytes that decide how it is cut, then the bytes.
 * Property: however they are cut, the same frames come out and the same error ends them; each frame
 * encodes to the very bytes it was read from; the decoder never holds more than one frame.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/frame.patch) forgets what it has of a payload when more of it comes.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/frame_fuzz -max_total_time=60 DIR tests/fuzz/corpus/frame
 *     tests/fuzz/planted.sh frame */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/prng.h"
#include "shared/wire/frame.h"

enum { INPUT_BYTES_MAX = 1 << 20 };

/* Feeds the input in pieces of 1..piece_max bytes and writes each frame, encoded again, into
 * 'ret_frames'. */
static void decode(const uint8_t *data, size_t size, uint64_t seed, size_t piece_max,
                   struct fl_buf *ret_frames, struct fl_err *ret_err)
{
    struct fl_frame_decoder decoder;
    enum fl_frame_answer answer = FL_FRAME_MORE;
    struct fl_prng prng;
    size_t pos = 0;

    fl_prng_seed(&prng, seed);
    fl_frame_decoder_init(&decoder);
    while (pos < size && answer != FL_FRAME_BAD) {
        size_t len = 1 + fl_prng_below(&prng, piece_max);
        struct fl_frame frame;
        struct fl_str bytes;
        char *piece;

        if (len > size - pos) len = size - pos;
        piece = fl_realloc_array(NULL, char, len); /* separate, so that ASan sees a byte too far */
        memcpy(piece, data + pos, len);
        bytes = (struct fl_str){piece, len};
        while ((answer = fl_frame_decoder_next(&decoder, &bytes, &frame, ret_err)) ==
               FL_FRAME_READY) {
            fl_assert(frame.payload.len <= FL_FRAME_PAYLOAD_MAX);
            fl_assert(fl_frame_put(ret_frames, &frame));
        }
        fl_assert(answer == FL_FRAME_BAD || bytes.len == 0);
        fl_assert(decoder.payload.cap <= FL_FRAME_PAYLOAD_MAX);
        fl_free(piece);
        pos += len;
    }
    fl_assert((answer == FL_FRAME_BAD) == (ret_err->code != FL_OK));
    fl_frame_decoder_fini(&decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_buf whole, cut;
    struct fl_err whole_err = {0}, cut_err = {0};

    if (size < 2 || size > INPUT_BYTES_MAX) return 0;
    fl_buf_init(&whole, INPUT_BYTES_MAX);
    fl_buf_init(&cut, INPUT_BYTES_MAX);
    decode(data + 2, size - 2, 0, (size_t)1 << 40, &whole, &whole_err);
    fl_assert(whole.len <= size - 2);
    fl_assert(whole.len == 0 || memcmp(whole.at, data + 2, whole.len) == 0);

    decode(data + 2, size - 2, data[0], 1 + (size_t)data[1] * data[1] / 16, &cut, &cut_err);
    fl_assert(cut.len == whole.len);
    fl_assert(whole.len == 0 || memcmp(cut.at, whole.at, whole.len) == 0);
    fl_assert(cut_err.code == whole_err.code && strcmp(cut_err.text, whole_err.text) == 0);
    fl_buf_fini(&whole);
    fl_buf_fini(&cut);
    return 0;
}
