#include "agent/kube/kube_cache.h"

#include <stdio.h>

#include "tests/fl_test.h"

static struct kube_meta meta(const char *namespace, const char *name, const char *uid,
                             const char *version)
{
    return (struct kube_meta){fl_str_c(namespace), fl_str_c(name), fl_str_c(uid),
                              fl_str_c(version)};
}

static enum kube_cache_news put(struct kube_cache *cache, struct kube_meta object)
{
    enum kube_cache_news news;
    struct fl_err err = {0};

    if (!kube_cache_put(cache, &object, &news, &err)) fail_msg("%s", err.text);
    return news;
}

static void a_version_is_news_once(void **state)
{
    struct kube_cache *cache = kube_cache_create(10);

    (void)state;
    assert_int_equal(put(cache, meta("a", "x", "u1", "9")), KUBE_CACHE_NEW);
    assert_int_equal(put(cache, meta("a", "x", "u1", "9")), KUBE_CACHE_SAME);
    assert_int_equal(put(cache, meta("a", "x", "u1", "10")), KUBE_CACHE_CHANGED);
    assert_int_equal(put(cache, meta("a", "x", "u1", "9")), KUBE_CACHE_OLDER);
    assert_int_equal(put(cache, meta("a", "x", "u1", "10")), KUBE_CACHE_SAME);
    assert_int_equal(put(cache, meta("b", "x", "u2", "10")), KUBE_CACHE_NEW);
    assert_int_equal(put(cache, meta("", "a", "u3", "opaque")), KUBE_CACHE_NEW);
    assert_int_equal(put(cache, meta("", "a", "u3", "opaque")), KUBE_CACHE_CHANGED);
    kube_cache_forget_versions(cache);
    assert_int_equal(put(cache, meta("a", "x", "u1", "3")), KUBE_CACHE_CHANGED);
    assert_int_equal(put(cache, meta("a", "x", "u1", "3")), KUBE_CACHE_SAME);
    kube_cache_destroy(cache);
}

static void an_object_is_found_and_removed_by_its_uid(void **state)
{
    struct kube_cache *cache = kube_cache_create(10);
    struct kube_meta found, other = meta("a", "x", "u9", "1"), same = meta("a", "x", "u1", "");

    (void)state;
    assert_int_equal(put(cache, meta("a", "x", "u1", "1")), KUBE_CACHE_NEW);
    assert_false(kube_cache_find(cache, FL_STR("a"), FL_STR("y"), &found));
    assert_false(kube_cache_find(cache, FL_STR(""), FL_STR("x"), &found));
    assert_true(kube_cache_find(cache, FL_STR("a"), FL_STR("x"), &found));
    assert_true(fl_str_eq(found.uid, FL_STR("u1")) && fl_str_eq(found.name, FL_STR("x")));
    assert_true(fl_str_eq(found.namespace, FL_STR("a")));
    assert_false(kube_cache_remove(cache, &other));
    assert_true(kube_cache_remove(cache, &same));
    assert_false(kube_cache_remove(cache, &same));
    assert_int_equal(kube_cache_len(cache), 0);
    kube_cache_destroy(cache);
}

struct story {
    char text[4096];
};

static void note_gone(void *ctx, const struct kube_meta *gone)
{
    struct story *story = ctx;
    size_t len = strlen(story->text);

    snprintf(story->text + len, sizeof story->text - len,
             FL_STR_FMT "/" FL_STR_FMT " " FL_STR_FMT ";", FL_STR_ARG(gone->namespace),
             FL_STR_ARG(gone->name), FL_STR_ARG(gone->uid));
}

static void a_list_removes_what_it_lacks(void **state)
{
    struct kube_cache *cache = kube_cache_create(10);
    struct story story = {0};

    (void)state;
    kube_cache_begin(cache);
    put(cache, meta("n", "a", "1", "1"));
    put(cache, meta("n", "b", "2", "1"));
    put(cache, meta("n", "c", "3", "1"));
    kube_cache_sweep(cache, note_gone, &story);
    assert_string_equal(story.text, "");
    kube_cache_begin(cache);
    put(cache, meta("n", "b", "2", "1"));
    kube_cache_begin(cache); /* the list before was cut */
    put(cache, meta("n", "c", "3", "1"));
    put(cache, meta("n", "d", "4", "1"));
    kube_cache_sweep(cache, note_gone, &story);
    assert_true(strcmp(story.text, "n/a 1;n/b 2;") == 0 || strcmp(story.text, "n/b 2;n/a 1;") == 0);
    assert_int_equal(kube_cache_len(cache), 2);
    kube_cache_destroy(cache);
}

static void so_many_objects_are_kept(void **state)
{
    enum { MANY = 5000 };
    struct kube_cache *cache = kube_cache_create(MANY);
    char name[16], uid[16];
    struct kube_meta object;
    enum kube_cache_news news;
    struct fl_err err = {0};

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "p%d", i);
        snprintf(uid, sizeof uid, "u%d", i);
        assert_int_equal(put(cache, meta("n", name, uid, "5")), KUBE_CACHE_NEW);
    }
    object = meta("n", "one-more", "u", "5");
    assert_false(kube_cache_put(cache, &object, &news, &err));
    assert_int_equal(err.code, FL_FULL);
    for (int i = 0; i < MANY; i += 2) {
        snprintf(name, sizeof name, "p%d", i);
        snprintf(uid, sizeof uid, "u%d", i);
        object = meta("n", name, uid, "");
        assert_true(kube_cache_remove(cache, &object));
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "p%d", i);
        assert_int_equal(kube_cache_find(cache, FL_STR("n"), fl_str_c(name), &object), i % 2);
    }
    kube_cache_destroy(cache);
}

static void a_version_is_a_number(void **state)
{
    (void)state;
    assert_int_equal(kube_cache_version(FL_STR("12")), 12);
    assert_int_equal(kube_cache_version(FL_STR("12a")), 0);
    assert_int_equal(kube_cache_version(FL_STR("")), 0);
}

FL_TESTS(cmocka_unit_test(a_version_is_news_once),
         cmocka_unit_test(an_object_is_found_and_removed_by_its_uid),
         cmocka_unit_test(a_list_removes_what_it_lacks), cmocka_unit_test(so_many_objects_are_kept),
         cmocka_unit_test(a_version_is_a_number))
