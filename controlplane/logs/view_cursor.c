#include "controlplane/logs/view_cursor.h"

#include "controlplane/logs/cursor.h"
#include "controlplane/logs/ended_outputs.h"
#include "shared/base/hash.h"

/* ---- from a cursor --------------------------------------------------------------------------- */

/* Times are left out: a client may say them from now on back. */
static uint32_t selection_mark(const struct log_query *query)
{
    uint64_t h = fl_hash_u64(query->tenant.n, query->job.n);

    h = fl_hash_u64(h, query->has_element ? query->element + (uint64_t)1 : 0);
    h = fl_hash_u64(h, query->has_attempt ? query->attempt + (uint64_t)1 : 0);
    for (size_t i = 0; i < query->replicas_len; i++) {
        h = fl_hash_u64(h, (uint64_t)query->replicas[i].first << 32 | query->replicas[i].last);
    }
    return (uint32_t)h;
}

static bool is_for(const struct log_cursor *cursor, const struct log_query *query,
                   struct fl_err *err)
{
    if (cursor->is_search != query->is_search) {
        return fl_fail(err, FL_INVALID, "not a cursor of a %s",
                       query->is_search ? "search" : "log");
    }
    if (cursor->is_search && cursor->mark != selection_mark(query)) {
        return fl_fail(err, FL_INVALID,
                       "the cursor is of another job, or of other elements, attempts or replicas");
    }
    return true;
}

static bool take_place(struct log_view *view, const struct log_query *query,
                       const struct log_cursor_place *place, struct fl_err *err)
{
    size_t len = view->outputs.len;
    struct log_view_output output = {
        .key = {.attempt = {.job = query->job,
                            .element = place->element,
                            .incarnation = place->incarnation,
                            .n = place->attempt},
                .replica = place->replica,
                .tenant = query->tenant},
        .offset = place->offset,
        .is_mid = place->is_mid,
    };

    if ((len > 0 && log_key_cmp(&view->outputs.at[len - 1].key, &output.key) >= 0) ||
        (query->is_search && !log_query_has(query, &output.key))) {
        return fl_fail(err, FL_INVALID, "not a cursor of a log");
    }
    fl_vec_push(&view->outputs, output);
    return true;
}

bool log_view_take_cursor(struct log_view *view, const struct log_query *query, struct fl_err *err)
{
    struct log_cursor cursor = {0};
    bool is_taken;

    if (!log_cursor_parse(query->cursor, LOG_CURSOR_SOURCES_MAX, &cursor, err)) return false;
    is_taken = is_for(&cursor, query, err);
    for (size_t i = 0; is_taken && i < cursor.len; i++) {
        is_taken = take_place(view, query, &cursor.at[i], err);
    }
    if (is_taken && cursor.walked > 0) {
        view->has_walked = true;
        view->walked = view->outputs.at[cursor.walked - 1].key;
        view->walked_at = cursor.time;
        view->is_resumed = !cursor.is_whole;
    }
    fl_vec_fini(&cursor);
    return is_taken;
}

fl_ms log_view_resume_time(const struct log_view *view, const struct log_view_output *output)
{
    int order = log_key_cmp(&output->key, &view->walked);

    if (!view->is_resumed || order == 0) return 0;
    return order < 0 ? view->walked_at + 1 : view->walked_at;
}

/* ---- to a cursor ----------------------------------------------------------------------------- */

void log_view_note_walk(struct log_view *view, const struct log_view_output *output, fl_ms time)
{
    if (time < 0) time = 0;
    if (time > LOG_CURSOR_TIME_MAX) time = LOG_CURSOR_TIME_MAX;
    if (view->has_walked && time < view->walked_at) return;
    if (view->has_walked && time == view->walked_at &&
        log_key_cmp(&output->key, &view->walked) < 0) {
        return;
    }
    view->has_walked = true;
    view->walked = output->key;
    view->walked_at = time;
}

static bool is_walked(const struct log_view *view, const struct log_view_output *output)
{
    return view->has_walked && log_key_cmp(&output->key, &view->walked) == 0;
}

/* With all places, or with that one alone where the search stands.  False: it does not fit. */
static bool print(struct log_view *view, bool is_whole)
{
    bool is_search = view->query.is_search, is_printed;
    struct log_cursor cursor = {.is_search = is_search, .is_whole = is_whole};

    if (is_search) cursor.mark = selection_mark(&view->query);
    for (size_t i = 0; i < view->outputs.len; i++) {
        const struct log_view_output *output = &view->outputs.at[i];

        if (output->offset == 0 || (!is_whole && !is_walked(view, output))) continue;
        fl_vec_push(&cursor,
                    (struct log_cursor_place){.element = output->key.attempt.element,
                                              .incarnation = output->key.attempt.incarnation,
                                              .attempt = output->key.attempt.n,
                                              .replica = output->key.replica,
                                              .offset = output->offset,
                                              .is_mid = output->is_mid});
        if (!is_search || !is_walked(view, output)) continue;
        cursor.walked = (uint32_t)cursor.len;
        cursor.time = view->walked_at;
    }
    is_printed = cursor.len <= LOG_CURSOR_SOURCES_MAX && (is_whole || cursor.walked > 0) &&
                 log_cursor_print(&cursor, &view->cursor);
    fl_vec_fini(&cursor);
    return is_printed;
}

void log_view_print_cursor(struct log_view *view)
{
    fl_buf_clear(&view->cursor);
    if (!view->is_resumed && print(view, true)) return;
    fl_buf_clear(&view->cursor);
    if (!view->query.is_search || !print(view, false)) fl_buf_clear(&view->cursor);
}
