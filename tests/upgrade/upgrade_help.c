#include "tests/upgrade/upgrade_help.h"

#include <inttypes.h>

#include "controlplane/core/shape.h"
#include "controlplane/store/read_events.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/dependency.h"
#include "shared/base/element_set.h"
#include "tests/fl_test.h"

#define ROW(row_kind, ...) ((struct row){.kind = ROW_##row_kind, .row_kind = {__VA_ARGS__}})

/* ---- a life ---------------------------------------------------------------------------------- */

static struct fl_str taken(struct fl_buf *buf, uint8_t *at)
{
    size_t len = buf->len;

    memcpy(at, buf->at, len);
    fl_buf_fini(buf);
    return (struct fl_str){(const char *)at, len};
}

/* One replica of one core, as the release of the day writes it. */
static struct fl_str shape_bytes(uint32_t millis)
{
    static uint8_t bytes[2][256];
    uint8_t *at = bytes[millis / 1000 % 2];
    struct shape shape = {.roles_len = 1, .roles = {{1, 1, {0, millis, 0}}}};
    struct fl_buf buf;

    fl_buf_init(&buf, sizeof bytes[0]);
    fl_assert(shape_encode(&buf, &shape));
    return taken(&buf, at);
}

/* Elements 4 and 6. */
static struct fl_str picked_bytes(void)
{
    static uint8_t at[64];
    struct fl_element_set picks = {0};
    struct fl_err err = {0};
    struct fl_buf buf;

    fl_buf_init(&buf, sizeof at);
    fl_assert(fl_element_set_add(&picks, 4, &err) && fl_element_set_add(&picks, 6, &err));
    fl_assert(fl_element_set_encode(&buf, &picks));
    fl_element_set_fini(&picks);
    return taken(&buf, at);
}

/* The success of that job. */
static struct fl_str after_bytes(uint64_t job)
{
    static uint8_t at[64];
    struct fl_dependency after = {.job = {job}, .on = FL_ON_success};
    struct fl_arena arena = {0};
    struct fl_str bytes = fl_dependencies_encode(&after, 1, &arena);

    memcpy(at, bytes.at, bytes.len);
    fl_arena_fini(&arena);
    return (struct fl_str){(const char *)at, bytes.len};
}

static struct fl_digest digest_of(uint8_t turn, uint8_t n)
{
    return (struct fl_digest){{turn, n, 0xd1}};
}

/* A name for a turn: "east-2".  It lives as long as the process. */
static struct fl_str name_of(const char *word, uint8_t turn)
{
    static char names[64][32];
    static size_t next;
    char *name = names[next++ % 64];

    snprintf(name, sizeof names[0], "%s-%u", word, turn);
    return fl_str_c(name);
}

/* "sync1" of ann, as singleton_table.h has it. */
static struct fl_str key_bytes(uint8_t t)
{
    static char bytes[3][32];
    struct fl_str name = name_of("sync", t);

    bytes[t % 3][0] = 3;
    memcpy(bytes[t % 3] + 1, "ann", 3);
    memcpy(bytes[t % 3] + 4, name.at, name.len);
    return (struct fl_str){bytes[t % 3], 4 + name.len};
}

static const char *const uuids[] = {"0e984725-c51c-4bf4-9960-e1c80e27aba0",
                                    "0e984725-c51c-4bf4-9960-e1c80e27aba1",
                                    "0e984725-c51c-4bf4-9960-e1c80e27aba2"};

/* Job 1 fails once, then succeeds.  Job 2, an array of the elements 4 and 6, has one that ended
 * and one that waits.  Job 3 runs.  Job 4 is held, was held before and released, and is being
 * cancelled.  Job 5, an array, ended without a start. */
struct row upgrade_life_row(uint8_t t, size_t i)
{
    static uint8_t usage[FL_USAGE_BYTES];
    struct fl_str used = fl_usage_write(
        &(struct fl_usage){FL_METER_processes, 1, 1500000, 64 << 20, 4096, 512}, usage);
    uint64_t job = (uint64_t)t * 10;
    uint32_t shape = (uint32_t)t * 10 + 1, none = UINT32_MAX;
    struct fl_digest spec = digest_of(t, 1), join = digest_of(t, 2), gone = digest_of(t, 3);
    const struct row rows[] = {
        ROW(queue_put, .queue = t, .tenant = 1, .is_paused = 1, .name = name_of("train", t)),
        ROW(queue_put, .queue = t, .tenant = 1, .name = name_of("train", t), .has_default_cpu = 1,
            .default_cpu_milli = 500 + (uint32_t)t),
        ROW(join_put, .token = join, .tenant = 1, .expires_at = 1800000000000,
            .name = name_of("east", t)),
        ROW(cluster_put, .cluster = t, .state = 1, .access = 1, .name = name_of("east", t),
            .uid = name_of("uid", t), .uuid = fl_str_c(uuids[t % 3]), .key = digest_of(t, 4),
            .generation = 1),
        ROW(join_put, .token = join, .tenant = 1, .expires_at = 1800000000000, .cluster = t,
            .key = digest_of(t, 4), .name = name_of("east", t)),
        ROW(cluster_put, .cluster = t, .state = 1, .access = 1, .is_draining = 1,
            .session_epoch = 7, .name = name_of("east", t), .uid = name_of("uid", t),
            .uuid = fl_str_c(uuids[t % 3]), .key = digest_of(t, 4), .generation = 3, .seen = 2,
            .cordon = FL_STR("disk")),
        ROW(join_put, .token = gone, .tenant = 1, .expires_at = 1800000000000,
            .name = name_of("west", t)),
        ROW(join_drop, .token = gone),
        ROW(token_put, .tenant = 1, .scopes = 9, .made_at = 1700000000000,
            .expires_at = 1800000000000, .mac = digest_of(t, 5), .id = name_of("kept", t),
            .name = name_of("ci", t), .queue = name_of("train", t)),
        ROW(token_put, .tenant = 1, .scopes = 9, .made_at = 1700000000000,
            .expires_at = 1800000000000, .mac = digest_of(t, 7), .id = name_of("kept", t),
            .name = name_of("ci", t), .queue = name_of("train", t), .old_mac = digest_of(t, 5),
            .old_until = 1750000600000, .rotated_at = 1750000000000),
        ROW(token_put, .tenant = 1, .scopes = 1, .mac = digest_of(t, 6),
            .id = name_of("dropped", t), .name = name_of("old", t)),
        ROW(token_drop, .id = name_of("dropped", t)),
        ROW(resource_put, .resource = t, .name = name_of("x.io/fpga", t)),
        ROW(shape_new, .shape = shape, .body = shape_bytes(1000 + t)),
        ROW(shape_new, .shape = shape + 1, .body = shape_bytes(2000 + t)),
        ROW(shape_drop, .shape = shape + 1),
        ROW(counter, .counter = CORE_COUNTER_job_lost_from, .value = 5000),
        ROW(counter, .counter = CORE_COUNTER_job_lost_to, .value = 5000 + (uint64_t)t),
        ROW(spec_new, .job = job + 1, .digest = spec, .body = FL_STR("{\"command\":[\"true\"]}")),
        ROW(spec_new, .job = job + 1, .digest = spec, .body = FL_STR("{\"command\":[\"true\"]}")),
        ROW(idempotency_drop, .tenant = 1, .key = name_of("key", t)),
        ROW(idempotency, .tenant = 1, .body_sha = digest_of(t, 7), .key = name_of("key", t),
            .answer = FL_STR("answer")),
        ROW(audit, .tenant = 1, .actor = FL_STR("me"), .body = FL_STR("submit")),
        ROW(job_new, .job = job + 1, .tenant = 1, .queue = t, .shape = shape, .priority = -5,
            .elements = 1, .spec = spec, .name = name_of("first", t), .deadline_s = 3600,
            .retries_max = 3, .owner = FL_STR("ann")),
        ROW(job_new, .job = job + 2, .tenant = 1, .queue = t, .shape = shape, .elements = 2,
            .spec = spec, .retry_of = job + 1, .labels = FL_STR("a=b\n"),
            .params = FL_STR("{\"x\":1}"), .picked = picked_bytes(), .parallelism = 1),
        ROW(mark_set, .job = job + 2, .kind = CORE_MARK_picked, .value = 2, .body = picked_bytes()),
        ROW(job_new, .job = job + 3, .tenant = 1, .queue = t, .shape = shape, .elements = 1,
            .spec = spec, .deadline_s = 60),
        ROW(job_new, .job = job + 4, .tenant = 1, .queue = t, .shape = shape, .priority = 9,
            .elements = 1, .spec = spec),
        ROW(job_new, .job = job + 5, .tenant = 1, .queue = t, .shape = shape, .elements = 3,
            .spec = spec, .parallelism = 2),
        ROW(job_new, .job = job + 6, .tenant = 1, .queue = t, .shape = shape, .elements = 1,
            .spec = spec, .after = after_bytes(job + 3), .name = name_of("sync", t),
            .owner = FL_STR("ann"), .is_singleton = 1),
        ROW(mark_set, .job = job + 6, .kind = CORE_MARK_singleton, .value = 1,
            .body = key_bytes(t)),
        ROW(mark_set, .job = job + 6, .kind = CORE_MARK_after, .value = 1,
            .body = after_bytes(job + 3)),
        ROW(job_edit, .job = job + 4, .revision = 1, .queue = t, .priority = -7,
            .name = name_of("renamed", t)),
        ROW(mark_set, .job = job + 4, .kind = CORE_MARK_edited, .value = 1),
        ROW(job_edit, .job = job + 4, .revision = 2, .queue = t, .priority = 11, .deadline_s = 90,
            .name = name_of("again", t), .labels = FL_STR("c=d\n"), .parallelism = 4,
            .queue_was = t),
        ROW(mark_set, .job = job + 4, .kind = CORE_MARK_edited, .value = 2),
        ROW(attempt_new, .job = job + 1, .n = 1, .incarnation = 1, .cluster = t,
            .nodes = FL_STR("node-1\n")),
        ROW(replica_phase, .job = job + 1, .n = 1, .replica = 0, .state = 3, .exit_code = 0),
        ROW(mark_set, .job = job + 1, .kind = CORE_MARK_first_start, .value = 1700000000000),
        ROW(attempt_end, .job = job + 1, .n = 1, .reason = REASON_ReplicaFailed, .exit_code = -9,
            .ready_at = 1700000010000),
        ROW(attempt_new, .job = job + 1, .n = 2, .incarnation = 1, .cluster = t),
        ROW(element_end, .job = job + 1, .n = 2, .state = JOB_succeeded, .reason = REASON_Succeeded,
            .first_replica = none, .usage = used),
        ROW(job_end, .job = job + 1, .state = JOB_succeeded, .reason = REASON_Succeeded,
            .has_marks = 1),
        ROW(attempt_new, .job = job + 2, .element = 4, .n = 1, .incarnation = 1, .cluster = t,
            .nodes = FL_STR("node-2\n")),
        ROW(element_end, .job = job + 2, .element = 4, .n = 1, .state = JOB_failed,
            .reason = REASON_ReplicaFailed, .exit_code = 3),
        ROW(attempt_new, .job = job + 2, .element = 6, .n = 1, .incarnation = 1, .cluster = t),
        ROW(attempt_end, .job = job + 2, .element = 6, .n = 1, .reason = REASON_ReplicaLost,
            .first_replica = none),
        ROW(attempt_new, .job = job + 3, .n = 1, .incarnation = 1, .cluster = t,
            .nodes = FL_STR("node-1\n")),
        ROW(attempt_stop, .job = job + 3, .n = 1, .reason = REASON_ReplicaFailed, .exit_code = 3),
        ROW(attempt_words, .job = job + 3, .n = 1, .words = FL_STR("Error: no such thing")),
        ROW(mark_set, .job = job + 4, .kind = CORE_MARK_held, .value = 1),
        ROW(mark_clear, .job = job + 4, .kind = CORE_MARK_held),
        ROW(mark_set, .job = job + 4, .kind = CORE_MARK_held, .value = 1),
        ROW(mark_set, .job = job + 4, .kind = CORE_MARK_cancel, .value = REASON_Cancelled),
        ROW(job_end, .job = job + 5, .state = JOB_cancelled, .reason = REASON_Cancelled,
            .is_array = 1),
        ROW(cluster_phase, .cluster = t, .phase = 0),
        ROW(counter, .counter = CORE_COUNTER_job_next, .value = job + 8),
    };

    fl_assert(i < sizeof rows / sizeof *rows);
    return rows[i];
}

/* The last row of a life is its only one of counter job_next. */
size_t upgrade_life_len(void)
{
    for (size_t i = 0;; i++) {
        struct row row = upgrade_life_row(1, i);

        if (row.kind == ROW_counter && row.counter.counter == CORE_COUNTER_job_next) return i + 1;
    }
}

/* ---- a store's view of it -------------------------------------------------------------------- */

struct telling {
    struct fl_buf *out;
    uint64_t next;
    uint32_t row;
    bool is_answered, has_more;
};

static void tell_row(struct fl_buf *out, const char *what, const struct row *row)
{
    char text[512];

    row_print(row, text, sizeof text);
    fl_assert(fl_buf_put(out, what, strlen(what)) && fl_buf_put(out, text, strlen(text)) &&
              fl_buf_put_u8(out, '\n'));
}

static void on_row(void *ctx, const struct row *row)
{
    struct telling *telling = ctx;

    tell_row(telling->out, "load ", row);
}

static void on_events(void *ctx, const struct read_events *events)
{
    struct telling *telling = ctx;

    if (events->err) fail_msg("%s", events->err->text);
    for (size_t i = 0; i < events->len; i++) {
        char where[64];

        snprintf(where, sizeof where, "event %" PRIu64 ".%u ", events->at[i].batch,
                 events->at[i].n);
        tell_row(telling->out, where, &events->at[i].row);
    }
    telling->next = events->batch;
    telling->row = events->row;
    telling->has_more = events->has_more;
    telling->is_answered = true;
}

static void on_trouble(void *ctx, const char *text)
{
    (void)ctx;
    fail_msg("%s", text);
}

static void read_some(struct reader *reader, struct telling *telling)
{
    fl_ms end = help_now() + HELP_WAIT_MS;
    struct fl_err err = {0};

    telling->is_answered = false;
    if (!read_events_since(reader, telling->next, telling->row, (struct fl_job){0}, on_events,
                           telling, &err)) {
        fail_msg("%s", err.text);
    }
    while (!telling->is_answered) {
        assert_true(help_now() < end);
        help_wait(5);
        reader_turn(reader, help_now());
    }
}

void upgrade_tell(struct help *help, const char *conninfo, struct fl_buf *out)
{
    struct telling telling = {.out = out, .has_more = true};
    struct reader *reader = reader_create(conninfo, help_waker(), on_trouble, NULL);

    help->on_row = on_row;
    help->on_row_ctx = &telling;
    help_reload(help);
    while (telling.has_more) {
        read_some(reader, &telling);
    }
    reader_destroy(reader);
}

struct help *upgrade_lead(const char *conninfo)
{
    struct help *help = diff_help(conninfo, "upgrade", 0);

    assert_int_equal(help_take(help, 0), FL_OK);
    return help;
}
