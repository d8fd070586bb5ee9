/* The affinity of a job document: its one text, its words of Kubernetes, and what is refused. */
#include "shared/spec/job_affinity.h"

#include "shared/base/node_affinity.h"
#include "tests/unit/shared/spec/spec_world.h"

#define TERMS(list)                                                                                \
    "{'image':'a','affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"   \
    "{'nodeSelectorTerms':[" list "]}}}}"
#define TERM(list) TERMS("{'matchExpressions':[" list "]}")
#define WITHIN "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"

static const char *affinity_of(struct world *world, const char *text)
{
    struct fl_str affinity;

    assert_good(world, text);
    affinity = world->spec.roles.at[0].affinity;
    assert_true(affinity.len == 0 || fl_node_affinity_is(affinity));
    return fl_arena_printf(&world->arena, FL_STR_FMT, FL_STR_ARG(affinity));
}

static void each_affinity_has_one_text(void **state)
{
    static const struct {
        const char *document, *text;
    } cases[] = {
        {"{'image':'a'}", ""},
        {"{'image':'a','affinity':{}}", ""},
        {"{'image':'a','affinity':{'nodeAffinity':{}}}", ""},
        {TERM("{'key':'zone','operator':'In','values':['b','a','b']}"), "zone in (a,b)\n"},
        {TERM("{'operator':'NotIn','values':[''],'key':'x.io/y'}"), "x.io/y notin ()\n"},
        {TERM("{'key':'b','operator':'Exists'},{'key':'a','operator':'DoesNotExist','values':[]},"
              "{'key':'b','operator':'Exists'}"),
         "!a,b\n"},
        {TERM("{'key':'cores','operator':'Gt','values':[8]},"
              "{'key':'cores','operator':'Lt','values':['128']}"),
         "cores<128,cores>8\n"},
        {TERMS("{'matchExpressions':[{'key':'zone','operator':'In','values':['a']}]},"
               "{'matchExpressions':[{'key':'disk','operator':'Exists'}]},"
               "{'matchExpressions':[{'key':'zone','operator':'In','values':['a']}]}"),
         "disk\nzone in (a)\n"},
    };
    struct world world;

    (void)state;
    begin(&world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(affinity_of(&world, cases[i].document), cases[i].text);
    }
    end(&world);
}

static void its_canonical_form_is_in_words_of_kubernetes(void **state)
{
    static const char canon[] =
        "{'roles':[{'name':'main','template':{'spec':{'containers':[{'image':'a'}],'affinity':"
        "{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':["
        "{'matchExpressions':[{'key':'gpu','operator':'DoesNotExist'},"
        "{'key':'cores','operator':'Gt','values':['8']}]},"
        "{'matchExpressions':[{'key':'zone','operator':'NotIn','values':['','b']}]}]}}}}}}]}";
    struct world world;

    (void)state;
    begin(&world);
    assert_good(&world, TERMS("{'matchExpressions':[{'key':'zone','operator':'NotIn','values':['b',"
                              "'']}]},{'matchExpressions':[{'key':'cores','operator':'Gt','values':"
                              "['8']},{'key':'gpu','operator':'DoesNotExist'}]}"));
    assert_string_equal(canonical(&world), canon);
    assert_good(&world, canon);
    assert_string_equal(canonical(&world), canon);
    assert_true(fl_job_spec_document(&world.buf, &world.spec));
    assert_string_equal(written(&world), canon);
    end(&world);
}

static void terms_for_one_node_name_it(void **state)
{
    struct world world;
    struct fl_json_out out;

    (void)state;
    begin(&world);
    out = fl_json_out(&world.buf);
    fl_job_put_node_terms(&out, (struct fl_str){0}, FL_STR("n1"));
    assert_string_equal(
        written(&world),
        "[{'matchFields':[{'key':'metadata.name','operator':'In','values':['n1']}]}]");
    out = fl_json_out(&world.buf);
    fl_job_put_node_terms(&out, FL_STR("a\nb\n"), FL_STR("n1"));
    assert_string_equal(
        written(&world),
        "[{'matchExpressions':[{'key':'a','operator':'Exists'}],'matchFields':[{'key':"
        "'metadata.name','operator':'In','values':['n1']}]},"
        "{'matchExpressions':[{'key':'b','operator':'Exists'}],'matchFields':[{'key':"
        "'metadata.name','operator':'In','values':['n1']}]}]");
    end(&world);
}

static void each_wrong_part_is_named(void **state)
{
    static const struct {
        const char *text, *pointer;
    } cases[] = {
        {"{'image':'a','affinity':[]}", "/affinity"},
        {"{'image':'a','affinity':{'podAffinity':{}}}", "/affinity/podAffinity"},
        {"{'image':'a','affinity':{'podAntiAffinity':{}}}", "/affinity/podAntiAffinity"},
        {"{'image':'a','affinity':{'nodeAffinity':{"
         "'preferredDuringSchedulingIgnoredDuringExecution':[]}}}",
         "/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution"},
        {"{'image':'a','affinity':{'nodeAffinity':{"
         "'requiredDuringSchedulingIgnoredDuringExecution':{}}}}",
         WITHIN "nodeSelectorTerms"},
        {TERMS(""), WITHIN "nodeSelectorTerms"},
        {TERMS("{}"), WITHIN "nodeSelectorTerms/0/matchExpressions"},
        {TERM(""), WITHIN "nodeSelectorTerms/0/matchExpressions"},
        {TERMS("{'matchExpressions':[{'key':'a','operator':'Exists'}],'matchFields':[]}"),
         WITHIN "nodeSelectorTerms/0/matchFields"},
        {TERM("{'operator':'Exists'}"), WITHIN "nodeSelectorTerms/0/matchExpressions/0/key"},
        {TERM("{'key':'-a','operator':'Exists'}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0/key"},
        {TERM("{'key':'a'}"), WITHIN "nodeSelectorTerms/0/matchExpressions/0/operator"},
        {TERM("{'key':'a','operator':'in','values':['b']}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0/operator"},
        {TERM("{'key':'a','operator':'In'}"), WITHIN "nodeSelectorTerms/0/matchExpressions/0"},
        {TERM("{'key':'a','operator':'NotIn','values':[]}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0"},
        {TERM("{'key':'a','operator':'In','values':['b','c d']}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0/values/1"},
        {TERM("{'key':'a','operator':'Exists','values':['b']}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0"},
        {TERM("{'key':'b','operator':'Exists'},{'key':'a','operator':'DoesNotExist','values':["
              "'b']}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/1"},
        {TERM("{'key':'a','operator':'Gt'}"), WITHIN "nodeSelectorTerms/0/matchExpressions/0"},
        {TERM("{'key':'a','operator':'Gt','values':[1,2]}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0"},
        {TERM("{'key':'a','operator':'Lt','values':['x']}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0"},
        {TERM("{'key':'a','operator':'Lt','values':['9223372036854775808']}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0"},
        {TERM("{'key':'a','operator':'Exists','weight':1}"),
         WITHIN "nodeSelectorTerms/0/matchExpressions/0/weight"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x'}]}}},{'name':'b',"
         "'template':{'spec':{'affinity':{'nodeAffinity':{"
         "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
         "'matchExpressions':[{'key':'a','operator':'Exists'}]}]}}},'containers':[{'image':'x'}]}}"
         "}]}",
         "/roles/1/template"},
    };
    struct world world;

    (void)state;
    begin(&world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (parse(&world, cases[i].text)) fail_msg("taken: %s", cases[i].text);
        if (world.problems.len != 1 ||
            !fl_str_eq(world.problems.at[0].pointer, fl_str_c(cases[i].pointer))) {
            fail_msg("%s: %s", cases[i].text, story(&world));
        }
    }
    end(&world);
}

static void requirements_are_counted_over_all_terms(void **state)
{
    struct world world;
    const char *terms = "";

    (void)state;
    begin(&world);
    for (int i = 0; i < 16; i++) {
        terms = fl_arena_printf(&world.arena,
                                "%s%s{'matchExpressions':[{'key':'a%d','operator':'Exists'},"
                                "{'key':'b','operator':'Exists'}]}",
                                terms, i > 0 ? "," : "", i);
    }
    assert_good(&world, fl_arena_printf(&world.arena, TERMS("%s"), terms));
    terms = fl_arena_printf(&world.arena, "{'matchExpressions':[{'key':'c','operator':'Exists'},%s",
                            terms + strlen("{'matchExpressions':["));
    assert_false(parse(&world, fl_arena_printf(&world.arena, TERMS("%s"), terms)));
    assert_int_equal(world.problems.len, 1);
    assert_non_null(strstr(story(&world), "over 32 requirements together"));
    end(&world);
}

static void its_text_has_a_most(void **state)
{
    struct world world;
    const char *values = "'0'";

    (void)state;
    begin(&world);
    for (int i = 1; i < FL_JOB_NODE_VALUES_MAX; i++) {
        values = fl_arena_printf(&world.arena, "%s,'%062d'", values, i);
    }
    for (int more = 0; more < 2; more++) {
        const char *text = fl_arena_printf(
            &world.arena, TERM("{'key':'%060d.%0*d/y','operator':'In','values':[%s]}"), 1,
            56 + more, 1, values);

        assert_int_equal(parse(&world, text), more == 0);
    }
    assert_int_equal(world.problems.len, 1);
    assert_non_null(strstr(story(&world), "over 4096 bytes together"));
    end(&world);
}

FL_TESTS(cmocka_unit_test(each_affinity_has_one_text),
         cmocka_unit_test(its_canonical_form_is_in_words_of_kubernetes),
         cmocka_unit_test(terms_for_one_node_name_it), cmocka_unit_test(each_wrong_part_is_named),
         cmocka_unit_test(requirements_are_counted_over_all_terms),
         cmocka_unit_test(its_text_has_a_most))
