/* A connection to a port of a pod: two streams of SPDY within the WebSocket. */
#include <stdio.h>

#include "agent/kube/kube_status.h"
#include "agent/kube/kube_visit_state.h"
#include "shared/base/assert.h"

enum { TROUBLE_STREAM = 1, DATA_STREAM = 3, OPEN_BYTES_MAX = 512, PING_BYTES = 12 };

/* The kubelet connects when it has both. */
static void begin(struct kube_visit *visit)
{
    char port[8];
    struct kube_spdy_header headers[] = {
        {"streamtype", "error"}, {"port", port}, {"requestid", "0"}};
    struct kube_spdy_open open = {.stream = TROUBLE_STREAM,
                                  .is_first = true,
                                  .is_last = true,
                                  .headers = headers,
                                  .headers_len = sizeof headers / sizeof *headers};
    struct fl_buf out;
    bool is_put;

    snprintf(port, sizeof port, "%u", visit->tcp_port);
    fl_buf_init(&out, OPEN_BYTES_MAX);
    is_put = kube_spdy_put_open(&out, &open);
    open.stream = DATA_STREAM;
    open.is_first = open.is_last = false;
    headers[0].value = "data";
    is_put = is_put && kube_spdy_put_open(&out, &open);
    fl_assert(is_put);
    kube_socket_put(visit->socket, (struct fl_str){0}, (struct fl_str){(char *)out.at, out.len});
    fl_buf_fini(&out);
}

static void say(struct kube_visit *visit, struct fl_str bytes, bool is_last)
{
    uint8_t header[KUBE_SPDY_HEADER_BYTES];

    kube_spdy_data(DATA_STREAM, bytes.len, is_last, header);
    kube_socket_put(visit->socket, (struct fl_str){(char *)header, sizeof header}, bytes);
}

static void put(struct kube_visit *visit, struct fl_str bytes)
{
    say(visit, bytes, false);
}

static void end_input(struct kube_visit *visit)
{
    say(visit, (struct fl_str){0}, true);
}

static void answer_ping(struct kube_visit *visit, uint32_t id)
{
    struct fl_buf out;

    if (id % 2 == 1) return; /* an answer to one of ours; we send none */
    fl_buf_init(&out, PING_BYTES);
    if (kube_spdy_put_ping(&out, id)) {
        kube_socket_put(visit->socket, (struct fl_str){0},
                        (struct fl_str){(char *)out.at, out.len});
    }
    fl_buf_fini(&out);
}

/* Both streams have ended. */
static enum kube_visit_news ended(struct kube_visit *visit)
{
    struct fl_str words = {(const char *)visit->trouble.at, visit->trouble.len};

    words = kube_status_last_words(words);
    if (words.len > 0) {
        fl_fail(&visit->failed, FL_UNAVAILABLE, "port %u of the replica: " FL_STR_FMT,
                visit->tcp_port, FL_STR_ARG(words));
    }
    return KUBE_VISIT_ENDED;
}

static void take_data(struct kube_visit *visit, const struct kube_spdy_piece *piece)
{
    if (piece->stream == DATA_STREAM && !visit->is_out_closed) {
        visit->output = piece->bytes;
        visit->is_out_closing |= piece->is_last;
    } else if (piece->stream == TROUBLE_STREAM) {
        fl_buf_put(&visit->trouble, piece->bytes.at, piece->bytes.len); /* a longer text is cut */
        visit->is_trouble_closed |= piece->is_last;
    }
}

static void take_reset(struct kube_visit *visit, const struct kube_spdy_piece *piece)
{
    if (visit->trouble.len == 0) {
        fl_fail(&visit->failed, FL_UNAVAILABLE, "port %u of the replica: the connection was reset",
                visit->tcp_port);
    }
    if (piece->stream == DATA_STREAM) visit->is_out_closing = true;
    visit->is_trouble_closed = true;
}

static enum kube_visit_news news_of(struct kube_visit *visit)
{
    visit->channel = FL_VISIT_STDOUT;
    if (visit->output.len > 0) return KUBE_VISIT_OUTPUT;
    if (visit->is_out_closing && !visit->is_out_closed) {
        visit->is_out_closed = true;
        return KUBE_VISIT_CLOSED;
    }
    if (visit->is_out_closed && visit->is_trouble_closed) return ended(visit);
    return KUBE_VISIT_NOTHING;
}

static enum kube_visit_news take(struct kube_visit *visit, struct fl_ws_piece *piece)
{
    enum kube_visit_news news = news_of(visit);
    struct kube_spdy_piece frame;

    while (news == KUBE_VISIT_NOTHING) {
        switch (kube_spdy_next(&visit->spdy, &piece->bytes, &frame, &visit->failed)) {
        case KUBE_SPDY_MORE:
            return KUBE_VISIT_NOTHING;
        case KUBE_SPDY_BAD:
            fl_err_wrap(&visit->failed, "the API server breaks a rule of SPDY");
            return KUBE_VISIT_ENDED;
        case KUBE_SPDY_READY:
            break;
        }
        if (frame.kind == KUBE_SPDY_DATA) take_data(visit, &frame);
        if (frame.kind == KUBE_SPDY_RESET) take_reset(visit, &frame);
        if (frame.kind == KUBE_SPDY_PING) answer_ping(visit, frame.number);
        news = news_of(visit);
    }
    return news;
}

const struct kube_visit_kind kube_visit_forward = {
    .request = {.protocol = "SPDY/3.1+portforward.k8s.io", .since = "1.31"},
    .begin = begin,
    .take = take,
    .put = put,
    .end_input = end_input,
};
