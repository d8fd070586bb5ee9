#include "controlplane/logs/inbox.h"

#include "shared/base/alloc.h"
#include "tests/fl_test.h"

enum { BYTES_MAX = 64 << 10, REQUESTS_MAX = 4096 };

static bool put(struct log_inbox *inbox, uint32_t cluster, uint32_t number)
{
    struct log_request *request = fl_new(struct log_request);

    request->cluster.n = cluster;
    request->number = number;
    if (log_inbox_put(inbox, request)) return true;
    fl_free(request);
    return false;
}

static uint32_t fill(struct log_inbox *inbox, uint32_t cluster)
{
    uint32_t n = 0;

    while (put(inbox, cluster, n)) {
        n++;
    }
    return n;
}

static void a_busy_cluster_leaves_room_and_turns_to_others(void **state)
{
    static struct log_request *requests[REQUESTS_MAX];
    struct log_inbox *inbox = log_inbox_create(BYTES_MAX);
    uint32_t busy = fill(inbox, 1);
    uint32_t second = fill(inbox, 2);
    uint32_t next[4] = {0};
    size_t first_of_3 = REQUESTS_MAX;
    size_t len;

    (void)state;
    assert_true(busy > 100);
    assert_true(second >= busy / 2 - 1 && second <= busy / 2 + 1);
    assert_false(put(inbox, 1, busy)); /* which already has more than its share */
    assert_true(put(inbox, 3, 0));
    len = log_inbox_take(inbox, 1000, requests, REQUESTS_MAX);
    assert_int_equal(len, busy + second + 1);
    for (size_t i = 0; i < len; i++) {
        uint32_t cluster = requests[i]->cluster.n;

        if (cluster == 3) first_of_3 = i;
        assert_int_equal(requests[i]->number, next[cluster]++); /* each in its order */
        fl_free(requests[i]);
    }
    assert_true(first_of_3 <= 32);
    assert_int_equal(log_inbox_bytes(inbox), 0);
    assert_int_equal(log_inbox_take(inbox, 1, requests, REQUESTS_MAX), 0);
    log_inbox_close(inbox);
    assert_int_equal(log_inbox_take(inbox, 60000, requests, REQUESTS_MAX), 0);
    log_inbox_destroy(inbox);
}

static void a_take_is_bounded_and_goes_on_with_the_next_lane(void **state)
{
    struct log_request *requests[20];
    struct log_inbox *inbox = log_inbox_create(BYTES_MAX);
    size_t len;

    (void)state;
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(put(inbox, 1, i));
    }
    assert_true(put(inbox, 2, 0));
    len = log_inbox_take(inbox, 0, requests, 8);
    assert_int_equal(len, 8);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(requests[i]->cluster.n, 1);
        fl_free(requests[i]);
    }
    len = log_inbox_take(inbox, 0, requests, 8);
    assert_int_equal(requests[0]->cluster.n, 2);
    for (size_t i = 0; i < len; i++) {
        fl_free(requests[i]);
    }
    log_inbox_destroy(inbox); /* with what is left in it */
}

FL_TESTS(cmocka_unit_test(a_busy_cluster_leaves_room_and_turns_to_others),
         cmocka_unit_test(a_take_is_bounded_and_goes_on_with_the_next_lane))
