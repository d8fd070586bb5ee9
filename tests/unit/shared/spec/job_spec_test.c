#include "shared/spec/job_spec.h"

#include <stdlib.h>

#include "shared/spec/job_params.h"
#include "tests/unit/shared/spec/spec_world.h"

static void the_short_form_is_one_role(void **state)
{
    struct world world;
    const struct fl_job_role *role;

    (void)state;
    begin(&world);
    assert_good(&world,
                "{'name':'train','queue':'ml','image':'reg/train:7','command':['python','t.py'],"
                "'args':['--lr',0.10],'env':{'B':true,'A':'x'},"
                "'workingDir':'/"
                "data','resources':{'cpu':1.5,'memory':'2Gi','gpus':2},'replicas':4,'array':100,"
                "'deadline':'1h30m','retry':3,'labels':{'team':'nlp'},'priority':-5,"
                "'clusters':['west','east'],'notClusters':['edge'],'hold':true,"
                "'requireLimits':true,"
                "'nodeSelector':{'gpu':'h100'},'params':{'lr':0.5}}");
    role = &world.spec.roles.at[0];
    assert_int_equal(world.spec.roles.len, 1);
    assert_int_equal(world.spec.replicas, 4);
    assert_int_equal(world.spec.elements, 100);
    assert_int_equal(world.spec.deadline_s, 5400);
    assert_int_equal(world.spec.retries, 3);
    assert_int_equal(world.spec.priority, -5);
    assert_true(world.spec.is_held && world.spec.has_image);
    assert_true(fl_str_eq(world.spec.queue, FL_STR("ml")));
    assert_true(fl_str_eq(world.spec.clusters.at[0], FL_STR("east")));
    assert_int_equal(role->request.usual.cpu_milli, 1500);
    assert_int_equal(role->limit.usual.memory_bytes, (uint64_t)2 << 30);
    assert_int_equal(role->request.usual.gpus, 2);
    assert_int_equal(role->grace_s, 30);
    assert_string_equal(
        canonical(&world),
        "{'deadline':5400,'retry':3,'clusters':['east','west'],'notClusters':['edge'],"
        "'requireLimits':true,'roles':[{'name':'main','replicas':4,'template':{'spec':{'containers'"
        ":[{"
        "'image':'reg/train:7','command':['python','t.py'],'args':['--lr','0.10'],"
        "'env':[{'name':'A','value':'x'},{'name':'B','value':'true'}],"
        "'workingDir':'/data','resources':{'requests':{'cpu':'1500m','memory':'2Gi','nvidia.com/"
        "gpu':'2'},"
        "'limits':{'cpu':'1500m','memory':'2Gi','nvidia.com/gpu':'2'}}}],"
        "'nodeSelector':{'gpu':'h100'}}}}]}");
    assert_true(fl_job_spec_document(&world.buf, &world.spec));
    assert_non_null(strstr(written(&world),
                           "{'name':'train','queue':'ml','array':100,'deadline':5400,'retry':3,"
                           "'clusters':['east','west'],'notClusters':['edge'],"
                           "'requireLimits':true,'labels':{'team':'nlp'},'priority':-5,'hold':true,"
                           "'params':{'lr':'0.5'},'roles':["));
    end(&world);
}

static void a_resource_may_have_any_name_with_a_slash(void **state)
{
    struct world world;
    const struct fl_job_role *role;
    const char *short_form;

    (void)state;
    begin(&world);
    assert_good(&world, "{'image':'a','resources':{'rdma/hca':1,'nvidia.com/mig-1g.5gb':'2',"
                        "'ephemeral-storage':'10Gi','cpu':1,'hugepages-2Mi':'512Mi','x.y/z':0}}");
    role = &world.spec.roles.at[0];
    assert_int_equal(role->request.named.len, 4); /* 0 is left out */
    assert_int_equal(fl_amounts_of(&role->request.named, FL_STR("nvidia.com/mig-1g.5gb")), 2);
    assert_true(fl_amounts_are_same(&role->request.named, &role->limit.named));
    short_form = canonical(&world);
    assert_non_null(strstr(short_form,
                           "'requests':{'cpu':'1','ephemeral-storage':'10Gi',"
                           "'hugepages-2Mi':'512Mi','nvidia.com/mig-1g.5gb':'2','rdma/hca':'1'},"
                           "'limits':{'cpu':'1','ephemeral-storage':'10Gi',"
                           "'hugepages-2Mi':'512Mi','nvidia.com/mig-1g.5gb':'2','rdma/hca':'1'}"));
    /* The same amounts, in another order, as requests or as limits: the same bytes. */
    assert_good(&world, "{'roles':[{'name':'main','template':{'spec':{'containers':[{'image':'a',"
                        "'resources':{'limits':{'rdma/hca':1,'cpu':1,'hugepages-2Mi':536870912},"
                        "'requests':{'ephemeral-storage':10737418240,"
                        "'nvidia.com/mig-1g.5gb':2}}}]}}}]}");
    assert_string_equal(canonical(&world), short_form);
    end(&world);
}

static void amounts_of_named_resources_that_cannot_be_are_refused(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_false(parse(&world, "{'image':'a','resources':{'cpu':1,'rdma/hca':'1.5','a/b':-1,"
                               "'a/c':1125899906842625,'hugepages-1Gi':'1500Mi','Rdma/x':1,"
                               "'a/b/c':1,'foo':1,'nvidia.com/gpu':1,'ephemeral-storage':'x'}}"));
    assert_string_equal(
        story(&world),
        "/resources/rdma~1hca: this is not what DOMAIN/NAME holds\n"
        "/resources/a~1b: this is not what DOMAIN/NAME holds\n"
        "/resources/a~1c: this is not what DOMAIN/NAME holds\n"
        "/resources/hugepages-1Gi: this is no whole number of pages, of 1073741824 bytes each\n"
        "/resources/Rdma~1x: unknown field\n"
        "/resources/a~1b~1c: unknown field\n"
        "/resources/foo: unknown field\n"
        "/resources/nvidia.com~1gpu: in the short form it is called gpus\n"
        "/resources/ephemeral-storage: this is not what ephemeral-storage holds\n");
    assert_true(fl_str_eq(world.problems.at[0].allowed,
                          FL_STR("a whole number, from 0 to 1125899906842624")));
    assert_true(
        fl_str_eq(world.problems.at[4].allowed,
                  FL_STR("cpu, memory, gpus, ephemeral-storage, hugepages-1Gi, hugepages-2Mi, "
                         "DOMAIN/NAME")));
    assert_false(parse(&world, "{'image':'a','resources':{'hugepages-1Gi':'2Gi'}}"));
    assert_string_equal(story(&world), ": it asks for hugepages, and for neither cpu nor memory "
                                       "beside them\n");
    assert_false(parse(&world, "{'roles':[{'name':'a','template':{'spec':{'containers':[{"
                               "'image':'a','resources':{'limits':{'a/b':1},"
                               "'requests':{'a/b':2}}}]}}}]}"));
    assert_string_equal(story(&world), "/roles/0: request and limit of a/b differ\n");
    end(&world);
}

static void a_job_asks_for_so_many_kinds(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_good(&world, "{'image':'a','resources':{'a/1':1,'a/2':1,'a/3':1,'a/4':1,'a/5':1,"
                        "'a/6':1,'a/7':1,'a/8':1}}");
    assert_false(parse(&world, "{'image':'a','resources':{'a/1':1,'a/2':1,'a/3':1,'a/4':1,"
                               "'a/5':1,'a/6':1,'a/7':1,'a/8':1,'a/9':1}}"));
    assert_string_equal(story(&world),
                        "/resources/a~19: a job may ask for 8 kinds of resources beside cpu, "
                        "memory and gpus, and this is one more\n");
    assert_false(parse(&world,
                       "{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'a',"
                       "'resources':{'limits':{'a/1':1,'a/2':1,'a/3':1,'a/4':1,'a/5':1}}}]}}},"
                       "{'name':'b','template':{'spec':{'containers':[{'image':'a',"
                       "'resources':{'limits':{'a/5':1,'b/2':1,'b/3':1,'b/4':1,'b/5':1}}}]}}}]}"));
    assert_string_equal(story(&world),
                        ": it asks for 9 kinds of resources beside cpu, memory and gpus; the limit "
                        "is 8 in all roles together\n");
    end(&world);
}

static void little_is_enough(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_good(&world, "{'command':['true']}");
    assert_true(fl_str_eq(world.spec.queue, FL_STR("default")));
    assert_int_equal(world.spec.elements, 1);
    assert_string_equal(canonical(&world),
                        "{'roles':[{'name':'main','template':{'spec':{'containers':[{'command':["
                        "'true']}]}}}]}");
    assert_good(&world, "{'image':'a'}");
    assert_true(world.spec.has_image);
    end(&world);
}

static void the_long_form_takes_a_pod_template(void **state)
{
    static const char text[] =
        "{'roles':[{'name':'ps','replicas':2,'min':2,'template':{'spec':{'restartPolicy':'Never',"
        "'nodeSelector':{'a':'b'},'terminationGracePeriodSeconds':5,'containers':[{'command':['x'],"
        "'workingDir':'/tmp','resources':{'limits':{'memory':'1Gi','cpu':'2'}}}]}}},"
        "{'name':'worker','replicas':3,'template':{'spec':{'nodeSelector':{'a':'b'},"
        "'containers':[{'image':'i','env':[{'name':'E'},{'name':'D','value':'1'}],"
        "'resources':{'requests':{'nvidia.com/gpu':1}}}]}}}]}";
    struct world world;
    struct fl_err err = {0};
    struct fl_job_spec again;
    struct fl_job_replica replica;
    const char *first;

    (void)state;
    begin(&world);
    assert_good(&world, text);
    assert_int_equal(world.spec.replicas, 5);
    assert_true(world.spec.has_image);
    assert_int_equal(world.spec.roles.at[0].request.usual.memory_bytes, 1 << 30);
    assert_int_equal(world.spec.roles.at[0].grace_s, 5);
    assert_int_equal(world.spec.roles.at[1].limit.usual.gpus, 1);
    replica = fl_job_spec_replica(&world.spec, NULL, 4, &world.arena);
    assert_int_equal(replica.role_number, 1);
    assert_int_equal(replica.number, 2);
    assert_int_equal(replica.env.len, 2);
    assert_true(fl_str_eq(replica.env.at[0].key, FL_STR("D")));
    assert_int_equal(fl_job_spec_replica(&world.spec, NULL, 1, &world.arena).role_number, 0);

    first = canonical(&world);
    assert_true(fl_job_spec_read(quoted(&world, first), &world.arena, &again, &err));
    world.spec = again;
    assert_string_equal(canonical(&world), first);
    end(&world);
}

static void jobs_to_run_after_are_the_jobs_own(void **state)
{
    static const char text[] =
        "{'image':'a','after':[{'job':'job-7'},{'line':3,'on':'any'},{'job':'job-8','on':"
        "'failure'}]}";
    struct fl_dependencies after;
    struct world world;
    struct fl_buf buf;

    (void)state;
    begin(&world);
    assert_good(&world, text);
    after = world.spec.after;
    assert_int_equal(after.len, 3);
    assert_int_equal(after.at[0].job.n, 7);
    assert_int_equal(after.at[0].on, FL_ON_success);
    assert_int_equal(after.at[1].line, 3);
    assert_int_equal(after.at[1].on, FL_ON_any);
    assert_int_equal(after.at[2].on, FL_ON_failure);
    fl_buf_init(&buf, FL_JOB_SPEC_BYTES_MAX);
    assert_true(fl_job_spec_canonical(&buf, &world.spec)); /* no part of the spec */
    fl_buf_put_u8(&buf, 0);
    assert_null(strstr((const char *)buf.at, "after"));
    fl_buf_clear(&buf);
    assert_true(fl_job_spec_document(&buf, &world.spec)); /* but of the document */
    fl_buf_put_u8(&buf, 0);
    assert_non_null(strstr((const char *)buf.at,
                           "\"after\":[{\"job\":\"job-7\"},{\"line\":3,\"on\":\"any\"},"
                           "{\"job\":\"job-8\",\"on\":\"failure\"}]"));
    fl_buf_fini(&buf);
    end(&world);
}

/* Its canonical bytes, or the whole document. */
static const char *bytes_of(struct world *world, bool is_whole)
{
    struct fl_buf buf;

    fl_buf_init_in(&buf, FL_JOB_SPEC_BYTES_MAX, &world->arena);
    assert_true(is_whole ? fl_job_spec_document(&buf, &world->spec)
                         : fl_job_spec_canonical(&buf, &world->spec));
    fl_buf_put_u8(&buf, 0);
    return (const char *)buf.at;
}

static void assert_indexes(struct world *world, const char *text)
{
    struct fl_job_spec again;
    struct fl_err err = {0};
    struct fl_str bytes = fl_str_c(bytes_of(world, false)), indexes = fl_job_spec_indexes(bytes);

    assert_true(fl_str_eq(indexes, fl_str_c(text)));
    assert_true(fl_job_spec_read(bytes, &world->arena, &again, &err));
    assert_true(fl_str_eq(again.indexes.text, fl_str_c(text)));
    assert_int_equal(again.elements, *text ? world->spec.elements : 1);
}

static void indexes_are_of_the_spec_and_say_how_many_elements_there_are(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_good(&world, "{'image':'a','indexes':'1-99:2,100','deadline':60,'clusters':['a']}");
    assert_int_equal(world.spec.elements, 51);
    assert_indexes(&world, "1-97:2,99-100");
    assert_non_null(strstr(bytes_of(&world, true), "\"array\":51,\"indexes\":\"1-97:2,99-100\""));
    assert_good(&world, "{'image':'a','array':3,'indexes':'5-7','parallelism':2}");
    assert_indexes(&world, "5-7");
    assert_good(&world, "{'image':'a','indexes':'5','parallelism':2}");
    assert_indexes(&world, "5");
    assert_good(&world, "{'image':'a','indexes':'0-9'}"); /* their own numbers */
    assert_int_equal(world.spec.elements, 10);
    assert_indexes(&world, "");
    assert_null(strstr(bytes_of(&world, true), "indexes"));
    end(&world);
}

static void indexes_that_are_wrong_are_named(void **state)
{
    static const struct {
        const char *document, *why;
    } rows[] = {
        {"{'image':'a','indexes':7}", "/indexes: this is not what indexes holds"},
        {"{'image':'a','indexes':'9-1'}", "/indexes: '9-1' ends before it begins"},
        {"{'image':'a','indexes':'1,1'}", "/indexes: '1' does not begin behind 1"},
        {"{'image':'a','array':4,'indexes':'1-3'}", "/array: indexes names 3 elements"},
        {"{'image':'a','array':4,'indexes':'0-2'}", "/array: indexes names 3 elements"},
    };
    struct world world;

    (void)state;
    begin(&world);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(parse(&world, rows[i].document));
        if (!strstr(story(&world), rows[i].why)) fail_msg("%s", story(&world));
    }
    end(&world);
}

static void a_parallelism_is_the_jobs_own_and_needs_an_array(void **state)
{
    struct world world;
    struct fl_buf buf;

    (void)state;
    begin(&world);
    assert_good(&world, "{'image':'a','array':100,'parallelism':8}");
    assert_int_equal(world.spec.parallelism, 8);
    fl_buf_init(&buf, FL_JOB_SPEC_BYTES_MAX);
    assert_true(fl_job_spec_canonical(&buf, &world.spec)); /* no part of the spec */
    fl_buf_put_u8(&buf, 0);
    assert_null(strstr((const char *)buf.at, "parallelism"));
    fl_buf_clear(&buf);
    assert_true(fl_job_spec_document(&buf, &world.spec));
    fl_buf_put_u8(&buf, 0);
    assert_non_null(strstr((const char *)buf.at, "\"array\":100,\"parallelism\":8"));
    fl_buf_fini(&buf);
    assert_good(&world, "{'image':'a','array':1,'parallelism':8}");
    assert_good(&world, "{'image':'a','array':4,'parallelism':8}");
    assert_false(parse(&world, "{'image':'a','parallelism':8}"));
    assert_non_null(strstr(story(&world), "/parallelism: this limits how many elements of an array "
                                          "run at the same time, and there is no array"));
    assert_false(parse(&world, "{'image':'a','array':4,'parallelism':0}"));
    assert_non_null(strstr(story(&world), "/parallelism: "));
    end(&world);
}

static void what_a_role_leaves_out_has_its_preset(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_good(&world, "{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x'}]}}},"
                        "{'name':'b','template':{'spec':{'containers':[{'image':'x'}]}}}]}");
    assert_int_equal(world.spec.replicas, 2);
    assert_int_equal(world.spec.roles.at[1].replicas, 1);
    assert_int_equal(world.spec.roles.at[1].grace_s, FL_JOB_GRACE_S);
    end(&world);
}

static void parameters_reach_a_replica_over_its_env(void **state)
{
    struct world world;
    struct fl_job_replica replica;
    struct fl_text_map params, own;
    struct fl_err err = {0};

    (void)state;
    begin(&world);
    assert_good(&world, "{'command':['x'],'env':{'A':'1','FAIRLEAD_PARAM_LR':'0.1','Z':'2'},"
                        "'params':{'seed':7,'lr':0.50}}");
    assert_true(fl_job_params_canonical(&world.buf, &world.spec.params));
    assert_string_equal(written(&world), "{'lr':'0.50','seed':'7'}");
    assert_true(fl_job_params_read(quoted(&world, "{'lr':'0.50','seed':'7'}"), &world.arena,
                                   &params, &err));
    replica = fl_job_spec_replica(&world.spec, &params, 0, &world.arena);
    fl_text_map_lines(&world.buf, &replica.env);
    assert_string_equal(written(&world),
                        "A=1\nFAIRLEAD_PARAM_LR=0.50\nFAIRLEAD_PARAM_SEED=7\nZ=2\n");
    assert_true(fl_job_params_read(quoted(&world, "{'LR':'0.1','batch':'4','sEEd2':'1'}"),
                                   &world.arena, &own, &err));
    params = fl_job_params_over(&params, &own, &world.arena);
    assert_true(fl_job_params_canonical(&world.buf, &params));
    assert_string_equal(written(&world), "{'LR':'0.1','batch':'4','sEEd2':'1','seed':'7'}");
    assert_true(fl_job_params_read((struct fl_str){0}, &world.arena, &params, &err));
    assert_int_equal(params.len, 0);
    assert_false(fl_job_params_read(FL_STR("[]"), &world.arena, &params, &err));
    assert_false(fl_job_params_read(FL_STR("{"), &world.arena, &params, &err));
    end(&world);
}

/* 'b' is so long that both parameters together have 'bytes'. */
static bool parse_long_params(struct world *world, size_t bytes)
{
    char text[65536];

    snprintf(text, sizeof text, "{'command':['x'],'params':{'a':'%0*d','b':'%0*d'}}", 20000, 7,
             (int)(bytes - 20002), 7);
    return parse(world, text);
}

static void parameters_that_are_too_long_name_the_limit_that_is_kept(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_true(parse_long_params(&world, FL_JOB_PARAMS_BYTES_MAX));
    assert_false(parse_long_params(&world, 40000));
    assert_true(
        fl_str_eq(world.problems.at[0].allowed, FL_STR("at most 32768 bytes in all"))); /* 32 KiB */
    assert_false(parse_long_params(&world, FL_JOB_PARAMS_BYTES_MAX + 1));
    end(&world);
}

static void labels_are_lines_in_order(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_good(&world, "{'image':'a','labels':{'b':'Z9','example.com/a':'','a':3}}");
    fl_text_map_lines(&world.buf, &world.spec.labels);
    assert_string_equal(written(&world), "a=3\nb=Z9\nexample.com/a=\n");
    end(&world);
}

static void a_spec_is_read_from_any_bytes_or_refused(void **state)
{
    struct fl_arena arena = {0};
    struct fl_job_spec spec;
    struct fl_err err = {0};

    (void)state;
    assert_false(fl_job_spec_read(FL_STR(""), &arena, &spec, &err));
    assert_false(fl_job_spec_read(FL_STR("{"), &arena, &spec, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_false(fl_job_spec_read(FL_STR("{\"roles\":3}"), &arena, &spec, &err));
    assert_string_equal(err.text, "spec: /roles: this is not what roles holds");
    assert_false(
        fl_job_spec_read((struct fl_str){"", FL_JOB_SPEC_BYTES_MAX + 1}, &arena, &spec, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    fl_arena_fini(&arena);
}

/* The canonical text of the document is that of the same with half a CPU in each role that asks for
 * none, without the additions. */
static void assert_additions(const char *text, size_t additions_len)
{
    struct world world;
    struct fl_job_spec more;
    struct fl_job_additions additions;
    const char *whole, *left = "";
    size_t at = 0;

    begin(&world);
    assert_good(&world, text);
    more = world.spec;
    more.roles.at =
        fl_arena_copy(&world.arena, more.roles.at, more.roles.len * sizeof *more.roles.at);
    for (size_t i = 0; i < more.roles.len; i++) {
        struct fl_resources *request = &more.roles.at[i].request.usual;

        if (request->cpu_milli == 0) request->cpu_milli = 500;
    }
    assert_true(fl_job_spec_canonical_over(&world.buf, &more, &world.spec, &additions));
    whole = fl_arena_printf(&world.arena, "%.*s", (int)world.buf.len, (char *)world.buf.at);
    fl_buf_clear(&world.buf);
    assert_true(fl_job_spec_canonical(&world.buf, &more));
    assert_int_equal(world.buf.len, strlen(whole));
    assert_memory_equal(world.buf.at, whole, world.buf.len);
    for (size_t i = 0; i < additions.len; i++) {
        left = fl_arena_printf(&world.arena, "%s%.*s", left, (int)(additions.at[i].at - at),
                               whole + at);
        at = additions.at[i].end;
    }
    fl_buf_clear(&world.buf);
    left = fl_arena_printf(&world.arena, "%s%s", left, whole + at);
    assert_true(fl_job_spec_canonical(&world.buf, &world.spec));
    assert_int_equal(world.buf.len, strlen(left));
    assert_memory_equal(world.buf.at, left, world.buf.len);
    assert_int_equal(additions.len, additions_len);
    end(&world);
}

static void additions_are_what_the_other_spec_does_not_say(void **state)
{
    (void)state;
    assert_additions("{'command':['a'],'resources':{'cpu':2}}", 0);
    assert_additions("{'command':['a']}", 1);
    assert_additions("{'command':['a'],'workingDir':'/x','nodeSelector':{'zone':'b'}}", 1);
    assert_additions("{'command':['a'],'resources':{'memory':'1Gi','rdma/hca':1}}", 1);
    assert_additions("{'roles':[{'name':'a','template':{'spec':{'containers':[{'command':['a'],"
                     "'resources':{'limits':{'memory':'2Gi'}}}]}}},"
                     "{'name':'b','template':{'spec':{'containers':[{'command':['b'],"
                     "'resources':{'requests':{'cpu':1}}}]}}},"
                     "{'name':'c','template':{'spec':{'terminationGracePeriodSeconds':3,"
                     "'containers':[{'image':'c','resources':{"
                     "'requests':{'nvidia.com/gpu':1}}}]}}}],'retry':3}",
                     2);
}

static void a_text_that_is_too_long_has_no_additions(void **state)
{
    struct world world;
    struct fl_job_spec more;
    struct fl_job_additions additions;
    struct fl_buf buf;

    (void)state;
    begin(&world);
    assert_good(&world, "{'command':['a']}");
    more = world.spec;
    more.roles.at = fl_arena_copy(&world.arena, more.roles.at, sizeof *more.roles.at);
    more.roles.at[0].request.usual.cpu_milli = 500;
    for (size_t bytes = 1; bytes < 80; bytes++) {
        fl_buf_init(&buf, bytes);
        assert_false(fl_job_spec_canonical_over(&buf, &more, &world.spec, &additions));
        fl_buf_fini(&buf);
    }
    end(&world);
}

static void tolerations_are_sorted_once_each_and_the_same_in_all_roles(void **state)
{
    struct world world;
    struct fl_str lines;

    (void)state;
    begin(&world);
    assert_good(&world,
                "{'command':['a'],'tolerations':[{'key':'nvidia.com/gpu','operator':'Exists',"
                "'effect':'NoSchedule'},{'key':'b','operator':'Equal','value':'c'},"
                "{'operator':'Exists','effect':'NoExecute'},{'key':'b','value':'c','effect':''},"
                "{'key':'e','value':true}]}");
    assert_string_equal(
        canonical(&world),
        "{'roles':[{'name':'main','template':{'spec':{'containers':[{'command':['a']}],"
        "'tolerations':[{'operator':'Exists','effect':'NoExecute'},{'key':'b','value':'c'},"
        "{'key':'e','value':'true'},{'key':'nvidia.com/gpu','operator':'Exists','effect':"
        "'NoSchedule'}]}}}]}");
    lines = fl_job_spec_tolerations(&world.spec, &world.arena);
    assert_true(fl_str_eq(lines, FL_STR("*:NoExecute\nb=c\ne=true\nnvidia.com/gpu:NoSchedule\n")));
    assert_true(fl_tolerations_are_list(lines, FL_JOB_TOLERATIONS_MAX));
    assert_good(&world, "{'command':['a'],'tolerations':[]}");
    assert_int_equal(fl_job_spec_tolerations(&world.spec, &world.arena).len, 0);
    assert_good(&world,
                "{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x'}],"
                "'tolerations':[{'key':'k'},{'key':'j'}]}}},{'name':'b','template':{'spec':{"
                "'containers':[{'image':'x'}],'tolerations':[{'key':'j'},{'key':'k'}]}}}]}");
    end(&world);
}

FL_TESTS(cmocka_unit_test(the_short_form_is_one_role), cmocka_unit_test(little_is_enough),
         cmocka_unit_test(a_resource_may_have_any_name_with_a_slash),
         cmocka_unit_test(amounts_of_named_resources_that_cannot_be_are_refused),
         cmocka_unit_test(a_job_asks_for_so_many_kinds),
         cmocka_unit_test(the_long_form_takes_a_pod_template),
         cmocka_unit_test(jobs_to_run_after_are_the_jobs_own),
         cmocka_unit_test(a_parallelism_is_the_jobs_own_and_needs_an_array),
         cmocka_unit_test(indexes_are_of_the_spec_and_say_how_many_elements_there_are),
         cmocka_unit_test(indexes_that_are_wrong_are_named),
         cmocka_unit_test(what_a_role_leaves_out_has_its_preset),
         cmocka_unit_test(parameters_reach_a_replica_over_its_env),
         cmocka_unit_test(parameters_that_are_too_long_name_the_limit_that_is_kept),
         cmocka_unit_test(labels_are_lines_in_order),
         cmocka_unit_test(a_spec_is_read_from_any_bytes_or_refused),
         cmocka_unit_test(additions_are_what_the_other_spec_does_not_say),
         cmocka_unit_test(a_text_that_is_too_long_has_no_additions),
         cmocka_unit_test(tolerations_are_sorted_once_each_and_the_same_in_all_roles))
