/* session_table.h - who is signed in from a browser, for every front of this process.
 * A session stands for the token with which it began, and has that token's rights as they are at
 * each request: a token that was revoked or expired, or whose secret was replaced, takes its
 * sessions with it.  It ends 12 hours after it began, 30 minutes after the last look at it, when
 * its owner leaves, and with the process, unless session_file.h brings it into the next one.  Its
 * text is a secret of 256 random bits, shown once; here is only its SHA-256.  The bounds:
 * SESSIONS_MAX, and SESSIONS_TOKEN_MAX of one token; at them the one that was not used for the
 * longest time makes room.
 *
 * A code begins one session, once, within a time: so a link can carry one.
 *
 * Times are of the loops' clock, which is one for all threads.  Thread-safe: a mutex. */
#pragma once

#include "controlplane/views/token_table.h"
#include "shared/base/hex.h"
#include "shared/base/str.h"

enum { SESSIONS_MAX = 4096, SESSIONS_TOKEN_MAX = 64, SESSION_CODES_MAX = 256 };
enum { SESSION_BYTES = 32, SESSION_TEXT_MAX = FL_HEX_MAX(SESSION_BYTES) };
enum {
    SESSION_LIFE_MS = 12 * 3600 * 1000,
    SESSION_IDLE_MS = 30 * 60 * 1000,
};

struct session {
    struct fl_digest key;    /* names it here; no secret */
    struct token_hold token; /* with the secret with which it began */
    fl_ms ends_at, used_at;
};

struct session_table;

struct session_table *session_table_create(void);
void session_table_destroy(struct session_table *table); /* NULL is fine */

/* This process's name: it tells its sessions from those of another one at the same address. */
const char *session_table_instance(const struct session_table *table);

void session_table_begin(struct session_table *table, const struct token_hold *token, fl_ms now,
                         char ret_text[SESSION_TEXT_MAX], struct session *ret_session);
/* False: there is none of this text, or it is over.  A look keeps it from being idle. */
bool session_table_find(struct session_table *table, struct fl_str text, fl_ms now,
                        struct session *ret_session);
/* The same for one that is known by its key. */
bool session_table_lives(struct session_table *table, const struct fl_digest *key, fl_ms now);
void session_table_end(struct session_table *table, const struct fl_digest *key);
size_t session_table_len(struct session_table *table);

/* Copies all that are not over, SESSIONS_MAX at most, and returns how many. */
size_t session_table_copy(struct session_table *table, fl_ms now, struct session *ret);
/* One of an earlier process, which is not over. */
void session_table_add(struct session_table *table, const struct session *session, fl_ms now);
uint64_t session_table_changes(struct session_table *table); /* counts beginnings and ends */

/* It counts until 'until'. */
void session_table_make_code(struct session_table *table, const struct token_hold *token,
                             fl_ms until, char ret_code[SESSION_TEXT_MAX]);
/* False: there is none of this text, it was used before, or its time is over. */
bool session_table_use_code(struct session_table *table, struct fl_str code, fl_ms now,
                            struct token_hold *ret_token);
