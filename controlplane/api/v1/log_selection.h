/* log_selection.h - which lines of a job's output a request is for: element, attempt, replicas,
 * time, the first or last ones, and the pattern that they match.  The query's words become the log
 * store's query. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/logs/pattern.h"
#include "controlplane/logs/read.h"

/* All but the pattern.  False: the call was answered. */
FL_CHECK bool log_selection_read(struct api_call *call, struct log_query *query);

/* 'is_one_piece': the answer counts its lines, and no line may be left out.  Without a pattern
 * *ret_pattern is NULL; else it is the caller's.  False: the call was answered. */
FL_CHECK bool log_selection_pattern(struct api_call *call, bool is_one_piece,
                                    struct log_pattern **ret_pattern);

#define LOG_REPLICAS_ALLOWED "as 3, 0-7 or 0,3,8-11; at most " FL_QUOTE(LOG_RANGES_MAX) " parts"

/* "3", "0-7" or "0,3,8-11".  False: it is no list of at most LOG_RANGES_MAX parts. */
FL_CHECK bool log_selection_replicas(struct fl_str text, struct log_query *query);

/* Rows of a route's query table. */
#define LOG_SELECTION                                                                              \
    API_MAY("element", "integer", "only this element", .max = UINT32_MAX),                         \
        API_MAY("attempt", "integer", "only this attempt, from 1", .min = 1, .max = UINT16_MAX),   \
        API_MAY("replica", "string", "only these replicas: 3, 0-7 or 0,3,8-11"),                   \
        API_MAY("from", "integer", "the first line, from 0", .max = INT64_MAX),                    \
        API_MAY("tail", "integer", "only the last so many lines", .max = INT64_MAX),               \
        API_MAY("since", "string", "lines from this time on", .format = API_FORMAT_time),          \
        API_MAY("until", "string", "lines before this time", .format = API_FORMAT_time),           \
        API_MAY("grep", "string", "only lines that match this pattern", .min = 1,                  \
                .max = LOG_PATTERN_BYTES_MAX),                                                     \
        API_MAY("match", "string",                                                                 \
                "how 'grep' is meant: text: as it stands (preset); regex: Perl's syntax, PCRE2",   \
                .words = "text, regex"),                                                           \
        API_MAY("ignoreCase", "boolean", "'grep' also matches letters of the other case"),         \
        API_MAY("invert", "boolean", "only lines that do not match 'grep'")
