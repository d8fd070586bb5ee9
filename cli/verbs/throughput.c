/* throughput.c - 'throughput': how many jobs came, started and ended, and how long they waited. */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"

enum { DAY_BYTES = 10 /* 2026-01-31 */, BAR_MAX = 20 };

#define COLUMNS                                                                                    \
    "TIME|>SUBMITTED|>STARTED|>SUCCEEDED|>FAILED|>CANCELLED|>WAIT P50|>WAIT P95|>WAIT MAX|"        \
    "+>RUN P50|+>RUN P95|+>RUN MAX"

/* ---- the table ------------------------------------------------------------------------------- */

static int64_t ended(const json_t *step)
{
    return cli_int(step, "succeeded") + cli_int(step, "failed") + cli_int(step, "cancelled");
}

static int64_t most_ended(const json_t *steps)
{
    int64_t most = 0;
    const json_t *step;
    size_t i;

    json_array_foreach(steps, i, step)
    {
        if (ended(step) > most) most = ended(step);
    }
    return most;
}

/* A hash for each part of the most that one step has, and one at least. */
static void put_bar(struct cli_table *table, int64_t count, int64_t most)
{
    char bar[BAR_MAX + 1] = " ";
    size_t len = most > 0 ? (size_t)(count * BAR_MAX / most) : 0;

    if (len == 0 && count > 0) len = 1;
    if (len > 0) {
        memset(bar, '#', len);
        bar[len] = '\0';
    }
    cli_table_put(table, "%s", bar);
}

static void put_times(struct cli *cli, struct cli_table *table, const json_t *times)
{
    static const char *const keys[] = {"p50Millis", "p95Millis", "maxMillis"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        bool has_one = json_is_integer(json_object_get(times, keys[i]));

        cli_table_put(table, "%s", has_one ? cli_cpu(cli, cli_int(times, keys[i])) : "");
    }
}

static void put_step(struct cli *cli, struct cli_table *table, const json_t *step)
{
    static const char *const keys[] = {"submitted", "started", "succeeded", "failed", "cancelled"};

    cli_table_put(table, "%s", cli_when(cli, cli_text(step, "at")));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        cli_table_put(table, "%lld", (long long)cli_int(step, keys[i]));
    }
    put_times(cli, table, json_object_get(step, "waits"));
    put_times(cli, table, json_object_get(step, "runs"));
}

/* On a terminal a bar shows how many jobs ended, beside the step with most ends. */
static void put_step_with_bar(struct cli *cli, struct cli_table *table, const json_t *step)
{
    put_step(cli, table, step);
    put_bar(table, ended(step), cli_int(step, "most"));
}

/* ---- the question ---------------------------------------------------------------------------- */

struct asking {
    const char *query;
};

static void add(struct cli *cli, struct asking *asking, const char *name, const char *value)
{
    if (!value) return;
    asking->query = fl_arena_printf(&cli->arena, "%s%s%s=%s", asking->query,
                                    *asking->query ? "&" : "?", name, cli_escape(cli, value));
}

/* A day, a time or a span.  False: it was printed. */
static bool add_time(struct cli *cli, struct asking *asking, const char *name,
                     enum cli_option_id option)
{
    const char *value = cli_value(&cli->args, option), *day = value;
    int64_t ms;

    if (!value) return true;
    if (strlen(value) == DAY_BYTES) day = fl_arena_printf(&cli->arena, "%sT00:00:00Z", value);
    if (cli_parse_time(day) < 0) {
        if (!cli_duration(value, &ms)) {
            FL_IGNORE(cli_fail(CLI_USAGE,
                               "--%s %s: wants a day, as 2026-01-31, an RFC 3339 time, or a span, "
                               "as 6h or 7d",
                               name, value));
            return false;
        }
        value = cli_time(cli, cli_now_ms() - ms);
    }
    add(cli, asking, name, value);
    return true;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static const char *times_words(struct cli *cli, const json_t *times)
{
    if (cli_int(times, "count") == 0) return "";
    return fl_arena_printf(&cli->arena, "; half waited at most %s, 95 %% at most %s",
                           cli_cpu(cli, cli_int(times, "p50Millis")),
                           cli_cpu(cli, cli_int(times, "p95Millis")));
}

/* Says on stderr all that a table cannot say. */
static void tell(struct cli *cli, const json_t *report)
{
    const json_t *total = json_object_get(report, "total");
    const char *from = cli_text(report, "countedFrom"), *to = cli_text(report, "countedTo");

    fprintf(
        stderr,
        "together: %lld submitted, %lld started, %lld succeeded, %lld failed, %lld cancelled%s\n",
        (long long)cli_int(total, "submitted"), (long long)cli_int(total, "started"),
        (long long)cli_int(total, "succeeded"), (long long)cli_int(total, "failed"),
        (long long)cli_int(total, "cancelled"), times_words(cli, json_object_get(total, "waits")));
    if (json_is_string(json_object_get(report, "countedFrom")) &&
        strcmp(cli_text(report, "since"), from) < 0) {
        fprintf(stderr, "nothing was counted before %s, by an older release\n",
                cli_when(cli, from));
    }
    if (strncmp(to, "1970", 4) == 0) {
        fprintf(stderr, "nothing is counted yet; it follows in a moment\n");
    } else if (json_is_string(json_object_get(report, "countedTo"))) {
        fprintf(stderr, "counted up to %s; the rest follows in a moment\n", cli_when(cli, to));
    }
}

int verb_throughput(struct cli *cli)
{
    struct cli_list rows = {.group = "steps", .header = COLUMNS, .put = put_step};
    struct asking asking = {""};
    json_t *report = NULL, *steps, *step, *most;
    const char *step_word = cli_value(&cli->args, CLI_OPT_step);
    int code;
    size_t i;

    if (cli->args.words.len > 1) {
        return cli_fail(CLI_USAGE, "usage: fairlead throughput [QUEUE] [FLAGS]");
    }
    if (step_word && strcmp(step_word, "hour") != 0 && strcmp(step_word, "day") != 0) {
        return cli_fail(CLI_USAGE, "--step %s: wants hour or day", step_word);
    }
    if (cli->args.words.len == 1) add(cli, &asking, "queue", cli->args.words.at[0]);
    add(cli, &asking, "step", step_word);
    if (!add_time(cli, &asking, "since", CLI_OPT_since) ||
        !add_time(cli, &asking, "until", CLI_OPT_until)) {
        return CLI_USAGE;
    }
    code = cli_get(cli, &report, "/v1/throughput%s", asking.query);
    if (code) return code;
    steps = json_incref(json_object_get(report, "steps"));
    if (cli->is_tty && (cli->format == CLI_FORMAT_text || cli->format == CLI_FORMAT_table)) {
        rows.header = COLUMNS "|ENDED";
        rows.put = put_step_with_bar;
        most = json_integer(most_ended(steps));
        json_array_foreach(steps, i, step)
        {
            json_object_set(step, "most", most);
        }
        json_decref(most);
    }
    cli_print_list(cli, &rows, steps);
    tell(cli, report);
    json_decref(steps);
    json_decref(report);
    return CLI_OK;
}
