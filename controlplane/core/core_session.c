#include "controlplane/core/core_state.h"

#include <inttypes.h>
#include <string.h>

/* The agents' sessions and reports.  A session is one connection of one cluster, numbered by its
 * epoch; an event under another epoch than the newest is not heard, and a replica whose attempt is
 * another cluster's is a stray.  A session begins with an inventory; only when that is reconciled
 * does anything start there. */

static const struct element_slot none = {0};

static struct cluster *heard(const struct core *core, struct fl_cluster id, uint64_t session_epoch)
{
    struct cluster *cluster = cluster_table_find(&core->clusters, id);

    return cluster && cluster->is_connected && cluster->session_epoch == session_epoch ? cluster
                                                                                       : NULL;
}

/* ---- open and lost --------------------------------------------------------------------------- */

enum { TWIN_MS = 60000 }; /* how long a life is remembered that another one followed */

static void refuse_session(struct core_batch *batch, const struct core_event *event,
                           enum fl_code code, const char *text)
{
    struct core_send send = {.kind = CORE_SEND_bye,
                             .cluster = event->session_open.cluster,
                             .connection = event->session_open.connection,
                             .code = code,
                             .text = text};

    core_emit_send(batch, &send);
}

/* A life that another one followed, and that speaks again on a new connection while the other still
 * does: two agents live on one identity.  A restart never looks so, since no life comes back, nor
 * does a link that flaps; the same connection, offered again to the core of a new term, is no
 * news. */
static struct cluster_life *find_twin(const struct core *core, const struct core_event *event,
                                      struct cluster *cluster)
{
    for (int i = 1; i < CLUSTER_LIVES_MAX; i++) {
        struct cluster_life *life = &cluster->lives[i];

        if (event->session_open.boot && life->boot == event->session_open.boot) {
            return cluster->is_connected && core->now - life->at < TWIN_MS &&
                           life->connection != event->session_open.connection
                       ? life
                       : NULL;
        }
    }
    return NULL;
}

/* The newest is refused, so that the other's work has peace; told once a life, since it comes
 * back. */
static void refuse_twin(struct core *core, const struct core_event *event, struct core_batch *batch,
                        struct cluster *cluster, struct cluster_life *twin)
{
    struct core_event who = *event;

    twin->at = core->now;
    refuse_session(batch, event, FL_CONFLICT,
                   "two agents run with the identity of this cluster, and the other one is "
                   "connected; stop one of them, or join this one as another cluster");
    if (cluster->twin_told == twin->boot) return;
    cluster->twin_told = twin->boot;
    who.actor = FL_STR("agent");
    core_audit(batch, &who, "cluster_duplicate %s boot=%016" PRIx64 " other=%016" PRIx64,
               cluster->name, twin->boot, cluster->lives[0].boot);
}

static void note_life(struct core *core, const struct core_event *event, struct cluster *cluster)
{
    struct cluster_life *lives = cluster->lives;
    int known = 0;

    if (lives[0].boot != event->session_open.boot) {
        while (known < CLUSTER_LIVES_MAX - 1 && lives[known].boot != event->session_open.boot) {
            known++;
        }
        lives[0].at = core->now;
        memmove(&lives[1], &lives[0], (size_t)known * sizeof *lives);
    }
    lives[0] = (struct cluster_life){.boot = event->session_open.boot,
                                     .connection = event->session_open.connection};
}

static void open_session(struct core *core, const struct core_event *event,
                         struct core_batch *batch)
{
    struct cluster *cluster = cluster_table_find(&core->clusters, event->session_open.cluster);
    struct cluster_life *twin;
    struct core_send send;
    const char *why;

    if (!cluster || cluster->state != CLUSTER_ENROLLED) {
        refuse_session(batch, event, FL_DENIED, "this cluster was removed; join it again");
        return;
    }
    if (!core_access_check(core, event, batch, cluster, &why)) {
        refuse_session(batch, event, FL_DENIED, why);
        return;
    }
    twin = find_twin(core, event, cluster);
    if (twin) {
        refuse_twin(core, event, batch, cluster, twin);
        return;
    }
    if (core_history_is_news(core, batch, &event->session_open.seen)) {
        core_history_dispute(core, event, batch, cluster);
        refuse_session(batch, event, FL_CONFLICT,
                       "this database is older than one that this agent has worked for; it is let "
                       "in after 'fairlead admin accept-restore'");
        return;
    }
    note_life(core, event, cluster);
    core_access_seen(core, cluster, event->session_open.generation);
    cluster_begin_session(&core->clusters, cluster, event->session_open.connection);
    cluster->ends_nodes = event->session_open.ends_nodes;
    if (cluster->has_images != event->session_open.has_images) {
        cluster->has_images = event->session_open.has_images;
        cluster_table_resize(&core->clusters, cluster);
    }
    /* Commands of the old session count no more (element_enter_session): the inventory tells
     * what is there. */
    cluster->resend_len = 0;
    cluster->unmarked_first = cluster->unmarked_last = none;
    core_reply_begin(core, cluster);
    core_put_cluster(batch, cluster);
    send =
        core_send_to(cluster, event->session_open.is_resync ? CORE_SEND_resync : CORE_SEND_welcome);
    core_emit_send(batch, &send);
}

static void lose_session(struct core *core, const struct core_event *event)
{
    struct cluster *cluster = cluster_table_find(&core->clusters, event->session_lost.cluster);

    if (!cluster || !cluster->is_connected) return;
    if (event->session_lost.session_epoch
            ? event->session_lost.session_epoch != cluster->session_epoch
            : event->session_lost.connection != cluster->connection) {
        return;
    }
    core_disconnected(core, cluster);
}

static void put_cluster_phase(struct core_batch *batch, const struct cluster *cluster,
                              uint8_t phase)
{
    struct row row = {.kind = ROW_cluster_phase,
                      .cluster_phase = {.cluster = cluster->id.n, .phase = phase}};

    core_batch_row(batch, &row);
}

static void set_silent(const struct core *core, struct cluster *cluster, bool is_silent)
{
    cluster->is_silent = is_silent;
    cluster->silent_at = core->now;
}

/* Silence makes attempts unknown and nothing else: they may well be running. */
void core_session_expire(struct core *core, struct core_batch *batch, struct cluster *cluster)
{
    cluster->lost_at = 0;
    if (!cluster->is_silent) set_silent(core, cluster, true);
    put_cluster_phase(batch, cluster, 0);
    core_session_sweep(core, batch, cluster);
}

/* ---- inventory ------------------------------------------------------------------------------- */

static void stop_stray(struct core_batch *batch, struct cluster *cluster, struct fl_attempt attempt)
{
    struct core_send send = core_send_to(cluster, CORE_SEND_stop);

    send.control_seq = ++cluster->control_seq;
    send.attempt = attempt;
    send.reason = REASON_NeverArrived;
    core_emit_send(batch, &send);
}

struct stray_key { /* an attempt without the gaps of its struct */
    uint64_t job, element_and_incarnation, n;
};

static struct stray_key stray_key(struct fl_attempt attempt)
{
    return (struct stray_key){attempt.job.n, (uint64_t)attempt.element << 32 | attempt.incarnation,
                              attempt.n};
}

/* Whether nothing is known of a job for the reason that the database has lost it.  While a history
 * is disputed, and for some minutes after, any may be lost, and a newer backup may still follow. */
static bool may_be_lost(const struct core *core, struct fl_job job)
{
    if (core_history_is_disputed(core) || core->now < core->history.strays_until) return true;
    return job.n >= core->history.job_lost_from && job.n <= core->history.job_lost_to;
}

/* A replica runs there that this core did not assign.  A job in the database's lost part of history
 * may be someone's, so a person has some minutes to see it; any other is stopped at once, as are
 * those beyond what one cluster may have of them. */
static void see_stray(struct core *core, struct core_batch *batch, struct cluster *cluster,
                      struct fl_attempt attempt, enum fl_replica_state state)
{
    struct stray stray = {.attempt = attempt, .stop_at = core->now + core->config.stray_ms};
    struct stray_key key;
    uint64_t known;

    if (fl_replica_state_is_last(state)) return; /* the acknowledgement removes it */
    if (!may_be_lost(core, attempt.job) || cluster->strays.len >= CORE_INVENTORY_MAX) {
        stop_stray(batch, cluster, attempt);
        return;
    }
    key = stray_key(attempt);
    if (fl_map_find(&cluster->strays_known, &key, sizeof key, &known)) return;
    fl_map_put(&cluster->strays_known, &key, sizeof key, 1);
    if (cluster->strays.len == 0) core_timer_arm(core, TIMER_STRAY, cluster->id.n, stray.stop_at);
    fl_vec_push(&cluster->strays, stray);
}

void core_session_strays(struct core *core, struct core_batch *batch, struct cluster *cluster)
{
    size_t kept = 0;

    if (core_history_is_disputed(core)) {
        core->history.strays_until = core->now + core->config.stray_ms;
    }
    for (size_t i = 0; i < cluster->strays.len; i++) {
        struct stray stray = cluster->strays.at[i];

        if (stray.stop_at < core->history.strays_until) stray.stop_at = core->history.strays_until;
        if (stray.stop_at <= core->now) {
            struct stray_key key = stray_key(stray.attempt);

            (void)fl_map_remove(&cluster->strays_known, &key, sizeof key);
            stop_stray(batch, cluster, stray.attempt);
        } else {
            cluster->strays.at[kept++] = stray;
        }
    }
    cluster->strays.len = kept;
    if (kept) core_timer_arm(core, TIMER_STRAY, cluster->id.n, cluster->strays.at[0].stop_at);
}

/* The live element that this cluster holds under that identity. */
static struct element_slot find_here(const struct core *core, const struct cluster *cluster,
                                     struct fl_attempt attempt)
{
    struct element_slot slot = core_attempt_find(core, attempt);

    if (slot.n && element_table_at(&core->elements, slot)->cluster.n != cluster->id.n) return none;
    return slot;
}

/* No node report of this session includes what its agent does not hold: it gives nothing back. */
static void drop_unseen(struct core *core, const struct cluster *cluster, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);

    element_enter_session(element, cluster->session_epoch);
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        if (!element_replica(element, i)->is_seen) (void)core_attempt_unhold(core, element, i);
    }
}

static void see_replica(struct core *core, struct core_batch *batch, struct cluster *cluster,
                        const struct core_replica_told *told)
{
    struct element_slot slot = find_here(core, cluster, told->attempt);

    if (!slot.n) {
        see_stray(core, batch, cluster, told->attempt, told->state);
    } else if (told->state == FL_REPLICA_absent && told->replica == UINT32_MAX) {
        if (!cluster->is_reconciled) drop_unseen(core, cluster, slot);
        core_attempt_end(core, batch, slot, REASON_NeverArrived);
    } else {
        core_attempt_replica(core, batch, slot, told);
    }
}

/* Assigned, but not in the inventory.  A START that this core sent and no agent confirmed may be
 * sent again; any other attempt ends. */
static void reconcile_absent(struct core *core, struct core_batch *batch, struct cluster *cluster,
                             struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);

    drop_unseen(core, cluster, slot);
    if (!element->is_sent || element->is_reported ||
        core_attempt_stop_reason(core, element) != REASON_none) {
        core_attempt_end(core, batch, slot,
                         element->is_reported ? REASON_ReplicaLost : REASON_NeverArrived);
        return;
    }
    element->is_resend = true;
    if (cluster->resend_len++ == 0) {
        cluster->resend_at = core->now + core->config.resend_ms;
        core_timer_arm(core, TIMER_RESEND, cluster->id.n, cluster->resend_at);
    }
}

/* An attempt that is there, but for some of its replicas: those are gone.  False: all of it is
 * over. */
static bool reconcile_replicas(struct core *core, struct core_batch *batch,
                               struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);

    for (uint32_t i = 0; i < element->replicas_len; i++) {
        const struct element_replica *replica = element_replica(element, i);
        struct core_replica_told lost = {.replica = i, .state = FL_REPLICA_lost};

        if (replica->is_seen) continue;
        if (fl_replica_state_is_last((enum fl_replica_state)replica->state)) continue;
        (void)core_attempt_unhold(core, element, i);
        element_replica(element, i)->is_gone = true;
        if (!core_attempt_replica(core, batch, slot, &lost)) return false;
    }
    return true;
}

/* Compares one attempt with the inventory, once a session.  True: it is there and lives. */
static bool reconcile(struct core *core, struct core_batch *batch, struct cluster *cluster,
                      struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);

    if (element->is_judged) return !element->is_resend;
    element->is_judged = true;
    core_spend(core, LOOKS_OF_END);
    if (element->is_seen) {
        if (!reconcile_replicas(core, batch, slot)) return false;
        if (element->created < element->replicas_len &&
            core_attempt_stop_reason(core, element) == REASON_none) {
            core_reply_expect(core, slot,
                              ELEMENT_REPLY_start); /* as if it had been sent just now */
        }
        return true;
    }
    reconcile_absent(core, batch, cluster, slot);
    return false;
}

static void hear_inventory(struct core *core, const struct core_event *event,
                           struct core_batch *batch)
{
    struct cluster *cluster = heard(core, event->inventory.cluster, event->inventory.session_epoch);

    if (!cluster || cluster->is_inventoried) return;
    for (size_t i = 0; i < event->inventory.len; i++) {
        const struct core_replica_told *item = &event->inventory.at[i];

        cluster->inventory_len++;
        cluster->inventory_digest = fl_inventory_digest(
            cluster->inventory_digest, item->attempt, item->replica, item->state, item->exit_code);
        see_replica(core, batch, cluster, item);
    }
    if (!event->inventory.is_end) return;
    if (event->inventory.count == cluster->inventory_len &&
        event->inventory.digest == cluster->inventory_digest) {
        cluster->is_inventoried = true;
        cluster->inventory_at = cluster->lost_at = 0;
        if (cluster->is_silent) {
            put_cluster_phase(batch, cluster, 1);
            set_silent(core, cluster, false);
        }
        core_session_sweep(core, batch, cluster);
        return;
    }
    core_disconnect(core, batch, cluster, FL_TORN,
                    "the inventory's count or digest is not that of its items; connect again");
}

/* ---- reports --------------------------------------------------------------------------------- */

/* The acknowledgement follows when the batch is settled: one for all reports of it. */
static void hear_seq(struct core *core, struct cluster *cluster, uint64_t report_seq)
{
    cluster->report_seq = report_seq;
    if (!cluster->is_ack_due) fl_vec_push(&core->acks_due, cluster->id);
    cluster->is_ack_due = true;
}

static void hear_replica(struct core *core, const struct core_event *event,
                         struct core_batch *batch)
{
    struct cluster *cluster = heard(core, event->replica.cluster, event->replica.session_epoch);

    if (!cluster || event->replica.report_seq <= cluster->report_seq) return;
    hear_seq(core, cluster, event->replica.report_seq);
    see_replica(core, batch, cluster, &event->replica.told);
}

/* Starts that these numbers do not include yet are taken off; those they include need no more
 * care. */
static void mark_starts(struct core *core, struct cluster *cluster, uint64_t mark, uint64_t stamp)
{
    struct element_slot next;

    for (struct element_slot slot = cluster->unmarked_first; slot.n; slot = next) {
        struct element *element = element_table_at(&core->elements, slot);
        const struct shape *shape = core_attempt_shape(core, element);

        core_look(core, 1);
        next = element->unmarked_next;
        if (element->start_seq <= mark) {
            cluster->unmarked_first = next;
            if (next.n) {
                element_table_at(&core->elements, next)->unmarked_prev = none;
            } else {
                cluster->unmarked_last = none;
            }
            element->unmarked_next = none;
            element->start_seq = 0;
            continue;
        }
        for (uint32_t i = 0; i < element->replicas_len; i++) {
            struct element_replica *replica = element_replica(element, i);

            if (!replica->is_held || cluster->nodes.at[replica->node].stamp != stamp) continue;
            cluster_take(&core->clusters, cluster, replica->node, shape_role_of(shape, i)->each);
            cluster_take_named(cluster, replica->node, shape_wants(shape, shape_role_of(shape, i)));
        }
    }
}

/* One cluster brings in no more than a quarter of all names, so that no agent can use them up. */
enum { NAMES_OF_A_CLUSTER_MAX = RESOURCES_MAX / 4 };

/* The resource's number; a name that no node has offered before gets one, for ever.  0: it is no
 * name, or too many are known: then it is left out. */
static uint8_t number_of(struct core *core, struct core_batch *batch, struct cluster *cluster,
                         struct fl_str name)
{
    uint8_t number = resource_table_find(&core->resources, name);
    struct row row;

    if (number || !fl_is_resource_name(name)) return number;
    if (cluster->names_len == NAMES_OF_A_CLUSTER_MAX) return 0;
    number = resource_table_add(&core->resources, name);
    if (number == 0) return 0;
    cluster->names_len++;
    row =
        (struct row){.kind = ROW_resource_put, .resource_put = {.resource = number, .name = name}};
    core_batch_row(batch, &row);
    shape_table_number(&core->shapes, name, number);
    return number;
}

static bool hear_node(struct core *core, struct core_batch *batch, struct cluster *cluster,
                      uint64_t stamp, const struct core_node_report *node)
{
    struct named_offer offers[CORE_NODE_NAMED_MAX];
    struct cluster_node_report report = {.stamp = stamp,
                                         .number = node->number,
                                         .is_ready = node->is_ready,
                                         .name = node->name,
                                         .labels = node->labels,
                                         .taints = node->taints,
                                         .total = node->total,
                                         .free = node->free,
                                         .offers = offers};

    for (size_t i = 0; i < node->named_len && i < CORE_NODE_NAMED_MAX; i++) {
        uint8_t number = number_of(core, batch, cluster, node->named[i].name);

        if (number == 0) continue;
        offers[report.offers_len++] =
            (struct named_offer){number, node->named[i].total, node->named[i].free};
    }
    return cluster_report(&core->clusters, cluster, &report);
}

static void hear_reports(struct core *core, const struct core_event *event,
                         struct core_batch *batch, struct cluster *cluster)
{
    uint64_t stamp = ++core->clusters.stamp;

    hear_seq(core, cluster, event->nodes.report_seq);
    for (size_t i = 0; i < event->nodes.len; i++) {
        const struct core_node_report *node = &event->nodes.at[i];

        /* A node out of bounds is a broken agent's: that agent loses the node, and no other agent
         * notices. */
        if (hear_node(core, batch, cluster, stamp, node)) {
            cluster_take_late(&core->clusters, cluster, node->number, event->nodes.mark);
        } else {
            cluster_cut_list(&core->clusters, cluster);
        }
    }
    mark_starts(core, cluster, event->nodes.mark, stamp);
}

static void hear_nodes(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct cluster *cluster = heard(core, event->nodes.cluster, event->nodes.session_epoch);

    if (!cluster) return;
    if (event->nodes.report_seq) { /* the end of the list may come without a report */
        if (event->nodes.report_seq <= cluster->report_seq) return;
        hear_reports(core, event, batch, cluster);
    }
    if (event->nodes.is_end) {
        cluster_end_list(&core->clusters, cluster, event->nodes.is_whole);
    }
    if (!cluster->is_known) cluster_table_resize(&core->clusters, cluster);
    cluster->is_known = true;
    if (cluster->resend_len && cluster->is_reconciled) core_session_sweep(core, batch, cluster);
    core->is_dirty = true;
}

/* Takes the replica's part from what is free on the node, as a try; false: it does not fit. */
static bool try_node(struct node *node, const struct shape *shape, const struct shape_role *role)
{
    if (!fl_resources_fit(role->each, node->free)) return false;
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        const struct named_resource *resource =
            named_resources_find(&node->named, shape->kind_numbers[k]);

        if (role->named[k] > (resource ? resource->free : 0)) return false;
    }
    fl_resources_take(&node->free, role->each);
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        if (role->named[k] == 0) continue;
        named_resources_find(&node->named, shape->kind_numbers[k])->free -= role->named[k];
    }
    return true;
}

static void end_try(struct node *node, const struct shape *shape, const struct shape_role *role)
{
    fl_resources_add(&node->free, role->each);
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        if (role->named[k] == 0) continue;
        named_resources_find(&node->named, shape->kind_numbers[k])->free += role->named[k];
    }
}

/* Whether its nodes are known again, and have room for it: replicas may share one. */
static bool has_its_nodes(const struct core *core, struct element *element, struct cluster *cluster)
{
    const struct shape *shape = core_attempt_shape(core, element);
    uint32_t fitting = 0;

    for (; fitting < element->replicas_len; fitting++) {
        uint32_t i = element_replica(element, fitting)->node;
        struct node *node = i == ELEMENT_NODE_NONE ? NULL : &cluster->nodes.at[i];

        if (!node || !cluster_node_is_usable(cluster, node)) break;
        if (!try_node(node, shape, shape_role_of(shape, fitting))) break;
    }
    for (uint32_t i = 0; i < fitting; i++) {
        end_try(&cluster->nodes.at[element_replica(element, i)->node], shape,
                shape_role_of(shape, i));
    }
    return fitting == element->replicas_len;
}

/* A START that went astray goes again, once its nodes are known again; nodes that do not come back
 * within a while, or are full by then, are not waited for. */
static void resend(struct core *core, struct core_batch *batch, struct cluster *cluster,
                   struct element_slot slot)
{
    if (has_its_nodes(core, element_table_at(&core->elements, slot), cluster)) {
        core_attempt_send_start(core, batch, slot);
    } else if (core->now >= cluster->resend_at) {
        core_attempt_end(core, batch, slot, REASON_NeverArrived);
    }
}

/* ---- one word about a cluster, for all that lives there -------------------------------------- */

static void visit(struct core *core, struct core_batch *batch, struct cluster *cluster,
                  struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    enum reason stop;

    core_spend(core, 1);
    element_enter_session(element, cluster->session_epoch);
    core_attempt_note_silence(core, element);
    if (cluster->state != CLUSTER_ENROLLED) {
        core_spend(core, LOOKS_OF_END);
        core_attempt_end(core, batch, slot, REASON_ClusterForgotten);
        return;
    }
    if (cluster->is_draining && core_attempt_stop_reason(core, element) == REASON_none) {
        element->stop = REASON_Drained;
    }
    if (cluster->is_inventoried && !cluster->is_reconciled &&
        !reconcile(core, batch, cluster, slot)) {
        return;
    }
    stop = core_attempt_stop_reason(core, element);
    if (stop != REASON_none) {
        core_attempt_stop(core, batch, slot, stop);
    } else if (element->is_resend) {
        resend(core, batch, cluster, slot);
    } else {
        core_attempt_go(core, batch, slot);
    }
}

static void begin_walk(struct cluster *cluster)
{
    cluster->is_swept = true;
    cluster->is_swept_again = false;
    cluster->sweep_at = cluster->live_first;
    cluster->sweep_session = cluster->is_inventoried ? cluster->session_epoch : 0;
}

/* Each was visited, and what came since needs no visit. */
static void end_walk(struct core *core, struct cluster *cluster)
{
    cluster->is_swept = false;
    if (cluster->sweep_session == cluster->session_epoch && cluster->is_inventoried &&
        !cluster->is_reconciled) {
        cluster->is_reconciled = true;
        core_retry_shapes(core, cluster);
    }
    if (cluster->resend_len == 0) cluster->resend_at = 0;
}

bool core_session_slice(struct core *core, struct core_batch *batch, struct cluster *cluster)
{
    while (cluster->sweep_at.n) {
        struct element_slot slot = cluster->sweep_at;

        if (core->slice_left == 0) return false;
        cluster->sweep_at = element_table_at(&core->elements, slot)->cluster_next;
        visit(core, batch, cluster, slot);
    }
    end_walk(core, cluster);
    if (cluster->is_swept_again) begin_walk(cluster);
    return !cluster->is_swept;
}

void core_session_sweep(struct core *core, struct core_batch *batch, struct cluster *cluster)
{
    struct core_walk rest = {.is_cluster = true, .id = cluster->id.n};

    if (cluster->is_swept) {
        cluster->is_swept_again = true;
        return;
    }
    begin_walk(cluster);
    if (!core_session_slice(core, batch, cluster)) core_walk_add(core, rest);
}

void core_session_sweep_later(struct core *core, struct cluster *cluster)
{
    begin_walk(cluster);
    core_walk_add(core, (struct core_walk){.is_cluster = true, .id = cluster->id.n});
}

void core_session(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    switch (event->kind) {
    case CORE_EV_session_open:
        open_session(core, event, batch);
        break;
    case CORE_EV_session_lost:
        lose_session(core, event);
        break;
    case CORE_EV_inventory:
        hear_inventory(core, event, batch);
        break;
    case CORE_EV_replica:
        hear_replica(core, event, batch);
        break;
    case CORE_EV_nodes:
        hear_nodes(core, event, batch);
        break;
    default:
        fl_unreachable("core_step sends only what agents say");
    }
}
