#include "shared/spec/job_mount.h"

#include "tests/fl_test.h"
#include "tests/unit/shared/spec/spec_world.h"

static void mounts_are_sorted_by_path_and_need_a_runtime_of_pods(void **state)
{
    struct world world;
    const struct fl_job_mounts *mounts;
    char source[FL_JOB_MOUNT_SOURCE_MAX];

    (void)state;
    begin(&world);
    assert_good(&world,
                "{'command':['a'],'mounts':[{'path':'/dev/shm','empty':'memory','size':'8Gi'},"
                "{'path':'/data','claim':'data.sets','subPath':'train/images','readOnly':true},"
                "{'secret':'hf','path':'/run/hf'},{'path':'/etc/train','configMap':'train'},"
                "{'path':'/scratch','empty':'disk'}]}");
    assert_true(world.spec.has_image);
    mounts = &world.spec.roles.at[0].mounts;
    assert_int_equal(mounts->len, 5);
    fl_job_mount_source(&mounts->at[0], source);
    assert_string_equal(source, "claim/data.sets");
    fl_job_mount_source(&mounts->at[4], source);
    assert_string_equal(source, "empty/disk");
    assert_string_equal(
        canonical(&world),
        "{'roles':[{'name':'main','template':{'spec':{'containers':[{'command':['a'],'mounts':["
        "{'path':'/data','claim':'data.sets','subPath':'train/images','readOnly':true},"
        "{'path':'/dev/shm','empty':'memory','size':'8Gi'},"
        "{'path':'/etc/train','configMap':'train'},{'path':'/run/hf','secret':'hf'},"
        "{'path':'/scratch','empty':'disk'}]}]}}}]}");
    end(&world);
}

static void roles_may_have_other_mounts(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_good(&world, "{'roles':[{'name':'a','template':{'spec':{'containers':[{'image':'x',"
                        "'mounts':[{'path':'/m','empty':'disk'}]}]}}},"
                        "{'name':'b','template':{'spec':{'containers':[{'image':'x'}]}}}]}");
    assert_int_equal(world.spec.roles.at[1].mounts.len, 0);
    end(&world);
}

static void secrets_of_the_environment_are_apart_from_it(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_good(&world, "{'command':['a'],'env':{'A':'b'},'secretEnv':{'HF_TOKEN':'hf.x/my_token',"
                        "'B':'s/k'}}");
    assert_true(world.spec.has_image);
    assert_string_equal(
        canonical(&world),
        "{'roles':[{'name':'main','template':{'spec':{'containers':[{'command':['a'],'env':["
        "{'name':'A','value':'b'}],'secretEnv':[{'name':'B','value':'s/k'},"
        "{'name':'HF_TOKEN','value':'hf.x/my_token'}]}]}}}]}");
    assert_false(parse(&world, "{'command':['a'],'env':{'A':'b'},'secretEnv':{'A':'s/k'}}"));
    assert_non_null(strstr(story(&world), "is in env, too"));
    end(&world);
}

static void a_secret_of_the_environment_has_a_name_and_a_key(void **state)
{
    static const char *const bad[] = {"s", "s/", "/k", "S/k", "s/a/b", "s/a b", ""};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct world world;
        char document[100];

        begin(&world);
        snprintf(document, sizeof document, "{'command':['a'],'secretEnv':{'A':'%s'}}", bad[i]);
        assert_false(parse(&world, document));
        assert_non_null(strstr(story(&world), "is no SECRET/KEY"));
        end(&world);
    }
}

#define MOUNT(mount) "{'command':['a'],'mounts':[" mount "]}"

static void what_cannot_be_mounted_is_refused(void **state)
{
    static const struct {
        const char *mount, *why;
    } cases[] = {
        {"{'path':'/m'}", "a mount has one source"},
        {"{'path':'/m','claim':'a','secret':'b'}", "a mount has one source"},
        {"{'claim':'a'}", "path"},
        {"{'path':'m','claim':'a'}", "the path is absolute"},
        {"{'path':'/','claim':'a'}", "the path is absolute"},
        {"{'path':'/m/','claim':'a'}", "the path is absolute"},
        {"{'path':'/m/../etc','claim':'a'}", "the path is absolute"},
        {"{'path':'/a:b','claim':'a'}", "the path is absolute"},
        {"{'path':'/m','claim':'A'}", "no name of an object"},
        {"{'path':'/m','claim':'a.-b'}", "no name of an object"},
        {"{'path':'/m','secret':'-a'}", "no name of an object"},
        {"{'path':'/m','claim':'a','subPath':'/b'}", "subPath is relative"},
        {"{'path':'/m','claim':'a','subPath':'b/../..'}", "subPath is relative"},
        {"{'path':'/m','empty':'tape'}", "on disk or in memory"},
        {"{'path':'/m','empty':'disk','readOnly':true}", "must be written to"},
        {"{'path':'/m','empty':'disk','subPath':'a'}", "must be written to"},
        {"{'path':'/m','claim':'a','size':'1Gi'}", "only an empty directory has a size"},
        {"{'path':'/m','claim':'a'},{'path':'/m','claim':'b'}", "another mount at this path"},
        {"{'path':'/m','hostPath':'/etc'}", "use a claim"},
        {"{'path':'/m','emptyDir':{}}", "empty: disk or memory"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world world;
        char document[400];

        begin(&world);
        snprintf(document, sizeof document, MOUNT("%s"), cases[i].mount);
        assert_false(parse(&world, document));
        if (!strstr(story(&world), cases[i].why)) fail_msg("%s: %s", document, story(&world));
        end(&world);
    }
}

FL_TESTS(cmocka_unit_test(secrets_of_the_environment_are_apart_from_it),
         cmocka_unit_test(a_secret_of_the_environment_has_a_name_and_a_key),
         cmocka_unit_test(mounts_are_sorted_by_path_and_need_a_runtime_of_pods),
         cmocka_unit_test(roles_may_have_other_mounts),
         cmocka_unit_test(what_cannot_be_mounted_is_refused))
