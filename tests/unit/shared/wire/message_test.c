#include "shared/wire/message.h"

#include "shared/base/prng.h"
#include "shared/wire/frame.h" /* a message must fit a frame */
#include "tests/fl_test.h"

enum { RANDOM_MESSAGES = 4000 };

static const struct fl_attempt attempt_7 = {.job = {7}, .element = 2, .n = 1, .incarnation = 3};

static struct fl_msg a_go(void)
{
    return (struct fl_msg){.kind = FL_MSG_go, .go = {.control_seq = 5, .attempt = attempt_7}};
}

static struct fl_msg a_start(uint32_t *nodes, size_t nodes_len)
{
    return (struct fl_msg){.kind = FL_MSG_start,
                           .start = {.control_seq = 9,
                                     .attempt = attempt_7,
                                     .spec = {{0xab, 0xcd, 0xef, 1, 2, 3, 4}},
                                     .nodes = {nodes, nodes_len}}};
}

static struct fl_buf encoded(const struct fl_msg *msg)
{
    struct fl_buf out;

    fl_buf_init(&out, FL_FRAME_PAYLOAD_MAX);
    assert_true(fl_msg_encode(&out, msg));
    return out;
}

/* Decodes exactly 'len' bytes, in memory of their own so that ASan sees a byte too far. */
static bool decode(const uint8_t *bytes, size_t len, enum fl_direction to, struct fl_err *err)
{
    uint8_t *copy = test_malloc(len ? len : 1);
    struct fl_reader reader = fl_reader(copy, len);
    struct fl_arena arena = {0};
    struct fl_msg msg;
    bool is_fine;

    memcpy(copy, bytes, len);
    *err = (struct fl_err){0};
    is_fine = fl_msg_decode(&reader, to, &arena, &msg, err);
    fl_arena_fini(&arena);
    test_free(copy);
    return is_fine;
}

static void refuse(const struct fl_buf *bytes, enum fl_direction to, const char *text)
{
    struct fl_err err;

    assert_false(decode(bytes->at, bytes->len, to, &err));
    assert_string_equal(err.text, text);
}

/* ---- any message ----------------------------------------------------------------------------- */

static struct fl_str random_string(struct fl_prng *prng, struct fl_arena *arena, size_t max,
                                   bool is_text)
{
    size_t len = fl_prng_chance(prng, 100000) ? max : fl_prng_below(prng, max < 40 ? max + 1 : 40);
    char *at = fl_arena_alloc(arena, len);

    for (size_t i = 0; i < len; i++) {
        at[i] = (char)(is_text ? fl_prng_between(prng, 1, 127) : (int64_t)fl_prng_below(prng, 256));
    }
    return (struct fl_str){at, len};
}

static void random_field(struct fl_prng *prng, struct fl_arena *arena,
                         const struct fl_msg_field *field, void *at)
{
    uint64_t bits = fl_prng_u64(prng);

    if (fl_prng_chance(prng, 200000)) bits = fl_prng_chance(prng, 500000) ? 0 : UINT64_MAX;
    switch (field->kind) {
    case FL_FIELD_u8:
        *(uint8_t *)at = (uint8_t)bits;
        break;
    case FL_FIELD_u16:
        *(uint16_t *)at = (uint16_t)bits;
        break;
    case FL_FIELD_u32:
    case FL_FIELD_i32:
        *(uint32_t *)at = (uint32_t)bits;
        break;
    case FL_FIELD_u64:
    case FL_FIELD_i64:
        *(uint64_t *)at = bits;
        break;
    case FL_FIELD_bool:
        *(bool *)at = bits & 1;
        break;
    case FL_FIELD_state:
        *(enum fl_replica_state *)at = (enum fl_replica_state)(bits % FL_REPLICA_STATES_LEN);
        break;
    case FL_FIELD_attempt:
        *(struct fl_attempt *)at = (struct fl_attempt){
            {bits | 1}, (uint32_t)bits, (uint16_t)(bits | 1), (uint32_t)(bits >> 9)};
        break;
    case FL_FIELD_digest:
        for (size_t i = 0; i < sizeof(struct fl_digest); i++) {
            ((struct fl_digest *)at)->at[i] = (uint8_t)fl_prng_u64(prng);
        }
        break;
    case FL_FIELD_resources:
        *(struct fl_resources *)at =
            (struct fl_resources){bits, (uint32_t)bits, (uint32_t)(bits >> 7)};
        break;
    case FL_FIELD_str:
    case FL_FIELD_bytes:
        *(struct fl_str *)at = random_string(prng, arena, field->max, field->kind == FL_FIELD_str);
        break;
    case FL_FIELD_u32s: {
        size_t len = fl_prng_chance(prng, 100000) ? field->max : fl_prng_below(prng, 20);
        uint32_t *numbers = fl_arena_array(arena, uint32_t, len);

        for (size_t i = 0; i < len; i++) {
            numbers[i] = (uint32_t)fl_prng_u64(prng);
        }
        *(struct fl_u32s *)at = (struct fl_u32s){numbers, len};
        break;
    }
    case FL_FIELD_KINDS_LEN:
        fail();
    }
}

static struct fl_msg random_message(struct fl_prng *prng, struct fl_arena *arena)
{
    const struct fl_msg_info *info = NULL;
    struct fl_msg msg;
    size_t len = 0;

    while (fl_msg_info_at(len)) {
        len++;
    }
    info = fl_msg_info_at(fl_prng_below(prng, len));
    msg = (struct fl_msg){.kind = info->kind};
    for (size_t i = 0; i < info->fields_len; i++) {
        random_field(prng, arena, &info->fields[i],
                     (uint8_t *)&msg.welcome + info->fields[i].offset);
    }
    return msg;
}

static void whatever_is_encoded_decodes_to_the_same(void **state)
{
    struct fl_prng prng;
    struct fl_arena arena = {0};
    struct fl_buf out, again;

    (void)state;
    fl_prng_seed(&prng, 1);
    fl_buf_init(&out, FL_FRAME_PAYLOAD_MAX);
    fl_buf_init(&again, FL_FRAME_PAYLOAD_MAX);
    for (int i = 0; i < RANDOM_MESSAGES; i++) {
        struct fl_msg msg = random_message(&prng, &arena);
        struct fl_msg back = {0};
        struct fl_err err = {0};
        struct fl_reader reader;
        char text[FL_MSG_TEXT_MAX], text_back[FL_MSG_TEXT_MAX];
        const struct fl_msg_info *info = fl_msg_info(msg.kind);

        fl_buf_clear(&out);
        fl_buf_clear(&again);
        assert_true(fl_msg_check(&msg, &err));
        assert_true(fl_msg_encode(&out, &msg));
        assert_true(out.len <= fl_msg_bytes_max(info));
        reader = fl_reader(out.at, out.len);
        if (!fl_msg_decode(&reader, info->to == FL_TO_BOTH ? FL_TO_AGENT : info->to, &arena, &back,
                           &err)) {
            fail_msg("%s", err.text);
        }
        assert_true(fl_reader_is_done(&reader));
        assert_true(fl_msg_encode(&again, &back));
        assert_int_equal(out.len, again.len);
        assert_memory_equal(out.at, again.at, out.len);
        fl_msg_print(&msg, text);
        fl_msg_print(&back, text_back);
        assert_string_equal(text, text_back);
        fl_arena_reset(&arena);
    }
    fl_buf_fini(&out);
    fl_buf_fini(&again);
    fl_arena_fini(&arena);
}

static void every_cut_of_a_message_is_refused(void **state)
{
    struct fl_prng prng;
    struct fl_arena arena = {0};

    (void)state;
    fl_prng_seed(&prng, 2);
    for (int i = 0; i < 200; i++) {
        struct fl_msg msg = random_message(&prng, &arena);
        struct fl_buf out = encoded(&msg);
        enum fl_direction to = fl_msg_info(msg.kind)->to;

        for (size_t len = 0; len < out.len; len += 1 + out.len / 100) {
            struct fl_err err;

            assert_false(decode(out.at, len, to, &err));
            assert_int_equal(err.code, FL_INVALID);
        }
        fl_buf_fini(&out);
        fl_arena_reset(&arena);
    }
    fl_arena_fini(&arena);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void the_bytes_of_a_message_are_those_of_the_reference(void **state)
{
    static const uint8_t go[] = {3, 0, 26,                /* number, length */
                                 5, 0, 0,  0, 0, 0, 0, 0, /* control_seq */
                                 7, 0, 0,  0, 0, 0, 0, 0, 2,
                                 0, 0, 0,  1, 0, 3, 0, 0, 0}; /* attempt */
    struct fl_msg msg = a_go();
    struct fl_buf out = encoded(&msg);

    (void)state;
    assert_int_equal(out.len, sizeof go);
    assert_memory_equal(out.at, go, sizeof go);
    fl_buf_fini(&out);
}

static void many_messages_stand_in_one_frame(void **state)
{
    struct fl_msg go = a_go(), back;
    struct fl_msg ping = {.kind = FL_MSG_ping, .ping = {.nonce = 77}};
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf out;
    struct fl_reader reader;

    (void)state;
    fl_buf_init(&out, 100);
    assert_true(fl_msg_encode(&out, &ping));
    assert_true(fl_msg_encode(&out, &go));
    assert_true(fl_msg_encode(&out, &ping));
    reader = fl_reader(out.at, out.len);
    assert_true(fl_msg_decode(&reader, FL_TO_AGENT, &arena, &back, &err));
    assert_int_equal(back.kind, FL_MSG_ping);
    assert_true(fl_msg_decode(&reader, FL_TO_AGENT, &arena, &back, &err));
    assert_int_equal(back.kind, FL_MSG_go);
    assert_true(fl_attempt_is_same(back.go.attempt, attempt_7));
    assert_true(fl_msg_decode(&reader, FL_TO_AGENT, &arena, &back, &err));
    assert_int_equal(back.ping.nonce, 77);
    assert_true(fl_reader_is_done(&reader));
    fl_buf_fini(&out);
    fl_arena_fini(&arena);
}

static void a_message_that_does_not_fit_leaves_the_buffer_as_it_was(void **state)
{
    struct fl_msg go = a_go();
    struct fl_msg ping = {.kind = FL_MSG_ping};
    struct fl_buf out;

    (void)state;
    fl_buf_init(&out, 40); /* go takes 29, ping 11 */
    assert_true(fl_msg_encode(&out, &go));
    assert_false(fl_msg_encode(&out, &go));
    assert_int_equal(out.len, 29);
    assert_false(out.is_over);
    assert_true(fl_msg_encode(&out, &ping));
    assert_int_equal(out.len, 40);
    fl_buf_fini(&out);
}

static void strings_point_into_the_frame(void **state)
{
    struct fl_msg bye = {.kind = FL_MSG_bye, .bye = {.code = 6, .text = FL_STR("later")}};
    struct fl_buf out = encoded(&bye);
    struct fl_reader reader = fl_reader(out.at, out.len);
    struct fl_arena arena = {0};
    struct fl_msg back;

    (void)state;
    assert_true(fl_msg_decode(&reader, FL_TO_AGENT, &arena, &back, NULL));
    assert_true(fl_str_eq(back.bye.text, FL_STR("later")));
    assert_ptr_equal(back.bye.text.at, out.at + out.len - 5);
    assert_int_equal(fl_arena_bytes(&arena), 0);
    fl_buf_fini(&out);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void a_message_the_wrong_way_is_refused(void **state)
{
    struct fl_msg go = a_go();
    struct fl_msg hello = {.kind = FL_MSG_hello};
    struct fl_buf to_agent = encoded(&go), to_hub = encoded(&hello);

    (void)state;
    refuse(&to_agent, FL_TO_CONTROLPLANE, "message go does not go to the control plane");
    refuse(&to_hub, FL_TO_AGENT, "message hello does not go to an agent");
    fl_buf_fini(&to_agent);
    fl_buf_fini(&to_hub);
}

static void an_unknown_number_can_be_stepped_over(void **state)
{
    static const uint8_t bytes[] = {0xe7, 3, 2, 9, 9, /* number 999 with two bytes */
                                    32,   0, 8, 1, 0, 0, 0, 0, 0, 0, 0};
    struct fl_reader reader = fl_reader(bytes, sizeof bytes);
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_msg msg;

    (void)state;
    assert_false(fl_msg_decode(&reader, FL_TO_AGENT, &arena, &msg, &err));
    assert_int_equal(err.code, FL_UNSUPPORTED);
    assert_string_equal(err.text, "message number 999 is not known to this version");
    assert_true(fl_msg_decode(&reader, FL_TO_AGENT, &arena, &msg, &err));
    assert_int_equal(msg.ping.nonce, 1);
}

static void after_a_broken_message_nothing_more_is_read(void **state)
{
    static const uint8_t bytes[] = {32, 0, 7, 1, 0, 0, 0, 0, 0, 0, /* ping, a byte short */
                                    32, 0, 8, 1, 0, 0, 0, 0, 0, 0, 0};
    struct fl_reader reader = fl_reader(bytes, sizeof bytes);
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_msg msg;

    (void)state;
    assert_false(fl_msg_decode(&reader, FL_TO_AGENT, &arena, &msg, &err));
    assert_string_equal(err.text, "message ping: field nonce: is cut short or oddly encoded");
    assert_true(reader.is_bad);
    assert_false(fl_msg_decode(&reader, FL_TO_AGENT, &arena, &msg, &err));
    assert_int_equal(err.code, FL_INVALID);
}

static void a_body_that_is_too_long_is_refused(void **state)
{
    struct fl_buf bytes = {.at = (uint8_t[]){33, 0, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0}, .len = 12};

    (void)state;
    refuse(&bytes, FL_TO_AGENT, "message pong: 1 bytes behind the last field");
}

static void a_length_in_a_longer_form_than_needed_is_refused(void **state)
{
    struct fl_buf bytes = {.at = (uint8_t[]){33, 0, 0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0}, .len = 12};

    (void)state;
    refuse(&bytes, FL_TO_AGENT,
           "message pong at byte 0: its length is cut short, oddly encoded, or "
           "beyond the frame");
}

static void a_field_that_breaks_its_rule_is_named(void **state)
{
    struct fl_msg go = a_go();
    struct fl_msg node = {.kind = FL_MSG_node, .node = {.name = FL_STR("n")}};
    struct fl_msg item = {.kind = FL_MSG_inventory_item, .inventory_item = {.attempt = attempt_7}};
    struct fl_buf bytes = encoded(&go);

    (void)state;
    bytes.at[3 + 8] = 0; /* the job */
    refuse(&bytes, FL_TO_AGENT,
           "message go: field attempt: an attempt has a job and a number, not 0");
    fl_buf_fini(&bytes);

    bytes = encoded(&node);
    bytes.at[3 + 8 + 8 + 4] = 2;
    refuse(&bytes, FL_TO_CONTROLPLANE, "message node: field is_ready: 2 is neither 0 nor 1");
    bytes.at[3 + 8 + 8 + 4] = 1;
    bytes.at[3 + 8 + 8 + 4 + 1 + 32 + 1] = 0xff; /* the name's only byte */
    refuse(&bytes, FL_TO_CONTROLPLANE,
           "message node: field name: is not UTF-8 text without zero bytes");
    fl_buf_fini(&bytes);

    bytes = encoded(&item);
    bytes.at[3 + 18 + 4] = FL_REPLICA_STATES_LEN;
    refuse(&bytes, FL_TO_CONTROLPLANE,
           "message inventory_item: field state: 8 is no replica state");
    fl_buf_fini(&bytes);
}

static void what_passes_a_bound_is_refused_before_anything_is_allocated(void **state)
{
    uint32_t nodes[1024] = {0};
    struct fl_msg start = a_start(nodes, 1024);
    struct fl_buf bytes = encoded(&start);
    size_t count_at = 4 + 8 + 18 + 32; /* the length takes two bytes */

    (void)state;
    assert_int_equal(bytes.at[count_at], 0x80);
    assert_int_equal(bytes.at[count_at + 1], 8);
    bytes.at[count_at] = 0x81;
    refuse(&bytes, FL_TO_AGENT,
           "message start: field nodes: 1025 numbers; at most 1024 are allowed");
    fl_buf_fini(&bytes);

    start.start.nodes.len = 3;
    bytes = encoded(&start);
    bytes.at[3 + 8 + 18 + 32] = 4; /* one more than is there */
    refuse(&bytes, FL_TO_AGENT, "message start: field nodes: is cut short or oddly encoded");
    fl_buf_fini(&bytes);
}

static void encode_bad(void *msg)
{
    struct fl_buf out;

    fl_buf_init(&out, FL_FRAME_PAYLOAD_MAX);
    if (!fl_msg_encode(&out, msg)) fl_buf_clear(&out);
    fl_buf_fini(&out);
}

static void check_sees_what_encode_takes_for_a_bug(void **state)
{
    char text[201];
    struct fl_msg bye = {.kind = FL_MSG_bye, .bye = {.text = {text, 201}}};
    struct fl_msg none = {0};
    struct fl_err err = {0};

    (void)state;
    memset(text, 'x', sizeof text);
    assert_false(fl_msg_check(&bye, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    assert_string_equal(err.text, "message bye: field text: 201 bytes; at most 200 are allowed");
    assert_true(fl_test_aborts(encode_bad, &bye));
    bye.bye.text.len = 200;
    assert_true(fl_msg_check(&bye, &err));
    assert_false(fl_test_aborts(encode_bad, &bye));
    assert_false(fl_msg_check(&none, &err));
    assert_string_equal(err.text, "0 is no kind of message");
}

/* ---- tables and text ------------------------------------------------------------------------- */

static void the_longest_of_every_message_fits_a_frame(void **state)
{
    (void)state;
    for (size_t i = 0; fl_msg_info_at(i); i++) {
        const struct fl_msg_info *info = fl_msg_info_at(i);

        assert_true(fl_msg_bytes_max(info) <= FL_FRAME_PAYLOAD_MAX);
        assert_ptr_equal(info, fl_msg_info(info->kind));
        for (size_t j = 0; j < info->fields_len; j++) {
            enum fl_field_kind kind = info->fields[j].kind;
            bool is_variable =
                kind == FL_FIELD_str || kind == FL_FIELD_bytes || kind == FL_FIELD_u32s;

            assert_int_equal(info->fields[j].max > 0, is_variable);
        }
    }
    assert_null(fl_msg_info(0));
    assert_null(fl_msg_info(65535));
}

static void a_message_prints_as_one_line(void **state)
{
    uint32_t nodes[] = {4, 70000};
    struct fl_msg start = a_start(nodes, 2);
    struct fl_msg bye = {
        .kind = FL_MSG_bye,
        .bye = {.code = 6, .retry_after_ms = 500, .text = FL_STR("a\n\"b\"\xc3\xa9")}};
    struct fl_msg replica = {
        .kind = FL_MSG_replica,
        .replica = {.attempt = attempt_7, .state = FL_REPLICA_exited, .exit_code = -9}};
    char text[FL_MSG_TEXT_MAX];

    (void)state;
    fl_msg_print(&start, text);
    assert_string_equal(
        text,
        "start control_seq=9 attempt=job-7/2#1@3 spec=abcdef010203 nodes=[4,70000] params=\"\"");
    fl_msg_print(&bye, text);
    assert_string_equal(text, "bye code=6 retry_after_ms=500 text=\"a\\x0a\\\"b\\\"\\xc3\\xa9\"");
    fl_msg_print(&replica, text);
    assert_string_equal(text, "replica report_seq=0 attempt=job-7/2#1@3 replica=0 state=exited "
                              "exit_code=-9 cause=0 output_bytes=0 words=\"\" usage=\"\"");
    fl_msg_print(&(struct fl_msg){0}, text);
    assert_string_equal(text, "message 0?");
}

static void a_long_message_prints_cut(void **state)
{
    uint32_t nodes[1024] = {0};
    struct fl_msg start = a_start(nodes, 1024);
    char text[FL_MSG_TEXT_MAX + 1];

    (void)state;
    text[FL_MSG_TEXT_MAX] = 'k';
    fl_msg_print(&start, text);
    assert_int_equal(strlen(text), FL_MSG_TEXT_MAX - 1);
    assert_string_equal(text + FL_MSG_TEXT_MAX - 6, ",0...");
    assert_int_equal(text[FL_MSG_TEXT_MAX], 'k');
}

/* A node without offers has the bytes of protocol 2; one with them has these behind. */
static void a_late_field_is_there_only_when_it_says_something(void **state)
{
    struct fl_msg node = {.kind = FL_MSG_node, .node = {.number = 1, .name = FL_STR("n1")}}, back;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf out;
    struct fl_reader reader;
    size_t bare;

    (void)state;
    fl_buf_init(&out, FL_FRAME_PAYLOAD_MAX);
    assert_true(fl_msg_encode(&out, &node));
    bare = out.len;
    assert_int_equal(out.at[bare - 1], 0); /* no labels, and no more */
    assert_int_equal(out.at[bare - 4], 2); /* the length of the name */
    reader = fl_reader(out.at, out.len);
    assert_true(fl_msg_decode(&reader, FL_TO_CONTROLPLANE, &arena, &back, &err));
    assert_int_equal(back.node.offers.len, 0);

    fl_buf_put_u8(&out, 0); /* an empty one is another spelling of none */
    out.at[2]++;
    reader = fl_reader(out.at, out.len);
    assert_false(fl_msg_decode(&reader, FL_TO_CONTROLPLANE, &arena, &back, &err));
    assert_int_equal(err.code, FL_INVALID);

    fl_buf_clear(&out);
    node.node.offers = FL_STR("rdma/hca=4/3\n");
    assert_true(fl_msg_encode(&out, &node));
    assert_int_equal(out.len, bare + 1 + node.node.offers.len);
    reader = fl_reader(out.at, out.len);
    assert_true(fl_msg_decode(&reader, FL_TO_CONTROLPLANE, &arena, &back, &err));
    assert_true(fl_str_eq(back.node.offers, node.node.offers));
    fl_buf_fini(&out);
    fl_arena_fini(&arena);
}

/* One that says something keeps the places of the empty ones before it. */
static void late_fields_are_left_out_from_the_end_on(void **state)
{
    struct fl_msg replica = {.kind = FL_MSG_replica, .replica = {.attempt = attempt_7}}, back;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf out;
    struct fl_reader reader;
    size_t bare;

    (void)state;
    fl_buf_init(&out, FL_FRAME_PAYLOAD_MAX);
    assert_true(fl_msg_encode(&out, &replica));
    bare = out.len;
    fl_buf_clear(&out);
    replica.replica.usage = FL_STR("abc");
    assert_true(fl_msg_encode(&out, &replica));
    assert_int_equal(out.len, bare + 1 + 1 + 3);
    reader = fl_reader(out.at, out.len);
    assert_true(fl_msg_decode(&reader, FL_TO_CONTROLPLANE, &arena, &back, &err));
    assert_int_equal(back.replica.words.len, 0);
    assert_true(fl_str_eq(back.replica.usage, FL_STR("abc")));

    fl_buf_clear(&out);
    replica.replica.usage.len = 0;
    replica.replica.words = FL_STR("why");
    assert_true(fl_msg_encode(&out, &replica));
    assert_int_equal(out.len, bare + 1 + 3); /* as protocol 4 has it */
    fl_buf_put_u8(&out, 0);
    out.at[2]++;
    reader = fl_reader(out.at, out.len);
    assert_false(fl_msg_decode(&reader, FL_TO_CONTROLPLANE, &arena, &back, &err));
    assert_string_equal(err.text, "message replica: field usage is empty, and yet it is there");
    fl_buf_fini(&out);
    fl_arena_fini(&arena);
}

/* Taints keep the place of offers that are not there. */
static void a_node_tells_its_taints_behind_its_offers(void **state)
{
    struct fl_msg node = {.kind = FL_MSG_node,
                          .node = {.name = FL_STR("n1"), .taints = FL_STR("a:NoSchedule\n")}};
    struct fl_msg back;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf out;
    struct fl_reader reader;

    (void)state;
    fl_buf_init(&out, FL_FRAME_PAYLOAD_MAX);
    assert_true(fl_msg_encode(&out, &node));
    reader = fl_reader(out.at, out.len);
    assert_true(fl_msg_decode(&reader, FL_TO_CONTROLPLANE, &arena, &back, &err));
    assert_int_equal(back.node.offers.len, 0);
    assert_true(fl_str_eq(back.node.taints, FL_STR("a:NoSchedule\n")));
    fl_buf_fini(&out);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_late_field_is_there_only_when_it_says_something),
         cmocka_unit_test(late_fields_are_left_out_from_the_end_on),
         cmocka_unit_test(whatever_is_encoded_decodes_to_the_same),
         cmocka_unit_test(every_cut_of_a_message_is_refused),
         cmocka_unit_test(the_bytes_of_a_message_are_those_of_the_reference),
         cmocka_unit_test(many_messages_stand_in_one_frame),
         cmocka_unit_test(a_message_that_does_not_fit_leaves_the_buffer_as_it_was),
         cmocka_unit_test(strings_point_into_the_frame),
         cmocka_unit_test(a_message_the_wrong_way_is_refused),
         cmocka_unit_test(an_unknown_number_can_be_stepped_over),
         cmocka_unit_test(after_a_broken_message_nothing_more_is_read),
         cmocka_unit_test(a_body_that_is_too_long_is_refused),
         cmocka_unit_test(a_length_in_a_longer_form_than_needed_is_refused),
         cmocka_unit_test(a_field_that_breaks_its_rule_is_named),
         cmocka_unit_test(what_passes_a_bound_is_refused_before_anything_is_allocated),
         cmocka_unit_test(check_sees_what_encode_takes_for_a_bug),
         cmocka_unit_test(the_longest_of_every_message_fits_a_frame),
         cmocka_unit_test(a_message_prints_as_one_line),
         cmocka_unit_test(a_long_message_prints_cut),
         cmocka_unit_test(a_node_tells_its_taints_behind_its_offers))
