#include "controlplane/handshakes/handshake_queue.h"

#include "tests/fl_test.h"

enum { PEERS_MAX = 64, COST_US = 1000 };

static const struct handshake_limits limits = {.silent_max = 4,
                                               .waiting_max = 4,
                                               .begun_max = 4,
                                               .cpu_percent = 10,
                                               .ticket_cpu_percent = 20,
                                               .silent_ms = 5000};

/* Peers are numbered; the queue's owner is the peer's own place in 'peers'. */
struct peers {
    struct handshake_queue *queue;
    uint32_t numbers[PEERS_MAX];
    char owners[PEERS_MAX];
    int dropped; /* the last that was, -1: none */
    fl_ms now;
};

static void begin(struct peers *peers)
{
    *peers = (struct peers){.now = 1000, .dropped = -1};
    peers->queue = handshake_queue_create(&limits, peers->now);
}

static void note(struct peers *peers, void *dropped)
{
    peers->dropped = dropped ? (int)((char *)dropped - peers->owners) : -1;
}

static void come(struct peers *peers, int i, uint64_t address, bool is_known)
{
    void *dropped;

    peers->numbers[i] = handshake_queue_add(peers->queue, &peers->owners[i], address, is_known,
                                            peers->now, &dropped);
    assert_true(peers->numbers[i] > 0);
    note(peers, dropped);
}

static void hello(struct peers *peers, int i, bool has_ticket)
{
    void *dropped;

    handshake_queue_said_hello(peers->queue, peers->numbers[i], has_ticket, peers->now, &dropped);
    note(peers, dropped);
}

/* The one that begins, -1: none. */
static int next(struct peers *peers)
{
    void *dropped, *owner;
    uint32_t number = 0;

    owner = handshake_queue_next(peers->queue, peers->now, &number, &dropped);
    note(peers, dropped);
    return owner ? (int)((char *)owner - peers->owners) : -1;
}

static void spend(struct peers *peers)
{
    handshake_queue_charge(peers->queue, false, 1000000);
}

static void everyone_begins_at_once_while_the_budget_lasts(void **state)
{
    struct peers peers;

    (void)state;
    begin(&peers);
    for (int i = 0; i < 40; i++) { /* all from one address */
        come(&peers, i, 7, false);
        assert_int_equal(next(&peers), -1); /* it is silent */
        hello(&peers, i, false);
        assert_int_equal(next(&peers), i);
        handshake_queue_charge(peers.queue, false, COST_US);
        handshake_queue_remove(peers.queue, peers.numbers[i]);
    }
    assert_int_equal(handshake_queue_len(peers.queue), 0);
    assert_int_equal(handshake_queue_due(peers.queue), INT64_MAX);
    handshake_queue_destroy(peers.queue);
}

static void a_spent_budget_comes_back_with_time(void **state)
{
    struct peers peers;
    int begun = 0;

    (void)state;
    begin(&peers);
    handshake_queue_charge(peers.queue, false, 10 * 10 * 500); /* all: half a second of 10 % */
    come(&peers, 0, 7, false);
    hello(&peers, 0, false);
    assert_int_equal(next(&peers), -1);
    assert_int_equal(handshake_queue_due(peers.queue), peers.now + 1);
    peers.now += 1;
    assert_int_equal(next(&peers), 0);
    handshake_queue_remove(peers.queue, peers.numbers[0]);

    /* In ten seconds: a tenth of each, and what a quiet time had left. */
    peers.now += 3600 * 1000;
    for (fl_ms end = peers.now + 10000; peers.now < end; peers.now++) {
        for (;;) {
            come(&peers, 0, 7, false);
            hello(&peers, 0, false);
            if (next(&peers) < 0) break;
            handshake_queue_charge(peers.queue, false, COST_US);
            handshake_queue_remove(peers.queue, peers.numbers[0]);
            begun++;
        }
        handshake_queue_remove(peers.queue, peers.numbers[0]);
    }
    assert_in_range(begun, 1000 + 49, 1000 + 51);
    handshake_queue_destroy(peers.queue);
}

static void the_longest_silent_make_room_for_the_newest(void **state)
{
    struct peers peers;

    (void)state;
    begin(&peers);
    come(&peers, 20, 9, true);
    for (int i = 0; i < 4; i++) {
        come(&peers, i, 7, false);
        assert_int_equal(peers.dropped, -1);
    }
    come(&peers, 4, 8, false);
    assert_int_equal(peers.dropped, 0);
    hello(&peers, 2, false); /* it is not silent any more */
    come(&peers, 5, 7, false);
    assert_int_equal(peers.dropped, -1);
    come(&peers, 6, 7, false);
    assert_int_equal(peers.dropped, 1); /* a known address is another list */
    assert_int_equal(next(&peers), 2);
    handshake_queue_destroy(peers.queue);
}

static void an_address_with_many_waits_behind_those_with_few(void **state)
{
    struct peers peers;

    (void)state;
    begin(&peers);
    spend(&peers);
    for (int i = 0; i < 3; i++) {
        come(&peers, i, 7, false);
        hello(&peers, i, false);
    }
    come(&peers, 10, 8, false);
    hello(&peers, 10, false);
    assert_int_equal(peers.dropped, -1);
    come(&peers, 11, 9, false);
    hello(&peers, 11, false);
    assert_int_equal(peers.dropped, 0); /* the greedy address pays */
    peers.now += 3600 * 1000;
    assert_int_equal(next(&peers), 10);
    assert_int_equal(next(&peers), 11);
    assert_int_equal(next(&peers), 1);
    assert_int_equal(next(&peers), 2);
    assert_int_equal(next(&peers), -1);
    handshake_queue_destroy(peers.queue);
}

static void a_known_address_has_three_turns_of_four(void **state)
{
    static const int wanted[] = {10, 11, 12, 0, 13, 1};
    struct peers peers;

    (void)state;
    begin(&peers);
    for (int i = 0; i < 2; i++) {
        come(&peers, i, 7, false);
        hello(&peers, i, false);
    }
    for (int i = 10; i < 14; i++) { /* one address, which is not bound */
        come(&peers, i, 8, true);
        hello(&peers, i, false);
        assert_int_equal(peers.dropped, -1);
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(next(&peers), wanted[i]);
    }
    handshake_queue_destroy(peers.queue);
}

static void a_ticket_needs_nothing_of_the_strangers_budget(void **state)
{
    struct peers peers;

    (void)state;
    begin(&peers);
    spend(&peers);
    for (int i = 0; i < 4; i++) {
        come(&peers, i, 7, false);
        hello(&peers, i, false);
    }
    come(&peers, 10, 7, false);
    hello(&peers, 10, true);
    assert_int_equal(peers.dropped, -1);
    assert_int_equal(next(&peers), 10);
    assert_true(handshake_queue_has_ticket(peers.queue, peers.numbers[10]));
    assert_int_equal(next(&peers), -1);
    handshake_queue_charge(peers.queue, true, 1000000); /* it has a budget, too */
    come(&peers, 11, 7, false);
    hello(&peers, 11, true);
    assert_int_equal(next(&peers), -1);
    handshake_queue_destroy(peers.queue);
}

static void the_oldest_unfinished_handshake_makes_room(void **state)
{
    struct peers peers;

    (void)state;
    begin(&peers);
    come(&peers, 20, 9, false);
    hello(&peers, 20, true);
    assert_int_equal(next(&peers), 20);
    for (int i = 0; i < 6; i++) {
        come(&peers, i, 7, false);
        hello(&peers, i, false);
        assert_int_equal(next(&peers), i);
        assert_int_equal(peers.dropped, i < 4 ? -1 : i - 4); /* and not the ticket's */
    }
    assert_int_equal(handshake_queue_len(peers.queue), 5);
    handshake_queue_destroy(peers.queue);
}

static void who_is_silent_or_waits_for_too_long_is_dropped(void **state)
{
    struct peers peers;

    (void)state;
    begin(&peers);
    spend(&peers);
    come(&peers, 0, 7, false);
    come(&peers, 1, 7, false);
    peers.now += 1000;
    hello(&peers, 1, false);
    assert_null(handshake_queue_late(peers.queue, peers.now));
    assert_true(handshake_queue_due(peers.queue) <= 6000);
    peers.now = 6000;
    assert_ptr_equal(handshake_queue_late(peers.queue, peers.now), &peers.owners[0]);
    assert_null(handshake_queue_late(peers.queue, peers.now));
    peers.now = 7000;
    assert_ptr_equal(handshake_queue_late(peers.queue, peers.now), &peers.owners[1]);
    assert_int_equal(handshake_queue_len(peers.queue), 0);
    handshake_queue_destroy(peers.queue);
}

static int make_room(struct peers *peers, bool *ret_has_begun)
{
    note(peers, handshake_queue_make_room(peers->queue, ret_has_begun));
    return peers->dropped;
}

static void a_descriptor_is_taken_from_the_longest_list(void **state)
{
    struct peers peers;
    bool has_begun;

    (void)state;
    begin(&peers);
    come(&peers, 0, 7, false); /* begun */
    hello(&peers, 0, false);
    assert_int_equal(next(&peers), 0);
    come(&peers, 9, 7, false);
    hello(&peers, 9, true); /* begun, with a ticket */
    assert_int_equal(next(&peers), 9);
    come(&peers, 1, 7, false); /* they wait */
    hello(&peers, 1, false);
    come(&peers, 2, 8, false);
    hello(&peers, 2, false);
    come(&peers, 3, 8, false);
    hello(&peers, 3, false);
    come(&peers, 4, 9, false); /* they are silent */
    come(&peers, 5, 9, false);
    come(&peers, 6, 9, true);
    assert_ptr_equal(handshake_queue_longest(peers.queue), &peers.owners[4]);
    assert_int_equal(make_room(&peers, &has_begun), 2); /* more wait; the greedy address pays */
    assert_int_equal(make_room(&peers, NULL), 4);       /* the lists are equal */
    assert_int_equal(make_room(&peers, NULL), 1);
    assert_int_equal(make_room(&peers, NULL), 5);
    assert_int_equal(make_room(&peers, &has_begun), 6);
    assert_false(has_begun);
    assert_null(handshake_queue_longest(peers.queue));
    assert_int_equal(make_room(&peers, NULL), 3);
    assert_int_equal(make_room(&peers, NULL), -1); /* the one that has begun stays */
    assert_int_equal(make_room(&peers, &has_begun), 0);
    assert_true(has_begun);
    assert_int_equal(make_room(&peers, &has_begun), -1);
    assert_int_equal(handshake_queue_len(peers.queue), 1);
    handshake_queue_destroy(peers.queue);
}

static void who_has_more_gives_the_descriptor(void **state)
{
    struct peers peers;

    (void)state;
    begin(&peers);
    come(&peers, 0, 7, false);
    for (int i = 1; i < 4; i++) {
        come(&peers, i, 8, true); /* strangers who share a member's address */
    }
    assert_int_equal(make_room(&peers, NULL), 1);
    assert_int_equal(make_room(&peers, NULL), 2);
    assert_int_equal(make_room(&peers, NULL), 0);
    assert_int_equal(make_room(&peers, NULL), 3);
    handshake_queue_destroy(peers.queue);
}

static void every_stage_of_every_rank_may_be_full_at_a_time(void **state)
{
    struct peers peers;
    int i = 0;

    (void)state;
    begin(&peers);
    for (int n = 0; n < 8; n++) { /* four of each rank begin, and four wait */
        for (int rank = 0; rank < HANDSHAKE_RANKS; rank++, i++) {
            come(&peers, i, 7, rank == HANDSHAKE_KNOWN);
            hello(&peers, i, rank == HANDSHAKE_TICKET);
            if (n < 4) assert_int_equal(next(&peers), i);
        }
    }
    for (int n = 0; n < 8; n++, i++) {
        come(&peers, i, 7, n % 2);
    }
    assert_int_equal(handshake_queue_len(peers.queue), 32);
    come(&peers, i, 7, false);
    assert_int_not_equal(peers.dropped, -1);
    assert_int_equal(handshake_queue_len(peers.queue), 32);
    handshake_queue_destroy(peers.queue);
}

FL_TESTS(cmocka_unit_test(everyone_begins_at_once_while_the_budget_lasts),
         cmocka_unit_test(a_spent_budget_comes_back_with_time),
         cmocka_unit_test(the_longest_silent_make_room_for_the_newest),
         cmocka_unit_test(an_address_with_many_waits_behind_those_with_few),
         cmocka_unit_test(a_known_address_has_three_turns_of_four),
         cmocka_unit_test(a_ticket_needs_nothing_of_the_strangers_budget),
         cmocka_unit_test(the_oldest_unfinished_handshake_makes_room),
         cmocka_unit_test(a_descriptor_is_taken_from_the_longest_list),
         cmocka_unit_test(who_has_more_gives_the_descriptor),
         cmocka_unit_test(who_is_silent_or_waits_for_too_long_is_dropped),
         cmocka_unit_test(every_stage_of_every_rank_may_be_full_at_a_time))
