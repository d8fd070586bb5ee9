#include "controlplane/core/owner_table.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static const struct fl_tenant one = {1}, two = {2};
static const struct bucket_slot a = {7}, b = {3}, c = {9};

static void an_owner_is_a_tenant_and_a_name(void **state)
{
    struct owner_table table;
    struct owner_slot ann, other;

    (void)state;
    owner_table_init(&table, 4);
    assert_int_equal(owner_table_find(&table, one, FL_STR("ann")).n, 0);
    ann = owner_table_need(&table, one, FL_STR("ann"));
    other = owner_table_need(&table, two, FL_STR("ann"));
    assert_int_not_equal(ann.n, other.n);
    assert_int_equal(owner_table_need(&table, one, FL_STR("ann")).n, ann.n);
    assert_int_equal(owner_table_find(&table, one, FL_STR("ann")).n, ann.n);
    assert_int_equal(owner_table_find(&table, two, FL_STR("ann")).n, other.n);
    assert_int_equal(owner_table_find(&table, one, FL_STR("an")).n, 0);
    assert_int_equal(owner_table_find(&table, one, FL_STR("")).n, 0);
    assert_true(fl_str_eq(owner_name(owner_table_at(&table, ann)), FL_STR("ann")));
    assert_int_equal(owner_table_at(&table, other)->tenant.n, 2);
    owner_table_fini(&table);
}

static void jobs_and_their_kinds_are_counted(void **state)
{
    struct owner_table table;
    struct owner_slot ann, bob;

    (void)state;
    owner_table_init(&table, 4);
    ann = owner_table_need(&table, one, FL_STR("ann"));
    owner_table_join(&table, ann, a);
    owner_table_join(&table, ann, b);
    owner_table_join(&table, ann, a);
    bob = owner_table_need(&table, one, FL_STR("bob"));
    owner_table_join(&table, bob, a);
    assert_int_equal(owner_table_at(&table, ann)->used[OWNER_jobs], 3);
    assert_int_equal(owner_table_at(&table, ann)->used[OWNER_kinds], 2);
    assert_int_equal(owner_table_at(&table, bob)->used[OWNER_kinds], 1);
    assert_true(owner_table_jobs(&table, ann, a));
    assert_true(owner_table_jobs(&table, ann, b));
    assert_false(owner_table_jobs(&table, ann, c));
    assert_false(owner_table_jobs(&table, bob, b));
    owner_table_leave(&table, ann, a);
    assert_true(owner_table_jobs(&table, ann, a));
    owner_table_leave(&table, ann, a);
    assert_false(owner_table_jobs(&table, ann, a));
    assert_int_equal(owner_table_at(&table, ann)->used[OWNER_kinds], 1);
    assert_true(owner_table_jobs(&table, bob, a));
    owner_table_fini(&table);
}

static void an_owner_goes_with_its_last_job(void **state)
{
    char name[FL_NAME_BYTES_MAX];
    struct fl_str longest = {name, sizeof name};
    struct owner_table table;

    (void)state;
    memset(name, 'x', sizeof name);
    owner_table_init(&table, 1);
    for (int i = 0; i < 3; i++) {
        struct owner_slot slot = owner_table_need(&table, one, longest);

        owner_table_join(&table, slot, b);
        owner_table_leave(&table, slot, b);
        assert_int_equal(owner_table_find(&table, one, longest).n, 0);
        slot = owner_table_need(&table, one, FL_STR(""));
        owner_table_join(&table, slot, a);
        assert_int_equal(owner_table_at(&table, slot)->used[OWNER_jobs], 1);
        owner_table_leave(&table, slot, a);
    }
    assert_int_equal(table.owners.len + table.by_name.len, 0);
    owner_table_fini(&table);
}

static void at_its_most_one_that_is_there_stays_and_none_comes(void **state)
{
    struct owner_table table;
    struct owner_slot slot = {0};
    char name[16];

    (void)state;
    owner_table_init(&table, OWNERS_MAX + 1);
    for (int i = 0; i < OWNERS_MAX; i++) {
        assert_true(owner_table_has_room(&table));
        (void)snprintf(name, sizeof name, "o-%d", i);
        slot = owner_table_need(&table, one, fl_str_c(name));
        owner_table_join(&table, slot, a);
    }
    assert_false(owner_table_has_room(&table));
    assert_int_equal(owner_table_find(&table, one, fl_str_c(name)).n, slot.n);
    owner_table_leave(&table, slot, a);
    assert_true(owner_table_has_room(&table));
    owner_table_fini(&table);
}

enum { OWNERS = 5, BUCKETS = 40, STEPS = 20000 };

/* Against a plain table of counts. */
static void any_order_of_jobs_is_counted(void **state)
{
    static uint32_t jobs[OWNERS][BUCKETS];
    const char *const names[OWNERS] = {"ann", "bob", "cid", "dot", ""};
    struct owner_table table;
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 154);
    owner_table_init(&table, OWNERS);
    for (int step = 0; step < STEPS; step++) {
        uint32_t o = (uint32_t)fl_prng_below(&prng, OWNERS);
        uint32_t k = (uint32_t)fl_prng_below(&prng, BUCKETS);
        struct bucket_slot bucket = {k + 1};
        struct owner_slot slot;
        uint32_t sum = 0, kinds = 0;

        if (fl_prng_below(&prng, 2) && jobs[o][k] < 3) {
            owner_table_join(&table, owner_table_need(&table, one, fl_str_c(names[o])), bucket);
            jobs[o][k]++;
        } else if (jobs[o][k] > 0) {
            owner_table_leave(&table, owner_table_find(&table, one, fl_str_c(names[o])), bucket);
            jobs[o][k]--;
        }
        for (int i = 0; i < BUCKETS; i++) {
            sum += jobs[o][i];
            kinds += jobs[o][i] > 0;
        }
        slot = owner_table_find(&table, one, fl_str_c(names[o]));
        assert_int_equal(slot.n != 0, sum > 0);
        if (!slot.n) continue;
        assert_int_equal(owner_table_at(&table, slot)->used[OWNER_jobs], sum);
        assert_int_equal(owner_table_at(&table, slot)->used[OWNER_kinds], kinds);
        assert_int_equal(owner_table_jobs(&table, slot, bucket), jobs[o][k]);
    }
    owner_table_fini(&table);
}

FL_TESTS(cmocka_unit_test(an_owner_is_a_tenant_and_a_name),
         cmocka_unit_test(jobs_and_their_kinds_are_counted),
         cmocka_unit_test(an_owner_goes_with_its_last_job),
         cmocka_unit_test(at_its_most_one_that_is_there_stays_and_none_comes),
         cmocka_unit_test(any_order_of_jobs_is_counted))
