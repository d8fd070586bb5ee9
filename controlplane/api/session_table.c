#include "controlplane/api/session_table.h"

#include <pthread.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"

enum { INSTANCE_BYTES = 4 };

struct code {
    struct fl_digest key;
    struct token_hold token;
    fl_ms ends_at; /* 0: it was used, or never made */
};

struct session_table {
    pthread_mutex_t mutex;
    struct fl_map places;                 /* key -> its place in 'entries' */
    struct session entries[SESSIONS_MAX]; /* ends_at 0: the place is free */
    uint64_t changes;
    struct code codes[SESSION_CODES_MAX];
    size_t code_next; /* the oldest one */
    char instance[FL_HEX_MAX(INSTANCE_BYTES)];
};

struct session_table *session_table_create(void)
{
    struct session_table *table = fl_new(struct session_table);
    uint8_t bytes[INSTANCE_BYTES];

    pthread_mutex_init(&table->mutex, NULL);
    fl_random(bytes, sizeof bytes);
    fl_hex_print(bytes, sizeof bytes, table->instance);
    return table;
}

void session_table_destroy(struct session_table *table)
{
    if (!table) return;
    pthread_mutex_destroy(&table->mutex);
    fl_map_fini(&table->places);
    fl_free(table);
}

const char *session_table_instance(const struct session_table *table)
{
    return table->instance;
}

/* A new secret; its key is what is kept. */
static struct fl_digest make_secret(char ret_text[SESSION_TEXT_MAX])
{
    uint8_t bytes[SESSION_BYTES];

    fl_random(bytes, sizeof bytes);
    fl_hex_print(bytes, sizeof bytes, ret_text);
    fl_secret_wipe(bytes, sizeof bytes);
    return fl_sha256(ret_text, SESSION_TEXT_MAX - 1);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void drop(struct session_table *table, struct session *entry)
{
    fl_map_remove(&table->places, &entry->key, sizeof entry->key);
    *entry = (struct session){0};
    table->changes++;
}

static bool is_over(const struct session *entry, fl_ms now)
{
    return now >= entry->ends_at || now >= entry->used_at + SESSION_IDLE_MS;
}

/* A free place.  With its share of them, the token gives up its least recently used one; without
 * any free, whosever that is. */
static struct session *make_room(struct session_table *table, const char *token, fl_ms now)
{
    struct session *empty = NULL, *oldest = NULL, *oldest_own = NULL;
    size_t own = 0;

    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct session *entry = &table->entries[i];
        bool is_own;

        if (entry->ends_at && is_over(entry, now)) drop(table, entry);
        if (!entry->ends_at) {
            if (!empty) empty = entry;
            continue;
        }
        is_own = strcmp(entry->token.id, token) == 0;
        own += is_own;
        if (!oldest || entry->used_at < oldest->used_at) oldest = entry;
        if (is_own && (!oldest_own || entry->used_at < oldest_own->used_at)) oldest_own = entry;
    }
    if (own >= SESSIONS_TOKEN_MAX) {
        drop(table, oldest_own);
        return oldest_own;
    }
    if (empty) return empty;
    drop(table, oldest);
    return oldest;
}

void session_table_begin(struct session_table *table, const struct token_hold *token, fl_ms now,
                         char ret_text[SESSION_TEXT_MAX], struct session *ret_session)
{
    struct session session = {.key = make_secret(ret_text),
                              .token = *token,
                              .ends_at = now + SESSION_LIFE_MS,
                              .used_at = now};

    session_table_add(table, &session, now);
    *ret_session = session;
}

void session_table_add(struct session_table *table, const struct session *session, fl_ms now)
{
    struct session *entry;

    pthread_mutex_lock(&table->mutex);
    entry = make_room(table, session->token.id, now);
    *entry = *session;
    fl_map_put(&table->places, &entry->key, sizeof entry->key, (uint64_t)(entry - table->entries));
    table->changes++;
    pthread_mutex_unlock(&table->mutex);
}

/* Under the mutex; NULL: there is none. */
static struct session *look(struct session_table *table, const struct fl_digest *key, fl_ms now)
{
    struct session *entry;
    uint64_t place;

    if (!fl_map_find(&table->places, key, sizeof *key, &place)) return NULL;
    entry = &table->entries[place];
    if (is_over(entry, now)) {
        drop(table, entry);
        return NULL;
    }
    if (now > entry->used_at) entry->used_at = now;
    return entry;
}

bool session_table_find(struct session_table *table, struct fl_str text, fl_ms now,
                        struct session *ret_session)
{
    struct fl_digest key;
    const struct session *entry;

    if (text.len != SESSION_TEXT_MAX - 1) return false;
    key = fl_sha256(text.at, text.len);
    pthread_mutex_lock(&table->mutex);
    entry = look(table, &key, now);
    if (entry) *ret_session = *entry;
    pthread_mutex_unlock(&table->mutex);
    return entry != NULL;
}

bool session_table_lives(struct session_table *table, const struct fl_digest *key, fl_ms now)
{
    bool lives;

    pthread_mutex_lock(&table->mutex);
    lives = look(table, key, now) != NULL;
    pthread_mutex_unlock(&table->mutex);
    return lives;
}

void session_table_end(struct session_table *table, const struct fl_digest *key)
{
    uint64_t place;

    pthread_mutex_lock(&table->mutex);
    if (fl_map_find(&table->places, key, sizeof *key, &place)) drop(table, &table->entries[place]);
    pthread_mutex_unlock(&table->mutex);
}

size_t session_table_len(struct session_table *table)
{
    size_t len;

    pthread_mutex_lock(&table->mutex);
    len = table->places.len;
    pthread_mutex_unlock(&table->mutex);
    return len;
}

size_t session_table_copy(struct session_table *table, fl_ms now, struct session *ret)
{
    size_t len = 0;

    pthread_mutex_lock(&table->mutex);
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        const struct session *entry = &table->entries[i];

        if (entry->ends_at && !is_over(entry, now)) ret[len++] = *entry;
    }
    pthread_mutex_unlock(&table->mutex);
    return len;
}

uint64_t session_table_changes(struct session_table *table)
{
    uint64_t changes;

    pthread_mutex_lock(&table->mutex);
    changes = table->changes;
    pthread_mutex_unlock(&table->mutex);
    return changes;
}

/* ---- codes ----------------------------------------------------------------------------------- */

void session_table_make_code(struct session_table *table, const struct token_hold *token,
                             fl_ms until, char ret_code[SESSION_TEXT_MAX])
{
    struct code code = {make_secret(ret_code), *token, until};

    pthread_mutex_lock(&table->mutex);
    table->codes[table->code_next] = code;
    table->code_next = (table->code_next + 1) % SESSION_CODES_MAX;
    pthread_mutex_unlock(&table->mutex);
}

bool session_table_use_code(struct session_table *table, struct fl_str code, fl_ms now,
                            struct token_hold *ret_token)
{
    struct fl_digest key = fl_sha256(code.at, code.len);
    bool is_found = false;

    pthread_mutex_lock(&table->mutex);
    for (size_t i = 0; i < SESSION_CODES_MAX && !is_found; i++) {
        struct code *at = &table->codes[i];

        if (at->ends_at == 0 || !fl_digest_eq(at->key, key)) continue;
        is_found = now < at->ends_at;
        *ret_token = at->token;
        *at = (struct code){0};
        break;
    }
    pthread_mutex_unlock(&table->mutex);
    return is_found;
}
