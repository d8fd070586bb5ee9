/* Folders that replicas left: kept, measured bit by bit, found again by the next agent, removed;
 * in a real folder, by the real clock. */
#include "agent/process/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/remove_tree.h"
#include "agent/process/tree_size.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"

enum { LATE_MS = 60000, MANY = 2000 };

#define FIRST "job-1-0-1-1-0"
#define SECOND "job-2-0-1-1-0"

struct world {
    struct fl_loop *loop;
    struct results *results;
    struct result_limits limits;
    char path[64], kept_path[80];
    int dir;
    unsigned swept;
    fl_ms began_at;
};

/* Removes at once what an agent removes bit by bit. */
static bool on_sweep(void *ctx, int dir, const char *name)
{
    ((struct world *)ctx)->swept++;
    return remove_tree_some(dir, name, 1000000);
}

static void open_kept(struct world *world)
{
    results_destroy(world->results);
    world->results = results_create(world->loop, world->kept_path, &world->limits,
                                    &(struct results_port){world, on_sweep});
}

static void begin(struct world *world)
{
    *world = (struct world){
        .loop = fl_loop_create(),
        .began_at = fl_clock_mono(),
        .limits = {FL_HOUR_MS, 1 << 30, 1 << 28, RESULT_ENTRIES_MAX},
    };
    snprintf(world->path, sizeof world->path, "/tmp/fl-kept-XXXXXX");
    assert_non_null(mkdtemp(world->path));
    snprintf(world->kept_path, sizeof world->kept_path, "%s/kept", world->path);
    world->dir = open(world->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(world->dir >= 0);
    open_kept(world);
}

static void end(struct world *world)
{
    results_destroy(world->results);
    fl_loop_destroy(world->loop);
    close(world->dir);
    assert_true(remove_tree_some(AT_FDCWD, world->path, 1000000));
}

static void turn(struct world *world)
{
    assert_true(fl_clock_mono() - world->began_at < LATE_MS);
    fl_loop_turn(world->loop, 5);
}

static void until_measured(struct world *world)
{
    while (results_is_busy(world->results)) {
        turn(world);
    }
}

static void shell(const struct world *world, const char *script)
{
    char line[512];

    snprintf(line, sizeof line, "cd %s && %s", world->path, script);
    assert_int_equal(system(line), 0);
}

/* "" or why there is none. */
static const char *find(struct world *world, const char *replica)
{
    static struct fl_err err;
    int fd = results_open(world->results, replica, &err);

    if (fd < 0) return err.text;
    close(fd);
    return "";
}

static bool is_there(const struct world *world, const char *path)
{
    return faccessat(world->dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void what_is_left_is_kept_and_found_by_the_next_agent(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    shell(&world, "mkdir files && echo hello > files/a");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    assert_false(is_there(&world, "files"));
    assert_false(results_is_busy(world.results)); /* a few files are measured at once */
    assert_string_equal(find(&world, FIRST), "");
    open_kept(&world);
    assert_string_equal(find(&world, FIRST), "");
    assert_true(results_is_busy(world.results));
    until_measured(&world);
    assert_string_equal(find(&world, FIRST), "");
    assert_non_null(strstr(find(&world, SECOND), "no files of it are kept"));
    end(&world);
}

static void an_empty_folder_a_link_and_a_file_are_not_kept(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    shell(&world, "mkdir empty prey && echo x > prey/mouse && ln -s prey link && echo x > file");
    assert_false(results_take(world.results, world.dir, "empty", FIRST));
    assert_false(results_take(world.results, world.dir, "link", FIRST));
    assert_false(results_take(world.results, world.dir, "file", FIRST));
    assert_false(results_take(world.results, world.dir, "none", FIRST));
    assert_int_equal(results_len(world.results), 0);
    assert_true(is_there(&world, "prey/mouse"));
    end(&world);
}

static void a_folder_that_may_not_be_written_is_kept_too(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    shell(&world, "mkdir files && echo x > files/a && chmod 500 files");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    assert_string_equal(find(&world, FIRST), "");
    end(&world);
}

static void a_folder_with_many_files_is_measured_bit_by_bit(void **state)
{
    struct world world;
    unsigned turns = 0;

    (void)state;
    begin(&world);
    shell(&world, "mkdir files && cd files && seq 2000 | xargs touch");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    for (; results_is_busy(world.results); turns++) {
        turn(&world);
    }
    assert_true(turns >= MANY / 500);
    assert_string_equal(find(&world, FIRST), "");
    end(&world);
}

static void one_that_is_too_large_leaves_a_note_which_the_next_agent_knows(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    world.limits.replica_bytes_max = 100000;
    open_kept(&world);
    shell(&world, "mkdir files && head -c 100001 /dev/zero > files/a");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    assert_int_equal(world.swept, 1);
    assert_non_null(strstr(find(&world, FIRST), "keep_results_job_bytes"));
    open_kept(&world);
    assert_non_null(strstr(find(&world, FIRST), "keep_results_job_bytes"));
    end(&world);
}

/* A link counts as itself, not as its target. */
static void links_are_not_followed_when_it_is_measured(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    world.limits.replica_bytes_max = 100000;
    open_kept(&world);
    shell(&world, "mkdir prey files && head -c 200000 /dev/zero > prey/a && ln -s ../prey files/b "
                  "&& ln -s ../prey/a files/c && ln -s . files/loop");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    until_measured(&world);
    assert_string_equal(find(&world, FIRST), "");
    end(&world);
}

static void many_empty_files_count(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    world.limits.replica_bytes_max = 100 * TREE_SIZE_ENTRY_BYTES;
    open_kept(&world);
    shell(&world, "mkdir files && cd files && seq 101 | xargs touch");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    until_measured(&world);
    assert_non_null(strstr(find(&world, FIRST), "keep_results_job_bytes"));
    end(&world);
}

static void folders_that_lie_too_deep_are_not_kept(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    shell(&world, "mkdir files && cd files && for i in $(seq 40); do mkdir d && cd d; done");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    until_measured(&world);
    assert_non_null(strstr(find(&world, FIRST), "over 32 folders deep"));
    end(&world);
}

static void without_descriptors_it_is_measured_later(void **state)
{
    struct rlimit all, few;
    struct world world;
    int free;

    (void)state;
    begin(&world);
    shell(&world, "mkdir -p files/a/b/c/d/e/f");
    free = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(free);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
    few = all;
    few.rlim_cur = (rlim_t)free + 3; /* enough to begin */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
    assert_int_equal(world.swept, 0);
    assert_true(results_is_busy(world.results));
    until_measured(&world);
    assert_string_equal(find(&world, FIRST), "");
    end(&world);
}

static void one_that_somebody_removed_leaves_no_note(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    shell(&world, "mkdir files && echo x > files/a");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    open_kept(&world);
    shell(&world, "rm -r kept/*");
    until_measured(&world);
    assert_int_equal(results_len(world.results), 0);
    assert_non_null(strstr(find(&world, FIRST), "no files of it are kept"));
    end(&world);
}

static void all_is_forgotten_at_once(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    shell(&world, "mkdir files && echo x > files/a");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    shell(&world, "touch kept/" SECOND "@2000@large");
    open_kept(&world);
    results_forget(world.results);
    assert_int_equal(results_len(world.results), 0);
    shell(&world, "rmdir kept && mkdir kept"); /* it is empty */
    assert_non_null(strstr(find(&world, FIRST), "no files of it are kept"));
    end(&world);
}

static void the_oldest_makes_room(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    world.limits.bytes_max = 100000;
    open_kept(&world);
    shell(&world, "mkdir a b && head -c 60000 /dev/zero > a/x && head -c 60000 /dev/zero > b/x");
    assert_true(results_take(world.results, world.dir, "a", FIRST));
    assert_string_equal(find(&world, FIRST), "");
    assert_true(results_take(world.results, world.dir, "b", SECOND));
    assert_non_null(strstr(find(&world, FIRST), "made room"));
    assert_string_equal(find(&world, SECOND), "");
    end(&world);
}

static void what_is_over_goes_also_from_an_earlier_agent(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    shell(&world,
          "mkdir -p kept/" FIRST "@1000/deep kept/foreign && touch kept/" SECOND "@2000@large");
    open_kept(&world);
    assert_int_equal(results_len(world.results), 2);
    while (results_len(world.results) > 0) {
        turn(&world);
    }
    assert_false(is_there(&world, "kept/" FIRST "@1000"));
    assert_false(is_there(&world, "kept/" SECOND "@2000@large"));
    assert_true(is_there(&world, "kept/foreign")); /* not ours */
    end(&world);
}

static void it_goes_by_itself_when_its_time_is_over(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    world.limits.keep_ms = 300;
    open_kept(&world);
    shell(&world, "mkdir files && echo x > files/a");
    assert_true(results_take(world.results, world.dir, "files", FIRST));
    while (results_len(world.results) > 0) {
        turn(&world);
    }
    assert_int_equal(world.swept, 1);
    end(&world);
}

static void without_a_time_or_a_folder_nothing_is_kept(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    shell(&world, "mkdir files && echo x > files/a && echo x > file");
    world.limits.keep_ms = 0;
    open_kept(&world);
    assert_false(results_take(world.results, world.dir, "files", FIRST));
    assert_true(is_there(&world, "files/a"));
    world.limits.keep_ms = FL_HOUR_MS;
    snprintf(world.kept_path, sizeof world.kept_path, "%s/file/kept", world.path);
    open_kept(&world);
    assert_false(results_take(world.results, world.dir, "files", FIRST));
    assert_true(is_there(&world, "files/a"));
    end(&world);
}

FL_TESTS(cmocka_unit_test(what_is_left_is_kept_and_found_by_the_next_agent),
         cmocka_unit_test(an_empty_folder_a_link_and_a_file_are_not_kept),
         cmocka_unit_test(a_folder_that_may_not_be_written_is_kept_too),
         cmocka_unit_test(a_folder_with_many_files_is_measured_bit_by_bit),
         cmocka_unit_test(one_that_is_too_large_leaves_a_note_which_the_next_agent_knows),
         cmocka_unit_test(links_are_not_followed_when_it_is_measured),
         cmocka_unit_test(many_empty_files_count),
         cmocka_unit_test(folders_that_lie_too_deep_are_not_kept),
         cmocka_unit_test(without_descriptors_it_is_measured_later),
         cmocka_unit_test(one_that_somebody_removed_leaves_no_note),
         cmocka_unit_test(all_is_forgotten_at_once), cmocka_unit_test(the_oldest_makes_room),
         cmocka_unit_test(what_is_over_goes_also_from_an_earlier_agent),
         cmocka_unit_test(it_goes_by_itself_when_its_time_is_over),
         cmocka_unit_test(without_a_time_or_a_folder_nothing_is_kept))
