#include "tests/sim/sim.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/assert.h"

enum { PLANNED_MAX = 1 << 20 };

struct sim *sim_running;
const char *sim_commit = "unknown";

struct planned {
    sim_fn *fn;
    void *ctx;
    uint64_t a, b;
};

void sim_init(struct sim *sim, uint64_t seed, bool is_live)
{
    memset(sim, 0, sizeof(*sim));
    sim->seed = seed;
    fl_prng_seed(&sim->prng, seed);
    story_init(&sim->story, seed, is_live);
    fl_slab_init(&sim->planned, sizeof(struct planned), PLANNED_MAX);
}

void sim_fini(struct sim *sim)
{
    fl_heap_fini(&sim->heap);
    fl_slab_fini(&sim->planned);
}

void sim_at(struct sim *sim, fl_ms at, sim_fn *fn, void *ctx, uint64_t a, uint64_t b)
{
    uint32_t slot = fl_slab_take(&sim->planned);
    struct planned *planned = fl_slab_at(&sim->planned, slot);

    *planned = (struct planned){fn, ctx, a, b};
    fl_heap_push(&sim->heap,
                 (struct fl_heap_item){at < sim->now ? sim->now : at, sim->tie++, slot});
}

bool sim_step(struct sim *sim, fl_ms until)
{
    const struct fl_heap_item *next = fl_heap_peek(&sim->heap);
    struct planned planned;
    uint32_t slot;

    if (!next || next->key >= until) {
        if (sim->now < until) sim->now = until;
        return false;
    }
    sim->now = next->key;
    slot = (uint32_t)fl_heap_pop(&sim->heap).value;
    planned = *(struct planned *)fl_slab_at(&sim->planned, slot);
    fl_slab_give(&sim->planned, slot);
    sim->events++;
    planned.fn(planned.ctx, planned.a, planned.b);
    return true;
}

int64_t sim_between(struct sim *sim, int64_t lo, int64_t hi)
{
    return fl_prng_between(&sim->prng, lo, hi);
}

bool sim_chance(struct sim *sim, uint32_t per_million)
{
    return per_million && fl_prng_chance(&sim->prng, per_million);
}

void sim_mark(struct sim *sim, enum sim_mark mark)
{
    sim->marks[mark]++;
}

void sim_fault(struct sim *sim, enum sim_fault fault)
{
    sim->faults[fault]++;
}

void sim_report(const struct sim *sim, const char *what)
{
    printf("\n=== seed %llu, the story so far\n", (unsigned long long)sim->seed);
    story_print(&sim->story, stdout);
    printf("=== seed %llu failed at %.3f s: %s\n=== commit %s; again: sim --seed %llu\n",
           (unsigned long long)sim->seed, (double)sim->now / 1000.0, what, sim_commit,
           (unsigned long long)sim->seed);
    fflush(stdout);
}

void sim_broken(struct sim *sim, const char *invariant, const char *fmt, ...)
{
    char text[512];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s broken: ", invariant);
    va_list args;

    va_start(args, fmt);
    vsnprintf(text + len, sizeof(text) - len, fmt, args);
    va_end(args);
    sim_report(sim, text);
    sim_running = NULL;
    exit(3);
}
