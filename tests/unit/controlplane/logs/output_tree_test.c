#include "controlplane/logs/output_tree.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

enum { NODES = 3000 };

static struct log_key key_of(struct fl_prng *prng)
{
    return (struct log_key){.attempt = {.job = {1 + fl_prng_below(prng, 3)},
                                        .element = (uint32_t)fl_prng_below(prng, 600),
                                        .incarnation = 1,
                                        .n = (uint16_t)(1 + fl_prng_below(prng, 2))},
                            .replica = (uint32_t)fl_prng_below(prng, 2),
                            .tenant = {1}};
}

static void check_order(const struct log_output_tree *tree, size_t len)
{
    struct log_key from = {0};
    struct log_output_node *node = log_output_tree_from(tree, &from, false);

    for (; node; len--) {
        struct log_output_node *next = log_output_tree_from(tree, &node->key, true);

        assert_true(len > 0);
        assert_ptr_equal(log_output_tree_from(tree, &node->key, false), node);
        assert_true(!next || log_key_cmp(&node->key, &next->key) < 0);
        node = next;
    }
    assert_int_equal(len, 0);
}

static void nodes_stand_in_the_order_of_their_keys(void **state)
{
    static struct log_output_node nodes[NODES];
    static bool is_in[NODES];
    struct log_output_tree tree = {0};
    struct fl_prng prng;
    size_t len = 0;

    (void)state;
    fl_prng_seed(&prng, 1);
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < NODES; i++) {
            struct log_key key = key_of(&prng);
            struct log_output_node *found = log_output_tree_from(&tree, &key, false);

            if (is_in[i]) {
                log_output_tree_remove(&tree, &nodes[i]);
                is_in[i] = false;
                len--;
            } else if (!found || log_key_cmp(&found->key, &key) != 0) {
                nodes[i] = (struct log_output_node){.key = key};
                log_output_tree_add(&tree, &nodes[i]);
                is_in[i] = true;
                len++;
            }
        }
        check_order(&tree, len);
    }
}

static void a_range_has_all_of_a_job_an_element_or_an_attempt(void **state)
{
    struct log_key key = {.attempt = {.job = {5}, .element = 7, .incarnation = 2, .n = 3},
                          .replica = UINT32_MAX,
                          .tenant = {UINT32_MAX}};
    struct log_key_range ranges[3] = {log_key_range_of_job(key.attempt.job),
                                      log_key_range_of_element(key.attempt.job, 7),
                                      log_key_range_of_attempt(key.attempt)};
    struct log_key others[3] = {key, key, key};

    (void)state;
    others[0].attempt.job.n = 6;
    others[1].attempt.element = 8;
    others[2].attempt.n = 4;
    for (int i = 0; i < 3; i++) {
        assert_true(log_key_cmp(&ranges[i].first, &key) <= 0);
        assert_true(log_key_cmp(&ranges[i].last, &key) >= 0);
        assert_true(log_key_cmp(&ranges[i].last, &others[i]) < 0);
    }
}

FL_TESTS(cmocka_unit_test(nodes_stand_in_the_order_of_their_keys),
         cmocka_unit_test(a_range_has_all_of_a_job_an_element_or_an_attempt))
