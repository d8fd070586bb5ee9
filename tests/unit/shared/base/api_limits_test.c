/* Prose cannot include a header: this ties docs to the constants, and a time that is kept to the
 * one that is promised. */
#include "shared/base/api_limits.h"

#include "controlplane/store/partition.h"
#include "shared/base/alloc.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "tests/fl_test.h"

enum { PAGE_BYTES_MAX = 1 << 20 };

/* Lines may break anywhere, so a line's end counts as a space. */
static void says(const char *path, const char *words)
{
    char *page = fl_new_array(char, PAGE_BYTES_MAX);
    FILE *file = fopen(path, "r");
    size_t len;

    if (!file) fail_msg("%s cannot be read", path);
    len = fread(page, 1, PAGE_BYTES_MAX - 1, file);
    fclose(file);
    for (size_t i = 0; i < len; i++) {
        if (page[i] == '\n') page[i] = ' ';
    }
    if (!strstr(page, words)) fail_msg("%s no longer says '%s'", path, words);
    fl_free(page);
}

static void docs_say_what_is_promised(void **state)
{
    (void)state;
    says("docs/api.md", "`Idempotency-Key` (1 to " FL_QUOTE(FL_KEY_BYTES_MAX) " visible");
    says("docs/api.md", "have the first one's outcome, for " FL_QUOTE(FL_KEY_DAYS) " days");
    says("docs/api.md", "It expires, after " FL_QUOTE(FL_TOKEN_TTL_DAYS) " days");
    says("docs/scripting.md", "give the same job for " FL_QUOTE(FL_KEY_DAYS) " days");
    says("docs/security.md", "expiring (" FL_QUOTE(FL_TOKEN_TTL_DAYS) " days");
    says("docs/security.md", "counts for " FL_QUOTE(FL_TOKEN_GRACE_MINUTES) " minutes more");
    says("docs/tasks/team.md", "counts for " FL_QUOTE(FL_TOKEN_GRACE_MINUTES) " minutes more");
}

static void an_outcome_is_kept_for_longer_than_promised(void **state)
{
    (void)state;
    assert_true(partition_config_default().idempotency_retention_ms > FL_KEY_DAYS * FL_DAY_MS);
}

FL_TESTS(cmocka_unit_test(docs_say_what_is_promised),
         cmocka_unit_test(an_outcome_is_kept_for_longer_than_promised))
