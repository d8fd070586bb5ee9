#include "shared/io/state_dir.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "shared/io/file.h"
#include "tests/fl_test.h"

static char folder[] = "/tmp/fl_state_dir_test.XXXXXX";
static char path[sizeof folder + 16];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/fl_state_dir_test.XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/a/b", folder);
    return 0;
}

static int remove_one(const char *name, const struct stat *found, int kind, struct FTW *walk)
{
    (void)found;
    (void)kind;
    (void)walk;
    return remove(name);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void it_is_made_locked_and_keeps_its_instance(void **state)
{
    struct fl_state_dir *dir = NULL, *again = NULL;
    char instance[FL_STATE_DIR_INSTANCE_MAX], pid[32];
    struct fl_err err = {0};
    struct stat found;

    (void)state;
    assert_true(fl_state_dir_open(path, &dir, &err));
    assert_string_equal(fl_state_dir_path(dir), path);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0700);
    assert_int_equal(strlen(fl_state_dir_instance(dir)), 32);
    memcpy(instance, fl_state_dir_instance(dir), sizeof instance);

    assert_false(fl_state_dir_open(path, &again, &err));
    assert_int_equal(err.code, FL_CONFLICT);
    snprintf(pid, sizeof pid, "process %d", (int)getpid());
    assert_non_null(strstr(err.text, pid));

    fl_state_dir_close(dir);
    assert_true(fl_state_dir_open(path, &dir, &err));
    assert_string_equal(fl_state_dir_instance(dir), instance);
    fl_state_dir_close(dir);
    fl_state_dir_close(NULL);
}

static void a_broken_instance_is_refused_and_not_replaced(void **state)
{
    struct fl_state_dir *dir = NULL;
    struct fl_err err = {0};

    (void)state;
    assert_true(fl_state_dir_open(path, &dir, &err));
    assert_true(fl_file_write(fl_state_dir_fd(dir), "instance", "no", 2, 0600, &err));
    fl_state_dir_close(dir);
    assert_false(fl_state_dir_open(path, &dir, &err));
    assert_int_equal(err.code, FL_TORN);
}

static void files_are_written_whole_read_bounded_and_removed(void **state)
{
    struct fl_state_dir *dir = NULL;
    struct fl_err err = {0};
    struct fl_buf text;
    struct stat found;
    int fd;

    (void)state;
    assert_true(fl_state_dir_open(path, &dir, &err));
    fd = fl_state_dir_fd(dir);
    fl_buf_init(&text, 5);
    assert_false(fl_file_read(fd, "x", &text, &err));
    assert_int_equal(err.code, FL_ABSENT);
    assert_true(fl_file_write(fd, "x", "hello", 5, 0600, &err));
    assert_true(fl_file_read(fd, "x", &text, &err));
    assert_memory_equal(text.at, "hello", 5);
    assert_true(fl_file_write(fd, "x", "h", 1, 0644, &err));
    assert_int_equal(fstatat(fd, "x", &found, 0), 0);
    assert_int_equal(found.st_size, 1);
    assert_int_equal(found.st_mode & 0777, 0644);
    assert_int_equal(fstatat(fd, "x.new", &found, 0), -1);

    fl_buf_clear(&text);
    assert_true(fl_file_write(fd, "x", "hello!", 6, 0600, &err));
    assert_false(fl_file_read(fd, "x", &text, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    assert_int_equal(text.len, 0);
    assert_false(fl_file_write(fd, "no/x", "h", 1, 0600, &err));
    assert_true(fl_file_remove(fd, "x", &err));
    assert_true(fl_file_remove(fd, "x", &err));
    assert_int_equal(fstatat(fd, "x", &found, 0), -1);
    fl_buf_fini(&text);
    fl_state_dir_close(dir);
}

static void a_file_is_written_over_in_place(void **state)
{
    struct fl_state_dir *dir = NULL;
    struct fl_err err = {0};
    struct stat first, found;
    struct fl_buf text;
    int fd;

    (void)state;
    assert_true(fl_state_dir_open(path, &dir, &err));
    fd = fl_state_dir_fd(dir);
    fl_buf_init(&text, 9);
    assert_false(fl_file_overwrite(fd, "x", "hello", 5, &err));
    assert_int_equal(err.code, FL_ABSENT);
    assert_true(fl_file_write(fd, "x", "hello", 5, 0600, &err));
    assert_int_equal(fstatat(fd, "x", &first, 0), 0);
    assert_true(fl_file_overwrite(fd, "x", "bye", 3, &err));
    assert_int_equal(fstatat(fd, "x", &found, 0), 0);
    assert_int_equal(found.st_ino, first.st_ino);
    assert_true(fl_file_read(fd, "x", &text, &err));
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.at, "bye", 3);
    assert_false(fl_file_overwrite(fd, "no/x", "h", 1, &err));
    assert_int_equal(err.code, FL_ABSENT);
    assert_int_equal(symlinkat("y", fd, "link"), 0);
    assert_false(fl_file_overwrite(fd, "link", "h", 1, &err));
    assert_int_equal(fstatat(fd, "y", &found, 0), -1);
    assert_int_equal(unlinkat(fd, "link", 0), 0);
    assert_true(fl_file_remove(fd, "x", &err));
    fl_buf_fini(&text);
    fl_state_dir_close(dir);
}

FL_TESTS(cmocka_unit_test_setup_teardown(it_is_made_locked_and_keeps_its_instance, make_folder,
                                         remove_folder),
         cmocka_unit_test_setup_teardown(a_broken_instance_is_refused_and_not_replaced, make_folder,
                                         remove_folder),
         cmocka_unit_test_setup_teardown(files_are_written_whole_read_bounded_and_removed,
                                         make_folder, remove_folder),
         cmocka_unit_test_setup_teardown(a_file_is_written_over_in_place, make_folder,
                                         remove_folder))
