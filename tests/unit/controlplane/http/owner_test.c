/* The share of one owner: its connections, its unread bytes and its rate, without a socket. */
#include "controlplane/http/owner.h"

#include "tests/fl_test.h"

enum { SECOND_US = 1000000 };

struct world {
    struct http_limits limits;
    struct http_owners owners;
    int64_t now_us;
};

static void init(struct world *world)
{
    *world = (struct world){.limits = http_limits_default(), .now_us = 5 * SECOND_US};
    world->owners.limits = &world->limits;
}

static struct http_owner *claim(struct world *world, uint64_t id, struct http_owner *current,
                                enum http_claim want)
{
    struct http_owner *owner = current;

    assert_int_equal(http_owner_claim(&world->owners, id, current, world->now_us, &owner), want);
    return owner;
}

static void leave(struct world *world, struct http_owner *owner)
{
    http_owner_leave(&world->owners, owner, world->now_us);
}

static void a_seconds_requests_may_come_at_once_and_then_at_the_rate(void **state)
{
    struct world world;
    struct http_owner *owner = NULL;

    (void)state;
    init(&world);
    world.limits.token_rate = 10;
    for (int i = 0; i < 10; i++) {
        owner = claim(&world, 7, owner, HTTP_CLAIMED);
    }
    claim(&world, 7, owner, HTTP_CLAIM_RATE);
    claim(&world, 7, NULL, HTTP_CLAIM_RATE); /* over another connection, too */
    world.now_us += SECOND_US / 10;
    claim(&world, 7, owner, HTTP_CLAIMED);
    claim(&world, 7, owner, HTTP_CLAIM_RATE);
    world.now_us += 100 * SECOND_US; /* no more than a second's worth is saved up */
    for (int i = 0; i < 10; i++) {
        claim(&world, 7, owner, HTTP_CLAIMED);
    }
    claim(&world, 7, owner, HTTP_CLAIM_RATE);
    leave(&world, owner);
    http_owners_fini(&world.owners);
}

static void an_owner_that_is_away_is_forgotten_when_its_second_is_over(void **state)
{
    struct world world;

    (void)state;
    init(&world);
    world.limits.token_rate = 1;
    leave(&world, claim(&world, 7, NULL, HTTP_CLAIMED));
    claim(&world, 7, NULL, HTTP_CLAIM_RATE);
    assert_int_equal(world.owners.by_id.len, 1);
    world.now_us += SECOND_US;
    leave(&world, claim(&world, 8, NULL, HTTP_CLAIMED));
    assert_int_equal(world.owners.by_id.len, 1);
    leave(&world, claim(&world, 7, NULL, HTTP_CLAIMED));
    http_owners_fini(&world.owners);
}

static void connections_change_hands(void **state)
{
    struct world world;
    struct http_owner *seven, *eight;

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
    http_owners_fini(&world.owners);
}

static void a_share_of_unread_bytes_is_a_quarter_but_for_a_single_answer(void **state)
{
    struct world world;
    struct http_owner *seven, *eight;

    (void)state;
    init(&world);
    world.limits.unsent_bytes_max = 400;
    seven = claim(&world, 7, NULL, HTTP_CLAIMED);
    eight = claim(&world, 8, NULL, HTTP_CLAIMED);
    assert_true(http_owner_has_room(&world.owners, seven, 1000));
    http_owner_count(&world.owners, seven, 0, 60);
    assert_true(http_owner_has_room(&world.owners, seven, 40));
    assert_false(http_owner_has_room(&world.owners, seven, 41));
    http_owner_count(&world.owners, seven, 60, 100);
    claim(&world, 7, seven, HTTP_CLAIM_UNSENT);
    claim(&world, 8, eight, HTTP_CLAIMED);

    /* When the whole budget is in use, an owner that reads is served. */
    http_owner_count(&world.owners, NULL, 0, 295);
    assert_true(http_owner_has_room(&world.owners, eight, 1000));
    http_owner_count(&world.owners, eight, 0, 5);
    claim(&world, 8, eight, HTTP_CLAIM_UNSENT);
    http_owner_count(&world.owners, eight, 5, 0);
    claim(&world, 8, eight, HTTP_CLAIMED);
    http_owner_count(&world.owners, seven, 100, 0);
    http_owner_count(&world.owners, NULL, 295, 0);
    claim(&world, 7, seven, HTTP_CLAIMED);
    leave(&world, seven);
    leave(&world, eight);
    http_owners_fini(&world.owners);
}

FL_TESTS(cmocka_unit_test(a_seconds_requests_may_come_at_once_and_then_at_the_rate),
         cmocka_unit_test(an_owner_that_is_away_is_forgotten_when_its_second_is_over),
         cmocka_unit_test(connections_change_hands),
         cmocka_unit_test(a_share_of_unread_bytes_is_a_quarter_but_for_a_single_answer))
