/* The manifest.json of a backup, which was on somebody's disk or tape.
 * Input: the text.
 * Property: a manifest that is read has the numbers that stand in its JSON; written, it is read as
 * the same manifest; written and cut anywhere, it is refused, and so is another format.
 * The planted bug (planted/backup_manifest.patch) takes a negative number as 0.
 *
 *     tests/fuzz/planted.sh backup_manifest */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/backup/manifest.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/json/json.h"

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void check_number(const struct fl_json *object, const char *name, uint64_t number)
{
    const struct fl_json *node = fl_json_member(object, fl_str_c(name));
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, number);
    fl_assert(node && fl_str_eq(node->text, fl_str_c(text)));
}

static void check_numbers(struct fl_str text, const struct manifest *manifest,
                          struct fl_arena *arena)
{
    const struct fl_json *root, *database, *state;
    struct fl_err err = {0};
    struct fl_place at;

    fl_assert(fl_json_parse(text, arena, &root, &at, &err));
    database = fl_json_member(root, FL_STR("database"));
    state = fl_json_member(root, FL_STR("state"));
    check_number(root, "format", MANIFEST_FORMAT);
    check_number(root, "schema", manifest->schema);
    check_number(root, "batch", manifest->batch);
    check_number(database, "bytes", manifest->dump_bytes);
    check_number(state, "files", manifest->state_files);
    check_number(state, "bytes", manifest->state_bytes);
}

static void check_same(const struct manifest *a, const struct manifest *b)
{
    fl_assert(fl_str_eq(a->program, b->program) && a->made_at == b->made_at);
    fl_assert(a->schema == b->schema && a->batch == b->batch && a->dump_bytes == b->dump_bytes);
    fl_assert(memcmp(&a->dump_digest, &b->dump_digest, sizeof a->dump_digest) == 0);
    fl_assert(a->state_files == b->state_files && a->state_bytes == b->state_bytes);
    fl_assert(a->has_logs == b->has_logs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str text = {(const char *)data, size}, cut;
    struct manifest manifest, same;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf again;

    if (size > MANIFEST_BYTES_MAX) return 0;
    if (manifest_read(text, &arena, &manifest, &err)) {
        check_numbers(text, &manifest, &arena);
        fl_buf_init(&again, 8 * MANIFEST_BYTES_MAX); /* escapes are longer */
        manifest_write(&manifest, &again);
        fl_assert(!again.is_over && manifest_read(view(&again), &arena, &same, &err));
        check_same(&manifest, &same);
        cut = view(&again);
        cut.len = fl_hash64(0, data, size) % cut.len;
        fl_assert(!manifest_read(cut, &arena, &same, &err) && err.code == FL_TORN);
        fl_buf_fini(&again);
    } else {
        fl_assert(err.code == FL_TORN || err.code == FL_UNSUPPORTED);
    }
    fl_arena_fini(&arena);
    return 0;
}
