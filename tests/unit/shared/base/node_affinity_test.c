#include "shared/base/node_affinity.h"

#include <stdio.h>

#include "shared/base/job_limits.h"
#include "tests/fl_test.h"

#define LABELS                                                                                     \
    FL_STR("cores=64\ndisk=ssd\nempty=\ngpu=h100\nhuge=99999999999999999999\nzone=b\nzone.sub="    \
           "x\n")

static bool matches(const char *text)
{
    assert_true(fl_node_affinity_is(fl_str_c(text)));
    return fl_node_affinity_matches(fl_str_c(text), LABELS);
}

static void each_operator_has_its_rule(void **state)
{
    static const struct {
        const char *text;
        bool matches;
    } cases[] = {
        {"zone in (a,b)\n", true},
        {"zone in (b)\n", true},
        {"zone in (a,bb)\n", false},
        {"zon in (b)\n", false},
        {"zone.su in (x)\n", false},
        {"empty in ()\n", true},
        {"empty in (,x)\n", true},
        {"disk in ()\n", false},
        {"none in ()\n", false},
        {"zone notin (a)\n", true},
        {"zone notin (a,b)\n", false},
        {"none notin (a)\n", true},
        {"empty notin ()\n", false},
        {"gpu\n", true},
        {"empty\n", true},
        {"gp\n", false},
        {"!gpu\n", false},
        {"!gp\n", true},
        {"cores>63\n", true},
        {"cores>64\n", false},
        {"cores<65\n", true},
        {"cores<64\n", false},
        {"cores>063\n", true},
        {"none>0\n", false},
        {"none<9\n", false},
        {"gpu>0\n", false},
        {"gpu<9\n", false},
        {"empty<9\n", false},
        {"huge>0\n", false}, /* over 63 bits it is no number */
        {"huge<9\n", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (matches(cases[i].text) != cases[i].matches) {
            fail_msg("%s is not %d", cases[i].text, cases[i].matches);
        }
    }
}

static void one_term_is_enough_and_has_to_be_met_whole(void **state)
{
    (void)state;
    assert_true(matches("disk in (ssd),zone in (b)\n"));
    assert_false(matches("disk in (ssd),zone in (a)\n"));
    assert_false(matches("disk in (hdd),zone in (b)\n"));
    assert_true(matches("disk in (hdd)\nzone in (b)\n"));
    assert_true(matches("disk in (ssd)\nzone in (a)\n"));
    assert_false(matches("disk in (hdd)\nzone in (a)\n"));
    assert_true(matches("!gpu,zone in (b)\ncores>8,disk in (ssd),gpu\n"));
    assert_false(fl_node_affinity_matches(FL_STR("zone\n"), (struct fl_str){0}));
    assert_true(fl_node_affinity_matches(FL_STR("!zone\n"), (struct fl_str){0}));
    assert_true(fl_node_affinity_matches(FL_STR("zone in (b)\n"), FL_STR("a=1\nzone=b")));
}

static void only_the_sorted_text_is_one(void **state)
{
    static const char *const bad[] = {
        "",
        "\n",
        "a",
        "a\n\n",
        "b\na\n",
        "a\na\n",
        "b,a\n",
        "a,a\n",
        "a,\n",
        ",a\n",
        "a,,b\n",
        "!\n",
        "!!a\n",
        "!a in (b)\n",
        "a in (c,b)\n",
        "a in (b,b)\n",
        "a in (b\n",
        "a in b\n",
        "a in (b))\n",
        "a in(b)\n",
        "a  in (b)\n",
        "a in (b c)\n",
        "a on (b)\n",
        "a notin b\n",
        " in (b)\n",
        "a>\n",
        "a>x\n",
        "a>-1\n",
        "a>1,000,\n",
        "a>9223372036854775808\n",
        "a<>1\n",
        "a=b\n",
        "a in (b),a in (a)\n",
    };
    static const char *const good[] = {"a\nb\n", "a,b\n", "a in (b,c)\n", "a>9223372036854775807\n",
                                       "!a,x.io/y notin (,A_b.c-d)\nx.io/y<1\n"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (fl_node_affinity_is(fl_str_c(bad[i]))) fail_msg("'%s' is one", bad[i]);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!fl_node_affinity_is(fl_str_c(good[i]))) fail_msg("'%s' is none", good[i]);
    }
}

/* A text of 'len' parts of three digits. */
static struct fl_str numbers(char *text, const char *before, const char *between, size_t len,
                             const char *behind)
{
    size_t at = (size_t)sprintf(text, "%s", before);

    for (size_t i = 0; i < len; i++) {
        at += (size_t)sprintf(text + at, "%s%03zu", i > 0 ? between : "", i);
    }
    at += (size_t)sprintf(text + at, "%s", behind);
    return (struct fl_str){text, at};
}

static void every_limit_holds_at_its_edge(void **state)
{
    static char text[8192];

    (void)state;
    assert_true(
        fl_node_affinity_is(numbers(text, "", ",", FL_JOB_NODE_REQUIREMENTS_MAX - 1, "\na\n")));
    assert_false(
        fl_node_affinity_is(numbers(text, "", ",", FL_JOB_NODE_REQUIREMENTS_MAX, "\na\n")));
    for (size_t more = 0; more < 2; more++) {
        bool is = more == 0;

        assert_int_equal(
            fl_node_affinity_is(numbers(text, "", "\n", FL_JOB_NODE_TERMS_MAX + more, "\n")), is);
        assert_int_equal(
            fl_node_affinity_is(numbers(text, "", ",", FL_JOB_NODE_REQUIREMENTS_MAX + more, "\n")),
            is);
        assert_int_equal(
            fl_node_affinity_is(numbers(text, "a in (", ",", FL_JOB_NODE_VALUES_MAX + more, ")\n")),
            is);
        snprintf(text, sizeof text, "%0*d\n", (int)(317 + more), 1);
        assert_int_equal(fl_node_affinity_is(fl_str_c(text)), is);
        snprintf(text, sizeof text, "a in (%0*d)\n", (int)(63 + more), 1);
        assert_int_equal(fl_node_affinity_is(fl_str_c(text)), is);
        snprintf(text, sizeof text, "a>%0*d\n", (int)(63 + more), 1);
        assert_int_equal(fl_node_affinity_is(fl_str_c(text)), is);
    }
}

/* 16 terms of 254 bytes and their ends are 4,080. */
static void its_bytes_have_a_most(void **state)
{
    static char text[8192];
    size_t len = 0;

    (void)state;
    for (int i = 0; i < FL_JOB_NODE_TERMS_MAX; i++) {
        len += (size_t)sprintf(text + len, "%02d%0252d\n", i, 1);
    }
    assert_true(fl_node_affinity_is((struct fl_str){text, len}));
    len = 0;
    for (int i = 0; i < FL_JOB_NODE_TERMS_MAX; i++) {
        len += (size_t)sprintf(text + len, "%02d%0254d\n", i, 1);
    }
    assert_int_equal(len, FL_JOB_AFFINITY_BYTES_MAX + 16);
    assert_false(fl_node_affinity_is((struct fl_str){text, len}));
    assert_true(fl_node_affinity_is((struct fl_str){text, len - 257}));
}

static void operators_have_the_names_of_kubernetes(void **state)
{
    static const char *const names[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    enum fl_node_operator operates;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(fl_node_operator_parse(fl_str_c(names[i]), &operates));
        assert_string_equal(fl_node_operator_name(operates), names[i]);
    }
    assert_false(fl_node_operator_parse(FL_STR("in"), &operates));
    assert_false(fl_node_operator_parse(FL_STR(""), &operates));
}

FL_TESTS(cmocka_unit_test(each_operator_has_its_rule),
         cmocka_unit_test(one_term_is_enough_and_has_to_be_met_whole),
         cmocka_unit_test(only_the_sorted_text_is_one),
         cmocka_unit_test(every_limit_holds_at_its_edge), cmocka_unit_test(its_bytes_have_a_most),
         cmocka_unit_test(operators_have_the_names_of_kubernetes))
