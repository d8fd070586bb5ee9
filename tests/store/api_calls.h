/* api_calls.h - the control plane of a test program, and short calls to it as its administrator.
 * 'start' and 'stop' are those of the program's group of tests; texts live until 'stop'. */
#pragma once

#include <pthread.h>
#include <stdlib.h>

#include "tests/fl_test.h"
#include "tests/store/api_help.h"

static struct help_hub *hub;
static struct fl_arena arena;

static inline const char *cstr(struct fl_str s)
{
    return fl_arena_copy(&arena, s.at, s.len);
}

static inline struct help_reply call(const char *method, const char *path, const char *body)
{
    return help_call(hub, &arena, help_hub_admin(hub), method, path, NULL, body, NULL);
}

static inline void expect(struct help_reply reply, int status)
{
    if (reply.status != status) {
        fail_msg("%d instead of %d: " FL_STR_FMT, reply.status, status, FL_STR_ARG(reply.body));
    }
}

static inline bool has(struct fl_str text, const char *part)
{
    return text.len > 0 && memmem(text.at, text.len, part, strlen(part)) != NULL;
}

static inline const char *submit(const char *document)
{
    struct help_reply reply = call("POST", "/v1/jobs", document);

    expect(reply, 201);
    return cstr(help_text(reply.json, "id"));
}

static inline const char *make_token(const char *document)
{
    struct help_reply reply = call("POST", "/v1/tokens", document);

    expect(reply, 201);
    return cstr(help_text(reply.json, "token"));
}

static inline const char *path(const char *job, const char *rest)
{
    return fl_arena_printf(&arena, "/v1/jobs/%s%s", job, rest);
}

/* One call on a thread of its own; a stream is read until its peer ends it. */
struct listener {
    const char *token, *path;
    struct fl_arena arena;
    struct help_reply reply;
    pthread_t thread;
};

static inline void *listen_until_closed(void *ctx)
{
    struct listener *listener = ctx;

    listener->reply =
        help_call(hub, &listener->arena, listener->token, "GET", listener->path, NULL, NULL, NULL);
    return NULL;
}

static inline int start(void **state)
{
    (void)state;
    hub = help_hub_start();
    return 0;
}

static inline int stop(void **state)
{
    (void)state;
    help_hub_stop(hub);
    fl_arena_fini(&arena);
    return 0;
}
