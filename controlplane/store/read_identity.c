#include "controlplane/store/read_identity.h"

#include <endian.h>
#include <string.h>

#include "controlplane/core/core_event.h" /* CORE_TOKEN_ID_MAX */
#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"

/* Table after table, page after page, each by its key from the last one of the page before. */

enum step { NEWEST, QUEUES, CLUSTERS, JOINS, TOKENS };

struct op {
    enum step step;
    read_identity_row_fn *row;
    read_identity_done_fn *done;
    void *ctx;
    uint64_t batch;
    uint32_t id;            /* of the last queue or cluster */
    struct fl_digest token; /* the last join token */
    bool has_token;
    char name[CORE_TOKEN_ID_MAX]; /* the id of the last token */
    size_t name_len;
};

static void answered(struct reader *reader, void *data, const PGresult *result,
                     const struct fl_err *err, struct fl_arena *arena);

bool read_identity_is(const struct row *row)
{
    switch (row->kind) {
    case ROW_queue_put:
    case ROW_cluster_put:
    case ROW_join_put:
    case ROW_join_drop:
    case ROW_token_put:
    case ROW_token_drop:
        return true;
    default:
        return false;
    }
}

static void ask(struct reader *reader, struct op *op)
{
    uint32_t id_be = htobe32(op->id);
    int64_t limit_be;
    struct pg_value values[2] = {{&id_be, sizeof id_be}, reader_i64(&limit_be, READ_IDENTITY_PAGE)};
    enum pg_stmt stmt = PG_STMT_queues_page;

    switch (op->step) {
    case NEWEST:
        fl_unreachable("it is the first");
    case QUEUES:
        break;
    case CLUSTERS:
        stmt = PG_STMT_clusters_page;
        break;
    case JOINS:
        stmt = PG_STMT_join_tokens_page;
        values[0] = (struct pg_value){op->token.at, op->has_token ? sizeof op->token.at : 0};
        break;
    case TOKENS:
        stmt = PG_STMT_tokens_page;
        values[0] = (struct pg_value){op->name, op->name_len};
        break;
    }
    reader_ask_on(reader, stmt, values, answered, op, sizeof *op);
}

static struct row row_of(struct op *op, const PGresult *r, int i)
{
    struct row row;

    memset(&row, 0, sizeof row);
    switch (op->step) {
    case NEWEST:
        fl_unreachable("a number is no row");
    case QUEUES:
        row.kind = ROW_queue_put;
        row.queue_put = (struct row_queue_put){.queue = (uint32_t)pg_get_int(r, i, 0),
                                               .tenant = (uint32_t)pg_get_int(r, i, 1),
                                               .is_paused = (uint8_t)pg_get_int(r, i, 2),
                                               .name = reader_field(r, i, 3)};
        op->id = row.queue_put.queue;
        break;
    case CLUSTERS:
        row.kind = ROW_cluster_put;
        row.cluster_put = (struct row_cluster_put){.cluster = (uint32_t)pg_get_int(r, i, 0),
                                                   .state = (uint8_t)pg_get_int(r, i, 1),
                                                   .access = (uint8_t)pg_get_int(r, i, 2),
                                                   .is_draining = (uint8_t)pg_get_int(r, i, 3),
                                                   .session_epoch = (uint64_t)pg_get_int(r, i, 4),
                                                   .generation = (uint64_t)pg_get_int(r, i, 5),
                                                   .seen = (uint64_t)pg_get_int(r, i, 6),
                                                   .key = reader_digest(r, i, 7),
                                                   .name = reader_field(r, i, 8),
                                                   .uid = reader_field(r, i, 9),
                                                   .uuid = reader_field(r, i, 10),
                                                   .cordon = reader_field(r, i, 11)};
        op->id = row.cluster_put.cluster;
        break;
    case JOINS:
        row.kind = ROW_join_put;
        row.join_put = (struct row_join_put){.token = reader_digest(r, i, 0),
                                             .tenant = (uint32_t)pg_get_int(r, i, 1),
                                             .expires_at = pg_get_int(r, i, 2),
                                             .cluster = (uint32_t)pg_get_int(r, i, 3),
                                             .key = reader_digest(r, i, 4),
                                             .name = reader_field(r, i, 5)};
        op->token = row.join_put.token;
        op->has_token = true;
        break;
    case TOKENS:
        row.kind = ROW_token_put;
        row.token_put = (struct row_token_put){.id = reader_field(r, i, 0),
                                               .tenant = (uint32_t)pg_get_int(r, i, 1),
                                               .scopes = (uint8_t)pg_get_int(r, i, 2),
                                               .made_at = pg_get_int(r, i, 3),
                                               .expires_at = pg_get_int(r, i, 4),
                                               .mac = reader_digest(r, i, 5),
                                               .name = reader_field(r, i, 6),
                                               .queue = reader_field(r, i, 7)};
        op->name_len =
            row.token_put.id.len < sizeof op->name ? row.token_put.id.len : sizeof op->name;
        memcpy(op->name, row.token_put.id.at, op->name_len);
        break;
    }
    return row;
}

static void answered(struct reader *reader, void *data, const PGresult *result,
                     const struct fl_err *err, struct fl_arena *arena)
{
    struct op *op = data;
    int rows = result ? PQntuples(result) : 0;
    bool is_last = rows < READ_IDENTITY_PAGE;

    (void)arena;
    if (!result) {
        op->done(op->ctx, err, op->batch);
        return;
    }
    if (op->step == NEWEST) {
        if (rows > 0) op->batch = (uint64_t)pg_get_int(result, 0, 0);
        is_last = true;
    } else {
        for (int i = 0; i < rows; i++) {
            struct row row = row_of(op, result, i);

            op->row(op->ctx, &row);
        }
    }
    if (is_last && op->step == TOKENS) {
        op->done(op->ctx, NULL, op->batch);
        return;
    }
    if (is_last) {
        op->step++;
        op->id = 0;
    }
    ask(reader, op);
}

uint64_t read_identity(struct reader *reader, read_identity_row_fn *row,
                       read_identity_done_fn *done, void *ctx, struct fl_err *err)
{
    struct op op = {.step = NEWEST, .row = row, .done = done, .ctx = ctx};

    return reader_ask(reader, PG_STMT_journal_newest, NULL, answered, &op, sizeof op, err);
}
