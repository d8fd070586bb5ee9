/* core_drive_batch.h - the state of core_drive.h, the bytes that it draws from, and its batches:
 * carries each out as the engine would, and checks every command. */
#pragma once

#include "controlplane/core/shape.h"
#include "shared/base/prng.h"
#include "tests/fuzz/core_fold.h"

enum { DRIVE_CLUSTERS = 3, DRIVE_KNOWN_MAX = 64, DRIVE_SHAPES = 6, DRIVE_STEPS_MAX = 4000 };

/* The outcome of a run, so that a test can see that the run was about something. */
struct core_drive_counts {
    uint64_t events, batches, rows, starts, goes, stops, ends, reloads, refusals;
};

/* A replica that an agent got a START for. */
struct drive_known {
    struct fl_attempt attempt;
    uint32_t replicas_len;
    uint8_t states[4]; /* the first four replicas' enum fl_replica_state */
};

struct drive_agent {
    uint64_t session, connection, control_seq, report_seq;
    bool is_up, is_reconciled;
    struct drive_known known[DRIVE_KNOWN_MAX];
    size_t known_len;
    uint64_t started_digest; /* the sum of the identities of this session's STARTs */
};

struct drive {
    const uint8_t *data;
    size_t size, pos;
    struct core_config config;
    struct core *core;
    struct core_fold fold;
    struct core_batch *batch;
    uint64_t batch_next, requests, connections, seed;
    uint32_t incarnation;
    fl_ms now;
    size_t answers_due;
    struct drive_agent agents[DRIVE_CLUSTERS + 1]; /* by cluster id; 0: no cluster's */
    struct fl_page_map started; /* job, element, attempt -> session in which START was sent last */
    struct fl_str shapes[DRIVE_SHAPES];
    struct fl_arena arena;
    struct core_drive_counts *counts;
};

static uint8_t drive_byte(struct drive *drive)
{
    return drive->pos < drive->size ? drive->data[drive->pos++] : 0;
}

static uint32_t drive_below(struct drive *drive, uint32_t n)
{
    return drive_byte(drive) % n;
}

/* Mostly small; now and then as large as it can be. */
static uint32_t drive_u32(struct drive *drive)
{
    uint8_t byte = drive_byte(drive);

    if (byte < 240) return byte % 8;
    return byte < 248 ? UINT32_MAX - (byte & 7) : (uint32_t)byte << (byte & 7) * 3;
}

/* ---- carrying a batch out -------------------------------------------------------------------- */

static void drive_learn_start(struct drive *drive, struct drive_agent *agent,
                              const struct core_send *send)
{
    struct drive_known known = {.attempt = send->attempt,
                                .replicas_len = (uint32_t)send->nodes_len};
    uint64_t key = send->attempt.job.n << 24 | (uint64_t)(send->attempt.element & 0xff) << 16 |
                   send->attempt.n;
    uint64_t mark = (uint64_t)send->cluster.n << 24 | send->session_epoch;

    drive->counts->starts++;
    fl_assert(agent->is_reconciled && send->nodes_len > 0);
    fl_assert(fl_page_map_find(&drive->started, key) != mark); /* once in a session */
    fl_page_map_put(&drive->started, key, (uint32_t)mark);
    if (agent->known_len == DRIVE_KNOWN_MAX) {
        memmove(agent->known, agent->known + 1, sizeof agent->known - sizeof *agent->known);
        agent->known_len--;
    }
    agent->known[agent->known_len++] = known;
}

static void drive_learn_send(struct drive *drive, const struct core_send *send)
{
    struct drive_agent *agent;

    if (send->kind == CORE_SEND_bye) {
        drive->counts->refusals++;
        if (send->cluster.n > 0 && send->cluster.n <= DRIVE_CLUSTERS && send->session_epoch > 0) {
            drive->agents[send->cluster.n].is_up = false;
        }
        return;
    }
    fl_assert(send->cluster.n > 0 && send->cluster.n <= DRIVE_CLUSTERS);
    agent = &drive->agents[send->cluster.n];
    if (send->kind == CORE_SEND_welcome || send->kind == CORE_SEND_resync) {
        fl_assert(send->session_epoch > agent->session);
        agent->session = send->session_epoch;
        agent->connection = send->connection;
        agent->control_seq = agent->report_seq = 0;
        agent->is_up = true;
        agent->is_reconciled = false;
        return;
    }
    fl_assert(send->session_epoch == agent->session && send->connection == agent->connection);
    if (send->kind == CORE_SEND_ack) {
        fl_assert(send->report_seq > 0);
        return;
    }
    fl_assert(send->control_seq == agent->control_seq + 1);
    agent->control_seq = send->control_seq;
    if (send->kind == CORE_SEND_start) drive_learn_start(drive, agent, send);
    if (send->kind == CORE_SEND_go) drive->counts->goes++;
    if (send->kind == CORE_SEND_stop) drive->counts->stops++;
}

static struct core_batch *drive_open(struct drive *drive)
{
    if (!drive->batch) drive->batch = core_batch_create(drive->batch_next++);
    return drive->batch;
}

static void drive_commit(struct drive *drive)
{
    struct core_batch *batch = drive_open(drive);

    while (core_settle(drive->core, drive->now, batch)) {
    }
    core_check(drive->core);
    core_fold_add(&drive->fold, batch);
    for (size_t i = 0; i < batch->rows.len; i++) {
        drive->counts->ends += batch->rows.at[i].kind == ROW_job_end;
    }
    for (size_t i = 0; i < batch->effects.len; i++) {
        const struct core_effect *effect = &batch->effects.at[i];

        if (effect->kind == CORE_SEND) {
            drive_learn_send(drive, &effect->send);
        } else {
            fl_assert(effect->answer.request > 0 && drive->answers_due > 0);
            drive->answers_due--;
        }
    }
    fl_assert(drive->answers_due == 0);
    drive->counts->batches++;
    drive->counts->rows += batch->rows.len;
    core_batch_destroy(batch);
    drive->batch = NULL;
}

static void drive_step(struct drive *drive, struct core_event *event)
{
    event->now = drive->now;
    drive->counts->events++;
    core_step(drive->core, event, drive_open(drive));
    core_check(drive->core);
    /* Agents act on what was committed, and a batch seldom stays open. */
    if (drive_below(drive, 4) > 0) drive_commit(drive);
}

static void drive_ask(struct drive *drive, struct core_event *event)
{
    event->tenant.n = 1;
    event->actor = FL_STR("fuzz");
    if (drive_below(drive, 8) > 0) {
        event->request = ++drive->requests;
        drive->answers_due++;
    }
    if (drive_below(drive, 8) == 1) event->key = FL_STR("key");
    drive_step(drive, event);
}

static void drive_begin(struct drive *drive)
{
    struct core_event event = {.kind = CORE_EV_begin,
                               .now = drive->now,
                               .begin = {.seed = ++drive->seed,
                                         .incarnation = drive->incarnation,
                                         .epoch = drive->seed,
                                         .batch = drive->batch_next}};
    struct core_event room = {.kind = CORE_EV_room, .now = drive->now, .room.job_below = 1 << 20};

    core_step(drive->core, &event, drive_open(drive));
    core_step(drive->core, &room, drive_open(drive));
    core_check(drive->core);
    for (size_t i = 1; i <= DRIVE_CLUSTERS; i++) {
        drive->agents[i].is_up = drive->agents[i].is_reconciled = false;
    }
}

static void drive_reload(struct drive *drive)
{
    struct core *fresh = core_create(&drive->config);

    if (drive->batch) drive_commit(drive);
    core_fold_load(&drive->fold, fresh);
    fl_assert(core_hash(fresh) == core_hash(drive->core));
    core_destroy(drive->core);
    drive->core = fresh;
    drive->counts->reloads++;
    if (drive_below(drive, 8) == 1) drive->incarnation++;
    drive_begin(drive);
}
