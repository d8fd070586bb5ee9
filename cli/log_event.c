#include "cli/log_event.h"

#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"

static void begin_line(struct cli *cli, const struct cli_log_style *style, const json_t *line)
{
    long long element = (long long)cli_int(line, "element");
    long long replica = (long long)cli_int(line, "replica");

    if (style->has_timestamps) printf("%s ", cli_text(line, "time"));
    if (!style->has_elements && !style->has_replicas) return;
    if (cli->has_color) fputs("\033[2m", stdout);
    if (style->has_elements && style->has_replicas) {
        printf("[%lld.%lld]", element, replica);
    } else {
        printf("[%lld]", style->has_elements ? element : replica);
    }
    printf("%s ", cli_color_off(cli));
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
        printf("~~~ %lld bytes are missing here: %s ~~~\n", (long long)cli_int(line, "bytes"),
               cli_plain(cli, cli_text(line, "gap")));
        return;
    }
    if (!style->is_in_line) begin_line(cli, style, line);
    cli_log_write(cli, json_string_value(text), json_string_length(text), style->is_raw);
    style->is_in_line =
        json_string_length(text) && json_string_value(text)[json_string_length(text) - 1] != '\n';
}

void cli_log_finish(struct cli_log_style *style)
{
    if (style->is_in_line) putchar('\n');
    style->is_in_line = false;
    fflush(stdout);
}

enum cli_stream_word cli_log_event(struct cli *cli, struct cli_log_style *style,
                                   const struct cli_event *event)
{
    json_t *line;

    if (strcmp(event->name, "end") == 0) {
        cli_log_finish(style);
        return CLI_STREAM_DONE;
    }
    line = json_loadb(event->data, event->data_len, JSON_ALLOW_NUL, NULL);
    if (cli_is_json(cli)) {
        cli_print_json(cli, line);
    } else if (json_is_string(json_object_get(line, "text")) || *cli_text(line, "gap")) {
        print_line(cli, style, line);
    }
    json_decref(line);
    return CLI_STREAM_MORE;
}
