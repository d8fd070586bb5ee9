#include "controlplane/core/job_tree.h"
#include "controlplane/core/queue_table.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static const struct fl_tenant one = {1}, two = {2};
static const struct fl_queue_id next = {0}; /* the next id */
static const struct shape_slot shape_one = {1}, shape_new = {77};

static struct fl_queue_id add(struct queue_table *table, const char *name)
{
    struct fl_err err = {0};
    struct fl_queue_id id = {0};

    assert_true(queue_table_add(table, next, one, fl_str_c(name), &id, &err));
    return id;
}

static void names_are_unique_per_tenant(void **state)
{
    struct queue_table table;
    struct fl_err err = {0};
    struct fl_queue_id id;

    (void)state;
    queue_table_init(&table, 4, 4);
    assert_int_equal(add(&table, "ml").n, 1);
    assert_false(queue_table_add(&table, next, one, FL_STR("ml"), &id, &err));
    assert_int_equal(err.code, FL_EXISTS);
    assert_true(queue_table_add(&table, next, two, FL_STR("ml"), &id, &err));
    assert_int_equal(id.n, 2);
    assert_int_equal(queue_table_find(&table, one, FL_STR("ml")).n, 1);
    assert_int_equal(queue_table_find(&table, two, FL_STR("ml")).n, 2);
    assert_int_equal(queue_table_find(&table, one, FL_STR("m")).n, 0);
    assert_int_equal(queue_table_find(&table, one, FL_STR("")).n, 0);
    queue_table_fini(&table);
}

static void what_is_no_name_the_wrong_id_or_too_much_is_refused(void **state)
{
    static const char long_name[] =
        "0123456789012345678901234567890123456789012345678901234567890123";
    struct queue_table table;
    struct fl_err err = {0};
    struct fl_queue_id id;

    (void)state;
    queue_table_init(&table, 2, 4);
    assert_int_equal(strlen(long_name), 64);
    assert_false(queue_table_add(&table, next, one, fl_str_c(long_name), &id, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_int_equal(queue_table_find(&table, one, fl_str_c(long_name)).n, 0);
    assert_false(queue_table_add(&table, (struct fl_queue_id){2}, one, FL_STR("ml"), &id, &err));
    assert_int_equal(err.code, FL_TORN);
    add(&table, "a");
    add(&table, "b");
    assert_false(queue_table_add(&table, next, one, FL_STR("c"), &id, &err));
    assert_int_equal(err.code, FL_FULL);
    queue_table_fini(&table);
}

static void a_removed_queue_does_not_count_and_comes_back_as_itself(void **state)
{
    struct queue_table table;
    struct fl_err err = {0};
    struct fl_queue_id id, ml;

    (void)state;
    queue_table_init(&table, 2, 4);
    ml = add(&table, "ml");
    add(&table, "dev");
    queue_table_at(&table, ml)->is_paused = true;
    queue_table_drop(&table, ml);
    assert_int_equal(queue_table_find(&table, one, FL_STR("ml")).n, 0);
    id = add(&table, "new");
    assert_int_equal(id.n, 3);
    assert_false(queue_table_add(&table, next, one, FL_STR("ml"), &id, &err));
    assert_int_equal(err.code, FL_FULL);
    queue_table_drop(&table, id);
    assert_int_equal(add(&table, "ml").n, ml.n);
    assert_false(queue_table_at(&table, ml)->is_paused);
    assert_int_equal(table.ids.len, 2);
    queue_table_fini(&table);
}

static void names_add_up_to_a_limit(void **state)
{
    enum { QUEUES = 2, NAMES = QUEUES * QUEUE_TURNS_MAX };
    struct queue_table table;
    struct fl_err err = {0};
    struct fl_queue_id id;

    (void)state;
    queue_table_init(&table, QUEUES, 4);
    for (int i = 0; i < NAMES; i++) {
        char name[16];

        snprintf(name, sizeof name, "q%d", i);
        queue_table_drop(&table, add(&table, name));
    }
    assert_false(queue_table_add(&table, next, one, FL_STR("one-more"), &id, &err));
    assert_int_equal(err.code, FL_FULL);
    assert_non_null(strstr(err.text, "32 names"));
    assert_int_equal(add(&table, "q7").n, 8);
    queue_table_fini(&table);
}

static void buckets_stand_by_falling_priority_then_shape_and_go_with_their_last_job(void **state)
{
    static const struct {
        int32_t priority;
        struct shape_slot shape;
    } sorted[] = {{INT32_MAX, {1}}, {5, {1}},  {5, {2}},        {5, {9}},
                  {0, {1}},         {-5, {1}}, {INT32_MIN, {3}}};
    static const int order[] = {3, 0, 6, 1, 5, 2, 4};
    struct queue_table table;
    struct job_table jobs;
    struct bucket_slot slots[7];
    struct job_slot jobs_at[7];
    struct fl_queue_id queue;

    (void)state;
    job_table_init(&jobs, 7);
    queue_table_init(&table, 4, 7);
    queue = add(&table, "ml");
    for (size_t i = 0; i < 7; i++) {
        int n = order[i];

        slots[n] = queue_table_need_bucket(&table, queue, sorted[n].priority, sorted[n].shape);
        assert_int_not_equal(slots[n].n, 0);
        assert_int_equal(
            queue_table_need_bucket(&table, queue, sorted[n].priority, sorted[n].shape).n,
            slots[n].n);
        jobs_at[n] = job_table_add(&jobs, (struct fl_job){i + 1});
        job_table_at(&jobs, jobs_at[n])->bucket = slots[n];
        queue_table_join(&table, &jobs, jobs_at[n]);
    }
    assert_int_equal(queue_table_need_bucket(&table, queue, 77, shape_new).n,
                     0); /* as many as can be */
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(queue_table_at(&table, queue)->buckets.at[i].n, slots[i].n);
    }
    assert_int_equal(queue_table_at(&table, queue)->jobs, 7);
    queue_table_leave(&table, &jobs, jobs_at[2]);
    assert_int_equal(queue_table_at(&table, queue)->buckets.len, 6);
    assert_int_equal(queue_table_at(&table, queue)->buckets.at[2].n, slots[3].n);
    assert_int_not_equal(queue_table_need_bucket(&table, queue, 77, shape_new).n, 0);
    queue_table_fini(&table);
    job_table_fini(&jobs);
}

enum { JOBS = 60 };

struct world {
    struct job_table jobs;
    struct queue_table queues;
    struct bucket_slot bucket;
    struct job_slot slots[JOBS];
};

static void init(struct world *world)
{
    job_table_init(&world->jobs, JOBS);
    queue_table_init(&world->queues, 1, 1);
    world->bucket =
        queue_table_need_bucket(&world->queues, add(&world->queues, "ml"), 0, shape_one);
    for (uint64_t i = 0; i < JOBS; i++) {
        world->slots[i] = job_table_add(&world->jobs, (struct fl_job){i + 1});
        job_table_at(&world->jobs, world->slots[i])->bucket = world->bucket;
        queue_table_join(&world->queues, &world->jobs, world->slots[i]);
    }
}

static void fini(struct world *world)
{
    queue_table_fini(&world->queues);
    job_table_fini(&world->jobs);
}

static void set_ready(struct world *world, struct job_slot slot, bool is_ready)
{
    struct job *job = job_table_at(&world->jobs, slot);

    if (is_ready || job->run.n) job_table_need_run(&world->jobs, job)->ready_first.n = is_ready;
}

/* From the first to the last: all that are in and, with 'is_ready', ready, by age. */
static void walk(const struct world *world, const bool *is_in, const bool *is_ready,
                 bool only_ready)
{
    struct job_slot line = queue_table_bucket(&world->queues, world->bucket)->line_first;
    struct job_slot at = queue_table_first(&world->queues, &world->jobs, world->bucket, only_ready);

    for (size_t i = 0; i < JOBS; i++) {
        const struct job *job;

        if (!is_in[i] || (only_ready && !is_ready[i])) continue;
        assert_int_equal(at.n, world->slots[i].n);
        job = job_table_at(&world->jobs, at);
        if (job->place == JOB_IN_LINE) line = job->right;
        at = queue_table_after(&world->queues, &world->jobs, world->bucket, at, line, only_ready);
    }
    assert_int_equal(at.n, 0);
}

/* Jobs enter, leave, and become ready or not: the head is always the oldest, the ready head the
 * oldest ready one. */
static void the_head_is_the_oldest_whatever_came_back(void **state)
{
    struct world world;
    struct fl_prng prng;
    bool is_in[JOBS] = {0}, is_ready[JOBS] = {0};

    (void)state;
    init(&world);
    fl_prng_seed(&prng, 5);
    for (int step = 0; step < 20000; step++) {
        size_t pick = fl_prng_below(&prng, JOBS);
        struct job_slot head = {0}, ready = {0};

        switch (fl_prng_below(&prng, 4)) {
        case 0:
            queue_table_remove(&world.queues, &world.jobs, world.slots[pick]);
            is_in[pick] = false;
            break;
        case 1:
            is_ready[pick] = !is_ready[pick];
            set_ready(&world, world.slots[pick], is_ready[pick]);
            if (!is_in[pick]) break;
            queue_table_enter(&world.queues, &world.jobs, world.slots[pick]);
            break;
        default:
            queue_table_enter(&world.queues, &world.jobs, world.slots[pick]);
            is_in[pick] = true;
            break;
        }
        for (size_t i = JOBS; i-- > 0;) {
            if (is_in[i]) head = world.slots[i];
            if (is_in[i] && is_ready[i]) ready = world.slots[i];
        }
        assert_int_equal(queue_table_first(&world.queues, &world.jobs, world.bucket, false).n,
                         head.n);
        assert_int_equal(queue_table_first(&world.queues, &world.jobs, world.bucket, true).n,
                         ready.n);
        if (step % 7 != 0) continue;
        walk(&world, is_in, is_ready, false);
        walk(&world, is_in, is_ready, true);
    }
    fini(&world);
}

/* As at the limit of started elements: it begins with the first that has one to start, wherever the
 * walk over all of them was. */
static void a_walk_may_go_on_with_the_ready_ones_only(void **state)
{
    struct world world;
    struct job_slot line, at;

    (void)state;
    init(&world);
    for (size_t i = 0; i < 6; i++) {
        set_ready(&world, world.slots[i], i == 1 || i == 4);
        queue_table_enter(&world.queues, &world.jobs, world.slots[i]);
    }
    line = queue_table_bucket(&world.queues, world.bucket)->line_first;
    assert_int_equal(line.n, world.slots[0].n);
    line = job_table_at(&world.jobs, line)->right;
    at = queue_table_after(&world.queues, &world.jobs, world.bucket, world.slots[0], line, false);
    assert_int_equal(at.n, world.slots[1].n);
    at = queue_table_after(&world.queues, &world.jobs, world.bucket, at, line, false);
    assert_int_equal(at.n, world.slots[2].n);
    at = queue_table_after(&world.queues, &world.jobs, world.bucket, at, line, true);
    assert_int_equal(at.n, world.slots[4].n);
    at = queue_table_after(&world.queues, &world.jobs, world.bucket, at, line, true);
    assert_int_equal(at.n, 0);
    fini(&world);
}

static void jobs_that_come_in_order_stand_in_line(void **state)
{
    struct world world;

    (void)state;
    init(&world);
    for (size_t i = 0; i < JOBS; i++) {
        queue_table_enter(&world.queues, &world.jobs, world.slots[i]);
        assert_int_equal(job_table_at(&world.jobs, world.slots[i])->place, JOB_IN_LINE);
    }
    queue_table_remove(&world.queues, &world.jobs, world.slots[3]);
    queue_table_enter(&world.queues, &world.jobs, world.slots[3]);
    assert_int_equal(job_table_at(&world.jobs, world.slots[3])->place, JOB_RETURNED);
    set_ready(&world, world.slots[5], true);
    queue_table_enter(&world.queues, &world.jobs, world.slots[5]);
    assert_int_equal(job_table_at(&world.jobs, world.slots[5])->place, JOB_READY);
    set_ready(&world, world.slots[5], false);
    queue_table_enter(&world.queues, &world.jobs, world.slots[5]);
    assert_int_equal(job_table_at(&world.jobs, world.slots[5])->place, JOB_RETURNED);
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(queue_table_first(&world.queues, &world.jobs, world.bucket, false).n,
                         world.slots[i].n);
        queue_table_remove(&world.queues, &world.jobs, world.slots[i]);
    }
    assert_int_equal(queue_table_first(&world.queues, &world.jobs, world.bucket, false).n, 0);
    fini(&world);
}

/* The ids of a queue's jobs, the newest first: its line and its tree, as a list reads them. */
static size_t ids_of(const struct queue_table *table, const struct job_table *jobs,
                     struct fl_queue_id id, uint64_t *ids)
{
    const struct queue *queue = queue_table_at(table, id);
    struct job_slot line = queue->newest;
    uint64_t before = UINT64_MAX;
    size_t len = 0;

    for (;;) {
        struct job_slot moved = job_tree_before(jobs, JOB_LINKS_OF_QUEUE, queue->moved, before);
        bool is_moved =
            moved.n && (!line.n || job_table_at(jobs, moved)->id > job_table_at(jobs, line)->id);
        struct job_slot slot = is_moved ? moved : line;

        if (!slot.n) return len;
        assert_int_equal(job_table_at(jobs, slot)->is_moved, is_moved);
        if (!is_moved) line = job_table_at(jobs, line)->older;
        ids[len++] = before = job_table_at(jobs, slot)->id;
    }
}

/* Jobs go to and fro between two queues and two priorities. */
static void a_job_that_is_moved_is_in_one_queue_by_its_age(void **state)
{
    struct queue_table table;
    struct job_table jobs;
    struct fl_queue_id queues[2];
    struct job_slot slots[JOBS];
    uint32_t where[JOBS];
    struct fl_prng prng;

    (void)state;
    job_table_init(&jobs, JOBS);
    queue_table_init(&table, 2, 4);
    queues[0] = add(&table, "a");
    queues[1] = add(&table, "b");
    fl_prng_seed(&prng, 9);
    for (uint64_t i = 0; i < JOBS; i++) {
        where[i] = (uint32_t)fl_prng_below(&prng, 4);
        slots[i] = job_table_add(&jobs, (struct fl_job){i + 1});
        job_table_at(&jobs, slots[i])->bucket =
            queue_table_need_bucket(&table, queues[where[i] % 2], (int32_t)where[i] / 2, shape_one);
        queue_table_join(&table, &jobs, slots[i]);
        if (i % 4) queue_table_enter(&table, &jobs, slots[i]);
    }
    for (int step = 0; step < 3000; step++) {
        size_t pick = fl_prng_below(&prng, JOBS);
        uint64_t ids[JOBS];

        where[pick] = (uint32_t)fl_prng_below(&prng, 4);
        queue_table_move(&table, &jobs, slots[pick],
                         queue_table_need_bucket(&table, queues[where[pick] % 2],
                                                 (int32_t)where[pick] / 2, shape_one));
        if (pick % 4) queue_table_enter(&table, &jobs, slots[pick]);
        for (uint32_t q = 0; q < 2; q++) {
            size_t len = ids_of(&table, &jobs, queues[q], ids), at = 0;

            for (size_t i = JOBS; i-- > 0;) {
                if (where[i] % 2 != q) continue;
                assert_true(at < len);
                assert_int_equal(ids[at++], i + 1);
            }
            assert_int_equal(at, len);
            assert_int_equal(queue_table_at(&table, queues[q])->jobs, len);
        }
    }
    for (size_t i = 0; i < JOBS; i++) {
        queue_table_remove(&table, &jobs, slots[i]);
        queue_table_leave(&table, &jobs, slots[i]);
    }
    for (uint32_t q = 0; q < 2; q++) {
        const struct queue *queue = queue_table_at(&table, queues[q]);

        assert_int_equal(queue->jobs + queue->newest.n + queue->moved.n + queue->buckets.len, 0);
    }
    queue_table_fini(&table);
    job_table_fini(&jobs);
}

FL_TESTS(cmocka_unit_test(names_are_unique_per_tenant),
         cmocka_unit_test(what_is_no_name_the_wrong_id_or_too_much_is_refused),
         cmocka_unit_test(a_removed_queue_does_not_count_and_comes_back_as_itself),
         cmocka_unit_test(names_add_up_to_a_limit),
         cmocka_unit_test(buckets_stand_by_falling_priority_then_shape_and_go_with_their_last_job),
         cmocka_unit_test(the_head_is_the_oldest_whatever_came_back),
         cmocka_unit_test(a_walk_may_go_on_with_the_ready_ones_only),
         cmocka_unit_test(jobs_that_come_in_order_stand_in_line),
         cmocka_unit_test(a_job_that_is_moved_is_in_one_queue_by_its_age))
