#include "agent/kube/kube_object.h"

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

static const struct fl_json *parse(const char *text, struct fl_arena *arena)
{
    const struct fl_json *root = NULL;

    assert_true(fl_json_parse(fl_str_c(text), arena, &root, NULL, NULL));
    return root;
}

static const char *tell_meta(const char *text, struct fl_arena *arena)
{
    struct kube_meta meta;
    struct fl_err err = {0};

    if (!kube_object_meta(parse(text, arena), &meta, &err)) {
        return fl_arena_printf(arena, "%s: %s", fl_code_name(err.code), err.text);
    }
    return fl_arena_printf(arena, FL_STR_FMT "/" FL_STR_FMT " " FL_STR_FMT " " FL_STR_FMT,
                           FL_STR_ARG(meta.namespace), FL_STR_ARG(meta.name), FL_STR_ARG(meta.uid),
                           FL_STR_ARG(meta.version));
}

static void an_object_has_a_name_a_uid_and_a_version(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        tell_meta("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"n\",\"uid\":\"u\","
                  "\"resourceVersion\":\"7\"}}",
                  &arena),
        "ns/n u 7");
    assert_string_equal(
        tell_meta("{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}",
                  &arena),
        "/n u 7");
    assert_string_equal(tell_meta("{}", &arena), "invalid: it has no name");
    assert_string_equal(tell_meta("[]", &arena), "invalid: it has no name");
    assert_string_equal(
        tell_meta("{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"7\"}}", &arena),
        "invalid: object n: it has no uid");
    assert_string_equal(tell_meta("{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"}}", &arena),
                        "invalid: object n: it has no resourceVersion");
    assert_string_equal(tell_meta("{\"metadata\":{\"name\":\"a b\"}}", &arena),
                        "invalid: its name is no text of at most 253 plain bytes");
    assert_string_equal(tell_meta("{\"metadata\":{\"name\":7}}", &arena),
                        "invalid: its name is no text of at most 253 plain bytes");
    fl_arena_fini(&arena);
}

static const char *tell_event(const char *text, struct fl_arena *arena)
{
    struct kube_event event;
    struct fl_err err = {0};

    if (!kube_object_event(parse(text, arena), &event, &err)) return fl_code_name(err.code);
    return fl_arena_printf(arena, "%d %u", event.kind, event.object->len);
}

static void an_event_has_a_type_and_an_object(void **state)
{
    struct fl_arena arena = {0};
    struct fl_str version;

    (void)state;
    assert_string_equal(tell_event("{\"type\":\"ADDED\",\"object\":{\"a\":1}}", &arena), "0 1");
    assert_string_equal(tell_event("{\"type\":\"MODIFIED\",\"object\":{}}", &arena), "1 0");
    assert_string_equal(tell_event("{\"type\":\"DELETED\",\"object\":{}}", &arena), "2 0");
    assert_string_equal(tell_event("{\"type\":\"BOOKMARK\",\"object\":{}}", &arena), "3 0");
    assert_string_equal(tell_event("{\"type\":\"ERROR\",\"object\":{}}", &arena), "4 0");
    assert_string_equal(tell_event("{\"type\":\"RENAMED\",\"object\":{}}", &arena), "unsupported");
    assert_string_equal(tell_event("{\"type\":\"ADDED\",\"object\":1}", &arena), "invalid");
    assert_string_equal(tell_event("{\"type\":\"ADDED\"}", &arena), "invalid");
    assert_string_equal(tell_event("[]", &arena), "invalid");
    assert_true(kube_object_version(parse("{\"metadata\":{\"resourceVersion\":\"12\"}}", &arena),
                                    &version, NULL));
    assert_true(fl_str_eq(version, FL_STR("12")));
    assert_false(kube_object_version(parse("{\"metadata\":{}}", &arena), &version, NULL));
    fl_arena_fini(&arena);
}

static const char *tell_list(const char *text, struct fl_arena *arena)
{
    struct kube_list_head head;
    struct fl_err err = {0};

    if (!kube_object_list(parse(text, arena), &head, &err)) {
        return fl_arena_printf(arena, "%s", err.text);
    }
    return fl_arena_printf(arena, FL_STR_FMT " " FL_STR_FMT, FL_STR_ARG(head.version),
                           FL_STR_ARG(head.continue_at));
}

static void a_list_says_its_version_before_its_items(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        tell_list("{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}", &arena), "7 ");
    assert_string_equal(tell_list("{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"abc\"},"
                                  "\"items\":null}",
                                  &arena),
                        "7 abc");
    assert_string_equal(tell_list("{\"items\":[]}", &arena),
                        "the list, before its items: it has no resourceVersion");
    assert_string_equal(tell_list("{\"kind\":\"Status\"}", &arena),
                        "the answer is no list: it has no items");
    assert_string_equal(tell_list("{\"items\":[{}]}", &arena), "the items of the list are no list");
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(an_object_has_a_name_a_uid_and_a_version),
         cmocka_unit_test(an_event_has_a_type_and_an_object),
         cmocka_unit_test(a_list_says_its_version_before_its_items))
