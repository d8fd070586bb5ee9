#include "controlplane/logs/row_spill.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "controlplane/logs/segment.h" /* log_pread */
#include "shared/base/alloc.h"

#define ROWS_BYTES ((size_t)128 << 10)

void row_spill_init(struct row_spill *spill, char *path)
{
    *spill = (struct row_spill){.path = path, .fd = -1};
    fl_buf_init(&spill->rows, SIZE_MAX);
}

void row_spill_fini(struct row_spill *spill)
{
    if (spill->fd >= 0) close(spill->fd);
    fl_buf_fini(&spill->rows);
    fl_free(spill->path);
}

static bool fail_errno(const struct row_spill *spill, const char *what, struct fl_err *err)
{
    bool is_space = errno == ENOSPC || errno == EDQUOT;

    return fl_fail(err, is_space ? FL_NO_SPACE : FL_IO, "%s %s: %s", what, spill->path,
                   strerror(errno));
}

static bool open_file(struct row_spill *spill, struct fl_err *err)
{
    spill->fd = open(spill->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (spill->fd < 0) return fail_errno(spill, "create", err);
    return unlink(spill->path) == 0 || fail_errno(spill, "unlink", err);
}

bool row_spill_check(struct row_spill *spill, struct fl_err *err)
{
    size_t done = 0;

    if (spill->rows.len < ROWS_BYTES) return true;
    if (spill->fd < 0 && !open_file(spill, err)) return false;
    while (done < spill->rows.len) {
        ssize_t n = pwrite(spill->fd, spill->rows.at + done, spill->rows.len - done,
                           (off_t)(spill->bytes + done));

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail_errno(spill, "write", err);
        done += (size_t)n;
    }
    spill->bytes += done;
    fl_buf_clear(&spill->rows);
    return true;
}

bool row_spill_each(const struct row_spill *spill, size_t row_bytes,
                    bool (*piece)(void *ctx, const uint8_t *at, size_t len, struct fl_err *err),
                    void *ctx, struct fl_err *err)
{
    size_t window_bytes = ROWS_BYTES / row_bytes * row_bytes;
    struct fl_buf window;
    bool is_given = true;

    fl_buf_init(&window, window_bytes);
    for (uint64_t pos = 0; is_given && pos < spill->bytes; pos += window.len) {
        uint64_t left = spill->bytes - pos;

        fl_buf_clear(&window);
        is_given = log_pread(spill->fd, pos, left < window_bytes ? (size_t)left : window_bytes,
                             &window, err) &&
                   piece(ctx, window.at, window.len, err);
    }
    fl_buf_fini(&window);
    return is_given && piece(ctx, spill->rows.at, spill->rows.len, err);
}
