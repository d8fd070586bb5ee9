#include "shared/wire/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"
#include "shared/base/job_name.h"

/* ---- the tables ------------------------------------------------------------------------------ */

/* Each message's table has a scope of its own, where 'here' is the message's struct: so FIELD can
 * take the field's offset although it does not know its message. */
const struct fl_msg_info *fl_msg_info(uint32_t number)
{
    switch (number) {
#define FIELD(kind, name) {#name, FL_FIELD_##kind, 0, offsetof(here, name), false},
#define FIELD_MAX(kind, name, max) {#name, FL_FIELD_##kind, max, offsetof(here, name), false},
#define FIELD_LATE(kind, name, max) {#name, FL_FIELD_##kind, max, offsetof(here, name), true},
#define FL_MESSAGE(name_, number_, direction, fields_)                                             \
    case number_: {                                                                                \
        typedef struct fl_msg_##name_ here;                                                        \
        static const struct fl_msg_field fields[] = {fields_};                                     \
        static const struct fl_msg_info info = {#name_, FL_MSG_##name_, FL_##direction, fields,    \
                                                sizeof fields / sizeof *fields};                   \
        _Static_assert((number_) > 0 && (number_) <= UINT16_MAX, "no number for the wire");        \
        return &info;                                                                              \
    }
#include "shared/wire/messages.def"
#undef FL_MESSAGE
#undef FIELD
#undef FIELD_MAX
#undef FIELD_LATE
    default:
        return NULL;
    }
}

const struct fl_msg_info *fl_msg_info_at(size_t i)
{
    static const uint16_t numbers[] = {
#define FL_MESSAGE(name, number, direction, fields) number,
#include "shared/wire/messages.def"
#undef FL_MESSAGE
    };

    return i < sizeof numbers / sizeof *numbers ? fl_msg_info(numbers[i]) : NULL;
}

FL_ENUM_NAMES(fl_field_kind_name, enum fl_field_kind, FL_FIELD_KINDS(FL_NAME))

const char *fl_field_kind_encoding(enum fl_field_kind kind)
{
    static const char *const encodings[] = {
#define FL_FIELD_ENCODING(kind, type, encoding) encoding,
        FL_FIELD_KINDS(FL_FIELD_ENCODING)
#undef FL_FIELD_ENCODING
    };

    fl_assert(kind < FL_FIELD_KINDS_LEN);
    return encodings[kind];
}

/* The struct of any kind: the union's members share one address. */
static const void *field_of(const struct fl_msg *msg, const struct fl_msg_field *field)
{
    return (const uint8_t *)&msg->welcome + field->offset;
}

static void *field_to_fill(struct fl_msg *msg, const struct fl_msg_field *field)
{
    return (uint8_t *)&msg->welcome + field->offset;
}

static size_t var_bytes(uint64_t v)
{
    size_t len = 1;

    for (; v > 127; v >>= 7) {
        len++;
    }
    return len;
}

/* Bytes of a field on the wire; a variable one has 'n' bytes or numbers in it. */
static size_t field_bytes(const struct fl_msg_field *field, size_t n)
{
    switch (field->kind) {
    case FL_FIELD_u8:
    case FL_FIELD_bool:
    case FL_FIELD_state:
        return 1;
    case FL_FIELD_u16:
        return 2;
    case FL_FIELD_u32:
    case FL_FIELD_i32:
        return 4;
    case FL_FIELD_u64:
    case FL_FIELD_i64:
        return 8;
    case FL_FIELD_attempt:
        return 18;
    case FL_FIELD_digest:
        return 32;
    case FL_FIELD_resources:
        return 16;
    case FL_FIELD_str:
    case FL_FIELD_bytes:
        return var_bytes(n) + n;
    case FL_FIELD_u32s:
        return var_bytes(n) + 4 * n;
    case FL_FIELD_KINDS_LEN:
        break;
    }
    fl_unreachable("every kind of field is above");
}

/* How many bytes or numbers a variable field holds now. */
static size_t field_n(const struct fl_msg_field *field, const void *at)
{
    switch (field->kind) {
    case FL_FIELD_str:
    case FL_FIELD_bytes:
        return ((const struct fl_str *)at)->len;
    case FL_FIELD_u32s:
        return ((const struct fl_u32s *)at)->len;
    default:
        return 0;
    }
}

/* So many fields go over the wire: late ones are left out from the end on while they are empty. */
static size_t fields_told(const struct fl_msg *msg, const struct fl_msg_info *info)
{
    size_t len = info->fields_len;

    while (len > 0 && info->fields[len - 1].is_late &&
           field_n(&info->fields[len - 1], field_of(msg, &info->fields[len - 1])) == 0) {
        len--;
    }
    return len;
}

size_t fl_msg_bytes_max(const struct fl_msg_info *info)
{
    size_t body = 0;

    for (size_t i = 0; i < info->fields_len; i++) {
        body += field_bytes(&info->fields[i], info->fields[i].max);
    }
    return 2 + var_bytes(body) + body;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool check_field(const struct fl_msg_field *field, const void *at, struct fl_err *err)
{
    size_t n = field_n(field, at);

    if (field->max && n > field->max) {
        return fl_fail(err, FL_TOO_LARGE, "%zu %s; at most %" PRIu32 " are allowed", n,
                       field->kind == FL_FIELD_u32s ? "numbers" : "bytes", field->max);
    }
    switch (field->kind) {
    case FL_FIELD_state: {
        enum fl_replica_state state = *(const enum fl_replica_state *)at;

        if (state < FL_REPLICA_STATES_LEN) return true;
        return fl_fail(err, FL_INVALID, "%u is no replica state", (unsigned)state);
    }
    case FL_FIELD_attempt: {
        const struct fl_attempt *attempt = at;

        if (attempt->job.n && attempt->n) return true;
        return fl_fail(err, FL_INVALID, "an attempt has a job and a number, not 0");
    }
    case FL_FIELD_str:
        if (fl_str_is_text(*(const struct fl_str *)at)) return true;
        return fl_fail(err, FL_INVALID, "is not UTF-8 text without zero bytes");
    default:
        return true;
    }
}

bool fl_msg_check(const struct fl_msg *msg, struct fl_err *err)
{
    const struct fl_msg_info *info = fl_msg_info(msg->kind);

    if (!info) return fl_fail(err, FL_INVALID, "%u is no kind of message", (unsigned)msg->kind);
    for (size_t i = 0; i < info->fields_len; i++) {
        const struct fl_msg_field *field = &info->fields[i];

        if (check_field(field, field_of(msg, field), err)) continue;
        return fl_err_wrap(err, "message %s: field %s", info->name, field->name);
    }
    return true;
}

/* ---- encoding -------------------------------------------------------------------------------- */

/* One look at out->is_over at the end tells whether all of it fitted. */
static void encode_field(struct fl_buf *out, const struct fl_msg_field *field, const void *at)
{
    switch (field->kind) {
    case FL_FIELD_u8:
        fl_buf_put_u8(out, *(const uint8_t *)at);
        return;
    case FL_FIELD_u16:
        fl_buf_put_u16(out, *(const uint16_t *)at);
        return;
    case FL_FIELD_u32:
        fl_buf_put_u32(out, *(const uint32_t *)at);
        return;
    case FL_FIELD_u64:
        fl_buf_put_u64(out, *(const uint64_t *)at);
        return;
    case FL_FIELD_i32:
        fl_buf_put_i32(out, *(const int32_t *)at);
        return;
    case FL_FIELD_i64:
        fl_buf_put_i64(out, *(const int64_t *)at);
        return;
    case FL_FIELD_bool:
        fl_buf_put_u8(out, *(const bool *)at);
        return;
    case FL_FIELD_state:
        fl_buf_put_u8(out, (uint8_t) * (const enum fl_replica_state *)at);
        return;
    case FL_FIELD_attempt: {
        const struct fl_attempt *attempt = at;

        fl_buf_put_u64(out, attempt->job.n);
        fl_buf_put_u32(out, attempt->element);
        fl_buf_put_u16(out, attempt->n);
        fl_buf_put_u32(out, attempt->incarnation);
        return;
    }
    case FL_FIELD_digest:
        fl_buf_put(out, ((const struct fl_digest *)at)->at, sizeof(struct fl_digest));
        return;
    case FL_FIELD_resources: {
        const struct fl_resources *resources = at;

        fl_buf_put_u64(out, resources->memory_bytes);
        fl_buf_put_u32(out, resources->cpu_milli);
        fl_buf_put_u32(out, resources->gpus);
        return;
    }
    case FL_FIELD_str:
    case FL_FIELD_bytes:
        fl_buf_put_str(out, *(const struct fl_str *)at);
        return;
    case FL_FIELD_u32s: {
        const struct fl_u32s *list = at;

        fl_buf_put_var(out, list->len);
        for (size_t i = 0; i < list->len; i++) {
            fl_buf_put_u32(out, list->at[i]);
        }
        return;
    }
    case FL_FIELD_KINDS_LEN:
        break;
    }
    fl_unreachable("every kind of field is above");
}

bool fl_msg_encode(struct fl_buf *out, const struct fl_msg *msg)
{
    const struct fl_msg_info *info = fl_msg_info(msg->kind);
    size_t start = out->len;
    size_t body = 0, told;

    fl_assert(fl_msg_check(msg, NULL));
    told = fields_told(msg, info);
    for (size_t i = 0; i < told; i++) {
        const struct fl_msg_field *field = &info->fields[i];

        body += field_bytes(field, field_n(field, field_of(msg, field)));
    }
    fl_buf_put_u16(out, (uint16_t)info->kind);
    fl_buf_put_var(out, body);
    for (size_t i = 0; i < told; i++) {
        encode_field(out, &info->fields[i], field_of(msg, &info->fields[i]));
    }
    if (out->is_over) {
        fl_buf_truncate(out, start);
        return false;
    }
    fl_assert(out->len == start + 2 + var_bytes(body) + body);
    return true;
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* Reads one field.  A passed bound is an error with a text; a cut end only sets reader->is_bad. */
static bool decode_field(struct fl_reader *reader, const struct fl_msg_field *field,
                         struct fl_arena *arena, void *at, struct fl_err *err)
{
    switch (field->kind) {
    case FL_FIELD_u8:
        *(uint8_t *)at = fl_read_u8(reader);
        return true;
    case FL_FIELD_u16:
        *(uint16_t *)at = fl_read_u16(reader);
        return true;
    case FL_FIELD_u32:
        *(uint32_t *)at = fl_read_u32(reader);
        return true;
    case FL_FIELD_u64:
        *(uint64_t *)at = fl_read_u64(reader);
        return true;
    case FL_FIELD_i32:
        *(int32_t *)at = fl_read_i32(reader);
        return true;
    case FL_FIELD_i64:
        *(int64_t *)at = fl_read_i64(reader);
        return true;
    case FL_FIELD_bool: {
        uint8_t v = fl_read_u8(reader);

        if (v > 1) return fl_fail(err, FL_INVALID, "%u is neither 0 nor 1", v);
        *(bool *)at = v;
        return true;
    }
    case FL_FIELD_state:
        *(enum fl_replica_state *)at = (enum fl_replica_state)fl_read_u8(reader);
        return true;
    case FL_FIELD_attempt: {
        struct fl_attempt *attempt = at;

        attempt->job.n = fl_read_u64(reader);
        attempt->element = fl_read_u32(reader);
        attempt->n = fl_read_u16(reader);
        attempt->incarnation = fl_read_u32(reader);
        return true;
    }
    case FL_FIELD_digest: {
        struct fl_str raw = fl_read_raw(reader, sizeof(struct fl_digest));

        if (raw.len) memcpy(((struct fl_digest *)at)->at, raw.at, raw.len);
        return true;
    }
    case FL_FIELD_resources: {
        struct fl_resources *resources = at;

        resources->memory_bytes = fl_read_u64(reader);
        resources->cpu_milli = fl_read_u32(reader);
        resources->gpus = fl_read_u32(reader);
        return true;
    }
    case FL_FIELD_str:
    case FL_FIELD_bytes:
    case FL_FIELD_u32s: {
        uint64_t n = fl_read_var(reader);
        uint32_t *numbers;

        if (n > field->max) { /* before anything is allocated or added up */
            return fl_fail(err, FL_TOO_LARGE, "%" PRIu64 " %s; at most %" PRIu32 " are allowed", n,
                           field->kind == FL_FIELD_u32s ? "numbers" : "bytes", field->max);
        }
        if (field->kind != FL_FIELD_u32s) {
            *(struct fl_str *)at = fl_read_raw(reader, (size_t)n);
            return true;
        }
        if (4 * n > reader->len - reader->pos) reader->is_bad = true;
        if (reader->is_bad || n == 0) return true;
        numbers = fl_arena_array(arena, uint32_t, (size_t)n);
        for (size_t i = 0; i < n; i++) {
            numbers[i] = fl_read_u32(reader);
        }
        *(struct fl_u32s *)at = (struct fl_u32s){numbers, (size_t)n};
        return true;
    }
    case FL_FIELD_KINDS_LEN:
        break;
    }
    fl_unreachable("every kind of field is above");
}

static bool decode_body(struct fl_str body, const struct fl_msg_info *info, struct fl_arena *arena,
                        struct fl_msg *ret_msg, struct fl_err *err)
{
    struct fl_msg msg = {.kind = info->kind};
    struct fl_reader reader = fl_reader(body.at, body.len);
    size_t told = 0;

    for (; told < info->fields_len; told++) {
        const struct fl_msg_field *field = &info->fields[told];
        void *at = field_to_fill(&msg, field);
        bool is_fine;

        if (field->is_late && reader.pos == reader.len) break;
        is_fine = decode_field(&reader, field, arena, at, err);
        if (reader.is_bad) is_fine = fl_fail(err, FL_INVALID, "is cut short or oddly encoded");
        if (is_fine && check_field(field, at, err)) continue;
        return fl_err_wrap(err, "message %s: field %s", info->name, field->name);
    }
    if (!fl_reader_is_done(&reader)) {
        return fl_fail(err, FL_INVALID, "message %s: %zu bytes behind the last field", info->name,
                       reader.len - reader.pos);
    }
    if (fields_told(&msg, info) != told) {
        return fl_fail(err, FL_INVALID, "message %s: field %s is empty, and yet it is there",
                       info->name, info->fields[told - 1].name);
    }
    *ret_msg = msg;
    return true;
}

bool fl_msg_decode(struct fl_reader *reader, enum fl_direction to, struct fl_arena *arena,
                   struct fl_msg *ret_msg, struct fl_err *err)
{
    size_t start = reader->pos;
    uint16_t number = fl_read_u16(reader);
    struct fl_str body = fl_read_bytes(reader, reader->len);
    const struct fl_msg_info *info = fl_msg_info(number);

    if (reader->is_bad) {
        return fl_fail(err, FL_INVALID,
                       "message %s at byte %zu: its length is cut short, oddly encoded, "
                       "or beyond the frame",
                       info ? info->name : "?", start);
    }
    if (!info) {
        return fl_fail(err, FL_UNSUPPORTED, "message number %u is not known to this version",
                       number);
    }
    if (!(info->to & to)) {
        reader->is_bad = true;
        return fl_fail(err, FL_INVALID, "message %s does not go %s", info->name,
                       to == FL_TO_AGENT ? "to an agent" : "to the control plane");
    }
    if (decode_body(body, info, arena, ret_msg, err)) return true;
    reader->is_bad = true;
    return false;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct text {
    char *at;
    size_t len;
    bool is_cut;
};

static void FL_PRINTF(2, 3) add(struct text *text, const char *fmt, ...)
{
    static const char more[] = "...";
    size_t left = FL_MSG_TEXT_MAX - text->len;
    va_list args;
    int len;

    if (text->is_cut) return;
    va_start(args, fmt);
    len = vsnprintf(text->at + text->len, left, fmt, args);
    va_end(args);
    fl_assert(len >= 0);
    if ((size_t)len < left) {
        text->len += (size_t)len;
        return;
    }
    memcpy(text->at + FL_MSG_TEXT_MAX - sizeof more, more, sizeof more);
    text->is_cut = true;
}

/* Printable ASCII stays, the rest is escaped: any input becomes one line of a trace. */
static void add_string(struct text *text, struct fl_str s)
{
    add(text, "\"");
    for (size_t i = 0; i < s.len && !text->is_cut; i++) {
        uint8_t c = (uint8_t)s.at[i];

        if (c == '"' || c == '\\') {
            add(text, "\\%c", c);
        } else if (c >= 0x20 && c < 0x7f) {
            add(text, "%c", c);
        } else {
            add(text, "\\x%02x", c);
        }
    }
    add(text, "\"");
}

static void add_field(struct text *text, const struct fl_msg_field *field, const void *at)
{
    switch (field->kind) {
    case FL_FIELD_u8:
        add(text, "%u", *(const uint8_t *)at);
        return;
    case FL_FIELD_u16:
        add(text, "%u", *(const uint16_t *)at);
        return;
    case FL_FIELD_u32:
        add(text, "%" PRIu32, *(const uint32_t *)at);
        return;
    case FL_FIELD_u64:
        add(text, "%" PRIu64, *(const uint64_t *)at);
        return;
    case FL_FIELD_i32:
        add(text, "%" PRId32, *(const int32_t *)at);
        return;
    case FL_FIELD_i64:
        add(text, "%" PRId64, *(const int64_t *)at);
        return;
    case FL_FIELD_bool:
        add(text, "%s", *(const bool *)at ? "yes" : "no");
        return;
    case FL_FIELD_state: {
        enum fl_replica_state state = *(const enum fl_replica_state *)at;

        add(text, "%s", state < FL_REPLICA_STATES_LEN ? fl_replica_state_name(state) : "?");
        return;
    }
    case FL_FIELD_attempt: {
        const struct fl_attempt *attempt = at;
        char name[FL_JOB_NAME_MAX];

        fl_job_name(attempt->job, name);
        add(text, "%s/%" PRIu32 "#%u@%" PRIu32, name, attempt->element, attempt->n,
            attempt->incarnation);
        return;
    }
    case FL_FIELD_digest:
        for (size_t i = 0; i < 6; i++) { /* enough to tell one from another */
            add(text, "%02x", ((const struct fl_digest *)at)->at[i]);
        }
        return;
    case FL_FIELD_resources: {
        const struct fl_resources *resources = at;

        add(text, "%" PRIu32 "m,%" PRIu64 "B,%" PRIu32 "gpu", resources->cpu_milli,
            resources->memory_bytes, resources->gpus);
        return;
    }
    case FL_FIELD_str:
    case FL_FIELD_bytes:
        add_string(text, *(const struct fl_str *)at);
        return;
    case FL_FIELD_u32s: {
        const struct fl_u32s *list = at;

        add(text, "[");
        for (size_t i = 0; i < list->len && !text->is_cut; i++) {
            add(text, "%s%" PRIu32, i ? "," : "", list->at[i]);
        }
        add(text, "]");
        return;
    }
    case FL_FIELD_KINDS_LEN:
        break;
    }
    fl_unreachable("every kind of field is above");
}

void fl_msg_print(const struct fl_msg *msg, char ret_text[FL_MSG_TEXT_MAX])
{
    const struct fl_msg_info *info = fl_msg_info(msg->kind);
    struct text text = {.at = ret_text};

    if (!info) {
        add(&text, "message %u?", (unsigned)msg->kind);
        return;
    }
    add(&text, "%s", info->name);
    for (size_t i = 0; i < info->fields_len; i++) {
        add(&text, " %s=", info->fields[i].name);
        add_field(&text, &info->fields[i], field_of(msg, &info->fields[i]));
    }
}
