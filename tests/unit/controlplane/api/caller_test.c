/* The first request of a caller, and those when it is known. */
#include "controlplane/api/caller.h"

#include <stdio.h>
#include <string.h>

#include "shared/wire/http_head.h"
#include "tests/fl_test.h"

static const struct fl_str pepper = {"0123456789abcdef", 16};

struct story {
    struct api_callers callers;
    struct token_table *tokens;
    fl_ms at;
};

static struct story begin(void)
{
    return (struct story){.tokens = token_table_create()};
}

static void end(struct story *story)
{
    token_table_destroy(story->tokens);
    api_callers_wipe(&story->callers);
}

static void grant(struct story *story, const struct api_token *token, const char *name)
{
    char id[API_TOKEN_ID_TEXT_MAX];
    struct row row = {.kind = ROW_token_put, .token_put = {.name = fl_str_c(name), .scopes = 1}};

    api_token_id_print(token->id, id);
    row.token_put.id = fl_str_c(id);
    row.token_put.mac = api_token_mac(token, pepper);
    token_table_apply(story->tokens, &row);
}

static void take_back(struct story *story, const struct api_token *token)
{
    char id[API_TOKEN_ID_TEXT_MAX];
    struct row row = {.kind = ROW_token_drop};

    api_token_id_print(token->id, id);
    row.token_drop.id = fl_str_c(id);
    token_table_apply(story->tokens, &row);
}

/* The name of the token that counts; NULL: none does. */
static const char *who(struct story *story, const char *header)
{
    static struct token_grant grant;
    struct fl_http_field field = {FL_STR("authorization"), fl_str_c(header)};
    struct fl_http_head head = {.fields = &field, .fields_len = 1};

    if (!api_caller(&head, &story->callers, story->tokens, pepper, story->at, &grant)) return NULL;
    return grant.name;
}

static const char *bearer(const struct api_token *token)
{
    static char header[8 + API_TOKEN_TEXT_MAX];

    memcpy(header, "Bearer ", 8);
    api_token_print(token, header + 7);
    return header;
}

static void a_known_caller_counts_as_long_as_its_token_does(void **state)
{
    struct story story = begin();
    struct api_token token = api_token_random();

    (void)state;
    assert_null(who(&story, bearer(&token)));
    grant(&story, &token, "ann");
    for (int i = 0; i < 3; i++) {
        assert_string_equal(who(&story, bearer(&token)), "ann");
    }
    take_back(&story, &token);
    assert_null(who(&story, bearer(&token)));
    grant(&story, &token, "ann again");
    assert_string_equal(who(&story, bearer(&token)), "ann again");
    end(&story);
}

static void a_known_caller_opens_nothing_for_another_secret(void **state)
{
    struct story story = begin();
    struct api_token token = api_token_random(), guess = token;

    (void)state;
    grant(&story, &token, "ann");
    assert_string_equal(who(&story, bearer(&token)), "ann");
    for (size_t i = 0; i < 256; i++) { /* each bit of the secret */
        guess = token;
        guess.secret[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_null(who(&story, bearer(&guess)));
    }
    for (int i = 0; i < 1000; i++) { /* some of them look at its place */
        guess = api_token_random();
        guess.id = token.id;
        assert_null(who(&story, bearer(&guess)));
    }
    assert_string_equal(who(&story, bearer(&token)), "ann");
    end(&story);
}

static void a_secret_that_was_replaced_counts_no_more(void **state)
{
    struct story story = begin();
    struct api_token old = api_token_random(), new = api_token_random();

    (void)state;
    new.id = old.id;
    grant(&story, &old, "ann");
    assert_string_equal(who(&story, bearer(&old)), "ann");
    grant(&story, &new, "ann");
    assert_null(who(&story, bearer(&old)));
    assert_string_equal(who(&story, bearer(&new)), "ann");
    end(&story);
}

static void a_rotated_secret_counts_until_its_grace_is_over(void **state)
{
    struct story story = begin();
    struct api_token old = api_token_random(), new = api_token_random();
    char id[API_TOKEN_ID_TEXT_MAX];
    struct row row = {.kind = ROW_token_put,
                      .token_put = {.name = FL_STR("ann"), .scopes = 1, .old_until = 50}};

    (void)state;
    new.id = old.id;
    grant(&story, &old, "ann");
    assert_string_equal(who(&story, bearer(&old)), "ann"); /* known from here on */
    api_token_id_print(new.id, id);
    row.token_put.id = fl_str_c(id);
    row.token_put.mac = api_token_mac(&new, pepper);
    row.token_put.old_mac = api_token_mac(&old, pepper);
    token_table_apply(story.tokens, &row);
    story.at = 49;
    assert_string_equal(who(&story, bearer(&old)), "ann");
    assert_string_equal(who(&story, bearer(&new)), "ann");
    story.at = 50;
    assert_null(who(&story, bearer(&old)));
    assert_string_equal(who(&story, bearer(&new)), "ann");
    end(&story);
}

static void more_callers_than_are_known_all_count(void **state)
{
    struct story story = begin();
    struct api_token tokens[2 * API_CALLERS_KNOWN];
    char names[2 * API_CALLERS_KNOWN][12];

    (void)state;
    for (size_t i = 0; i < 2 * API_CALLERS_KNOWN; i++) {
        tokens[i] = api_token_random();
        snprintf(names[i], sizeof names[i], "token %zu", i);
        grant(&story, &tokens[i], names[i]);
    }
    for (size_t i = 0; i < 6 * API_CALLERS_KNOWN; i++) {
        size_t n = i * 7 % (2 * API_CALLERS_KNOWN);

        assert_string_equal(who(&story, bearer(&tokens[n])), names[n]);
    }
    end(&story);
}

static void what_is_no_token_is_refused(void **state)
{
    struct story story = begin();
    struct api_token token = api_token_random();
    char cut[8 + API_TOKEN_TEXT_MAX], zeros[8 + API_TOKEN_TEXT_MAX] = "Bearer ";

    (void)state;
    grant(&story, &token, "ann");
    assert_string_equal(who(&story, bearer(&token)), "ann");
    snprintf(cut, sizeof cut, "%s", bearer(&token));
    cut[strlen(cut) - 1] = '\0';
    assert_null(who(&story, cut));
    assert_null(who(&story, "Bearer "));
    assert_null(who(&story, bearer(&token) + 7));
    memset(zeros + 7, '0', API_TOKEN_TEXT_MAX - 1);
    assert_null(who(&story, zeros));
    end(&story);
}

FL_TESTS(cmocka_unit_test(a_known_caller_counts_as_long_as_its_token_does),
         cmocka_unit_test(a_known_caller_opens_nothing_for_another_secret),
         cmocka_unit_test(a_secret_that_was_replaced_counts_no_more),
         cmocka_unit_test(a_rotated_secret_counts_until_its_grace_is_over),
         cmocka_unit_test(more_callers_than_are_known_all_count),
         cmocka_unit_test(what_is_no_token_is_refused))
