#include "controlplane/tunnel/unsent_session_ends.h"

enum { RETRY_MS = 100 };

void unsent_session_ends_add(struct unsent_session_ends *list, struct unsent_session_end lost)
{
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};

    event->event.kind = CORE_EV_session_lost;
    event->event.session_lost.cluster = lost.cluster;
    event->event.session_lost.session_epoch = lost.session_epoch;
    event->event.session_lost.connection = lost.connection;
    if (list->ports->adopt(list->ports->ctx, event, &err)) return;
    /* No core leads; a new term knows no session. */
    if (err.code == FL_UNAVAILABLE || err.code == FL_NO_SPACE) return;
    fl_vec_push(&list->waiting, lost);
    if (!fl_timer_is_on(&list->again)) fl_timer_in(&list->again, RETRY_MS);
}

static void retry(void *ctx)
{
    struct unsent_session_ends *list = ctx;
    size_t len = list->waiting.len;

    for (size_t i = 0; i < len; i++) {
        struct unsent_session_end lost = list->waiting.at[0];

        fl_vec_remove(&list->waiting, 0);
        unsent_session_ends_add(list, lost);
    }
}

void unsent_session_ends_init(struct unsent_session_ends *list, struct fl_loop *loop,
                              const struct tunnel_server_ports *ports)
{
    *list = (struct unsent_session_ends){.ports = ports};
    fl_timer_init(&list->again, loop, retry, list);
}

void unsent_session_ends_fini(struct unsent_session_ends *list)
{
    fl_timer_off(&list->again);
    fl_vec_fini(&list->waiting);
}
