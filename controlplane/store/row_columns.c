#include "controlplane/store/row_columns.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"

struct row_columns row_columns(unsigned place)
{
    bool is_open = place == ROW_OPEN_JOB;
    struct row_info info = row_info(is_open ? ROW_job_new : (enum row_kind)place);
    struct row_columns columns = {.table =
                                      row_table_name(is_open ? ROW_TABLE_open_job : info.table)};

    for (const struct row_field *field = info.fields; field < info.fields + info.len; field++) {
        if (!(is_open ? field->is_in_open_job : field->is_in_table)) continue;
        columns.has_batch = columns.has_batch || field->type == ROW_TYPE_BATCH;
        columns.has_at = columns.has_at || field->type == ROW_TYPE_AT;
        if (field->type == ROW_TYPE_BATCH || field->type == ROW_TYPE_AT) continue;
        fl_assert(columns.len < ROW_COLUMNS_MAX);
        columns.at[columns.len++] = field;
    }
    return columns;
}

/* As row_columns counts them. */
enum {
#define L(type, name) +1
#define K L
#define F(type, name)
#define B(type, name, max)
#define LB(type, name, max) +1
#define ROW(name, number, fold, table, fields) OPEN_##name = 0 fields,
#include "controlplane/core/rows.def"
};

size_t row_columns_len(unsigned place)
{
    static const uint8_t lens[ROW_PLACES_LEN] = {
#define F(type, name) +1
#define B(type, name, max) +1
#define J(type, name)
#define COUNT(name) +1
#define ROW(name, number, fold, table, fields) [number] = 0 fields,
#include "controlplane/core/rows.def"
        [ROW_OPEN_JOB] = OPEN_job_new,
    };

    return lens[place];
}

const char *row_column_name(const struct row_columns *columns, size_t i)
{
    const struct row_field *field = columns->at[i];

    return field->is_key && strcmp(field->name, columns->table) == 0 ? "id" : field->name;
}

const char *row_column_list(const struct row_columns *columns, const char *prefix, bool is_key,
                            struct fl_arena *arena)
{
    const char *list = "";

    for (size_t i = 0; i < columns->len; i++) {
        if (is_key && !columns->at[i]->is_key) continue;
        list = fl_arena_printf(arena, "%s%s%s%s", list, *list ? ", " : "", prefix,
                               row_column_name(columns, i));
    }
    return list;
}

/* ---- values ---------------------------------------------------------------------------------- */

Oid row_column_type(const struct row_field *field)
{
    static const Oid types[] = {
        [ROW_TYPE_job] = PG_INT8,         [ROW_TYPE_u8] = PG_INT2,
        [ROW_TYPE_flag] = PG_BOOL,        [ROW_TYPE_u16] = PG_INT4,
        [ROW_TYPE_code] = PG_INT2,        [ROW_TYPE_u32] = PG_INT4,
        [ROW_TYPE_i32] = PG_INT4,         [ROW_TYPE_u64] = PG_INT8,
        [ROW_TYPE_some_u64] = PG_INT8,    [ROW_TYPE_i64] = PG_INT8,
        [ROW_TYPE_digest] = PG_BYTEA,     [ROW_TYPE_text] = PG_TEXT,
        [ROW_TYPE_some_text] = PG_TEXT,   [ROW_TYPE_bytes] = PG_BYTEA,
        [ROW_TYPE_some_bytes] = PG_BYTEA, [ROW_TYPE_COUNT] = PG_INT4,
    };

    return types[field->type];
}

/* This runs for every row of every batch, so it is expanded and not walked. */
#define PUT_job(to, v) pg_array_put_i64(to, v)
#define PUT_u8(to, v) pg_array_put_i16(to, v)
#define PUT_flag(to, v) pg_array_put_bool(to, v)
#define PUT_u16(to, v) pg_array_put_i32(to, v)
#define PUT_code(to, v) pg_array_put_i16(to, (uint16_t)(v))
#define PUT_u32(to, v) pg_array_put_i32(to, v)
#define PUT_i32(to, v) pg_array_put_i32(to, (uint32_t)(v))
#define PUT_u64(to, v) pg_array_put_i64(to, v)
#define PUT_some_u64(to, v) ((v) ? pg_array_put_i64(to, v) : pg_array_put_null(to))
#define PUT_i64(to, v) pg_array_put_i64(to, (uint64_t)(v))
#define PUT_digest(to, v) pg_array_put_bytes(to, &(v), sizeof(v))
#define PUT_text(to, v) pg_array_put_str(to, v)
#define PUT_some_text(to, v) pg_array_put_some(to, v)
#define PUT_bytes(to, v) pg_array_put_str(to, v)
#define PUT_some_bytes(to, v) pg_array_put_some(to, v)

#define L(type, name) PUT_##type(to++, row->name);
#define K L
#define F(type, name)                                                                              \
    if (!is_open) L(type, name)
#define LB(type, name, max) L(type, name)
#define J(type, name)
#define B(type, name, max) F(type, name)
#define COUNT(name) pg_array_put_i32(to++, count);
#define ROW(name, number, fold, table, fields)                                                     \
    static inline void bind_##name(const struct row_##name *row, struct pg_array *to,              \
                                   uint32_t count, bool is_open)                                   \
    {                                                                                              \
        (void)count, (void)is_open;                                                                \
        fields                                                                                     \
    }
#include "controlplane/core/rows.def"

void row_bind(unsigned place, const struct row *row, struct pg_array *arrays, uint32_t count)
{
    switch (row->kind) {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields)                                                     \
    case ROW_##name:                                                                               \
        bind_##name(&row->name, arrays, count, place == ROW_OPEN_JOB);                             \
        return;
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    fl_unreachable("a row has one of the kinds of rows.def");
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A load reads millions of rows, so this is expanded, too. */

/* A big-endian number, or NULL, which is 0.  False: it is not of that length, or too large. */
static inline bool get_number(struct fl_str value, size_t bytes, uint64_t max, uint64_t *ret)
{
    uint64_t n = 0;

    if (value.len == bytes) {
        memcpy((char *)&n + sizeof n - bytes, value.at, bytes);
        n = __builtin_bswap64(n);
    }
    *ret = n;
    return (value.len == bytes || value.len == 0) && n <= max;
}

static inline bool get_digest(struct fl_str value, struct fl_digest *ret)
{
    if (value.len != sizeof *ret) return false;
    memcpy(ret, value.at, sizeof *ret);
    return true;
}

static inline bool get_str(struct fl_str value, struct fl_str *ret)
{
    *ret = value;
    return true;
}

#define GET_NUMBER(value, to, bytes, max)                                                          \
    get_number(value, bytes, max, &n) && ((to) = (__typeof__(to))n, true)
#define GET_job(value, to) GET_NUMBER(value, to, 8, UINT64_MAX)
#define GET_u8(value, to) GET_NUMBER(value, to, 2, UINT8_MAX)
#define GET_flag(value, to) GET_NUMBER(value, to, 1, 1)
#define GET_u16(value, to) GET_NUMBER(value, to, 4, UINT16_MAX)
#define GET_code(value, to) GET_NUMBER(value, to, 2, UINT16_MAX)
#define GET_u32(value, to) GET_NUMBER(value, to, 4, UINT32_MAX)
#define GET_i32 GET_u32
#define GET_u64 GET_job
#define GET_some_u64 GET_job
#define GET_i64 GET_job
#define GET_digest(value, to) get_digest(value, &(to))
#define GET_text(value, to) get_str(value, &(to))
#define GET_some_text GET_text
#define GET_bytes GET_text
#define GET_some_bytes GET_text

#define L(type, name) &&(GET_##type(*value++, row->name))
#define K L
#define F(type, name) &&(is_open || (GET_##type(*value++, row->name)))
#define LB(type, name, max) L(type, name)
#define J(type, name)
#define B(type, name, max) F(type, name)
#define COUNT(name) &&(value++, true)
#define ROW(name, number, fold, table, fields)                                                     \
    static inline bool read_##name(const struct fl_str *value, struct row_##name *row,             \
                                   bool is_open)                                                   \
    {                                                                                              \
        uint64_t n;                                                                                \
                                                                                                   \
        (void)value, (void)row, (void)is_open, (void)n;                                            \
        return true fields;                                                                        \
    }
#include "controlplane/core/rows.def"

bool row_read(unsigned place, const struct fl_str *values, struct row *ret_row)
{
    memset(ret_row, 0, sizeof *ret_row);
    ret_row->kind = place == ROW_OPEN_JOB ? ROW_job_new : (enum row_kind)place;
    switch (ret_row->kind) {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields)                                                     \
    case ROW_##name:                                                                               \
        return read_##name(values, &ret_row->name, place == ROW_OPEN_JOB);
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    fl_unreachable("a place is a kind of rows.def, or ROW_OPEN_JOB");
}
