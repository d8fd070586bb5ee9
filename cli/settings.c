#include "cli/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 20 };

static const char *copy(struct fl_arena *arena, const char *text)
{
    return text ? fl_arena_copy(arena, text, strlen(text)) : NULL;
}

/* ---- the file -------------------------------------------------------------------------------- */

static const char *config_dir(struct fl_arena *arena)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (xdg && *xdg == '/') return fl_arena_printf(arena, "%s/fairlead", xdg);
    return fl_arena_printf(arena, "%s/.config/fairlead", home && *home ? home : "");
}

bool cli_contexts_read(struct fl_arena *arena, json_t **ret_contexts, struct fl_err *err)
{
    const char *path = fl_arena_printf(arena, "%s/contexts.json", config_dir(arena));
    json_error_t why;
    json_t *contexts;
    struct stat status;

    if (stat(path, &status) < 0 && errno == ENOENT) {
        *ret_contexts = json_pack("{s:{}}", "contexts");
        return true;
    }
    if (stat(path, &status) == 0 && status.st_size > FILE_BYTES_MAX) {
        return fl_fail(err, FL_INVALID, "%s is larger than 1 MiB: it is no contexts file", path);
    }
    contexts = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (!contexts && json_error_code(&why) == json_error_cannot_open_file) {
        return fl_fail(err, FL_IO, "%s cannot be read: %s", path, strerror(errno));
    }
    if (!contexts || !json_is_object(json_object_get(contexts, "contexts"))) {
        json_decref(contexts);
        return fl_fail(err, FL_INVALID, "%s, line %d: it is no contexts file; repair or remove it",
                       path, why.line);
    }
    *ret_contexts = contexts;
    return true;
}

bool cli_contexts_write(struct fl_arena *arena, const json_t *contexts, struct fl_err *err)
{
    const char *dir = config_dir(arena);
    const char *path = fl_arena_printf(arena, "%s/contexts.json", dir);
    const char *fresh = fl_arena_printf(arena, "%s.new.%d", path, (int)getpid());
    char *parent = fl_arena_copy(arena, dir, strlen(dir));
    int fd;
    bool is_good;

    *strrchr(parent, '/') = 0;
    if (*parent) mkdir(parent, 0700);
    if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
        return fl_fail(err, FL_IO, "%s cannot be made: %s", dir, strerror(errno));
    }
    fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return fl_fail(err, FL_IO, "%s cannot be written: %s", fresh, strerror(errno));
    is_good = json_dumpfd(contexts, fd, JSON_INDENT(2) | JSON_SORT_KEYS) == 0 && fsync(fd) == 0;
    is_good = close(fd) == 0 && is_good;
    if (!is_good || rename(fresh, path) < 0) {
        fl_fail(err, FL_IO, "%s cannot be written: %s", path, strerror(errno));
        unlink(fresh);
        return false;
    }
    return true;
}

/* ---- tokens and addresses -------------------------------------------------------------------- */

bool cli_token_read(const char *file, struct fl_arena *arena, const char **ret_token,
                    struct fl_err *err)
{
    bool is_stdin = strcmp(file, "-") == 0;
    FILE *in = is_stdin ? stdin : fopen(file, "re");
    char line[CLI_TOKEN_BYTES_MAX + 2];
    size_t len;

    if (!in) return fl_fail(err, FL_IO, "%s cannot be read: %s", file, strerror(errno));
    len = fgets(line, sizeof line, in) ? strcspn(line, "\r\n") : 0;
    if (!is_stdin) fclose(in);
    if (len == 0 || len > CLI_TOKEN_BYTES_MAX) {
        return fl_fail(err, FL_INVALID, "%s holds no token on its first line",
                       is_stdin ? "stdin" : file);
    }
    *ret_token = fl_arena_copy(arena, line, len);
    return true;
}

static bool is_loopback(const char *host)
{
    size_t len = strcspn(host, "/");

    return strncmp(host, "127.", 4) == 0 || strncmp(host, "[::1]", 5) == 0 ||
           strncmp(host, "localhost:", 10) == 0 || (len == 9 && strncmp(host, "localhost", 9) == 0);
}

bool cli_url_check(const char *text, struct fl_arena *arena, const char **ret_url,
                   struct fl_err *err)
{
    size_t len = strlen(text);
    const char *host = strstr(text, "://");

    while (len && text[len - 1] == '/') {
        len--;
    }
    if (!host || !host[3] || strpbrk(text, " \t\r\n?#@") ||
        (strncmp(text, "https://", 8) != 0 && strncmp(text, "http://", 7) != 0)) {
        return fl_fail(err, FL_INVALID,
                       "'%s' is no URL of a control plane: write https://host:port", text);
    }
    if (strncmp(text, "http://", 7) == 0 && !is_loopback(host + 3)) {
        return fl_fail(err, FL_INVALID, "'%s' would send the token in the clear: write https://",
                       text);
    }
    *ret_url = fl_arena_copy(arena, text, len);
    return true;
}

/* ---- the settings in force ------------------------------------------------------------------- */

/* NULL if the variable is unset or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static bool take_context(const char *name, struct fl_arena *arena, struct cli_settings *settings,
                         struct fl_err *err)
{
    json_t *contexts = NULL, *context;
    bool is_asked = name != NULL;

    if (!cli_contexts_read(arena, &contexts, err)) return false;
    if (!name) name = json_string_value(json_object_get(contexts, "current"));
    context = name ? json_object_get(json_object_get(contexts, "contexts"), name) : NULL;
    if (is_asked && !context) {
        fl_fail(err, FL_INVALID, "no context '%s'; 'fairlead context ls' shows them", name);
    } else if (context) {
        settings->context = copy(arena, name);
        settings->url = copy(arena, json_string_value(json_object_get(context, "url")));
        settings->token = copy(arena, json_string_value(json_object_get(context, "token")));
        settings->ca_file = copy(arena, json_string_value(json_object_get(context, "ca_file")));
    }
    json_decref(contexts);
    return context || !is_asked;
}

bool cli_settings_read(const struct cli_args *args, struct fl_arena *arena,
                       struct cli_settings *ret_settings, struct fl_err *err)
{
    struct cli_settings settings = {0};
    const char *context = cli_value(args, CLI_OPT_context);
    const char *url = cli_value(args, CLI_OPT_url);
    const char *ca_file = cli_value(args, CLI_OPT_ca_file);

    if (!context) context = variable("FAIRLEAD_CONTEXT");
    if (!take_context(context, arena, &settings, err)) return false;
    if (!url) url = variable("FAIRLEAD_URL");
    if (url && !cli_url_check(url, arena, &url, err)) return false;
    /* A context's token is for its own control plane and must not go to another. */
    if (url && (!settings.url || strcmp(url, settings.url) != 0)) {
        settings = (struct cli_settings){.url = url};
    }
    if (!ca_file) ca_file = variable("FAIRLEAD_CA_FILE");
    if (ca_file) settings.ca_file = ca_file;
    if (variable("FAIRLEAD_TOKEN")) settings.token = variable("FAIRLEAD_TOKEN");
    if (cli_has(args, CLI_OPT_token_file) &&
        !cli_token_read(cli_value(args, CLI_OPT_token_file), arena, &settings.token, err)) {
        return false;
    }
    settings.as = cli_value(args, CLI_OPT_as);
    if (settings.as && !fl_str_is_name(fl_str_c(settings.as))) {
        return fl_fail(err, FL_INVALID,
                       "--as %s: wants the name of an owner: a-z, 0-9 and '-', no '-' at an end",
                       settings.as);
    }
    *ret_settings = settings;
    return true;
}
