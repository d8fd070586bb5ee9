/* api_help.h - a control plane in the test's process: real Postgres, engine thread, two fronts over
 * loopback TLS, log store; and clients that block.  No wait is without end: an answer that does not
 * come fails the test. */
#pragma once

#include "controlplane/front/fronts.h"
#include "shared/base/arena.h"
#include "shared/json/json.h"

struct help_hub;

/* On the file's database, made anew; ready when it returns. */
struct help_hub *help_hub_start(void);
/* The same on what stands in this database; frees 'conninfo' with itself. */
struct help_hub *help_hub_start_on(char *conninfo);
void help_hub_stop(struct help_hub *hub);

const char *help_hub_conninfo(const struct help_hub *hub);
const char *help_hub_admin(const struct help_hub *hub); /* the first token */
struct fl_digest help_hub_ca(const struct help_hub *hub);

struct help_reply {
    int status;
    struct fl_str head, body;   /* in the arena; the body without its chunks */
    const struct fl_json *json; /* NULL: not JSON */
};

/* 'token' NULL: none.  'headers': whole lines with their ends, or NULL.  A stream is read until its
 * peer ends it, until 'until' has come, or for a minute, and then cut.  Any thread. */
struct help_reply help_call(const struct help_hub *hub, struct fl_arena *arena, const char *token,
                            const char *method, const char *path, const char *headers,
                            const char *body, const char *until);

/* The text of a member; fails the test when there is none. */
struct fl_str help_text(const struct fl_json *object, const char *key);
