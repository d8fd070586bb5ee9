#include "agent/core/agent_command.h"

#include "agent/core/element.h"
#include "shared/base/assert.h"
#include "shared/base/enum_names.h"

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

FL_ENUM_NAMES(agent_command_name, enum agent_command_kind, AGENT_COMMANDS(FL_NAME))

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

FL_ENUM_NAMES(agent_cause_name, enum agent_cause, AGENT_CAUSES(FL_NAME))
