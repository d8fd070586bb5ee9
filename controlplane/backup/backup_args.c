#include "controlplane/backup/backup_args.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controlplane/config.h"
#include "shared/base/alloc.h"
#include "shared/base/str.h"

/* The words of the command line, apart. */
struct sorted {
    const char *folder;
    const char *file; /* with settings */
    int argc;
    char **argv; /* the verb and the settings' flags */
};

/* A flag whose value stands in it or behind it; moves 'i' to the value. */
static bool take_value(int argc, char **argv, int *i, struct fl_err *err)
{
    const char *flag = argv[*i];

    if (strchr(flag, '=')) return true;
    if (*i + 1 < argc) {
        ++*i;
        return true;
    }
    return fl_fail(err, FL_INVALID, "%s: wants a value", flag);
}

static bool sort(int argc, char **argv, struct sorted *to, struct backup_args *args,
                 struct fl_err *err)
{
    bool is_backup = strcmp(argv[0], "backup") == 0;

    to->argv[to->argc++] = argv[0];
    for (int i = 1; i < argc; i++) {
        int flag = i;

        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            args->is_help = true;
        } else if (is_backup && strcmp(argv[i], "--without-logs") == 0) {
            args->without_logs = true;
        } else if (strcmp(argv[i], "--config") == 0 || strncmp(argv[i], "--config=", 9) == 0) {
            if (!take_value(argc, argv, &i, err)) return false;
            to->file = i > flag ? argv[i] : argv[i] + 9;
        } else if (strncmp(argv[i], "--", 2) == 0) {
            if (!take_value(argc, argv, &i, err)) return false;
            while (flag <= i) {
                to->argv[to->argc++] = argv[flag++];
            }
        } else if (to->folder) {
            return fl_fail(err, FL_INVALID, "%s: one folder is enough, and %s was named before",
                           argv[i], to->folder);
        } else {
            to->folder = argv[i];
        }
    }
    return true;
}

/* A copy, absolute, without a slash at its end. */
static char *place(const char *path)
{
    char here[PATH_MAX] = "";
    size_t len = strlen(path), bytes;
    char *whole;

    if (*path != '/' && !getcwd(here, sizeof here)) here[0] = '\0';
    while (len > 1 && path[len - 1] == '/') {
        len--;
    }
    bytes = strlen(here) + 1 + len + 1;
    whole = fl_alloc(bytes);
    snprintf(whole, bytes, "%s%s%.*s", here, here[0] ? "/" : "", (int)len, path);
    return whole;
}

static bool read_settings(const struct sorted *sorted, char *const *env, struct backup_args *args,
                          struct fl_err *err)
{
    struct fl_config *config = fl_config_create(config_settings, CONFIG_LEN);
    const char *file = sorted->file ? sorted->file : getenv("FAIRLEAD_CONFIG");
    bool is_good;

    if (!file && access(BACKUP_CONFIG_FILE, F_OK) == 0) file = BACKUP_CONFIG_FILE;
    is_good = (!file || fl_config_read_file(config, file, err)) &&
              fl_config_read_env(config, env, err) &&
              fl_config_read_flags(config, sorted->argc, sorted->argv, err);
    if (is_good && !fl_config_is_set(config, CONFIG_database)) {
        is_good = fl_fail(err, FL_INVALID,
                          "which database is it? Name fairleadd's file of settings by --config; "
                          "there is no " BACKUP_CONFIG_FILE " that says 'database'");
    }
    if (is_good) {
        args->database = fl_str_dup(fl_str_c(fl_config_string(config, CONFIG_database)));
        args->state_dir = place(fl_config_is_set(config, CONFIG_state_dir)
                                    ? fl_config_string(config, CONFIG_state_dir)
                                    : BACKUP_STATE_DIR);
    }
    fl_config_destroy(config);
    return is_good;
}

bool backup_args_read(int argc, char **argv, char *const *env, struct backup_args *ret_args,
                      struct fl_err *err)
{
    struct sorted sorted = {.argv = fl_new_array(char *, (size_t)argc + 1)};
    struct backup_args args = {0};
    bool is_good = sort(argc, argv, &sorted, &args, err);

    if (is_good && !args.is_help && !sorted.folder) {
        is_good = false;
        fl_fail(err, FL_INVALID, "name the folder of the backup: fairleadd %s FOLDER", argv[0]);
    } else if (is_good && !args.is_help) {
        args.folder = place(sorted.folder);
        is_good = read_settings(&sorted, env, &args, err);
    }
    fl_free(sorted.argv);
    *ret_args = args;
    return is_good;
}

void backup_args_fini(struct backup_args *args)
{
    fl_free(args->folder);
    fl_free(args->state_dir);
    fl_free(args->database);
    *args = (struct backup_args){0};
}
