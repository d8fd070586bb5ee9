#include "controlplane/store/lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/store/lease_mark.h"
#include "controlplane/store/pg_conn.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"

struct lease {
    struct lease_rule rule;
    char *conninfo, *holder;
    struct pg_waker waker;
    struct pg_conn *conn;
    fl_ms connect_at; /* after a loss: when to connect again */
    int answered;     /* how many rows the answer has; below 0: the statement failed */
    fl_ms core_ahead_ms;
    uint64_t boot;
    struct time_mark kept, asked; /* the newest renewal that succeeded; the one on its way */
    char set_text[TIME_TEXT_MAX]; /* "": nothing to tell */
};

static char *copy(const char *text)
{
    char *to = fl_new_array(char, strlen(text) + 1);

    return strcpy(to, text);
}

struct lease *lease_create(const char *conninfo, const char *holder, uint32_t ttl_ms,
                           const struct pg_waker *waker)
{
    struct lease *lease = fl_new(struct lease);

    lease->conninfo = copy(conninfo);
    lease->holder = copy(holder);
    lease->rule.ttl_ms = ttl_ms;
    lease->waker = *waker;
    lease->boot = fl_clock_boot();
    return lease;
}

static void disconnect(struct lease *lease)
{
    pg_conn_destroy(lease->conn);
    lease->conn = NULL;
}

void lease_destroy(struct lease *lease)
{
    if (!lease) return;
    disconnect(lease);
    fl_free(lease->conninfo);
    fl_free(lease->holder);
    fl_free(lease);
}

void lease_hold(struct lease *lease, fl_ms asked_at, fl_ms core_ahead_ms)
{
    lease_rule_hold(&lease->rule, asked_at);
    lease->core_ahead_ms = core_ahead_ms;
    lease->kept.at = 0;
    if (!lease->conn) lease->connect_at = asked_at;
}

void lease_release(struct lease *lease, fl_ms now)
{
    lease_rule_release(&lease->rule, now);
}

enum lease_state lease_state(const struct lease *lease)
{
    return lease->rule.state;
}

bool lease_is_good(const struct lease *lease, fl_ms now)
{
    return lease_rule_is_good(&lease->rule, now);
}

fl_ms lease_deadline(const struct lease *lease)
{
    bool can_ask = lease->conn && pg_conn_state(lease->conn) == PG_READY;
    fl_ms due = lease_rule_deadline(&lease->rule, can_ask);

    if (lease->rule.state == LEASE_NONE) return INT64_MAX;
    if (!lease->conn && lease->connect_at < due) due = lease->connect_at;
    if (lease->conn && pg_conn_deadline(lease->conn) < due) due = pg_conn_deadline(lease->conn);
    return due;
}

#define LEASE_RETURNS " where holder = $1 returning postgres_at"

/* False: the connection is lost. */
static bool ask(struct lease *lease, enum lease_question question, fl_ms now)
{
    static const char renew[] = "update lease set expires_at = clock_timestamp() + $6::int8 * "
                                "interval '1 ms'," LEASE_MARK_SET LEASE_RETURNS;
    static const char release[] = "update lease set holder = '', instance = '',"
                                  " expires_at = clock_timestamp()," LEASE_MARK_SET LEASE_RETURNS;
    bool is_renewal = question == LEASE_ASK_RENEWAL;
    struct time_mark mark = {
        .at = now + lease->core_ahead_ms,
        .clocks = {.hub = fl_clock_wall(), .uptime = fl_clock_uptime(), .boot = lease->boot},
    };
    struct lease_mark_texts of = lease_mark_texts(&mark);
    char ttl[16];
    const char *texts[] = {lease->holder, of.at, of.hub, of.uptime, of.boot, ttl};

    snprintf(ttl, sizeof ttl, "%" PRIu32, lease->rule.ttl_ms);
    lease->asked = mark;
    lease->answered = -1;
    lease_rule_asked(&lease->rule, question, now);
    return pg_conn_send_text(lease->conn, is_renewal ? renew : release, is_renewal ? 6 : 5, texts);
}

/* A renewal was answered: the row has what was asked. */
static void keep(struct lease *lease, const PGresult *result)
{
    struct time_mark before = lease->kept;

    lease->kept = lease->asked;
    lease->kept.clocks.postgres = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
    FL_IGNORE(time_rule_is_set(&before, &lease->kept.clocks, lease->kept.at, lease->set_text));
}

bool lease_saw_clock_set(struct lease *lease, char ret_text[TIME_TEXT_MAX])
{
    if (lease->set_text[0] == '\0') return false;
    memcpy(ret_text, lease->set_text, TIME_TEXT_MAX);
    lease->set_text[0] = '\0';
    return true;
}

/* True: an answer is complete, in *ret_answer. */
static bool read_answer(struct lease *lease, enum lease_answer *ret_answer)
{
    PGresult *result;

    for (;;) {
        switch (pg_conn_next(lease->conn, &result)) {
        case PG_NOTHING:
            return false;
        case PG_DONE:
            *ret_answer = lease->answered < 0    ? LEASE_NO_ANSWER
                          : lease->answered == 0 ? LEASE_ANOTHERS
                                                 : LEASE_DONE;
            return true;
        case PG_RESULT:
            if (PQresultStatus(result) == PGRES_TUPLES_OK) {
                lease->answered = PQntuples(result);
                if (lease->answered > 0) keep(lease, result);
            }
            PQclear(result);
            break;
        }
    }
}

static void lose_connection(struct lease *lease, fl_ms now)
{
    bool was_lost = lease_rule_answered(&lease->rule, LEASE_NO_ANSWER, now);

    fl_assert(!was_lost);
    disconnect(lease);
    lease->connect_at = now + LEASE_RETRY_MS;
}

/* The connection is ready. */
static bool turn_ready(struct lease *lease, fl_ms now)
{
    enum lease_answer answer;
    enum lease_question question;

    if (lease->rule.asking != LEASE_ASK_NOTHING && read_answer(lease, &answer) &&
        lease_rule_answered(&lease->rule, answer, now)) {
        return true;
    }
    question = lease_rule_next(&lease->rule, now);
    if (question != LEASE_ASK_NOTHING && !ask(lease, question, now)) lose_connection(lease, now);
    return false;
}

bool lease_turn(struct lease *lease, fl_ms now)
{
    bool is_lost;

    /* First, so that a process that was stopped does not rely on an old answer that waits. */
    is_lost = lease_rule_expires(&lease->rule, now);
    if (lease->rule.state != LEASE_NONE && !lease->conn && now >= lease->connect_at) {
        lease->conn =
            pg_conn_create(lease->conninfo, PG_PLAIN, "fairlead lease", &lease->waker, now);
    }
    if (lease->rule.state != LEASE_NONE && lease->conn) {
        switch (pg_conn_turn(lease->conn, now)) {
        case PG_CONNECTING:
            break;
        case PG_LOST:
            lose_connection(lease, now);
            break;
        case PG_READY:
            is_lost = turn_ready(lease, now);
            break;
        }
    }
    if (lease->rule.state == LEASE_NONE) disconnect(lease);
    return is_lost;
}
