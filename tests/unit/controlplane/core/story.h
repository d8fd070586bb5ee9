/* story.h - the core's rules told as stories: events in plain words, and below them, indented, the
 * core's answer.
 *
 *   5s submit ml x3 cpu=2      at five seconds; without a time, when the line before was
 *   submit ... &               the next line is stepped into the same batch
 *   . queue ml                 quietly: the outcome is not shown
 *   tick 60s                   a minute passes, tick by tick as the core asks for them
 *   config slice_max=4         each batch has one slice of so many looks; first line of a story
 *   next                       a batch for what is left, in which nothing else happens
 *   reload                     a fresh core from the rows so far; agents have to come again
 *   agent east up n1 cpu=8     hello, an empty inventory and a node report in one
 *
 * After every line the core is whole (core_check) and its rows are such as the schema takes; after
 * the last one a core loaded from them has the same hash.  Every error fails the test that runs.
 *
 *   story_tell(lines, &hash)
 *
 * All of it is in this header and in story_teller.h: a unit test is one source.  Each verb of a
 * story is a function that takes its words and makes one event. */
#pragma once

#include "tests/unit/controlplane/core/story_teller.h"

/* ---- requests -------------------------------------------------------------------------------- */

/* "a=1;b=2" */
static void read_labels(struct teller *teller, struct shape *shape, const char *text)
{
    char *copy = fl_arena_copy(&teller->arena, text, strlen(text)), *save = NULL;

    for (char *at = strtok_r(copy, ";", &save); at; at = strtok_r(NULL, ";", &save)) {
        char *value = strchr(at, ':');

        if (!value) wrong(teller, "no label");
        *value = '\0';
        shape->node_labels[shape->node_labels_len++] =
            (struct shape_label){str(at), str(value + 1)};
    }
}

static void read_names(struct teller *teller, struct fl_str *names, uint32_t *len, const char *text)
{
    char *copy = fl_arena_copy(&teller->arena, text, strlen(text)), *save = NULL;

    for (char *at = strtok_r(copy, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
        names[(*len)++] = str(at);
    }
}

static bool read_role(struct teller *teller, struct shape_role *role)
{
    uint32_t n;

    if (take_u32(teller, "cpu", &n)) return role->each.cpu_milli = n * 1000, true;
    if (take_u32(teller, "mcpu", &n)) return role->each.cpu_milli = n, true;
    if (take_u32(teller, "gpu", &n)) return role->each.gpus = n, true;
    if (take_u32(teller, "mem", &n)) return role->each.memory_bytes = (uint64_t)n << 30, true;
    if (take_u32(teller, "replicas", &n)) return role->replicas = role->replicas_min = n, true;
    if (take_u32(teller, "min", &n)) return role->replicas_min = n, true;
    return false;
}

static bool read_shape_word(struct teller *teller, struct shape *shape)
{
    struct shape_role *role = &shape->roles[shape->roles_len - 1];
    const char *text;

    if (read_role(teller, role)) return true;
    if (take(teller, "+")) {
        shape->roles[shape->roles_len++] = (struct shape_role){.replicas = 1, .replicas_min = 1};
        return true;
    }
    if (take(teller, "image")) return shape->has_image = true;
    if ((text = take_value(teller, "select"))) return read_labels(teller, shape, text), true;
    if ((text = take_value(teller, "clusters"))) {
        read_names(teller, shape->clusters, &shape->clusters_len, text);
        return true;
    }
    if ((text = take_value(teller, "not"))) {
        read_names(teller, shape->not_clusters, &shape->not_clusters_len, text);
        return true;
    }
    return false;
}

/* "3,5-8": these elements, and as many */
static void read_picks(struct teller *teller, struct core_submit_item *item, const char *text)
{
    char *copy = fl_arena_copy(&teller->arena, text, strlen(text)), *save = NULL;
    struct fl_picks picks = {0};
    struct fl_err err = {0};
    struct fl_buf bytes;

    for (char *at = strtok_r(copy, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
        uint32_t first = 0, last;
        int words = sscanf(at, "%u-%u", &first, &last);

        if (words < 1) wrong(teller, "no element");
        if (words < 2) last = first;
        for (; first <= last; first++) {
            assert_true(fl_picks_add(&picks, first, &err));
        }
    }
    fl_buf_init(&bytes, FL_PICKS_BYTES_MAX);
    assert_true(fl_picks_encode(&bytes, &picks));
    item->picked = (struct fl_str){fl_arena_copy(&teller->arena, bytes.at, bytes.len), bytes.len};
    item->elements = fl_picks_count(&picks);
    fl_buf_fini(&bytes);
    fl_picks_fini(&picks);
}

static bool read_item_word(struct teller *teller, struct core_submit_item *item)
{
    const char *at = peek(teller), *text;
    uint64_t n;

    if (at && at[0] == 'x' && isdigit((unsigned char)at[1])) {
        item->elements = (uint32_t)strtoul(at + 1, NULL, 10);
        teller->word++;
        return true;
    }
    if (take(teller, "held")) return item->is_held = true;
    if (take_u32(teller, "retries", &item->retries_max)) return true;
    if (take_u32(teller, "deadline", &item->deadline_s)) return true;
    if ((text = take_value(teller, "prio"))) {
        item->priority = (int32_t)strtol(text, NULL, 10);
        return true;
    }
    if (take_number(teller, "retry_of", &n)) return item->retry_of.n = n, true;
    if ((text = take_value(teller, "picks"))) return read_picks(teller, item, text), true;
    if ((text = take_value(teller, "name"))) return item->name = str(text), true;
    if ((text = take_value(teller, "spec"))) {
        item->spec = str(text);
        memset(item->spec_digest.at, text[0], sizeof item->spec_digest.at);
        return true;
    }
    return false;
}

/* One job; the words up to '|' or the end. */
static struct core_submit_item read_item(struct teller *teller, uint64_t *copies)
{
    struct core_submit_item item = {.elements = 1, .queue = str(next(teller))};
    struct shape shape = {.roles_len = 1, .roles = {{.replicas = 1, .replicas_min = 1}}};
    struct fl_buf bytes;
    bool is_bad = false;

    fl_buf_init(&bytes, FL_JOB_SHAPE_BYTES_MAX);
    while (peek(teller) && strcmp(peek(teller), "|") != 0) {
        if (take_number(teller, "jobs", copies)) continue;
        if (take(teller, "badshape")) {
            is_bad = true;
        } else if (!read_item_word(teller, &item) && !read_shape_word(teller, &shape)) {
            wrong(teller, "what of the job is this");
        }
    }
    assert_true(shape_encode(&bytes, &shape));
    item.shape.at = fl_arena_copy(&teller->arena, bytes.at, bytes.len);
    item.shape.len = bytes.len - is_bad;
    fl_buf_fini(&bytes);
    return item;
}

static void submit(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_submit};
    struct {
        struct core_submit_item *at;
        size_t len, cap;
    } items = {0};
    const char *text;

    while ((text = take_value(teller, "key"))) {
        event.key = str(text);
    }
    do {
        uint64_t copies = 1;
        struct core_submit_item item = read_item(teller, &copies);

        for (uint64_t i = 0; i < copies; i++) {
            fl_arena_push(&teller->arena, &items, item);
        }
    } while (take(teller, "|"));
    event.submit.at = items.at;
    event.submit.len = items.len;
    ask(teller, &event);
}

static void job_request(struct teller *teller, enum core_event_kind kind)
{
    struct core_event event = {.kind = kind, .job.job = {strtoull(next(teller), NULL, 10)}};
    const char *text;
    uint64_t n;

    if ((text = take_value(teller, "key"))) event.key = str(text);
    if (take_number(teller, "tenant", &n)) event.tenant.n = (uint32_t)n;
    (void)take_u32(teller, "from", &event.job.element_from);
    ask(teller, &event);
}

static void list(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_list_jobs, .list_jobs.before = 0};
    uint64_t n;

    for (;;) {
        if (take_number(teller, "before", &event.list_jobs.before)) continue;
        if (take_number(teller, "max", &n)) {
            event.list_jobs.len_max = n;
            continue;
        }
        if (!peek(teller)) break;
        event.list_jobs.queue = str(next(teller));
    }
    ask(teller, &event);
}

static void queue(struct teller *teller)
{
    struct fl_str name = str(next(teller));
    struct core_event event = {.kind = CORE_EV_queue_put, .queue_put.name = name};

    event.queue_put.is_change = take(teller, "known");
    event.queue_put.is_paused = take(teller, "paused");
    event.queue_put.keeps_paused = take(teller, "keeps");
    if (take(teller, "removed")) {
        event = (struct core_event){.kind = CORE_EV_queue_remove, .queue_remove.name = name};
    }
    ask(teller, &event);
}

static void cluster(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_cluster_put, .cluster_put.name = str(next(teller))};
    const char *uid = take_value(teller, "uid");

    event.cluster_put.uid = str(uid ? uid : "uid");
    ask(teller, &event);
}

static void cordon(struct teller *teller, bool is_on)
{
    struct core_event event = {.kind = CORE_EV_cluster_cordon};

    find_cluster(teller, next(teller), &event.cluster_cordon.cluster.n);
    event.cluster_cordon.is_on = is_on;
    if (peek(teller)) event.cluster_cordon.why = str(next(teller));
    ask(teller, &event);
}

static void of_cluster(struct teller *teller, enum core_event_kind kind)
{
    struct core_event event = {.kind = kind};

    find_cluster(teller, next(teller), &event.cluster_forget.cluster.n);
    ask(teller, &event);
}

static void drain(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_cluster_drain};

    find_cluster(teller, next(teller), &event.cluster_drain.cluster.n);
    event.cluster_drain.is_stop = take(teller, "stop");
    if (peek(teller)) event.cluster_drain.why = str(next(teller));
    ask(teller, &event);
}

/* A letter stands for a whole digest. */
static bool take_digest(struct teller *teller, const char *key, struct fl_digest *ret)
{
    const char *text = take_value(teller, key);

    if (text) memset(ret->at, text[0], sizeof ret->at);
    return text != NULL;
}

static fl_ms take_ttl(struct teller *teller, fl_ms otherwise)
{
    const char *text = take_value(teller, "ttl");

    if (text && !is_time(text, &otherwise)) wrong(teller, "no time");
    return otherwise;
}

static void join(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_join_put, .join_put.name = str(next(teller))};

    if (!take_digest(teller, "token", &event.join_put.token)) wrong(teller, "which token");
    event.join_put.ttl_ms = take_ttl(teller, FL_HOUR_MS);
    ask(teller, &event);
}

static void unjoin(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_join_revoke};

    if (!take_digest(teller, "token", &event.join_revoke.token)) wrong(teller, "which token");
    ask(teller, &event);
}

static void enrol(struct teller *teller)
{
    struct core_event event = {
        .kind = CORE_EV_enrol,
        .enrol = {.uid = FL_STR("uid"), .uuid = FL_STR("0e984725-c51c-4bf4-9960-e1c80e27aba0")}};
    const char *text;

    if (!take_digest(teller, "token", &event.enrol.token)) wrong(teller, "which token");
    if (!take_digest(teller, "key", &event.enrol.key)) wrong(teller, "which key");
    if ((text = take_value(teller, "uid"))) event.enrol.uid = str(text);
    if ((text = take_value(teller, "uuid"))) event.enrol.uuid = str(text);
    ask(teller, &event);
}

static void renew(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_renew};

    find_cluster(teller, next(teller), &event.renew.cluster.n);
    if (!take_number(teller, "generation", &event.renew.generation)) wrong(teller, "which one");
    if (!take_digest(teller, "key", &event.renew.key)) wrong(teller, "which key");
    ask(teller, &event);
}

static void token(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_token_put,
                               .token_put = {.id = str(next(teller)), .scopes = CORE_SCOPE_read}};
    const char *text;
    uint32_t n;
    fl_ms ttl;

    memset(event.token_put.mac.at, 'm', sizeof event.token_put.mac.at);
    if ((text = take_value(teller, "name"))) event.token_put.name = str(text);
    if ((text = take_value(teller, "queue"))) event.token_put.queue = str(text);
    if (take_u32(teller, "scopes", &n)) event.token_put.scopes = (uint8_t)n;
    ttl = take_ttl(teller, 0);
    event.token_put.ttl_ms = ttl;
    ask(teller, &event);
}

static void untoken(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_token_revoke, .token_revoke.id = str(next(teller))};

    ask(teller, &event);
}

static void page(struct teller *teller, enum core_event_kind kind)
{
    struct core_event event = {.kind = kind};
    uint64_t n = 0;

    (void)take_u32(teller, "from", &event.list.from);
    if (take_number(teller, "max", &n)) event.list.len_max = n;
    ask(teller, &event);
}

static void nodes(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_list_nodes};

    find_cluster(teller, next(teller), &event.list_nodes.cluster.n);
    ask(teller, &event);
}

/* ---- agents ---------------------------------------------------------------------------------- */

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

/* "7/0#2@1 r0 exited 3"; several replicas: r0-3; the whole attempt: all */
static void read_report(struct teller *teller, struct core_inventory_item *ret, uint32_t *ret_last)
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
}

static void agent_hello(struct teller *teller, struct teller_cluster *cluster, uint32_t id)
{
    struct core_event event = {.kind = CORE_EV_session_open, .session_open.cluster = {id}};

    for (;;) {
        if (take(teller, "images")) {
            event.session_open.has_images = true;
        } else if (take(teller, "resync")) {
            event.session_open.is_resync = true;
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
        struct core_inventory_item *at;
        size_t len, cap;
    } items = {0};

    (void)take_number(teller, "session", &event.inventory.session_epoch);
    while (peek(teller)) {
        struct core_inventory_item item;
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

        if (take(teller, ",")) continue;
        if (take_number(teller, "mark", &event.nodes.mark)) continue;
        if (take_number(teller, "seq", &event.nodes.report_seq)) continue;
        if (take_number(teller, "session", &event.nodes.session_epoch)) continue;
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
            } else {
                break;
            }
        }
        node.free = node.total;
        if (has_free) node.free.cpu_milli = free.cpu_milli;
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
        struct core_inventory_item item;
        uint32_t last;

        if (take(teller, ",")) continue;
        read_report(teller, &item, &last);
        for (;; item.replica++) {
            event.replica.report_seq = seq ? seq : ++cluster->report_seq;
            event.replica.attempt = item.attempt;
            event.replica.replica = item.replica;
            event.replica.state = item.state;
            event.replica.exit_code = item.exit_code;
            event.replica.cause = item.cause;
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

/* ---- the story itself ------------------------------------------------------------------------ */

static void configure(struct teller *teller)
{
    struct core_config *config = &teller->config;

    while (peek(teller)) {
        if (take_u32(teller, "jobs_max", &config->jobs_max)) continue;
        if (take_u32(teller, "elements_max", &config->elements_max)) continue;
        if (take_u32(teller, "queues_max", &config->queues_max)) continue;
        if (take_u32(teller, "clusters_max", &config->clusters_max)) continue;
        if (take_u32(teller, "shapes_max", &config->shapes_max)) continue;
        if (take_u32(teller, "queue_kinds_max", &config->queue_kinds_max)) continue;
        if (take_u32(teller, "nodes_max", &config->nodes_max)) continue;
        if (take_u32(teller, "unconfirmed_max", &config->unconfirmed_max)) continue;
        if (take_u32(teller, "starts_max", &config->round_starts_max)) continue;
        if (take_u32(teller, "start_ms", &config->start_ms)) continue;
        if (take_u32(teller, "stop_ms", &config->stop_ms)) continue;
        if (take_u32(teller, "inventory_ms", &config->inventory_ms)) continue;
        if (take_u32(teller, "slice_max", &config->slice_max)) {
            teller->is_in_slices = true;
            continue;
        }
        wrong(teller, "no such limit");
    }
}

static void reload(struct teller *teller)
{
    struct core *fresh = loaded(teller);

    (void)take_u32(teller, "incarnation", &teller->incarnation);
    core_destroy(teller->core);
    teller->core = fresh;
    begin(teller);
}

/* The takeover found a loss: "lost ids=41 jobs=30 unsure=4 batches=7". */
static void lose(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_history, .actor = FL_STR("fairleadd")};

    event.history.is_lost = event.history.is_raised = true;
    event.history.incarnation = teller->incarnation;
    while (take_number(teller, "ids", &event.history.job_from) ||
           take_number(teller, "jobs", &event.history.jobs) ||
           take_number(teller, "unsure", &event.history.jobs_unsure) ||
           take_number(teller, "batches", &event.history.batches)) {
    }
    step(teller, &event);
}

static void accept_restore(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_accept_restore};

    ask(teller, &event);
}

static void room(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_room,
                               .room.job_below = strtoull(next(teller), NULL, 10)};

    step(teller, &event);
}

static void database(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_db_back};

    if (take(teller, "away")) {
        event.kind = CORE_EV_db_away;
    } else if (!take(teller, "back")) {
        wrong(teller, "away or back");
    }
    step(teller, &event);
}

static void tick(struct teller *teller)
{
    fl_ms by = 0;

    if (peek(teller) && !is_time(next(teller), &by)) wrong(teller, "no time");
    pass_time(teller, teller->now + by);
}

static void play(struct teller *teller)
{
    const char *verb = next(teller);

    if (!teller->core) {
        if (strcmp(verb, "config") == 0) {
            configure(teller);
            return;
        }
        teller->core = core_create(&teller->config);
        begin(teller);
    }
    if (strcmp(verb, "submit") == 0) {
        submit(teller);
    } else if (strcmp(verb, "cancel") == 0) {
        job_request(teller, CORE_EV_cancel);
    } else if (strcmp(verb, "hold") == 0) {
        job_request(teller, CORE_EV_hold);
    } else if (strcmp(verb, "release") == 0) {
        job_request(teller, CORE_EV_release);
    } else if (strcmp(verb, "read") == 0) {
        job_request(teller, CORE_EV_read_job);
    } else if (strcmp(verb, "explain") == 0) {
        job_request(teller, CORE_EV_explain);
    } else if (strcmp(verb, "list") == 0) {
        list(teller);
    } else if (strcmp(verb, "queue") == 0) {
        queue(teller);
    } else if (strcmp(verb, "cluster") == 0) {
        cluster(teller);
    } else if (strcmp(verb, "cordon") == 0) {
        cordon(teller, true);
    } else if (strcmp(verb, "uncordon") == 0) {
        cordon(teller, false);
    } else if (strcmp(verb, "forget") == 0) {
        of_cluster(teller, CORE_EV_cluster_forget);
    } else if (strcmp(verb, "revoke") == 0) {
        of_cluster(teller, CORE_EV_cluster_revoke);
    } else if (strcmp(verb, "unlock") == 0) {
        of_cluster(teller, CORE_EV_cluster_unlock);
    } else if (strcmp(verb, "drain") == 0) {
        drain(teller);
    } else if (strcmp(verb, "join") == 0) {
        join(teller);
    } else if (strcmp(verb, "unjoin") == 0) {
        unjoin(teller);
    } else if (strcmp(verb, "enrol") == 0) {
        enrol(teller);
    } else if (strcmp(verb, "renew") == 0) {
        renew(teller);
    } else if (strcmp(verb, "token") == 0) {
        token(teller);
    } else if (strcmp(verb, "untoken") == 0) {
        untoken(teller);
    } else if (strcmp(verb, "clusters") == 0) {
        page(teller, CORE_EV_list_clusters);
    } else if (strcmp(verb, "queues") == 0) {
        page(teller, CORE_EV_list_queues);
    } else if (strcmp(verb, "nodes") == 0) {
        nodes(teller);
    } else if (strcmp(verb, "agent") == 0) {
        agent(teller);
    } else if (strcmp(verb, "tick") == 0) {
        tick(teller);
    } else if (strcmp(verb, "db") == 0) {
        database(teller);
    } else if (strcmp(verb, "lost") == 0) {
        lose(teller);
    } else if (strcmp(verb, "accept-restore") == 0) {
        accept_restore(teller);
    } else if (strcmp(verb, "room") == 0) {
        room(teller);
    } else if (strcmp(verb, "next") == 0) {
        ; /* a batch in which nothing happens */
    } else if (strcmp(verb, "reload") == 0) {
        reload(teller);
    } else {
        teller->word--;
        wrong(teller, "no such verb");
    }
    if (peek(teller)) wrong(teller, "too many words");
}

static void play_line(struct teller *teller, const char *line)
{
    char *copy = fl_arena_copy(&teller->arena, line, strlen(line)), *save = NULL;
    fl_ms at;
    bool goes_on = false;

    tell(teller, "%s\n", line);
    teller->words_len = teller->word = 0;
    for (char *at_word = strtok_r(copy, " ", &save); at_word;
         at_word = strtok_r(NULL, " ", &save)) {
        size_t len = strlen(at_word);
        bool has_comma = len > 1 && at_word[len - 1] == ',';

        assert_true(teller->words_len + 2 < WORDS_MAX);
        if (has_comma) at_word[len - 1] = '\0';
        teller->words[teller->words_len++] = at_word;
        if (has_comma) teller->words[teller->words_len++] = ",";
    }
    if (teller->words_len > 0 && strcmp(teller->words[teller->words_len - 1], "&") == 0) {
        goes_on = true;
        teller->words_len--;
    }
    teller->is_quiet = take(teller, ".");
    if (peek(teller) && is_time(peek(teller), &at)) {
        if (at < teller->now) wrong(teller, "time does not go back");
        teller->now = at;
        teller->word++;
    }
    play(teller);
    if (!goes_on && teller->core) close_batch(teller);
    fl_arena_reset(&teller->arena);
}

/* The story with what the core makes of it; 'lines' may hold an older telling, which is left out.
 * *ret_hash is over all rows; the caller frees the text. */
static char *story_tell(const char *lines, uint64_t *ret_hash)
{
    struct teller teller = {.config = core_config_default(), .now = 1000, .incarnation = 1};
    struct core *again;

    teller.out = fl_alloc(TEXT_MAX);
    teller.out[0] = '\0';
    while (*lines) {
        const char *end = strchr(lines, '\n');
        size_t len = end ? (size_t)(end - lines) : strlen(lines);
        char line[LINE_MAX_BYTES];

        assert_true(len < sizeof line);
        memcpy(line, lines, len);
        line[len] = '\0';
        lines += len + (end ? 1 : 0);
        if (line[0] == ' ') continue;
        if (line[0] == '#' || line[0] == '\0' || line[0] == '-') {
            tell(&teller, "%s\n", line);
        } else {
            play_line(&teller, line);
        }
    }
    assert_non_null(teller.core);
    again = loaded(&teller);
    *ret_hash = teller.fold.hash;
    core_destroy(again);
    core_destroy(teller.core);
    core_fold_fini(&teller.fold);
    fl_arena_fini(&teller.arena);
    return teller.out;
}
