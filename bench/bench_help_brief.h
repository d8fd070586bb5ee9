/* bench_help_brief.h - fake: the outputs of tiny jobs, as an agent sends them on its LOG stream:
 * each is opened, has one line, and ends.  The number of one that is durable is used again.
 * The owner pulls payloads for the stream and gives what comes back. */
#pragma once

#include "bench/bench_help_figures.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

enum bench_brief_state { BRIEF_FREE, BRIEF_OPEN, BRIEF_OPENED, BRIEF_LINE, BRIEF_ENDED };

struct bench_brief_output {
    struct fl_attempt attempt;
    uint64_t offset; /* the control plane has so much */
    enum bench_brief_state state;
};

struct bench_brief {                       /* {0}: none */
    FL_VEC(struct bench_brief_output) all; /* number: index + 1 */
    FL_VEC(uint32_t) due;                  /* their next message is to be sent */
    FL_VEC(uint32_t) free;
    struct bench_figures *figures;
};

void bench_brief_fini(struct bench_brief *brief);
void bench_brief_add(struct bench_brief *brief, struct fl_attempt attempt);

/* The session is new: outputs are opened again. */
void bench_brief_restart(struct bench_brief *brief);

/* Bytes that wait, all in all: an estimate. */
uint64_t bench_brief_wants(const struct bench_brief *brief);
size_t bench_brief_pull(struct bench_brief *brief, uint8_t *at, size_t bytes_max);
void bench_brief_hear(struct bench_brief *brief, struct fl_str payload);
