/* submit.c - 'run' and 'submit': submit documents, and follow a single job. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/client.h"
#include "cli/follow.h"
#include "cli/job_flags.h"
#include "cli/output.h"
#include "cli/remedy.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"
#include "shared/yaml/yaml.h"

enum { DOCUMENTS_MAX = 1000, BATCH_BYTES_MAX = 8 << 20 };

struct submitted {
    FL_VEC(const char *) ids;
    bool has_batch; /* a batch prints its ids and is not followed */
};

/* ---- one document ---------------------------------------------------------------------------- */

static void say_submitted(struct cli *cli, const json_t *job)
{
    if (cli_is_json(cli)) {
        cli_print_json(cli, job);
    } else if (cli_has(&cli->args, CLI_OPT_detach) || cli->format == CLI_FORMAT_name) {
        printf("%s\n", cli_text(job, "id"));
    } else {
        fprintf(stderr, "%s %s in %s\n", cli_text(job, "id"),
                cli_plain(cli, cli_text(job, "state")), cli_plain(cli, cli_text(job, "queue")));
    }
    cli_say_paused(cli, job);
}

static int post(struct cli *cli, const char *body, size_t len, const char *type,
                struct submitted *submitted)
{
    struct cli_request request = {
        .method = "POST", .body = body, .body_len = len, .content_type = type};
    json_t *job = NULL;
    int code;

    request.path = cli_has(&cli->args, CLI_OPT_dry_run) ? "/v1/jobs?dryRun=true" : "/v1/jobs";
    request.key = cli_value(&cli->args, CLI_OPT_key);
    code = cli_call(cli, &request, &job);
    if (code) return code;
    if (cli_has(&cli->args, CLI_OPT_dry_run)) {
        cli_print_json(cli, job);
    } else {
        say_submitted(cli, job);
        fl_vec_push(&submitted->ids, fl_arena_printf(&cli->arena, "%s", cli_text(job, "id")));
    }
    json_decref(job);
    return CLI_OK;
}

/* Follows a single job, unless --detach, --hold or --output forbid it. */
static int follow(struct cli *cli, const struct submitted *submitted)
{
    struct cli_follow one = {.has_timestamps = cli_has(&cli->args, CLI_OPT_timestamps)};

    if (submitted->ids.len != 1 || submitted->has_batch || cli_has(&cli->args, CLI_OPT_detach) ||
        cli_has(&cli->args, CLI_OPT_hold) || cli_is_json(cli) || cli->format == CLI_FORMAT_name) {
        return CLI_OK;
    }
    one.job = submitted->ids.at[0];
    return cli_follow(cli, &one);
}

/* ---- run ------------------------------------------------------------------------------------- */

int verb_run(struct cli *cli)
{
    struct submitted submitted = {0};
    int code = CLI_OK;
    json_t *document = cli_job_of_flags(cli, &code);
    char *text;

    if (!document) return code;
    text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    if (!text) return cli_fail(CLI_USAGE, "a word of the command line is no UTF-8");
    code = post(cli, text, strlen(text), "application/json", &submitted);
    free(text);
    if (code == CLI_OK) code = follow(cli, &submitted);
    fl_vec_fini(&submitted.ids);
    return code;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* The media type for POST /v1/jobs:batch: a JSON list, or lines of JSON.  NULL: it is neither. */
static const char *batch_type(const char *text, size_t len)
{
    size_t skip = strspn(text, " \t\r\n"), line = strcspn(text + skip, "\n");
    json_t *first;
    bool is_whole;

    if (text[skip] == '[') return "application/json";
    if (text[skip] != '{' || skip + line >= len) return NULL;
    first = json_loadb(text + skip, line, JSON_REJECT_DUPLICATES, NULL);
    is_whole = json_is_object(first);
    json_decref(first);
    return is_whole && text[skip + line + strspn(text + skip + line, " \t\r\n")] == '{'
               ? "application/x-ndjson"
               : NULL;
}

/* One result a line: {"line":2,"id":"job-8"}, {"line":1,"spec":"train"} or
 * {"line":3,"problem":{...}}. */
static int take_results(struct cli *cli, const char *file, char *body, struct submitted *submitted)
{
    int code = CLI_OK;

    for (char *at = body, *end; *at; at = end) {
        json_t *one, *problem;

        end = at + strcspn(at, "\n");
        one = json_loadb(at, (size_t)(end - at), 0, NULL);
        problem = json_object_get(one, "problem");
        if (*end) end++;
        if (problem) {
            fprintf(stderr, "fairlead: %s, document %lld: %s\n", file,
                    (long long)cli_int(one, "line"), cli_plain(cli, cli_text(problem, "detail")));
            code = CLI_BAD_SPEC;
        }
        if (cli_is_json(cli)) {
            cli_print_json(cli, one);
        } else if (*cli_text(one, "id")) {
            printf("%s\n", cli_text(one, "id"));
        }
        if (*cli_text(one, "id")) {
            fl_vec_push(&submitted->ids, fl_arena_printf(&cli->arena, "%s", cli_text(one, "id")));
        }
        json_decref(one);
    }
    return code;
}

static int post_batch(struct cli *cli, const char *file, const char *text, size_t len,
                      const char *type, struct submitted *submitted)
{
    struct cli_request request = {.method = "POST",
                                  .path = "/v1/jobs:batch",
                                  .body = text,
                                  .body_len = len,
                                  .content_type = type,
                                  .accept = "application/x-ndjson"};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    request.key = cli_value(&cli->args, CLI_OPT_key);
    if (cli_has(&cli->args, CLI_OPT_dry_run) || cli_has(&cli->args, CLI_OPT_queue) ||
        cli_has(&cli->args, CLI_OPT_hold)) {
        return cli_fail(CLI_USAGE,
                        "%s is a batch: its lines say queue and hold themselves, and "
                        "there is no --dry-run of it",
                        file);
    }
    if (!cli_send(cli, &request, &reply, &err)) return cli_fail_err(&err);
    if (reply.status != 200) return cli_problem(cli, reply.body, reply.status);
    submitted->has_batch = true;
    return take_results(cli, file, reply.body, submitted);
}

/* ---- submit ---------------------------------------------------------------------------------- */

static const char *read_file(struct cli *cli, const char *file, size_t *ret_len, struct fl_err *err)
{
    FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
    char *text;
    size_t len;

    if (!in) {
        fl_fail(err, FL_IO, "%s cannot be read: %s", file, strerror(errno));
        return NULL;
    }
    /* We parse YAML, up to its limit.  The server parses a batch, whose limit is larger. */
    text = fl_arena_alloc(&cli->arena, BATCH_BYTES_MAX + 2);
    len = fread(text, 1, BATCH_BYTES_MAX + 1, in);
    text[len] = 0;
    if (ferror(in)) {
        fl_fail(err, FL_IO, "%s cannot be read: %s", file, strerror(errno));
        text = NULL;
    } else if (len > FL_YAML_BYTES_MAX && !(len <= BATCH_BYTES_MAX && batch_type(text, len))) {
        fl_fail(err, FL_TOO_LARGE, "%s is larger than %d KiB (a batch: %d KiB)", file,
                FL_YAML_BYTES_MAX >> 10, BATCH_BYTES_MAX >> 10);
        text = NULL;
    }
    if (in != stdin) fclose(in);
    *ret_len = len;
    return text;
}

/* Puts --queue and --hold into the document: the command line wins. */
static char * override(struct cli *cli, const char *text)
{
    json_t *document = json_loads(text, 0, NULL);
    char *changed;

    if (!json_is_object(document)) {
        json_decref(document);
        return strdup(text); /* the server says what is wrong with it */
    }
    if (cli_has(&cli->args, CLI_OPT_queue)) {
        json_object_set_new(document, "queue", json_string(cli_value(&cli->args, CLI_OPT_queue)));
    }
    if (cli_has(&cli->args, CLI_OPT_hold)) json_object_set_new(document, "hold", json_true());
    changed = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    return changed;
}

static int post_tree(struct cli *cli, const struct fl_json *root, struct submitted *submitted)
{
    struct fl_buf buf;
    struct fl_json_out out = fl_json_out(&buf);
    char *text;
    int code;

    fl_buf_init(&buf, 2 * FL_YAML_BYTES_MAX);
    fl_json_put_tree(&out, root);
    fl_buf_put_u8(&buf, 0);
    if (buf.is_over) {
        fl_buf_fini(&buf);
        return cli_fail(CLI_BAD_SPEC, "a document is too large");
    }
    text = override(cli, (const char *)buf.at);
    fl_buf_fini(&buf);
    code = post(cli, text, strlen(text), "application/json", submitted);
    free(text);
    return code;
}

/* A file with one document is sent unchanged, so that the server's errors name its lines. */
static int submit_file(struct cli *cli, const char *file, struct submitted *submitted)
{
    const struct fl_json *roots[DOCUMENTS_MAX], *root = NULL;
    struct fl_place at = {0};
    struct fl_err err = {0};
    struct fl_yaml *yaml;
    size_t len = 0, roots_len = 0;
    const char *text = read_file(cli, file, &len, &err);
    bool is_good = true,
         is_changed = cli_has(&cli->args, CLI_OPT_queue) || cli_has(&cli->args, CLI_OPT_hold);

    if (!text) return cli_fail_err(&err);
    if (batch_type(text, len)) {
        return post_batch(cli, file, text, len, batch_type(text, len), submitted);
    }
    yaml = fl_yaml_create((struct fl_str){text, len});
    while ((is_good = fl_yaml_next(yaml, &cli->arena, &root, &at, &err)) && root) {
        if (roots_len == DOCUMENTS_MAX) {
            fl_yaml_destroy(yaml);
            return cli_fail(CLI_BAD_SPEC, "%s has more than %d documents; nothing was submitted",
                            file, DOCUMENTS_MAX);
        }
        roots[roots_len++] = root;
    }
    fl_yaml_destroy(yaml);
    if (!is_good) {
        return cli_fail(CLI_BAD_SPEC, "%s, line %u, column %u: %s; nothing of it was submitted",
                        file, at.line, at.col, err.text);
    }
    if (!roots_len) return cli_fail(CLI_BAD_SPEC, "%s holds no document", file);
    if (roots_len == 1 && !is_changed) {
        int code = post(cli, text, len, "application/yaml", submitted);

        if (code) fprintf(stderr, "  in %s\n", file);
        return code;
    }
    for (size_t i = 0; i < roots_len; i++) {
        int code = post_tree(cli, roots[i], submitted);

        if (code) {
            fprintf(stderr, "  in %s, document %zu of %zu; those after it were not submitted\n",
                    file, i + 1, roots_len);
            return code;
        }
    }
    return CLI_OK;
}

static bool is_document(const char *name)
{
    static const char *const ends[] = {".yaml", ".yml", ".json", ".ndjson", ".jsonl"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++) {
        if (name[0] != '.' && strcmp(dot, ends[i]) == 0) return true;
    }
    return false;
}

static int wants_document(const struct dirent *entry)
{
    return is_document(entry->d_name);
}

/* Submits the folder's documents in order of their names, without those in folders below it. */
static int submit_folder(struct cli *cli, const char *folder, struct submitted *submitted)
{
    struct dirent **files = NULL;
    int len = scandir(folder, &files, wants_document, alphasort), code = CLI_OK;

    if (len < 0) return cli_fail(CLI_IO, "%s cannot be read: %s", folder, strerror(errno));
    if (len == 0) code = cli_fail(CLI_BAD_SPEC, "%s holds no .yaml, .json or .ndjson", folder);
    for (int i = 0; i < len; i++) {
        if (code == CLI_OK) {
            code = submit_file(cli, fl_arena_printf(&cli->arena, "%s/%s", folder, files[i]->d_name),
                               submitted);
        }
        free(files[i]);
    }
    free(files);
    return code;
}

static bool is_folder(const char *file)
{
    struct stat status;

    return strcmp(file, "-") != 0 && stat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

int verb_submit(struct cli *cli)
{
    struct submitted submitted = {0};
    int code = CLI_OK;

    if (!cli->args.words.len) {
        return cli_fail(CLI_USAGE, "usage: fairlead submit FILE... | DIR | -");
    }
    if (cli_has(&cli->args, CLI_OPT_key) &&
        (cli->args.words.len > 1 || is_folder(cli->args.words.at[0]))) {
        return cli_fail(CLI_USAGE, "--key is for one document, and there are several files");
    }
    for (size_t i = 0; i < cli->args.words.len && code == CLI_OK; i++) {
        const char *file = cli->args.words.at[i];

        code = is_folder(file) ? submit_folder(cli, file, &submitted)
                               : submit_file(cli, file, &submitted);
    }
    if (code == CLI_OK) code = follow(cli, &submitted);
    fl_vec_fini(&submitted.ids);
    return code;
}
