/* Files of a replica that has ended: kept, read by visits, moved and removed. */
#include "agent/process/process_visit.h"

#include "tests/unit/agent/process/process_visit_world.h"

enum { ARCHIVE_MAX = 1 << 20 };

struct archive {
    uint8_t *at;
    size_t len;
    struct fl_visit_status status;
    char text[256];
};

static bool enter_files(struct world *world, struct guest *guest, const char *path, uint64_t offset,
                        uint32_t crc, struct fl_err *err)
{
    struct fl_str word = fl_str_c(path);
    struct fl_visit_open open = {
        .words = &word, .words_len = 1, .is_files = true, .offset = offset, .crc = crc};

    return enter(world, guest, &open, err);
}

/* Reads to the end, and leaves. */
static struct archive fetch_rest(struct world *world, struct guest *guest)
{
    struct archive archive = {.at = fl_new_array(uint8_t, ARCHIVE_MAX)};

    for (;;) {
        struct runtime_visit_read read = guest->visit.ops->read(
            guest->visit.self, archive.at + archive.len, ARCHIVE_MAX - archive.len);

        if (read.word == RUNTIME_VISIT_NOTHING) turn(world);
        if (read.word == RUNTIME_VISIT_BYTES && read.channel == FL_VISIT_STDOUT) {
            archive.len += read.len;
        }
        if (read.word != RUNTIME_VISIT_OVER) continue;
        archive.status = read.status;
        snprintf(archive.text, sizeof archive.text, FL_STR_FMT, FL_STR_ARG(read.status.text));
        break;
    }
    leave(guest);
    return archive;
}

static struct archive fetch(struct world *world, const char *path, uint64_t offset, uint32_t crc)
{
    struct fl_err err = {0};
    struct guest guest;

    if (!enter_files(world, &guest, path, offset, crc, &err)) fail_msg("%s", err.text);
    assert_int_equal(guest.visit.ops->write(guest.visit.self, FL_STR("input")), 5); /* dropped */
    return fetch_rest(world, &guest);
}

/* The job leaves "out/a", which is long, a link to the folder above, and a link to a file. */
static void end_with_files(struct world *world)
{
    struct guest guest;

    command(world, &guest,
            "mkdir out; head -c 300000 /dev/urandom > out/a; ln -s .. out/up; ln -s ../../spec "
            "out/spec; echo made",
            false);
    until_out(&guest, "made");
    until_over(&guest);
    leave(&guest);
    stop_replica(world);
}

static void let_remove(struct world *world)
{
    world->runtime.ops->remove(world->runtime.self, attempt, 0);
    world->runtime.ops->output_taken(world->runtime.self, attempt, 0);
}

static void until_removed(struct world *world)
{
    while (process_stats(world->process).replicas > 0) {
        turn(world);
    }
}

static void remove_replica(struct world *world)
{
    let_remove(world);
    until_removed(world);
}

static void keep_in(struct world *world, char kept[160])
{
    struct fl_err err = {0};

    snprintf(kept, 160, "%s-kept", world->path);
    process_destroy(world->process);
    world->config.results_dir = kept;
    world->config.keep_ms = FL_HOUR_MS;
    world->config.keep_bytes_max = world->config.keep_replica_bytes_max = 1 << 30;
    world->is_synced = false;
    assert_true(process_create(world->loop, &world->config, &world->process, &err));
    world->runtime = process_runtime(world->process);
    world->runtime.ops->begin(
        world->runtime.self,
        &(struct runtime_listener){.ctx = world, .happened = happened, .output = has_output});
    while (!world->is_synced) {
        turn(world);
    }
}

static void files_are_read_before_and_after_the_removal_and_behind_a_cut(void **state)
{
    struct archive whole, later, rest, other;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    end_with_files(&world);
    whole = fetch(&world, "out/a", 0, 0);
    assert_int_equal(whole.status.code, FL_OK);
    assert_int_equal(whole.status.exit_code, 0);
    assert_true(whole.len > 300000);
    remove_replica(&world);
    later = fetch(&world, "./out//a/", 0, 0);
    assert_int_equal(later.len, whole.len);
    assert_memory_equal(later.at, whole.at, whole.len);
    rest = fetch(&world, "out/a", 200001, fl_crc32c(0, whole.at, 200001));
    assert_int_equal(rest.status.code, FL_OK);
    assert_int_equal(rest.len, whole.len - 200001);
    assert_memory_equal(rest.at, whole.at + 200001, rest.len);
    other = fetch(&world, "out/a", 200001, 7);
    assert_int_equal(other.status.code, FL_CONFLICT);
    assert_int_equal(other.len, 0);
    fl_free(other.at);
    other = fetch(&world, "out/a", (uint64_t)1 << 40, 7); /* there are not so many */
    assert_int_equal(other.status.code, FL_CONFLICT);
    fl_free(whole.at);
    fl_free(later.at);
    fl_free(rest.at);
    fl_free(other.at);
    assert_true(remove_tree_some(AT_FDCWD, kept, 100000));
    end(&world);
}

/* More than a pipe holds: 'tar' is in the middle of the folder. */
static void begin_to_read(struct world *world, struct guest *guest)
{
    struct fl_err err = {0};

    if (!enter_files(world, guest, ".", 0, 0, &err)) fail_msg("%s", err.text);
}

static void assert_whole_and_end(struct world *world, struct guest *guest, const char *kept)
{
    struct archive archive = fetch_rest(world, guest);

    assert_int_equal(archive.status.exit_code, 0);
    assert_true(archive.len > 300000);
    fl_free(archive.at);
    until_removed(world);
    archive = fetch(world, "out/a", 0, 0);
    assert_true(archive.len > 300000);
    fl_free(archive.at);
    assert_true(remove_tree_some(AT_FDCWD, kept, 100000));
    end(world);
}

static void a_folder_that_is_read_is_not_moved_before_its_end(void **state)
{
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    end_with_files(&world);
    begin_to_read(&world, &guest);
    let_remove(&world);
    turn(&world);
    assert_int_equal(process_stats(world.process).replicas, 1);
    assert_whole_and_end(&world, &guest, kept);
}

static void a_folder_that_is_read_is_not_moved_when_output_is_given_up(void **state)
{
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    world.config.log_grace_ms = 1;
    keep_in(&world, kept);
    end_with_files(&world);
    begin_to_read(&world, &guest);
    world.runtime.ops->remove(world.runtime.self, attempt, 0);
    for (int i = 0; i < 10; i++) {
        turn(&world);
    }
    assert_int_equal(process_stats(world.process).replicas, 1);
    assert_whole_and_end(&world, &guest, kept);
}

static void a_visitor_that_leaves_lets_the_folder_go(void **state)
{
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    end_with_files(&world);
    begin_to_read(&world, &guest);
    let_remove(&world);
    leave(&guest);
    until_removed(&world);
    assert_true(remove_tree_some(AT_FDCWD, kept, 100000));
    end(&world);
}

/* 'tar' says a line for each socket, more than a pipe holds, before the last byte that is passed
 * over. */
static void what_tar_says_does_not_hold_up_what_is_passed_over(void **state)
{
    struct archive whole, rest;
    struct world world;
    char path[512];

    (void)state;
    begin(&world);
    end_with_files(&world);
    for (unsigned i = 0; i < 500; i++) {
        snprintf(path, sizeof path, "%s/job-5-0-1-1-0/files/out/%0200u", world.path, i);
        assert_int_equal(mknod(path, S_IFSOCK | 0600, 0), 0);
    }
    whole = fetch(&world, "out", 0, 0);
    assert_int_equal(whole.status.exit_code, 0);
    rest = fetch(&world, "out", whole.len - 1, fl_crc32c(0, whole.at, whole.len - 1));
    assert_int_equal(rest.status.code, FL_OK);
    assert_int_equal(rest.len, 1);
    fl_free(whole.at);
    fl_free(rest.at);
    end(&world);
}

static void a_path_that_leads_out_of_the_files_is_refused(void **state)
{
    static const char *const paths[] = {
        "../spec", "out/../../spec", "out/up/spec", "out/up/../gate", "out/up/.", "out/../out/a",
        "..",      "none",           "out/a/b"};
    struct fl_err err = {0};
    struct archive link;
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    assert_false(enter_files(&world, &guest, "out", 0, 0, &err));
    assert_int_equal(err.code, FL_CONFLICT); /* it runs */
    end_with_files(&world);
    remove_replica(&world);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (enter_files(&world, &guest, paths[i], 0, 0, &err)) fail_msg("%s is read", paths[i]);
        assert_int_equal(err.code, FL_ABSENT);
    }
    assert_false(enter_files(&world, &guest, "/etc/passwd", 0, 0, &err));
    assert_int_equal(err.code, FL_INVALID);
    link = fetch(&world, "out/spec", 0, 0); /* the link itself, not what it leads to */
    assert_int_equal(link.at[156], '2');
    fl_free(link.at);
    assert_true(remove_tree_some(AT_FDCWD, kept, 100000));
    end(&world);
}

static void shell(const char *script, const char *path)
{
    char line[512];

    snprintf(line, sizeof line, script, path);
    assert_int_equal(system(line), 0);
}

/* One at each sweep would be a thousand turns. */
static void a_sweep_removes_many_folders_that_hold_little(void **state)
{
    struct world world;
    unsigned turns = 0;
    char kept[160];

    (void)state;
    begin(&world);
    shell("cd %s && for i in $(seq 1000); do mkdir .gone-$i && : > .gone-$i/x; done", world.path);
    keep_in(&world, kept);
    for (; process_stats(world.process).removals > 0; turns++) {
        turn(&world);
    }
    assert_true(turns < 500);
    assert_int_equal(rmdir(kept), 0);
    end(&world);
}

static void kept_folders_that_hold_little_leave_nothing_to_be_swept(void **state)
{
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    shell("mkdir %1$s-kept && cd %1$s-kept && for i in $(seq 100); do mkdir job-$i-0-1-1-0@1000 && "
          ": > job-$i-0-1-1-0@1000/x; done",
          world.path);
    keep_in(&world, kept);
    while (rmdir(kept) != 0) { /* until it is empty */
        assert_int_equal(process_stats(world.process).removals, 0);
        turn(&world);
    }
    assert_int_equal(process_stats(world.process).removals, 0);
    end(&world);
}

static void an_agent_that_joins_elsewhere_forgets_what_is_kept(void **state)
{
    struct fl_err err = {0};
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    end_with_files(&world);
    remove_replica(&world);
    world.runtime.ops->forget(world.runtime.self);
    assert_false(enter_files(&world, &guest, "out/a", 0, 0, &err));
    assert_int_equal(err.code, FL_ABSENT);
    assert_int_equal(rmdir(kept), 0);
    end(&world);
}

FL_TESTS(cmocka_unit_test(files_are_read_before_and_after_the_removal_and_behind_a_cut),
         cmocka_unit_test(a_folder_that_is_read_is_not_moved_before_its_end),
         cmocka_unit_test(a_folder_that_is_read_is_not_moved_when_output_is_given_up),
         cmocka_unit_test(a_visitor_that_leaves_lets_the_folder_go),
         cmocka_unit_test(what_tar_says_does_not_hold_up_what_is_passed_over),
         cmocka_unit_test(a_sweep_removes_many_folders_that_hold_little),
         cmocka_unit_test(kept_folders_that_hold_little_leave_nothing_to_be_swept),
         cmocka_unit_test(an_agent_that_joins_elsewhere_forgets_what_is_kept),
         cmocka_unit_test(a_path_that_leads_out_of_the_files_is_refused))
