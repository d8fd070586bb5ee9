#include "agent/kube/kube_hangup.h"

#include "agent/kube/kube_socket.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

enum { HANGUPS_MAX = 64, HANGUP_MS = 15000 };

struct hangup {
    struct kube_hangups *hangups;
    struct kube_socket *socket;
    struct fl_timer timer;
    struct hangup *next; /* a newer one */
};

struct kube_hangups {
    struct kube_client *client;
    struct hangup *oldest;
    size_t len;
};

static void drop(struct hangup *hangup)
{
    struct hangup **at = &hangup->hangups->oldest;

    while (*at != hangup) {
        at = &(*at)->next;
    }
    *at = hangup->next;
    hangup->hangups->len--;
    kube_socket_destroy(hangup->socket);
    fl_timer_off(&hangup->timer);
    fl_free(hangup);
}

static void on_time(void *ctx)
{
    drop(ctx);
}

/* It says nothing but its end. */
static void on_changed(void *ctx)
{
    struct hangup *hangup = ctx;
    struct fl_ws_piece piece;
    enum kube_socket_word word;

    do {
        word = kube_socket_read(hangup->socket, &piece);
    } while (word == KUBE_SOCKET_PIECE);
    if (word == KUBE_SOCKET_OVER) drop(hangup);
}

static void add(struct kube_hangups *hangups, struct hangup *hangup)
{
    struct hangup **at = &hangups->oldest;

    while (*at) {
        at = &(*at)->next;
    }
    *at = hangup;
    hangups->len++;
}

void kube_hangups_start(struct kube_hangups *hangups, const struct kube_channel_target *target,
                        const char *mark)
{
    struct hangup *hangup = fl_new(struct hangup);
    struct kube_socket_port port = {hangup, on_changed};
    struct kube_socket_request request = {.protocol = KUBE_CHANNEL_PROTOCOL,
                                          .since = KUBE_CHANNEL_SINCE};
    struct fl_arena arena = {0};
    struct fl_err err = {0};

    if (hangups->len == HANGUPS_MAX) drop(hangups->oldest);
    hangup->hangups = hangups;
    fl_timer_init(&hangup->timer, kube_client_loop(hangups->client), on_time, hangup);
    add(hangups, hangup);
    request.path = kube_channel_hangup_path(target, mark, &arena);
    if (kube_socket_open(hangups->client, &request, &port, &hangup->socket, &err)) {
        fl_timer_in(&hangup->timer, HANGUP_MS);
    } else {
        fl_log(FL_LOG_WARN, "kube", "hangup_failed", FL_LOG_S("pod", target->pod),
               FL_LOG_ERR(&err));
        drop(hangup);
    }
    fl_arena_fini(&arena);
}

struct kube_hangups *kube_hangups_create(struct kube_client *client)
{
    struct kube_hangups *hangups = fl_new(struct kube_hangups);

    hangups->client = client;
    return hangups;
}

void kube_hangups_destroy(struct kube_hangups *hangups)
{
    if (!hangups) return;
    while (hangups->oldest) {
        drop(hangups->oldest);
    }
    fl_free(hangups);
}
