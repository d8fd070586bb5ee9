/* Rights: each route of the tables with each kind of token. */
#include "controlplane/api/auth.h"

#include <string.h>

#include "controlplane/api/v1/resources.h"
#include "tests/fl_test.h"

enum { NOW = 1000000 };

static struct token_grant token(uint8_t scopes, const char *queue, fl_ms expires_at)
{
    struct token_grant grant = {.id = "1", .scopes = scopes, .expires_at = expires_at};

    snprintf(grant.queue, sizeof grant.queue, "%s", queue);
    return grant;
}

static bool has_right(enum api_need need, uint8_t scopes, bool has_queue)
{
    bool is_admin = scopes & CORE_SCOPE_admin;

    switch (need) {
    case API_NEED_nothing:
    case API_NEED_token:
        return true;
    case API_NEED_read:
        return is_admin || (scopes & CORE_SCOPE_read);
    case API_NEED_submit:
        return is_admin || (scopes & CORE_SCOPE_submit);
    case API_NEED_cancel:
        return is_admin || (scopes & CORE_SCOPE_cancel);
    case API_NEED_exec:
        return is_admin || (scopes & CORE_SCOPE_exec);
    case API_NEED_admin:
        return is_admin;
    case API_NEED_fleet:
        return is_admin && !has_queue;
    case API_NEEDS_LEN:
        break;
    }
    return false;
}

static void figures_are_for_readers_of_all_queues(void **state)
{
    (void)state;
    for (uint8_t scopes = 0; scopes < 16; scopes++) {
        struct token_grant all = token(scopes, "", 0), one = token(scopes, "q", 0);

        assert_int_equal(api_may_see_figures(&all), has_right(API_NEED_read, scopes, false));
        assert_false(api_may_see_figures(&one));
    }
}

static void check_route(const struct api_route *route)
{
    bool is_exempt = route->need == API_NEED_nothing;

    assert_int_equal(api_may(route, NULL, NOW), is_exempt ? API_MAY : API_WHO);
    for (unsigned every = 0; every <= CORE_SCOPES_ALL; every++) {
        uint8_t scopes = (uint8_t)every;

        for (int has_queue = 0; has_queue < 2; has_queue++) {
            struct token_grant good = token(scopes, has_queue ? "q" : "", NOW + 1);
            struct token_grant late = token(scopes, has_queue ? "q" : "", NOW);
            struct token_grant endless = token(scopes, has_queue ? "q" : "", 0);
            enum api_verdict wanted =
                has_right(route->need, scopes, has_queue) ? API_MAY : API_MAY_NOT;

            assert_int_equal(api_may(route, &good, NOW), wanted);
            assert_int_equal(api_may(route, &endless, NOW), wanted);
            assert_int_equal(api_may(route, &late, NOW), is_exempt ? API_MAY : API_WHO);
        }
    }
}

static void every_route_lets_in_exactly_those_whose_token_says_so(void **state)
{
    (void)state;
    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        for (const struct api_route *route = resource->routes; route->path; route++) {
            check_route(route);
        }
    }
}

static void the_exempt_routes_are_three_and_known_by_name(void **state)
{
    size_t exempt_len = 0;

    (void)state;
    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        for (const struct api_route *route = resource->routes; route->path; route++) {
            if (route->need != API_NEED_nothing) continue;
            exempt_len++;
            assert_true(strcmp(route->id, "getLive") == 0 || strcmp(route->id, "enrol") == 0 ||
                        strcmp(route->id, "beginSession") == 0);
        }
    }
    assert_int_equal(exempt_len, 3);
}

static void a_route_that_changes_something_never_needs_only_to_read(void **state)
{
    (void)state;
    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        for (const struct api_route *route = resource->routes; route->path; route++) {
            if (route->method == API_GET) continue;
            /* Its handler wants admin for a token other than the one that asks. */
            if (strcmp(route->id, "rotateToken") == 0) continue;
            /* A session is the caller's own, and gives no right that its token lacks. */
            if (strstr(route->path, "/v1/session")) continue;
            assert_true(route->need != API_NEED_read && route->need != API_NEED_token);
        }
    }
}

static void a_token_for_a_queue_sees_that_queue_alone(void **state)
{
    struct token_grant one = token(CORE_SCOPE_read, "ml", 0), all = token(CORE_SCOPE_read, "", 0);

    (void)state;
    assert_true(api_may_see_queue(&one, FL_STR("ml")));
    assert_false(api_may_see_queue(&one, FL_STR("m")));
    assert_false(api_may_see_queue(&one, FL_STR("")));
    assert_true(api_may_see_queue(&all, FL_STR("ml")));
}

static void nobody_gives_away_more_than_he_has(void **state)
{
    struct token_grant admin = token(CORE_SCOPE_admin, "", 0);
    struct token_grant queue_admin = token(CORE_SCOPE_admin, "ml", 0);
    struct token_grant reader = token(CORE_SCOPE_read, "", 0);

    (void)state;
    assert_true(api_may_grant(&admin, 15, FL_STR("")));
    assert_true(api_may_grant(&queue_admin, CORE_SCOPE_admin, FL_STR("ml")));
    assert_false(api_may_grant(&queue_admin, CORE_SCOPE_read, FL_STR("")));
    assert_false(api_may_grant(&queue_admin, CORE_SCOPE_read, FL_STR("other")));
    assert_false(api_may_grant(&reader, CORE_SCOPE_submit, FL_STR("")));
    assert_false(api_may_grant(&admin, CORE_SCOPE_outlive, FL_STR("")));
    admin.scopes |= CORE_SCOPE_outlive;
    assert_true(api_may_grant(&admin, CORE_SCOPES_ALL, FL_STR("")));
}

static void only_some_may_act_for_others(void **state)
{
    struct token_grant submitter = token(CORE_SCOPE_submit | CORE_SCOPE_read, "", 0);
    struct token_grant service = token(CORE_SCOPE_delegate, "ml", 0);
    struct token_grant admin = token(CORE_SCOPE_admin, "", 0);

    (void)state;
    assert_false(api_may_delegate(&submitter));
    assert_true(api_may_delegate(&service));
    assert_true(api_may_delegate(&admin));
    assert_false(api_may_grant(&submitter, CORE_SCOPE_delegate, FL_STR("")));
    assert_true(api_may_grant(&admin, CORE_SCOPE_delegate, FL_STR("")));
}

static void nothing_outlives_its_maker_unless_that_may_say_so(void **state)
{
    struct token_grant short_lived = token(CORE_SCOPE_admin, "", 1000);
    struct token_grant endless = token(CORE_SCOPE_admin, "", 0);

    (void)state;
    assert_int_equal(api_may_grant_until(&short_lived), 1000);
    assert_int_equal(api_may_grant_until(&endless), 0);
    short_lived.scopes |= CORE_SCOPE_outlive;
    assert_int_equal(api_may_grant_until(&short_lived), 0);
}

static void a_bearer_is_one_word_after_the_scheme(void **state)
{
    struct fl_str text;

    (void)state;
    assert_true(api_bearer(FL_STR("Bearer abc"), &text));
    assert_true(fl_str_eq(text, FL_STR("abc")));
    assert_true(api_bearer(FL_STR("bEARER abc"), &text));
    assert_false(api_bearer(FL_STR("Bearer "), &text));
    assert_false(api_bearer(FL_STR("Basic abc"), &text));
    assert_false(api_bearer(FL_STR("Bearerabc"), &text));
    assert_false(api_bearer(FL_STR(""), &text));
}

static void a_scope_is_one_word(void **state)
{
    uint8_t scope = 0;

    (void)state;
    assert_true(api_scope_parse(FL_STR("cancel"), &scope));
    assert_int_equal(scope, CORE_SCOPE_cancel);
    assert_false(api_scope_parse(FL_STR(""), &scope));
    assert_false(api_scope_parse(FL_STR("read,cancel"), &scope));
    assert_false(api_scope_parse(FL_STR("root"), &scope));
}

FL_TESTS(cmocka_unit_test(figures_are_for_readers_of_all_queues),
         cmocka_unit_test(every_route_lets_in_exactly_those_whose_token_says_so),
         cmocka_unit_test(the_exempt_routes_are_three_and_known_by_name),
         cmocka_unit_test(a_route_that_changes_something_never_needs_only_to_read),
         cmocka_unit_test(a_token_for_a_queue_sees_that_queue_alone),
         cmocka_unit_test(nobody_gives_away_more_than_he_has),
         cmocka_unit_test(only_some_may_act_for_others),
         cmocka_unit_test(nothing_outlives_its_maker_unless_that_may_say_so),
         cmocka_unit_test(a_bearer_is_one_word_after_the_scheme),
         cmocka_unit_test(a_scope_is_one_word))
