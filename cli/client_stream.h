/* client_stream.h - server-sent events of the API, several streams at a time, resumed where they
 * were cut.  A stream whose connection ends is opened again with Last-Event-ID, so that nothing is
 * missed and nothing comes twice; 'end' from the server, or a problem, ends it for good.  While
 * events wait to be handled, a bounded part of the answer is held and the rest waits in the server.
 * Single-threaded: everything is called from cli_streams_run, and never from within the HTTP
 * client, so that a callback may send requests of its own. */
#pragma once

#include "cli/cli.h"
#include "cli/event_reader.h"

enum { CLI_STREAMS_MAX = 4 };

enum cli_stream_word {
    CLI_STREAM_MORE,
    CLI_STREAM_DONE,     /* close this one */
    CLI_STREAM_ALL_DONE, /* close all */
};

struct cli_stream {
    const char *path; /* "/v1/jobs/job-7m2k/logs/stream" */
    enum cli_stream_word (*on_event)(void *ctx, const struct cli_event *event);
    void *ctx;
};

struct cli_streams;

struct cli_streams *cli_streams_create(struct cli *cli);
void cli_streams_destroy(struct cli_streams *streams); /* NULL is fine */
void cli_streams_open(struct cli_streams *streams, const struct cli_stream *stream);

/* Until every stream is done, Ctrl-C, or 'deadline' (fl_clock_mono; 0: never) has come.  The
 * exit code: 0, 130 after Ctrl-C, 75 at the deadline, or that of a problem, which stderr names. */
int cli_streams_run(struct cli_streams *streams, int64_t deadline);
