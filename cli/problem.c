#include "cli/problem.h"

#include <stdio.h>
#include <string.h>

#include "cli/json_read.h"
#include "cli/output.h"

static int code_of_status(unsigned status)
{
    switch (status) {
    case 400:
    case 413:
    case 422:
        return CLI_BAD_SPEC;
    case 401:
    case 403:
        return CLI_DENIED;
    case 429:
    case 503:
    case 507:
        return CLI_UNREACHABLE;
    default:
        return CLI_FAILED;
    }
}

/* ---- fields that a flag filled --------------------------------------------------------------- */

struct origin {
    const char *verb, *pointer; /* a field's, or a map's: its keys come behind it; or a parameter */
    enum cli_option_id option;
};

#define FILTER_OF(verb)                                                                            \
    {verb, "/state", CLI_OPT_state}, {verb, "/queue", CLI_OPT_queue},                              \
        {verb, "/labels", CLI_OPT_label}, {verb, "/name", CLI_OPT_name},                           \
    {                                                                                              \
        verb, "/submittedBy", CLI_OPT_user                                                         \
    }

static const struct origin origins[] = {
    {"run", "/resources/cpu", CLI_OPT_cpus},
    {"run", "/resources/memory", CLI_OPT_memory},
    {"run", "/resources/gpus", CLI_OPT_gpus},
    {"run", "/resources", CLI_OPT_resource},
    {"run", "/name", CLI_OPT_name},
    {"run", "/queue", CLI_OPT_queue},
    {"run", "/image", CLI_OPT_image},
    {"run", "/replicas", CLI_OPT_replicas},
    {"run", "/array", CLI_OPT_array},
    {"run", "/parallelism", CLI_OPT_parallelism},
    {"run", "/env", CLI_OPT_env},
    {"run", "/secretEnv", CLI_OPT_secret_env},
    {"run", "/labels", CLI_OPT_label},
    {"run", "/priority", CLI_OPT_priority},
    {"run", "/deadline", CLI_OPT_deadline},
    {"run", "/retry", CLI_OPT_retries},
    {"run", "/clusters", CLI_OPT_cluster},
    {"run", "/notClusters", CLI_OPT_not_cluster},
    {"run", "/nodeSelector", CLI_OPT_node_label},
    {"run", "/affinity", CLI_OPT_affinity},
    {"run", "/tolerations", CLI_OPT_tolerate},
    {"run", "/workingDir", CLI_OPT_workdir},
    {"run", "/mounts", CLI_OPT_mount},
    {"edit", "/name", CLI_OPT_name},
    {"edit", "/queue", CLI_OPT_queue},
    {"edit", "/labels", CLI_OPT_label},
    {"edit", "/priority", CLI_OPT_priority},
    {"edit", "/deadline", CLI_OPT_deadline},
    {"edit", "/parallelism", CLI_OPT_parallelism},
    {"edit", "/edit/queue", CLI_OPT_queue},
    {"edit", "/edit/priority", CLI_OPT_priority},
    {"edit", "/edit/deadline", CLI_OPT_deadline},
    {"edit", "/edit/parallelism", CLI_OPT_parallelism},
    FILTER_OF("cancel"),
    FILTER_OF("hold"),
    FILTER_OF("release"),
    FILTER_OF("retry"),
    {"logs", "element", CLI_OPT_element},
    {"logs", "replica", CLI_OPT_replica},
    {"token create", "/scopes", CLI_OPT_scope},
    {"token create", "/queue", CLI_OPT_token_queue},
    {"token create", "/owner", CLI_OPT_owner},
    {"token create", "/ttlSeconds", CLI_OPT_ttl},
    {"token rotate", "/ttlSeconds", CLI_OPT_ttl},
    {"token rotate", "/graceSeconds", CLI_OPT_grace},
    {"cluster join", "/ttlSeconds", CLI_OPT_ttl},
};

/* A key of a JSON pointer as it was before its '/' became "~1" and its '~' became "~0". */
static const char *plain_key(struct cli *cli, const char *escaped)
{
    char *key = fl_arena_printf(&cli->arena, "%s", escaped), *to = key;

    for (const char *from = escaped; *from; from++) {
        bool is_escape = *from == '~' && (from[1] == '0' || from[1] == '1');

        if (is_escape) from++;
        *to++ = !is_escape ? *from : *from == '1' ? '/' : '~';
    }
    *to = 0;
    return key;
}

static bool is_verb(const struct cli *cli, const char *words)
{
    return cli->args.verb && strcmp(cli->args.verb->words, words) == 0;
}

static const char *place_of(const json_t *one)
{
    const char *pointer = cli_text(one, "pointer");

    return *pointer ? pointer : cli_text(one, "parameter");
}

/* "--where queue=ml"; NULL: no --where made the field.  A filter may have several states: then
 * it is the one that the server 'got'. */
static const char *typed_where(struct cli *cli, const char *pointer, const char *got)
{
    static const struct {
        const char *pointer, *key;
    } parts[] = {{"/queue", "queue="},
                 {"/state", "state="},
                 {"/labels", "label="},
                 {"/name", "name="},
                 {"/submittedBy", "user="}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t len = strlen(parts[i].pointer);
        const char *key = parts[i].key, *found = NULL;

        if (strncmp(pointer, parts[i].pointer, len) != 0) continue;
        if (pointer[len] && pointer[len] != '/') continue;
        if (pointer[len] && strcmp(key, "label=") == 0) {
            key = fl_arena_printf(&cli->arena, "label=%s=", plain_key(cli, pointer + len + 1));
        }
        for (size_t k = 0; k < cli->args.values[CLI_OPT_where].len; k++) {
            const char *text = cli->args.values[CLI_OPT_where].at[k];

            if (strncmp(text, key, strlen(key)) != 0) continue;
            if (!found || strcmp(text + strlen(key), got) == 0) found = text;
        }
        if (found) return fl_arena_printf(&cli->arena, "--where %s", found);
    }
    return NULL;
}

/* "--cpus two", "--env FAIRLEAD_X": as it was typed; or the member of a text that was edited; NULL:
 * neither made the field. */
static const char *typed(struct cli *cli, const json_t *error)
{
    const char *pointer = place_of(error);
    const char *where = typed_where(cli, pointer, cli_text(error, "got"));

    if (where) return where;
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        const struct origin *origin = &origins[i];
        size_t len = strlen(origin->pointer);
        const char *value = cli_value(&cli->args, origin->option), *key = NULL;

        if (!is_verb(cli, origin->verb) || !value || strncmp(pointer, origin->pointer, len) != 0 ||
            (pointer[len] && pointer[len] != '/')) {
            continue;
        }
        if (pointer[len] == '/' && (pointer[len + 1] < '0' || pointer[len + 1] > '9')) {
            key = plain_key(cli, pointer + len + 1);
        }
        return fl_arena_printf(&cli->arena, "--%s %s", cli_option_name(origin->option),
                               key ? key : value);
    }
    return is_verb(cli, "edit") && *pointer == '/' ? pointer + 1 : NULL;
}

/* ---- its errors ------------------------------------------------------------------------------ */

static const char *allowed_of(const json_t *one)
{
    const char *allowed = json_string_value(json_object_get(one, "allowed"));

    return allowed ? allowed : "";
}

static void say_error(struct cli *cli, const json_t *one)
{
    static const char *const places[] = {"pointer", "parameter", "header"}; /* it has one */
    const json_t *line = json_object_get(one, "line");

    fputs("  ", stderr);
    if (json_is_integer(line) && is_verb(cli, "submit")) { /* the person wrote that text */
        fprintf(stderr, "line %lld, column %lld: ", (long long)cli_int(one, "line"),
                (long long)cli_int(one, "col"));
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!*cli_text(one, places[i])) continue;
        fprintf(stderr, "%s: ", cli_plain(cli, cli_text(one, places[i])));
    }
    fputs(cli_plain(cli, cli_text(one, "detail")), stderr);
    if (*cli_text(one, "got")) fprintf(stderr, " (got %s)", cli_plain(cli, cli_text(one, "got")));
    if (*allowed_of(one)) fprintf(stderr, " (allowed: %s)", cli_plain(cli, allowed_of(one)));
    fputc('\n', stderr);
}

/* True: flags made all fields that are wrong, and a line names each. */
static bool say_flags(struct cli *cli, const json_t *errors)
{
    json_t *one;
    size_t i;

    json_array_foreach(errors, i, one)
    {
        if (!typed(cli, one)) return false;
    }
    json_array_foreach(errors, i, one)
    {
        const char *detail = cli_text(one, "detail"), *allowed = allowed_of(one);
        bool is_plain = strncmp(detail, "this ", 5) == 0 && *allowed; /* says no more than that */

        fprintf(stderr, "fairlead: %s: %s%s%s\n", cli_plain(cli, typed(cli, one)),
                is_plain ? "" : cli_plain(cli, detail),
                *allowed ? (is_plain ? "wants " : "; wants ") : "", cli_plain(cli, allowed));
    }
    return json_array_size(errors) > 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* "job-7m2k" of "/v1/jobs/job-7m2k/logs?tail=1"; "" when the path names nothing. */
static const char *named_by(struct cli *cli, const char *path)
{
    const char *at = path;

    for (int slashes = 0; slashes < 3; at++) {
        if (!*at || *at == '?') return "";
        slashes += *at == '/';
    }
    return fl_arena_printf(&cli->arena, "%.*s", (int)strcspn(at, "/:?"), at);
}

static void say_detail(struct cli *cli, const char *path, const char *detail, unsigned status)
{
    const char *name = status == 404 || status == 409 ? named_by(cli, path) : "";

    if (status == 401) {
        cli_fail(CLI_DENIED, "%s\n  %s",
                 cli->settings.token
                     ? "the token is not valid: it is unknown, expired, replaced or revoked"
                     : "no token was given",
                 cli->settings.token ? "'fairlead login' again"
                                     : "'fairlead login URL', --token-file or FAIRLEAD_TOKEN");
    } else if (!*detail) {
        cli_fail(CLI_FAILED, "%s answered with status %u", cli->settings.url, status);
    } else {
        cli_fail(CLI_FAILED, "%s%s%s", cli_plain(cli, name), *name ? ": " : "",
                 cli_plain(cli, detail));
    }
}

int cli_problem(struct cli *cli, const char *path, const char *body, unsigned status)
{
    json_t *problem = json_loads(body, 0, NULL), *one;
    const json_t *errors = json_object_get(problem, "errors");
    const char *detail = cli_text(problem, "detail");
    size_t i;

    if (!say_flags(cli, errors)) {
        say_detail(cli, path, *detail ? detail : cli_text(problem, "title"), status);
        json_array_foreach(errors, i, one) say_error(cli, one);
    }
    json_decref(problem);
    return code_of_status(status);
}
