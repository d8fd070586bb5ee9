/* engine_high_water.h - the engine's high-water marks: the numbers that it has given out, those of
 * them that are on the disk, and those that a takeover finds lost.  high_water.h has the marks.
 *   start      the marks of the process before; "open" is written before the first takeover
 *   takeover   the epoch goes above the highest known; a database with an older batch is a loss;
 *              a process that ended badly may have lost its last second, too
 *   leading    ids are given out below the limit on the disk, which is raised ahead of need, the
 *              more the faster they go; batches are noted once a second
 *   end        in good order: the limits are exact
 * One write is under way at a time.
 * Calls to the port aside, pure.  The engine owns it. */
#pragma once

#include "controlplane/engine/engine_port.h"
#include "controlplane/engine/high_water.h"

struct core;

struct engine_high_water {
    struct high_water now;   /* as of the newest commit, and the limits that are wanted */
    struct high_water asked; /* the write under way */
    struct high_water kept;  /* on the disk */
    struct high_water found; /* as the process before left it; batch and all 0: there was none */
    bool has_port;
    bool is_asking, is_dirty;   /* dirty: 'now' says more than was asked for */
    bool is_failed;             /* the newest write did */
    bool is_first;              /* nothing was committed yet by this process */
    bool is_lost, is_raised;    /* findings of the newest takeover */
    uint64_t epoch_above;       /* the next takeover's goes above it */
    uint64_t batch_taken;       /* the newest one that it found */
    uint32_t incarnation_taken; /* and the incarnation, before this term raises it */
    uint32_t ids_min;           /* reserved ahead, at least */
    uint64_t ids_ahead;         /* and at present */
    fl_ms asked_at, reserved_at;
};

/* Without 'has_port' marks count as kept at once. */
void engine_high_water_init(struct engine_high_water *water, const struct high_water *found,
                            uint32_t ids_min, bool has_port);

/* Whether a takeover may be asked for: the disk says that this process lives. */
bool engine_high_water_is_open(const struct engine_high_water *water);
/* False: the epoch is beyond what the disk has; take again once it has more. */
FL_CHECK bool engine_high_water_taken(struct engine_high_water *water,
                                      const struct engine_taken *taken);
/* Compares the database with the marks, by a core that was loaded and has begun. */
void engine_high_water_compare(struct engine_high_water *water, const struct core *core);
/* The event for a fresh core of that takeover. */
void engine_high_water_tell(const struct engine_high_water *water, struct core_event *event);

/* The core has taken that event in. */
void engine_high_water_loaded(struct engine_high_water *water, const struct core *core);

/* A batch is committed, after which the core's numbers were these. */
void engine_high_water_committed(struct engine_high_water *water, uint64_t batch, uint64_t job_next,
                                 uint64_t jobs, uint32_t incarnation);

/* With 'core', if it leads: raises the limit of ids, if it is time.  Then asks the port to write
 * what is due. */
void engine_high_water_turn(struct engine_high_water *water, const struct core *core,
                            const struct engine_ports *ports, fl_ms now);
/* The write under way has ended. */
void engine_high_water_kept(struct engine_high_water *water, bool is_good);
fl_ms engine_high_water_deadline(const struct engine_high_water *water); /* INT64_MAX: none */

/* Ids below may be given out. */
uint64_t engine_high_water_job_below(const struct engine_high_water *water);
/* A request may bring more jobs than there are ids left. */
bool engine_high_water_is_short(const struct engine_high_water *water, const struct core *core);
/* So it is, and the raise is under way: events had better wait, some milliseconds. */
bool engine_high_water_holds(const struct engine_high_water *water, const struct core *core,
                             fl_ms now);

/* The last marks, when no batch is in flight: exact. */
struct high_water engine_high_water_close(const struct engine_high_water *water);
