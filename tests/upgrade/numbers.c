#include "tests/upgrade/numbers.h"

#include <stdio.h>
#include <string.h>

#include "agent/process/layout.h"
#include "controlplane/core/cluster.h"
#include "controlplane/core/core_command.h"
#include "controlplane/core/core_event.h"
#include "controlplane/core/job.h"
#include "controlplane/core/replica_output.h"
#include "controlplane/core/row.h"
#include "controlplane/core/shape.h"
#include "controlplane/logs/entry.h"
#include "shared/base/assert.h"
#include "shared/base/usage.h"
#include "shared/wire/frame.h"
#include "shared/wire/log_message.h"
#include "shared/wire/message.h"
#include "shared/wire/visit.h"

enum { LINE_BYTES_MAX = 100 };

static void put(struct fl_buf *out, const char *table, unsigned number, const char *name)
{
    char line[LINE_BYTES_MAX];
    int len = snprintf(line, sizeof line, "%s %u %s\n", table, number, name);

    fl_assert(len > 0 && (size_t)len < sizeof line && fl_buf_put(out, line, (size_t)len));
}

/* ---- enums that are no table ----------------------------------------------------------------- */

/* A value that is missing in 'values' does not compile. */
#define NAME(prefix, name)                                                                         \
    case prefix##name:                                                                             \
        return #name;
#define PUT(prefix, name) put(out, table, (unsigned)prefix##name, name_of(prefix##name));
#define ENUM(of, type, values)                                                                     \
    static const char *of##_name(type value)                                                       \
    {                                                                                              \
        switch (value) {                                                                           \
            values(NAME)                                                                           \
        }                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    static void put_##of(struct fl_buf *out)                                                       \
    {                                                                                              \
        const char *(*name_of)(type) = of##_name;                                                  \
        const char *table = #of;                                                                   \
                                                                                                   \
        values(PUT)                                                                                \
    }

/* clang-format off */
#define ACCESS_VALUES(X) \
    X(CORE_ACCESS_, open) X(CORE_ACCESS_, locked) X(CORE_ACCESS_, revoked)
#define CLUSTER_STATE_VALUES(X) \
    X(CLUSTER_, ENROLLED) X(CLUSTER_, REMOVED)
#define COUNTER_VALUES(X) \
    X(CORE_COUNTER_, job_next) X(CORE_COUNTER_, job_lost_from) X(CORE_COUNTER_, job_lost_to) \
    X(CORE_COUNTER_, jobs_skipped) X(CORE_COUNTER_, incarnations) X(CORE_COUNTER_, batch_known) \
    X(CORE_COUNTER_, seen_incarnation) X(CORE_COUNTER_, seen_batch) \
    X(CORE_COUNTER_, seen_job_below) X(CORE_COUNTER_, leader_incarnation) \
    X(CORE_COUNTER_, incarnation_known) X(CORE_COUNTER_, incarnation_accepted)
#define FRAME_FLAG_VALUES(X) \
    X(FL_FRAME_, MAY_IGNORE)
#define LAYOUT_COMMAND_VALUES(X) \
    X(LAYOUT_, GO) X(LAYOUT_, STOP) X(LAYOUT_, LEAVE)
#define LOG_ENTRY_VALUES(X) \
    X(LOG_ENTRY_, SOURCE) X(LOG_ENTRY_, RECORDS) X(LOG_ENTRY_, END)
#define MARK_VALUES(X) \
    X(CORE_MARK_, held) X(CORE_MARK_, cancel) X(CORE_MARK_, first_start) X(CORE_MARK_, picked) \
    X(CORE_MARK_, after) X(CORE_MARK_, edited) X(CORE_MARK_, singleton) X(CORE_MARK_, each)
#define OUTPUT_VALUES(X) \
    X(CORE_OUTPUT_, none) X(CORE_OUTPUT_, due) X(CORE_OUTPUT_, lost)
#define SHAPE_FORMAT_VALUES(X) \
    X(SHAPE_FORMAT_, old) X(SHAPE_FORMAT_, plain) X(SHAPE_FORMAT_, kinds) \
    X(SHAPE_FORMAT_, tolerations) X(SHAPE_FORMAT_, affinity)
#define VISIT_CHANNEL_VALUES(X) \
    X(FL_VISIT_, STDIN) X(FL_VISIT_, STDOUT) X(FL_VISIT_, STDERR) X(FL_VISIT_, STATUS) \
    X(FL_VISIT_, RESIZE) X(FL_VISIT_, OPEN) X(FL_VISIT_, CLOSE)

ENUM(access, enum core_access, ACCESS_VALUES)
ENUM(cluster_state, enum cluster_state, CLUSTER_STATE_VALUES)
ENUM(counter, enum core_counter, COUNTER_VALUES)
ENUM(frame_flag, enum fl_frame_flags, FRAME_FLAG_VALUES)
ENUM(layout_command, enum layout_command_kind, LAYOUT_COMMAND_VALUES)
ENUM(log_entry, enum log_entry_kind, LOG_ENTRY_VALUES)
ENUM(mark, enum core_mark, MARK_VALUES)
ENUM(output, enum core_output, OUTPUT_VALUES)
ENUM(shape_format, enum shape_format, SHAPE_FORMAT_VALUES)
ENUM(visit_channel, enum fl_visit_channel, VISIT_CHANNEL_VALUES)
/* clang-format on */

/* ---- the list -------------------------------------------------------------------------------- */

struct number {
    const char *table;
    unsigned number;
    const char *name;
};

#define ATTEMPT_STATE(name, number, ...) {"attempt_state", number, #name},
#define CAUSE(name, number, ...) {"cause", number, #name},
#define DEPENDENCY(name, number, ...) {"dependency", number, #name},
#define FRAME_TYPE(name, number, ...) {"frame_type", number, #name},
#define JOB_STATE(name, number, ...) {"job_state", number, #name},
#define LOG_GAP(name, number, ...) {"log_gap", number, #name},
#define LOG_MESSAGE(name, number, ...) {"log_message", number, #name},
#define METER(name, number, ...) {"meter", number, #name},
#define REPLICA_STATE(name, number, ...) {"replica_state", number, #name},
#define SCOPE(name, number, ...) {"scope", number, #name},
#define FL_CODE(constant, name, meaning) {"code", constant, name},
#define FL_MESSAGE(name, number, direction, fields) {"message", number, #name},
#define REASON(name, number, kind, who, sentence) {"reason", number, #name},

/* clang-format off */
static const struct number numbers[] = {
    ATTEMPT_STATES(ATTEMPT_STATE)
    FL_CAUSES(CAUSE)
#include "shared/base/codes.def"
    FL_DEPENDENCY_ONS(DEPENDENCY)
    FL_FRAME_TYPES(FRAME_TYPE)
    JOB_STATES(JOB_STATE)
    FL_LOG_GAPS(LOG_GAP)
    FL_LOG_MESSAGES(LOG_MESSAGE)
#include "shared/wire/messages.def"
    FL_METERS(METER)
#include "controlplane/core/reasons.def"
    FL_REPLICA_STATES(REPLICA_STATE)
    CORE_SCOPES(SCOPE)
};
/* clang-format on */

void numbers_list(struct fl_buf *out)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        put(out, numbers[i].table, numbers[i].number, numbers[i].name);
    }
    put_access(out);
    put_cluster_state(out);
    put_counter(out);
    put_frame_flag(out);
    put_layout_command(out);
    put_log_entry(out);
    put_mark(out);
    put_output(out);
    put_shape_format(out);
    put_visit_channel(out);
}

/* ---- then and now ---------------------------------------------------------------------------- */

struct line {
    struct fl_str text, table, number, name, rest;
};

static bool next_line(struct fl_str *list, struct line *ret_line)
{
    struct fl_str rest;

    if (list->len == 0) return false;
    ret_line->text = rest = fl_str_cut(list, '\n');
    ret_line->table = fl_str_cut(&rest, ' ');
    ret_line->number = fl_str_cut(&rest, ' ');
    ret_line->name = fl_str_cut(&rest, ' ');
    ret_line->rest = rest;
    return true;
}

/* The line of this table that has the number or the name of 'line', and is not 'line' itself. */
static bool find_rival(const char *list, const struct line *line, struct line *ret_rival)
{
    struct fl_str rest = fl_str_c(list);

    while (next_line(&rest, ret_rival)) {
        if (!fl_str_eq(ret_rival->table, line->table)) continue;
        if (ret_rival->text.at == line->text.at) continue;
        if (fl_str_eq(ret_rival->number, line->number)) return true;
        if (fl_str_eq(ret_rival->name, line->name)) return true;
    }
    return false;
}

static bool has_line(const char *list, struct fl_str text)
{
    struct fl_str rest = fl_str_c(list);
    struct line line;

    while (next_line(&rest, &line)) {
        if (fl_str_eq(line.text, text)) return true;
    }
    return false;
}

static bool is_retired(const struct line *line)
{
    return fl_str_eq(line->rest, FL_STR("retired"));
}

static bool is_kept(const struct line *line, const char *kept, const char *today,
                    char ret_why[NUMBERS_WHY_MAX])
{
    struct line rival;

    if (find_rival(kept, line, &rival)) {
        snprintf(ret_why, NUMBERS_WHY_MAX,
                 "numbers.txt gives a number or a name twice: \"" FL_STR_FMT "\" and \"" FL_STR_FMT
                 "\"; take another for the later one",
                 FL_STR_ARG(line->text), FL_STR_ARG(rival.text));
        return false;
    }
    if (is_retired(line)) {
        if (!find_rival(today, line, &rival)) return true;
        snprintf(ret_why, NUMBERS_WHY_MAX,
                 "\"" FL_STR_FMT "\" gives again what is retired: \"" FL_STR_FMT
                 "\"; take another number and name",
                 FL_STR_ARG(rival.text), FL_STR_ARG(line->text));
        return false;
    }
    if (has_line(today, line->text)) return true;
    snprintf(ret_why, NUMBERS_WHY_MAX,
             "the program no longer has \"" FL_STR_FMT
             "\": restore it, or write 'retired' behind it in numbers.txt if no store and no peer "
             "can have it",
             FL_STR_ARG(line->text));
    return false;
}

bool numbers_are_kept(const char *kept, const char *today, char ret_why[NUMBERS_WHY_MAX])
{
    struct fl_str then = fl_str_c(kept), now = fl_str_c(today);
    struct line line;

    while (next_line(&then, &line)) {
        if (!is_kept(&line, kept, today, ret_why)) return false;
    }
    while (next_line(&now, &line)) {
        if (has_line(kept, line.text)) continue;
        snprintf(ret_why, NUMBERS_WHY_MAX,
                 "\"" FL_STR_FMT "\" is new: add this line to tests/upgrade/numbers.txt",
                 FL_STR_ARG(line.text));
        return false;
    }
    return true;
}
