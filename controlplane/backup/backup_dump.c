#include "controlplane/backup/backup_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controlplane/backup/manifest.h"
#include "shared/tls/digest.h"

enum { CHUNK_BYTES = 64 << 10 };

struct dumping {
    struct progress *progress;
    int fd;
};

static bool open_dump(const char *folder, int flags, char path[PATH_MAX + 32], int *ret_fd,
                      struct fl_err *err)
{
    snprintf(path, PATH_MAX + 32, "%s/%s", folder, MANIFEST_DUMP);
    *ret_fd = open(path, flags | O_CLOEXEC, 0600);
    if (*ret_fd >= 0) return true;
    return fl_fail(err, errno == ENOENT ? FL_ABSENT : FL_IO, "%s: %s", path, strerror(errno));
}

static void on_wait(void *ctx)
{
    const struct dumping *dumping = ctx;
    struct stat now;

    if (fstat(dumping->fd, &now) == 0) {
        progress_show(dumping->progress, "database", (uint64_t)now.st_size, 0);
    }
}

bool backup_dump(const struct pg_tool *tool, const char *folder, struct progress *progress,
                 struct backup_dump *ret_dump, struct fl_err *err)
{
    const char *words[] = {"pg_dump", "-Fc", "-w", "-d", pg_tool_database(tool), NULL};
    struct dumping dumping = {.progress = progress};
    char path[PATH_MAX + 32];
    bool is_good;

    if (!open_dump(folder, O_RDWR | O_CREAT | O_EXCL, path, &dumping.fd, err)) return false;
    is_good = pg_tool_run(tool, words, -1, dumping.fd, on_wait, &dumping, err);
    progress_end(progress);
    if (is_good && fsync(dumping.fd) != 0) {
        is_good = fl_fail(err, FL_IO, "sync %s: %s", path, strerror(errno));
    }
    close(dumping.fd);
    return is_good && backup_dump_read(folder, progress, ret_dump, err);
}

bool backup_dump_read(const char *folder, struct progress *progress, struct backup_dump *ret_dump,
                      struct fl_err *err)
{
    struct fl_sha256_stream *sha;
    struct backup_dump dump = {0};
    char path[PATH_MAX + 32], chunk[CHUNK_BYTES];
    struct stat now;
    ssize_t n;
    int fd;

    if (!open_dump(folder, O_RDONLY, path, &fd, err)) return false;
    sha = fl_sha256_create();
    if (fstat(fd, &now) != 0) now.st_size = 0;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0) continue;
        fl_sha256_put(sha, chunk, (size_t)n);
        dump.bytes += (uint64_t)n;
        progress_show(progress, "reading", dump.bytes, (uint64_t)now.st_size);
    }
    progress_end(progress);
    close(fd);
    dump.digest = fl_sha256_end(sha);
    if (n < 0) return fl_fail(err, FL_IO, "%s: %s", path, strerror(errno));
    *ret_dump = dump;
    return true;
}

bool backup_dump_restore(const struct pg_tool *tool, const char *folder, struct fl_err *err)
{
    const char *words[] = {"pg_restore",
                           "--no-owner",
                           "--no-acl",
                           "--exit-on-error",
                           "--single-transaction",
                           "-w",
                           "-d",
                           pg_tool_database(tool),
                           NULL};
    char path[PATH_MAX + 32];
    bool is_good;
    int fd;

    if (!open_dump(folder, O_RDONLY, path, &fd, err)) return false;
    is_good = pg_tool_run(tool, words, fd, -1, NULL, NULL, err);
    close(fd);
    return is_good;
}
