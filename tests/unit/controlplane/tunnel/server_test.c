#include "controlplane/tunnel/server.h"

#include "shared/base/alloc.h"
#include "shared/io/clock.h"
#include "shared/tls/digest.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/tunnel/test_proxy.h"
#include "tests/unit/controlplane/tunnel/tunnel_world.h"

static const struct fl_attempt first = {{1}, 0, 1, 1};
static const struct fl_attempt second = {{2}, 0, 1, 1};

static void begin(struct tunnel_world *world, struct fake_agent *agent)
{
    tunnel_world_init(world, 0);
    fake_agent_init(world, agent, 1);
    fake_agent_dial(agent, NULL);
    UNTIL(world, world->inventories == 1);
}

static void end(struct tunnel_world *world, struct fake_agent *agent)
{
    fake_agent_fini(agent);
    tunnel_world_fini(world);
}

static void an_agent_greets_lists_and_does_what_it_is_told(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    begin(&world, &agent);
    assert_int_equal(agent.welcomes, 1);
    assert_int_equal(world.nodes, 1);
    assert_int_equal(world.last_open.session_open.cluster.n, 1);
    assert_int_equal(tunnel_server_front(world.last_open.session_open.connection), 3);
    tunnel_world_send(&world, CORE_SEND_start, first);
    UNTIL(&world, world.replicas == 1);
    assert_string_equal(agent.spec, "{\"command\":[\"true\"]}");
    assert_string_equal(agent.params, "{\"lr\":\"0.1\"}");
    tunnel_world_send(&world, CORE_SEND_go, first);
    tunnel_world_send(&world, CORE_SEND_stop, first);
    UNTIL(&world, agent.acks == 3);
    assert_string_equal(agent.order, "WSGT");
    assert_int_equal(tunnel_server_stats(world.server).sessions, 1);
    end(&world, &agent);
}

static void a_document_travels_once_and_before_its_start(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    begin(&world, &agent);
    fl_free(world.spec.document);
    world.spec.bytes = 900000; /* more than a stream's first credit, so that it takes a while */
    world.spec.document = fl_alloc(world.spec.bytes);
    memset(world.spec.document, 'x', world.spec.bytes);
    for (uint64_t i = 1; i <= 20; i++) {
        tunnel_world_send(&world, CORE_SEND_start, (struct fl_attempt){{i}, 0, 1, 1});
        tunnel_world_send(&world, CORE_SEND_go, (struct fl_attempt){{i}, 0, 1, 1});
    }
    UNTIL(&world, agent.gos == 20);
    assert_int_equal(agent.spec_bytes, 900000);
    assert_string_equal(agent.order, "WSGSGSGSGSGSGSGSGSGSGSGSGSGSGSGSGSGSGSGSG");
    assert_int_equal(tunnel_server_stats(world.server).specs_sent, 1);
    end(&world, &agent);
}

static void what_the_core_says_keeps_its_order_while_a_document_is_fetched(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    struct tunnel_spec spec = {.document = FL_STR("{}"), .params = FL_STR("{}")};
    uint64_t ticket;

    (void)state;
    begin(&world, &agent);
    spec.digest = fl_sha256("{}", 2);
    world.spec.is_late = true;
    tunnel_world_send(&world, CORE_SEND_start, first);
    ticket = world.ticket;
    tunnel_world_send(&world, CORE_SEND_start, second);
    tunnel_world_send(&world, CORE_SEND_stop, first);
    for (int i = 0; i < 5; i++) {
        fl_loop_turn(world.loop, 10);
    }
    assert_string_equal(agent.order, "W");
    tunnel_server_spec(world.server, world.ticket, NULL); /* the second: it cannot be had */
    tunnel_server_spec(world.server, ticket, &spec);
    tunnel_server_spec(world.server, ticket, &spec); /* an old ticket is fine */
    UNTIL(&world, agent.stops == 1);
    assert_string_equal(agent.order, "WSST");
    assert_int_equal(agent.spec_bytes, 0);
    end(&world, &agent);
}

static void a_new_term_asks_again_and_forgets_what_waited(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    begin(&world, &agent);
    world.spec.is_late = true;
    tunnel_world_send(&world, CORE_SEND_start, first);
    tunnel_server_began(world.server);
    UNTIL(&world, world.inventories == 2);
    assert_int_equal(world.resyncs, 1);
    tunnel_world_send(&world, CORE_SEND_stop, second);
    UNTIL(&world, agent.stops == 1);
    assert_string_equal(agent.order, "WRT");
    assert_int_equal(agent.closes, 0);
    end(&world, &agent);
}

static void a_newer_connection_supersedes_the_older_one(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    struct fake_agent twin;

    (void)state;
    begin(&world, &agent);
    fake_agent_init(&world, &twin, 1);
    fake_agent_dial(&twin, NULL);
    UNTIL(&world, agent.closes == 1);
    assert_int_equal(twin.welcomes, 1);
    assert_true(tunnel_server_stats(world.server).superseded >= 1);
    fake_agent_fini(&twin);
    end(&world, &agent);
}

static void a_lost_connection_is_told_and_comes_back(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    begin(&world, &agent);
    fake_agent_fini(&agent);
    UNTIL(&world, world.losts == 1);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, world.inventories == 2);
    end(&world, &agent);
}

static void an_agent_comes_back_with_its_ticket(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    begin(&world, &agent);
    assert_int_equal(tunnel_server_stats(world.server).tickets, 0);
    tunnel_server_close_cluster(world.server, (struct fl_cluster){1}, FL_UNAVAILABLE, "cut");
    UNTIL(&world, world.inventories == 2);
    assert_int_equal(tunnel_server_stats(world.server).tickets, 1);
    assert_int_equal(world.generation, 1);
    assert_int_equal(agent.welcomes, 2);
    end(&world, &agent);
}

static void who_is_revoked_is_sent_away_and_not_let_in_again(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    uint64_t peers;

    (void)state;
    begin(&world, &agent);
    world.refuses_peers = true;
    peers = world.peers;
    tunnel_server_close_cluster(world.server, (struct fl_cluster){1}, FL_DENIED, "revoked");
    UNTIL(&world, agent.closes == 1);
    assert_non_null(strstr(agent_dialer_status(agent.dialer).why, "revoked"));
    UNTIL(&world, world.peers > peers);
    UNTIL(&world, !agent_dialer_is_up(agent.dialer));
    assert_int_equal(agent.welcomes, 1);
    assert_true(tunnel_server_stats(world.server).tickets >= 1); /* which opens nothing */
    end(&world, &agent);
}

static void log_bytes_flow_both_ways_beside_control(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    struct fl_err err = {0};
    uint64_t connection;

    (void)state;
    begin(&world, &agent);
    connection = world.last_open.session_open.connection;
    assert_false(
        log_stream_put(tunnel_server_streams(world.server, connection), FL_STR("early"), &err));
    assert_int_equal(err.code, FL_ABSENT);
    fake_agent_log(&agent, 20000000); /* more than the tunnel's first credit */
    tunnel_world_send(&world, CORE_SEND_stop, first);
    UNTIL(&world, world.log_bytes == 20000000);
    assert_int_equal(agent.stops, 1);
    assert_true(
        log_stream_put(tunnel_server_streams(world.server, connection), FL_STR("ack"), &err));
    assert_true(
        log_stream_put(tunnel_server_streams(world.server, connection), FL_STR("another"), &err));
    UNTIL(&world, agent.log_got == 10);
    end(&world, &agent);
}

/* EXEC is a row in the table of this hub and of this agent, and nothing else knows of it. */
static void a_new_kind_of_stream_is_a_row_at_each_end(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    struct fl_streams *streams;

    (void)state;
    begin(&world, &agent);
    streams = tunnel_server_streams(world.server, world.last_open.session_open.connection);
    agent.shell.total = 3000000; /* its answer */
    agent.shell.is_stalled = true;
    fake_shell_open(&world.shell, streams, fl_loop_now(world.loop), 9000000);
    UNTIL(&world, world.shell.got == 3000000);
    assert_true(agent.shell.got < 9000000); /* held up by its credit, as it wants */
    fake_agent_log(&agent, 6000000);
    tunnel_world_send(&world, CORE_SEND_stop, first);
    UNTIL(&world, world.log_bytes == 6000000 && agent.stops == 1); /* and nothing else is */
    agent.shell.is_stalled = false;
    fl_stream_consumed(agent.shell.stream, (uint32_t)agent.shell.got);
    UNTIL(&world, agent.shell.got == 9000000);
    fl_stream_close(agent.shell.stream, FL_OK, FL_STR("exit 0"));
    UNTIL(&world, world.shell.closes == 1);
    assert_string_equal(world.shell.text, "exit 0");

    fake_shell_open(&agent.shell, agent_dialer_streams(agent.dialer), fl_loop_now(world.loop), 10);
    UNTIL(&world, world.shell.got == 3000010); /* from the other end */
    fake_agent_fini(&agent);
    assert_int_equal(agent.shell.code, FL_UNAVAILABLE); /* with the tunnel */
    UNTIL(&world, world.shell.closes == 2);
    end(&world, &agent);
}

static void an_agent_comes_through_a_proxy_with_a_password(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    struct test_peer proxy = {.login = "dTpw"}; /* u:p */
    char url[80];

    (void)state;
    tunnel_world_init(&world, 0);
    fake_agent_init(&world, &agent, 1);
    test_proxy_start(&proxy);
    snprintf(url, sizeof url, "http://u:p@127.0.0.1:%u", proxy.port);
    fake_agent_dial(&agent, url);
    UNTIL(&world, world.inventories == 1);
    assert_int_equal(atomic_load(&proxy.served), 1);
    tunnel_world_send(&world, CORE_SEND_stop, first);
    UNTIL(&world, agent.acks == 1);
    test_peer_stop(&proxy); /* and the connection with it */
    UNTIL(&world, agent.closes == 1);
    end(&world, &agent);
}

/* "localhost" is two addresses on most hosts, of which the server has one. */
static void an_agent_finds_the_control_plane_by_name(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    tunnel_world_init(&world, 0);
    snprintf(world.hub, sizeof world.hub, "localhost:%u", world.port);
    fake_agent_init(&world, &agent, 1);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, world.inventories == 1);
    fake_agent_fini(&agent);
    snprintf(world.hub, sizeof world.hub, "fairlead.invalid:%u", world.port);
    fake_agent_init(&world, &agent, 1);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, strstr(agent_dialer_status(agent.dialer).why, "no address of fairlead.invalid"));
    fake_agent_fini(&agent);
    for (int i = 0; i < 20; i++) { /* while it looks for the name */
        fake_agent_dial(&agent, NULL);
        UNTIL(&world, agent_dialer_status(agent.dialer).dials == 1);
        fake_agent_fini(&agent);
    }
    end(&world, &agent);
}

/* The core decides whether it may come back. */
static void an_expired_certificate_greets_says_so_and_is_renewed_at_once(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    tunnel_world_init(&world, 0);
    fake_agent_init(&world, &agent, 1);
    tunnel_world_identity(&world, agent.state_dir, 1, world.ca, -60000);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, agent.welcomes == 1);
    assert_true(world.last_open.session_open.expired_ms >= 60000);
    UNTIL(&world, agent.welcomes == 2);
    assert_int_equal(world.renews, 1);
    assert_int_equal(world.last_open.session_open.expired_ms, 0);
    end(&world, &agent);
}

static void an_agent_renews_at_half_life_and_comes_back_with_the_new_certificate(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    tunnel_world_init(&world, 0);
    fake_agent_init(&world, &agent, 1);
    tunnel_world_identity(&world, agent.state_dir, 1, world.ca, 24000);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, world.inventories == 1);
    assert_int_equal(world.generation, 1);
    UNTIL(&world, world.renews == 1);
    UNTIL(&world, world.inventories == 2);
    assert_int_equal(world.generation, 2);
    assert_true(agent_dialer_status(agent.dialer).expires_at > fl_clock_wall() + 60000);
    fake_agent_fini(&agent); /* and so does a new process */
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, world.inventories == 3);
    assert_int_equal(world.generation, 2);
    end(&world, &agent);
}

/* A shell is not cut for a new certificate: the tunnel is changed when the shell is closed. */
static void a_renewal_cuts_no_stream_that_holds_the_tunnel(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    fl_ms later;

    (void)state;
    tunnel_world_init(&world, 0);
    fake_agent_init(&world, &agent, 1);
    tunnel_world_identity(&world, agent.state_dir, 1, world.ca, 24000);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, world.inventories == 1);
    fake_shell_open(&world.shell,
                    tunnel_server_streams(world.server, world.last_open.session_open.connection),
                    fl_loop_now(world.loop), 1000);
    UNTIL(&world, world.renews == 1);
    later = fl_clock_mono() + 2500; /* by now it would have come back */
    UNTIL(&world, fl_clock_mono() > later);
    assert_int_equal(world.inventories, 1);
    assert_int_equal(world.shell.closes + agent.shell.closes, 0);
    assert_int_equal(agent.shell.got, 1000);
    fl_stream_close(world.shell.stream, FL_OK, (struct fl_str){0});
    UNTIL(&world, world.inventories == 2);
    assert_int_equal(world.generation, 2);
    assert_int_equal(world.renews, 1);
    end(&world, &agent);
}

static void a_renewal_whose_answer_is_lost_asks_for_the_same_key(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    struct fl_digest key;

    (void)state;
    tunnel_world_init(&world, 0);
    fake_agent_init(&world, &agent, 1);
    tunnel_world_identity(&world, agent.state_dir, 1, world.ca, 44000);
    world.renews_lost = 2;
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, world.renews_lost == 1);
    key = world.renew_key;
    tunnel_server_close_cluster(world.server, (struct fl_cluster){1}, FL_UNAVAILABLE, "cut");
    memset(&world.renew_key, 0, sizeof world.renew_key);
    UNTIL(&world, world.renews_lost == 0);
    assert_true(fl_digest_eq(key, world.renew_key));
    fake_agent_fini(&agent); /* killed before the answer came: it was written down */
    memset(&world.renew_key, 0, sizeof world.renew_key);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, world.generation == 2);
    assert_true(fl_digest_eq(key, world.renew_key));
    end(&world, &agent);
}

enum {
    FLOOD = 50000
}; /* reports; more than the socket's buffers hold, less than the agent's own */

static void count_in_order(void *ctx, const struct core_event *event)
{
    uint64_t *newest = ctx;

    if (event->kind != CORE_EV_replica || event->replica.cluster.n != 1) return;
    assert_int_equal(event->replica.report_seq, *newest + 1);
    ++*newest;
}

static void an_agent_that_fills_the_inbox_is_slowed_and_nobody_else_is(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    struct fake_agent other;
    uint64_t newest = 0;

    (void)state;
    begin(&world, &agent);
    fake_agent_init(&world, &other, 2);
    fake_agent_dial(&other, NULL);
    UNTIL(&world, world.inventories == 2); /* it opened last: messages go to it */
    world.hook_ctx = &newest;
    world.on_event = count_in_order;
    world.is_bounded = true;
    world.room = 100;
    for (uint64_t i = 1; i <= FLOOD; i++) {
        agent_dialer_put(agent.dialer, &(struct fl_msg){.kind = FL_MSG_replica,
                                                        .replica = {.report_seq = i,
                                                                    .attempt = first,
                                                                    .state = FL_REPLICA_running}});
    }
    UNTIL(&world, tunnel_server_stats(world.server).held == 1);
    UNTIL(&world, agent.is_busy); /* so a real one lists no more for the time being */
    fake_agent_log(&other, 3000000);
    UNTIL(&world, world.log_bytes == 3000000);
    tunnel_world_send(&world, CORE_SEND_go, first);
    UNTIL(&world, other.gos == 1);
    /* The bytes that libwebsockets and the kernel took meanwhile are not read: the rest waits in
     * the agent. */
    assert_int_equal(newest, 100);
    assert_true(tunnel_server_stats(world.server).bytes_in < 3000000 + 1000000);
    UNTIL(&world, (world.room = 500, newest == FLOOD && world.replicas == FLOOD + 1));
    UNTIL(&world, (world.room = 500, tunnel_server_stats(world.server).held == 0));
    assert_false(agent.is_busy || other.is_busy);
    tunnel_world_send(&world, CORE_SEND_stop, first);
    UNTIL(&world, (world.room = 500, other.stops == 1 && world.replicas == FLOOD + 2));
    assert_int_equal(world.losts, 0);
    assert_int_equal(agent.closes + other.closes, 0);
    assert_int_equal(agent.welcomes, 1);
    fake_agent_fini(&other);
    end(&world, &agent);
}

static void a_full_inbox_delays_greetings_and_loses_none(void **state)
{
    enum { AGENTS = 8 };
    struct tunnel_world world;
    struct fake_agent agents[AGENTS];

    (void)state;
    tunnel_world_init(&world, 0);
    world.is_bounded = true;
    for (int i = 0; i < AGENTS; i++) {
        fake_agent_init(&world, &agents[i], (uint8_t)(i + 1));
        fake_agent_dial(&agents[i], NULL);
    }
    UNTIL(&world, tunnel_server_stats(world.server).held == AGENTS);
    assert_int_equal(world.opens, 0);
    UNTIL(&world, (world.room = 1, world.inventories == AGENTS));
    tunnel_server_began(world.server); /* and so does a new term */
    UNTIL(&world, (world.room = 1, world.inventories == 2 * AGENTS));
    assert_int_equal(world.resyncs, AGENTS);
    assert_int_equal(world.losts, 0);
    for (int i = 0; i < AGENTS; i++) {
        assert_int_equal(agents[i].closes, 0);
        fake_agent_fini(&agents[i]);
    }
    tunnel_world_fini(&world);
}

FL_TESTS(cmocka_unit_test(an_agent_greets_lists_and_does_what_it_is_told),
         cmocka_unit_test(a_document_travels_once_and_before_its_start),
         cmocka_unit_test(what_the_core_says_keeps_its_order_while_a_document_is_fetched),
         cmocka_unit_test(a_new_term_asks_again_and_forgets_what_waited),
         cmocka_unit_test(a_newer_connection_supersedes_the_older_one),
         cmocka_unit_test(a_lost_connection_is_told_and_comes_back),
         cmocka_unit_test(an_agent_comes_back_with_its_ticket),
         cmocka_unit_test(who_is_revoked_is_sent_away_and_not_let_in_again),
         cmocka_unit_test(log_bytes_flow_both_ways_beside_control),
         cmocka_unit_test(a_new_kind_of_stream_is_a_row_at_each_end),
         cmocka_unit_test(an_agent_that_fills_the_inbox_is_slowed_and_nobody_else_is),
         cmocka_unit_test(a_full_inbox_delays_greetings_and_loses_none),
         cmocka_unit_test(an_agent_comes_through_a_proxy_with_a_password),
         cmocka_unit_test(an_agent_finds_the_control_plane_by_name),
         cmocka_unit_test(an_expired_certificate_greets_says_so_and_is_renewed_at_once),
         cmocka_unit_test(an_agent_renews_at_half_life_and_comes_back_with_the_new_certificate),
         cmocka_unit_test(a_renewal_cuts_no_stream_that_holds_the_tunnel),
         cmocka_unit_test(a_renewal_whose_answer_is_lost_asks_for_the_same_key))
