#include "controlplane/usage/usage_cache.h"

_Static_assert(sizeof(struct usage_nth) == 16, "a key has no bytes between its fields");

static void empty_half(struct usage_half *half)
{
    fl_map_fini(&half->jobs);
    fl_map_fini(&half->begins);
    fl_arena_fini(&half->arena);
}

void usage_cache_empty(struct usage_cache *cache)
{
    empty_half(&cache->young);
    empty_half(&cache->old);
}

/* The half that takes something more. */
static struct usage_half *room(struct usage_cache *cache)
{
    struct usage_half *young = &cache->young;

    if (young->jobs.len < USAGE_HALF_MAX && young->begins.len < USAGE_HALF_MAX &&
        fl_arena_bytes(&young->arena) < USAGE_HALF_BYTES_MAX) {
        return young;
    }
    empty_half(&cache->old);
    cache->old = *young;
    *young = (struct usage_half){0};
    return young;
}

void usage_cache_keep(struct usage_cache *cache, uint64_t id, const struct usage_job *job)
{
    struct usage_half *half = room(cache);
    struct usage_job *kept = fl_arena_new(&half->arena, struct usage_job);

    *kept = *job;
    kept->owner = fl_arena_str(&half->arena, job->owner);
    kept->labels = fl_arena_str(&half->arena, job->labels);
    fl_map_put(&half->jobs, &id, sizeof id, (uint64_t)(uintptr_t)kept);
}

void usage_cache_job(struct usage_cache *cache, const struct row_job_new *job, fl_ms at)
{
    struct usage_job kept = {.tenant = job->tenant,
                             .queue = job->queue,
                             .submitted_at = at,
                             .owner = job->owner,
                             .labels = job->labels,
                             .spec = job->spec};

    usage_cache_keep(cache, job->job, &kept);
}

void usage_cache_forget(struct usage_cache *cache, uint64_t job)
{
    fl_map_remove(&cache->young.jobs, &job, sizeof job);
    fl_map_remove(&cache->old.jobs, &job, sizeof job);
}

const struct usage_job *usage_cache_find(const struct usage_cache *cache, uint64_t job)
{
    uint64_t at;

    if (fl_map_find(&cache->young.jobs, &job, sizeof job, &at) ||
        fl_map_find(&cache->old.jobs, &job, sizeof job, &at)) {
        return (const struct usage_job *)(uintptr_t)at;
    }
    return NULL;
}

void usage_cache_began(struct usage_cache *cache, const struct usage_nth *attempt, fl_ms at)
{
    fl_map_put(&room(cache)->begins, attempt, sizeof *attempt, (uint64_t)at);
}

bool usage_cache_ended(struct usage_cache *cache, const struct usage_nth *attempt,
                       fl_ms *ret_began_at)
{
    struct usage_half *half = &cache->young;
    uint64_t at;

    if (!fl_map_find(&half->begins, attempt, sizeof *attempt, &at)) {
        half = &cache->old;
        if (!fl_map_find(&half->begins, attempt, sizeof *attempt, &at)) return false;
    }
    fl_map_remove(&half->begins, attempt, sizeof *attempt);
    *ret_began_at = (fl_ms)at;
    return true;
}
