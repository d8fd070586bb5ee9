/* Which join tokens are known, and when the view may not say that one is not. */
#include "controlplane/views/join_view.h"

#include "tests/fl_test.h"

static struct fl_digest digest(uint8_t first)
{
    return (struct fl_digest){{first}};
}

static struct row put_row(uint8_t first)
{
    return (struct row){.kind = ROW_join_put,
                        .join_put = {.token = digest(first), .name = FL_STR("east")}};
}

static struct row drop_row(uint8_t first)
{
    return (struct row){.kind = ROW_join_drop, .join_drop = {.token = digest(first)}};
}

static enum join_known find(struct join_view *view, uint8_t first)
{
    struct fl_digest token = digest(first);

    return join_view_find(view, &token);
}

static void a_token_is_unknown_only_when_all_were_read(void **state)
{
    struct join_view *view = join_view_create();
    struct row one = put_row(1);

    (void)state;
    assert_int_equal(find(view, 1), JOIN_NOT_READ);
    join_view_refill_begin(view);
    join_view_refill_row(view, &one);
    assert_int_equal(find(view, 1), JOIN_NOT_READ);
    join_view_refill_end(view);
    assert_int_equal(find(view, 1), JOIN_KNOWN);
    assert_int_equal(find(view, 2), JOIN_UNKNOWN);
    join_view_refill_begin(view); /* a later term */
    assert_int_equal(find(view, 1), JOIN_KNOWN);
    assert_int_equal(find(view, 2), JOIN_NOT_READ);
    join_view_refill_end(view);
    assert_int_equal(find(view, 1), JOIN_UNKNOWN);
    join_view_destroy(view);
}

static void what_is_applied_while_a_refill_runs_stays(void **state)
{
    struct join_view *view = join_view_create();
    struct row one = put_row(1), two = put_row(2), three = put_row(3);
    struct row dropped = drop_row(1), added = put_row(2);

    (void)state;
    join_view_refill_begin(view);
    join_view_apply(view, &dropped);
    join_view_apply(view, &added);
    join_view_refill_row(view, &one);
    join_view_refill_row(view, &three);
    join_view_refill_end(view);
    assert_int_equal(find(view, 1), JOIN_UNKNOWN);
    assert_int_equal(find(view, 2), JOIN_KNOWN);
    assert_int_equal(find(view, 3), JOIN_KNOWN);
    join_view_apply(view, &two);
    dropped = drop_row(2);
    join_view_apply(view, &dropped);
    assert_int_equal(find(view, 2), JOIN_UNKNOWN);
    join_view_destroy(view);
}

FL_TESTS(cmocka_unit_test(a_token_is_unknown_only_when_all_were_read),
         cmocka_unit_test(what_is_applied_while_a_refill_runs_stays))
