#include "controlplane/core/job_tree.h"

#include "shared/base/assert.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

enum { JOBS = 2000 };

struct world {
    struct job_table table;
    struct job_slot slots[JOBS];
    bool is_in[JOBS]; /* the reference: a set over the ids, which its index sorts */
    struct job_slot root;
    enum job_links links;
};

static void init(struct world *world, enum job_links links)
{
    memset(world, 0, sizeof *world);
    world->links = links;
    job_table_init(&world->table, JOBS);
    for (uint64_t i = 0; i < JOBS; i++) {
        world->slots[i] = job_table_add(&world->table, (struct fl_job){i * 7 + 1});
    }
}

static struct job_slot less_of(const struct world *world, const struct job *job)
{
    return world->links == JOB_LINKS_OF_QUEUE ? job->older : job->left;
}

static struct job_slot more_of(const struct world *world, const struct job *job)
{
    return world->links == JOB_LINKS_OF_QUEUE ? job->newer : job->right;
}

static void collect(const struct world *world, struct job_slot root, uint32_t *depth,
                    uint32_t level, uint64_t *ids, size_t *len)
{
    const struct job *job;

    if (!root.n) return;
    job = job_table_at(&world->table, root);
    if (level > *depth) *depth = level;
    collect(world, less_of(world, job), depth, level + 1, ids, len);
    ids[(*len)++] = job->id;
    collect(world, more_of(world, job), depth, level + 1, ids, len);
}

static void compare(const struct world *world)
{
    uint64_t ids[JOBS] = {0};
    struct job_slot first = job_tree_first(&world->table, world->links, world->root), next = {0};
    struct job_slot prev = {0};
    uint32_t depth = 0;
    size_t len = 0, at = 0;

    collect(world, world->root, &depth, 1, ids, &len);
    for (size_t i = 0; i < JOBS; i++) {
        if (!world->is_in[i]) continue;
        assert_true(at < len);
        if (at == 0) assert_int_equal(first.n, world->slots[i].n);
        assert_int_equal(ids[at++], i * 7 + 1);
    }
    assert_int_equal(at, len);
    if (len == 0) assert_int_equal(first.n, 0);
    for (size_t i = JOBS; i-- > 0;) { /* whether the job itself is there or not */
        uint64_t id = i * 7 + 1;

        assert_int_equal(job_tree_after(&world->table, world->links, world->root, id).n, next.n);
        if (world->is_in[i]) next = world->slots[i];
        assert_int_equal(job_tree_after(&world->table, world->links, world->root, id - 1).n,
                         next.n);
    }
    for (size_t i = 0; i < JOBS; i++) {
        uint64_t id = i * 7 + 1;

        assert_int_equal(job_tree_before(&world->table, world->links, world->root, id).n, prev.n);
        if (world->is_in[i]) prev = world->slots[i];
        assert_int_equal(job_tree_before(&world->table, world->links, world->root, id + 1).n,
                         prev.n);
    }
    assert_true(depth < 60); /* a treap of 2000 has about 25 levels */
}

static void flip(struct world *world, size_t i)
{
    if (world->is_in[i]) {
        world->root = job_tree_remove(&world->table, world->links, world->root, world->slots[i]);
    } else {
        world->root = job_tree_add(&world->table, world->links, world->root, world->slots[i]);
    }
    world->is_in[i] = !world->is_in[i];
}

static void agrees_with_a_sorted_set(enum job_links links)
{
    static struct world world;
    struct fl_prng prng;

    init(&world, links);
    fl_prng_seed(&prng, 11);
    compare(&world);
    for (int i = 0; i < 40000; i++) {
        size_t pick = fl_prng_below(&prng, i < 20000 ? JOBS : 8); /* large, then small */

        flip(&world, pick);
        if (i % 97 == 0) compare(&world);
    }
    for (size_t i = 0; i < JOBS; i++) {
        if (world.is_in[i]) flip(&world, i);
    }
    assert_int_equal(world.root.n, 0);
    job_table_fini(&world.table);
}

static void it_agrees_with_a_sorted_set_whatever_comes_and_goes(void **state)
{
    (void)state;
    agrees_with_a_sorted_set(JOB_LINKS_OF_BUCKET);
    agrees_with_a_sorted_set(JOB_LINKS_OF_QUEUE);
}

static void one_job_is_in_two_trees(void **state)
{
    static struct world world;
    struct job_slot other = {0};

    (void)state;
    init(&world, JOB_LINKS_OF_BUCKET);
    for (size_t i = 0; i < JOBS; i++) {
        flip(&world, i);
        if (i % 3 == 0) {
            other = job_tree_add(&world.table, JOB_LINKS_OF_QUEUE, other, world.slots[i]);
        }
    }
    for (size_t i = 0; i < JOBS; i += 3) {
        assert_int_equal(job_tree_first(&world.table, JOB_LINKS_OF_QUEUE, other).n,
                         world.slots[i].n);
        other = job_tree_remove(&world.table, JOB_LINKS_OF_QUEUE, other, world.slots[i]);
    }
    compare(&world);
    job_table_fini(&world.table);
}

static void ascending_ids_make_no_list_of_it(void **state)
{
    static struct world world;

    (void)state;
    init(&world, JOB_LINKS_OF_BUCKET);
    for (size_t i = 0; i < JOBS; i++) {
        flip(&world, i);
    }
    compare(&world);
    job_table_fini(&world.table);
}

static uint32_t shape_of(const struct world *world, struct job_slot root)
{
    const struct job *job;

    if (!root.n) return 7;
    job = job_table_at(&world->table, root);
    return (uint32_t)job->id * 31 + shape_of(world, less_of(world, job)) * 3 +
           shape_of(world, more_of(world, job)) * 5;
}

static void equal_contents_have_equal_shape(void **state)
{
    static struct world world;
    uint32_t shape;

    (void)state;
    init(&world, JOB_LINKS_OF_BUCKET);
    for (size_t i = 0; i < 100; i++) {
        flip(&world, i);
    }
    shape = shape_of(&world, world.root);
    for (size_t i = 100; i-- > 0;) {
        flip(&world, i);
    }
    for (size_t i = 100; i-- > 0;) {
        flip(&world, i);
    }
    assert_int_equal(shape_of(&world, world.root), shape);
    job_table_fini(&world.table);
}

static void remove_absent(void *arg)
{
    struct world *world = arg;

    world->root = job_tree_remove(&world->table, world->links, world->root, world->slots[5]);
}

static void taking_out_what_is_not_there_is_a_bug(void **state)
{
    static struct world world;

    (void)state;
    init(&world, JOB_LINKS_OF_BUCKET);
    flip(&world, 4);
    assert_true(fl_test_aborts(remove_absent, &world));
    job_table_fini(&world.table);
}

FL_TESTS(cmocka_unit_test(it_agrees_with_a_sorted_set_whatever_comes_and_goes),
         cmocka_unit_test(one_job_is_in_two_trees),
         cmocka_unit_test(ascending_ids_make_no_list_of_it),
         cmocka_unit_test(equal_contents_have_equal_shape),
         cmocka_unit_test(taking_out_what_is_not_there_is_a_bug))
