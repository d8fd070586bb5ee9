#include "shared/wire/http_head.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"

/* ---- characters ------------------------------------------------------------------------------ */

enum {
    IS_TOKEN = 1,  /* names of methods and headers */
    IS_TARGET = 2, /* path and query: RFC 3986, and nothing beside it */
    IS_VALUE = 4,  /* header values */
    IS_HOST = 8,   /* name or address and port */
    IS_HEX = 16,
};

#define ALNUM (IS_TOKEN | IS_TARGET | IS_VALUE | IS_HOST)

/* clang-format off */
static const uint8_t kinds[256] = {
    ['\t'] = IS_VALUE, [' '] = IS_VALUE,
    ['0' ... '9'] = ALNUM | IS_HEX,
    ['A' ... 'F'] = ALNUM | IS_HEX, ['G' ... 'Z'] = ALNUM,
    ['a' ... 'f'] = ALNUM | IS_HEX, ['g' ... 'z'] = ALNUM,
    ['-'] = ALNUM, ['.'] = ALNUM, ['_'] = ALNUM, ['~'] = ALNUM,
    ['!'] = ALNUM, ['$'] = ALNUM, ['&'] = ALNUM, ['\''] = ALNUM,
    ['*'] = ALNUM, ['+'] = ALNUM, ['%'] = ALNUM,
    ['#'] = IS_TOKEN | IS_VALUE, ['^'] = IS_TOKEN | IS_VALUE,
    ['`'] = IS_TOKEN | IS_VALUE, ['|'] = IS_TOKEN | IS_VALUE,
    ['('] = IS_TARGET | IS_VALUE | IS_HOST, [')'] = IS_TARGET | IS_VALUE | IS_HOST,
    [','] = IS_TARGET | IS_VALUE | IS_HOST, [';'] = IS_TARGET | IS_VALUE | IS_HOST,
    ['='] = IS_TARGET | IS_VALUE | IS_HOST, [':'] = IS_TARGET | IS_VALUE | IS_HOST,
    ['@'] = IS_TARGET | IS_VALUE, ['/'] = IS_TARGET | IS_VALUE, ['?'] = IS_TARGET | IS_VALUE,
    ['['] = IS_VALUE | IS_HOST, [']'] = IS_VALUE | IS_HOST,
    ['"'] = IS_VALUE, ['<'] = IS_VALUE, ['>'] = IS_VALUE, ['\\'] = IS_VALUE,
    ['{'] = IS_VALUE, ['}'] = IS_VALUE,
    [0x80 ... 0xff] = IS_VALUE,
};
/* clang-format on */

static bool is_kind(char c, unsigned kind)
{
    return kinds[(uint8_t)c] & kind;
}

static bool are_kind(struct fl_str s, unsigned kind)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!is_kind(s.at[i], kind)) return false;
    }
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* 'low' is in lower case. */
static bool is_same(struct fl_str s, struct fl_str low)
{
    if (s.len != low.len) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (lower(s.at[i]) != low.at[i]) return false;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct fl_str trim(struct fl_str s)
{
    while (s.len && is_blank(s.at[0])) {
        s.at++, s.len--;
    }
    while (s.len && is_blank(s.at[s.len - 1])) {
        s.len--;
    }
    return s;
}

static bool refuse(struct fl_http_refusal *ret_refusal, unsigned status, const char *why)
{
    *ret_refusal = (struct fl_http_refusal){status, why};
    return false;
}

FL_ENUM_NAMES(fl_http_method_name, enum fl_http_method, FL_HTTP_METHODS(FL_NAME))

/* ---- the first line -------------------------------------------------------------------------- */

struct first {
    struct fl_str method, target, version;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "GET /path HTTP/1.1" by its form alone. */
static bool split_first(struct fl_str line, struct first *ret_first,
                        struct fl_http_refusal *ret_refusal)
{
    const char *space = memchr(line.at, ' ', line.len);
    struct first first;

    if (!space) return refuse(ret_refusal, 400, "the first line is no request");
    first.method = (struct fl_str){line.at, (size_t)(space - line.at)};
    first.target = (struct fl_str){space + 1, line.len - first.method.len - 1};
    space = memchr(first.target.at, ' ', first.target.len);
    if (!space) return refuse(ret_refusal, 400, "the first line has no version");
    first.version =
        (struct fl_str){space + 1, first.target.len - (size_t)(space - first.target.at) - 1};
    first.target.len = (size_t)(space - first.target.at);
    if (first.version.len != 8 || memcmp(first.version.at, "HTTP/", 5) != 0 ||
        first.version.at[6] != '.' || !is_digit(first.version.at[5]) ||
        !is_digit(first.version.at[7])) {
        return refuse(ret_refusal, 400, "the first line does not end with a version");
    }
    *ret_first = first;
    return true;
}

/* ---- finding the end ------------------------------------------------------------------------- */

static void refuse_size(size_t lines, struct fl_http_refusal *ret_refusal)
{
    if (lines == 0) {
        refuse(ret_refusal, 414, "the first line is longer than a head may be");
    } else {
        refuse(ret_refusal, 431, "the head is too long");
    }
}

enum fl_http_answer fl_http_head_scan(struct fl_http_head_scan *scan, struct fl_str bytes,
                                      const struct fl_http_head_limits *limits,
                                      size_t *ret_head_bytes, struct fl_http_refusal *ret_refusal)
{
    fl_assert(bytes.len >= scan->seen_bytes);
    while (scan->seen_bytes < bytes.len) {
        const char *from = bytes.at + scan->seen_bytes;
        const char *end = memchr(from, '\n', bytes.len - scan->seen_bytes);
        size_t line_end; /* behind the LF */
        struct first first;

        if (!end) break;
        line_end = (size_t)(end - bytes.at) + 1;
        if (line_end > limits->head_bytes_max) {
            refuse_size(scan->lines, ret_refusal);
            return FL_HTTP_BAD;
        }
        if (line_end - scan->line_at < 2 || end[-1] != '\r') {
            refuse(ret_refusal, 400, "a line ends with a bare LF");
            return FL_HTTP_BAD;
        }
        if (line_end - scan->line_at == 2) {
            if (scan->lines == 0) {
                refuse(ret_refusal, 400, "an empty line where a request begins");
                return FL_HTTP_BAD;
            }
            *ret_head_bytes = line_end;
            return FL_HTTP_READY;
        }
        /* Now, and not once the head is whole: a peer without a version sends no headers. */
        if (scan->lines == 0 &&
            !split_first((struct fl_str){bytes.at, line_end - 2}, &first, ret_refusal)) {
            return FL_HTTP_BAD;
        }
        if (scan->lines > limits->headers_max) {
            refuse(ret_refusal, 431, "too many headers");
            return FL_HTTP_BAD;
        }
        scan->lines++;
        scan->line_at = scan->seen_bytes = line_end;
    }
    scan->seen_bytes = bytes.len;
    if (bytes.len <= limits->head_bytes_max) return FL_HTTP_MORE;
    refuse_size(scan->lines, ret_refusal);
    return FL_HTTP_BAD;
}

/* ---- method and target ----------------------------------------------------------------------- */

static bool has_bad_percent(struct fl_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] != '%') continue;
        if (s.len - i < 3 || !is_kind(s.at[i + 1], IS_HEX) || !is_kind(s.at[i + 2], IS_HEX)) {
            return true;
        }
    }
    return false;
}

static bool find_method(struct fl_str name, enum fl_http_method *ret_method)
{
#define FL_HTTP_METHOD_FIND(method)                                                                \
    if (fl_str_eq(name, FL_STR(#method))) return *ret_method = FL_HTTP_##method, true;
    FL_HTTP_METHODS(FL_HTTP_METHOD_FIND)
#undef FL_HTTP_METHOD_FIND
    return false;
}

static bool parse_target(struct fl_str target, struct fl_http_head *head,
                         struct fl_http_refusal *ret_refusal)
{
    const char *mark;

    if (target.len == 0 || target.at[0] != '/') {
        return refuse(ret_refusal, 400, "the target does not begin with a slash");
    }
    if (!are_kind(target, IS_TARGET)) {
        return refuse(ret_refusal, 400, "the target has a character that must be percent-encoded");
    }
    if (has_bad_percent(target)) {
        return refuse(ret_refusal, 400, "a percent sign without two hexadecimal digits behind it");
    }
    head->path = target;
    head->query = (struct fl_str){0};
    mark = memchr(target.at, '?', target.len);
    if (mark) {
        head->path.len = (size_t)(mark - target.at);
        head->query = (struct fl_str){mark + 1, target.len - head->path.len - 1};
    }
    return true;
}

/* Probes of balancers speak HTTP/1.0 still. */
static bool may_be_old(struct fl_str method, struct fl_str target,
                       const struct fl_http_head_limits *limits)
{
    return limits->old_path.len > 0 && fl_str_eq(method, FL_STR("GET")) &&
           fl_str_eq(target, limits->old_path);
}

static bool parse_first(struct fl_str line, const struct fl_http_head_limits *limits,
                        struct fl_http_head *head, bool *ret_is_old,
                        struct fl_http_refusal *ret_refusal)
{
    struct first first;
    bool is_old;

    if (!split_first(line, &first, ret_refusal)) return false;
    if (first.method.len == 0 || !are_kind(first.method, IS_TOKEN)) {
        return refuse(ret_refusal, 400, "the method is no token");
    }
    if (first.target.len > limits->target_bytes_max) {
        return refuse(ret_refusal, 414, "the target is too long");
    }
    is_old = fl_str_eq(first.version, FL_STR("HTTP/1.0")) &&
             may_be_old(first.method, first.target, limits);
    if (!is_old && !fl_str_eq(first.version, FL_STR("HTTP/1.1"))) {
        return refuse(ret_refusal, 505, "only HTTP/1.1 is spoken here");
    }
    head->wants_close = is_old;
    if (!find_method(first.method, &head->method)) {
        return refuse(ret_refusal, 501, "unknown method");
    }
    *ret_is_old = is_old;
    return parse_target(first.target, head, ret_refusal);
}

/* ---- headers --------------------------------------------------------------------------------- */

static bool parse_field(struct fl_str line, struct fl_http_field *ret_field,
                        struct fl_http_refusal *ret_refusal)
{
    const char *colon = memchr(line.at, ':', line.len);
    struct fl_http_field field;

    if (is_blank(line.at[0])) return refuse(ret_refusal, 400, "a folded line");
    if (!colon) return refuse(ret_refusal, 400, "a header without a colon");
    field.name = (struct fl_str){line.at, (size_t)(colon - line.at)};
    if (field.name.len == 0 || !are_kind(field.name, IS_TOKEN)) {
        return refuse(ret_refusal, 400, "the name of a header is no token");
    }
    field.value = trim((struct fl_str){colon + 1, line.len - field.name.len - 1});
    if (!are_kind(field.value, IS_VALUE)) {
        return refuse(ret_refusal, 400, "a control character in a header");
    }
    *ret_field = field;
    return true;
}

/* The headers that frame the message or change how it is answered. */
struct found {
    bool has_host, has_length, has_coding, has_expect;
    unsigned once; /* a bit for each of the list below */
};

/* Given twice they would mean one thing to us and perhaps another to a gateway before us. */
static const struct {
    struct fl_str name;
    const char *why;
} once[] = {
    {FL_STR("authorization"), "Authorization twice"},
    {FL_STR("content-type"), "Content-Type twice"},
    {FL_STR("fairlead-as"), "Fairlead-As twice"},
    {FL_STR("idempotency-key"), "Idempotency-Key twice"},
    {FL_STR("if-match"), "If-Match twice"},
    {FL_STR("last-event-id"), "Last-Event-ID twice"},
    {FL_STR("range"), "Range twice"},
    {FL_STR("traceparent"), "traceparent twice"},
};

static bool take_once(struct fl_str name, struct found *found, struct fl_http_refusal *ret_refusal)
{
    for (unsigned i = 0; i < sizeof once / sizeof *once; i++) {
        if (name.len != once[i].name.len || !is_same(name, once[i].name)) continue;
        if (found->once & 1u << i) return refuse(ret_refusal, 400, once[i].why);
        found->once |= 1u << i;
        return true;
    }
    return true;
}

static bool take_length(struct fl_str value, struct fl_http_head *head,
                        struct fl_http_refusal *ret_refusal)
{
    if (value.len == 0) return refuse(ret_refusal, 400, "Content-Length is empty");
    head->content_bytes = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9') {
            return refuse(ret_refusal, 400, "Content-Length is no number");
        }
        /* Past 64 bits; fl_http_body_init compares a smaller value with its limit. */
        if (__builtin_mul_overflow(head->content_bytes, 10, &head->content_bytes) ||
            __builtin_add_overflow(head->content_bytes, (uint64_t)(value.at[i] - '0'),
                                   &head->content_bytes)) {
            return refuse(ret_refusal, 413, "Content-Length is over 64 bits");
        }
    }
    return true;
}

static void take_connection(struct fl_str value, struct fl_http_head *head)
{
    while (value.len) {
        const char *comma = memchr(value.at, ',', value.len);
        size_t len = comma ? (size_t)(comma - value.at) : value.len;

        if (is_same(trim((struct fl_str){value.at, len}), FL_STR("close"))) {
            head->wants_close = true;
        }
        if (!comma) return;
        value = (struct fl_str){comma + 1, value.len - len - 1};
    }
}

static bool take_host(struct fl_str value, struct fl_http_head *head,
                      struct fl_http_refusal *ret_refusal)
{
    if (value.len == 0 || !are_kind(value, IS_HOST)) {
        return refuse(ret_refusal, 400, "Host is neither a name nor an address");
    }
    head->host = value;
    return true;
}

/* Reads the few headers that matter here.  The length of the name comes first: most headers of a
 * request are others. */
static bool take_field(const struct fl_http_field *field, struct found *found,
                       struct fl_http_head *head, struct fl_http_refusal *ret_refusal)
{
    struct fl_str name = field->name, value = field->value;

    switch (name.len) {
    case sizeof "host" - 1:
        if (!is_same(name, FL_STR("host"))) return true;
        if (found->has_host) return refuse(ret_refusal, 400, "Host twice");
        found->has_host = true;
        return take_host(value, head, ret_refusal);
    case sizeof "expect" - 1:
        if (!is_same(name, FL_STR("expect"))) return true;
        if (found->has_expect || !is_same(value, FL_STR("100-continue"))) {
            return refuse(ret_refusal, 417, "only 100-continue may be expected");
        }
        found->has_expect = head->expects_continue = true;
        return true;
    case sizeof "connection" - 1:
        if (is_same(name, FL_STR("connection"))) take_connection(value, head);
        return true;
    case sizeof "content-length" - 1:
        if (!is_same(name, FL_STR("content-length"))) return true;
        if (found->has_length) return refuse(ret_refusal, 400, "Content-Length twice");
        found->has_length = true;
        return take_length(value, head, ret_refusal);
    case sizeof "content-encoding" - 1:
        if (!is_same(name, FL_STR("content-encoding"))) return true;
        return refuse(ret_refusal, 415, "a body may not be encoded");
    case sizeof "transfer-encoding" - 1:
        if (!is_same(name, FL_STR("transfer-encoding"))) return true;
        if (found->has_coding) return refuse(ret_refusal, 400, "Transfer-Encoding twice");
        found->has_coding = true;
        if (!fl_str_eq(value, FL_STR("chunked"))) {
            return refuse(ret_refusal, 501, "the only transfer coding here is 'chunked'");
        }
        head->is_chunked = true;
        return true;
    default:
        return true;
    }
}

bool fl_http_head_parse(struct fl_str head, const struct fl_http_head_limits *limits,
                        struct fl_http_field *fields, struct fl_http_head *ret_head,
                        struct fl_http_refusal *ret_refusal)
{
    struct fl_http_head parsed = {.fields = fields};
    struct found found = {0};
    bool is_old = false;
    size_t pos = 0;

    for (size_t lines = 0;; lines++) {
        const char *end = memchr(head.at + pos, '\r', head.len - pos);
        struct fl_str line;

        fl_assert(end); /* the scan saw that each line has one */
        line = (struct fl_str){head.at + pos, (size_t)(end - head.at) - pos};
        pos += line.len + 2;
        if (pos > head.len || end[1] != '\n') {
            return refuse(ret_refusal, 400, "a CR in the middle of a line");
        }
        if (lines == 0) {
            if (!parse_first(line, limits, &parsed, &is_old, ret_refusal)) return false;
            continue;
        }
        if (line.len == 0) break;
        fl_assert(parsed.fields_len < limits->headers_max);
        if (!parse_field(line, &fields[parsed.fields_len], ret_refusal)) return false;
        if (!take_field(&fields[parsed.fields_len], &found, &parsed, ret_refusal) ||
            !take_once(fields[parsed.fields_len++].name, &found, ret_refusal)) {
            return false;
        }
    }
    fl_assert(pos == head.len);
    if (!found.has_host && !is_old) return refuse(ret_refusal, 400, "no Host");
    if (is_old && (found.has_length || found.has_coding || found.has_expect)) {
        return refuse(ret_refusal, 505, "only HTTP/1.1 has a body here");
    }
    if (found.has_length && found.has_coding) {
        return refuse(ret_refusal, 400, "Content-Length beside Transfer-Encoding");
    }
    *ret_head = parsed;
    return true;
}

/* ---- for handlers ---------------------------------------------------------------------------- */

const struct fl_http_field *fl_http_head_find(const struct fl_http_head *head, struct fl_str name)
{
    for (size_t i = 0; i < head->fields_len; i++) {
        if (is_same(head->fields[i].name, name)) return &head->fields[i];
    }
    return NULL;
}

static struct fl_str without_weak(struct fl_str etag)
{
    if (etag.len >= 2 && etag.at[0] == 'W' && etag.at[1] == '/') {
        return (struct fl_str){etag.at + 2, etag.len - 2};
    }
    return etag;
}

bool fl_http_etag_next(struct fl_str *list, struct fl_str *ret_tag)
{
    struct fl_str item = without_weak(trim(*list)), rest;
    const char *quote =
        item.len > 1 && item.at[0] == '"' ? memchr(item.at + 1, '"', item.len - 1) : NULL;

    if (!quote) return false;
    item.len -= (size_t)(quote + 1 - item.at);
    rest = trim((struct fl_str){quote + 1, item.len});
    if (rest.len > 0) {
        if (rest.len == 1 || rest.at[0] != ',') return false;
        rest = trim((struct fl_str){rest.at + 1, rest.len - 1});
    }
    *ret_tag = (struct fl_str){item.at, (size_t)(quote + 1 - item.at)};
    *list = rest;
    return true;
}

bool fl_http_etag_is_listed(struct fl_str list, struct fl_str etag)
{
    struct fl_str item;

    etag = without_weak(etag);
    if (fl_str_eq(trim(list), FL_STR("*"))) return true;
    while (fl_http_etag_next(&list, &item)) {
        if (fl_str_eq(item, etag)) return true;
    }
    return false;
}

bool fl_http_is_header_value(struct fl_str value)
{
    return are_kind(value, IS_VALUE);
}
