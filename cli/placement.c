#include "cli/placement.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/json_read.h"

struct cli_placement cli_placement(int64_t elements, struct fl_arena *arena)
{
    size_t known = elements > CLI_PLACEMENT_ELEMENTS_MAX || elements < 1
                       ? CLI_PLACEMENT_ELEMENTS_MAX
                       : (size_t)elements;

    return (struct cli_placement){.elements = elements,
                                  .places = fl_arena_array(arena, uint8_t, known)};
}

static uint8_t *place_of(struct cli_placement *placement, const json_t *event)
{
    int64_t element = cli_int(event, "element");

    if (element < 0 || element >= placement->elements || element >= CLI_PLACEMENT_ELEMENTS_MAX) {
        return NULL;
    }
    return &placement->places[element];
}

static size_t cluster_of(struct cli_placement *placement, const char *name)
{
    size_t i = 0;

    while (i < placement->clusters_len && strcmp(placement->clusters[i].name, name) != 0) {
        i++;
    }
    if (i < placement->clusters_len || i == CLI_PLACEMENT_CLUSTERS_MAX) return i;
    snprintf(placement->clusters[i].name, sizeof placement->clusters[i].name, "%s", name);
    placement->clusters_len++;
    return i;
}

static void take_away(struct cli_placement *placement, const json_t *event)
{
    uint8_t *place = place_of(placement, event);

    placement->is_running = false;
    if (!place || *place == 0) return;
    placement->clusters[*place - 1].running--;
    placement->placed--;
    *place = 0;
}

static void put(struct cli_placement *placement, const json_t *event)
{
    uint8_t *place = place_of(placement, event);

    take_away(placement, event);
    if (!place) return;
    *place = (uint8_t)(1 + cluster_of(placement, cli_text(event, "cluster")));
    placement->clusters[*place - 1].running++;
    placement->placed++;
}

void cli_placement_event(struct cli_placement *placement, const char *name, const json_t *event)
{
    if (strcmp(name, "attempt.assigned") == 0) {
        put(placement, event);
    } else if (strcmp(name, "attempt.ended") == 0) {
        take_away(placement, event);
    } else if (strcmp(name, "element.ended") == 0) {
        take_away(placement, event);
        placement->ended++;
        if (strcmp(cli_text(event, "state"), "failed") == 0) placement->failed++;
    } else if (strcmp(name, "replica.changed") == 0 &&
               strcmp(cli_text(event, "state"), "running") == 0) {
        placement->is_running = true;
    }
}

struct text {
    char *at;
    size_t len;
};

static void add(struct text *text, const char *fmt, ...) FL_PRINTF(2, 3);

static void add(struct text *text, const char *fmt, ...)
{
    size_t room = CLI_PLACEMENT_TEXT_MAX - text->len;
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(text->at + text->len, room, fmt, args);
    va_end(args);
    if (len > 0) text->len += (size_t)len < room ? (size_t)len : room - 1;
}

void cli_placement_text(const struct cli_placement *placement, char out[CLI_PLACEMENT_TEXT_MAX])
{
    bool is_array = placement->elements > 1, is_first = true;
    struct text text = {out, 0};

    if (is_array) {
        add(&text, "%lld of %lld ended", (long long)placement->ended,
            (long long)placement->elements);
    } else if (placement->ended) {
        add(&text, "ended, its last output is on the way");
    } else if (placement->placed == 0) {
        add(&text, "queued");
    } else {
        add(&text, placement->is_running ? "running" : "starting");
    }
    if (placement->failed > 0 && is_array) {
        add(&text, ", %lld failed", (long long)placement->failed);
    }
    for (size_t i = 0; i <= CLI_PLACEMENT_CLUSTERS_MAX; i++) {
        long long running = (long long)placement->clusters[i].running;
        const char *name = i < placement->clusters_len ? placement->clusters[i].name : "others";

        if (running == 0) continue;
        if (is_array) {
            add(&text, "%s%lld on %s", is_first ? "; " : ", ", running, name);
        } else {
            add(&text, " on %s", name);
        }
        is_first = false;
    }
}
