/* The table that rows make, page by page, and its admins. */
#include "controlplane/views/token_table.h"

#include "tests/fl_test.h"

static struct row put(const char *id, uint8_t scopes, const char *queue, fl_ms expires_at)
{
    return (struct row){.kind = ROW_token_put,
                        .token_put = {.tenant = 1,
                                      .scopes = scopes,
                                      .expires_at = expires_at,
                                      .id = fl_str_c(id),
                                      .name = FL_STR("n"),
                                      .queue = fl_str_c(queue)}};
}

static struct row drop(const char *id)
{
    return (struct row){.kind = ROW_token_drop, .token_drop = {.id = fl_str_c(id)}};
}

static bool has(struct token_table *table, const char *id)
{
    struct token_grant token;

    return token_table_find(table, fl_str_c(id), &token);
}

static void apply(struct token_table *table, struct row row)
{
    token_table_apply(table, &row);
}

static void what_rows_say_is_what_counts(void **state)
{
    struct token_table *table = token_table_create();
    struct token_grant page[4];

    (void)state;
    apply(table, put("b", 1, "ml", 0));
    apply(table, put("a", 2, "", 0));
    apply(table, put("c", 4, "", 0));
    assert_true(has(table, "a") && has(table, "b") && !has(table, "d") && !has(table, ""));
    assert_int_equal(token_table_page(table, FL_STR(""), FL_STR(""), page, 4), 3);
    assert_string_equal(page[0].id, "a");
    assert_string_equal(page[1].queue, "ml");
    assert_int_equal(token_table_page(table, FL_STR("a"), FL_STR(""), page, 1), 1);
    assert_string_equal(page[0].id, "b");
    assert_int_equal(token_table_page(table, FL_STR(""), FL_STR("ml"), page, 4), 1);
    assert_string_equal(page[0].id, "b");
    assert_int_equal(token_table_page(table, FL_STR("b"), FL_STR("ml"), page, 4), 0);
    apply(table, drop("b"));
    apply(table, drop("b"));
    assert_false(has(table, "b"));
    assert_int_equal(token_table_len(table), 2);
    token_table_destroy(table);
}

static void an_admin_is_one_of_everything_that_has_not_expired(void **state)
{
    struct token_table *table = token_table_create();

    (void)state;
    apply(table, put("reader", 1, "", 0));
    apply(table, put("queue", 8, "ml", 0));
    apply(table, put("late", 8, "", 100));
    assert_true(token_table_has_admin(table, 99));
    assert_false(token_table_has_admin(table, 100));
    apply(table, put("admin", 8, "", 0));
    assert_true(token_table_has_admin(table, 100));
    token_table_destroy(table);
}

FL_TESTS(cmocka_unit_test(what_rows_say_is_what_counts),
         cmocka_unit_test(an_admin_is_one_of_everything_that_has_not_expired))
