/* core_drive.h - any bytes as a history of the core: events sensible and absurd, batches, reloads.
 *
 *   core_drive(data, size, &counts)
 *
 * Each byte or few are one event.  The small world behind it has three clusters whose agents
 * remember their commands (so that reports and inventories are mostly about something), but lies,
 * old sessions, huge numbers and wrong clusters come up as often.  Asserted for any bytes:
 *   - after every step the core is whole (core_check), and each request is answered exactly once;
 *   - the schema would take each row (core_fold);
 *   - each command carries the newest session and the next control_seq, START goes only into a
 *     reconciled session, and never twice for one attempt in one session;
 *   - a core loaded from the rows, in the middle and at the end, has the same hash and is whole.
 * All of it is in headers, for unit tests and fuzz targets alike. */
#pragma once

#include "tests/fuzz/core_drive_batch.h"

/* ---- events ---------------------------------------------------------------------------------- */

static const char *const drive_queues[] = {"ml", "dev", "nowhere", "x y"};
static const char *const drive_owners[] = {"ann", "bob", ""};
static const char *const drive_clusters[] = {"east", "west", "north", "South"};

static struct fl_str drive_shape(struct drive *drive)
{
    struct fl_str bytes = drive->shapes[drive_below(drive, DRIVE_SHAPES)];

    if (drive_below(drive, 16) == 1) bytes.len -= drive_below(drive, 8) % bytes.len;
    return bytes;
}

/* One or two jobs or lines to run after, or nonsense. */
static void drive_after(struct drive *drive, struct core_submit_item *item,
                        struct core_dependency after[2])
{
    item->after = after;
    item->after_len = 1 + drive_below(drive, 2);
    for (size_t i = 0; i < item->after_len; i++) {
        uint8_t byte = drive_byte(drive);

        after[i] = (struct core_dependency){
            .after.on = (enum fl_dependency_on)(FL_ON_success + drive_below(drive, 4))};
        if (byte & 128) {
            after[i].after.line = 1 + byte % 4;
        } else {
            after[i].after.job.n = 1 + byte % 32;
        }
        if (byte % 16 == 7) after[i].ended = JOB_succeeded + byte / 64;
    }
}

static void drive_submit(struct drive *drive)
{
    struct core_submit_item items[3];
    struct core_dependency after[3][2];
    struct core_event event = {.kind = CORE_EV_submit, .submit.at = items};
    uint32_t drawn = drive_below(drive, 12);

    event.submit.len = drawn % 4; /* none is a nonsense that must be answered */
    event.owner = fl_str_c(drive_owners[drawn / 4]);
    for (size_t i = 0; i < event.submit.len; i++) {
        uint8_t flags = drive_byte(drive);

        items[i] = (struct core_submit_item){
            .queue = fl_str_c(drive_queues[flags % 8 ? 0 : drive_below(drive, 4)]),
            .shape = drive_shape(drive),
            .elements = flags & 16 ? 1 : drive_below(drive, 5),
            .deadline_s = (flags & 6) == 6 ? 30 : 0,
            .retries_max = flags & 3,
            .is_held = (flags & 96) == 96,
            .priority = flags & 128 ? (int32_t)drive_u32(drive) : 0,
            .spec = FL_STR("spec"),
            .retry_of.n = flags & 32 ? drive_u32(drive) : 0};
        if (flags % 16 == 15) { /* elements 3, 5 and 6, or one, or nonsense */
            items[i].picked = (struct fl_str){"\3\0\0\1", flags & 16 ? 2 : 4};
            if (flags & 32) items[i].elements = flags & 16 ? 1 : 3;
        }
        if (flags % 32 == 13) drive_after(drive, &items[i], after[i]);
        if (flags % 32 == 9) items[i].parallelism = drive_below(drive, 4);
        items[i].is_singleton = flags % 32 == 11;
        if (items[i].is_singleton) items[i].name = fl_str_c(drive_queues[drive_below(drive, 4)]);
    }
    drive_ask(drive, &event);
}

static void drive_job(struct drive *drive, enum core_event_kind kind)
{
    struct core_event event = {.kind = kind, .job.job = {drive_byte(drive) % 32}};

    drive_ask(drive, &event);
}

static void drive_edit(struct drive *drive)
{
    struct core_event event = {.kind = CORE_EV_edit, .edit.job = {drive_byte(drive) % 32}};
    uint8_t sets = drive_byte(drive), flags = drive_byte(drive);

    event.edit.sets_queue = sets & 1;
    event.edit.queue = fl_str_c(drive_queues[sets >> 6]);
    event.edit.sets_priority = sets & 2;
    event.edit.priority = flags - 128;
    event.edit.sets_deadline = sets & 4;
    event.edit.deadline_s = flags & 128 ? drive_u32(drive) : flags;
    event.edit.sets_held = sets & 8;
    event.edit.sets_parallelism = (sets & 12) == 12;
    event.edit.parallelism = flags % 4;
    event.edit.is_held = flags & 1;
    event.edit.sets_words = sets & 16;
    event.edit.name = sets & 16 ? FL_STR("renamed") : FL_STR("");
    event.edit.revision = sets & 32 ? drive_byte(drive) : 0;
    drive_ask(drive, &event);
}

static void drive_list(struct drive *drive)
{
    struct core_event event = {.kind = CORE_EV_list_jobs};

    event.list_jobs.before = drive_u32(drive);
    event.list_jobs.len_max = drive_u32(drive);
    if (drive_below(drive, 2)) {
        event.list_jobs.queue = fl_str_c(drive_queues[drive_below(drive, 4)]);
    }
    drive_ask(drive, &event);
}

static void drive_admin(struct drive *drive)
{
    struct core_event event = {0};
    uint8_t what = drive_byte(drive);

    switch (what % 8) {
    case 0:
    case 1:
    case 2:
        event.kind = CORE_EV_queue_put;
        event.queue_put.name = fl_str_c(drive_queues[drive_below(drive, 4)]);
        event.queue_put.is_paused = what & 64;
        if (what & 128) {
            struct fl_str name = event.queue_put.name;

            event.kind = CORE_EV_queue_remove;
            event.queue_remove.name = name;
        }
        break;
    case 3:
    case 4:
        event.kind = CORE_EV_cluster_put;
        event.cluster_put.name = fl_str_c(drive_clusters[drive_below(drive, 4)]);
        event.cluster_put.uid = what & 128 ? FL_STR("") : FL_STR("uid");
        break;
    case 5:
    case 6:
        event.kind = CORE_EV_cluster_cordon;
        event.cluster_cordon.cluster.n = drive_u32(drive);
        event.cluster_cordon.is_on = what & 64;
        event.cluster_cordon.why = what & 128 ? FL_STR("why") : FL_STR("");
        break;
    default:
        event.kind = CORE_EV_cluster_forget;
        event.cluster_forget.cluster.n = drive_u32(drive);
        break;
    }
    drive_ask(drive, &event);
}

/* Tokens and keys are few, so that they meet again. */
static void drive_access(struct drive *drive)
{
    static const char *const tokens[] = {"t1", "t2", ""};
    struct core_event event = {.kind = CORE_EV_join_put};
    uint8_t what = drive_byte(drive), which = drive_byte(drive) % 4;

    switch (what % 12) {
    case 0:
    case 1:
        event.join_put.name = fl_str_c(drive_clusters[drive_below(drive, 4)]);
        event.join_put.token.at[0] = which;
        event.join_put.ttl_ms = (fl_ms)drive_byte(drive) * 400000 - 1000;
        break;
    case 2:
        event.kind = CORE_EV_join_revoke;
        event.join_revoke.token.at[0] = which;
        break;
    case 3:
    case 4:
        event.kind = CORE_EV_enrol;
        event.enrol.token.at[0] = which;
        event.enrol.key.at[0] = drive_byte(drive) % 4;
        event.enrol.uid = what & 128 ? FL_STR("uid") : FL_STR("other");
        event.enrol.uuid = what & 64 ? FL_STR("0e984725-c51c-4bf4-9960-e1c80e27aba0") : FL_STR("");
        break;
    case 5:
    case 6:
        event.kind = CORE_EV_renew;
        event.renew.cluster.n = drive_below(drive, DRIVE_CLUSTERS + 2);
        event.renew.generation = drive_byte(drive) % 8;
        event.renew.key.at[0] = which;
        break;
    case 7:
        event.kind = what & 64 ? CORE_EV_cluster_revoke : CORE_EV_cluster_unlock;
        event.cluster_forget.cluster.n = drive_below(drive, DRIVE_CLUSTERS + 2);
        break;
    case 8:
        event.kind = CORE_EV_cluster_drain;
        event.cluster_drain.cluster.n = drive_below(drive, DRIVE_CLUSTERS + 2);
        event.cluster_drain.is_stop = what & 64;
        break;
    case 9:
        event.kind = CORE_EV_token_put;
        event.token_put.id = fl_str_c(tokens[drive_below(drive, 3)]);
        event.token_put.scopes = which;
        event.token_put.ttl_ms = what & 64 ? (fl_ms)which * 1000 : 0;
        break;
    case 10:
        event.kind = what & 64 ? CORE_EV_token_rotate : CORE_EV_token_revoke;
        if (what & 64) {
            event.token_rotate.id = fl_str_c(tokens[drive_below(drive, 3)]);
            event.token_rotate.by = fl_str_c(tokens[drive_below(drive, 3)]);
            event.token_rotate.shown.at[0] = which;
            event.token_rotate.mac.at[0] = drive_byte(drive) % 4;
            event.token_rotate.grace_ms = (fl_ms)drive_byte(drive) * 100;
            event.token_rotate.has_ttl = what & 128;
            if (what & 128) event.token_rotate.ttl_ms = (fl_ms)which * 1000;
        } else {
            event.token_revoke.id = fl_str_c(tokens[drive_below(drive, 3)]);
        }
        break;
    default:
        event.kind = what & 64    ? CORE_EV_list_clusters
                     : what & 128 ? CORE_EV_list_queues
                                  : CORE_EV_list_nodes;
        if (event.kind == CORE_EV_list_nodes) {
            event.list_nodes.cluster.n = which;
        } else {
            event.list.from = which;
        }
        break;
    }
    drive_ask(drive, &event);
}

/* An agent of the world; the nonsense of ids beyond it comes with drive_u32. */
static uint32_t drive_cluster(struct drive *drive)
{
    return 1 + drive_below(drive, DRIVE_CLUSTERS);
}

static uint64_t drive_session(struct drive *drive, const struct drive_agent *agent)
{
    uint8_t byte = drive_byte(drive);

    return byte < 250 ? agent->session : agent->session + byte - 252;
}

static void drive_lost(struct drive *drive)
{
    uint32_t cluster = drive_cluster(drive);
    struct drive_agent *agent = &drive->agents[cluster];
    struct core_event event = {.kind = CORE_EV_session_lost, .session_lost.cluster = {cluster}};

    event.session_lost.session_epoch = drive_session(drive, agent);
    if (drive_below(drive, 4) == 1) {
        event.session_lost.session_epoch = 0;
        event.session_lost.connection = agent->connection + drive_below(drive, 2);
    }
    drive_step(drive, &event);
}

static struct fl_attempt drive_attempt(struct drive *drive, struct drive_agent *agent,
                                       struct drive_known **ret_known)
{
    uint8_t byte = drive_byte(drive);

    *ret_known = NULL;
    if (agent->known_len > 0 && byte < 224) {
        *ret_known = &agent->known[agent->known_len - 1 - byte % agent->known_len];
        return (*ret_known)->attempt;
    }
    return (struct fl_attempt){.job = {drive_u32(drive)},
                               .element = drive_u32(drive),
                               .n = (uint16_t)drive_u32(drive),
                               .incarnation = drive_u32(drive)};
}

/* Mostly a step ahead, as replicas do. */
static enum fl_replica_state drive_state(struct drive *drive, struct drive_known *known,
                                         uint32_t replica)
{
    uint8_t byte = drive_byte(drive);
    uint8_t *state = known && replica < 4 ? &known->states[replica] : NULL;

    if (!state || byte < 32) return (enum fl_replica_state)(byte % FL_REPLICA_STATES_LEN);
    if (*state < FL_REPLICA_running) {
        *state = (uint8_t)(*state + 1 + (byte & 1));
    } else if (*state == FL_REPLICA_running) {
        *state = (uint8_t)(FL_REPLICA_exited + (byte % 16 < 2 ? byte % 16 : 0));
    }
    return (enum fl_replica_state) * state;
}

static void drive_report(struct drive *drive)
{
    uint32_t cluster = drive_cluster(drive);
    struct drive_agent *agent = &drive->agents[cluster];
    struct core_event event = {.kind = CORE_EV_replica, .replica.cluster = {cluster}};
    struct drive_known *known;
    uint8_t flags = drive_byte(drive);

    event.replica.session_epoch = drive_session(drive, agent);
    event.replica.report_seq = flags < 240 ? ++agent->report_seq : drive_u32(drive);
    event.replica.told.attempt = drive_attempt(drive, agent, &known);
    event.replica.told.replica = known && flags < 200
                                     ? flags % (known->replicas_len ? known->replicas_len : 1)
                                     : drive_u32(drive);
    event.replica.told.state = drive_state(drive, known, event.replica.told.replica);
    event.replica.told.exit_code = flags & 64 ? 0 : flags & 3;
    if (event.replica.report_seq > agent->report_seq) agent->report_seq = event.replica.report_seq;
    drive_step(drive, &event);
    if (!known || flags < 64) return;
    for (uint32_t i = 0; i < known->replicas_len; i++) { /* and the rest of its gang follows */
        event.replica.report_seq = ++agent->report_seq;
        event.replica.told.replica = i;
        event.replica.told.state = drive_state(drive, known, i);
        drive_step(drive, &event);
        if (agent->known_len == 0) return;
    }
}

/* The agent's knowledge and replicas, with lies now and then. */
static void drive_inventory(struct drive *drive, uint32_t cluster)
{
    struct drive_agent *agent = &drive->agents[cluster];
    struct core_replica_told items[DRIVE_KNOWN_MAX * 4];
    struct core_event event = {.kind = CORE_EV_inventory,
                               .inventory = {.cluster = {cluster}, .at = items, .is_end = true}};
    uint8_t flags = drive_byte(drive);
    uint64_t digest = 0;

    event.inventory.session_epoch = drive_session(drive, agent);
    for (size_t i = 0; i < agent->known_len; i++) {
        struct drive_known *known = &agent->known[i];

        for (uint32_t r = 0; r < known->replicas_len && r < 4; r++) {
            struct core_replica_told *item = &items[event.inventory.len];

            if (drive_below(drive, 8) == 1) continue; /* it is not there any more */
            *item = (struct core_replica_told){.attempt = known->attempt,
                                               .replica = r,
                                               .state = drive_state(drive, known, r),
                                               .exit_code = flags & 3};
            digest = fl_inventory_digest(digest, item->attempt, item->replica, item->state,
                                         item->exit_code);
            event.inventory.len++;
        }
    }
    event.inventory.count = (uint32_t)event.inventory.len;
    event.inventory.digest = digest;
    if (flags >= 248) event.inventory.digest++;
    if ((flags & 120) == 8) event.inventory.is_end = false;
    if (agent->is_up && event.inventory.session_epoch == agent->session && event.inventory.is_end &&
        flags < 248) {
        agent->is_reconciled =
            true; /* or refused, if an earlier part is counted: then nothing starts */
    }
    drive_step(drive, &event);
}

static void drive_nodes(struct drive *drive, uint32_t cluster)
{
    static const char *const names[] = {"n1", "n2", "n3", ""};
    struct drive_agent *agent = &drive->agents[cluster];
    struct core_node_report nodes[3];
    struct core_event event = {.kind = CORE_EV_nodes, .nodes = {.cluster = {cluster}, .at = nodes}};
    uint8_t flags = drive_byte(drive);

    event.nodes.session_epoch = drive_session(drive, agent);
    event.nodes.report_seq = flags < 240 ? ++agent->report_seq : drive_u32(drive);
    if (event.nodes.report_seq > agent->report_seq) agent->report_seq = event.nodes.report_seq;
    event.nodes.mark = flags & 8 ? agent->control_seq : drive_u32(drive);
    event.nodes.len = flags % 4;
    event.nodes.is_end = (flags & 48) == 48;
    event.nodes.is_whole = flags & 64;
    for (size_t i = 0; i < event.nodes.len; i++) {
        uint8_t byte = drive_byte(drive);

        nodes[i] = (struct core_node_report){
            .number = byte < 250 ? byte % 4 : drive_u32(drive),
            .is_ready = (byte & 15) != 15,
            .name = fl_str_c(names[byte % 16 ? byte % 3 : 3]),
            .labels = byte & 64 ? FL_STR("disk=ssd\n") : FL_STR(""),
            .taints = (byte & 12) == 12 ? FL_STR("a=b:NoSchedule\n") : FL_STR(""),
            .total = {1u << 30, (byte & 32) ? 8000 : 2000, 2}};
        if (!nodes[i].is_ready && byte & 16) nodes[i].total = (struct fl_resources){0}; /* gone */
        nodes[i].free = nodes[i].total;
        if (byte & 128) nodes[i].free.cpu_milli = drive_byte(drive) * 100u;
    }
    drive_step(drive, &event);
}

static void drive_hello(struct drive *drive)
{
    struct core_event event = {.kind = CORE_EV_session_open};
    uint8_t flags = drive_byte(drive);
    uint32_t cluster = flags < 250 ? drive_cluster(drive) : drive_u32(drive);

    event.session_open.cluster.n = cluster;
    event.session_open.connection = ++drive->connections;
    event.session_open.is_resync = flags & 1;
    event.session_open.has_images = flags & 2;
    event.session_open.ends_nodes = flags & 32;
    if ((flags & 28) == 28) event.session_open.seen.incarnation = drive_u32(drive) % 4;
    if ((flags & 96) == 96) event.session_open.seen.batch = drive_byte(drive);
    if ((flags & 144) == 144) event.session_open.generation = drive_byte(drive) % 8;
    drive_step(drive, &event);
    if (flags % 8 == 7 || cluster > DRIVE_CLUSTERS) return;
    if (drive->batch) drive_commit(drive);
    drive_inventory(drive, cluster);
    drive_nodes(drive, cluster);
}

static void drive_tick(struct drive *drive)
{
    struct core_event event = {.kind = CORE_EV_tick};
    fl_ms due = core_deadline(drive->core);
    uint8_t byte = drive_byte(drive);

    if (byte & 1 && due != INT64_MAX && due > drive->now) {
        drive->now = due;
    } else {
        drive->now += (fl_ms)byte * byte * 10;
    }
    drive_step(drive, &event);
    fl_assert(core_deadline(drive->core) > drive->now);
}

static void drive_event(struct drive *drive)
{
    struct core_event event = {0};

    switch (drive_below(drive, 32)) {
    case 0:
    case 1:
    case 2:
    case 3:
        drive_submit(drive);
        break;
    case 4:
    case 5:
        drive_job(drive, CORE_EV_cancel);
        break;
    case 6:
        drive_job(drive, CORE_EV_hold);
        break;
    case 7:
        drive_job(drive, CORE_EV_release);
        break;
    case 8:
        drive_job(drive, CORE_EV_read_job);
        break;
    case 9:
        drive_job(drive, CORE_EV_explain);
        break;
    case 10:
        if (drive_below(drive, 2)) {
            drive_list(drive);
        } else {
            drive_edit(drive);
        }
        break;
    case 11:
        drive_admin(drive);
        break;
    case 12:
        drive_hello(drive);
        break;
    case 13:
        drive_access(drive);
        break;
    case 14:
        if (drive_below(drive, 4) == 1) drive_lost(drive);
        break;
    case 15:
    case 16:
    case 17:
        drive_inventory(drive, drive_cluster(drive));
        break;
    case 18:
    case 19:
    case 20:
        drive_nodes(drive, drive_cluster(drive));
        break;
    case 21:
    case 22:
    case 23:
        drive_tick(drive);
        break;
    case 24:
        event.kind = drive_below(drive, 3) == 1 ? CORE_EV_db_away : CORE_EV_db_back;
        drive_step(drive, &event);
        break;
    case 25:
        if (drive_below(drive, 4) == 1) drive_reload(drive);
        break;
    default:
        drive_report(drive);
        break;
    }
}

/* ---- the world ------------------------------------------------------------------------------- */

static struct fl_str drive_encode(struct drive *drive, const struct shape *shape)
{
    struct fl_buf bytes;
    struct fl_str kept;

    fl_buf_init(&bytes, FL_JOB_SHAPE_BYTES_MAX);
    fl_assert(shape_encode(&bytes, shape));
    kept = (struct fl_str){fl_arena_copy(&drive->arena, bytes.at, bytes.len), bytes.len};
    fl_buf_fini(&bytes);
    return kept;
}

static void drive_make_shapes(struct drive *drive)
{
    struct shape shape = {.roles_len = 1, .roles = {{1, 1, {1 << 20, 1000, 0}}}};

    drive->shapes[0] = drive_encode(drive, &shape);
    shape.roles[0].each.cpu_milli = 500;
    drive->shapes[1] = drive_encode(drive, &shape);
    shape = (struct shape){.roles_len = 1, .roles = {{3, 3, {0, 1000, 0}}}};
    drive->shapes[2] = drive_encode(drive, &shape);
    shape = (struct shape){.roles_len = 2, .roles = {{1, 1, {0, 2000, 0}}, {2, 2, {0, 1000, 1}}}};
    drive->shapes[3] = drive_encode(drive, &shape);
    shape = (struct shape){.roles_len = 1,
                           .roles = {{2, 2, {0, 500, 0}}},
                           .node_labels = {{FL_STR("disk"), FL_STR("ssd")}},
                           .node_labels_len = 1,
                           .clusters = {FL_STR("east"), FL_STR("west")},
                           .clusters_len = 2,
                           .affinity = FL_STR("!slow\ncores>4\n"),
                           .tolerations = FL_STR("a\n"),
                           .has_image = true};
    drive->shapes[4] = drive_encode(drive, &shape);
    shape = (struct shape){.roles_len = 1, .roles = {{1, 0, {0, 9000, 0}}}};
    drive->shapes[5] = drive_encode(drive, &shape);
}

/* The setup: a queue, and clusters with their agents, so that short inputs start something too. */
static void drive_set_up(struct drive *drive)
{
    struct core_event event = {.kind = CORE_EV_queue_put, .tenant = {1}, .now = drive->now};

    event.queue_put.name = fl_str_c(drive_queues[0]);
    core_step(drive->core, &event, drive_open(drive));
    for (uint32_t i = 1; i < DRIVE_CLUSTERS; i++) {
        struct core_node_report node = {.number = 1,
                                        .is_ready = true,
                                        .name = FL_STR("n1"),
                                        .total = {1u << 30, 4000, 2},
                                        .free = {1u << 30, 4000, 2}};

        event = (struct core_event){.kind = CORE_EV_cluster_put, .tenant = {1}, .now = drive->now};
        event.cluster_put.name = fl_str_c(drive_clusters[i - 1]);
        event.cluster_put.uid = FL_STR("uid");
        core_step(drive->core, &event, drive_open(drive));
        event = (struct core_event){.kind = CORE_EV_session_open, .now = drive->now};
        event.session_open.cluster.n = i;
        event.session_open.connection = ++drive->connections;
        core_step(drive->core, &event, drive_open(drive));
        drive_commit(drive);
        event = (struct core_event){.kind = CORE_EV_inventory, .now = drive->now};
        event.inventory.cluster.n = i;
        event.inventory.session_epoch = drive->agents[i].session;
        event.inventory.is_end = true;
        drive->agents[i].is_reconciled = true;
        core_step(drive->core, &event, drive_open(drive));
        event = (struct core_event){.kind = CORE_EV_nodes, .now = drive->now};
        event.nodes.cluster.n = i;
        event.nodes.session_epoch = drive->agents[i].session;
        event.nodes.report_seq = ++drive->agents[i].report_seq;
        event.nodes.at = &node;
        event.nodes.len = 1;
        core_step(drive->core, &event, drive_open(drive));
    }
    drive_commit(drive);
}

/* The first byte chooses the limits: tight ones are met all the time. */
static void drive_configure(struct drive *drive)
{
    uint8_t byte = drive_byte(drive);

    drive->config = core_config_default();
    drive->config.clusters_max = DRIVE_CLUSTERS;
    drive->config.nodes_max = 2;
    if (byte & 1) drive->config.jobs_max = 4;
    if (byte & 2) drive->config.elements_max = 3;
    if (byte & 4) drive->config.shapes_max = 2;
    if (byte & 8) drive->config.unconfirmed_max = 1;
    if (byte & 16) drive->config.round_starts_max = 1;
    if (byte & 32) drive->config.queues_max = 1;
    drive->config.queue_percent = byte & 64 ? 50 : 100;
    drive->config.owner_percent = byte & 128 ? 25 : 100;
}

static inline void core_drive(const uint8_t *data, size_t size, struct core_drive_counts *counts)
{
    struct drive drive = {.data = data,
                          .size = size,
                          .now = 1000000,
                          .incarnation = 1,
                          .batch_next = 1,
                          .counts = counts};

    drive_configure(&drive);
    drive_make_shapes(&drive);
    drive.core = core_create(&drive.config);
    drive_begin(&drive);
    drive_set_up(&drive);
    for (int i = 0; drive.pos < size && i < DRIVE_STEPS_MAX; i++) {
        drive_event(&drive);
    }
    drive_commit(&drive);
    drive_reload(&drive);
    drive_commit(&drive);
    core_destroy(drive.core);
    core_fold_fini(&drive.fold);
    fl_page_map_fini(&drive.started);
    fl_arena_fini(&drive.arena);
}
