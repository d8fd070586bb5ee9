#include "controlplane/core/access_table.h"

#include <stdio.h>
#include <string.h>

#include "tests/fl_test.h"

static struct join join_of(uint32_t n, fl_ms expires_at)
{
    struct join join = {.expires_at = expires_at, .name = "east"};

    memcpy(join.token.at, &n, sizeof n);
    return join;
}

static void used_join_tokens_do_not_count_and_the_first_to_expire_goes(void **state)
{
    static const struct fl_cluster cluster = {1};
    struct access_table table = {0};
    struct fl_digest key = {{1}};
    struct fl_err err = {0};
    struct join join, surplus;

    (void)state;
    for (uint32_t i = 1; i <= CORE_JOINS_MAX; i++) {
        join = join_of(i, 1000 + i);
        assert_true(access_table_add_join(&table, &join, &err));
    }
    join = join_of(CORE_JOINS_MAX + 1, 1);
    assert_false(access_table_add_join(&table, &join, &err));
    assert_int_equal(err.code, FL_FULL);
    for (uint32_t i = 1; i <= CORE_JOINS_MAX; i++) {
        join = join_of(i, 0);
        access_table_use_join(&table, access_table_join(&table, &join.token), cluster, &key);
    }
    for (uint32_t i = CORE_JOINS_MAX + 1; i <= ACCESS_USED_MAX; i++) {
        join = join_of(i, 1000 + i);
        assert_true(access_table_add_join(&table, &join, &err));
        access_table_use_join(&table, access_table_join(&table, &join.token), cluster, &key);
    }
    assert_false(access_table_surplus(&table, &surplus));
    join = join_of(ACCESS_USED_MAX + 1, 5000000);
    assert_true(access_table_add_join(&table, &join, &err));
    access_table_use_join(&table, access_table_join(&table, &join.token), cluster, &key);
    assert_true(access_table_surplus(&table, &surplus));
    assert_int_equal(surplus.expires_at, 1001);
    access_table_drop_join(&table, &surplus.token);
    assert_false(access_table_surplus(&table, &surplus));
    access_table_fini(&table);
}

struct gone_count {
    int joins, tokens;
    char last[CORE_TOKEN_ID_MAX + 1];
};

static void count_join(void *ctx, const struct join *join)
{
    struct gone_count *count = ctx;

    (void)join;
    count->joins++;
}

static void count_token(void *ctx, const struct token *token)
{
    struct gone_count *count = ctx;

    count->tokens++;
    snprintf(count->last, sizeof count->last, "%s", token->id);
}

static void what_expires_goes_and_the_next_time_is_known(void **state)
{
    struct access_table table = {0};
    struct token forever = {.id = "a", .scopes = 1},
                 soon = {.id = "b", .scopes = 1, .expires_at = 50};
    struct join join = join_of(7, 70);
    struct gone_count count = {0};
    struct access_gone gone = {&count, count_join, count_token};
    struct fl_err err = {0};

    (void)state;
    assert_int_equal(access_table_deadline(&table), INT64_MAX);
    assert_true(access_table_add_token(&table, &forever, &err));
    assert_int_equal(access_table_deadline(&table), INT64_MAX);
    assert_true(access_table_add_token(&table, &soon, &err));
    assert_true(access_table_add_join(&table, &join, &err));
    assert_int_equal(access_table_deadline(&table), 50);
    access_table_expire(&table, 49, gone);
    assert_int_equal(count.tokens, 0);
    access_table_expire(&table, 50, gone);
    assert_int_equal(count.tokens, 1);
    assert_string_equal(count.last, "b");
    assert_int_equal(access_table_deadline(&table), 70);
    access_table_expire(&table, 69, gone);
    assert_int_equal(count.joins, 0);
    access_table_expire(&table, 70, gone);
    assert_int_equal(count.joins, 1);
    assert_int_equal(access_table_deadline(&table), INT64_MAX);
    assert_non_null(access_table_token(&table, FL_STR("a")));
    access_table_fini(&table);
}

static void tokens_have_an_id_some_scope_and_a_limit(void **state)
{
    struct access_table table = {0};
    struct token token = {.scopes = 1};
    struct fl_err err = {0};

    (void)state;
    assert_false(access_table_add_token(&table, &token, &err));
    assert_int_equal(err.code, FL_INVALID);
    token.id[0] = 'x';
    token.scopes = CORE_SCOPES_ALL + 1;
    assert_false(access_table_add_token(&table, &token, &err));
    token.scopes = 15;
    snprintf(token.queue, sizeof token.queue, "No Queue");
    assert_false(access_table_add_token(&table, &token, &err));
    token.queue[0] = '\0';
    for (int i = 0; i < CORE_TOKENS_MAX; i++) {
        snprintf(token.id, sizeof token.id, "t%d", i);
        assert_true(access_table_add_token(&table, &token, &err));
    }
    assert_non_null(access_table_token(&table, FL_STR("t77")));
    assert_null(access_table_token(&table, FL_STR("t")));
    assert_false(access_table_add_token(&table, &token, &err));
    assert_int_equal(err.code, FL_EXISTS);
    token.id[0] = 'u';
    assert_false(access_table_add_token(&table, &token, &err));
    assert_int_equal(err.code, FL_FULL);
    access_table_fini(&table);
}

FL_TESTS(cmocka_unit_test(used_join_tokens_do_not_count_and_the_first_to_expire_goes),
         cmocka_unit_test(what_expires_goes_and_the_next_time_is_known),
         cmocka_unit_test(tokens_have_an_id_some_scope_and_a_limit))
