/* engine_event.h - an event that its maker gave away, with everything it points to; and lists of
 * them.  A front or a tunnel makes it, fills it in from its arena and gives it to engine_adopt.
 * From then on it is the engine's, which keeps it until the fate of its batch is known, since it
 * may have to be stepped again.  Uses the core's event types and shared/base.  Not thread-safe: one
 * owner at a time. */
#pragma once

#include "controlplane/core/core_event.h"
#include "shared/base/arena.h"

struct engine_event {
    struct core_event event; /* its 'now' is the engine's to fill in */
    struct fl_arena arena;

    /* The engine's own. */
    struct engine_event *next;
    uint64_t lookup;   /* while its key is being looked up */
    bool has_key;      /* its key is held in the table of keys, and was looked up */
    bool is_suspect;   /* it was in a batch that the database refused */
    unsigned refusals; /* so many batches with it were refused, for any reason */
    size_t bytes;      /* all of it, counted when it was given away */
};

struct engine_event *engine_event_create(void);
void engine_event_destroy(struct engine_event *event); /* NULL is fine */

/* All that it holds in memory. */
size_t engine_event_bytes(const struct engine_event *event);

/* How much a step of it costs at least: 1, or as many as the jobs, items or nodes it brings, or
 * asks for.  The core counts all else that it looks at
 * (core_looked). */
size_t engine_event_work(const struct engine_event *event);

/* The cluster of the agent that it comes from; none for a request. */
struct fl_cluster engine_event_cluster(const struct engine_event *event);

/* It asks and changes nothing. */
bool engine_event_is_read(const struct engine_event *event);

/* First in, first out.  {0} is empty; an event is in one list at a time. */
struct engine_event_list {
    struct engine_event *first, *last;
    size_t len, bytes;
};

void engine_event_list_push(struct engine_event_list *list, struct engine_event *event);
void engine_event_list_push_front(struct engine_event_list *list, struct engine_event *event);
struct engine_event *engine_event_list_pop(struct engine_event_list *list); /* NULL when empty */

/* Moves all of 'more' behind what is there. */
void engine_event_list_join(struct engine_event_list *list, struct engine_event_list *more);

/* Takes out the one that waits for 'lookup'; NULL when there is none.  Walks, but answers come
 * about in the order of the questions, so that it is near the front. */
struct engine_event *engine_event_list_take(struct engine_event_list *list, uint64_t lookup);

void engine_event_list_fini(struct engine_event_list *list); /* destroys what is in it */
