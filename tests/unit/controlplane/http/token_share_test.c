/* The share of one token: its connections, its unread bytes, its bodies and its rate, without a
 * socket. */
#include "controlplane/http/token_share.h"

#include "tests/fl_test.h"

enum { SECOND_US = 1000000 };

struct world {
    struct http_limits limits;
    struct http_shares shares;
    int64_t now_us;
};

static void init(struct world *world)
{
    *world = (struct world){.limits = http_limits_default(), .now_us = 5 * SECOND_US};
    world->shares.limits = &world->limits;
}

static struct http_share *claim(struct world *world, uint64_t id, struct http_share *current,
                                enum http_claim want)
{
    struct http_share *share = current;

    assert_int_equal(http_share_claim(&world->shares, id, current, world->now_us, &share), want);
    return share;
}

static void leave(struct world *world, struct http_share *share)
{
    http_share_leave(&world->shares, share, world->now_us);
}

static void a_seconds_requests_may_come_at_once_and_then_at_the_rate(void **state)
{
    struct world world;
    struct http_share *share = NULL;

    (void)state;
    init(&world);
    world.limits.token_rate = 10;
    for (int i = 0; i < 10; i++) {
        share = claim(&world, 7, share, HTTP_CLAIMED);
    }
    claim(&world, 7, share, HTTP_CLAIM_RATE);
    claim(&world, 7, NULL, HTTP_CLAIM_RATE); /* over another connection, too */
    world.now_us += SECOND_US / 10;
    claim(&world, 7, share, HTTP_CLAIMED);
    claim(&world, 7, share, HTTP_CLAIM_RATE);
    world.now_us += 100 * SECOND_US; /* no more than a second's worth is saved up */
    for (int i = 0; i < 10; i++) {
        claim(&world, 7, share, HTTP_CLAIMED);
    }
    claim(&world, 7, share, HTTP_CLAIM_RATE);
    leave(&world, share);
    http_shares_fini(&world.shares);
}

static void a_token_that_is_away_is_forgotten_when_its_second_is_over(void **state)
{
    struct world world;

    (void)state;
    init(&world);
    world.limits.token_rate = 1;
    leave(&world, claim(&world, 7, NULL, HTTP_CLAIMED));
    claim(&world, 7, NULL, HTTP_CLAIM_RATE);
    assert_int_equal(world.shares.by_id.len, 1);
    world.now_us += SECOND_US;
    leave(&world, claim(&world, 8, NULL, HTTP_CLAIMED));
    assert_int_equal(world.shares.by_id.len, 1);
    leave(&world, claim(&world, 7, NULL, HTTP_CLAIMED));
    http_shares_fini(&world.shares);
}

static void connections_change_hands(void **state)
{
    struct world world;
    struct http_share *seven, *eight;

    (void)state;
    init(&world);
    world.limits.connections_max = 4; /* one is a share */
    seven = claim(&world, 7, NULL, HTTP_CLAIMED);
    claim(&world, 7, NULL, HTTP_CLAIM_CONNECTIONS);
    eight = claim(&world, 8, seven, HTTP_CLAIMED);
    assert_int_equal(eight->connections, 1);
    seven = claim(&world, 7, NULL, HTTP_CLAIMED);
    assert_int_equal(seven->connections, 1);
    leave(&world, seven);
    leave(&world, eight);
    http_shares_fini(&world.shares);
}

static void a_share_of_unread_bytes_is_a_quarter_but_for_a_single_answer(void **state)
{
    struct world world;
    struct http_share *seven, *eight;

    (void)state;
    init(&world);
    world.limits.unsent_bytes_max = 400;
    seven = claim(&world, 7, NULL, HTTP_CLAIMED);
    eight = claim(&world, 8, NULL, HTTP_CLAIMED);
    assert_true(http_share_has_room(&world.shares, seven, 1000));
    http_share_count(&world.shares, seven, 0, 60);
    assert_true(http_share_has_room(&world.shares, seven, 40));
    assert_false(http_share_has_room(&world.shares, seven, 41));
    http_share_count(&world.shares, seven, 60, 100);
    claim(&world, 7, seven, HTTP_CLAIM_UNSENT);
    claim(&world, 8, eight, HTTP_CLAIMED);

    /* When the whole budget is in use, a token that reads is served. */
    http_share_count(&world.shares, NULL, 0, 295);
    assert_true(http_share_has_room(&world.shares, eight, 1000));
    http_share_count(&world.shares, eight, 0, 5);
    claim(&world, 8, eight, HTTP_CLAIM_UNSENT);
    http_share_count(&world.shares, eight, 5, 0);
    claim(&world, 8, eight, HTTP_CLAIMED);
    http_share_count(&world.shares, seven, 100, 0);
    http_share_count(&world.shares, NULL, 295, 0);
    claim(&world, 7, seven, HTTP_CLAIMED);
    leave(&world, seven);
    leave(&world, eight);
    http_shares_fini(&world.shares);
}

static void a_share_of_bodies_is_a_quarter_but_for_a_single_one(void **state)
{
    struct http_limits limits = http_limits_default();
    struct http_share share = {.id = 7};

    (void)state;
    limits.bodies_bytes_max = 400;
    assert_true(http_share_may_receive(NULL, &limits, 50, 1000));
    assert_true(http_share_may_receive(&share, &limits, 0, 1000));
    share.body_bytes = 60;
    assert_true(http_share_may_receive(&share, &limits, 0, 40));
    assert_false(http_share_may_receive(&share, &limits, 0, 41));
    assert_true(http_share_may_receive(&share, &limits, 20, 60));
    assert_false(http_share_may_receive(&share, &limits, 20, 61));
    assert_true(http_share_may_receive(&share, &limits, 60, 1000)); /* the only one */
}

FL_TESTS(cmocka_unit_test(a_seconds_requests_may_come_at_once_and_then_at_the_rate),
         cmocka_unit_test(a_token_that_is_away_is_forgotten_when_its_second_is_over),
         cmocka_unit_test(connections_change_hands),
         cmocka_unit_test(a_share_of_unread_bytes_is_a_quarter_but_for_a_single_answer),
         cmocka_unit_test(a_share_of_bodies_is_a_quarter_but_for_a_single_one))
