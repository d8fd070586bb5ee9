/* story_agents.h - the verbs of agents: hello, inventories, nodes, reports, and being lost.  A part
 * of story.h. */
#pragma once

#include "tests/unit/controlplane/core/story_teller.h"

static enum fl_replica_state read_state(struct teller *teller)
{
    const char *word = next(teller);

    for (int state = 0; state < FL_REPLICA_STATES_LEN; state++) {
        if (strcmp(word, fl_replica_state_name((enum fl_replica_state)state)) == 0) {
            return (enum fl_replica_state)state;
        }
    }
    teller->word--;
    wrong(teller, "no state of a replica");
}

/* "7/0#2@1 r0 exited 3 saying WORD"; several replicas: r0-3; the whole attempt: all */
static void read_report(struct teller *teller, struct core_replica_told *ret, uint32_t *ret_last)
{
    const char *word = next(teller);
    unsigned long long job;
    unsigned element, n, incarnation = teller->incarnation, first = 0, last;

    if (sscanf(word, "%llu/%u#%u@%u", &job, &element, &n, &incarnation) < 3) {
        wrong(teller, "no attempt");
    }
    ret->attempt = (struct fl_attempt){{job}, element, (uint16_t)n, incarnation};
    word = next(teller);
    if (strcmp(word, "all") == 0) {
        first = last = UINT32_MAX;
    } else if (sscanf(word, "r%u-%u", &first, &last) < 2) {
        if (sscanf(word, "r%u", &first) < 1) wrong(teller, "no replica");
        last = first;
    }
    ret->replica = first;
    *ret_last = last;
    ret->state = read_state(teller);
    ret->exit_code = 0;
    ret->cause = FL_CAUSE_none;
    if (peek(teller) && (isdigit((unsigned char)peek(teller)[0]) || peek(teller)[0] == '-')) {
        ret->exit_code = (int32_t)strtol(next(teller), NULL, 10);
    }
    for (int cause = 1; cause < FL_CAUSES_LEN; cause++) {
        if (take(teller, fl_cause_name((enum fl_cause)cause))) ret->cause = (enum fl_cause)cause;
    }
    ret->words = take(teller, "saying") ? fl_str_c(next(teller)) : (struct fl_str){0};
    ret->usage = (struct fl_usage){0};
    if (take(teller, "using")) {
        ret->usage.meter = FL_METER_processes;
        ret->usage.replicas = 1;
        ret->usage.cpu_us = strtoull(next(teller), NULL, 10);
    }
}

static void agent_hello(struct teller *teller, struct teller_cluster *cluster, uint32_t id)
{
    struct core_event event = {.kind = CORE_EV_session_open, .session_open.cluster = {id}};

    for (;;) {
        if (take(teller, "images")) {
            event.session_open.has_images = true;
        } else if (take(teller, "resync")) {
            event.session_open.is_resync = true;
        } else if (take(teller, "ends")) { /* it will say 'nodes ... end' */
            event.session_open.ends_nodes = true;
        } else if (!take_number(teller, "generation", &event.session_open.generation) &&
                   !take_number(teller, "age", &event.session_open.age_ms) &&
                   !take_number(teller, "expired", &event.session_open.expired_ms) &&
                   !take_number(teller, "boot", &event.session_open.boot) &&
                   !take_u32(teller, "incarnation", &event.session_open.seen.incarnation) &&
                   !take_number(teller, "batch", &event.session_open.seen.batch) &&
                   !take_number(teller, "ids", &event.session_open.seen.job_below)) {
            break;
        }
    }
    if (!event.session_open.is_resync) cluster->connection = ++teller->connections;
    event.session_open.connection = cluster->connection;
    step(teller, &event);
}

static void agent_lost(struct teller *teller, struct teller_cluster *cluster, uint32_t id)
{
    struct core_event event = {
        .kind = CORE_EV_session_lost,
        .session_lost = {.cluster = {id}, .session_epoch = cluster->session}};

    (void)take_number(teller, "session", &event.session_lost.session_epoch);
    if (take_number(teller, "connection", &event.session_lost.connection)) {
        event.session_lost.session_epoch = 0;
    }
    step(teller, &event);
}

static void agent_inventory(struct teller *teller, struct teller_cluster *cluster, uint32_t id)
{
    struct core_event event = {.kind = CORE_EV_inventory,
                               .inventory = {.cluster = {id}, .session_epoch = cluster->session}};
    struct {
        struct core_replica_told *at;
        size_t len, cap;
    } items = {0};

    (void)take_number(teller, "session", &event.inventory.session_epoch);
    while (peek(teller)) {
        struct core_replica_told item;
        uint32_t last;

        if (take(teller, ",")) continue;
        if (take(teller, "end")) {
            event.inventory.is_end = true;
            break;
        }
        read_report(teller, &item, &last);
        for (;; item.replica++) {
            cluster->inventory_len++;
            cluster->inventory_digest = fl_inventory_digest(
                cluster->inventory_digest, item.attempt, item.replica, item.state, item.exit_code);
            fl_arena_push(&teller->arena, &items, item);
            if (item.replica == last) break;
        }
    }
    event.inventory.at = items.at;
    event.inventory.len = items.len;
    event.inventory.count = cluster->inventory_len + take(teller, "miscounted");
    event.inventory.digest = cluster->inventory_digest + take(teller, "mistaken");
    step(teller, &event);
}

static void agent_nodes(struct teller *teller, struct teller_cluster *cluster, uint32_t id)
{
    struct core_event event = {.kind = CORE_EV_nodes,
                               .nodes = {.cluster = {id},
                                         .session_epoch = cluster->session,
                                         .mark = cluster->control_seq}};
    struct {
        struct core_node_report *at;
        size_t len, cap;
    } nodes = {0};
    struct core_node_report node;
    const char *text;
    uint32_t n;

    event.nodes.report_seq = ++cluster->report_seq;
    while (peek(teller)) {
        bool has_free = false;
        struct fl_resources free = {0};
        struct core_node_offer *named =
            fl_arena_array(&teller->arena, struct core_node_offer, CORE_NODE_NAMED_MAX);
        uint64_t amount;

        if (take(teller, ",")) continue;
        if (take_number(teller, "mark", &event.nodes.mark)) continue;
        if (take_number(teller, "seq", &event.nodes.report_seq)) continue;
        if (take_number(teller, "session", &event.nodes.session_epoch)) continue;
        if (take(teller, "end")) {
            event.nodes.is_end = true;
            event.nodes.is_whole = !take(teller, "cut");
            continue;
        }
        node = (struct core_node_report){.is_ready = true, .name = str(next(teller))};
        node.number = (uint32_t)nodes.len + 1;
        node.total.memory_bytes = (uint64_t)64 << 30;
        while (peek(teller) && strcmp(peek(teller), ",") != 0) {
            if (take_u32(teller, "cpu", &n)) {
                node.total.cpu_milli = n * 1000;
            } else if (take_u32(teller, "gpu", &n)) {
                node.total.gpus = n;
            } else if (take_u32(teller, "mem", &n)) {
                node.total.memory_bytes = (uint64_t)n << 30;
            } else if (take_u32(teller, "free", &n)) {
                free.cpu_milli = n * 1000, has_free = true;
            } else if (take_named(teller, &named[node.named_len].name, &amount)) {
                named[node.named_len].total = named[node.named_len].free = amount;
                node.named_len++;
            } else if (take(teller, "notready")) {
                node.is_ready = false;
            } else if (take_u32(teller, "number", &node.number)) {
                continue;
            } else if ((text = take_value(teller, "labels"))) {
                char *labels = fl_arena_printf(&teller->arena, "%s\n", text);

                for (char *at = labels; *at; at++) {
                    *at = *at == ';' ? '\n' : *at == ':' ? '=' : *at;
                }
                node.labels = str(labels);
            } else if ((text = take_value(teller, "taint"))) {
                node.taints = lines_of(teller, text);
            } else {
                break;
            }
        }
        node.free = node.total;
        if (has_free) node.free.cpu_milli = free.cpu_milli;
        node.named = named;
        if (teller->is_cpu_named && node.total.cpu_milli > 0) {
            named[node.named_len++] = (struct core_node_offer){
                FL_STR("test/cpu"), node.total.cpu_milli, node.free.cpu_milli};
            node.total.cpu_milli = node.free.cpu_milli = 0;
        }
        fl_arena_push(&teller->arena, &nodes, node);
    }
    event.nodes.at = nodes.at;
    event.nodes.len = nodes.len;
    step(teller, &event);
}

static void agent_reports(struct teller *teller, struct teller_cluster *cluster, uint32_t id)
{
    struct core_event event = {.kind = CORE_EV_replica,
                               .replica = {.cluster = {id}, .session_epoch = cluster->session}};
    uint64_t seq = 0;

    (void)take_number(teller, "seq", &seq);
    (void)take_number(teller, "session", &event.replica.session_epoch);
    while (peek(teller)) {
        struct core_replica_told item;
        uint32_t last;

        if (take(teller, ",")) continue;
        read_report(teller, &item, &last);
        for (;; item.replica++) {
            event.replica.report_seq = seq ? seq : ++cluster->report_seq;
            event.replica.told = item;
            step(teller, &event);
            if (item.replica == last) break;
        }
    }
}

static void agent(struct teller *teller)
{
    uint32_t id;
    struct teller_cluster *cluster = find_cluster(teller, next(teller), &id);

    if (take(teller, "hello")) {
        agent_hello(teller, cluster, id);
    } else if (take(teller, "lost")) {
        agent_lost(teller, cluster, id);
    } else if (take(teller, "inventory")) {
        agent_inventory(teller, cluster, id);
    } else if (take(teller, "nodes")) {
        agent_nodes(teller, cluster, id);
    } else if (take(teller, "reports")) {
        agent_reports(teller, cluster, id);
    } else if (take(teller, "up")) {
        struct core_event end = {.kind = CORE_EV_inventory,
                                 .inventory = {.cluster = {id}, .is_end = true}};

        agent_hello(teller, cluster, id);
        close_batch(teller);
        end.inventory.session_epoch = cluster->session;
        step(teller, &end);
        agent_nodes(teller, cluster, id);
    } else {
        wrong(teller, "what does the agent do");
    }
}
