/* core_story_test.c - every story in stories/, which has a file for each part of the core's work;
 * story.h says how one reads.  A second telling has all cpu as a resource with a name: the same
 * must start. */
#include "tests/story_files.h"
#include "tests/unit/controlplane/core/story.h"

/* Keeps the frames to agents, a line each, in 'told' itself. */
static void keep_frames(char *told)
{
    char *to = told;

    for (const char *at = told, *end; *at; at = end) {
        const char *frame = strstr(at, " <- ");

        end = strchr(at, '\n');
        end = end ? end + 1 : at + strlen(at);
        if (!frame || frame > end) continue;
        memmove(to, at, (size_t)(end - at));
        to += end - at;
    }
    *to = '\0';
}

/* A resource with a name counts as cpu does: the same starts, where all cpu has a name. */
static void name_changes_nothing(const struct story *story, const char *told)
{
    uint64_t hash;
    char *named = story_tell_as(story->text, true, &hash);
    char *plain = memcpy(fl_alloc(strlen(told) + 1), told, strlen(told) + 1);

    keep_frames(plain);
    keep_frames(named);
    if (strcmp(plain, named) != 0) {
        print_error("%s: '%s' is told otherwise where cpu has a name:\n--- cpu\n%.1500s\n--- "
                    "named\n%.1500s\n",
                    story->file, story->name, plain, named);
    }
    assert_string_equal(plain, named);
    fl_free(plain);
    fl_free(named);
}

/* Twice: equal events, equal batches. */
static char *tell_twice(const char *text)
{
    uint64_t hash, hash_again;
    char *told = story_tell(text, &hash);
    char *again = story_tell(text, &hash_again);

    assert_string_equal(told, again);
    assert_int_equal(hash, hash_again);
    fl_free(again);
    return told;
}

int main(void)
{
    static const struct story_teller teller = {"stories of the core", tell_twice,
                                               name_changes_nothing};

    return story_files_main("tests/unit/controlplane/core/stories", &teller);
}
