/* wait.c - 'wait': until jobs have ended, or do what --for asks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/job_line.h"
#include "cli/job_selector.h"
#include "cli/status_line.h"
#include "cli/wait_reason.h"
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

/* For the status line. */
struct waited {
    size_t number, jobs; /* this one's, of so many */
    char text[CLI_STATUS_LINE_TEXT_MAX];
};

static void show(struct waited *waited, const json_t *job)
{
    size_t len;

    cli_job_line(job, waited->text);
    len = strlen(waited->text);
    if (waited->jobs > 1) {
        snprintf(waited->text + len, sizeof waited->text - len, "; %zu of %zu jobs have ended",
                 waited->number, waited->jobs);
    }
}

struct goal_look {
    enum goal goal;
    int64_t deadline; /* 0: none */
    struct waited *waited;
    struct cli_wait_reason waiting;
};

/* Sets *ret_is_settled: it will not come nearer to the goal. */
static int look(struct cli *cli, const char *id, struct goal_look *looking, bool *ret_is_settled,
                bool *ret_is_reached)
{
    json_t *job = NULL;
    int code = cli_get(cli, &job, "/v1/jobs/%s", id);
    const char *state = cli_text(job, "state");

    if (code) return code;
    *ret_is_settled = is_settled(looking->goal, state);
    if (*ret_is_settled) {
        cli_status_line_clear();
        *ret_is_reached = is_reached(looking->goal, state);
        FL_IGNORE(cli_answer(cli, job, "id"));
        cli_say_end(cli, job);
    } else if (looking->deadline && fl_clock_mono() >= looking->deadline) {
        code = cli_fail(CLI_TIMED_OUT, "%s is still %s; it goes on", id, state);
    } else {
        if (cli_waits(state)) cli_wait_reason_look(cli, &looking->waiting);
        show(looking->waited, job);
    }
    json_decref(job);
    return code;
}

static int wait_for(struct cli *cli, const char *id, struct goal_look *looking,
                    bool *ret_is_reached)
{
    int64_t pause = LOOK_FIRST_MS;
    bool is_over = false;

    cli_wait_reason_begin(&looking->waiting, id);
    while (true) {
        struct fl_arena outer = cli_begin_turn(cli);
        int code = look(cli, id, looking, &is_over, ret_is_reached);

        cli_end_turn(cli, outer);
        if (code || is_over) return code;
        if (!cli_status_line_wait(pause, "%s", looking->waited->text)) return CLI_CANCELLED;
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

    if (!read_goal(cli, &goal, &err) || !cli_span(&cli->args, CLI_OPT_timeout, &timeout_ms, &err)) {
        return cli_fail_err(&err);
    }
    if (!cli->args.words.len && !cli_has_filter(cli)) {
        return cli_fail(CLI_USAGE,
                        "usage: fairlead wait JOB... or --queue, --state, --label, --user, --name");
    }
    if (cli_has(&cli->args, CLI_OPT_timeout)) deadline = fl_clock_mono() + timeout_ms;
    jobs = cli_jobs_meant(cli, JOBS_MAX, &code);
    if (!jobs) return code;
    FL_IGNORE(cli_status_line_begin());
    json_array_foreach(jobs, i, job)
    {
        struct waited waited = {.number = i, .jobs = json_array_size(jobs)};
        struct goal_look looking = {.goal = goal, .deadline = deadline, .waited = &waited};
        bool is_good = false;

        code = wait_for(cli, cli_text(job, "id"), &looking, &is_good);
        if (code) break;
        if (!is_good) missed = CLI_FAILED;
    }
    cli_status_line_end();
    json_decref(jobs);
    return code ? code : missed;
}
