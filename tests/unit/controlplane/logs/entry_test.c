#include "controlplane/logs/entry.h"

#include "tests/fl_test.h"

#define END_AT (LOG_SEGMENT_HEADER_BYTES + LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_SOURCE_BYTES)
#define SEGMENT_BYTES (END_AT + LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_END_BYTES)

static const struct log_key key_here = {
    .attempt = {.job = {7}, .element = 1, .n = 1}, .replica = 2, .tenant = {3}};

/* Walks a segment whose one output has the key key_here and ends under the key 'ended'; the answer
 * is the END's. */
static enum fl_log_answer walk(const struct log_key *ended, struct log_entry *ret_entry)
{
    static const struct log_segment_header header = {.cluster = {1}, .seq = 2};
    static const struct log_place place = {.lines = 0};
    uint8_t bytes[SEGMENT_BYTES];
    enum fl_log_answer answer;
    struct log_scan scan;

    log_segment_header_put(bytes, &header);
    log_entry_put_source(bytes + LOG_SEGMENT_HEADER_BYTES, 0, &key_here, &place);
    log_entry_put_end(bytes + END_AT, 0, ended, &place);
    log_scan_init(&scan);
    answer = log_scan_next(&scan, (struct fl_str){(const char *)bytes, SEGMENT_BYTES}, ret_entry);
    assert_int_equal(answer, FL_LOG_READY);
    assert_int_equal(ret_entry->kind, LOG_ENTRY_SOURCE);
    assert_int_equal(scan.pos, END_AT);
    answer = log_scan_next(
        &scan, (struct fl_str){(const char *)bytes + END_AT, SEGMENT_BYTES - END_AT}, ret_entry);
    log_scan_fini(&scan);
    return answer;
}

static void an_end_has_the_key_of_its_output(void **state)
{
    struct log_key other = key_here;
    struct log_entry entry;

    (void)state;
    assert_int_equal(walk(&key_here, &entry), FL_LOG_READY);
    assert_int_equal(entry.kind, LOG_ENTRY_END);
    other.attempt.job.n++;
    assert_int_equal(walk(&other, &entry), FL_LOG_BAD);
    other = key_here;
    other.replica++;
    assert_int_equal(walk(&other, &entry), FL_LOG_BAD);
    other = key_here;
    other.tenant.n++;
    assert_int_equal(walk(&other, &entry), FL_LOG_BAD);
}

FL_TESTS(cmocka_unit_test(an_end_has_the_key_of_its_output))
