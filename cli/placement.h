/* placement.h - how far a job is, by its events: which of its elements run, on which clusters, and
 * how many have ended; as a few words for a status line.  No I/O. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/arena.h"

enum {
    CLI_PLACEMENT_ELEMENTS_MAX = 1 << 20, /* beyond it no cluster is known */
    CLI_PLACEMENT_CLUSTERS_MAX = 8,       /* shown by name; all others together as one */
    CLI_PLACEMENT_TEXT_MAX = 256,
};

struct cli_placement {
    int64_t elements;
    uint8_t *places; /* one an element: 0 none, else 1 + its cluster's place below */
    struct {
        char name[64];
        int64_t running;
    } clusters[CLI_PLACEMENT_CLUSTERS_MAX + 1]; /* the last: all others */
    size_t clusters_len;
    int64_t placed, ended, failed;
    bool is_running; /* the newest attempt of the only element */
};

struct cli_placement cli_placement(int64_t elements, struct fl_arena *arena);

void cli_placement_event(struct cli_placement *placement, const char *name, const json_t *event);

/* "queued", "starting on east", "3 of 8 ended, 1 failed; 2 on east, 1 on west" */
void cli_placement_text(const struct cli_placement *placement, char out[CLI_PLACEMENT_TEXT_MAX]);
