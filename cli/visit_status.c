#include "cli/visit_status.h"

#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"

int cli_visit_query(struct cli *cli, const char **path)
{
    static const struct {
        enum cli_option_id option;
        const char *key;
        long max;
    } parts[] = {{CLI_OPT_element, "element", 1 << 24}, {CLI_OPT_replica, "replica", UINT16_MAX}};
    struct fl_err err = {0};
    long number;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!cli_has(&cli->args, parts[i].option)) continue;
        if (!cli_number(&cli->args, parts[i].option, 0, 0, parts[i].max, &number, &err)) {
            return cli_fail_err(&err);
        }
        *path = fl_arena_printf(&cli->arena, "%s&%s=%ld", *path, parts[i].key, number);
    }
    return CLI_OK;
}

/* The command as a JSON list, escaped for the query. */
static const char *command_of(struct cli *cli, const char *const *words, size_t len)
{
    json_t *list = json_array();
    const char *escaped;
    char *text;

    for (size_t i = 0; i < len; i++) {
        json_array_append_new(list, json_string(words[i]));
    }
    text = json_dumps(list, JSON_COMPACT);
    escaped = cli_escape(cli, text ? text : "[]");
    free(text);
    json_decref(list);
    return escaped;
}

int cli_visit_exec_path(struct cli *cli, const char *id, const char *const *words, size_t len,
                        bool has_tty, const char **ret_path)
{
    const char *path =
        fl_arena_printf(&cli->arena, "/v1/jobs/%s/exec?tty=%s", id, has_tty ? "true" : "false");
    int code = cli_visit_query(cli, &path);

    if (len > 0) {
        path = fl_arena_printf(&cli->arena, "%s&command=%s", path, command_of(cli, words, len));
    }
    *ret_path = path;
    return code;
}

void cli_visit_status_put(struct cli_visit_status *status, struct fl_str bytes, bool is_last)
{
    if (status->is_there || bytes.len > sizeof status->text - status->len) return;
    memcpy(status->text + status->len, bytes.at, bytes.len);
    status->len += bytes.len;
    status->is_there = is_last;
}

static int exit_code(const json_t *status)
{
    const json_t *causes = json_object_get(json_object_get(status, "details"), "causes");
    size_t i;
    json_t *cause;

    json_array_foreach(causes, i, cause)
    {
        if (strcmp(cli_text(cause, "reason"), "ExitCode") == 0) {
            return (int)strtol(cli_text(cause, "message"), NULL, 10);
        }
    }
    return CLI_FAILED;
}

int cli_visit_status_end(struct cli *cli, const struct cli_visit_status *status, const char *why)
{
    json_t *json = status->is_there ? json_loadb(status->text, status->len, 0, NULL) : NULL;
    const char *reason = cli_text(json, "reason"), *message = cli_text(json, "message");
    int code;

    if (!json) {
        code = cli_fail(CLI_UNREACHABLE, "it ended without a word%s%s", *why ? ": " : "",
                        cli_plain(cli, why));
    } else if (strcmp(cli_text(json, "status"), "Success") == 0) {
        code = CLI_OK;
    } else if (strcmp(reason, "NonZeroExitCode") == 0) {
        code = exit_code(json);
    } else {
        code = strcmp(reason, "denied") == 0        ? CLI_DENIED
               : strcmp(reason, "unavailable") == 0 ? CLI_UNREACHABLE
                                                    : CLI_FAILED;
        cli_fail(code, "%s", cli_plain(cli, message));
    }
    json_decref(json);
    return code;
}
