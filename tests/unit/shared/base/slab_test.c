#include "shared/base/slab.h"

#include "shared/base/alloc.h"
#include "shared/base/poison.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

struct record {
    uint64_t a;
    uint32_t b;
};

struct give {
    struct fl_slab *slab;
    uint32_t slot;
};

static void do_give(void *arg)
{
    struct give *give = arg;

    fl_slab_give(give->slab, give->slot);
}

static void do_at(void *arg)
{
    struct give *give = arg;

    fl_slab_at(give->slab, give->slot);
}

static void do_init_without_bytes(void *arg)
{
    fl_slab_init(arg, 0, 1);
}

static void slots_count_from_one_and_the_last_given_is_taken_first(void **state)
{
    struct fl_slab slab;

    (void)state;
    fl_slab_init(&slab, sizeof(struct record), 100);
    assert_int_equal(fl_slab_bytes(&slab), 0);
    for (uint32_t i = 1; i <= 10; i++) {
        assert_int_equal(fl_slab_take(&slab), i);
    }
    fl_slab_give(&slab, 3);
    fl_slab_give(&slab, 7);
    assert_int_equal(slab.len, 8);
    assert_int_equal(fl_slab_take(&slab), 7);
    assert_int_equal(fl_slab_take(&slab), 3);
    assert_int_equal(fl_slab_take(&slab), 11);
    fl_slab_fini(&slab);
}

static void a_full_slab_gives_slot_zero_until_one_comes_back(void **state)
{
    uint32_t maxes[] = {0, 1, 2, 1000, 70000};

    (void)state;
    for (size_t m = 0; m < sizeof(maxes) / sizeof(maxes[0]); m++) {
        struct fl_slab slab;

        fl_slab_init(&slab, 24, maxes[m]);
        for (uint32_t i = 1; i <= maxes[m]; i++) {
            assert_int_equal(fl_slab_take(&slab), i);
        }
        assert_int_equal(fl_slab_take(&slab), 0);
        assert_int_equal(fl_slab_take(&slab), 0);
        assert_int_equal(slab.len, maxes[m]);
        if (maxes[m]) {
            fl_slab_give(&slab, maxes[m]);
            assert_int_equal(fl_slab_take(&slab), maxes[m]);
            assert_int_equal(fl_slab_take(&slab), 0);
        }
        fl_slab_fini(&slab);
    }
}

/* The reference is a plain array: which slots are taken, what their records hold, where they
 * are. */
static void records_are_zeroed_stay_and_never_move(void **state)
{
    const uint32_t max = 5000;
    struct fl_slab slab;
    struct fl_prng prng;
    void **where = fl_new_array(void *, max + 1);
    uint64_t *holds = fl_new_array(uint64_t, max + 1);
    uint32_t *taken = fl_new_array(uint32_t, max);
    uint32_t len = 0;

    (void)state;
    fl_prng_seed(&prng, 5);
    fl_slab_init(&slab, sizeof(struct record), max);
    for (uint64_t n = 1; n <= 100000; n++) {
        if (len == 0 || fl_prng_chance(&prng, len < max / 2 ? 700000 : 480000)) {
            uint32_t slot = fl_slab_take(&slab);
            struct record *record;

            if (!slot) {
                assert_int_equal(len, max);
                continue;
            }
            record = fl_slab_at(&slab, slot);
            assert_true(slot <= max && holds[slot] == 0);
            assert_true(record->a == 0 && record->b == 0);
            assert_true(!where[slot] || where[slot] == record);
            where[slot] = record;
            holds[slot] = record->a = n;
            record->b = UINT32_MAX;
            taken[len++] = slot;
        } else {
            uint32_t i = (uint32_t)fl_prng_below(&prng, len);
            uint32_t slot = taken[i];
            struct record *record = fl_slab_at(&slab, slot);

            assert_true(fl_slab_is_taken(&slab, slot));
            assert_true(record->a == holds[slot] && record->b == UINT32_MAX);
            fl_slab_give(&slab, slot);
            assert_false(fl_slab_is_taken(&slab, slot));
            holds[slot] = 0;
            taken[i] = taken[--len];
        }
        assert_int_equal(slab.len, len);
    }
    assert_true(len > 1000);
    fl_slab_fini(&slab);
    fl_free(where);
    fl_free(holds);
    fl_free(taken);
}

static void a_record_of_96_bytes_costs_little_more(void **state)
{
    struct fl_slab slab;

    (void)state;
    fl_slab_init(&slab, 96, UINT32_MAX);
    for (uint32_t i = 0; i < 100000; i++) {
        assert_int_not_equal(fl_slab_take(&slab), 0);
    }
    assert_true(fl_slab_bytes(&slab) <= 100000u * 97);
    fl_slab_fini(&slab);
}

static void records_of_odd_and_of_huge_size_are_apart_and_aligned(void **state)
{
    size_t sizes[] = {1, 7, 9, 4096, 65536, 200000};

    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        struct fl_slab slab;

        fl_slab_init(&slab, sizes[s], 100);
        for (uint32_t slot = 1; slot <= 100; slot++) {
            assert_int_equal(fl_slab_take(&slab), slot);
            assert_int_equal((uintptr_t)fl_slab_at(&slab, slot) % 8, 0);
            memset(fl_slab_at(&slab, slot), (int)slot, sizes[s]);
        }
        for (uint32_t slot = 1; slot <= 100; slot++) {
            const uint8_t *record = fl_slab_at(&slab, slot);

            assert_true(record[0] == slot && record[sizes[s] - 1] == slot);
            assert_true(fl_slab_is_taken(&slab, slot));
        }
        fl_slab_fini(&slab);
    }
}

static void wrong_slots_are_bugs(void **state)
{
    struct fl_slab slab;
    struct give give = {&slab, 0};

    (void)state;
    fl_slab_init(&slab, 8, 10);
    assert_true(fl_test_aborts(do_at, &give)); /* slot 0, of an empty slab */
    fl_slab_take(&slab);
    fl_slab_take(&slab);
    assert_true(fl_test_aborts(do_at, &give));
    assert_true(fl_test_aborts(do_give, &give));
    give.slot = 3; /* never taken */
    assert_true(fl_test_aborts(do_at, &give));
    assert_true(fl_test_aborts(do_give, &give));
    give.slot = UINT32_MAX;
    assert_true(fl_test_aborts(do_at, &give));
    give.slot = 2;
    assert_false(fl_test_aborts(do_give, &give));
    fl_slab_give(&slab, 2);
    assert_true(fl_test_aborts(do_give, &give)); /* twice */
    assert_false(fl_slab_is_taken(&slab, 0));
    assert_true(fl_slab_is_taken(&slab, 1));
    assert_false(fl_slab_is_taken(&slab, 2));
    assert_false(fl_slab_is_taken(&slab, 3));
    assert_false(fl_slab_is_taken(&slab, UINT32_MAX));
    fl_slab_fini(&slab);
    assert_true(fl_test_aborts(do_init_without_bytes, &slab));
}

static void an_empty_slab_may_be_ended(void **state)
{
    struct fl_slab slab = {0};

    (void)state;
    fl_slab_fini(&slab);
    fl_slab_fini(NULL);
    fl_slab_init(&slab, 8, 8);
    fl_slab_fini(&slab);
    fl_slab_fini(&slab);
}

#if FL_POISON
static void touch(void *arg)
{
    *(volatile uint8_t *)arg = 1;
}

static void the_sanitizer_sees_use_after_give(void **state)
{
    struct fl_slab slab;
    uint8_t *record;

    (void)state;
    fl_slab_init(&slab, 32, 8);
    record = fl_slab_at(&slab, fl_slab_take(&slab));
    assert_int_equal(fl_test_child(touch, record + 31), 0);
    assert_int_not_equal(fl_test_child(touch, record + 32), 0); /* not taken yet */
    fl_slab_give(&slab, 1);
    assert_int_not_equal(fl_test_child(touch, record), 0);
    assert_int_equal(fl_slab_take(&slab), 1);
    assert_int_equal(fl_test_child(touch, record), 0);
    fl_slab_fini(&slab);
}
#endif

FL_TESTS(
#if FL_POISON
    cmocka_unit_test(the_sanitizer_sees_use_after_give),
#endif
    cmocka_unit_test(slots_count_from_one_and_the_last_given_is_taken_first),
    cmocka_unit_test(a_full_slab_gives_slot_zero_until_one_comes_back),
    cmocka_unit_test(records_are_zeroed_stay_and_never_move),
    cmocka_unit_test(a_record_of_96_bytes_costs_little_more),
    cmocka_unit_test(records_of_odd_and_of_huge_size_are_apart_and_aligned),
    cmocka_unit_test(wrong_slots_are_bugs), cmocka_unit_test(an_empty_slab_may_be_ended))
