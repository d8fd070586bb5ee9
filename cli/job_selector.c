#include "cli/job_selector.h"

#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"

enum { PAGE = 1000 };

/* The later one of two ids: it has more digits, or greater ones. */
static bool is_newer(const char *id, const char *than)
{
    size_t len = strlen(id), than_len = strlen(than);

    return len != than_len ? len > than_len : strcmp(id, than) > 0;
}

/* Finds the newest job, which the list has first; pages before it may be empty. */
static int find_newest(struct cli *cli, const char *state, const char **ret_id)
{
    const char *cursor = "";
    bool is_found = false;

    do {
        json_t *page = NULL, *one;
        int code = cli_get(cli, &page, "/v1/jobs?limit=1&state=%s%s%s", state,
                           *cursor ? "&cursor=" : "", cursor);

        if (code) return code;
        one = json_array_get(json_object_get(page, "jobs"), 0);
        is_found = one != NULL;
        if (one && is_newer(cli_text(one, "id"), *ret_id)) {
            *ret_id = fl_arena_printf(&cli->arena, "%s", cli_text(one, "id"));
        }
        cursor = *cli_text(page, "cursor") ? cli_escape(cli, cli_text(page, "cursor")) : "";
        json_decref(page);
    } while (!is_found && *cursor);
    return CLI_OK;
}

const char *cli_job_id(struct cli *cli, const char *word, int *ret_code)
{
    const char *id = "";

    if (word[0] != '@') return cli_escape(cli, word);
    if (strcmp(word, "@last-failed") == 0) {
        *ret_code = find_newest(cli, "failed", &id);
    } else if (strcmp(word, "@last") == 0) {
        /* In this order, a job that ends between the two calls is found by the second. */
        *ret_code = find_newest(cli, "open", &id);
        if (!*ret_code) *ret_code = find_newest(cli, "ended", &id);
    } else {
        *ret_code = cli_fail(CLI_USAGE, "'%s': there is @last and @last-failed", word);
    }
    if (*ret_code) return NULL;
    if (!*id) *ret_code = cli_fail(CLI_FAILED, "%s: job not found", word);
    return *id ? id : NULL;
}

bool cli_has_filter(const struct cli *cli)
{
    return cli_has(&cli->args, CLI_OPT_queue) || cli_has(&cli->args, CLI_OPT_state) ||
           cli_has(&cli->args, CLI_OPT_label) || cli_has(&cli->args, CLI_OPT_user) ||
           cli_has(&cli->args, CLI_OPT_name);
}

bool cli_mixes_filter(struct cli *cli)
{
    if (!cli->args.words.len) return false;
    if (!cli_has_filter(cli) && !cli_has(&cli->args, CLI_OPT_dry_run)) return false;
    FL_IGNORE(cli_fail(CLI_USAGE,
                       "a filter and --dry-run are not for jobs that are named: leave %s out, or "
                       "the flags",
                       cli_plain(cli, cli->args.words.at[0])));
    return true;
}

bool cli_is_text(struct cli *cli, enum cli_option_id option)
{
    for (size_t i = 0; i < cli->args.values[option].len; i++) {
        if (fl_str_is_text(fl_str_c(cli->args.values[option].at[i]))) continue;
        FL_IGNORE(cli_fail(CLI_USAGE, "--%s: a word of the command line is no UTF-8",
                           cli_option_name(option)));
        return false;
    }
    return true;
}

bool cli_filter_label(struct cli *cli, json_t *labels, const char *pair, const char *flag,
                      const char *value)
{
    size_t len = strcspn(pair, "=");
    const char *key = fl_arena_printf(&cli->arena, "%.*s", (int)len, pair);

    if (!pair[len]) {
        FL_IGNORE(cli_fail(CLI_USAGE, "%s %s: wants KEY=VALUE", flag, value));
    } else if (json_object_get(labels, key)) {
        FL_IGNORE(cli_fail(CLI_USAGE, "%s %s: the filter has a value for %s already", flag, value,
                           cli_plain(cli, key)));
    } else {
        json_object_set_new(labels, key, json_string(pair + len + 1));
        return true;
    }
    return false;
}

const char *cli_filter_query(struct cli *cli)
{
    static const struct {
        enum cli_option_id option;
        const char *key;
    } parts[] = {{CLI_OPT_queue, "queue"},
                 {CLI_OPT_state, "state"},
                 {CLI_OPT_label, "label"},
                 {CLI_OPT_user, "submittedBy"},
                 {CLI_OPT_name, "name"}};
    const char *query = "";

    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        for (size_t i = 0; i < cli->args.values[parts[p].option].len; i++) {
            const char *before = i ? "," : *query ? "&" : "";

            query = fl_arena_printf(&cli->arena, "%s%s%s%s%s", query, before, i ? "" : parts[p].key,
                                    i ? "" : "=",
                                    cli_escape(cli, cli->args.values[parts[p].option].at[i]));
        }
    }
    return query;
}

/* Those of --label.  NULL: the error was printed. */
static json_t *labels_of(struct cli *cli)
{
    json_t *labels = json_object();

    for (size_t i = 0; i < cli->args.values[CLI_OPT_label].len; i++) {
        const char *text = cli->args.values[CLI_OPT_label].at[i];

        if (cli_filter_label(cli, labels, text, "--label", text)) continue;
        json_decref(labels);
        return NULL;
    }
    return labels;
}

json_t *cli_filter_body(struct cli *cli, int *ret_code)
{
    static const struct {
        enum cli_option_id option;
        const char *member;
    } texts[] = {{CLI_OPT_queue, "queue"}, {CLI_OPT_user, "submittedBy"}, {CLI_OPT_name, "name"}};
    const struct cli_args *args = &cli->args;
    json_t *body, *states, *labels;

    *ret_code = CLI_USAGE;
    if (!cli_is_text(cli, CLI_OPT_queue) || !cli_is_text(cli, CLI_OPT_user) ||
        !cli_is_text(cli, CLI_OPT_name) || !cli_is_text(cli, CLI_OPT_state) ||
        !cli_is_text(cli, CLI_OPT_label)) {
        return NULL;
    }
    labels = labels_of(cli);
    if (!labels) return NULL;
    *ret_code = CLI_OK;
    body = json_object();
    states = json_array();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!cli_has(args, texts[i].option)) continue;
        json_object_set_new(body, texts[i].member, json_string(cli_value(args, texts[i].option)));
    }
    for (size_t i = 0; i < args->values[CLI_OPT_state].len; i++) {
        json_array_append_new(states, json_string(args->values[CLI_OPT_state].at[i]));
    }
    if (json_array_size(states)) json_object_set(body, "state", states);
    if (json_object_size(labels)) json_object_set(body, "labels", labels);
    json_decref(states);
    json_decref(labels);
    return body;
}

/* All pages of the list, until it has 'max' jobs. */
static json_t *list(struct cli *cli, size_t max, int *ret_code)
{
    const char *query = cli_filter_query(cli), *cursor = "";
    json_t *all = json_array();

    do {
        json_t *page = NULL, *one;
        size_t i;

        *ret_code = cli_get(cli, &page, "/v1/jobs?limit=%d%s%s%s%s", PAGE, *query ? "&" : "", query,
                            *cursor ? "&cursor=" : "", cursor);
        if (*ret_code) {
            json_decref(all);
            return NULL;
        }
        json_array_foreach(json_object_get(page, "jobs"), i, one)
        {
            if (json_array_size(all) < max) json_array_append(all, one);
        }
        cursor = *cli_text(page, "cursor") ? cli_escape(cli, cli_text(page, "cursor")) : "";
        json_decref(page);
    } while (*cursor && json_array_size(all) < max);
    return all;
}

json_t *cli_jobs_meant(struct cli *cli, size_t max, int *ret_code)
{
    json_t *all;

    if (!cli->args.words.len && cli_has_filter(cli)) return list(cli, max, ret_code);
    all = json_array();
    for (size_t i = 0; i < cli->args.words.len; i++) {
        const char *id = cli_job_id(cli, cli->args.words.at[i], ret_code);
        json_t *job = NULL;

        if (!id || (*ret_code = cli_get(cli, &job, "/v1/jobs/%s", id)) != 0) {
            json_decref(all);
            return NULL;
        }
        json_array_append_new(all, job);
    }
    return all;
}
