#include "controlplane/api/v1/job_filter.h"

#include <stdlib.h>
#include <string.h>

#include "controlplane/api/auth.h"
#include "controlplane/views/directory.h"
#include "shared/base/job_limits.h"
#include "shared/base/name_pattern.h"

static const struct {
    const char *name;
    uint8_t number;
    bool is_ended;
} states[] = {
#define STATE(name, number, is_terminal, meaning) {#name, number, is_terminal},
    JOB_STATES(STATE)
#undef STATE
};

/* The place of the words in the request, and the call that refuses them. */
struct source {
    const char *queue, *state, *labels;
    api_fail_one *fail;
    void (*fail_absent)(struct api_call *call, const char *where, const char *detail,
                        struct fl_str got);
};

static const struct source of_query = {"queue", "state", "label", api_fail_parameter,
                                       api_fail_absent_parameter};
static const struct source of_body = {"/queue", "/state", "/labels", api_fail_at,
                                      api_fail_absent_at};

static bool add_state(struct job_filter *filter, struct fl_str word)
{
    bool is_open = fl_str_eq(word, FL_STR("open")), is_ended = fl_str_eq(word, FL_STR("ended"));
    bool is_known = is_open || is_ended;

    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (!fl_str_eq(word, fl_str_c(states[i].name)) &&
            !(states[i].is_ended ? is_ended : is_open)) {
            continue;
        }
        is_known = true;
        if (states[i].is_ended) {
            filter->wants_ended = true;
            filter->ended_states |= 1U << (states[i].number - JOB_succeeded);
        } else {
            filter->wants_open = true;
            filter->open_states |= 1U << states[i].number;
        }
    }
    return is_known;
}

static uint32_t all_open(void)
{
    uint32_t all = 0;

    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (!states[i].is_ended) all |= 1U << states[i].number;
    }
    return all;
}

static bool read_states(struct api_call *call, const struct source *source, struct fl_str list,
                        struct job_filter *filter)
{
    struct fl_str word;

    if (list.len == 0) {
        filter->wants_open = filter->wants_ended = true;
        return true;
    }
    while (fl_str_next_word(&list, ',', &word)) {
        if (add_state(filter, word)) continue;
        source->fail(call, source->state, "unknown state", word,
                     "held, queued, starting, running, stopping, succeeded, failed, cancelled, "
                     "open, ended");
        return false;
    }
    if (filter->open_states == all_open()) filter->open_states = 0;
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    return fl_str_cmp(*(const struct fl_str *)a, *(const struct fl_str *)b);
}

/* As a job may have it; the value may be empty. */
static bool is_label(struct fl_str word)
{
    return word.len >= 2 && word.len <= FL_JOB_LABEL_BYTES_MAX &&
           memchr(word.at + 1, '=', word.len - 1) && !memchr(word.at, '\n', word.len);
}

static bool read_labels(struct api_call *call, const struct source *source, struct fl_str list,
                        struct job_filter *filter)
{
    struct fl_str words[READ_JOBS_LABELS_MAX], word;
    size_t len = 0, bytes = 0;
    char *lines;

    if (list.len == 0) return true;
    while (fl_str_next_word(&list, ',', &word)) {
        if (len == READ_JOBS_LABELS_MAX || !is_label(word)) {
            source->fail(call, source->labels, "not a label that can be searched for", word,
                         "key=value, at most " FL_QUOTE(READ_JOBS_LABELS_MAX) " of " FL_QUOTE(
                             FL_JOB_LABEL_BYTES_MAX) " bytes, separated by commas");
            return false;
        }
        words[len++] = word;
        bytes += word.len + 1;
    }
    qsort(words, len, sizeof *words, by_bytes);
    lines = fl_arena_alloc(&call->arena, bytes);
    filter->labels = (struct fl_str){lines, bytes};
    for (size_t i = 0; i < len; i++) {
        memcpy(lines, words[i].at, words[i].len);
        lines[words[i].len] = '\n';
        lines += words[i].len + 1;
    }
    return true;
}

static bool read_words(struct api_call *call, const struct source *source,
                       const struct job_filter_words *words, struct job_filter *ret_filter)
{
    struct fl_str queue = words->queue, owner = words->owner;
    struct job_filter filter = {0};

    if (queue.len == 0) queue = fl_str_c(call->token.queue);
    if (queue.len > 0 && (!api_sees_queue(call, queue) ||
                          !directory_queue_id(call->parts->directory, queue, &filter.queue))) {
        source->fail_absent(call, source->queue,
                            "no queue has this name, or this token may not see it", queue);
        return false;
    }
    filter.queue_name = fl_arena_str(&call->arena, queue);
    if (!read_states(call, source, words->states, &filter) ||
        !read_labels(call, source, words->labels, &filter)) {
        return false;
    }
    if (fl_str_eq(owner, FL_STR("@me"))) owner = api_owner(call);
    filter.owner = fl_arena_str(&call->arena, owner);
    filter.name = fl_arena_str(&call->arena, words->name);
    *ret_filter = filter;
    return true;
}

bool job_filter_query(struct api_call *call, struct job_filter *ret_filter)
{
    struct job_filter_words words = {
        .queue = api_query(call, "queue"),
        .states = api_query(call, "state"),
        .labels = api_query(call, "label"),
        .owner = api_query(call, "submittedBy"),
        .name = api_query(call, "name"),
    };

    return read_words(call, &of_query, &words, ret_filter);
}

bool job_filter_body(struct api_call *call, const struct job_filter_words *words,
                     struct job_filter *ret_filter)
{
    return read_words(call, &of_body, words, ret_filter);
}

bool job_filter_open(const struct job_filter *filter, const struct core_job_view *view)
{
    if (!filter->wants_open) return false;
    if (filter->queue.n != 0 && view->queue.n != filter->queue.n) return false;
    return filter->open_states == 0 || (filter->open_states & (1U << view->state)) != 0;
}

/* Each wanted line stands whole among the job's. */
static bool has_labels(const struct job_filter *filter, struct fl_str lines)
{
    struct fl_str wanted = filter->labels;

    while (wanted.len > 0) {
        size_t len = (size_t)((const char *)memchr(wanted.at, '\n', wanted.len) - wanted.at) + 1;
        const char *found = lines.len > 0 ? memmem(lines.at, lines.len, wanted.at, len) : NULL;

        while (found && found != lines.at && found[-1] != '\n') {
            size_t rest = lines.len - (size_t)(found + 1 - lines.at);

            found = memmem(found + 1, rest, wanted.at, len);
        }
        if (!found) return false;
        wanted.at += len;
        wanted.len -= len;
    }
    return true;
}

bool job_filter_needs_stored(const struct job_filter *filter)
{
    return filter->labels.len > 0 || filter->owner.len > 0 || filter->name.len > 0;
}

bool job_filter_stored(const struct job_filter *filter, const struct read_job *stored)
{
    return has_labels(filter, stored->row.labels) &&
           (filter->owner.len == 0 || fl_str_eq(filter->owner, stored->row.owner)) &&
           (filter->name.len == 0 || fl_name_fits(filter->name, stored->row.name));
}
