/* submit.c - 'run' and 'submit': submit documents, and follow a single job. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/after_lines.h"
#include "cli/answer.h"
#include "cli/batch.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/hint.h"
#include "cli/job_flags.h"
#include "cli/output.h"
#include "cli/problem.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"
#include "shared/yaml/yaml.h"

enum { DOCUMENTS_MAX = 1000, READ_BYTES = 64 << 10, PLACEMENT_LINES_MAX = 20 };

struct submitted {
    FL_VEC(const char *) ids;
    const char *path, *check_path; /* for a document, with what the flags say */
    bool has_batch;                /* a batch prints its ids and is not followed */
    json_t
        *first; /* as data a job that is followed is printed at its end: held until that is known */
};

/* ---- one document ---------------------------------------------------------------------------- */

/* One that is held back is alone so far. */
static void print_first(struct cli *cli, struct submitted *submitted)
{
    if (submitted->first) FL_IGNORE(cli_answer(cli, submitted->first, NULL));
    json_decref(submitted->first);
    submitted->first = NULL;
}

static void say_submitted(struct cli *cli, json_t *job, struct submitted *submitted)
{
    bool is_detached = cli_has(&cli->args, CLI_OPT_detach);

    if (cli->format == CLI_FORMAT_name || (is_detached && !cli_is_data(cli))) {
        printf("%s\n", cli_text(job, "id"));
    } else if (cli_is_data(cli)) {
        print_first(cli, submitted);
        submitted->first = json_incref(job);
        if (submitted->ids.len > 0) print_first(cli, submitted);
    }
    if (!is_detached) {
        fprintf(stderr, "%s %s in %s\n", cli_text(job, "id"),
                cli_plain(cli, cli_text(job, "state")), cli_plain(cli, cli_text(job, "queue")));
    }
    cli_say_paused(cli, job);
}

/* With what the flags say of any submission.  A check before a submission does not ask where the
 * job could go. */
static const char *jobs_path(struct cli *cli, bool is_check)
{
    const char *dry = cli_has(&cli->args, CLI_OPT_dry_run) ? "?dryRun=true&placement=true"
                      : is_check                           ? "?dryRun=true"
                                                           : "";
    const char *wait = !cli_has(&cli->args, CLI_OPT_wait_for_cluster) ? ""
                       : *dry                                         ? "&waitForCluster=true"
                                                                      : "?waitForCluster=true";

    return fl_arena_printf(&cli->arena, "/v1/jobs%s%s", dry, wait);
}

/* Beside the answer, which is for programs: a line for each of the first clusters.  A token that
 * may not read gets none of them. */
static void say_placement(struct cli *cli, const json_t *answer)
{
    const json_t *placement = json_object_get(answer, "placement"), *one;
    const json_t *clusters = json_object_get(placement, "clusters");
    long long enrolled = (long long)cli_int(placement, "enrolled"), told = 0;
    size_t i;

    if (clusters && enrolled == 0) fprintf(stderr, "no cluster is enrolled: it would wait\n");
    json_array_foreach(clusters, i, one)
    {
        if (i == PLACEMENT_LINES_MAX) break;
        fprintf(stderr, "%s: %s: ", cli_plain(cli, cli_text(one, "cluster")),
                cli_text(one, "reason"));
        fprintf(stderr, "%s\n", cli_plain(cli, cli_text(one, "detail")));
        told++;
    }
    if (enrolled > told) {
        fprintf(stderr, "and %lld more cluster%s\n", enrolled - told,
                enrolled - told == 1 ? "" : "s");
    }
    if (json_is_false(json_object_get(placement, "possible"))) {
        fprintf(stderr, "no enrolled cluster could ever run it\n");
    }
}

static const char *put_after(struct cli *cli, const char *path, const char *mark,
                             const json_t *after)
{
    const json_t *one;
    size_t i;

    json_array_foreach(after, i, one)
    {
        path = fl_arena_printf(&cli->arena, "%s%s%s:%s", path, i > 0 ? "," : mark,
                               cli_text(one, "job"), cli_text(one, "on"));
    }
    return path;
}

/* --queue and --hold go over what the document says, --after besides it. */
static const char *submit_path(struct cli *cli, bool is_check, const json_t *after)
{
    const char *path = jobs_path(cli, is_check);
    const char *mark = strchr(path, '?') ? "&" : "?";

    if (cli_has(&cli->args, CLI_OPT_queue)) {
        path = fl_arena_printf(&cli->arena, "%s%squeue=%s", path, mark,
                               cli_escape(cli, cli_value(&cli->args, CLI_OPT_queue)));
        mark = "&";
    }
    if (cli_has(&cli->args, CLI_OPT_hold)) {
        path = fl_arena_printf(&cli->arena, "%s%shold=true", path, mark);
        mark = "&";
    }
    return put_after(cli, path, fl_arena_printf(&cli->arena, "%safter=", mark), after);
}

static int post(struct cli *cli, const char *path, struct fl_str body, const char *type,
                struct submitted *submitted)
{
    struct cli_request request = {.method = "POST",
                                  .path = path,
                                  .body = body.at,
                                  .body_len = body.len,
                                  .content_type = type};
    json_t *job = NULL;
    int code;

    request.key = cli_value(&cli->args, CLI_OPT_key);
    code = cli_call(cli, &request, &job);
    if (code) return code;
    if (cli_has(&cli->args, CLI_OPT_dry_run)) {
        if (!cli_answer(cli, job, NULL)) cli_print_json(cli, job);
        say_placement(cli, job);
    } else {
        say_submitted(cli, job, submitted);
        fl_vec_push(&submitted->ids, fl_arena_printf(&cli->arena, "%s", cli_text(job, "id")));
    }
    json_decref(job);
    return CLI_OK;
}

static void fini(struct cli *cli, struct submitted *submitted)
{
    print_first(cli, submitted);
    fl_vec_fini(&submitted->ids);
}

/* Follows a single job, unless --detach or --hold forbid it.  A format changes what is printed, and
 * neither the wait nor the exit code. */
static int follow(struct cli *cli, struct submitted *submitted)
{
    struct cli_follow one = {.has_timestamps = cli_has(&cli->args, CLI_OPT_timestamps),
                             .is_silent = cli_is_data(cli) && cli->format != CLI_FORMAT_jsonl};

    if (submitted->ids.len != 1 || submitted->has_batch || cli_has(&cli->args, CLI_OPT_detach) ||
        cli_has(&cli->args, CLI_OPT_hold)) {
        return CLI_OK;
    }
    json_decref(submitted->first);
    submitted->first = NULL;
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
    code = post(cli, jobs_path(cli, false), fl_str_c(text), "application/json", &submitted);
    free(text);
    if (code == CLI_OK) code = follow(cli, &submitted);
    fini(cli, &submitted);
    return code;
}

/* ---- submit ---------------------------------------------------------------------------------- */

/* All of it, as far as a batch may go; a zero byte is behind it. */
static bool read_all(FILE *in, struct fl_buf *buf)
{
    size_t before, got = 1;

    while (got > 0) {
        uint8_t *at;

        before = buf->len;
        at = fl_buf_room(buf, READ_BYTES);
        if (!at) return false;
        got = fread(at, 1, READ_BYTES, in);
        fl_buf_truncate(buf, before + got);
    }
    return fl_buf_put_u8(buf, 0);
}

static const char *read_file(struct cli *cli, const char *file, size_t *ret_len, struct fl_err *err)
{
    FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
    struct fl_buf buf;
    bool is_whole;
    struct fl_str text;

    if (!in) {
        fl_fail(err, FL_IO, "%s cannot be read: %s", file, strerror(errno));
        return NULL;
    }
    fl_buf_init_in(&buf, CLI_BATCH_BYTES_MAX + READ_BYTES, &cli->arena);
    is_whole = read_all(in, &buf);
    text = (struct fl_str){(const char *)buf.at, buf.len - is_whole};
    if (ferror(in)) {
        fl_fail(err, FL_IO, "%s cannot be read: %s", file, strerror(errno));
        is_whole = false;
    } else if (!is_whole || (text.len > FL_YAML_BYTES_MAX && !cli_is_batch(text))) {
        is_whole = fl_fail(err, FL_TOO_LARGE, "%s is larger than %d KiB (a batch: %d KiB)", file,
                           FL_YAML_BYTES_MAX >> 10, CLI_BATCH_BYTES_MAX >> 10);
    }
    if (in != stdin) fclose(in);
    *ret_len = text.len;
    return is_whole ? text.at : NULL;
}

/* ---- several documents ----------------------------------------------------------------------- */

struct documents {
    const struct fl_json *at[DOCUMENTS_MAX];
    size_t len;
};

static bool is_text(const struct fl_json *node, const char *text)
{
    return node && node->kind == FL_JSON_STRING && fl_str_eq(node->text, fl_str_c(text));
}

/* A manifest of kind List with several items stands for them; else NULL.  The server takes one item
 * a request. */
static const struct fl_json *items_of(const struct fl_json *root)
{
    const struct fl_json *items = fl_json_member(root, FL_STR("items"));
    bool is_list = is_text(fl_json_member(root, FL_STR("kind")), "List") &&
                   is_text(fl_json_member(root, FL_STR("apiVersion")), "v1");

    return is_list && items && items->kind == FL_JSON_LIST && items->len > 1 ? items : NULL;
}

static bool take_document(struct documents *documents, const struct fl_json *root)
{
    if (documents->len == DOCUMENTS_MAX) return false;
    documents->at[documents->len++] = root;
    return true;
}

/* False: there are too many. */
static bool take_root(struct documents *documents, const struct fl_json *root)
{
    const struct fl_json *items = items_of(root);

    if (!items) return take_document(documents, root);
    FL_JSON_EACH (item, items) {
        if (!take_document(documents, item)) return false;
    }
    return true;
}

/* NULL: it is too large. */
static const char *write_tree(struct cli *cli, const struct fl_json *root)
{
    struct fl_buf buf;
    struct fl_json_out out = fl_json_out(&buf);

    fl_buf_init_in(&buf, 2 * FL_YAML_BYTES_MAX, &cli->arena);
    fl_json_put_tree(&out, root);
    fl_buf_put_u8(&buf, 0);
    return buf.is_over ? NULL : (const char *)buf.at;
}

static int check_document(struct cli *cli, const char *path, const char *text)
{
    struct cli_request request = {.method = "POST",
                                  .path = path,
                                  .body = text,
                                  .body_len = strlen(text),
                                  .content_type = "application/json"};
    json_t *answer = NULL;
    int code = cli_call(cli, &request, &answer);

    json_decref(answer);
    return code;
}

/* The document that is looked at, of those of a file; its jobs' ids once they are submitted. */
struct in_file {
    const char *const *ids; /* NULL: it is only checked */
    size_t number;          /* from 1 */
};

static bool find_document(void *ctx, long line, struct cli_after_target *ret, struct fl_err *err)
{
    const struct in_file *in_file = ctx;

    if (line < 1 || (size_t)line >= in_file->number) {
        return fl_fail(err, FL_INVALID,
                       "it is to run after document %ld, which does not stand before it", line);
    }
    *ret = (struct cli_after_target){in_file->ids ? in_file->ids[line - 1] : NULL, line};
    return true;
}

/* As text.  NULL: the error was printed. */
static const char *write_document(struct cli *cli, const struct fl_json *document, size_t number,
                                  const char *const *ids)
{
    struct in_file in_file = {ids, number};
    struct fl_err err = {0};
    const char *text;

    if (!cli_after_resolve(document, find_document, &in_file, &cli->arena, &err)) {
        FL_IGNORE(cli_fail(CLI_BAD_SPEC, "%s", err.text));
        return NULL;
    }
    text = write_tree(cli, document);
    if (!text) FL_IGNORE(cli_fail(CLI_BAD_SPEC, "a document is too large"));
    return text;
}

/* All are checked before the first is submitted: a file with a mistake submits nothing. */
static int post_documents(struct cli *cli, const char *file, const struct documents *documents,
                          struct submitted *submitted)
{
    size_t before = submitted->ids.len;
    bool is_dry = cli_has(&cli->args, CLI_OPT_dry_run);

    if (cli_has(&cli->args, CLI_OPT_key)) {
        return cli_fail(CLI_USAGE, "--key is for one document, and %s has several", file);
    }
    for (size_t i = 0; i < documents->len; i++) {
        const char *text = write_document(cli, documents->at[i], i + 1, NULL);
        int code = !text    ? CLI_BAD_SPEC
                   : is_dry ? CLI_OK
                            : check_document(cli, submitted->check_path, text);

        if (code) {
            fprintf(stderr, "  in %s, document %zu of %zu; nothing of it was submitted\n", file,
                    i + 1, documents->len);
            return code;
        }
    }
    for (size_t i = 0; i < documents->len; i++) {
        const char *text = write_document(cli, documents->at[i], i + 1,
                                          is_dry ? NULL : submitted->ids.at + before);
        int code = text ? post(cli, submitted->path, fl_str_c(text), "application/json", submitted)
                        : CLI_BAD_SPEC;

        if (code) {
            fprintf(stderr, "  in %s, document %zu of %zu; those after it were not submitted\n",
                    file, i + 1, documents->len);
            return code;
        }
    }
    return CLI_OK;
}

/* CLI_OK, and all documents of 'text'. */
static int read_documents(struct cli *cli, const char *file, struct fl_str text,
                          struct documents *documents)
{
    struct fl_yaml *yaml = fl_yaml_create(text);
    const struct fl_json *root = NULL;
    struct fl_place at = {0};
    struct fl_err err = {0};
    bool is_good, has_room = true;

    while ((is_good = fl_yaml_next(yaml, &cli->arena, &root, &at, &err)) && root && has_room) {
        has_room = take_root(documents, root);
    }
    fl_yaml_destroy(yaml);
    if (!has_room) {
        return cli_fail(CLI_BAD_SPEC, "%s has more than %d documents; nothing was submitted", file,
                        DOCUMENTS_MAX);
    }
    if (!is_good) {
        return cli_fail(CLI_BAD_SPEC, "%s, line %u, column %u: %s; nothing of it was submitted",
                        file, at.line, at.col, err.text);
    }
    return documents->len ? CLI_OK : cli_fail(CLI_BAD_SPEC, "%s holds no document", file);
}

/* A file with one document is sent unchanged, so that the server's errors name its lines. */
static int submit_file(struct cli *cli, const char *file, struct submitted *submitted)
{
    struct documents documents = {0};
    struct fl_err err = {0};
    size_t len = 0;
    const char *text = read_file(cli, file, &len, &err);
    int code;

    if (!text) return cli_fail_err(&err);
    if (cli_is_batch((struct fl_str){text, len})) {
        submitted->has_batch = true;
        return cli_batch_submit(cli, file, (struct fl_str){text, len});
    }
    code = read_documents(cli, file, (struct fl_str){text, len}, &documents);
    if (code) return code;
    if (documents.len > 1) return post_documents(cli, file, &documents, submitted);
    code = post(cli, submitted->path, (struct fl_str){text, len}, "application/yaml", submitted);
    if (code) fprintf(stderr, "  in %s\n", file);
    return code;
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

/* False: the error was printed. */
static bool make_paths(struct cli *cli, struct submitted *submitted, int *ret_code)
{
    json_t *after = cli_after_of_flags(cli, ret_code);

    if (!after) return false;
    submitted->path = submit_path(cli, false, after);
    submitted->check_path = submit_path(cli, true, after);
    json_decref(after);
    return true;
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
    if (!make_paths(cli, &submitted, &code)) return code;
    for (size_t i = 0; i < cli->args.words.len && code == CLI_OK; i++) {
        const char *file = cli->args.words.at[i];

        code = is_folder(file) ? submit_folder(cli, file, &submitted)
                               : submit_file(cli, file, &submitted);
    }
    if (code == CLI_OK) code = follow(cli, &submitted);
    fini(cli, &submitted);
    return code;
}
