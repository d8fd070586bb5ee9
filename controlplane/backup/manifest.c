#include "controlplane/backup/manifest.h"

#include <inttypes.h>

#include "shared/base/time_text.h"
#include "shared/json/json.h"
#include "shared/json/json_out.h"
#include "shared/tls/digest.h"

void manifest_write(const struct manifest *manifest, struct fl_buf *out)
{
    struct fl_json_out json = fl_json_out(out);
    char digest[FL_DIGEST_TEXT_MAX];

    fl_digest_print(manifest->dump_digest, digest);
    fl_json_open(&json, NULL, '{');
    fl_json_put_u64(&json, "format", MANIFEST_FORMAT);
    fl_json_put_str(&json, "program", manifest->program);
    fl_json_put_time(&json, "madeAt", manifest->made_at);
    fl_json_put_u64(&json, "schema", manifest->schema);
    fl_json_put_u64(&json, "batch", manifest->batch);
    fl_json_open(&json, "database", '{');
    fl_json_put_u64(&json, "bytes", manifest->dump_bytes);
    fl_json_put_cstr(&json, "sha256", digest);
    fl_json_close(&json, '}');
    fl_json_open(&json, "state", '{');
    fl_json_put_u64(&json, "files", manifest->state_files);
    fl_json_put_u64(&json, "bytes", manifest->state_bytes);
    fl_json_put_bool(&json, "hasLogs", manifest->has_logs);
    fl_json_close(&json, '}');
    fl_json_close(&json, '}');
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    const char *lacks; /* the first member that is not there or is of another kind; NULL: none */
};

static const struct fl_json *member(struct reading *reading, const struct fl_json *object,
                                    const char *name, enum fl_json_kind kind)
{
    const struct fl_json *node =
        object && object->kind == FL_JSON_OBJECT ? fl_json_member(object, fl_str_c(name)) : NULL;

    if (node && node->kind == kind) return node;
    if (!reading->lacks) reading->lacks = name;
    return NULL;
}

static uint64_t number(struct reading *reading, const struct fl_json *object, const char *name)
{
    const struct fl_json *node = member(reading, object, name, FL_JSON_INT);
    uint64_t n = 0;

    if (node && !fl_str_parse_u64(node->text, &n) && !reading->lacks) reading->lacks = name;
    return n;
}

static struct fl_str text_of(struct reading *reading, const struct fl_json *object,
                             const char *name)
{
    const struct fl_json *node = member(reading, object, name, FL_JSON_STRING);

    return node ? node->text : (struct fl_str){0};
}

bool manifest_read(struct fl_str text, struct fl_arena *arena, struct manifest *ret_manifest,
                   struct fl_err *err)
{
    const struct fl_json *root, *database, *state, *logs;
    struct reading reading = {0};
    struct manifest manifest = {0};
    struct fl_place at;
    uint64_t format;

    if (!fl_json_parse(text, arena, &root, &at, err)) {
        err->code = FL_TORN;
        return false;
    }
    format = number(&reading, root, "format");
    if (!reading.lacks && format != MANIFEST_FORMAT) {
        return fl_fail(err, FL_UNSUPPORTED,
                       "its format is %" PRIu64 ", and this program knows %d: take a newer one",
                       format, MANIFEST_FORMAT);
    }
    database = member(&reading, root, "database", FL_JSON_OBJECT);
    state = member(&reading, root, "state", FL_JSON_OBJECT);
    manifest.program = text_of(&reading, root, "program");
    manifest.schema = number(&reading, root, "schema");
    manifest.batch = number(&reading, root, "batch");
    manifest.dump_bytes = number(&reading, database, "bytes");
    manifest.state_files = number(&reading, state, "files");
    manifest.state_bytes = number(&reading, state, "bytes");
    logs = member(&reading, state, "hasLogs", FL_JSON_BOOL);
    manifest.has_logs = logs && logs->n != 0;
    if (!fl_time_parse(text_of(&reading, root, "madeAt"), &manifest.made_at) && !reading.lacks) {
        reading.lacks = "madeAt";
    }
    if (!fl_digest_parse(text_of(&reading, database, "sha256"), &manifest.dump_digest, NULL) &&
        !reading.lacks) {
        reading.lacks = "sha256";
    }
    if (reading.lacks) return fl_fail(err, FL_TORN, "it lacks a good '%s'", reading.lacks);
    *ret_manifest = manifest;
    return true;
}
