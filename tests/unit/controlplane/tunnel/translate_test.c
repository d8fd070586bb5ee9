#include "controlplane/tunnel/translate.h"

#include "tests/fl_test.h"

static const struct fl_attempt seven = {{7}, 2, 3, 1};
static struct translate_origin peer = {
    .cluster = {4}, .connection = 90, .session_epoch = 12, .heard_epoch = 12};
static const struct translate_config config = {
    .stop_grace_ms = 30000,
    .ping_ms = 10000,
    .dead_ms = 30000,
    .stream_credit_bytes = 1,
    .tunnel_credit_bytes = 2,
    .retry_after_ms = 500,
    .capabilities = {"[]", 2},
};

/* A message after the codec, as the agent reads it; the arena keeps it. */
static struct fl_msg through_the_wire(const struct core_send *send, struct fl_arena *arena)
{
    struct fl_digest spec = {{9}};
    struct fl_buf buf;
    struct fl_msg msg;
    struct fl_reader reader;
    struct fl_err err = {0};

    translate_send(send, &config, 1, spec, &msg);
    fl_buf_init(&buf, 65536);
    assert_true(fl_msg_encode(&buf, &msg));
    reader = fl_reader(fl_arena_copy(arena, buf.at, buf.len), buf.len);
    assert_true(fl_msg_decode(&reader, FL_TO_AGENT, arena, &msg, &err));
    assert_true(fl_reader_is_done(&reader));
    fl_buf_fini(&buf);
    return msg;
}

static void each_send_becomes_its_message(void **state)
{
    struct fl_arena arena = {0};
    uint32_t nodes[] = {3, 1, 65535};
    struct core_send send = {
        .cluster = {4},
        .connection = 90,
        .session_epoch = 12,
        .control_seq = 77,
        .report_seq = 88,
        .attempt = seven,
        .nodes = nodes,
        .nodes_len = 3,
        .reason = REASON_Cancelled,
        .code = FL_DENIED,
        .text = "no",
    };
    struct fl_msg msg;

    (void)state;
    send.kind = CORE_SEND_welcome;
    msg = through_the_wire(&send, &arena);
    assert_int_equal(msg.kind, FL_MSG_welcome);
    assert_int_equal(msg.welcome.protocol, 1);
    assert_int_equal(msg.welcome.session_epoch, 12);
    assert_int_equal(msg.welcome.ping_ms, 10000);
    assert_int_equal(msg.welcome.dead_ms, 30000);
    assert_int_equal(msg.welcome.stream_credit_bytes, 1);
    assert_int_equal(msg.welcome.tunnel_credit_bytes, 2);
    assert_true(fl_str_eq(msg.welcome.capabilities, FL_STR("[]")));

    send.kind = CORE_SEND_resync;
    msg = through_the_wire(&send, &arena);
    assert_int_equal(msg.kind, FL_MSG_resync);
    assert_int_equal(msg.resync.session_epoch, 12);

    send.kind = CORE_SEND_start;
    msg = through_the_wire(&send, &arena);
    assert_int_equal(msg.kind, FL_MSG_start);
    assert_int_equal(msg.start.control_seq, 77);
    assert_true(fl_attempt_is_same(msg.start.attempt, seven));
    assert_int_equal(msg.start.spec.at[0], 9);
    assert_int_equal(msg.start.nodes.len, 3);
    assert_int_equal(msg.start.nodes.at[2], 65535);

    send.kind = CORE_SEND_go;
    msg = through_the_wire(&send, &arena);
    assert_int_equal(msg.kind, FL_MSG_go);
    assert_int_equal(msg.go.control_seq, 77);
    assert_true(fl_attempt_is_same(msg.go.attempt, seven));

    send.kind = CORE_SEND_stop;
    msg = through_the_wire(&send, &arena);
    assert_int_equal(msg.kind, FL_MSG_stop);
    assert_int_equal(msg.stop.control_seq, 77);
    assert_int_equal(msg.stop.grace_ms, 30000);
    assert_int_equal(msg.stop.reason, REASON_Cancelled);

    send.kind = CORE_SEND_ack;
    msg = through_the_wire(&send, &arena);
    assert_int_equal(msg.kind, FL_MSG_ack);
    assert_int_equal(msg.ack.report_seq, 88);

    send.kind = CORE_SEND_bye;
    msg = through_the_wire(&send, &arena);
    assert_int_equal(msg.kind, FL_MSG_bye);
    assert_int_equal(msg.bye.code, FL_DENIED);
    assert_int_equal(msg.bye.retry_after_ms, 500);
    assert_true(fl_str_eq(msg.bye.text, FL_STR("no")));
    fl_arena_fini(&arena);
}

static void a_long_bye_is_cut_between_characters(void **state)
{
    struct fl_arena arena = {0};
    struct core_send send = {.kind = CORE_SEND_bye, .code = FL_DENIED};
    char text[301];
    struct fl_msg msg;

    (void)state;
    memset(text, 'x', 300);
    memcpy(&text[199], "\xc3\xa4", 2); /* would straddle the limit of 200 */
    text[300] = 0;
    send.text = text;
    msg = through_the_wire(&send, &arena);
    assert_int_equal(msg.bye.text.len, 199);
    assert_true(fl_str_is_utf8(msg.bye.text));
    send.text = NULL;
    assert_int_equal(through_the_wire(&send, &arena).bye.text.len, 0);
    fl_arena_fini(&arena);
}

static struct fl_msg item(uint32_t replica)
{
    return (struct fl_msg){
        .kind = FL_MSG_inventory_item,
        .inventory_item = {seven, replica, FL_REPLICA_exited, -3, 99, FL_CAUSE_out_of_memory},
    };
}

static struct fl_msg node(uint32_t number, uint64_t seq, uint64_t mark)
{
    return (struct fl_msg){
        .kind = FL_MSG_node,
        .node = {.report_seq = seq,
                 .mark = mark,
                 .number = number,
                 .is_ready = true,
                 .total = {100, 10, 1},
                 .free = {50, 5, 0},
                 .name = {"n", 1},
                 .labels = {"a=b\n", 4}},
    };
}

static void what_was_said_before_the_inventory_begins_is_of_the_old_session(void **state)
{
    struct translate_origin resynced = {
        .cluster = {4}, .connection = 90, .session_epoch = 13, .heard_epoch = 12};
    struct fl_msg messages[] = {
        {.kind = FL_MSG_inventory_end},
        {.kind = FL_MSG_inventory_begin, .inventory_begin = {13}},
        item(0),
        {.kind = FL_MSG_inventory_end, .inventory_end = {1, 7}},
    };
    struct fl_arena arena = {0};
    struct core_event event;
    struct fl_err err;
    size_t pos = 0;

    (void)state;
    assert_true(translate_next(&resynced, messages, 4, &pos, &arena, &event, &err));
    assert_int_equal(event.inventory.session_epoch, 12);
    assert_int_equal(pos, 1);
    assert_true(translate_next(&resynced, messages, 4, &pos, &arena, &event, &err));
    assert_int_equal(event.inventory.session_epoch, 13);
    assert_int_equal(event.inventory.len, 1);
    assert_true(event.inventory.is_end);
    assert_int_equal(pos, 4);
    pos = 1;
    assert_true(translate_next(&resynced, messages, 2, &pos, &arena, &event, &err));
    assert_int_equal(event.inventory.len, 0);
    assert_false(event.inventory.is_end);
    fl_arena_fini(&arena);
}

static void an_inventory_is_gathered_with_its_end(void **state)
{
    struct fl_msg messages[] = {
        item(0), item(1), {.kind = FL_MSG_inventory_end, .inventory_end = {2, 0xabc}}, item(2)};
    struct fl_arena arena = {0};
    struct core_event event;
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    assert_true(translate_next(&peer, messages, 4, &pos, &arena, &event, &err));
    assert_int_equal(pos, 3);
    assert_int_equal(event.kind, CORE_EV_inventory);
    assert_int_equal(event.inventory.cluster.n, 4);
    assert_int_equal(event.inventory.session_epoch, 12);
    assert_int_equal(event.inventory.len, 2);
    assert_int_equal(event.inventory.at[1].replica, 1);
    assert_int_equal(event.inventory.at[1].state, FL_REPLICA_exited);
    assert_int_equal(event.inventory.at[1].exit_code, -3);
    assert_int_equal(event.inventory.at[1].cause, FL_CAUSE_out_of_memory);
    assert_true(fl_attempt_is_same(event.inventory.at[1].attempt, seven));
    assert_true(event.inventory.is_end);
    assert_int_equal(event.inventory.count, 2);
    assert_int_equal(event.inventory.digest, 0xabc);
    assert_true(translate_next(&peer, messages, 4, &pos, &arena, &event, &err));
    assert_int_equal(pos, 4);
    assert_int_equal(event.inventory.len, 1);
    assert_false(event.inventory.is_end);
    pos = 2; /* an empty inventory is an end alone */
    assert_true(translate_next(&peer, messages, 3, &pos, &arena, &event, &err));
    assert_int_equal(event.inventory.len, 0);
    assert_true(event.inventory.is_end);
    fl_arena_fini(&arena);
}

static void no_event_is_larger_than_the_core_takes(void **state)
{
    static struct fl_msg messages[CORE_INVENTORY_MAX + 1];
    struct fl_arena arena = {0};
    struct core_event event;
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    for (uint32_t i = 0; i <= CORE_INVENTORY_MAX; i++) {
        messages[i] = item(i);
    }
    assert_true(
        translate_next(&peer, messages, CORE_INVENTORY_MAX + 1, &pos, &arena, &event, &err));
    assert_int_equal(event.inventory.len, CORE_INVENTORY_MAX);
    for (uint32_t i = 0; i <= CORE_NODES_MAX; i++) {
        messages[i] = node(i, i + 1, 5);
    }
    pos = 0;
    assert_true(translate_next(&peer, messages, CORE_NODES_MAX + 1, &pos, &arena, &event, &err));
    assert_int_equal(event.nodes.len, CORE_NODES_MAX);
    assert_int_equal(pos, CORE_NODES_MAX);
    fl_arena_fini(&arena);
}

static void nodes_carry_the_last_number_and_the_lowest_mark(void **state)
{
    struct fl_msg messages[] = {node(1, 40, 9), node(2, 41, 8), node(3, 42, 10)};
    struct fl_arena arena = {0};
    struct core_event event;
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    assert_true(translate_next(&peer, messages, 3, &pos, &arena, &event, &err));
    assert_int_equal(event.kind, CORE_EV_nodes);
    assert_int_equal(event.nodes.report_seq, 42);
    assert_int_equal(event.nodes.mark, 8);
    assert_int_equal(event.nodes.session_epoch, 12);
    assert_int_equal(event.nodes.at[2].number, 3);
    assert_int_equal(event.nodes.at[2].free.cpu_milli, 5);
    assert_true(fl_str_eq(event.nodes.at[2].labels, FL_STR("a=b\n")));
    assert_ptr_not_equal(event.nodes.at[2].labels.at, messages[2].node.labels.at);
    messages[1].node.number = 65536;
    pos = 0;
    assert_false(translate_next(&peer, messages, 3, &pos, &arena, &event, &err));
    assert_int_equal(err.code, FL_INVALID);
    fl_arena_fini(&arena);
}

static void the_end_of_the_nodes_comes_with_them_or_alone(void **state)
{
    struct fl_msg messages[] = {node(1, 40, 9),
                                {.kind = FL_MSG_nodes_end, .nodes_end = {true}},
                                {.kind = FL_MSG_nodes_end, .nodes_end = {false}}};
    struct fl_arena arena = {0};
    struct core_event event;
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    assert_true(translate_next(&peer, messages, 3, &pos, &arena, &event, &err));
    assert_int_equal(event.nodes.len, 1);
    assert_int_equal(event.nodes.report_seq, 40);
    assert_true(event.nodes.is_end);
    assert_true(event.nodes.is_whole);
    assert_true(translate_next(&peer, messages, 3, &pos, &arena, &event, &err));
    assert_int_equal(pos, 3);
    assert_int_equal(event.kind, CORE_EV_nodes);
    assert_int_equal(event.nodes.cluster.n, 4);
    assert_int_equal(event.nodes.session_epoch, 12);
    assert_int_equal(event.nodes.len, 0);
    assert_true(event.nodes.is_end);
    assert_false(event.nodes.is_whole);
    pos = 0;
    assert_true(translate_next(&peer, messages, 1, &pos, &arena, &event, &err));
    assert_false(event.nodes.is_end);
    fl_arena_fini(&arena);
}

static void a_node_keeps_what_it_offers_by_name(void **state)
{
    struct fl_msg messages[] = {node(1, 40, 9), node(2, 41, 8)};
    struct fl_arena arena = {0};
    const struct core_node_report *one;
    struct core_event event;
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    messages[1].node.offers = FL_STR("pods=110/90\nrdma/hca=4/1\n");
    messages[1].node.taints = FL_STR("a:NoSchedule\n");
    assert_true(translate_next(&peer, messages, 2, &pos, &arena, &event, &err));
    assert_int_equal(event.nodes.at[0].named_len, 0);
    one = &event.nodes.at[1];
    assert_int_equal(one->named_len, 2);
    assert_true(fl_str_eq(one->named[1].name, FL_STR("rdma/hca")));
    assert_ptr_not_equal(one->named[0].name.at, messages[1].node.offers.at);
    assert_int_equal(one->named[0].total, 110);
    assert_true(fl_str_eq(one->taints, FL_STR("a:NoSchedule\n")));
    assert_ptr_not_equal(one->taints.at, messages[1].node.taints.at);
    assert_int_equal(one->named[1].free, 1);
    messages[1].node.offers = FL_STR("rdma/hca=4/5\n");
    pos = 0;
    assert_false(translate_next(&peer, messages, 2, &pos, &arena, &event, &err));
    assert_int_equal(err.code, FL_INVALID);
    fl_arena_fini(&arena);
}

static void the_cluster_is_the_connections_and_not_the_messages(void **state)
{
    struct fl_msg hello = {.kind = FL_MSG_hello,
                           .hello = {.protocol_min = FL_PROTOCOL_MIN,
                                     .protocol_max = FL_PROTOCOL_MAX,
                                     .boot = 3,
                                     .cluster_uid = {"another", 7},
                                     .capabilities = {"[\"logs\",\"images\"]", 17}}};
    struct translate_origin stranger = {
        .cluster = {4}, .connection = 90, .generation = 6, .is_resync = true};
    struct fl_arena arena = {0};
    struct core_event event;
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    assert_true(translate_next(&stranger, &hello, 1, &pos, &arena, &event, &err));
    assert_int_equal(event.kind, CORE_EV_session_open);
    assert_int_equal(event.session_open.cluster.n, 4);
    assert_int_equal(event.session_open.connection, 90);
    assert_int_equal(event.session_open.seen.incarnation, 0); /* its own word counts for nothing */
    assert_int_equal(event.session_open.generation, 6);
    assert_int_equal(event.session_open.boot, 3);
    assert_true(event.session_open.is_resync);
    assert_true(event.session_open.has_images);
    assert_true(event.session_open.ends_nodes);
    hello.hello.protocol_max = FL_PROTOCOL_NODES_END - 1;
    hello.hello.capabilities = FL_STR("[\"images2\"]");
    pos = 0;
    assert_true(translate_next(&stranger, &hello, 1, &pos, &arena, &event, &err));
    assert_false(event.session_open.has_images);
    assert_false(event.session_open.ends_nodes);
    fl_arena_fini(&arena);
}

static void a_report_keeps_all_it_says(void **state)
{
    struct fl_usage used = {FL_METER_processes, 1, 2, 3, 4, 5};
    uint8_t bytes[FL_USAGE_BYTES];
    struct fl_msg report = {
        .kind = FL_MSG_replica,
        .replica = {55, seven, UINT32_MAX, FL_REPLICA_absent, 137, 2, 10,
                    .usage = fl_usage_write(&used, bytes)},
    };
    struct fl_arena arena = {0};
    struct core_event event;
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    assert_true(translate_next(&peer, &report, 1, &pos, &arena, &event, &err));
    assert_int_equal(event.kind, CORE_EV_replica);
    assert_int_equal(event.replica.cluster.n, 4);
    assert_int_equal(event.replica.session_epoch, 12);
    assert_int_equal(event.replica.report_seq, 55);
    assert_true(fl_attempt_is_same(event.replica.told.attempt, seven));
    assert_int_equal(event.replica.told.replica, UINT32_MAX);
    assert_int_equal(event.replica.told.state, FL_REPLICA_absent);
    assert_int_equal(event.replica.told.exit_code, 137);
    assert_int_equal(event.replica.told.usage.meter, FL_METER_processes);
    assert_int_equal(event.replica.told.usage.memory_bytes, 3);
    fl_arena_fini(&arena);
}

/* A hostile agent may be wrong about its own jobs, and no more than that. */
static void a_usage_that_cannot_be_is_not_known(void **state)
{
    struct fl_usage used = {FL_METER_processes, 1000, 2, 3, 4, 5};
    uint8_t bytes[FL_USAGE_BYTES];
    struct fl_msg report = {.kind = FL_MSG_replica,
                            .replica = {.attempt = seven,
                                        .state = FL_REPLICA_exited,
                                        .usage = fl_usage_write(&used, bytes)}};
    struct fl_arena arena = {0};
    struct core_event event;
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    assert_true(translate_next(&peer, &report, 1, &pos, &arena, &event, &err));
    assert_int_equal(event.replica.told.usage.meter, FL_METER_none);
    assert_int_equal(event.replica.told.usage.replicas, 0);
    fl_arena_fini(&arena);
}

static void what_breaks_a_rule_is_refused(void **state)
{
    struct translate_origin stranger = {.cluster = {4}, .connection = 90};
    struct fl_msg early = item(0);
    struct fl_msg ping = {.kind = FL_MSG_ping};
    struct fl_arena arena = {0};
    struct core_event event = {.kind = CORE_EV_tick};
    struct fl_err err = {0};
    size_t pos = 0;

    (void)state;
    assert_false(translate_next(&stranger, &early, 1, &pos, &arena, &event, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_false(translate_next(&peer, &ping, 1, &pos, &arena, &event, &err));
    assert_int_equal(event.kind, CORE_EV_tick);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(each_send_becomes_its_message),
         cmocka_unit_test(a_long_bye_is_cut_between_characters),
         cmocka_unit_test(what_was_said_before_the_inventory_begins_is_of_the_old_session),
         cmocka_unit_test(an_inventory_is_gathered_with_its_end),
         cmocka_unit_test(no_event_is_larger_than_the_core_takes),
         cmocka_unit_test(nodes_carry_the_last_number_and_the_lowest_mark),
         cmocka_unit_test(the_end_of_the_nodes_comes_with_them_or_alone),
         cmocka_unit_test(a_node_keeps_what_it_offers_by_name),
         cmocka_unit_test(the_cluster_is_the_connections_and_not_the_messages),
         cmocka_unit_test(a_report_keeps_all_it_says),
         cmocka_unit_test(a_usage_that_cannot_be_is_not_known),
         cmocka_unit_test(what_breaks_a_rule_is_refused))
