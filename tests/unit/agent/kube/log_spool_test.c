/* A spool in a folder of its own.  The writer dies where the test says so: the bytes put since its
 * last commit are put again. */
#include "agent/kube/log_spool.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "agent/output/output_name.h"
#include "shared/base/assert.h"
#include "tests/fl_test.h"

struct world {
    char path[64];
    struct log_spools *spools;
    struct log_spool *spool;
};

static void open_world(struct world *world, uint64_t each, uint64_t all)
{
    struct log_spools_config config = {world->path, each, all};
    struct fl_err err = {0};

    if (!log_spools_create(&config, &world->spools, &err)) fail_msg("%s", err.text);
    if (!log_spool_open(world->spools, "one", &world->spool, &err)) fail_msg("%s", err.text);
}

static void begin_with(struct world *world, uint64_t each, uint64_t all)
{
    snprintf(world->path, sizeof world->path, "/tmp/fl-spool-XXXXXX");
    fl_assert(mkdtemp(world->path));
    open_world(world, each, all);
}

static void begin(struct world *world)
{
    begin_with(world, 1 << 20, 1 << 20);
}

static void close_world(struct world *world)
{
    log_spool_close(world->spool);
    assert_int_equal(log_spools_bytes(world->spools), 0);
    log_spools_destroy(world->spools);
}

static void end(struct world *world)
{
    struct fl_err err = {0};

    log_spool_close(world->spool);
    assert_true(log_spool_remove(world->spools, "one", &err));
    assert_true(log_spool_remove(world->spools, "one", &err));
    log_spools_destroy(world->spools);
    assert_int_equal(rmdir(world->path), 0);
}

static void restart(struct world *world)
{
    close_world(world);
    open_world(world, 1 << 20, 1 << 20);
}

static void put(struct world *world, const char *text)
{
    log_spool_put(world->spool, 5, fl_str_c(text));
}

static void commit(struct world *world, const char *mark)
{
    struct fl_err err = {0};

    assert_true(log_spool_commit(world->spool, fl_str_c(mark), &err));
}

/* "offset:bytes " of a record, "offset+bytes:kind " of a gap, "end " when nothing follows. */
static void expect(struct world *world, uint64_t offset, const char *story)
{
    struct runtime_output output;
    struct fl_log_record record;
    struct fl_err err = {0};
    char told[300] = "";
    struct fl_buf out;
    struct fl_str rest;

    fl_buf_init(&out, 65536);
    assert_true(log_spool_read(world->spool, offset, 16384, &out, &output, &err));
    rest = (struct fl_str){(const char *)out.at, out.len};
    while (fl_log_record_next(&rest, &record) == FL_LOG_READY) {
        size_t len = strlen(told);

        if (record.gap) {
            snprintf(told + len, sizeof told - len, "%d+%d:%s ", (int)record.offset,
                     (int)record.gap_bytes, fl_log_gap_name(record.gap));
        } else {
            snprintf(told + len, sizeof told - len, "%d:" FL_STR_FMT " ", (int)record.offset,
                     FL_STR_ARG(record.bytes));
        }
    }
    if (output.is_ended) strcat(told, "end ");
    assert_string_equal(told, story);
    fl_buf_fini(&out);
}

/* The path of the file that begins at 'offset'. */
static void file_path(const struct world *world, const char *name, char *ret_path, size_t len)
{
    snprintf(ret_path, len, "%s/one/%s", world->path, name);
}

static off_t size_of(const struct world *world, uint64_t offset)
{
    char name[OUTPUT_NAME_MAX], path[128];
    struct stat stat_of;

    output_name(offset, name);
    file_path(world, name, path, sizeof path);
    return stat(path, &stat_of) == 0 ? stat_of.st_size : -1;
}

static unsigned files_of(const struct world *world)
{
    char path[128];
    const struct dirent *entry;
    unsigned len = 0;
    DIR *folder;

    file_path(world, "", path, sizeof path);
    folder = opendir(path);
    while ((entry = readdir(folder))) {
        uint64_t offset;

        len += output_name_parse(entry->d_name, &offset);
    }
    closedir(folder);
    return len;
}

static void output_is_read_from_any_offset(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    expect(&world, 0, "");
    put(&world, "hello ");
    put(&world, "world\n");
    log_spool_put_gap(world.spool, 7, FL_LOG_GAP_unknown, 1);
    put(&world, "more\n");
    expect(&world, 0, "0:hello  6:world\n 12+1:unknown 13:more\n ");
    expect(&world, 8, "8:rld\n 12+1:unknown 13:more\n ");
    expect(&world, 18, "");
    log_spool_end(world.spool, 9);
    expect(&world, 13, "13:more\n end ");
    assert_int_equal(log_spool_bytes(world.spool), 18);
    end(&world);
}

static void a_new_process_goes_on_at_the_last_commit(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    assert_int_equal(log_spool_mark(world.spool).len, 0);
    put(&world, "one ");
    commit(&world, "at one");
    put(&world, "two ");
    commit(&world, "at two");
    put(&world, "three ");
    restart(&world);
    assert_true(fl_str_eq(log_spool_mark(world.spool), FL_STR("at two")));
    assert_int_equal(log_spool_bytes(world.spool), 8);
    expect(&world, 0, "0:one  4:two  ");
    put(&world, "THREE ");
    commit(&world, "at three");
    expect(&world, 4, "4:two  8:THREE  ");
    log_spool_end(world.spool, 9);
    commit(&world, "at the end");
    restart(&world);
    assert_true(log_spool_is_ended(world.spool));
    expect(&world, 8, "8:THREE  end ");
    end(&world);
}

static void without_a_commit_all_is_put_again(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    put(&world, "one ");
    restart(&world);
    assert_int_equal(log_spool_bytes(world.spool), 0);
    expect(&world, 0, "");
    put(&world, "two ");
    expect(&world, 0, "0:two  ");
    end(&world);
}

/* The process died within a write. */
static void a_torn_end_is_cut_off(void **state)
{
    struct world world;
    char path[128];
    off_t good;
    int fd;

    (void)state;
    begin(&world);
    put(&world, "one ");
    commit(&world, "at one");
    good = size_of(&world, 0);
    put(&world, "two ");
    file_path(&world, "out.0000000000000000", path, sizeof path);
    assert_int_equal(truncate(path, good + 9), 0);
    restart(&world);
    assert_int_equal(size_of(&world, 0), good);
    expect(&world, 0, "0:one  ");
    put(&world, "TWO ");
    expect(&world, 0, "0:one  4:TWO  ");
    file_path(&world, "mark", path, sizeof path); /* and the last commit is torn */
    commit(&world, "at two");
    fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "?", 1, 20), 1);
    close(fd);
    restart(&world);
    assert_true(fl_str_eq(log_spool_mark(world.spool), FL_STR("at one")));
    expect(&world, 0, "0:one  ");
    end(&world);
}

/* The machine died, and the disk has the commit but not the bytes. */
static void bytes_that_a_commit_counts_and_no_file_has_are_a_gap(void **state)
{
    struct world world;
    char path[128];
    off_t good;

    (void)state;
    begin(&world);
    put(&world, "one ");
    good = size_of(&world, 0);
    put(&world, "two ");
    commit(&world, "at two");
    file_path(&world, "out.0000000000000000", path, sizeof path);
    assert_int_equal(truncate(path, good + 3), 0);
    restart(&world);
    assert_int_equal(log_spool_bytes(world.spool), 8);
    put(&world, "three ");
    expect(&world, 0, "0:one  4+4:disk_full 8:three  ");
    end(&world);
}

static void put_much(struct world *world, size_t records)
{
    static char text[FL_LOG_RECORD_DATA_MAX];

    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < records; i++) {
        log_spool_put(world->spool, 5, (struct fl_str){text, sizeof text});
    }
}

/* Sums up what a reader gets of 'records' records: it follows without a hole. */
static void sum(struct world *world, size_t records, uint64_t *ret_bytes, uint64_t *ret_gaps)
{
    struct runtime_output output = {.is_more = true};
    struct fl_err err = {0};
    struct fl_buf out;

    *ret_bytes = *ret_gaps = 0;
    fl_buf_init(&out, 4 * FL_LOG_RECORD_BYTES_MAX);
    while (output.is_more) {
        struct fl_log_record record;
        struct fl_str rest;
        uint64_t next = output.next_offset;

        fl_buf_clear(&out);
        assert_true(log_spool_read(world->spool, output.next_offset, 2 * FL_LOG_RECORD_BYTES_MAX,
                                   &out, &output, &err));
        rest = (struct fl_str){(const char *)out.at, out.len};
        while (fl_log_record_next(&rest, &record) == FL_LOG_READY) {
            assert_int_equal(record.offset, next);
            next = fl_log_record_end(&record);
            *(record.gap ? ret_gaps : ret_bytes) += next - record.offset;
            assert_true(!record.gap || record.gap == FL_LOG_GAP_limit);
        }
    }
    assert_int_equal(output.next_offset, records * FL_LOG_RECORD_DATA_MAX);
    fl_buf_fini(&out);
}

static void beyond_its_limit_a_spool_gives_up_its_middle(void **state)
{
    struct world world;
    uint64_t bytes, gaps;

    (void)state;
    begin_with(&world, 1 << 20, 1 << 30);
    put_much(&world, 100);
    assert_true(log_spools_bytes(world.spools) <= (1 << 20) + (1 << 17) + 4096);
    sum(&world, 100, &bytes, &gaps);
    assert_true(bytes > (1 << 20) - (1 << 18) && gaps == 100 * FL_LOG_RECORD_DATA_MAX - bytes);
    expect(&world, 100 * FL_LOG_RECORD_DATA_MAX, "");
    assert_true(size_of(&world, 0) > 0);
    end(&world);
}

static void all_spools_share_a_limit(void **state)
{
    struct log_spool *other;
    struct fl_err err = {0};
    uint64_t bytes, gaps;
    struct world world;

    (void)state;
    begin_with(&world, 1 << 20, 1 << 20);
    assert_true(log_spool_open(world.spools, "two", &other, &err));
    put_much(&world, 28);
    for (size_t i = 0; i < 100; i++) {
        log_spool_put(other, 5, FL_STR("a line of the other one\n"));
    }
    put_much(&world, 72);
    assert_true(log_spools_bytes(world.spools) <= (1 << 20) + (1 << 17));
    sum(&world, 100, &bytes, &gaps);
    assert_true(gaps > 0 && bytes + gaps == 100 * FL_LOG_RECORD_DATA_MAX);
    log_spool_close(other);
    assert_true(log_spool_remove(world.spools, "two", &err));
    end(&world);
}

static void what_was_taken_is_removed(void **state)
{
    struct world world;
    uint64_t last = 30 * FL_LOG_RECORD_DATA_MAX;
    struct runtime_output output;
    struct fl_err err = {0};
    unsigned files;
    struct fl_buf out;

    (void)state;
    begin(&world);
    put_much(&world, 30);
    files = files_of(&world);
    assert_true(files > 4);
    log_spool_taken(world.spool, 10);
    assert_int_equal(files_of(&world), files);
    log_spool_taken(world.spool, last / 2);
    assert_true(files_of(&world) < files && files_of(&world) > 1);
    fl_buf_init(&out, 65536);
    assert_true(log_spool_read(world.spool, last / 2, 1000, &out, &output, &err));
    assert_true(out.len > 1000 && output.next_offset > last / 2);
    fl_buf_fini(&out);
    log_spool_taken(world.spool, last);
    assert_int_equal(files_of(&world), 1);
    put(&world, "more\n");
    commit(&world, "at more");
    restart(&world);
    expect(&world, last, "983040:more\n ");
    end(&world);
}

static void a_folder_that_is_no_folder_is_named(void **state)
{
    struct log_spools_config config = {"/proc/none", 1 << 20, 1 << 20};
    struct log_spools *spools;
    struct log_spool *spool;
    struct fl_err err = {0};
    struct world world;
    char path[128];
    int fd;

    (void)state;
    assert_false(log_spools_create(&config, &spools, &err));
    assert_true(strstr(err.text, "/proc/none"));
    begin(&world);
    snprintf(path, sizeof path, "%s/two", world.path);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_false(log_spool_open(world.spools, "two", &spool, &err));
    assert_true(err.code == FL_IO && strstr(err.text, "two"));
    unlink(path);
    end(&world);
}

FL_TESTS(cmocka_unit_test(output_is_read_from_any_offset),
         cmocka_unit_test(a_new_process_goes_on_at_the_last_commit),
         cmocka_unit_test(without_a_commit_all_is_put_again),
         cmocka_unit_test(a_torn_end_is_cut_off),
         cmocka_unit_test(bytes_that_a_commit_counts_and_no_file_has_are_a_gap),
         cmocka_unit_test(beyond_its_limit_a_spool_gives_up_its_middle),
         cmocka_unit_test(all_spools_share_a_limit), cmocka_unit_test(what_was_taken_is_removed),
         cmocka_unit_test(a_folder_that_is_no_folder_is_named))
