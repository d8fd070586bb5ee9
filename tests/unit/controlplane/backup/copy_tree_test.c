#include "controlplane/backup/copy_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fl_test.h"

struct world {
    char dir[64], from[80], to[80];
    unsigned copied; /* files, as on_more tells */
};

static const char *below(const char *folder, const char *name)
{
    static char path[4][256];
    static unsigned next;
    char *at = path[next++ % 4];

    snprintf(at, sizeof *path, "%s/%s", folder, name);
    return at;
}

static void put(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void has(const char *path, const char *text, mode_t mode)
{
    char got[64] = "";
    struct stat found;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_true(read(fd, got, sizeof got - 1) >= 0);
    assert_string_equal(got, text);
    assert_int_equal(fstat(fd, &found), 0);
    assert_int_equal(found.st_mode & 0777, mode);
    close(fd);
}

static bool is_there(const char *path)
{
    struct stat found;

    return lstat(path, &found) == 0;
}

static int set_up(void **state)
{
    static struct world world;

    world = (struct world){0};
    strcpy(world.dir, "/tmp/fl-copy-XXXXXX");
    assert_non_null(mkdtemp(world.dir));
    snprintf(world.from, sizeof world.from, "%s/from", world.dir);
    snprintf(world.to, sizeof world.to, "%s/to", world.dir);
    assert_int_equal(mkdir(world.from, 0700), 0);
    assert_int_equal(mkdir(below(world.from, "deep"), 0750), 0);
    put(below(world.from, "one"), "first", 0640);
    put(below(world.from, "deep/two"), "second", 0600);
    *state = &world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    struct fl_err err = {0};

    return copy_tree_remove(world->dir, &err) && !is_there(world->dir) ? 0 : -1;
}

static struct copy_tree plan(void)
{
    return (struct copy_tree){.uid = getuid(), .gid = getgid()};
}

static void all_of_it_is_copied(void **state)
{
    struct world *world = *state;
    struct copy_tree copy = plan();
    struct fl_err err = {0};
    struct stat one, other;

    assert_int_equal(mkfifo(below(world->from, "pipe"), 0600), 0);
    assert_int_equal(symlink("/etc/passwd", below(world->from, "link")), 0);
    assert_true(copy_tree(&copy, world->from, world->to, &err));
    has(below(world->to, "one"), "first", 0640);
    has(below(world->to, "deep/two"), "second", 0600);
    assert_int_equal(copy.files, 2);
    assert_int_equal(copy.bytes, 11);
    assert_false(is_there(below(world->to, "pipe"))); /* neither file nor folder */
    assert_false(is_there(below(world->to, "link")));
    assert_int_equal(stat(below(world->from, "one"), &one), 0);
    assert_int_equal(stat(below(world->to, "one"), &other), 0);
    assert_int_equal(one.st_mtim.tv_sec, other.st_mtim.tv_sec);
    assert_int_equal(one.st_mtim.tv_nsec, other.st_mtim.tv_nsec);
    assert_int_equal(stat(below(world->to, "deep"), &other), 0);
    assert_int_equal(other.st_mode & 0777, 0750);
}

static void one_name_of_the_top_is_left_out(void **state)
{
    struct world *world = *state;
    struct copy_tree copy = plan();
    struct fl_err err = {0};

    put(below(world->from, "deep/one"), "third", 0600);
    copy.without = "one";
    assert_true(copy_tree(&copy, world->from, world->to, &err));
    assert_false(is_there(below(world->to, "one")));
    has(below(world->to, "deep/one"), "third", 0600); /* not below */
}

static void files_that_are_there_are_replaced(void **state)
{
    struct world *world = *state;
    struct copy_tree copy = plan();
    struct fl_err err = {0};

    assert_int_equal(mkdir(world->to, 0700), 0);
    put(below(world->to, "one"), "something longer", 0600);
    put(below(world->to, "other"), "stays", 0600);
    assert_true(copy_tree(&copy, world->from, world->to, &err));
    has(below(world->to, "one"), "first", 0640);
    has(below(world->to, "other"), "stays", 0600);
}

/* As a store that merges does: listed files go, and the file in their place was not listed. */
static void merge(void *ctx, const struct copy_tree *copy)
{
    struct world *world = ctx;

    (void)copy;
    if (world->copied++ > 0) return;
    put(below(world->from, "merged"), "a and b", 0600);
    unlink(below(world->from, "deep/a"));
    unlink(below(world->from, "deep/b"));
    put(below(world->from, "deep/merged"), "a and b", 0600);
}

static void what_is_merged_meanwhile_is_not_lost(void **state)
{
    struct world *world = *state;
    struct copy_tree copy = plan();
    struct fl_err err = {0};

    put(below(world->from, "deep/a"), "a", 0600);
    put(below(world->from, "deep/b"), "b", 0600);
    copy.on_more = merge;
    copy.ctx = world;
    assert_true(copy_tree(&copy, world->from, world->to, &err));
    assert_true(is_there(below(world->to, "deep/merged")) ||
                (is_there(below(world->to, "deep/a")) && is_there(below(world->to, "deep/b"))));
}

static void what_cannot_be_read_is_named(void **state)
{
    struct world *world = *state;
    struct copy_tree copy = plan();
    struct fl_err err = {0};
    char path[160];

    assert_false(copy_tree(&copy, below(world->dir, "absent"), world->to, &err));
    assert_non_null(strstr(err.text, "absent: No such file"));
    snprintf(path, sizeof path, "%s/deep", world->from);
    for (unsigned i = 0; i < COPY_TREE_DEPTH_MAX; i++) {
        assert_true(strlen(path) + 3 < sizeof path);
        strcat(path, "/d");
        assert_int_equal(mkdir(path, 0700), 0);
    }
    assert_false(copy_tree(&copy, world->from, world->to, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    assert_non_null(strstr(err.text, "nested more than 16 deep"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_it_is_copied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_name_of_the_top_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_are_there_are_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_merged_meanwhile_is_not_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_named, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
