#include "controlplane/logs/rebuild.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "controlplane/logs/manifest.h"
#include "controlplane/logs/seal.h"
#include "shared/base/alloc.h"

#define WINDOW_BYTES ((size_t)1 << 20) /* more than a packed block has, or a manifest */

/* The output that was adopted last. */
struct last_output {
    struct log_sealed_output output;
    bool is_there, has_piece;
    uint64_t end; /* where its last piece ends */
};

struct rebuild {
    int fd;
    uint64_t bytes; /* the file has */
    uint64_t pos;   /* behind the last good manifest */
    const char *dir;
    struct log_segment_header named;
    struct log_sealer *sealer; /* made at the first manifest, which knows the times */
    struct log_manifest manifest;
    struct log_manifest_row *rows;
    struct fl_buf window, bytes_of; /* the search's; a manifest's or a block's bytes */
    struct last_output last;
    uint32_t next_number, lost;
};

/* ---- finding manifests ----------------------------------------------------------------------- */

/* Reads what the file has from 'pos' on, up to the window's size. */
static bool read_window(struct rebuild *rebuild, uint64_t pos, struct fl_err *err)
{
    uint64_t left = rebuild->bytes - pos;

    fl_buf_clear(&rebuild->window);
    return log_pread(rebuild->fd, pos, left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES,
                     &rebuild->window, err);
}

/* Whether a good manifest of this file is at 'at'; its rows then are in rebuild->rows. */
static bool take_manifest(struct rebuild *rebuild, uint64_t at)
{
    struct log_manifest *manifest = &rebuild->manifest;
    struct fl_err err = {0};
    struct fl_str bytes;

    if (at > rebuild->bytes || rebuild->bytes - at < LOG_MANIFEST_HEAD_BYTES) return false;
    fl_buf_clear(&rebuild->bytes_of);
    if (!log_pread(rebuild->fd, at, LOG_MANIFEST_HEAD_BYTES, &rebuild->bytes_of, &err)) {
        return false;
    }
    bytes = (struct fl_str){(const char *)rebuild->bytes_of.at, rebuild->bytes_of.len};
    if (!log_manifest_head_get(bytes, manifest) || manifest->number < rebuild->next_number ||
        manifest->header.cluster.n != rebuild->named.cluster.n ||
        manifest->header.seq != rebuild->named.seq || manifest->frame.pos < rebuild->pos ||
        manifest->frame.pos + manifest->frame.bytes != at) {
        return false;
    }
    if (!log_pread(rebuild->fd, at + LOG_MANIFEST_HEAD_BYTES, manifest->packed_bytes,
                   &rebuild->bytes_of, &err)) {
        return false;
    }
    bytes = (struct fl_str){(const char *)rebuild->bytes_of.at, rebuild->bytes_of.len};
    return log_manifest_rows(bytes, manifest, rebuild->rows);
}

/* Looks for the next good manifest byte by byte. */
static bool search_manifest(struct rebuild *rebuild, bool *ret_is_there, struct fl_err *err)
{
    uint64_t pos = rebuild->pos;

    *ret_is_there = false;
    while (rebuild->bytes - pos >= LOG_MANIFEST_HEAD_BYTES) {
        struct fl_str window;
        size_t at;

        if (!read_window(rebuild, pos, err)) return false;
        window = (struct fl_str){(const char *)rebuild->window.at, rebuild->window.len};
        at = log_manifest_search(window);
        *ret_is_there = at < window.len && take_manifest(rebuild, pos + at);
        if (*ret_is_there) return true;
        if (at == window.len && pos + at == rebuild->bytes) return true;
        pos += at < window.len ? at + 1 : window.len - LOG_MANIFEST_HEAD_BYTES + 1;
    }
    return true;
}

/* The next good manifest.  Blocks and manifests follow each other, so that bytes in a block are not
 * looked at as long as the file is good: a job might have written what looks like a manifest. */
static bool next_manifest(struct rebuild *rebuild, bool *ret_is_there, struct fl_err *err)
{
    size_t block_bytes;

    *ret_is_there = false;
    if (rebuild->pos >= rebuild->bytes) return true;
    if (take_manifest(rebuild, rebuild->pos)) return *ret_is_there = true; /* without a block */
    if (!read_window(rebuild, rebuild->pos, err)) return false;
    block_bytes = ZSTD_findFrameCompressedSize(rebuild->window.at, rebuild->window.len);
    if (!ZSTD_isError(block_bytes) && take_manifest(rebuild, rebuild->pos + block_bytes)) {
        return *ret_is_there = true;
    }
    return search_manifest(rebuild, ret_is_there, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Between the last output's last piece and 'row' there were blocks with a damaged manifest: the
 * output's bytes between them are a gap. */
static bool put_gap(struct rebuild *rebuild, const struct log_manifest_row *row, struct fl_err *err)
{
    const struct log_sealed_output *last = &rebuild->last.output;
    uint64_t begin = rebuild->last.end;
    bool goes_on = log_key_cmp(&last->key, &row->output.key) == 0;
    uint64_t end = goes_on ? row->piece.offset : last->place.offset;

    if (!rebuild->last.has_piece || end <= begin) return true;
    rebuild->last.end = end;
    return log_seal_damage(rebuild->sealer, begin, end,
                           goes_on ? row->piece.line : last->place.lines, last->last_time, err);
}

/* Whether the row goes on behind the last one; false: it is passed. */
static bool is_in_order(const struct last_output *last, const struct log_manifest_row *row)
{
    int order = last->is_there ? log_key_cmp(&last->output.key, &row->output.key) : -1;

    return order < 0 || (order == 0 && row->piece.len > 0 && row->piece.offset >= last->end);
}

static void note_last(struct last_output *last, const struct log_manifest_row *row)
{
    *last = (struct last_output){row->output, true, row->piece.len > 0, row->piece.end};
}

static bool adopt(struct rebuild *rebuild, struct fl_err *err)
{
    const struct log_manifest *manifest = &rebuild->manifest;
    bool is_behind_loss = manifest->number != rebuild->next_number;
    size_t kept = 0;

    if (!rebuild->sealer) {
        rebuild->sealer =
            log_sealer_create(rebuild->dir, &manifest->header, manifest->sealed_at, err);
        if (!rebuild->sealer) return false;
    }
    rebuild->lost += manifest->number - rebuild->next_number;
    rebuild->next_number = manifest->number + 1;
    rebuild->pos = manifest->frame.pos + manifest->frame.bytes + LOG_MANIFEST_HEAD_BYTES +
                   manifest->packed_bytes;
    if (is_behind_loss && manifest->rows_len > 0 && !put_gap(rebuild, rebuild->rows, err)) {
        return false;
    }
    for (uint32_t i = 0; i < manifest->rows_len; i++) {
        if (!is_in_order(&rebuild->last, &rebuild->rows[i])) continue;
        note_last(&rebuild->last, &rebuild->rows[i]);
        rebuild->rows[kept++] = rebuild->rows[i];
    }
    fl_buf_clear(&rebuild->bytes_of);
    return log_pread(rebuild->fd, manifest->frame.pos, manifest->frame.bytes, &rebuild->bytes_of,
                     err) &&
           log_sealer_adopt(
               rebuild->sealer,
               (struct fl_str){(const char *)rebuild->bytes_of.at, rebuild->bytes_of.len},
               manifest->frame.raw_bytes, rebuild->rows, kept, err);
}

/* The old file gets a second name, under which it is kept; the new one takes its first. */
static struct log_sealed *replace(struct rebuild *rebuild, const char *path, struct fl_err *err)
{
    char *kept = log_file_path(rebuild->dir, &rebuild->named, "sealed.damaged");
    bool is_linked = link(path, kept) == 0;
    struct log_sealed *sealed = NULL;

    if (!is_linked && errno != EEXIST) {
        fl_fail(err, FL_IO, "link %s: %s", kept, strerror(errno));
    } else {
        sealed = log_sealer_finish(rebuild->sealer, err);
        if (!sealed && is_linked) unlink(kept);
    }
    fl_free(kept);
    return sealed;
}

static bool walk(struct rebuild *rebuild, struct fl_err *err)
{
    struct stat stat;
    bool is_there = true;

    if (fstat(rebuild->fd, &stat) != 0) return fl_fail(err, FL_IO, "stat: %s", strerror(errno));
    rebuild->bytes = (uint64_t)stat.st_size;
    rebuild->pos = LOG_SEALED_HEADER_BYTES;
    while (next_manifest(rebuild, &is_there, err) && is_there) {
        if (!adopt(rebuild, err)) return false;
    }
    if (err->code != FL_OK) return false;
    return rebuild->sealer || fl_fail(err, FL_TORN, "it has no manifest to make tables of");
}

bool log_rebuild(const char *dir, const char *path, const struct log_segment_header *named,
                 struct log_rebuilt *ret_rebuilt, struct fl_err *err)
{
    struct rebuild rebuild = {.dir = dir, .named = *named, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    struct log_sealed *sealed = NULL;

    if (rebuild.fd < 0) return fl_fail(err, FL_IO, "open %s: %s", path, strerror(errno));
    rebuild.rows = fl_new_array(struct log_manifest_row, LOG_MANIFEST_ROWS_MAX);
    fl_buf_init(&rebuild.window, WINDOW_BYTES);
    fl_buf_init(&rebuild.bytes_of, WINDOW_BYTES);
    if (walk(&rebuild, err)) sealed = replace(&rebuild, path, err);
    if (sealed) *ret_rebuilt = (struct log_rebuilt){sealed, rebuild.lost};
    log_sealer_destroy(rebuild.sealer);
    fl_buf_fini(&rebuild.window);
    fl_buf_fini(&rebuild.bytes_of);
    fl_free(rebuild.rows);
    close(rebuild.fd);
    return sealed != NULL;
}
