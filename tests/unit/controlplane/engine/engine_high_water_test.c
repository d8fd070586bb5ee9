#include "controlplane/engine/engine_high_water.h"

#include "controlplane/core/core.h"
#include "tests/fl_test.h"

static struct high_water asked;
static int asks;

static void keep(void *ctx, const struct high_water *water)
{
    (void)ctx;
    asked = *water;
    asks++;
}

static const struct engine_ports ports = {.keep = keep};

static struct engine_high_water started_with(struct high_water found)
{
    struct engine_high_water water;

    asks = 0;
    engine_high_water_init(&water, &found, 2048, true);
    engine_high_water_turn(&water, NULL, &ports, 1000);
    assert_int_equal(asks, 1);
    assert_false(engine_high_water_is_open(&water)); /* not before it is on the disk */
    engine_high_water_kept(&water, true);
    assert_true(engine_high_water_is_open(&water));
    return water;
}

/* As a process leaves it that ended in good order. */
static const struct high_water closed = {.batch = 90,
                                         .jobs = 40,
                                         .job_next = 51,
                                         .job_below = 51,
                                         .epoch_below = 8,
                                         .incarnation = 3,
                                         .is_closed = 1};

/* By a database whose newest batch is this, and whose counters these are.  Then the term begins. */
static struct core_event told_by_one(struct engine_high_water *water, uint64_t epoch,
                                     uint64_t batch, uint32_t incarnation, uint64_t batch_known)
{
    struct engine_taken taken = {.epoch = epoch, .batch_newest = batch};
    struct core_config config = core_config_default();
    struct core *core = core_create(&config);
    struct core_batch *rows = core_batch_create(batch + 1);
    struct row known = {.kind = ROW_counter, .counter = {CORE_COUNTER_batch_known, batch_known}};
    struct core_event event = {.kind = CORE_EV_begin, .begin = {.incarnation = incarnation}};
    struct fl_err err = {0};

    assert_true(core_load(core, &known, &err));
    core_step(core, &event, rows);
    assert_true(engine_high_water_taken(water, &taken));
    engine_high_water_compare(water, core);
    engine_high_water_tell(water, &event);
    core_step(core, &event, rows);
    engine_high_water_loaded(water, core);
    core_batch_destroy(rows);
    core_destroy(core);
    return event;
}

static struct core_event told_by(struct engine_high_water *water, uint64_t epoch, uint64_t batch)
{
    return told_by_one(water, epoch, batch, 3, 0);
}

static void after_a_good_end_nothing_is_skipped(void **state)
{
    struct engine_high_water water = started_with(closed);
    struct core_event event = told_by(&water, 8, 90);

    (void)state;
    assert_int_equal(water.epoch_above, 8);
    assert_false(event.history.is_lost || event.history.is_raised);
    assert_int_equal(event.history.job_from, 51);
}

static void an_older_database_is_a_loss_with_its_bounds(void **state)
{
    struct engine_high_water water = started_with(closed);
    struct core_event event = told_by(&water, 8, 70);

    (void)state;
    assert_true(event.history.is_lost && event.history.is_raised);
    assert_int_equal(event.history.incarnation, 3);
    assert_int_equal(event.history.jobs, 40);
    assert_int_equal(event.history.jobs_unsure, 0);
    assert_int_equal(event.history.batches, 20);
    /* The same again, until a batch has carried the news. */
    event = told_by(&water, 9, 70);
    assert_true(event.history.is_lost);
    engine_high_water_committed(&water, 71, 51, 20, 4);
    event = told_by(&water, 10, 71);
    assert_false(event.history.is_lost || event.history.is_raised);
}

static void a_loss_that_another_replica_noticed_is_no_news(void **state)
{
    struct engine_high_water water = started_with(closed), less = water, earlier = water;

    (void)state;
    assert_false(told_by_one(&water, 8, 70, 4, 90).history.is_lost);
    assert_true(told_by_one(&less, 8, 70, 4, 89).history.is_lost); /* that one knew less */
    assert_true(told_by_one(&earlier, 8, 70, 3, 90).history.is_lost);
}

/* Else a seal would tell of a batch that no database ever had in the older incarnation. */
static void batches_of_another_replica_are_of_the_incarnation_that_it_raised(void **state)
{
    struct engine_high_water water = started_with(closed);

    (void)state;
    assert_false(told_by_one(&water, 8, 120, 5, 100).history.is_lost);
    assert_int_equal(water.now.batch, 120);
    assert_int_equal(water.now.incarnation, 5);
}

/* It may never be committed. */
static void what_a_term_raises_itself_counts_from_its_first_commit(void **state)
{
    struct high_water open = closed;
    struct engine_high_water water;

    (void)state;
    open.is_closed = 0;
    water = started_with(open);
    assert_true(told_by(&water, 8, 91).history.is_raised);
    assert_int_equal(water.now.batch, 91);
    assert_int_equal(water.now.incarnation, 3);
    engine_high_water_committed(&water, 92, 51, 41, 4);
    assert_int_equal(water.now.incarnation, 4);
}

static void a_bad_end_skips_what_its_last_second_may_have_given_out(void **state)
{
    struct high_water open = closed;
    struct engine_high_water water, older;
    struct core_event event;

    (void)state;
    open.is_closed = 0;
    open.job_below = 2099;
    open.epoch_below = 64;
    water = started_with(open);
    assert_int_equal(water.epoch_above, 63);
    older = water;
    event = told_by(&water, 64, 91);
    assert_true(!event.history.is_lost && event.history.is_raised);
    assert_int_equal(event.history.job_from, 2099);
    event = told_by(&older, 64, 89);
    assert_true(event.history.is_lost);
    assert_int_equal(event.history.jobs_unsure, 2048);
}

static void an_epoch_beyond_the_disks_is_taken_again(void **state)
{
    struct engine_high_water water = started_with((struct high_water){0});
    struct engine_taken taken = {.epoch = 5000};

    (void)state;
    assert_false(engine_high_water_taken(&water, &taken));
    assert_false(engine_high_water_is_open(&water));
    engine_high_water_turn(&water, NULL, &ports, 1000);
    engine_high_water_kept(&water, true);
    assert_true(engine_high_water_is_open(&water));
    taken.epoch = 5001;
    assert_true(engine_high_water_taken(&water, &taken));
}

static void batches_are_noted_once_a_second_and_failures_are_spaced(void **state)
{
    struct engine_high_water water = started_with(closed);

    (void)state;
    engine_high_water_committed(&water, 91, 51, 41, 3);
    engine_high_water_turn(&water, NULL, &ports, 1999);
    assert_int_equal(asks, 1);
    assert_int_equal(engine_high_water_deadline(&water), 2000);
    engine_high_water_committed(&water, 92, 51, 41, 3);
    engine_high_water_turn(&water, NULL, &ports, 2000);
    assert_int_equal(asks, 2);
    assert_int_equal(asked.batch, 92);
    engine_high_water_turn(&water, NULL, &ports, 9000); /* one at a time */
    assert_int_equal(asks, 2);
    assert_int_equal(engine_high_water_deadline(&water), INT64_MAX);
    engine_high_water_kept(&water, false);
    assert_int_equal(engine_high_water_deadline(&water), 3000);
    engine_high_water_turn(&water, NULL, &ports, 2999);
    assert_int_equal(asks, 2);
    engine_high_water_turn(&water, NULL, &ports, 3000);
    assert_int_equal(asks, 3);
}

static void ids_are_reserved_ahead_and_more_when_they_go_fast(void **state)
{
    struct engine_high_water water = started_with(closed);
    struct core_config config = core_config_default();
    struct core *core = core_create(&config); /* its next job is 1 */

    (void)state;
    water.now.job_below = water.kept.job_below = 1;
    assert_true(engine_high_water_is_short(&water, core));
    assert_false(engine_high_water_holds(&water, core, 5000)); /* nothing is under way */
    engine_high_water_turn(&water, core, &ports, 5000);
    assert_int_equal(asked.job_below, 1 + 2048);
    assert_int_equal(engine_high_water_job_below(&water), 1);
    assert_true(engine_high_water_holds(&water, core, 5001));
    assert_false(engine_high_water_holds(&water, core, 7000)); /* the disk takes too long */
    engine_high_water_kept(&water, true);
    assert_int_equal(engine_high_water_job_below(&water), 2049);
    assert_false(engine_high_water_is_short(&water, core));
    water.now.job_below = water.kept.job_below = 1000; /* used up within seconds */
    engine_high_water_turn(&water, core, &ports, 8000);
    assert_int_equal(asked.job_below, 1 + 4096);
    core_destroy(core);
}

static void the_last_marks_are_exact(void **state)
{
    struct engine_high_water water = started_with(closed);
    struct high_water last = engine_high_water_close(&water);

    (void)state;
    assert_memory_equal(&last, &closed, sizeof last); /* it has done nothing */
    (void)told_by(&water, 8, 90);
    engine_high_water_committed(&water, 91, 60, 49, 3);
    last = engine_high_water_close(&water);
    assert_int_equal(last.is_closed, 1);
    assert_int_equal(last.job_below, 60);
    assert_int_equal(last.epoch_below, 9);
}

static void a_term_without_a_commit_leaves_its_epoch_and_what_it_found(void **state)
{
    struct engine_high_water water = started_with(closed);
    struct high_water last;

    (void)state;
    (void)told_by(&water, 20, 93); /* another replica led up to epoch 19 */
    last = engine_high_water_close(&water);
    assert_int_equal(last.epoch_below, 21);
    assert_int_equal(last.batch, 93); /* agents may have its seal */
    assert_int_equal(last.job_below, closed.job_below);
    assert_int_equal(last.is_closed, 1);
}

static void a_term_without_a_commit_leaves_the_doubt_that_it_found(void **state)
{
    struct high_water killed = closed;
    struct engine_high_water water;
    struct high_water last;

    (void)state;
    killed.is_closed = 0;
    killed.job_below = 2099;
    water = started_with(killed);
    (void)told_by(&water, 20, 90);
    last = engine_high_water_close(&water);
    assert_int_equal(last.epoch_below, 21);
    assert_int_equal(last.job_below, 2099);
    assert_int_equal(last.is_closed, 0); /* the next term skips ids, as this one would have */
}

static void the_first_start_of_all_leaves_its_epoch(void **state)
{
    struct engine_high_water water = started_with((struct high_water){0});
    struct high_water last;

    (void)state;
    (void)told_by(&water, 1, 0);
    last = engine_high_water_close(&water);
    assert_int_equal(last.epoch_below, 2);
    assert_int_equal(last.is_closed, 1);
}

FL_TESTS(cmocka_unit_test(after_a_good_end_nothing_is_skipped),
         cmocka_unit_test(an_older_database_is_a_loss_with_its_bounds),
         cmocka_unit_test(a_loss_that_another_replica_noticed_is_no_news),
         cmocka_unit_test(batches_of_another_replica_are_of_the_incarnation_that_it_raised),
         cmocka_unit_test(what_a_term_raises_itself_counts_from_its_first_commit),
         cmocka_unit_test(a_bad_end_skips_what_its_last_second_may_have_given_out),
         cmocka_unit_test(an_epoch_beyond_the_disks_is_taken_again),
         cmocka_unit_test(batches_are_noted_once_a_second_and_failures_are_spaced),
         cmocka_unit_test(ids_are_reserved_ahead_and_more_when_they_go_fast),
         cmocka_unit_test(the_last_marks_are_exact),
         cmocka_unit_test(a_term_without_a_commit_leaves_its_epoch_and_what_it_found),
         cmocka_unit_test(a_term_without_a_commit_leaves_the_doubt_that_it_found),
         cmocka_unit_test(the_first_start_of_all_leaves_its_epoch))
