/* api_story_test.c - every story in stories/: requests to the REST API in plain words, and below
 * each, indented, the answer and what was made durable; api_story.h says how one reads. */
#include "tests/store/api_story.h"
#include "tests/story_files.h"

int main(void)
{
    static const struct story_teller teller = {"stories of the API", api_story_tell, NULL};

    return story_files_main("tests/store/stories", &teller);
}
