/* log_event.h - prints one event of a log stream for people: "[2] step 100", or a gap as a marked
 * line. */
#pragma once

#include "cli/client_stream.h"

struct cli_log_style {
    bool has_timestamps, is_raw;
    int64_t elements, replicas;        /* the job's; 0: not known */
    bool has_elements, has_replicas;   /* it has several: a line needs its prefix */
    bool is_in_line;                   /* the last text had no newline */
    int64_t element, replica, attempt; /* that text's; valid while is_in_line */
};

/* Prints the event.  DONE: it was the stream's last. */
enum cli_stream_word cli_log_event(struct cli *cli, struct cli_log_style *style,
                                   const struct cli_event *event);

/* Ends an unfinished line, so that the next text begins one. */
void cli_log_finish(struct cli_log_style *style);
