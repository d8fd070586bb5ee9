#include "cli/event_reader.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/buf.h"

struct cli_event_reader {
    bool (*on_event)(void *ctx, const struct cli_event *event);
    void *ctx;
    struct fl_buf line, data;
    struct fl_buf run; /* name and zero byte, length of the data, data and zero byte */
    char name[CLI_EVENT_NAME_MAX + 1];
    bool has_id; /* the event that is being read */
    bool is_stopped;
    char id[CLI_EVENT_ID_MAX + 1]; /* the newest run's that was given */
    char id_next[CLI_EVENT_ID_MAX + 1];
};

struct cli_event_reader *
cli_event_reader_create(bool (*on_event)(void *ctx, const struct cli_event *event), void *ctx)
{
    struct cli_event_reader *reader = fl_new(struct cli_event_reader);

    reader->on_event = on_event;
    reader->ctx = ctx;
    fl_buf_init(&reader->line, CLI_EVENT_BYTES_MAX + 1); /* and its carriage return */
    fl_buf_init(&reader->data, CLI_EVENT_BYTES_MAX + 1); /* and its last line feed */
    fl_buf_init(&reader->run, 2 * CLI_EVENT_BYTES_MAX);
    return reader;
}

void cli_event_reader_destroy(struct cli_event_reader *reader)
{
    if (!reader) return;
    fl_buf_fini(&reader->line);
    fl_buf_fini(&reader->data);
    fl_buf_fini(&reader->run);
    fl_free(reader);
}

void cli_event_reader_restart(struct cli_event_reader *reader)
{
    fl_buf_clear(&reader->line);
    fl_buf_clear(&reader->data);
    fl_buf_clear(&reader->run);
    reader->name[0] = 0;
    reader->has_id = false;
    memcpy(reader->id_next, reader->id, strlen(reader->id) + 1);
}

const char *cli_event_reader_id(const struct cli_event_reader *reader)
{
    return reader->id;
}

static void give_run(struct cli_event_reader *reader)
{
    struct fl_reader run = fl_reader(reader->run.at, reader->run.len);

    while (run.pos < run.len && !reader->is_stopped) {
        struct cli_event event = {.name = (const char *)run.at + run.pos};

        run.pos += strlen(event.name) + 1;
        event.data_len = (size_t)fl_read_var(&run);
        event.data = (const char *)run.at + run.pos;
        run.pos += event.data_len + 1;
        reader->is_stopped = !reader->on_event(reader->ctx, &event);
    }
    fl_buf_clear(&reader->run);
    memcpy(reader->id, reader->id_next, strlen(reader->id_next) + 1);
}

/* An id alone is no event, but ends the run before it. */
static void end_event(struct cli_event_reader *reader)
{
    bool is_event = reader->data.len || *reader->name, is_end = reader->has_id;

    if (is_event) {
        const char *name = *reader->name ? reader->name : "message";

        if (reader->data.len) reader->data.len--; /* the line feed after its last line */
        fl_buf_put(&reader->run, name, strlen(name) + 1);
        fl_buf_put_bytes(&reader->run, reader->data.at, reader->data.len);
        fl_buf_put_u8(&reader->run, 0);
        is_end = is_end || strcmp(name, "end") == 0 || strcmp(name, "closed") == 0 ||
                 strcmp(name, "waiting") == 0 || reader->run.len > CLI_EVENT_RUN_BYTES;
    }
    if (is_end) give_run(reader);
    fl_buf_clear(&reader->data);
    reader->name[0] = 0;
    reader->has_id = false;
}

static bool is_field(struct fl_str name, const char *field)
{
    return name.len == strlen(field) && memcmp(name.at, field, name.len) == 0;
}

/* It goes back in a header. */
static bool is_id(struct fl_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.at[i] < ' ' || text.at[i] == 127) return false;
    }
    return text.len <= CLI_EVENT_ID_MAX;
}

static bool take_line(struct cli_event_reader *reader, struct fl_str line, struct fl_err *err)
{
    const char *colon = line.len ? memchr(line.at, ':', line.len) : NULL;
    struct fl_str name = {line.at, colon ? (size_t)(colon - line.at) : line.len};
    struct fl_str value = {colon ? colon + 1 : "", colon ? line.len - name.len - 1 : 0};

    if (line.len == 0) {
        end_event(reader);
        return true;
    }
    if (value.len && *value.at == ' ') {
        value.at++;
        value.len--;
    }
    if (is_field(name, "data")) {
        fl_buf_put(&reader->data, value.at, value.len);
        if (!fl_buf_put_u8(&reader->data, '\n')) {
            return fl_fail(err, FL_TOO_LARGE, "an event is larger than %d MiB",
                           CLI_EVENT_BYTES_MAX >> 20);
        }
    } else if (is_field(name, "event")) {
        snprintf(reader->name, sizeof reader->name, FL_STR_FMT, FL_STR_ARG(value));
    } else if (is_field(name, "id") && is_id(value)) {
        memcpy(reader->id_next, value.at, value.len);
        reader->id_next[value.len] = 0;
        reader->has_id = true;
    } /* a comment is a sign of life; no other field is for us */
    return true;
}

bool cli_event_reader_take(struct cli_event_reader *reader, struct fl_str bytes, struct fl_err *err)
{
    size_t at = 0;

    while (at < bytes.len && !reader->is_stopped) {
        const char *end = memchr(bytes.at + at, '\n', bytes.len - at);
        size_t part = end ? (size_t)(end - (bytes.at + at)) : bytes.len - at;
        struct fl_str line;

        if (!fl_buf_put(&reader->line, bytes.at + at, part)) {
            return fl_fail(err, FL_TOO_LARGE, "a line is larger than %d MiB",
                           CLI_EVENT_BYTES_MAX >> 20);
        }
        at += part + (end != NULL);
        if (!end) break;
        line = (struct fl_str){(const char *)reader->line.at, reader->line.len};
        if (line.len && line.at[line.len - 1] == '\r') line.len--;
        if (!take_line(reader, line, err)) return false;
        fl_buf_clear(&reader->line);
    }
    return true;
}
