#include "bench/bench_help.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "controlplane/store/migrate.h"
#include "shared/io/loop.h"

void bench_die(const char *fmt, ...)
{
    va_list args;

    fputs("bench: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

void bench_limit(unsigned seconds)
{
    alarm(seconds); /* SIGALRM's default action is the end; Postgres rolls back by itself */
}

static double seconds_of(clockid_t clock)
{
    struct timespec at;

    clock_gettime(clock, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

int64_t bench_now_ns(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

double bench_own_cpu_s(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_thread_cpu_s(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

const char *bench_arg(int argc, char **argv, const char *name, const char *otherwise)
{
    size_t len = strlen(name);

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, name, len) != 0) continue;
        if (argv[i][2 + len] == '=') return argv[i] + 3 + len;
    }
    return otherwise;
}

double bench_arg_number(int argc, char **argv, const char *name, double otherwise)
{
    const char *text = bench_arg(argc, argv, name, NULL);
    char *end;
    double value;

    if (!text) return otherwise;
    value = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !isfinite(value) || value < 0) {
        bench_die("--%s=%s is no number", name, text);
    }
    return value;
}

/* ---- Postgres -------------------------------------------------------------------------------- */

static void on_room(void *ctx, uint64_t job_below, uint64_t batch_below)
{
    (void)ctx;
    (void)job_below;
    (void)batch_below;
}

static void on_trouble(void *ctx, const char *what, const char *text)
{
    (void)ctx;
    bench_die("partitions: %s: %s", what, text);
}

static void on_wake(void *ctx)
{
    (void)ctx;
}

struct partition_config bench_migrate(const char *conninfo, uint64_t ahead)
{
    const struct partition_hooks hooks = {.room = on_room, .trouble = on_trouble};
    struct partition_config config = partition_config_default();
    struct pg_waker waker = {.wake = on_wake};
    struct partition *partition;
    struct fl_err err = {0};

    if (ahead > 0) config.ahead = ahead;
    if (!migrate(conninfo, &config, &err)) bench_die("%s", err.text);
    waker.loop = fl_loop_create();
    partition = partition_create(conninfo, PARTITION_MAKER, &config, &hooks, &waker);
    partition_start(partition, 0, bench_now_ns() / 1000000);
    while (!partition_stats(partition).is_idle) {
        fl_loop_turn(waker.loop, 10);
        partition_turn(partition, bench_now_ns() / 1000000);
    }
    partition_destroy(partition);
    fl_loop_destroy(waker.loop);
    return config;
}

PGconn *bench_connect(const char *conninfo)
{
    PGconn *pg = PQconnectdb(conninfo);

    if (PQstatus(pg) != CONNECTION_OK) bench_die("%s", PQerrorMessage(pg));
    return pg;
}

static PGresult *run(PGconn *pg, const char *sql)
{
    PGresult *result = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(result);

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        bench_die("%s\n  in: %.200s", PQresultErrorMessage(result), sql);
    }
    return result;
}

void bench_sql(PGconn *pg, const char *fmt, ...)
{
    char sql[4096];
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(sql, sizeof sql, fmt, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof sql) bench_die("a statement is too long");
    PQclear(run(pg, sql));
}

double bench_ask(PGconn *pg, const char *sql)
{
    PGresult *result = run(pg, sql);
    double value;

    if (PQntuples(result) != 1) bench_die("no single row: %s", sql);
    value = strtod(PQgetvalue(result, 0, 0), NULL);
    PQclear(result);
    return value;
}

/* Fields of /proc/PID/stat behind the name, which may hold anything. */
static bool read_stat(pid_t pid, pid_t *ret_parent, double *ret_cpu_s, double *ret_children_s)
{
    char path[64], text[1024], *at;
    unsigned long user, system;
    long children_user, children_system;
    int parent;
    size_t len;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file) return false;
    len = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    at = strrchr(text, ')');
    if (!at) return false;
    if (sscanf(at + 2, "%*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &parent, &user,
               &system, &children_user, &children_system) != 5) {
        return false;
    }
    *ret_parent = parent;
    *ret_cpu_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    *ret_children_s = (double)(children_user + children_system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

/* The CPU of the postmaster, of its ended processes and of its running ones. */
static double pg_cpu_s(pid_t postmaster)
{
    double sum = 0, cpu_s, children_s;
    struct dirent *entry;
    pid_t parent;
    DIR *proc;

    if (!read_stat(postmaster, &parent, &cpu_s, &children_s)) bench_die("Postgres is gone");
    sum = cpu_s + children_s;
    proc = opendir("/proc");
    if (!proc) bench_die("/proc cannot be read");
    while ((entry = readdir(proc))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (pid <= 0 || !read_stat(pid, &parent, &cpu_s, &children_s)) continue;
        if (parent == postmaster) sum += cpu_s;
    }
    (void)closedir(proc);
    return sum;
}

/* ---- samples --------------------------------------------------------------------------------- */

void bench_samples_add(struct bench_samples *samples, double value)
{
    fl_vec_push(&samples->values, value);
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

double bench_samples_at(struct bench_samples *samples, double share)
{
    size_t len = samples->values.len;

    if (len == 0) return 0;
    qsort(samples->values.at, len, sizeof *samples->values.at, by_value);
    return samples->values.at[(size_t)(share * (double)(len - 1) + 0.5)];
}

void bench_samples_fini(struct bench_samples *samples)
{
    fl_vec_fini(&samples->values);
}

/* ---- meter ----------------------------------------------------------------------------------- */

void bench_meter_init(struct bench_meter *meter, const char *conninfo)
{
    double cpu_s, children_s;

    *meter = (struct bench_meter){0};
    if (!conninfo) return;
    meter->pg = bench_connect(conninfo);
    if (!read_stat(PQbackendPID(meter->pg), &meter->postmaster, &cpu_s, &children_s)) {
        bench_die("Postgres must run on this machine: its CPU is part of the figure");
    }
}

void bench_meter_fini(struct bench_meter *meter)
{
    if (meter->pg) PQfinish(meter->pg);
    meter->pg = NULL;
}

static void read_meter(const struct bench_meter *meter, struct bench_meter *ret)
{
    *ret = *meter;
    if (meter->pg) {
        ret->wal_bytes = bench_ask(meter->pg, "select pg_current_wal_insert_lsn() - '0/0'");
        ret->pg_cpu_s = pg_cpu_s(meter->postmaster);
    }
    ret->own_cpu_s = bench_own_cpu_s();
    ret->at_ns = bench_now_ns();
}

void bench_meter_start(struct bench_meter *meter)
{
    struct bench_meter now;

    read_meter(meter, &now);
    *meter = now;
}

void bench_meter_stop(struct bench_meter *meter)
{
    int64_t end_ns = bench_now_ns(); /* reading takes a moment */
    struct bench_meter now;

    read_meter(meter, &now);
    meter->at_ns = end_ns - meter->at_ns;
    meter->own_cpu_s = now.own_cpu_s - meter->own_cpu_s;
    meter->pg_cpu_s = now.pg_cpu_s - meter->pg_cpu_s;
    meter->wal_bytes = now.wal_bytes - meter->wal_bytes;
}

/* ---- out ------------------------------------------------------------------------------------- */

void bench_field(const char *name, double value)
{
    printf(", \"%s\": %.6g", name, value);
}

void bench_print(const char *name, const struct bench_meter *meter, double jobs,
                 struct bench_samples *batches_ms)
{
    double seconds = (double)meter->at_ns * 1e-9;

    if (jobs <= 0 || seconds <= 0) bench_die("%s: nothing was done", name);
    printf("{\"case\": \"%s\"", name);
    bench_field("value", jobs / seconds);
    bench_field("jobs", jobs);
    bench_field("seconds", seconds);
    bench_field("own_cpu_us", meter->own_cpu_s * 1e6 / jobs);
    if (meter->pg) {
        bench_field("pg_cpu_us", meter->pg_cpu_s * 1e6 / jobs);
        bench_field("wal_bytes", meter->wal_bytes / jobs);
    }
    if (batches_ms && batches_ms->values.len > 0) {
        bench_field("batch_p50_ms", bench_samples_at(batches_ms, 0.5));
        bench_field("batch_p99_ms", bench_samples_at(batches_ms, 0.99));
    }
}

void bench_end(void)
{
    puts("}");
}
