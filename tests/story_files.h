/* story_files.h - tests written as stories: files of plain words in, and the expected outcome below
 * them, compared as text.  A line "# sentence" begins a story and is the name of its test; the
 * lines above the first are the file's own introduction.
 *
 *   int main(void) { return story_files_main("tests/unit/x/stories", &teller); }
 *
 * FL_STORY_WRITE=start writes start.story again, FL_STORY_WRITE=.story all of them, for a person to
 * read what has changed before it is committed.  If a story fails a check, none is written.  In a
 * header, since a test is one source. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/vec.h"
#include "tests/fl_test.h"

enum { STORY_TEXT_MAX = 1 << 20 };

struct story {
    const char *file;
    char *name;
    char *text;
    char *told; /* to be written; else NULL */
};

struct story_teller {
    const char *of; /* "the core" */
    /* The story as it turns out, from its first line on; the caller frees it. */
    char *(*tell)(const char *text);
    /* Checks more once the text is as expected; may be NULL. */
    void (*check)(const struct story *story, const char *told);
};

static FL_VEC(struct story) stories;
static const struct story_teller *story_teller;

static void story_show_difference(const struct story *story, const char *told)
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

static void story_compare(void **state)
{
    const struct story *story = *state;
    char *told = story_teller->tell(story->text);
    bool is_expected = strcmp(told, story->text) == 0;

    if (!is_expected) story_show_difference(story, told);
    if (is_expected && story_teller->check) story_teller->check(story, told);
    fl_free(told);
    assert_true(is_expected);
}

/* A failed check ends only its own story, and cmocka prints why. */
static void story_tell_again(void **state)
{
    struct story *story = *state;

    story->told = story_teller->tell(story->text);
}

/* ---- the files ------------------------------------------------------------------------------- */

static char *story_read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = fl_alloc(STORY_TEXT_MAX);
    size_t len;

    if (!file) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    len = fread(text, 1, STORY_TEXT_MAX - 1, file);
    text[len] = '\0';
    fclose(file);
    return text;
}

static void story_find(const char *file, const char *text)
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

static void story_write_file(const char *path, const char *text)
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
static bool story_run(const char *part, CMUnitTestFunction test)
{
    struct CMUnitTest *tests = fl_new_array(struct CMUnitTest, stories.len);
    size_t len = 0;
    int failed;

    for (size_t i = 0; i < stories.len; i++) {
        if (!strstr(stories.at[i].file, part)) continue;
        tests[len++] = (struct CMUnitTest){
            .name = stories.at[i].name, .test_func = test, .initial_state = &stories.at[i]};
    }
    failed = _cmocka_run_group_tests(story_teller->of, tests, len, NULL, NULL);
    fl_free(tests);
    return failed == 0;
}

static int story_is_file(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 6 && strcmp(entry->d_name + len - 6, ".story") == 0;
}

static int story_files_main(const char *folder, const struct story_teller *teller)
{
    const char *rewritten = getenv("FL_STORY_WRITE");
    struct dirent **entries;
    int entries_len = scandir(folder, &entries, story_is_file, alphasort);
    char **paths, **texts;
    bool is_good;

    if (entries_len <= 0) {
        fprintf(stderr, "no stories in %s\n", folder);
        return 1;
    }
    story_teller = teller;
    paths = fl_new_array(char *, (size_t)entries_len);
    texts = fl_new_array(char *, (size_t)entries_len);
    for (int i = 0; i < entries_len; i++) {
        size_t len = strlen(folder) + strlen(entries[i]->d_name) + 2;

        paths[i] = fl_alloc(len);
        snprintf(paths[i], len, "%s/%s", folder, entries[i]->d_name);
        texts[i] = story_read_file(paths[i]);
        story_find(paths[i], texts[i]);
        free(entries[i]);
    }
    free(entries);
    is_good = story_run(rewritten ? rewritten : "", rewritten ? story_tell_again : story_compare);
    for (int i = 0; rewritten && is_good && i < entries_len; i++) {
        if (strstr(paths[i], rewritten)) story_write_file(paths[i], texts[i]);
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
