#include "controlplane/engine/engine_batch.h"

#include "shared/base/alloc.h"

struct engine_batch *engine_batch_create(uint64_t number)
{
    struct engine_batch *batch = fl_new(struct engine_batch);

    batch->core = core_batch_create(number);
    return batch;
}

void engine_batch_destroy(struct engine_batch *batch)
{
    while (batch) {
        struct engine_batch *next = batch->next;

        if (batch->riders) engine_batch_destroy(batch->riders); /* riders have none of their own */
        engine_event_list_fini(&batch->kept);
        core_batch_destroy(batch->core);
        fl_free(batch);
        batch = next;
    }
}

void engine_batch_ride(struct engine_batch *batch, struct engine_batch *rider)
{
    if (batch->riders_last) {
        batch->riders_last->next = rider;
    } else {
        batch->riders = rider;
    }
    batch->riders_last = rider;
    batch->riders_bytes += engine_batch_bytes(rider);
}

size_t engine_batch_bytes(const struct engine_batch *batch)
{
    return fl_arena_bytes(&batch->core->arena) + batch->core->rows.cap * sizeof(struct row) +
           batch->core->body.cap + batch->core->effects.cap * sizeof(struct core_effect) +
           batch->kept.bytes + batch->riders_bytes;
}

bool engine_batch_is_in(const struct engine_batch *batch, const struct engine_journal_key *keys,
                        size_t keys_len)
{
    for (size_t i = 0; i < keys_len; i++) {
        if (keys[i].batch == batch->core->number && keys[i].epoch == batch->epoch) return true;
    }
    return false;
}

struct engine_event_list engine_batch_take_events(struct engine_batch *batch)
{
    struct engine_event_list events = {0};

    engine_event_list_join(&events, &batch->kept);
    for (struct engine_batch *rider = batch->riders; rider; rider = rider->next) {
        engine_event_list_join(&events, &rider->kept);
    }
    return events;
}

/* A batch without any of these kinds is small: it has changes of replicas, clusters and marks. */
bool engine_batch_is_counted(const struct core_batch *core)
{
    if (core->jobs > 0 || core->has_ends) return true;
    for (size_t i = 0; i < core->rows.len; i++) {
        enum row_kind kind = core->rows.at[i].kind;

        if (kind == ROW_attempt_new || kind == ROW_job_edit || kind == ROW_job_end) return true;
    }
    return false;
}
