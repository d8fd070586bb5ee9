/* audit_filter.h - which rows of the audit a reader asked for, and a row's parts.  Pure. */
#pragma once

#include "controlplane/store/read_audit.h"

struct audit_filter {
    struct fl_str subject; /* the whole actor, its 'token:ID', or that ID; empty: any */
    struct fl_str action, object, outcome; /* empty: any */
    fl_ms since, until;                    /* since <= at < until; until 0: no end */
};

bool audit_filter_is_empty(const struct audit_filter *filter);
bool audit_filter_takes(const struct audit_filter *filter, const struct read_audit_row *row);

/* The first word of what was done or tried, and the second; empty: there is none. */
struct fl_str audit_action(const struct read_audit_row *row);
struct fl_str audit_object(const struct read_audit_row *row);
struct fl_str audit_outcome(const struct read_audit_row *row); /* "done" where the row has none */
