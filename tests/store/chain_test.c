/* The chain: the server's refusals, and that nothing of them stays. */
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

static enum engine_commit try(struct help *help, uint64_t number, uint64_t epoch, uint64_t job)
{
    struct core_batch *batch = help_batch(number);
    enum engine_commit result;

    help_job(batch, job, 1);
    help->taken.epoch = epoch;
    result = help_commit(help, batch);
    core_batch_destroy(batch);
    return result;
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

static void a_batch_is_durable_and_the_next_follows_it(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    commit_job(help, 1, 1);
    commit_job(help, 2, 2);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 2);
    assert_int_equal(help_number(conninfo, "select max(batch) from journal where epoch = 1"), 2);
    finish(help, conninfo);
}

static void a_stale_epoch_is_deposed_and_no_row_stays(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    commit_job(help, 1, 1);
    assert_int_equal(try(help, 2, 99, 2), ENGINE_DEPOSED);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 1);
    assert_int_equal(help_number(conninfo, "select max(batch) from journal"), 1);
    finish(help, conninfo);
}

static void a_missing_predecessor_means_reload_and_no_row_stays(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    commit_job(help, 1, 1);
    assert_int_equal(try(help, 3, help->taken.epoch, 2), ENGINE_RELOAD);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 1);
    finish(help, conninfo);
}

static void a_repeated_batch_means_reload_and_no_row_stays(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    commit_job(help, 1, 1);
    assert_int_equal(try(help, 1, help->taken.epoch, 2), ENGINE_RELOAD);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 1);
    finish(help, conninfo);
}

static void the_batch_behind_a_refused_one_fails_too(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);
    struct core_batch *bad = help_batch(1), *next = help_batch(2);

    (void)state;
    help_job(bad, 1, 1);
    help_job(bad, 1, 1); /* the same id twice */
    help_job(next, 2, 1);
    help->port.commit(help->store, bad, help->taken.epoch, help_now());
    help->port.commit(help->store, next, help->taken.epoch, help_now());
    help_until(help, help->results.len == 2);
    assert_int_equal(help->results.at[0].batch, 1);
    assert_int_equal(help->results.at[0].result, ENGINE_POISONED);
    assert_int_equal(help->results.at[1].batch, 2);
    assert_int_equal(help->results.at[1].result, ENGINE_RELOAD); /* 25P02 */
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 0);
    assert_int_equal(help_number(conninfo, "select max(batch) from journal"), 0);
    core_batch_destroy(bad);
    core_batch_destroy(next);
    finish(help, conninfo);
}

/* The groundwork commits, then one row more is tried in a batch of its own. */
static enum engine_commit after(void (*prepare)(struct core_batch *),
                                void (*offend)(struct core_batch *))
{
    char *conninfo;
    struct help *help = leader(&conninfo);
    struct core_batch *first = help_batch(1), *second = help_batch(2);
    enum engine_commit result;

    help_job(first, 1, 4);
    prepare(first);
    assert_int_equal(help_commit(help, first), ENGINE_COMMITTED);
    offend(second);
    result = help_commit(help, second);
    if (result != ENGINE_COMMITTED) {
        assert_int_equal(help_number(conninfo, "select max(batch) from journal"), 1);
    }
    core_batch_destroy(first);
    core_batch_destroy(second);
    finish(help, conninfo);
    return result;
}

static void start_one(struct core_batch *batch)
{
    help_attempt(batch, 1, 0, 1);
}

static void start_two(struct core_batch *batch)
{
    help_attempt(batch, 1, 0, 2);
}

static void end_one_and_start_two(struct core_batch *batch)
{
    help_attempt_end(batch, 1, 0, 1);
    help_attempt(batch, 1, 0, 2);
}

static void end_one_and_start_three(struct core_batch *batch)
{
    help_attempt_end(batch, 1, 0, 1);
    help_attempt(batch, 1, 0, 3);
}

static void end_element(struct core_batch *batch)
{
    help_end(batch, 1, 0, 0);
}

static void start_and_end(struct core_batch *batch)
{
    help_attempt(batch, 1, 0, 1);
    help_end(batch, 1, 0, 1);
}

static void end_attempt_and_element_and_start_two(struct core_batch *batch)
{
    help_attempt_end(batch, 1, 0, 1);
    help_end(batch, 1, 0, 1);
}

static void two_attempts_of_one_element_never_live_together(void **state)
{
    (void)state;
    assert_int_equal(after(start_one, start_two), ENGINE_POISONED);
    assert_int_equal(after(start_one, start_one), ENGINE_POISONED);
    assert_int_equal(after(start_one, end_one_and_start_two), ENGINE_COMMITTED);
}

static void attempt_numbers_do_not_skip(void **state)
{
    (void)state;
    assert_int_equal(after(start_one, end_one_and_start_three), ENGINE_POISONED);
}

static void a_second_terminal_row_is_refused(void **state)
{
    (void)state;
    assert_int_equal(after(start_and_end, end_element), ENGINE_POISONED);
}

static void nothing_starts_after_the_terminal_row(void **state)
{
    (void)state;
    assert_int_equal(after(end_element, start_one), ENGINE_POISONED);
    assert_int_equal(after(start_one, end_attempt_and_element_and_start_two), ENGINE_COMMITTED);
    assert_int_equal(after(start_and_end, start_two), ENGINE_POISONED);
}

static void bytes_that_are_no_text_poison_only_their_batch(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);
    struct core_batch *batch = help_batch(1);

    (void)state;
    help_row(batch, (struct row){.kind = ROW_job_new,
                                 .job_new = {.job = 1, .elements = 1, .name = FL_STR("\xff")}});
    assert_int_equal(help_commit(help, batch), ENGINE_POISONED);
    assert_int_equal(help_take(help, 1), FL_OK);
    assert_int_equal(help->taken.keys_len, 0);
    commit_job(help, 1, 1);
    core_batch_destroy(batch);
    finish(help, conninfo);
}

static void an_id_beyond_the_partitions_is_refused(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    assert_int_equal(try(help, 1, help->taken.epoch, 900000000), ENGINE_POISONED);
    finish(help, conninfo);
}

static void a_full_disk_is_told_from_poison(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    help_until(help, store_stats(help->store).partition.is_idle); /* it makes partitions of 'job' */
    help_run(conninfo, "create function full_disk() returns trigger language plpgsql as $$ begin"
                       " raise sqlstate '53100' using message = 'no space left'; end $$;"
                       "create trigger full_disk before insert on job for each row"
                       " execute function full_disk()");
    assert_int_equal(try(help, 1, help->taken.epoch, 1), ENGINE_NO_SPACE);
    help_run(conninfo,
             "create or replace function full_disk() returns trigger language plpgsql as $$"
             " begin return new; end $$");
    assert_int_equal(help_take(help, 1), FL_OK);
    commit_job(help, 1, 1);
    finish(help, conninfo);
}

/* For the whole server, as an admin does it before work on the disk. */
static void set_read_only(struct help *help, const char *conninfo, const char *sql, bool is_on)
{
    help_run(conninfo, sql);
    help_run(conninfo, "select pg_reload_conf()");
    while ((help_number(conninfo, "select count(*) from pg_settings where setting = 'on' and name ="
                                  " 'default_transaction_read_only'") > 0) != is_on) {
        help_turn(help, 10);
    }
}

static void a_database_turned_read_only_poisons_nothing(void **state)
{
    char *server = help_server_start("");
    char *conninfo = help_database_of(server, true);
    struct help *help = help_create(conninfo, "a");

    (void)state;
    assert_int_equal(help_take(help, 0), FL_OK);
    commit_job(help, 1, 1);
    set_read_only(help, conninfo, "alter system set default_transaction_read_only = on", true);
    assert_int_equal(try(help, 2, help->taken.epoch, 2), ENGINE_AWAY);
    assert_string_equal(help->results.at[1].text,
                        "cannot execute INSERT in a read-only transaction");
    assert_int_equal(help_take(help, 2), FL_UNAVAILABLE);
    set_read_only(help, conninfo, "alter system reset default_transaction_read_only", false);
    assert_int_equal(help_take(help, 2), FL_OK);
    assert_int_equal(help->taken.keys_len, 0);
    commit_job(help, 2, 2);
    help_destroy(help);
    help_server_stop(server);
    fl_free(conninfo);
    fl_free(server);
}

/* A trigger of somebody's raises a class that Postgres does not have. */
static void an_error_of_an_unknown_class_poisons_nothing(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    help_until(help, store_stats(help->store).partition.is_idle); /* it makes partitions of 'job' */
    help_run(conninfo, "create function odd() returns trigger language plpgsql as $$ begin"
                       " raise sqlstate 'QX001' using message = 'not now'; end $$;"
                       "create trigger odd before insert on job execute function odd()");
    assert_int_equal(try(help, 1, help->taken.epoch, 1), ENGINE_AWAY);
    assert_string_equal(help->results.at[0].text, "not now");
    help_run(conninfo, "drop trigger odd on job");
    assert_int_equal(help_take(help, 1), FL_OK);
    commit_job(help, 1, 1);
    finish(help, conninfo);
}

/* A real one: the jobs are on a file system of 8 MiB.  Only root may mount that; for others the
 * test above has to do. */
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

static void end_writers(const char *conninfo)
{
    help_run(conninfo,
             "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
             " where application_name = 'fairlead writer' and datname = current_database()");
}

/* The commit waits for a lock, so that its backend can be ended in the middle of it. */
static void a_lost_connection_is_unknown_and_take_tells_that_it_did_not_land(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);
    struct core_batch *batch = help_batch(2);
    PGconn *pg = help_connect(conninfo);

    (void)state;
    commit_job(help, 1, 1);
    PQclear(PQexec(pg, "begin; lock table job in exclusive mode"));
    help_job(batch, 2, 1);
    help->port.commit(help->store, batch, help->taken.epoch, help_now());
    for (int i = 0; i < 20; i++) {
        help_turn(help, 10);
    }
    assert_int_equal(help->results.len, 1);
    end_writers(conninfo);
    help_until(help, help->results.len == 2);
    assert_int_equal(help->results.at[1].result, ENGINE_UNKNOWN);
    PQfinish(pg);
    assert_int_equal(help_take(help, 2), FL_OK);
    assert_int_equal(help->taken.keys_len, 0);
    assert_int_equal(help->taken.batch_newest, 1);
    core_batch_destroy(batch);
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

static void an_idle_writer_that_died_is_noticed_by_the_next_batch(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    commit_job(help, 1, 1);
    end_writers(conninfo);
    assert_int_equal(try(help, 2, help->taken.epoch, 2), ENGINE_UNKNOWN);
    assert_int_equal(help_take(help, 2), FL_OK);
    commit_job(help, 2, 2);
    finish(help, conninfo);
}

static void another_history_is_another_incarnation(void **state)
{
    char *conninfo;
    struct help *help = leader(&conninfo);

    (void)state;
    help_run(conninfo, "update leader set history = '1/00000001'");
    assert_int_equal(help_take(help, 0), FL_OK);
    assert_int_equal(help->taken.incarnation, 2);
    assert_int_equal(help_take(help, 0), FL_OK);
    assert_int_equal(help->taken.incarnation, 2);
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
         cmocka_unit_test(a_batch_is_durable_and_the_next_follows_it),
         cmocka_unit_test(a_stale_epoch_is_deposed_and_no_row_stays),
         cmocka_unit_test(a_missing_predecessor_means_reload_and_no_row_stays),
         cmocka_unit_test(a_repeated_batch_means_reload_and_no_row_stays),
         cmocka_unit_test(the_batch_behind_a_refused_one_fails_too),
         cmocka_unit_test(two_attempts_of_one_element_never_live_together),
         cmocka_unit_test(attempt_numbers_do_not_skip),
         cmocka_unit_test(a_second_terminal_row_is_refused),
         cmocka_unit_test(nothing_starts_after_the_terminal_row),
         cmocka_unit_test(bytes_that_are_no_text_poison_only_their_batch),
         cmocka_unit_test(an_id_beyond_the_partitions_is_refused),
         cmocka_unit_test(a_full_disk_is_told_from_poison),
         cmocka_unit_test(a_database_turned_read_only_poisons_nothing),
         cmocka_unit_test(an_error_of_an_unknown_class_poisons_nothing),
         cmocka_unit_test(a_disk_that_is_really_full_and_has_space_again),
         cmocka_unit_test(a_lost_connection_is_unknown_and_take_tells_that_it_did_not_land),
         cmocka_unit_test(a_dropped_connection_may_have_landed_and_take_tells),
         cmocka_unit_test(an_idle_writer_that_died_is_noticed_by_the_next_batch),
         cmocka_unit_test(another_history_is_another_incarnation),
         cmocka_unit_test(keys_are_looked_up_many_at_a_time),
         cmocka_unit_test(a_lookup_without_a_database_ends_in_time))
