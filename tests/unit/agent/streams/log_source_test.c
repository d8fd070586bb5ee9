#include "agent/streams/log_source.h"

#include "shared/base/assert.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"

/* A runtime that has bytes 10..19 and 30..34 of 40, in two records. */
static bool fake_read(void *self, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                      size_t bytes_max, struct fl_buf *records, struct runtime_output *ret_output,
                      struct fl_err *err)
{
    struct fl_log_record first = {.offset = 10, .time = 5, .bytes = FL_STR("abcdefghij")};
    struct fl_log_record second = {.offset = 30, .time = 6, .bytes = FL_STR("vwxyz")};

    (void)self;
    (void)attempt;
    (void)bytes_max;
    if (replica != 0) return fl_fail(err, FL_ABSENT, "no such replica");
    if (offset < 20) fl_assert(fl_log_record_put(records, &first));
    if (offset < 35) fl_assert(fl_log_record_put(records, &second));
    *ret_output = (struct runtime_output){.next_offset = 35, .end_offset = 40, .is_ended = true};
    return true;
}

static const struct runtime_ops fake_ops = {.name = "fake", .read_output = fake_read};

/* What the pump gets from 'offset' on: "offset:bytes " of a record, "offset+bytes " of a gap. */
static void expect(uint64_t offset, const char *story)
{
    struct log_source source;
    struct log_pump_port port;
    struct fl_buf out;
    struct fl_str rest;
    struct fl_log_record record;
    struct fl_err err = {0};
    char told[200] = "";
    bool is_more;
    bool is_ended;

    log_source_init(&source, (struct runtime){.ops = &fake_ops});
    port = log_source_port(&source);
    fl_buf_init(&out, 65536);
    assert_true(port.read(port.ctx, (struct fl_attempt){0}, 0, offset, 16384, &out, &is_more,
                          &is_ended, &err));
    assert_true(is_ended && !is_more);
    rest = (struct fl_str){(const char *)out.at, out.len};
    while (fl_log_record_next(&rest, &record) == FL_LOG_READY) {
        size_t len = strlen(told);

        if (record.gap) {
            snprintf(told + len, sizeof(told) - len, "%d+%d ", (int)record.offset,
                     (int)record.gap_bytes);
        } else {
            snprintf(told + len, sizeof(told) - len, "%d:" FL_STR_FMT " ", (int)record.offset,
                     FL_STR_ARG(record.bytes));
        }
    }
    assert_string_equal(told, story);
    fl_buf_fini(&out);
    log_source_fini(&source);
}

static void holes_of_the_output_become_gap_records(void **state)
{
    (void)state;
    expect(0, "0+10 10:abcdefghij 20+10 30:vwxyz 35+5 ");
}

static void a_record_is_cut_where_the_hub_wants_to_go_on(void **state)
{
    (void)state;
    expect(13, "13:defghij 20+10 30:vwxyz 35+5 ");
    expect(25, "25+5 30:vwxyz 35+5 ");
    expect(34, "34:z 35+5 ");
    expect(40, "");
}

static void a_replica_that_is_gone_is_absent(void **state)
{
    struct log_source source;
    struct log_pump_port port;
    struct fl_buf out;
    struct fl_err err = {0};
    bool is_more;
    bool is_ended;

    (void)state;
    log_source_init(&source, (struct runtime){.ops = &fake_ops});
    port = log_source_port(&source);
    fl_buf_init(&out, 65536);
    assert_false(
        port.read(port.ctx, (struct fl_attempt){0}, 1, 0, 16384, &out, &is_more, &is_ended, &err));
    assert_int_equal(err.code, FL_ABSENT);
    fl_buf_fini(&out);
    log_source_fini(&source);
}

FL_TESTS(cmocka_unit_test(holes_of_the_output_become_gap_records),
         cmocka_unit_test(a_record_is_cut_where_the_hub_wants_to_go_on),
         cmocka_unit_test(a_replica_that_is_gone_is_absent))
