/* api_limits.h - the times and lengths that the API promises of keys, tokens and clusters, each
 * once: hub, agent, CLI and their texts have the same.
 * They are plain numbers, so that FL_QUOTE makes a text of each: "for " FL_QUOTE(FL_KEY_DAYS)
 * " days".
 * Uses libc only. */
#pragma once

#define FL_KEY_BYTES_MAX 128        /* an Idempotency-Key has */
#define FL_CLUSTER_UID_BYTES_MAX 64 /* its unique id, which its agent enrols with, has */
#define FL_KEY_DAYS 7               /* a repetition has the first one's outcome */
#define FL_JOIN_TTL_HOURS_MAX 24    /* a join token counts, at most */
#define FL_TOKEN_TTL_DAYS 90        /* a token of the API counts; the preset */
#define FL_TOKEN_GRACE_MINUTES 10   /* an old secret counts beside a new one; the preset */
#define FL_TOKEN_GRACE_DAYS_MAX 7   /* the same, at most */
