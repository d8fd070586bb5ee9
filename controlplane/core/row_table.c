#include "controlplane/core/row_table.h"

#include <stddef.h>
#include <string.h>

#include "controlplane/core/core_event.h" /* limits */
#include "shared/base/arena.h"
#include "shared/base/assert.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a wider number begins as a narrow one");

/* ---- rows.def -------------------------------------------------------------------------------- */

#define FIELD(type_, name_, max_, ...)                                                             \
    {.name = #name_,                                                                               \
     .max = (max_),                                                                                \
     .at = (uint16_t)(offsetof(struct row, unknown) + offsetof(R, name_)),                         \
     .type = ROW_TYPE_##type_,                                                                     \
     __VA_ARGS__},
#define STAMP(type_, name_, where) {.name = #name_, .type = ROW_TYPE_##type_, .where = true},

static const struct row_field *fields_of(enum row_kind kind, size_t *ret_len)
{
    static const struct row_field none;

    switch (kind) {
#define K(type, name)                                                                              \
    FIELD(type, name, 0, .is_key = true, .is_in_table = true, .is_in_open_job = true)
#define KB(type, name, max) FIELD(type, name, max, .is_key = true, .is_in_table = true)
#define F(type, name) FIELD(type, name, 0, .is_in_table = true)
#define B(type, name, max) FIELD(type, name, max, .is_in_table = true)
#define L(type, name) FIELD(type, name, 0, .is_in_table = true, .is_in_open_job = true)
#define LB(type, name, max) FIELD(type, name, max, .is_in_table = true, .is_in_open_job = true)
#define J(type, name) FIELD(type, name, 0, .is_key = false)
#define COUNT(name) STAMP(COUNT, name, is_in_table)
#define BATCH STAMP(BATCH, batch, is_in_table)
#define AT STAMP(AT, at, is_in_table)
#define ROW(name_, number, fold, table, fields)                                                    \
    case ROW_##name_: {                                                                            \
        typedef struct row_##name_ R;                                                              \
        static const struct row_field list[] = {fields};                                           \
        *ret_len = sizeof list / sizeof *list;                                                     \
        return list;                                                                               \
    }
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    *ret_len = 0;
    return &none; /* not NULL, so that a walk of no field is a walk */
}

static const struct row_info infos[ROW_KINDS_LEN] = {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold_, table_, fields)                                                   \
    [number] = {.table = ROW_TABLE_##table_, .fold = ROW_FOLD_##fold_},
#include "controlplane/core/rows.def"
};

static const struct {
    const char *name;
    enum row_kind kind;
} tables[ROW_TABLES_LEN] = {
#define KEPT_APPEND(name, table) [ROW_TABLE_##table] = {#table, ROW_##name},
#define KEPT_NEXT KEPT_APPEND
#define KEPT_FIRST KEPT_APPEND
#define KEPT_LAST KEPT_APPEND
#define KEPT_REMOVE(name, table)
#define KEPT_JOURNAL(name, table)
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) KEPT_##fold(name, table)
#include "controlplane/core/rows.def"
    [ROW_TABLE_open_job] = {"open_job", ROW_job_new},
};

struct row_info row_info(enum row_kind kind)
{
    struct row_info info = infos[kind];

    info.fields = fields_of(kind, &info.len);
    return info;
}

const char *row_table_name(enum row_table table)
{
    return tables[table].name;
}

enum row_kind row_table_kind(enum row_table table)
{
    return tables[table].kind;
}

/* ---- fields ---------------------------------------------------------------------------------- */

size_t row_number_bytes(const struct row_field *field)
{
    static const uint8_t bytes[] = {
        [ROW_TYPE_job] = 8,      [ROW_TYPE_u8] = 1,  [ROW_TYPE_flag] = 1, [ROW_TYPE_u16] = 2,
        [ROW_TYPE_code] = 2,     [ROW_TYPE_u32] = 4, [ROW_TYPE_i32] = 4,  [ROW_TYPE_u64] = 8,
        [ROW_TYPE_some_u64] = 8, [ROW_TYPE_i64] = 8,
    };

    return field->type < sizeof bytes ? bytes[field->type] : 0;
}

int64_t row_number(const struct row *row, const struct row_field *field)
{
    const char *at = (const char *)row + field->at;

    switch (row_number_bytes(field)) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const uint16_t *)(const void *)at;
    case 4:
        if (field->type == ROW_TYPE_i32) return *(const int32_t *)(const void *)at;
        return *(const uint32_t *)(const void *)at;
    default:
        return *(const int64_t *)(const void *)at;
    }
}

void row_set_number(struct row *row, const struct row_field *field, uint64_t v)
{
    memcpy((char *)row + field->at, &v, row_number_bytes(field));
}

struct fl_str row_bytes(const struct row *row, const struct row_field *field)
{
    const char *at = (const char *)row + field->at;
    struct fl_str bytes = {at, sizeof(struct fl_digest)};

    if (field->type != ROW_TYPE_digest) memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

bool row_set_bytes(struct row *row, const struct row_field *field, struct fl_str bytes)
{
    char *at = (char *)row + field->at;

    if (field->type != ROW_TYPE_digest) {
        memcpy(at, &bytes, sizeof bytes);
        return true;
    }
    if (bytes.len != sizeof(struct fl_digest)) return false;
    memcpy(at, bytes.at, bytes.len);
    return true;
}

void row_keep(struct row *row, struct fl_arena *arena)
{
    struct row_info info = row_info(row->kind);

    for (const struct row_field *field = info.fields; field < info.fields + info.len; field++) {
        if (field->max == 0) continue;
        fl_assert(row_set_bytes(row, field, fl_arena_str(arena, row_bytes(row, field))));
    }
}

const struct row_field *row_field_named(enum row_kind kind, const char *name)
{
    struct row_info info = row_info(kind);

    for (size_t i = 0; i < info.len; i++) {
        if (strcmp(info.fields[i].name, name) == 0) return &info.fields[i];
    }
    return NULL;
}

void row_edit(struct row *job, const struct row *edit)
{
    struct row_info info = row_info(edit->kind);

    for (size_t i = 0; i < info.len; i++) {
        const struct row_field *from = &info.fields[i];
        const struct row_field *to = row_field_named(job->kind, from->name);

        if (!to || from->is_key || from->type >= ROW_TYPE_COUNT) continue;
        if (row_number_bytes(from) > 0) {
            row_set_number(job, to, (uint64_t)row_number(edit, from));
        } else {
            fl_assert(row_set_bytes(job, to, row_bytes(edit, from)));
        }
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void add(struct row_key *key, const void *ptr, size_t len)
{
    fl_assert(key->len + len <= sizeof key->at);
    if (len > 0) memcpy(key->at + key->len, ptr, len);
    key->len += (uint32_t)len;
}

void row_key(const struct row *row, struct row_key *ret_key)
{
    struct row_info info = row_info(row->kind);

    ret_key->len = 0;
    for (const struct row_field *field = info.fields; field < info.fields + info.len; field++) {
        size_t bytes = row_number_bytes(field);

        if (!field->is_key) continue;
        if (bytes > 0) {
            uint64_t be = __builtin_bswap64((uint64_t)row_number(row, field));

            add(ret_key, (const char *)&be + sizeof be - bytes, bytes);
        } else {
            struct fl_str text = row_bytes(row, field);

            add(ret_key, text.at, text.len);
        }
    }
}

int row_key_cmp(const struct row_key *a, const struct row_key *b)
{
    return fl_str_cmp((struct fl_str){(const char *)a->at, a->len},
                      (struct fl_str){(const char *)b->at, b->len});
}
