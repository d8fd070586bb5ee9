#include "shared/spec/job_check.h"

#include <stdlib.h>

#include "tests/unit/shared/spec/spec_world.h"

static void a_field_that_is_unknown_is_named_with_the_one_that_was_meant(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_false(parse(&world, "{'comand':['a'],'replcias':2,'image':'x','zzz':1,'metadata':{},"
                               "'resources':{'gpu':1,'cpus':1}}"));
    assert_string_equal(story(&world),
                        "/comand: unknown field; did you mean command?\n"
                        "/replcias: unknown field; did you mean replicas?\n"
                        "/zzz: unknown field\n"
                        "/metadata: name and labels stand at the top of a job document\n"
                        "/resources/gpu: the field is called gpus\n"
                        "/resources/cpus: unknown field; did you mean cpu?\n");
    assert_int_equal(world.problems.at[1].at.col, 17);
    assert_true(fl_str_eq(world.problems.at[1].got, FL_STR("\"replcias\"")));
    assert_true(fl_str_eq(world.problems.at[0].allowed, FL_STR("command")));
    assert_false(parse(&world, "{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':"
                               "'x','livenessProbe':{}}],'hostNetwork':true}}}]}"));
    assert_string_equal(story(&world),
                        "/roles/0/template/spec/containers/0/livenessProbe: unknown field\n"
                        "/roles/0/template/spec/hostNetwork: unknown field\n");
    end(&world);
}

static void what_a_field_may_not_hold_is_refused(void **state)
{
    static const struct {
        const char *text, *pointer;
    } cases[] = {
        {"[]", ""},
        {"{}", ""},
        {"{'image':null}", "/image"},
        {"{'image':''}", "/image"},
        {"{'image':'a\\nb'}", "/image"},
        {"{'image':'a','name':'\\u001b[2J'}", "/name"},
        {"{'image':'a','name':'\\u009b2J'}", "/name"},
        {"{'image':'a','queue':'ML'}", "/queue"},
        {"{'command':'sleep 1'}", "/command"},
        {"{'command':[]}", "/command"},
        {"{'command':['']}", ""},
        {"{'command':[['a']]}", "/command/0"},
        {"{'command':['a',null]}", "/command/1"},
        {"{'image':'a','env':{'1A':'x'}}", "/env/1A"},
        {"{'image':'a','env':{'A=':'x'}}", "/env/A="},
        {"{'image':'a','env':{'a/b~c':'x'}}", "/env/a~1b~0c"},
        {"{'image':'a','env':{'FAIRLEAD_JOB_ID':'x'}}", "/env/FAIRLEAD_JOB_ID"},
        {"{'image':'a','env':{'FAIRLEAD_PARAM_':'x'}}", "/env/FAIRLEAD_PARAM_"},
        {"{'image':'a','env':{'A':{}}}", "/env/A"},
        {"{'image':'a','env':[{'name':'A'},{'name':'A'}]}", "/env"},
        {"{'image':'a','env':[{'value':'A'}]}", "/env/0/name"},
        {"{'image':'a','env':[1]}", "/env/0"},
        {"{'image':'a','env':[{'name':'A','valueFrom':{}}]}", "/env/0/valueFrom"},
        {"{'image':'a','after':'job-7'}", "/after"},
        {"{'image':'a','after':[]}", "/after"},
        {"{'image':'a','after':['job-7']}", "/after/0"},
        {"{'image':'a','after':[{}]}", "/after/0"},
        {"{'image':'a','after':[{'job':'job-7','line':1}]}", "/after/0"},
        {"{'image':'a','after':[{'job':'7'}]}", "/after/0/job"},
        {"{'image':'a','after':[{'job':'job-0'}]}", "/after/0/job"},
        {"{'image':'a','after':[{'line':0}]}", "/after/0/line"},
        {"{'image':'a','after':[{'line':1,'on':'ok'}]}", "/after/0/on"},
        {"{'image':'a','after':[{'line':1},{'job':'job-1'},{'line':1,'on':'any'}]}", "/after/2"},
        {"{'image':'a','dependsOn':['job-7']}", "/dependsOn"},
        {"{'image':'a','resources':{'cpu':'-1'}}", "/resources/cpu"},
        {"{'image':'a','resources':{'cpu':'1Q'}}", "/resources/cpu"},
        {"{'image':'a','resources':{'memory':'2 Gi'}}", "/resources/memory"},
        {"{'image':'a','resources':{'memory':'9Ei'}}", "/resources/memory"},
        {"{'image':'a','resources':{'gpus':0.5}}", "/resources/gpus"},
        {"{'image':'a','replicas':0}", "/replicas"},
        {"{'image':'a','replicas':1025}", "/replicas"},
        {"{'image':'a','replicas':'4'}", "/replicas"},
        {"{'image':'a','replicas':4.0}", "/replicas"},
        {"{'image':'a','array':16777217}", "/array"},
        {"{'image':'a','deadline':'0s'}", "/deadline"},
        {"{'image':'a','deadline':'5m1h'}", "/deadline"},
        {"{'image':'a','deadline':'1w'}", "/deadline"},
        {"{'image':'a','deadline':-1}", "/deadline"},
        {"{'image':'a','retry':1001}", "/retry"},
        {"{'image':'a','labels':{'-a':'x'}}", "/labels/-a"},
        {"{'image':'a','labels':{'a':'x y'}}", "/labels/a"},
        {"{'image':'a','labels':{'A.b/c':'x'}}", "/labels/A.b~1c"},
        {"{'image':'a','labels':{'a..b/c':'x'}}", "/labels/a..b~1c"},
        {"{'image':'a','labels':{'a.b-/c':'x'}}", "/labels/a.b-~1c"},
        {"{'image':'a','resources':{'cpu':true}}", "/resources/cpu"},
        {"{'image':'a','resources':{'memory':false}}", "/resources/memory"},
        {"{'image':'a','labels':['a']}", "/labels"},
        {"{'image':'a','priority':1001}", "/priority"},
        {"{'image':'a','clusters':['East']}", "/clusters/0"},
        {"{'image':'a','clusters':['a','b','a']}", "/clusters/2"},
        {"{'image':'a','clusters':[]}", "/clusters"},
        {"{'image':'a','clusters':['a'],'notClusters':['a']}", "/notClusters"},
        {"{'image':'a','requireLimits':true,'nodeSelector':{'fairlead.io/limits':'no'}}",
         "/requireLimits"},
        {"{'image':'a','tolerations':{}}", "/tolerations"},
        {"{'image':'a','tolerations':['a']}", "/tolerations/0"},
        {"{'image':'a','tolerations':[{'key':'a b'}]}", "/tolerations/0/key"},
        {"{'image':'a','tolerations':[{'key':'a','operator':'In'}]}", "/tolerations/0/operator"},
        {"{'image':'a','tolerations':[{'key':'a','value':'b c'}]}", "/tolerations/0/value"},
        {"{'image':'a','tolerations':[{'key':'a','effect':'Later'}]}", "/tolerations/0/effect"},
        {"{'image':'a','tolerations':[{'key':'a','operator':'Exists','value':'b'}]}",
         "/tolerations/0"},
        {"{'image':'a','tolerations':[{'value':'b'}]}", "/tolerations/0"},
        {"{'image':'a','tolerations':[{'key':'a'},{}]}", "/tolerations/1"},
        {"{'image':'a','tolerations':[{'key':'a','effect':'NoExecute','tolerationSeconds':9}]}",
         "/tolerations/0/tolerationSeconds"},
        {"{'image':'a','tolerations':[{'key':'a'},{'key':'a'},{'key':'a'},{'key':'a'},{'key':'a'},"
         "{'key':'a'},{'key':'a'},{'key':'a'},{'key':'a'},{'key':'a'},{'key':'a'},{'key':'a'},"
         "{'key':'a'},{'key':'a'},{'key':'a'},{'key':'a'},{'key':'a'}]}",
         "/tolerations"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x'}]}}},{'name':'b',"
         "'template':{'spec':{'tolerations':[{'key':'a'}],'containers':[{'image':'x'}]}}}]}",
         "/roles/1/template"},
        {"{'image':'a','hold':1}", "/hold"},
        {"{'image':'a','params':{'a-b':'x'}}", "/params/a-b"},
        {"{'image':'a','params':{'a':'x','A':'y'}}", "/params"},
        {"{'image':'a','params':{'a':null}}", "/params/a"},
        {"{'roles':[]}", "/roles"},
        {"{'roles':[1]}", "/roles/0"},
        {"{'roles':[{'template':{}}]}", "/roles/0/template/spec"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[]}}}]}",
         "/roles/0/template/spec/containers"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[{}]}}}]}", "/roles/0"},
        {"{'roles':[{'name':'a','replicas':2,'min':1,'template':{'spec':{'containers':[{'image':"
         "'x'}]}}}]}",
         "/roles/0/min"},
        {"{'roles':[{'name':'a','min':2,'template':{'spec':{'containers':[{'image':'x'}]}}}]}",
         "/roles/0/min"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x'}]}}},{'name':'a',"
         "'template':{'spec':{'containers':[{'image':'x'}]}}}]}",
         "/roles/1/name"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x'}]}}},{'name':'b',"
         "'template':{'spec':{'nodeSelector':{'a':'b'},'containers':[{'image':'x'}]}}}]}",
         "/roles/1/template"},
        {"{'roles':[{'name':'a','template':{'spec':{'restartPolicy':'Always','containers':[{"
         "'image':'x'}]}}}]}",
         "/roles/0/template/spec/restartPolicy"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x','resources':{"
         "'requests':{'cpu':2},'limits':{'cpu':1}}}]}}}]}",
         "/roles/0"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x','resources':{"
         "'requests':{'nvidia.com/gpu':2},'limits':{'nvidia.com/gpu':1}}}]}}}]}",
         "/roles/0"},
        {"{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x'}]}}}],'image':'y'}",
         "/image"},
        {"{'roles':[{'name':'a','replicas':600,'template':{'spec':{'containers':[{'image':'x'}]}}}"
         ",{'name':'b','replicas':600,'template':{'spec':{'containers':[{'image':'x'}]}}}]}",
         ""},
    };
    struct world world;

    (void)state;
    begin(&world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_found = false;

        if (parse(&world, cases[i].text)) fail_msg("taken: %s", cases[i].text);
        for (size_t p = 0; p < world.problems.len; p++) {
            is_found |= fl_str_eq(world.problems.at[p].pointer, fl_str_c(cases[i].pointer));
            assert_true(world.problems.at[p].detail.len > 0);
        }
        if (!is_found) fail_msg("%s: %s", cases[i].text, story(&world));
    }
    end(&world);
}

static void twenty_problems_are_told_and_the_others_counted(void **state)
{
    struct world world;
    struct fl_buf text;
    struct fl_err err = {0};

    (void)state;
    begin(&world);
    fl_buf_init(&text, 4096);
    fl_buf_put(&text, "{'image':'a'", 12);
    for (int i = 0; i < 50; i++) {
        char field[16];

        fl_buf_put(&text, field, (size_t)snprintf(field, sizeof field, ",'qqq%d':1", i));
    }
    fl_buf_put(&text, "}", 2);
    assert_false(parse(&world, (const char *)text.at));
    assert_int_equal(world.problems.len, FL_PROBLEMS_MAX);
    assert_int_equal(world.problems.more, 30);
    assert_false(fl_problems_fail(&world.problems, &err));
    assert_string_equal(err.text, "/qqq0: unknown field (and 49 more)");
    fl_buf_fini(&text);
    end(&world);
}

static void limits_of_the_administrator_are_kept(void **state)
{
    const struct fl_job_limits limits = {.elements_max = 10, .replicas_max = 4};
    const struct fl_json *root;
    struct world world;

    (void)state;
    begin(&world);
    assert_true(fl_json_parse(quoted(&world, "{'image':'a','array':11,'replicas':5}"), &world.arena,
                              &root, NULL, NULL));
    assert_false(fl_job_spec_parse(root, &world.arena, &limits, &world.spec, &world.problems));
    assert_int_equal(world.problems.len, 2);
    world.problems = (struct fl_problems){0};
    assert_true(fl_json_parse(quoted(&world, "{'image':'a','array':10,'replicas':4}"), &world.arena,
                              &root, NULL, NULL));
    assert_true(fl_job_spec_parse(root, &world.arena, &limits, &world.spec, &world.problems));
    end(&world);
}

static void a_word_has_at_most_its_bytes(void **state)
{
    char *text = malloc(FL_JOB_WORD_BYTES_MAX + 64);
    struct world world;

    (void)state;
    begin(&world);
    for (size_t over = 0; over < 2; over++) {
        snprintf(text, FL_JOB_WORD_BYTES_MAX + 64, "{'command':['%0*d']}",
                 (int)(FL_JOB_WORD_BYTES_MAX + over), 7);
        assert_int_equal(parse(&world, text), over == 0);
    }
    free(text);
    end(&world);
}

FL_TESTS(cmocka_unit_test(a_field_that_is_unknown_is_named_with_the_one_that_was_meant),
         cmocka_unit_test(what_a_field_may_not_hold_is_refused),
         cmocka_unit_test(twenty_problems_are_told_and_the_others_counted),
         cmocka_unit_test(limits_of_the_administrator_are_kept),
         cmocka_unit_test(a_word_has_at_most_its_bytes))
