/* wait.c - 'wait': until jobs have ended, or do what --for asks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/job_selector.h"
#include "cli/live_line.h"
#include "cli/waiting.h"
#include "shared/io/clock.h"

enum { JOBS_MAX = 10000, LOOK_FIRST_MS = 100, LOOK_MAX_MS = 1000 };

enum goal { GOAL_done, GOAL_succeeded, GOAL_running };

static bool read_goal(struct cli *cli, enum goal *ret_goal, struct fl_err *err)
{
    const char *text = cli_value(&cli->args, CLI_OPT_for);

    if (!text || strcmp(text, "done") == 0) {
        *ret_goal = GOAL_done;
    } else if (strcmp(text, "succeeded") == 0) {
        *ret_goal = GOAL_succeeded;
    } else if (strcmp(text, "running") == 0) {
        *ret_goal = GOAL_running;
    } else {
        return fl_fail(err, FL_INVALID, "--for %s: wants done, succeeded or running", text);
    }
    return true;
}

static bool has_ended(const char *state)
{
    return strcmp(state, "succeeded") == 0 || strcmp(state, "failed") == 0 ||
           strcmp(state, "cancelled") == 0;
}

/* Whether no later state can change the answer. */
static bool is_settled(enum goal goal, const char *state)
{
    return has_ended(state) || (goal == GOAL_running && strcmp(state, "running") == 0);
}

static bool is_reached(enum goal goal, const char *state)
{
    switch (goal) {
    case GOAL_succeeded:
        return strcmp(state, "succeeded") == 0;
    case GOAL_running:
        return strcmp(state, "running") == 0 || strcmp(state, "succeeded") == 0;
    case GOAL_done:
        break;
    }
    return has_ended(state);
}

/* For the live line. */
struct waited {
    size_t number, jobs; /* this one's, of so many */
    char text[CLI_LIVE_TEXT_MAX];
};

static void show(struct waited *waited, const json_t *job)
{
    const json_t *elements = json_object_get(job, "elements");
    int64_t total = cli_int(elements, "total");
    int64_t ended = cli_int(elements, "succeeded") + cli_int(elements, "failed") +
                    cli_int(elements, "cancelled");
    const char *cluster = cli_text(job, "cluster");
    char array[64] = "", jobs[64] = "";

    if (total > 1) {
        snprintf(array, sizeof array, ", %" PRId64 " of %" PRId64 " ended", ended, total);
    }
    if (waited->jobs > 1) {
        snprintf(jobs, sizeof jobs, "; %zu of %zu jobs have ended", waited->number, waited->jobs);
    }
    snprintf(waited->text, sizeof waited->text, "%s %s%s%s%s%s", cli_text(job, "id"),
             cli_text(job, "state"), *cluster ? " on " : "", cluster, array, jobs);
}

/* False: an interrupt came. */
static bool pause_for(const struct waited *waited, int64_t ms)
{
    int64_t end = fl_clock_mono() + ms;

    do {
        int64_t left = end - fl_clock_mono();

        cli_live_say("%s", waited->text);
        if (cli_live_is_on() && left > CLI_LIVE_FRAME_MS) left = CLI_LIVE_FRAME_MS;
        if (!cli_sleep_ms(left > 0 ? left : 0)) return false;
    } while (fl_clock_mono() < end);
    return true;
}

static int wait_for(struct cli *cli, const char *id, enum goal goal, int64_t deadline,
                    struct waited *waited, bool *ret_is_reached)
{
    int64_t pause = LOOK_FIRST_MS;
    struct cli_waiting waiting;

    cli_waiting_begin(&waiting, id);
    while (true) {
        json_t *job = NULL;
        int code = cli_get(cli, &job, "/v1/jobs/%s", id);

        if (code) return code;
        if (is_settled(goal, cli_text(job, "state"))) {
            cli_live_clear();
            *ret_is_reached = is_reached(goal, cli_text(job, "state"));
            FL_IGNORE(cli_answer(cli, job, "id"));
            cli_say_end(cli, job);
            json_decref(job);
            return CLI_OK;
        }
        if (deadline && fl_clock_mono() >= deadline) {
            code =
                cli_fail(CLI_TIMED_OUT, "%s is still %s; it goes on", id, cli_text(job, "state"));
            json_decref(job);
            return code;
        }
        if (strcmp(cli_text(job, "state"), "queued") == 0) cli_waiting_look(cli, &waiting);
        show(waited, job);
        json_decref(job);
        if (!pause_for(waited, pause)) return CLI_CANCELLED;
        pause = pause * 2 < LOOK_MAX_MS ? pause * 2 : LOOK_MAX_MS;
    }
}

int verb_wait(struct cli *cli)
{
    struct fl_err err = {0};
    enum goal goal = GOAL_done;
    int64_t timeout_ms = 0, deadline = 0;
    json_t *jobs, *job;
    size_t i;
    int code = CLI_OK, missed = CLI_OK;

    if (!read_goal(cli, &goal, &err) ||
        (cli_has(&cli->args, CLI_OPT_timeout) &&
         !cli_duration(cli_value(&cli->args, CLI_OPT_timeout), &timeout_ms, &err))) {
        return cli_fail_err(&err);
    }
    if (!cli->args.words.len && !cli_has_filter(cli)) {
        return cli_fail(CLI_USAGE, "usage: fairlead wait JOB... or --queue, --state, --label");
    }
    if (cli_has(&cli->args, CLI_OPT_timeout)) deadline = fl_clock_mono() + timeout_ms;
    jobs = cli_jobs_meant(cli, JOBS_MAX, &code);
    if (!jobs) return code;
    FL_IGNORE(cli_live_begin());
    json_array_foreach(jobs, i, job)
    {
        struct waited waited = {.number = i, .jobs = json_array_size(jobs)};
        bool is_good = false;

        code = wait_for(cli, cli_text(job, "id"), goal, deadline, &waited, &is_good);
        if (code) break;
        if (!is_good) missed = CLI_FAILED;
    }
    cli_live_end();
    json_decref(jobs);
    return code ? code : missed;
}
