/* demo_postgres.h - a private Postgres: a folder of its own, a socket and no port.
 * Postgres refuses to run as root, so under root it runs as 'postgres', else as 'nobody'. */
#pragma once

#include <sys/types.h>

#include "shared/base/err.h"

struct demo_postgres {
    char bin[512]; /* folder of the server's programs */
    uid_t uid;     /* 0: as we are */
    gid_t gid;
    char data[1024], socket[1024];
};

/* Finds the programs and the user, and makes the folders in 'dir'.  The text of a failure says what
 * to install. */
FL_CHECK bool demo_postgres_prepare(struct demo_postgres *postgres, const char *dir,
                                    struct fl_err *err);

/* initdb; about a second. */
FL_CHECK bool demo_postgres_init(const struct demo_postgres *postgres, const char *log,
                                 struct fl_err *err);

/* In a fresh child: becomes the server, which stops at once, without a clean shutdown, when the
 * parent dies.  Never returns. */
void demo_postgres_become(const struct demo_postgres *postgres, pid_t parent)
    __attribute__((noreturn));

/* Does it accept connections?  Makes the database 'fairlead' at the first yes. */
bool demo_postgres_is_ready(const struct demo_postgres *postgres);
