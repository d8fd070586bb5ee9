/* top_call.h - one request of 'top' to the control plane, which never waits: it goes on within the
 * turns of the loop that cli/http.h has, and is asked whether it has ended. */
#pragma once

#include <jansson.h>

#include "cli/http.h"
#include "cli/top/top_model.h"

struct top_call {
    struct cli *cli;
    struct cli_http *http;
    struct fl_http_call *call; /* NULL: none is open */
    struct fl_buf body;
    unsigned status; /* 0: no answer came */
    bool is_done;
    struct fl_err err; /* no text: it ended as it should */
};

void top_call_init(struct top_call *call, struct cli *cli, struct cli_http *http);
void top_call_fini(struct top_call *call); /* calls off what is open; zeroed is fine */

/* One that is open is called off. */
void top_call_start(struct top_call *call, const char *method, const char *path);
bool top_call_is_open(const struct top_call *call);

struct top_answer {
    unsigned status;         /* 0: there was none */
    json_t *json;            /* a good answer's; the caller's; NULL: there is none */
    char why[TOP_WHY_BYTES]; /* "": a good answer */
};

/* True once, when it has ended. */
bool top_call_take(struct top_call *call, struct top_answer *ret_answer);
