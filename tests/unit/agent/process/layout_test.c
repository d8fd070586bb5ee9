#include "agent/process/layout.h"

#include "tests/fl_test.h"

static void a_name_says_which_replica_it_is_and_nothing_else_is_one(void **state)
{
    static const char *const others[] = {
        "",
        "job-7",
        "job-7-0-1-1",
        "job-7-0-1-1-0-0",
        "job-7-0-1-1-00",
        "job-7-0-1-1-x",
        "7-0-1-1-0",
        "job-0-0-1-1-0",
        "job-7-0-70000-1-0",
        ".gone-job-7-0-1-1-0-0",
        "job-7-0-1-1-4294967296",
    };
    struct fl_attempt attempt = {{1234567}, 4294967295, 65535, 3};
    struct fl_attempt again;
    char name[LAYOUT_NAME_MAX];
    uint32_t replica;

    (void)state;
    layout_name(attempt, 1023, name);
    assert_true(layout_parse_name(name, &again, &replica));
    assert_true(fl_attempt_is_same(attempt, again));
    assert_int_equal(replica, 1023);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        assert_false(layout_parse_name(others[i], &again, &replica));
    }
}

static void a_spec_is_read_as_it_was_written(void **state)
{
    char *argv[] = {"sh", "-c", "", NULL};
    char *env[] = {"A=1", NULL};
    struct layout_spec spec = {
        .attempt = {{7}, 1, 2, 3},
        .replica = 4,
        .node = 5,
        .resources = {6, 7, 8},
        .grace_ms = 11,
        .head_bytes = 9,
        .tail_bytes = 10,
        .run = "run",
        .boot = "boot",
        .cgroup = FL_STR("/a/b"),
        .argv = {argv, 3, 3},
        .env = {env, 1, 1},
    };
    struct layout_spec again;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    assert_true(layout_spec_encode(&spec, &buf));
    assert_true(layout_spec_decode((struct fl_str){(char *)buf.at, buf.len}, &arena, &again, &err));
    assert_true(fl_attempt_is_same(spec.attempt, again.attempt));
    assert_int_equal(again.replica, 4);
    assert_int_equal(again.resources.gpus, 8);
    assert_int_equal(again.grace_ms, 11);
    assert_string_equal(again.run, "run");
    assert_string_equal(again.cgroup.at, "/a/b");
    assert_int_equal(again.working_dir.len, 0);
    assert_string_equal(again.argv.at[2], "");
    assert_null(again.argv.at[3]);
    assert_string_equal(again.env.at[0], "A=1");
    for (size_t i = 0; i < buf.len; i++) { /* cut, or one bit of it another */
        assert_false(layout_spec_decode((struct fl_str){(char *)buf.at, i}, &arena, &again, &err));
        buf.at[i] ^= 4;
        assert_false(
            layout_spec_decode((struct fl_str){(char *)buf.at, buf.len}, &arena, &again, &err));
        buf.at[i] ^= 4;
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

static void a_spec_has_resources_with_names_only_where_there_are_some(void **state)
{
    char *argv[] = {"sh", NULL};
    struct fl_amount hca = {FL_STR("rdma/hca"), 3};
    struct layout_spec spec = {.run = "run", .boot = "boot", .argv = {argv, 1, 1}}, again;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf buf;
    size_t len;

    (void)state;
    fl_buf_init(&buf, 4096);
    assert_true(layout_spec_encode(&spec, &buf));
    len = buf.len;
    assert_true(layout_spec_decode((struct fl_str){(char *)buf.at, len}, &arena, &again, &err));
    assert_int_equal(again.named.len, 0);
    spec.named = (struct fl_amounts){&hca, 1, 1};
    fl_buf_clear(&buf);
    assert_true(layout_spec_encode(&spec, &buf));
    assert_int_equal(buf.len, len + 1 + 1 + hca.name.len + 1); /* count, text, amount */
    assert_true(layout_spec_decode((struct fl_str){(char *)buf.at, buf.len}, &arena, &again, &err));
    assert_true(fl_amounts_are_same(&spec.named, &again.named));
    hca.n = 0; /* no list has that */
    fl_buf_clear(&buf);
    assert_true(layout_spec_encode(&spec, &buf));
    assert_false(
        layout_spec_decode((struct fl_str){(char *)buf.at, buf.len}, &arena, &again, &err));
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

static void gate_and_exit_are_whole_or_not_there(void **state)
{
    struct layout_gate gate = {true, 77, 88};
    struct layout_exit end = {
        137, 9, true, false, 1, 2, 3, 4, {FL_METER_processes, 1, 10, 20, 30, 40}, "Error: no lr"};
    uint8_t block[LAYOUT_RECORD_BYTES];
    struct fl_str bytes = {(char *)block, sizeof(block)};
    struct layout_gate gate_again;
    struct layout_exit end_again;

    (void)state;
    layout_gate_encode(&gate, block);
    assert_true(layout_gate_decode(bytes, &gate_again));
    assert_true(gate_again.is_open && gate_again.session == 77 && gate_again.at == 88);
    assert_false(layout_exit_decode(bytes, &end_again));
    layout_exit_encode(&end, block);
    assert_true(layout_exit_decode(bytes, &end_again));
    assert_int_equal(end_again.code, 137);
    assert_true(end_again.is_out_of_memory && !end_again.is_stopped);
    assert_int_equal(end_again.usage.meter, FL_METER_processes);
    assert_int_equal(end_again.usage.written_bytes, 40);
    assert_string_equal(end_again.line, "Error: no lr");
    memset(end.line, 'x', FL_WORDS_BYTES_MAX);
    layout_exit_encode(&end, block);
    assert_true(layout_exit_decode(bytes, &end_again));
    assert_string_equal(end_again.line, end.line);
    block[10] ^= 1;
    assert_false(layout_exit_decode(bytes, &end_again));
    memset(block, 0, sizeof(block)); /* as exit.tmp is at first */
    assert_false(layout_exit_decode(bytes, &end_again));
    assert_false(layout_exit_decode((struct fl_str){(char *)block, 100}, &end_again));
}

FL_TESTS(cmocka_unit_test(a_name_says_which_replica_it_is_and_nothing_else_is_one),
         cmocka_unit_test(a_spec_is_read_as_it_was_written),
         cmocka_unit_test(a_spec_has_resources_with_names_only_where_there_are_some),
         cmocka_unit_test(gate_and_exit_are_whole_or_not_there))
