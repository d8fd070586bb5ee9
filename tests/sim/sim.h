/* sim.h - one seed's time, order, chance and record, shared by all parts of the fake world.
 * Things happen at a millisecond, in the order in which they were planned.  Time here is the true
 * one; each host has a clock of its own that may be wrong.
 * Single-threaded; equal seeds, equal runs. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/heap.h"
#include "shared/base/prng.h"
#include "shared/base/slab.h"
#include "shared/base/types.h"
#include "tests/sim/story.h"

enum sim_mark {
#define MARK(name, meaning) MARK_##name,
#include "tests/sim/marks.def"
#undef MARK
    MARKS_LEN
};

enum sim_fault {
#define FAULT(name, meaning) FAULT_##name,
#include "tests/sim/faults.def"
#undef FAULT
    FAULTS_LEN
};

/* 'a' and 'b' are what was planned with. */
typedef void sim_fn(void *ctx, uint64_t a, uint64_t b);

struct sim {
    uint64_t seed;
    fl_ms now;
    struct fl_prng prng;
    struct story story;
    uint64_t marks[MARKS_LEN];
    uint64_t faults[FAULTS_LEN];
    uint64_t events;
    struct fl_heap heap;
    struct fl_slab planned;
    uint64_t tie;
    bool is_in_turn; /* a process stands still inside its turn, and the rest of the world goes on */
};

void sim_init(struct sim *sim, uint64_t seed, bool is_live);
void sim_fini(struct sim *sim);

/* Calls fn(ctx, a, b) at that time, now at the earliest. */
void sim_at(struct sim *sim, fl_ms at, sim_fn *fn, void *ctx, uint64_t a, uint64_t b);

/* Does the next thing.  False: nothing is planned before 'until'; now is 'until' then. */
bool sim_step(struct sim *sim, fl_ms until);

int64_t sim_between(struct sim *sim, int64_t lo, int64_t hi); /* both included */
bool sim_chance(struct sim *sim, uint32_t per_million);
void sim_mark(struct sim *sim, enum sim_mark mark);
void sim_fault(struct sim *sim, enum sim_fault fault);

#define sim_tell(sim, ...) STORY_TELL(&(sim)->story, (sim)->now, __VA_ARGS__)

/* An invariant is broken: says which, tells the story and how to see it again, and ends the
 * process. */
_Noreturn void sim_broken(struct sim *sim, const char *invariant, const char *fmt, ...)
    FL_PRINTF(3, 4);

/* The seed that runs now, for who has to report a crash; NULL between seeds. */
extern struct sim *sim_running;
extern const char *sim_commit; /* the build's name, as its builder gave it */
void sim_report(const struct sim *sim, const char *what);
