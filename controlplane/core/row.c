#include "controlplane/core/row.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/core/core_event.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

/* A row is its kind in one byte, the length of what follows as a var, then its fields in the
 * order of rows.def: numbers of fixed width, bytes behind a var length.  rows.def is read once
 * per verb, each time with other meanings of F and B. */

const enum row_kind row_kinds[] = {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) ROW_##name,
#include "controlplane/core/rows.def"
};
const size_t row_kinds_len = sizeof row_kinds / sizeof *row_kinds;

const char *row_kind_name(enum row_kind kind)
{
    static const char *const names[ROW_KINDS_LEN] = {
        [ROW_unknown] = "unknown",
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) [number] = #name,
#include "controlplane/core/rows.def"
    };

    fl_assert(kind < ROW_KINDS_LEN && names[kind]);
    return names[kind];
}

#define JOB_job(name) return r->name;
#define JOB_u8(name)
#define JOB_flag(name)
#define JOB_u16(name)
#define JOB_code(name)
#define JOB_u32(name)
#define JOB_u64(name)
#define JOB_some_u64(name)
#define JOB_i32(name)
#define JOB_i64(name)
#define JOB_digest(name)

uint64_t row_job(const struct row *row)
{
    switch (row->kind) {
#define F(type, name) JOB_##type(name)
#define B(type, name, max)
#define ROW ROW_CASE
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    return 0;
}

/* ---- encoding -------------------------------------------------------------------------------- */

#define WIRE_job u64
#define WIRE_u8 u8
#define WIRE_flag u8
#define WIRE_u16 u16
#define WIRE_code u16
#define WIRE_u32 u32
#define WIRE_u64 u64
#define WIRE_some_u64 u64
#define WIRE_i32 i32
#define WIRE_i64 i64
#define WIRE_digest digest
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

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

/* Little endian; a compiler makes one store of it. */
static uint8_t *put_number(uint8_t *at, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(v >> (8 * i));
    }
    return at + bytes;
}

#define put_u8(at, v) put_number(at, (v), 1)
#define put_u16(at, v) put_number(at, (v), 2)
#define put_u32(at, v) put_number(at, (v), 4)
#define put_u64(at, v) put_number(at, (v), 8)
#define put_i32(at, v) put_u32(at, (uint32_t)(v))
#define put_i64(at, v) put_u64(at, (uint64_t)(v))
#define put_digest(at_, v) put_raw(at_, (v).at, sizeof(v).at)

#define F(type, name) +sizeof(r->name)
#define B(type, name, max) +var_len(r->name.len) + r->name.len
#define ROW(name, number, fold, table, fields)                                                     \
    static size_t len_##name(const struct row_##name *r)                                           \
    {                                                                                              \
        return 0 fields;                                                                           \
    }
#include "controlplane/core/rows.def"

/* A row is of known length before its first byte is written: one look for room. */
#define F(type, name) at = JOIN(put_, WIRE_##type)(at, r->name);
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

static struct fl_digest read_digest(struct fl_reader *reader)
{
    struct fl_digest digest = {0};
    struct fl_str raw = fl_read_raw(reader, sizeof digest.at);

    if (raw.len == sizeof digest.at) memcpy(digest.at, raw.at, sizeof digest.at);
    return digest;
}

/* Up to 'fields_max' fields, as many as the reader has; how many that is. */
#define fl_read_digest read_digest
#define HAS_FIELD (len < fields_max && reader->pos < reader->len && ++len)
#define F(type, name)                                                                              \
    if (HAS_FIELD) r->name = JOIN(fl_read_, WIRE_##type)(reader);
#define B(type, name, max)                                                                         \
    if (HAS_FIELD) r->name = fl_read_bytes(reader, (max));
#define ROW(name, number, fold, table, fields)                                                     \
    static unsigned decode_##name(struct fl_reader *reader, unsigned fields_max,                   \
                                  struct row_##name *r)                                            \
    {                                                                                              \
        unsigned len = 0;                                                                          \
        fields return len;                                                                         \
    }
#include "controlplane/core/rows.def"

/* The fields of a row of this kind; how many there were.  A kind that is not known leaves
 * ROW_unknown. */
static unsigned decode_fields(struct fl_reader *reader, uint8_t kind, unsigned fields_max,
                              struct row *row)
{
    switch (kind) {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields)                                                     \
    case ROW_##name:                                                                               \
        row->kind = ROW_##name;                                                                    \
        return decode_##name(reader, fields_max, &row->name);
#include "controlplane/core/rows.def"
    default:
        row->kind = ROW_unknown;
        row->unknown.number = kind;
        return 0;
    }
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

bool row_decode(struct fl_reader *reader, struct row *ret_row, struct fl_err *err)
{
    size_t start = reader->pos;
    uint8_t kind = fl_read_u8(reader);
    uint64_t bytes = fl_read_var(reader);
    struct fl_reader fields;
    struct row row;
    unsigned len;

    memset(&row, 0, sizeof row);
    if (kind == 0) return refuse_kind(start, kind, err);
    if (reader->is_bad || bytes > reader->len - reader->pos || bytes > UINT32_MAX) {
        return fl_fail(err, FL_TORN, "byte %zu: the row is cut", start);
    }
    fields = fl_reader(reader->at + reader->pos, bytes);
    reader->pos += bytes;
    len = decode_fields(&fields, kind, UINT_MAX, &row);
    if (fields.is_bad || (kind < ROW_KINDS_LEN && len < fields_of_0001[kind])) {
        return refuse(start, &row, err);
    }
    row.skipped = (uint32_t)(bytes - fields.pos);
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

static void print_digest(struct printer *out, const char *name, struct fl_digest digest)
{
    print(out, " %s=%02x%02x%02x%02x", name, digest.at[0], digest.at[1], digest.at[2],
          digest.at[3]);
}

/* Bytes that are not plain text print as their number. */
static void print_bytes(struct printer *out, const char *name, struct fl_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.at[i] >= ' ' && bytes.at[i] <= '~') continue;
        print(out, " %s=(%zu bytes)", name, bytes.len);
        return;
    }
    if (bytes.len > 40) {
        print(out, " %s=(%zu bytes)", name, bytes.len);
    } else if (bytes.len > 0) {
        print(out, " %s=" FL_STR_FMT, name, FL_STR_ARG(bytes));
    }
}

static void print_number(struct printer *out, const char *name, int64_t v)
{
    print(out, " %s=%" PRId64, name, v);
}

#define PRINT_job(name) print_number(&out, #name, (int64_t)r->name)
#define PRINT_u8(name) print_number(&out, #name, r->name)
#define PRINT_flag PRINT_u8
#define PRINT_u16 PRINT_u8
#define PRINT_code PRINT_u8
#define PRINT_u32 PRINT_u8
#define PRINT_u64 PRINT_job
#define PRINT_some_u64 PRINT_job
#define PRINT_i32 PRINT_u8
#define PRINT_i64 PRINT_u8
#define PRINT_digest(name) print_digest(&out, #name, r->name)

void row_print(const struct row *row, char *text, size_t text_bytes)
{
    struct printer out = {text, text_bytes};

    fl_assert(text_bytes > 0);
    print(&out, "%s", row_kind_name(row->kind));
    switch (row->kind) {
#define F(type, name) PRINT_##type(name);
#define B(type, name, max) print_bytes(&out, #name, r->name);
#define ROW(name_, number, fold, table, fields)                                                    \
    case ROW_##name_: {                                                                            \
        const struct row_##name_ *r = &row->name_;                                                 \
        fields                                                                                     \
    } break;
#include "controlplane/core/rows.def"
    case ROW_unknown:
        print_number(&out, "number", row->unknown.number);
        break;
    }
    if (row->skipped > 0) print_number(&out, "skipped", row->skipped);
}
