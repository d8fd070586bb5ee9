#include "controlplane/handshakes/handshake_queue.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/map.h"
#include "shared/base/slab.h"

enum stage { SILENT, WAITING, BEGUN, STAGES };

enum {
    BUCKET_MS = 500,       /* how long the budget of a quiet time lasts */
    KNOWN_IN_SEQUENCE = 3, /* so many of known addresses begin for one stranger */
    US_OF_PERCENT_MS = 10, /* microseconds of CPU in a millisecond, for each percent */
};

struct entry {
    void *owner;
    uint64_t address;
    uint32_t prev, next; /* in its list; 0: none */
    enum stage stage;
    enum handshake_rank rank;
    fl_ms since; /* when it entered its stage */
};

struct list { /* the longest in it first */
    uint32_t first, last;
    uint32_t len;
};

struct bucket {
    int64_t us;        /* below 0: the last handshake cost more than was left */
    int64_t us_per_ms; /* more of it for each millisecond */
    fl_ms filled_at;
};

struct handshake_queue {
    struct handshake_limits limits;
    struct fl_slab entries;
    struct list lists[STAGES][HANDSHAKE_RANKS];
    struct fl_map waiting; /* address -> how many strangers of it wait */
    struct bucket tickets, others;
    uint32_t known_in_sequence;
};

static struct entry *at(const struct handshake_queue *queue, uint32_t number)
{
    return fl_slab_at(&queue->entries, number);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool is_counted(const struct entry *entry)
{
    return entry->stage == WAITING && entry->rank == HANDSHAKE_STRANGER;
}

static uint64_t waiting_of(const struct handshake_queue *queue, uint64_t address)
{
    uint64_t n = 0;

    (void)fl_map_find(&queue->waiting, &address, sizeof address, &n);
    return n;
}

static void count(struct handshake_queue *queue, uint64_t address, int64_t more)
{
    uint64_t n = waiting_of(queue, address) + (uint64_t)more;

    if (n == 0) {
        fl_map_remove(&queue->waiting, &address, sizeof address);
    } else {
        fl_map_put(&queue->waiting, &address, sizeof address, n);
    }
}

static void leave(struct handshake_queue *queue, uint32_t number)
{
    struct entry *entry = at(queue, number);
    struct list *list = &queue->lists[entry->stage][entry->rank];

    if (entry->prev) at(queue, entry->prev)->next = entry->next;
    if (entry->next) at(queue, entry->next)->prev = entry->prev;
    if (list->first == number) list->first = entry->next;
    if (list->last == number) list->last = entry->prev;
    entry->prev = entry->next = 0;
    list->len--;
    if (is_counted(entry)) count(queue, entry->address, -1);
}

static uint32_t max_of(const struct handshake_queue *queue, enum stage stage)
{
    const struct handshake_limits *limits = &queue->limits;

    return stage == SILENT    ? limits->silent_max
           : stage == WAITING ? limits->waiting_max
                              : limits->begun_max;
}

/* The oldest of the address that has the most in the list. */
static uint32_t most_waiting(const struct handshake_queue *queue, uint32_t first)
{
    uint32_t found = first;
    uint64_t most = 0;

    for (uint32_t i = first; i; i = at(queue, i)->next) {
        uint64_t n = waiting_of(queue, at(queue, i)->address);

        if (n <= most) continue;
        most = n;
        found = i;
    }
    return found;
}

/* The oldest of the address that has the fewest in the list. */
static uint32_t fewest_waiting(const struct handshake_queue *queue, uint32_t first)
{
    uint32_t found = first;
    uint64_t fewest = UINT64_MAX;

    for (uint32_t i = first; i && fewest > 1; i = at(queue, i)->next) {
        uint64_t n = waiting_of(queue, at(queue, i)->address);

        if (n >= fewest) continue;
        fewest = n;
        found = i;
    }
    return found;
}

static void *drop(struct handshake_queue *queue, uint32_t number)
{
    void *owner = at(queue, number)->owner;

    handshake_queue_remove(queue, number);
    return owner;
}

/* Joins the list's end; a full list drops one, whose owner is returned. */
static void *enter(struct handshake_queue *queue, uint32_t number, enum stage stage,
                   enum handshake_rank rank, fl_ms now)
{
    struct entry *entry = at(queue, number);
    struct list *list = &queue->lists[stage][rank];
    void *dropped = NULL;

    if (list->len == max_of(queue, stage)) {
        bool is_shared = stage == WAITING && rank == HANDSHAKE_STRANGER;

        dropped = drop(queue, is_shared ? most_waiting(queue, list->first) : list->first);
    }
    entry->stage = stage;
    entry->rank = rank;
    entry->since = now;
    entry->prev = list->last;
    if (list->last) at(queue, list->last)->next = number;
    if (!list->first) list->first = number;
    list->last = number;
    list->len++;
    if (is_counted(entry)) count(queue, entry->address, 1);
    return dropped;
}

/* ---- the budget ------------------------------------------------------------------------------ */

static struct bucket full_bucket(uint32_t cpu_percent, fl_ms now)
{
    int64_t us_per_ms = (int64_t)cpu_percent * US_OF_PERCENT_MS;

    return (struct bucket){us_per_ms * BUCKET_MS, us_per_ms, now};
}

static void fill(struct bucket *bucket, fl_ms now)
{
    fl_ms passed = now - bucket->filled_at;
    int64_t full = bucket->us_per_ms * BUCKET_MS;

    if (passed <= 0) return;
    bucket->filled_at = now;
    if (passed > FL_MINUTE_MS) passed = FL_MINUTE_MS;
    bucket->us += passed * bucket->us_per_ms;
    if (bucket->us > full) bucket->us = full;
}

/* The first time at which the bucket holds something, as if nothing were taken until then. */
static fl_ms filled_at(const struct bucket *bucket)
{
    if (bucket->us > 0) return bucket->filled_at;
    return bucket->filled_at + 1 - bucket->us / bucket->us_per_ms;
}

/* ---- in and out ------------------------------------------------------------------------------ */

uint32_t handshake_queue_add(struct handshake_queue *queue, void *owner, uint64_t address,
                             bool is_known, fl_ms now, void **ret_dropped)
{
    uint32_t number = fl_slab_take(&queue->entries);
    struct entry *entry = at(queue, number);

    entry->owner = owner;
    entry->address = address;
    *ret_dropped =
        enter(queue, number, SILENT, is_known ? HANDSHAKE_KNOWN : HANDSHAKE_STRANGER, now);
    return number;
}

/* The longest list's first among the stages before 'end'; 0: there is none. */
static uint32_t greediest(const struct handshake_queue *queue, enum stage end)
{
    const struct list *longest = &queue->lists[SILENT][HANDSHAKE_STRANGER];
    bool is_shared;

    for (enum stage stage = SILENT; stage < end; stage++) {
        const struct list *strangers = &queue->lists[stage][HANDSHAKE_STRANGER];
        const struct list *known = &queue->lists[stage][HANDSHAKE_KNOWN];

        if (strangers->len > longest->len) longest = strangers;
        if (known->len > longest->len) longest = known;
    }
    is_shared = longest == &queue->lists[WAITING][HANDSHAKE_STRANGER];
    return is_shared ? most_waiting(queue, longest->first) : longest->first;
}

void *handshake_queue_longest(const struct handshake_queue *queue)
{
    uint32_t number = greediest(queue, WAITING);

    return number ? at(queue, number)->owner : NULL;
}

void *handshake_queue_make_room(struct handshake_queue *queue, bool *ret_has_begun)
{
    uint32_t number = greediest(queue, ret_has_begun ? STAGES : BEGUN);

    if (!number) return NULL;
    if (ret_has_begun) *ret_has_begun = at(queue, number)->stage == BEGUN;
    return drop(queue, number);
}

void handshake_queue_said_hello(struct handshake_queue *queue, uint32_t number, bool has_ticket,
                                fl_ms now, void **ret_dropped)
{
    struct entry *entry = at(queue, number);

    fl_assert(entry->stage == SILENT);
    leave(queue, number);
    *ret_dropped = enter(queue, number, WAITING, has_ticket ? HANDSHAKE_TICKET : entry->rank, now);
}

/* The one that begins next, 0: none may. */
static uint32_t choose(struct handshake_queue *queue, fl_ms now)
{
    struct list *waiting = queue->lists[WAITING];
    uint32_t known = waiting[HANDSHAKE_KNOWN].first;
    uint32_t stranger = waiting[HANDSHAKE_STRANGER].first;

    fill(&queue->tickets, now);
    fill(&queue->others, now);
    if (waiting[HANDSHAKE_TICKET].first && queue->tickets.us > 0) {
        return waiting[HANDSHAKE_TICKET].first;
    }
    if (queue->others.us <= 0 || (!known && !stranger)) return 0;
    if (known && (!stranger || queue->known_in_sequence < KNOWN_IN_SEQUENCE)) {
        queue->known_in_sequence++;
        return known;
    }
    queue->known_in_sequence = 0;
    return fewest_waiting(queue, stranger);
}

void *handshake_queue_next(struct handshake_queue *queue, fl_ms now, uint32_t *ret_number,
                           void **ret_dropped)
{
    uint32_t number = choose(queue, now);

    *ret_dropped = NULL;
    if (!number) return NULL;
    leave(queue, number);
    *ret_dropped = enter(queue, number, BEGUN, at(queue, number)->rank, now);
    *ret_number = number;
    return at(queue, number)->owner;
}

void handshake_queue_own(struct handshake_queue *queue, uint32_t number, void *owner)
{
    at(queue, number)->owner = owner;
}

void handshake_queue_charge(struct handshake_queue *queue, bool has_ticket, int64_t cpu_us)
{
    (has_ticket ? &queue->tickets : &queue->others)->us -= cpu_us;
}

void handshake_queue_remove(struct handshake_queue *queue, uint32_t number)
{
    leave(queue, number);
    fl_slab_give(&queue->entries, number);
}

void *handshake_queue_late(struct handshake_queue *queue, fl_ms now)
{
    for (enum stage stage = SILENT; stage <= WAITING; stage++) {
        for (int rank = 0; rank < HANDSHAKE_RANKS; rank++) {
            uint32_t first = queue->lists[stage][rank].first;

            if (first && now - at(queue, first)->since >= queue->limits.silent_ms) {
                return drop(queue, first);
            }
        }
    }
    return NULL;
}

fl_ms handshake_queue_due(const struct handshake_queue *queue)
{
    const struct list *waiting = queue->lists[WAITING];
    fl_ms due = INT64_MAX;

    for (enum stage stage = SILENT; stage <= WAITING; stage++) {
        for (int rank = 0; rank < HANDSHAKE_RANKS; rank++) {
            uint32_t first = queue->lists[stage][rank].first;
            fl_ms late_at = first ? at(queue, first)->since + queue->limits.silent_ms : INT64_MAX;

            if (late_at < due) due = late_at;
        }
    }
    if (waiting[HANDSHAKE_TICKET].len && filled_at(&queue->tickets) < due) {
        due = filled_at(&queue->tickets);
    }
    if ((waiting[HANDSHAKE_KNOWN].len || waiting[HANDSHAKE_STRANGER].len) &&
        filled_at(&queue->others) < due) {
        due = filled_at(&queue->others);
    }
    return due;
}

bool handshake_queue_has_ticket(const struct handshake_queue *queue, uint32_t number)
{
    return at(queue, number)->rank == HANDSHAKE_TICKET;
}

uint64_t handshake_queue_address(const struct handshake_queue *queue, uint32_t number)
{
    return at(queue, number)->address;
}

size_t handshake_queue_len(const struct handshake_queue *queue)
{
    return queue->entries.len;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct handshake_queue *handshake_queue_create(const struct handshake_limits *limits, fl_ms now)
{
    struct handshake_queue *queue = fl_new(struct handshake_queue);
    uint32_t entries_max =
        1 + HANDSHAKE_RANKS * (limits->silent_max + limits->waiting_max + limits->begun_max);

    fl_assert(limits->silent_max > 0 && limits->waiting_max > 0 && limits->begun_max > 0);
    fl_assert(limits->cpu_percent > 0 && limits->ticket_cpu_percent > 0);
    queue->limits = *limits;
    fl_slab_init(&queue->entries, sizeof(struct entry), entries_max);
    queue->tickets = full_bucket(limits->ticket_cpu_percent, now);
    queue->others = full_bucket(limits->cpu_percent, now);
    return queue;
}

void handshake_queue_destroy(struct handshake_queue *queue)
{
    if (!queue) return;
    fl_slab_fini(&queue->entries);
    fl_map_fini(&queue->waiting);
    fl_free(queue);
}
