#include "controlplane/engine/engine_breaker.h"

#include "shared/base/assert.h"

enum fl_code engine_breaker_code(enum engine_breaker breaker)
{
    return breaker == ENGINE_DB_FULL ? FL_NO_SPACE : FL_UNAVAILABLE;
}

const char *engine_breaker_text(enum engine_breaker breaker)
{
    switch (breaker) {
    case ENGINE_OPEN_FOR_WORK:
        return "this replica is reloading; try again in a moment";
    case ENGINE_NOT_LEADING:
        return "this replica does not lead; try again in a moment";
    case ENGINE_DB_LOST:
        return "the database does not answer; try again in a moment";
    case ENGINE_DB_FULL:
        return "the database's disk is full; nothing is accepted until an admin makes space";
    }
    fl_unreachable("the breaker is one of its states");
}
