#include "controlplane/api/v1/job_outputs.h"

#include "controlplane/store/read_outputs.h"
#include "controlplane/views/directory.h"
#include "controlplane/views/token_table.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"

enum { RETRY_MS = 1000, LETTERS_MAX = 4 * LOG_VIEW_SOURCES_MAX };

struct ended {
    struct fl_cluster cluster;
    fl_ms ended_at;
};

struct job_outputs {
    const struct api_parts *parts;
    fl_ms grace_ms;
    struct log_query query; /* its element alone counts here */
    bool is_patient, is_there;
    job_outputs_fn *done;
    void *ctx;
    uint64_t ask; /* 0: none */
    struct fl_timer retry;
    struct fl_arena arena; /* the letters */
    size_t letters;
    FL_VEC(struct log_attempt) attempts;
    FL_VEC(struct ended) ends; /* at the same place */
    struct log_attempts list;
};

/* Rows have this time; a step of this machine's clock does not change it. */
static fl_ms core_time(const struct job_outputs *outputs)
{
    return token_table_time(outputs->parts->tokens, fl_loop_now(outputs->parts->loop));
}

static bool is_given_up(const struct job_outputs *outputs, const struct ended *end)
{
    struct directory_cluster cluster;

    if (directory_cluster(outputs->parts->directory, end->cluster, &cluster) &&
        cluster.is_removed) {
        return true;
    }
    return core_time(outputs) >= end->ended_at + outputs->grace_ms;
}

static void ask(void *ctx);

static void on_outputs(void *ctx, const struct read_outputs *answer)
{
    struct job_outputs *outputs = ctx;
    struct fl_err err = {0};

    outputs->ask = 0;
    if (answer->err && outputs->is_patient) {
        fl_timer_in(&outputs->retry, RETRY_MS);
        return;
    }
    if (answer->err) {
        outputs->done(outputs->ctx, answer->err);
        return;
    }
    for (size_t i = 0; i < answer->len; i++) {
        const struct read_output *at = &answer->at[i];
        struct log_attempt attempt = {.attempt = at->attempt, .letters = at->letters};
        struct ended end = {.cluster = at->cluster, .ended_at = at->ended_at};

        attempt.letters.at = fl_arena_copy(&outputs->arena, at->letters.at, at->letters.len);
        attempt.is_given_up = is_given_up(outputs, &end);
        outputs->letters += at->letters.len;
        fl_vec_push(&outputs->attempts, attempt);
        fl_vec_push(&outputs->ends, end);
    }
    if (outputs->letters > LETTERS_MAX) {
        fl_fail(&err, FL_TOO_LARGE,
                "over %d outputs, at most %d are read at once: name an element or a replica",
                LETTERS_MAX, LOG_VIEW_SOURCES_MAX);
        outputs->done(outputs->ctx, &err);
    } else if (answer->has_more) {
        ask(outputs);
    } else {
        outputs->is_there = true;
        outputs->done(outputs->ctx, NULL);
    }
}

static void ask(void *ctx)
{
    struct job_outputs *outputs = ctx;
    const struct log_query *query = &outputs->query;
    struct fl_attempt last = {.element = query->element};
    struct fl_err err = {0};

    if (outputs->attempts.len > 0) last = outputs->attempts.at[outputs->attempts.len - 1].attempt;
    outputs->ask =
        read_outputs(outputs->parts->reader, query->job, last.element, last.n,
                     query->has_element ? query->element : INT32_MAX, on_outputs, outputs, &err);
    outputs->parts->asked(outputs->parts->asked_ctx);
    if (outputs->ask == 0) fl_timer_in(&outputs->retry, RETRY_MS);
}

struct job_outputs *job_outputs_create(const struct api_config *config,
                                       const struct api_parts *parts, const struct log_query *query,
                                       bool is_patient, job_outputs_fn *done, void *ctx)
{
    struct job_outputs *outputs = fl_new(struct job_outputs);

    outputs->parts = parts;
    outputs->grace_ms = config->log_grace_ms;
    outputs->query = *query;
    if (!query->has_element) outputs->query.element = 0;
    outputs->is_patient = is_patient;
    outputs->done = done;
    outputs->ctx = ctx;
    fl_timer_init(&outputs->retry, parts->loop, ask, outputs);
    ask(outputs);
    return outputs;
}

void job_outputs_destroy(struct job_outputs *outputs)
{
    if (!outputs) return;
    if (outputs->ask != 0) reader_forget(outputs->parts->reader, outputs->ask);
    fl_timer_off(&outputs->retry);
    fl_arena_fini(&outputs->arena);
    fl_vec_fini(&outputs->attempts);
    fl_vec_fini(&outputs->ends);
    fl_free(outputs);
}

bool job_outputs_are_there(const struct job_outputs *outputs)
{
    return outputs && outputs->is_there;
}

const struct log_attempts *job_outputs_attempts(struct job_outputs *outputs)
{
    outputs->list = (struct log_attempts){outputs->attempts.at, outputs->attempts.len};
    return &outputs->list;
}

bool job_outputs_look(struct job_outputs *outputs)
{
    bool is_any = false;

    for (size_t i = 0; i < outputs->attempts.len; i++) {
        struct log_attempt *attempt = &outputs->attempts.at[i];

        if (attempt->is_given_up || !is_given_up(outputs, &outputs->ends.at[i])) continue;
        attempt->is_given_up = is_any = true;
    }
    return is_any;
}

bool job_outputs_place(const struct job_outputs *outputs, struct fl_attempt attempt,
                       struct fl_cluster *ret_cluster, fl_ms *ret_until)
{
    for (size_t i = 0; i < outputs->attempts.len; i++) {
        const struct ended *end = &outputs->ends.at[i];

        if (!fl_attempt_is_same(outputs->attempts.at[i].attempt, attempt)) continue;
        *ret_cluster = end->cluster;
        *ret_until = end->ended_at > 0 ? end->ended_at + outputs->grace_ms : 0;
        return true;
    }
    return false;
}
