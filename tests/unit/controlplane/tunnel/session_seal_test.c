#include "controlplane/tunnel/session_seal.h"

#include <string.h>

#include "shared/base/hash.h"
#include "tests/fl_test.h"

static struct core_seen present;
static uint64_t key = 1;

static bool seen(void *ctx, struct core_seen *ret_seen)
{
    (void)ctx;
    *ret_seen = present;
    return present.incarnation > 0;
}

static void mac(void *ctx, const void *ptr, size_t len, uint8_t ret_mac[TUNNEL_MAC_BYTES])
{
    uint64_t a = fl_hash64(key, ptr, len), b = fl_hash64(a, ptr, len);

    (void)ctx;
    memcpy(ret_mac, &a, sizeof a);
    memcpy(ret_mac + sizeof a, &b, sizeof b);
}

static const struct tunnel_server_ports ports = {.seen = seen, .mac = mac};
static const struct fl_cluster east = {1}, west = {2};

struct sealed {
    char at[SESSION_SEAL_BYTES + 1];
    size_t len;
};

static struct core_seen heard(struct fl_cluster cluster, const struct sealed *seal)
{
    return session_seal_hear(&ports, cluster, (struct fl_str){seal->at, seal->len});
}

static struct sealed told(struct fl_cluster cluster)
{
    struct session_seal session = {0};
    struct sealed seal = {0};
    struct fl_msg msg;

    assert_true(session_seal_tell(&session, &ports, cluster, 10, &msg));
    assert_int_equal(msg.kind, FL_MSG_history);
    seal.len = msg.history.seal.len;
    assert_int_equal(seal.len, SESSION_SEAL_BYTES);
    memcpy(seal.at, msg.history.seal.at, seal.len);
    return seal;
}

static void only_the_hubs_own_seal_for_that_cluster_counts(void **state)
{
    struct sealed seal, changed;
    struct core_seen back;

    (void)state;
    key = 1;
    present = (struct core_seen){3, 900, 5000};
    seal = told(east);
    back = heard(east, &seal);
    assert_int_equal(back.incarnation, 3);
    assert_int_equal(back.batch, 900);
    assert_int_equal(back.job_below, 5000);
    assert_int_equal(heard(west, &seal).incarnation, 0);
    for (size_t i = 0; i < seal.len; i++) {
        changed = seal;
        changed.at[i] ^= 1;
        assert_int_equal(heard(east, &changed).incarnation, 0);
        changed.len = i;
        assert_int_equal(heard(east, &changed).incarnation, 0);
    }
    changed = seal;
    changed.len++;
    assert_int_equal(heard(east, &changed).incarnation, 0);
    key = 2; /* another control plane's */
    assert_int_equal(heard(east, &seal).incarnation, 0);
    key = 1;
}

static void an_agent_is_told_at_first_and_then_of_news_now_and_then(void **state)
{
    struct session_seal session = {0};
    struct fl_msg msg;

    (void)state;
    present = (struct core_seen){0};
    assert_false(session_seal_tell(&session, &ports, east, 10, &msg)); /* it does not lead */
    present = (struct core_seen){1, 7, 100};
    assert_true(session_seal_tell(&session, &ports, east, 10, &msg));
    assert_false(session_seal_tell(&session, &ports, east, 9000, &msg)); /* no news */
    present.batch = 8;
    assert_false(session_seal_tell(&session, &ports, east, 10 + SESSION_SEAL_MS - 1, &msg));
    assert_true(session_seal_tell(&session, &ports, east, 10 + SESSION_SEAL_MS, &msg));
}

FL_TESTS(cmocka_unit_test(only_the_hubs_own_seal_for_that_cluster_counts),
         cmocka_unit_test(an_agent_is_told_at_first_and_then_of_news_now_and_then))
