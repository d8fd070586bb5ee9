#include "shared/spec/submission.h"

#include "shared/spec/manifest.h"

static bool parse_manifest(const struct fl_json *manifest, struct fl_arena *arena,
                           struct fl_submission *ret, struct fl_problems *problems)
{
    struct fl_job_check check = {.arena = arena, .problems = problems};
    struct fl_manifest_moves moves = {0};
    const struct fl_json *document;

    if (!fl_manifest_document(&check, manifest, &document, &moves)) return false;
    if (!fl_job_spec_parse(document, arena, NULL, &ret->spec, problems)) {
        for (size_t i = 0; i < problems->len; i++) {
            problems->at[i].pointer = fl_manifest_origin(&moves, problems->at[i].pointer, arena);
        }
        return false;
    }
    ret->has_queue = fl_json_member(document, FL_STR("queue")) != NULL;
    return true;
}

bool fl_submission_parse(const struct fl_json *document, struct fl_arena *arena,
                         struct fl_submission *ret, struct fl_problems *problems)
{
    if (fl_manifest_is(document)) return parse_manifest(document, arena, ret, problems);
    if (!fl_job_spec_parse(document, arena, NULL, &ret->spec, problems)) return false;
    ret->has_queue = fl_json_member(document, FL_STR("queue")) != NULL;
    return true;
}
