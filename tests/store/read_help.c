#include "tests/store/read_help.h"

#include <inttypes.h>
#include <stdarg.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"

void read_tell(struct read_world *world, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    world->told_len += (size_t)vsnprintf(world->told + world->told_len,
                                         sizeof world->told - world->told_len, fmt, args);
    va_end(args);
    assert_true(world->told_len < sizeof world->told);
}

void read_on_trouble(void *ctx, const char *text)
{
    struct read_world *world = ctx;

    (void)text;
    world->troubles++;
}

void read_turn(struct read_world *world)
{
    fl_ms now = help_now(), due = reader_deadline(world->reader, now);

    help_wait(due <= now ? 0 : due - now < 20 ? due - now : 20);
    reader_turn(world->reader, help_now());
}

const char *read_heard(struct read_world *world, uint64_t ask)
{
    fl_ms end = help_now() + HELP_WAIT_MS;
    int answers = world->answers;

    assert_true(ask > 0);
    world->told_len = 0;
    world->told[0] = '\0';
    while (world->answers == answers) {
        if (help_now() > end) fail_msg("no answer");
        read_turn(world);
    }
    return world->told;
}

void read_setup(struct read_world *world)
{
    *world = (struct read_world){.conninfo = help_database()};
    world->help = help_create(world->conninfo, "a");
    assert_int_equal(help_take(world->help, 0), FL_OK);
    world->batch = world->help->taken.batch_newest;
    world->reader = reader_create(world->conninfo, help_waker(), read_on_trouble, world);
}

void read_teardown(struct read_world *world)
{
    reader_destroy(world->reader);
    help_destroy(world->help);
    fl_free(world->conninfo);
}

struct core_batch *read_batch(struct read_world *world)
{
    struct core_batch *batch = help_batch(++world->batch);

    batch->at = (fl_ms)world->batch * 1000;
    return batch;
}

void read_commit(struct read_world *world, struct core_batch *batch)
{
    assert_int_equal(help_commit(world->help, batch), ENGINE_COMMITTED);
    core_batch_destroy(batch);
}

static struct fl_str used(uint64_t cpu_us)
{
    static uint8_t bytes[FL_USAGE_BYTES];

    return fl_usage_write(&(struct fl_usage){FL_METER_group, 2, cpu_us, 7 << 20, 8, 9}, bytes);
}

void read_fill(struct read_world *world)
{
    struct core_batch *batch = read_batch(world);
    struct fl_digest digest = {{7}};

    for (uint64_t job = 1; job <= 6; job++) {
        help_row(batch,
                 ROW(job_new, .job = job, .tenant = job == 4 ? 2 : 1, .queue = 1 + job % 2,
                     .shape = 1, .priority = -3, .elements = job == 5 ? 2 : 1, .spec = digest,
                     .retry_of = job == 6 ? 3 : 0,
                     .name = job == 1 ? FL_STR("name-1") : FL_STR("n"),
                     .owner = job < 3 ? FL_STR("ann") : FL_STR(""),
                     .labels = job < 3 ? FL_STR("a=1\nteam=x\n") : FL_STR("team=y\n"),
                     .params = FL_STR("{}"), .picked = job == 6 ? FL_STR("\2\0") : FL_STR(""),
                     .after = job == 3 ? FL_STR("\2\0\0\0\0\0\0\0\1") : FL_STR(""),
                     .is_singleton = job == 3, .parallelism = job == 5));
    }
    help_row(batch, ROW(spec_new, .job = 0, .digest = digest, .body = FL_STR("{\"spec\":1}")));
    for (uint64_t job = 1; job <= 5; job++) {
        help_row(batch, ROW(attempt_new, .job = job, .n = 1, .incarnation = 1, .cluster = 3,
                            .nodes = FL_STR("n1")));
    }
    help_row(batch, ROW(attempt_new, .job = 6, .element = 2, .n = 1, .incarnation = 1, .cluster = 3,
                        .nodes = FL_STR("n1")));
    help_row(batch, ROW(audit, .tenant = 1, .actor = FL_STR("ann"), .body = FL_STR("submit")));
    help_row(batch, ROW(audit, .tenant = 2, .actor = FL_STR("eve"), .body = FL_STR("submit")));
    read_commit(world, batch);
    batch = read_batch(world);
    help_row(batch,
             ROW(replica_phase, .job = 2, .n = 1, .state = FL_REPLICA_exited, .exit_code = 3));
    help_row(batch, ROW(replica_phase, .job = 1, .n = 1, .state = FL_REPLICA_exited));
    help_row(batch, ROW(element_end, .job = 1, .n = 1, .state = JOB_succeeded,
                        .reason = REASON_Succeeded, .first_replica = UINT32_MAX));
    help_row(batch, ROW(job_end, .job = 1, .state = JOB_succeeded, .reason = REASON_Succeeded));
    help_row(batch, ROW(attempt_end, .job = 2, .n = 1, .reason = REASON_ReplicaFailed,
                        .exit_code = 3, .usage = used(700)));
    help_row(batch, ROW(attempt_new, .job = 2, .n = 2, .incarnation = 1, .cluster = 4));
    help_row(batch, ROW(element_end, .job = 4, .n = 1, .state = JOB_failed,
                        .reason = REASON_ReplicaFailed, .exit_code = 1));
    help_row(batch, ROW(job_end, .job = 4, .state = JOB_failed, .reason = REASON_ReplicaFailed));
    help_row(batch, ROW(element_end, .job = 5, .n = 1, .state = JOB_succeeded,
                        .reason = REASON_Succeeded));
    help_row(batch, ROW(audit, .tenant = 0, .actor = FL_STR("agent"), .body = FL_STR("refused")));
    read_commit(world, batch);
    batch = read_batch(world);
    help_row(batch, ROW(element_end, .job = 2, .n = 2, .state = JOB_failed,
                        .reason = REASON_RetriesSpent, .exit_code = 9));
    help_row(batch, ROW(job_end, .job = 2, .state = JOB_failed, .reason = REASON_RetriesSpent));
    help_row(batch, ROW(job_end, .job = 5, .state = JOB_cancelled, .reason = REASON_Cancelled,
                        .is_array = 1));
    help_row(batch, ROW(element_end, .job = 6, .element = 2, .n = 1, .state = JOB_succeeded,
                        .reason = REASON_Succeeded));
    help_row(batch, ROW(job_end, .job = 6, .state = JOB_succeeded, .reason = REASON_Succeeded,
                        .is_array = 1));
    help_row(batch, ROW(audit, .tenant = 1, .actor = FL_STR("ann"), .body = FL_STR("cancel")));
    read_commit(world, batch);
}

void read_tell_jobs(void *ctx, const struct read_jobs *jobs)
{
    struct read_world *world = ctx;

    world->answers++;
    world->next = jobs->next;
    if (jobs->err) read_tell(world, "%s: %s\n", fl_code_name(jobs->err->code), jobs->err->text);
    for (size_t i = 0; i < jobs->len; i++) {
        const struct read_job *job = &jobs->at[i];

        read_tell(world, "%" PRIu64 " queue=%u", job->job.n, job->queue.n);
        if (job->is_ended) {
            read_tell(world, " %s %s", job_state_name(job->state), reason_name(job->reason));
        }
        if (job->row.name.len > 0) {
            read_tell(world,
                      " " FL_STR_FMT " of " FL_STR_FMT " x%u priority=%d retry_of=%" PRIu64
                      " spec=%u labels=%zu",
                      FL_STR_ARG(job->row.name), FL_STR_ARG(job->row.owner), job->elements,
                      job->row.priority, job->row.retry_of, job->row.spec.at[0],
                      job->row.labels.len);
            read_tell(world, " params=" FL_STR_FMT " %" PRId64 "-%" PRId64,
                      FL_STR_ARG(job->row.params), job->accepted_at, job->ended_at);
            if (job->has_exit) read_tell(world, " #%u exit=%d", job->attempt, job->exit_code);
            if (job->row.after.len > 0) read_tell(world, " after=%zu", job->row.after.len);
            if (job->row.is_singleton) read_tell(world, " singleton");
            if (job->row.parallelism) read_tell(world, " parallelism=%u", job->row.parallelism);
            if (job->is_picked) read_tell(world, " picked=%zu", job->row.picked.len);
        }
        read_tell(world, "\n");
    }
}

const char *read_page(struct read_world *world, struct read_jobs_query query)
{
    struct fl_err err = {0};

    query.tenant.n = query.tenant.n ? query.tenant.n : 1;
    return read_heard(world, read_jobs_page(world->reader, &query, read_tell_jobs, world, &err));
}

void read_tell_events(void *ctx, const struct read_events *events)
{
    struct read_world *world = ctx;

    world->answers++;
    world->next = events->batch;
    world->row = events->row;
    world->has_more = events->has_more;
    if (events->err) {
        read_tell(world, "%s: %s\n", fl_code_name(events->err->code), events->err->text);
    }
    if (events->deed.kind == ROW_audit) {
        read_tell(world, "before: by " FL_STR_FMT "\n", FL_STR_ARG(events->deed.audit.actor));
    }
    for (size_t i = 0; i < events->edits_len; i++) {
        read_tell(world, "before: %" PRIu64 " queue=%u\n", events->edits[i].job,
                  events->edits[i].queue);
    }
    for (size_t i = 0; i < events->len; i++) {
        read_tell(world, "%" PRIu64 ".%u %s\n", events->at[i].batch, events->at[i].n,
                  row_kind_name(events->at[i].row.kind));
    }
}
