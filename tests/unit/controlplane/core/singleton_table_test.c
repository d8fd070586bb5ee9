#include "controlplane/core/singleton_table.h"

#include "shared/base/arena.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static struct fl_arena arena;

static struct fl_str key(const char *owner, const char *name)
{
    return singleton_key(fl_str_c(owner), fl_str_c(name), &arena);
}

static void a_line_goes_by_tenant_owner_and_name(void **state)
{
    struct singleton_table table;

    (void)state;
    singleton_table_init(&table);
    singleton_table_add(&table, 1, key("ann", "sync"), 3);
    singleton_table_add(&table, 1, key("ann", "sync"), 5);
    singleton_table_add(&table, 2, key("ann", "sync"), 4);
    singleton_table_add(&table, 1, key("bob", "sync"), 6);
    singleton_table_add(&table, 1, key("an", "nsync"), 7);
    singleton_table_add(&table, 1, key("", "sync"), 8);
    for (uint64_t job = 3; job <= 8; job++) {
        assert_int_equal(singleton_table_first(&table, job), job == 5 ? 3 : job);
        assert_int_equal(singleton_table_before(&table, job), job == 5);
    }
    assert_int_equal(singleton_table_len(&table, 1, key("ann", "sync")), 2);
    assert_int_equal(singleton_table_last(&table, 1, key("ann", "sync")), 5);
    assert_int_equal(singleton_table_len(&table, 3, key("ann", "sync")), 0);
    assert_int_equal(singleton_table_last(&table, 3, key("ann", "sync")), 0);
    assert_true(fl_str_eq(singleton_table_key(&table, 5), key("ann", "sync")));
    singleton_table_fini(&table);
    fl_arena_fini(&arena);
}

static void the_next_one_has_its_turn_when_the_first_leaves(void **state)
{
    struct singleton_table table;
    struct fl_str sync = key("ann", "sync");

    (void)state;
    singleton_table_init(&table);
    for (uint64_t job = 1; job <= 4; job++) {
        singleton_table_add(&table, 1, sync, job);
    }
    assert_int_equal(singleton_table_remove(&table, 2), 0);
    assert_int_equal(singleton_table_before(&table, 3), 1);
    assert_int_equal(singleton_table_first(&table, 3), 1);
    assert_int_equal(singleton_table_remove(&table, 1), 3);
    assert_int_equal(singleton_table_remove(&table, 4), 0);
    assert_int_equal(singleton_table_remove(&table, 3), 0);
    assert_int_equal(table.singletons.len + table.lines.len + table.of_job.len + table.by_key.len,
                     0);
    singleton_table_fini(&table);
    fl_arena_fini(&arena);
}

static void bytes_that_are_no_key_are_seen(void **state)
{
    char bytes[SINGLETON_KEY_BYTES_MAX + 1] = {63};

    (void)state;
    assert_true(singleton_key_is_whole(key("ann", "sync")));
    assert_true(fl_str_eq(singleton_key_name(key("ann", "sync")), FL_STR("sync")));
    assert_true(fl_str_eq(singleton_key_name(key("", "s")), FL_STR("s")));
    assert_false(singleton_key_is_whole(FL_STR("")));
    assert_false(singleton_key_is_whole(key("ann", "")));
    assert_false(singleton_key_is_whole(FL_STR("\3an")));
    assert_true(singleton_key_is_whole((struct fl_str){bytes, SINGLETON_KEY_BYTES_MAX}));
    assert_false(singleton_key_is_whole((struct fl_str){bytes, SINGLETON_KEY_BYTES_MAX + 1}));
    bytes[0] = 64;
    assert_false(singleton_key_is_whole((struct fl_str){bytes, SINGLETON_KEY_BYTES_MAX}));
    fl_arena_fini(&arena);
}

enum { JOBS = 200, NAMES = 7 };

/* names[job]: its line; 0: in none */
static uint64_t first_of(const uint8_t names[JOBS + 1], uint64_t job, uint32_t *ret_before)
{
    uint64_t first = 0;

    *ret_before = 0;
    for (uint64_t other = 1; other < job; other++) {
        if (names[other] != names[job]) continue;
        if (!first) first = other;
        ++*ret_before;
    }
    return first ? first : job;
}

static void random_lines_are_as_a_plain_list_has_them(void **state)
{
    static const char *const texts[NAMES + 1] = {"", "a", "b", "c", "d", "e", "f", "g"};
    struct singleton_table table;
    uint8_t names[JOBS + 1] = {0};
    struct fl_prng prng;
    uint64_t added = 0;

    (void)state;
    fl_prng_seed(&prng, 36);
    singleton_table_init(&table);
    for (int step = 0; step < 2000; step++) {
        uint64_t job = 1 + fl_prng_below(&prng, JOBS);
        uint32_t before;

        if (added < JOBS && fl_prng_chance(&prng, 500000)) {
            names[++added] = (uint8_t)(1 + fl_prng_below(&prng, NAMES));
            singleton_table_add(&table, 1, key("ann", texts[names[added]]), added);
        } else if (names[job]) {
            bool was_first = first_of(names, job, &before) == job;
            uint64_t next = 0;

            for (uint64_t other = job + 1; other <= added && was_first && !next; other++) {
                if (names[other] == names[job]) next = other;
            }
            names[job] = 0;
            assert_int_equal(singleton_table_remove(&table, job), next);
        }
        for (uint64_t one = 1; one <= added; one++) {
            if (!names[one]) continue;
            assert_int_equal(singleton_table_first(&table, one), first_of(names, one, &before));
            assert_int_equal(singleton_table_before(&table, one), before);
        }
    }
    singleton_table_fini(&table);
    fl_arena_fini(&arena);
}

static void there_is_room_for_so_many(void **state)
{
    struct singleton_table table;
    struct fl_str sync = key("ann", "sync");

    (void)state;
    singleton_table_init(&table);
    for (uint64_t job = 1; job <= SINGLETONS_MAX; job++) {
        assert_true(singleton_table_has_room(&table));
        singleton_table_add(&table, 1, sync, job);
    }
    assert_false(singleton_table_has_room(&table));
    assert_int_equal(singleton_table_remove(&table, 1), 2);
    assert_true(singleton_table_has_room(&table));
    singleton_table_fini(&table);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_line_goes_by_tenant_owner_and_name),
         cmocka_unit_test(the_next_one_has_its_turn_when_the_first_leaves),
         cmocka_unit_test(bytes_that_are_no_key_are_seen),
         cmocka_unit_test(random_lines_are_as_a_plain_list_has_them),
         cmocka_unit_test(there_is_room_for_so_many))
