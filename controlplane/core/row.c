#include "controlplane/core/row.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/buf.h"

/* A row is its kind in one byte, then its fields in the order of rows.def: numbers of fixed width, bytes
 * behind a var length.  rows.def is read once per verb, each time with other meanings of F and B. */

const char *row_kind_name(enum row_kind kind)
{
    static const char *const names[] = {
#define ROW(name, number, fields) [number] = #name,
#include "controlplane/core/rows.def"
#undef ROW
    };

    fl_assert(kind > 0 && kind < ROW_KINDS_LEN);
    return names[kind];
}

/* --- encoding --- */

static bool put_digest(struct fl_buf *out, struct fl_digest digest)
{
    return fl_buf_put(out, digest.at, sizeof digest.at);
}

#define fl_buf_put_digest put_digest
#define F(type, field) fl_buf_put_##type(out, r->field) &&
#define B(field, max) fl_buf_put_bytes(out, r->field.at, r->field.len) &&
#define ROW(name, number, fields)                                                                  \
    static bool encode_##name(struct fl_buf *out, const struct row_##name *r)                      \
    {                                                                                              \
        return fields true;                                                                        \
    }
#include "controlplane/core/rows.def"
#undef ROW
#undef F
#undef B

bool row_encode(struct fl_buf *out, const struct row *row)
{
    if (!fl_buf_put_u8(out, (uint8_t)row->kind)) return false;
    switch (row->kind) {
#define ROW(name, number, fields)                                                                  \
    case ROW_##name:                                                                               \
        return encode_##name(out, &row->name);
#include "controlplane/core/rows.def"
#undef ROW
    case ROW_KINDS_LEN:
        break;
    }
    fl_unreachable("a row has one of the kinds of rows.def");
}

/* --- decoding --- */

static struct fl_digest read_digest(struct fl_reader *reader)
{
    struct fl_digest digest = {0};
    struct fl_str raw = fl_read_raw(reader, sizeof digest.at);

    if (raw.len == sizeof digest.at) memcpy(digest.at, raw.at, sizeof digest.at);
    return digest;
}

#define fl_read_digest read_digest
#define F(type, field) r->field = fl_read_##type(reader);
#define B(field, max) r->field = fl_read_bytes(reader, (max));
#define ROW(name, number, fields)                                                                  \
    static void decode_##name(struct fl_reader *reader, struct row_##name *r)                      \
    {                                                                                              \
        fields                                                                                     \
    }
#include "controlplane/core/rows.def"
#undef ROW
#undef F
#undef B

bool row_decode(struct fl_reader *reader, struct row *ret_row, struct fl_err *err)
{
    size_t start = reader->pos;
    uint8_t kind = fl_read_u8(reader);
    struct row row;

    memset(&row, 0, sizeof row);
    switch (kind) {
#define ROW(name, number, fields)                                                                  \
    case ROW_##name:                                                                               \
        row.kind = ROW_##name;                                                                     \
        decode_##name(reader, &row.name);                                                          \
        break;
#include "controlplane/core/rows.def"
#undef ROW
    default:
        return fl_fail(err, FL_TORN, "byte %zu: no kind of row has the number %u", start, kind);
    }
    if (reader->is_bad) {
        return fl_fail(err, FL_TORN, "byte %zu: the row %s is cut or passes a limit", start,
                       row_kind_name(row.kind));
    }
    *ret_row = row;
    return true;
}

/* --- print --- */

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

/* Bytes that are no plain text are told by their number alone. */
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

#define PRINT_u8(field) print_number(out, #field, r->field)
#define PRINT_u16(field) print_number(out, #field, r->field)
#define PRINT_u32(field) print_number(out, #field, r->field)
#define PRINT_u64(field) print_number(out, #field, (int64_t)r->field)
#define PRINT_i32(field) print_number(out, #field, r->field)
#define PRINT_i64(field) print_number(out, #field, r->field)
#define PRINT_digest(field) print_digest(out, #field, r->field)
#define F(type, field) PRINT_##type(field);
#define B(field, max) print_bytes(out, #field, r->field);
#define ROW(name, number, fields)                                                                  \
    static void print_##name(struct printer *out, const struct row_##name *r)                      \
    {                                                                                              \
        fields                                                                                     \
    }
#include "controlplane/core/rows.def"
#undef ROW
#undef F
#undef B

void row_print(const struct row *row, char *out, size_t out_bytes)
{
    struct printer printer = {out, out_bytes};

    fl_assert(out_bytes > 0);
    print(&printer, "%s", row_kind_name(row->kind));
    switch (row->kind) {
#define ROW(name, number, fields)                                                                  \
    case ROW_##name:                                                                               \
        print_##name(&printer, &row->name);                                                        \
        break;
#include "controlplane/core/rows.def"
#undef ROW
    case ROW_KINDS_LEN:
        fl_unreachable("a row has one of the kinds of rows.def");
    }
}
