/* cluster_join.c - 'cluster join', 'drain' and 'leave': how a cluster comes and goes, step by step.
 * stdout has the token, or the line that uses it, and nothing else; the steps go to stderr. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/output.h"
#include "cli/problem.h"
#include "cli/resource.h"
#include "cli/status_line.h"
#include "shared/io/clock.h"

enum { LOOK_MS = 500, JOIN_WAIT_MS = 600000 };

#define CHART "fairlead-agent deploy/charts/fairlead-agent --namespace fairlead-agent"
#define INSTALL "helm install " CHART " --create-namespace"

/* A cluster that is looked at again and again. */
struct looking {
    struct cli *cli;
    const char *name;        /* as it was typed */
    const char *escaped;     /* in a path */
    int64_t began, deadline; /* deadline 0: none */
};

static bool begin_looking(struct cli *cli, int64_t limit_ms, struct looking *ret_looking,
                          struct fl_err *err)
{
    struct looking looking = {.cli = cli, .began = fl_clock_mono()};

    if (!cli_span(&cli->args, CLI_OPT_timeout, &limit_ms, err)) return false;
    looking.name = cli->args.words.at[0];
    looking.escaped = cli_escape(cli, looking.name);
    if (limit_ms > 0) looking.deadline = looking.began + limit_ms;
    *ret_looking = looking;
    return true;
}

static int read_cluster(const struct looking *looking, json_t **ret_cluster)
{
    struct cli *cli = looking->cli;
    struct cli_request request = {
        .method = "GET", .path = fl_arena_printf(&cli->arena, "/v1/clusters/%s", looking->escaped)};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    if (!cli_send(cli, &request, &reply, &err)) return cli_fail_err(&err);
    if (reply.status == 404) return CLI_OK;
    if (reply.status < 200 || reply.status > 299) {
        return cli_problem(cli, request.path, reply.body, reply.status);
    }
    *ret_cluster = json_loadb(reply.body, reply.len, JSON_REJECT_DUPLICATES, NULL);
    if (*ret_cluster) return CLI_OK;
    return cli_fail(CLI_INTERNAL, "the answer of %s is no JSON; is it a Fairlead control plane?",
                    cli->settings.url);
}

/* CLI_OK: *ret_cluster is the caller's; NULL: there is none of that name. */
static int look(const struct looking *looking, json_t **ret_cluster)
{
    struct fl_arena outer = cli_begin_turn(looking->cli);
    int code;

    *ret_cluster = NULL;
    code = read_cluster(looking, ret_cluster);
    cli_end_turn(looking->cli, outer);
    return code;
}

static void tick(const struct looking *looking, const char *step)
{
    double seconds = (double)(fl_clock_mono() - looking->began) / 1000;

    cli_status_line_clear();
    fprintf(stderr, "ok  %-11s %6.1f s\n", step, seconds);
}

/* Until the next look the status line says so.  False: an interrupt came. */
static bool wait_while(const struct looking *looking, const char *what)
{
    return cli_status_line_wait(LOOK_MS, "%s %s", looking->name, what);
}

/* ---- join ------------------------------------------------------------------------------------ */

/* The steps of a cluster that joins, in order. */
enum join_step { JOIN_enrolled, JOIN_connected, JOIN_nodes, JOIN_ready, JOIN_STEPS_LEN };

static const struct {
    const char *name, *waits, *look_at; /* while it is not done */
} join_steps[JOIN_STEPS_LEN] = {
    [JOIN_enrolled] = {"enrolled", "waits for an agent with its token",
                       "no agent has shown the token: 'kubectl -n fairlead-agent logs "
                       "deployment/fairlead-agent' says why"},
    [JOIN_connected] = {"connected", "waits for its agent's tunnel",
                        "its agent has a certificate and no tunnel: can it reach the "
                        "setting tunnel_address of fairleadd?"},
    [JOIN_nodes] = {"nodes", "waits for its nodes",
                    "its agent reports no node that takes work: 'kubectl get nodes' in "
                    "that cluster"},
    [JOIN_ready] = {"ready", "waits until it takes work",
                    "it takes no work yet: 'fairlead cluster get NAME'"},
};

static enum join_step steps_done(const json_t *cluster, int64_t generation_before)
{
    if (!cluster || cli_int(cluster, "certificateGeneration") == generation_before) {
        return JOIN_enrolled;
    }
    if (!json_is_true(json_object_get(cluster, "connected"))) return JOIN_connected;
    if (cli_int(cluster, "nodesReady") == 0) return JOIN_nodes;
    return strcmp(cli_text(cluster, "state"), "ready") == 0 ? JOIN_STEPS_LEN : JOIN_ready;
}

/* A person's decision about this cluster stands in the way, and waiting does not change it. */
static bool is_held(const json_t *cluster, enum join_step done)
{
    const char *state = cli_text(cluster, "state");

    return done == JOIN_ready && (strcmp(state, "cordoned") == 0 || strcmp(state, "draining") == 0);
}

static int wait_ready(const struct looking *looking, int64_t generation_before)
{
    enum join_step ticked = JOIN_enrolled;

    while (true) {
        json_t *cluster;
        enum join_step done;
        int code = look(looking, &cluster);
        bool is_cordoned;

        if (code) return code;
        done = steps_done(cluster, generation_before);
        for (; ticked < done; ticked++) {
            tick(looking, join_steps[ticked].name);
        }
        is_cordoned = is_held(cluster, done);
        json_decref(cluster);
        if (ticked == JOIN_STEPS_LEN) return CLI_OK;
        if (is_cordoned) {
            return cli_fail(CLI_FAILED,
                            "%s has joined and takes no new work: 'fairlead cluster uncordon %s'",
                            looking->name, looking->name);
        }
        if (fl_clock_mono() >= looking->deadline) {
            return cli_fail(CLI_TIMED_OUT, "%s is not %s yet: %s", looking->name,
                            join_steps[ticked].name, join_steps[ticked].look_at);
        }
        if (!wait_while(looking, join_steps[ticked].waits)) return CLI_CANCELLED;
    }
}

/* On a terminal a person pastes the whole line; else the token is in a file, and stays there. */
static void print_token(struct cli *cli, const json_t *token)
{
    const char *text = cli_text(token, "token");
    bool is_data = cli_answer(cli, token, NULL), is_helm = cli_has(&cli->args, CLI_OPT_helm);

    if (!is_data && is_helm) printf(INSTALL " --set joinToken=%s\n", text);
    if (!is_data && !is_helm) printf("%s\n", text);
    if (!is_helm) {
        fprintf(stderr, "good for one agent until %s; with the token in FILE:\n",
                cli_when(cli, cli_text(token, "expiresAt")));
        fprintf(stderr, "  on a machine:   fairlead-agent --join-token @FILE\n");
        fprintf(stderr, "  on Kubernetes:  " INSTALL " --set-file joinToken=FILE\n");
        if (cli->is_tty) fprintf(stderr, "or at once:\n  " INSTALL " --set joinToken=%s\n", text);
    }
    fflush(stdout); /* before the wait: the token is needed for its end */
}

static int make_token(struct cli *cli, const char *escaped, json_t **ret_token)
{
    json_t *body = json_object();
    struct fl_err err = {0};

    if (!cli_put_seconds(cli, CLI_OPT_ttl, "ttlSeconds", body, &err)) {
        json_decref(body);
        return cli_fail_err(&err);
    }
    return cli_post(cli, ret_token, body, "/v1/clusters/%s/join-tokens", escaped);
}

int verb_cluster_join(struct cli *cli)
{
    json_t *token = NULL, *before = NULL;
    struct looking looking;
    struct fl_err err = {0};
    int64_t generation = 0;
    bool is_waiting = cli_has(&cli->args, CLI_OPT_wait);
    int code;

    if (!cli_one_name(cli)) return CLI_USAGE;
    if (!begin_looking(cli, JOIN_WAIT_MS, &looking, &err)) return cli_fail_err(&err);
    if (is_waiting) {
        code = look(&looking, &before);
        if (code) return code;
        generation = cli_int(before, "certificateGeneration");
        json_decref(before);
    }
    code = make_token(cli, looking.escaped, &token);
    if (code) return code;
    print_token(cli, token);
    json_decref(token);
    if (is_waiting) {
        FL_IGNORE(cli_status_line_begin());
        code = wait_ready(&looking, generation);
        cli_status_line_end();
    }
    return code;
}

/* ---- drain and leave ------------------------------------------------------------------------- */

/* Its agent has no session any more.  It is cut off within seconds of the revocation. */
static int wait_cut_off(const struct looking *looking)
{
    while (true) {
        json_t *cluster;
        int code = look(looking, &cluster);
        bool is_connected = json_is_true(json_object_get(cluster, "connected"));

        json_decref(cluster);
        if (code || !is_connected) return code;
        if (looking->deadline && fl_clock_mono() >= looking->deadline) {
            return cli_fail(CLI_TIMED_OUT, "%s is revoked and still connected; repeat this",
                            looking->name);
        }
        if (!wait_while(looking, "is being cut off")) return CLI_CANCELLED;
    }
}

/* "is draining, 3 attempts left there" */
static void left_there(const json_t *cluster, char ret_text[CLI_STATUS_LINE_TEXT_MAX])
{
    int64_t attempts = cli_int(cluster, "attempts");

    snprintf(ret_text, CLI_STATUS_LINE_TEXT_MAX, "is draining, %lld attempt%s left there%s",
             (long long)attempts, attempts == 1 ? "" : "s",
             json_is_true(json_object_get(cluster, "connected"))
                 ? ""
                 : ", and its agent is away: they end when it is back");
}

/* *ret_cluster is the caller's: the cluster as it is then; NULL: it is gone. */
static int wait_empty(const struct looking *looking, json_t **ret_cluster)
{
    int64_t told = -1;

    while (true) {
        json_t *cluster;
        char left[CLI_STATUS_LINE_TEXT_MAX];
        int64_t attempts;
        int code = look(looking, &cluster);

        if (code) return code;
        attempts = cluster ? cli_int(cluster, "attempts") : 0;
        if (attempts == 0) {
            *ret_cluster = cluster;
            return CLI_OK;
        }
        left_there(cluster, left);
        json_decref(cluster);
        if (attempts != told && !cli_status_line_is_on()) {
            fprintf(stderr, "    %s %s\n", looking->name, left);
        }
        told = attempts;
        if (looking->deadline && fl_clock_mono() >= looking->deadline) {
            return cli_fail(
                CLI_TIMED_OUT,
                "%s still has %lld attempts, and stays without new work; repeat this, with "
                "--stop-jobs to stop them, or, if nothing runs there any more, "
                "'fairlead cluster rm %s --yes'",
                looking->name, (long long)attempts, looking->name);
        }
        if (!wait_while(looking, left)) return CLI_CANCELLED;
    }
}

static int drain(const struct looking *looking, const char *reason, json_t **ret_cluster)
{
    struct cli *cli = looking->cli;
    json_t *body = json_object();

    if (reason) json_object_set_new(body, "reason", json_string(reason));
    if (cli_has(&cli->args, CLI_OPT_stop_jobs)) {
        json_object_set_new(body, "running", json_string("stop"));
    }
    return cli_post(cli, ret_cluster, body, "/v1/clusters/%s:drain", looking->escaped);
}

int verb_cluster_drain(struct cli *cli)
{
    struct looking looking;
    struct fl_err err = {0};
    json_t *cluster = NULL;
    int code;

    if (!cli_one_name(cli)) return CLI_USAGE;
    if (!begin_looking(cli, 0, &looking, &err)) return cli_fail_err(&err);
    code = drain(&looking, cli_value(&cli->args, CLI_OPT_reason), &cluster);
    if (code) return code;
    fprintf(stderr, "%s is draining: it takes no new work\n", looking.name);
    if (!cli_has(&cli->args, CLI_OPT_detach)) {
        json_decref(cluster);
        FL_IGNORE(cli_status_line_begin());
        code = wait_empty(&looking, &cluster);
        cli_status_line_end();
        if (code == CLI_CANCELLED) {
            fprintf(stderr,
                    "\nno longer watching; %s takes no new work.  fairlead cluster get %s   "
                    "fairlead cluster uncordon %s\n",
                    looking.name, looking.name, looking.name);
        }
        if (code) return code;
        tick(&looking, "empty");
    }
    if (cluster) FL_IGNORE(cli_answer(cli, cluster, "name"));
    json_decref(cluster);
    return CLI_OK;
}

static int empty_and_cut_off(const struct looking *looking)
{
    json_t *cluster = NULL;
    int code = drain(looking, "it leaves", NULL);

    if (!code) tick(looking, "cordoned");
    if (!code) code = wait_empty(looking, &cluster);
    json_decref(cluster);
    if (code) return code;
    tick(looking, "empty");
    code = cli_post(looking->cli, NULL, NULL, "/v1/clusters/%s:revoke", looking->escaped);
    if (!code) code = wait_cut_off(looking);
    if (!code) tick(looking, "cut off");
    return code;
}

int verb_cluster_leave(struct cli *cli)
{
    struct cli_request request = {.method = "DELETE"};
    struct looking looking;
    struct fl_err err = {0};
    int code;

    if (!cli_one_name(cli)) return CLI_USAGE;
    if (!begin_looking(cli, 0, &looking, &err)) return cli_fail_err(&err);
    FL_IGNORE(cli_status_line_begin());
    code = empty_and_cut_off(&looking);
    cli_status_line_end();
    if (code) return code;
    request.path = fl_arena_printf(&cli->arena, "/v1/clusters/%s", looking.escaped);
    code = cli_call(cli, &request, NULL);
    if (code) return code;
    tick(&looking, "forgotten");
    fprintf(stderr, "now end its agent; on Kubernetes:  helm uninstall fairlead-agent --namespace "
                    "fairlead-agent --wait\n");
    return CLI_OK;
}
