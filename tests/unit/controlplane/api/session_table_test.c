/* Sessions begin, are used, and end. */
#include "controlplane/api/session_table.h"

#include <stdio.h>
#include <string.h>

#include "tests/fl_test.h"

static struct token_hold hold(const char *id)
{
    struct token_hold token = {.shown = {{1}}};

    snprintf(token.id, sizeof token.id, "%s", id);
    return token;
}

struct place {
    char text[SESSION_TEXT_MAX];
    struct session session;
};

static struct place begin(struct session_table *table, const char *id, fl_ms now)
{
    struct token_hold token = hold(id);
    struct place place;

    session_table_begin(table, &token, now, place.text, &place.session);
    return place;
}

static bool finds(struct session_table *table, const char *text, fl_ms now)
{
    struct session found;

    return session_table_find(table, fl_str_c(text), now, &found);
}

static void a_session_is_found_by_its_text_alone(void **state)
{
    struct session_table *table = session_table_create();
    struct place ann = begin(table, "ann", 0), ben = begin(table, "ben", 0);
    struct session found;

    (void)state;
    assert_string_not_equal(ann.text, ben.text);
    assert_true(session_table_find(table, fl_str_c(ann.text), 1, &found));
    assert_string_equal(found.token.id, "ann");
    assert_int_equal(found.token.shown.at[0], 1);
    assert_memory_equal(&found.key, &ann.session.key, sizeof found.key);
    assert_true(session_table_find(table, fl_str_c(ben.text), 1, &found));
    assert_string_equal(found.token.id, "ben");
    ann.text[5] ^= 1;
    assert_false(finds(table, ann.text, 1));
    assert_false(finds(table, "", 1));
    assert_false(
        session_table_find(table, (struct fl_str){ben.text, SESSION_TEXT_MAX - 2}, 1, &found));
    session_table_destroy(table);
}

static void an_idle_session_ends(void **state)
{
    struct session_table *table = session_table_create();
    struct place idle = begin(table, "ann", 0), used = begin(table, "ann", 0);

    (void)state;
    assert_true(session_table_lives(table, &used.session.key, SESSION_IDLE_MS - 1));
    assert_false(finds(table, idle.text, SESSION_IDLE_MS));
    assert_true(finds(table, used.text, SESSION_IDLE_MS));
    assert_int_equal(session_table_len(table), 1);
    session_table_destroy(table);
}

static void a_used_session_ends_when_its_time_is_over(void **state)
{
    struct session_table *table = session_table_create();
    struct place ann = begin(table, "ann", 7);

    (void)state;
    assert_int_equal(ann.session.ends_at, 7 + SESSION_LIFE_MS);
    for (fl_ms now = 0; now < SESSION_LIFE_MS; now += SESSION_IDLE_MS - 1) {
        assert_true(finds(table, ann.text, now + 7));
    }
    assert_true(finds(table, ann.text, SESSION_LIFE_MS + 6));
    assert_false(finds(table, ann.text, SESSION_LIFE_MS + 7));
    session_table_destroy(table);
}

static void who_leaves_is_not_known_any_more(void **state)
{
    struct session_table *table = session_table_create();
    struct place ann = begin(table, "ann", 0), other = begin(table, "ann", 0);

    (void)state;
    session_table_end(table, &ann.session.key);
    assert_false(finds(table, ann.text, 1));
    assert_false(session_table_lives(table, &ann.session.key, 1));
    assert_true(finds(table, other.text, 1));
    session_table_end(table, &ann.session.key);
    assert_int_equal(session_table_len(table), 1);
    session_table_destroy(table);
}

static void one_token_has_its_share_and_gives_up_the_one_least_used(void **state)
{
    struct session_table *table = session_table_create();
    struct place places[SESSIONS_TOKEN_MAX + 1], ben = begin(table, "ben", 0);

    (void)state;
    for (size_t i = 0; i < SESSIONS_TOKEN_MAX; i++) {
        places[i] = begin(table, "ann", (fl_ms)i + 1);
    }
    assert_true(finds(table, places[0].text, 1000)); /* so places[1] is the least used one */
    places[SESSIONS_TOKEN_MAX] = begin(table, "ann", 1001);
    assert_false(finds(table, places[1].text, 1002));
    assert_true(finds(table, places[0].text, 1002));
    assert_true(finds(table, places[2].text, 1002));
    assert_true(finds(table, places[SESSIONS_TOKEN_MAX].text, 1002));
    assert_true(finds(table, ben.text, 1002));
    assert_int_equal(session_table_len(table), SESSIONS_TOKEN_MAX + 1);
    session_table_destroy(table);
}

static void a_full_table_makes_room_by_the_one_least_used(void **state)
{
    struct session_table *table = session_table_create();
    struct place first = {0}, second = {0};
    char id[16];

    (void)state;
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct place place;

        snprintf(id, sizeof id, "t%zu", i / 8);
        place = begin(table, id, (fl_ms)i);
        if (i == 0) first = place;
        if (i == 1) second = place;
    }
    assert_int_equal(session_table_len(table), SESSIONS_MAX);
    assert_true(finds(table, first.text, 5000));
    begin(table, "new", 5001);
    assert_int_equal(session_table_len(table), SESSIONS_MAX);
    assert_true(finds(table, first.text, 5002));
    assert_false(finds(table, second.text, 5002));
    session_table_destroy(table);
}

static void a_code_counts_once_and_until_its_end(void **state)
{
    struct session_table *table = session_table_create();
    struct token_hold ann = hold("ann"), found;
    char code[SESSION_TEXT_MAX], late[SESSION_TEXT_MAX];

    (void)state;
    session_table_make_code(table, &ann, 60, code);
    session_table_make_code(table, &ann, 60, late);
    assert_true(session_table_use_code(table, fl_str_c(code), 59, &found));
    assert_string_equal(found.id, "ann");
    assert_false(session_table_use_code(table, fl_str_c(code), 59, &found));
    assert_false(session_table_use_code(table, fl_str_c(late), 60, &found));
    assert_false(session_table_use_code(table, fl_str_c(""), 1, &found));
    assert_false(finds(table, code, 1)); /* a code is no session */
    session_table_destroy(table);
}

static void the_oldest_of_too_many_codes_is_forgotten(void **state)
{
    struct session_table *table = session_table_create();
    struct token_hold ann = hold("ann"), found;
    char codes[SESSION_CODES_MAX + 1][SESSION_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i <= SESSION_CODES_MAX; i++) {
        session_table_make_code(table, &ann, 60, codes[i]);
    }
    assert_false(session_table_use_code(table, fl_str_c(codes[0]), 1, &found));
    for (size_t i = 1; i <= SESSION_CODES_MAX; i++) {
        assert_true(session_table_use_code(table, fl_str_c(codes[i]), 1, &found));
    }
    session_table_destroy(table);
}

static void two_processes_have_two_names(void **state)
{
    struct session_table *one = session_table_create(), *two = session_table_create();

    (void)state;
    assert_int_equal(strlen(session_table_instance(one)), 8);
    assert_string_not_equal(session_table_instance(one), session_table_instance(two));
    session_table_destroy(one);
    session_table_destroy(two);
}

FL_TESTS(cmocka_unit_test(a_session_is_found_by_its_text_alone),
         cmocka_unit_test(an_idle_session_ends),
         cmocka_unit_test(a_used_session_ends_when_its_time_is_over),
         cmocka_unit_test(who_leaves_is_not_known_any_more),
         cmocka_unit_test(one_token_has_its_share_and_gives_up_the_one_least_used),
         cmocka_unit_test(a_full_table_makes_room_by_the_one_least_used),
         cmocka_unit_test(a_code_counts_once_and_until_its_end),
         cmocka_unit_test(the_oldest_of_too_many_codes_is_forgotten),
         cmocka_unit_test(two_processes_have_two_names))
