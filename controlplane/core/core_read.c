#include <inttypes.h>
#include <string.h>

#include "controlplane/core/core_state.h"
#include "controlplane/core/job_tree.h"
#include "controlplane/core/sched/refusal_words.h"
#include "shared/base/buf.h"
#include "shared/base/job_name.h"
#include "shared/base/resource_name.h"

/* Answers about live state.  They are effects like others: one leaves only once the state that it
 * shows is durable. */

static struct fl_queue_id queue_of(const struct core *core, const struct job *job)
{
    return queue_table_bucket(&core->queues, job->bucket)->queue;
}

static bool is_behind(const struct core *core, const struct job *job)
{
    return job->is_singleton && singleton_table_first(&core->singletons, job->id) != job->id;
}

/* Nothing of it is in line: why not. */
static enum reason reason_of_pause(const struct job_run *run)
{
    bool waits = run && run->pair && run->pair->waiting_len > 0;

    return waits ? REASON_WaitsForElements : REASON_BackoffUntil;
}

/* Why the job is not running, so far as is known; the most telling reason first. */
static enum reason reason_of(const struct core *core, const struct job *job,
                             const struct job_run *run)
{
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);

    if (run && run->unknown > 0) return REASON_ClusterSilent; /* also of one that is to stop */
    if (run && run->overdue > 0) return REASON_StopUnanswered;
    if (run && run->stop != REASON_none) return (enum reason)run->stop;
    if (run && run->running > 0) {
        return core_job_is_throttled(core, job) ? REASON_ArrayThrottle : REASON_none;
    }
    if (run && run->live > 0) return REASON_Dispatching;
    if (job->is_held) return REASON_Held;
    if (job->is_after) return REASON_WaitsForJobs;
    if (is_behind(core, job)) return REASON_WaitsForTurn;
    if (queue_table_at(&core->queues, bucket->queue)->is_paused) return REASON_QueuePaused;
    if (job->place == JOB_OUT) return reason_of_pause(run);
    if (core->clusters.enrolled_len == 0) return REASON_NoCluster;
    return bucket->why == REASON_none ? REASON_PriorityBehind : (enum reason)bucket->why;
}

static struct core_job_view view_of(const struct core *core, struct job_slot slot)
{
    const struct job *job = job_table_at(&core->jobs, slot);
    const struct job_run *run = job_table_run(&core->jobs, job);
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);
    struct core_job_view view = {.job = {job->id},
                                 .tenant = core_owner(core, job)->tenant,
                                 .queue = bucket->queue,
                                 .priority = bucket->priority,
                                 .state = job_table_state(&core->jobs, job),
                                 .reason = reason_of(core, job, run),
                                 .elements = job->elements,
                                 .elements_started = core_job_started(job, run),
                                 .revision = job_table_revision(&core->jobs, job),
                                 .deadline_s = job_table_deadline_s(&core->jobs, job),
                                 .parallelism = job_table_parallelism(&core->jobs, job)};
    struct element_slot first;

    if (!run) return view;
    view.elements_live = run->live;
    view.elements_running = run->running;
    view.elements_unknown = run->unknown;
    view.first_start = run->first_start;
    view.is_picked = run->picks.len > 0;
    view.elements_succeeded = run->succeeded;
    view.elements_failed = run->failed;
    view.elements_cancelled = run->cancelled;
    first = job_table_element(&core->jobs, job, job_table_number(&core->jobs, job, 0));
    if (first.n && element_table_at(&core->elements, first)->place == ELEMENT_LIVE) {
        view.cluster = element_table_at(&core->elements, first)->cluster;
        view.attempt = element_table_at(&core->elements, first)->n;
        if (cluster_table_at(&core->clusters, view.cluster)->is_silent) {
            view.unknown_at = cluster_table_at(&core->clusters, view.cluster)->silent_at;
        }
    }
    return view;
}

/* The silent cluster of the job's first unknown attempt; NULL: none among as many as one page
 * shows. */
static const struct cluster *silent_of(const struct core *core, const struct job *job)
{
    const struct job_run *run = job_table_run(&core->jobs, job);
    struct element_slot slot;
    uint32_t number = 0, from = 0;

    for (uint32_t looked = 0; run && run->unknown > 0 && looked < CORE_ELEMENT_VIEWS_MAX;
         looked++) {
        const struct element *element;
        const struct cluster *cluster;

        slot = job_table_next_element(&core->jobs, job, from, &number);
        if (!slot.n) break;
        element = element_table_at(&core->elements, slot);
        cluster = cluster_table_at(&core->clusters, element->cluster);
        if (element->place == ELEMENT_LIVE && cluster->is_silent) return cluster;
        from = number + 1;
    }
    return NULL;
}

/* Says that a job, or a part of it, is unknown, and how it may go on. */
static const char *unknown_sentence(struct core *core, const struct core_job_view *view,
                                    const struct cluster *cluster)
{
    const char *name =
        cluster ? fl_arena_printf(&core->scratch, "cluster %s", cluster->name) : "a cluster of it";
    bool is_stopping = view->state == JOB_stopping;
    const char *what = view->elements == 1
                           ? "it"
                           : fl_arena_printf(&core->scratch,
                                             "its part of this job (unknown: %" PRIu32
                                             " of %" PRIu32 " live elements)",
                                             view->elements_unknown, view->elements_live);

    return fl_arena_printf(&core->scratch,
                           "%s is silent: %s may well be running there, so it is not started "
                           "elsewhere by itself; once "
                           "the cluster is back it %s, and if the cluster is removed it %s",
                           name, what, is_stopping ? "is stopped" : "goes on, or ends as it did",
                           is_stopping ? "is over" : "starts again elsewhere");
}

/* Names some of the jobs that it waits for, and how they stand. */
static const char *after_sentence(struct core *core, const struct job *job)
{
    enum { NAMED_MAX = 3 };

    const struct dependency_edge *edge = dependency_table_first(&core->dependencies, job->id);
    const char *text = "", *comma = "";
    uint32_t len = 0;

    for (; edge; edge = dependency_table_next(&core->dependencies, edge), len++) {
        const struct job *target;
        char name[FL_JOB_NAME_MAX];

        if (len >= NAMED_MAX) continue;
        target =
            job_table_at(&core->jobs, job_table_find(&core->jobs, (struct fl_job){edge->target}));
        fl_job_name((struct fl_job){edge->target}, name);
        text = fl_arena_printf(&core->scratch, "%s%sthe %s of %s (%s)", text, comma,
                               edge->on == FL_ON_any ? "end" : fl_dependency_on_name(edge->on),
                               name, job_state_name(job_table_state(&core->jobs, target)));
        comma = ", ";
    }
    if (len > NAMED_MAX) {
        text = fl_arena_printf(&core->scratch, "%s and %" PRIu32 " more", text, len - NAMED_MAX);
    }
    return fl_arena_printf(&core->scratch, "it waits for %s", text);
}

/* Names the array that its elements wait for, and how that stands. */
static const char *elements_sentence(struct core *core, const struct job *job)
{
    const struct pair *pair = job_table_run(&core->jobs, job)->pair;
    const struct job *target = job_table_at(&core->jobs, pair->target);
    char name[FL_JOB_NAME_MAX];

    fl_job_name((struct fl_job){target->id}, name);
    return fl_arena_printf(&core->scratch,
                           "%" PRIu32 " of %" PRIu32
                           " elements wait for the success of the same element of %s (%s)",
                           pair->waiting_len, pair->elements, name,
                           job_state_name(job_table_state(&core->jobs, target)));
}

/* Names the job whose turn it is under the name of this one.  A line goes through all queues, and
 * who may see one of them need not see another. */
static const char *turn_sentence(struct core *core, const struct job *job)
{
    struct fl_job first = {singleton_table_first(&core->singletons, job->id)};
    const struct job *of = job_table_at(&core->jobs, job_table_find(&core->jobs, first));
    uint32_t between = singleton_table_before(&core->singletons, job->id) - 1;
    char name[FL_JOB_NAME_MAX];
    const char *text;

    core_look(core, between);
    fl_job_name(first, name);
    if (queue_of(core, of).n == queue_of(core, job).n) {
        text = fl_arena_printf(&core->scratch,
                               "singletons of its name and owner run one at a time: "
                               "it waits for the end of %s (%s)",
                               name, job_state_name(job_table_state(&core->jobs, of)));
    } else {
        text = "singletons of its name and owner run one at a time: "
               "it waits for the end of one in another queue";
    }
    if (between == 0) return text;
    return fl_arena_printf(&core->scratch, "%s and of %" PRIu32 " more before it", text, between);
}

static const char *throttle_sentence(struct core *core, const struct core_job_view *view)
{
    uint32_t ended = view->elements_succeeded + view->elements_failed + view->elements_cancelled;
    char name[FL_JOB_NAME_MAX];

    fl_job_name(view->job, name);
    return fl_arena_printf(&core->scratch,
                           "at most %" PRIu32 " elements run at the same time, its parallelism: "
                           "%" PRIu32 " run or start now, %" PRIu32 " wait; to change it: "
                           "fairlead edit %s --parallelism N",
                           view->parallelism, view->elements_live,
                           view->elements - ended - view->elements_live, name);
}

static void answer(struct core_batch *batch, const struct core_event *event,
                   struct core_answer answer)
{
    struct core_effect effect = {.kind = CORE_ANSWER, .answer = answer};

    effect.answer.request = event->request;
    if (event->request) core_batch_effect(batch, &effect);
}

/* Names and labels in one answer; the element or node that passes it is the last of its page. */
enum { PAGE_TEXT_MAX = 1 << 20, NAMED_BYTES = 64 /* one resource of a node */ };

/* ---- elements -------------------------------------------------------------------------------- */

static enum attempt_state attempt_state_of(const struct core *core, const struct element *element)
{
    const struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);

    if (element->place != ELEMENT_LIVE) return ATTEMPT_ended;
    if (cluster->is_silent) return ATTEMPT_unknown;
    if (core_attempt_stop_reason(core, element) != REASON_none) return ATTEMPT_stopping;
    if (element->is_running) return ATTEMPT_running;
    if (element->session == cluster->session_epoch && element->is_go_sent) return ATTEMPT_running;
    return element->created == element->replicas_len ? ATTEMPT_created : ATTEMPT_assigned;
}

/* The names of the nodes, a line each. */
static const char *nodes_of(struct core *core, struct element *element)
{
    const struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);
    struct fl_buf text;
    const char *copy;

    fl_buf_init(&text, SIZE_MAX / 2);
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        uint32_t node = element_replica(element, i)->node;

        if (i > 0) fl_buf_put(&text, "\n", 1);
        if (node == ELEMENT_NODE_NONE) continue;
        fl_buf_put(&text, cluster->nodes.at[node].name.at, cluster->nodes.at[node].name.len);
    }
    copy = fl_arena_copy(&core->scratch, text.at, text.len);
    fl_buf_fini(&text);
    return copy;
}

static struct core_element_view element_view_of(struct core *core, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    bool is_live = element->place == ELEMENT_LIVE;
    struct core_element_view view = {.element = element->element,
                                     .attempt = element->n,
                                     .incarnation = element->incarnation,
                                     .state = attempt_state_of(core, element),
                                     .reason = is_live ? core_attempt_stop_reason(core, element)
                                                       : REASON_none,
                                     .cluster = element->cluster,
                                     .failures = element->failures,
                                     .nodes = is_live ? nodes_of(core, element) : "",
                                     .replicas_len = is_live ? element->replicas_len : 0};

    if (is_live && element->is_overdue) view.reason = REASON_StopUnanswered;
    if (view.state == ATTEMPT_unknown) {
        view.unknown_at = cluster_table_at(&core->clusters, element->cluster)->silent_at;
    }
    if (element->place == ELEMENT_WAITING) {
        view.reason = REASON_BackoffUntil;
        view.wait_until = element->wait_until;
    }
    view.replicas = fl_arena_array(&core->scratch, uint8_t, view.replicas_len);
    for (uint32_t i = 0; i < view.replicas_len; i++) {
        view.replicas[i] = element_replica(element, i)->state;
    }
    return view;
}

static void view_elements(struct core *core, const struct job *job, uint32_t from,
                          struct core_answer *page)
{
    struct element_slot slot;
    uint32_t number = 0;
    size_t bytes = 0;

    page->elements =
        fl_arena_array(&core->scratch, struct core_element_view, CORE_ELEMENT_VIEWS_MAX);
    while ((slot = job_table_next_element(&core->jobs, job, from, &number)).n != 0) {
        struct core_element_view *view = &page->elements[page->elements_len];

        if (page->elements_len == CORE_ELEMENT_VIEWS_MAX || bytes >= PAGE_TEXT_MAX) {
            page->next = number;
            return;
        }
        core_look(core, 1 + element_table_at(&core->elements, slot)->replicas_len);
        *view = element_view_of(core, slot);
        bytes += strlen(view->nodes) + view->replicas_len;
        page->elements_len++;
        from = number + 1;
    }
}

static void read_job(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct job_slot slot = core_need_job(core, event, event->job.job, batch);
    const struct cluster *silent;
    struct core_job_view view;
    struct core_answer page = {.jobs = &view, .jobs_len = 1};

    if (!slot.n) return;
    view = view_of(core, slot);
    silent = silent_of(core, job_table_at(&core->jobs, slot));
    if (silent) view.unknown_at = silent->silent_at;
    if (view.elements_unknown > 0) page.sentence = unknown_sentence(core, &view, silent);
    if (view.reason == REASON_WaitsForJobs) {
        page.sentence = after_sentence(core, job_table_at(&core->jobs, slot));
    }
    if (view.reason == REASON_WaitsForElements) {
        page.sentence = elements_sentence(core, job_table_at(&core->jobs, slot));
    }
    if (view.reason == REASON_WaitsForTurn) {
        page.sentence = turn_sentence(core, job_table_at(&core->jobs, slot));
    }
    if (view.reason == REASON_ArrayThrottle) page.sentence = throttle_sentence(core, &view);
    view_elements(core, job_table_at(&core->jobs, slot), event->job.element_from, &page);
    answer(batch, event, page);
}

enum { LIST_LOOKS_MAX = 10 * CORE_PAGE_MAX };

/* A walk down the ids of all open jobs, or of those of one queue: these stand in a line, and in a
 * tree if they came from another queue. */
struct walk {
    const struct queue *queue; /* NULL: all */
    uint64_t before;           /* the ids below this are left */
    struct job_slot line;      /* the first of the line that is left */
    uint64_t floor;            /* the search for it was cut here: there may be some below */
};

/* The first of the queue's line below 'before'.  The cursor's own job, if it is still there, leads
 * on; else a short queue is walked from its newest on, and in a long one some job of it is near. */
static void find_line(struct core *core, struct walk *walk)
{
    struct fl_queue_id id = walk->queue->id;
    struct job_slot slot = job_table_find(&core->jobs, (struct fl_job){walk->before});
    const struct job *job = slot.n ? job_table_at(&core->jobs, slot) : NULL;
    uint64_t at = walk->before;

    if (job && queue_of(core, job).n == id.n && !job->is_moved) {
        walk->line = job->older;
        return;
    }
    if (at == UINT64_MAX || walk->queue->jobs <= LIST_LOOKS_MAX) {
        for (slot = walk->queue->newest; slot.n && job_table_at(&core->jobs, slot)->id >= at;
             slot = job_table_at(&core->jobs, slot)->older) {
            core_look(core, 1);
        }
        walk->line = slot;
        return;
    }
    for (size_t looked = 0; looked < LIST_LOOKS_MAX; looked++) {
        slot = job_table_prev(&core->jobs, at);
        if (!slot.n) return;
        job = job_table_at(&core->jobs, slot);
        if (queue_of(core, job).n == id.n && !job->is_moved) {
            walk->line = slot;
            return;
        }
        at = job->id;
        core_look(core, 1);
    }
    walk->floor = at;
}

/* None: no job is left, or the walk is at its floor. */
static struct job_slot walk_on(const struct core *core, struct walk *walk)
{
    struct job_slot slot = walk->line, moved;

    if (!walk->queue) {
        slot = job_table_prev(&core->jobs, walk->before);
    } else {
        moved = job_tree_before(&core->jobs, JOB_LINKS_OF_QUEUE, walk->queue->moved, walk->before);
        if (moved.n && (!slot.n || job_table_at(&core->jobs, moved)->id >
                                       job_table_at(&core->jobs, slot)->id)) {
            slot = moved;
        }
    }
    if (slot.n && job_table_at(&core->jobs, slot)->id < walk->floor) return (struct job_slot){0};
    if (slot.n && slot.n == walk->line.n) walk->line = job_table_at(&core->jobs, slot)->older;
    if (slot.n) walk->before = job_table_at(&core->jobs, slot)->id;
    return slot;
}

/* Walks down the ids, the newest first.  A page looks at a bounded number of jobs, so it may be
 * short, or empty, and 'next' still goes on. */
static void list_jobs(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    size_t len_max = event->list_jobs.len_max, looked = 0;
    struct walk walk = {.before = event->list_jobs.before ? event->list_jobs.before : UINT64_MAX};
    struct core_answer page = {0};
    struct fl_queue_id queue;
    struct job_slot slot;
    uint64_t last;

    if (len_max == 0 || len_max > CORE_PAGE_MAX) len_max = CORE_PAGE_MAX;
    if (event->list_jobs.queue.len > 0) {
        queue = queue_table_find(&core->queues, event->tenant, event->list_jobs.queue);
        if (!queue.n) { /* removed: its ended jobs are the store's */
            answer(batch, event, page);
            return;
        }
        walk.queue = queue_table_at(&core->queues, queue);
        find_line(core, &walk);
    }
    page.jobs = fl_arena_array(&core->scratch, struct core_job_view, len_max);
    last = walk.before;
    for (slot = walk_on(core, &walk); slot.n && page.jobs_len < len_max && looked < LIST_LOOKS_MAX;
         slot = walk_on(core, &walk)) {
        core_look(core, 1);
        looked++;
        last = job_table_at(&core->jobs, slot)->id;
        if (core_owner(core, job_table_at(&core->jobs, slot))->tenant.n == event->tenant.n) {
            page.jobs[page.jobs_len++] = view_of(core, slot);
        }
    }
    page.next = slot.n ? last : walk.floor;
    answer(batch, event, page);
}

/* The claim of its queue is for a job like it, and it is the first of these. */
static bool holds_claim(const struct core *core, struct job_slot slot)
{
    struct bucket_slot bucket_slot = job_table_at(&core->jobs, slot)->bucket;
    const struct bucket *bucket = queue_table_bucket(&core->queues, bucket_slot);
    const struct claim *claim = &queue_table_at(&core->queues, bucket->queue)->claim;

    if (!claim->cluster.n || cluster_table_at(&core->clusters, claim->cluster)->is_claim_broken) {
        return false;
    }
    return claim->parts.len > 0 && /* a job that needs nothing claims nothing */
           claim->shape == shape_table_at(&core->shapes, bucket->shape)->id &&
           queue_table_first(&core->queues, &core->jobs, bucket_slot, false).n == slot.n;
}

/* The name of the first node that it claims. */
static const char *claim_node(struct core *core, const struct claim *claim)
{
    const struct cluster *cluster = cluster_table_at(&core->clusters, claim->cluster);
    struct fl_str name = cluster->nodes.at[claim->parts.at[0].node].name;

    return fl_arena_printf(&core->scratch, FL_STR_FMT, FL_STR_ARG(name));
}

static const char *sentence_of(struct core *core, const struct core_job_view *view,
                               struct job_slot slot)
{
    const struct job *job = job_table_at(&core->jobs, slot);
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);
    const char *sentence = reason_sentence(view->reason);
    const struct claim *claim = &queue_table_at(&core->queues, bucket->queue)->claim;

    if (view->reason == REASON_none) return "it runs";
    if (view->reason == REASON_WaitsForJobs) return after_sentence(core, job);
    if (view->reason == REASON_WaitsForElements) return elements_sentence(core, job);
    if (view->reason == REASON_WaitsForTurn) return turn_sentence(core, job);
    if (view->reason == REASON_ArrayThrottle) return throttle_sentence(core, view);
    if (view->reason == REASON_ClusterSilent) {
        return unknown_sentence(core, view, silent_of(core, job));
    }
    if (!holds_claim(core, slot) || view->reason != (enum reason)bucket->why) return sentence;
    return fl_arena_printf(&core->scratch,
                           "%s; it is first in its queue and has claimed room on %s (nodes: %zu; "
                           "the first: %s): others "
                           "use that only as long as it starts no later",
                           sentence, cluster_table_at(&core->clusters, claim->cluster)->name,
                           claim->parts.len, claim_node(core, claim));
}

static bool wants_gpus(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->roles_len; i++) {
        if (shape->roles[i].each.gpus > 0) return true;
    }
    return false;
}

/* A cluster with several kinds of accelerators has no gpus, but each kind by its name. */
static const char *name_accelerators(struct core *core, const struct cluster *cluster,
                                     const struct shape *shape, const char *text)
{
    bool offered[RESOURCES_MAX + 1] = {false};
    char names[REFUSAL_WORDS_MAX];

    if (cluster->total_sum.gpus > 0 || !wants_gpus(shape)) return text;
    for (uint8_t i = 0; i < cluster->named.len; i++) {
        const struct named_resource *resource = &cluster->named.at[i];

        if (resource->total > 0 && resource->number <= RESOURCES_MAX) {
            offered[resource->number] = true;
        }
    }
    if (!refusal_words_accelerators(&core->resources, offered, names)) return text;
    return fl_arena_printf(&core->scratch, "%s; %s", text, names);
}

static void add_verdict(struct core *core, const struct cluster *cluster,
                        const struct shape_entry *shape, struct core_answer *answer)
{
    struct core_verdict *verdict = &answer->verdicts[answer->verdicts_len++];

    core_look(core, 1 + cluster->nodes.len);
    verdict->cluster = cluster->id;
    verdict->reason = judge_explain(&core->round.chooser.room, cluster->id, shape,
                                    core->config.unconfirmed_max, &core->scratch, &verdict->text);
    if (verdict->reason != REASON_NoMatchingCluster) return;
    verdict->text = name_accelerators(core, cluster, &shape->shape, verdict->text);
}

void core_read_verdicts(struct core *core, const struct shape_entry *shape,
                        struct core_answer *answer)
{
    answer->verdicts =
        fl_arena_array(&core->scratch, struct core_verdict, core->clusters.clusters.len);
    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        const struct cluster *cluster = core->clusters.clusters.at[i];

        if (cluster->state != CLUSTER_ENROLLED) continue;
        add_verdict(core, cluster, shape, answer);
    }
}

/* The first clusters in the order of their names. */
struct first_clusters {
    const struct cluster *at[CORE_VERDICTS_MAX];
    size_t len;
};

static void put_in_order(struct first_clusters *first, const struct cluster *cluster)
{
    size_t from = 0, below = first->len, moved;

    while (from < below) {
        size_t middle = from + (below - from) / 2;

        if (strcmp(first->at[middle]->name, cluster->name) < 0) {
            from = middle + 1;
        } else {
            below = middle;
        }
    }
    if (from == CORE_VERDICTS_MAX) return;
    if (first->len < CORE_VERDICTS_MAX) first->len++;
    moved = first->len - 1 - from; /* where it is full, the last one leaves */
    memmove(first->at + from + 1, first->at + from, moved * sizeof(const struct cluster *));
    first->at[from] = cluster;
}

void core_read_some_verdicts(struct core *core, const struct shape_entry *shape,
                             struct core_answer *answer)
{
    struct first_clusters first = {0};
    size_t nodes = 0;

    core_look(core, core->clusters.clusters.len);
    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        const struct cluster *cluster = core->clusters.clusters.at[i];

        if (cluster->state != CLUSTER_ENROLLED) continue;
        put_in_order(&first, cluster);
        answer->enrolled++;
    }
    answer->verdicts = fl_arena_array(&core->scratch, struct core_verdict, first.len);
    for (size_t i = 0; i < first.len && nodes <= CORE_VERDICT_NODES_MAX; i++) {
        add_verdict(core, first.at[i], shape, answer);
        nodes += first.at[i]->nodes.len;
    }
}

static void explain(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct job_slot slot = core_need_job(core, event, event->job.job, batch);
    const struct job *job;
    const struct bucket *bucket;
    const struct shape_entry *shape;
    const struct claim *claim;
    const struct cluster *silent;
    struct room *room = &core->round.chooser.room;
    struct core_job_view view;
    struct core_answer why = {.jobs = &view, .jobs_len = 1};

    if (!slot.n) return;
    job = job_table_at(&core->jobs, slot);
    view = view_of(core, slot);
    silent = silent_of(core, job);
    if (silent) view.unknown_at = silent->silent_at;
    bucket = queue_table_bucket(&core->queues, job->bucket);
    shape = shape_table_at(&core->shapes, bucket->shape);
    claim = &queue_table_at(&core->queues, bucket->queue)->claim;
    room_begin(room, &core->clusters);
    if (holds_claim(core, slot)) { /* its own claim is not in its way */
        room_unclaim(room, claim->cluster, claim->parts.at, claim->parts.len);
    }
    core_read_verdicts(core, shape, &why);
    why.sentence = sentence_of(core, &view, slot);
    answer(batch, event, why);
}

/* ---- clusters and queues --------------------------------------------------------------------- */

static size_t page_len(size_t asked)
{
    return asked == 0 || asked > CORE_PAGE_MAX ? CORE_PAGE_MAX : asked;
}

static const char *text_of(struct core *core, struct fl_str s)
{
    return fl_arena_copy(&core->scratch, s.at ? s.at : "", s.len);
}

/* The resources with a name that there are; an entry may also stand for nothing but claims. */
static struct core_resource_view *named_of(struct core *core, const struct named_resources *named,
                                           size_t *ret_len)
{
    struct core_resource_view *views =
        fl_arena_array(&core->scratch, struct core_resource_view, named->len);
    size_t len = 0;

    for (uint8_t i = 0; i < named->len; i++) {
        const struct named_resource *resource = &named->at[i];

        if (resource->total == 0) continue;
        views[len++] = (struct core_resource_view){
            .name = text_of(core, resource_table_name(&core->resources, resource->number)),
            .total = resource->total,
            .free = resource->free,
        };
    }
    *ret_len = len;
    return views;
}

static void list_clusters(struct core *core, const struct core_event *event,
                          struct core_batch *batch)
{
    size_t len_max = page_len(event->list.len_max);
    struct fl_cluster id = {event->list.from ? event->list.from : 1};
    struct core_answer page = {0};

    page.clusters = fl_arena_array(&core->scratch, struct core_cluster_view, len_max);
    for (; id.n <= core->clusters.clusters.len && page.clusters_len < len_max; id.n++) {
        const struct cluster *cluster = cluster_table_at(&core->clusters, id);
        struct core_cluster_view *view = &page.clusters[page.clusters_len];

        core_look(core, 1);
        if (cluster->state != CLUSTER_ENROLLED) continue;
        page.clusters_len++;
        *view = (struct core_cluster_view){.cluster = id,
                                           .name = cluster->name,
                                           .uid = cluster->uid,
                                           .uuid = cluster->uuid,
                                           .cordon = cluster->cordon,
                                           .state = cluster->state,
                                           .access = cluster->access,
                                           .is_draining = cluster->is_draining,
                                           .is_connected = cluster->is_connected,
                                           .is_reconciled = cluster->is_reconciled,
                                           .is_silent = cluster->is_silent,
                                           .has_images = cluster->has_images,
                                           .generation = cluster->generation,
                                           .session_epoch = cluster->session_epoch,
                                           .attempts = cluster->live_len,
                                           .attempts_unconfirmed = cluster->unconfirmed,
                                           .nodes = cluster->told_len,
                                           .nodes_ready = cluster->ready_len,
                                           .nodes_limited = cluster->limited_len,
                                           .total = cluster->total_sum,
                                           .free = cluster->free_sum};
        view->named = named_of(core, &cluster->named, &view->named_len);
    }
    page.next = id.n <= core->clusters.clusters.len ? id.n : 0;
    answer(batch, event, page);
}

static void list_nodes(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    const struct cluster *cluster = cluster_table_find(&core->clusters, event->list_nodes.cluster);
    size_t len_max = page_len(event->list_nodes.len_max);
    size_t i = event->list_nodes.from, bytes = 0;
    struct core_answer page = {0};

    if (!cluster || cluster->state != CLUSTER_ENROLLED) {
        core_answer_code(batch, event, FL_ABSENT, "this cluster is not enrolled");
        return;
    }
    page.nodes = fl_arena_array(&core->scratch, struct core_node_view, len_max);
    for (; i < cluster->nodes.len && page.nodes_len < len_max && bytes < PAGE_TEXT_MAX; i++) {
        const struct node *node = &cluster->nodes.at[i];
        struct core_node_view *view;

        core_look(core, 1);
        if (!cluster->is_connected || node->session != cluster->session_epoch) continue;
        view = &page.nodes[page.nodes_len++];
        *view = (struct core_node_view){.name = text_of(core, node->name),
                                        .labels = text_of(core, node->labels),
                                        .taints = text_of(core, node->taints),
                                        .number = node->number,
                                        .is_ready = node->is_ready,
                                        .total = node->total,
                                        .free = node->free};
        view->named = named_of(core, &node->named, &view->named_len);
        bytes += node->name.len + node->labels.len + node->taints.len;
        bytes += view->named_len * NAMED_BYTES;
    }
    page.next = i < cluster->nodes.len ? i : 0;
    answer(batch, event, page);
}

static void list_queues(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    size_t len_max = page_len(event->list.len_max);
    size_t i = fl_vec_lower_bound(&core->queues.ids, n, event->list.from);
    struct core_answer page = {0};

    page.queues = fl_arena_array(&core->scratch, struct core_queue_view, len_max);
    for (; i < core->queues.ids.len && page.queues_len < len_max; i++) {
        const struct queue *queue = queue_table_at(&core->queues, core->queues.ids.at[i]);
        struct core_queue_view *view;

        core_look(core, 1);
        if (queue->tenant.n != event->tenant.n) continue;
        view = &page.queues[page.queues_len++];
        *view = (struct core_queue_view){
            .queue = queue->id,
            .name = queue->name,
            .is_paused = queue->is_paused,
            .has_default_cpu = queue->has_default_cpu,
            .default_cpu_milli = queue->default_cpu_milli,
            .jobs = queue->jobs,
        };
        memcpy(view->in_state, queue->in_state, sizeof view->in_state);
    }
    page.next = i < core->queues.ids.len ? core->queues.ids.at[i].n : 0;
    answer(batch, event, page);
}

void core_read(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    switch (event->kind) {
    case CORE_EV_read_job:
        read_job(core, event, batch);
        break;
    case CORE_EV_list_jobs:
        list_jobs(core, event, batch);
        break;
    case CORE_EV_explain:
        explain(core, event, batch);
        break;
    case CORE_EV_list_clusters:
        list_clusters(core, event, batch);
        break;
    case CORE_EV_list_nodes:
        list_nodes(core, event, batch);
        break;
    case CORE_EV_list_queues:
        list_queues(core, event, batch);
        break;
    default:
        fl_unreachable("core_step sends only questions");
    }
}
