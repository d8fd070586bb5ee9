/* core_story_test.c - every story in stories/, which has a file for each part of the core's work.
 * A line "# sentence" begins a story and is the name of its test; story.h says how one reads.
 *
 * A second telling has all cpu as a resource with a name: the same must start.
 *
 * FL_STORY_WRITE=start writes start.story again, FL_STORY_WRITE=.story all of them, for a person to
 * read what has changed before it is committed.  If a story fails a check, none is written. */
#include <dirent.h>
#include <stdlib.h>

#include "tests/unit/controlplane/core/story.h"

#define STORIES "tests/unit/controlplane/core/stories"

struct story {
    const char *file;
    char *name;
    char *text;
    char *told; /* to be written; else NULL */
};

static FL_VEC(struct story) stories;

static void show_difference(const struct story *story, const char *told)
{
    const char *a = story->text, *b = told, *line = a;

    while (*a && *a == *b) {
        if (*a == '\n') line = a + 1;
        a++, b++;
    }
    print_error(
        "%s: '%s' is told otherwise, from here on:\n--- expected\n%.1500s\n--- told\n%.1500s\n",
        story->file, story->name, line, told + (line - story->text));
}

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
static void name_changes_nothing(const struct story *story, char *told)
{
    uint64_t hash;
    char *named = story_tell_as(story->text, true, &hash);

    keep_frames(told);
    keep_frames(named);
    if (strcmp(told, named) != 0) {
        print_error("%s: '%s' is told otherwise where cpu has a name:\n--- cpu\n%.1500s\n--- "
                    "named\n%.1500s\n",
                    story->file, story->name, told, named);
    }
    assert_string_equal(told, named);
    fl_free(named);
}

static void a_story(void **state)
{
    const struct story *story = *state;
    uint64_t hash, hash_again;
    char *told = story_tell(story->text, &hash);
    char *again = story_tell(story->text, &hash_again);
    bool is_expected = strcmp(told, story->text) == 0;

    assert_string_equal(told, again); /* equal events, equal batches */
    assert_int_equal(hash, hash_again);
    if (!is_expected) show_difference(story, told);
    fl_free(again);
    if (is_expected) name_changes_nothing(story, told);
    fl_free(told);
    assert_true(is_expected);
}

/* ---- the files ------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = fl_alloc(TEXT_MAX);
    size_t len;

    if (!file) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    len = fread(text, 1, TEXT_MAX - 1, file);
    text[len] = '\0';
    fclose(file);
    return text;
}

/* Stories begin at lines "# "; the lines above the first are the file's own introduction. */
static void find_stories(const char *file, const char *text)
{
    const char *at = strncmp(text, "# ", 2) == 0 ? text : strstr(text, "\n# ");

    at = at && *at == '\n' ? at + 1 : at;
    while (at) {
        const char *next_story = strstr(at, "\n# ");
        size_t len = next_story ? (size_t)(next_story + 1 - at) : strlen(at);
        const char *end = strchr(at, '\n');
        struct story story = {.file = file};

        story.text = memcpy(fl_alloc(len + 1), at, len);
        story.text[len] = '\0';
        story.name = memcpy(fl_alloc((size_t)(end - at)), at + 2, (size_t)(end - at - 2));
        story.name[end - at - 2] = '\0';
        fl_vec_push(&stories, story);
        at = next_story ? next_story + 1 : NULL;
    }
}

/* A failed check ends only its own story, and cmocka prints why. */
static void tell_again(void **state)
{
    struct story *story = *state;
    uint64_t hash;

    story->told = story_tell(story->text, &hash);
}

static void write_stories(const char *path, const char *text)
{
    const char *first = strncmp(text, "# ", 2) == 0 ? text : strstr(text, "\n# ") + 1;
    FILE *file = fopen(path, "wb");

    fwrite(text, 1, (size_t)(first - text), file);
    for (size_t i = 0; i < stories.len; i++) {
        if (strcmp(stories.at[i].file, path) == 0) fputs(stories.at[i].told, file);
    }
    fclose(file);
}

/* Runs one test for each story in a file whose path holds 'part'. */
static bool run_stories(const char *part, CMUnitTestFunction test)
{
    struct CMUnitTest *tests = fl_new_array(struct CMUnitTest, stories.len);
    size_t len = 0;
    int failed;

    for (size_t i = 0; i < stories.len; i++) {
        if (!strstr(stories.at[i].file, part)) continue;
        tests[len++] = (struct CMUnitTest){
            .name = stories.at[i].name, .test_func = test, .initial_state = &stories.at[i]};
    }
    failed = _cmocka_run_group_tests("stories of the core", tests, len, NULL, NULL);
    fl_free(tests);
    return failed == 0;
}

static int is_story(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 6 && strcmp(entry->d_name + len - 6, ".story") == 0;
}

int main(void)
{
    const char *rewritten = getenv("FL_STORY_WRITE");
    struct dirent **entries;
    int entries_len = scandir(STORIES, &entries, is_story, alphasort);
    char **paths, **texts;
    bool is_good;

    if (entries_len <= 0) {
        fprintf(stderr, "no stories in %s\n", STORIES);
        return 1;
    }
    paths = fl_new_array(char *, (size_t)entries_len);
    texts = fl_new_array(char *, (size_t)entries_len);
    for (int i = 0; i < entries_len; i++) {
        size_t len = strlen(STORIES) + strlen(entries[i]->d_name) + 2;

        paths[i] = fl_alloc(len);
        snprintf(paths[i], len, "%s/%s", STORIES, entries[i]->d_name);
        texts[i] = read_file(paths[i]);
        find_stories(paths[i], texts[i]);
        free(entries[i]);
    }
    free(entries);
    is_good = run_stories(rewritten ? rewritten : "", rewritten ? tell_again : a_story);
    for (int i = 0; rewritten && is_good && i < entries_len; i++) {
        if (strstr(paths[i], rewritten)) write_stories(paths[i], texts[i]);
    }
    if (rewritten && !is_good) fprintf(stderr, "no story was written: see the errors above\n");
    for (size_t i = 0; i < stories.len; i++) {
        fl_free(stories.at[i].name);
        fl_free(stories.at[i].text);
        fl_free(stories.at[i].told);
    }
    fl_vec_fini(&stories);
    for (int i = 0; i < entries_len; i++) {
        fl_free(paths[i]);
        fl_free(texts[i]);
    }
    fl_free(paths);
    fl_free(texts);
    return is_good ? 0 : 1;
}
