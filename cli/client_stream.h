/* client_stream.h - server-sent events of the API, several streams at a time, resumed where they
 * were cut.  A stream whose connection ends is opened again with Last-Event-ID, so that nothing is
 * missed and nothing comes twice; 'end' from the server, or a problem, ends it for good.
 * Single-threaded: everything is called from cli_streams_run. */
#pragma once

#include "cli/cli.h"

enum { CLI_STREAMS_MAX = 4, CLI_EVENT_BYTES_MAX = 4 << 20 };

struct cli_event {
    const char *name; /* "message" when the server named none */
    const char *id;   /* "" : none */
    const char *data;
    size_t data_len;
};

enum cli_stream_word {
    CLI_STREAM_MORE,
    CLI_STREAM_DONE, /* close this one */
};

struct cli_stream {
    const char *path; /* "/v1/jobs/job-7m2k/logs/stream" */
    enum cli_stream_word (*on_event)(void *ctx, const struct cli_event *event);
    void *ctx;
};

struct cli_streams;

struct cli_streams *cli_streams_create(struct cli *cli);
void cli_streams_destroy(struct cli_streams *streams);
void cli_streams_open(struct cli_streams *streams, const struct cli_stream *stream);

/* Until every stream is done, Ctrl-C, or 'deadline' (cli_monotonic_ms; 0: never) has come.  The
 * exit code: 0, 130 after Ctrl-C, 75 at the deadline, or that of a problem, which was said. */
int cli_streams_run(struct cli_streams *streams, int64_t deadline);
