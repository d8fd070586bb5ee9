#include "controlplane/front/start_reads.h"

#include "controlplane/front/spec_cache.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "tests/fl_test.h"

enum { AGAIN_MS = 1, WAIT_MS = 60000, JOB = 7, TICKET = 70 };

/* A store that answers within the question, and fails so many of them. */
struct world {
    struct fl_loop *loop;
    struct spec_cache *specs;
    struct start_reads *reads;
    unsigned jobs_fail, documents_fail; /* with an error of the answer */
    unsigned full;                      /* no question is taken */
    bool is_empty;                      /* it does not have the job */
    unsigned asked, told;
    uint64_t ticket;
    bool has_document;
};

static const struct fl_digest digest = {{1}};

static bool is_refused(unsigned *left, struct fl_err *err)
{
    if (*left == 0) return false;
    (*left)--;
    return !fl_fail(err, FL_UNAVAILABLE, "the store is away");
}

static uint64_t on_jobs(void *ctx, const struct fl_job *jobs, size_t len, read_jobs_fn *fn,
                        void *fn_ctx, struct fl_err *err)
{
    struct world *world = ctx;
    struct read_job job = {.job = jobs[0], .row = {.job = jobs[0].n, .spec = digest}};
    struct fl_err away = {0};

    assert_int_equal(len, 1);
    world->asked++;
    if (is_refused(&world->full, err)) return 0;
    if (is_refused(&world->jobs_fail, &away)) {
        fn(fn_ctx, &(struct read_jobs){.err = &away});
    } else {
        fn(fn_ctx, &(struct read_jobs){.at = &job, .len = world->is_empty ? 0 : 1});
    }
    return 1;
}

static uint64_t on_documents(void *ctx, const struct read_spec *specs, size_t len,
                             read_specs_fn *fn, void *fn_ctx, struct fl_err *err)
{
    struct world *world = ctx;
    struct fl_str body = FL_STR("{}");
    struct fl_err away = {0};

    (void)err;
    assert_int_equal(len, 1);
    assert_memory_equal(&specs[0].digest, &digest, sizeof digest);
    if (is_refused(&world->documents_fail, &away)) {
        fn(fn_ctx, &(struct read_specs){.err = &away});
    } else {
        fn(fn_ctx, &(struct read_specs){.bodies = &body, .len = 1});
    }
    return 1;
}

static void on_asked(void *ctx)
{
    (void)ctx;
}

static void on_told(void *ctx, uint64_t ticket, struct fl_job job)
{
    struct world *world = ctx;
    struct fl_digest found;
    struct fl_buf document, params;

    fl_buf_init(&document, 100);
    fl_buf_init(&params, 100);
    world->told++;
    world->ticket = ticket;
    world->has_document = spec_cache_find(world->specs, job, &found, &document, &params);
    fl_buf_fini(&document);
    fl_buf_fini(&params);
}

/* Plays one START through to its word. */
static void play(struct world *world)
{
    fl_ms end = fl_clock_mono() + WAIT_MS;

    world->loop = fl_loop_create();
    world->specs = spec_cache_create(1 << 20);
    world->reads = start_reads_create(world->loop, world->specs,
                                      &(struct start_reads_ports){.ctx = world,
                                                                  .jobs = on_jobs,
                                                                  .documents = on_documents,
                                                                  .asked = on_asked,
                                                                  .tell = on_told},
                                      AGAIN_MS);
    start_reads_add(world->reads, TICKET, (struct fl_job){JOB});
    while (world->told == 0) {
        assert_true(fl_clock_mono() < end);
        fl_loop_turn(world->loop, 5);
    }
    start_reads_destroy(world->reads);
    spec_cache_destroy(world->specs);
    fl_loop_destroy(world->loop);
    assert_int_equal(world->told, 1);
    assert_int_equal(world->ticket, TICKET);
}

static void a_read_that_fails_is_tried_again(void **state)
{
    struct world world = {.full = 2, .jobs_fail = 2, .documents_fail = 2};

    (void)state;
    play(&world);
    assert_true(world.has_document);
    assert_int_equal(world.asked, 7);
}

static void after_a_minute_of_failures_the_start_is_refused(void **state)
{
    struct world world = {.jobs_fail = UINT32_MAX};

    (void)state;
    play(&world);
    assert_false(world.has_document);
    assert_int_equal(world.asked, 60);
}

static void a_job_that_is_not_there_is_not_read_again(void **state)
{
    struct world world = {.is_empty = true};

    (void)state;
    play(&world);
    assert_false(world.has_document);
    assert_int_equal(world.asked, 1);
}

FL_TESTS(cmocka_unit_test(a_read_that_fails_is_tried_again),
         cmocka_unit_test(after_a_minute_of_failures_the_start_is_refused),
         cmocka_unit_test(a_job_that_is_not_there_is_not_read_again))
