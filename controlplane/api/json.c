#include "controlplane/api/json.h"

#include <stdio.h>

#include "shared/base/job_name.h"

struct json json_begin(struct fl_buf *buf)
{
    return (struct json){.out = fl_json_out(buf)};
}

static struct fl_json_out *at(struct json *json, const char *key)
{
    if (key) fl_json_put_key(&json->out, fl_str_c(key));
    return &json->out;
}

void json_open(struct json *json, const char *key, char bracket)
{
    if (bracket == '{') {
        fl_json_begin_object(at(json, key));
    } else {
        fl_json_begin_list(at(json, key));
    }
}

void json_close(struct json *json, char bracket)
{
    if (bracket == '}') {
        fl_json_end_object(&json->out);
    } else {
        fl_json_end_list(&json->out);
    }
}

void json_text(struct json *json, const char *key, struct fl_str text)
{
    fl_json_put_str(at(json, key), text);
}

void json_cstr(struct json *json, const char *key, const char *text)
{
    if (text) {
        fl_json_put_str(at(json, key), fl_str_c(text));
    } else {
        fl_json_put_null(at(json, key));
    }
}

void json_u64(struct json *json, const char *key, uint64_t n)
{
    fl_json_put_u64(at(json, key), n);
}

void json_i64(struct json *json, const char *key, int64_t n)
{
    fl_json_put_i64(at(json, key), n);
}

void json_bool(struct json *json, const char *key, bool is_true)
{
    fl_json_put_bool(at(json, key), is_true);
}

void json_null(struct json *json, const char *key)
{
    fl_json_put_null(at(json, key));
}

/* Days since the epoch to a civil date, after Howard Hinnant: no time zone data, no lock. */
void json_time_print(fl_ms when, char out[JSON_TIME_BYTES])
{
    int64_t seconds = when / 1000, days = seconds / 86400, of_day = seconds % 86400;
    int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int64_t day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    int64_t year = yoe + era * 400 + (month <= 2);

    snprintf(out, JSON_TIME_BYTES, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", (unsigned)(year % 10000),
             (unsigned)(month % 100), (unsigned)(day % 100), (unsigned)(of_day / 3600 % 24),
             (unsigned)(of_day / 60 % 60), (unsigned)(of_day % 60), (unsigned)(when % 1000));
}

static bool digits(struct fl_str text, size_t from, size_t len, int64_t *ret_n)
{
    uint64_t n;

    if (from + len > text.len || !fl_str_parse_u64((struct fl_str){text.at + from, len}, &n)) {
        return false;
    }
    *ret_n = (int64_t)n;
    return true;
}

bool json_time_parse(struct fl_str text, fl_ms *ret_at)
{
    int64_t year, month, day, hour, minute, second, ms = 0, era, doe, doy, yoe;
    char again[JSON_TIME_BYTES];
    struct fl_str printed;
    fl_ms when;

    if ((text.len != 20 && text.len != 24) || !digits(text, 0, 4, &year) ||
        !digits(text, 5, 2, &month) || !digits(text, 8, 2, &day) || !digits(text, 11, 2, &hour) ||
        !digits(text, 14, 2, &minute) || !digits(text, 17, 2, &second) ||
        (text.len == 24 && !digits(text, 20, 3, &ms)) || year < 1970 || month < 1) {
        return false;
    }
    if (month <= 2) year--;
    era = year / 400;
    yoe = year - era * 400;
    doy = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    when = ((era * 146097 + doe - 719468) * 86400 + hour * 3600 + minute * 60 + second) * 1000 + ms;
    /* A text that is not a date, or has another sign in a gap, prints as something else. */
    if (when < 1) return false;
    json_time_print(when, again);
    printed = fl_str_c(again);
    if (text.len == 20) {
        again[19] = 'Z';
        printed.len = 20;
    }
    if (!fl_str_eq(printed, text)) return false;
    *ret_at = when;
    return true;
}

void json_time(struct json *json, const char *key, fl_ms when)
{
    char text[JSON_TIME_BYTES];

    if (when < 1) {
        json_null(json, key);
        return;
    }
    json_time_print(when, text);
    json_cstr(json, key, text);
}

void json_raw(struct json *json, const char *key, struct fl_str raw)
{
    fl_json_put_raw(at(json, key), raw);
}

void json_job(struct json *json, const char *key, struct fl_job job)
{
    char name[FL_JOB_NAME_MAX];

    if (job.n == 0) {
        json_null(json, key);
        return;
    }
    fl_job_name(job, name);
    json_cstr(json, key, name);
}

void json_hex(struct json *json, const char *key, const void *ptr, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = ptr;
    char hex[129] = "";

    for (size_t i = 0; i < len && i < 64; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_cstr(json, key, hex);
}
