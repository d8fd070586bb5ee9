#include "agent/kube/kube_query.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static void what_a_query_cannot_have_is_escaped(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(kube_query_escape(FL_STR("aZ09-_."), &arena), "aZ09-_.");
    assert_string_equal(kube_query_escape(FL_STR("a/b=c&d +\n\xff"), &arena),
                        "a%2Fb%3Dc%26d%20%2B%0A%FF");
    assert_string_equal(kube_query_escape((struct fl_str){0}, &arena), "");
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(what_a_query_cannot_have_is_escaped))
