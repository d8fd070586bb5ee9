#include "agent/output/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/output/output_name.h"
#include "shared/base/assert.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"

/* A replica's directory that has bytes 10..19 and 30..34 of 40, in two files. */
struct files {
    char path[64];
    int dir;
};

static void write_file(struct files *files, uint64_t offset, const char *text, fl_ms time)
{
    struct fl_log_record record = {.offset = offset, .time = time, .bytes = fl_str_c(text)};
    char name[OUTPUT_NAME_MAX];
    struct fl_buf out;
    int fd;

    fl_buf_init(&out, 65536);
    fl_assert(fl_log_record_put(&out, &record));
    output_name(offset, name);
    fd = openat(files->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    fl_assert(fd >= 0 && write(fd, out.at, out.len) == (ssize_t)out.len);
    close(fd);
    fl_buf_fini(&out);
}

static void files_init(struct files *files)
{
    snprintf(files->path, sizeof files->path, "/tmp/fl-output-XXXXXX");
    fl_assert(mkdtemp(files->path));
    files->dir = open(files->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fl_assert(files->dir >= 0);
    write_file(files, 10, "abcdefghij", 5);
    write_file(files, 30, "vwxyz", 6);
}

static void files_fini(struct files *files)
{
    char name[OUTPUT_NAME_MAX];

    for (uint64_t offset = 10; offset <= 30; offset += 20) {
        output_name(offset, name);
        unlinkat(files->dir, name, 0);
        unlinkat(files->dir, name, AT_REMOVEDIR);
    }
    close(files->dir);
    rmdir(files->path);
}

/* The records from 'offset' on: "offset:bytes " of a record, "offset+bytes " of a gap. */
static void expect(struct files *files, uint64_t offset, const char *story)
{
    struct output_end end = {.is_known = true, .bytes = 40, .at = 7};
    struct output_place place = {0};
    struct runtime_output output;
    struct fl_log_record record;
    struct fl_err err = {0};
    char told[200] = "";
    struct fl_buf out;
    struct fl_str rest;

    fl_buf_init(&out, 65536);
    assert_true(output_read(files->dir, &place, offset, 16384, &end, &out, &output, &err));
    assert_true(output.is_ended && !output.is_more);
    assert_int_equal(output.next_offset, 40);
    rest = (struct fl_str){(const char *)out.at, out.len};
    while (fl_log_record_next(&rest, &record) == FL_LOG_READY) {
        size_t len = strlen(told);

        if (record.gap) {
            snprintf(told + len, sizeof told - len, "%d+%d ", (int)record.offset,
                     (int)record.gap_bytes);
        } else {
            snprintf(told + len, sizeof told - len, "%d:" FL_STR_FMT " ", (int)record.offset,
                     FL_STR_ARG(record.bytes));
        }
    }
    assert_string_equal(told, story);
    fl_buf_fini(&out);
}

static void holes_of_the_output_become_gap_records(void **state)
{
    struct files files;

    (void)state;
    files_init(&files);
    expect(&files, 0, "0+10 10:abcdefghij 20+10 30:vwxyz 35+5 ");
    files_fini(&files);
}

static void a_record_is_cut_where_the_hub_wants_to_go_on(void **state)
{
    struct files files;

    (void)state;
    files_init(&files);
    expect(&files, 13, "13:defghij 20+10 30:vwxyz 35+5 ");
    expect(&files, 25, "25+5 30:vwxyz 35+5 ");
    expect(&files, 34, "34:z 35+5 ");
    expect(&files, 40, "");
    files_fini(&files);
}

/* A gap would be for ever, and a read may go well the next time. */
static void a_file_that_cannot_be_read_is_an_error_and_no_gap(void **state)
{
    struct output_end end = {.is_known = true, .bytes = 40, .at = 7};
    struct output_place place = {0};
    char name[OUTPUT_NAME_MAX];
    struct runtime_output output;
    struct fl_err err = {0};
    struct files files;
    struct fl_buf out;

    (void)state;
    files_init(&files);
    output_name(30, name);
    fl_assert(unlinkat(files.dir, name, 0) == 0);
    fl_assert(mkdirat(files.dir, name, 0700) == 0); /* opens, and reading it is refused */
    fl_buf_init(&out, 65536);
    assert_false(output_read(files.dir, &place, 0, 16384, &end, &out, &output, &err));
    assert_int_equal(err.code, FL_IO);
    fl_assert(unlinkat(files.dir, name, AT_REMOVEDIR) == 0);
    write_file(&files, 30, "vwxyz", 6);
    expect(&files, 0, "0+10 10:abcdefghij 20+10 30:vwxyz 35+5 ");
    fl_buf_fini(&out);
    files_fini(&files);
}

FL_TESTS(cmocka_unit_test(holes_of_the_output_become_gap_records),
         cmocka_unit_test(a_record_is_cut_where_the_hub_wants_to_go_on),
         cmocka_unit_test(a_file_that_cannot_be_read_is_an_error_and_no_gap))
