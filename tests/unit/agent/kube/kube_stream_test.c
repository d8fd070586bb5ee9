#include "agent/kube/kube_stream.h"

#include <stdlib.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"

struct story {
    char text[4096];
    size_t len;
};

static void __attribute__((format(printf, 2, 3))) tell(struct story *story, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(story->text + story->len, sizeof story->text - story->len, fmt, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < sizeof story->text - story->len);
    story->len += (size_t)len;
}

static void tell_piece(struct story *story, const struct kube_piece *piece)
{
    static const char *const names[] = {"none", "head", "object", "end"};

    tell(story, "%s", names[piece->kind]);
    if (piece->text.len > 0) tell(story, " " FL_STR_FMT, FL_STR_ARG(piece->text));
    tell(story, "\n");
}

/* The pieces of a text that comes in parts of 'part' bytes, a line each. */
static struct story read_in_parts(enum kube_stream_kind kind, const char *text, size_t part,
                                  size_t object_bytes_max)
{
    struct kube_stream stream;
    struct story story = {0};
    struct fl_err err = {0};
    size_t len = strlen(text);
    bool is_good = true;

    kube_stream_init(&stream, kind, object_bytes_max);
    for (size_t at = 0; at < len && is_good; at += part) {
        size_t now = len - at < part ? len - at : part;
        char *copy = fl_alloc(now); /* so that a read behind the part is seen */
        struct fl_str bytes = {copy, now};
        struct kube_piece piece;

        memcpy(copy, text + at, now);
        while ((is_good = kube_stream_next(&stream, &bytes, &piece, &err)) && piece.kind) {
            tell_piece(&story, &piece);
        }
        assert_true(!is_good || bytes.len == 0);
        fl_free(copy);
    }
    if (!is_good || !kube_stream_end(&stream, &err)) {
        tell(&story, "%s: %s\n", fl_code_name(err.code), err.text);
    }
    kube_stream_fini(&stream);
    return story;
}

static void expect(enum kube_stream_kind kind, const char *text, const char *wanted)
{
    for (size_t part = 1; part <= strlen(text); part++) {
        struct story story = read_in_parts(kind, text, part, 0);

        assert_string_equal(story.text, wanted);
    }
}

static void the_items_of_a_list_come_one_by_one(void **state)
{
    (void)state;
    expect(KUBE_STREAM_LIST,
           "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"a\":1},\n"
           "{\"b\":[{}]}]}\n",
           "head {\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}\n"
           "object {\"a\":1}\nobject {\"b\":[{}]}\nend\n");
    expect(KUBE_STREAM_LIST, "{\"items\":[],\"metadata\":{\"a\":[1,\"x]}\"]},\"n\":1}",
           "head {\"items\":[]}\nend\n");
    expect(KUBE_STREAM_LIST, " { \"items\" : [ { } , { } ] } ",
           "head {\"items\":[]}\nobject { }\nobject { }\nend\n");
}

static void what_has_no_items_is_all_head(void **state)
{
    (void)state;
    expect(KUBE_STREAM_LIST, "{\"kind\":\"Status\",\"code\":410}",
           "head {\"kind\":\"Status\",\"code\":410}\nend\n");
    expect(KUBE_STREAM_LIST, "{\"kind\":\"PodList\",\"items\":null}",
           "head {\"kind\":\"PodList\",\"items\":null}\nend\n");
    expect(KUBE_STREAM_LIST, "{}", "head {}\nend\n");
    expect(KUBE_STREAM_LIST, "{\"a\":{\"items\":[{}]}}",
           "head {\"a\":{\"items\":[{}]}}\nend\n"); /* not its own */
    expect(KUBE_STREAM_LIST, "{\"item\\\"s\":[{}],\"itemss\":[{}],\"item\":[{}]}",
           "head {\"item\\\"s\":[{}],\"itemss\":[{}],\"item\":[{}]}\nend\n");
}

static void brackets_in_strings_do_not_count(void **state)
{
    (void)state;
    expect(KUBE_STREAM_LIST,
           "{\"items\":[{\"a\":\"}]\\\"}\\\\\"},{\"{\\\\\":\"a string that is longer than a block "
           "of 16\"}]}",
           "head {\"items\":[]}\nobject {\"a\":\"}]\\\"}\\\\\"}\nobject {\"{\\\\\":\"a string that "
           "is longer than a block of 16\"}\nend\n");
}

static void what_is_no_list_is_refused(void **state)
{
    static const char *const texts[] = {
        "[]",
        "invalid: the answer is no list: it has '[', not an opening brace\n",
        "{]",
        "invalid: the answer is no list: it has ']', not a key\n",
        "{\"a\":1,}",
        "invalid: the answer is no list: it has '}', not a key\n",
        "{\"a\"}",
        "invalid: the answer is no list: it has '}', not a colon\n",
        "{\"a\":}",
        "invalid: the answer is no list: it has '}', not a value\n",
        "{\"a\":1 2}",
        "invalid: the answer is no list: it has '2', not a comma or its end\n",
        "{\"a\":1}\x01",
        "invalid: the answer is no list: it has byte 0x01, not its end\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i += 2) {
        struct story story = read_in_parts(KUBE_STREAM_LIST, texts[i], 1, 0);
        char *refusal = strrchr(story.text, ':');

        while (refusal && refusal > story.text && refusal[-1] != '\n') {
            refusal--;
        }
        assert_string_equal(refusal, texts[i + 1]);
    }
    expect(KUBE_STREAM_LIST, "{\"items\":[1]}",
           "head {\"items\":[]}\ninvalid: the answer is no list: it has '1', not an object among "
           "its items\n");
    expect(KUBE_STREAM_LIST, "{\"items\":[{},]}",
           "head {\"items\":[]}\nobject {}\ninvalid: the answer is no list: it has ']', not an "
           "object among its items\n");
    expect(KUBE_STREAM_LIST, "{\"items\":[],\"items\":[]}",
           "head {\"items\":[]}\ninvalid: the answer is no list: it has two lists of items\n");
}

static void a_cut_is_no_end(void **state)
{
    const char *whole = "{\"a\":\"b\",\"items\":[{\"c\":1},{}]}";
    char text[64];

    (void)state;
    for (size_t len = 1; len < strlen(whole); len++) {
        struct story story;

        snprintf(text, sizeof text, "%.*s", (int)len, whole);
        story = read_in_parts(KUBE_STREAM_LIST, text, 64, 0);
        assert_non_null(strstr(story.text, "torn: the list ends too early\n"));
    }
}

static void a_watch_has_an_event_a_line(void **state)
{
    (void)state;
    expect(KUBE_STREAM_WATCH, "{\"type\":\"ADDED\"}\n\r\n{\"type\":\"DELETED\"}\r\n",
           "object {\"type\":\"ADDED\"}\nobject {\"type\":\"DELETED\"}\r\n");
    expect(KUBE_STREAM_WATCH, "{}\n{\"a\"", "object {}\ntorn: the watch ends within an event\n");
    expect(KUBE_STREAM_WATCH, "\n \n", "");
}

static void a_failure_stays(void **state)
{
    struct kube_stream stream;
    struct kube_piece piece;
    struct fl_err err = {0}, again = {0};
    struct fl_str bytes = FL_STR("[");

    (void)state;
    kube_stream_init(&stream, KUBE_STREAM_LIST, 0);
    assert_false(kube_stream_next(&stream, &bytes, &piece, &err));
    bytes = FL_STR("{}");
    assert_false(kube_stream_next(&stream, &bytes, &piece, &again));
    assert_string_equal(err.text, again.text);
    assert_false(kube_stream_end(&stream, &again));
    kube_stream_fini(&stream);
}

/* Without the zero byte. */
static void write_over(char *at, const char *text)
{
    while (*text) {
        *at++ = *text++;
    }
}

static void sizes_are_bounded(void **state)
{
    static char text[KUBE_STREAM_HEAD_BYTES_MAX + 128];
    struct story story;

    (void)state;
    for (size_t part = 1; part < 40; part++) {
        story = read_in_parts(KUBE_STREAM_LIST, "{\"items\":[{},{\"a\":\"123456\"}]}", part, 13);
        assert_non_null(strstr(story.text, "too_large: an object has over 13 bytes"));
        story = read_in_parts(KUBE_STREAM_LIST, "{\"items\":[{},{\"a\":\"123456\"}]}", part, 14);
        assert_non_null(strstr(story.text, "end\n"));
        story = read_in_parts(KUBE_STREAM_WATCH, "{\"a\":\"123456\"}\n", part, 13);
        assert_string_equal(story.text, "too_large: an object has over 13 bytes\n");
        story = read_in_parts(KUBE_STREAM_WATCH, "{\"a\":\"123456\"}\n", part, 14);
        assert_string_equal(story.text, "object {\"a\":\"123456\"}\n");
    }
    memset(text, 'x', sizeof text - 1);
    write_over(text, "{\"a\":\"");
    story = read_in_parts(KUBE_STREAM_LIST, text, 1000, 0);
    assert_string_equal(story.text, "too_large: the list has over 65536 bytes beside its items\n");
    memset(text, '[', 100);
    write_over(text, "{\"items\":[{\"a\":");
    story = read_in_parts(KUBE_STREAM_LIST, text, 1000, 0);
    assert_non_null(strstr(story.text, "too_large: an object is nested over 64 deep"));
}

FL_TESTS(cmocka_unit_test(the_items_of_a_list_come_one_by_one),
         cmocka_unit_test(what_has_no_items_is_all_head),
         cmocka_unit_test(brackets_in_strings_do_not_count),
         cmocka_unit_test(what_is_no_list_is_refused), cmocka_unit_test(a_cut_is_no_end),
         cmocka_unit_test(a_watch_has_an_event_a_line), cmocka_unit_test(a_failure_stays),
         cmocka_unit_test(sizes_are_bounded))
