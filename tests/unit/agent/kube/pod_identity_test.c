#include "agent/kube/pod_identity.h"

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "shared/json/json_out.h"
#include "tests/fl_test.h"

#define LABELS(job, element, attempt, replica)                                                     \
    "\"labels\":{\"app.kubernetes.io/managed-by\":\"fairlead\",\"fairlead.dev/job\":\"" job        \
    "\",\"fairlead.dev/element\":\"" element "\",\"fairlead.dev/attempt\":\"" attempt              \
    "\",\"fairlead.dev/incarnation\":\"1\",\"fairlead.dev/role\":\"main\","                        \
    "\"fairlead.dev/replica\":\"" replica "\"}"
#define POD(name, labels) "{\"name\":\"" name "\"," labels "}"

static bool read_labels(const char *text, struct pod_identity *ret_identity)
{
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_err err = {0};
    bool is_read;

    assert_true(fl_json_parse(fl_str_c(text), &arena, &root, NULL, &err));
    is_read = pod_identity_read(root, ret_identity);
    ret_identity->role = FL_STR("main");
    fl_arena_fini(&arena);
    return is_read;
}

static void a_name_says_which_replica_a_pod_is(void **state)
{
    struct pod_identity identity = {
        {.job = {77}, .element = 3, .n = 2, .incarnation = 1}, 5, FL_STR("worker")};
    char name[POD_NAME_BYTES_MAX + 1];

    (void)state;
    pod_identity_name(&identity, name);
    assert_string_equal(name, "fl-2d-3-2-worker-5");
    pod_identity_service(&identity, name);
    assert_string_equal(name, "fl-2d-3-2");
    pod_identity_host(&identity, name);
    assert_string_equal(name, "worker-5");
}

static void the_longest_name_fits_a_label(void **state)
{
    struct pod_identity identity = {
        {.job = {UINT64_MAX}, .element = UINT32_MAX, .n = UINT16_MAX, .incarnation = 1},
        1023,
        FL_STR("abcdefghijklmnopqrstuvwx")};
    char name[POD_NAME_BYTES_MAX + 1];

    (void)state;
    pod_identity_name(&identity, name);
    assert_true(fl_str_is_name(fl_str_c(name)));
}

static void labels_that_are_written_are_read(void **state)
{
    struct pod_identity identity = {
        {.job = {UINT64_MAX}, .element = 16777215, .n = 65535, .incarnation = UINT32_MAX},
        1023,
        FL_STR("main")};
    struct pod_identity found;
    char name[POD_NAME_BYTES_MAX + 1];
    struct fl_json_out json;
    struct fl_buf text;

    (void)state;
    fl_buf_init(&text, 4000);
    json = fl_json_out(&text);
    pod_identity_name(&identity, name);
    fl_json_open(&json, NULL, '{');
    fl_json_put_cstr(&json, "name", name);
    fl_json_open(&json, "labels", '{');
    pod_identity_put_labels(&identity, &json);
    fl_json_close(&json, '}');
    fl_json_close(&json, '}');
    assert_true(fl_buf_put_u8(&text, 0));
    assert_true(read_labels((const char *)text.at, &found));
    assert_true(fl_attempt_is_same(found.attempt, identity.attempt));
    assert_int_equal(found.replica, identity.replica);
    fl_buf_fini(&text);
}

static void other_pods_are_none_of_ours(void **state)
{
    static const char *const others[] = {
        "{}",
        "{\"name\":\"web\",\"labels\":{\"app\":\"web\"}}",
        POD("fl-2d-3-2-main-1", LABELS("job-2d", "3", "2", "0")), /* a copy under another name */
        POD("fl-2d-3-2-main-0", LABELS("2d", "3", "2", "0")),
        POD("fl-2d-3-2-main-0", LABELS("job-2d", "-3", "2", "0")),
        POD("fl-2d-3-65536-main-0", LABELS("job-2d", "3", "65536", "0")),
        POD("fl-2d-3-2-main-1024", LABELS("job-2d", "3", "2", "1024")),
        POD("fl-2d-3-2-main-0", "\"labels\":{\"fairlead.dev/job\":\"job-2d\"}"),
    };
    struct pod_identity found = {0};

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(read_labels(others[i], &found));
    }
    assert_true(read_labels(POD("fl-2d-3-2-main-0", LABELS("job-2d", "3", "2", "0")), &found));
    assert_int_equal(found.attempt.job.n, 77);
}

FL_TESTS(cmocka_unit_test(a_name_says_which_replica_a_pod_is),
         cmocka_unit_test(the_longest_name_fits_a_label),
         cmocka_unit_test(labels_that_are_written_are_read),
         cmocka_unit_test(other_pods_are_none_of_ours))
