#include "controlplane/logs/sealed.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controlplane/logs/manifest.h"
#include "controlplane/logs/rebuild.h"
#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

enum { MANY = 300000, FORGED_JOB = 666, NOISE_BYTES = 4000, FILE_MAX = 1 << 16 };

static const struct log_segment_header header = {.cluster = {3}, .seq = 9, .created_at = 1000};

struct folder {
    char dir[64], path[128], kept[160];
    struct log_sealer *sealer;
    struct log_sealed *sealed;
};

static void init(struct folder *folder)
{
    struct fl_err err = {0};

    snprintf(folder->dir, sizeof(folder->dir), "/tmp/fl-sealed-XXXXXX");
    assert_non_null(mkdtemp(folder->dir));
    snprintf(folder->path, sizeof(folder->path), "%s/00000003-0000000000000009.sealed",
             folder->dir);
    snprintf(folder->kept, sizeof(folder->kept), "%s.damaged", folder->path);
    folder->sealer = log_sealer_create(folder->dir, &header, 2000, &err);
    assert_non_null(folder->sealer);
}

static void finish(struct folder *folder)
{
    struct fl_err err = {0};

    folder->sealed = log_sealer_finish(folder->sealer, &err);
    assert_non_null(folder->sealed);
    log_sealer_destroy(folder->sealer);
}

static void fini(struct folder *folder)
{
    log_sealed_unref(folder->sealed);
    unlink(folder->path);
    unlink(folder->kept);
    assert_int_equal(rmdir(folder->dir), 0);
}

/* Takes the tables away, and has them made again. */
static uint32_t rebuild(struct folder *folder)
{
    struct log_rebuilt rebuilt;
    struct fl_err err = {0};

    assert_int_equal(truncate(folder->path, (off_t)folder->sealed->tables_pos), 0);
    assert_true(log_rebuild(folder->dir, folder->path, &header, &rebuilt, &err));
    assert_int_equal(access(folder->kept, F_OK), 0);
    assert_int_equal(rebuilt.sealed->sealed_at, folder->sealed->sealed_at);
    assert_int_equal(rebuilt.sealed->header.created_at, header.created_at);
    log_sealed_unref(folder->sealed);
    folder->sealed = rebuilt.sealed;
    return rebuilt.lost;
}

static struct log_key key_of(uint64_t job, uint32_t element)
{
    return (struct log_key){.attempt = {.job = {job}, .element = element, .n = 1}, .tenant = {1}};
}

static void check_many(const struct folder *folder)
{
    struct log_sealed_output output;
    struct fl_err err = {0};
    bool is_there;

    assert_int_equal(folder->sealed->outputs_len, MANY);
    for (uint32_t i = 0; i < 2 * MANY; i += 999) {
        struct log_key key = key_of(5, i);

        assert_true(log_sealed_find(folder->sealed, &key, &is_there, &output, &err));
        assert_int_equal(is_there, i % 2 == 0);
        if (is_there) assert_int_equal(output.place.offset, i);
        if (is_there) assert_true(output.is_ended);
    }
}

/* So many that the filter of keys has several parts, and that manifests are full. */
static void each_of_very_many_outputs_is_found_also_in_tables_made_again(void **state)
{
    struct folder folder;
    struct fl_err err = {0};

    (void)state;
    init(&folder);
    for (uint32_t i = 0; i < MANY; i++) {
        struct log_key key = key_of(5, 2 * i);
        struct log_place place = {.offset = 2 * i};

        assert_true(log_sealer_output(folder.sealer, &key, &place, true, &err));
    }
    finish(&folder);
    check_many(&folder);
    assert_int_equal(rebuild(&folder), 0);
    check_many(&folder);
    fini(&folder);
}

/* Seals one output: noise, in it a manifest that names 'pos' as the place of its block, and noise.
 * Returns where in the file the manifest is. */
static uint64_t seal_forgery(struct folder *folder, uint64_t pos, uint64_t block_pos)
{
    struct log_manifest manifest = {
        .header = header,
        .sealed_at = 2000,
        .frame = {.pos = block_pos, .bytes = (uint32_t)(pos - block_pos), .raw_bytes = 100}};
    struct log_manifest_row row = {.output = {.key = key_of(FORGED_JOB, 0), .pieces_len = 1},
                                   .piece = {.end = 100, .len = 100}};
    static uint8_t file_bytes[FILE_MAX];
    struct log_key key = key_of(5, 0);
    struct fl_buf rows, noise;
    struct fl_err err = {0};
    struct fl_prng prng;
    struct log_run run;
    const uint8_t *found;
    FILE *file;
    size_t len;

    fl_prng_seed(&prng, 1);
    fl_buf_init(&rows, SIZE_MAX);
    fl_buf_init(&noise, SIZE_MAX);
    for (int i = 0; i < NOISE_BYTES; i++) {
        fl_buf_put_u64(&noise, fl_prng_below(&prng, UINT64_MAX));
        if (i != NOISE_BYTES / 2) continue;
        log_manifest_row_put(&rows, &row);
        log_manifest_put(&noise, &manifest, &rows);
    }
    init(folder);
    run = (struct log_run){.end = noise.len, .records = 1};
    assert_true(log_sealer_output(folder->sealer, &key, &(struct log_place){.offset = noise.len},
                                  true, &err));
    assert_true(log_sealer_run(folder->sealer, (struct fl_str){(const char *)noise.at, noise.len},
                               &run, 0, &err));
    finish(folder);
    file = fopen(folder->path, "re");
    assert_non_null(file);
    len = fread(file_bytes, 1, sizeof(file_bytes), file);
    fclose(file);
    found = memmem(file_bytes, len, "FLLOGMAN", 8);
    assert_non_null(found); /* noise is stored as it is */
    fl_buf_fini(&rows);
    fl_buf_fini(&noise);
    return (uint64_t)(found - file_bytes) - 8;
}

static void a_job_that_writes_a_manifest_forges_nothing(void **state)
{
    struct log_sealed_output output;
    struct folder folder;
    struct fl_err err = {0};
    uint64_t pos;

    (void)state;
    pos = seal_forgery(&folder, LOG_SEGMENT_HEADER_BYTES, LOG_SEGMENT_HEADER_BYTES);
    fini(&folder);
    assert_int_equal(seal_forgery(&folder, pos, LOG_SEGMENT_HEADER_BYTES), pos);
    assert_int_equal(rebuild(&folder), 0);
    assert_int_equal(folder.sealed->outputs_len, 1);
    assert_true(log_sealed_output_at(folder.sealed, 0, &output, &err));
    assert_int_equal(output.key.attempt.job.n, 5);
    assert_int_equal(output.pieces_len, 1);
    fini(&folder);
}

static void a_file_without_manifests_stays_as_it_is(void **state)
{
    struct log_rebuilt rebuilt;
    struct folder folder;
    struct fl_err err = {0};

    (void)state;
    seal_forgery(&folder, 0, 0);
    assert_int_equal(truncate(folder.path, 100), 0);
    assert_false(log_rebuild(folder.dir, folder.path, &header, &rebuilt, &err));
    assert_int_equal(err.code, FL_TORN);
    assert_int_equal(access(folder.path, F_OK), 0);
    assert_int_not_equal(access(folder.kept, F_OK), 0);
    fini(&folder);
}

FL_TESTS(cmocka_unit_test(each_of_very_many_outputs_is_found_also_in_tables_made_again),
         cmocka_unit_test(a_job_that_writes_a_manifest_forges_nothing),
         cmocka_unit_test(a_file_without_manifests_stays_as_it_is))
