#include "controlplane/store/row_columns.h"

#include <string.h>

#include "shared/base/assert.h"

/* rows.def is read once per verb, as in controlplane/core/row.c. */

/* ---- names and types ------------------------------------------------------------------------- */

#define TYPE_job PG_INT8
#define TYPE_u8 PG_INT2
#define TYPE_flag PG_BOOL
#define TYPE_u16 PG_INT4
#define TYPE_code PG_INT2
#define TYPE_u32 PG_INT4
#define TYPE_u64 PG_INT8
#define TYPE_some_u64 PG_INT8
#define TYPE_i32 PG_INT4
#define TYPE_i64 PG_INT8
#define TYPE_digest PG_BYTEA
#define TYPE_text PG_TEXT
#define TYPE_some_text PG_TEXT
#define TYPE_bytes PG_BYTEA
#define TYPE_some_bytes PG_BYTEA

#define COLUMNS_LEN(...)                                                                           \
    (sizeof((const struct row_column[]){__VA_ARGS__}) / sizeof(struct row_column))

static const struct row_table tables[ROW_KINDS_LEN] = {
#define K(type, name) {#name, TYPE_##type, .is_key = true},
#define KB(type, name, max) {#name, TYPE_##type, .is_key = true},
#define F(type, name) {#name, TYPE_##type},
#define B(type, name, max) {#name, TYPE_##type},
#define O(type, name)
#define J(type, name)
#define COUNT(name) {#name, PG_INT4, .is_count = true},
#define ROW(name_, number, fold_, table, fields)                                                   \
    [number] = {.name = #table,                                                                    \
                .fold = ROW_FOLD_##fold_,                                                          \
                .columns = {fields},                                                               \
                .len = COLUMNS_LEN(fields)},
#include "controlplane/core/rows.def"
};

/* The columns that open_job would keep for each kind; only job_new's are used. */
static const struct row_table open_tables[ROW_KINDS_LEN] = {
#define K(type, name) {#name, TYPE_##type, .is_key = true},
#define L(type, name) {#name, TYPE_##type},
#define O(type, name) {#name, TYPE_##type},
#define F(type, name)
#define B(type, name, max)
#define J(type, name)
#define ROW(name_, number, fold_, table, fields)                                                   \
    [number] = {.name = "open_job",                                                                \
                .fold = ROW_FOLD_APPEND,                                                           \
                .columns = {fields},                                                               \
                .len = COLUMNS_LEN(fields)},
#include "controlplane/core/rows.def"
};

const struct row_table *row_table(unsigned place)
{
    fl_assert(place < ROW_PLACES_LEN);
    return place == ROW_OPEN_JOB ? &open_tables[ROW_job_new] : &tables[place];
}

const char *row_stamps(unsigned place)
{
    static const char *const stamps[ROW_KINDS_LEN] = {
#define F(type, name)
#define B(type, name, max)
#define BATCH ", batch"
#define AT ", at"
#define ROW(name, number, fold, table, fields) [number] = "" fields,
#include "controlplane/core/rows.def"
    };

    return place == ROW_OPEN_JOB ? ", at" : stamps[place];
}

const char *row_column_name(unsigned place, size_t column)
{
    const struct row_table *table = row_table(place);
    const struct row_column *at = &table->columns[column];

    return at->is_key && strcmp(at->name, table->name) == 0 ? "id" : at->name;
}

/* ---- to columns ------------------------------------------------------------------------------ */

#define PUT_job(to, v) pg_array_put_i64(to, v)
#define PUT_u8(to, v) pg_array_put_i16(to, v)
#define PUT_flag(to, v) pg_array_put_bool(to, v)
#define PUT_u16(to, v) pg_array_put_i32(to, v)
#define PUT_code(to, v) pg_array_put_i16(to, v)
#define PUT_u32(to, v) pg_array_put_i32(to, v)
#define PUT_u64(to, v) pg_array_put_i64(to, v)
#define PUT_some_u64(to, v) ((v) ? pg_array_put_i64(to, v) : pg_array_put_null(to))
#define PUT_i32(to, v) pg_array_put_i32(to, (uint32_t)(v))
#define PUT_i64(to, v) pg_array_put_i64(to, (uint64_t)(v))
#define PUT_digest(to, v) pg_array_put_bytes(to, (v).at, sizeof(v).at)
#define PUT_text(to, v) pg_array_put_str(to, v)
#define PUT_some_text(to, v) pg_array_put_some(to, v)
#define PUT_bytes(to, v) pg_array_put_str(to, v)
#define PUT_some_bytes(to, v) pg_array_put_some(to, v)

void row_bind(const struct row *row, struct pg_array *to, uint32_t count)
{
    switch (row->kind) {
#define F(type, name) PUT_##type(to++, r->name);
#define B(type, name, max) PUT_##type(to++, r->name);
#define O(type, name)
#define J(type, name)
#define COUNT(name) pg_array_put_i32(to++, count);
#define ROW(name_, number, fold, table, fields)                                                    \
    case ROW_##name_: {                                                                            \
        const struct row_##name_ *r = &row->name_;                                                 \
        fields                                                                                     \
    } break;
#include "controlplane/core/rows.def"
    case ROW_unknown:
        fl_unreachable("a core decides rows of rows.def");
    }
}

void row_bind_open_job(const struct row *row, struct pg_array *to)
{
    switch (row->kind) {
#define K(type, name) PUT_##type(to++, r->name);
#define KB(type, name, max)
#define L(type, name) PUT_##type(to++, r->name);
#define O(type, name) PUT_##type(to++, r->name);
#define F(type, name)
#define B(type, name, max)
#define J(type, name)
#define ROW ROW_CASE
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
}

/* ---- from columns ---------------------------------------------------------------------------- */

/* NULL is 0.  'max': the column's type may hold more than the field's. */
static uint64_t number(const struct fl_str *value, size_t bytes, uint64_t max, bool *is_good)
{
    uint64_t n = 0;

    for (size_t i = 0; i < value->len && i < bytes; i++) {
        n = n << 8 | (uint8_t)value->at[i];
    }
    if ((value->len && value->len != bytes) || n > max) *is_good = false;
    return n;
}

static struct fl_digest digest(const struct fl_str *value, bool *is_good)
{
    struct fl_digest digest = {{0}};

    if (value->len == sizeof digest.at) {
        memcpy(digest.at, value->at, sizeof digest.at);
    } else {
        *is_good = false;
    }
    return digest;
}

#define GET_job number(from++, 8, UINT64_MAX, &is_good)
#define GET_u8 (uint8_t) number(from++, 2, UINT8_MAX, &is_good)
#define GET_flag (uint8_t) number(from++, 1, 1, &is_good)
#define GET_u16 (uint16_t) number(from++, 4, UINT16_MAX, &is_good)
#define GET_code (uint16_t) number(from++, 2, UINT16_MAX, &is_good)
#define GET_u32 (uint32_t) number(from++, 4, UINT32_MAX, &is_good)
#define GET_u64 number(from++, 8, UINT64_MAX, &is_good)
#define GET_some_u64 number(from++, 8, UINT64_MAX, &is_good)
#define GET_i32 (int32_t)(uint32_t) number(from++, 4, UINT32_MAX, &is_good)
#define GET_i64 (int64_t) number(from++, 8, UINT64_MAX, &is_good)
#define GET_digest digest(from++, &is_good)

bool row_read(unsigned place, const struct fl_str *from, struct row *ret_row)
{
    bool is_good = true, is_open = place == ROW_OPEN_JOB;
    struct row row;

    memset(&row, 0, sizeof row);
    row.kind = is_open ? ROW_job_new : (enum row_kind)place;
    switch (row.kind) {
#define K(type, name) r->name = GET_##type;
#define L K
#define KB(type, name, max) r->name = *from++;
#define F(type, name)                                                                              \
    if (!is_open) r->name = GET_##type;
#define B(type, name, max)                                                                         \
    if (!is_open) r->name = *from++;
#define O(type, name)                                                                              \
    if (is_open) r->name = GET_##type;
#define J(type, name)
#define ROW(name_, number, fold, table, fields)                                                    \
    case ROW_##name_: {                                                                            \
        struct row_##name_ *r = &row.name_;                                                        \
        fields                                                                                     \
    } break;
#include "controlplane/core/rows.def"
    case ROW_unknown:
        fl_unreachable("only rows of rows.def are kept");
    }
    *ret_row = row;
    return is_good;
}
