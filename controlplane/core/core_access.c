#include <inttypes.h>
#include <string.h>

#include "controlplane/core/core_state.h"

/* Access: join tokens, certificates and tokens of the API.  The core sees digests and generations,
 * never a secret; its decision is durable before the front hands out a certificate or a token.
 *
 * A certificate carries its cluster's generation, and each renewal raises it.  So two holders of
 * one key show themselves: the second one presents an old generation, in a HELLO or in a renewal,
 * and the core locks the cluster until a person unlocks it or lets it join again.  Two cases are
 * innocent.  A renewal whose answer was lost comes again with the same new key; it is answered
 * again.  A connection that is older than the first use of the newer certificate sent its HELLO
 * late; it is refused, and nothing is locked. */

static bool is_same(const struct fl_digest *a, const struct fl_digest *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* False: 'from' does not fit, or holds a zero byte; 'to' is as it was. */
static bool copy_text(char *to, size_t to_bytes, struct fl_str from)
{
    if (from.len >= to_bytes || (from.len > 0 && memchr(from.at, '\0', from.len))) return false;
    memset(to, 0, to_bytes);
    if (from.len > 0) memcpy(to, from.at, from.len);
    return true;
}

static void answer_ok(struct core_batch *batch, const struct core_event *event,
                      struct core_answer answer)
{
    struct core_effect effect = {.kind = CORE_ANSWER, .answer = answer};

    effect.answer.request = event->request;
    core_keep_answer(batch, event, &effect.answer);
    if (event->request) core_batch_effect(batch, &effect);
}

static void answer_certificate(struct core_batch *batch, const struct core_event *event,
                               const struct cluster *cluster)
{
    answer_ok(batch, event,
              (struct core_answer){.id = cluster->id.n,
                                   .generation = cluster->generation,
                                   .uuid = cluster->uuid,
                                   .name = cluster->name});
}

/* ---- expiry ---------------------------------------------------------------------------------- */

static void arm(struct core *core)
{
    fl_ms due = access_table_deadline(&core->access);

    if (due == core->access_at) return;
    core->access_at = due;
    if (due != INT64_MAX) core_timer_arm(core, TIMER_ACCESS, 0, due);
}

void core_access_begin(struct core *core)
{
    arm(core);
}

static void put_join_drop(void *ctx, const struct join *join)
{
    struct row row = {.kind = ROW_join_drop, .join_drop = {.token = join->token}};

    core_batch_row(ctx, &row);
}

static void drop_join(struct core *core, struct core_batch *batch, const struct join *join)
{
    put_join_drop(batch, join);
    access_table_drop_join(&core->access, &join->token);
}

static void drop_token(struct core *core, struct core_batch *batch, const char *id)
{
    struct row row = {.kind = ROW_token_drop, .token_drop = {.id = fl_str_c(id)}};

    core_batch_row(batch, &row);
    access_table_drop_token(&core->access, fl_str_c(id));
}

static void put_token_drop(void *ctx, const struct token *token)
{
    struct row row = {.kind = ROW_token_drop, .token_drop = {.id = fl_str_c(token->id)}};

    core_batch_row(ctx, &row);
}

void core_access_expire(struct core *core, struct core_batch *batch)
{
    struct access_gone gone = {batch, put_join_drop, put_token_drop};

    access_table_expire(&core->access, core->now, gone);
    arm(core);
}

/* ---- join tokens ----------------------------------------------------------------------------- */

static void put_join_row(struct core_batch *batch, const struct join *join)
{
    struct row row = {.kind = ROW_join_put,
                      .join_put = {.token = join->token,
                                   .tenant = join->tenant.n,
                                   .expires_at = join->expires_at,
                                   .cluster = join->cluster.n,
                                   .key = join->key,
                                   .name = fl_str_c(join->name)}};

    core_batch_row(batch, &row);
}

static void put_join(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct join join = {.token = event->join_put.token,
                        .tenant = event->tenant,
                        .expires_at = core->now + event->join_put.ttl_ms};
    struct fl_err err = {0};

    core_access_expire(core, batch);
    if (event->join_put.ttl_ms <= 0 || event->join_put.ttl_ms > CORE_JOIN_TTL_MS) {
        core_answer_code(batch, event, FL_INVALID,
                         "a join token lives for longer than nothing, and for " FL_QUOTE(
                             FL_JOIN_TTL_HOURS_MAX) " hours at most");
        return;
    }
    /* A name that does not fit leaves join.name empty, and access_table_add_join refuses that. */
    FL_IGNORE(copy_text(join.name, sizeof join.name, event->join_put.name));
    if (!access_table_add_join(&core->access, &join, &err)) {
        core_answer_code(batch, event, err.code, err.text);
        return;
    }
    put_join_row(batch, &join);
    core_audit(batch, event, "join_put %s", join.name);
    arm(core);
    answer_ok(batch, event, (struct core_answer){.id = (uint64_t)join.expires_at});
}

static void revoke_join(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    const struct join *found = access_table_join(&core->access, &event->join_revoke.token);
    struct join join;

    if (!found || found->tenant.n != event->tenant.n || found->cluster.n) {
        core_answer_code(batch, event, FL_ABSENT, "this join token is unknown, used or expired");
        return;
    }
    join = *found;
    drop_join(core, batch, &join);
    core_audit(batch, event, "join_revoke %s", join.name);
    arm(core);
    answer_ok(batch, event, (struct core_answer){0});
}

/* ---- certificates ---------------------------------------------------------------------------- */

/* The cluster that the token names, new or known, ready for its new key; NULL: answered. */
static struct cluster *enrolled(struct core *core, const struct core_event *event,
                                struct core_batch *batch, const struct join *join)
{
    struct cluster *cluster = cluster_table_find_name(&core->clusters, fl_str_c(join->name));
    struct fl_err err = {0};

    if (event->enrol.uuid.len != CORE_UUID_BYTES || !fl_str_is_text(event->enrol.uuid)) {
        core_answer_code(batch, event, FL_INVALID, "a uuid has 36 characters");
        return NULL;
    }
    if (!cluster && cluster_table_find_uid(&core->clusters, event->enrol.uid)) {
        core_answer_code(batch, event, FL_EXISTS,
                         "an agent of this uid is enrolled already, under another name; remove "
                         "that cluster first, or give this agent a cluster_uid of its own");
        return NULL;
    }
    if (!cluster && !cluster_table_add(&core->clusters, (struct fl_cluster){0},
                                       fl_str_c(join->name), event->enrol.uid, &cluster, &err)) {
        core_answer_code(batch, event, err.code, err.text);
        return NULL;
    }
    if (!fl_str_eq(fl_str_c(cluster->uid), event->enrol.uid)) {
        core_answer_code(batch, event, FL_EXISTS,
                         "a cluster of this name, but with another uid, is there already; remove "
                         "it first, or take another name");
        return NULL;
    }
    if (cluster->uuid[0] == '\0') memcpy(cluster->uuid, event->enrol.uuid.at, CORE_UUID_BYTES);
    return cluster;
}

static void enrol(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct join *join = access_table_join(&core->access, &event->enrol.token);
    struct cluster *cluster;
    struct join surplus;

    if (!join || join->expires_at <= core->now) {
        core_answer_code(batch, event, FL_DENIED,
                         "this join token is unknown, used or expired; make another");
        return;
    }
    if (join->cluster.n) { /* the answer may have been lost on its way */
        cluster = cluster_table_at(&core->clusters, join->cluster);
        if (cluster->state == CLUSTER_ENROLLED && cluster->access == CORE_ACCESS_open &&
            is_same(&join->key, &event->enrol.key) && is_same(&join->key, &cluster->key)) {
            answer_certificate(batch, event, cluster);
        } else {
            core_answer_code(batch, event, FL_DENIED,
                             "this join token is unknown, used or expired; make another");
        }
        return;
    }
    cluster = enrolled(core, event, batch, join);
    if (!cluster) return;
    cluster->generation++;
    cluster->key = event->enrol.key;
    cluster->access = CORE_ACCESS_open;
    access_table_use_join(&core->access, join, cluster->id, &cluster->key);
    core_put_cluster(batch, cluster);
    put_join_row(batch, join);
    core_audit(batch, event, "enrol %s generation=%" PRIu64, cluster->name, cluster->generation);
    while (access_table_surplus(&core->access, &surplus)) {
        drop_join(core, batch, &surplus);
    }
    arm(core);
    core->is_dirty = true;
    answer_certificate(batch, event, cluster);
}

const char *core_access_refusal(const struct cluster *cluster)
{
    switch ((enum core_access)cluster->access) {
    case CORE_ACCESS_open:
        return NULL;
    case CORE_ACCESS_locked:
        return "this cluster is locked, since an old certificate of it came back; 'fairlead "
               "cluster unlock NAME' or a new join token opens it";
    case CORE_ACCESS_revoked:
        return "this cluster's certificates were revoked; join it again";
    }
    fl_unreachable("access is one of its kinds");
}

static void lock(struct core *core, const struct core_event *event, struct core_batch *batch,
                 struct cluster *cluster, uint64_t presented)
{
    cluster->access = CORE_ACCESS_locked;
    core_put_cluster(batch, cluster);
    core_audit(batch, event, "cluster_lock %s generation=%" PRIu64 " presented=%" PRIu64,
               cluster->name, cluster->generation, presented);
    core_disconnect(core, batch, cluster, FL_DENIED, core_access_refusal(cluster));
}

static void renew(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct cluster *cluster = cluster_table_find(&core->clusters, event->renew.cluster);
    uint64_t generation = event->renew.generation;
    bool is_repeated;

    if (!cluster || cluster->state != CLUSTER_ENROLLED || generation == 0) {
        core_answer_code(batch, event, FL_DENIED, "this cluster was removed; join it again");
        return;
    }
    if (cluster->access != CORE_ACCESS_open) {
        core_answer_code(batch, event, FL_DENIED, core_access_refusal(cluster));
        return;
    }
    is_repeated = is_same(&cluster->key, &event->renew.key) &&
                  (generation == cluster->generation || generation + 1 == cluster->generation);
    if (is_repeated) {
        answer_certificate(batch, event, cluster);
        return;
    }
    if (generation < cluster->generation) {
        lock(core, event, batch, cluster, generation);
        core_answer_code(batch, event, FL_DENIED, core_access_refusal(cluster));
        return;
    }
    core_access_seen(core, cluster, generation);
    cluster->generation = generation + 1;
    cluster->key = event->renew.key;
    core_put_cluster(batch, cluster);
    core_audit(batch, event, "renew %s generation=%" PRIu64, cluster->name, cluster->generation);
    answer_certificate(batch, event, cluster);
}

/* Holding the key of the newest certificate is proof enough for some days; then it might lie in an
 * old backup.  NULL: it has not expired, or may be used to come back and be renewed. */
static const char *expiry_refusal(const struct core *core, const struct core_event *event,
                                  struct core_batch *batch, const struct cluster *cluster)
{
    uint64_t expired_ms = event->session_open.expired_ms;

    if (expired_ms <= core->config.rejoin_ms) return NULL;
    return fl_arena_printf(&batch->arena,
                           "the certificate of cluster %s expired %" PRIu64 " h ago; until %" PRIu64
                           " h it comes back by itself, now 'fairlead cluster join %s' makes a "
                           "token that lets it in again",
                           cluster->name, expired_ms / FL_HOUR_MS,
                           (uint64_t)core->config.rejoin_ms / FL_HOUR_MS, cluster->name);
}

bool core_access_check(struct core *core, const struct core_event *event, struct core_batch *batch,
                       struct cluster *cluster, const char **ret_why)
{
    uint64_t generation = event->session_open.generation;
    struct core_event who = *event;

    *ret_why = core_access_refusal(cluster);
    if (*ret_why) return false;
    if (generation == 0 || generation >= cluster->seen) {
        *ret_why = expiry_refusal(core, event, batch, cluster);
        return *ret_why == NULL;
    }
    if (event->session_open.expired_ms) {
        *ret_why = "this certificate has expired, and was replaced by a newer one";
        return false;
    }
    if (core->now - (fl_ms)event->session_open.age_ms <= cluster->seen_at) {
        *ret_why = "this certificate was replaced by a newer one";
        return false;
    }
    who.actor = FL_STR("agent");
    lock(core, &who, batch, cluster, generation);
    *ret_why = core_access_refusal(cluster);
    return false;
}

void core_access_seen(const struct core *core, struct cluster *cluster, uint64_t generation)
{
    /* A generation above the known one was issued before this database was restored. */
    if (generation > cluster->generation) cluster->generation = generation;
    if (generation <= cluster->seen) return;
    cluster->seen = generation;
    cluster->seen_at = core->now;
}

/* ---- a person revokes a cluster's certificates, or unlocks it -------------------------------- */

static struct cluster *find_cluster(struct core *core, const struct core_event *event,
                                    struct core_batch *batch)
{
    struct cluster *cluster = cluster_table_find(&core->clusters, event->cluster_forget.cluster);

    if (cluster && cluster->state == CLUSTER_ENROLLED) return cluster;
    core_answer_code(batch, event, FL_ABSENT, "this cluster is not enrolled");
    return NULL;
}

static void revoke(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct cluster *cluster = find_cluster(core, event, batch);

    if (!cluster) return;
    if (cluster->access != CORE_ACCESS_revoked) {
        cluster->access = CORE_ACCESS_revoked;
        core_put_cluster(batch, cluster);
        core_audit(batch, event, "cluster_revoke %s", cluster->name);
        core_disconnect(core, batch, cluster, FL_DENIED, core_access_refusal(cluster));
    }
    answer_ok(batch, event, (struct core_answer){.id = cluster->id.n});
}

static void unlock(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct cluster *cluster = find_cluster(core, event, batch);

    if (!cluster) return;
    if (cluster->access == CORE_ACCESS_revoked) {
        core_answer_code(batch, event, FL_CONFLICT,
                         "its certificates were revoked; make a join token and let it join again");
        return;
    }
    if (cluster->access == CORE_ACCESS_locked) {
        cluster->access = CORE_ACCESS_open;
        core_put_cluster(batch, cluster);
        core_audit(batch, event, "cluster_unlock %s", cluster->name);
    }
    answer_ok(batch, event, (struct core_answer){.id = cluster->id.n});
}

/* ---- tokens of the API ----------------------------------------------------------------------- */

static bool fill_token(struct token *token, const struct core_event *event)
{
    return copy_text(token->id, sizeof token->id, event->token_put.id) &&
           copy_text(token->name, sizeof token->name, event->token_put.name) &&
           copy_text(token->queue, sizeof token->queue, event->token_put.queue) &&
           copy_text(token->maker, sizeof token->maker, event->token_put.maker) &&
           copy_text(token->owner, sizeof token->owner, event->token_put.owner);
}

/* The API has looked already; but its table may be a moment old, and these are rows for good.  A
 * token that would outlive 'by' ends with it. */
static bool is_within(const struct core *core, struct fl_tenant tenant, struct fl_str by,
                      struct token *token)
{
    const struct token *maker = access_table_token(&core->access, by);
    unsigned scopes;

    if (!maker || maker->tenant.n != tenant.n) return false;
    scopes = maker->scopes;
    if (scopes & CORE_SCOPE_admin) scopes |= CORE_SCOPES_OF_ADMIN;
    if ((token->scopes & ~scopes) != 0) return false;
    if (maker->queue[0] != '\0' && strcmp(maker->queue, token->queue) != 0) return false;
    if (maker->expires_at == 0 || (maker->scopes & CORE_SCOPE_outlive)) return true;
    if (token->expires_at == 0 || token->expires_at > maker->expires_at) {
        token->expires_at = maker->expires_at;
    }
    return true;
}

static void put_token_row(struct core_batch *batch, const struct token *token)
{
    struct row row = {.kind = ROW_token_put};

    row.token_put = (struct row_token_put){.tenant = token->tenant.n,
                                           .scopes = token->scopes,
                                           .made_at = token->made_at,
                                           .expires_at = token->expires_at,
                                           .mac = token->mac,
                                           .id = fl_str_c(token->id),
                                           .name = fl_str_c(token->name),
                                           .queue = fl_str_c(token->queue),
                                           .maker = fl_str_c(token->maker),
                                           .owner = fl_str_c(token->owner),
                                           .old_mac = token->old_mac,
                                           .old_until = token->old_until,
                                           .rotated_at = token->rotated_at};
    core_batch_row(batch, &row);
}

static bool is_life(fl_ms ttl_ms, const struct core_event *event, struct core_batch *batch)
{
    if (ttl_ms >= 0 && ttl_ms <= INT64_MAX / 2) return true;
    core_answer_code(batch, event, FL_INVALID,
                     "a token lives for a number of milliseconds, 0 is for ever");
    return false;
}

static void put_token(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    fl_ms ttl_ms = event->token_put.ttl_ms;
    struct token token = {.tenant = event->tenant,
                          .scopes = event->token_put.scopes,
                          .made_at = core->now,
                          .expires_at = ttl_ms ? core->now + ttl_ms : 0,
                          .mac = event->token_put.mac};
    struct fl_err err = {0};

    core_access_expire(core, batch);
    if (!fill_token(&token, event)) {
        core_answer_code(
            batch, event, FL_INVALID,
            "a token's id has at most " FL_QUOTE(
                CORE_TOKEN_ID_MAX) " bytes, its name and queue " FL_QUOTE(FL_NAME_BYTES_MAX));
        return;
    }
    if (!is_life(ttl_ms, event, batch)) return;
    if (token.maker[0] && !is_within(core, event->tenant, fl_str_c(token.maker), &token)) {
        core_answer_code(batch, event, FL_DENIED,
                         "the token that makes it counts no more, or has fewer rights");
        return;
    }
    if (!access_table_add_token(&core->access, &token, &err)) {
        core_answer_code(batch, event, err.code, err.text);
        return;
    }
    put_token_row(batch, &token);
    core_audit(batch, event, "token_put %s scopes=%u%s%s%s%s", token.id, token.scopes,
               token.queue[0] ? " queue=" : "", token.queue, token.name[0] ? " name=" : "",
               token.name);
    arm(core);
    answer_ok(batch, event,
              (struct core_answer){.at = token.made_at, .id = (uint64_t)token.expires_at});
}

struct revoked {
    struct core_batch *batch;
    const struct core_event *event;
    const char *by;
};

static void put_made_revoked(void *ctx, const struct token *token)
{
    struct revoked *revoked = ctx;

    put_token_drop(revoked->batch, token);
    core_audit(revoked->batch, revoked->event, "token_revoke %s made_by=%s", token->id,
               revoked->by);
}

static size_t drop_made(struct core *core, const struct core_event *event, struct core_batch *batch,
                        const char *id)
{
    struct revoked revoked = {batch, event, id};
    struct access_gone gone = {&revoked, NULL, put_made_revoked};

    return access_table_drop_made(&core->access, fl_str_c(id), gone);
}

static void revoke_token(struct core *core, const struct core_event *event,
                         struct core_batch *batch)
{
    const struct token *token = access_table_token(&core->access, event->token_revoke.id);
    char id[CORE_TOKEN_ID_MAX + 1];
    size_t gone = 1;

    if (!token || token->tenant.n != event->tenant.n) {
        core_answer_code(batch, event, FL_ABSENT, "no token has this id");
        return;
    }
    memcpy(id, token->id, sizeof id);
    drop_token(core, batch, id);
    core_audit(batch, event, "token_revoke %s", id);
    if (event->token_revoke.has_made) gone += drop_made(core, event, batch, id);
    arm(core);
    answer_ok(batch, event, (struct core_answer){.id = gone});
}

/* The new secret takes the place of the one that counts.  A token that asks with its old one did
 * not get the answer in which its newest was: that one goes, and the old one counts no longer than
 * it would have.  False: it asks with a secret that counts no more. */
static bool rotate(struct token *token, const struct core_event *event, fl_ms now)
{
    const struct fl_digest *shown = &event->token_rotate.shown;
    bool is_own = fl_str_eq(event->token_rotate.by, fl_str_c(token->id));
    bool is_old = is_own && token->old_until > now && is_same(&token->old_mac, shown);
    fl_ms until = now + event->token_rotate.grace_ms;

    if (is_own && !is_old && !is_same(&token->mac, shown)) return false;
    if (!is_old) token->old_mac = token->mac;
    if (!is_old || until < token->old_until) token->old_until = until;
    if (token->old_until == now) {
        token->old_mac = (struct fl_digest){0};
        token->old_until = 0;
    }
    token->mac = event->token_rotate.mac;
    token->rotated_at = now;
    if (event->token_rotate.has_ttl) {
        token->expires_at = event->token_rotate.ttl_ms ? now + event->token_rotate.ttl_ms : 0;
    }
    return true;
}

static void rotate_token(struct core *core, const struct core_event *event,
                         struct core_batch *batch)
{
    fl_ms grace_ms = event->token_rotate.grace_ms;
    const struct token *found;
    struct token token;

    core_access_expire(core, batch);
    found = access_table_token(&core->access, event->token_rotate.id);
    if (!found || found->tenant.n != event->tenant.n) {
        core_answer_code(batch, event, FL_ABSENT, "no token has this id");
        return;
    }
    if (grace_ms < 0 || grace_ms > CORE_GRACE_MS) {
        core_answer_code(batch, event, FL_INVALID,
                         "an old secret counts for " FL_QUOTE(
                             FL_TOKEN_GRACE_DAYS_MAX) " days beside the new one, at most");
        return;
    }
    if (!is_life(event->token_rotate.ttl_ms, event, batch)) return;
    token = *found;
    if (!rotate(&token, event, core->now)) {
        core_answer_code(batch, event, FL_DENIED, "the secret that asks counts no more");
        return;
    }
    if (!is_within(core, event->tenant, event->token_rotate.by, &token)) {
        core_answer_code(batch, event, FL_DENIED,
                         "the token that asks counts no more, or could not have made this one");
        return;
    }
    access_table_put_token(&core->access, &token);
    put_token_row(batch, &token);
    core_audit(batch, event, "token_rotate %s grace_ms=%" PRId64, token.id, grace_ms);
    arm(core);
    answer_ok(batch, event,
              (struct core_answer){.at = token.rotated_at,
                                   .id = (uint64_t)token.expires_at,
                                   .generation = (uint64_t)token.old_until});
}

/* A refusal changes nothing, but has its row like a deed. */
static void note_denied(const struct core_event *event, struct core_batch *batch)
{
    if (event->denied.unwritten > 0) {
        core_audit(batch, event, "denials_unwritten %" PRIu64, event->denied.unwritten);
    } else {
        core_audit(batch, event, FL_STR_FMT, FL_STR_ARG(event->denied.what));
    }
    answer_ok(batch, event, (struct core_answer){0});
}

/* The front lets the visitor in once this row is safe. */
static void note_visit(const struct core_event *event, struct core_batch *batch)
{
    core_audit(batch, event, FL_STR_FMT, FL_STR_ARG(event->visit.what));
    answer_ok(batch, event, (struct core_answer){0});
}

void core_access(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    switch (event->kind) {
    case CORE_EV_cluster_revoke:
        revoke(core, event, batch);
        break;
    case CORE_EV_cluster_unlock:
        unlock(core, event, batch);
        break;
    case CORE_EV_join_put:
        put_join(core, event, batch);
        break;
    case CORE_EV_join_revoke:
        revoke_join(core, event, batch);
        break;
    case CORE_EV_enrol:
        enrol(core, event, batch);
        break;
    case CORE_EV_renew:
        renew(core, event, batch);
        break;
    case CORE_EV_token_put:
        put_token(core, event, batch);
        break;
    case CORE_EV_token_revoke:
        revoke_token(core, event, batch);
        break;
    case CORE_EV_token_rotate:
        rotate_token(core, event, batch);
        break;
    case CORE_EV_denied:
        note_denied(event, batch);
        break;
    case CORE_EV_visit:
        note_visit(event, batch);
        break;
    default:
        fl_unreachable("core_step sends only what concerns access");
    }
}
