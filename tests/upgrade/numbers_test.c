/* Numbers that are stored or go over the wire are never reused: numbers.txt keeps each that was
 * given, beside the rows of rows_test.c. */
#include "tests/upgrade/numbers.h"

#include <stdio.h>
#include <stdlib.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"

enum { LIST_BYTES_MAX = 1 << 16 };

static char *today_list(void)
{
    struct fl_buf list;
    char *text;

    fl_buf_init(&list, LIST_BYTES_MAX);
    numbers_list(&list);
    text = fl_alloc(list.len + 1);
    memcpy(text, list.at, list.len);
    text[list.len] = '\0';
    fl_buf_fini(&list);
    return text;
}

static void each_number_that_was_given_keeps_its_name(void **state)
{
    FILE *file = fopen("tests/upgrade/numbers.txt", "r");
    char *kept = NULL, *today = today_list(), why[NUMBERS_WHY_MAX];
    size_t cap = 0;

    (void)state;
    assert_non_null(file);
    assert_true(getdelim(&kept, &cap, 0, file) > 0);
    if (!numbers_are_kept(kept, today, why)) fail_msg("%s", why);
    fclose(file);
    free(kept);
    fl_free(today);
}

static void refuses(const char *kept, const char *today, const char *part)
{
    char why[NUMBERS_WHY_MAX] = "";

    assert_false(numbers_are_kept(kept, today, why));
    if (!strstr(why, part)) fail_msg("\"%s\" does not say \"%s\"", why, part);
}

static void a_number_that_changes_goes_or_comes_is_named(void **state)
{
    char why[NUMBERS_WHY_MAX];

    (void)state;
    assert_true(numbers_are_kept("mark 1 held\n", "mark 1 held\n", why));
    assert_true(numbers_are_kept("mark 1 held\nmark 2 x retired\n", "mark 1 held\n", why));
    assert_true(numbers_are_kept("mark 1 held\ncode 1 held\n", "code 1 held\nmark 1 held\n", why));
    refuses("mark 1 held\n", "mark 1 other\n", "no longer has \"mark 1 held\"");
    refuses("mark 1 held\n", "mark 2 held\n", "no longer has \"mark 1 held\"");
    refuses("mark 1 held\nmark 2 x\n", "mark 1 held\n", "no longer has \"mark 2 x\"");
    refuses("mark 1 held\n", "mark 1 held\nmark 2 x\n", "\"mark 2 x\" is new");
}

static void a_retired_number_or_name_is_not_given_again(void **state)
{
    (void)state;
    refuses("mark 2 x retired\n", "mark 2 y\n", "what is retired");
    refuses("mark 2 x retired\n", "mark 3 x\n", "what is retired");
    refuses("mark 2 x retired\nmark 2 y\n", "mark 2 y\n", "twice");
    refuses("mark 2 x retired\nmark 3 x\n", "mark 3 x\n", "twice");
    refuses("mark 2 x retired\n", "mark 2 x\n", "what is retired");
}

FL_TESTS(cmocka_unit_test(each_number_that_was_given_keeps_its_name),
         cmocka_unit_test(a_number_that_changes_goes_or_comes_is_named),
         cmocka_unit_test(a_retired_number_or_name_is_not_given_again))
