/* A command in a pod: channels of v5.channel.k8s.io. */
#include <string.h>

#include "agent/kube/kube_visit_state.h"

enum { END_OF_TRANSMISSION = 4 };

static void say(struct kube_visit *visit, enum fl_visit_channel channel, struct fl_str bytes)
{
    char first = (char)channel;

    kube_socket_put(visit->socket, (struct fl_str){&first, 1}, bytes);
}

static void put(struct kube_visit *visit, struct fl_str bytes)
{
    say(visit, FL_VISIT_STDIN, bytes);
}

static void say_size(struct kube_visit *visit)
{
    struct fl_buf text;

    fl_buf_init(&text, KUBE_CHANNEL_SIZE_BYTES_MAX);
    kube_channel_put_size(&text, visit->size);
    visit->is_size_due = false;
    say(visit, FL_VISIT_RESIZE, (struct fl_str){(const char *)text.at, text.len});
    fl_buf_fini(&text);
}

/* A terminal's end is a key, as a person would press it. */
static void end_input(struct kube_visit *visit)
{
    static const char end = END_OF_TRANSMISSION, input = FL_VISIT_STDIN;

    if (visit->has_tty) {
        say(visit, FL_VISIT_STDIN, (struct fl_str){&end, 1});
    } else {
        say(visit, FL_VISIT_CLOSE, (struct fl_str){&input, 1});
    }
}

static enum kube_visit_news take_status(struct kube_visit *visit, struct fl_ws_piece *piece)
{
    struct fl_str text;

    fl_buf_put(&visit->status, piece->bytes.at, piece->bytes.len);
    piece->bytes.len = 0;
    if (!piece->is_last) return KUBE_VISIT_NOTHING;
    text = (struct fl_str){(const char *)visit->status.at, visit->status.len};
    if (visit->status.is_over) {
        fl_fail(&visit->failed, FL_TOO_LARGE, "the API server's last word is over 16 KiB");
    } else if (!kube_channel_status(text, &visit->exit_code, &visit->failed)) {
        visit->exit_code = 0;
    }
    return KUBE_VISIT_ENDED;
}

static enum kube_visit_news take_close(struct kube_visit *visit, struct fl_ws_piece *piece)
{
    uint8_t which = piece->bytes.len > 0 ? (uint8_t)piece->bytes.at[0] : FL_VISIT_STDIN;

    piece->bytes.len = 0;
    if (which != FL_VISIT_STDOUT && which != FL_VISIT_STDERR) return KUBE_VISIT_NOTHING;
    visit->channel = (enum fl_visit_channel)which;
    return KUBE_VISIT_CLOSED;
}

static enum kube_visit_news take(struct kube_visit *visit, struct fl_ws_piece *piece)
{
    if (piece->is_first) {
        piece->is_first = false;
        visit->has_channel = false;
    }
    if (piece->bytes.len == 0) return KUBE_VISIT_NOTHING;
    if (!visit->has_channel) {
        visit->has_channel = true;
        visit->channel = (enum fl_visit_channel)(uint8_t)*piece->bytes.at++;
        piece->bytes.len--;
    }
    switch (visit->channel) {
    case FL_VISIT_STDOUT:
    case FL_VISIT_STDERR:
        visit->output = piece->bytes;
        piece->bytes.len = 0;
        return visit->output.len > 0 ? KUBE_VISIT_OUTPUT : KUBE_VISIT_NOTHING;
    case FL_VISIT_STATUS:
        return take_status(visit, piece);
    case FL_VISIT_CLOSE:
        return take_close(visit, piece);
    default: /* a server may have channels that we do not know */
        piece->bytes.len = 0;
        return KUBE_VISIT_NOTHING;
    }
}

static void begin(struct kube_visit *visit)
{
    if (visit->has_tty) say_size(visit);
}

const struct kube_visit_kind kube_visit_exec = {
    .request = {.protocol = KUBE_CHANNEL_PROTOCOL, .since = KUBE_CHANNEL_SINCE},
    .begin = begin,
    .take = take,
    .put = put,
    .end_input = end_input,
    .say_size = say_size,
};
