/* A session, an agent's mux, and an engine whose inbox is small: no socket, and time stands still
 * unless told. */
#include "controlplane/tunnel/session.h"

#include <stdlib.h>

#include "shared/base/alloc.h"
#include "shared/link/mux.h"
#include "tests/fl_test.h"

enum { REPORTS = 3000, PING_MS = 10000, DEAD_MS = 30000 };

struct pair {
    struct session_shared shared;
    struct session *session;
    struct fl_mux *agent;
    fl_ms now;

    size_t room; /* in the inbox */
    uint64_t opens, resyncs, losts, nodes, ends;
    uint64_t report_seq; /* the newest that arrived */
    char node_name[16];  /* the newest one's */
    enum fl_code answer; /* instead of FL_FULL, when there is no room */

    char document[2000];         /* each START's */
    uint32_t stream;             /* documents', as the agent sees it; 0: not opened */
    size_t stream_bytes, starts; /* that came to the agent */
    uint16_t closed_code;        /* with which the hub closed or refused a stream */
    uint16_t bye_code;           /* 0: the hub said no bye */
};

static bool on_adopt(void *ctx, struct engine_event *event, struct fl_err *err)
{
    struct pair *pair = ctx;
    const struct core_event *e = &event->event;
    bool has_room = pair->room > 0;

    if (has_room) {
        pair->room--;
        if (e->kind == CORE_EV_session_open) {
            pair->opens++;
            pair->resyncs += e->session_open.is_resync;
        } else if (e->kind == CORE_EV_replica) {
            assert_int_equal(e->replica.report_seq,
                             pair->report_seq + 1); /* none twice, none left out */
            pair->report_seq++;
        } else if (e->kind == CORE_EV_nodes) {
            pair->nodes += e->nodes.len;
            snprintf(pair->node_name, sizeof pair->node_name, FL_STR_FMT,
                     FL_STR_ARG(e->nodes.at[e->nodes.len - 1].name));
        } else if (e->kind == CORE_EV_inventory) {
            pair->ends += e->inventory.is_end;
        }
    }
    engine_event_destroy(event);
    return has_room || fl_fail(err, pair->answer, "no room");
}

static bool on_peer(void *ctx, const struct tunnel_peer *peer, struct fl_str cluster_uid,
                    struct fl_cluster *ret_cluster, struct fl_err *err)
{
    (void)ctx;
    (void)peer;
    (void)cluster_uid;
    (void)err;
    *ret_cluster = (struct fl_cluster){1};
    return true;
}

static bool on_spec(void *ctx, uint64_t ticket, struct fl_cluster cluster,
                    struct fl_attempt attempt, struct tunnel_spec *ret_spec)
{
    struct pair *pair = ctx;

    (void)ticket;
    (void)cluster;
    (void)attempt;
    *ret_spec = (struct tunnel_spec){.digest = {.at = {7}},
                                     .document = {pair->document, sizeof pair->document}};
    return true;
}

static void on_lost(void *ctx, struct fl_cluster cluster, uint64_t session_epoch,
                    uint64_t connection)
{
    struct pair *pair = ctx;

    (void)cluster;
    (void)session_epoch;
    (void)connection;
    pair->losts++;
}

static void on_changed(void *ctx, uint64_t connection)
{
    (void)ctx;
    assert_int_equal(connection, 1);
}

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    (void)ctx;
    (void)stream;
    (void)bytes_max;
    *at = 'x';
    return 1;
}

/* As from a socket: in pieces, none of which outlives the call. */
static void to_hub(struct pair *pair, size_t piece_max)
{
    struct fl_buf out;

    fl_buf_init(&out, 4 << 20);
    while (fl_mux_write(pair->agent, pair->now, &out) > 0) {
        continue;
    }
    for (size_t at = 0; at < out.len; at += piece_max) {
        size_t len = out.len - at < piece_max ? out.len - at : piece_max;
        char *piece = fl_alloc(len);

        memcpy(piece, out.at + at, len);
        session_bytes(pair->session, (struct fl_str){piece, len}, pair->now);
        fl_free(piece);
    }
    fl_buf_fini(&out);
}

static void to_agent(struct pair *pair)
{
    struct fl_mux_item item;
    struct fl_err err = {0};
    struct fl_str bytes;
    struct fl_buf out;

    fl_buf_init(&out, 1 << 20);
    while (session_write(pair->session, pair->now, &out) > 0) {
        continue;
    }
    bytes = (struct fl_str){(const char *)out.at, out.len};
    while (fl_mux_receive(pair->agent, &bytes, pair->now, &item, &err)) {
        if (item.kind == FL_MUX_CLOSED) pair->closed_code = item.code;
        if (item.messages_len && item.messages->kind == FL_MSG_bye) {
            pair->bye_code = item.messages->bye.code;
        }
        if (item.kind == FL_MUX_DATA) {
            pair->stream = item.stream;
            pair->stream_bytes += item.bytes.len;
            fl_mux_consumed(pair->agent, item.stream, (uint32_t)item.bytes.len);
        }
        for (size_t i = 0; item.kind == FL_MUX_MESSAGE && i < item.messages_len; i++) {
            pair->starts += item.messages[i].kind == FL_MSG_start;
        }
    }
    fl_buf_fini(&out);
}

static void put_hello(struct pair *pair)
{
    fl_mux_put(pair->agent, &(struct fl_msg){.kind = FL_MSG_hello,
                                             .hello = {.protocol_min = FL_PROTOCOL_MIN,
                                                       .protocol_max = FL_PROTOCOL_MAX,
                                                       .cluster_uid = FL_STR("uid"),
                                                       .version = FL_STR("test"),
                                                       .capabilities = FL_STR("[]")}});
    to_hub(pair, 100);
}

static void welcome(struct pair *pair, enum core_send_kind kind, uint64_t epoch)
{
    session_send(pair->session, &(struct core_send){.kind = kind, .session_epoch = epoch},
                 pair->now);
    to_agent(pair);
}

static void init(struct pair *pair)
{
    struct fl_mux_config config = {
        .side = FL_LINK_AGENT, .flow = fl_flow_limits(), .ctx = pair, .pull = pull};

    *pair = (struct pair){.now = 1000, .answer = FL_FULL, .room = SIZE_MAX};
    pair->shared = (struct session_shared){
        .ports = {.ctx = pair, .adopt = on_adopt, .peer = on_peer, .spec = on_spec},
        .translate = {.ping_ms = PING_MS,
                      .dead_ms = DEAD_MS,
                      .stream_credit_bytes = fl_flow_limits().stream_bytes,
                      .tunnel_credit_bytes = fl_flow_limits().tunnel_bytes,
                      .capabilities = FL_STR("[]")},
        .flow = fl_flow_limits(),
        .ctx = pair,
        .lost = on_lost,
        .changed = on_changed,
    };
    pair->session =
        session_create(&pair->shared, &(struct tunnel_peer){0}, 1, INT64_MAX, pair->now);
    pair->agent = fl_mux_create(&config, pair->now);
    assert_int_equal(fl_mux_step(pair->agent, FL_LINK_EV_tick, pair->now), FL_LINK_DO_DIAL);
    assert_int_equal(fl_mux_step(pair->agent, FL_LINK_EV_opened, pair->now), FL_LINK_DO_HELLO);
}

static void init_up(struct pair *pair)
{
    init(pair);
    put_hello(pair);
    assert_int_equal(pair->opens, 1);
    welcome(pair, CORE_SEND_welcome, 1);
    assert_int_equal(session_link(pair->session)->state, FL_LINK_UP);
    fl_mux_put(pair->agent,
               &(struct fl_msg){.kind = FL_MSG_inventory_begin, .inventory_begin = {1}});
}

static void fini(struct pair *pair)
{
    session_destroy(pair->session);
    fl_mux_destroy(pair->agent);
}

/* Reports, and among them nodes, whose names are strings in what came. */
static void report(struct pair *pair, uint64_t reports)
{
    for (uint64_t i = 1; i <= reports; i++) {
        struct fl_msg replica = {
            .kind = FL_MSG_replica,
            .replica = {.report_seq = i, .attempt = {{i}, 0, 1, 1}, .state = FL_REPLICA_running}};

        fl_mux_put(pair->agent, &replica);
        if (i % 100 == 0) {
            fl_mux_put(pair->agent,
                       &(struct fl_msg){.kind = FL_MSG_node, .node = {.name = FL_STR("node")}});
        }
    }
    fl_mux_put(pair->agent, &(struct fl_msg){.kind = FL_MSG_inventory_end});
}

static void a_flood_goes_through_a_small_inbox_complete_and_in_order(void **state)
{
    static const size_t pieces[] = {1 << 20, 65536, 4096, 977};

    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct pair pair;
        size_t tries = 0;

        init_up(&pair);
        pair.room = 7;
        report(&pair, REPORTS);
        to_hub(&pair, pieces[i]);
        assert_true(session_is_held(pair.session));
        assert_false(session_resume(pair.session, pair.now)); /* no room: nothing moves */
        while (session_is_held(pair.session)) {
            uint64_t before = pair.report_seq + pair.nodes + pair.ends;

            pair.room = 7;
            session_resume(pair.session, pair.now);
            assert_true(pair.report_seq + pair.nodes + pair.ends > before);
            assert_true(++tries < REPORTS);
        }
        assert_int_equal(pair.report_seq, REPORTS);
        assert_int_equal(pair.nodes, REPORTS / 100);
        assert_string_equal(pair.node_name, "node");
        assert_int_equal(pair.ends, 1);
        assert_false(session_is_over(pair.session));
        assert_int_equal(pair.losts, 0);
        fini(&pair);
    }
}

static void who_waits_for_us_is_not_taken_for_dead(void **state)
{
    struct pair pair;
    fl_ms went_on_at;

    (void)state;
    init_up(&pair);
    pair.room = 0;
    report(&pair, 1);
    to_hub(&pair, 4096);
    for (int i = 0; i < 600; i++) { /* ten minutes, in which it cannot be heard */
        pair.now += 1000;
        if (pair.now >= session_deadline(pair.session)) session_tick(pair.session, pair.now);
        assert_false(session_resume(pair.session, pair.now));
    }
    assert_true(session_has_output(pair.session)); /* it is pinged all the while */
    assert_int_equal(session_link(pair.session)->state, FL_LINK_UP);
    pair.room = SIZE_MAX;
    assert_true(session_resume(pair.session, pair.now));
    assert_int_equal(pair.report_seq, 1);
    went_on_at = pair.now;
    while (!session_is_over(pair.session)) { /* from here on its silence is its own */
        assert_true(pair.now <= went_on_at + DEAD_MS);
        pair.now += 1000;
        if (pair.now >= session_deadline(pair.session)) session_tick(pair.session, pair.now);
    }
    assert_int_equal(session_link(pair.session)->why, FL_LINK_WHY_silent);
    assert_true(pair.now >= went_on_at + DEAD_MS);
    assert_int_equal(pair.losts, 1);
    fini(&pair);
}

static void a_hello_waits_for_room_too(void **state)
{
    struct pair pair;

    (void)state;
    init(&pair);
    pair.room = 0;
    put_hello(&pair);
    assert_true(session_is_held(pair.session));
    assert_int_equal(session_link(pair.session)->state, FL_LINK_GREETED);
    pair.room = 1;
    assert_true(session_resume(pair.session, pair.now));
    assert_int_equal(pair.opens, 1);
    welcome(&pair, CORE_SEND_welcome, 1);
    assert_int_equal(session_link(pair.session)->state, FL_LINK_UP);
    fini(&pair);
}

static void a_new_term_hears_the_offer_before_what_was_held(void **state)
{
    struct pair pair;

    (void)state;
    init_up(&pair);
    pair.room = 2;
    report(&pair, 10);
    to_hub(&pair, 4096);
    session_offer(pair.session, pair.now); /* a new term began, its inbox is as full */
    assert_true(session_is_held(pair.session));
    pair.room = 1;
    assert_false(session_resume(pair.session, pair.now));
    assert_int_equal(pair.resyncs, 1);
    assert_int_equal(pair.report_seq, 1);
    pair.room = SIZE_MAX;
    assert_true(session_resume(pair.session, pair.now));
    assert_int_equal(pair.report_seq, 10);
    fini(&pair);
}

static void what_ends_while_it_waits_leaves_nothing_behind(void **state)
{
    struct pair pair;

    (void)state;
    init(&pair);
    pair.room = 0;
    put_hello(&pair);
    session_closed(pair.session, pair.now);
    assert_true(session_is_over(pair.session));
    assert_false(session_is_held(pair.session));
    assert_int_equal(pair.losts, 0); /* the core never knew it */
    fini(&pair);

    init_up(&pair);
    pair.room = 3;
    report(&pair, 100);
    to_hub(&pair, 4096);
    session_supersede(pair.session, pair.now);
    assert_false(session_is_held(pair.session));
    assert_true(session_resume(pair.session, pair.now));
    assert_true(session_is_over(pair.session));
    fini(&pair);
}

static void an_agent_hears_why_the_hub_ends_its_session(void **state)
{
    static void (*const ends[])(struct session * session, fl_ms now) = {session_stop,
                                                                        session_supersede};
    static const enum fl_code codes[] = {FL_UNAVAILABLE, FL_CONFLICT};
    struct pair pair;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        init_up(&pair);
        ends[i](pair.session, pair.now);
        assert_true(session_is_over(pair.session));
        to_agent(&pair);
        assert_int_equal(pair.bye_code, codes[i]);
        fini(&pair);
    }
}

static void what_is_refused_for_another_reason_still_ends_it(void **state)
{
    struct pair pair;

    (void)state;
    init_up(&pair);
    pair.room = 0;
    pair.answer = FL_DENIED;
    report(&pair, 1);
    to_hub(&pair, 4096);
    assert_true(session_is_over(pair.session));
    assert_int_equal(session_link(pair.session)->why, FL_LINK_WHY_refused);
    assert_int_equal(pair.losts, 1);
    fini(&pair);
}

static void a_socket_that_goes_on_giving_is_cut_at_a_bound(void **state)
{
    struct pair pair;
    char *bytes = fl_alloc(SESSION_UNREAD_BYTES_MAX);

    (void)state;
    init_up(&pair);
    pair.room = 0;
    report(&pair, 1);
    to_hub(&pair, 4096);
    memset(bytes, 0, SESSION_UNREAD_BYTES_MAX);
    for (int i = 0; i < 2 && !session_is_over(pair.session); i++) {
        session_bytes(pair.session, (struct fl_str){bytes, SESSION_UNREAD_BYTES_MAX}, pair.now);
    }
    assert_true(session_is_over(pair.session));
    assert_int_equal(pair.losts, 1);
    fl_free(bytes);
    fini(&pair);
}

/* ---- the stream of documents ----------------------------------------------------------------- */

static void start(struct pair *pair, uint64_t job)
{
    struct core_send send = {.kind = CORE_SEND_start, .attempt = {{job}, 0, 1, 1}};

    session_send(pair->session, &send, pair->now);
    to_agent(pair);
}

/* A tunnel whose agent has a document and its START, on a stream that stays open. */
static void init_with_document(struct pair *pair)
{
    init_up(pair);
    start(pair, 1);
    assert_int_not_equal(pair->stream, 0);
    assert_true(pair->stream_bytes > sizeof pair->document);
    assert_int_equal(pair->starts, 1);
    assert_false(session_is_over(pair->session));
}

static void expect_end(struct pair *pair, const char *why)
{
    assert_true(session_is_over(pair->session));
    if (!strstr(session_why(pair->session), why)) fail_msg("%s", session_why(pair->session));
    assert_int_equal(pair->losts, 1);
    start(pair, 2); /* nothing is sent any more */
    assert_int_equal(pair->starts, 1);
}

/* Without the stream its jobs could not start, and nothing would say so. */
static void an_agent_that_closes_the_stream_of_documents_loses_its_tunnel(void **state)
{
    struct pair pair;

    (void)state;
    init_with_document(&pair);
    fl_mux_close(pair.agent, pair.stream, FL_TOO_LARGE, FL_STR("my disk is full"));
    to_hub(&pair, 100);
    expect_end(&pair, "the agent closed the stream of documents (too_large): my disk is full");
    fini(&pair);
}

static void an_agent_that_answers_on_the_stream_of_documents_loses_its_tunnel(void **state)
{
    struct pair pair;

    (void)state;
    init_with_document(&pair);
    fl_mux_wants(pair.agent, pair.stream, 1);
    to_hub(&pair, 100);
    expect_end(&pair, "an agent answers on the stream of documents");
    fini(&pair);
}

static void a_stream_of_documents_that_an_agent_opens_is_refused(void **state)
{
    struct fl_err err = {0};
    struct pair pair;
    uint32_t stream;

    (void)state;
    init_up(&pair);
    assert_true(fl_mux_open(pair.agent, FL_FRAME_BLOB, pair.now, &stream, &err));
    fl_mux_wants(pair.agent, stream, 1);
    to_hub(&pair, 100);
    to_agent(&pair);
    assert_int_equal(pair.closed_code, FL_UNSUPPORTED);
    assert_false(session_is_over(pair.session));
    start(&pair, 1); /* the tunnel goes on */
    assert_int_equal(pair.starts, 1);
    fini(&pair);
}

FL_TESTS(cmocka_unit_test(a_flood_goes_through_a_small_inbox_complete_and_in_order),
         cmocka_unit_test(who_waits_for_us_is_not_taken_for_dead),
         cmocka_unit_test(a_hello_waits_for_room_too),
         cmocka_unit_test(a_new_term_hears_the_offer_before_what_was_held),
         cmocka_unit_test(what_ends_while_it_waits_leaves_nothing_behind),
         cmocka_unit_test(an_agent_hears_why_the_hub_ends_its_session),
         cmocka_unit_test(what_is_refused_for_another_reason_still_ends_it),
         cmocka_unit_test(a_socket_that_goes_on_giving_is_cut_at_a_bound),
         cmocka_unit_test(an_agent_that_closes_the_stream_of_documents_loses_its_tunnel),
         cmocka_unit_test(an_agent_that_answers_on_the_stream_of_documents_loses_its_tunnel),
         cmocka_unit_test(a_stream_of_documents_that_an_agent_opens_is_refused))
