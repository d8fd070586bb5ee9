/* bench_help_lines.h - fake: the output of replicas, as an agent sends it on its LOG stream.
 * Each replica is a source that writes lines of 120 bytes which begin with "@" and the time they
 * were made (monotonic clock, ns, 19 digits), so that a reader on this machine knows how old each
 * is.
 * The owner pulls payloads for the stream and gives what comes back. */
#pragma once

#include "bench/bench_help_figures.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

enum { BENCH_LINE_BYTES = 120 };

struct bench_source {
    struct fl_attempt attempt;
    uint64_t offset, acked;
    bool is_open, is_ready; /* OPEN was sent; CURSOR came */
};

struct bench_lines {                     /* {0}: no sources */
    FL_VEC(struct bench_source) sources; /* number: index + 1 */
    size_t open_at, turn;
    uint64_t due; /* lines that may be sent */
    struct bench_figures *figures;
};

void bench_lines_fini(struct bench_lines *lines);
void bench_lines_add(struct bench_lines *lines, struct fl_attempt attempt);

/* The session is new: sources are opened again. */
void bench_lines_restart(struct bench_lines *lines);

/* Bytes that wait, all in all: an estimate. */
uint64_t bench_lines_wants(const struct bench_lines *lines);
size_t bench_lines_pull(struct bench_lines *lines, uint8_t *at, size_t bytes_max);
void bench_lines_hear(struct bench_lines *lines, struct fl_str payload);
