/* A command in a pod: its request, its terminal's size, its end. */
#include "agent/kube/kube_channel.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static const struct kube_channel_target target = {"ns", "fl-1-0-1-main-0", {"main", 4}};

static void words_are_escaped_one_by_one(void **state)
{
    struct fl_str words[] = {FL_STR("sh"), FL_STR("-c"), FL_STR("echo a&b=c \"\xc3\xa9\""),
                             FL_STR("")};
    struct fl_visit_open open = {.words = words, .words_len = 4};
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        kube_channel_path(&target, &open, "m", &arena),
        "/api/v1/namespaces/ns/pods/fl-1-0-1-main-0/exec?stdout=true&stdin=true&stderr=true"
        "&container=main&command=sh&command=-c&command=echo%20a%26b%3Dc%20%22%C3%A9%22&command=");
    fl_arena_fini(&arena);
}

static void the_longest_command_fits(void **state)
{
    static char text[FL_VISIT_BYTES_MAX];
    struct fl_str word = {text, sizeof text};
    struct fl_visit_open open = {.words = &word, .words_len = 1};
    struct fl_arena arena = {0};

    (void)state;
    memset(text, '%', sizeof text);
    assert_true(strlen(kube_channel_path(&target, &open, "m", &arena)) > 3 * sizeof text);
    fl_arena_fini(&arena);
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static void shells_and_terminals_get_a_mark_and_the_visitors_term(void **state)
{
    struct fl_str words[] = {FL_STR("top"), FL_STR("-b")};
    struct fl_visit_open open = {.has_tty = true, .term = FL_STR("vt220")};
    struct fl_arena arena = {0};
    const char *path = kube_channel_path(&target, &open, "f00d", &arena);

    (void)state;
    assert_true(kube_channel_has_mark(&open));
    assert_non_null(strstr(path, "stdout=true&stdin=true&tty=true&container=main&"
                                 "command=%2Fbin%2Fsh&command=-c&command=FAIRLEAD_VISIT%3D%241"));
    assert_true(ends_with(path, "&command=sh&command=f00d&command=vt220"));
    open.words = words;
    open.words_len = 2;
    path = kube_channel_path(&target, &open, "f00d", &arena);
    assert_true(ends_with(path, "&command=f00d&command=vt220&command=top&command=-b"));
    open = (struct fl_visit_open){0};
    path = kube_channel_path(&target, &open, "f00d", &arena);
    assert_true(ends_with(path, "&command=sh&command=f00d&command="));
    assert_non_null(strstr(path, "&stderr=true"));
    open = (struct fl_visit_open){.words = words, .words_len = 2};
    assert_false(kube_channel_has_mark(&open));
    assert_true(ends_with(kube_channel_path(&target, &open, "f00d", &arena),
                          "&container=main&command=top&command=-b"));
    path = kube_channel_hangup_path(&target, "f00d", &arena);
    assert_true(ends_with(path, "&command=sh&command=f00d"));
    assert_null(strstr(path, "stdin"));
    fl_arena_fini(&arena);
}

static void a_size_is_json(void **state)
{
    static const char size[] = "{\"Width\":65535,\"Height\":24}";
    struct fl_buf text;

    (void)state;
    fl_buf_init(&text, KUBE_CHANNEL_SIZE_BYTES_MAX);
    kube_channel_put_size(&text, (struct fl_visit_size){.rows = 24, .columns = 65535});
    assert_int_equal(text.len, sizeof size - 1);
    assert_memory_equal(text.at, size, text.len);
    fl_buf_fini(&text);
}

static const char *told(const char *status)
{
    static char text[400];
    struct fl_err err = {0};
    int32_t code = -1;

    if (kube_channel_status(fl_str_c(status), &code, &err)) {
        snprintf(text, sizeof text, "%d", (int)code);
    } else {
        snprintf(text, sizeof text, "%s: %s", fl_code_name(err.code), err.text);
    }
    return text;
}

#define CODE(message)                                                                              \
    "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated\","                  \
    "\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\"Other\","               \
    "\"message\":\"1\"},{\"reason\":\"ExitCode\",\"message\":\"" message "\"}]}}"

static void a_status_is_an_exit_code_or_the_clusters_words(void **state)
{
    (void)state;
    assert_string_equal(told("{\"metadata\":{},\"status\":\"Success\"}"), "0");
    assert_string_equal(told(CODE("7")), "7");
    assert_string_equal(told(CODE("137")), "137");
    assert_string_equal(told(CODE("-7")), "unavailable: the API server answers 500 "
                                          "NonZeroExitCode: command terminated");
    assert_string_equal(told("{\"status\":\"Failure\",\"reason\":\"InternalError\",\"code\":500,"
                             "\"message\":\"no\\nsuch container\"}"),
                        "unavailable: the API server answers 500 InternalError: no such container");
    assert_string_equal(told("{\"status\":\"Failure\",\"reason\":\"Forbidden\",\"code\":403,"
                             "\"message\":\"not for you\"}"),
                        "denied: the API server answers 403 Forbidden: not for you");
    assert_string_equal(
        told("{\"status\":\"Failure\",\"reason\":\"InternalError\",\"code\":500,\"message\":"
             "\"Internal error occurred: error executing command in container: failed to exec in "
             "container: failed to start exec "
             "\\\"a48bc6374e3c969c1703d0b19cbaef98efab083ccd900b18\\\""
             ": OCI runtime exec failed: exec failed: unable to start container process: exec: "
             "\\\"nope\\\": executable file not found in $PATH: unknown\"}"),
        "invalid: the command cannot begin: OCI runtime exec failed: exec failed: unable to start "
        "container process: exec: "
        "\"nope\": executable file not found in $PATH: unknown");
    assert_string_equal(
        told("{\"status\":\"Failure\",\"reason\":\"InternalError\",\"code\":500,\"message\":"
             "\"one: two, which is a long text that goes on and on and on and on and on and on and "
             "on "
             "and on and on: and then the last: dial tcp 10.0.0.1:10250: connect: connection "
             "refused\"}"),
        "unavailable: the cluster says: and then the last: dial tcp 10.0.0.1:10250: connect: "
        "connection refused");
    assert_non_null(strstr(told("exit 0"), "invalid: the API server's last word is no Status: "));
    assert_non_null(strstr(told("[]"), "unavailable: "));
}

FL_TESTS(cmocka_unit_test(words_are_escaped_one_by_one), cmocka_unit_test(the_longest_command_fits),
         cmocka_unit_test(shells_and_terminals_get_a_mark_and_the_visitors_term),
         cmocka_unit_test(a_size_is_json),
         cmocka_unit_test(a_status_is_an_exit_code_or_the_clusters_words))
