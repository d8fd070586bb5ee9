/* The verb 'backup', and what both verbs say. */
#include "controlplane/backup/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controlplane/backup/backup_args.h"
#include "controlplane/backup/backup_dump.h"
#include "controlplane/backup/copy_tree.h"
#include "controlplane/backup/manifest.h"
#include "controlplane/backup/pg_tool.h"
#include "controlplane/backup/progress.h"
#include "shared/base/version.h"
#include "shared/io/clock.h"
#include "shared/io/exits.h"
#include "shared/io/file.h"
#include "shared/io/text_wrap.h"

struct backup {
    struct backup_args args;
    struct stat state; /* the state directory: its owner */
    struct pg_tool *tool;
    char part[PATH_MAX]; /* where it is made */
    struct manifest manifest;
    struct progress progress;
};

void backup_print_help(FILE *out)
{
    fputs(
        "usage: fairleadd backup FOLDER [--without-logs] [--config FILE] [--SETTING VALUE ...]\n\n",
        out);
    fl_text_wrap_put(
        "Writes the database and the state directory into FOLDER, which must not be there "
        "yet. The control plane may run meanwhile. Run it as root or as the daemon's user, "
        "on its machine; it needs pg_dump and psql. FOLDER then holds the CA's key: keep it as "
        "safe as the state directory, and on another machine.",
        "", out);
    fputs("\n  --without-logs   leave out the logs of jobs, often the largest part\n"
          "  --config FILE    the settings of fairleadd; " BACKUP_CONFIG_FILE " if it is there\n",
          out);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool make_part(struct backup *backup, struct fl_err *err)
{
    const char *folder = backup->args.folder;
    struct stat found;

    if (snprintf(backup->part, sizeof backup->part, "%s.part", folder) >= PATH_MAX - 32) {
        return fl_fail(err, FL_INVALID, "%s: the path is too long", folder);
    }
    if (lstat(folder, &found) == 0) {
        return fl_fail(err, FL_CONFLICT, "%s is there already: name a new folder", folder);
    }
    if (mkdir(backup->part, 0700) == 0) return true;
    if (errno == EEXIST) {
        return fl_fail(err, FL_CONFLICT,
                       "%s is there: another backup is at work, or one was cut off; if none runs: "
                       "rm -r %s",
                       backup->part, backup->part);
    }
    return fl_fail(err, errno == EACCES ? FL_DENIED : FL_IO, "make %s: %s", backup->part,
                   strerror(errno));
}

static bool read_place(struct backup *backup, struct fl_err *err)
{
    struct fl_buf buf;
    char *end;
    bool is_good;

    fl_buf_init(&buf, 4096);
    is_good = pg_tool_sql(backup->tool,
                          "select max(version) from schema_version;"
                          "select coalesce(max(batch), 0) from journal",
                          &buf, err) &&
              fl_buf_put_u8(&buf, 0);
    if (is_good) {
        backup->manifest.schema = strtoull((const char *)buf.at, &end, 10);
        backup->manifest.batch = strtoull(end, NULL, 10);
    }
    fl_buf_fini(&buf);
    return is_good || fl_err_wrap(err, "the database has no tables of Fairlead that can be read");
}

static void on_file(void *ctx, const struct copy_tree *copy)
{
    struct backup *backup = ctx;

    progress_show(&backup->progress, "state", copy->bytes, 0);
}

static bool copy_state(struct backup *backup, struct fl_err *err)
{
    struct copy_tree copy = {
        .without = backup->args.without_logs ? "logs" : NULL,
        .uid = backup->state.st_uid,
        .gid = backup->state.st_gid,
        .on_more = on_file,
        .ctx = backup,
    };
    char to[PATH_MAX + 16];
    bool is_good;

    snprintf(to, sizeof to, "%s/%s", backup->part, MANIFEST_STATE);
    is_good = copy_tree(&copy, backup->args.state_dir, to, err);
    progress_end(&backup->progress);
    backup->manifest.state_files = copy.files;
    backup->manifest.state_bytes = copy.bytes;
    backup->manifest.has_logs = !backup->args.without_logs;
    return is_good;
}

static bool write_manifest(struct backup *backup, struct fl_err *err)
{
    char path[PATH_MAX + 16];
    struct fl_buf text;
    bool is_good;

    backup->manifest.program = fl_str_c(FL_VERSION);
    fl_buf_init(&text, MANIFEST_BYTES_MAX);
    manifest_write(&backup->manifest, &text);
    snprintf(path, sizeof path, "%s/%s", backup->part, MANIFEST_FILE);
    is_good =
        fl_file_write(AT_FDCWD, path, text.at, text.len, 0600, err) || fl_err_wrap(err, "%s", path);
    fl_buf_fini(&text);
    return is_good;
}

/* It has its name as soon as all of it is on the disk. */
static bool give_name(struct backup *backup, struct fl_err *err)
{
    const char *folder = backup->args.folder;

    if (renameat2(AT_FDCWD, backup->part, AT_FDCWD, folder, RENAME_NOREPLACE) == 0) {
        int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd >= 0) syncfs(fd);
        if (fd >= 0) close(fd);
        return true;
    }
    return fl_fail(err, FL_IO, "rename %s to %s: %s", backup->part, folder, strerror(errno));
}

static bool fill_part(struct backup *backup, struct fl_err *err)
{
    struct backup_dump dump = {0};

    backup->manifest.made_at = fl_clock_wall();
    if (!backup_dump(backup->tool, backup->part, &backup->progress, &dump, err)) return false;
    backup->manifest.dump_bytes = dump.bytes;
    backup->manifest.dump_digest = dump.digest;
    printf("%-12s%s, schema %" PRIu64 ", up to batch %" PRIu64 "\n", "database",
           progress_size(dump.bytes).text, backup->manifest.schema, backup->manifest.batch);
    if (!copy_state(backup, err)) return false;
    printf("%-12s%s in %" PRIu64 " files, %s\n", "state",
           progress_size(backup->manifest.state_bytes).text, backup->manifest.state_files,
           backup->args.without_logs ? "without the logs of jobs" : "with the logs of jobs");
    return write_manifest(backup, err) && give_name(backup, err);
}

static bool make(struct backup *backup, struct fl_err *err)
{
    int64_t began = fl_clock_mono_us();
    struct fl_err other = {0};

    if (stat(backup->args.state_dir, &backup->state) != 0) {
        return fl_fail(err, FL_IO, "state directory %s: %s; --state-dir names another",
                       backup->args.state_dir, strerror(errno));
    }
    if (!pg_tool_create(backup->args.database, backup->state.st_uid, backup->state.st_gid,
                        &backup->tool, err) ||
        !read_place(backup, err) || !make_part(backup, err)) {
        return false;
    }
    if (!fill_part(backup, err)) {
        if (!copy_tree_remove(backup->part, &other)) fprintf(stderr, "%s\n", other.text);
        return false;
    }
    printf(
        "%-12s%s in %.1f s\n\nIt holds the CA's key and the pepper: keep it safe, and on another "
        "machine.\nTo restore it: fairlead admin restore FOLDER\n",
        "made", backup->args.folder, (double)(fl_clock_mono_us() - began) / 1e6);
    return true;
}

int backup_main(int argc, char **argv)
{
    struct backup backup = {.progress = {.is_terminal = isatty(STDERR_FILENO)}};
    struct fl_err err = {0};
    bool is_good = backup_args_read(argc, argv, environ, &backup.args, &err);

    umask(077);
    if (is_good && backup.args.is_help) {
        backup_print_help(stdout);
    } else {
        is_good = is_good && make(&backup, &err);
    }
    pg_tool_destroy(backup.tool);
    backup_args_fini(&backup.args);
    fflush(stdout);
    if (is_good) return FL_EXIT_OK;
    fprintf(stderr, "fairleadd backup: %s\n", err.text);
    return (int)fl_exit_of(&err);
}
