#include "controlplane/logs/log_store.h"

#include <stdio.h>
#include <unistd.h>

#include "controlplane/logs/sealed.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/logs/log_world.h"

#define JOB 77

/* Reads all; gaps are damage, in one output at most.  Returns how many bytes they have. */
static uint64_t check_damage(struct log_world *world)
{
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    uint64_t gap_bytes = 0;
    uint32_t element = UINT32_MAX;

    log_world_read(world, &query, &read);
    assert_int_equal(read.err.code, FL_OK);
    for (size_t i = 0; i < world->outputs_len; i++) {
        assert_true(log_world_is_exact(world, &read, i, 0));
    }
    for (size_t i = 0; i < read.lines.len; i++) {
        const struct log_line *line = &read.lines.at[i];

        if (!line->gap) continue;
        assert_int_equal(line->gap, FL_LOG_GAP_damaged);
        assert_true(element == UINT32_MAX || element == line->attempt.element);
        element = line->attempt.element;
        gap_bytes += line->gap_bytes;
    }
    log_world_read_fini(&read);
    return gap_bytes;
}

/* How many outputs have no end.  All were ended and acknowledged, so no agent has it any more. */
static uint32_t ends_lost(struct log_world *world)
{
    struct log_world_read read = {.pages_max = 1};
    struct log_query query = log_world_whole(JOB);
    uint32_t lost;

    log_world_read(world, &query, &read);
    lost = read.sources_live;
    log_world_read_fini(&read);
    return lost;
}

enum { DAMAGE_OUTPUTS = 8, DAMAGE_LINES = 12, DAMAGE_LINE_BYTES = 100, DAMAGE_FILE_MAX = 1 << 19 };

/* Outputs whose lines are an entry each, one between the others; all ended and acknowledged. */
static void write_small_entries(struct log_world *world)
{
    uint64_t written = log_store_stats(world->store).records_appended;

    for (uint32_t i = 0; i < DAMAGE_OUTPUTS; i++) {
        log_world_add(world, JOB, i, 1, 0);
    }
    for (int line = 0; line < DAMAGE_LINES; line++) {
        for (size_t i = 0; i < DAMAGE_OUTPUTS; i++) {
            char text[DAMAGE_LINE_BYTES + 1];

            snprintf(text, sizeof(text), "output %zu line %-84d.\n", i, line);
            log_world_write(world, i, text, strlen(text), 1000 + line);
            written++;
            while (log_store_stats(world->store).records_appended < written) {
                log_world_step(world);
            }
        }
    }
    for (size_t i = 0; i < DAMAGE_OUTPUTS; i++) {
        log_world_end(world, i);
    }
    log_world_settle(world);
}

static void a_flipped_bit_costs_one_entry_wherever_it_is(void **state)
{
    static struct log_world world;
    static uint8_t good[DAMAGE_FILE_MAX];
    static uint8_t bad[DAMAGE_FILE_MAX];
    uint32_t lost = 0, lost_max = 0;
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 19);
    write_small_entries(&world);
    log_world_restart(&world);
    assert_true(log_world_find_file(&world, ".open", path));
    len = log_world_read_file(path, good, sizeof(good));
    for (size_t at = 0; at < len; at += 61) {
        memcpy(bad, good, len);
        bad[at] ^= (uint8_t)(1u << at % 8);
        log_world_write_file(path, bad, len); /* the store reads it when it starts again */
        log_world_restart(&world);
        assert_true(check_damage(&world) <= 2 * DAMAGE_LINE_BYTES);
        lost = ends_lost(&world);
        lost_max = lost > lost_max ? lost : lost_max;
        assert_true(at + 200 > len || log_store_stats(world.store).damaged > 0);
    }
    assert_int_equal(lost_max, 1); /* the entry may be an END */
    log_world_fini(&world);
}

static void lost_sectors_cost_what_was_in_them_and_the_file_is_kept(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    fl_ms until = fl_clock_mono() + 60000;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    uint64_t gap_bytes = 0;
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 20);
    write_small_entries(&world);
    assert_true(log_world_find_file(&world, ".open", path));
    len = log_world_read_file(path, bytes, sizeof(bytes));
    assert_true(len > 9000);
    memset(bytes + 4096, 0, 1024);
    log_world_write_file(path, bytes, len);
    world.config.damaged_wait_ms = 1;
    log_world_restart(&world);
    for (int round = 0; round < 2; round++) {
        log_world_read(&world, &query, &read);
        gap_bytes = 0;
        for (size_t i = 0; i < read.lines.len; i++) {
            gap_bytes += read.lines.at[i].gap_bytes;
        }
        assert_true(gap_bytes >= DAMAGE_LINE_BYTES && gap_bytes <= 1024 + 2 * DAMAGE_LINE_BYTES);
        assert_int_equal(read.bytes.len,
                         DAMAGE_OUTPUTS * DAMAGE_LINES * DAMAGE_LINE_BYTES - gap_bytes);
        log_world_read_fini(&read);
        while (!log_world_find_file(&world, ".damaged", path) ||
               log_store_stats(world.store).sources > 0) {
            assert_true(fl_clock_mono() < until);
            log_world_step(&world);
        }
        assert_false(log_world_find_file(&world, ".open", path));
        read = (struct log_world_read){0};
    }
    log_world_fini(&world);
}

static void an_agent_that_still_has_its_output_mends_what_is_damaged(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 21);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int i = 0; i < 20; i++) {
        log_world_write_random(&world, 0, 2000, 1000 + i);
        log_world_step(&world);
    }
    log_world_add(&world, JOB, 1, 1, 0);
    log_world_end(&world, 1);
    log_world_settle(&world);
    log_world_restart(&world);
    assert_true(log_world_find_file(&world, ".open", path));
    len = log_world_read_file(path, bytes, sizeof(bytes));
    assert_true(len > 30000);
    bytes[15000] ^= 16;
    log_world_write_file(path, bytes, len);
    log_world_restart(&world);
    log_world_write_random(&world, 0, 2000, 1100);
    log_world_end(&world, 0);
    log_world_settle(&world);
    assert_int_equal(check_damage(&world), 0);
    log_world_crash(&world);
    assert_int_equal(check_damage(&world), 0);
    world.config.damaged_wait_ms = 1;
    log_world_restart(&world);
    while (!log_world_find_file(&world, ".damaged", path)) {
        log_world_step(&world);
    }
    assert_int_equal(check_damage(&world), 0);
    log_world_fini(&world);
}

static void a_damaged_block_of_a_sealed_file_is_a_gap(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    fl_ms until = fl_clock_mono() + 60000;
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 22);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 320000, 1000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_seal_all(&world, 1);
    log_world_restart(&world);
    assert_true(log_world_find_file(&world, ".sealed", path));
    len = log_world_read_file(path, bytes, sizeof(bytes));
    bytes[1000] ^= 1;
    log_world_write_file(path, bytes, len);
    log_world_restart(&world);
    assert_true(check_damage(&world) > 0);
    assert_true(check_damage(&world) < 200000); /* one of two or three blocks */
    while (log_store_stats(world.store).damaged == 0) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    log_world_fini(&world);
}

/* ---- tables of sealed files ------------------------------------------------------------------ */

static size_t tables_at(const char *path)
{
    struct fl_err err = {0};
    struct log_sealed *sealed = log_sealed_open(path, &err);
    size_t at;

    assert_non_null(sealed);
    at = (size_t)sealed->tables_pos;
    log_sealed_unref(sealed);
    return at;
}

/* Makes the segment so large that the store seals it when it starts again. */
static void fill_segment(struct log_world *world)
{
    size_t i = log_world_add(world, JOB, 50, 1, 0);

    log_world_write_random(world, i, 320000, 1000);
    log_world_end(world, i);
    log_world_settle(world);
}

/* The store's only sealed file, in 'good'; returns its length. */
static size_t seal_and_read(struct log_world *world, char path[200], uint8_t *good)
{
    log_world_seal_all(world, 1);
    log_world_restart(world);
    assert_true(log_world_find_file(world, ".sealed", path));
    return log_world_read_file(path, good, DAMAGE_FILE_MAX);
}

/* The store starts with these bytes instead.  'kept' is where the damaged file is to be found, and
 * is removed again. */
static void start_with(struct log_world *world, const char *path, const uint8_t *bytes, size_t len)
{
    char kept[200];

    log_world_write_file(path, bytes, len);
    log_world_restart(world);
    assert_true(log_store_stats(world->store).damaged > 0);
    assert_int_equal(log_store_stats(world->store).files_sealed, 1);
    assert_true(log_world_find_file(world, ".sealed.damaged", kept));
    assert_int_equal(unlink(kept), 0);
}

static void a_damaged_table_of_a_sealed_file_costs_nothing(void **state)
{
    static struct log_world world;
    static uint8_t good[DAMAGE_FILE_MAX];
    static uint8_t bad[DAMAGE_FILE_MAX];
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 23);
    write_small_entries(&world);
    log_world_add(&world, JOB, 99, 1, 0); /* without a byte */
    log_world_end(&world, DAMAGE_OUTPUTS);
    fill_segment(&world);
    len = seal_and_read(&world, path, good);
    for (size_t at = tables_at(path); at < len; at += 131) {
        memcpy(bad, good, len);
        bad[at] ^= (uint8_t)(1u << at % 8);
        start_with(&world, path, bad, len);
        assert_int_equal(check_damage(&world), 0);
        log_world_restart(&world); /* the new file is good */
        assert_int_equal(log_store_stats(world.store).damaged, 0);
        assert_int_equal(check_damage(&world), 0);
    }
    start_with(&world, path, good, tables_at(path)); /* without any table */
    assert_int_equal(check_damage(&world), 0);
    assert_int_equal(log_store_stats(world.store).sources, 0);
    log_world_fini(&world);
}

/* One output of several blocks, and small ones before and behind it. */
static size_t make_blocks(struct log_world *world, uint64_t seed, char path[200], uint8_t *good)
{
    static const uint32_t bytes[] = {300, 400000, 300};

    log_world_init(world, seed);
    for (uint32_t i = 0; i < 3; i++) {
        log_world_add(world, JOB, i, 1, 0);
        log_world_write_random(world, i, bytes[i], 1000 + i);
        log_world_end(world, i);
    }
    fill_segment(world);
    return seal_and_read(world, path, good);
}

static size_t find_magic(const uint8_t *bytes, size_t len, size_t from)
{
    const uint8_t *found = memmem(bytes + from, len - from, "FLLOGMAN", 8);

    assert_non_null(found);
    return (size_t)(found - bytes);
}

static void a_damaged_block_beside_a_damaged_table_is_a_gap(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    char path[200];
    size_t len;

    (void)state;
    len = make_blocks(&world, 24, path, bytes);
    bytes[find_magic(bytes, len, find_magic(bytes, len, 0) + 1) - 3000] ^= 1; /* the second block */
    bytes[tables_at(path) + 5] ^= 1;
    start_with(&world, path, bytes, len);
    assert_true(check_damage(&world) > 0);
    assert_true(check_damage(&world) < 200000);
    log_world_fini(&world);
}

static void a_damaged_manifest_beside_a_damaged_table_costs_its_block(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    char path[200];
    size_t len;

    (void)state;
    len = make_blocks(&world, 25, path, bytes);
    bytes[find_magic(bytes, len, find_magic(bytes, len, 0) + 1) + 30] ^= 1;
    bytes[tables_at(path) + 5] ^= 1;
    start_with(&world, path, bytes, len);
    assert_true(log_store_stats(world.store).damaged >= 2); /* the tables, and the block */
    assert_true(check_damage(&world) > 0);
    assert_true(check_damage(&world) < 200000);
    log_world_fini(&world);
}

static void a_segment_is_used_again_if_its_sealed_file_is_damaged(void **state)
{
    static struct log_world world;
    static uint8_t open[DAMAGE_FILE_MAX];
    static uint8_t sealed[DAMAGE_FILE_MAX];
    char open_path[200];
    char path[200];
    size_t open_len;
    size_t len;

    (void)state;
    log_world_init(&world, 27);
    write_small_entries(&world);
    fill_segment(&world);
    assert_true(log_world_find_file(&world, ".open", open_path));
    open_len = log_world_read_file(open_path, open, sizeof(open));
    len = seal_and_read(&world, path, sealed);
    memset(sealed + 40, 0, len - 40); /* no manifest is left */
    log_world_write_file(path, sealed, len);
    log_world_write_file(open_path, open,
                         open_len); /* as if the power went before it was removed */
    log_world_restart(&world);
    assert_true(log_world_find_file(&world, ".sealed.damaged", path));
    assert_int_equal(check_damage(&world), 0);
    log_world_fini(&world);
}

/* Damaged segments are sealed at once, and what is read stays the same, also after a restart. */
static void check_damage_when_sealed(struct log_world *world, uint64_t gap_bytes)
{
    fl_ms until = fl_clock_mono() + 60000;
    char path[200];

    world->config.damaged_wait_ms = 1;
    log_world_restart(world);
    while (!log_world_find_file(world, ".damaged", path)) {
        assert_true(fl_clock_mono() < until);
        log_world_step(world);
    }
    assert_int_equal(check_damage(world), gap_bytes);
    log_world_restart(world);
    assert_int_equal(check_damage(world), gap_bytes);
}

/* Steps until all that the only output wrote can be read. */
static void step_until_read(struct log_world *world)
{
    fl_ms until = fl_clock_mono() + 60000;
    struct log_query query = log_world_whole(JOB);
    size_t bytes = 0;

    while (bytes < world->outputs[0].bytes.len) {
        struct log_world_read read = {0};

        assert_true(fl_clock_mono() < until);
        log_world_step(world);
        log_world_read(world, &query, &read);
        bytes = read.bytes.len;
        log_world_read_fini(&read);
    }
}

/* The entry that says whose records they are is lost, and only a later segment names the output. */
static void records_without_a_name_are_damage_too(void **state)
{
    enum { LOST_BYTES = 320000 };
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    char open_path[200];
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 28);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, LOST_BYTES, 1000);
    step_until_read(&world);
    assert_true(log_world_find_file(&world, ".open", open_path));
    len = log_world_read_file(open_path, bytes, sizeof(bytes));
    log_world_seal_all(&world, 1);
    assert_true(log_world_find_file(&world, ".sealed", path));
    log_world_write_random(&world, 0, 200000, 2000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    /* As if the store had ended before it was sealed. */
    bytes[LOG_SEGMENT_HEADER_BYTES + LOG_ENTRY_HEADER_BYTES] ^= 1;
    assert_int_equal(unlink(path), 0);
    log_world_write_file(open_path, bytes, len);
    log_world_restart(&world);
    assert_int_equal(check_damage(&world), LOST_BYTES);
    check_damage_when_sealed(&world, LOST_BYTES);
    log_world_seal_all(&world, 1);
    assert_int_equal(check_damage(&world), LOST_BYTES);
    log_world_fini(&world);
}

static void what_was_mended_into_a_sealed_file_stays_mended(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 29);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 320000, 1000);
    step_until_read(&world);
    assert_true(log_world_find_file(&world, ".open", path));
    len = log_world_read_file(path, bytes, sizeof(bytes));
    bytes[100000] ^= 16;
    log_world_write_file(path, bytes, len);
    log_world_restart(&world); /* the segment waits, the agent sends again what it lacks */
    log_world_write_random(&world, 0, 100000, 2000);
    step_until_read(&world);
    log_world_seal_all(&world, 1);
    log_world_write_random(&world, 0, 2000, 3000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_restart(&world);
    assert_int_equal(check_damage(&world), 0);
    check_damage_when_sealed(&world, 0);
    log_world_fini(&world);
}

/* Outputs that end at once, each a file of its own; the first output goes on in all of them. */
static void write_files(struct log_world *world, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        log_world_add(world, JOB, i, 1, 0);
        log_world_write_random(world, 0, 3000, 1000 + i);
        log_world_write_random(world, i, 2000, 1000 + i);
        log_world_end(world, i);
        log_world_settle(world);
    }
}

static void files_on_both_sides_of_a_damaged_segment_stay_apart(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    fl_ms until = fl_clock_mono() + 60000;
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 30);
    world.config.ended_max = 0;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    write_files(&world, 1, 3);
    log_world_wait_sealed(&world, 3);
    world.config.ended_max = 8192;
    log_world_restart(&world);
    for (int i = 0; i < 10; i++) { /* an entry each */
        log_world_write_random(&world, 0, 3000, 1010 + i);
        step_until_read(&world);
    }
    assert_true(log_world_find_file(&world, ".open", path));
    len = log_world_read_file(path, bytes, sizeof(bytes));
    assert_true(len > 12000);
    bytes[len / 2] ^= 16;
    log_world_write_file(path, bytes, len);
    world.config.ended_max = 0;
    log_world_restart(&world); /* the segment waits, and its output goes on in others */
    write_files(&world, 4, 15);
    while (log_store_stats(world.store).files_merged < 8) {
        assert_true(fl_clock_mono() < until);
        assert_int_equal(check_damage(&world), 0);
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    assert_int_equal(check_damage(&world), 0);
    log_world_restart(&world);
    assert_int_equal(check_damage(&world), 0);
    log_world_fini(&world);
}

FL_TESTS(cmocka_unit_test(a_flipped_bit_costs_one_entry_wherever_it_is),
         cmocka_unit_test(lost_sectors_cost_what_was_in_them_and_the_file_is_kept),
         cmocka_unit_test(an_agent_that_still_has_its_output_mends_what_is_damaged),
         cmocka_unit_test(records_without_a_name_are_damage_too),
         cmocka_unit_test(files_on_both_sides_of_a_damaged_segment_stay_apart),
         cmocka_unit_test(what_was_mended_into_a_sealed_file_stays_mended),
         cmocka_unit_test(a_damaged_block_of_a_sealed_file_is_a_gap),
         cmocka_unit_test(a_damaged_table_of_a_sealed_file_costs_nothing),
         cmocka_unit_test(a_damaged_block_beside_a_damaged_table_is_a_gap),
         cmocka_unit_test(a_damaged_manifest_beside_a_damaged_table_costs_its_block),
         cmocka_unit_test(a_segment_is_used_again_if_its_sealed_file_is_damaged))
