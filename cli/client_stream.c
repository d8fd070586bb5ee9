#include "cli/client_stream.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "shared/base/buf.h"

enum {
    RETRY_FIRST_MS = 200,
    RETRY_MAX_MS = 5000,
    SILENT_S = 45,
    POLL_MS = 200,
    ID_BYTES_MAX = 16 << 10, /* a cursor of many sources */
    RUN_BYTES = 1 << 20,     /* a run this long without an id is given as it is */
    AWAY_SAID_MS = 3000
};

struct one {
    struct cli_streams *all;
    struct cli_stream what;
    CURL *curl; /* NULL: not open now */
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
    struct fl_buf line, data, problem;
    struct fl_buf run; /* events that were not given yet: name, zero byte, data, zero byte */
    bool has_id;       /* the event that is being read */
    char name[64];
    char id[ID_BYTES_MAX]; /* of the newest event that was handed on */
    char id_next[ID_BYTES_MAX];
    bool is_done, is_broken;
    int64_t again_at, wait_ms, away_since;
    bool has_said;
};

struct cli_streams {
    struct cli *cli;
    CURLM *multi;
    struct one *at[CLI_STREAMS_MAX];
    size_t len;
    int code;
};

struct cli_streams *cli_streams_create(struct cli *cli)
{
    struct cli_streams *streams = fl_new(struct cli_streams);

    streams->cli = cli;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    streams->multi = curl_multi_init();
    fl_assert(streams->multi);
    return streams;
}

static void hang_up(struct one *one)
{
    if (!one->curl) return;
    curl_multi_remove_handle(one->all->multi, one->curl);
    curl_easy_cleanup(one->curl);
    curl_slist_free_all(one->headers);
    one->curl = NULL;
    one->headers = NULL;
}

void cli_streams_destroy(struct cli_streams *streams)
{
    if (!streams) return;
    for (size_t i = 0; i < streams->len; i++) {
        hang_up(streams->at[i]);
        fl_buf_fini(&streams->at[i]->line);
        fl_buf_fini(&streams->at[i]->data);
        fl_buf_fini(&streams->at[i]->problem);
        fl_buf_fini(&streams->at[i]->run);
        fl_free(streams->at[i]);
    }
    curl_multi_cleanup(streams->multi);
    fl_free(streams);
}

void cli_streams_open(struct cli_streams *streams, const struct cli_stream *stream)
{
    struct one *one = fl_new(struct one);

    fl_assert(streams->len < CLI_STREAMS_MAX);
    one->all = streams;
    one->what = *stream;
    one->wait_ms = RETRY_FIRST_MS;
    fl_buf_init(&one->line, CLI_EVENT_BYTES_MAX);
    fl_buf_init(&one->data, CLI_EVENT_BYTES_MAX);
    fl_buf_init(&one->problem, 65536);
    fl_buf_init(&one->run, 2 * CLI_EVENT_BYTES_MAX);
    streams->at[streams->len++] = one;
}

/* ---- the format of events -------------------------------------------------------------------- */

static void give(struct one *one, const char *name, const char *data, size_t len)
{
    struct cli_event event = {.name = name, .id = one->id_next, .data = data, .data_len = len};

    if (!one->is_done && one->what.on_event(one->what.ctx, &event) == CLI_STREAM_DONE) {
        one->is_done = true;
    }
}

/* Events come in runs, of which the last has the id behind which a new connection goes on.  Given
 * is a run as a whole, so that one that was cut does not come twice. */
static void give_run(struct one *one)
{
    size_t at = 0;

    while (at < one->run.len) {
        const char *name = (const char *)one->run.at + at;
        const char *data = name + strlen(name) + 1;
        size_t len = strlen(data);

        give(one, name, data, len);
        at += strlen(name) + 1 + len + 1;
    }
    fl_buf_clear(&one->run);
    snprintf(one->id, sizeof one->id, "%s", one->id_next);
    one->wait_ms = RETRY_FIRST_MS;
}

static void hand_on(struct one *one)
{
    const char *name = *one->name ? one->name : "message";

    if (one->data.len == 0 && !*one->name) return;
    if (one->data.len && one->data.at[one->data.len - 1] == '\n') one->data.len--;
    /* JSON has no zero byte of its own. */
    fl_buf_put(&one->run, name, strlen(name) + 1);
    fl_buf_put(&one->run, one->data.at, one->data.len);
    if (!fl_buf_put_u8(&one->run, 0)) one->is_broken = true;
    if (one->has_id || strcmp(name, "end") == 0 || one->run.len > RUN_BYTES) give_run(one);
    fl_buf_clear(&one->data);
    one->name[0] = 0;
    one->has_id = false;
}

static void take_line(struct one *one, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    size_t name_len = colon ? (size_t)(colon - line) : len;
    const char *value = colon ? colon + 1 : line + len;
    size_t value_len = (size_t)(line + len - value);

    if (len == 0) {
        hand_on(one);
        return;
    }
    if (value_len && *value == ' ') {
        value++;
        value_len--;
    }
    if (name_len == 4 && memcmp(line, "data", 4) == 0) {
        if (!fl_buf_put(&one->data, value, value_len) || !fl_buf_put_u8(&one->data, '\n')) {
            one->is_broken = true;
        }
    } else if (name_len == 5 && memcmp(line, "event", 5) == 0) {
        snprintf(one->name, sizeof one->name, "%.*s", (int)value_len, value);
    } else if (name_len == 2 && memcmp(line, "id", 2) == 0 && value_len < ID_BYTES_MAX) {
        snprintf(one->id_next, sizeof one->id_next, "%.*s", (int)value_len, value);
        one->has_id = true;
    } /* a comment is a sign of life; all else is not for us */
}

static size_t on_bytes(char *bytes, size_t size, size_t len, void *ctx)
{
    struct one *one = ctx;
    long status = 0;
    size_t at = 0;

    (void)size;
    curl_easy_getinfo(one->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) return fl_buf_put(&one->problem, bytes, len) ? len : 0;
    if (one->has_said) fputs("fairlead: connected again\n", stderr);
    one->has_said = false;
    one->away_since = 0;
    while (at < len && !one->is_done && !one->is_broken) {
        const char *end = memchr(bytes + at, '\n', len - at);
        size_t part = end ? (size_t)(end - (bytes + at)) : len - at;

        if (!fl_buf_put(&one->line, bytes + at, part)) one->is_broken = true;
        at += part + (end != NULL);
        if (!end) break;
        part = one->line.len;
        if (part && one->line.at[part - 1] == '\r') part--;
        take_line(one, part ? (const char *)one->line.at : "", part);
        fl_buf_clear(&one->line);
    }
    return one->is_done || one->is_broken ? 0 : len;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void dial(struct one *one)
{
    struct cli *cli = one->all->cli;

    fl_buf_clear(&one->line);
    fl_buf_clear(&one->data);
    fl_buf_clear(&one->problem);
    fl_buf_clear(&one->run);
    one->name[0] = 0;
    one->has_id = false;
    snprintf(one->id_next, sizeof one->id_next, "%s", one->id);
    one->curl = cli_curl_create(cli, one->what.path, &one->headers);
    one->headers = curl_slist_append(one->headers, "Accept: text/event-stream");
    if (*one->id) {
        one->headers = curl_slist_append(
            one->headers, fl_arena_printf(&cli->arena, "Last-Event-ID: %s", one->id));
    }
    curl_easy_setopt(one->curl, CURLOPT_HTTPHEADER, one->headers);
    curl_easy_setopt(one->curl, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(one->curl, CURLOPT_WRITEDATA, one);
    curl_easy_setopt(one->curl, CURLOPT_PRIVATE, one);
    curl_easy_setopt(one->curl, CURLOPT_ERRORBUFFER, one->error);
    /* The server says something at least every 15 s. */
    curl_easy_setopt(one->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(one->curl, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S);
    curl_multi_add_handle(one->all->multi, one->curl);
}

static void come_again(struct one *one, const char *why)
{
    int64_t now = cli_monotonic_ms();

    if (!one->away_since) one->away_since = now;
    if (!one->has_said && now - one->away_since >= AWAY_SAID_MS) {
        fprintf(stderr, "fairlead: %s is away (%s); going on where it was as soon as it is back\n",
                one->all->cli->settings.url, why);
        one->has_said = true;
    }
    one->again_at = now + one->wait_ms;
    one->wait_ms = one->wait_ms * 2 < RETRY_MAX_MS ? one->wait_ms * 2 : RETRY_MAX_MS;
}

static void ended(struct one *one, CURLcode result)
{
    struct cli_streams *all = one->all;
    long status = 0;

    curl_easy_getinfo(one->curl, CURLINFO_RESPONSE_CODE, &status);
    hang_up(one);
    if (one->is_done) return;
    if (one->is_broken) {
        all->code = cli_fail(CLI_INTERNAL, "an event of %s is larger than %d MiB", one->what.path,
                             CLI_EVENT_BYTES_MAX >> 20);
        one->is_done = true;
    } else if (status && status != 200 && status != 503 && status != 429) {
        fl_buf_put_u8(&one->problem, 0);
        all->code = cli_problem(all->cli, (const char *)one->problem.at, status);
        one->is_done = true;
    } else if (result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE) {
        all->code = cli_fail(CLI_UNREACHABLE, "%s: its certificate is not trusted (%s)",
                             all->cli->settings.url, one->error);
        one->is_done = true;
    } else {
        come_again(one, result == CURLE_OK ? "it closed"
                        : *one->error      ? one->error
                                           : curl_easy_strerror(result));
    }
}

static bool is_all_done(const struct cli_streams *streams)
{
    for (size_t i = 0; i < streams->len; i++) {
        if (!streams->at[i]->is_done) return false;
    }
    return true;
}

int cli_streams_run(struct cli_streams *streams, int64_t deadline)
{
    while (!is_all_done(streams) && !streams->code) {
        CURLMsg *message;
        int running, left;

        if (cli_is_interrupted()) return CLI_CANCELLED;
        if (deadline && cli_monotonic_ms() >= deadline) return CLI_TIMED_OUT;
        for (size_t i = 0; i < streams->len; i++) {
            struct one *one = streams->at[i];

            if (!one->curl && !one->is_done && cli_monotonic_ms() >= one->again_at) dial(one);
        }
        curl_multi_perform(streams->multi, &running);
        while ((message = curl_multi_info_read(streams->multi, &left)) != NULL) {
            struct one *one = NULL;
            CURLcode result = message->data.result;

            if (message->msg != CURLMSG_DONE) continue;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&one);
            ended(one, result);
        }
        fflush(stdout);
        if (is_all_done(streams)) break;
        curl_multi_poll(streams->multi, NULL, 0, POLL_MS, NULL);
    }
    return streams->code;
}
