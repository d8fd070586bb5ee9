#include "agent/process/kept_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/process/tree_size.h"

#define NOTE_LARGE "large"
#define NOTE_ROOM "room"

void kept_list_fini(struct kept_list *list)
{
    fl_vec_fini(&list->entries);
    list->bytes = 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

void kept_entry_name(const struct kept_entry *entry, char ret_name[KEPT_NAME_MAX])
{
    snprintf(ret_name, KEPT_NAME_MAX, "%s@%" PRId64 "%s", entry->replica, entry->at,
             entry->state == KEPT_TOO_LARGE   ? "@" NOTE_LARGE
             : entry->state == KEPT_MADE_ROOM ? "@" NOTE_ROOM
                                              : "");
}

bool kept_entry_parse(const char *name, struct kept_entry *ret_entry)
{
    struct kept_entry entry = {.state = KEPT_NEW};
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
        entry.state = KEPT_TOO_LARGE;
    } else if (note && strcmp(note + 1, NOTE_ROOM) == 0) {
        entry.state = KEPT_MADE_ROOM;
    } else if (note) {
        return false;
    }
    *ret_entry = entry;
    return true;
}

bool kept_entry_has_files(const struct kept_entry *entry)
{
    return entry->state == KEPT_NEW || entry->state == KEPT_MEASURED;
}

/* ---- the list -------------------------------------------------------------------------------- */

void kept_list_add(struct kept_list *list, struct kept_entry entry, fl_ms now)
{
    size_t i = list->entries.len;

    entry.since = entry.at > now ? now : entry.at;
    while (i > 0 && list->entries.at[i - 1].since > entry.since) {
        i--;
    }
    fl_vec_insert(&list->entries, i, entry);
    list->bytes += entry.bytes;
}

struct kept_entry *kept_list_find(const struct kept_list *list, const char *replica)
{
    for (size_t i = list->entries.len; i > 0; i--) {
        if (strcmp(list->entries.at[i - 1].replica, replica) == 0) return &list->entries.at[i - 1];
    }
    return NULL;
}

struct kept_entry *kept_list_unmeasured(const struct kept_list *list)
{
    for (size_t i = 0; i < list->entries.len; i++) {
        if (list->entries.at[i].state == KEPT_NEW) return &list->entries.at[i];
    }
    return NULL;
}

void kept_list_set(struct kept_list *list, struct kept_entry *entry, enum kept_state state,
                   uint64_t bytes)
{
    list->bytes = list->bytes - entry->bytes + bytes;
    entry->state = state;
    entry->bytes = bytes;
}

void kept_list_remove(struct kept_list *list, struct kept_entry *entry)
{
    list->bytes -= entry->bytes;
    fl_vec_remove(&list->entries, (size_t)(entry - list->entries.at));
}

/* ---- entries that have to go ----------------------------------------------------------------- */

enum kept_fate kept_list_next(const struct kept_list *list, const struct kept_limits *limits,
                              fl_ms now, struct kept_entry **ret_entry)
{
    if (list->entries.len == 0) return KEPT_ALL_STAY;
    *ret_entry = &list->entries.at[0];
    if (now - list->entries.at[0].since >= limits->keep_ms) return KEPT_GOES;
    if (list->entries.len > limits->entries_max) return KEPT_GOES;
    if (list->bytes <= limits->bytes_max) return KEPT_ALL_STAY;
    for (size_t i = 0; i < list->entries.len; i++) {
        if (list->entries.at[i].state != KEPT_MEASURED) continue;
        *ret_entry = &list->entries.at[i];
        return KEPT_LEAVES;
    }
    return KEPT_ALL_STAY;
}

fl_ms kept_list_due_in(const struct kept_list *list, const struct kept_limits *limits, fl_ms now)
{
    fl_ms in;

    if (list->entries.len == 0) return -1;
    in = list->entries.at[0].since + limits->keep_ms - now;
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

bool kept_list_explain(const struct kept_list *list, const struct kept_limits *limits,
                       const char *replica, struct fl_err *err)
{
    const struct kept_entry *entry = kept_list_find(list, replica);
    char text[32];

    if (limits->keep_ms == 0) {
        return fl_fail(err, FL_ABSENT,
                       "this cluster's agent keeps no files of replicas that ended: its setting "
                       "keep_results is 0");
    }
    if (entry && entry->state == KEPT_TOO_LARGE) {
        return fl_fail(err, FL_ABSENT,
                       "its files were not kept: they count over %" PRIu64
                       " bytes (agent setting keep_results_job_bytes), lie over %d folders deep, "
                       "or cannot be read",
                       limits->replica_bytes_max, TREE_SIZE_DEPTH_MAX);
    }
    if (entry && entry->state == KEPT_MADE_ROOM) {
        return fl_fail(err, FL_ABSENT,
                       "its files were kept, and made room for newer ones (agent setting "
                       "keep_results_bytes)");
    }
    return fl_fail(err, FL_ABSENT,
                   "no files of it are kept: it left none, ran in a folder of its document's, or "
                   "ended over %s ago (agent setting keep_results)",
                   duration(limits->keep_ms, text));
}
