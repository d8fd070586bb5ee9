#include "cli/follow.h"

#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/client_stream.h"
#include "cli/interrupt.h"
#include "cli/log_event.h"
#include "cli/output.h"
#include "cli/placement.h"
#include "cli/status_line.h"
#include "cli/wait_reason.h"
#include "shared/io/clock.h"

struct followed {
    struct cli *cli;
    const struct cli_follow *what;
    struct cli_log_style style;
    bool is_running; /* "running" was printed */
    bool is_placed;  /* some element has an attempt */
    bool has_left;   /* the job is in another queue than the token's */
    struct cli_wait_reason waiting;
    struct cli_placement placement;
    int64_t output_at; /* when output last came; 0: none has in this attempt */
};

enum { QUIET_MS = 300 };

/* The status line stands where no line of output is unfinished: before the first one of a plain
 * job, and of an array whenever its output is quiet. */
static void show(struct followed *followed)
{
    char text[CLI_PLACEMENT_TEXT_MAX];
    bool is_quiet =
        followed->output_at == 0 || (followed->style.has_elements && !followed->style.is_in_line &&
                                     fl_clock_mono() >= followed->output_at + QUIET_MS);

    if (!is_quiet) return;
    cli_placement_text(&followed->placement, text);
    cli_status_line_say("%s %s", followed->what->job, text);
}

static void say_state(struct followed *followed, const char *state)
{
    if (followed->what->on_state) followed->what->on_state(followed->what->ctx, state);
}

static void assigned(struct followed *followed, const json_t *event)
{
    followed->is_placed = true;
    cli_log_finish(&followed->style);
    if (cli_int(event, "element") > 0) return; /* an array prints only its first element's place */
    fprintf(stderr, "%s on %s", followed->what->job,
            cli_plain(followed->cli, cli_text(event, "cluster")));
    if (cli_int(event, "attempt") > 1) {
        fprintf(stderr, ", attempt %lld", (long long)cli_int(event, "attempt"));
    }
    fputc('\n', stderr);
}

static void attempt_ended(struct followed *followed, const json_t *event)
{
    followed->is_placed = false;
    followed->output_at = 0;
    cli_wait_reason_begin(&followed->waiting, followed->what->job);
    cli_log_finish(&followed->style);
    fprintf(stderr, "%s element %lld, attempt %lld ended: %s, exit %lld; it goes again\n",
            followed->what->job, (long long)cli_int(event, "element"),
            (long long)cli_int(event, "attempt"),
            cli_plain(followed->cli, cli_text(event, "reason")),
            (long long)cli_int(event, "exitCode"));
}

static enum cli_stream_word on_event(void *ctx, const struct cli_event *event)
{
    struct followed *followed = ctx;
    bool is_over = strcmp(event->name, "job.ended") == 0 || strcmp(event->name, "end") == 0;
    json_t *body = json_loadb(event->data, event->data_len, 0, NULL);

    cli_status_line_clear();
    cli_placement_event(&followed->placement, event->name, body);
    if (strcmp(event->name, "attempt.assigned") == 0) assigned(followed, body);
    if (strcmp(event->name, "attempt.ended") == 0) attempt_ended(followed, body);
    if (strcmp(event->name, "replica.changed") == 0 &&
        strcmp(cli_text(body, "state"), "running") == 0 && !followed->is_running) {
        followed->is_running = true;
        say_state(followed, "running");
    }
    json_decref(body);
    followed->has_left = strcmp(event->name, "job.left") == 0;
    if (followed->has_left) return CLI_STREAM_ALL_DONE;
    return is_over ? CLI_STREAM_DONE : CLI_STREAM_MORE;
}

static enum cli_stream_word on_log(void *ctx, const struct cli_event *event)
{
    struct followed *followed = ctx;

    cli_status_line_clear();
    followed->output_at = fl_clock_mono();
    return cli_log_event(followed->cli, &followed->style, event);
}

/* ---- the end --------------------------------------------------------------------------------- */

int cli_exit_of_job(const json_t *job)
{
    const char *state = cli_text(job, "state"), *reason = cli_text(job, "reason");
    int64_t code = cli_int(job, "exitCode");

    if (strcmp(state, "succeeded") == 0) return CLI_OK;
    if (strcmp(state, "cancelled") == 0) return CLI_CANCELLED;
    if (strcmp(reason, "DeadlineExceeded") == 0) return CLI_DEADLINE;
    return code > 0 && code < 256 ? (int)code : CLI_FAILED;
}

void cli_say_end(struct cli *cli, const json_t *job)
{
    int64_t begin = cli_parse_time(cli_text(job, "submittedAt")),
            end = cli_parse_time(cli_text(job, "endedAt"));
    const json_t *exit = json_object_get(job, "exitCode"),
                 *replica = json_object_get(job, "firstReplica");

    fprintf(stderr, "%s %s", cli_text(job, "id"), cli_text(job, "state"));
    if (begin >= 0 && end >= begin) fprintf(stderr, " after %s", cli_ago(cli, end - begin));
    if (strcmp(cli_text(job, "state"), "failed") == 0) {
        fprintf(stderr, ": %s", cli_plain(cli, cli_text(job, "reason")));
        if (json_is_integer(replica)) {
            fprintf(stderr, ", replica %lld was the first", (long long)json_integer_value(replica));
        }
        if (json_is_integer(exit)) {
            fprintf(stderr, ", exit %lld", (long long)json_integer_value(exit));
        }
    }
    fputc('\n', stderr);
}

static int tell_end(struct cli *cli, const char *id)
{
    json_t *job = NULL;
    int code = cli_get(cli, &job, "/v1/jobs/%s", id);

    if (code) return code;
    FL_IGNORE(cli_answer(cli, job, NULL)); /* its name was printed at the beginning */
    cli_say_end(cli, job);
    code = cli_exit_of_job(job);
    if (code) fprintf(stderr, "  fairlead describe %s   fairlead retry %s\n", id, id);
    json_decref(job);
    return code;
}

int cli_log_style_of(struct cli *cli, const char *id, struct cli_log_style *style)
{
    json_t *job = NULL, *role;
    int64_t replicas = 0;
    size_t i;
    int code = cli_get(cli, &job, "/v1/jobs/%s", id);

    if (code) return code;
    json_array_foreach(json_object_get(json_object_get(job, "spec"), "roles"), i, role)
    {
        replicas += json_object_get(role, "replicas") ? cli_int(role, "replicas") : 1;
    }
    style->elements = cli_int(json_object_get(job, "elements"), "total");
    style->replicas = replicas;
    style->has_elements = style->elements > 1;
    style->has_replicas = replicas > 1;
    json_decref(job);
    return CLI_OK;
}

int cli_follow(struct cli *cli, const struct cli_follow *follow)
{
    struct followed followed = {
        .cli = cli, .what = follow, .style = {.has_timestamps = follow->has_timestamps}};
    struct cli_stream events = {.on_event = on_event, .ctx = &followed},
                      logs = {.on_event = on_log, .ctx = &followed};
    struct cli_streams *streams = cli_streams_create(cli);
    int code;

    code = cli_log_style_of(cli, follow->job, &followed.style);
    if (code) {
        cli_streams_destroy(streams);
        return code;
    }
    followed.placement = cli_placement(followed.style.elements, &cli->arena);
    FL_IGNORE(cli_status_line_begin());
    events.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/events", follow->job);
    logs.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/logs/stream", follow->job);
    cli_streams_open(streams, &events);
    if (!follow->is_silent) cli_streams_open(streams, &logs);
    cli_wait_reason_begin(&followed.waiting, follow->job);
    while ((code = cli_streams_run(
                streams, cli_status_line_due(followed.is_placed ? 0 : followed.waiting.look_at))) ==
           CLI_TIMED_OUT) {
        if (!followed.is_placed) cli_wait_reason_look(cli, &followed.waiting);
        show(&followed);
    }
    cli_status_line_end();
    cli_log_finish(&followed.style);
    cli_streams_destroy(streams);
    if (code == CLI_CANCELLED && cli_is_interrupted()) {
        fprintf(stderr,
                "\nno longer watching; %s goes on.  fairlead logs -f %s   fairlead cancel %s\n",
                follow->job, follow->job, follow->job);
        return code;
    }
    if (!code && followed.has_left) {
        return cli_fail(CLI_FAILED, "%s moved to another queue, which this token does not see",
                        follow->job);
    }
    return code ? code : tell_end(cli, follow->job);
}
