#include "controlplane/logs/view_pass.h"

/* No line of the record is hidden, and it begins with the beginning of one. */
static bool may_pass(const struct log_view *view, const struct log_view_output *output,
                     const struct fl_log_record *record)
{
    const struct log_query *query = &view->query;

    return query->pattern && view->skip == 0 && output->resume_time == 0 && !output->is_mid &&
           !record->gap && record->time >= query->since &&
           (query->until == 0 || record->time < query->until);
}

bool log_view_pass(struct log_view *view, struct log_view_output *output,
                   const struct fl_log_record *record)
{
    struct log_passed passed;

    view->has_verdict = false;
    if (!may_pass(view, output, record)) return false;
    passed = log_pattern_pass(view->query.pattern, record->bytes, view->step_end_us);
    output->offset += passed.bytes;
    output->line += passed.lines;
    view->lines_seen += passed.lines;
    view->lines_untimed += passed.lines;
    view->has_verdict = passed.has_verdict;
    view->verdict = passed.verdict;
    return passed.bytes > 0;
}
