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
    (void)unlinkat(fd, HIGH_WATER_COPY, 0);
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

static const char *const names[] = {HIGH_WATER_FILE, HIGH_WATER_COPY};

/* A crash tears a file that is written over; a person may have moved it away. */
static void damage(int fd, const char *name, const struct high_water *water, int how)
{
    char text[HIGH_WATER_BYTES_MAX];
    size_t len = high_water_encode(water, text);
    struct fl_err err = {0};

    text[len / 2] ^= 1;
    if (how == 0) {
        assert_int_equal(unlinkat(fd, name, 0), 0);
    } else {
        assert_true(fl_file_write(fd, name, text, how == 1 ? len : len / 2, 0600, &err));
    }
}

static void of_the_file_and_its_copy_one_may_be_damaged(void **state)
{
    struct high_water found, water = {.batch = 9, .epoch_below = 64};
    struct fl_err err = {0};
    char path[32];
    int fd = open_dir(path);

    (void)state;
    for (int which = 0; which < 2; which++) {
        for (int how = 0; how < 3; how++) {
            water.batch++;
            assert_true(high_water_file_write(fd, &water, &err));
            damage(fd, names[which], &water, how);
            assert_true(high_water_file_read(fd, &found, &err));
            assert_memory_equal(&found, &water, sizeof water);
        }
    }
    close_dir(fd, path);
}

static void two_damaged_ones_are_refused_by_name(void **state)
{
    struct high_water found, water = {.batch = 9, .epoch_below = 64};
    struct fl_err err = {0};
    char path[32];
    int fd = open_dir(path);

    (void)state;
    for (int which = 0; which < 2; which++) {
        for (int how = 0; how < 3; how++) {
            assert_true(high_water_file_write(fd, &water, &err));
            damage(fd, names[which], &water, how);
            damage(fd, names[!which], &water, 1);
            assert_false(high_water_file_read(fd, &found, &err));
            assert_int_equal(err.code, FL_TORN);
            assert_non_null(strstr(err.text,
                                   HIGH_WATER_FILE " in the state directory, or " HIGH_WATER_COPY
                                                   ": it is damaged"));
        }
    }
    close_dir(fd, path);
}

static void one_of_another_release_is_refused_whatever_the_copy_says(void **state)
{
    struct high_water found, water = {.batch = 9, .epoch_below = 64};
    static const char newer[] = "fairlead high-water 2\nbatch 9\n";
    struct fl_err err = {0};
    char path[32];
    int fd = open_dir(path);

    (void)state;
    assert_true(high_water_file_write(fd, &water, &err));
    assert_true(fl_file_write(fd, HIGH_WATER_FILE, newer, sizeof newer - 1, 0600, &err));
    assert_false(high_water_file_read(fd, &found, &err));
    assert_int_equal(err.code, FL_INVALID);
    damage(fd, HIGH_WATER_FILE, &water, 1);
    assert_true(fl_file_write(fd, HIGH_WATER_COPY, newer, sizeof newer - 1, 0600, &err));
    assert_false(high_water_file_read(fd, &found, &err));
    assert_int_equal(err.code, FL_INVALID);
    close_dir(fd, path);
}

static ino_t number_of(int fd, const char *name)
{
    struct stat found;

    assert_int_equal(fstatat(fd, name, &found, 0), 0);
    return found.st_ino;
}

/* A copy may be old, or torn: until both are whole, neither is written over. */
static void a_process_makes_both_anew_and_then_writes_over_them(void **state)
{
    struct high_water found, water = {.batch = UINT64_MAX, .epoch_below = UINT64_MAX};
    struct high_water_file *file;
    atomic_int wakes = 0;
    struct fl_err err = {0};
    ino_t before[2];
    char path[32];
    int fd = open_dir(path);

    (void)state;
    assert_true(high_water_file_write(fd, &water, &err));
    file = high_water_file_create(fd, note, &wakes);
    for (int write = 0; write < 3; write++, water = (struct high_water){.batch = 9}) {
        for (size_t i = 0; i < 2; i++) {
            before[i] = number_of(fd, names[i]);
        }
        high_water_file_put(file, &water);
        assert_true(result_of(file, &err));
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(number_of(fd, names[i]) == before[i], write > 0);
        }
    }
    assert_int_equal(unlinkat(fd, HIGH_WATER_COPY, 0), 0); /* the next write fails, ... */
    high_water_file_put(file, &water);
    assert_false(result_of(file, &err));
    high_water_file_put(file, &water); /* ... and the one behind it makes both */
    assert_true(result_of(file, &err));
    high_water_file_destroy(file);
    for (size_t i = 0; i < 2; i++) { /* a shorter text leaves nothing of the longer one */
        assert_true(high_water_file_read(fd, &found, &err));
        assert_int_equal(found.batch, 9);
        assert_int_equal(unlinkat(fd, names[i], 0), 0);
    }
    close_dir(fd, path);
}

FL_TESTS(cmocka_unit_test(what_is_written_is_found_at_the_next_start),
         cmocka_unit_test(a_write_that_fails_says_why_and_the_next_may_go),
         cmocka_unit_test(of_the_file_and_its_copy_one_may_be_damaged),
         cmocka_unit_test(two_damaged_ones_are_refused_by_name),
         cmocka_unit_test(one_of_another_release_is_refused_whatever_the_copy_says),
         cmocka_unit_test(a_process_makes_both_anew_and_then_writes_over_them))
