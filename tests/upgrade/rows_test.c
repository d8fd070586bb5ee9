/* Released rows keep their numbers, names and fields: NAME.rows lists those of a release, a line a
 * kind, and rows.def may only add to them. */
#include <glob.h>
#include <stdlib.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/upgrade/upgrade_rows.h"

static void refuses(const char *kept, const char *word)
{
    char why[256];

    assert_false(upgrade_rows_are_kept(kept, why));
    if (!strstr(why, word)) fail_msg("\"%s\" does not name %s", why, word);
}

static void every_release_is_kept(void **state)
{
    glob_t kept;

    (void)state;
    assert_int_equal(glob("tests/upgrade/0*.rows", 0, NULL, &kept), 0);
    for (size_t i = 0; i < kept.gl_pathc; i++) {
        FILE *file = fopen(kept.gl_pathv[i], "r");
        char *text = NULL, why[256];
        size_t cap = 0;

        assert_non_null(file);
        assert_true(getdelim(&text, &cap, 0, file) > 0);
        if (!upgrade_rows_are_kept(text, why)) fail_msg("%s: %s", kept.gl_pathv[i], why);
        fclose(file);
        free(text);
    }
    globfree(&kept);
}

/* Each a release that today's rows.def would not have kept. */
static void a_number_used_again_and_a_changed_field_are_refused(void **state)
{
    char why[256];

    (void)state;
    assert_true(upgrade_rows_are_kept("4 shape_drop u32:shape\n", why));
    assert_true(upgrade_rows_are_kept("11 queue_put u32:queue u32:tenant\n", why)); /* grew */
    assert_true(upgrade_rows_are_kept("200 retired u32:x\n", why)); /* and is not used again */
    refuses("4 other_name u32:shape\n", "4");
    refuses("5 shape_drop u32:shape\n", "5");
    refuses("11 queue_put u32:tenant u32:queue\n", "queue_put");
    refuses("11 queue_put u64:queue\n", "queue_put");
    refuses("4 shape_drop u32:shape u32:gone\n", "shape_drop");
    refuses("9 mark_set u64:job u8:kind i64:value bytes:body bytes:bod\n", "mark_set");
}

FL_TESTS(cmocka_unit_test(every_release_is_kept),
         cmocka_unit_test(a_number_used_again_and_a_changed_field_are_refused))
