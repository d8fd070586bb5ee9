#include "controlplane/core/cluster_table.h"

#include <string.h>

#include "controlplane/core/cluster_named_resources.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/node_label.h"
#include "shared/base/taint.h"

void cluster_table_init(struct cluster_table *table, uint32_t clusters_max, uint32_t nodes_max)
{
    memset(table, 0, sizeof *table);
    table->clusters_max = clusters_max;
    table->nodes_max = nodes_max;
    table->stamp = table->totals_at = 1;
}

void cluster_table_fini(struct cluster_table *table)
{
    for (size_t i = 0; i < table->clusters.len; i++) {
        struct cluster *cluster = table->clusters.at[i];

        for (size_t n = 0; n < cluster->nodes.len; n++) {
            fl_free((void *)cluster->nodes.at[n].name.at);
            fl_free((void *)cluster->nodes.at[n].labels.at);
            fl_free((void *)cluster->nodes.at[n].taints.at);
            named_resources_fini(&cluster->nodes.at[n].named);
        }
        named_resources_fini(&cluster->named);
        fl_vec_fini(&cluster->nodes);
        fl_vec_fini(&cluster->by_number);
        fl_vec_fini(&cluster->holes);
        fl_vec_fini(&cluster->strays);
        fl_map_fini(&cluster->strays_known);
        fl_map_fini(&cluster->nodes_by_name);
        fl_free(cluster);
    }
    fl_vec_fini(&table->clusters);
    fl_vec_fini(&table->loads_changed);
    fl_map_fini(&table->by_name);
}

struct cluster *cluster_table_find(const struct cluster_table *table, struct fl_cluster id)
{
    return id.n - 1 < table->clusters.len ? cluster_table_at(table, id) : NULL;
}

struct cluster *cluster_table_find_name(const struct cluster_table *table, struct fl_str name)
{
    uint64_t id = 0;

    (void)fl_map_find(&table->by_name, name.at, name.len, &id);
    return cluster_table_find(table, (struct fl_cluster){(uint32_t)id});
}

struct cluster *cluster_table_find_uid(const struct cluster_table *table, struct fl_str uid)
{
    for (size_t i = 0; i < table->clusters.len; i++) {
        struct cluster *cluster = table->clusters.at[i];

        if (cluster->state == CLUSTER_ENROLLED && fl_str_eq(fl_str_c(cluster->uid), uid)) {
            return cluster;
        }
    }
    return NULL;
}

static void load_changed(struct cluster_table *table, struct cluster *cluster)
{
    cluster->room_changes++;
    if (cluster->is_load_changed) return;
    cluster->is_load_changed = true;
    fl_vec_push(&table->loads_changed, cluster->id);
}

static void unlink_grown(struct cluster_table *table, const struct cluster *cluster)
{
    if (cluster->grown_prev.n) {
        cluster_table_at(table, cluster->grown_prev)->grown_next = cluster->grown_next;
    } else {
        table->grown_first = cluster->grown_next;
    }
    if (cluster->grown_next.n) {
        cluster_table_at(table, cluster->grown_next)->grown_prev = cluster->grown_prev;
    }
}

void cluster_table_grow(struct cluster_table *table, struct cluster *cluster)
{
    bool is_listed = cluster->grown_at > 0;

    load_changed(table, cluster);
    cluster->grown_at = ++table->stamp;
    if (table->grown_first.n == cluster->id.n) return;
    if (is_listed) unlink_grown(table, cluster);
    cluster->grown_prev = (struct fl_cluster){0};
    cluster->grown_next = table->grown_first;
    if (table->grown_first.n) {
        cluster_table_at(table, table->grown_first)->grown_prev = cluster->id;
    }
    table->grown_first = cluster->id;
}

void cluster_table_settle(struct cluster_table *table)
{
    for (size_t i = 0; i < table->loads_changed.len; i++) {
        cluster_table_at(table, table->loads_changed.at[i])->is_load_changed = false;
    }
    fl_vec_clear(&table->loads_changed);
}

void cluster_table_resize(struct cluster_table *table, struct cluster *cluster)
{
    cluster->totals_at = table->totals_at = ++table->stamp;
}

bool cluster_table_add(struct cluster_table *table, struct fl_cluster id, struct fl_str name,
                       struct fl_str uid, struct cluster **ret_cluster, struct fl_err *err)
{
    struct fl_cluster next = {(uint32_t)table->clusters.len + 1};
    struct cluster *cluster;

    if (!fl_str_is_name(name)) {
        return fl_fail(err, FL_INVALID, "a cluster's name is " FL_NAME_ALLOWED);
    }
    if (uid.len == 0 || uid.len > FL_CLUSTER_UID_BYTES_MAX || !fl_str_is_text(uid)) {
        return fl_fail(err, FL_INVALID, "a cluster's uid is text of 1 to %d bytes",
                       FL_CLUSTER_UID_BYTES_MAX);
    }
    if (cluster_table_find_name(table, name)) {
        return fl_fail(err, FL_EXISTS, "cluster " FL_STR_FMT " is there already", FL_STR_ARG(name));
    }
    if (id.n == 0 && table->enrolled_len >= table->clusters_max) {
        return fl_fail(err, FL_FULL,
                       "%u clusters are enrolled, the most there can be; remove one that is gone",
                       table->enrolled_len);
    }
    if (id.n == 0 && next.n > (uint64_t)CLUSTER_TURNS_MAX * table->clusters_max) {
        return fl_fail(err, FL_FULL,
                       "%zu clusters were enrolled since the beginning, the most there can be",
                       table->clusters.len);
    }
    if (id.n != 0 && id.n != next.n) {
        return fl_fail(err, FL_TORN, "cluster %u comes where cluster %u is next", id.n, next.n);
    }
    cluster = fl_new(struct cluster);
    cluster->id = next;
    cluster->state = CLUSTER_ENROLLED;
    table->enrolled_len++;
    memcpy(cluster->name, name.at, name.len);
    memcpy(cluster->uid, uid.at, uid.len);
    fl_vec_push(&table->clusters, cluster);
    fl_map_put(&table->by_name, name.at, name.len, next.n);
    cluster_table_resize(table, cluster);
    cluster_table_grow(table, cluster);
    *ret_cluster = cluster;
    return true;
}

/* ---- which nodes there are ------------------------------------------------------------------- */

static const struct fl_resources nothing = {0};
static const struct fl_resources_sum no_sum = {0};

/* The node has changed: if it is claimed, the cluster's claims cannot be relied on any more. */
static void break_claims(struct cluster *cluster, const struct node *node)
{
    if (cluster_node_is_claimed(node)) cluster->is_claim_broken = true;
}

static void destroy_node(struct cluster *cluster, struct node *node)
{
    fl_map_remove(&cluster->nodes_by_name, node->name.at, node->name.len);
    fl_free((void *)node->name.at);
    fl_free((void *)node->labels.at);
    fl_free((void *)node->taints.at);
    named_resources_fini(&node->named);
    cluster->tainted_len -= node->taints.len > 0;
    *node = (struct node){0};
}

/* It may soon have again what is missing now. */
static void shrink(const struct cluster_table *table, struct cluster *cluster)
{
    cluster->has_shrunk = true;
    cluster->shrunk_at = table->now;
}

static void forget_node(struct cluster_table *table, struct cluster *cluster, uint32_t i)
{
    struct node *node = &cluster->nodes.at[i];

    fl_assert(node->name.len > 0 && node->replicas == 0 && node->session != cluster->session_epoch);
    if (!fl_resources_is_zero(node->total)) {
        cluster_table_resize(table, cluster);
        shrink(table, cluster);
    }
    destroy_node(cluster, node);
    fl_vec_push(&cluster->holes, i);
}

/* Once a session: a node that it has not reported yet is gone; one that still has replicas goes
 * with the last of them. */
static void forget_missing(struct cluster_table *table, struct cluster *cluster)
{
    cluster->is_listed = true;
    for (uint32_t i = 0; i < cluster->nodes.len; i++) {
        const struct node *node = &cluster->nodes.at[i];

        if (node->name.len > 0 && node->replicas == 0 && node->session != cluster->session_epoch) {
            forget_node(table, cluster, i);
        }
    }
}

void cluster_end_list(struct cluster_table *table, struct cluster *cluster, bool is_whole)
{
    bool was_listed = cluster->was_listed;

    cluster->is_cut = cluster->is_cut || !is_whole;
    if (!cluster->is_listed) forget_missing(table, cluster);
    cluster->was_listed = !cluster->is_cut;
    if (was_listed && !cluster->was_listed) cluster_table_resize(table, cluster);
}

/* An agent of before may be known without an end of its list. */
void cluster_cut_list(struct cluster_table *table, struct cluster *cluster)
{
    if (cluster->is_cut) return;
    cluster->is_cut = true;
    cluster->was_listed = false;
    cluster_table_resize(table, cluster);
}

/* An agent of before protocol 6 does not say when its list ends.  It reports each node once, then
 * changes: so a second report comes behind the list. */
static void guess_end(struct cluster_table *table, struct cluster *cluster)
{
    if (cluster->is_listed || cluster->ends_nodes) return;
    cluster_end_list(table, cluster, true);
}

/* The last node of a removed cluster is forgotten: no list of them will be needed. */
static void drop_lists(struct cluster *cluster)
{
    if (cluster->state != CLUSTER_REMOVED || cluster->nodes_by_name.len > 0) return;
    fl_vec_fini(&cluster->nodes);
    fl_vec_fini(&cluster->by_number);
    fl_vec_fini(&cluster->holes);
    fl_map_fini(&cluster->nodes_by_name);
}

void cluster_table_remove(struct cluster_table *table, struct cluster *cluster)
{
    fl_assert(!cluster->is_connected && cluster->state == CLUSTER_ENROLLED);
    cluster->state = CLUSTER_REMOVED;
    table->enrolled_len--;
    fl_map_remove(&table->by_name, cluster->name, strlen(cluster->name));
    cluster_table_resize(table, cluster);
    forget_missing(table, cluster);
    drop_lists(cluster);
}

uint32_t cluster_need_node(struct cluster_table *table, struct cluster *cluster, struct fl_str name)
{
    struct node node = {0};
    uint64_t i;

    if (fl_map_find(&cluster->nodes_by_name, name.at, name.len, &i)) return (uint32_t)i;
    if (cluster->is_connected && !cluster->is_listed && cluster->holes.len == 0 &&
        cluster->nodes.len >= table->nodes_max) {
        forget_missing(table, cluster); /* if too early, a node that is reported later comes back */
    }
    node.name.at = memcpy(fl_alloc(name.len), name.at, name.len);
    node.name.len = name.len;
    if (cluster->holes.len > 0) {
        i = fl_vec_pop(&cluster->holes);
        cluster->nodes.at[i] = node;
    } else {
        i = cluster->nodes.len;
        fl_vec_push(&cluster->nodes, node);
    }
    fl_map_put(&cluster->nodes_by_name, name.at, name.len, i);
    return (uint32_t)i;
}

void cluster_join_node(struct cluster *cluster, uint32_t i)
{
    fl_assert(i < cluster->nodes.len && cluster->nodes.at[i].name.len > 0);
    cluster->nodes.at[i].replicas++;
}

void cluster_leave_node(struct cluster_table *table, struct cluster *cluster, uint32_t i)
{
    struct node *node = &cluster->nodes.at[i];

    fl_assert(i < cluster->nodes.len && node->replicas > 0);
    if (--node->replicas == 0 && cluster->is_listed && node->session != cluster->session_epoch) {
        forget_node(table, cluster, i);
        drop_lists(cluster);
    }
}

bool cluster_pack_nodes(struct cluster *cluster, uint32_t *ret_moved)
{
    uint32_t kept = 0;

    fl_assert(!cluster->is_connected);
    cluster->room_changes++;
    fl_vec_clear(&cluster->holes);
    for (uint32_t i = 0; i < cluster->nodes.len; i++) {
        struct node *node = &cluster->nodes.at[i];

        if (node->replicas == 0) {
            if (node->name.len > 0) destroy_node(cluster, node);
            continue;
        }
        ret_moved[i] = kept;
        if (i != kept) {
            fl_map_put(&cluster->nodes_by_name, node->name.at, node->name.len, kept);
            cluster->nodes.at[kept] = *node;
        }
        kept++;
    }
    if (kept == cluster->nodes.len) return false;
    cluster->nodes.len = kept;
    return true;
}

/* ---- the agent's reports of nodes ------------------------------------------------------------ */

/* It counts no more, by the agent's own word. */
static void end_node(struct cluster_table *table, struct cluster *cluster, uint32_t i)
{
    struct node *node = &cluster->nodes.at[i];
    bool was_usable = cluster_node_is_usable(cluster, node);
    struct named_resources_change change =
        cluster_named_resources_report(cluster, node, was_usable, false, NULL, 0);

    break_claims(cluster, node);
    load_changed(table, cluster);
    if (was_usable) {
        fl_resources_sum_take(&cluster->total_sum, node->total);
        fl_resources_sum_take(&cluster->free_sum, node->free);
        cluster->ready_len--;
        cluster->limited_len -= node->has_limits;
    }
    if (node->session == cluster->session_epoch) {
        cluster->by_number.at[node->number] = 0;
        cluster->told_len--;
    }
    if (change.is_resized || !fl_resources_is_zero(node->total)) {
        cluster_table_resize(table, cluster);
        shrink(table, cluster);
    }
    node->session = 0;
    node->is_ready = false;
    node->total = node->free = nothing;
    node->owed = no_sum;
    if (node->replicas == 0) forget_node(table, cluster, i);
}

static bool has_line(struct fl_str lines, struct fl_str line)
{
    while (lines.len >= line.len && memcmp(lines.at, line.at, line.len) != 0) {
        const char *end = memchr(lines.at, '\n', lines.len);

        if (!end) return false;
        lines.len -= (size_t)(end + 1 - lines.at);
        lines.at = end + 1;
    }
    return lines.len >= line.len;
}

static struct fl_str take_line(struct fl_str *lines)
{
    const char *end = memchr(lines->at, '\n', lines->len);
    struct fl_str line = {lines->at, end ? (size_t)(end + 1 - lines->at) : lines->len};

    lines->at += line.len;
    lines->len -= line.len;
    return line;
}

/* Whether each line of 'was' is there; both are sorted. */
static bool keeps_lines(struct fl_str lines, struct fl_str was)
{
    while (was.len > 0) {
        struct fl_str line = take_line(&was), other = {0};

        while (lines.len > 0 && !fl_str_eq(other, line)) {
            other = take_line(&lines);
        }
        if (!fl_str_eq(other, line)) return false;
    }
    return true;
}

/* False: it was the same. */
static bool set_lines(struct fl_str *lines, struct fl_str other)
{
    if (fl_str_eq(*lines, other)) return false;
    fl_free((void *)lines->at);
    lines->at = other.len ? memcpy(fl_alloc(other.len), other.at, other.len) : NULL;
    lines->len = other.len;
    return true;
}

static bool set_taints(struct cluster *cluster, struct node *node, struct fl_str taints)
{
    cluster->tainted_len -= node->taints.len > 0;
    cluster->tainted_len += taints.len > 0;
    return set_lines(&node->taints, taints);
}

static bool set_labels(struct node *node, struct fl_str labels)
{
    if (!set_lines(&node->labels, labels)) return false;
    node->has_limits = has_line(labels, FL_STR(FL_NODE_LIMITS));
    return true;
}

/* The node of that name, from now on under that number; UINT32_MAX: there is no room for it. */
static uint32_t tell_node(struct cluster_table *table, struct cluster *cluster, uint32_t number,
                          struct fl_str name)
{
    struct node *node;
    uint64_t i = UINT64_MAX;
    bool is_told;

    (void)fl_map_find(&cluster->nodes_by_name, name.at, name.len, &i);
    while (cluster->by_number.len <= number) {
        fl_vec_push(&cluster->by_number, 0);
    }
    if (cluster->by_number.at[number] && cluster->by_number.at[number] != i + 1) {
        end_node(table, cluster,
                 cluster->by_number.at[number] - 1); /* another one has its number */
    }
    is_told = i != UINT64_MAX && cluster->nodes.at[i].session == cluster->session_epoch;
    if (!is_told && cluster->told_len >= table->nodes_max) return UINT32_MAX;
    i = cluster_need_node(table, cluster, name);
    node = &cluster->nodes.at[i];
    if (is_told) {
        guess_end(table, cluster);
        cluster->by_number.at[node->number] = 0;
    } else {
        cluster->told_len++;
        cluster->told_at = table->now;
    }
    cluster->by_number.at[number] = (uint32_t)i + 1;
    node->number = number;
    return (uint32_t)i;
}

/* Whether the report is of a node that can be; its text is bounded. */
static bool is_sound(const struct cluster_node_report *report)
{
    return report->number <= CLUSTER_NODE_NUMBER_MAX && report->name.len > 0 &&
           report->name.len <= CLUSTER_NODE_NAME_MAX &&
           report->labels.len <= CLUSTER_NODE_LABELS_MAX && fl_str_is_text(report->name) &&
           !memchr(report->name.at, '\n', report->name.len) && fl_taints_are_list(report->taints);
}

/* It had this, and counted, before the report. */
struct node_before {
    struct fl_resources total, free;
    bool was_usable;
};

static struct node_before uncount(struct cluster *cluster, const struct node *node)
{
    if (!cluster_node_is_usable(cluster, node)) return (struct node_before){0};
    fl_resources_sum_take(&cluster->total_sum, node->total);
    fl_resources_sum_take(&cluster->free_sum, node->free);
    cluster->ready_len--;
    cluster->limited_len -= node->has_limits;
    return (struct node_before){node->total, node->free, true};
}

static void count(struct cluster *cluster, const struct node *node)
{
    if (!node->is_ready) return;
    fl_resources_sum_add(&cluster->total_sum, node->total);
    fl_resources_sum_add(&cluster->free_sum, node->free);
    cluster->ready_len++;
    cluster->limited_len += node->has_limits;
}

static void set_room(struct cluster *cluster, struct node *node, struct fl_resources total,
                     struct fl_resources free)
{
    if (total.memory_bytes > CLUSTER_NODE_MEMORY_MAX) total.memory_bytes = CLUSTER_NODE_MEMORY_MAX;
    if (free.memory_bytes > CLUSTER_NODE_MEMORY_MAX) free.memory_bytes = CLUSTER_NODE_MEMORY_MAX;
    if (node->session != cluster->session_epoch) { /* 'late' was another session's */
        node->late = no_sum;
        node->late_seq = 0;
        cluster_named_resources_forget_late(node);
    }
    node->total = total;
    node->free = fl_resources_fit(free, total) ? free : total;
    node->owed = no_sum;
}

bool cluster_report(struct cluster_table *table, struct cluster *cluster,
                    const struct cluster_node_report *report)
{
    struct node *node;
    struct node_before was;
    struct named_resources_change named;
    struct fl_resources before;
    bool is_changed, is_grown, is_less;
    uint64_t known;
    uint32_t i;

    if (!is_sound(report)) return false;
    if (!report->is_ready && fl_resources_is_zero(report->total)) {
        guess_end(table, cluster);
        if (fl_map_find(&cluster->nodes_by_name, report->name.at, report->name.len, &known)) {
            end_node(table, cluster, (uint32_t)known);
        }
        return true;
    }
    i = tell_node(table, cluster, report->number, report->name);
    if (i == UINT32_MAX) return false;
    node = &cluster->nodes.at[i];
    was = uncount(cluster, node);
    before = node->total;
    is_less = !keeps_lines(report->labels, node->labels) ||
              (!fl_resources_is_zero(before) && !keeps_lines(node->taints, report->taints));
    is_changed = set_labels(node, report->labels);
    is_changed = set_taints(cluster, node, report->taints) || is_changed;
    named = cluster_named_resources_report(cluster, node, was.was_usable, report->is_ready,
                                           report->offers, report->offers_len);
    set_room(cluster, node, report->total, report->free);
    node->session = cluster->session_epoch;
    node->stamp = report->stamp;
    node->is_ready = report->is_ready;
    count(cluster, node);
    if (is_changed || named.is_resized || !fl_resources_is_same(was.total, node->total)) {
        cluster_table_resize(table, cluster);
    }
    if (is_less || named.is_less || !fl_resources_fit(before, node->total)) {
        shrink(table, cluster);
    }
    if (!node->is_ready || is_changed || named.is_smaller ||
        !fl_resources_fit(was.total, node->total)) {
        break_claims(cluster, node);
    }
    load_changed(table, cluster);
    is_grown = named.is_grown || !fl_resources_fit(node->free, was.free);
    if (node->is_ready && (is_changed || !was.was_usable || is_grown)) {
        cluster_table_grow(table, cluster);
    }
    return true;
}

static void take_sum(struct cluster_table *table, struct cluster *cluster, uint32_t i,
                     struct fl_resources_sum each)
{
    struct node *node = &cluster->nodes.at[i];
    struct fl_resources taken;

    fl_assert(i < cluster->nodes.len);
    taken = fl_resources_sum_least(each, node->free);
    fl_resources_take(&node->free, taken);
    fl_resources_sum_take(&each, taken);
    fl_resources_sum_merge(&node->owed, each);
    if (cluster_node_is_usable(cluster, node)) fl_resources_sum_take(&cluster->free_sum, taken);
    load_changed(table, cluster);
}

void cluster_take(struct cluster_table *table, struct cluster *cluster, uint32_t i,
                  struct fl_resources each)
{
    take_sum(table, cluster, i, fl_resources_sum_of(each));
}

void cluster_give(struct cluster_table *table, struct cluster *cluster, uint32_t i,
                  struct fl_resources each)
{
    struct node *node = &cluster->nodes.at[i];
    struct fl_resources room = node->total, paid;

    fl_assert(i < cluster->nodes.len);
    paid = fl_resources_sum_least(node->owed, each);
    fl_resources_sum_take(&node->owed, paid);
    fl_resources_take(&each, paid);
    fl_resources_take(&room, node->free);
    each = fl_resources_least(each, room);
    fl_resources_add(&node->free, each);
    if (!cluster_node_is_usable(cluster, node)) return;
    fl_resources_sum_add(&cluster->free_sum, each);
    cluster_table_grow(table, cluster);
}

void cluster_leave_late(struct cluster *cluster, uint32_t i, struct fl_resources each,
                        uint64_t start_seq)
{
    struct node *node = &cluster->nodes.at[i];

    fl_assert(i < cluster->nodes.len);
    if (node->session != cluster->session_epoch) return; /* it went, and counts no more */
    fl_resources_sum_add(&node->late, each);
    if (start_seq > node->late_seq) node->late_seq = start_seq;
}

void cluster_take_late(struct cluster_table *table, struct cluster *cluster, uint32_t number,
                       uint64_t mark)
{
    uint32_t i = number < cluster->by_number.len ? cluster->by_number.at[number] : 0;
    struct node *node;

    if (i == 0) return; /* it is gone */
    node = &cluster->nodes.at[i - 1];
    if (fl_resources_sum_is_zero(node->late) && !cluster_named_resources_are_late(node)) return;
    if (node->late_seq > mark) {
        take_sum(table, cluster, i - 1, node->late);
        cluster_named_resources_take_late(cluster, node);
        return;
    }
    node->late = no_sum;
    node->late_seq = 0;
    cluster_named_resources_forget_late(node);
}

/* ---- claims ---------------------------------------------------------------------------------- */

uint16_t cluster_hold(struct cluster *cluster, uint32_t i, struct fl_resources each)
{
    struct node *node = &cluster->nodes.at[i];

    fl_assert(i < cluster->nodes.len);
    cluster->room_changes++;
    fl_resources_sum_add(&node->held, each);
    if (!cluster_node_is_claimed(node)) return 0;
    fl_resources_sum_add(&node->guests, each);
    return node->claim_no;
}

void cluster_unhold(struct cluster *cluster, uint32_t i, struct fl_resources each,
                    uint16_t guest_no)
{
    struct node *node = &cluster->nodes.at[i];

    fl_assert(i < cluster->nodes.len && fl_resources_sum_has(node->held, each));
    cluster->room_changes++;
    fl_resources_sum_take(&node->held, each);
    if (guest_no != 0 && guest_no == node->claim_no) {
        fl_resources_sum_take_most(&node->guests, each);
    }
}

void cluster_claim(struct cluster *cluster, uint32_t i, struct fl_resources part)
{
    struct node *node = &cluster->nodes.at[i];

    fl_assert(i < cluster->nodes.len);
    if (!cluster_node_is_claimed(node)) {
        node->guests = no_sum;
        cluster_named_resources_clear_guests(node);
        if (++node->claim_no == 0) node->claim_no = 1;
    }
    fl_resources_sum_add(&node->claimed, part);
    fl_resources_sum_add(&cluster->claimed_sum, part);
}

void cluster_unclaim(struct cluster *cluster, uint32_t i, struct fl_resources part)
{
    fl_assert(i < cluster->nodes.len);
    fl_resources_sum_take(&cluster->nodes.at[i].claimed, part);
    fl_resources_sum_take(&cluster->claimed_sum, part);
}

void cluster_clear_claims(struct cluster *cluster)
{
    fl_assert(cluster->claims_len == 0);
    for (size_t i = 0; i < cluster->nodes.len; i++) {
        cluster->nodes.at[i].claimed = no_sum;
    }
    cluster->claimed_sum = no_sum;
    cluster_named_resources_clear_claims(cluster);
    cluster->is_claim_broken = false;
}

/* ---- sessions -------------------------------------------------------------------------------- */

void cluster_begin_session(struct cluster_table *table, struct cluster *cluster,
                           uint64_t connection)
{
    cluster_end_session(table, cluster);
    cluster->session_epoch++;
    cluster->room_changes++; /* nothing that the session before told counts */
    cluster->connection = connection;
    cluster->is_connected = true;
}

void cluster_end_session(struct cluster_table *table, struct cluster *cluster)
{
    if (cluster->is_connected) cluster_table_grow(table, cluster); /* its waiting jobs learn why */
    /* Its nodes are not all known any more, if this session has not told all. */
    if (!cluster->was_listed && cluster->told_len > 0) cluster_table_resize(table, cluster);
    if (cluster->claims_len > 0) cluster->is_claim_broken = true;
    cluster->is_connected = cluster->is_ack_due = false;
    cluster->is_inventoried = cluster->is_reconciled = false;
    cluster->is_listed = cluster->ends_nodes = cluster->is_cut = false;
    cluster->told_len = cluster->ready_len = cluster->limited_len = 0;
    cluster->connection = 0;
    cluster->control_seq = cluster->report_seq = 0;
    cluster->inventory_len = 0;
    cluster->inventory_digest = 0;
    cluster->resend_at = cluster->inventory_at = 0;
    memset(cluster->replies, 0, sizeof cluster->replies);
    cluster->node_cursor = 0;
    cluster->total_sum = cluster->free_sum = no_sum;
    cluster_named_resources_end_session(cluster);
    fl_vec_clear(&cluster->strays);
    fl_map_fini(&cluster->strays_known);
    fl_vec_clear(&cluster->by_number);
    for (size_t i = 0; i < cluster->nodes.len; i++) {
        cluster->nodes.at[i].session = 0;
    }
}
