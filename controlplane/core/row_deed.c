#include "controlplane/core/row_deed.h"

#include "shared/base/job_name.h"

static const struct {
    const char *verb;
    enum core_mark mark;
} deeds[] = {{"hold", CORE_MARK_held},
             {"release", CORE_MARK_held},
             {"cancel", CORE_MARK_cancel},
             {"edit", CORE_MARK_held}};

struct row_deed row_deed(const struct row *row)
{
    struct row_deed deed = {0};
    struct fl_str rest, verb, name;
    struct fl_err err = {0};

    if (row->kind != ROW_audit || row->audit.outcome.len > 0) return deed;
    rest = row->audit.body;
    verb = fl_str_cut(&rest, ' ');
    name = fl_str_cut(&rest, ' ');
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        if (!fl_str_eq(verb, fl_str_c(deeds[i].verb))) continue;
        if (fl_job_parse(name, &deed.job, &err)) deed.mark = deeds[i].mark;
        break;
    }
    return deed;
}
