#include <string.h>

#include "controlplane/core/core_state.h"

/* The budget of a slice, and the line of those that wait for the next one. */

void core_look(struct core *core, size_t looks)
{
    core->looked += looks;
}

void core_spend(struct core *core, uint32_t looks)
{
    core_look(core, looks);
    core->slice_left -= looks < core->slice_left ? looks : core->slice_left;
}

void core_later_add(struct core *core, struct later what)
{
    fl_vec_push(&core->later, what);
}

bool core_later_take(struct core *core, struct later *ret_what)
{
    if (core_later_len(core) == 0) return false;
    *ret_what = core->later.at[core->later_at++];
    if (2 * core->later_at >= core->later.len) { /* the others move to the front */
        size_t left = core_later_len(core);

        memmove(core->later.at, core->later.at + core->later_at, left * sizeof *core->later.at);
        core->later.len = left;
        core->later_at = 0;
    }
    return true;
}

size_t core_later_len(const struct core *core)
{
    return core->later.len - core->later_at;
}
