#include <string.h>

#include "controlplane/core/core_state.h"

/* The budget of a slice, and the line of walks that go on in the next one. */

void core_look(struct core *core, size_t looks)
{
    core->looked += looks;
}

void core_spend(struct core *core, uint32_t looks)
{
    core_look(core, looks);
    core->slice_left -= looks < core->slice_left ? looks : core->slice_left;
}

void core_walk_add(struct core *core, struct core_walk walk)
{
    fl_vec_push(&core->walks, walk);
}

bool core_walk_take(struct core *core, struct core_walk *ret_walk)
{
    if (core_walk_len(core) == 0) return false;
    *ret_walk = core->walks.at[core->walks_at++];
    if (2 * core->walks_at >= core->walks.len) { /* the others move to the front */
        size_t left = core_walk_len(core);

        memmove(core->walks.at, core->walks.at + core->walks_at, left * sizeof *core->walks.at);
        core->walks.len = left;
        core->walks_at = 0;
    }
    return true;
}

size_t core_walk_len(const struct core *core)
{
    return core->walks.len - core->walks_at;
}
