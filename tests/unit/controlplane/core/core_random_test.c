/* core_random_test.c - thousands of short histories, valid and absurd events mixed, from random
 * bytes.  The properties that always hold are in tests/fuzz/core_drive.h; the fuzz target goes on
 * from there. */
#include "tests/fl_test.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tests/fuzz/core_drive.h"

enum { HISTORIES = 3000, HISTORY_BYTES_MAX = 1500 };

static void random_histories_leave_the_core_whole_and_its_rows_tell_all_of_it(void **state)
{
    struct core_drive_counts counts = {0};
    struct fl_prng prng;
    const char *only = getenv("FL_HISTORY");

    (void)state;
    for (uint64_t i = 1; i <= HISTORIES; i++) {
        uint8_t bytes[HISTORY_BYTES_MAX];
        size_t len;

        if (only && strtoull(only, NULL, 10) != i) continue;
        fl_prng_seed(&prng, i);
        len = (size_t)fl_prng_between(&prng, 10, HISTORY_BYTES_MAX);
        for (size_t b = 0; b < len; b++) {
            bytes[b] = (uint8_t)fl_prng_u64(&prng);
        }
        if (getenv("FL_HISTORY_SHOWN")) fprintf(stderr, "history %" PRIu64 "\n", i);
        core_drive(bytes, len, &counts);
    }
    print_message("%" PRIu64 " events, %" PRIu64 " batches, %" PRIu64 " rows, %" PRIu64
                  " starts, %" PRIu64 " goes, %" PRIu64 " stops, %" PRIu64 " ends, %" PRIu64
                  " reloads, %" PRIu64 " sessions refused\n",
                  counts.events, counts.batches, counts.rows, counts.starts, counts.goes,
                  counts.stops, counts.ends, counts.reloads, counts.refusals);
    if (only) return;
    /* They were about something. */
    assert_true(counts.starts > 2 * HISTORIES && counts.stops > HISTORIES);
    assert_true(counts.goes > HISTORIES / 3 && counts.ends > HISTORIES / 2);
    assert_true(counts.reloads > HISTORIES && counts.refusals > HISTORIES / 10);
}

FL_TESTS(cmocka_unit_test(random_histories_leave_the_core_whole_and_its_rows_tell_all_of_it))
