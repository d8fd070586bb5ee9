/* The edit of an open job, as anybody with the right may send it.
 * Input: the JSON of the edit, for a job that is an array and has labels, a name and a deadline.
 * Property: a refused edit names a problem and leaves the job as it was; an edited job's document
 * is one that could have been submitted, and says the same; the same edit once more changes
 * nothing.
 * The planted bug (planted/job_edit.patch) lets an edit change any member of the document.
 *
 *     tests/fuzz/planted.sh job_edit */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/spec/job_edit.h"

enum { INPUT_BYTES_MAX = 16 << 10, DOCUMENT_BYTES_MAX = 1 << 20 };

static const char job[] = "{\"name\":\"sweep\",\"queue\":\"ml\",\"priority\":5,\"deadline\":60,"
                          "\"array\":9,\"parallelism\":3,\"labels\":{\"a\":\"1\",\"b\":\"2\"},"
                          "\"command\":[\"a\"],\"resources\":{\"cpu\":1}}";

static void document_of(const struct fl_job_spec *spec, struct fl_buf *out)
{
    fl_buf_init(out, DOCUMENT_BYTES_MAX);
    fl_assert(fl_job_spec_document(out, spec));
}

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static bool is_same(const struct fl_buf *a, const struct fl_buf *b)
{
    return fl_str_eq(view(a), view(b));
}

static struct fl_job_spec spec_of(struct fl_str document, struct fl_arena *arena)
{
    struct fl_problems problems = {0};
    const struct fl_json *root;
    struct fl_err err = {0};
    struct fl_job_spec spec;

    fl_assert(fl_json_parse(document, arena, &root, NULL, &err));
    fl_assert(fl_job_spec_parse(root, arena, NULL, &spec, &problems));
    return spec;
}

/* No edit touches these. */
static void check_kept(const struct fl_job_spec *before, const struct fl_job_spec *after)
{
    fl_assert(after->elements == before->elements && after->retries == before->retries);
    fl_assert(after->roles.at == before->roles.at && after->roles.len == before->roles.len);
    fl_assert(after->clusters.len == before->clusters.len);
    fl_assert(after->params.len == before->params.len && after->after.len == before->after.len);
    fl_assert(after->is_singleton == before->is_singleton);
    fl_assert(after->requires_limits == before->requires_limits);
    fl_assert(after->labels.len <= FL_JOB_LABELS_MAX);
}

static void apply(const struct fl_json *edit, struct fl_arena *arena)
{
    struct fl_job_spec before = spec_of((struct fl_str){job, sizeof job - 1}, arena), spec = before;
    struct fl_problems problems = {0}, none = {0};
    struct fl_buf was, is, again;
    struct fl_job_spec submitted;

    document_of(&before, &was);
    if (!fl_job_edit_parse(edit, arena, &spec, &problems)) {
        fl_assert(problems.len > 0 && problems.at[0].detail.len > 0);
        document_of(&spec, &is);
        fl_assert(is_same(&was, &is));
        fl_buf_fini(&was);
        fl_buf_fini(&is);
        return;
    }
    check_kept(&before, &spec);
    document_of(&spec, &is);
    submitted = spec_of(view(&is), arena);
    document_of(&submitted, &again);
    fl_assert(is_same(&is, &again));
    fl_buf_fini(&again);
    fl_assert(fl_job_edit_parse(edit, arena, &spec, &none));
    document_of(&spec, &again);
    fl_assert(is_same(&is, &again));
    fl_buf_fini(&again);
    fl_buf_fini(&is);
    fl_buf_fini(&was);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_arena arena = {0};
    const struct fl_json *edit;
    struct fl_err err = {0};

    if (size > INPUT_BYTES_MAX) return 0;
    if (fl_json_parse((struct fl_str){(const char *)data, size}, &arena, &edit, NULL, &err)) {
        apply(edit, &arena);
    }
    fl_arena_fini(&arena);
    return 0;
}
