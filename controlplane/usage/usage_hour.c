#include "controlplane/usage/usage_hour.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/vec.h"

_Static_assert(sizeof(struct usage_step) == 16, "a key has no bytes between its fields");

void usage_hours_empty(struct usage_hours *hours)
{
    fl_map_fini(&hours->index);
    hours->len = 0;
    hours->newest = 0;
}

void usage_hours_fini(struct usage_hours *hours)
{
    usage_hours_empty(hours);
    fl_vec_fini(hours);
}

static struct usage_hour *find(struct usage_hours *hours, const struct usage_step *step)
{
    uint64_t place = hours->newest;

    if (place < hours->len && memcmp(&hours->at[place].step, step, sizeof *step) == 0) {
        return &hours->at[place];
    }
    if (!fl_map_find(&hours->index, step, sizeof *step, &place)) {
        place = hours->len;
        fl_map_put(&hours->index, step, sizeof *step, place);
        fl_vec_push(hours, (struct usage_hour){.step = *step});
    }
    hours->newest = place;
    return &hours->at[place];
}

struct usage_hour *usage_hours_at(struct usage_hours *hours, uint32_t tenant, uint32_t queue,
                                  fl_ms at)
{
    struct usage_step step = {THROUGHPUT_HOUR, (int32_t)((at > 0 ? at : 0) / FL_HOUR_MS), tenant,
                              queue};

    return find(hours, &step);
}

static void add_to(struct usage_hours *hours, size_t from, uint32_t of_hours, uint32_t queue)
{
    struct usage_step step = hours->at[from].step;
    const struct usage_hour *more;
    struct usage_hour *to;

    step.hours = of_hours;
    step.hour -= step.hour % (int32_t)of_hours;
    step.queue = queue;
    to = find(hours, &step);
    more = &hours->at[from]; /* it may have moved */
    for (size_t i = 0; i < THROUGHPUT_COUNTS_LEN; i++) {
        to->counts[i] += more->counts[i];
    }
    fl_histogram_merge(&to->waits, &more->waits);
    fl_histogram_merge(&to->runs, &more->runs);
}

static int by_step(const void *a, const void *b)
{
    const struct usage_step *left = &((const struct usage_hour *)a)->step;
    const struct usage_step *right = &((const struct usage_hour *)b)->step;

    if (left->hours != right->hours) return left->hours < right->hours ? -1 : 1;
    if (left->hour != right->hour) return left->hour < right->hour ? -1 : 1;
    if (left->tenant != right->tenant) return left->tenant < right->tenant ? -1 : 1;
    return (left->queue > right->queue) - (left->queue < right->queue);
}

void usage_hours_complete(struct usage_hours *hours)
{
    size_t len = hours->len;

    for (size_t i = 0; i < len; i++) {
        uint32_t queue = hours->at[i].step.queue;

        add_to(hours, i, THROUGHPUT_HOUR, 0);
        add_to(hours, i, THROUGHPUT_DAY, queue);
        add_to(hours, i, THROUGHPUT_DAY, 0);
    }
    if (hours->len > 0) qsort(hours->at, hours->len, sizeof *hours->at, by_step);
    fl_map_fini(&hours->index); /* places have changed */
}
