#include "tests/unit/controlplane/logs/log_world.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"

#define WINDOW_BYTES 262144
#define WAIT_MS 60000

/* ---- the agent's side ------------------------------------------------------------------------ */

static struct log_truth *truth_of(struct log_world *world, struct fl_attempt attempt,
                                  uint32_t replica)
{
    for (size_t i = 0; i < world->outputs_len; i++) {
        struct log_truth *truth = &world->outputs[i];

        if (fl_attempt_is_same(truth->attempt, attempt) && truth->replica == replica) return truth;
    }
    return NULL;
}

static bool read_truth(void *ctx, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                       size_t bytes_max, struct fl_buf *out, bool *ret_is_more, bool *ret_is_ended,
                       struct fl_err *err)
{
    struct log_world *world = ctx;
    struct log_truth *truth = truth_of(world, attempt, replica);
    size_t begin = out->len;

    if (!truth) return fl_fail(err, FL_ABSENT, "no such replica");
    fl_assert(offset <= truth->bytes.len);
    for (size_t i = 0; i < truth->ends.len && out->len - begin < bytes_max; i++) {
        struct fl_log_record record = {.offset = offset, .time = truth->times.at[i]};

        if (truth->ends.at[i] <= offset) continue;
        record.bytes = (struct fl_str){(const char *)truth->bytes.at + offset,
                                       (size_t)(truth->ends.at[i] - offset)};
        if (!fl_log_record_put(out, &record)) break;
        offset = truth->ends.at[i];
    }
    *ret_is_more = offset < truth->bytes.len;
    *ret_is_ended = truth->is_ended;
    return true;
}

static void taken(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct log_world *world = ctx;
    struct log_truth *truth = truth_of(world, attempt, replica);

    if (truth) truth->is_taken = true;
}

/* ---- the hub's side -------------------------------------------------------------------------- */

static void send_payload(void *ctx, uint64_t connection, struct fl_str payload)
{
    struct log_world *world = ctx;

    if (connection != world->connection) return;
    fl_assert(fl_buf_put_u32(&world->to_agent, (uint32_t)payload.len));
    fl_assert(fl_buf_put(&world->to_agent, payload.at, payload.len));
}

static void consumed(void *ctx, uint64_t connection, uint32_t bytes)
{
    struct log_world *world = ctx;

    if (connection == world->connection) world->credit += bytes;
}

static void broken(void *ctx, uint64_t connection, const struct fl_err *err)
{
    struct log_world *world = ctx;

    (void)connection;
    (void)err;
    world->broken++;
    world->breaks++;
}

static struct log_owner owner_by_job(const struct log_world *world, uint64_t job)
{
    uint32_t cluster = job == LOG_WORLD_FOREIGN_JOB                     ? 2
                       : job == LOG_WORLD_NO_JOB && !world->is_row_back ? 0
                                                                        : 1;

    return (struct log_owner){{cluster}, {1}, world->is_disputed};
}

/* A world that is slow says it a step later. */
static bool owner_of(void *ctx, uint64_t ticket, struct fl_attempt attempt,
                     struct log_owner *ret_owner)
{
    struct log_world *world = ctx;

    world->asked++;
    *ret_owner = owner_by_job(world, attempt.job.n);
    if (!world->is_slow) return true;
    fl_vec_push(&world->questions, (struct log_question){ticket, attempt.job.n});
    return false;
}

void log_world_tell_owners(struct log_world *world)
{
    size_t len = world->questions.len;

    for (size_t i = 0; i < len; i++) { /* an answer may make the front ask more */
        struct log_question question = world->questions.at[i];
        struct log_owner owner = owner_by_job(world, question.job);

        log_front_owner(world->front, question.ticket, &owner);
    }
    for (; len > 0; len--) {
        fl_vec_remove(&world->questions, 0);
    }
}

static void start(struct log_world *world)
{
    struct log_front_ports ports = {.ctx = world,
                                    .send = send_payload,
                                    .consumed = consumed,
                                    .broken = broken,
                                    .owner = owner_of};
    struct fl_err err = {0};

    world->config.dir = world->dir;
    world->store = log_store_create(&world->config, &err);
    if (!world->store) fprintf(stderr, "store: %s\n", err.text);
    fl_assert(world->store);
    world->front = log_front_create(world->store, world->loop, &ports);
    fl_vec_clear(&world->questions); /* the front before asked them */
}

static void stop(struct log_world *world)
{
    log_front_destroy(world->front);
    log_store_destroy(world->store);
}

static void connect_again(struct log_world *world)
{
    world->connection++;
    world->credit = WINDOW_BYTES;
    fl_buf_clear(&world->to_agent);
    log_pump_opened(world->pump);
}

static void set_dir(struct log_world *world)
{
    snprintf(world->dir, sizeof(world->dir), "/tmp/fl-logs-XXXXXX");
    fl_assert(mkdtemp(world->dir));
}

void log_world_init(struct log_world *world, uint64_t seed)
{
    struct log_pump_port port = {.ctx = world, .read = read_truth, .taken = taken};

    memset(world, 0, sizeof(*world));
    set_dir(world);
    world->config = log_store_config_default(world->dir);
    world->loop = fl_loop_create();
    fl_prng_seed(&world->prng, seed);
    fl_buf_init(&world->to_agent, (size_t)64 << 20);
    world->pump = log_pump_create(&port, LOG_WORLD_OUTPUTS_MAX);
    start(world);
    connect_again(world);
}

struct names {
    char at[256][64];
    size_t len;
};

static int newest_first(const void *a, const void *b)
{
    return strcmp(b, a);
}

/* The newest first: extra bytes in an older file do no harm, a hole would. */
static struct names names_of(const char *dir)
{
    struct names names = {.len = 0};
    DIR *found = opendir(dir);
    struct dirent *entry;

    fl_assert(found);
    while ((entry = readdir(found))) {
        if (entry->d_name[0] == '.') continue;
        fl_assert(names.len < 256 && strlen(entry->d_name) < sizeof(names.at[0]));
        memcpy(names.at[names.len++], entry->d_name, strlen(entry->d_name) + 1);
    }
    closedir(found);
    qsort(names.at, names.len, sizeof(names.at[0]), newest_first);
    return names;
}

static void remove_dir(const char *dir)
{
    struct names names = names_of(dir);
    char path[200];

    for (size_t i = 0; i < names.len; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, names.at[i]);
        unlink(path);
    }
    rmdir(dir);
}

void log_world_fini(struct log_world *world)
{
    log_pump_destroy(world->pump);
    stop(world);
    fl_loop_destroy(world->loop);
    fl_buf_fini(&world->to_agent);
    fl_vec_fini(&world->questions);
    for (size_t i = 0; i < world->outputs_len; i++) {
        fl_buf_fini(&world->outputs[i].bytes);
        fl_vec_fini(&world->outputs[i].ends);
        fl_vec_fini(&world->outputs[i].times);
    }
    remove_dir(world->dir);
}

/* ---- replicas -------------------------------------------------------------------------------- */

size_t log_world_add(struct log_world *world, uint64_t job, uint32_t element, uint16_t attempt,
                     uint32_t replica)
{
    struct log_truth *truth = &world->outputs[world->outputs_len];

    fl_assert(world->outputs_len < LOG_WORLD_OUTPUTS_MAX);
    *truth = (struct log_truth){
        .attempt = {.job = {job}, .element = element, .n = attempt, .incarnation = 1},
        .replica = replica};
    fl_buf_init(&truth->bytes, (size_t)256 << 20);
    return world->outputs_len++;
}

static void notice(struct log_world *world, const struct log_truth *truth)
{
    struct fl_err err = {0};

    fl_assert(log_pump_notice(world->pump, truth->attempt, truth->replica, &err));
}

void log_world_write(struct log_world *world, size_t i, const void *ptr, size_t len, fl_ms time)
{
    struct log_truth *truth = &world->outputs[i];
    const char *at = ptr;

    while (len > 0) {
        size_t part = len < FL_LOG_RECORD_DATA_MAX ? len : FL_LOG_RECORD_DATA_MAX;

        fl_assert(fl_buf_put(&truth->bytes, at, part));
        fl_vec_push(&truth->ends, truth->bytes.len);
        fl_vec_push(&truth->times, time);
        at += part;
        len -= part;
    }
    notice(world, truth);
}

/* Lines of all lengths, with zero bytes, bytes that are no UTF-8, and ends in the middle. */
void log_world_write_random(struct log_world *world, size_t i, size_t len, fl_ms time)
{
    char *bytes = fl_alloc(len + 1);

    for (size_t k = 0; k < len; k++) {
        uint64_t r = fl_prng_below(&world->prng, 64);

        bytes[k] = r == 0 ? '\n' : r == 1 ? '\0' : r == 2 ? (char)0xff : (char)('a' + r % 26);
    }
    for (size_t at = 0; at < len;) {
        size_t part = 1 + fl_prng_below(&world->prng, 3000);

        if (part > len - at) part = len - at;
        log_world_write(world, i, bytes + at, part, time++);
        at += part;
    }
    fl_free(bytes);
}

void log_world_end(struct log_world *world, size_t i)
{
    world->outputs[i].is_ended = true;
    notice(world, &world->outputs[i]);
}

/* ---- the tunnel ------------------------------------------------------------------------------ */

static void to_agent(struct log_world *world)
{
    struct fl_reader reader = fl_reader(world->to_agent.at, world->to_agent.len);
    struct fl_err err = {0};

    while (reader.pos < reader.len) {
        uint32_t len = fl_read_u32(&reader);
        struct fl_str payload = fl_read_raw(&reader, len);

        fl_assert(!reader.is_bad);
        fl_assert(log_pump_take(world->pump, payload, &err));
    }
    fl_buf_clear(&world->to_agent);
}

void log_world_step(struct log_world *world)
{
    static uint8_t payload[65536];
    size_t room = world->credit < sizeof(payload) ? world->credit : sizeof(payload);
    size_t len = log_pump_pull(world->pump, payload, room);

    if (len > 0) {
        world->credit -= (uint32_t)len;
        log_front_frame(world->front, world->connection, (struct fl_cluster){1},
                        (struct fl_str){(const char *)payload, len});
    }
    log_world_tell_owners(world);
    fl_loop_turn(world->loop, len > 0 ? 0 : 1);
    to_agent(world);
    if (world->broken > 0) {
        world->broken = 0;
        log_world_cut(world);
    }
}

/* All are ended, and the hub said that it has them. */
static bool is_settled(const struct log_world *world)
{
    for (size_t i = 0; i < world->outputs_len; i++) {
        if (world->outputs[i].is_ended && !world->outputs[i].is_taken) return false;
    }
    return true;
}

void log_world_settle(struct log_world *world)
{
    fl_ms until = fl_clock_mono() + WAIT_MS;

    while (!is_settled(world)) {
        fl_assert(fl_clock_mono() < until);
        log_world_step(world);
    }
}

void log_world_cut(struct log_world *world)
{
    log_front_closed(world->front, world->connection);
    log_pump_closed(world->pump);
    connect_again(world);
}

static void reconnect(struct log_world *world)
{
    log_pump_closed(world->pump);
    start(world);
    connect_again(world);
}

void log_world_restart(struct log_world *world)
{
    stop(world);
    reconnect(world);
}

/* The file 'from' under this name in the world's folder; closes it. */
static void copy_file(struct log_world *world, int from, const char *name)
{
    static char bytes[65536];
    char path[200];
    int to;
    ssize_t n;

    snprintf(path, sizeof(path), "%s/%s", world->dir, name);
    to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fl_assert(to >= 0);
    while ((n = read(from, bytes, sizeof(bytes))) > 0) {
        fl_assert(write(to, bytes, (size_t)n) == n);
    }
    if (strstr(name, ".open")) { /* the bytes in flight when the machine died */
        size_t torn = fl_prng_below(&world->prng, 200);

        for (size_t i = 0; i < torn; i++) {
            bytes[i] = (char)fl_prng_below(&world->prng, 256);
        }
        fl_assert(write(to, bytes, torn) == (ssize_t)torn);
    }
    close(from);
    close(to);
}

/* Opens all files of a moment.  While names are read one by one, files become others: one that is
 * merged into another would be in neither.  So the names must be the same afterwards. */
static struct names open_all(const char *dir, int ret_fds[256])
{
    for (;;) {
        struct names names = names_of(dir), after;
        size_t opened = 0;
        bool is_moment;

        for (; opened < names.len; opened++) {
            char path[200];

            snprintf(path, sizeof(path), "%s/%s", dir, names.at[opened]);
            ret_fds[opened] = open(path, O_RDONLY | O_CLOEXEC);
            if (ret_fds[opened] < 0) break;
        }
        after = names_of(dir);
        is_moment = opened == names.len && after.len == names.len;
        for (size_t i = 0; i < names.len && is_moment; i++) {
            is_moment = strcmp(names.at[i], after.at[i]) == 0;
        }
        if (is_moment) return names;
        while (opened > 0) {
            close(ret_fds[--opened]);
        }
    }
}

void log_world_crash(struct log_world *world)
{
    int fds[256];
    struct names names = open_all(world->dir, fds);
    char old[64];

    memcpy(old, world->dir, sizeof(old));
    set_dir(world);
    for (size_t i = 0; i < names.len; i++) {
        copy_file(world, fds[i], names.at[i]);
    }
    stop(world);
    remove_dir(old);
    reconnect(world);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void on_page(void *ctx, struct log_read *read, const struct log_page *page)
{
    struct log_world_read *out = ctx;

    for (size_t i = 0; i < page->lines_len; i++) {
        fl_vec_push(&out->lines, page->lines[i]);
        fl_vec_push(&out->at, out->bytes.len);
        fl_vec_push(&out->spans_at, out->spans.len);
        for (size_t s = 0; s < page->lines[i].spans_len; s++) {
            fl_vec_push(&out->spans, page->lines[i].spans[s]);
        }
        fl_assert(fl_buf_put(&out->bytes, page->lines[i].bytes.at, page->lines[i].bytes.len));
    }
    memcpy(out->cursor, page->cursor.at ? page->cursor.at : "", page->cursor.len);
    out->cursor[page->cursor.len] = '\0';
    out->lines_total = page->lines_total;
    memcpy(out->by_level, page->by_level, sizeof out->by_level);
    out->sources_live = page->sources_live;
    out->sources_lost = page->sources_lost;
    out->err = page->err;
    out->pages++;
    out->is_whole = page->is_over;
    out->is_over = page->is_over || out->pages == out->pages_max;
    if (out->is_over) {
        log_read_close(read);
        out->read = NULL;
    } else {
        log_read_more(read);
    }
}

void log_world_read(struct log_world *world, const struct log_query *query,
                    struct log_world_read *ret_read)
{
    fl_ms until = fl_clock_mono() + WAIT_MS;
    struct fl_err err = {0};

    ret_read->world = world;
    fl_buf_init(&ret_read->bytes, (size_t)256 << 20);
    ret_read->read = log_read_open(world->front, query, on_page, ret_read, &err);
    fl_assert(ret_read->read);
    while (!ret_read->is_over && !query->is_following) {
        fl_assert(fl_clock_mono() < until);
        log_world_step(world);
    }
}

void log_world_read_fini(struct log_world_read *read)
{
    log_read_close(read->read);
    fl_vec_fini(&read->lines);
    fl_vec_fini(&read->at);
    fl_vec_fini(&read->spans);
    fl_vec_fini(&read->spans_at);
    fl_buf_fini(&read->bytes);
    memset(read, 0, sizeof(*read));
}

bool log_world_is_exact(struct log_world *world, const struct log_world_read *read, size_t i,
                        uint64_t offset)
{
    const struct log_truth *truth = &world->outputs[i];

    for (size_t k = 0; k < read->lines.len; k++) {
        const struct log_line *line = &read->lines.at[k];

        if (!fl_attempt_is_same(line->attempt, truth->attempt) || line->replica != truth->replica) {
            continue;
        }
        if (line->offset != offset) return false;
        if (line->gap) {
            offset += line->gap_bytes;
            continue;
        }
        if (offset + line->bytes.len > truth->bytes.len) return false;
        if (memcmp(read->bytes.at + read->at.at[k], truth->bytes.at + offset, line->bytes.len) !=
            0) {
            return false;
        }
        offset += line->bytes.len;
    }
    return offset == truth->bytes.len;
}

/* ---- shorthands of the tests ----------------------------------------------------------------- */

struct log_query log_world_whole(uint64_t job)
{
    return (struct log_query){.tenant = {1}, .job = {job}, .from = LOG_FROM_START};
}

void log_world_small(struct log_world *world)
{
    world->config.segment_bytes = 300000;
    world->config.ring_bytes = 100000;
    log_world_restart(world);
}

void log_world_check_all(struct log_world *world, uint64_t job)
{
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(job);

    log_world_read(world, &query, &read);
    assert_int_equal(read.err.code, FL_OK);
    for (size_t i = 0; i < world->outputs_len; i++) {
        assert_true(log_world_is_exact(world, &read, i, 0));
    }
    for (size_t i = 0; i < read.lines.len; i++) {
        assert_int_equal(read.lines.at[i].gap, FL_LOG_GAP_none);
    }
    log_world_read_fini(&read);
}

void log_world_wait_sealed(struct log_world *world, uint64_t files)
{
    fl_ms until = fl_clock_mono() + 60000;

    while (log_store_stats(world->store).files_sealed < files) {
        assert_true(fl_clock_mono() < until);
        log_world_step(world);
    }
}

void log_world_seal_all(struct log_world *world, uint64_t files)
{
    world->config.segment_bytes = 300000;
    log_world_restart(world);
    log_world_wait_sealed(world, files);
    world->config.segment_bytes = 64u << 20;
}

bool log_world_find_file(const struct log_world *world, const char *kind, char path[200])
{
    DIR *dir = opendir(world->dir);
    struct dirent *entry;
    bool is_found = false;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        size_t len = strlen(entry->d_name);

        if (len < strlen(kind) || strcmp(entry->d_name + len - strlen(kind), kind) != 0) continue;
        assert_false(is_found);
        is_found = true;
        snprintf(path, 200, "%s/%.100s", world->dir, entry->d_name);
    }
    closedir(dir);
    return is_found;
}

size_t log_world_read_file(const char *path, uint8_t *at, size_t bytes_max)
{
    FILE *file = fopen(path, "re");
    size_t len;

    assert_non_null(file);
    len = fread(at, 1, bytes_max, file);
    assert_true(len < bytes_max);
    fclose(file);
    return len;
}

void log_world_write_file(const char *path, const uint8_t *at, size_t len)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_int_equal(fwrite(at, 1, len, file), len);
    fclose(file);
}
