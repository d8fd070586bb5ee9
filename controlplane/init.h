/* init.h - 'fairleadd init': prepares a database for the control plane, and says what comes next.
 * It makes the role, the database and the tables where they are missing, and checks all that is
 * there: a second run changes nothing.  It needs the rights of an administrator of Postgres, and
 * connects as the user who runs it; the daemon itself never has them.  All tables belong to the
 * role.  Uses libpq and waits for it. */
#pragma once

#include <stdio.h>

/* 'argv' begins with "init".  Returns the exit code. */
int init_main(int argc, char **argv);

void init_print_help(FILE *out);
