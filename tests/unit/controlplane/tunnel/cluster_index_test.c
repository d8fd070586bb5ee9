#include "controlplane/tunnel/cluster_index.h"

#include "tests/fl_test.h"

static void a_cluster_has_its_own_connections_in_any_order_of_coming_and_going(void **state)
{
    struct cluster_index index = {0};
    struct cluster_link links[4] = {{{0}, NULL, NULL}};
    const struct fl_cluster east = {1}, west = {2};

    (void)state;
    assert_null(cluster_index_first(&index, east));
    for (int i = 0; i < 3; i++) {
        cluster_index_put(&index, &links[i], east);
    }
    cluster_index_put(&index, &links[3], west);
    cluster_index_put(&index, &links[3], west); /* it is there */
    assert_ptr_equal(cluster_index_first(&index, west), &links[3]);
    assert_null(links[3].next);
    assert_ptr_equal(cluster_index_first(&index, east), &links[2]);
    cluster_index_remove(&index, &links[1]); /* it stands in the middle */
    cluster_index_remove(&index, &links[1]);
    assert_ptr_equal(links[2].next, &links[0]);
    cluster_index_put(&index, &links[2], west); /* the first one moves */
    assert_ptr_equal(cluster_index_first(&index, east), &links[0]);
    assert_null(links[0].next);
    assert_ptr_equal(cluster_index_first(&index, west)->next, &links[3]);
    for (int i = 0; i < 4; i++) {
        cluster_index_remove(&index, &links[i]);
    }
    assert_null(cluster_index_first(&index, east));
    assert_null(cluster_index_first(&index, west));
    assert_int_equal(index.first.len, 0);
    cluster_index_fini(&index);
}

FL_TESTS(cmocka_unit_test(a_cluster_has_its_own_connections_in_any_order_of_coming_and_going))
