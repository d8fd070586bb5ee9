/* The source itself: no library holds agent/tunnel until the agent has a main. */
#include "agent/tunnel/translate.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static const struct fl_attempt attempt = {{7}, 3, 2, 5};

/* Through the bytes of the tunnel: the other end reads what the frame says. */
static struct fl_msg through_the_wire(const struct fl_msg *msg, enum fl_direction to,
                                      struct fl_arena *arena)
{
    struct fl_buf buf;
    struct fl_reader reader;
    struct fl_msg ret = {0};
    struct fl_err err = {0};

    fl_buf_init(&buf, 1 << 16);
    assert_true(fl_msg_check(msg, &err));
    assert_true(fl_msg_encode(&buf, msg));
    reader = fl_reader(fl_arena_copy(arena, buf.at, buf.len), buf.len);
    assert_true(fl_msg_decode(&reader, to, arena, &ret, &err));
    assert_true(fl_reader_is_done(&reader));
    fl_buf_fini(&buf);
    return ret;
}

static struct agent_event in(const struct fl_msg *msg, struct fl_arena *arena)
{
    struct fl_msg *heard = fl_arena_new(arena, struct fl_msg);
    struct agent_event ev = {0};
    struct fl_err err = {0};

    *heard = through_the_wire(msg, FL_TO_AGENT, arena);
    assert_true(agent_translate_in(heard, &ev, &err));
    return ev;
}

static void what_comes_from_the_control_plane_becomes_events(void **state)
{
    struct fl_arena arena = {0};
    uint32_t nodes[2] = {4, 9};
    struct agent_event ev;

    (void)state;
    ev = in(
        &(struct fl_msg){.kind = FL_MSG_welcome, .welcome = {.protocol = 1, .session_epoch = 44}},
        &arena);
    assert_int_equal(ev.kind, AGENT_EV_session_up);
    assert_int_equal(ev.session_up.session_epoch, 44);
    assert_true(ev.session_up.is_new_connection);

    ev = in(&(struct fl_msg){.kind = FL_MSG_resync, .resync = {45}}, &arena);
    assert_int_equal(ev.kind, AGENT_EV_session_up);
    assert_int_equal(ev.session_up.session_epoch, 45);
    assert_false(ev.session_up.is_new_connection);

    ev = in(&(struct fl_msg){.kind = FL_MSG_start,
                             .start = {.control_seq = 8,
                                       .attempt = attempt,
                                       .spec = {{1, 2, 3}},
                                       .nodes = {nodes, 2}}},
            &arena);
    assert_int_equal(ev.kind, AGENT_EV_start);
    assert_int_equal(ev.start.control_seq, 8);
    assert_true(fl_attempt_is_same(ev.start.attempt, attempt));
    assert_int_equal(ev.start.spec.at[2], 3);
    assert_int_equal(ev.start.replicas_len, 2);
    assert_int_equal(ev.start.nodes[1], 9);
    assert_null(ev.start.resources); /* the shell's to fill in */

    ev = in(&(struct fl_msg){.kind = FL_MSG_go, .go = {9, attempt}}, &arena);
    assert_int_equal(ev.kind, AGENT_EV_go);
    assert_int_equal(ev.go.control_seq, 9);
    assert_true(fl_attempt_is_same(ev.go.attempt, attempt));

    ev = in(&(struct fl_msg){.kind = FL_MSG_stop, .stop = {10, attempt, 3000, 36}}, &arena);
    assert_int_equal(ev.kind, AGENT_EV_stop);
    assert_int_equal(ev.stop.control_seq, 10);
    assert_true(fl_attempt_is_same(ev.stop.attempt, attempt));
    assert_int_equal(ev.stop.grace_ms, 3000);

    ev = in(&(struct fl_msg){.kind = FL_MSG_ack, .ack = {77}}, &arena);
    assert_int_equal(ev.kind, AGENT_EV_ack);
    assert_int_equal(ev.ack.report_seq, 77);
    fl_arena_fini(&arena);
}

static void what_is_not_for_the_core_is_named_and_changes_nothing(void **state)
{
    static const enum fl_msg_kind others[] = {FL_MSG_bye,   FL_MSG_ping,    FL_MSG_pong,
                                              FL_MSG_hello, FL_MSG_replica, FL_MSG_node};

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct agent_event ev = {.now = 123};
        struct fl_err err = {0};

        assert_false(agent_translate_in(&(struct fl_msg){.kind = others[i]}, &ev, &err));
        assert_int_equal(err.code, FL_UNSUPPORTED);
        assert_non_null(strstr(err.text, fl_msg_info(others[i])->name));
        assert_int_equal(ev.now, 123);
    }
}

static struct fl_msg out(const struct agent_command *command, struct fl_arena *arena)
{
    struct fl_msg msg;

    assert_true(agent_translate_out(command, FL_PROTOCOL_MAX, arena, &msg));
    return through_the_wire(&msg, FL_TO_CONTROLPLANE, arena);
}

static void what_the_core_reports_becomes_frames(void **state)
{
    struct fl_arena arena = {0};
    struct fl_msg msg;

    (void)state;
    msg = out(&(struct agent_command){.kind = AGENT_CMD_inventory_item,
                                      .attempt = attempt,
                                      .replica = 2,
                                      .report = {.state = FL_REPLICA_exited,
                                                 .exit_code = -3,
                                                 .cause = AGENT_CAUSE_out_of_memory,
                                                 .output_bytes = 99}},
              &arena);
    assert_int_equal(msg.kind, FL_MSG_inventory_item);
    assert_true(fl_attempt_is_same(msg.inventory_item.attempt, attempt));
    assert_int_equal(msg.inventory_item.replica, 2);
    assert_int_equal(msg.inventory_item.state, FL_REPLICA_exited);
    assert_int_equal(msg.inventory_item.exit_code, -3);
    assert_int_equal(msg.inventory_item.output_bytes, 99);
    assert_int_equal(msg.inventory_item.cause, FL_CAUSE_out_of_memory);

    msg = out(&(struct agent_command){.kind = AGENT_CMD_inventory_begin,
                                      .inventory_begin.session_epoch = 12},
              &arena);
    assert_int_equal(msg.kind, FL_MSG_inventory_begin);
    assert_int_equal(msg.inventory_begin.session_epoch, 12);
    msg = out(&(struct agent_command){.kind = AGENT_CMD_inventory_end,
                                      .inventory_end = {.count = 4, .digest = UINT64_MAX}},
              &arena);
    assert_int_equal(msg.kind, FL_MSG_inventory_end);
    assert_int_equal(msg.inventory_end.count, 4);
    assert_true(msg.inventory_end.digest == UINT64_MAX);

    msg = out(&(struct agent_command){.kind = AGENT_CMD_replica,
                                      .attempt = attempt,
                                      .replica = AGENT_WHOLE_ATTEMPT,
                                      .report = {.report_seq = 12,
                                                 .state = FL_REPLICA_absent,
                                                 .cause = AGENT_CAUSE_out_of_memory,
                                                 .exit_code = 5,
                                                 .output_bytes = 7}},
              &arena);
    assert_int_equal(msg.kind, FL_MSG_replica);
    assert_int_equal(msg.replica.report_seq, 12);
    assert_true(fl_attempt_is_same(msg.replica.attempt, attempt));
    assert_true(msg.replica.replica == UINT32_MAX);
    assert_int_equal(msg.replica.state, FL_REPLICA_absent);
    assert_int_equal(msg.replica.cause, FL_CAUSE_out_of_memory);
    assert_int_equal(msg.replica.exit_code, 5);
    assert_int_equal(msg.replica.output_bytes, 7);

    msg = out(&(struct agent_command){.kind = AGENT_CMD_node,
                                      .node = {.report_seq = 13,
                                               .mark = 6,
                                               .number = 65535,
                                               .is_ready = true,
                                               .total = {100, 200, 3},
                                               .free = {50, 60, 1},
                                               .name = FL_STR("node-a"),
                                               .labels = FL_STR("zone=b\n")}},
              &arena);
    assert_int_equal(msg.kind, FL_MSG_node);
    assert_int_equal(msg.node.report_seq, 13);
    assert_int_equal(msg.node.mark, 6);
    assert_int_equal(msg.node.number, 65535);
    assert_true(msg.node.is_ready);
    assert_int_equal(msg.node.total.cpu_milli, 200);
    assert_int_equal(msg.node.free.memory_bytes, 50);
    assert_int_equal(msg.node.free.gpus, 1);
    assert_true(fl_str_eq(msg.node.name, FL_STR("node-a")));
    assert_true(fl_str_eq(msg.node.labels, FL_STR("zone=b\n")));
    fl_arena_fini(&arena);
}

static void resources_with_names_travel_to_those_who_know_them(void **state)
{
    static const struct agent_offer offers[] = {{FL_STR("a/b"), 3, 1}, {FL_STR("c/d"), 9, 9}};
    struct agent_command node = {.kind = AGENT_CMD_node,
                                 .node = {.name = FL_STR("n"), .offers = offers, .offers_len = 2}};
    struct fl_arena arena = {0};
    struct fl_msg msg;

    (void)state;
    msg = out(&node, &arena);
    assert_true(fl_str_eq(msg.node.offers, FL_STR("a/b=3/1\nc/d=9/9\n")));
    assert_true(agent_translate_out(&node, FL_PROTOCOL_OFFERS - 1, &arena, &msg));
    assert_int_equal(msg.node.offers.len, 0);
    fl_arena_fini(&arena);
}

static void what_an_end_tells_travels_to_those_who_know_of_it(void **state)
{
    struct agent_command report = {.kind = AGENT_CMD_replica,
                                   .attempt = attempt,
                                   .report = {.state = FL_REPLICA_refused,
                                              .words = FL_STR("no such image"),
                                              .usage = {FL_METER_group, 1, 2, 3, 4, 5}}};
    struct agent_command item = report;
    struct fl_arena arena = {0};
    struct fl_msg msg;

    (void)state;
    item.kind = AGENT_CMD_inventory_item;
    msg = out(&report, &arena);
    assert_true(fl_str_eq(msg.replica.words, FL_STR("no such image")));
    msg = out(&item, &arena);
    assert_true(fl_str_eq(msg.inventory_item.words, FL_STR("no such image")));
    assert_int_equal(fl_usage_read_one(msg.inventory_item.usage).memory_bytes, 3);
    msg = out(&report, &arena);
    assert_int_equal(fl_usage_read_one(msg.replica.usage).cpu_us, 2);
    assert_true(agent_translate_out(&report, FL_PROTOCOL_USAGE - 1, &arena, &msg));
    assert_int_equal(msg.replica.words.len, strlen("no such image"));
    assert_int_equal(msg.replica.usage.len, 0);
    assert_true(agent_translate_out(&item, FL_PROTOCOL_USAGE - 1, &arena, &msg));
    assert_int_equal(msg.inventory_item.usage.len, 0);
    assert_true(agent_translate_out(&report, FL_PROTOCOL_WORDS - 1, &arena, &msg));
    assert_int_equal(msg.replica.words.len, 0);
    assert_true(agent_translate_out(&item, FL_PROTOCOL_WORDS - 1, &arena, &msg));
    assert_int_equal(msg.inventory_item.words.len, 0);
    fl_arena_fini(&arena);
}

static void a_control_plane_of_before_hears_of_no_end_of_the_nodes(void **state)
{
    struct agent_command end = {.kind = AGENT_CMD_nodes_end, .nodes_end.is_whole = true};
    struct fl_arena arena = {0};
    struct fl_msg msg;

    (void)state;
    msg = out(&end, &arena);
    assert_int_equal(msg.kind, FL_MSG_nodes_end);
    assert_true(msg.nodes_end.is_whole);
    assert_false(agent_translate_out(&end, FL_PROTOCOL_NODES_END - 1, &arena, &msg));
    fl_arena_fini(&arena);
}

static void every_frame_of_the_core_has_a_message_and_no_other_command_travels(void **state)
{
    (void)state;
    for (int kind = 0; kind < AGENT_COMMANDS_LEN; kind++) {
        struct agent_command command = {.kind = (enum agent_command_kind)kind};
        struct fl_arena arena = {0};
        struct fl_msg msg;

        if (!agent_command_is_frame(command.kind)) continue;
        assert_true(agent_translate_out(&command, FL_PROTOCOL_MAX, &arena, &msg));
        fl_arena_fini(&arena);
        assert_string_equal(fl_msg_info(msg.kind)->name, agent_command_name(command.kind));
    }
}

static void translate_create(void *arg)
{
    struct fl_arena arena = {0};
    struct fl_msg msg;

    FL_IGNORE(agent_translate_out(arg, FL_PROTOCOL_MAX, &arena, &msg));
}

static void a_command_for_the_runtime_does_not_travel(void **state)
{
    struct agent_command command = {.kind = AGENT_CMD_create};

    (void)state;
    assert_true(fl_test_aborts(translate_create, &command));
}

static void a_gang_is_bounded_as_the_message_is(void **state)
{
    const struct fl_msg_info *start = fl_msg_info(FL_MSG_start);

    (void)state;
    for (size_t i = 0; i < start->fields_len; i++) {
        if (strcmp(start->fields[i].name, "nodes") != 0) continue;
        assert_int_equal(start->fields[i].max, AGENT_GANG_MAX);
        return;
    }
    fail();
}

/* To others the node takes no work, as they would put jobs there that tolerate nothing. */
static void taints_travel_to_those_who_know_them(void **state)
{
    struct agent_command node = {
        .kind = AGENT_CMD_node,
        .node = {.is_ready = true, .name = FL_STR("n"), .taints = FL_STR("a:NoSchedule\n")}};
    struct fl_arena arena = {0};
    struct fl_msg msg;

    (void)state;
    msg = out(&node, &arena);
    assert_true(fl_str_eq(msg.node.taints, FL_STR("a:NoSchedule\n")));
    assert_true(msg.node.is_ready);
    assert_true(agent_translate_out(&node, FL_PROTOCOL_TAINTS - 1, &arena, &msg));
    assert_int_equal(msg.node.taints.len, 0);
    assert_false(msg.node.is_ready);
    node.node.taints = (struct fl_str){0};
    assert_true(agent_translate_out(&node, FL_PROTOCOL_TAINTS - 1, &arena, &msg));
    assert_true(msg.node.is_ready);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(what_comes_from_the_control_plane_becomes_events),
         cmocka_unit_test(what_is_not_for_the_core_is_named_and_changes_nothing),
         cmocka_unit_test(what_the_core_reports_becomes_frames),
         cmocka_unit_test(resources_with_names_travel_to_those_who_know_them),
         cmocka_unit_test(what_an_end_tells_travels_to_those_who_know_of_it),
         cmocka_unit_test(a_control_plane_of_before_hears_of_no_end_of_the_nodes),
         cmocka_unit_test(every_frame_of_the_core_has_a_message_and_no_other_command_travels),
         cmocka_unit_test(a_command_for_the_runtime_does_not_travel),
         cmocka_unit_test(a_gang_is_bounded_as_the_message_is),
         cmocka_unit_test(taints_travel_to_those_who_know_them))
