#include "agent/kube/kube_visit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/kube/kube_hangup.h"
#include "agent/kube/kube_visit_state.h"
#include "agent/kube/pod_identity.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/tls/random.h"

enum {
    VISITS_MAX = 256,
    FATE_MS = 3000,
    FATE_LOOKS_MAX = 20, /* a minute */
    KILLED = 137,
    TROUBLE_BYTES_MAX = 1024,
};

struct kube_visits {
    struct kube_client *client;
    const char *namespace;
    struct kube_visits_port port;
    struct kube_hangups *hangups;
    struct kube_visit *first;
    size_t len;
};

/* ---- output ---------------------------------------------------------------------------------- */

/* Without a last word. */
static void lose(struct kube_visit *visit)
{
    const struct fl_err *why = kube_socket_why(visit->socket);

    visit->failed = *why;
    if (why->code == FL_OK) {
        fl_fail(&visit->failed, FL_UNAVAILABLE,
                "the API server closed the connection before the end%s%s", why->text[0] ? ": " : "",
                why->text);
    }
    visit->is_doubtful = visit->has_begun;
}

static enum kube_visit_news next_news(struct kube_visit *visit)
{
    for (;;) {
        enum kube_visit_news news = KUBE_VISIT_NOTHING;

        if (visit->has_piece) {
            news = visit->kind->take(visit, &visit->piece);
            if (news != KUBE_VISIT_NOTHING) return news;
            visit->has_piece = false;
        }
        switch (kube_socket_read(visit->socket, &visit->piece)) {
        case KUBE_SOCKET_PIECE:
            visit->has_piece = true;
            break;
        case KUBE_SOCKET_NOTHING:
            return KUBE_VISIT_NOTHING;
        case KUBE_SOCKET_OVER:
            lose(visit);
            return KUBE_VISIT_ENDED;
        }
    }
}

static struct runtime_visit_read give_output(struct kube_visit *visit, uint8_t *at,
                                             size_t bytes_max)
{
    size_t n = visit->output.len < bytes_max ? visit->output.len : bytes_max;

    memcpy(at, visit->output.at, n);
    visit->output.at += n;
    visit->output.len -= n;
    return (struct runtime_visit_read){
        .word = RUNTIME_VISIT_BYTES, .channel = visit->channel, .len = n};
}

/* How it ended, unless the watch may yet say why. */
static struct runtime_visit_read give_end(struct kube_visit *visit)
{
    struct fl_visit_status status = {.code = visit->failed.code, .exit_code = visit->exit_code};

    if (visit->exit_code == KILLED) visit->is_doubtful = true;
    if (visit->is_doubtful && !visit->has_replica_ended && !visit->is_fate_known) {
        if (!fl_timer_is_on(&visit->fate)) fl_timer_in(&visit->fate, FATE_MS);
        return (struct runtime_visit_read){.word = RUNTIME_VISIT_NOTHING};
    }
    visit->is_told = true;
    if (visit->is_doubtful && visit->has_replica_ended) {
        status = (struct fl_visit_status){.code = FL_UNAVAILABLE};
        status.text = FL_STR("the replica has ended, and with it what ran here");
    } else if (visit->failed.code != FL_OK) {
        status.text = fl_str_c(visit->failed.text);
    }
    return (struct runtime_visit_read){.word = RUNTIME_VISIT_OVER, .status = status};
}

/* The replica ended a while ago, and no last word came. */
static bool is_abandoned(const struct kube_visit *visit)
{
    return visit->has_replica_ended && visit->is_fate_known;
}

static struct runtime_visit_read do_read(void *self, uint8_t *at, size_t bytes_max)
{
    struct runtime_visit_read nothing = {.word = RUNTIME_VISIT_NOTHING};
    struct kube_visit *visit = self;

    if (visit->is_told) return nothing;
    if (visit->output.len > 0) return give_output(visit, at, bytes_max);
    if (visit->is_over) return give_end(visit);
    switch (next_news(visit)) {
    case KUBE_VISIT_NOTHING:
        if (!is_abandoned(visit)) return nothing;
        visit->is_doubtful = visit->is_over = true;
        return give_end(visit);
    case KUBE_VISIT_OUTPUT:
        return give_output(visit, at, bytes_max);
    case KUBE_VISIT_CLOSED:
        return (struct runtime_visit_read){.word = RUNTIME_VISIT_CLOSED, .channel = visit->channel};
    case KUBE_VISIT_ENDED:
        break;
    }
    visit->is_over = true;
    return give_end(visit);
}

/* ---- input ----------------------------------------------------------------------------------- */

static void on_socket(void *ctx)
{
    struct kube_visit *visit = ctx;

    if (!visit->has_begun && kube_socket_is_open(visit->socket)) {
        visit->has_begun = true;
        visit->is_size_due = false; /* it begins with its newest size */
        visit->kind->begin(visit);
        if (visit->is_input_ended) visit->kind->end_input(visit);
    }
    if (visit->is_size_due && kube_socket_room(visit->socket) > 0) visit->kind->say_size(visit);
    visit->port.changed(visit->port.ctx);
}

static size_t do_write(void *self, struct fl_str bytes)
{
    struct kube_visit *visit = self;
    size_t room;

    if (visit->is_over) return bytes.len;
    if (!visit->has_begun) return 0;
    room = kube_socket_room(visit->socket);
    if (bytes.len > room) bytes.len = room;
    if (bytes.len > 0) visit->kind->put(visit, bytes);
    return bytes.len;
}

static void do_end_input(void *self)
{
    struct kube_visit *visit = self;
    bool is_again = visit->is_input_ended;

    visit->is_input_ended = true;
    if (!visit->has_begun || visit->is_over) return;
    if (is_again && kube_socket_room(visit->socket) == 0) return;
    visit->kind->end_input(visit);
}

static void do_resize(void *self, struct fl_visit_size size)
{
    struct kube_visit *visit = self;

    if (!visit->has_tty) return;
    visit->size = size;
    visit->is_size_due = true;
    if (visit->has_begun && kube_socket_room(visit->socket) > 0) visit->kind->say_size(visit);
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct kube_channel_target target_of(const struct kube_visit *visit)
{
    return (struct kube_channel_target){visit->visits->namespace, visit->pod,
                                        fl_str_c(visit->container)};
}

static void free_visit(struct kube_visit *visit)
{
    if (visit->next) visit->next->prev = visit->prev;
    if (visit->prev) {
        visit->prev->next = visit->next;
    } else {
        visit->visits->first = visit->next;
    }
    visit->visits->len--;
    kube_socket_destroy(visit->socket);
    fl_timer_off(&visit->fate);
    fl_buf_fini(&visit->status);
    fl_buf_fini(&visit->trouble);
    fl_free(visit);
}

static void do_destroy(void *self)
{
    struct kube_visit *visit = self;
    struct kube_channel_target target = target_of(visit);

    bool is_lost = visit->is_doubtful && visit->failed.code != FL_OK;

    if (visit->mark[0] && visit->has_begun && !visit->has_replica_ended &&
        (!visit->is_over || is_lost)) {
        kube_hangups_start(visit->visits->hangups, &target, visit->mark);
    }
    free_visit(visit);
}

static const struct runtime_visit_ops ops = {
    .read = do_read,
    .write = do_write,
    .end_input = do_end_input,
    .resize = do_resize,
    .destroy = do_destroy,
};

/* A kubelet that is busy takes its time to say that a pod has ended. */
static bool is_leaving(const struct kube_visit *visit)
{
    const struct kube_visits_port *port = &visit->visits->port;

    return port->is_leaving(port->ctx, visit->attempt, visit->replica);
}

static void on_fate(void *ctx)
{
    struct kube_visit *visit = ctx;

    visit->fate_looks++;
    if (!visit->has_replica_ended && visit->fate_looks < FATE_LOOKS_MAX && is_leaving(visit)) {
        fl_timer_in(&visit->fate, FATE_MS);
        return;
    }
    visit->is_fate_known = true;
    visit->port.changed(visit->port.ctx);
}

static void name_place(struct kube_visit *visit, struct fl_str role)
{
    struct pod_identity identity = {visit->attempt, visit->replica, role};

    pod_identity_name(&identity, visit->pod);
    fl_assert(role.len < sizeof visit->container);
    memcpy(visit->container, role.at, role.len);
}

static struct kube_visit *add_visit(struct kube_visits *visits, const struct fl_visit_open *open,
                                    const struct runtime_visit_port *port)
{
    struct kube_visit *visit = fl_new(struct kube_visit);

    visit->visits = visits;
    visit->port = *port;
    visit->attempt = open->attempt;
    visit->replica = open->replica;
    visit->kind = open->port ? &kube_visit_forward : &kube_visit_exec;
    visit->tcp_port = open->port;
    visit->has_tty = open->has_tty && !open->port;
    visit->size = open->size;
    if (!open->port && kube_channel_has_mark(open)) {
        snprintf(visit->mark, sizeof visit->mark, "%016" PRIx64, fl_random_u64());
    }
    fl_timer_init(&visit->fate, kube_client_loop(visits->client), on_fate, visit);
    fl_buf_init(&visit->status, KUBE_CHANNEL_STATUS_BYTES_MAX);
    fl_buf_init(&visit->trouble, TROUBLE_BYTES_MAX);
    visit->next = visits->first;
    if (visit->next) visit->next->prev = visit;
    visits->first = visit;
    visits->len++;
    return visit;
}

static const char *path_of(const struct kube_visit *visit, const struct fl_visit_open *open,
                           struct fl_arena *arena)
{
    struct kube_channel_target target = target_of(visit);

    if (!open->port) return kube_channel_path(&target, open, visit->mark, arena);
    return fl_arena_printf(arena, "/api/v1/namespaces/%s/pods/%s/portforward?ports=%u",
                           target.namespace, target.pod, open->port);
}

bool kube_visits_start(struct kube_visits *visits, const struct fl_visit_open *open,
                       struct fl_str role, const struct runtime_visit_port *port,
                       struct runtime_visit *ret_visit, struct fl_err *err)
{
    struct kube_socket_request request;
    struct fl_arena arena = {0};
    struct kube_visit *visit;
    bool is_started;

    if (visits->len >= VISITS_MAX) {
        return fl_fail(err, FL_FULL, "%d visits are open here already", VISITS_MAX);
    }
    visit = add_visit(visits, open, port);
    name_place(visit, role);
    request = visit->kind->request;
    request.path = path_of(visit, open, &arena);
    is_started =
        kube_socket_open(visits->client, &request, &(struct kube_socket_port){visit, on_socket},
                         &visit->socket, err);
    fl_arena_fini(&arena);
    if (is_started) {
        *ret_visit = (struct runtime_visit){&ops, visit};
    } else {
        free_visit(visit);
    }
    return is_started;
}

void kube_visits_end(struct kube_visits *visits, struct fl_attempt attempt, uint32_t replica)
{
    struct kube_visit *next;

    for (struct kube_visit *visit = visits->first; visit; visit = next) {
        next = visit->next;
        if (!fl_attempt_is_same(visit->attempt, attempt) || visit->replica != replica) continue;
        visit->has_replica_ended = true;
        if (!visit->is_over) fl_timer_in(&visit->fate, FATE_MS);
        visit->port.changed(visit->port.ctx);
    }
}

struct kube_visits *kube_visits_create(struct kube_client *client, const char *namespace,
                                       const struct kube_visits_port *port)
{
    struct kube_visits *visits = fl_new(struct kube_visits);

    visits->client = client;
    visits->namespace = namespace;
    visits->port = *port;
    visits->hangups = kube_hangups_create(client);
    return visits;
}

void kube_visits_destroy(struct kube_visits *visits)
{
    if (!visits) return;
    while (visits->first) {
        free_visit(visits->first);
    }
    kube_hangups_destroy(visits->hangups);
    fl_free(visits);
}
