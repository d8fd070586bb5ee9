/* main.c - sim: runs seeds, counts what they met, and says how to see a failure again.
 *   sim --seeds A..B [--jobs N]     many, in N processes; the last line is
 *                                   'sim: N passed, N failed'
 *   sim --seed N [--story]          one; --story tells every line as it happens
 *   --until-failure ends with the first seed that fails
 *   --trace prints the hash of each seed's trace, --commit NAME says what was built, --twice N runs
 *   every Nth seed a second time and compares the traces (25; 0: never) */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/world.h"

enum { JOBS_MAX = 64, SEED_SECONDS_MAX = 120, ALL_MARKS_FROM = 1000 };

struct options {
    uint64_t first, last;
    uint64_t twice;
    uint32_t jobs;
    bool is_live, has_trace, is_until_failure;
};

/* A worker's message: first that it begins a seed, then the outcome. */
struct record {
    bool is_done, is_unlike; /* is_unlike: the second run's trace was another */
    struct world_result result;
};

struct worker {
    pid_t pid;
    int from;
    uint64_t next, seed; /* the next to begin; the one it is at */
    bool is_at_seed;
};

static const char *const mark_names[] = {
#define MARK(name, meaning) #name,
#include "tests/sim/marks.def"
#undef MARK
};

static const char *const fault_names[] = {
#define FAULT(name, meaning) #name,
#include "tests/sim/faults.def"
#undef FAULT
};

static struct world_result sum;
static uint64_t passed, failed;

/* ---- a worker -------------------------------------------------------------------------------- */

/* An assertion anywhere, or no end: prints the story while the process still lives. */
static void on_signal(int number)
{
    const struct sim *sim = sim_running;

    sim_running = NULL;
    if (sim) {
        /* NOLINTNEXTLINE(bugprone-signal-handler): the process is lost anyway */
        sim_report(sim, number == SIGPROF   ? "it does not end"
                        : number == SIGABRT ? "I24 broken: an assertion failed (see above)"
                                            : "I24 broken: it crashed");
    }
    _exit(4);
}

static void write_all(int to, const void *ptr, size_t len)
{
    const char *at = ptr;

    while (len) {
        ssize_t n = write(to, at, len);

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(5);
        at += n;
        len -= (size_t)n;
    }
}

/* The limit is on its processor time: other work on the machine does not make a seed endless. */
static void set_limit(time_t seconds)
{
    struct itimerval limit = {.it_value.tv_sec = seconds};

    if (setitimer(ITIMER_PROF, &limit, NULL) != 0) abort();
}

static struct record run_seed(uint64_t seed, const struct options *options)
{
    struct record record = {.is_done = true};

    set_limit(SEED_SECONDS_MAX);
    record.result = world_run(seed, options->is_live);
    if (options->twice && seed % options->twice == 0 && !options->is_live) {
        record.is_unlike = world_run(seed, false).hash != record.result.hash;
        if (record.is_unlike) {
            printf("=== seed %" PRIu64 " failed: I22 broken: its trace is not the same twice\n"
                   "=== commit %s; again: sim --seed %" PRIu64 "\n",
                   seed, sim_commit, seed);
        }
    }
    set_limit(0);
    if (options->has_trace) {
        printf("seed %" PRIu64 " trace %016" PRIx64 " events %" PRIu64 " jobs %" PRIu64
               " batches %" PRIu64 "\n",
               seed, record.result.hash, record.result.events, record.result.jobs,
               record.result.batches);
    }
    fflush(stdout);
    return record;
}

static void catch_signals(void)
{
    signal(SIGABRT, on_signal);
    signal(SIGPROF, on_signal);
#if !defined(__SANITIZE_ADDRESS__)
    signal(SIGSEGV, on_signal);
    signal(SIGBUS, on_signal);
#endif
}

static void start_worker(struct worker *worker, const struct options *options)
{
    int ends[2];

    fflush(NULL);
    if (pipe(ends) != 0) abort();
    worker->pid = fork();
    if (worker->pid < 0) abort();
    if (worker->pid == 0) {
        close(ends[0]);
        catch_signals();
        for (uint64_t seed = worker->next; seed <= options->last; seed += options->jobs) {
            struct record record = {.result.seed = seed};

            write_all(ends[1], &record, sizeof(record));
            record = run_seed(seed, options);
            write_all(ends[1], &record, sizeof(record));
        }
        fflush(NULL);
        exit(0); /* with the sanitizer's last look */
    }
    close(ends[1]);
    worker->from = ends[0];
    worker->is_at_seed = false;
}

/* ---- the parent ------------------------------------------------------------------------------ */

static void add(const struct world_result *result)
{
    sum.events += result->events;
    sum.jobs += result->jobs;
    sum.batches += result->batches;
    sum.virtual_ms += result->virtual_ms;
    for (int i = 0; i < MARKS_LEN; i++) {
        sum.marks[i] += result->marks[i];
    }
    for (int i = 0; i < FAULTS_LEN; i++) {
        sum.faults[i] += result->faults[i];
    }
}

static bool read_record(int from, struct record *ret)
{
    char *at = (char *)ret;
    size_t len = sizeof(*ret);

    while (len) {
        ssize_t n = read(from, at, len);

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

/* Follows one worker to its end, and begins another in its place as long as it fails. */
static bool follow(struct worker *worker, const struct options *options)
{
    struct record record;
    int status;

    if (read_record(worker->from, &record)) {
        worker->seed = record.result.seed;
        worker->is_at_seed = !record.is_done;
        if (record.is_done) {
            worker->next = worker->seed + options->jobs;
            add(&record.result);
            if (record.is_unlike) {
                failed++;
            } else {
                passed++;
            }
        }
        return true;
    }
    close(worker->from);
    waitpid(worker->pid, &status, 0);
    if (worker->is_at_seed || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        if (worker->is_at_seed) {
            worker->next = worker->seed + options->jobs;
        } else {
            printf("=== a worker ended badly behind seed %" PRIu64 "\n", worker->seed);
        }
        failed++;
    }
    if (worker->next > options->last || (failed && options->is_until_failure)) return false;
    start_worker(worker, options);
    return true;
}

static void run_all(const struct options *options)
{
    struct worker workers[JOBS_MAX] = {0};
    uint32_t live = options->jobs;
    bool is_over[JOBS_MAX] = {0};

    for (uint32_t i = 0; i < options->jobs; i++) {
        workers[i].next = options->first + i;
        if (workers[i].next > options->last) {
            is_over[i] = true;
            live--;
        } else {
            start_worker(&workers[i], options);
        }
    }
    /* In turn: none is far ahead, since a pipe holds only so much. */
    while (live && !(failed && options->is_until_failure)) {
        for (uint32_t i = 0; i < options->jobs; i++) {
            if (is_over[i] || follow(&workers[i], options)) continue;
            is_over[i] = true;
            live--;
        }
    }
    for (uint32_t i = 0; i < options->jobs; i++) {
        if (is_over[i] || workers[i].pid <= 0) continue;
        kill(workers[i].pid, SIGTERM); /* ours, and not needed any more */
        waitpid(workers[i].pid, NULL, 0);
    }
}

static void print_counts(const char *what, const char *const *names, const uint64_t *counts,
                         size_t len)
{
    printf("%s:", what);
    for (size_t i = 0; i < len; i++) {
        printf("%s %s %" PRIu64, i % 6 == 0 ? "\n  " : ",", names[i], counts[i]);
    }
    printf("\n");
}

static double seconds_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void print_sums(const struct options *options, double seconds)
{
    double virtual_s = (double)sum.virtual_ms / 1000.0;
    uint64_t faults = 0, marks = 0;

    for (int i = 0; i < FAULTS_LEN; i++) {
        faults += sum.faults[i];
    }
    for (int i = 0; i < MARKS_LEN; i++) {
        marks += sum.marks[i] > 0;
    }
    print_counts("faults", fault_names, sum.faults, FAULTS_LEN);
    print_counts("marks", mark_names, sum.marks, MARKS_LEN);
    printf("%" PRIu64 " faults, %" PRIu64 " events, %" PRIu64 " jobs, %" PRIu64
           " batches in %.0f virtual seconds; %.0f events a virtual second, %.0f x real time; "
           "%" PRIu64 " of %d marks\n",
           faults, sum.events, sum.jobs, sum.batches, virtual_s, (double)sum.events / virtual_s,
           virtual_s / seconds, marks, MARKS_LEN);
    if (options->last - options->first + 1 < ALL_MARKS_FROM) return;
    for (int i = 0; i < MARKS_LEN; i++) {
        if (sum.marks[i]) continue;
        printf("=== never met: %s; the faults do not reach what they are for\n", mark_names[i]);
        failed++;
    }
}

static int usage(void)
{
    fprintf(stderr, "usage: sim --seeds A..B [--jobs N] | --seed N [--story]"
                    "   [--until-failure] [--trace] [--commit NAME] [--twice N]\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct options options = {.first = 1, .last = 0, .jobs = 1, .twice = 25};
    double from = seconds_now();

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        char *end;

        if (strcmp(argv[i], "--story") == 0) {
            options.is_live = true;
        } else if (strcmp(argv[i], "--until-failure") == 0) {
            options.is_until_failure = true;
        } else if (strcmp(argv[i], "--trace") == 0) {
            options.has_trace = true;
        } else if (strcmp(argv[i], "--seeds") == 0) {
            options.first = strtoull(value, &end, 10);
            if (strncmp(end, "..", 2) != 0) return usage();
            options.last = strtoull(end + 2, &end, 10);
            if (*end) return usage();
            i++;
        } else if (strcmp(argv[i], "--seed") == 0) {
            options.first = options.last = strtoull(value, &end, 10);
            if (!*value || *end) return usage();
            i++;
        } else if (strcmp(argv[i], "--jobs") == 0) {
            options.jobs = (uint32_t)strtoul(value, &end, 10);
            if (*end || options.jobs == 0 || options.jobs > JOBS_MAX) return usage();
            i++;
        } else if (strcmp(argv[i], "--twice") == 0) {
            options.twice = strtoull(value, &end, 10);
            if (!*value || *end) return usage();
            i++;
        } else if (strcmp(argv[i], "--commit") == 0) {
            sim_commit = value;
            i++;
        } else {
            return usage();
        }
    }
    if (options.last < options.first) return usage();
    run_all(&options);
    if (sum.virtual_ms) print_sums(&options, seconds_now() - from);
    printf("sim: %" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed > 0;
}
