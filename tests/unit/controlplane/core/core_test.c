/* core_test.c - what a story cannot tell: sizes, ranges over many seeds, rows that
 * contradict, and how much is done in one slice. */
#include "tests/fuzz/core_fold.h"
#include "tests/unit/controlplane/core/core_world.h"

/* Issue 3, section 2. */
static void a_million_queued_jobs_take_at_most_96_bytes_each(void **state)
{
    enum { JOBS = 1000000 };
    struct world world;
    struct core_stats stats;

    (void)state;
    init(&world, 1, 0);
    for (int i = 0; i < JOBS / CORE_SUBMIT_MAX; i++) {
        submit(&world, CORE_SUBMIT_MAX);
        assert_false(core_settle(world.core, world.now, world.batch));
        core_batch_destroy(world.batch);
        world.batch = core_batch_create((uint64_t)i + 2);
    }
    stats = core_stats(world.core);
    assert_int_equal(stats.jobs, JOBS);
    assert_int_equal(stats.jobs_queued, JOBS);
    print_message("%.1f bytes for each of a million queued jobs\n", (double)stats.hot_bytes / JOBS);
    assert_true(stats.hot_bytes > JOBS && stats.hot_bytes <= (size_t)96 * JOBS);
    fini(&world);
}

static void fail_attempt(struct world *world, uint64_t job, uint16_t n)
{
    struct core_event report = {.kind = CORE_EV_replica,
                                .now = world->now,
                                .replica = {.cluster = {1},
                                            .session_epoch = 1,
                                            .report_seq = ++world->report_seq,
                                            .told.attempt = {{job}, 0, n, 1},
                                            .told.state = FL_REPLICA_exited,
                                            .told.exit_code = 1}};

    core_step(world->core, &report, world->batch);
    assert_false(core_settle(world->core, world->now, world->batch));
}

/* 10 s x 2^n to 5 min, all of it +-20 %, both ends of which are met; from the event's seed
 * alone. */
static void a_failure_waits_ten_seconds_doubled_to_five_minutes_give_or_take_a_fifth(void **state)
{
    static const fl_ms waits[] = {10000, 20000, 40000, 80000, 160000, 300000, 300000};
    enum { WAITS = sizeof waits / sizeof *waits, SEEDS = 400 };
    fl_ms least[WAITS], most[WAITS];

    (void)state;
    for (int i = 0; i < WAITS; i++) {
        least[i] = INT64_MAX;
        most[i] = 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct world world;

        init(&world, seed, 100);
        connect(&world);
        submit(&world, 1);
        assert_false(core_settle(world.core, world.now, world.batch));
        for (int i = 0; i < WAITS; i++) {
            struct core_event tick = {.kind = CORE_EV_tick};
            fl_ms wait;

            fail_attempt(&world, 1, (uint16_t)(i + 1));
            wait = core_deadline(world.core) - world.now;
            assert_in_range(wait, waits[i] * 8 / 10, waits[i] * 12 / 10);
            if (wait < least[i]) least[i] = wait;
            if (wait > most[i]) most[i] = wait;
            world.now += wait;
            tick.now = world.now;
            core_step(world.core, &tick, world.batch);
            assert_false(core_settle(world.core, world.now, world.batch));
        }
        fini(&world);
    }
    for (int i = 0; i < WAITS; i++) {
        assert_true(least[i] < waits[i] * 81 / 100 && most[i] > waits[i] * 119 / 100);
    }
}

enum { WAITING = 8 };

static fl_ms wait_until(const struct core *core, uint64_t job)
{
    struct job_slot slot = job_table_find(&core->jobs, (struct fl_job){job});
    struct element_slot element =
        job_table_element(&core->jobs, job_table_at(&core->jobs, slot), 0);

    assert_int_equal(element_table_at(&core->elements, element)->place, ELEMENT_WAITING);
    return element_table_at(&core->elements, element)->wait_until;
}

/* A core of the same rows that begins at that time. */
static struct core *load_at(const struct world *world, const struct core_fold *fold, fl_ms now)
{
    struct core_event again = {.kind = CORE_EV_begin, .now = now, .begin = {9, 1, 1, 1}};
    struct core *core = core_create(&world->config);
    struct core_batch *batch = core_batch_create(2);

    core_fold_load(fold, core);
    core_step(core, &again, batch);
    assert_false(core_settle(core, now, batch));
    core_batch_destroy(batch);
    return core;
}

/* Each keeps its wait to the millisecond.  If it is over by then, each is ready at another time
 * within the first wait. */
static void a_wait_is_the_same_after_a_reload(void **state)
{
    struct core_fold fold = {0};
    struct world world;
    struct core *core;
    fl_ms late, least = INT64_MAX, most = 0;

    (void)state;
    init(&world, 1, 100);
    connect(&world);
    submit(&world, WAITING);
    assert_false(core_settle(world.core, world.now, world.batch));
    for (uint64_t job = 1; job <= WAITING; job++) {
        fail_attempt(&world, job, 1);
    }
    core_fold_add(&fold, world.batch);
    core = load_at(&world, &fold, world.now + 3000);
    for (uint64_t job = 1; job <= WAITING; job++) {
        assert_int_equal(wait_until(core, job), wait_until(world.core, job));
    }
    core_destroy(core);
    late = world.now + FL_HOUR_MS;
    core = load_at(&world, &fold, late);
    for (uint64_t job = 1; job <= WAITING; job++) {
        fl_ms wait = wait_until(core, job) - late;

        assert_in_range(wait, 0, world.config.backoff_first_ms);
        if (wait < least) least = wait;
        if (wait > most) most = wait;
    }
    assert_true(most - least > world.config.backoff_first_ms / 4);
    core_destroy(core);
    core_fold_fini(&fold);
    fini(&world);
}

/* An agent of east comes with a seal; true: it is sent away, and the database is disputed. */
static bool is_disputed_by(struct world *world, struct core_seen seen)
{
    struct core_event hello = {.kind = CORE_EV_session_open, .now = world->now};

    hello.session_open.cluster.n = 1;
    hello.session_open.connection = 1;
    hello.session_open.seen = seen;
    core_step(world->core, &hello, world->batch);
    return core_history_is_disputed(world->core);
}

/* Restored from the same backup with its state directory, as often as it is called.  One agent
 * knows the lost history, and a person accepts the database. */
static void restore_and_accept(struct world *world, uint64_t seed)
{
    struct core_event accept = {.kind = CORE_EV_accept_restore, .tenant = {1}, .request = 1};

    init(world, seed, 0);
    connect(world);
    assert_true(is_disputed_by(world, (struct core_seen){1, 900, 41}));
    core_step(world->core, &accept, world->batch);
    assert_false(core_history_is_disputed(world->core));
}

/* A second restore also loses all that was accepted after the first.  An agent that worked for
 * it shows that, however far the database has gone on since. */
static void a_restore_after_an_accepted_one_does_not_hide(void **state)
{
    enum { SEEDS = 50 };
    uint32_t before = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct world first, second;
        struct core_seen seal = {.batch = 960, .job_below = 60};

        restore_and_accept(&first, seed);
        restore_and_accept(&second, seed + SEEDS);
        seal.incarnation = core_incarnation(first.core);
        before += seal.incarnation < core_incarnation(second.core);
        assert_int_not_equal(seal.incarnation, core_incarnation(second.core));
        core_batch_destroy(second.batch);
        second.batch = core_batch_create(2000);
        assert_false(is_disputed_by(&second, (struct core_seen){1, 900, 41}));
        assert_false(
            is_disputed_by(&second, (struct core_seen){core_incarnation(second.core), 1999, 50}));
        assert_true(is_disputed_by(&second, seal));
        fini(&first);
        fini(&second);
    }
    assert_in_range(before, SEEDS / 5, SEEDS * 4 / 5);
}

/* Restored from the same backup, and the state directory tells that it is old, or only that its
 * end was not in good order. */
static uint32_t incarnation_after(uint64_t seed, bool is_lost)
{
    struct core_event history = {.kind = CORE_EV_history, .actor = FL_STR("fairleadd")};
    struct world world;
    uint32_t incarnation;

    init(&world, seed, 0);
    history.history.is_raised = true;
    history.history.is_lost = is_lost;
    history.history.incarnation = 7;
    core_step(world.core, &history, world.batch);
    incarnation = core_incarnation(world.core);
    fini(&world);
    return incarnation;
}

/* Else attempts of the time between the two would be numbered again. */
static void a_backup_that_is_restored_twice_begins_two_incarnations(void **state)
{
    enum { SEEDS = 50 };
    uint32_t same_lost = 0, same_bad = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t first = incarnation_after(seed, true), bad = incarnation_after(seed, false);

        assert_in_range(first, 8, 8 + 65535);
        assert_in_range(bad, 8, 8 + 255);
        same_lost += first == incarnation_after(seed + SEEDS, true);
        same_bad += bad == incarnation_after(seed + SEEDS, false);
    }
    assert_int_equal(same_lost, 0);
    assert_in_range(same_bad, 0, 2);
}

/* A thousand refusals have more text than is kept of an answer: codes and jobs are kept, texts are
 * not. */
static void a_repeatable_answer_is_kept_however_long_it_is(void **state)
{
    struct core_submit_item items[CORE_SUBMIT_MAX];
    struct core_event event = {.kind = CORE_EV_submit,
                               .now = 1000,
                               .request = 1,
                               .tenant = {1},
                               .key = FL_STR("key"),
                               .submit = {.at = items, .len = CORE_SUBMIT_MAX}};
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct core_answer answer = {0};
    struct world world;
    size_t kept = 0;

    (void)state;
    init(&world, 1, 0);
    for (size_t i = 0; i < CORE_SUBMIT_MAX; i++) {
        items[i] = (struct core_submit_item){
            .queue = i == 500 ? FL_STR("ml") : FL_STR("a-queue-of-a-long-name-that-does-not-exist"),
            .shape = {world.shape, world.shape_len},
            .elements = 1};
    }
    core_step(world.core, &event, world.batch);
    for (size_t i = 0; i < world.batch->rows.len; i++) {
        const struct row *row = &world.batch->rows.at[i];

        if (row->kind != ROW_idempotency) continue;
        kept++;
        assert_true(core_answer_decode(row->idempotency.answer, &arena, &answer, &err));
    }
    assert_int_equal(kept, 1);
    assert_int_equal(answer.outcomes_len, CORE_SUBMIT_MAX);
    assert_int_equal(answer.outcomes[0].code, FL_ABSENT);
    assert_int_equal(answer.outcomes[500].code, FL_OK);
    assert_int_equal(answer.outcomes[500].job.n, 1);
    fl_arena_fini(&arena);
    fini(&world);
}

static void refusals_that_are_decided_anew_take_no_room_from_those_that_stay(void **state)
{
    struct core_submit_item items[CORE_SUBMIT_MAX];
    struct core_event event = {.kind = CORE_EV_submit,
                               .now = 1000,
                               .request = 1,
                               .tenant = {1},
                               .key = FL_STR("key"),
                               .submit = {.at = items, .len = CORE_SUBMIT_MAX}};
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct core_answer answer = {0};
    struct world world;

    (void)state;
    init(&world, 1, 0);
    for (size_t i = 0; i < CORE_SUBMIT_MAX; i++) {
        items[i] = (struct core_submit_item){
            .queue = i == 500 ? FL_STR("ml") : FL_STR("a-queue-of-a-long-name-that-does-not-exist"),
            .shape = {world.shape, world.shape_len},
            .elements = i == 500 ? 0 : 1};
    }
    core_step(world.core, &event, world.batch);
    for (size_t i = 0; i < world.batch->rows.len; i++) {
        const struct row *row = &world.batch->rows.at[i];

        if (row->kind != ROW_idempotency) continue;
        assert_true(core_answer_decode(row->idempotency.answer, &arena, &answer, &err));
    }
    assert_int_equal(answer.outcomes_len, CORE_SUBMIT_MAX);
    assert_int_equal(answer.outcomes[0].code, FL_ABSENT);
    assert_null(answer.outcomes[0].text);
    assert_int_equal(answer.outcomes[500].code, FL_INVALID);
    assert_non_null(answer.outcomes[500].text);
    assert_non_null(strstr(answer.outcomes[500].text, "a job has 1 to"));
    fl_arena_fini(&arena);
    fini(&world);
}

/* One replica of one core, 300 s, two retries: as releases before migration 0003 wrote it. */
static const char old_shape[] = {1, 1, 1, 1, (char)0xe8, 7, 0, 0, 0, 0, 0, (char)0xac, 2, 2, 0};

static void what_no_row_can_hold_is_refused_before_anything_is_written(void **state)
{
    static char big[262145];
    struct world world;

    (void)state;
    memset(big, 'x', sizeof big);
    init(&world, 1, 0);
    for (int what = 0; what < 8; what++) {
        struct core_submit_item item = {
            .queue = FL_STR("ml"), .shape = {world.shape, world.shape_len}, .elements = 1};
        struct core_event event = {.kind = CORE_EV_submit,
                                   .now = 1000,
                                   .request = 1,
                                   .tenant = {1},
                                   .submit = {.at = &item, .len = 1}};
        size_t rows_len = world.batch->rows.len;
        const struct core_answer *answer;

        if (what == 0) item.name = (struct fl_str){big, 254};
        if (what == 1) item.labels = (struct fl_str){big, 16385};
        if (what == 2) item.params = (struct fl_str){big, 65537};
        if (what == 3) item.picked = (struct fl_str){big, 65537};
        if (what == 4) item.spec = (struct fl_str){big, 262145};
        if (what == 5) item.name = FL_STR("\xc3");
        if (what == 6) item.elements = FL_JOB_ELEMENTS_MAX + 1;
        if (what == 7) item.shape = (struct fl_str){old_shape, sizeof old_shape};
        core_step(world.core, &event, world.batch);
        answer = &world.batch->effects.at[world.batch->effects.len - 1].answer;
        assert_int_equal(answer->outcomes[0].code, what < 5 ? FL_TOO_LARGE : FL_INVALID);
        assert_int_equal(world.batch->rows.len, rows_len);
    }
    fini(&world);
}

static void rows_that_contradict_each_other_are_refused_by_name(void **state)
{
    struct row good[] = {
        {.kind = ROW_queue_put, .queue_put = {1, 1, 0, FL_STR("ml")}},
        {.kind = ROW_cluster_put,
         .cluster_put = {.cluster = 1, .state = 1, .name = FL_STR("east"), .uid = FL_STR("uid")}},
        {.kind = ROW_shape_new, .shape_new = {.shape = 4}},
        {.kind = ROW_job_new,
         .job_new = {.job = 7, .tenant = 1, .queue = 1, .shape = 4, .elements = 2}},
        {.kind = ROW_attempt_new,
         .attempt_new = {.job = 7, .n = 1, .incarnation = 1, .cluster = 1}},
        {.kind = ROW_job_new,
         .job_new = {.job = 9, .tenant = 1, .queue = 1, .shape = 4, .elements = 3}},
    };
    const struct row bad[] = {
        {.kind = ROW_queue_put, .queue_put = {1, 1, 0, FL_STR("dev")}},
        {.kind = ROW_queue_put, .queue_put = {2, 1, 0, FL_STR("ml")}},
        {.kind = ROW_cluster_put,
         .cluster_put = {.cluster = 5, .state = 1, .name = FL_STR("west"), .uid = FL_STR("uid")}},
        {.kind = ROW_cluster_put,
         .cluster_put = {.cluster = 2, .access = 3, .name = FL_STR("west"), .uid = FL_STR("uid")}},
        {.kind = ROW_join_put, .join_put = {.cluster = 2, .name = FL_STR("west")}},
        {.kind = ROW_join_put, .join_put = {.name = FL_STR("No Name")}},
        {.kind = ROW_token_put, .token_put = {.id = FL_STR("t1")}},
        {.kind = ROW_mark_set,
         .mark_set = {.job = 7, .kind = CORE_MARK_picked, .body = FL_STR("\1\1\1")}},
        {.kind = ROW_mark_set,
         .mark_set = {.job = 7, .kind = CORE_MARK_picked, .body = FL_STR("\1\2")}},
        {.kind = ROW_shape_new, .shape_new = {.shape = 5, .body = FL_STR("?")}},
        {.kind = ROW_counter, .counter = {99, 1}},
        {.kind = ROW_job_new, .job_new = {.job = 7, .queue = 1, .shape = 4, .elements = 1}},
        {.kind = ROW_job_new, .job_new = {.job = 8, .queue = 2, .shape = 4, .elements = 1}},
        {.kind = ROW_job_new, .job_new = {.job = 8, .queue = 1, .shape = 5, .elements = 1}},
        {.kind = ROW_job_new, .job_new = {.job = 8, .queue = 1, .shape = 4, .elements = 0}},
        {.kind = ROW_mark_set, .mark_set = {8, CORE_MARK_held, 1}},
        {.kind = ROW_mark_set, .mark_set = {7, 99, 1}},
        {.kind = ROW_attempt_new, .attempt_new = {.job = 8, .n = 1, .cluster = 1}},
        {.kind = ROW_attempt_new, .attempt_new = {.job = 7, .n = 3, .cluster = 1}},
        {.kind = ROW_attempt_new, .attempt_new = {.job = 7, .n = 1, .cluster = 1}},
        {.kind = ROW_attempt_new, .attempt_new = {.job = 7, .element = 2, .n = 1, .cluster = 1}},
        {.kind = ROW_attempt_new, .attempt_new = {.job = 7, .element = 1, .n = 1, .cluster = 2}},
        {.kind = ROW_attempt_end, .attempt_end = {.job = 7, .n = 2}},
        {.kind = ROW_attempt_end, .attempt_end = {.job = 7, .element = 1, .n = 1}},
        {.kind = ROW_element_end, .element_end = {.job = 9, .element = 1, .n = 1}},
        {.kind = ROW_array_ends, .array_ends = {.job = 8, .last = 0, .failed = 1}},
        {.kind = ROW_array_ends, .array_ends = {.job = 7, .last = 1, .failed = 1}}, /* too late */
        {.kind = ROW_array_ends, .array_ends = {.job = 9, .last = 3, .failed = 1}},
        {.kind = ROW_array_ends, .array_ends = {.job = 9, .last = 1}},
        {.kind = ROW_array_ends, .array_ends = {9, .last = 1, .succeeded = 1, .cancelled = 2}},
        {.kind = ROW_array_ends, .array_ends = {9, .last = 1, .cancelled = 1, .unplaced = 2}},
        {.kind = ROW_job_end, .job_end = {.job = 7}},
        {.kind = ROW_replica_phase, .replica_phase = {.job = 7}},
    };
    struct world world;

    (void)state;
    init(&world, 1, 0);
    good[2].shape_new.body = (struct fl_str){world.shape, world.shape_len};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct core *core = core_create(&world.config);
        struct fl_err err = {0};

        for (size_t g = 0; g < sizeof good / sizeof *good; g++) {
            assert_true(core_load(core, &good[g], &err));
        }
        assert_false(core_load(core, &bad[i], &err));
        assert_true(err.text[0] != '\0');
        core_destroy(core);
    }
    fini(&world);
}

/* Rows of before migration 0003 beside one of today. */
static void a_job_of_an_older_release_has_the_deadline_and_retries_of_its_shape(void **state)
{
    static const char today[] = {2, 1, 1, 1, (char)0xe8, 7, 0, 0, 0, 0, 0, 0};
    const struct row rows[] = {
        {.kind = ROW_queue_put, .queue_put = {1, 1, 0, FL_STR("ml")}},
        {.kind = ROW_shape_new, .shape_new = {.shape = 4, .body = {old_shape, sizeof old_shape}}},
        {.kind = ROW_shape_new, .shape_new = {.shape = 5, .body = {today, sizeof today}}},
        {.kind = ROW_job_new, .job_new = {.job = 7, .queue = 1, .shape = 4, .elements = 1}},
        {.kind = ROW_job_new,
         .job_new = {8, .queue = 1, .shape = 5, .elements = 1, .deadline_s = 60, .retries_max = 9}},
    };
    struct core_config config = core_config_default();
    struct core *core = core_create(&config);
    const struct job *job;
    struct fl_err err;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(core_load(core, &rows[i], &err));
    }
    job = job_table_at(&core->jobs, job_table_find(&core->jobs, (struct fl_job){7}));
    assert_int_equal(job_table_deadline_s(&core->jobs, job), 300);
    assert_int_equal(job->retries_max, 2);
    job = job_table_at(&core->jobs, job_table_find(&core->jobs, (struct fl_job){8}));
    assert_int_equal(job_table_deadline_s(&core->jobs, job), 60);
    assert_int_equal(job->retries_max, 9);
    core_destroy(core);
}

static void the_deadline_of_an_idle_core_is_never(void **state)
{
    struct world world;

    (void)state;
    init(&world, 1, 0);
    submit(&world, 1);
    assert_false(core_settle(world.core, world.now, world.batch));
    assert_int_equal(core_deadline(world.core), INT64_MAX); /* no cluster: its head is passed */
    core_destroy(NULL);
    fini(&world);
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* An array of which all elements run on one node. */
static void run_array(struct world *world, uint32_t elements)
{
    struct core_submit_item item = {
        .queue = FL_STR("ml"), .shape = {world->shape, world->shape_len}, .elements = elements};
    struct core_event event = {.kind = CORE_EV_submit, .tenant = {1}, .submit = {&item, 1}};

    connect(world);
    core_step(world->core, &event, world->batch);
    while (core_settle(world->core, world->now, world->batch)) {
    }
    assert_int_equal(core_stats(world->core).elements, elements);
    next_batch(world);
}

/* Batches of one settle each, until nothing is left: each within the slice. */
static size_t count_slices(struct world *world, size_t effects_max, size_t *ret_effects)
{
    size_t slices = 1;

    *ret_effects = 0;
    for (;; slices++) {
        bool has_more = core_settle(world->core, world->now, world->batch);

        core_check(world->core);
        assert_true(world->batch->effects.len <= effects_max);
        assert_true(core_batch_bytes(world->batch) < CORE_BATCH_BYTES_MAX);
        *ret_effects += world->batch->effects.len;
        next_batch(world);
        if (!has_more) return slices;
    }
}

/* Issue 11, section 3: one mark, and STOPs in slices. */
static void a_cancel_of_many_is_one_mark_and_slices(void **state)
{
    enum { ELEMENTS = 40000 };
    struct world world;
    size_t stops;
    uint64_t looked;

    (void)state;
    init(&world, 1, 0);
    world.node_cpus = ELEMENTS * 1000;
    world.config.unconfirmed_max = ELEMENTS;
    core_destroy(world.core);
    world.core = core_create(&world.config);
    begin(&world);
    run_array(&world, ELEMENTS);
    looked = core_looked(world.core);
    cancel(&world, 1);
    assert_true(core_looked(world.core) - looked <= world.config.slice_max);
    assert_int_equal(world.batch->rows.len, 2); /* audit and mark */
    assert_int_equal(world.batch->rows.at[1].kind, ROW_mark_set);
    assert_int_equal(count_slices(&world, 2 * world.config.slice_max, &stops), 4);
    assert_int_equal(stops, ELEMENTS);
    fini(&world);
}

/* Runs so many jobs, whose deadlines pass an hour later. */
static void run_with_deadlines(struct world *world, size_t jobs)
{
    init(world, 1, 0);
    world->deadline_s = 3600;
    world->node_cpus = (uint32_t)jobs * 1000;
    world->config.unconfirmed_max = (uint32_t)jobs;
    core_destroy(world->core);
    world->core = core_create(&world->config);
    begin(world);
    connect(world);
    for (size_t i = 0; i < jobs; i += CORE_SUBMIT_MAX) {
        submit(world, CORE_SUBMIT_MAX);
    }
    while (core_settle(world->core, world->now, world->batch)) {
    }
    for (uint64_t job = 1; job <= jobs; job++) {
        struct core_event report = {.kind = CORE_EV_replica,
                                    .now = world->now,
                                    .replica = {.cluster = {1},
                                                .session_epoch = 1,
                                                .report_seq = ++world->report_seq,
                                                .told.attempt = {{job}, 0, 1, 1},
                                                .told.state = FL_REPLICA_running}};

        core_step(world->core, &report, world->batch);
    }
    (void)core_settle(world->core, world->now, world->batch);
    next_batch(world);
}

/* Issue 11, section 3. */
static void due_timers_fire_in_slices_with_a_bounded_batch_each(void **state)
{
    enum { JOBS = 20000 };
    struct core_event tick = {.kind = CORE_EV_tick};
    struct world world;
    size_t stops, slices;

    (void)state;
    run_with_deadlines(&world, JOBS);
    tick.now = world.now += 3600 * FL_SECOND_MS;
    core_step(world.core, &tick, world.batch);
    assert_true(world.batch->rows.len < world.config.slice_max / 4);
    assert_int_equal(core_deadline(world.core), INT64_MAX); /* core_settle goes on */
    submit(&world, 1);                                      /* and new events are served */
    slices = count_slices(&world, world.config.slice_max, &stops);
    assert_true(slices > 10);
    assert_int_equal(stops, JOBS);
    fini(&world);
}

/* Jobs that end before their deadline leave a timer each, and a day is long. */
static void timers_that_count_no_more_do_not_pile_up(void **state)
{
    enum { ROUNDS = 20, JOBS = 1000 };
    struct world world;
    uint64_t looked;
    size_t slices, stops;

    (void)state;
    run_with_deadlines(&world, JOBS);
    for (uint64_t job = 1; job <= ROUNDS * JOBS; job++) {
        for (int state_of = FL_REPLICA_running; state_of <= FL_REPLICA_exited; state_of++) {
            struct core_event report = {.kind = CORE_EV_replica,
                                        .now = world.now,
                                        .replica = {.cluster = {1},
                                                    .session_epoch = 1,
                                                    .report_seq = ++world.report_seq,
                                                    .told.attempt = {{job}, 0, 1, 1},
                                                    .told.state = (enum fl_replica_state)state_of}};

            core_step(world.core, &report, world.batch);
        }
        submit(&world, 1);
        while (core_settle(world.core, world.now, world.batch)) {
        }
        next_batch(&world);
    }
    looked = core_looked(world.core);
    world.now += 3600 * FL_SECOND_MS;
    slices = count_slices(&world, world.config.slice_max, &stops);
    assert_int_equal(slices, 1);
    assert_true(core_looked(world.core) - looked < 4 * JOBS); /* 20,000 were armed */
    fini(&world);
}

/* ---- the looks of a turn --------------------------------------------------------------------- */

enum { ROUND_LOOKS = 200, MANY_CLUSTERS = 100 };

/* A world whose next round has more to look at than it may: jobs of 100 shapes that do not fit.
 * They came before there was a cluster to judge them by. */
static void init_long_round(struct world *world)
{
    struct core_event put = {.kind = CORE_EV_cluster_put, .now = 1000, .tenant = {1}};
    struct shape shape = {.roles_len = 1, .roles = {{1, 1, {0, 0, 0}}}};

    init(world, 1, 0);
    world->config.round_looks_max = ROUND_LOOKS;
    core_destroy(world->core);
    world->core = core_create(&world->config);
    begin(world);
    for (uint32_t i = 0; i < 100; i++) {
        shape.roles[0].each.cpu_milli = 9000 + i;
        set_shape(world, &shape);
        submit(world, 1);
    }
    connect(world);
    for (unsigned i = 1; i < MANY_CLUSTERS; i++) {
        char name[16];

        snprintf(name, sizeof name, "c%u", i);
        put.cluster_put.name = fl_str_c(name);
        put.cluster_put.uid = fl_str_c(name);
        core_step(world->core, &put, world->batch);
    }
}

static uint64_t looks_of_settle(struct world *world)
{
    uint64_t looked = core_looked(world->core);

    (void)core_settle(world->core, world->now, world->batch);
    return core_looked(world->core) - looked;
}

/* Decision 143: to judge what can never run is work of the same turn; a read is not. */
static void a_round_looks_less_after_a_submission_that_looked_much(void **state)
{
    struct shape nowhere = {.roles_len = 1,
                            .roles = {{1, 1, {0, 1000, 0}}},
                            .clusters_len = 1,
                            .clusters = {FL_STR("nowhere")}};
    struct core_event explain = {
        .kind = CORE_EV_explain, .now = 1000, .tenant = {1}, .job = {.job = {1}}};
    struct world world;
    uint64_t looked;

    (void)state;
    init_long_round(&world);
    assert_in_range(looks_of_settle(&world), ROUND_LOOKS, ROUND_LOOKS + 20);
    fini(&world);

    init_long_round(&world);
    looked = core_looked(world.core);
    for (int i = 0; i < 100; i++) {
        core_step(world.core, &explain, world.batch);
    }
    assert_true(core_looked(world.core) - looked >= ROUND_LOOKS);
    assert_in_range(looks_of_settle(&world), ROUND_LOOKS, ROUND_LOOKS + 20);
    fini(&world);

    init_long_round(&world);
    looked = core_looked(world.core);
    set_shape(&world, &nowhere);
    submit(&world, 1);
    assert_true(core_looked(world.core) - looked >= MANY_CLUSTERS);
    assert_in_range(looks_of_settle(&world), ROUND_LOOKS / 4, ROUND_LOOKS / 4 + 20);
    assert_in_range(looks_of_settle(&world), ROUND_LOOKS, ROUND_LOOKS + 20); /* the next turn's */
    fini(&world);
}

/* So many bytes that nothing else comes into the batch. */
static void fill_batch(struct world *world)
{
    static char params[FL_JOB_PARAMS_BYTES_MAX];
    struct core_submit_item items[CORE_BATCH_BYTES_MAX / 2 / sizeof params + 1];
    struct core_event event = {.kind = CORE_EV_submit,
                               .now = world->now,
                               .tenant = {1},
                               .submit = {items, sizeof items / sizeof *items}};

    memset(params, 'x', sizeof params);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        items[i] = (struct core_submit_item){.queue = FL_STR("ml"),
                                             .shape = {world->shape, world->shape_len},
                                             .params = {params, sizeof params},
                                             .elements = 1,
                                             .is_held = true};
    }
    core_step(world->core, &event, world->batch);
    assert_true(core_batch_bytes(world->batch) > CORE_BATCH_BYTES_MAX / 2);
}

static void a_claim_does_not_end_without_the_start_of_its_job(void **state)
{
    struct shape whole = {.roles_len = 1, .roles = {{1, 1, {0, 8000, 0}}}};
    struct core_event end = {.kind = CORE_EV_replica, .now = 1000};
    const struct claim *claim;
    struct world world;

    (void)state;
    init(&world, 1, 0);
    set_shape(&world, &whole);
    connect(&world);
    for (int jobs = 1; jobs <= 2; jobs++) {
        submit(&world, 1);
        while (core_settle(world.core, world.now, world.batch)) {
        }
    }
    claim = &queue_table_at(&world.core->queues, (struct fl_queue_id){1})->claim;
    assert_int_equal(claim->cluster.n, 1);
    next_batch(&world);
    fill_batch(&world);
    end.replica.cluster.n = 1;
    end.replica.session_epoch = 1;
    end.replica.report_seq = ++world.report_seq;
    end.replica.told.attempt = (struct fl_attempt){{1}, 0, 1, 1};
    end.replica.told.state = FL_REPLICA_exited;
    core_step(world.core, &end, world.batch);
    (void)core_settle(world.core, world.now, world.batch);
    assert_int_equal(claim->cluster.n, 0);
    assert_int_equal(core_stats(world.core).starts, 2);
    fini(&world);
}

FL_TESTS(cmocka_unit_test(a_million_queued_jobs_take_at_most_96_bytes_each),
         cmocka_unit_test(a_failure_waits_ten_seconds_doubled_to_five_minutes_give_or_take_a_fifth),
         cmocka_unit_test(a_wait_is_the_same_after_a_reload),
         cmocka_unit_test(a_restore_after_an_accepted_one_does_not_hide),
         cmocka_unit_test(a_backup_that_is_restored_twice_begins_two_incarnations),
         cmocka_unit_test(a_repeatable_answer_is_kept_however_long_it_is),
         cmocka_unit_test(refusals_that_are_decided_anew_take_no_room_from_those_that_stay),
         cmocka_unit_test(what_no_row_can_hold_is_refused_before_anything_is_written),
         cmocka_unit_test(rows_that_contradict_each_other_are_refused_by_name),
         cmocka_unit_test(a_job_of_an_older_release_has_the_deadline_and_retries_of_its_shape),
         cmocka_unit_test(the_deadline_of_an_idle_core_is_never),
         cmocka_unit_test(a_cancel_of_many_is_one_mark_and_slices),
         cmocka_unit_test(due_timers_fire_in_slices_with_a_bounded_batch_each),
         cmocka_unit_test(timers_that_count_no_more_do_not_pile_up),
         cmocka_unit_test(a_round_looks_less_after_a_submission_that_looked_much),
         cmocka_unit_test(a_claim_does_not_end_without_the_start_of_its_job))
