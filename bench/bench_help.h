/* bench_help.h - what the tools of bench/ share: clocks, what a Postgres used, samples, a line of
 * JSON.  A tool measures between bench_meter_start and bench_meter_stop and prints one line;
 * bench/run does the rest.  Every failure ends the tool with one line on stderr: a failed run has
 * no figure.  Uses libpq and the system's clocks. */
#pragma once

#include <libpq-fe.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "controlplane/store/partition.h"
#include "shared/base/err.h"
#include "shared/base/vec.h"

_Noreturn void bench_die(const char *fmt, ...) FL_PRINTF(1, 2);

/* Ends the tool, with one line, if it runs for longer: nothing here may hang. */
void bench_limit(unsigned seconds);

int64_t bench_now_ns(void); /* monotonic */
double bench_own_cpu_s(void);
double bench_thread_cpu_s(void);

/* The value of "--name=value" among the arguments, else 'otherwise'. */
const char *bench_arg(int argc, char **argv, const char *name, const char *otherwise);
double bench_arg_number(int argc, char **argv, const char *name, double otherwise);

/* Brings the schema in and makes all partitions that a start with this 'ahead' would make: 0 is the
 * default.  Making them is no part of any figure; how many there are is part of each. */
struct partition_config bench_migrate(const char *conninfo, uint64_t ahead);

PGconn *bench_connect(const char *conninfo); /* blocking, never NULL */
void bench_sql(PGconn *pg, const char *fmt, ...) FL_PRINTF(2, 3);
double bench_ask(PGconn *pg, const char *sql); /* one number */

struct bench_samples { /* {0} is empty */
    FL_VEC(double) values;
};

void bench_samples_add(struct bench_samples *samples, double value);
double bench_samples_at(struct bench_samples *samples, double share); /* 0.5: the median; sorts */
void bench_samples_fini(struct bench_samples *samples);

/* The CPU of this program and of all processes of one Postgres from start to stop. */
struct bench_meter {
    PGconn *pg; /* its own connection; NULL: no Postgres is part of it */
    pid_t postmaster;
    int64_t at_ns;
    double own_cpu_s, pg_cpu_s, wal_bytes;
};

void bench_meter_init(struct bench_meter *meter, const char *conninfo); /* NULL: no Postgres */
void bench_meter_fini(struct bench_meter *meter);
void bench_meter_start(struct bench_meter *meter); /* again: starts anew */

/* From here on the fields hold what was used, at_ns how long it took. */
void bench_meter_stop(struct bench_meter *meter);

/* {"case": "x", "jobs": ..., "seconds": ..., "value": jobs a second, ...: without the closing
 * brace, so that the tool can add to it with bench_field. */
void bench_print(const char *name, const struct bench_meter *meter, double jobs,
                 struct bench_samples *batches_ms);
void bench_field(const char *name, double value);
void bench_end(void); /* the brace */
