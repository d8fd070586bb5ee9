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

static const struct {
    Oid oid;
    uint8_t bytes; /* the column's size, for a number */
} types[] = {
    [ROW_TYPE_job] = {PG_INT8, 8},      [ROW_TYPE_u8] = {PG_INT2, 2},
    [ROW_TYPE_flag] = {PG_BOOL, 1},     [ROW_TYPE_u16] = {PG_INT4, 4},
    [ROW_TYPE_code] = {PG_INT2, 2},     [ROW_TYPE_u32] = {PG_INT4, 4},
    [ROW_TYPE_i32] = {PG_INT4, 4},      [ROW_TYPE_u64] = {PG_INT8, 8},
    [ROW_TYPE_some_u64] = {PG_INT8, 8}, [ROW_TYPE_i64] = {PG_INT8, 8},
    [ROW_TYPE_digest] = {PG_BYTEA},     [ROW_TYPE_text] = {PG_TEXT},
    [ROW_TYPE_some_text] = {PG_TEXT},   [ROW_TYPE_bytes] = {PG_BYTEA},
    [ROW_TYPE_some_bytes] = {PG_BYTEA}, [ROW_TYPE_COUNT] = {PG_INT4, 4},
};

Oid row_column_type(const struct row_field *field)
{
    return types[field->type].oid;
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

/* A big-endian number, or NULL, which is 0.  False: its column, or the row's field, has no room for
 * it. */
static bool read_number(struct fl_str value, const struct row_field *field, struct row *row)
{
    size_t bytes = types[field->type].bytes, kept = row_number_bytes(field);
    uint64_t max = field->type == ROW_TYPE_flag ? 1 : UINT64_MAX >> (64 - 8 * kept), n = 0;

    if (value.len != 0 && value.len != bytes) return false;
    for (size_t i = 0; i < value.len; i++) {
        n = n << 8 | (uint8_t)value.at[i];
    }
    row_set_number(row, field, n);
    return n <= max;
}

bool row_read(unsigned place, const struct fl_str *values, struct row *ret_row)
{
    struct row_columns columns = row_columns(place);
    bool is_good = true;
    struct row row;

    memset(&row, 0, sizeof row);
    row.kind = place == ROW_OPEN_JOB ? ROW_job_new : (enum row_kind)place;
    for (size_t i = 0; is_good && i < columns.len; i++) {
        const struct row_field *field = columns.at[i];

        if (field->type == ROW_TYPE_COUNT) continue;
        is_good = row_number_bytes(field) ? read_number(values[i], field, &row)
                                          : row_set_bytes(&row, field, values[i]);
    }
    *ret_row = row;
    return is_good;
}
