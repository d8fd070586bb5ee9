/* Server-sent events, as a control plane, or a stranger in its place, sends them to the CLI.
 * Property: events are the same however their bytes are cut; after a cut connection, reading on
 * behind the last run that was given misses none and gives none twice; the events, written anew,
 * are read as the same; a reader that has enough gets no more.
 * The first two bytes say where the connection is cut.
 * The planted bug (planted/event_reader.patch) keeps a run that was cut.
 *
 *     tests/fuzz/planted.sh event_reader */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "cli/event_reader.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

enum { STREAM_BYTES_MAX = 16 << 10, STORY_BYTES_MAX = 64 * STREAM_BYTES_MAX };

/* The events that came: name, zero byte, length, data. */
struct story {
    struct fl_buf text;
    struct fl_buf again; /* the events as a stream */
    size_t events, events_max;
};

static void put(struct fl_buf *to, const char *text)
{
    fl_assert(fl_buf_put(to, text, strlen(text)));
}

/* A line that ends with a carriage return of its own keeps it before CR LF. */
static void write_again(struct fl_buf *to, const struct cli_event *event)
{
    struct fl_str left = {event->data, event->data_len};
    const char *end;

    put(to, "event: ");
    put(to, event->name);
    do {
        end = left.len ? memchr(left.at, '\n', left.len) : NULL;
        put(to, "\r\ndata: ");
        fl_buf_put(to, left.at, end ? (size_t)(end - left.at) : left.len);
        if (end) left = (struct fl_str){end + 1, left.len - (size_t)(end + 1 - left.at)};
    } while (end);
    put(to, "\r\nid: 1\r\n\r\n");
}

static bool on_event(void *ctx, const struct cli_event *event)
{
    struct story *story = ctx;

    fl_assert(*event->name && strlen(event->name) <= CLI_EVENT_NAME_MAX);
    fl_assert(event->data[event->data_len] == 0);
    fl_assert(story->events < story->events_max);
    fl_assert(fl_buf_put(&story->text, event->name, strlen(event->name) + 1));
    fl_assert(fl_buf_put_bytes(&story->text, event->data, event->data_len));
    write_again(&story->again, event);
    return ++story->events < story->events_max;
}

static struct cli_event_reader *begin(struct story *story, size_t events_max)
{
    *story = (struct story){.events_max = events_max};
    fl_buf_init(&story->text, STORY_BYTES_MAX);
    fl_buf_init(&story->again, STORY_BYTES_MAX);
    return cli_event_reader_create(on_event, story);
}

static void end(struct story *story, struct cli_event_reader *reader)
{
    cli_event_reader_destroy(reader);
    fl_buf_fini(&story->text);
    fl_buf_fini(&story->again);
}

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void take(struct cli_event_reader *reader, struct fl_str bytes)
{
    struct fl_err err = {0};

    fl_assert(cli_event_reader_take(reader, bytes, &err)); /* far below each limit */
}

static void check_ids(struct cli_event_reader *one, struct cli_event_reader *other)
{
    const char *id = cli_event_reader_id(one);

    fl_assert(strcmp(id, cli_event_reader_id(other)) == 0);
    fl_assert(strlen(id) <= CLI_EVENT_ID_MAX && !strpbrk(id, "\r\n\t\033"));
}

/* Byte by byte up to 'cut'; then a new connection, behind the last run. */
static void check_cut(struct fl_str bytes, size_t cut, const struct story *whole,
                      struct cli_event_reader *whole_reader)
{
    struct story story;
    struct cli_event_reader *reader = begin(&story, SIZE_MAX);
    char id[CLI_EVENT_ID_MAX + 1] = "";
    size_t behind = 0;

    for (size_t i = 0; i < cut; i++) {
        size_t events = story.events;

        take(reader, (struct fl_str){bytes.at + i, 1});
        if (story.events > events || strcmp(id, cli_event_reader_id(reader)) != 0) behind = i + 1;
        memcpy(id, cli_event_reader_id(reader), strlen(cli_event_reader_id(reader)) + 1);
    }
    cli_event_reader_restart(reader);
    fl_assert(strcmp(id, cli_event_reader_id(reader)) == 0);
    take(reader, (struct fl_str){bytes.at + behind, bytes.len - behind});
    fl_assert(fl_str_eq(view(&story.text), view(&whole->text)));
    check_ids(reader, whole_reader);
    end(&story, reader);
}

static void check_written_again(const struct story *whole)
{
    struct story story;
    struct cli_event_reader *reader = begin(&story, SIZE_MAX);

    take(reader, view(&whole->again));
    fl_assert(fl_str_eq(view(&story.text), view(&whole->text)));
    end(&story, reader);
}

static void check_enough(struct fl_str bytes, size_t events_max)
{
    struct story story;
    struct cli_event_reader *reader = begin(&story, events_max);

    take(reader, bytes);
    take(reader, FL_STR("\n\ndata: more\nid: 9\n\n"));
    fl_assert(story.events == events_max);
    end(&story, reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct story whole;
    struct cli_event_reader *reader;
    struct fl_str bytes;
    size_t cut;

    if (size < 2 || size - 2 > STREAM_BYTES_MAX) return 0;
    bytes = (struct fl_str){(const char *)data + 2, size - 2};
    cut = (data[0] | (size_t)data[1] << 8) % (bytes.len + 1);
    reader = begin(&whole, SIZE_MAX);
    take(reader, bytes);
    check_cut(bytes, cut, &whole, reader);
    check_written_again(&whole);
    if (whole.events) check_enough(bytes, (whole.events + 1) / 2);
    end(&whole, reader);
    return 0;
}
