/* The verb 'restore'. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controlplane/backup/backup.h"
#include "controlplane/backup/backup_args.h"
#include "controlplane/backup/backup_dump.h"
#include "controlplane/backup/copy_tree.h"
#include "controlplane/backup/manifest.h"
#include "controlplane/backup/pg_tool.h"
#include "controlplane/backup/progress.h"
#include "controlplane/store/migrations.h"
#include "shared/base/time_text.h"
#include "shared/io/exits.h"
#include "shared/io/file.h"
#include "shared/io/state_dir.h"
#include "shared/io/text_wrap.h"
#include "shared/tls/digest.h"

enum { PEPPER_BYTES_MAX = 4096, ANSWER_BYTES_MAX = 4096 };

struct restore {
    struct backup_args args;
    struct fl_arena arena;
    struct manifest manifest;
    struct pg_tool *tool;
    struct fl_state_dir *dir; /* held, so that no control plane starts meanwhile */
    struct progress progress;
    bool keeps_state; /* the one that is there */
};

void restore_print_help(FILE *out)
{
    fputs("usage: fairleadd restore FOLDER [--config FILE] [--SETTING VALUE ...]\n\n", out);
    fl_text_wrap_put(
        "Brings what 'fairleadd backup' wrote into FOLDER back into an empty database. The "
        "state directory is copied back if it is lost; one that is there knows more than "
        "its copy and stays. Stop the control plane first. Run it as root or as the "
        "daemon's user, on its machine; it needs pg_restore and psql. All is checked before "
        "anything is changed.",
        "", out);
    fputs("\n  --config FILE    the settings of fairleadd; " BACKUP_CONFIG_FILE " if it is there\n",
          out);
}

/* ---- the backup ------------------------------------------------------------------------------ */

static bool read_manifest(struct restore *restore, struct fl_err *err)
{
    char path[PATH_MAX + 32];
    struct fl_buf text;
    bool is_good;

    snprintf(path, sizeof path, "%s/%s", restore->args.folder, MANIFEST_FILE);
    fl_buf_init(&text, MANIFEST_BYTES_MAX);
    is_good = fl_file_read(AT_FDCWD, path, &text, err);
    if (is_good) {
        struct fl_str copy =
            fl_arena_str(&restore->arena, (struct fl_str){(const char *)text.at, text.len});

        is_good = manifest_read(copy, &restore->arena, &restore->manifest, err);
    }
    fl_buf_fini(&text);
    if (is_good) return true;
    if (err->code == FL_ABSENT) {
        return fl_fail(err, FL_ABSENT, "%s is no whole backup: it has no %s", restore->args.folder,
                       MANIFEST_FILE);
    }
    return fl_err_wrap(err, "%s", path);
}

static bool check_backup(struct restore *restore, struct fl_err *err)
{
    const struct manifest *manifest = &restore->manifest;
    struct backup_dump dump;
    char when[FL_TIME_TEXT_MAX];

    if (!read_manifest(restore, err)) return false;
    if (manifest->schema > migrations_len) {
        return fl_fail(err, FL_UNSUPPORTED,
                       "it was made by fairleadd " FL_STR_FMT ", whose tables are at step %" PRIu64
                       "; this program knows %zu: install that one or a newer one",
                       FL_STR_ARG(manifest->program), manifest->schema, migrations_len);
    }
    if (!backup_dump_read(restore->args.folder, &restore->progress, &dump, err)) return false;
    if (dump.bytes != manifest->dump_bytes || !fl_digest_eq(dump.digest, manifest->dump_digest)) {
        return fl_fail(err, FL_TORN,
                       "%s/%s is damaged: it is not what the manifest says; take another backup",
                       restore->args.folder, MANIFEST_DUMP);
    }
    fl_time_print(manifest->made_at, when);
    printf("%-12sthe backup of %s, %s, up to batch %" PRIu64 "\n", "ok", when,
           progress_size(dump.bytes).text, manifest->batch);
    return true;
}

/* ---- where it goes --------------------------------------------------------------------------- */

static bool read_pepper(const char *folder, const char *below, struct fl_buf *out,
                        struct fl_err *err)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof path, "%s%s/pepper", folder, below);
    return fl_file_read(AT_FDCWD, path, out, err) || fl_err_wrap(err, "%s", path);
}

/* The database counts under one pepper alone: a state directory of another control plane would not
 * start with it. */
static bool check_pepper(struct restore *restore, struct fl_err *err)
{
    const char *state_dir = restore->args.state_dir;
    struct fl_err absent = {0};
    struct fl_buf there, wanted;
    bool is_good;

    fl_buf_init(&there, PEPPER_BYTES_MAX);
    fl_buf_init(&wanted, PEPPER_BYTES_MAX);
    is_good = read_pepper(restore->args.folder, "/" MANIFEST_STATE, &wanted, err);
    restore->keeps_state = read_pepper(state_dir, "", &there, &absent);
    if (is_good && !restore->keeps_state && absent.code != FL_ABSENT) {
        *err = absent;
        is_good = false;
    }
    if (is_good && restore->keeps_state &&
        (there.len != wanted.len || !fl_secret_eq(there.at, wanted.at, there.len))) {
        is_good = fl_fail(err, FL_CONFLICT,
                          "state directory %s belongs to another control plane than the backup; "
                          "move it out of the way: mv %s %s.other",
                          state_dir, state_dir, state_dir);
    }
    fl_buf_fini(&there);
    fl_buf_fini(&wanted);
    return is_good;
}

static bool ask(struct restore *restore, const char *sql, char answer[static ANSWER_BYTES_MAX],
                struct fl_err *err)
{
    struct fl_buf buf;
    bool is_good;

    fl_buf_init(&buf, ANSWER_BYTES_MAX - 1);
    is_good = pg_tool_sql(restore->tool, sql, &buf, err);
    if (is_good) snprintf(answer, ANSWER_BYTES_MAX, "%.*s", (int)buf.len, (const char *)buf.at);
    fl_buf_fini(&buf);
    return is_good;
}

/* A database that fairleadd init has just made has tables, but never had a leader. */
static bool check_database(struct restore *restore, bool *ret_has_tables, struct fl_err *err)
{
    const char *name = pg_tool_database(restore->tool);
    char answer[ANSWER_BYTES_MAX];

    if (!ask(restore,
             "select count(*) from pg_stat_activity where datname = current_database()"
             " and application_name like 'fairlead%'",
             answer, err)) {
        return false;
    }
    if (atoi(answer) > 0) {
        return fl_fail(err, FL_CONFLICT,
                       "a control plane is connected to database %s: stop it first, as by "
                       "systemctl stop fairleadd",
                       name);
    }
    if (!ask(restore, "select to_regclass('public.leader') is not null", answer, err)) {
        return false;
    }
    *ret_has_tables = answer[0] == 't';
    if (!*ret_has_tables) return true;
    if (!ask(restore, "select exists(select from leader where epoch > 0)", answer, err)) {
        return false;
    }
    if (answer[0] != 't') return true;
    return fl_fail(err, FL_CONFLICT,
                   "database %s is not empty; keep it under another name and make a new one: psql "
                   "-d postgres -c 'alter database \"%s\" rename to \"%s_old\"' && fairleadd init",
                   name, name, name);
}

static bool open_state(struct restore *restore, struct fl_err *err)
{
    return fl_state_dir_open(restore->args.state_dir, &restore->dir, err) ||
           fl_err_wrap(err, "state directory %s", restore->args.state_dir);
}

/* ---- restoring ------------------------------------------------------------------------------- */

static bool bring_state(struct restore *restore, struct fl_err *err)
{
    struct copy_tree copy = {0};
    struct stat found;
    char from[PATH_MAX + 16];

    if (restore->keeps_state) {
        printf("%-12sstate directory %s, which is there\n", "kept", restore->args.state_dir);
        return true;
    }
    if (fstat(fl_state_dir_fd(restore->dir), &found) == 0) {
        copy.uid = found.st_uid;
        copy.gid = found.st_gid;
    }
    snprintf(from, sizeof from, "%s/%s", restore->args.folder, MANIFEST_STATE);
    if (!copy_tree(&copy, from, restore->args.state_dir, err)) return false;
    printf("%-12sstate directory %s, %" PRIu64 " files%s\n", "restored", restore->args.state_dir,
           copy.files, restore->manifest.has_logs ? "" : ", without the logs of jobs");
    return true;
}

static bool bring_database(struct restore *restore, bool has_tables, struct fl_err *err)
{
    char answer[ANSWER_BYTES_MAX];

    if (has_tables && !ask(restore,
                           "drop schema public cascade;"
                           "create schema public authorization pg_database_owner",
                           answer, err)) {
        return false;
    }
    if (!backup_dump_restore(restore->tool, restore->args.folder, err)) return false;
    printf("%-12sdatabase %s\n", "restored", pg_tool_database(restore->tool));
    return true;
}

/* Their owner is the daemon's user. */
static void find_owner(const struct restore *restore, struct stat *ret_owner)
{
    if (stat(restore->args.state_dir, ret_owner) == 0) return;
    *ret_owner = (struct stat){.st_uid = geteuid(), .st_gid = getegid()};
}

static bool bring_back(struct restore *restore, struct fl_err *err)
{
    struct stat owner;
    bool has_tables = false;

    find_owner(restore, &owner);
    if (!check_backup(restore, err) || !check_pepper(restore, err) ||
        !pg_tool_create(restore->args.database, owner.st_uid, owner.st_gid, &restore->tool, err) ||
        !check_database(restore, &has_tables, err) || !open_state(restore, err) ||
        !bring_state(restore, err) || !bring_database(restore, has_tables, err)) {
        return false;
    }
    fputs("\nThe next steps:\n  1. the start:  systemctl start fairleadd\n"
          "  2. a look:     fairlead doctor\n"
          "What was committed after the backup is lost; the log and the audit then say how much.\n",
          stdout);
    return true;
}

int restore_main(int argc, char **argv)
{
    struct restore restore = {.progress = {.is_terminal = isatty(STDERR_FILENO)}};
    struct fl_err err = {0};
    bool is_good = backup_args_read(argc, argv, environ, &restore.args, &err);

    umask(077);
    if (is_good && restore.args.is_help) {
        restore_print_help(stdout);
    } else {
        is_good = is_good && bring_back(&restore, &err);
    }
    pg_tool_destroy(restore.tool);
    fl_state_dir_close(restore.dir);
    fl_arena_fini(&restore.arena);
    backup_args_fini(&restore.args);
    fflush(stdout);
    if (is_good) return FL_EXIT_OK;
    fprintf(stderr, "fairleadd restore: %s\n", err.text);
    return (int)fl_exit_of(&err);
}
