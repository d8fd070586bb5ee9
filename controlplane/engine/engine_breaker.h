/* engine_breaker.h - why requests are refused now: the code, which decides 503 or 507, and the
 * words for people.  Uses shared/base only. */
#pragma once

#include "shared/base/err.h"

enum engine_breaker { ENGINE_OPEN_FOR_WORK, ENGINE_NOT_LEADING, ENGINE_DB_LOST, ENGINE_DB_FULL };

enum fl_code engine_breaker_code(enum engine_breaker breaker);

/* ENGINE_OPEN_FOR_WORK says it for a replica that does not lead yet, or not any more. */
const char *engine_breaker_text(enum engine_breaker breaker);
