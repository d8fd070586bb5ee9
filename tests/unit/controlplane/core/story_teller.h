/* story_teller.h - the state of a story: a core with its rows so far, its agents' memory, and the
 * text of the outcome; and the words of a line, taken one by one.  A part of story.h. */
#pragma once

#include "controlplane/core/core.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "controlplane/core/shape.h"
#include "shared/base/alloc.h"
#include "shared/base/element_set.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"
#include "shared/base/resource_name.h"
#include "shared/base/vec.h"
#include "tests/fl_test.h"
#include "tests/fuzz/core_fold.h"

enum { CLUSTERS_MAX = 8, WORDS_MAX = 200, TEXT_MAX = 1 << 20, LINE_MAX_BYTES = 4096 };

struct teller_cluster {
    char name[64];
    uint64_t session, connection, report_seq, control_seq;
    uint32_t inventory_len;
    uint64_t inventory_digest;
};

struct teller {
    struct core_config config;
    struct core *core;
    struct core_fold fold;
    struct core_batch *batch; /* being filled */
    uint64_t batch_next;
    fl_ms now;
    uint32_t incarnation;
    uint64_t seed, connections, requests;
    uint64_t answers_due; /* requests of this batch that are not answered yet */
    struct teller_cluster clusters[CLUSTERS_MAX + 1]; /* by id */
    size_t clusters_len;
    char *out;
    size_t out_len;
    bool is_quiet;
    bool is_cpu_named;     /* all cpu is the resource test/cpu, see core_story_test.c */
    bool is_in_slices;     /* a batch has one slice, as in life */
    struct fl_arena arena; /* holds one line */

    char *words[WORDS_MAX];
    size_t words_len, word;
};

/* ---- telling --------------------------------------------------------------------------------- */

static void FL_PRINTF(2, 3) tell(struct teller *teller, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(teller->out + teller->out_len, TEXT_MAX - teller->out_len, fmt, args);
    va_end(args);
    assert_true(len >= 0 && teller->out_len + (size_t)len < TEXT_MAX);
    teller->out_len += (size_t)len;
}

static const char *attempt_text(struct teller *teller, struct fl_attempt attempt)
{
    char name[FL_JOB_NAME_MAX];

    fl_job_name(attempt.job, name);
    if (attempt.incarnation != 1) {
        return fl_arena_printf(&teller->arena, "%s/%u#%u@%u", name, attempt.element, attempt.n,
                               attempt.incarnation);
    }
    return fl_arena_printf(&teller->arena, "%s/%u#%u", name, attempt.element, attempt.n);
}

static void tell_send(struct teller *teller, const struct core_send *send)
{
    tell(teller, "    %s <- %s", teller->clusters[send->cluster.n].name,
         core_send_name(send->kind));
    switch (send->kind) {
    case CORE_SEND_welcome:
    case CORE_SEND_resync:
        tell(teller, " session=%" PRIu64, send->session_epoch);
        break;
    case CORE_SEND_start:
        tell(teller, " %s seq=%" PRIu64 " nodes=", attempt_text(teller, send->attempt),
             send->control_seq);
        for (size_t i = 0; i < send->nodes_len; i++) {
            tell(teller, "%s%u", i ? "," : "", send->nodes[i]);
        }
        break;
    case CORE_SEND_go:
        tell(teller, " %s seq=%" PRIu64, attempt_text(teller, send->attempt), send->control_seq);
        break;
    case CORE_SEND_stop:
        tell(teller, " %s seq=%" PRIu64 " %s", attempt_text(teller, send->attempt),
             send->control_seq, reason_name(send->reason));
        break;
    case CORE_SEND_ack:
        tell(teller, " %" PRIu64, send->report_seq);
        break;
    case CORE_SEND_bye:
        tell(teller, " %s: %s", fl_code_name(send->code), send->text);
        break;
    }
    tell(teller, "\n");
}

static void tell_view(struct teller *teller, const struct core_job_view *view)
{
    char name[FL_JOB_NAME_MAX];

    fl_job_name(view->job, name);
    tell(teller, "    | %s %s", name, job_state_name(view->state));
    if (view->reason != REASON_none) tell(teller, " %s", reason_name(view->reason));
    if (view->priority) tell(teller, " priority=%d", view->priority);
    if (view->elements > 1) {
        tell(teller, " elements=%u started=%u live=%u succeeded=%u failed=%u cancelled=%u",
             view->elements, view->elements_started, view->elements_live, view->elements_succeeded,
             view->elements_failed, view->elements_cancelled);
        if (view->elements_unknown) tell(teller, " unknown=%u", view->elements_unknown);
    }
    if (view->parallelism) tell(teller, " limit=%u", view->parallelism);
    if (view->is_picked) tell(teller, " picked");
    if (view->cluster.n) {
        tell(teller, " on %s attempt=%u", teller->clusters[view->cluster.n].name, view->attempt);
    }
    if (view->unknown_at) tell(teller, " unknown since %" PRId64 "s", view->unknown_at / 1000);
    tell(teller, "\n");
}

/* Elements of plain jobs are left out: the line of the job says it all. */
static void tell_elements(struct teller *teller, const struct core_answer *answer)
{
    for (size_t i = 0; i < answer->elements_len; i++) {
        const struct core_element_view *view = &answer->elements[i];

        if (answer->jobs[0].elements == 1 && !answer->jobs[0].is_picked) continue;
        tell(teller, "    | element %u#%u %s", view->element, view->attempt,
             attempt_state_name(view->state));
        if (view->unknown_at) tell(teller, " since %" PRId64 "s", view->unknown_at / 1000);
        if (view->reason != REASON_none) tell(teller, " %s", reason_name(view->reason));
        if (view->replicas_len > 0) {
            tell(teller, " on %s:", teller->clusters[view->cluster.n].name);
            for (const char *at = view->nodes; *at; at++) {
                tell(teller, "%c", *at == '\n' ? ',' : *at);
            }
        }
        for (size_t r = 0; r < view->replicas_len; r++) {
            tell(teller, " %s", fl_replica_state_name((enum fl_replica_state)view->replicas[r]));
        }
        if (view->failures) tell(teller, " failures=%u", view->failures);
        tell(teller, "\n");
    }
}

static void tell_named(struct teller *teller, const struct core_resource_view *named, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        tell(teller, " %s=%" PRIu64 "/%" PRIu64, named[i].name, named[i].free, named[i].total);
    }
}

static void tell_lists(struct teller *teller, const struct core_answer *answer)
{
    static const char *const access[] = {"open", "locked", "revoked"};

    tell_elements(teller, answer);
    for (size_t i = 0; i < answer->clusters_len; i++) {
        const struct core_cluster_view *view = &answer->clusters[i];

        tell(teller,
             "    | %s uid=%s %s%s%s%s attempts=%u nodes=%u/%u cpu=%" PRIu64 "/%" PRIu64
             " generation=%" PRIu64,
             view->name, view->uid, access[view->access], view->is_connected ? " connected" : "",
             view->is_silent ? " silent" : "", view->is_draining ? " draining" : "", view->attempts,
             view->nodes_ready, view->nodes, view->free.cpu_milli / 1000,
             view->total.cpu_milli / 1000, view->generation);
        tell_named(teller, view->named, view->named_len);
        if (view->cordon[0]) tell(teller, " cordon=%s", view->cordon);
        tell(teller, "\n");
    }
    for (size_t i = 0; i < answer->nodes_len; i++) {
        const struct core_node_view *view = &answer->nodes[i];

        tell(teller, "    | node %s number=%u%s cpu=%u/%u", view->name, view->number,
             view->is_ready ? "" : " notready", view->free.cpu_milli / 1000,
             view->total.cpu_milli / 1000);
        tell_named(teller, view->named, view->named_len);
        for (const char *at = view->taints, *end; *at; at = end + 1) {
            end = strchr(at, '\n');
            tell(teller, " taint=%.*s", (int)(end - at), at);
        }
        tell(teller, "\n");
    }
    for (size_t i = 0; i < answer->queues_len; i++) {
        const struct core_queue_view *view = &answer->queues[i];

        tell(teller, "    | queue %s%s jobs=%" PRIu64, view->name, view->is_paused ? " paused" : "",
             view->jobs);
        for (enum job_state state = JOB_held; state <= JOB_stopping; state++) {
            if (view->in_state[state] == 0) continue;
            tell(teller, " %s=%" PRIu32, job_state_name(state), view->in_state[state]);
        }
        if (view->has_default_cpu) tell(teller, " cpu=%" PRIu32, view->default_cpu_milli);
        tell(teller, "\n");
    }
}

static void tell_answer(struct teller *teller, const struct core_answer *answer)
{
    tell(teller, "    answer %s", fl_code_name(answer->code));
    if (answer->code != FL_OK) tell(teller, ": %s", answer->text);
    if (answer->id) tell(teller, " id=%" PRIu64, answer->id);
    if (answer->name) {
        tell(teller, " %s %s generation=%" PRIu64, answer->name, answer->uuid, answer->generation);
    }
    if (answer->sentence) tell(teller, ": %s", answer->sentence);
    if (answer->next) tell(teller, " next=%" PRIu64, answer->next);
    tell(teller, "\n");
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        char name[FL_JOB_NAME_MAX];

        fl_job_name(answer->outcomes[i].job, name);
        if (answer->outcomes[i].code == FL_OK) {
            tell(teller, "    | %s\n", name);
        } else {
            tell(teller, "    | %s: %s\n", fl_code_name(answer->outcomes[i].code),
                 answer->outcomes[i].text);
        }
    }
    for (size_t i = 0; i < answer->jobs_len; i++) {
        tell_view(teller, &answer->jobs[i]);
    }
    tell_lists(teller, answer);
    for (size_t i = 0; i < answer->verdicts_len; i++) {
        tell(teller, "    | %s %s: %s\n", teller->clusters[answer->verdicts[i].cluster.n].name,
             reason_name(answer->verdicts[i].reason), answer->verdicts[i].text);
    }
}

static bool says_nothing(const struct row *row, const char *word)
{
    static const char *const silent[] = {"first_replica=4294967295",
                                         "retry_of=0",
                                         "has_marks=0",
                                         "deadline_s=0",
                                         "retries_max=0",
                                         "is_singleton=0",
                                         "parallelism=0",
                                         "is_removed=0",
                                         "has_default_cpu=0",
                                         "default_cpu_milli=0"};
    static const char *const of_cluster[] = {"access=0", "is_draining=0", "generation=0", "seen=0",
                                             "key=00000000"};

    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        if (strcmp(word, silent[i]) == 0) return true;
    }
    for (size_t i = 0; i < sizeof of_cluster / sizeof *of_cluster; i++) {
        if (row->kind == ROW_cluster_put && strcmp(word, of_cluster[i]) == 0) return true;
    }
    return false;
}

/* Numbers of states and reasons become names, and what says nothing goes. */
static void tell_field(struct teller *teller, const struct row *row, const char *word)
{
    bool is_end = row->kind == ROW_element_end || row->kind == ROW_job_end;
    unsigned n;

    if (says_nothing(row, word)) return;
    if (sscanf(word, "reason=%u", &n) == 1) {
        tell(teller, " %s", reason_name((enum reason)n));
    } else if (is_end && sscanf(word, "state=%u", &n) == 1) {
        tell(teller, " %s", job_state_name((enum job_state)n));
    } else if (row->kind == ROW_replica_phase && sscanf(word, "state=%u", &n) == 1) {
        tell(teller, " %s", fl_replica_state_name((enum fl_replica_state)n));
    } else {
        tell(teller, " %s", word);
    }
}

static void tell_row(struct teller *teller, const struct row *row)
{
    char text[1024], *save = NULL;

    row_print(row, text, sizeof text);
    tell(teller, "    %s", strtok_r(text, " ", &save));
    for (char *word; (word = strtok_r(NULL, " ", &save));) {
        tell_field(teller, row, word);
    }
    tell(teller, "\n");
}

/* ---- memory of the story's agents and clients ------------------------------------------------ */

static void learn_row(struct teller *teller, const struct row *row)
{
    if (row->kind != ROW_cluster_put) return;
    assert_true(row->cluster_put.cluster <= CLUSTERS_MAX);
    snprintf(teller->clusters[row->cluster_put.cluster].name, 64, FL_STR_FMT,
             FL_STR_ARG(row->cluster_put.name));
    if (row->cluster_put.cluster > teller->clusters_len) {
        teller->clusters_len = row->cluster_put.cluster;
    }
}

static void learn_send(struct teller *teller, const struct core_send *send)
{
    struct teller_cluster *cluster = &teller->clusters[send->cluster.n];

    if (send->kind == CORE_SEND_welcome || send->kind == CORE_SEND_resync) {
        cluster->session = send->session_epoch;
        cluster->report_seq = cluster->control_seq = 0;
        cluster->inventory_len = 0;
        cluster->inventory_digest = 0;
    }
    if (send->kind == CORE_SEND_bye || send->kind == CORE_SEND_ack) return;
    assert_int_equal(send->session_epoch, cluster->session);
    assert_int_equal(send->connection, cluster->connection);
    if (send->control_seq) {
        assert_int_equal(send->control_seq, cluster->control_seq + 1);
        cluster->control_seq = send->control_seq;
    }
}

/* ---- stepping -------------------------------------------------------------------------------- */

static struct core_batch *open_batch(struct teller *teller)
{
    if (!teller->batch) teller->batch = core_batch_create(teller->batch_next++);
    return teller->batch;
}

static void close_batch(struct teller *teller)
{
    struct core_batch *batch = open_batch(teller);

    while (core_settle(teller->core, teller->now, batch) && !teller->is_in_slices) {
        ;
    }
    core_check(teller->core);
    core_fold_add(&teller->fold, batch);
    for (size_t i = 0; i < batch->rows.len; i++) {
        learn_row(teller, &batch->rows.at[i]);
        if (!teller->is_quiet) tell_row(teller, &batch->rows.at[i]);
    }
    for (size_t i = 0; i < batch->effects.len; i++) {
        const struct core_effect *effect = &batch->effects.at[i];

        if (effect->kind == CORE_SEND) {
            learn_send(teller, &effect->send);
            if (!teller->is_quiet) tell_send(teller, &effect->send);
        } else {
            assert_true(effect->answer.request > 0 && teller->answers_due > 0);
            teller->answers_due--;
            if (!teller->is_quiet) tell_answer(teller, &effect->answer);
        }
    }
    assert_int_equal(teller->answers_due, 0); /* each request once */
    core_batch_destroy(batch);
    teller->batch = NULL;
}

static void step(struct teller *teller, struct core_event *event)
{
    event->now = teller->now;
    core_step(teller->core, event, open_batch(teller));
    core_check(teller->core);
}

static void ask(struct teller *teller, struct core_event *event)
{
    event->request = ++teller->requests;
    event->tenant.n = event->tenant.n ? event->tenant.n : 1;
    event->actor = FL_STR("ann");
    teller->answers_due++;
    step(teller, event);
}

static void begin(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_begin,
                               .begin = {.seed = ++teller->seed,
                                         .incarnation = teller->incarnation,
                                         .epoch = 1,
                                         .batch = teller->batch_next}};

    step(teller, &event);
}

static struct core *loaded(struct teller *teller)
{
    struct core *core = core_create(&teller->config);

    core_fold_load(&teller->fold, core);
    assert_int_equal(core_hash(core), core_hash(teller->core));
    return core;
}

static void pass_time(struct teller *teller, fl_ms until)
{
    do {
        fl_ms due = core_deadline(teller->core);
        struct core_event event = {.kind = CORE_EV_tick};
        size_t start = teller->out_len, head;

        teller->now = due > until ? until : due > teller->now ? due : teller->now;
        if (!teller->is_quiet) {
            tell(teller, "  %" PRId64 ".%03" PRId64 "s\n", teller->now / 1000, teller->now % 1000);
        }
        head = teller->out_len;
        step(teller, &event);
        assert_true(core_deadline(teller->core) > teller->now); /* due timers have run */
        close_batch(teller);
        if (teller->out_len == head) { /* nothing came of it */
            teller->out_len = start;
            teller->out[start] = '\0';
        }
    } while (teller->now < until);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void __attribute__((noreturn)) wrong(const struct teller *teller, const char *what)
{
    const char *word = teller->word < teller->words_len ? teller->words[teller->word] : "the end";

    print_error("%.*s\n%s at '%s'\n", (int)teller->out_len, teller->out, what, word);
    fail();
    abort();
}

static const char *peek(const struct teller *teller)
{
    return teller->word < teller->words_len ? teller->words[teller->word] : NULL;
}

static const char *next(struct teller *teller)
{
    if (teller->word == teller->words_len) wrong(teller, "a word is missing");
    return teller->words[teller->word++];
}

static bool take(struct teller *teller, const char *word)
{
    const char *at = peek(teller);

    if (!at || strcmp(at, word) != 0) return false;
    teller->word++;
    return true;
}

/* "key=value": the value; NULL: the next word is another one. */
static const char *take_value(struct teller *teller, const char *key)
{
    const char *at = peek(teller);
    size_t len = strlen(key);

    if (!at || strncmp(at, key, len) != 0 || at[len] != '=') return NULL;
    teller->word++;
    return at + len + 1;
}

static bool take_number(struct teller *teller, const char *key, uint64_t *ret)
{
    const char *value = take_value(teller, key);
    char *end;

    if (!value) return false;
    *ret = strtoull(value, &end, 10);
    if (*value == '\0' || *end) {
        teller->word--;
        wrong(teller, "no number");
    }
    return true;
}

static bool take_u32(struct teller *teller, const char *key, uint32_t *ret)
{
    uint64_t n;

    if (!take_number(teller, key, &n)) return false;
    *ret = (uint32_t)n;
    return true;
}

/* "rdma/hca=2": a resource with a name */
static bool take_named(struct teller *teller, struct fl_str *ret_name, uint64_t *ret)
{
    const char *at = peek(teller), *end = at ? strchr(at, '=') : NULL;
    struct fl_str name = {at, end ? (size_t)(end - at) : 0};

    if (!end || !fl_is_job_resource(name)) return false;
    *ret_name = name;
    *ret = strtoull(end + 1, NULL, 10);
    teller->word++;
    return true;
}

/* "2.5s", "250ms", "5min", "2h" */
static bool is_time(const char *word, fl_ms *ret)
{
    char *end;
    double value;

    if (!isdigit((unsigned char)word[0])) return false;
    value = strtod(word, &end);
    if (strcmp(end, "ms") == 0) {
        *ret = (fl_ms)value;
    } else if (strcmp(end, "s") == 0) {
        *ret = (fl_ms)(value * 1000 + 0.5);
    } else if (strcmp(end, "min") == 0) {
        *ret = (fl_ms)(value * 60000 + 0.5);
    } else if (strcmp(end, "h") == 0) {
        *ret = (fl_ms)(value * 3600000 + 0.5);
    } else {
        return false;
    }
    return true;
}

static struct teller_cluster *find_cluster(struct teller *teller, const char *name,
                                           uint32_t *ret_id)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i <= teller->clusters_len; i++) {
        if (strcmp(teller->clusters[i].name, name) == 0) found = i; /* the newest of that name */
    }
    if (!found) wrong(teller, "no such cluster before this");
    *ret_id = found;
    return &teller->clusters[found];
}

static struct fl_str str(const char *text)
{
    return fl_str_c(text);
}

/* "a=b:NoSchedule;c:NoExecute": taints or tolerations, as lines. */
static struct fl_str lines_of(struct teller *teller, const char *text)
{
    char *lines = fl_arena_printf(&teller->arena, "%s\n", text);

    for (char *at = lines; *at; at++) {
        if (*at == ';') *at = '\n';
    }
    return str(lines);
}
