#include "agent/process/result_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/process/tree_size.h"
#include "shared/base/assert.h"

#define NOTE_LARGE "large"
#define NOTE_ROOM "room"

void result_list_fini(struct result_list *list)
{
    fl_vec_fini(&list->entries);
    *list = (struct result_list){0};
}

/* ---- names ----------------------------------------------------------------------------------- */

void result_entry_name(const struct result_entry *entry, char ret_name[RESULT_NAME_MAX])
{
    snprintf(ret_name, RESULT_NAME_MAX, "%s@%" PRId64 "%s", entry->replica, entry->at,
             entry->state == RESULT_TOO_LARGE   ? "@" NOTE_LARGE
             : entry->state == RESULT_MADE_ROOM ? "@" NOTE_ROOM
                                                : "");
}

bool result_entry_parse(const char *name, struct result_entry *ret_entry)
{
    struct result_entry entry = {.state = RESULT_NEW};
    const char *at = strchr(name, '@'), *note = at ? strchr(at + 1, '@') : NULL;
    struct fl_attempt attempt;
    uint32_t replica;
    uint64_t ms;

    if (!at || at - name >= LAYOUT_NAME_MAX) return false;
    memcpy(entry.replica, name, (size_t)(at - name));
    if (!layout_parse_name(entry.replica, &attempt, &replica)) return false;
    at++;
    if (!fl_str_parse_u64((struct fl_str){at, note ? (size_t)(note - at) : strlen(at)}, &ms) ||
        ms > INT64_MAX) {
        return false;
    }
    entry.at = (fl_ms)ms;
    if (note && strcmp(note + 1, NOTE_LARGE) == 0) {
        entry.state = RESULT_TOO_LARGE;
    } else if (note && strcmp(note + 1, NOTE_ROOM) == 0) {
        entry.state = RESULT_MADE_ROOM;
    } else if (note) {
        return false;
    }
    *ret_entry = entry;
    return true;
}

bool result_entry_has_files(const struct result_entry *entry)
{
    return entry->state == RESULT_NEW || entry->state == RESULT_MEASURED;
}

/* ---- the list -------------------------------------------------------------------------------- */

size_t result_list_len(const struct result_list *list)
{
    return list->entries.len - list->head;
}

struct result_entry *result_list_oldest(const struct result_list *list)
{
    fl_assert(result_list_len(list) > 0);
    return &list->entries.at[list->head];
}

void result_list_add(struct result_list *list, struct result_entry entry, fl_ms now)
{
    size_t i = list->entries.len;

    entry.since = entry.at > now ? now : entry.at;
    for (size_t j = i; j > list->head && list->entries.at[j - 1].since > now; j--) {
        list->entries.at[j - 1].since = now;
    }
    while (i > list->head && list->entries.at[i - 1].since > entry.since) {
        i--;
    }
    fl_vec_insert(&list->entries, i, entry);
    if (list->first[entry.state] > i) list->first[entry.state] = i;
    list->unmeasured += entry.state == RESULT_NEW;
    list->bytes += entry.bytes;
}

struct result_entry *result_list_find(const struct result_list *list, const char *replica)
{
    for (size_t i = list->entries.len; i > list->head; i--) {
        if (strcmp(list->entries.at[i - 1].replica, replica) == 0) return &list->entries.at[i - 1];
    }
    return NULL;
}

static struct result_entry *first_of(struct result_list *list, enum result_state state)
{
    size_t *i = &list->first[state];

    if (*i < list->head) *i = list->head;
    for (; *i < list->entries.len; ++*i) {
        if (list->entries.at[*i].state == state) return &list->entries.at[*i];
    }
    return NULL;
}

struct result_entry *result_list_unmeasured(struct result_list *list)
{
    return list->unmeasured > 0 ? first_of(list, RESULT_NEW) : NULL;
}

void result_list_set(struct result_list *list, struct result_entry *entry, enum result_state state,
                     uint64_t bytes)
{
    size_t i = (size_t)(entry - list->entries.at);

    list->bytes = list->bytes - entry->bytes + bytes;
    list->unmeasured -= entry->state == RESULT_NEW;
    list->unmeasured += state == RESULT_NEW;
    if (list->first[state] > i) list->first[state] = i;
    entry->state = state;
    entry->bytes = bytes;
}

/* Frees the places of those that have gone, once these are as many as the others. */
static void close_up(struct result_list *list)
{
    size_t len = result_list_len(list);

    if (list->head < len) return;
    memmove(list->entries.at, list->entries.at + list->head, len * sizeof *list->entries.at);
    for (unsigned state = 0; state < RESULT_STATES; state++) {
        list->first[state] -= list->first[state] < list->head ? list->first[state] : list->head;
    }
    list->entries.len = len;
    list->head = 0;
}

void result_list_remove(struct result_list *list, struct result_entry *entry)
{
    size_t i = (size_t)(entry - list->entries.at);

    list->bytes -= entry->bytes;
    list->unmeasured -= entry->state == RESULT_NEW;
    if (i == list->head) {
        list->head++;
        close_up(list);
        return;
    }
    fl_vec_remove(&list->entries, i);
    for (unsigned state = 0; state < RESULT_STATES; state++) {
        list->first[state] -= list->first[state] > i;
    }
}

/* ---- entries that have to go ----------------------------------------------------------------- */

enum result_fate result_list_next(struct result_list *list, const struct result_limits *limits,
                                  fl_ms now, struct result_entry **ret_entry)
{
    struct result_entry *oldest;

    if (result_list_len(list) == 0) return RESULT_ALL_STAY;
    *ret_entry = oldest = result_list_oldest(list);
    if (now - oldest->since >= limits->keep_ms) return RESULT_GOES;
    if (result_list_len(list) > limits->entries_max) return RESULT_GOES;
    if (list->bytes <= limits->bytes_max) return RESULT_ALL_STAY;
    oldest = first_of(list, RESULT_MEASURED);
    if (!oldest) return RESULT_ALL_STAY;
    *ret_entry = oldest;
    return RESULT_LEAVES;
}

fl_ms result_list_due_in(const struct result_list *list, const struct result_limits *limits,
                         fl_ms now)
{
    fl_ms in;

    if (result_list_len(list) == 0) return -1;
    in = result_list_oldest(list)->since + limits->keep_ms - now;
    return in < 0 ? 0 : in;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *duration(fl_ms ms, char ret_text[32])
{
    bool is_hours = ms % FL_HOUR_MS == 0;

    snprintf(ret_text, 32, "%" PRId64 " %s", ms / (is_hours ? FL_HOUR_MS : FL_SECOND_MS),
             is_hours ? "h" : "s");
    return ret_text;
}

bool result_list_explain(const struct result_list *list, const struct result_limits *limits,
                         const char *replica, struct fl_err *err)
{
    const struct result_entry *entry = result_list_find(list, replica);
    char text[32];

    if (limits->keep_ms == 0) {
        return fl_fail(err, FL_ABSENT,
                       "this cluster's agent keeps no files of replicas that ended: its setting "
                       "keep_results is 0");
    }
    if (entry && entry->state == RESULT_TOO_LARGE) {
        return fl_fail(err, FL_ABSENT,
                       "its files were not kept: they count over %" PRIu64
                       " bytes (agent setting keep_results_job_bytes), lie over %d folders deep, "
                       "or cannot be read",
                       limits->replica_bytes_max, TREE_SIZE_DEPTH_MAX);
    }
    if (entry && entry->state == RESULT_MADE_ROOM) {
        return fl_fail(err, FL_ABSENT,
                       "its files were kept, and made room for newer ones (agent setting "
                       "keep_results_bytes)");
    }
    return fl_fail(err, FL_ABSENT,
                   "no files of it are kept: it left none, ran in a folder of its document's, "
                   "ended over %s ago (agent setting keep_results), or over %zu newer ones are "
                   "kept here",
                   duration(limits->keep_ms, text), limits->entries_max);
}
