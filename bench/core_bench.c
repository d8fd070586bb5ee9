/* core_bench.c - the core alone: no engine, no store, no Postgres.
 *
 *   core_bench life --jobs=N      the core's own CPU for a job's whole life, in batches of 2,000,
 *                                 with the fakes and events of engine_bench life
 *   core_bench submit --jobs=N    the core's CPU to accept a job that nothing can run yet
 *   core_bench memory --jobs=N    memory for N queued jobs: hot bytes a job, and the resident set
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "bench/bench_help_fake.h"
#include "controlplane/core/core.h"
#include "shared/io/program.h"

enum { OUTSTANDING_MAX = 12000 };

struct rig {
    struct core *core;
    struct fake fake;
    uint64_t batch_last;
    fl_ms now;
    double cpu_s; /* the core's, with making and destroying batches */
    uint64_t accepted;
};

/* One batch: the agents' reports, and 'requests' of so many jobs; its effects at once. */
static void turn(struct rig *rig, size_t requests, size_t jobs)
{
    double began_s = bench_thread_cpu_s(), took_s;
    struct core_batch *batch = core_batch_create(++rig->batch_last);
    struct core_event event;

    rig->now += 10;
    for (size_t i = 0; i < requests; i++) {
        event = fake_submit(&rig->fake, jobs);
        event.owner = FL_STR("bench");
        event.now = rig->now;
        core_step(rig->core, &event, batch);
    }
    while (fake_next(&rig->fake, rig->now, &event)) {
        event.now = rig->now;
        core_step(rig->core, &event, batch);
    }
    while (core_settle(rig->core, rig->now, batch)) {
    }
    took_s = bench_thread_cpu_s() - began_s;
    for (size_t i = 0; i < batch->effects.len; i++) {
        const struct core_effect *effect = &batch->effects.at[i];

        if (effect->kind == CORE_ANSWER) {
            fake_answered(&rig->fake, &effect->answer);
        } else {
            fake_heard(&rig->fake, &effect->send);
        }
    }
    rig->accepted += batch->jobs;
    began_s = bench_thread_cpu_s();
    core_batch_destroy(batch);
    took_s += bench_thread_cpu_s() - began_s;
    rig->cpu_s += took_s;
}

static void init(struct rig *rig, uint32_t agents)
{
    struct core_config config = core_config_default();
    struct core_event event = {.kind = CORE_EV_begin,
                               .now = 1000,
                               .begin = {.seed = 1, .incarnation = 1, .epoch = 1, .batch = 1}};
    struct core_batch *batch = core_batch_create(1);

    config.queue_percent = config.owner_percent = 100; /* all of them are of one queue and owner */
    *rig = (struct rig){.core = core_create(&config), .batch_last = 1, .now = 1000};
    core_step(rig->core, &event, batch);
    (void)core_settle(rig->core, rig->now, batch);
    core_batch_destroy(batch);
    fake_init(&rig->fake, agents, 1000000);
    fake_boot(&rig->fake);
    while (!fake_is_ready(&rig->fake) || rig->fake.notes_at < rig->fake.notes.len) {
        turn(rig, 0, 0);
    }
    turn(rig, 0, 0);
    rig->cpu_s = 0;
}

static void fini(struct rig *rig)
{
    core_check(rig->core);
    core_destroy(rig->core);
    fake_fini(&rig->fake);
}

static double resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file || fscanf(file, "%*u %lu", &pages) != 1) bench_die("no /proc/self/statm");
    (void)fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void run_life(uint64_t jobs)
{
    struct bench_meter meter;
    struct rig rig;

    init(&rig, BENCH_CLUSTERS);
    bench_meter_init(&meter, NULL);
    bench_meter_start(&meter);
    while (rig.fake.exited < jobs) {
        bool may_submit = rig.accepted < jobs && rig.accepted - rig.fake.exited < OUTSTANDING_MAX;

        turn(&rig, may_submit ? BENCH_BATCH_REQUESTS : 0, BENCH_REQUEST_JOBS);
    }
    bench_meter_stop(&meter);
    if (core_stats(rig.core).jobs != 0) bench_die("jobs are left");
    bench_print("core-life", &meter, (double)rig.fake.exited, NULL);
    bench_field("core_cpu_us", rig.cpu_s * 1e6 / (double)rig.fake.exited);
    bench_end();
    fini(&rig);
    bench_meter_fini(&meter);
}

static void run_submit(const char *name, uint64_t jobs, bool is_for_memory)
{
    struct bench_meter meter;
    struct core_stats stats;
    struct rig rig;

    init(&rig, 0);
    bench_meter_init(&meter, NULL);
    bench_meter_start(&meter);
    while (rig.accepted < jobs) {
        turn(&rig, BENCH_BATCH_REQUESTS, BENCH_REQUEST_JOBS);
    }
    bench_meter_stop(&meter);
    stats = core_stats(rig.core);
    if (stats.jobs_queued != rig.accepted) bench_die("not all are queued");
    bench_print(name, &meter, (double)rig.accepted, NULL);
    bench_field("core_cpu_us", rig.cpu_s * 1e6 / (double)rig.accepted);
    if (is_for_memory) {
        bench_field("hot_bytes", (double)stats.hot_bytes / (double)rig.accepted);
        bench_field("resident_gb", resident_bytes() / 1e9);
    }
    bench_end();
    fini(&rig);
    bench_meter_fini(&meter);
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    uint64_t jobs = (uint64_t)bench_arg_number(argc, argv, "jobs", 1000000);

    bench_limit(300);
    fl_program_keep_freed_memory(); /* as fairleadd does */
    if (strcmp(verb, "life") == 0) {
        run_life(jobs);
    } else if (strcmp(verb, "submit") == 0) {
        run_submit("core-submit", jobs, false);
    } else if (strcmp(verb, "memory") == 0) {
        run_submit("core-memory", jobs, true);
    } else {
        fputs("usage: core_bench life|submit|memory [--jobs=1000000]\n", stderr);
        return 2;
    }
    return 0;
}
