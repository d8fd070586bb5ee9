/* store_help.h - a real Postgres for a test, and a store that is driven by hand.
 * The server is the one that FL_TEST_PG names (a conninfo), else one of its own, started by pg.sh
 * and ended with the process.  A test file has one database, which each call of help_database makes
 * as good as new.  Every wait has an end: an event that does not come in HELP_WAIT_MS fails the
 * test. */
#pragma once

#include <libpq-fe.h>

#include "controlplane/store/store.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

/* A test that is not about leases never loses one, however long a turn or a takeover takes. */
enum { HELP_WAIT_MS = 60000, HELP_LEASE_MS = 120000 };

fl_ms help_now(void); /* monotonic */

/* The process's loop, for connections; help_wait turns it for 'ms' at most. */
const struct pg_waker *help_waker(void);
void help_wait(fl_ms ms);

/* A server of its own, with settings "a=b c=d"; ended with the process, or by help_server_stop. */
char *help_server_start(const char *settings);
void help_server_stop(const char *conninfo);

/* Makes the file's database anew, empty or with the schema; drops the old one and its connections.
 * Free the conninfo with fl_free. */
char *help_database_empty(void);
char *help_database(void);
/* One of its own, also beside that. */
char *help_database_of(const char *server, bool has_schema);

PGconn *help_connect(const char *conninfo);
void help_run(const char *conninfo, const char *sql); /* each must pass */
long long help_number(const char *conninfo, const char *sql);

/* Small partitions, so that tests see many. */
struct partition_config help_partitions(uint64_t job_span, uint64_t batch_span);

/* ---- a store --------------------------------------------------------------------------------- */

struct help_result {
    uint64_t batch;
    enum engine_commit result;
    char text[200];
};

struct help {
    struct store *store;
    struct engine_store port; /* the store's calls for an engine */
    struct engine_taken taken;
    bool is_taken, is_failed, is_loaded, is_load_good, is_lease_lost;
    enum fl_code failed_code;
    FL_VEC(struct help_result) results;
    struct fl_buf rows; /* loaded ones, encoded */
    size_t rows_len;
    uint64_t job_below, batch_below;
    uint64_t found; /* the newest look-up that was answered */
    bool is_found_good;
    struct fl_digest found_sha;
    char found_text[256];
    size_t found_bytes;
    size_t troubles;
    char trouble[256];
    void (*on_row)(void *ctx, const struct row *row); /* instead of 'rows' */
    void *on_row_ctx;
};

struct help *help_create(const char *conninfo, const char *instance);
struct help *help_create_with(const struct store_config *config);
void help_destroy(struct help *help);

/* One wait, of 'ms' at most, and one turn. */
void help_turn(struct help *help, fl_ms ms);

#define help_until(help, condition)                                                                \
    do {                                                                                           \
        fl_ms help_end_ = help_now() + HELP_WAIT_MS;                                               \
        while (!(condition)) {                                                                     \
            if (help_now() > help_end_) fail_msg("waited in vain for %s", #condition);             \
            help_turn((help), 20);                                                                 \
        }                                                                                          \
    } while (0)

/* FL_OK, or why not. */
enum fl_code help_take(struct help *help, uint64_t batch_from);
void help_load(struct help *help);   /* after a takeover, before a commit */
void help_reload(struct help *help); /* both */
enum engine_commit help_commit(struct help *help, const struct core_batch *batch);

/* A batch whose rows are then added with core_batch_row. */
struct core_batch *help_batch(uint64_t number);
void help_row(struct core_batch *batch, struct row row);

/* A plain job's life in rows: accepted, started, ended. */
void help_job(struct core_batch *batch, uint64_t job, uint32_t elements);
void help_attempt(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n);
void help_attempt_end(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n);
void help_end(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n);
void help_job_end(struct core_batch *batch, uint64_t job, bool is_array);
