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

static struct fl_digest secret(char c)
{
    return (struct fl_digest){.at = {(uint8_t)c}};
}

/* A token whose secret is 'now' and was 'before' until 'until'. */
static struct row rotated_row(char now, char before, fl_ms until)
{
    struct row row = token_row("1");

    row.token_put.mac = secret(now);
    row.token_put.old_mac = secret(before);
    row.token_put.old_until = until;
    row.token_put.expires_at = 100;
    return row;
}

static void a_load_puts_no_older_row_over_one_that_came_while_it_ran(void **state)
{
    struct token_table *table = token_table_create();
    struct row first = rotated_row('a', 0, 0), second = rotated_row('b', 0, 0);
    struct fl_digest mac = secret('b');
    struct token_grant token;

    (void)state;
    token_table_apply(table, &first);
    token_table_refill_begin(table);
    token_table_apply(table, &second);
    token_table_refill_row(table, &first);
    token_table_refill_end(table);
    assert_true(token_table_find(table, FL_STR("1"), &token));
    assert_true(token_grant_has(&token, &mac, 1));
    token_table_refill_begin(table); /* a later load reads what is there then */
    token_table_refill_row(table, &first);
    token_table_refill_end(table);
    assert_true(token_table_find(table, FL_STR("1"), &token));
    assert_false(token_grant_has(&token, &mac, 1));
    token_table_destroy(table);
}

static void the_secret_before_counts_for_its_grace(void **state)
{
    struct token_table *table = token_table_create();
    struct row row = rotated_row('b', 'a', 50);
    struct fl_digest before = secret('a'), now = secret('b'), older = secret('x'), none = {0};
    struct token_grant token;

    (void)state;
    token_table_apply(table, &row);
    assert_true(token_table_find(table, FL_STR("1"), &token));
    assert_true(token_grant_has(&token, &now, 49));
    assert_true(token_grant_has(&token, &now, 50));
    assert_true(token_grant_has(&token, &before, 49));
    assert_false(token_grant_has(&token, &before, 50));
    assert_false(token_grant_has(&token, &older, 49));
    row = rotated_row('b', 0, 0);
    token_table_apply(table, &row);
    assert_true(token_table_find(table, FL_STR("1"), &token));
    assert_false(token_grant_has(&token, &none, 0)); /* one that was never rotated */
    token_table_destroy(table);
}

static void a_hold_hears_why_its_token_counts_no_more(void **state)
{
    struct token_table *table = token_table_create();
    struct row row = rotated_row('b', 'a', 50);
    struct row drop = {.kind = ROW_token_drop, .token_drop = {.id = FL_STR("1")}};
    struct token_hold hold;
    struct token_grant token;

    (void)state;
    load(table, NULL);
    token_table_apply(table, &row);
    assert_true(token_table_find(table, FL_STR("1"), &token));
    token.shown = secret('a');
    hold = token_hold_of(&token);
    assert_int_equal(token_table_fate(table, &hold, 49), TOKEN_COUNTS);
    assert_int_equal(token_table_fate(table, &hold, 50), TOKEN_ROTATED);
    assert_int_equal(token_table_fate(table, &hold, 100), TOKEN_EXPIRED);
    row.token_put.expires_at = 200; /* a rotation may give it another life */
    token_table_apply(table, &row);
    hold.shown = secret('b');
    assert_int_equal(token_table_fate(table, &hold, 100), TOKEN_COUNTS);
    token_table_apply(table, &drop);
    assert_int_equal(token_table_fate(table, &hold, 99), TOKEN_REVOKED);
    assert_int_equal(token_table_fate(table, &hold, 100), TOKEN_EXPIRED);
    token_table_refill_begin(table);
    assert_int_equal(token_table_fate(table, &hold, 99), TOKEN_COUNTS); /* it may come yet */
    token_table_destroy(table);
}

FL_TESTS(cmocka_unit_test(a_token_may_be_lacking_until_all_were_read),
         cmocka_unit_test(a_load_keeps_what_was_made_and_not_what_was_revoked_while_it_ran),
         cmocka_unit_test(a_load_puts_no_older_row_over_one_that_came_while_it_ran),
         cmocka_unit_test(the_secret_before_counts_for_its_grace),
         cmocka_unit_test(a_hold_hears_why_its_token_counts_no_more))
