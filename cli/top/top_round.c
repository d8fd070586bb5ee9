#include "cli/top/top_round.h"

#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "shared/base/alloc.h"

/* A page of jobs may be short, and each cluster has its own list of nodes. */
enum { JOB_PAGES_MAX = 4, NODE_LISTS_MAX = 32 };

enum step { TOKEN, VERSION, CLUSTERS, QUEUES, JOBS, NODES, JOB, WHY, STEPS_LEN };

struct top_round {
    struct cli *cli;
    struct top_call call;
    bool is_running;
    enum step step;
    struct fl_arena arena; /* for this round's texts */
    const char *query;     /* for the list of jobs */
    const char *cluster;   /* "": nodes of all */
    const char *job;       /* "": no panel is open */
    bool wants_nodes;
    size_t pages;            /* pages of jobs, or lists of nodes */
    const char *cursor;      /* for the next page of jobs */
    json_t *token, *version; /* kept until a round fails: they seldom change */
    struct top_data *data;
    json_t *job_answer, *why_answer;
};

struct top_round *top_round_create(struct cli *cli, struct cli_http *http)
{
    struct top_round *round = fl_new(struct top_round);

    round->cli = cli;
    top_call_init(&round->call, cli, http);
    return round;
}

static void drop(struct top_round *round)
{
    top_data_destroy(round->data);
    json_decref(round->job_answer);
    json_decref(round->why_answer);
    round->data = NULL;
    round->job_answer = round->why_answer = NULL;
    round->is_running = false;
}

void top_round_destroy(struct top_round *round)
{
    if (!round) return;
    drop(round);
    json_decref(round->token);
    json_decref(round->version);
    top_call_fini(&round->call);
    fl_arena_fini(&round->arena);
    fl_free(round);
}

bool top_round_is_running(const struct top_round *round)
{
    return round->is_running;
}

/* ---- questions ------------------------------------------------------------------------------- */

static const char *escape(struct top_round *round, const char *text)
{
    struct fl_arena outer = cli_begin_turn(round->cli);
    const char *escaped = cli_escape(round->cli, text);

    escaped = fl_arena_copy(&round->arena, escaped, strlen(escaped));
    cli_end_turn(round->cli, outer);
    return escaped;
}

/* "&label=a%3Db,c%3Dd" of a flag that may be repeated; "" without it. */
static const char *query_of(struct top_round *round, enum cli_option_id option, const char *key)
{
    const struct cli_args *args = &round->cli->args;
    const char *query = "";

    for (size_t i = 0; i < args->values[option].len; i++) {
        query = fl_arena_printf(&round->arena, "%s%s%s%s", query, i ? "," : "&", i ? "" : key,
                                escape(round, args->values[option].at[i]));
    }
    return query;
}

static const char *make_query(struct top_round *round, const struct top_model *model)
{
    struct fl_arena *arena = &round->arena;
    const char *states = query_of(round, CLI_OPT_state, "state="),
               *labels = query_of(round, CLI_OPT_label, "label=");

    if (!*states && model->is_open_only) states = "&state=open";
    return fl_arena_printf(arena, "%s%s%s%s%s%s", states, labels, *model->queue ? "&queue=" : "",
                           escape(round, model->queue), *model->user ? "&submittedBy=" : "",
                           escape(round, model->user));
}

static const char *node_cluster(const struct top_round *round)
{
    if (*round->cluster) return round->pages ? NULL : round->cluster;
    if (round->pages >= round->data->clusters.len || round->pages >= NODE_LISTS_MAX) return NULL;
    return round->data->clusters.at[round->pages].name;
}

/* NULL: this step has nothing to ask. */
static const char *path_of(struct top_round *round)
{
    struct fl_arena *arena = &round->arena;
    const char *cluster;

    switch (round->step) {
    case TOKEN:
        return round->token ? NULL : "/v1/whoami";
    case VERSION:
        return round->version ? NULL : "/version";
    case CLUSTERS:
        return "/v1/clusters";
    case QUEUES:
        return "/v1/queues";
    case JOBS:
        return fl_arena_printf(arena, "/v1/jobs?limit=%zu%s%s%s",
                               TOP_JOBS_MAX - round->data->jobs.len, round->query,
                               *round->cursor ? "&cursor=" : "", round->cursor);
    case NODES:
        cluster = round->wants_nodes ? node_cluster(round) : NULL;
        return cluster ? fl_arena_printf(arena, "/v1/clusters/%s/nodes", escape(round, cluster))
                       : NULL;
    case JOB:
        return *round->job ? fl_arena_printf(arena, "/v1/jobs/%s", escape(round, round->job))
                           : NULL;
    case WHY:
        return *round->job
                   ? fl_arena_printf(arena, "/v1/jobs/%s/explain", escape(round, round->job))
                   : NULL;
    case STEPS_LEN:
        break;
    }
    return NULL;
}

/* Asks for the next thing.  False: there is none. */
static bool ask(struct top_round *round)
{
    for (; round->step < STEPS_LEN; round->step++, round->pages = 0) {
        const char *path = path_of(round);

        if (!path) continue;
        top_call_start(&round->call, "GET", path);
        return true;
    }
    return false;
}

void top_round_start(struct top_round *round, const struct top_model *model)
{
    drop(round);
    fl_arena_reset(&round->arena);
    round->query = make_query(round, model);
    round->cluster = fl_arena_printf(&round->arena, "%s", model->cluster);
    round->job = fl_arena_printf(&round->arena, "%s", model->panel.job);
    round->wants_nodes = model->tab == TOP_NODES;
    round->cursor = "";
    round->pages = 0;
    round->step = TOKEN;
    round->data = top_data_create();
    round->is_running = ask(round);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Takes a page of jobs.  True: there is another one to ask for. */
static bool take_jobs(struct top_round *round, const json_t *page)
{
    const char *cursor = cli_text(page, "cursor");

    top_data_put_jobs(round->data, page);
    round->cursor = escape(round, cursor);
    return *cursor && ++round->pages < JOB_PAGES_MAX && round->data->jobs.len < TOP_JOBS_MAX;
}

static bool take_nodes(struct top_round *round, const json_t *page)
{
    const char *cluster = node_cluster(round);

    if (page) top_data_put_nodes(round->data, cluster, page);
    round->pages++;
    if (!*round->cluster && round->pages == NODE_LISTS_MAX &&
        round->data->clusters.len > NODE_LISTS_MAX) {
        round->data->has_more_nodes = true;
    }
    return round->data->nodes.len < TOP_NODES_MAX;
}

/* True: the same step asks once more. */
static bool take(struct top_round *round, json_t *json)
{
    switch (round->step) {
    case TOKEN:
        round->token = json_incref(json);
        return false;
    case VERSION:
        round->version = json_incref(json);
        return false;
    case CLUSTERS:
        top_data_put_clusters(round->data, json);
        return false;
    case QUEUES:
        top_data_put_queues(round->data, json);
        return false;
    case JOBS:
        return take_jobs(round, json);
    case NODES:
        return take_nodes(round, json);
    case JOB:
        round->job_answer = json_incref(json);
        return false;
    case WHY:
        round->why_answer = json_incref(json);
        return false;
    case STEPS_LEN:
        break;
    }
    return false;
}

/* An answer without which the rest may still be shown. */
static bool is_spared(const struct top_round *round, unsigned status)
{
    return round->step != JOBS && (status == 403 || status == 404);
}

static void succeed(struct top_round *round, struct top_found *ret_found)
{
    top_data_put_token(round->data, round->token);
    top_data_put_version(round->data, round->version);
    *ret_found = (struct top_found){
        .data = round->data, .job = round->job_answer, .job_why = round->why_answer};
    round->data = NULL;
    round->job_answer = round->why_answer = NULL;
    drop(round);
}

static void fail(struct top_round *round, const struct top_answer *answer,
                 struct top_found *ret_found)
{
    json_decref(round->token);
    json_decref(round->version);
    round->token = round->version = NULL;
    *ret_found = (struct top_found){.status = answer->status};
    memcpy(ret_found->why, answer->why, sizeof ret_found->why);
    drop(round);
}

bool top_round_step(struct top_round *round, struct top_found *ret_found)
{
    struct top_answer answer;
    bool is_again;

    if (!round->is_running || !top_call_take(&round->call, &answer)) return false;
    if (!answer.json && !is_spared(round, answer.status)) {
        fail(round, &answer, ret_found);
        return true;
    }
    is_again = take(round, answer.json);
    json_decref(answer.json);
    if (!is_again) {
        round->step++;
        round->pages = 0;
    }
    if (ask(round)) return false;
    succeed(round, ret_found);
    return true;
}
