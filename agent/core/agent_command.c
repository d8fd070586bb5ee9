#include "agent/core/agent_command.h"

#include "agent/core/element.h"
#include "shared/base/assert.h"

void agent_batch_reset(struct agent_batch *batch)
{
    fl_vec_clear(&batch->commands);
    fl_arena_reset(&batch->arena);
}

void agent_batch_fini(struct agent_batch *batch)
{
    if (!batch) return;
    fl_vec_fini(&batch->commands);
    fl_arena_fini(&batch->arena);
}

const char *agent_command_name(enum agent_command_kind kind)
{
    static const char *const names[] = {
#define NAME(name, is_frame, meaning) #name,
        AGENT_COMMANDS(NAME)
#undef NAME
    };

    fl_assert(kind < AGENT_COMMANDS_LEN);
    return names[kind];
}

bool agent_command_is_frame(enum agent_command_kind kind)
{
    static const bool is_frame_of[] = {
#define IS_FRAME(name, is_frame, meaning) is_frame,
        AGENT_COMMANDS(IS_FRAME)
#undef IS_FRAME
    };

    fl_assert(kind < AGENT_COMMANDS_LEN);
    return is_frame_of[kind];
}

const char *agent_cause_name(enum agent_cause cause)
{
    static const char *const names[] = {
#define NAME(name, told, meaning) #name,
        AGENT_CAUSES(NAME)
#undef NAME
    };

    fl_assert(cause < AGENT_CAUSES_LEN);
    return names[cause];
}
