/* search_bench.c - a search through one long output in the log store: no tunnel, no HTTP.
 *
 *   search_bench search --dir=DIR --text=FILE --grep=PATTERN [--regex=1] [--lines=10000000]
 *                       [--rounds=3] [--limit=400]
 *
 * Writes lines of 80 bytes into a store in DIR and into FILE, until all but the last segment is
 * sealed, then looks for the pattern from the first line to the last.  Prints: value, lines a
 * second of CPU; how long a search took and its CPU, of all threads; hits.  bench/run compares it
 * with zstd and ripgrep on FILE. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_help.h"
#include "controlplane/logs/log_front.h"
#include "controlplane/logs/log_store.h"
#include "controlplane/logs/read.h"
#include "shared/base/buf.h"
#include "shared/io/loop.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"

enum { JOB = 7, LINE_BYTES = 80, RECORD_LINES = 400, UNACKED_MAX = 4 << 20, RARE = 1000 };

struct rig {
    struct fl_loop *loop;
    struct log_store *store;
    struct log_front *front;
    struct fl_buf frame;
    FILE *text;
    uint64_t offset, acked;
    uint32_t chain;
    bool is_open, is_ended;
};

static void put(struct rig *rig, const struct fl_log_message *message)
{
    if (!fl_log_message_put(&rig->frame, message)) bench_die("a frame has no room");
}

static void flush(struct rig *rig)
{
    log_front_frame(rig->front, 1, (struct fl_cluster){1},
                    (struct fl_str){(const char *)rig->frame.at, rig->frame.len});
    fl_buf_clear(&rig->frame);
}

/* ---- the front's ports ----------------------------------------------------------------------- */

static void on_send(void *ctx, uint64_t connection, struct fl_str payload)
{
    struct rig *rig = ctx;
    struct fl_reader reader = fl_reader(payload.at, payload.len);
    struct fl_err err = {0};

    (void)connection;
    while (reader.pos < reader.len) {
        struct fl_log_message message;

        if (!fl_log_message_next(&reader, &message, &err)) bench_die("%s", err.text);
        if (message.kind == FL_LOG_cursor) rig->is_open = true;
        if (message.kind == FL_LOG_ack) rig->acked = message.offset;
        if (message.kind == FL_LOG_end_ack) rig->is_ended = true;
        if (message.kind == FL_LOG_refuse) bench_die("the output was refused");
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
    bench_die("tunnel %" PRIu64 " is broken: %s", connection, err->text);
}

static bool on_owner(void *ctx, uint64_t ticket, struct fl_attempt attempt,
                     struct log_owner *ret_owner)
{
    (void)ctx;
    (void)ticket;
    (void)attempt;
    ret_owner->tenant.n = 1;
    ret_owner->cluster.n = 1;
    return true;
}

/* ---- the output ------------------------------------------------------------------------------ */

/* One line in RARE is an error. */
static void put_text(char line[LINE_BYTES + 1], uint64_t n)
{
    bool is_rare = n % RARE == RARE / 2;
    int len = snprintf(line, LINE_BYTES + 1, "2026-01-31T09:00:00.%03dZ %s step %09" PRIu64 " %s",
                       (int)(n % 1000), is_rare ? "ERROR" : "INFO ", n,
                       is_rare ? "node failed code=507 " : "loss=0.");

    for (; len < LINE_BYTES - 1; len++) {
        n = n * 6364136223846793005U + 1442695040888963407U;
        line[len] = (char)('0' + (n >> 33) % 10);
    }
    line[LINE_BYTES - 1] = '\n';
}

static void send_record(struct rig *rig, uint64_t first, uint64_t lines)
{
    static char bytes[RECORD_LINES * LINE_BYTES + 1];
    struct fl_log_record record = {.offset = rig->offset, .time = 1000 + (fl_ms)(first / 1000)};
    size_t at;

    for (uint64_t i = 0; i < lines; i++) {
        put_text(bytes + i * LINE_BYTES, first + i);
    }
    record.bytes = (struct fl_str){bytes, lines * LINE_BYTES};
    if (fwrite(bytes, 1, record.bytes.len, rig->text) != record.bytes.len) bench_die("--text");
    if (!fl_log_records_begin(&rig->frame, 1, &at) || !fl_log_record_put(&rig->frame, &record)) {
        bench_die("a frame has no room");
    }
    fl_log_records_end(&rig->frame, at);
    rig->chain = fl_log_chain(rig->chain, &record);
    rig->offset = fl_log_record_end(&record);
    flush(rig);
}

/* Sealing and merging end: their work would count as the search's. */
static void wait_idle(struct rig *rig)
{
    double used_s;

    do {
        int64_t until_ns = bench_now_ns() + 1000000000;

        used_s = bench_own_cpu_s();
        while (bench_now_ns() < until_ns) {
            fl_loop_turn(rig->loop, 100);
        }
    } while (bench_own_cpu_s() - used_s > 0.05);
}

static void fill(struct rig *rig, uint64_t lines)
{
    put(rig, &(struct fl_log_message){.kind = FL_LOG_open,
                                      .source = 1,
                                      .attempt = {.job = {JOB}, .incarnation = 1, .n = 1}});
    flush(rig);
    while (!rig->is_open) {
        fl_loop_turn(rig->loop, 1);
    }
    for (uint64_t done = 0; done < lines; done += RECORD_LINES) {
        send_record(rig, done, lines - done < RECORD_LINES ? lines - done : RECORD_LINES);
        while (rig->offset - rig->acked > UNACKED_MAX) {
            fl_loop_turn(rig->loop, 1);
        }
    }
    put(rig, &(struct fl_log_message){
                 .kind = FL_LOG_end, .source = 1, .offset = rig->offset, .chain = rig->chain});
    flush(rig);
    while (!rig->is_ended || log_store_stats(rig->store).segments_open > 1) {
        fl_loop_turn(rig->loop, 10);
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

struct found {
    bool is_over;
    uint64_t hits, seen;
};

static void on_page(void *ctx, struct log_read *read, const struct log_page *page)
{
    struct found *found = ctx;

    if (page->err.code != FL_OK) bench_die("reading: %s", page->err.text);
    found->hits += page->lines_len;
    found->seen = page->lines_seen;
    found->is_over = page->is_over;
    if (page->is_over) {
        log_read_close(read);
    } else {
        log_read_more(read);
    }
}

static struct found search(struct rig *rig, const char *grep, bool is_regex)
{
    struct log_pattern_text text = {.text = fl_str_c(grep), .is_regex = is_regex};
    struct log_query query = {.tenant = {1}, .job = {JOB}, .from = LOG_FROM_START};
    struct found found = {0};
    struct fl_err err = {0};

    query.is_search = true;
    query.pattern = log_pattern_create(&text, &err);
    if (!query.pattern) bench_die("--grep: %s", err.text);
    if (!log_read_open(rig->front, &query, on_page, &found, &err)) bench_die("%s", err.text);
    while (!found.is_over) {
        fl_loop_turn(rig->loop, 1);
    }
    return found;
}

static void init(struct rig *rig, int argc, char **argv)
{
    const char *dir = bench_arg(argc, argv, "dir", NULL),
               *text = bench_arg(argc, argv, "text", NULL);
    struct log_front_ports ports = {.ctx = rig,
                                    .send = on_send,
                                    .consumed = on_consumed,
                                    .broken = on_broken,
                                    .owner = on_owner};
    struct log_store_config config;
    struct fl_err err = {0};

    if (!dir || !text) bench_die("--dir=DIR, an empty folder, and --text=FILE");
    config = log_store_config_default(dir);
    config.attempt_bytes_max = (uint64_t)16 << 30; /* all of it is kept */
    fl_buf_init(&rig->frame, 65536);
    rig->text = fopen(text, "we");
    if (!rig->text) bench_die("--text=%s", text);
    rig->loop = fl_loop_create();
    rig->store = log_store_create(&config, &err);
    if (!rig->store) bench_die("%s", err.text);
    rig->front = log_front_create(rig->store, rig->loop, &ports);
}

int main(int argc, char **argv)
{
    static struct rig rig;
    uint64_t lines = (uint64_t)bench_arg_number(argc, argv, "lines", 10000000);
    int rounds = (int)bench_arg_number(argc, argv, "rounds", 3);
    const char *grep = bench_arg(argc, argv, "grep", NULL);
    bool is_regex = bench_arg_number(argc, argv, "regex", 0) != 0;
    struct bench_samples seconds = {0}, cpu_s = {0};
    struct bench_meter meter;
    struct found found = {0};

    if (argc < 2 || strcmp(argv[1], "search") != 0 || !grep) bench_die("usage: see search_bench.c");
    bench_limit((unsigned)bench_arg_number(argc, argv, "limit", 400));
    init(&rig, argc, argv);
    bench_meter_init(&meter, NULL);
    fill(&rig, lines);
    if (fclose(rig.text) != 0) bench_die("--text");
    wait_idle(&rig);
    bench_meter_start(&meter);
    for (int i = 0; i < rounds; i++) {
        int64_t began_ns = bench_now_ns();
        double began_cpu_s = bench_own_cpu_s();

        found = search(&rig, grep, is_regex);
        if (found.seen != lines) bench_die("%" PRIu64 " lines were looked at", found.seen);
        bench_samples_add(&seconds, (double)(bench_now_ns() - began_ns) * 1e-9);
        bench_samples_add(&cpu_s, bench_own_cpu_s() - began_cpu_s);
    }
    bench_meter_stop(&meter);
    bench_print("log-search", &meter, (double)lines * rounds, NULL);
    bench_field("search_s", bench_samples_at(&seconds, 0.5));
    bench_field("search_cpu_s", bench_samples_at(&cpu_s, 0.5));
    bench_field("hits", (double)found.hits);
    bench_end();
    log_front_closed(rig.front, 1);
    log_front_destroy(rig.front);
    log_store_destroy(rig.store);
    fl_loop_destroy(rig.loop);
    fl_buf_fini(&rig.frame);
    bench_samples_fini(&seconds);
    bench_samples_fini(&cpu_s);
    bench_meter_fini(&meter);
    return 0;
}
