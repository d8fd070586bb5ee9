#include "tests/sim/policy_access.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/hash.h"

enum { EXPIRED_LATE_MS = 5000, TWIN_SURE_MS = 50000 };

struct join {
    struct fl_digest token, key;
    uint32_t tenant, cluster; /* cluster 0: not used yet */
    fl_ms expires_at, changed_at;
};

struct token {
    char id[CORE_TOKEN_ID_MAX + 1];
    uint32_t tenant;
    fl_ms expires_at;        /* 0: never */
    struct fl_digest secret; /* the one that counts */
    struct fl_digest before; /* and the one before it, until before_until */
    fl_ms before_until;
};

/* The certificate of a cluster, as its rows have it. */
struct certificate {
    uint64_t generation, seen; /* the newest; and of those that have come */
    uint64_t seen_before;      /* as of the session before the newest */
    bool was_there;            /* that session was there, and listed, when the newest began */
};

/* A generation of a cluster's certificates, and the key that it is for. */
struct grant {
    uint32_t cluster;
    uint64_t generation;
    struct fl_digest key;
};

/* A request to come in: ENROL or RENEW. */
struct wish {
    uint64_t number;
    enum core_event_kind kind;
    struct fl_digest token, key;
    uint32_t cluster;
};

/* A request for a new secret, with the one that was shown. */
struct turn {
    uint64_t number;
    struct fl_digest shown, secret;
    fl_ms grace_ms;
    bool is_durable; /* a row has it */
};

struct hello {
    uint64_t connection, generation, boot;
    uint64_t expired_ms;
    uint32_t cluster;
};

/* A life of a cluster's agent that was welcomed. */
struct life {
    uint32_t cluster;
    uint64_t boot, connection;
    fl_ms until; /* true time: another one followed; 0: it is the newest */
};

struct policy_access {
    FL_VEC(struct join) joins;
    FL_VEC(struct token) tokens;
    FL_VEC(struct certificate) certificates; /* by cluster */
    FL_VEC(struct grant) grants;
    FL_VEC(struct wish) wishes;
    FL_VEC(struct turn) turns;
    FL_VEC(struct hello) hellos;
    FL_VEC(struct life) lives; /* that this leader knows: no row tells */
    FL_VEC(uint64_t) twins;    /* boot numbers that this leader called a twin's */
    uint64_t lives_term;
    /* found in this batch */
    FL_VEC(uint32_t) raised;   /* clusters whose generation grew */
    FL_VEC(uint32_t) let_in;   /* clusters that are open again */
    FL_VEC(uint32_t) enrolled; /* clusters that used a join token */
    FL_VEC(uint32_t) spoken;   /* clusters with a new session */
    FL_VEC(struct token) dropped;
    FL_VEC(char) said; /* the audit rows, a line each */
};

struct policy_access *policy_access_create(void)
{
    return fl_new(struct policy_access);
}

void policy_access_destroy(struct policy_access *access)
{
    if (!access) return;
    fl_vec_fini(&access->joins);
    fl_vec_fini(&access->tokens);
    fl_vec_fini(&access->certificates);
    fl_vec_fini(&access->grants);
    fl_vec_fini(&access->wishes);
    fl_vec_fini(&access->turns);
    fl_vec_fini(&access->hellos);
    fl_vec_fini(&access->lives);
    fl_vec_fini(&access->twins);
    fl_vec_fini(&access->raised);
    fl_vec_fini(&access->let_in);
    fl_vec_fini(&access->enrolled);
    fl_vec_fini(&access->spoken);
    fl_vec_fini(&access->dropped);
    fl_vec_fini(&access->said);
    fl_free(access);
}

static bool is_same(const struct fl_digest *a, const struct fl_digest *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static struct join *find_join(struct policy_access *access, const struct fl_digest *token)
{
    for (size_t i = 0; i < access->joins.len; i++) {
        if (is_same(&access->joins.at[i].token, token)) return &access->joins.at[i];
    }
    return NULL;
}

static struct certificate *need_certificate(struct policy_access *access, uint32_t cluster)
{
    while (access->certificates.len <= cluster) {
        fl_vec_push(&access->certificates, (struct certificate){0});
    }
    return &access->certificates.at[cluster];
}

static bool is_granted(const struct policy_access *access, const struct grant *grant)
{
    for (size_t i = access->grants.len; i > 0; i--) {
        const struct grant *known = &access->grants.at[i - 1];

        if (known->cluster == grant->cluster && known->generation == grant->generation &&
            is_same(&known->key, &grant->key)) {
            return true;
        }
    }
    return false;
}

/* An audit row of this batch says "VERB NAME" and perhaps more. */
static bool is_said(const struct policy_access *access, const char *verb, const char *name)
{
    size_t verb_len = strlen(verb), name_len = strlen(name);

    for (size_t i = 0; i < access->said.len;) {
        const char *line = &access->said.at[i];
        const char *end = memchr(line, '\n', access->said.len - i);
        size_t len = (size_t)(end - line);

        if (len >= verb_len + 1 + name_len && memcmp(line, verb, verb_len) == 0 &&
            line[verb_len] == ' ' && memcmp(line + verb_len + 1, name, name_len) == 0 &&
            (len == verb_len + 1 + name_len || line[verb_len + 1 + name_len] == ' ')) {
            return true;
        }
        i += len + 1;
    }
    return false;
}

/* ---- events ---------------------------------------------------------------------------------- */

void policy_access_heard(struct policy *policy, const struct core_event *event)
{
    struct policy_access *access = policy->access;
    struct wish wish = {.number = event->request >> 8, .kind = event->kind};
    struct hello hello;
    struct turn turn;

    switch (event->kind) {
    case CORE_EV_session_open:
        hello = (struct hello){event->session_open.connection, event->session_open.generation,
                               event->session_open.boot, event->session_open.expired_ms,
                               event->session_open.cluster.n};
        fl_vec_push(&access->hellos, hello);
        return;
    case CORE_EV_enrol:
        wish.token = event->enrol.token;
        wish.key = event->enrol.key;
        break;
    case CORE_EV_renew:
        wish.cluster = event->renew.cluster.n;
        wish.key = event->renew.key;
        break;
    case CORE_EV_token_rotate:
        turn = (struct turn){wish.number, event->token_rotate.shown, event->token_rotate.mac,
                             event->token_rotate.grace_ms, false};
        fl_vec_push(&access->turns, turn);
        return;
    default:
        return;
    }
    for (size_t i = 0; i < access->wishes.len; i++) {
        if (access->wishes.at[i].number == wish.number) return;
    }
    fl_vec_push(&access->wishes, wish);
}

/* ---- join tokens ----------------------------------------------------------------------------- */

static void I30_a_join_token_counts_once(struct policy *policy, const struct row_join_put *row)
{
    struct join *known = find_join(policy->access, &row->token);
    const char *why = NULL;

    if (!known) {
        if (row->cluster) why = "was never made";
        if (row->expires_at <= policy->at_before) why = "has expired when it is made";
        if (row->expires_at > policy->at + CORE_JOIN_TTL_MS) why = "lives for too long";
    } else if (!row->cluster) {
        why = "is made twice";
    } else if (known->cluster) {
        why = "is used twice";
    } else if (known->expires_at <= policy->at_before) {
        why = "has expired";
    } else if (known->tenant != row->tenant || known->expires_at != row->expires_at) {
        why = "was another";
    }
    if (!why) return;
    sim_broken(policy->sim, "I30", "cluster %u joins with a token that %s", row->cluster, why);
}

static void read_join(struct policy *policy, const struct row_join_put *row)
{
    struct policy_access *access = policy->access;
    struct join *known = find_join(access, &row->token);
    struct join join = {row->token,   row->key,        row->tenant,
                        row->cluster, row->expires_at, policy->at};

    I30_a_join_token_counts_once(policy, row);
    if (row->cluster) fl_vec_push(&access->enrolled, row->cluster);
    if (known) {
        *known = join;
    } else {
        fl_vec_push(&access->joins, join);
    }
}

static void drop_join(struct policy_access *access, const struct fl_digest *token)
{
    for (size_t i = 0; i < access->joins.len; i++) {
        if (!is_same(&access->joins.at[i].token, token)) continue;
        access->joins.at[i] = access->joins.at[access->joins.len - 1];
        (void)fl_vec_pop(&access->joins);
        return;
    }
}

/* ---- tokens of the API ----------------------------------------------------------------------- */

static struct turn *find_turn(struct policy_access *access, const struct fl_digest *secret)
{
    for (size_t i = access->turns.len; i > 0; i--) {
        struct turn *turn = &access->turns.at[i - 1];

        if (is_same(&turn->secret, secret)) return turn;
    }
    return NULL;
}

/* Its holder alone gets a new secret.  The one with which it asks counts for the grace that it
 * names; no longer than it did, where the answer with the newest was lost. */
static void I30_a_secret_is_replaced_by_its_holder(struct policy *policy, struct token *token,
                                                   const struct row_token_put *row)
{
    struct turn *turn = find_turn(policy->access, &row->mac);
    fl_ms until;
    bool is_late;

    if (!turn) {
        sim_broken(policy->sim, "I30", "token %s has a secret that nobody sent", token->id);
        return;
    }
    is_late = token->before_until > row->rotated_at && is_same(&turn->shown, &token->before);
    if (!is_late && !is_same(&turn->shown, &token->secret)) {
        sim_broken(policy->sim, "I30", "token %s has a new secret, for one that counts no more",
                   token->id);
    }
    if (row->rotated_at < policy->at_before || row->rotated_at > policy->at) {
        sim_broken(policy->sim, "I30", "token %s has a new secret at a time that is not now",
                   token->id);
    }
    until = turn->grace_ms ? row->rotated_at + turn->grace_ms : 0;
    if (is_late && token->before_until < until) until = token->before_until;
    if (row->old_until != until) {
        sim_broken(policy->sim, "I30", "token %s: its old secret counts for %lld ms", token->id,
                   (long long)(row->old_until - row->rotated_at));
    }
    if (row->old_until && !is_same(&row->old_mac, &turn->shown)) {
        sim_broken(policy->sim, "I30", "token %s: another secret counts than the one that asked",
                   token->id);
    }
    if (row->expires_at != token->expires_at) {
        sim_broken(policy->sim, "I30", "token %s ends at another time, and nobody asked for that",
                   token->id);
    }
    sim_mark(policy->sim, is_late ? MARK_secret_lost : MARK_secret_replaced);
    turn->is_durable = true;
    token->secret = row->mac;
    token->before = row->old_mac;
    token->before_until = row->old_until;
}

static void read_token(struct policy *policy, const struct row_token_put *row)
{
    struct policy_access *access = policy->access;
    struct token token = {.tenant = row->tenant, .expires_at = row->expires_at, .secret = row->mac};

    for (size_t i = 0; i < access->tokens.len; i++) {
        if (!fl_str_eq(fl_str_c(access->tokens.at[i].id), row->id)) continue;
        I30_a_secret_is_replaced_by_its_holder(policy, &access->tokens.at[i], row);
        return;
    }

    if (row->id.len) memcpy(token.id, row->id.at, row->id.len);
    if (row->expires_at && row->expires_at <= policy->at_before) {
        sim_broken(policy->sim, "I30", "token %s has expired when it is made", token.id);
    }
    fl_vec_push(&access->tokens, token);
}

static void drop_token(struct policy *policy, struct fl_str id)
{
    struct policy_access *access = policy->access;

    for (size_t i = 0; i < access->tokens.len; i++) {
        struct token token = access->tokens.at[i];

        if (!fl_str_eq(fl_str_c(token.id), id)) continue;
        fl_vec_remove(&access->tokens, i);
        fl_vec_push(&access->dropped, token);
        return;
    }
    sim_broken(policy->sim, "I30", "token %.*s is dropped and never was", FL_STR_ARG(id));
}

/* ---- clusters -------------------------------------------------------------------------------- */

/* An older certificate may be a thief's, unless it has expired: then it lies in old backups. */
static void I30_an_expired_certificate_locks_none(struct policy *policy, uint32_t cluster,
                                                  uint64_t generation)
{
    const struct policy_access *access = policy->access;
    bool has_expired = false;

    for (size_t i = 0; i < access->wishes.len; i++) {
        if (access->wishes.at[i].kind != CORE_EV_renew) continue;
        if (access->wishes.at[i].cluster == cluster) return;
    }
    for (size_t i = 0; i < access->hellos.len; i++) {
        const struct hello *hello = &access->hellos.at[i];

        if (hello->cluster != cluster || hello->generation >= generation) continue;
        if (!hello->expired_ms) return;
        has_expired = true;
    }
    if (!has_expired) return;
    sim_broken(policy->sim, "I30", "cluster %u is locked for a certificate that had expired",
               cluster);
}

static void read_cluster(struct policy *policy, const struct row_cluster_put *row)
{
    struct policy_access *access = policy->access;
    struct certificate *known = need_certificate(access, row->cluster);
    struct grant grant = {row->cluster, row->generation, row->key};
    const struct policy_cluster *before =
        row->cluster < policy->clusters.len && policy->clusters.at[row->cluster].is_known
            ? &policy->clusters.at[row->cluster]
            : NULL;
    bool is_new_session = before && row->session_epoch != before->session;

    if (is_new_session &&
        (before->state != POLICY_CLUSTER_ENROLLED || before->access != CORE_ACCESS_open)) {
        sim_broken(policy->sim, "I30", "cluster %u speaks: its state is %u, its access %u",
                   row->cluster, before->state, before->access);
    }
    if (row->generation < known->generation || row->seen < known->seen) {
        sim_broken(policy->sim, "I30", "the certificates of cluster %u go back", row->cluster);
    }
    if (before && before->access != CORE_ACCESS_open && row->access == CORE_ACCESS_open) {
        fl_vec_push(&access->let_in, row->cluster);
    }
    if (before && before->access == CORE_ACCESS_open && row->access == CORE_ACCESS_locked) {
        I30_an_expired_certificate_locks_none(policy, row->cluster, row->generation);
    }
    if (row->generation > known->generation) fl_vec_push(&access->raised, row->cluster);
    if (is_new_session) {
        fl_vec_push(&access->spoken, row->cluster);
        known->seen_before = known->seen;
        known->was_there = !before->is_lost && !before->is_closed && before->is_listed &&
                           before->session_term == policy->epoch;
    }
    known->generation = row->generation;
    known->seen = row->seen;
    if (!is_granted(access, &grant)) fl_vec_push(&access->grants, grant);
}

/* A twin comes back, and gets one audit row. */
static void I30_a_twin_is_told_of_once(struct policy *policy, struct fl_str body)
{
    struct policy_access *access = policy->access;
    uint64_t twin = fl_hash64(1, body.at, body.len);

    for (size_t i = 0; i < access->twins.len; i++) {
        if (access->twins.at[i] != twin) continue;
        sim_broken(policy->sim, "I30", "it is told twice: %.*s", FL_STR_ARG(body));
    }
    fl_vec_push(&access->twins, twin);
}

void policy_access_row(struct policy *policy, const struct row *row)
{
    struct policy_access *access = policy->access;

    switch (row->kind) {
    case ROW_join_put:
        read_join(policy, &row->join_put);
        break;
    case ROW_join_drop:
        drop_join(access, &row->join_drop.token);
        break;
    case ROW_token_put:
        read_token(policy, &row->token_put);
        break;
    case ROW_token_drop:
        drop_token(policy, row->token_drop.id);
        break;
    case ROW_cluster_put:
        read_cluster(policy, &row->cluster_put);
        break;
    case ROW_audit:
        if (row->audit.body.len > 18 && memcmp(row->audit.body.at, "cluster_duplicate ", 18) == 0) {
            I30_a_twin_is_told_of_once(policy, row->audit.body);
        }
        for (size_t i = 0; i < row->audit.body.len; i++) {
            fl_vec_push(&access->said, row->audit.body.at[i]);
        }
        fl_vec_push(&access->said, '\n');
        break;
    default:
        break;
    }
}

/* ---- at the end of a batch ------------------------------------------------------------------- */

static bool has(const uint32_t *at, size_t len, uint32_t cluster)
{
    for (size_t i = 0; i < len; i++) {
        if (at[i] == cluster) return true;
    }
    return false;
}

static void I30_only_a_key_raises_a_generation(struct policy *policy)
{
    const struct policy_access *access = policy->access;

    for (size_t i = 0; i < access->raised.len; i++) {
        uint32_t cluster = access->raised.at[i];
        const char *name = policy_cluster(policy, cluster)->name;

        if (is_said(access, "enrol", name) || is_said(access, "renew", name)) continue;
        if (has(access->spoken.at, access->spoken.len, cluster)) continue; /* its agent had it */
        sim_broken(policy->sim, "I30", "cluster %u has a new certificate, and asked for none",
                   cluster);
    }
}

static void I30_a_person_lets_it_in_again(struct policy *policy)
{
    const struct policy_access *access = policy->access;

    for (size_t i = 0; i < access->let_in.len; i++) {
        uint32_t cluster = access->let_in.at[i];

        if (has(access->enrolled.at, access->enrolled.len, cluster)) continue;
        if (is_said(access, "cluster_unlock", policy_cluster(policy, cluster)->name)) continue;
        sim_broken(policy->sim, "I30", "cluster %u may speak again, and nobody let it in", cluster);
    }
}

static void I30_what_expires_goes(struct policy *policy)
{
    const struct policy_access *access = policy->access;

    for (size_t i = 0; i < access->dropped.len; i++) {
        const struct token *token = &access->dropped.at[i];

        if (token->expires_at && token->expires_at <= policy->at) {
            sim_mark(policy->sim, MARK_token_expired);
        } else if (!is_said(access, "token_revoke", token->id)) {
            sim_broken(policy->sim, "I30", "token %s is dropped before its time", token->id);
        }
    }
    for (size_t i = 0; i < access->tokens.len; i++) {
        const struct token *token = &access->tokens.at[i];

        if (!token->expires_at || token->expires_at + EXPIRED_LATE_MS > policy->at_old) continue;
        sim_broken(policy->sim, "I30", "token %s expired %lld ms ago, and counts", token->id,
                   (long long)(policy->at_old - token->expires_at));
    }
    for (size_t i = 0; i < access->joins.len; i++) {
        const struct join *join = &access->joins.at[i];

        if (join->expires_at + EXPIRED_LATE_MS > policy->at_old) continue;
        sim_broken(policy->sim, "I30", "a join token expired %lld ms ago, and is kept",
                   (long long)(policy->at_old - join->expires_at));
    }
}

void policy_access_batch(struct policy *policy)
{
    struct policy_access *access = policy->access;

    I30_only_a_key_raises_a_generation(policy);
    I30_a_person_lets_it_in_again(policy);
    I30_what_expires_goes(policy);
    fl_vec_clear(&access->raised);
    fl_vec_clear(&access->let_in);
    fl_vec_clear(&access->enrolled);
    fl_vec_clear(&access->spoken);
    fl_vec_clear(&access->dropped);
    fl_vec_clear(&access->said);
}

/* ---- answers and frames ---------------------------------------------------------------------- */

/* One that another life followed speaks again, on a new connection, while the other is there: two
 * agents live on one identity, and the newest is refused (decision 43). */
static void I30_a_twin_is_refused(struct policy *policy, uint32_t cluster,
                                  const struct hello *hello)
{
    struct policy_access *access = policy->access;
    fl_ms now = policy->sim->now;
    bool is_newest = false;

    if (access->lives_term != policy->epoch) {
        fl_vec_clear(&access->lives);
        fl_vec_clear(&access->twins);
        access->lives_term = policy->epoch;
    }
    for (size_t i = 0; i < access->lives.len; i++) {
        struct life *life = &access->lives.at[i];

        if (life->cluster != cluster) continue;
        if (life->boot == hello->boot) {
            is_newest = true;
            if (life->until && life->until + TWIN_SURE_MS > now &&
                life->connection != hello->connection &&
                need_certificate(access, cluster)->was_there) {
                sim_broken(policy->sim, "I30", "two agents of cluster %u drive each other out",
                           cluster);
            }
            life->until = 0;
            life->connection = hello->connection;
        } else if (!life->until) {
            life->until = now;
        }
    }
    if (is_newest || !hello->boot) return;
    fl_vec_push(&access->lives, ((struct life){cluster, hello->boot, hello->connection, 0}));
}

static const struct hello *find_hello(const struct policy_access *access, uint64_t connection)
{
    for (size_t i = access->hellos.len; i > 0; i--) {
        if (access->hellos.at[i - 1].connection == connection) return &access->hellos.at[i - 1];
    }
    return NULL;
}

/* The newest one of a cluster that may speak brings it back for so long (decision 81). */
static void I30_who_may_rejoin_is_let_in(struct policy *policy, const struct core_send *send)
{
    const struct hello *hello = find_hello(policy->access, send->connection);
    const struct policy_cluster *cluster = policy_cluster(policy, send->cluster.n);

    if (!hello || !hello->expired_ms) return;
    sim_mark(policy->sim, MARK_expired_refused);
    if (hello->expired_ms > policy->config.rejoin_ms) return;
    if (hello->generation < need_certificate(policy->access, send->cluster.n)->generation) return;
    if (cluster->state != POLICY_CLUSTER_ENROLLED || cluster->access != CORE_ACCESS_open) return;
    sim_broken(policy->sim, "I30",
               "cluster %u may rejoin, its certificate expired %" PRIu64 " ms ago, and is refused",
               send->cluster.n, hello->expired_ms);
}

static void I30_what_lies_in_old_backups_is_refused(struct policy *policy,
                                                    const struct core_send *send,
                                                    const struct hello *hello)
{
    if (!hello->expired_ms) return;
    sim_mark(policy->sim, MARK_expired_rejoined);
    if (hello->expired_ms <= policy->config.rejoin_ms) return;
    sim_broken(policy->sim, "I30", "cluster %u speaks, its certificate expired %" PRIu64 " ms ago",
               send->cluster.n, hello->expired_ms);
}

/* Its certificate is as new as any that has come before. */
void policy_access_sent(struct policy *policy, const struct core_send *send, bool is_current)
{
    const struct policy_access *access = policy->access;
    const struct certificate *known = need_certificate(policy->access, send->cluster.n);

    if (send->kind == CORE_SEND_bye) {
        if (send->code == FL_DENIED) {
            sim_mark(policy->sim, MARK_session_denied);
            if (is_current) I30_who_may_rejoin_is_let_in(policy, send);
        }
        if (send->code == FL_CONFLICT) sim_mark(policy->sim, MARK_twin_refused);
        return;
    }
    if (send->kind != CORE_SEND_welcome && send->kind != CORE_SEND_resync) return;
    if (policy_cluster(policy, send->cluster.n)->session != send->session_epoch) return;
    for (size_t i = access->hellos.len; i > 0; i--) {
        const struct hello *hello = &access->hellos.at[i - 1];

        if (hello->connection != send->connection) continue;
        I30_what_lies_in_old_backups_is_refused(policy, send, hello);
        I30_a_twin_is_refused(policy, send->cluster.n, hello);
        if (!hello->generation || hello->generation >= known->seen_before) return;
        sim_broken(policy->sim, "I30",
                   "cluster %u speaks with certificate %" PRIu64 ", and %" PRIu64 " has come",
                   send->cluster.n, hello->generation, known->seen_before);
    }
}

static void I30_who_is_let_in_has_the_key(struct policy *policy, const struct wish *wish,
                                          const struct core_answer *answer)
{
    const struct join *join = find_join(policy->access, &wish->token);
    uint32_t id = (uint32_t)answer->id;
    struct grant grant = {id, answer->generation, wish->key};

    if (wish->kind == CORE_EV_enrol && join &&
        (join->cluster != id || !is_same(&join->key, &wish->key))) {
        sim_broken(policy->sim, "I30", "a join token that another key used lets one in");
    }
    if (is_granted(policy->access, &grant)) return; /* another may have followed, even at once */
    sim_broken(policy->sim, "I30", "cluster %u gets a certificate for another key", id);
}

static void I30_a_new_secret_is_durable(struct policy *policy, const struct turn *turn)
{
    if (turn->is_durable) return;
    sim_broken(policy->sim, "I30", "a new secret is given out that no row has");
}

void policy_access_answered(struct policy *policy, const struct core_answer *answer)
{
    const struct policy_access *access = policy->access;

    for (size_t i = 0; i < access->turns.len; i++) {
        if (access->turns.at[i].number != answer->request >> 8) continue;
        if (answer->code == FL_OK) I30_a_new_secret_is_durable(policy, &access->turns.at[i]);
        return;
    }
    for (size_t i = 0; i < access->wishes.len; i++) {
        const struct wish *wish = &access->wishes.at[i];

        if (wish->number != answer->request >> 8) continue;
        if (answer->code == FL_OK) {
            I30_who_is_let_in_has_the_key(policy, wish, answer);
        } else if (answer->code == FL_DENIED && wish->kind == CORE_EV_enrol) {
            sim_mark(policy->sim, MARK_join_token_refused);
        }
        return;
    }
}
