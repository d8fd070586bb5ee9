#include "tests/upgrade/numbers.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/core/cluster.h"
#include "controlplane/core/core_command.h"
#include "controlplane/core/core_event.h"
#include "controlplane/core/job.h"
#include "controlplane/core/replica_output.h"
#include "controlplane/core/row.h"
#include "controlplane/logs/entry.h"
#include "shared/base/assert.h"
#include "shared/base/usage.h"
#include "shared/wire/frame.h"
#include "shared/wire/log_message.h"
#include "shared/wire/message.h"
#include "shared/wire/visit.h"

enum { NUMBER_MAX = 255, LINE_BYTES_MAX = 100 };

static void put(struct fl_buf *out, const char *table, unsigned number, const char *name)
{
    char line[LINE_BYTES_MAX];
    int len = snprintf(line, sizeof line, "%s %u %s\n", table, number, name);

    fl_assert(len > 0 && (size_t)len < sizeof line && fl_buf_put(out, line, (size_t)len));
}

/* ---- enums that are no table: a value that is missing here does not compile ------------------ */

#define NAME(prefix, name)                                                                         \
    case prefix##name:                                                                             \
        return #name;

static const char *mark_name(enum core_mark mark)
{
    switch (mark) {
        NAME(CORE_MARK_, held)
        NAME(CORE_MARK_, cancel)
        NAME(CORE_MARK_, first_start)
        NAME(CORE_MARK_, picked)
        NAME(CORE_MARK_, after)
        NAME(CORE_MARK_, edited)
        NAME(CORE_MARK_, singleton)
        NAME(CORE_MARK_, each)
    }
    return NULL;
}

static const char *counter_name(enum core_counter counter)
{
    switch (counter) {
        NAME(CORE_COUNTER_, job_next)
        NAME(CORE_COUNTER_, job_lost_from)
        NAME(CORE_COUNTER_, job_lost_to)
        NAME(CORE_COUNTER_, jobs_skipped)
        NAME(CORE_COUNTER_, incarnations)
        NAME(CORE_COUNTER_, batch_known)
        NAME(CORE_COUNTER_, seen_incarnation)
        NAME(CORE_COUNTER_, seen_batch)
        NAME(CORE_COUNTER_, seen_job_below)
        NAME(CORE_COUNTER_, leader_incarnation)
        NAME(CORE_COUNTER_, incarnation_known)
        NAME(CORE_COUNTER_, incarnation_accepted)
    }
    return NULL;
}

static const char *cluster_state_name(enum cluster_state state)
{
    switch (state) {
        NAME(CLUSTER_, ENROLLED)
        NAME(CLUSTER_, REMOVED)
    }
    return NULL;
}

static const char *access_name(enum core_access access)
{
    switch (access) {
        NAME(CORE_ACCESS_, open)
        NAME(CORE_ACCESS_, locked)
        NAME(CORE_ACCESS_, revoked)
    }
    return NULL;
}

static const char *output_letter(enum core_output output)
{
    switch (output) {
        NAME(CORE_OUTPUT_, none)
        NAME(CORE_OUTPUT_, due)
        NAME(CORE_OUTPUT_, lost)
    }
    return NULL;
}

static const char *flag_name(enum fl_frame_flags flag)
{
    switch (flag) {
        NAME(FL_FRAME_, MAY_IGNORE)
    }
    return NULL;
}

static const char *channel_name(enum fl_visit_channel channel)
{
    switch (channel) {
        NAME(FL_VISIT_, STDIN)
        NAME(FL_VISIT_, STDOUT)
        NAME(FL_VISIT_, STDERR)
        NAME(FL_VISIT_, STATUS)
        NAME(FL_VISIT_, RESIZE)
        NAME(FL_VISIT_, OPEN)
        NAME(FL_VISIT_, CLOSE)
    }
    return NULL;
}

static const char *entry_name(enum log_entry_kind kind)
{
    switch (kind) {
        NAME(LOG_ENTRY_, SOURCE)
        NAME(LOG_ENTRY_, RECORDS)
        NAME(LOG_ENTRY_, END)
    }
    return NULL;
}

#define PUT_EACH(table, type, name_of)                                                             \
    for (unsigned i = 0; i <= NUMBER_MAX; i++) {                                                   \
        if (name_of((type)i)) put(out, table, i, name_of((type)i));                                \
    }

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
    PUT_EACH("access", enum core_access, access_name)
    PUT_EACH("cluster_state", enum cluster_state, cluster_state_name)
    PUT_EACH("counter", enum core_counter, counter_name)
    PUT_EACH("frame_flag", enum fl_frame_flags, flag_name)
    PUT_EACH("log_entry", enum log_entry_kind, entry_name)
    PUT_EACH("mark", enum core_mark, mark_name)
    PUT_EACH("output", enum core_output, output_letter)
    PUT_EACH("visit_channel", enum fl_visit_channel, channel_name)
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
