#include "cli/batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/after_lines.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/problem.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"
#include "shared/json/json_out.h"

/* Below the server's limits of one request. */
enum {
    JOBS_MAX = 1000,
    VALUES_MAX = 150000,
    DIGESTS_MAX = 16,
    PART_BYTES_MAX = 7 << 20,
};

struct item {
    const char *text; /* one line, without its newline */
    size_t len;
    long number;    /* the line in the file, or the place in the list */
    const char *id; /* its job; NULL: not yet, or refused */
};

/* A line of a part: the item that it is, or a definition that an earlier part had already. */
struct line {
    size_t item;
    bool is_repeated;
};

struct batch {
    struct cli *cli;
    const char *file, *key;
    FL_VEC(struct item) items;
    json_t *definitions; /* name: the index of the item that defines it first */

    /* the part that is being gathered */
    struct fl_buf body;
    FL_VEC(struct line) lines;
    json_t *defined; /* the names whose definition it has */
    json_t *digests; /* the specs of earlier jobs that it uses */
    size_t values;

    struct fl_arena scratch; /* one line, while it is written anew */
    size_t parts, done;      /* that were sent; items of these */
    bool is_cut;             /* it goes in several parts */
    int code;                /* CLI_BAD_SPEC: some lines were refused */
};

/* ---- items ----------------------------------------------------------------------------------- */

static size_t blanks(const char *at)
{
    return strspn(at, " \t\r\n");
}

bool cli_is_batch(struct fl_str text)
{
    const char *at = text.at + blanks(text.at);
    size_t line = strcspn(at, "\n");
    json_t *first;
    bool is_whole;

    if (*at == '[') return true;
    if (*at != '{' || at + line >= text.at + text.len) return false;
    first = json_loadb(at, line, JSON_REJECT_DUPLICATES, NULL);
    is_whole = json_is_object(first);
    json_decref(first);
    return is_whole && at[line + blanks(at + line)] == '{';
}

static void take_lines(struct batch *batch, struct fl_str text)
{
    const char *at = text.at, *end = text.at + text.len;

    for (long number = 1; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((newline ? newline : end) - at);

        if (blanks(at) < len) fl_vec_push(&batch->items, (struct item){at, len, number, NULL});
        at += len + 1;
    }
}

/* The length of an item of a list, up to its ',' or ']'.  Its own line ends become blanks: JSON has
 * none within a text. */
static size_t one_line(char *at)
{
    bool is_text = false;
    int depth = 0;
    size_t len;

    for (len = 0; at[len] && (is_text || depth > 0 || !strchr(",]", at[len])); len++) {
        if (is_text && at[len] == '\\') {
            len++;
        } else if (at[len] == '"') {
            is_text = !is_text;
        } else if (!is_text) {
            depth += (at[len] == '[' || at[len] == '{') - (at[len] == ']' || at[len] == '}');
            if (at[len] == '\n' || at[len] == '\r') at[len] = ' ';
        }
    }
    return len;
}

/* As they are written: numbers in a command keep their spelling. */
static int take_list(struct batch *batch, struct fl_str text)
{
    json_error_t wrong;
    json_t *list = json_loadb(text.at, text.len, JSON_REJECT_DUPLICATES, &wrong);
    size_t count = json_array_size(list);
    char *at;

    json_decref(list);
    if (!list) {
        return cli_fail(CLI_BAD_SPEC, "%s, line %d, column %d: %s; nothing of it was submitted",
                        batch->file, wrong.line, wrong.column, wrong.text);
    }
    at = fl_arena_copy(&batch->cli->arena, text.at, text.len);
    at += blanks(at) + 1;
    for (size_t i = 0; i < count; i++) {
        size_t len = one_line(at);

        fl_vec_push(&batch->items, (struct item){at, len, (long)i + 1, NULL});
        at += len + 1;
    }
    return CLI_OK;
}

/* ---- one request ----------------------------------------------------------------------------- */

/* Not between the ids, where these go to the terminal, too. */
static void show(const struct batch *batch)
{
    bool is_last = batch->done == batch->items.len;

    if (!isatty(STDERR_FILENO) || batch->cli->is_tty || (is_last && batch->parts == 1)) return;
    fprintf(stderr, "\r%s: %zu of %zu lines%s", batch->file, batch->done, batch->items.len,
            is_last ? "\n" : "");
}

/* One result a line: {"line":2,"id":"job-8"}, {"line":1,"spec":"train"} or
 * {"line":3,"problem":{...}}. */
static void take_result(struct batch *batch, json_t *result)
{
    size_t place = (size_t)cli_int(result, "line");
    const json_t *problem = json_object_get(result, "problem");
    struct item *item;

    if (place < 1 || place > batch->lines.len || batch->lines.at[place - 1].is_repeated) return;
    item = &batch->items.at[batch->lines.at[place - 1].item];
    json_object_set_new(result, "line", json_integer(item->number));
    if (problem) {
        fprintf(stderr, "fairlead: %s, document %ld: %s\n", batch->file, item->number,
                cli_plain(batch->cli, cli_text(problem, "detail")));
        batch->code = CLI_BAD_SPEC;
    }
    if (*cli_text(result, "id")) {
        item->id = fl_arena_printf(&batch->cli->arena, "%s", cli_text(result, "id"));
    }
    if (!cli_answer(batch->cli, result, NULL) && *cli_text(result, "id")) {
        printf("%s\n", cli_text(result, "id"));
    }
}

static void take_results(struct batch *batch, char *body)
{
    for (char *at = body, *end; *at; at = end) {
        json_t *result;

        end = at + strcspn(at, "\n");
        result = json_loadb(at, (size_t)(end - at), 0, NULL);
        if (*end) end++;
        if (result) take_result(batch, result);
        json_decref(result);
    }
    fflush(stdout);
}

/* The part that was gathered, and an empty one after it. */
static int send_part(struct batch *batch)
{
    struct cli *cli = batch->cli;
    struct cli_request request = {.method = "POST",
                                  .path = cli_has(&cli->args, CLI_OPT_wait_for_cluster)
                                              ? "/v1/jobs:batch?waitForCluster=true"
                                              : "/v1/jobs:batch",
                                  .body = (const char *)batch->body.at,
                                  .body_len = batch->body.len,
                                  .content_type = "application/x-ndjson",
                                  .accept = "application/x-ndjson"};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    batch->parts++;
    request.key = batch->is_cut ? fl_arena_printf(&cli->arena, "%s-%zu", batch->key, batch->parts)
                                : batch->key;
    if (!cli_send(cli, &request, &reply, &err)) return cli_fail_err(&err);
    if (reply.status != 200) return cli_problem(cli, request.path, reply.body, reply.status);
    take_results(batch, reply.body);
    for (size_t i = 0; i < batch->lines.len; i++) {
        batch->done += !batch->lines.at[i].is_repeated;
    }
    fl_buf_clear(&batch->body);
    batch->lines.len = batch->values = 0;
    json_object_clear(batch->defined);
    json_object_clear(batch->digests);
    show(batch);
    return CLI_OK;
}

/* ---- gathering ------------------------------------------------------------------------------- */

/* Every value, those of objects and lists too. */
static size_t count_values(const json_t *value)
{
    size_t count = 1, i;
    const char *key;
    json_t *one;

    json_array_foreach(value, i, one)
    {
        count += count_values(one);
    }
    json_object_foreach((json_t *)value, key, one)
    {
        count += count_values(one);
    }
    return count;
}

static void put_line(struct batch *batch, const struct item *item, struct fl_str text,
                     bool is_repeated)
{
    size_t place = (size_t)(item - batch->items.at);

    fl_buf_put(&batch->body, text.at, text.len);
    fl_buf_put_u8(&batch->body, '\n');
    fl_vec_push(&batch->lines, (struct line){place, is_repeated});
}

/* ---- lines that name other lines ------------------------------------------------------------- */

static const struct item *find_number(const struct batch *batch, long number)
{
    size_t i = fl_vec_lower_bound(&batch->items, number, number);

    return i < batch->items.len && batch->items.at[i].number == number ? &batch->items.at[i] : NULL;
}

/* In the part that is being gathered it has a line there; one that went before has an id. */
static bool find_line(void *ctx, long number, struct cli_after_target *ret, struct fl_err *err)
{
    const struct batch *batch = ctx;
    const struct item *item = find_number(batch, number);

    for (size_t i = 0; i < batch->lines.len; i++) {
        if (&batch->items.at[batch->lines.at[i].item] != item || batch->lines.at[i].is_repeated) {
            continue;
        }
        *ret = (struct cli_after_target){NULL, (long)i + 1};
        return true;
    }
    if (item && item->id) {
        *ret = (struct cli_after_target){item->id, number};
        return true;
    }
    return fl_fail(err, FL_INVALID,
                   "it is to run after document %ld, which does not stand before it as a job, or "
                   "was refused",
                   number);
}

/* In the scratch arena, with lines as the part has them.  Numbers in a command keep their spelling.
 * False: it names a line that is no job. */
static bool write_item(struct batch *batch, const struct item *item, struct fl_str *ret,
                       struct fl_err *err)
{
    const struct fl_json *document;
    struct fl_err unread = {0};
    struct fl_json_out out;
    struct fl_buf buf;

    fl_arena_reset(&batch->scratch);
    *ret = (struct fl_str){item->text, item->len};
    if (!fl_json_parse(*ret, &batch->scratch, &document, NULL, &unread) ||
        !cli_after_has_line(document)) {
        return true; /* the server says what is wrong with it */
    }
    if (!cli_after_resolve(document, find_line, batch, &batch->scratch, err)) return false;
    fl_buf_init_in(&buf, PART_BYTES_MAX, &batch->scratch);
    out = fl_json_out(&buf);
    fl_json_put_tree(&out, document);
    *ret = fl_buf_take(&buf);
    return true;
}

/* It is not sent; the others go on. */
static void refuse_item(struct batch *batch, const struct item *item, const struct fl_err *err)
{
    fprintf(stderr, "fairlead: %s, document %ld: %s\n", batch->file, item->number, err->text);
    batch->code = CLI_BAD_SPEC;
    batch->done++;
}

/* ---- the next line --------------------------------------------------------------------------- */

/* The spec that a line uses or defines; "": none. */
static const char *spec_of(const json_t *line)
{
    return cli_text(line, *cli_text(line, "use") ? "use" : "spec");
}

/* The item that defines the spec, if the part lacks it; else NULL. */
static const struct item *definition_of(const struct batch *batch, const char *name)
{
    const json_t *at = json_object_get(batch->definitions, name);

    if (!at) return NULL;
    return json_object_get(batch->defined, name) ? NULL : &batch->items.at[json_integer_value(at)];
}

/* Whether the part must go before this line. */
static bool is_full(const struct batch *batch, const json_t *line, size_t bytes, size_t values)
{
    const char *digest = cli_text(line, "useDigest");
    bool is_new = *digest && !json_object_get(batch->digests, digest);

    return batch->lines.len + 2 > JOBS_MAX || batch->body.len + bytes > PART_BYTES_MAX ||
           batch->values + values > VALUES_MAX ||
           (is_new && json_object_size(batch->digests) == DIGESTS_MAX);
}

static int add_item(struct batch *batch, size_t index)
{
    const struct item *item = &batch->items.at[index];
    json_t *line = json_loadb(item->text, item->len, JSON_REJECT_DUPLICATES, NULL);
    const char *name = spec_of(line);
    const struct item *definition = definition_of(batch, name);
    size_t bytes = item->len + (definition ? definition->len : 0) + 2;
    size_t values = count_values(line) + (definition ? definition->len / 2 : 0);
    bool has_after = json_object_get(line, "after") != NULL;
    struct fl_str text = {item->text, item->len};
    struct fl_err err = {0};
    int code = CLI_OK;

    if (batch->lines.len > 0 && is_full(batch, line, bytes, values)) {
        batch->is_cut = true;
        code = send_part(batch);
        definition = definition_of(batch, name);
    }
    if (code == CLI_OK && has_after && !write_item(batch, item, &text, &err)) {
        refuse_item(batch, item, &err);
    } else if (code == CLI_OK) {
        if (definition) {
            put_line(batch, definition, (struct fl_str){definition->text, definition->len}, true);
        }
        put_line(batch, item, text, false);
        batch->values += values;
        if (definition) json_object_set_new(batch->defined, name, json_true());
        if (*cli_text(line, "useDigest")) {
            json_object_set_new(batch->digests, cli_text(line, "useDigest"), json_true());
        }
        if (json_object_get(line, "job") && !json_object_get(batch->definitions, name)) {
            json_object_set_new(batch->definitions, name, json_integer((json_int_t)index));
            json_object_set_new(batch->defined, name, json_true());
        }
    }
    json_decref(line);
    return code;
}

static const char *new_key(struct cli *cli)
{
    uint64_t random;

    fl_assert(getrandom(&random, sizeof random, 0) == sizeof random);
    return fl_arena_printf(&cli->arena, "batch-%016" PRIx64, random);
}

static int send_all(struct batch *batch)
{
    int code = CLI_OK;

    for (size_t i = 0; i < batch->items.len && code == CLI_OK; i++) {
        code = cli_is_interrupted() ? CLI_CANCELLED : add_item(batch, i);
    }
    if (code == CLI_OK && batch->lines.len > 0) code = send_part(batch);
    if (code && batch->is_cut) {
        fprintf(stderr,
                "  %zu of %zu lines of %s were taken; to go on, submit it again with --key %s\n",
                batch->done, batch->items.len, batch->file, batch->key);
    }
    return code ? code : batch->code;
}

int cli_batch_submit(struct cli *cli, const char *file, struct fl_str text)
{
    struct batch batch = {.cli = cli, .file = file, .key = cli_value(&cli->args, CLI_OPT_key)};
    int code = CLI_OK;

    if (cli_has(&cli->args, CLI_OPT_dry_run) || cli_has(&cli->args, CLI_OPT_queue) ||
        cli_has(&cli->args, CLI_OPT_hold) || cli_has(&cli->args, CLI_OPT_after)) {
        return cli_fail(CLI_USAGE,
                        "%s is a batch: its lines say queue, hold and after themselves, and "
                        "there is no --dry-run of it",
                        file);
    }
    if (!batch.key) batch.key = new_key(cli);
    batch.definitions = json_object();
    batch.defined = json_object();
    batch.digests = json_object();
    fl_buf_init(&batch.body, CLI_BATCH_BYTES_MAX);
    if (text.at[blanks(text.at)] == '[') {
        code = take_list(&batch, text);
    } else {
        take_lines(&batch, text);
    }
    if (code == CLI_OK) code = send_all(&batch);
    fl_buf_fini(&batch.body);
    fl_arena_fini(&batch.scratch);
    fl_vec_fini(&batch.items);
    fl_vec_fini(&batch.lines);
    json_decref(batch.definitions);
    json_decref(batch.defined);
    json_decref(batch.digests);
    return code;
}
