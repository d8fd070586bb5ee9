#include "agent/kube/kube_amounts.h"

#include <inttypes.h>

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

static struct kube_amounts read_amounts(const char *text, struct fl_arena *arena)
{
    const struct fl_json *root;
    struct kube_amounts amounts = {0};
    struct fl_err err = {0};

    if (!fl_json_parse(fl_str_c(text), arena, &root, NULL, &err)) {
        fail_msg("%s in %s", err.text, text);
    }
    if (!kube_amounts_read(root, arena, &amounts, &err)) {
        amounts.at = fl_arena_new(arena, struct kube_amount);
        amounts.at->name = fl_arena_str(arena, fl_str_c(err.text));
        amounts.len = 1;
    }
    return amounts;
}

static const char *tell(const struct kube_amounts *amounts, struct fl_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; i < amounts->len; i++) {
        text = fl_arena_printf(arena, "%s%s" FL_STR_FMT "=%" PRIu64, text, i ? " " : "",
                               FL_STR_ARG(amounts->at[i].name), amounts->at[i].n);
    }
    return text;
}

static const char *tell_text(const char *text, struct fl_arena *arena)
{
    struct kube_amounts amounts = read_amounts(text, arena);

    return tell(&amounts, arena);
}

static void cpu_is_in_thousandths_and_the_rest_in_units(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(tell_text("{\"pods\":\"110\",\"memory\":\"2Gi\",\"cpu\":\"1500m\","
                                  "\"nvidia.com/gpu\":8,\"x.io/y\":\"1500m\"}",
                                  &arena),
                        "cpu=1500 memory=2147483648 nvidia.com/gpu=8 pods=110 x.io/y=2");
    assert_string_equal(tell_text("{\"cpu\":1.5}", &arena), "cpu=1500");
    assert_string_equal(tell_text("{}", &arena), "");
    assert_string_equal(tell_text("null", &arena), "");
    assert_string_equal(tell_text("{\"cpu\":\"many\"}", &arena),
                        "the amount of cpu is no quantity=0");
    assert_string_equal(tell_text("{\"cpu\":[]}", &arena), "the amount of cpu is no quantity=0");
    assert_string_equal(tell_text("{\"\":1}", &arena),
                        "the name of a resource has 1 to 317 bytes=0");
    assert_string_equal(tell_text("[]", &arena), "resources are a list, not a map=0");
    fl_arena_fini(&arena);
}

static void amounts_add_up_or_raise(void **state)
{
    struct fl_arena arena = {0};
    struct kube_amounts a = read_amounts("{\"cpu\":1,\"b\":2}", &arena);
    struct kube_amounts b =
        read_amounts("{\"cpu\":2,\"a\":3,\"c\":\"18446744073709551615\"}", &arena);

    (void)state;
    kube_amounts_add(&a, &b, &arena);
    assert_string_equal(tell(&a, &arena), "a=3 b=2 c=18446744073709551615 cpu=3000");
    kube_amounts_add(&a, &b, &arena);
    assert_string_equal(tell(&a, &arena), "a=6 b=2 c=18446744073709551615 cpu=5000");
    a = read_amounts("{\"cpu\":1,\"a\":5}", &arena);
    kube_amounts_raise(&a, &b, &arena);
    assert_string_equal(tell(&a, &arena), "a=5 c=18446744073709551615 cpu=2000");
    kube_amounts_set(&a, (struct kube_amount){FL_STR("a"), 1}, &arena);
    assert_int_equal(kube_amounts_of(&a, FL_STR("a")), 1);
    assert_int_equal(kube_amounts_of(&a, FL_STR("b")), 0);
    fl_arena_fini(&arena);
}

static void too_many_names_are_noted(void **state)
{
    struct fl_arena arena = {0};
    struct kube_amounts all = {0}, sum = {0};

    (void)state;
    for (int i = 0; i <= KUBE_AMOUNTS_MAX; i++) {
        struct kube_amount amount = {fl_str_c(fl_arena_printf(&arena, "r%02d", i)), 1};

        assert_false(all.is_over);
        kube_amounts_set(&all, amount, &arena);
    }
    assert_true(all.is_over);
    assert_int_equal(all.len, KUBE_AMOUNTS_MAX);
    kube_amounts_raise(&sum, &all, &arena);
    assert_true(sum.is_over);
    fl_arena_fini(&arena);
}

static const char *tell_share(const struct kube_share *share, struct fl_arena *arena)
{
    const char *text =
        fl_arena_printf(arena, "cpu=%u memory=%llu gpus=%u", share->usual.cpu_milli,
                        (unsigned long long)share->usual.memory_bytes, share->usual.gpus);

    for (size_t i = 0; i < share->named.len; i++) {
        text = fl_arena_printf(arena, "%s " FL_STR_FMT "=%llu", text,
                               FL_STR_ARG(share->named.at[i].name),
                               (unsigned long long)share->named.at[i].n);
    }
    return text;
}

static void a_share_is_what_jobs_may_ask_for(void **state)
{
    struct fl_arena arena = {0};
    struct kube_amounts amounts = read_amounts(
        "{\"cpu\":2,\"memory\":\"5\",\"pods\":110,\"hugepages-2Mi\":0,\"hugepages-32Mi\":64,"
        "\"ephemeral-storage\":\"10k\",\"nvidia.com/gpu\":4,\"rdma/hca\":\"2E\"}",
        &arena);
    struct kube_share all = kube_share_of(&amounts, &arena), told, less, left;

    (void)state;
    assert_string_equal(tell_share(&all, &arena),
                        "cpu=2000 memory=5 gpus=0 ephemeral-storage=10000 nvidia.com/gpu=4 "
                        "rdma/hca=1125899906842624");
    told = kube_share_told(&all, FL_STR("nvidia.com/gpu"), &arena);
    assert_string_equal(tell_share(&told, &arena),
                        "cpu=2000 memory=5 gpus=4 ephemeral-storage=10000 "
                        "rdma/hca=1125899906842624");
    told = kube_share_untold(&told, FL_STR("nvidia.com/gpu"), &arena);
    assert_true(kube_share_is_same(&told, &all));
    told = kube_share_told(&all, FL_STR(""), &arena);
    assert_true(kube_share_is_same(&told, &all));
    amounts =
        read_amounts("{\"cpu\":3,\"nvidia.com/gpu\":1,\"rdma/hca\":\"2E\",\"a/b\":1}", &arena);
    less = kube_share_of(&amounts, &arena);
    left = kube_share_without(&all, &less, &arena);
    assert_string_equal(tell_share(&left, &arena),
                        "cpu=0 memory=5 gpus=0 ephemeral-storage=10000 nvidia.com/gpu=3");
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(cpu_is_in_thousandths_and_the_rest_in_units),
         cmocka_unit_test(amounts_add_up_or_raise), cmocka_unit_test(too_many_names_are_noted),
         cmocka_unit_test(a_share_is_what_jobs_may_ask_for))
