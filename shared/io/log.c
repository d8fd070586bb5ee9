#include "shared/io/log.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/base/hash.h"
#include "shared/io/clock.h"

enum { MODULE_MAX = 31, REPEATS_LEN = 512, PROBES_MAX = 8, LEVELS_LEN = 4 };

static const char *const level_names[LEVELS_LEN] = {"debug", "info", "warn", "error"};

struct module_level {
    char name[MODULE_MAX + 1];
    enum fl_log_level level;
};

struct levels {
    enum fl_log_level rest; /* for modules that have no level of their own */
    struct module_level modules[FL_LOG_MODULES_MAX];
    size_t modules_len;
};

struct repeat { /* how often one (module, event) has spoken in its window */
    uint64_t key;
    fl_ms window_at;
    uint64_t lines, suppressed;
};

static struct {
    pthread_mutex_t mutex; /* guards all fields but 'lowest' */
    atomic_int lowest;     /* the lowest level of any module: most debug lines stop at it */
    struct fl_log_config config;
    struct levels levels;
    struct repeat repeats[REPEATS_LEN];
    struct fl_log_counts counts;
    uint64_t dropped_untold;
} sink = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .lowest = FL_LOG_INFO,
    .config = {.fd = STDERR_FILENO},
    .levels = {.rest = FL_LOG_INFO},
};

/* ---- levels ---------------------------------------------------------------------------------- */

static bool parse_level(struct fl_str text, enum fl_log_level *ret_level)
{
    for (int i = 0; i < LEVELS_LEN; i++) {
        if (!fl_str_eq(text, fl_str_c(level_names[i]))) continue;
        *ret_level = (enum fl_log_level)i;
        return true;
    }
    return false;
}

static struct fl_str take_word(struct fl_str *rest, char end)
{
    const char *found = rest->len > 0 ? memchr(rest->at, end, rest->len) : NULL;
    struct fl_str word = {rest->at, found ? (size_t)(found - rest->at) : rest->len};
    size_t used = found ? word.len + 1 : word.len;

    *rest = (struct fl_str){rest->len > 0 ? rest->at + used : rest->at, rest->len - used};
    return word;
}

static bool add_module(struct levels *levels, struct fl_str name, enum fl_log_level level,
                       struct fl_err *err)
{
    struct module_level *module;

    if (name.len == 0 || name.len > MODULE_MAX) {
        return fl_fail(err, FL_INVALID, "a module's name has 1 to %d bytes", MODULE_MAX);
    }
    if (levels->modules_len == FL_LOG_MODULES_MAX) {
        return fl_fail(err, FL_FULL, "at most %d modules have a level of their own",
                       FL_LOG_MODULES_MAX);
    }
    module = &levels->modules[levels->modules_len++];
    memcpy(module->name, name.at, name.len);
    module->level = level;
    return true;
}

static bool parse_levels(struct fl_str text, struct levels *levels, struct fl_err *err)
{
    bool has_rest = false;

    while (text.len > 0) {
        struct fl_str value = take_word(&text, ',');
        struct fl_str module = {0};
        enum fl_log_level level;

        if (value.len > 0 && memchr(value.at, '=', value.len)) {
            module = take_word(&value, '=');
            if (module.len == 0) return fl_fail(err, FL_INVALID, "a module's name is empty");
        }
        if (!parse_level(value, &level)) {
            return fl_fail(err, FL_INVALID,
                           "'" FL_STR_FMT "' is not one of debug, info, warn, error",
                           FL_STR_ARG(value));
        }
        if (module.len > 0) {
            if (!add_module(levels, module, level, err)) return false;
        } else {
            if (has_rest) return fl_fail(err, FL_INVALID, "two levels without a module");
            has_rest = true;
            levels->rest = level;
        }
    }
    return true;
}

bool fl_log_set_levels(struct fl_str text, struct fl_err *err)
{
    struct levels levels = {.rest = FL_LOG_INFO};
    int lowest;

    if (!parse_levels(text, &levels, err)) return false;
    lowest = levels.rest;
    for (size_t i = 0; i < levels.modules_len; i++) {
        if ((int)levels.modules[i].level < lowest) lowest = levels.modules[i].level;
    }
    pthread_mutex_lock(&sink.mutex);
    sink.levels = levels;
    atomic_store(&sink.lowest, lowest);
    pthread_mutex_unlock(&sink.mutex);
    return true;
}

bool fl_log_is_on(enum fl_log_level level, const char *module)
{
    enum fl_log_level wanted;

    if ((int)level < atomic_load_explicit(&sink.lowest, memory_order_relaxed)) return false;
    pthread_mutex_lock(&sink.mutex);
    wanted = sink.levels.rest;
    for (size_t i = 0; i < sink.levels.modules_len; i++) {
        if (strcmp(sink.levels.modules[i].name, module) == 0) wanted = sink.levels.modules[i].level;
    }
    pthread_mutex_unlock(&sink.mutex);
    return level >= wanted;
}

/* ---- the line -------------------------------------------------------------------------------- */

struct line {
    char at[FL_LOG_LINE_MAX];
    size_t len; /* a place for the newline is always left */
};

static void put_bytes(struct line *line, const char *at, size_t len)
{
    size_t space = sizeof line->at - 1 - line->len;

    if (len > space) len = space;
    memcpy(line->at + line->len, at, len);
    line->len += len;
}

static void put_text(struct line *line, const char *text)
{
    put_bytes(line, text, strlen(text));
}

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("_./:@+-,[]", c));
}

/* The length of a character that may stand as it is: visible ASCII, or well-formed UTF-8 that is no
 * control character of the upper half, which terminals obey as well. */
static size_t visible_len(const unsigned char *at, size_t len)
{
    if (at[0] < 0x20 || at[0] == 0x7f) return 0;
    if (at[0] < 0x80) return 1;
    if (at[0] == 0xc2 && len > 1 && at[1] < 0xa0) return 0;
    for (size_t n = 2; n <= 4 && n <= len; n++) {
        if (fl_str_is_utf8((struct fl_str){(const char *)at, n})) return n;
    }
    return 0;
}

static void put_quoted(struct line *line, struct fl_str value)
{
    const unsigned char *at = (const unsigned char *)value.at;
    char escape[8];

    put_text(line, "\"");
    for (size_t i = 0; i < value.len;) {
        size_t n = visible_len(at + i, value.len - i);

        if (at[i] == '"' || at[i] == '\\') {
            put_bytes(line, (const char[]){'\\', (char)at[i]}, 2);
            n = 1;
        } else if (n > 0) {
            put_bytes(line, value.at + i, n);
        } else {
            if (at[i] == '\n') {
                snprintf(escape, sizeof escape, "\\n");
            } else {
                snprintf(escape, sizeof escape, "\\x%02x", at[i]);
            }
            put_text(line, escape);
            n = 1;
        }
        i += n;
    }
    put_text(line, "\"");
}

static void put_str(struct line *line, struct fl_str value)
{
    bool is_cut = value.len > FL_LOG_VALUE_MAX;
    bool is_all_plain = value.len > 0;

    if (is_cut) value.len = FL_LOG_VALUE_MAX;
    for (size_t i = 0; i < value.len && is_all_plain; i++) {
        is_all_plain = is_plain((unsigned char)value.at[i]);
    }
    if (is_all_plain) {
        put_bytes(line, value.at, value.len);
    } else {
        put_quoted(line, value);
    }
    if (is_cut) put_text(line, "...");
}

static void put_number(struct line *line, const char *key, uint64_t n)
{
    char text[64];

    snprintf(text, sizeof text, " %s=%" PRIu64, key, n);
    put_text(line, text);
}

static void put_field(struct line *line, const struct fl_log_field *field)
{
    char text[24];

    if (field->kind == FL_LOG_FIELD_NONE) return;
    put_text(line, " ");
    put_text(line, field->key);
    put_text(line, "=");
    switch (field->kind) {
    case FL_LOG_FIELD_I64:
        snprintf(text, sizeof text, "%" PRId64, field->i64);
        put_text(line, text);
        break;
    case FL_LOG_FIELD_U64:
        snprintf(text, sizeof text, "%" PRIu64, field->u64);
        put_text(line, text);
        break;
    default:
        put_str(line, field->str);
    }
}

/* ---- going quiet, and getting out ------------------------------------------------------------ */

/* The row of this key.  A new key takes the oldest of the PROBES_MAX rows it may have. */
static struct repeat *find_repeat(uint64_t key, fl_ms now)
{
    struct repeat *oldest = NULL;

    for (size_t i = 0; i < PROBES_MAX; i++) {
        struct repeat *repeat = &sink.repeats[(key + i) % REPEATS_LEN];

        if (repeat->key == key) return repeat;
        if (!oldest || repeat->window_at < oldest->window_at) oldest = repeat;
    }
    *oldest = (struct repeat){.key = key, .window_at = now};
    return oldest;
}

static void write_out(struct line *line)
{
    struct pollfd ready = {.fd = sink.config.fd, .events = POLLOUT};
    ssize_t written = -1;

    if (sink.dropped_untold > 0) put_number(line, "dropped", sink.dropped_untold);
    line->at[line->len++] = '\n';
    /* A pipe that is writable takes a line below PIPE_BUF as a whole, without waiting. */
    if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT)) {
        do {
            written = write(sink.config.fd, line->at, line->len);
        } while (written < 0 && errno == EINTR);
    }
    if (written == (ssize_t)line->len) {
        sink.counts.lines++;
        sink.dropped_untold = 0;
    } else {
        sink.counts.dropped++;
        sink.dropped_untold++;
    }
}

void fl_log_write(enum fl_log_level level, const char *module, const char *event,
                  const struct fl_log_field *fields, size_t fields_len)
{
    fl_ms now = fl_clock_mono();
    uint64_t key = fl_hash64(fl_hash64(1, module, strlen(module)), event, strlen(event)) | 1;
    struct line line = {.len = 0};
    struct repeat *repeat;
    char time[FL_CLOCK_TEXT_MAX];
    int saved_errno = errno;

    pthread_mutex_lock(&sink.mutex);
    repeat = find_repeat(key, now);
    if (now - repeat->window_at >= FL_LOG_WINDOW_MS) {
        repeat->window_at = now;
        repeat->lines = 0;
    }
    if (level != FL_LOG_DEBUG && repeat->lines >= FL_LOG_REPEATS_MAX) {
        repeat->suppressed++;
        sink.counts.suppressed++;
        pthread_mutex_unlock(&sink.mutex);
        return;
    }
    if (sink.config.has_time) {
        fl_clock_print(fl_clock_wall(), time);
        put_text(&line, "time=");
        put_text(&line, time);
        put_text(&line, " ");
    }
    put_text(&line, "level=");
    put_text(&line, level_names[level]);
    put_text(&line, " mod=");
    put_text(&line, module);
    put_text(&line, " event=");
    put_text(&line, event);
    if (level != FL_LOG_DEBUG) {
        repeat->lines++;
        if (repeat->suppressed > 0) put_number(&line, "suppressed", repeat->suppressed);
        repeat->suppressed = 0;
        if (repeat->lines == FL_LOG_REPEATS_MAX) {
            put_number(&line, "quiet_ms", (uint64_t)(FL_LOG_WINDOW_MS - (now - repeat->window_at)));
        }
    }
    for (size_t i = 0; i < fields_len; i++) {
        put_field(&line, &fields[i]);
    }
    write_out(&line);
    pthread_mutex_unlock(&sink.mutex);
    errno = saved_errno;
}

void fl_log_open(const struct fl_log_config *config)
{
    pthread_mutex_lock(&sink.mutex);
    sink.config = *config;
    pthread_mutex_unlock(&sink.mutex);
}

struct fl_log_counts fl_log_counts(void)
{
    struct fl_log_counts counts;

    pthread_mutex_lock(&sink.mutex);
    counts = sink.counts;
    pthread_mutex_unlock(&sink.mutex);
    return counts;
}
