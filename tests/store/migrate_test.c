/* The program's start on a database, and its refusals. */
#include "controlplane/store/migrate.h"

#include <pthread.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

static void refuses(const char *conninfo, enum fl_code code, const char *word)
{
    struct partition_config config = partition_config_default();
    struct fl_err err = {0};

    assert_false(migrate(conninfo, &config, &err));
    assert_int_equal(err.code, code);
    if (!strstr(err.text, word)) fail_msg("\"%s\" does not name %s", err.text, word);
}

static void the_embedded_files_are_those_of_the_schema_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < migrations_len; i++) {
        char path[128];
        char *text = fl_new_array(char, 1 << 20);
        FILE *file;

        snprintf(path, sizeof path, "schema/%s.sql", migrations[i].name);
        file = fopen(path, "r");
        assert_non_null(file);
        assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
        fclose(file);
        if (strcmp(text, migrations[i].sql) != 0) {
            fail_msg("%s has changed since the build: touch controlplane/store/migrations.c", path);
        }
        assert_int_equal(migrations[i].version, i + 1);
        fl_free(text);
    }
}

static void a_second_start_changes_nothing(void **state)
{
    char *conninfo = help_database();
    struct partition_config config = partition_config_default();
    struct fl_err err = {0};

    (void)state;
    assert_true(migrate(conninfo, &config, &err));
    assert_int_equal(help_number(conninfo, "select count(*) from schema_version"), migrations_len);
    assert_int_equal(
        help_number(conninfo, "select count(*) from journal where epoch = 0 and prev = -1"), 1);
    assert_int_equal(help_number(conninfo, "select count(*) from pg_inherits"
                                           " where inhparent = 'job'::regclass"),
                     1);
    fl_free(conninfo);
}

static void *start(void *arg)
{
    struct partition_config config = partition_config_default();
    struct fl_err err = {0};

    return migrate(arg, &config, &err) ? NULL : arg;
}

static void several_programs_may_start_at_once(void **state)
{
    char *conninfo = help_database_empty();
    pthread_t threads[4];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, start, conninfo), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(help_number(conninfo, "select count(*) from schema_version"), migrations_len);
    assert_int_equal(help_number(conninfo, "select count(*) from journal"), 1);
    fl_free(conninfo);
}

static void a_step_that_fails_leaves_nothing_and_steps_go_forward_only(void **state)
{
    char *conninfo = help_database();
    struct partition_config config = partition_config_default();
    struct migration steps[32];
    uint32_t len = (uint32_t)migrations_len;
    struct fl_err err = {0};

    (void)state;
    memcpy(steps, migrations, len * sizeof *steps);
    steps[len] = (struct migration){len + 1, "9998_good", "create table extra(x int)"};
    steps[len + 1] =
        (struct migration){len + 2, "9999_bad", "create table more(x int); select 1/0"};
    assert_false(migrate_to(conninfo, &config, steps, len + 2, &err));
    assert_int_equal(err.code, FL_IO);
    assert_non_null(strstr(err.text, "9999_bad"));
    assert_int_equal(help_number(conninfo, "select max(version) from schema_version"), len + 1);
    assert_int_equal(help_number(conninfo, "select count(*) from pg_class where relname = 'more'"),
                     0);
    assert_int_equal(help_number(conninfo, "select count(*) from pg_class where relname = 'extra'"),
                     1);
    /* And the older program, which does not know the newest step, refuses by both names. */
    refuses(conninfo, FL_UNSUPPORTED, "9998_good");
    refuses(conninfo, FL_UNSUPPORTED, migrations[len - 1].name);
    steps[len].name = "9998_other";
    assert_false(migrate_to(conninfo, &config, steps, len + 1, &err));
    assert_non_null(strstr(err.text, "9998_other"));
    fl_free(conninfo);
}

static void synchronous_commit_off_is_refused_by_name(void **state)
{
    char *conninfo = help_database();

    (void)state;
    help_run(conninfo,
             "do $$ begin execute format('alter database %I set synchronous_commit = off',"
             " current_database()); end $$");
    refuses(conninfo, FL_UNSUPPORTED, "synchronous_commit");
    fl_free(conninfo);
}

/* New connections have the setting when this is back: 'is_there' counts 1. */
static void reload(const char *server, const char *is_there)
{
    fl_ms end = help_now() + HELP_WAIT_MS;

    help_run(server, "select pg_reload_conf()");
    while (help_number(server, is_there) != 1) {
        assert_true(help_now() < end);
        usleep(10000);
    }
}

static void a_server_that_may_lose_data_is_refused_by_name(void **state)
{
    char *server = help_server_start("fsync=off");
    char *conninfo = help_database_of(server, false);

    (void)state;
    refuses(conninfo, FL_UNSUPPORTED, "fsync");
    help_run(server, "alter system set fsync = on");
    help_run(server, "alter system set full_page_writes = off");
    reload(server,
           "select count(*) from pg_settings where name = 'full_page_writes' and setting = 'off'");
    refuses(conninfo, FL_UNSUPPORTED, "full_page_writes");
    help_run(server, "alter system set full_page_writes = on");
    reload(server,
           "select count(*) from pg_settings where name = 'full_page_writes' and setting = 'on'");
    assert_null(start(conninfo));
    fl_free(conninfo);
    fl_free(server);
}

static void another_encoding_is_refused(void **state)
{
    char *conninfo = help_database_empty(), sql[128], name[64];
    const char *at = strrchr(conninfo, '=') + 1;
    char latin[512];

    (void)state;
    snprintf(name, sizeof name, "%s_latin", at);
    snprintf(sql, sizeof sql, "create database %s encoding 'LATIN1' template template0", name);
    help_run(conninfo, sql);
    snprintf(latin, sizeof latin, "%s dbname=%s", conninfo, name);
    refuses(latin, FL_UNSUPPORTED, "LATIN1");
    snprintf(sql, sizeof sql, "drop database %s with (force)", name);
    help_run(conninfo, sql);
    fl_free(conninfo);
}

static void no_database_is_unavailable(void **state)
{
    (void)state;
    refuses("host=/nowhere user=nobody dbname=none", FL_UNAVAILABLE, "/nowhere");
}

FL_TESTS(cmocka_unit_test(the_embedded_files_are_those_of_the_schema_folder),
         cmocka_unit_test(a_second_start_changes_nothing),
         cmocka_unit_test(several_programs_may_start_at_once),
         cmocka_unit_test(a_step_that_fails_leaves_nothing_and_steps_go_forward_only),
         cmocka_unit_test(synchronous_commit_off_is_refused_by_name),
         cmocka_unit_test(a_server_that_may_lose_data_is_refused_by_name),
         cmocka_unit_test(another_encoding_is_refused),
         cmocka_unit_test(no_database_is_unavailable))
