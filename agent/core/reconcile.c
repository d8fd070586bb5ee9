#include "agent/core/reconcile.h"

#include "shared/base/assert.h"

static bool ask(const struct replica *replica, uint8_t bit, enum agent_command_kind command,
                enum agent_command_kind *ret_command)
{
    if (replica->asked & bit) return false;
    *ret_command = command;
    return true;
}

static bool ask_remove(const struct replica *replica, enum agent_command_kind *ret_command)
{
    return ask(replica, REPLICA_ASKED_REMOVE, AGENT_CMD_remove, ret_command);
}

static bool ask_stop(const struct replica *replica, enum agent_command_kind *ret_command)
{
    return ask(replica, REPLICA_ASKED_STOP, AGENT_CMD_stop, ret_command);
}

bool reconcile(const struct attempt *attempt, const struct replica *replica,
               enum agent_command_kind *ret_command)
{
    enum attempt_want want = attempt->want;

    if (replica->is_gone) return false;
    switch (replica->seen) {
    case FL_REPLICA_pending: /* a stop waits until the replica exists */
        return ask(replica, REPLICA_ASKED_CREATE, AGENT_CMD_create, ret_command);
    case FL_REPLICA_created:
        if (replica->asked & REPLICA_ASKED_RELEASE) {
            return want == ATTEMPT_STOP && ask_stop(replica, ret_command);
        }
        if (want == ATTEMPT_STOP || replica->is_given_up) return ask_remove(replica, ret_command);
        return want == ATTEMPT_RUN &&
               ask(replica, REPLICA_ASKED_RELEASE, AGENT_CMD_release, ret_command);
    case FL_REPLICA_pulling:
    case FL_REPLICA_running:
        return want == ATTEMPT_STOP && ask_stop(replica, ret_command);
    case FL_REPLICA_exited:
    case FL_REPLICA_lost:
    case FL_REPLICA_refused: /* the record stays until all ends are durable elsewhere */
        return reconcile_is_over(attempt) && ask_remove(replica, ret_command);
    case FL_REPLICA_absent:
    case FL_REPLICA_STATES_LEN:
        break;
    }
    fl_unreachable("no replica is seen as absent");
}

bool reconcile_is_over(const struct attempt *attempt)
{
    return attempt->acked == attempt->replicas.len;
}

bool reconcile_is_gated(enum attempt_want want, const struct replica *replica)
{
    return replica->seen == FL_REPLICA_created && want == ATTEMPT_GATED && !replica->is_given_up;
}
