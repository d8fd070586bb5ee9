#include "cli/log_event.h"

#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/output.h"

static void begin_line(struct cli *cli, const struct cli_log_style *style, const json_t *line)
{
    long long element = (long long)cli_int(line, "element");
    long long replica = (long long)cli_int(line, "replica");

    if (style->has_timestamps) printf("%s ", cli_instant(cli, cli_text(line, "time")));
    if (!style->has_elements && !style->has_replicas) return;
    if (cli->has_color) fputs("\033[2m", stdout);
    if (style->has_elements && style->has_replicas) {
        printf("[%lld.%lld]", element, replica);
    } else {
        printf("[%lld]", style->has_elements ? element : replica);
    }
    printf("%s ", cli_color_off(cli));
}

/* Marks the matches that the line tells of.  Where bytes were not UTF-8, the places of the rest are
 * others here, and nothing is marked. */
static void print_text(struct cli *cli, const struct cli_log_style *style, const json_t *line)
{
    const json_t *text = json_object_get(line, "text"), *matches = json_object_get(line, "matches");
    const char *at = json_string_value(text);
    size_t len = json_string_length(text), done = 0;
    bool has_marks = cli->has_color && !style->is_raw && at && !strstr(at, "\xef\xbf\xbd");

    for (size_t i = 0; has_marks && i + 1 < json_array_size(matches); i += 2) {
        json_int_t begin = json_integer_value(json_array_get(matches, i));
        json_int_t end = json_integer_value(json_array_get(matches, i + 1));

        if (begin < (json_int_t)done || end < begin || end > (json_int_t)len) break;
        cli_log_write(cli, at + done, (size_t)begin - done, false);
        fputs("\033[1;31m", stdout);
        cli_log_write(cli, at + begin, (size_t)(end - begin), false);
        fputs(cli_color_off(cli), stdout);
        done = (size_t)end;
    }
    if (at) cli_log_write(cli, at + done, len - done, style->is_raw);
}

static void print_line(struct cli *cli, struct cli_log_style *style, const json_t *line)
{
    const json_t *text = json_object_get(line, "text");
    bool is_same = cli_int(line, "element") == style->element &&
                   cli_int(line, "replica") == style->replica &&
                   cli_int(line, "attempt") == style->attempt;

    if (style->is_in_line && !is_same) cli_log_finish(style);
    style->element = cli_int(line, "element");
    style->replica = cli_int(line, "replica");
    style->attempt = cli_int(line, "attempt");
    if (*cli_text(line, "gap")) {
        cli_log_finish(style);
        begin_line(cli, style, line);
        if (json_object_get(line, "bytes")) {
            printf("~~~ %lld bytes are missing here: %s ~~~\n", (long long)cli_int(line, "bytes"),
                   cli_plain(cli, cli_text(line, "gap")));
        } else if (strcmp(cli_text(line, "gap"), "unknown") == 0) {
            printf("~~~ output may be missing here, how much is not known ~~~\n");
        } else {
            printf("~~~ the rest is missing, how much is not known: %s ~~~\n",
                   cli_plain(cli, cli_text(line, "gap")));
        }
        return;
    }
    if (!style->is_in_line) begin_line(cli, style, line);
    print_text(cli, style, line);
    style->is_in_line =
        json_string_length(text) && json_string_value(text)[json_string_length(text) - 1] != '\n';
}

void cli_log_finish(struct cli_log_style *style)
{
    if (style->is_in_line) putchar('\n');
    style->is_in_line = false;
    fflush(stdout);
}

static void say_wait(struct cli *cli, const json_t *wait)
{
    fprintf(stderr,
            "fairlead: the job has ended; waiting for the end of %lld output%s: element %lld, "
            "attempt %lld, replica %lld on %s, until %s at the latest\n",
            (long long)cli_int(wait, "outputs"), cli_int(wait, "outputs") == 1 ? "" : "s, first",
            (long long)cli_int(wait, "element"), (long long)cli_int(wait, "attempt"),
            (long long)cli_int(wait, "replica"), cli_plain(cli, cli_text(wait, "cluster")),
            cli_when(cli, cli_text(wait, "until")));
}

static void say_incomplete(const struct cli_event *event)
{
    json_t *end = json_loadb(event->data, event->data_len, 0, NULL);

    if (strcmp(cli_text(end, "output"), "incomplete") == 0) {
        fputs("fairlead: the end of some output is not known: its cluster was removed or lost it\n",
              stderr);
    }
    json_decref(end);
}

enum cli_stream_word cli_log_event(struct cli *cli, struct cli_log_style *style,
                                   const struct cli_event *event)
{
    json_t *line;

    if (strcmp(event->name, "end") == 0) {
        cli_log_finish(style);
        say_incomplete(event);
        return CLI_STREAM_DONE;
    }
    line = json_loadb(event->data, event->data_len, JSON_ALLOW_NUL, NULL);
    if (strcmp(event->name, "waiting") == 0) {
        cli_log_finish(style);
        say_wait(cli, line);
    } else if (!cli_answer(cli, line, NULL) &&
               (json_is_string(json_object_get(line, "text")) || *cli_text(line, "gap"))) {
        print_line(cli, style, line);
    }
    json_decref(line);
    return CLI_STREAM_MORE;
}
