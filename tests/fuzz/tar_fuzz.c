/* A tar archive, as a hostile replica might send it and any network cut it.
 * Input: the archive.
 * Property: taken whole or a byte at a time, the same entries and bytes come out, or the same
 * error; a path has 1 to TAR_PATH_BYTES_MAX bytes; a file ends behind exactly the bytes that its
 * head said, before the next entry begins; nothing comes behind an error or the archive's end.
 * The corpus was made by GNU tar, busybox and Python, a file for each kind of head, which is its
 * name.
 * The planted bug (planted/tar.patch) puts each piece of a head at its beginning. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

#include "cli/tar_reader.h"
#include "shared/base/assert.h"

enum { INPUT_BYTES_MAX = 1 << 16, OUT_BYTES_MAX = 1 << 22 };

struct outcome {
    struct fl_buf out;
    struct fl_err err;
    uint64_t left;
    bool is_in_file, is_failed, is_whole;
};

static bool on_entry(void *ctx, const struct tar_entry *entry, struct fl_err *err)
{
    struct outcome *outcome = ctx;
    char text[64];
    int len = snprintf(text, sizeof text, "[%d %o %lld %llu ", entry->kind, entry->mode,
                       (long long)entry->mtime, (unsigned long long)entry->size);

    (void)err;
    fl_assert(!outcome->is_failed && !outcome->is_in_file);
    fl_assert(entry->path[0] && strlen(entry->path) <= TAR_PATH_BYTES_MAX);
    fl_assert(entry->mode <= 0777 && (entry->kind == TAR_FILE || entry->size == 0));
    outcome->is_in_file = entry->kind == TAR_FILE;
    outcome->left = entry->size;
    fl_assert(fl_buf_put(&outcome->out, text, (size_t)len));
    fl_assert(fl_buf_put(&outcome->out, entry->path, strlen(entry->path)));
    return true;
}

static bool on_bytes(void *ctx, struct fl_str bytes, struct fl_err *err)
{
    struct outcome *outcome = ctx;

    (void)err;
    fl_assert(!outcome->is_failed && outcome->is_in_file);
    fl_assert(bytes.len > 0 && bytes.len <= outcome->left);
    outcome->left -= bytes.len;
    fl_assert(fl_buf_put(&outcome->out, bytes.at, bytes.len));
    return true;
}

static bool on_end(void *ctx, struct fl_err *err)
{
    struct outcome *outcome = ctx;

    (void)err;
    fl_assert(outcome->is_in_file && outcome->left == 0);
    outcome->is_in_file = false;
    fl_assert(fl_buf_put(&outcome->out, "]", 1));
    return true;
}

static void read_all(struct outcome *outcome, const uint8_t *data, size_t size, size_t step)
{
    struct tar_reader_port port = {outcome, on_entry, on_bytes, on_end};
    struct tar_reader reader;

    fl_buf_init(&outcome->out, OUT_BYTES_MAX);
    tar_reader_init(&reader, &port);
    for (size_t at = 0; at < size && !outcome->is_failed; at += step) {
        size_t len = size - at < step ? size - at : step;

        outcome->is_failed =
            !tar_reader_put(&reader, (struct fl_str){(const char *)data + at, len}, &outcome->err);
    }
    outcome->is_whole = !outcome->is_failed && tar_reader_end(&reader, &outcome->err);
    fl_assert(!outcome->is_whole || !outcome->is_in_file);
    tar_reader_fini(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome whole = {0}, bytes = {0};

    if (size == 0 || size > INPUT_BYTES_MAX) return 0;
    read_all(&whole, data, size, size);
    read_all(&bytes, data, size, 1);
    fl_assert(whole.is_whole == bytes.is_whole && strcmp(whole.err.text, bytes.err.text) == 0);
    fl_assert(whole.out.len == bytes.out.len);
    if (whole.out.len > 0) {
        fl_assert(memcmp(whole.out.at, bytes.out.at, whole.out.len) == 0);
    }
    fl_buf_fini(&whole.out);
    fl_buf_fini(&bytes.out);
    return 0;
}
