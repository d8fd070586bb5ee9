#include "controlplane/core/row.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/core/core_event.h"
#include "controlplane/core/row_table.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

/* A row is its kind in one byte, the length of what follows as a var, then its fields in the
 * order of rows.def: numbers of fixed width, bytes behind a var length.  Encoder and decoder expand
 * rows.def, which is twice as fast as walking it; the rest walks row_table.h. */

const enum row_kind row_kinds[] = {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) ROW_##name,
#include "controlplane/core/rows.def"
};
const size_t row_kinds_len = sizeof row_kinds / sizeof *row_kinds;

static const char *const names[ROW_KINDS_LEN] = {
    [ROW_unknown] = "unknown",
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) [number] = #name,
#include "controlplane/core/rows.def"
};

static bool is_known(unsigned kind)
{
    return kind != ROW_unknown && kind < ROW_KINDS_LEN && names[kind];
}

const char *row_kind_name(enum row_kind kind)
{
    fl_assert(kind < ROW_KINDS_LEN && names[kind]);
    return names[kind];
}

bool row_kind_ends_attempts(enum row_kind kind)
{
    return kind == ROW_attempt_end || kind == ROW_element_end;
}

uint64_t row_job(const struct row *row)
{
    struct row_info info = row_info(row->kind);

    for (size_t i = 0; i < info.len; i++) {
        if (info.fields[i].type == ROW_TYPE_job) return (uint64_t)row_number(row, &info.fields[i]);
    }
    return 0;
}

/* ---- encoding -------------------------------------------------------------------------------- */

static size_t var_len(size_t n)
{
    size_t len = 1;

    while (n >>= 7) {
        len++;
    }
    return len;
}

/* Each writes where there is room already, and says where it ends. */
static uint8_t *put_raw(uint8_t *at, const void *ptr, size_t len)
{
    if (len > 0) memcpy(at, ptr, len);
    return at + len;
}

static uint8_t *put_var(uint8_t *at, size_t n)
{
    for (; n >= 128; n >>= 7) {
        *at++ = (uint8_t)(n | 128);
    }
    *at++ = (uint8_t)n;
    return at;
}

#define F(type, name) +sizeof(r->name)
#define B(type, name, max) +var_len(r->name.len) + r->name.len
#define ROW(name, number, fold, table, fields)                                                     \
    static size_t len_##name(const struct row_##name *r)                                           \
    {                                                                                              \
        return 0 fields;                                                                           \
    }
#include "controlplane/core/rows.def"

/* A row is of known length before its first byte is written: one look for room.  Numbers are as in
 * memory, little endian. */
#define F(type, name) at = put_raw(at, &r->name, sizeof r->name);
#define B(type, name, max)                                                                         \
    at = put_raw(put_var(at, r->name.len), r->name.at, r->name.len);                               \
    r->name.at = (const char *)at - r->name.len;
#define ROW(name, number, fold, table, fields)                                                     \
    static bool encode_##name(struct fl_buf *out, struct row_##name *r)                            \
    {                                                                                              \
        size_t len = len_##name(r);                                                                \
        uint8_t *at = fl_buf_room(out, 1 + var_len(len) + len);                                    \
                                                                                                   \
        if (!at) return false;                                                                     \
        *at++ = (number);                                                                          \
        at = put_var(at, len);                                                                     \
        fields(void) at;                                                                           \
        return true;                                                                               \
    }
#include "controlplane/core/rows.def"

bool row_move(struct fl_buf *out, struct row *row)
{
    switch (row->kind) {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields)                                                     \
    case ROW_##name:                                                                               \
        return encode_##name(out, &row->name);
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    fl_unreachable("a row has one of the kinds of rows.def");
}

bool row_encode(struct fl_buf *out, const struct row *row)
{
    struct row copy = *row;

    return row_move(out, &copy);
}

#define F(type, name) at += sizeof(r->name);
#define B(type, name, max)                                                                         \
    at += var_len(r->name.len);                                                                    \
    r->name.at = (const char *)at;                                                                 \
    at += r->name.len;
#define ROW(name, number, fold, table, fields)                                                     \
    static const uint8_t *point_##name(struct row_##name *r, const uint8_t *at)                    \
    {                                                                                              \
        at += 1 + var_len(len_##name(r));                                                          \
        fields return at;                                                                          \
    }
#include "controlplane/core/rows.def"

const uint8_t *row_point(struct row *row, const uint8_t *at)
{
    switch (row->kind) {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields)                                                     \
    case ROW_##name:                                                                               \
        return point_##name(&row->name, at);
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    fl_unreachable("a row has one of the kinds of rows.def");
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* How many fields release 0001 wrote: a row of it ends there, and one with fewer is damaged. */
static const uint8_t fields_of_0001[ROW_KINDS_LEN] = {
    [ROW_job_new] = 12,      [ROW_spec_new] = 3,    [ROW_shape_new] = 2,   [ROW_shape_drop] = 1,
    [ROW_attempt_new] = 6,   [ROW_attempt_end] = 6, [ROW_element_end] = 7, [ROW_job_end] = 5,
    [ROW_mark_set] = 4,      [ROW_mark_clear] = 2,  [ROW_queue_put] = 4,   [ROW_cluster_put] = 12,
    [ROW_counter] = 2,       [ROW_audit] = 3,       [ROW_idempotency] = 4, [ROW_replica_phase] = 6,
    [ROW_cluster_phase] = 2, [ROW_join_put] = 6,    [ROW_join_drop] = 1,   [ROW_token_put] = 8,
    [ROW_token_drop] = 1,
};

static void get_raw(struct fl_reader *reader, void *ret, size_t len)
{
    struct fl_str raw = fl_read_raw(reader, len);

    if (raw.len == len) memcpy(ret, raw.at, len);
}

/* As many fields as the reader has, 'fields_max' of them at most; how many that is. */
#define MORE                                                                                       \
    if (len == fields_max || reader->pos >= reader->len) return len;                               \
    len++;
#define F(type, name) MORE get_raw(reader, &r->name, sizeof r->name);
#define B(type, name, max) MORE r->name = fl_read_bytes(reader, max);
#define ROW(name, number, fold, table, fields)                                                     \
    static unsigned decode_##name(struct fl_reader *reader, unsigned fields_max,                   \
                                  struct row_##name *r)                                            \
    {                                                                                              \
        unsigned len = 0;                                                                          \
                                                                                                   \
        fields return len;                                                                         \
    }
#include "controlplane/core/rows.def"
#undef MORE

/* A kind that is not known leaves ROW_unknown. */
static unsigned decode_fields(struct fl_reader *reader, uint8_t kind, unsigned fields_max,
                              struct row *row)
{
    if (!is_known(kind)) {
        row->unknown.number = kind;
        return 0;
    }
    row->kind = (enum row_kind)kind;
    switch (row->kind) {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields)                                                     \
    case ROW_##name:                                                                               \
        return decode_##name(reader, fields_max, &row->name);
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    fl_unreachable("a row has one of the kinds of rows.def");
}

static bool refuse(size_t start, const struct row *row, struct fl_err *err)
{
    return fl_fail(err, FL_TORN, "byte %zu: the row %s is cut or passes a limit", start,
                   row_kind_name(row->kind));
}

static bool refuse_kind(size_t start, uint8_t kind, struct fl_err *err)
{
    return fl_fail(err, FL_TORN, "byte %zu: no kind of row has the number %u", start, kind);
}

/* Takes the kind and the bytes behind its length. */
static bool take(struct fl_reader *reader, uint8_t *ret_kind, struct fl_reader *ret_fields,
                 struct fl_err *err)
{
    size_t start = reader->pos;
    uint8_t kind = fl_read_u8(reader);
    uint64_t bytes = fl_read_var(reader);

    if (kind == 0) return refuse_kind(start, kind, err);
    if (reader->is_bad || bytes > reader->len - reader->pos || bytes > UINT32_MAX) {
        return fl_fail(err, FL_TORN, "byte %zu: the row is cut", start);
    }
    *ret_kind = kind;
    *ret_fields = fl_reader(reader->at + reader->pos, bytes);
    reader->pos += bytes;
    return true;
}

bool row_cut(struct fl_reader *reader, enum row_kind *ret_kind, struct fl_reader *ret_row,
             struct fl_err *err)
{
    size_t start = reader->pos;
    struct fl_reader fields = {0};
    uint8_t kind = 0;

    if (!take(reader, &kind, &fields, err)) return false;
    *ret_kind = is_known(kind) ? (enum row_kind)kind : ROW_unknown;
    *ret_row = fl_reader(reader->at + start, reader->pos - start);
    return true;
}

bool row_decode(struct fl_reader *reader, struct row *ret_row, struct fl_err *err)
{
    size_t start = reader->pos;
    struct fl_reader fields = {0};
    struct row row;
    unsigned len;
    uint8_t kind = 0;

    if (!take(reader, &kind, &fields, err)) return false;
    memset(&row, 0, sizeof row);
    len = decode_fields(&fields, kind, UINT_MAX, &row);
    if (fields.is_bad || (kind < ROW_KINDS_LEN && len < fields_of_0001[kind])) {
        return refuse(start, &row, err);
    }
    row.skipped = (uint32_t)(fields.len - fields.pos);
    *ret_row = row;
    return true;
}

bool row_decode_0001(struct fl_reader *reader, struct row *ret_row, struct fl_err *err)
{
    size_t start = reader->pos;
    uint8_t kind = fl_read_u8(reader);
    struct row row;

    memset(&row, 0, sizeof row);
    if (kind >= ROW_KINDS_LEN || fields_of_0001[kind] == 0) return refuse_kind(start, kind, err);
    if (decode_fields(reader, kind, fields_of_0001[kind], &row) < fields_of_0001[kind] ||
        reader->is_bad) {
        return refuse(start, &row, err);
    }
    *ret_row = row;
    return true;
}

/* ---- print ----------------------------------------------------------------------------------- */

struct printer {
    char *at;
    size_t left;
};

static void print(struct printer *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void print(struct printer *out, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(out->at, out->left, fmt, args);
    va_end(args);
    if (len < 0) return;
    if ((size_t)len >= out->left) len = (int)out->left - 1;
    out->at += len;
    out->left -= (size_t)len;
}

static void print_number(struct printer *out, const char *name, int64_t v)
{
    print(out, " %s=%" PRId64, name, v);
}

/* The beginning of a digest; bytes that are not plain text, or are long, print as their number. */
static void print_bytes(struct printer *out, const struct row_field *field, struct fl_str bytes)
{
    bool is_text = bytes.len <= 40;

    if (field->type == ROW_TYPE_digest) {
        print(out, " %s=", field->name);
        for (size_t i = 0; i < 4; i++) {
            print(out, "%02x", (unsigned char)bytes.at[i]);
        }
        return;
    }
    for (size_t i = 0; i < bytes.len && is_text; i++) {
        is_text = bytes.at[i] >= ' ' && bytes.at[i] <= '~';
    }
    if (!is_text) {
        print(out, " %s=(%zu bytes)", field->name, bytes.len);
    } else if (bytes.len > 0) {
        print(out, " %s=" FL_STR_FMT, field->name, FL_STR_ARG(bytes));
    }
}

void row_print(const struct row *row, char *text, size_t text_bytes)
{
    struct printer out = {text, text_bytes};
    struct row_info info = row_info(row->kind);

    fl_assert(text_bytes > 0);
    print(&out, "%s", row_kind_name(row->kind));
    if (row->kind == ROW_unknown) print_number(&out, "number", row->unknown.number);
    for (size_t i = 0; i < info.len; i++) {
        const struct row_field *field = &info.fields[i];

        if (row_number_bytes(field) > 0) {
            print_number(&out, field->name, row_number(row, field));
        } else if (field->type < ROW_TYPE_COUNT) {
            print_bytes(&out, field, row_bytes(row, field));
        }
    }
    if (row->skipped > 0) print_number(&out, "skipped", row->skipped);
}
