#include "controlplane/http/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "shared/base/assert.h"
#include "shared/json/problem.h"

#define STATUSES(X)                                                                                \
    X(200, "OK")                                                                                   \
    X(201, "Created")                                                                              \
    X(202, "Accepted")                                                                             \
    X(204, "No Content")                                                                           \
    X(206, "Partial Content")                                                                      \
    X(302, "Found")                                                                                \
    X(303, "See Other")                                                                            \
    X(304, "Not Modified")                                                                         \
    X(307, "Temporary Redirect")                                                                   \
    X(308, "Permanent Redirect")                                                                   \
    X(400, "Bad Request")                                                                          \
    X(401, "Unauthorized")                                                                         \
    X(403, "Forbidden")                                                                            \
    X(404, "Not Found")                                                                            \
    X(405, "Method Not Allowed")                                                                   \
    X(406, "Not Acceptable")                                                                       \
    X(408, "Request Timeout")                                                                      \
    X(409, "Conflict")                                                                             \
    X(410, "Gone")                                                                                 \
    X(412, "Precondition Failed")                                                                  \
    X(413, "Content Too Large")                                                                    \
    X(414, "URI Too Long")                                                                         \
    X(415, "Unsupported Media Type")                                                               \
    X(416, "Range Not Satisfiable")                                                                \
    X(417, "Expectation Failed")                                                                   \
    X(421, "Misdirected Request")                                                                  \
    X(422, "Unprocessable Content")                                                                \
    X(423, "Locked")                                                                               \
    X(428, "Precondition Required")                                                                \
    X(429, "Too Many Requests")                                                                    \
    X(431, "Request Header Fields Too Large")                                                      \
    X(500, "Internal Server Error")                                                                \
    X(501, "Not Implemented")                                                                      \
    X(502, "Bad Gateway")                                                                          \
    X(503, "Service Unavailable")                                                                  \
    X(504, "Gateway Timeout")                                                                      \
    X(505, "HTTP Version Not Supported")                                                           \
    X(507, "Insufficient Storage")

const char *http_status_name(unsigned status)
{
    switch (status) {
#define STATUS_NAME(number, name)                                                                  \
    case number:                                                                                   \
        return name;
        STATUSES(STATUS_NAME)
#undef STATUS_NAME
    default:
        return "Unknown";
    }
}

struct fl_str http_date_line(struct http_date *date, fl_ms wall)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    int64_t second = wall / FL_SECOND_MS;
    time_t at = (time_t)second;
    struct tm tm;

    if (date->line_len == 0 || date->second != second) {
        gmtime_r(&at, &tm);
        date->line_len = (size_t)snprintf(
            date->line, sizeof date->line, "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
            days[tm.tm_wday % 7], tm.tm_mday % 100, months[tm.tm_mon % 12],
            (tm.tm_year + 1900) % 10000, tm.tm_hour % 100, tm.tm_min % 100, tm.tm_sec % 100);
        date->second = second;
    }
    return (struct fl_str){date->line, date->line_len};
}

/* Always fits: the limit of an output buffer is far larger than any answer. */
static void put(struct fl_buf *out, struct fl_str s)
{
    bool is_put = fl_buf_put(out, s.at, s.len);

    fl_assert(is_put);
}

static void put_u64(struct fl_buf *out, uint64_t n)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    put(out, (struct fl_str){digits + at, sizeof digits - at});
}

void http_answer_put(struct fl_buf *out, const struct http_answer *answer, struct fl_str date_line)
{
    fl_assert(answer->status >= 200 && answer->status <= 599);
    fl_assert(!answer->has_length || !answer->is_chunked);
    put(out, FL_STR("HTTP/1.1 "));
    put_u64(out, answer->status);
    put(out, FL_STR(" "));
    put(out, fl_str_c(http_status_name(answer->status)));
    put(out, FL_STR("\r\n"));
    put(out, date_line);
    for (size_t i = 0; i < answer->headers_len; i++) {
        const struct fl_http_field *header = &answer->headers[i];

        fl_assert(header->name.len > 0 && fl_http_is_header_value(header->name));
        fl_assert(fl_http_is_header_value(header->value));
        put(out, header->name);
        put(out, FL_STR(": "));
        put(out, header->value);
        put(out, FL_STR("\r\n"));
    }
    if (answer->has_length) {
        put(out, FL_STR("Content-Length: "));
        put_u64(out, answer->length);
        put(out, FL_STR("\r\n"));
    }
    if (answer->is_chunked) put(out, FL_STR("Transfer-Encoding: chunked\r\n"));
    if (answer->closes) put(out, FL_STR("Connection: close\r\n"));
    put(out, FL_STR("\r\n"));
}

/* ---- refusing -------------------------------------------------------------------------------- */

/* As the API's problems have it. */
static enum fl_code code_of(unsigned status)
{
    if (status == 413 || status == 414 || status == 431) return FL_TOO_LARGE;
    if (status == 429) return FL_FULL;
    if (status == 408 || status == 503) return FL_UNAVAILABLE;
    if (status == 415 || status == 417 || status > 500) return FL_UNSUPPORTED;
    return FL_INVALID;
}

void http_refusal_put(struct fl_buf *out, struct fl_http_refusal refusal, const char *trace)
{
    struct fl_json_out json = fl_json_out(out);
    struct fl_problem problem = {refusal.status, http_status_name(refusal.status),
                                 code_of(refusal.status), refusal.why};

    fl_problem_open(&json, &problem);
    fl_json_put_cstr(&json, "traceId", trace);
    fl_json_close(&json, '}');
    fl_buf_put_u8(out, '\n');
}
