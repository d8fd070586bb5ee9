/* log.h - our own log: one line, one event, fields instead of prose.
 *
 *     fl_log(FL_LOG_WARN, "tunnel", "agent_lost", FL_LOG_N("cluster", 12), FL_LOG_S("peer", peer));
 *     level=warn mod=tunnel event=agent_lost cluster=12 peer=10.0.0.7:4431
 *
 * Module, event and keys are words of ours.  All values are escaped: a character that could break a
 * line or a terminal becomes \n or \x1b, and a value with any but plain characters is quoted.  A
 * value is cut at FL_LOG_VALUE_MAX bytes, a line at FL_LOG_LINE_MAX.  Secrets do not belong here:
 * config prints them as ***.
 *
 * Repeated lines go quiet: FL_LOG_REPEATS_MAX lines of one (module, event) pass in each
 * FL_LOG_WINDOW_MS; the last of them says quiet_ms=, and the next one after the window how many
 * were suppressed=.  Debug lines are not limited.  A reader that does not read never blocks us:
 * lines are dropped, and the next one that gets through says how many: dropped=.
 *
 * The sink is the one global of the project: stderr, level info, until fl_log_open.
 * Thread-safe. */
#pragma once

#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

enum {
    FL_LOG_VALUE_MAX = 1024,
    FL_LOG_LINE_MAX = 4000, /* below PIPE_BUF: lines of several processes do not mix */
    FL_LOG_REPEATS_MAX = 20,
    FL_LOG_WINDOW_MS = 10000,
    FL_LOG_MODULES_MAX = 32, /* with a level of their own */
};

enum fl_log_level { FL_LOG_DEBUG, FL_LOG_INFO, FL_LOG_WARN, FL_LOG_ERROR };

enum fl_log_field_kind { FL_LOG_FIELD_NONE, FL_LOG_FIELD_I64, FL_LOG_FIELD_U64, FL_LOG_FIELD_STR };

struct fl_log_field {
    const char *key;
    enum fl_log_field_kind kind;
    union {
        int64_t i64;
        uint64_t u64;
        struct fl_str str;
    };
};

/* A number that is never negative; one that may be; a C string (NULL is empty); a struct fl_str; an
 * error. */
#define FL_LOG_N(name, value)                                                                      \
    ((struct fl_log_field){.key = (name), .kind = FL_LOG_FIELD_U64, .u64 = (uint64_t)(value)})
#define FL_LOG_I(name, value)                                                                      \
    ((struct fl_log_field){.key = (name), .kind = FL_LOG_FIELD_I64, .i64 = (int64_t)(value)})
#define FL_LOG_S(name, value)                                                                      \
    ((struct fl_log_field){.key = (name), .kind = FL_LOG_FIELD_STR, .str = fl_str_c(value)})
#define FL_LOG_STR(name, value)                                                                    \
    ((struct fl_log_field){.key = (name), .kind = FL_LOG_FIELD_STR, .str = (value)})
#define FL_LOG_ERR(err) FL_LOG_S("error", (err)->text)

/* The fields are not evaluated when the level is off. */
#define fl_log(level, module, event, ...)                                                          \
    do {                                                                                           \
        if (fl_log_is_on((level), (module))) {                                                     \
            const struct fl_log_field fl_log_fields_[] = {{.kind = FL_LOG_FIELD_NONE},             \
                                                          ##__VA_ARGS__};                          \
            fl_log_write((level), (module), (event), fl_log_fields_,                               \
                         sizeof fl_log_fields_ / sizeof *fl_log_fields_);                          \
        }                                                                                          \
    } while (0)

struct fl_log_config {
    int fd;        /* stays the caller's */
    bool has_time; /* lines begin with time=; the journal of systemd has its own */
};

void fl_log_open(const struct fl_log_config *config);

/* "info", or with levels for modules: "warn,tunnel=debug,http=info".  Replaces all levels; a bad
 * text changes nothing.  May be called at any time. */
FL_CHECK bool fl_log_set_levels(struct fl_str text, struct fl_err *err);

bool fl_log_is_on(enum fl_log_level level, const char *module);

struct fl_log_counts {
    uint64_t lines, suppressed, dropped;
};
struct fl_log_counts fl_log_counts(void);

/* Behind the macro; fields of kind NONE are skipped. */
void fl_log_write(enum fl_log_level level, const char *module, const char *event,
                  const struct fl_log_field *fields, size_t fields_len);
