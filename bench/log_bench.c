/* log_bench.c - the log store with very many small outputs: no tunnel, no Postgres.
 *
 *   log_bench outputs --dir=DIR --outputs=N [--early=N/6] [--clusters=3] [--reads=1000] [--rate=0]
 *                     [--limit=2400]
 *
 * Elements of one array send OPEN, a line and END over a front of the store, in turn from several
 * clusters: as fast as they are acknowledged, or --rate of them a second.  One more cluster sends a
 * line every 20 ms meanwhile.  Prints: value, outputs a second; the worker's CPU for each output;
 * how long a line of the other cluster took until it was durable; how long one output took to read;
 * the resident set after --early of the outputs and after all.  It follows the number of outputs,
 * not the time: 30 minutes of 1,000 a second can be had in five, with 6,000. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "controlplane/logs/log_front.h"
#include "controlplane/logs/log_store.h"
#include "controlplane/logs/read.h"
#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "shared/io/loop.h"
#include "shared/io/program.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"

enum { JOB = 7, OTHER_JOB = 8, OUTSTANDING_MAX = 4000, CLUSTERS_MAX = 64, NUMBERS = 16383 };
enum { OTHER_EVERY_MS = 20 };

struct rig {
    struct fl_loop *loop;
    struct log_store *store;
    struct log_front *front;
    uint64_t clusters, outputs, opened, ended;
    uint64_t of_cluster[CLUSTERS_MAX]; /* how many sources each has opened */
    struct fl_buf frame;
    /* The other cluster: one output, a line at a time. */
    uint64_t other_offset;
    uint32_t other_chain;
    int64_t other_sent_ns, other_at_ns;
    bool is_other_open, is_other_out;
    struct bench_samples other_ms;
};

static uint64_t other_of(const struct rig *rig)
{
    return rig->clusters + 1;
}

static void put(struct rig *rig, const struct fl_log_message *message)
{
    if (!fl_log_message_put(&rig->frame, message)) bench_die("a frame has no room");
}

static void flush(struct rig *rig, uint64_t cluster)
{
    log_front_frame(rig->front, cluster, (struct fl_cluster){(uint32_t)cluster},
                    (struct fl_str){(const char *)rig->frame.at, rig->frame.len});
    fl_buf_clear(&rig->frame);
}

static void put_line(struct rig *rig, uint32_t source, uint64_t offset, struct fl_str line,
                     struct fl_log_record *ret_record)
{
    struct fl_log_record record = {.offset = offset, .time = 1000, .bytes = line};
    size_t at;

    if (!fl_log_records_begin(&rig->frame, source, &at) ||
        !fl_log_record_put(&rig->frame, &record)) {
        bench_die("a frame has no room");
    }
    fl_log_records_end(&rig->frame, at);
    *ret_record = record;
}

static void open_next(struct rig *rig)
{
    uint64_t cluster = 1 + rig->opened % rig->clusters;
    uint32_t number = (uint32_t)(1 + rig->of_cluster[cluster]++ % NUMBERS);

    put(rig,
        &(struct fl_log_message){
            .kind = FL_LOG_open,
            .source = number,
            .attempt = {.job = {JOB}, .element = (uint32_t)rig->opened, .incarnation = 1, .n = 1}});
    flush(rig, cluster);
    rig->opened++;
}

static void on_other(struct rig *rig, const struct fl_log_message *message)
{
    if (message->kind == FL_LOG_cursor) rig->is_other_open = true;
    if (message->kind != FL_LOG_ack || message->offset != rig->other_offset) return;
    rig->is_other_out = false;
    bench_samples_add(&rig->other_ms, (double)(bench_now_ns() - rig->other_sent_ns) * 1e-6);
}

static void say_other(struct rig *rig)
{
    static const char line[] = "the other cluster says one line\n";
    struct fl_log_record record;

    if (!rig->is_other_open || rig->is_other_out || bench_now_ns() < rig->other_at_ns) return;
    rig->other_sent_ns = bench_now_ns();
    rig->other_at_ns = rig->other_sent_ns + (int64_t)OTHER_EVERY_MS * 1000000;
    put_line(rig, 1, rig->other_offset, (struct fl_str){line, sizeof(line) - 1}, &record);
    rig->other_offset = fl_log_record_end(&record);
    rig->is_other_out = true;
    flush(rig, other_of(rig));
}

static void on_send(void *ctx, uint64_t connection, struct fl_str payload)
{
    struct rig *rig = ctx;
    struct fl_reader reader = fl_reader(payload.at, payload.len);
    struct fl_err err = {0};

    while (reader.pos < reader.len) {
        struct fl_log_message message;
        struct fl_log_record record;

        if (!fl_log_message_next(&reader, &message, &err)) bench_die("%s", err.text);
        if (connection == other_of(rig)) {
            on_other(rig, &message);
        } else if (message.kind == FL_LOG_end_ack) {
            rig->ended++;
        } else if (message.kind == FL_LOG_cursor || message.kind == FL_LOG_resume) {
            put_line(rig, message.source, 0, (struct fl_str){"hello, world\n", 13}, &record);
            put(rig, &(struct fl_log_message){.kind = FL_LOG_end,
                                              .source = message.source,
                                              .offset = 13,
                                              .chain = fl_log_chain(0, &record)});
            flush(rig, connection);
        } else if (message.kind == FL_LOG_refuse) {
            bench_die("an output was refused");
        }
    }
}

static void on_consumed(void *ctx, uint64_t connection, uint32_t bytes)
{
    (void)ctx;
    (void)connection;
    (void)bytes;
}

static void on_broken(void *ctx, uint64_t connection, const struct fl_err *err)
{
    (void)ctx;
    bench_die("tunnel %llu is broken: %s", (unsigned long long)connection, err->text);
}

static bool on_owner(void *ctx, uint64_t ticket, struct fl_attempt attempt,
                     struct log_owner *ret_owner)
{
    const struct rig *rig = ctx;

    (void)ticket;
    ret_owner->tenant.n = 1;
    ret_owner->cluster.n = attempt.job.n == OTHER_JOB
                               ? (uint32_t)other_of(rig)
                               : (uint32_t)(1 + attempt.element % rig->clusters);
    return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The most CPU that any thread but this one has used: the store's worker. */
static double hottest_thread_us(void)
{
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    double most = 0;

    if (!dir) bench_die("no /proc/self/task");
    while ((entry = readdir(dir))) {
        char path[300];
        unsigned long long ns = 0;
        FILE *file;

        if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        file = fopen(path, "re");
        if (!file) continue;
        if (fscanf(file, "%llu", &ns) == 1 && (double)ns > most) most = (double)ns;
        (void)fclose(file);
    }
    closedir(dir);
    return most * 1e-3;
}

static double resident_mb(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file || fscanf(file, "%*u %lu", &pages) != 1) bench_die("no /proc/self/statm");
    (void)fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

struct reading {
    bool is_over;
    uint64_t lines;
};

static void on_page(void *ctx, struct log_read *read, const struct log_page *page)
{
    struct reading *reading = ctx;

    if (page->err.code != FL_OK) bench_die("reading: %s", page->err.text);
    reading->lines += page->lines_len;
    if (page->is_over) {
        reading->is_over = true;
        log_read_close(read);
    } else {
        log_read_more(read);
    }
}

static void read_one(struct rig *rig, uint32_t element, struct bench_samples *read_ms)
{
    struct log_query query = {.tenant = {1},
                              .job = {JOB},
                              .has_element = true,
                              .element = element,
                              .from = LOG_FROM_START};
    struct reading reading = {0};
    int64_t began_ns = bench_now_ns();
    struct fl_err err = {0};

    if (!log_read_open(rig->front, &query, on_page, &reading, &err)) bench_die("%s", err.text);
    while (!reading.is_over) {
        fl_loop_turn(rig->loop, 1);
    }
    if (reading.lines != 1) bench_die("element %u has %d lines", element, (int)reading.lines);
    bench_samples_add(read_ms, (double)(bench_now_ns() - began_ns) * 1e-6);
}

static void init(struct rig *rig, int argc, char **argv)
{
    const char *dir = bench_arg(argc, argv, "dir", NULL);
    struct log_front_ports ports = {.ctx = rig,
                                    .send = on_send,
                                    .consumed = on_consumed,
                                    .broken = on_broken,
                                    .owner = on_owner};
    struct log_store_config config;
    struct fl_err err = {0};

    if (!dir) bench_die("--dir=DIR: an empty folder for the store");
    config = log_store_config_default(dir);
    rig->outputs = (uint64_t)bench_arg_number(argc, argv, "outputs", 1000000);
    rig->clusters = (uint64_t)bench_arg_number(argc, argv, "clusters", 3);
    if (rig->clusters == 0 || rig->clusters > CLUSTERS_MAX - 2) bench_die("--clusters");
    fl_buf_init(&rig->frame, 65536);
    rig->loop = fl_loop_create();
    rig->store = log_store_create(&config, &err);
    if (!rig->store) bench_die("%s", err.text);
    rig->front = log_front_create(rig->store, rig->loop, &ports);
    put(rig, &(struct fl_log_message){
                 .kind = FL_LOG_open,
                 .source = 1,
                 .attempt = {.job = {OTHER_JOB}, .element = 0, .incarnation = 1, .n = 1}});
    flush(rig, other_of(rig));
}

static bool may_open(const struct rig *rig, double rate, int64_t began_ns)
{
    if (rig->opened == rig->outputs || rig->opened - rig->ended >= OUTSTANDING_MAX) return false;
    return rate == 0 || (double)rig->opened < rate * (double)(bench_now_ns() - began_ns) * 1e-9;
}

int main(int argc, char **argv)
{
    static struct rig rig;
    double rate = bench_arg_number(argc, argv, "rate", 0);
    uint64_t reads = (uint64_t)bench_arg_number(argc, argv, "reads", 1000);
    struct bench_samples read_ms = {0};
    struct bench_meter meter;
    struct log_store_stats stats;
    struct fl_prng prng;
    uint64_t early;
    double early_mb = 0;
    double late_mb;
    double worker_us;
    int64_t began_ns;

    if (argc < 2 || strcmp(argv[1], "outputs") != 0) bench_die("usage: log_bench outputs --dir=D");
    bench_limit((unsigned)bench_arg_number(argc, argv, "limit", 2400));
    fl_program_keep_freed_memory(); /* as fairleadd does */
    init(&rig, argc, argv);
    early = (uint64_t)bench_arg_number(argc, argv, "early", (double)rig.outputs / 6);
    fl_prng_seed(&prng, 1);
    bench_meter_init(&meter, NULL);
    bench_meter_start(&meter);
    began_ns = bench_now_ns();
    while (rig.ended < rig.outputs) {
        for (int i = 0; i < 100 && may_open(&rig, rate, began_ns); i++) {
            open_next(&rig);
        }
        say_other(&rig);
        fl_loop_turn(rig.loop, rate == 0 ? 0 : 1);
        if (early_mb == 0 && rig.ended >= early) early_mb = resident_mb();
    }
    bench_meter_stop(&meter);
    worker_us = hottest_thread_us();
    late_mb = resident_mb();
    for (uint64_t i = 0; i < reads; i++) {
        read_one(&rig, (uint32_t)fl_prng_below(&prng, rig.outputs), &read_ms);
    }
    stats = log_store_stats(rig.store);
    bench_print("log-outputs", &meter, (double)rig.outputs, NULL);
    bench_field("worker_cpu_us", worker_us / (double)rig.outputs);
    bench_field("other_p99_ms", bench_samples_at(&rig.other_ms, 0.99));
    bench_field("read_p99_ms", bench_samples_at(&read_ms, 0.99));
    bench_field("early_mb", early_mb);
    bench_field("late_mb", late_mb);
    bench_field("sources", (double)stats.sources);
    bench_field("files_sealed", (double)stats.files_sealed);
    bench_end();
    for (uint64_t cluster = 1; cluster <= other_of(&rig); cluster++) {
        log_front_closed(rig.front, cluster);
    }
    log_front_destroy(rig.front);
    log_store_destroy(rig.store);
    fl_loop_destroy(rig.loop);
    fl_buf_fini(&rig.frame);
    bench_samples_fini(&read_ms);
    bench_samples_fini(&rig.other_ms);
    bench_meter_fini(&meter);
    return 0;
}
