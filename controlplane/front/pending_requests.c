#include "controlplane/front/pending_requests.h"

#include "shared/base/alloc.h"
#include "shared/base/slab.h"

enum { SLOT_BITS = 24, FRONT_SHIFT = 56, ROUND_MASK = 0xffffffff };

struct waiting {
    pending_requests_done *done;
    void *ctx;
    fl_ms deadline;
    uint64_t request;
    uint32_t before, after; /* slots, in the order of their deadlines */
};

struct pending_requests {
    struct pending_requests_config config;
    struct fl_slab slab; /* of struct waiting */
    uint32_t first, last;
    uint64_t round; /* makes a slot that is used again another request */
};

struct pending_requests *pending_requests_create(const struct pending_requests_config *config)
{
    struct pending_requests *ask = fl_new(struct pending_requests);

    fl_assert(config->front > 0 && config->waiting_max < (1U << SLOT_BITS));
    ask->config = *config;
    fl_slab_init(&ask->slab, sizeof(struct waiting), config->waiting_max);
    return ask;
}

void pending_requests_destroy(struct pending_requests *ask)
{
    if (!ask) return;
    fl_slab_fini(&ask->slab);
    fl_free(ask);
}

static struct waiting *at(const struct pending_requests *ask, uint32_t slot)
{
    return fl_slab_at(&ask->slab, slot);
}

static void unlink_slot(struct pending_requests *ask, uint32_t slot)
{
    struct waiting *waiting = at(ask, slot);

    if (waiting->before != 0) {
        at(ask, waiting->before)->after = waiting->after;
    } else {
        ask->first = waiting->after;
    }
    if (waiting->after != 0) {
        at(ask, waiting->after)->before = waiting->before;
    } else {
        ask->last = waiting->before;
    }
    fl_slab_give(&ask->slab, slot);
}

bool pending_requests_send(struct pending_requests *ask, struct engine_event *event, fl_ms now,
                           pending_requests_done *done, void *ctx, struct fl_err *err)
{
    uint32_t slot = fl_slab_take(&ask->slab);
    struct waiting *waiting;

    if (slot == 0) {
        engine_event_destroy(event);
        return fl_fail(err, FL_FULL, "%u requests wait for an answer already",
                       ask->config.waiting_max);
    }
    ask->round = (ask->round + 1) & ROUND_MASK;
    waiting = at(ask, slot);
    *waiting = (struct waiting){
        .done = done,
        .ctx = ctx,
        .deadline = now + ask->config.timeout_ms,
        .request = (uint64_t)ask->config.front << FRONT_SHIFT | ask->round << SLOT_BITS | slot,
        .before = ask->last,
    };
    if (ask->last != 0) {
        at(ask, ask->last)->after = slot;
    } else {
        ask->first = slot;
    }
    ask->last = slot;
    event->event.request = waiting->request;
    if (!ask->config.adopt(ask->config.adopt_ctx, event, err)) {
        unlink_slot(ask, slot);
        return false;
    }
    return true;
}

void pending_requests_answer(struct pending_requests *ask, const struct core_answer *answer)
{
    uint32_t slot = (uint32_t)(answer->request & ((1U << SLOT_BITS) - 1));
    struct waiting waiting;

    if (!fl_slab_is_taken(&ask->slab, slot)) return;
    waiting = *at(ask, slot);
    if (waiting.request != answer->request) return;
    unlink_slot(ask, slot);
    waiting.done(waiting.ctx, answer);
}

void pending_requests_tick(struct pending_requests *ask, fl_ms now)
{
    while (ask->first != 0 && at(ask, ask->first)->deadline <= now) {
        struct waiting waiting = *at(ask, ask->first);
        struct core_answer late = {
            .request = waiting.request,
            .code = FL_UNAVAILABLE,
            .text = "no answer in time; it is not known whether it happened: look, or repeat it "
                    "with the same Idempotency-Key",
        };

        unlink_slot(ask, ask->first);
        waiting.done(waiting.ctx, &late);
    }
}

fl_ms pending_requests_deadline(const struct pending_requests *ask)
{
    return ask->first != 0 ? at(ask, ask->first)->deadline : INT64_MAX;
}

size_t pending_requests_waiting(const struct pending_requests *ask)
{
    return ask->slab.len;
}

uint8_t pending_requests_front_of(uint64_t request)
{
    return (uint8_t)(request >> FRONT_SHIFT);
}
