/* A tree of files goes through copy_out's archive and copy_in; odd things are left out by name. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/copy_in.h"
#include "cli/copy_out.h"
#include "tests/fl_test.h"

#define LONG                                                                                       \
    "a-name-that-alone-has-no-room-in-a-head-of-an-archive-since-that-ends-at-a-hundred-bytes-"    \
    "and-"                                                                                         \
    "this-does-not"

static char home[64], told[4096];

static void on_left_out(void *ctx, const char *path, const char *why)
{
    size_t len = strlen(told);

    (void)ctx;
    snprintf(told + len, sizeof told - len, "%s: %s\n", path + strlen(home), why);
}

static const char *in_home(const char *name)
{
    static char paths[4][512];
    static unsigned n;
    char *path = paths[n++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", home, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_home(name), "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect_file(const char *name, const char *text)
{
    FILE *file = fopen(in_home(name), "r");
    char got[256] = {0};

    assert_non_null(file);
    assert_int_equal(fread(got, 1, sizeof got - 1, file), strlen(text));
    assert_string_equal(got, text);
    assert_int_equal(fclose(file), 0);
}

static struct copy_out *send_from(const char *path, const char *name)
{
    struct copy_out_config config = {.path = path, .name = name, .left_out = on_left_out};
    struct fl_err err = {0};
    struct copy_out *out = copy_out_create(&config, &err);

    assert_non_null(out);
    return out;
}

/* Through, in pieces of 'step' bytes. */
static void copy(const char *from, const char *base, const char *folder, const char *name,
                 size_t step)
{
    struct copy_in_config config = {
        .base = base, .folder = folder, .name = name, .left_out = on_left_out};
    struct fl_err err = {0};
    struct copy_in *in = copy_in_create(&config, &err);
    struct copy_out *out = send_from(from, base);
    char bytes[1000];
    size_t len;

    assert_non_null(in);
    while ((len = copy_out_next(out, bytes, step)) > 0) {
        assert_true(len <= step);
        assert_true(copy_in_put(in, (struct fl_str){bytes, len}, &err));
    }
    assert_true(copy_in_end(in, &err));
    assert_int_equal(copy_in_files(in), copy_out_files(out));
    assert_int_equal(copy_in_bytes(in), copy_out_bytes(out));
    copy_in_destroy(in);
    copy_out_destroy(out);
}

static int setup(void **state)
{
    (void)state;
    told[0] = 0;
    snprintf(home, sizeof home, "/tmp/fl-copy-XXXXXX");
    return mkdtemp(home) && mkdir(in_home("a"), 0755) == 0 && mkdir(in_home("a/b"), 0755) == 0 ? 0
                                                                                               : -1;
}

static int teardown(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", home);
    return system(command);
}

static void a_tree_goes_through_in_pieces_of_any_size(void **state)
{
    static const size_t steps[] = {1, 7, 512, 1000};

    (void)state;
    write_file("a/one", "1");
    write_file("a/b/" LONG, "long");
    write_file("a/b/none", "");
    for (size_t i = 0; i < 4; i++) {
        char name[16], path[200];

        snprintf(name, sizeof name, "c%zu", i);
        copy(in_home("a"), "a", home, name, steps[i]);
        snprintf(path, sizeof path, "%s/one", name);
        expect_file(path, "1");
        snprintf(path, sizeof path, "%s/b/" LONG, name);
        expect_file(path, "long");
        snprintf(path, sizeof path, "%s/b/none", name);
        expect_file(path, "");
    }
    copy(in_home("a/b/"), ".", in_home("c0"), ".", 100); /* its contents */
    expect_file("c0/" LONG, "long");
    copy(in_home("a/one"), "one", in_home("c0/b"), "two", 100);
    expect_file("c0/b/two", "1");
    assert_string_equal(told, "");
}

static void a_file_that_becomes_shorter_keeps_its_size_and_is_told(void **state)
{
    struct copy_out *out;
    struct stat size;
    char bytes[512];

    (void)state;
    write_file("a/log", "0123456789");
    out = send_from(in_home("a/log"), "log");
    assert_int_equal(copy_out_next(out, bytes, sizeof bytes), 512); /* the head */
    assert_int_equal(truncate(in_home("a/log"), 4), 0);
    assert_int_equal(copy_out_next(out, bytes, sizeof bytes), 4);
    assert_int_equal(copy_out_next(out, bytes, sizeof bytes), 6);
    assert_memory_equal(bytes, "\0\0\0\0\0\0", 6);
    assert_int_equal(copy_out_next(out, bytes, sizeof bytes), 502);
    assert_int_equal(copy_out_next(out, bytes, sizeof bytes), 512);
    assert_int_equal(copy_out_next(out, bytes, sizeof bytes), 512);
    assert_int_equal(copy_out_next(out, bytes, sizeof bytes), 0);
    copy_out_destroy(out);
    assert_string_equal(told, "/a/log: it became shorter; zeros stand for the rest\n");
    assert_int_equal(stat(in_home("a/log"), &size), 0);
}

static bool on_entry(void *ctx, const struct tar_entry *entry, struct fl_err *err)
{
    (void)err;
    *(uint64_t *)ctx = entry->size;
    return true;
}

static void a_file_of_many_gigabytes_has_its_size_in_the_head(void **state)
{
    uint64_t size = 0;
    struct tar_reader_port port = {&size, on_entry, NULL, NULL};
    struct tar_reader reader;
    struct fl_err err = {0};
    struct copy_out *out;
    char bytes[512];

    (void)state;
    write_file("a/big", "");
    assert_int_equal(truncate(in_home("a/big"), (off_t)9 << 30), 0);
    out = send_from(in_home("a/big"), "big");
    assert_int_equal(copy_out_next(out, bytes, sizeof bytes), 512);
    tar_reader_init(&reader, &port);
    assert_true(tar_reader_put(&reader, (struct fl_str){bytes, 512}, &err));
    assert_int_equal(size, (uint64_t)9 << 30);
    tar_reader_fini(&reader);
    copy_out_destroy(out);
}

static void what_is_no_file_is_left_out_by_name(void **state)
{
    (void)state;
    write_file("a/one", "1");
    assert_int_equal(mkfifo(in_home("a/pipe"), 0600), 0);
    assert_int_equal(symlink("one", in_home("a/link")), 0);
    copy(in_home("a"), "a", home, "c", 512);
    expect_file("c/one", "1");
    assert_non_null(strstr(told, "/a/pipe: it is no file, folder or link\n"));
    assert_int_equal(access(in_home("c/link"), F_OK), -1);
    assert_int_equal(access(in_home("c/pipe"), F_OK), -1);
}

static void a_place_that_is_not_there_is_said(void **state)
{
    struct copy_in_config in = {.base = "a", .folder = in_home("none"), .name = "a"};
    struct copy_out_config out = {.path = in_home("none"), .name = "a"};
    struct fl_err err = {0};

    (void)state;
    assert_null(copy_in_create(&in, &err));
    assert_non_null(strstr(err.text, "/none: No such file or directory"));
    assert_null(copy_out_create(&out, &err));
    assert_non_null(strstr(err.text, "/none: No such file or directory"));
}

FL_TESTS(cmocka_unit_test_setup_teardown(a_tree_goes_through_in_pieces_of_any_size, setup,
                                         teardown),
         cmocka_unit_test_setup_teardown(a_file_that_becomes_shorter_keeps_its_size_and_is_told,
                                         setup, teardown),
         cmocka_unit_test_setup_teardown(a_file_of_many_gigabytes_has_its_size_in_the_head, setup,
                                         teardown),
         cmocka_unit_test_setup_teardown(what_is_no_file_is_left_out_by_name, setup, teardown),
         cmocka_unit_test_setup_teardown(a_place_that_is_not_there_is_said, setup, teardown))
