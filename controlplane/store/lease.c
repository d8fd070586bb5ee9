#include "controlplane/store/lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/store/pg_conn.h"
#include "shared/base/alloc.h"

enum { RECONNECT_MS = 500, RELEASE_MS = 2000 };

struct lease {
    char *conninfo, *holder;
    uint32_t ttl_ms;
    struct pg_conn *conn;
    enum lease_state state;
    fl_ms good_until; /* two thirds after the newest success */
    fl_ms renew_at;
    fl_ms connect_at; /* after a loss */
    fl_ms release_by;
    fl_ms asked_at; /* of the renewal on its way */
    bool is_asking;
    int answered; /* rows of the answer; below 0: refused */
};

static char *copy(const char *text)
{
    char *to = fl_new_array(char, strlen(text) + 1);

    return strcpy(to, text);
}

struct lease *lease_create(const char *conninfo, const char *holder, uint32_t ttl_ms)
{
    struct lease *lease = fl_new(struct lease);

    lease->conninfo = copy(conninfo);
    lease->holder = copy(holder);
    lease->ttl_ms = ttl_ms;
    return lease;
}

static void disconnect(struct lease *lease)
{
    pg_conn_destroy(lease->conn);
    lease->conn = NULL;
    lease->is_asking = false;
}

void lease_destroy(struct lease *lease)
{
    if (!lease) return;
    disconnect(lease);
    fl_free(lease->conninfo);
    fl_free(lease->holder);
    fl_free(lease);
}

static fl_ms good_ms(const struct lease *lease)
{
    return (fl_ms)lease->ttl_ms * 2 / 3;
}

void lease_hold(struct lease *lease, fl_ms asked_at, fl_ms now)
{
    lease->state = LEASE_HELD;
    lease->good_until = asked_at + good_ms(lease);
    lease->renew_at = asked_at + lease->ttl_ms / 3;
    if (!lease->conn) lease->connect_at = now;
}

void lease_release(struct lease *lease, fl_ms now)
{
    if (lease->state != LEASE_HELD) return;
    lease->state = LEASE_RELEASING;
    lease->release_by = now + RELEASE_MS;
}

enum lease_state lease_state(const struct lease *lease)
{
    return lease->state;
}

bool lease_is_good(const struct lease *lease, fl_ms now)
{
    return lease->state == LEASE_HELD && now < lease->good_until;
}

int lease_fd(const struct lease *lease)
{
    return lease->conn ? pg_conn_fd(lease->conn) : -1;
}

short lease_events(const struct lease *lease)
{
    return lease->conn ? pg_conn_events(lease->conn) : 0;
}

fl_ms lease_deadline(const struct lease *lease)
{
    fl_ms due = lease->state == LEASE_HELD ? lease->good_until : lease->release_by;

    if (lease->state == LEASE_NONE) return INT64_MAX;
    if (!lease->conn && lease->connect_at < due) due = lease->connect_at;
    if (lease->conn && pg_conn_deadline(lease->conn) < due) due = pg_conn_deadline(lease->conn);
    if (lease->state == LEASE_HELD && lease->conn && !lease->is_asking && lease->renew_at < due &&
        pg_conn_state(lease->conn) == PG_READY) {
        due = lease->renew_at;
    }
    return due;
}

static void ask(struct lease *lease, fl_ms now)
{
    static const char renew[] =
        "update lease set expires_at = clock_timestamp() + $2::int8 * interval '1 ms'"
        " where holder = $1 returning 1";
    static const char release[] = "update lease set holder = '', instance = '',"
                                  " expires_at = clock_timestamp() where holder = $1 returning 1";
    bool is_renewal = lease->state == LEASE_HELD;
    char ttl[16];
    const char *texts[] = {lease->holder, ttl};

    snprintf(ttl, sizeof ttl, "%" PRIu32, lease->ttl_ms);
    lease->asked_at = now;
    lease->answered = -1;
    lease->is_asking =
        pg_conn_send_text(lease->conn, is_renewal ? renew : release, is_renewal ? 2 : 1, texts);
    if (is_renewal) lease->renew_at = now + lease->ttl_ms / 3;
}

/* True: an answer is complete. */
static bool read_answer(struct lease *lease)
{
    PGresult *result;

    for (;;) {
        switch (pg_conn_next(lease->conn, &result)) {
        case PG_NOTHING:
            return false;
        case PG_DONE:
            lease->is_asking = false;
            return true;
        case PG_RESULT:
            if (PQresultStatus(result) == PGRES_TUPLES_OK) lease->answered = PQntuples(result);
            PQclear(result);
            break;
        }
    }
}

static bool lose(struct lease *lease)
{
    bool was_held = lease->state == LEASE_HELD;

    lease->state = LEASE_NONE;
    disconnect(lease);
    return was_held;
}

bool lease_turn(struct lease *lease, fl_ms now)
{
    bool was_asking_release;

    if (lease->state == LEASE_NONE) return false;
    /* First: whoever was stopped for long must not issue because an old answer happens to wait. */
    if (lease->state == LEASE_HELD && now >= lease->good_until) return lose(lease);
    if (lease->state == LEASE_RELEASING && now >= lease->release_by) return lose(lease);
    if (!lease->conn) {
        if (now < lease->connect_at) return false;
        lease->conn = pg_conn_create(lease->conninfo, PG_PLAIN, "fairlead lease", now);
    }
    switch (pg_conn_turn(lease->conn, now)) {
    case PG_CONNECTING:
        return false;
    case PG_LOST:
        disconnect(lease);
        lease->connect_at = now + RECONNECT_MS;
        return false;
    case PG_READY:
        break;
    }
    if (lease->is_asking && read_answer(lease)) {
        was_asking_release = lease->state == LEASE_RELEASING && lease->renew_at == INT64_MAX;
        if (was_asking_release) return lose(lease);
        if (lease->answered == 0) return lose(lease); /* it is another's */
        if (lease->answered == 1) lease->good_until = lease->asked_at + good_ms(lease);
    }
    if (lease->is_asking) return false;
    if (lease->state == LEASE_RELEASING) {
        ask(lease, now);
        lease->renew_at = INT64_MAX; /* it is the release that is on its way */
    } else if (now >= lease->renew_at) {
        ask(lease, now);
    }
    return false;
}
