/* usage.c - 'usage': adds up the resources that ended attempts held and used. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"

enum { LIMIT_MAX = 1000, DAY_BYTES = 10 /* 2026-01-31 */ };

#define HOUR_MS 3600000.0

/* ---- the table ------------------------------------------------------------------------------- */

static void put_hours(struct cli_table *table, double hours)
{
    int digits = hours < 10 ? 2 : hours < 100 ? 1 : 0;

    if (hours <= 0) {
        cli_table_put(table, "%s", "");
    } else if (hours < 0.005) {
        cli_table_put(table, "%s", "<0.01");
    } else {
        cli_table_put(table, "%.*f", digits, hours);
    }
}

/* The part of the held processors that was used. */
static void put_share(struct cli_table *table, const json_t *measured)
{
    double held = (double)cli_int(measured, "heldCpuMillis");

    if (held <= 0) {
        cli_table_put(table, "%s", "");
    } else {
        cli_table_put(table, "%.0f%%", 100 * (double)cli_int(measured, "cpuMillis") / held);
    }
}

static void put_group(struct cli *cli, struct cli_table *table, const json_t *group)
{
    static const char *const keys[] = {"day", "queue", "submittedBy", "label"};
    const json_t *held = json_object_get(group, "held");
    const json_t *measured = json_object_get(group, "measured");

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!json_object_get(group, keys[i])) continue;
        cli_table_put(table, "%s", cli_plain(cli, cli_text(group, keys[i])));
    }
    cli_table_put(table, "%lld", (long long)cli_int(group, "attempts"));
    put_hours(table, (double)cli_int(held, "gpuMillis") / HOUR_MS);
    put_hours(table, (double)cli_int(held, "cpuMillis") / HOUR_MS);
    put_hours(table, (double)cli_int(held, "memoryMibMillis") / 1024 / HOUR_MS);
    put_share(table, measured);
    cli_table_put(table, "%s", measured ? cli_cpu(cli, cli_int(measured, "cpuMillis")) : "");
    cli_table_put(table, "%s",
                  measured ? cli_bytes(cli, (uint64_t)cli_int(measured, "memoryBytes")) : "");
    cli_table_put(table, "%s",
                  measured ? cli_bytes(cli, (uint64_t)cli_int(measured, "readBytes")) : "");
    cli_table_put(table, "%s",
                  measured ? cli_bytes(cli, (uint64_t)cli_int(measured, "writtenBytes")) : "");
}

#define SUMS                                                                                       \
    ">ATTEMPTS|>GPU HOURS|>CPU HOURS|>GIB HOURS|>CPU USED|+>CPU TIME|>PEAK "                       \
    "MEMORY|+>READ|+>WRITTEN"

/* ---- the question ---------------------------------------------------------------------------- */

/* The words of --by, in the order of their columns. */
static const struct by {
    const char *word, *query, *head;
} bys[] = {{"day", "day", "DAY"},
           {"queue", "queue", "~QUEUE"},
           {"user", "submittedBy", "~USER"},
           {"label:", "label:", "~LABEL"}};

enum { BYS_LEN = sizeof bys / sizeof *bys };

struct asking {
    const char *words[BYS_LEN]; /* each as it was given; NULL: not named */
    const char *query;          /* "by=day%2CsubmittedBy&queue=vision" */
    const char *header;
};

/* Takes one word of --by.  False: it was printed. */
static bool take_word(struct cli *cli, struct fl_str word, struct asking *asking)
{
    const char *text = fl_arena_str(&cli->arena, word).at;

    for (size_t i = 0; i < BYS_LEN; i++) {
        size_t len = strlen(bys[i].word);
        bool has_key = bys[i].word[len - 1] == ':';

        if (strncmp(text, bys[i].word, len) != 0 || (text[len] != '\0') != has_key) continue;
        if (asking->words[i]) break;
        asking->words[i] = text;
        return true;
    }
    FL_IGNORE(cli_fail(
        CLI_USAGE, "--by %s: wants day, queue, user, and one label as label:KEY, each once", text));
    return false;
}

static bool read_by(struct cli *cli, struct asking *asking)
{
    const char *by = "", *header = "";
    size_t lists = cli->args.values[CLI_OPT_by].len;

    for (size_t i = 0; i < (lists ? lists : 1); i++) {
        struct fl_str rest = fl_str_c(lists ? cli->args.values[CLI_OPT_by].at[i] : "queue,user");

        while (rest.len > 0) {
            if (!take_word(cli, fl_str_cut(&rest, ','), asking)) return false;
        }
    }
    for (size_t i = 0; i < BYS_LEN; i++) {
        const char *key;

        if (!asking->words[i]) continue;
        key = asking->words[i] + strlen(bys[i].word);
        by = fl_arena_printf(&cli->arena, "%s%s%s%s", by, *by ? "," : "", bys[i].query, key);
        header = fl_arena_printf(&cli->arena, "%s%s|", header, bys[i].head);
    }
    asking->header = fl_arena_printf(&cli->arena, "%s" SUMS, header);
    asking->query = fl_arena_printf(&cli->arena, "by=%s", cli_escape(cli, by));
    return true;
}

static void add(struct cli *cli, struct asking *asking, const char *name, const char *value)
{
    if (!value) return;
    asking->query =
        fl_arena_printf(&cli->arena, "%s&%s=%s", asking->query, name, cli_escape(cli, value));
}

/* A day, a time or a span as a day of UTC.  False: it was printed. */
static bool add_day(struct cli *cli, struct asking *asking, const char *name,
                    enum cli_option_id option)
{
    const char *value = cli_value(&cli->args, option), *day = value;
    int64_t ms;

    if (!value) return true;
    if (strlen(value) == DAY_BYTES) day = fl_arena_printf(&cli->arena, "%sT00:00:00Z", value);
    if (cli_parse_time(day) < 0) {
        if (!cli_duration(value, &ms)) {
            FL_IGNORE(cli_fail(CLI_USAGE, "--%s %s: wants a day, as 2026-01-31, or a span, as 7d",
                               name, value));
            return false;
        }
        day = cli_time(cli, cli_now_ms() - ms);
    }
    day = fl_arena_str(&cli->arena, (struct fl_str){day, DAY_BYTES}).at;
    add(cli, asking, name, day);
    return true;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* Says on stderr all that a table cannot say. */
static void tell(struct cli *cli, const json_t *report, const struct asking *asking)
{
    const json_t *groups = json_object_get(report, "usage"), *group;
    const char *label = asking->words[BYS_LEN - 1];
    bool has_label = false;
    size_t i;

    json_array_foreach(groups, i, group)
    {
        has_label = has_label || json_is_string(json_object_get(group, "label"));
    }
    if (label && !has_label && json_array_size(groups) > 0) {
        fprintf(stderr,
                "no job carried the label %s, or the control plane does not count it: its "
                "setting usage_labels names those that it counts, from then on\n",
                label + strlen(bys[BYS_LEN - 1].word));
    }
    if (json_is_true(json_object_get(report, "hasMore"))) {
        fprintf(stderr,
                "there are more groups than these %zu: --since, --until, --queue, --user "
                "and --label choose fewer\n",
                json_array_size(groups));
    }
    if (strncmp(cli_text(report, "countedTo"), "1970", 4) == 0) {
        fprintf(stderr, "nothing is counted yet; it follows in a moment\n");
    } else if (json_is_string(json_object_get(report, "countedTo"))) {
        fprintf(stderr, "counted up to %s; later ends follow in a moment\n",
                cli_when(cli, cli_text(report, "countedTo")));
    }
}

int verb_usage(struct cli *cli)
{
    struct cli_list rows = {.group = "usage", .put = put_group};
    struct asking asking = {{NULL}};
    json_t *report = NULL, *groups;
    struct fl_err err = {0};
    long limit = LIMIT_MAX;
    int code;

    if (!cli_number(&cli->args, CLI_OPT_limit, LIMIT_MAX, 1, LIMIT_MAX, &limit, &err)) {
        return cli_fail_err(&err);
    }
    if (!read_by(cli, &asking) || !add_day(cli, &asking, "since", CLI_OPT_since) ||
        !add_day(cli, &asking, "until", CLI_OPT_until)) {
        return CLI_USAGE;
    }
    add(cli, &asking, "queue", cli_value(&cli->args, CLI_OPT_queue));
    add(cli, &asking, "submittedBy", cli_value(&cli->args, CLI_OPT_user));
    add(cli, &asking, "label", cli_value(&cli->args, CLI_OPT_label));
    code = cli_get(cli, &report, "/v1/usage?%s&limit=%ld", asking.query, limit);
    if (code) return code;
    rows.header = asking.header;
    rows.none = fl_arena_printf(&cli->arena, "nothing ended from %s to %s that is like that",
                                cli_text(report, "since"), cli_text(report, "until"));
    groups = json_incref(json_object_get(report, "usage"));
    cli_print_list(cli, &rows, groups);
    tell(cli, report, &asking);
    json_decref(groups);
    json_decref(report);
    return CLI_OK;
}
