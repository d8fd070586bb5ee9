/* pepper_check.h - do this state directory's pepper and this database's tokens belong together?
 * The database keeps the hash of the pepper.  It waits for Postgres, so call it at the start of a
 * program, behind migrate.  Uses libpq. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/types.h"

struct pepper {
    struct fl_digest sha256;
    bool is_new;      /* it was made at this start */
    bool may_replace; /* the operator gives up all tokens that there are */
};

/* FL_UNSUPPORTED: they do not; the text names the cure.  FL_UNAVAILABLE, FL_IO: the database. */
FL_CHECK bool pepper_check(const char *conninfo, const struct pepper *pepper, struct fl_err *err);
