#include "controlplane/backup/manifest.h"

#include "shared/tls/digest.h"
#include "tests/fl_test.h"

static struct manifest some(void)
{
    return (struct manifest){
        .program = FL_STR("0.9.0"),
        .made_at = 1700000000123,
        .schema = 20,
        .batch = 12345,
        .dump_bytes = UINT64_C(7000000000),
        .dump_digest = fl_sha256("dump", 4),
        .state_files = 12,
        .state_bytes = 3456,
        .has_logs = true,
    };
}

static void what_is_written_is_read(void **state)
{
    struct manifest wrote = some(), read;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf text;

    (void)state;
    fl_buf_init(&text, MANIFEST_BYTES_MAX);
    manifest_write(&wrote, &text);
    assert_true(
        manifest_read((struct fl_str){(const char *)text.at, text.len}, &arena, &read, &err));
    assert_true(fl_str_eq(read.program, wrote.program));
    assert_int_equal(read.made_at, wrote.made_at);
    assert_int_equal(read.schema, 20);
    assert_int_equal(read.batch, 12345);
    assert_int_equal(read.dump_bytes, wrote.dump_bytes);
    assert_true(fl_digest_eq(read.dump_digest, wrote.dump_digest));
    assert_int_equal(read.state_files, 12);
    assert_int_equal(read.state_bytes, 3456);
    assert_true(read.has_logs);
    fl_buf_fini(&text);
    fl_arena_fini(&arena);
}

/* Each member, spelled otherwise, is missed by its name. */
static void what_lacks_something_is_none(void **state)
{
    static const char *const names[] = {"format",   "program", "madeAt", "schema", "batch",
                                        "database", "sha256",  "state",  "files",  "hasLogs"};
    struct manifest wrote = some(), read;
    struct fl_arena arena = {0};
    struct fl_buf text;

    (void)state;
    fl_buf_init(&text, MANIFEST_BYTES_MAX);
    manifest_write(&wrote, &text);
    assert_true(fl_buf_put_u8(&text, 0));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *at = strstr((char *)text.at, names[i]), kept;
        struct fl_err err = {0};

        assert_non_null(at);
        kept = *at;
        *at = '_';
        assert_false(manifest_read(fl_str_c((const char *)text.at), &arena, &read, &err));
        assert_int_equal(err.code, FL_TORN);
        assert_non_null(strstr(err.text, names[i]));
        *at = kept;
    }
    fl_buf_fini(&text);
    fl_arena_fini(&arena);
}

static void another_format_is_not_guessed_at(void **state)
{
    struct fl_arena arena = {0};
    struct manifest read;
    struct fl_err err = {0};

    (void)state;
    assert_false(manifest_read(FL_STR("{\"format\":2,\"database\":7}"), &arena, &read, &err));
    assert_int_equal(err.code, FL_UNSUPPORTED);
    assert_false(manifest_read(FL_STR("[1,"), &arena, &read, &err));
    assert_int_equal(err.code, FL_TORN);
    assert_false(manifest_read(FL_STR("[]"), &arena, &read, &err));
    assert_int_equal(err.code, FL_TORN);
    fl_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_lacks_something_is_none),
        cmocka_unit_test(another_format_is_not_guessed_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
