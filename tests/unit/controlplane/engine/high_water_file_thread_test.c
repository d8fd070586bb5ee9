#include "controlplane/engine/high_water_file.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/io/file.h"
#include "tests/fl_test.h"

static int open_dir(char path[32])
{
    int fd;

    memcpy(path, "/tmp/fl-high-water-XXXXXX", 26);
    assert_non_null(mkdtemp(path));
    fd = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0);
    return fd;
}

static void close_dir(int fd, const char *path)
{
    (void)unlinkat(fd, HIGH_WATER_FILE, 0);
    close(fd);
    assert_int_equal(rmdir(path), 0);
}

static void note(void *ctx)
{
    atomic_fetch_add((atomic_int *)ctx, 1);
}

/* At most 10 s. */
static bool result_of(struct high_water_file *file, struct fl_err *err)
{
    bool is_good = false;

    for (int i = 0; i < 10000; i++) {
        if (high_water_file_take_result(file, &is_good, err)) return is_good;
        usleep(1000);
    }
    fail_msg("no write has ended");
    return false;
}

static void what_is_written_is_found_at_the_next_start(void **state)
{
    struct high_water found = {.batch = 1}, water = {.batch = 9, .epoch_below = 64};
    atomic_int wakes = 0;
    char path[32];
    int fd = open_dir(path);
    struct high_water_file *file = high_water_file_create(fd, note, &wakes);
    struct fl_err err = {0};

    (void)state;
    assert_true(high_water_file_read(fd, &found, &err));
    assert_int_equal(found.batch, 0); /* there was none */
    assert_false(high_water_file_has_result(file));
    for (; water.batch < 20; water.batch++) {
        high_water_file_put(file, &water);
        assert_true(result_of(file, &err));
        assert_true(high_water_file_read(fd, &found, &err));
        assert_memory_equal(&found, &water, sizeof water);
    }
    high_water_file_destroy(file);
    assert_int_equal(wakes, 11);
    close_dir(fd, path);
}

static void a_write_that_fails_says_why_and_the_next_may_go(void **state)
{
    struct high_water water = {.batch = 9};
    atomic_int wakes = 0;
    char path[32];
    int fd = open_dir(path);
    struct high_water_file *file = high_water_file_create(fd, note, &wakes);
    struct fl_err err = {0};

    (void)state;
    assert_int_equal(mkdirat(fd, HIGH_WATER_FILE, 0700), 0); /* no file takes its place */
    high_water_file_put(file, &water);
    assert_false(result_of(file, &err));
    assert_non_null(strstr(err.text, HIGH_WATER_FILE));
    assert_int_equal(unlinkat(fd, HIGH_WATER_FILE, AT_REMOVEDIR), 0);
    high_water_file_put(file, &water);
    assert_true(result_of(file, &err));
    high_water_file_destroy(file);
    close_dir(fd, path);
}

static void a_damaged_file_is_refused_by_name(void **state)
{
    struct high_water found;
    struct fl_err err = {0};
    char path[32];
    int fd = open_dir(path);

    (void)state;
    assert_true(fl_file_write(fd, HIGH_WATER_FILE, "fairlead high-water 1\n", 22, 0600, &err));
    assert_false(high_water_file_read(fd, &found, &err));
    assert_int_equal(err.code, FL_TORN);
    assert_non_null(strstr(err.text, HIGH_WATER_FILE " in the state directory"));
    close_dir(fd, path);
}

FL_TESTS(cmocka_unit_test(what_is_written_is_found_at_the_next_start),
         cmocka_unit_test(a_write_that_fails_says_why_and_the_next_may_go),
         cmocka_unit_test(a_damaged_file_is_refused_by_name))
