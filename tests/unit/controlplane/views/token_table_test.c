/* Which tokens count, and when the table may not say that one does not. */
#include "controlplane/views/token_table.h"

#include "tests/fl_test.h"

static struct row token_row(const char *id)
{
    return (struct row){.kind = ROW_token_put,
                        .token_put = {.id = fl_str_c(id), .name = FL_STR("a name"), .scopes = 1}};
}

static bool is_there(struct token_table *table, const char *id)
{
    struct token_grant grant;

    return token_table_find(table, fl_str_c(id), &grant);
}

static void load(struct token_table *table, const char *id)
{
    struct row row = token_row(id);

    token_table_refill_begin(table);
    if (id) token_table_refill_row(table, &row);
    token_table_refill_end(table);
}

static void a_token_may_be_lacking_until_all_were_read(void **state)
{
    struct token_table *table = token_table_create();
    struct row row = token_row("1");

    (void)state;
    assert_true(token_table_may_lack(table));
    assert_false(token_table_is_loaded(table));
    token_table_refill_begin(table);
    token_table_refill_row(table, &row);
    assert_true(token_table_may_lack(table));
    assert_false(token_table_is_loaded(table));
    token_table_refill_end(table);
    assert_false(token_table_may_lack(table));
    assert_true(token_table_is_loaded(table));
    token_table_refill_begin(table); /* a later term */
    assert_true(token_table_may_lack(table));
    assert_true(token_table_is_loaded(table));
    assert_true(is_there(table, "1"));
    token_table_refill_end(table);
    assert_false(is_there(table, "1"));
    token_table_destroy(table);
}

static void a_load_keeps_what_was_made_and_not_what_was_revoked_while_it_ran(void **state)
{
    struct token_table *table = token_table_create();
    struct row made = token_row("2"), read = token_row("1");
    struct row revoked = {.kind = ROW_token_drop, .token_drop = {.id = FL_STR("1")}};

    (void)state;
    load(table, "1");
    token_table_refill_begin(table);
    token_table_apply(table, &made);
    token_table_apply(table, &revoked);
    token_table_refill_row(table, &read);
    token_table_refill_end(table);
    assert_false(is_there(table, "1"));
    assert_true(is_there(table, "2"));
    assert_int_equal(token_table_len(table), 1);
    token_table_destroy(table);
}

FL_TESTS(cmocka_unit_test(a_token_may_be_lacking_until_all_were_read),
         cmocka_unit_test(a_load_keeps_what_was_made_and_not_what_was_revoked_while_it_ran))
