/* store_story_test.c - every story in store_stories/: instances of a control plane over one real
 * Postgres, in plain words, and below, indented, what came of each line; store_story.h says how one
 * reads. */
#include "tests/store/store_story.h"
#include "tests/story_files.h"

int main(void)
{
    static const struct story_teller teller = {"stories of the store", store_story_tell, NULL};

    return story_files_main("tests/store/store_stories", &teller);
}
