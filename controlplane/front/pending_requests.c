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
    struct fl_slab slab; /* holds struct waiting */
    uint32_t first, last;
    uint64_t round; /* makes a slot that is used again another request */
};

struct pending_requests *pending_requests_create(const struct pending_requests_config *config)
{
    struct pending_requests *pending = fl_new(struct pending_requests);

    fl_assert(config->front > 0 && config->waiting_max < (1U << SLOT_BITS));
    pending->config = *config;
    fl_slab_init(&pending->slab, sizeof(struct waiting), config->waiting_max);
    return pending;
}

void pending_requests_destroy(struct pending_requests *pending)
{
    if (!pending) return;
    fl_slab_fini(&pending->slab);
    fl_free(pending);
}

static struct waiting *at(const struct pending_requests *pending, uint32_t slot)
{
    return fl_slab_at(&pending->slab, slot);
}

static void unlink_slot(struct pending_requests *pending, uint32_t slot)
{
    struct waiting *waiting = at(pending, slot);

    if (waiting->before != 0) {
        at(pending, waiting->before)->after = waiting->after;
    } else {
        pending->first = waiting->after;
    }
    if (waiting->after != 0) {
        at(pending, waiting->after)->before = waiting->before;
    } else {
        pending->last = waiting->before;
    }
    fl_slab_give(&pending->slab, slot);
}

bool pending_requests_send(struct pending_requests *pending, struct engine_event *event, fl_ms now,
                           pending_requests_done *done, void *ctx, struct fl_err *err)
{
    uint32_t slot = fl_slab_take(&pending->slab);
    struct waiting *waiting;

    if (slot == 0) {
        engine_event_destroy(event);
        return fl_fail(err, FL_FULL, "%u requests wait for an answer already",
                       pending->config.waiting_max);
    }
    pending->round = (pending->round + 1) & ROUND_MASK;
    waiting = at(pending, slot);
    *waiting = (struct waiting){
        .done = done,
        .ctx = ctx,
        .deadline = now + pending->config.timeout_ms,
        .request =
            (uint64_t)pending->config.front << FRONT_SHIFT | pending->round << SLOT_BITS | slot,
        .before = pending->last,
    };
    if (pending->last != 0) {
        at(pending, pending->last)->after = slot;
    } else {
        pending->first = slot;
    }
    pending->last = slot;
    event->event.request = waiting->request;
    if (!pending->config.adopt(pending->config.adopt_ctx, event, err)) {
        unlink_slot(pending, slot);
        return false;
    }
    return true;
}

void pending_requests_answer(struct pending_requests *pending, const struct core_answer *answer)
{
    uint32_t slot = (uint32_t)(answer->request & ((1U << SLOT_BITS) - 1));
    struct waiting waiting;

    if (!fl_slab_is_taken(&pending->slab, slot)) return;
    waiting = *at(pending, slot);
    if (waiting.request != answer->request) return;
    unlink_slot(pending, slot);
    waiting.done(waiting.ctx, answer);
}

void pending_requests_tick(struct pending_requests *pending, fl_ms now)
{
    while (pending->first != 0 && at(pending, pending->first)->deadline <= now) {
        struct waiting waiting = *at(pending, pending->first);
        struct core_answer late = {
            .request = waiting.request,
            .code = FL_UNAVAILABLE,
            .text = "no answer in time; it is not known whether it happened: look, or repeat it "
                    "with the same Idempotency-Key",
        };

        unlink_slot(pending, pending->first);
        waiting.done(waiting.ctx, &late);
    }
}

fl_ms pending_requests_deadline(const struct pending_requests *pending)
{
    return pending->first != 0 ? at(pending, pending->first)->deadline : INT64_MAX;
}

size_t pending_requests_waiting(const struct pending_requests *pending)
{
    return pending->slab.len;
}

uint8_t pending_requests_front_of(uint64_t request)
{
    return (uint8_t)(request >> FRONT_SHIFT);
}
