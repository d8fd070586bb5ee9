#include "controlplane/api/v1/batch_bounds.h"

static size_t count(const struct fl_json *node)
{
    size_t values = 1;

    if (node->kind != FL_JSON_LIST && node->kind != FL_JSON_OBJECT) return values;
    FL_JSON_EACH (item, node) {
        values += count(item); /* at most FL_JSON_DEPTH_MAX deep */
    }
    return values;
}

bool batch_bounds_line(struct batch_bounds *bounds, const struct fl_json *line, struct fl_err *err)
{
    bounds->lines++;
    if (line) bounds->values += count(line);
    if (bounds->lines > BATCH_LINES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "a batch has at most %d lines; nothing was submitted",
                       BATCH_LINES_MAX);
    }
    if (bounds->values > BATCH_VALUES_MAX) {
        return fl_fail(err, FL_TOO_LARGE,
                       "a batch has at most %d JSON values in all its lines; nothing was submitted",
                       BATCH_VALUES_MAX);
    }
    return true;
}

bool batch_bounds_result(struct batch_bounds *bounds, size_t bytes, struct fl_err *err)
{
    bounds->answer_bytes += BATCH_RESULT_BYTES + bytes;
    return bounds->answer_bytes <= API_ANSWER_BYTES_MAX ||
           fl_fail(err, FL_TOO_LARGE,
                   "the answer would have over %d bytes of problems; nothing was submitted",
                   API_ANSWER_BYTES_MAX);
}
