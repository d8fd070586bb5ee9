#include "controlplane/api/v1/audit_filter.h"

#include <string.h>

/* The word that begins at 'from'. */
static struct fl_str word(struct fl_str text, size_t from)
{
    const char *end;

    if (from >= text.len) return (struct fl_str){0};
    end = memchr(text.at + from, ' ', text.len - from);
    return (struct fl_str){text.at + from,
                           end ? (size_t)(end - (text.at + from)) : text.len - from};
}

struct fl_str audit_action(const struct read_audit_row *row)
{
    return word(row->audit.body, 0);
}

struct fl_str audit_object(const struct read_audit_row *row)
{
    return word(row->audit.body, audit_action(row).len + 1);
}

struct fl_str audit_outcome(const struct read_audit_row *row)
{
    return row->audit.outcome.len > 0 ? row->audit.outcome : FL_STR("done");
}

bool audit_filter_is_empty(const struct audit_filter *filter)
{
    return filter->subject.len + filter->action.len + filter->object.len + filter->outcome.len ==
               0 &&
           filter->since == 0 && filter->until == 0;
}

static bool is_subject(struct fl_str actor, struct fl_str wanted)
{
    struct fl_str who = word(actor, 0);
    const char *colon = who.len > 0 ? memchr(who.at, ':', who.len) : NULL;
    size_t skip = colon ? (size_t)(colon - who.at) + 1 : 0;

    return fl_str_eq(actor, wanted) || fl_str_eq(who, wanted) ||
           (colon && fl_str_eq((struct fl_str){who.at + skip, who.len - skip}, wanted));
}

static bool fits(struct fl_str wanted, struct fl_str value)
{
    return wanted.len == 0 || fl_str_eq(wanted, value);
}

bool audit_filter_takes(const struct audit_filter *filter, const struct read_audit_row *row)
{
    return (filter->subject.len == 0 || is_subject(row->audit.actor, filter->subject)) &&
           fits(filter->action, audit_action(row)) && fits(filter->object, audit_object(row)) &&
           fits(filter->outcome, audit_outcome(row)) && row->at >= filter->since &&
           (filter->until == 0 || row->at < filter->until);
}
