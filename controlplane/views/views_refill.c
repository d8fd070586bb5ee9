#include "controlplane/views/views_refill.h"

#include "controlplane/store/read_identity.h"
#include "controlplane/views/views.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

enum { RETRY_MS = 500 };

struct views_refill {
    struct views_refill_config config;
    struct fl_timer retry;
};

static void on_row(void *ctx, const struct row *row)
{
    struct views_refill *refill = ctx;

    views_refill_row(refill->config.views, row);
}

static void on_done(void *ctx, const struct fl_err *err, uint64_t batch)
{
    struct views_refill *refill = ctx;

    (void)batch;
    if (err) {
        fl_log(FL_LOG_WARN, "views", "rows_not_read", FL_LOG_ERR(err));
        fl_timer_in(&refill->retry, RETRY_MS);
        return;
    }
    views_refill_end(refill->config.views);
    refill->config.done(refill->config.done_ctx);
}

static void start(void *ctx)
{
    struct views_refill *refill = ctx;
    struct fl_err err = {0};

    views_refill_begin(refill->config.views);
    if (read_identity(refill->config.reader, on_row, on_done, refill, &err) == 0) {
        fl_timer_in(&refill->retry, RETRY_MS);
    }
    refill->config.asked(refill->config.asked_ctx);
}

struct views_refill *views_refill_create(const struct views_refill_config *config)
{
    struct views_refill *refill = fl_new(struct views_refill);

    refill->config = *config;
    fl_timer_init(&refill->retry, config->loop, start, refill);
    return refill;
}

void views_refill_destroy(struct views_refill *refill)
{
    if (!refill) return;
    fl_timer_off(&refill->retry);
    fl_free(refill);
}

void views_refill_start(struct views_refill *refill)
{
    start(refill);
}
