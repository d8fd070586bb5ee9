/* The writer where a story cannot tell it: a disk that is really full, connections cut anywhere,
 * look-ups.  store_stories/ has the rest. */
#include <stdlib.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

static struct help *leader(char **ret_conninfo)
{
    struct help *help;

    *ret_conninfo = help_database();
    help = help_create(*ret_conninfo, "a");
    assert_int_equal(help_take(help, 0), FL_OK);
    return help;
}

static void finish(struct help *help, char *conninfo)
{
    help_destroy(help);
    fl_free(conninfo);
}

static void commit_job(struct help *help, uint64_t number, uint64_t job)
{
    struct core_batch *batch = help_batch(number);

    help_job(batch, job, 1);
    assert_int_equal(help_commit(help, batch), ENGINE_COMMITTED);
    core_batch_destroy(batch);
}

static void the_first_takeover_finds_genesis_and_room(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    assert_int_equal(help->taken.epoch, 1);
    assert_int_equal(help->taken.incarnation, 1);
    assert_int_equal(help->taken.batch_newest, 0);
    assert_int_equal(help->taken.job_below, 1000000);
    assert_int_equal(help->taken.batch_below, 1000000);
    assert_true(help->taken.at > 1700000000000);
    finish(help, conninfo);
}

/* A real one: the jobs are on a file system of 8 MiB.  Only root may mount that; for others the
 * story of a full disk has to do. */
static void a_disk_that_is_really_full_and_has_space_again(void **state)
{
    char dir[32], command[512], sql[256];
    char *conninfo, *large = fl_new_array(char, 65536);
    struct help *help;
    enum engine_commit result = ENGINE_COMMITTED;
    uint64_t number = 0, job = 0;

    (void)state;
    snprintf(dir, sizeof dir, "/tmp/fl-full-%d", (int)getpid());
    snprintf(command, sizeof command,
             "mkdir -p %s && mount -t tmpfs -o size=8m tmpfs %s 2>/dev/null && mkdir %s/ts &&"
             " dd if=/dev/zero of=%s/filler bs=1M count=4 2>/dev/null && chown postgres %s/ts",
             dir, dir, dir, dir, dir);
    if (system(command) != 0) {
        printf("no file system could be mounted here\n");
        fl_free(large);
        skip();
    }
    help = leader(&conninfo);
    help_until(help, store_stats(help->store).partition.is_idle);
    snprintf(sql, sizeof sql, "create tablespace full_%d location '%s/ts'", (int)getpid(), dir);
    help_run(conninfo, sql);
    snprintf(sql, sizeof sql, "alter table job_p0 set tablespace full_%d", (int)getpid());
    help_run(conninfo, sql);
    help_run(conninfo, "alter table job_p0 alter params set storage plain");
    for (size_t i = 0; i < 65536; i++) {
        large[i] = (char)mrand48();
    }
    while (result == ENGINE_COMMITTED && number < 1000) {
        struct core_batch *batch = help_batch(++number);

        for (int i = 0; i < 50; i++) {
            help_row(batch, (struct row){
                                .kind = ROW_job_new,
                                .job_new = {.job = ++job, .elements = 1, .params = {large, 7000}}});
        }
        result = help_commit(help, batch);
        core_batch_destroy(batch);
    }
    printf("full after %llu batches\n", (unsigned long long)number);
    assert_int_equal(result, ENGINE_NO_SPACE);
    assert_true(number > 2);
    assert_int_equal(help_take(help, number), FL_OK);
    assert_int_equal(help->taken.batch_newest, number - 1);
    snprintf(command, sizeof command, "rm %s/filler", dir);
    assert_int_equal(system(command), 0);
    commit_job(help, number, job + 1);
    store_release(help->store, help_now()); /* and so no maintenance */
    help_until(help, store_is_released(help->store));
    help_run(conninfo, "drop table job cascade");
    snprintf(sql, sizeof sql, "drop tablespace full_%d", (int)getpid());
    help_run(conninfo, sql);
    snprintf(command, sizeof command, "umount %s && rmdir %s", dir, dir);
    assert_int_equal(system(command), 0);
    fl_free(large);
    finish(help, conninfo);
}

/* Here the client goes away while it sends, or after it has sent COMMIT: then the server may well
 * execute it.  Large batches are still on their way when the socket is closed. */
static void a_dropped_connection_may_have_landed_and_take_tells(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);
    struct core_batch *batch = help_batch(2);
    size_t landed = 0, lost = 0;
    char *large = fl_new_array(char, 65536);

    (void)state;
    commit_job(help, 1, 1);
    core_batch_destroy(batch);
    for (uint64_t number = 2; landed + lost < 40; number = help->taken.batch_newest + 1) {
        uint64_t epoch = help->taken.epoch;

        batch = help_batch(number);
        help_job(batch, 1000 + landed + lost, 1);
        for (uint64_t i = 0; i < 64 && (landed + lost) % 2 == 0; i++) {
            help_row(batch, (struct row){.kind = ROW_spec_new,
                                         .spec_new = {.job = i, .body = {large, 65536}}});
        }
        help->port.commit(help->store, batch, epoch, help_now());
        assert_int_equal(help_take(help, number), FL_OK);
        if (help->taken.keys_len > 0) {
            assert_int_equal(help->taken.keys_len, 1);
            assert_int_equal(help->taken.keys[0].batch, number);
            assert_int_equal(help->taken.keys[0].epoch, epoch);
            landed++;
        } else {
            assert_int_equal(help->taken.batch_newest, number - 1);
            lost++;
        }
        core_batch_destroy(batch);
    }
    printf("cut: %zu batches landed, %zu did not\n", landed, lost);
    assert_true(landed > 0 && lost > 0);
    fl_free(large);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 1 + (long long)landed);
    finish(help, conninfo);
}

static void keys_are_looked_up_many_at_a_time(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);
    struct core_batch *batch = help_batch(1);
    struct fl_digest sha = {{7, 8, 9}};

    (void)state;
    help_row(batch, (struct row){.kind = ROW_idempotency,
                                 .idempotency = {.tenant = 1,
                                                 .body_sha = sha,
                                                 .key = FL_STR("key"),
                                                 .answer = FL_STR("the answer")}});
    assert_int_equal(help_commit(help, batch), ENGINE_COMMITTED);
    for (uint64_t i = 1; i <= 2500; i++) {
        struct fl_str key = i == 2500 ? FL_STR("key") : FL_STR("other");

        help->port.lookup(help->store, i, (struct fl_tenant){1}, key, help_now());
    }
    help_until(help, help->found == 2500); /* in the order of the questions */
    assert_true(help->is_found_good);
    assert_memory_equal(&help->found_sha, &sha, sizeof sha);
    assert_string_equal(help->found_text, "the answer");
    assert_int_equal(store_stats(help->store).lookups, 2500);
    help->port.lookup(help->store, 3000, (struct fl_tenant){2}, FL_STR("key"), help_now());
    help_until(help, help->found == 3000);
    assert_true(help->is_found_good);
    assert_int_equal(help->found_bytes, 0);
    core_batch_destroy(batch);
    finish(help, conninfo);
}

static void a_lookup_without_a_database_ends_in_time(void **state)
{
    struct store_config config = store_config_default();
    struct help *help;

    (void)state;
    config.conninfo = "host=/nowhere user=nobody dbname=none";
    config.instance = "a";
    config.lookup_ms = 300;
    help = help_create_with(&config);
    help->port.lookup(help->store, 1, (struct fl_tenant){1}, FL_STR("key"), help_now());
    help_until(help, help->found == 1);
    assert_false(help->is_found_good);
    assert_int_equal(help_take(help, 0), FL_UNAVAILABLE);
    help_destroy(help);
}

FL_TESTS(cmocka_unit_test(the_first_takeover_finds_genesis_and_room),
         cmocka_unit_test(a_disk_that_is_really_full_and_has_space_again),
         cmocka_unit_test(a_dropped_connection_may_have_landed_and_take_tells),
         cmocka_unit_test(keys_are_looked_up_many_at_a_time),
         cmocka_unit_test(a_lookup_without_a_database_ends_in_time))
