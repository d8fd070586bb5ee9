#include "tests/store/store_story.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/job.h"
#include "controlplane/store/journal.h"
#include "controlplane/store/migrate.h"
#include "controlplane/store/read_events.h"
#include "controlplane/store/reader.h"
#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

enum {
    INSTANCES_MAX = 6,
    NUMBERS_MAX = 2,
    LINE_BYTES_MAX = 1000,
    TOLD_BYTES_MAX = 1 << 18,
    SENT_MAX = 8,
    KIND_OF_NEWER = 250, /* no row has this number */
};

struct instance {
    char name[4]; /* "A2"; its first letter is the state directory */
    struct help *help;
    size_t heard; /* results that are in the story */
    struct core_batch *sent[SENT_MAX];
    size_t sent_len;
};

struct teller {
    struct fl_buf out;
    char *server; /* its own; NULL: the one that all stories share */
    char *conninfo;
    PGconn *lock; /* holds the table of jobs */
    struct partition_config partition;
    struct instance instances[INSTANCES_MAX];
    size_t instances_len;
    struct reader *reader;
    bool is_answered;
};

/* The words of a line where its form has '@' (an instance), '#' (numbers) and '*' (the rest). */
struct words {
    struct instance *who;
    uint64_t n[NUMBERS_MAX];
    size_t n_len;
    const char *rest;
};

static void tell(struct teller *teller, const char *fmt, ...) FL_PRINTF(2, 3);

static void tell(struct teller *teller, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    assert_true(vasprintf(&text, fmt, args) >= 0);
    va_end(args);
    assert_true(fl_buf_put(&teller->out, text, strlen(text)));
    free(text);
}

/* ---- instances ------------------------------------------------------------------------------- */

static struct instance *instance_of(struct teller *teller, const char *name, size_t len)
{
    struct instance *instance;

    for (size_t i = 0; i < teller->instances_len; i++) {
        instance = &teller->instances[i];
        if (strlen(instance->name) == len && memcmp(instance->name, name, len) == 0) {
            return instance;
        }
    }
    assert_true(teller->instances_len < INSTANCES_MAX && len < sizeof instance->name);
    instance = &teller->instances[teller->instances_len++];
    memcpy(instance->name, name, len);
    return instance;
}

static struct help *awake(struct teller *teller, struct instance *instance)
{
    struct store_config config = store_config_default();
    char directory[2] = {instance->name[0]};

    if (instance->help) return instance->help;
    config.conninfo = teller->conninfo;
    config.instance = directory;
    config.lease_ttl_ms = HELP_LEASE_MS;
    config.partition = teller->partition;
    instance->help = help_create_with(&config);
    return instance->help;
}

static void leave(struct instance *instance)
{
    help_destroy(instance->help);
    instance->help = NULL;
    instance->heard = 0;
    for (size_t i = 0; i < instance->sent_len; i++) {
        core_batch_destroy(instance->sent[i]);
    }
    instance->sent_len = 0;
}

/* ---- taking over ----------------------------------------------------------------------------- */

static void tell_taken(struct teller *teller, const struct engine_taken *taken, uint64_t unsure)
{
    tell(teller, "  it leads: epoch %" PRIu64 ", incarnation %" PRIu32 ", newest batch %" PRIu64,
         taken->epoch, taken->incarnation, taken->batch_newest);
    if (unsure > 0 && taken->keys_len == 0) {
        tell(teller, "; batch %" PRIu64 " did not land", unsure);
    }
    for (size_t i = 0; i < taken->keys_len; i++) {
        tell(teller, "; batch %" PRIu64 " landed under epoch %" PRIu64, taken->keys[i].batch,
             taken->keys[i].epoch);
    }
    tell(teller, "\n");
}

static void take_over(struct teller *teller, const struct words *words)
{
    struct help *help = awake(teller, words->who);
    uint64_t unsure = words->n_len > 0 ? words->n[0] : 0;

    switch (help_take(help, unsure)) {
    case FL_OK:
        tell_taken(teller, &help->taken, unsure);
        break;
    case FL_DEPOSED:
        tell(teller, "  refused: another instance has the lease\n");
        break;
    default:
        tell(teller, "  refused: %s\n", fl_code_name(help->failed_code));
        break;
    }
}

static void tell_row(void *ctx, const struct row *row)
{
    struct teller *teller = ctx;

    tell(teller, "  %s",
         row->kind == ROW_unknown ? "a row of a newer program" : row_kind_name(row->kind));
    if (row_job(row) > 0) tell(teller, " of job %" PRIu64, row_job(row));
    tell(teller, "\n");
}

/* Each load has a counter, the next number of a job. */
static void tell_loaded(void *ctx, const struct row *row)
{
    if (row->kind != ROW_counter) tell_row(ctx, row);
}

static void load(struct teller *teller, const struct words *words)
{
    struct help *help = words->who->help;

    help->on_row = tell_loaded;
    help->on_row_ctx = teller;
    help_load(help);
    if (help->rows_len == 1) tell(teller, "  nothing\n");
}

static void say_goodbye(struct teller *teller, const struct words *words)
{
    struct help *help = words->who->help;

    (void)teller;
    store_release(help->store, help_now());
    help_until(help, store_is_released(help->store));
    leave(words->who);
}

static void go(struct teller *teller, const struct words *words)
{
    (void)teller;
    leave(words->who);
}

static void learn_of_loss(struct teller *teller, const struct words *words)
{
    (void)teller;
    help_until(words->who->help, words->who->help->is_lease_lost);
}

/* ---- batches --------------------------------------------------------------------------------- */

static void add_job(struct core_batch *batch, const uint64_t *n)
{
    help_job(batch, n[0], 1);
}

static void add_job_of_no_text(struct core_batch *batch, const uint64_t *n)
{
    help_row(batch, (struct row){.kind = ROW_job_new,
                                 .job_new = {.job = n[0], .elements = 1, .name = FL_STR("\xff")}});
}

static void add_attempt(struct core_batch *batch, const uint64_t *n)
{
    help_attempt(batch, n[1], 0, (uint16_t)n[0]);
}

static void add_attempt_end(struct core_batch *batch, const uint64_t *n)
{
    help_attempt_end(batch, n[1], 0, (uint16_t)n[0]);
}

static void add_element_end(struct core_batch *batch, const uint64_t *n)
{
    help_end(batch, n[0], 0, (uint16_t)n[1]);
}

static void add_job_end(struct core_batch *batch, const uint64_t *n)
{
    help_job_end(batch, n[0], false);
}

static void add_hold(struct core_batch *batch, const uint64_t *n)
{
    help_row(batch, (struct row){.kind = ROW_mark_set,
                                 .mark_set = {.job = n[0], .kind = CORE_MARK_held, .value = 1}});
}

static void add_release(struct core_batch *batch, const uint64_t *n)
{
    help_row(batch, (struct row){.kind = ROW_mark_clear,
                                 .mark_clear = {.job = n[0], .kind = CORE_MARK_held}});
}

static void add_whole_lives(struct core_batch *batch, const uint64_t *n)
{
    for (uint64_t job = n[0]; job <= n[1]; job++) {
        help_job(batch, job, 1);
        help_attempt(batch, job, 0, 1);
        help_end(batch, job, 0, 1);
        help_job_end(batch, job, false);
    }
}

static void add_next_job(struct core_batch *batch, const uint64_t *n)
{
    help_row(batch, (struct row){.kind = ROW_counter,
                                 .counter = {.counter = CORE_COUNTER_job_next, .value = n[0]}});
}

static const struct {
    const char *form;
    void (*add)(struct core_batch *batch, const uint64_t *n);
} rows[] = {
    {"job #", add_job},
    {"job # of a name that is no text", add_job_of_no_text},
    {"attempt # of job #", add_attempt},
    {"end of attempt # of job #", add_attempt_end},
    {"end of the element of job # after attempt #", add_element_end},
    {"end of job #", add_job_end},
    {"hold of job #", add_hold},
    {"release of job #", add_release},
    {"the whole lives of jobs # to #", add_whole_lives},
    {"the next job is #", add_next_job},
};

static bool matches(struct teller *teller, const char *form, const char *line,
                    struct words *ret_words)
{
    struct words words = {0};

    for (; *form; form++) {
        if (*form == '@') {
            size_t len = strcspn(line, " ");

            if (len == 0 || len > 2 || line[0] < 'A' || line[0] > 'Z') return false;
            words.who = instance_of(teller, line, len);
            line += len;
        } else if (*form == '#') {
            char *end;

            if (*line < '0' || *line > '9' || words.n_len == NUMBERS_MAX) return false;
            words.n[words.n_len++] = strtoull(line, &end, 10);
            line = end;
        } else if (*form == '*') {
            words.rest = line;
            line += strlen(line);
        } else if (*form != *line++) {
            return false;
        }
    }
    *ret_words = words;
    return *line == '\0';
}

static void add_row(struct teller *teller, struct core_batch *batch, const char *text)
{
    struct words words;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!matches(teller, rows[i].form, text, &words)) continue;
        rows[i].add(batch, words.n);
        return;
    }
    fail_msg("'%s' is no row", text);
}

static struct core_batch *batch_of(struct teller *teller, uint64_t number, const char *list)
{
    struct core_batch *batch = help_batch(number);
    char copy[LINE_BYTES_MAX], *at = copy, *row;

    snprintf(copy, sizeof copy, "%s", list);
    while ((row = strsep(&at, ","))) {
        add_row(teller, batch, row + strspn(row, " "));
    }
    return batch;
}

static void tell_result(struct teller *teller, const struct help_result *result)
{
    static const char *const texts[] = {
        [ENGINE_COMMITTED] = "committed",
        [ENGINE_DEPOSED] = "refused: another instance leads",
        [ENGINE_RELOAD] = "refused: it does not follow the newest batch",
        [ENGINE_NO_SPACE] = "refused: the disk is full",
        [ENGINE_AWAY] = "refused for now",
        [ENGINE_POISONED] = "refused for what is in it",
        [ENGINE_UNKNOWN] = "not known: the connection broke before the answer",
    };

    tell(teller, "  batch %" PRIu64 ": %s", result->batch, texts[result->result]);
    if (result->result == ENGINE_AWAY) tell(teller, ": %s", result->text);
    tell(teller, "\n");
}

static void hear(struct teller *teller, const struct words *words)
{
    struct instance *who = words->who;

    help_until(who->help, who->help->results.len > who->heard);
    tell_result(teller, &who->help->results.at[who->heard++]);
}

static void send(struct teller *teller, const struct words *words)
{
    struct instance *who = words->who;
    struct core_batch *batch = batch_of(teller, words->n[0], words->rest);
    uint64_t epoch = words->n_len > 1 ? words->n[1] : who->help->taken.epoch;

    assert_true(who->sent_len < SENT_MAX);
    who->sent[who->sent_len++] = batch; /* the store borrows it until its answer */
    who->help->port.commit(who->help->store, batch, epoch, help_now());
}

static void commit(struct teller *teller, const struct words *words)
{
    send(teller, words);
    hear(teller, words);
}

/* ---- faults of Postgres ---------------------------------------------------------------------- */

static void end_lease(struct teller *teller, const struct words *words)
{
    (void)words;
    help_run(teller->conninfo, "update lease set expires_at = now() - interval '1 ms'");
}

static void restore(struct teller *teller, const struct words *words)
{
    (void)words;
    help_run(teller->conninfo, "update leader set history = '1/00000001'");
}

/* The leader makes partitions of the table, which a lock or a trigger would disturb. */
static void settle(struct teller *teller)
{
    for (size_t i = 0; i < teller->instances_len; i++) {
        struct help *help = teller->instances[i].help;

        if (help && help->is_taken) help_until(help, store_stats(help->store).partition.is_idle);
    }
}

static void lock_jobs(struct teller *teller, const struct words *words)
{
    PGresult *result;
    char sql[100];

    (void)words;
    settle(teller);
    teller->lock = help_connect(teller->conninfo);
    snprintf(sql, sizeof sql, "begin; set lock_timeout = %d; lock table job in exclusive mode",
             HELP_WAIT_MS);
    result = PQexec(teller->lock, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail_msg("%s", PQresultErrorMessage(result));
    PQclear(result);
}

static void unlock_jobs(struct teller *teller, const struct words *words)
{
    (void)words;
    PQfinish(teller->lock);
    teller->lock = NULL;
}

/* Those that wait for a lock, so that each is in the middle of its batch; and idle ones. */
static void break_writers(struct teller *teller, const struct words *words)
{
    static const char waiting[] = "select count(*) from pg_locks join pg_stat_activity using (pid)"
                                  " where not granted and application_name = 'fairlead writer'"
                                  " and datname = current_database()";
    fl_ms end = help_now() + HELP_WAIT_MS;

    (void)words;
    while (teller->lock && help_number(teller->conninfo, waiting) == 0) {
        if (help_now() > end) fail_msg("waited in vain for a writer to meet the lock");
        for (size_t i = 0; i < teller->instances_len; i++) {
            if (teller->instances[i].help) help_turn(teller->instances[i].help, 10);
        }
    }
    help_run(teller->conninfo,
             "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
             " where application_name = 'fairlead writer' and datname = current_database()");
}

static void meet_error(struct teller *teller, const struct words *words)
{
    char sql[400];

    settle(teller);
    snprintf(sql, sizeof sql,
             "create or replace function refuse() returns trigger language plpgsql as $$ begin"
             " raise sqlstate '%.5s' using message = '%s'; end $$;"
             " create trigger refuse before insert on job for each row execute function refuse()",
             words->rest, words->rest + 6);
    help_run(teller->conninfo, sql);
}

static void meet_no_error(struct teller *teller, const struct words *words)
{
    (void)words;
    help_run(teller->conninfo, "drop trigger refuse on job");
}

static void set_read_only(struct teller *teller, const char *sql, bool is_on)
{
    fl_ms end = help_now() + HELP_WAIT_MS;

    help_run(teller->conninfo, sql);
    help_run(teller->conninfo, "select pg_reload_conf()");
    while ((help_number(teller->conninfo, "select count(*) from pg_settings where setting = 'on'"
                                          " and name = 'default_transaction_read_only'") > 0) !=
           is_on) {
        if (help_now() > end) fail_msg("waited in vain for '%s'", sql);
        help_wait(10);
    }
}

static void turn_read_only(struct teller *teller, const struct words *words)
{
    (void)words;
    set_read_only(teller, "alter system set default_transaction_read_only = on", true);
}

static void turn_writable(struct teller *teller, const struct words *words)
{
    (void)words;
    set_read_only(teller, "alter system reset default_transaction_read_only", false);
}

/* A copy of its first row is added, under a number that this program does not know. */
static struct fl_str with_row_of_newer(struct fl_str body, struct journal_packer *packer,
                                       struct fl_arena *arena)
{
    struct row row = {.kind = ROW_mark_set, .mark_set = {.job = 1}};
    struct fl_err err = {0};
    struct fl_str old;
    struct fl_buf new;
    size_t len;

    assert_true(journal_unpack(body, arena, &old, &err));
    fl_buf_init_in(&new, old.len + 256, arena);
    assert_true(fl_buf_put(&new, old.at, old.len));
    len = new.len;
    assert_true(row_encode(&new, &row));
    new.at[len] = KIND_OF_NEWER;
    return journal_pack(packer, (struct fl_str){(const char *)new.at, new.len});
}

static void add_row_of_newer(struct teller *teller, const struct words *words)
{
    struct journal_packer *packer = journal_packer_create();
    PGconn *pg = help_connect(teller->conninfo);
    struct fl_arena arena = {0};
    char sql[100];
    PGresult *found;
    struct fl_str body;
    const char *values[1];
    int lengths[1], formats[1] = {1};

    snprintf(sql, sizeof sql, "select body from journal where batch = %" PRIu64, words->n[0]);
    found = PQexecParams(pg, sql, 0, NULL, NULL, NULL, NULL, 1);
    assert_int_equal(PQntuples(found), 1);
    body = (struct fl_str){PQgetvalue(found, 0, 0), (size_t)PQgetlength(found, 0, 0)};
    body = with_row_of_newer(body, packer, &arena);
    PQclear(found);
    values[0] = body.at;
    lengths[0] = (int)body.len;
    snprintf(sql, sizeof sql, "update journal set body = $1 where batch = %" PRIu64, words->n[0]);
    found = PQexecParams(pg, sql, 1, NULL, values, lengths, formats, 0);
    assert_string_equal(PQcmdTuples(found), "1");
    PQclear(found);
    PQfinish(pg);
    journal_packer_destroy(packer);
    fl_arena_fini(&arena);
}

/* ---- questions ------------------------------------------------------------------------------- */

/* One value; empty where it is NULL. */
static void tell_value(struct teller *teller, const char *title, const char *sql)
{
    PGconn *pg = help_connect(teller->conninfo);
    PGresult *result = PQexec(pg, sql);

    assert_int_equal(PQntuples(result), 1);
    tell(teller, "  %s: %s\n", title,
         PQgetisnull(result, 0, 0) ? "none" : PQgetvalue(result, 0, 0));
    PQclear(result);
    PQfinish(pg);
}

static void tell_tables(struct teller *teller, const struct words *words)
{
    (void)words;
    tell_value(teller, "jobs", "select string_agg(id::text, ' ' order by id) from job");
    tell_value(teller, "batches",
               "select string_agg(batch::text, ' ' order by batch) from journal where batch > 0");
}

static void tell_partitions(struct teller *teller, const struct words *words)
{
    char sql[300];

    snprintf(sql, sizeof sql,
             "select string_agg(n::text, ' ' order by n) from (select substring(relname from"
             " '_p([0-9]+)$')::int8 n from pg_inherits, pg_class where inhparent = '%s'::regclass"
             " and oid = inhrelid) parts",
             words->rest);
    tell_value(teller, "from", sql);
}

static void on_events(void *ctx, const struct read_events *events)
{
    struct teller *teller = ctx;

    teller->is_answered = true;
    if (events->err) fail_msg("%s", events->err->text);
    for (size_t i = 0; i < events->len; i++) {
        tell(teller, "  %" PRIu64 ".%" PRIu32, events->at[i].batch, events->at[i].n);
        tell_row(teller, &events->at[i].row);
    }
}

static void on_reader_trouble(void *ctx, const char *text)
{
    (void)ctx;
    fail_msg("%s", text);
}

static void tell_events(struct teller *teller, const struct words *words)
{
    struct reader *reader =
        reader_create(teller->conninfo, help_waker(), on_reader_trouble, teller);
    fl_ms end = help_now() + HELP_WAIT_MS;
    struct fl_err err = {0};

    (void)words;
    teller->is_answered = false;
    assert_true(read_events_since(reader, 0, 0, (struct fl_job){0}, on_events, teller, &err));
    while (!teller->is_answered) {
        if (help_now() > end) fail_msg("waited in vain for the events");
        help_wait(10);
        reader_turn(reader, help_now());
    }
    reader_destroy(reader);
}

static void wait_for_room(struct teller *teller, const struct words *words)
{
    struct help *help = words->who->help;

    (void)teller;
    help_until(help, help->job_below >= words->n[0]);
}

/* The one that leads removes them. */
static void wait_for_removal(struct teller *teller, const struct words *words)
{
    fl_ms end = help_now() + HELP_WAIT_MS;
    char sql[300];

    snprintf(sql, sizeof sql,
             "select count(*) from pg_inherits, pg_class where inhparent = 'job'::regclass and"
             " oid = inhrelid and substring(relname from '_p([0-9]+)$')::int8 < %" PRIu64,
             words->n[0]);
    while (help_number(teller->conninfo, sql) > 0) {
        if (help_now() > end) fail_msg("waited in vain for a partition of job to go");
        for (size_t i = 0; i < teller->instances_len; i++) {
            if (teller->instances[i].help) help_turn(teller->instances[i].help, 20);
        }
    }
}

/* ---- a story --------------------------------------------------------------------------------- */

/* Made of the first line; or of the defaults. */
static void open_database(struct teller *teller, const char *text)
{
    struct partition_config defaults = partition_config_default();
    unsigned long long jobs, batches;
    struct fl_err err = {0};
    const char *line = strchr(text, '\n') + 1;

    teller->partition = defaults;
    teller->partition.late_jobs = 64;
    if (sscanf(line, "partitions of %llu jobs and %llu batches", &jobs, &batches) == 2) {
        teller->partition = help_partitions(jobs, batches);
        teller->partition.check_ms = 50;
        teller->partition.retention_ms = 0;
        teller->partition.journal_retention_ms = teller->partition.audit_retention_ms = 0;
    }
    if (strstr(text, "Postgres is read-only")) {
        teller->server = help_server_start("");
        teller->conninfo = help_database_of(teller->server, false);
    } else {
        teller->conninfo = help_database_empty();
    }
    if (!migrate(teller->conninfo, &teller->partition, &err)) fail_msg("%s", err.text);
}

static void close_database(struct teller *teller)
{
    for (size_t i = 0; i < teller->instances_len; i++) {
        leave(&teller->instances[i]);
    }
    if (teller->lock) PQfinish(teller->lock);
    if (teller->server) help_server_stop(teller->server);
    fl_free(teller->server);
    fl_free(teller->conninfo);
}

static void take_note(struct teller *teller, const struct words *words)
{
    (void)teller, (void)words;
}

static const struct {
    const char *form;
    void (*tell)(struct teller *teller, const struct words *words);
} lines[] = {
    {"partitions of # jobs and # batches, old at once", take_note},
    {"@ takes over", take_over},
    {"@ takes over, unsure of batch #", take_over},
    {"@ loads", load},
    {"@ commits batch #: *", commit},
    {"@ commits batch # under epoch #: *", commit},
    {"@ sends batch #: *", send},
    {"@ hears", hear},
    {"@ learns that its lease is lost", learn_of_loss},
    {"@ says goodbye", say_goodbye},
    {"@ is gone", go},
    {"@ has room for jobs below #", wait_for_room},
    {"the lease runs out", end_lease},
    {"the database comes from a backup", restore},
    {"jobs are locked", lock_jobs},
    {"jobs are unlocked", unlock_jobs},
    {"the writers' connections break", break_writers},
    {"a new job meets no error", meet_no_error},
    {"a new job meets *", meet_error},
    {"Postgres is read-only", turn_read_only},
    {"Postgres is writable", turn_writable},
    {"batch # has a row of a newer program", add_row_of_newer},
    {"the tables", tell_tables},
    {"the events", tell_events},
    {"the partitions of *", tell_partitions},
    {"job has no partition below #", wait_for_removal},
};

static void tell_line(struct teller *teller, const char *line)
{
    struct words words;

    tell(teller, "%s\n", line);
    if (*line == '\0' || *line == '#') return;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!matches(teller, lines[i].form, line, &words)) continue;
        lines[i].tell(teller, &words);
        return;
    }
    fail_msg("'%s' is no line of a story", line);
}

char *store_story_tell(const char *text)
{
    struct teller teller = {0};
    char *told;

    fl_buf_init(&teller.out, TOLD_BYTES_MAX);
    open_database(&teller, text);
    while (*text) {
        char line[LINE_BYTES_MAX];
        size_t len = strcspn(text, "\n");

        assert_true(len < sizeof line);
        memcpy(line, text, len);
        line[len] = '\0';
        if (*line != ' ') tell_line(&teller, line);
        text += len + (text[len] != '\0');
    }
    close_database(&teller);
    told = fl_alloc(teller.out.len + 1);
    memcpy(told, teller.out.at, teller.out.len);
    told[teller.out.len] = '\0';
    fl_buf_fini(&teller.out);
    return told;
}
