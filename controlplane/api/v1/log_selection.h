/* log_selection.h - which lines of a job's output a request is for: element, attempt, replicas,
 * time, the first or last ones, and the text that they hold.  The query's words become the log
 * store's query; only the text is looked for here, in the lines that the store gives. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/logs/read.h"

enum { LOG_GREP_BYTES_MAX = 256 };

struct log_grep {
    char text[LOG_GREP_BYTES_MAX];
    size_t len; /* 0: any line is a hit */
};

/* All but the text.  False: the call was answered. */
FL_CHECK bool log_selection_read(struct api_call *call, struct log_query *query);

/* 'is_one_piece': the answer counts its lines, and no line may be left out.  False: the call was
 * answered. */
FL_CHECK bool log_grep_read(struct api_call *call, bool is_one_piece, struct log_grep *ret_grep);

/* A gap is a hit, too: the missing bytes might have held the text. */
bool log_grep_is_hit(const struct log_grep *grep, const struct log_line *line);

/* "3", "0-7" or "0,3,8-11".  False: it is no list of at most LOG_RANGES_MAX parts. */
FL_CHECK bool log_selection_replicas(struct fl_str text, struct log_query *query);

/* Rows of a route's query table. */
#define LOG_SELECTION                                                                              \
    API_MAY("element", "integer", "only this element", .max = UINT32_MAX),                         \
        API_MAY("attempt", "integer", "only this attempt", .max = UINT16_MAX),                     \
        API_MAY("replica", "string", "only these replicas: 3, 0-7 or 0,3,8-11"),                   \
        API_MAY("from", "integer", "the first line, from 0", .max = INT64_MAX),                    \
        API_MAY("tail", "integer", "only the last so many lines", .max = INT64_MAX),               \
        API_MAY("since", "string", "lines from this time on", .format = API_FORMAT_time),          \
        API_MAY("until", "string", "lines before this time", .format = API_FORMAT_time),           \
        API_MAY("grep", "string", "only lines that hold this text, as it stands", .min = 1,        \
                .max = LOG_GREP_BYTES_MAX)
