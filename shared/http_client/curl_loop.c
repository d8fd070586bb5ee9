#include "shared/http_client/curl_loop.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/loop.h"

struct fl_curl_loop {
    struct fl_loop *loop;
    CURLM *multi;
    struct fl_timer timer;
    unsigned inside;
    void (*ended)(void *private, CURLcode result);
};

struct socket {
    struct fl_curl_loop *curl;
    struct fl_watch watch;
    curl_socket_t fd;
};

/* ---- transfers that ended -------------------------------------------------------------------- */

static void collect(struct fl_curl_loop *curl)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(curl->multi, &left))) {
        CURLcode result = message->data.result;
        void *private = NULL;

        if (message->msg != CURLMSG_DONE) continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&private);
        curl->ended(private, result); /* it may remove the handle, which frees the message */
    }
}

static void act(struct fl_curl_loop *curl, curl_socket_t fd, int events)
{
    int running;

    curl->inside++;
    curl_multi_socket_action(curl->multi, fd, events, &running);
    curl->inside--;
    collect(curl);
}

/* ---- sockets and the timer ------------------------------------------------------------------- */

static void on_ready(void *ctx, unsigned events)
{
    struct socket *socket = ctx;

    act(socket->curl, socket->fd,
        (events & FL_WATCH_READ ? CURL_CSELECT_IN : 0) |
            (events & FL_WATCH_WRITE ? CURL_CSELECT_OUT : 0)); /* may free the socket */
}

static void on_time(void *ctx)
{
    act(ctx, CURL_SOCKET_TIMEOUT, 0);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *assigned)
{
    struct fl_curl_loop *curl = ctx;
    struct socket *socket = assigned;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (socket) fl_watch_off(&socket->watch);
        fl_free(socket);
        return 0;
    }
    if (!socket) {
        socket = fl_new(struct socket);
        socket->curl = curl;
        socket->fd = fd;
        fl_watch_init(&socket->watch, curl->loop, fd, on_ready, socket);
        curl_multi_assign(curl->multi, fd, socket);
    }
    fl_watch_set(&socket->watch, (what & CURL_POLL_IN ? FL_WATCH_READ : 0u) |
                                     (what & CURL_POLL_OUT ? FL_WATCH_WRITE : 0u));
    return 0;
}

static int on_timer(CURLM *multi, long wait_ms, void *ctx)
{
    struct fl_curl_loop *curl = ctx;

    (void)multi;
    if (wait_ms < 0) {
        fl_timer_off(&curl->timer);
    } else {
        fl_timer_in(&curl->timer, wait_ms);
    }
    return 0;
}

/* ---- for http_client.c ----------------------------------------------------------------------- */

struct fl_curl_loop *fl_curl_loop_create(struct fl_loop *loop, unsigned connections_max,
                                         void (*ended)(void *private, CURLcode result))
{
    struct fl_curl_loop *curl = fl_new(struct fl_curl_loop);

    curl->loop = loop;
    curl->ended = ended;
    fl_timer_init(&curl->timer, loop, on_time, curl);
    curl->multi = curl_multi_init();
    fl_assert(curl->multi);
    curl_multi_setopt(curl->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(curl->multi, CURLMOPT_SOCKETDATA, curl);
    curl_multi_setopt(curl->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(curl->multi, CURLMOPT_TIMERDATA, curl);
    curl_multi_setopt(curl->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(curl->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)connections_max);
    curl_multi_setopt(curl->multi, CURLMOPT_MAXCONNECTS, (long)connections_max);
    return curl;
}

void fl_curl_loop_destroy(struct fl_curl_loop *curl)
{
    if (!curl) return;
    fl_assert(!curl->inside);
    curl_multi_cleanup(curl->multi);
    fl_timer_off(&curl->timer);
    fl_free(curl);
}

bool fl_curl_loop_is_inside(const struct fl_curl_loop *curl)
{
    return curl->inside > 0;
}

void fl_curl_loop_add(struct fl_curl_loop *curl, CURL *easy)
{
    CURLMcode code;

    fl_assert(!curl->inside);
    curl->inside++;
    code = curl_multi_add_handle(curl->multi, easy);
    curl->inside--;
    fl_assert(code == CURLM_OK);
}

void fl_curl_loop_remove(struct fl_curl_loop *curl, CURL *easy)
{
    CURLMcode code;

    fl_assert(!curl->inside);
    curl->inside++;
    code = curl_multi_remove_handle(curl->multi, easy);
    curl->inside--;
    fl_assert(code == CURLM_OK);
}

void fl_curl_loop_unpause(struct fl_curl_loop *curl, CURL *easy)
{
    CURLcode result;
    void *private = NULL;

    fl_assert(!curl->inside);
    curl->inside++;
    result = curl_easy_pause(easy, CURLPAUSE_CONT);
    curl->inside--;
    if (result != CURLE_OK) { /* libcurl reports this result only here, not by a message */
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&private);
        curl->ended(private, result);
    }
    collect(curl);
}
