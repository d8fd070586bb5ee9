#include "cli/elements.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/job_selector.h"
#include "cli/output.h"
#include "shared/base/buf.h"
#include "shared/spec/indexes.h"

enum { PAGE_MAX = 1000 };

/* Adds those of a page that are meant.  False: the list is full, or the page goes past 'last'. */
static bool add_page(const json_t *page, const struct cli_attempts_query *query, json_t *all,
                     bool *ret_is_more)
{
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(page, "attempts"), i, one)
    {
        if (cli_int(one, "element") > query->last) return false;
        if (json_array_size(all) == query->len_max) {
            *ret_is_more = true;
            return false;
        }
        json_array_append(all, one);
    }
    return true;
}

int cli_attempts_read(struct cli *cli, const char *id, const struct cli_attempts_query *query,
                      json_t *all, bool *ret_is_more)
{
    const char *cursor = fl_arena_printf(&cli->arena, "%u.0", query->first);
    bool goes_on = true;

    *ret_is_more = false;
    while (goes_on && *cursor) {
        /* One more than are wanted: it says whether there are more. */
        size_t left = query->len_max - json_array_size(all) + 1;
        json_t *page = NULL;
        int code = cli_get(cli, &page, "/v1/jobs/%s/attempts?limit=%zu&cursor=%s%s%s", id,
                           left < PAGE_MAX ? left : PAGE_MAX, cursor, query->state ? "&state=" : "",
                           query->state ? cli_escape(cli, query->state) : "");

        if (code) return code;
        goes_on = add_page(page, query, all, ret_is_more);
        cursor = fl_arena_printf(&cli->arena, "%s", cli_text(page, "attemptsCursor"));
        json_decref(page);
    }
    return CLI_OK;
}

/* ---- indexes --------------------------------------------------------------------------------- */

struct fl_str cli_indexes(const json_t *job)
{
    const json_t *text = json_object_get(json_object_get(job, "spec"), "indexes");

    return (struct fl_str){json_string_value(text), json_string_length(text)};
}

void cli_indexes_add(const json_t *job, json_t *elements)
{
    struct fl_str indexes = cli_indexes(job);
    json_t *one;
    size_t i;

    if (indexes.len == 0) return;
    json_array_foreach(elements, i, one)
    {
        uint32_t index = fl_indexes_at(indexes, (uint32_t)cli_int(one, "element"));

        json_object_set_new(one, "index", json_integer(index));
    }
}

/* As a list for --element.  NULL: the error was printed. */
static const char *elements_of(struct cli *cli, const json_t *job, const struct fl_indexes *chosen)
{
    struct fl_str all = cli_indexes(job);
    struct fl_buf buf;

    fl_buf_init_in(&buf, CLI_NUMBERS_MAX * sizeof "4294967295,", &cli->arena);
    for (uint32_t i = 0; i < chosen->len; i++) {
        uint32_t index = fl_indexes_at(chosen->text, i), element = 0;
        char text[16];
        int len;

        if (!fl_indexes_find(all, index, &element)) {
            FL_IGNORE(cli_fail(CLI_USAGE, "no element of %s has the index %" PRIu32 ": they are %s",
                               cli_text(job, "id"), index,
                               fl_arena_printf(&cli->arena, FL_STR_FMT, FL_STR_ARG(all))));
            return NULL;
        }
        len = snprintf(text, sizeof text, "%s%" PRIu32, i > 0 ? "," : "", element);
        fl_buf_put(&buf, text, (size_t)len);
    }
    fl_buf_put_u8(&buf, '\0');
    return fl_buf_take(&buf).at;
}

/* Returns 0 or an exit code. */
static int take_indexes(struct cli *cli, const char *id)
{
    const char *list = cli_value(&cli->args, CLI_OPT_index), **text;
    struct fl_indexes chosen;
    struct fl_err err = {0};
    json_t *job = NULL;
    int code;

    if (cli_has(&cli->args, CLI_OPT_element)) {
        return cli_fail(CLI_USAGE, "--element and --index name the same: write one of them");
    }
    if (!fl_indexes_parse(fl_str_c(list), &cli->arena, &chosen, &err)) {
        return cli_fail(CLI_USAGE, "--index %s: %s", list, err.text);
    }
    if (chosen.len > CLI_NUMBERS_MAX) {
        return cli_fail(CLI_USAGE, "--index %s names more than %d", list, CLI_NUMBERS_MAX);
    }
    code = cli_get(cli, &job, "/v1/jobs/%s", id);
    if (code) return code;
    text = fl_arena_array(&cli->arena, const char *, 1);
    *text = elements_of(cli, job, &chosen);
    json_decref(job);
    if (!*text) return CLI_USAGE;
    cli->args.values[CLI_OPT_element].at = text;
    cli->args.values[CLI_OPT_element].len = 1;
    return CLI_OK;
}

const char *cli_job_of_elements(struct cli *cli, const char *word, int *ret_code)
{
    const char *id = cli_job_id(cli, word, ret_code);

    if (!id || !cli_has(&cli->args, CLI_OPT_index)) return id;
    *ret_code = take_indexes(cli, id);
    return *ret_code == CLI_OK ? id : NULL;
}

const char *cli_job_of_element(struct cli *cli, const char *word, int *ret_code)
{
    const char *list = cli_value(&cli->args, CLI_OPT_index);
    struct fl_indexes chosen;
    struct fl_err err = {0};

    if (list && fl_indexes_parse(fl_str_c(list), &cli->arena, &chosen, &err) && chosen.len > 1) {
        *ret_code = cli_fail(CLI_USAGE, "--index %s: one index here", list);
        return NULL;
    }
    return cli_job_of_elements(cli, word, ret_code);
}

/* ---- as text --------------------------------------------------------------------------------- */

const char *cli_runs(struct cli *cli, const json_t *attempts)
{
    const char *text = "";
    size_t len = json_array_size(attempts), runs = 0;

    for (size_t i = 0, end; i < len; i = end) {
        long long first = (long long)cli_int(json_array_get(attempts, i), "element"), last = first;

        for (end = i + 1; end < len; end++, last++) {
            if (cli_int(json_array_get(attempts, end), "element") != last + 1) break;
        }
        if (runs++ == CLI_RUNS_MAX) return fl_arena_printf(&cli->arena, "%s, ...", text);
        text = first == last
                   ? fl_arena_printf(&cli->arena, "%s%s%lld", text, *text ? ", " : "", first)
                   : fl_arena_printf(&cli->arena, "%s%s%lld-%lld", text, *text ? ", " : "", first,
                                     last);
    }
    return text;
}
