#include "controlplane/api/v1/job_queue_map.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

enum { SETS = JOB_QUEUE_MAP_MAX / JOB_QUEUE_MAP_WAYS };

_Static_assert((SETS & (SETS - 1)) == 0, "a set is found by the low bits of an id");

struct entry {
    uint64_t job;   /* 0: free */
    uint64_t since; /* holds for rows of this batch and later ones */
    uint32_t queue;
    uint32_t generation; /* the map's when it was put; another one: it was emptied since */
};

struct edit {
    uint64_t job, batch;
};

struct job_queue_map {
    struct entry sets[SETS][JOB_QUEUE_MAP_WAYS]; /* those of a set in the order they were put */
    size_t len;
    uint32_t generation;
    uint64_t newest; /* batch noticed; 0: none yet */
    uint64_t from;   /* every batch from here on was noticed with its rows */
    size_t left;     /* rows that may be walked in this turn */
    struct edit edits[JOB_QUEUE_MAP_EDITS_MAX]; /* a ring; the newest is at (edited - 1) */
    uint64_t edited;                            /* edits noticed */
};

struct job_queue_map *job_queue_map_create(void)
{
    struct job_queue_map *map = fl_new(struct job_queue_map);

    job_queue_map_turn(map);
    return map;
}

void job_queue_map_destroy(struct job_queue_map *map)
{
    fl_free(map);
}

void job_queue_map_turn(struct job_queue_map *map)
{
    map->left = JOB_QUEUE_MAP_ROWS_MAX;
}

size_t job_queue_map_len(const struct job_queue_map *map)
{
    return map->len;
}

/* ---- entries --------------------------------------------------------------------------------- */

static bool is_in(const struct job_queue_map *map, const struct entry *entry)
{
    return entry->job != 0 && entry->generation == map->generation;
}

static struct entry *find(struct job_queue_map *map, uint64_t job)
{
    struct entry *set = map->sets[job & (SETS - 1)];

    for (size_t i = 0; i < JOB_QUEUE_MAP_WAYS; i++) {
        if (set[i].job == job && is_in(map, &set[i])) return &set[i];
    }
    return NULL;
}

static void put(struct job_queue_map *map, uint64_t job, uint32_t queue, uint64_t since)
{
    struct entry *set = map->sets[job & (SETS - 1)], *entry = find(map, job);
    size_t i = 0;

    if (entry) {
        entry->queue = queue;
        entry->since = since;
        return;
    }
    while (i < JOB_QUEUE_MAP_WAYS && is_in(map, &set[i])) {
        i++;
    }
    if (i == JOB_QUEUE_MAP_WAYS) {
        memmove(set, set + 1, (JOB_QUEUE_MAP_WAYS - 1) * sizeof *set);
        i--;
        map->len--;
    }
    set[i] = (struct entry){job, since, queue, map->generation};
    map->len++;
}

static void drop(struct job_queue_map *map, uint64_t job)
{
    struct entry *set = map->sets[job & (SETS - 1)], *entry = find(map, job);

    if (!entry) return;
    for (; entry + 1 < set + JOB_QUEUE_MAP_WAYS; entry++) {
        entry[0] = entry[1];
    }
    *entry = (struct entry){0};
    map->len--;
}

static void empty(struct job_queue_map *map, uint64_t from)
{
    map->generation++;
    map->len = 0;
    map->from = from;
}

/* ---- edits ----------------------------------------------------------------------------------- */

static struct edit *edit_at(struct job_queue_map *map, uint64_t n)
{
    return &map->edits[n % JOB_QUEUE_MAP_EDITS_MAX];
}

/* An edit that came later than 'batch' may have moved the job; one that is not kept may be any
 * job's. */
static bool may_be_edited(struct job_queue_map *map, uint64_t job, uint64_t batch)
{
    for (uint64_t i = 0; i < map->edited; i++) {
        const struct edit *edit = edit_at(map, map->edited - 1 - i);

        if (edit->batch <= batch) return false;
        if (i == JOB_QUEUE_MAP_EDITS_MAX - 1 || edit->job == job) return true;
    }
    return false;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A page of the journal that was read ahead of the notices may have told a later state. */
static bool is_later(const struct entry *entry, uint64_t batch)
{
    return entry && entry->since > batch;
}

static uint32_t take_row(struct job_queue_map *map, uint64_t batch, const struct row *row)
{
    uint64_t job = row_job(row);
    struct entry *entry = job != 0 ? find(map, job) : NULL;
    uint32_t queue = entry && !is_later(entry, batch) ? entry->queue : 0;

    switch (row->kind) {
    case ROW_job_new:
        queue = row->job_new.queue;
        if (!is_later(entry, batch)) put(map, job, queue, batch);
        break;
    case ROW_job_edit:
        *edit_at(map, map->edited++) = (struct edit){job, batch};
        if (queue == 0) queue = row->job_edit.queue_was;
        if (!is_later(entry, batch)) put(map, job, row->job_edit.queue, batch);
        break;
    case ROW_job_end:
        drop(map, job);
        break;
    default:
        break;
    }
    return queue;
}

static bool feeds(enum row_kind kind)
{
    return kind == ROW_job_new || kind == ROW_job_edit || kind == ROW_job_end;
}

void job_queue_map_notice(struct job_queue_map *map, uint64_t batch, struct fl_str rows,
                          uint32_t *ret_queues, size_t len)
{
    struct fl_reader reader = fl_reader(rows.at, rows.len);
    size_t n = 0;

    memset(ret_queues, 0, len * sizeof *ret_queues);
    if (batch != map->newest + 1) empty(map, batch);
    map->newest = batch;
    for (; reader.pos < reader.len && map->left > 0; n++, map->left--) {
        struct fl_reader again = reader;
        struct fl_err err = {0};
        struct fl_reader inside;
        enum row_kind kind;
        struct row row;
        uint32_t queue;

        if (!row_cut(&reader, &kind, &inside, &err)) fl_unreachable("our own rows can be read");
        if (n >= len && !feeds(kind)) continue;
        if (!row_decode(&again, &row, &err)) fl_unreachable("our own rows can be read");
        queue = take_row(map, batch, &row);
        if (n < len) ret_queues[n] = queue;
    }
    if (rows.len == 0 || reader.pos < reader.len) empty(map, batch + 1);
}

void job_queue_map_learn(struct job_queue_map *map, struct fl_job job, struct fl_queue_id queue,
                         uint64_t batch)
{
    bool is_known = map->newest != 0 && batch + 1 >= map->from;

    if (!is_known || may_be_edited(map, job.n, batch) || is_later(find(map, job.n), batch + 1)) {
        return;
    }
    put(map, job.n, queue.n, batch + 1);
}
