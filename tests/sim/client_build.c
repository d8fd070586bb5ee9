#include "tests/sim/client_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/shape.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/element_set.h"
#include "shared/base/hash.h"
#include "tests/sim/sim_affinity.h"
#include "tests/sim/sim_amounts.h"
#include "tests/sim/sim_taints.h"

/* ---- requests -------------------------------------------------------------------------------- */

static struct fl_digest digest_of(struct fl_str bytes)
{
    struct fl_digest digest;

    for (uint64_t i = 0; i < 4; i++) {
        uint64_t hash = fl_hash64(i + 1, bytes.at, bytes.len);

        memcpy(&digest.at[i * 8], &hash, 8);
    }
    return digest;
}

static void draw_role(struct fake_client *client, struct shape_role *role, bool is_gang)
{
    struct sim *sim = client->sim;

    role->replicas = is_gang ? (uint32_t)sim_between(sim, 1, 4) : 1;
    role->replicas_min = role->replicas;
    role->each.cpu_milli = (uint32_t)sim_between(sim, 1, 8) * 500;
    role->each.memory_bytes = (uint64_t)sim_between(sim, 1, 8) << 29;
}

static void keep_shape(struct client_shape *known, const struct shape *shape)
{
    struct fl_buf buf;

    fl_buf_init(&buf, FL_JOB_SHAPE_BYTES_MAX);
    fl_assert(shape_encode(&buf, shape));
    known->bytes = malloc(buf.len);
    fl_assert(known->bytes);
    memcpy(known->bytes, buf.at, buf.len);
    known->len = buf.len;
    known->digest = digest_of((struct fl_str){known->bytes, known->len});
    fl_buf_fini(&buf);
}

void client_make_shape(struct client_shape *known, uint32_t cluster, uint32_t replicas,
                       struct fl_resources each)
{
    struct shape shape = {.roles_len = 1, .clusters_len = cluster > 0};
    char name[16];

    snprintf(name, sizeof(name), "c%u", cluster);
    shape.roles[0] = (struct shape_role){replicas, replicas, each};
    shape.clusters[0] = fl_str_c(name);
    shape.tolerations = FL_STR("*\n"); /* each node counts */
    known->retries_max = 3;
    keep_shape(known, &shape);
}

/* Its resources with names, most often none.  As with gpus, not beside another role.  They come
 * from a generator of their own, so that the rest of a seed is as it would be without them. */
static void draw_named(const struct fake_client *client, const struct client_shape *known,
                       struct shape *shape)
{
    struct shape_role *role = &shape->roles[0];
    struct fl_prng prng;

    fl_prng_seed(&prng, fl_hash_u64(client->sim->seed, (uint64_t)(known - client->shapes) + 77));
    for (size_t k = 0; k < SIM_RESOURCES_LEN && shape->roles_len == 1; k++) {
        if (fl_prng_below(&prng, 1000) >= 200) continue;
        shape->kinds[shape->kinds_len] = fl_str_c(sim_resource_name(k));
        role->named[shape->kinds_len++] = 1 + fl_prng_below(&prng, k == 0 ? 40 : 3 - k);
    }
}

void client_draw_shape(struct fake_client *client, struct client_shape *known, bool is_impossible)
{
    static const char *const names[] = {"c1", "c2", "c3"};
    struct sim *sim = client->sim;
    struct shape shape = {.roles_len = sim_chance(sim, 150000) ? 2 : 1};
    bool is_gang = sim_chance(sim, 350000);

    for (uint32_t i = 0; i < shape.roles_len; i++) {
        draw_role(client, &shape.roles[i], is_gang);
    }
    /* Not beside another role: the round tries nodes in one order and fills each, so whether two
     * roles fit an empty cluster depends on the order in which the leader heard of its nodes. */
    if (shape.roles_len == 1 && sim_chance(sim, 150000)) {
        shape.roles[0].each.gpus = (uint32_t)sim_between(sim, 1, 4);
    }
    draw_named(client, known, &shape);
    shape.tolerations = fl_str_c(
        sim_tolerations_draw(fl_hash_u64(sim->seed + 148, (uint64_t)(known - client->shapes))));
    shape.affinity = fl_str_c(
        sim_affinity_draw(fl_hash_u64(sim->seed + 149, (uint64_t)(known - client->shapes))));
    if (is_impossible) shape.roles[0].each.gpus = 1000;
    if (sim_chance(sim, 150000)) {
        shape.node_labels[0] = (struct shape_label){FL_STR("disk"), FL_STR("slow")};
        shape.node_labels_len = 1;
    }
    /* Never only the one that may die: its jobs would wait for ever, and rightly. */
    if (sim_chance(sim, 150000)) {
        uint32_t first = client->config.mortal == 1 ? 1 : 0;

        shape.clusters[0] = fl_str_c(names[first]);
        shape.clusters[1] = fl_str_c(names[first + 1]);
        shape.clusters_len = 2;
    } else if (sim_chance(sim, 150000)) {
        shape.not_clusters[0] = fl_str_c(names[sim_between(sim, 0, 2)]);
        shape.not_clusters_len = 1;
    }
    if (sim_chance(sim, 250000)) known->deadline_s = (uint32_t)sim_between(sim, 3, 30);
    known->retries_max = (uint32_t)sim_between(sim, 0, 3);
    keep_shape(known, &shape);
    known->is_impossible = is_impossible;
}

void client_share_shape(struct client_shape *known, const struct client_shape *other)
{
    free(known->bytes);
    known->bytes = malloc(other->len);
    fl_assert(known->bytes);
    memcpy(known->bytes, other->bytes, other->len);
    known->len = other->len;
    known->digest = other->digest;
}

struct fl_str fake_client_spec(const struct fake_client *client, struct fl_digest digest)
{
    for (uint32_t i = 0; i < client->shapes_len; i++) {
        const struct client_shape *shape = &client->shapes[i];

        if (memcmp(&shape->digest, &digest, sizeof(digest)) == 0) {
            return (struct fl_str){shape->bytes, shape->len};
        }
    }
    return (struct fl_str){0};
}

/* A job's shape follows from its name: request, item, shape. */
bool client_is_impossible(const struct fake_client *client, struct fl_str name)
{
    char text[64] = {0};
    unsigned shape = 0;

    memcpy(text, name.at, name.len < sizeof(text) - 1 ? name.len : sizeof(text) - 1);
    if (sscanf(text, "r%*u-%*u-%u", &shape) != 1 || shape >= client->shapes_len) return false;
    return client->shapes[shape].is_impossible ||
           !client->ports.could_run(client->ports.ctx, (struct fl_str){client->shapes[shape].bytes,
                                                                       client->shapes[shape].len});
}

static struct fl_str queue_name(const struct fake_client *client, uint64_t n,
                                struct fl_arena *arena)
{
    (void)client;
    return fl_str_c(fl_arena_printf(arena, "queue-%" PRIu64, n));
}

/* Some of six elements, at random. */
static struct fl_str draw_picks(struct fl_prng *prng, struct fl_arena *arena,
                                uint32_t *ret_elements)
{
    struct fl_element_set picks = {0};
    struct fl_err err = {0};
    struct fl_buf bytes;
    struct fl_str copy;

    for (uint32_t i = 0; i < 6; i++) {
        if (fl_prng_chance(prng, 500000) || (i == 5 && picks.len == 0)) {
            fl_assert(fl_element_set_add(&picks, i, &err));
        }
    }
    fl_buf_init(&bytes, FL_ELEMENT_SET_BYTES_MAX);
    fl_assert(fl_element_set_encode(&bytes, &picks));
    *ret_elements = fl_element_set_count(&picks);
    copy = (struct fl_str){fl_arena_copy(arena, bytes.at, bytes.len), bytes.len};
    fl_element_set_fini(&picks);
    fl_buf_fini(&bytes);
    return copy;
}

/* How the job has ended, as a front would read it; 0: it has not.  False: the tenant has no
 * job of that id. */
static bool find_end(const struct fake_client *client, uint64_t job, uint32_t tenant,
                     uint8_t *ret_state)
{
    struct row row;

    if (!fake_pg_find_ever(client->pg, ROW_TABLE_job, job, 0, 0, &row)) return false;
    if (row.job_new.tenant != tenant) return false;
    *ret_state = 0;
    if (row.job_new.elements > 1 || row.job_new.picked.len) {
        if (fake_pg_find_ever(client->pg, ROW_TABLE_job_end, job, 0, 0, &row)) {
            *ret_state = row.job_end.state;
        }
    } else if (fake_pg_find_ever(client->pg, ROW_TABLE_element_end, job, 0, 0, &row)) {
        *ret_state = row.element_end.state;
    }
    return true;
}

/* Some arrays wait for an open one element by element: nearly always for one of their size. */
static void draw_each(const struct fake_client *client, const struct client_request *request,
                      struct core_submit_item *items, size_t i, struct fl_prng *prng,
                      struct core_dependency *list, size_t len)
{
    struct core_dependency *one = len ? &list[len - 1] : NULL;
    uint32_t elements = 0;
    struct row row;

    if (!one || items[i].picked.len || !fl_prng_chance(prng, 500000)) return;
    if (one->after.line) {
        elements = items[one->after.line - 1].elements;
    } else if (fake_pg_find_ever(client->pg, ROW_TABLE_job, request->after, 0, 0, &row)) {
        elements = row.job_new.elements;
    }
    if (elements == 0 || (elements == 1 && !fl_prng_chance(prng, 100000))) return;
    one->after.on = FL_ON_each;
    if (fl_prng_chance(prng, 900000)) items[i].elements = elements;
}

/* Some jobs run after others, in one seed of four: by numbers of their own, so that all else is as
 * it would be without. */
static void draw_after(const struct fake_client *client, const struct client_request *request,
                       struct core_submit_item *items, size_t i, struct fl_arena *arena)
{
    struct {
        struct core_dependency *at;
        size_t len, cap;
    } list = {0};
    struct fl_prng prng;

    if (!request->after || fl_hash_u64(client->sim->seed, 34) % 4 != 0) return;
    fl_prng_seed(&prng, fl_hash_u64(request->seed, 34 + i));
    if (!fl_prng_chance(&prng, 400000)) return;
    for (int64_t left = fl_prng_between(&prng, 1, 3); left > 0; left--) {
        struct core_dependency after = {.after.on = (enum fl_dependency_on)fl_prng_between(
                                            &prng, FL_ON_success, FL_ON_failure)};

        if (i > 0 && fl_prng_chance(&prng, 500000)) {
            after.after.line = (uint32_t)fl_prng_between(&prng, 1, (int64_t)i);
        } else {
            after.after.job.n = request->after;
            if (!find_end(client, request->after, request->tenant, &after.ended)) continue;
        }
        fl_arena_push(arena, &list, after);
    }
    draw_each(client, request, items, i, &prng, list.at, list.len);
    items[i].after = list.at;
    items[i].after_len = list.len;
}

/* Some jobs run one at a time, in one seed of four, by numbers of their own, too.  Those of a shape
 * have a name for each place in a request: names are different within one.  The name that would be
 * the job's alone is a label. */
static void draw_singleton(const struct fake_client *client, const struct client_request *request,
                           struct core_submit_item *items, size_t i, uint32_t shape,
                           struct fl_arena *arena)
{
    struct fl_prng prng;

    if (fl_hash_u64(client->sim->seed, 36) % 4 != 0) return;
    fl_prng_seed(&prng, fl_hash_u64(request->seed, 36 + i));
    if (!fl_prng_chance(&prng, 400000)) return;
    items[i].is_singleton = true;
    items[i].labels =
        fl_str_c(fl_arena_printf(arena, "of=" FL_STR_FMT "\nteam=a\n", FL_STR_ARG(items[i].name)));
    items[i].name = fl_str_c(fl_arena_printf(arena, "r0-%zu-%u", i, shape));
}

/* Some arrays have a parallelism, in one seed of four, by numbers of their own, too. */
static bool has_parallelism(const struct fake_client *client)
{
    return fl_hash_u64(client->sim->seed, 39) % 4 == 0;
}

static void draw_parallelism(const struct fake_client *client, const struct client_request *request,
                             struct core_submit_item *items, size_t i)
{
    struct fl_prng prng;

    if (!has_parallelism(client) || items[i].elements == 1) return;
    fl_prng_seed(&prng, fl_hash_u64(request->seed, 39 + i));
    if (fl_prng_chance(&prng, 700000)) {
        items[i].parallelism = (uint32_t)fl_prng_between(&prng, 1, items[i].elements);
    }
}

/* One job of the stream, or its gang. */
static void build_chosen(struct fake_client *client, const struct client_request *request,
                         uint64_t number, struct engine_event *event)
{
    struct client_shape *known = &client->shapes[request->shape - 1];
    struct core_submit_item *item = fl_arena_array(&event->arena, struct core_submit_item, 1);

    *item = (struct core_submit_item){
        .queue = queue_name(client, request->target, &event->arena),
        .shape = {known->bytes, known->len},
        .spec = {known->bytes, known->len},
        .spec_digest = known->digest,
        .elements = request->elements,
        .deadline_s = known->deadline_s,
        .retries_max = known->retries_max,
        .name = fl_str_c(
            fl_arena_printf(&event->arena, "r%" PRIu64 "-0-%u", number, request->shape - 1)),
    };
    event->event.submit.at = item;
    event->event.submit.len = 1;
}

static void build_submit(struct fake_client *client, const struct client_request *request,
                         uint64_t number, struct engine_event *event)
{
    struct fl_prng prng;
    struct core_submit_item *items;
    size_t len = 1;

    fl_prng_seed(&prng, request->seed);
    if (request->kind == SUBMIT && fl_prng_chance(&prng, 300000)) {
        len = (size_t)fl_prng_between(&prng, 2, fl_prng_chance(&prng, 300000) ? ITEMS_MAX : 5);
    }
    items = fl_arena_array(&event->arena, struct core_submit_item, len);
    for (size_t i = 0; i < len; i++) {
        uint32_t shape = (uint32_t)fl_prng_below(&prng, client->drawn_len);
        struct client_shape *known = &client->shapes[shape];
        bool is_poison = fl_prng_chance(&prng, request->poison_ppm);

        items[i] = (struct core_submit_item){
            .queue = queue_name(client, fl_prng_below(&prng, client->queues_len), &event->arena),
            .shape = {known->bytes, known->len},
            .spec = {known->bytes, known->len},
            .spec_digest = known->digest,
            .priority = (int32_t)fl_prng_between(&prng, -2, 2),
            .elements = 1,
            .deadline_s = known->deadline_s,
            .retries_max = known->retries_max,
            .is_held = fl_prng_chance(&prng, 50000),
            .name = fl_str_c(is_poison ? FAKE_PG_POISON
                                       : fl_arena_printf(&event->arena, "r%" PRIu64 "-%zu-%u",
                                                         number, i, shape)),
            .labels = FL_STR("team=a\n"),
        };
        if (fl_prng_chance(&prng, 200000)) {
            items[i].elements = (uint32_t)fl_prng_between(&prng, 2, 6);
        }
        if (fl_prng_chance(&prng, 5000)) items[i].queue = FL_STR("nowhere");
        if (request->kind == RETRY) {
            items[i].retry_of.n = request->target;
            if (fl_prng_chance(&prng, 500000)) {
                items[i].picked = draw_picks(&prng, &event->arena, &items[i].elements);
            }
        }
        draw_parallelism(client, request, items, i);
        draw_after(client, request, items, i, &event->arena);
        if (!is_poison) draw_singleton(client, request, items, i, shape, &event->arena);
        if (is_poison) sim_fault(client->sim, FAULT_db_refusal);
    }
    event->event.submit.at = items;
    event->event.submit.len = len;
}

static struct fl_digest seeded(uint64_t seed)
{
    return digest_of((struct fl_str){(const char *)&seed, sizeof seed});
}

/* Requests about access.  'target' is a cluster's id, but JOIN and ENROL have its number. */
static void build_access(const struct client_request *request, struct engine_event *event)
{
    struct core_event *core = &event->event;
    struct fl_arena *arena = &event->arena;

    switch (request->kind) {
    case DRAIN:
        core->kind = CORE_EV_cluster_drain;
        core->cluster_drain.cluster.n = (uint32_t)request->target;
        core->cluster_drain.is_stop = request->is_on;
        break;
    case REVOKE:
    case UNLOCK:
        core->kind = request->kind == REVOKE ? CORE_EV_cluster_revoke : CORE_EV_cluster_unlock;
        core->cluster_forget.cluster.n = (uint32_t)request->target;
        break;
    case RENEW:
        core->kind = CORE_EV_renew;
        core->renew.cluster.n = (uint32_t)request->target;
        core->renew.generation = request->generation;
        core->renew.key = seeded(request->seed);
        break;
    case JOIN:
        core->kind = CORE_EV_join_put;
        core->join_put.name = fl_str_c(fl_arena_printf(arena, "c%" PRIu64, request->target));
        core->join_put.token = seeded(request->seed);
        core->join_put.ttl_ms = request->ttl_ms;
        break;
    case ENROL:
        core->kind = CORE_EV_enrol;
        core->enrol.token = seeded(request->generation);
        core->enrol.key = seeded(request->seed);
        core->enrol.uid = fl_str_c(fl_arena_printf(arena, "uid-%" PRIu64, request->target));
        core->enrol.uuid = fl_str_c(fl_arena_printf(arena, "00000000-0000-0000-0000-%012" PRIx64,
                                                    request->seed & 0xffffffffffff));
        break;
    case TOKEN_PUT:
        core->kind = CORE_EV_token_put;
        core->token_put.id = fl_str_c(fl_arena_printf(arena, "t%" PRIu64, request->target));
        core->token_put.mac = seeded(request->seed);
        core->token_put.scopes = CORE_SCOPES_ALL;
        core->token_put.ttl_ms = request->ttl_ms;
        break;
    case TOKEN_ROTATE:
        core->kind = CORE_EV_token_rotate;
        core->token_rotate.id = fl_str_c(fl_arena_printf(arena, "t%" PRIu64, request->target));
        core->token_rotate.by = core->token_rotate.id;
        core->token_rotate.mac = seeded(request->seed);
        core->token_rotate.shown = request->shown;
        core->token_rotate.grace_ms = request->ttl_ms;
        break;
    default:
        core->kind = CORE_EV_token_revoke;
        core->token_revoke.id = fl_str_c(fl_arena_printf(arena, "t%" PRIu64, request->target));
        break;
    }
}

/* The same order each time; the job's name and labels as the rows have them now. */
static void build_edit(struct fake_client *client, const struct client_request *request,
                       struct engine_event *event)
{
    struct core_event *core = &event->event;
    struct fl_arena *arena = &event->arena;
    uint64_t seed = request->seed;
    struct row row;

    core->kind = CORE_EV_edit;
    core->edit.job.n = request->target;
    core->edit.sets_queue = seed & 1;
    core->edit.queue = queue_name(client, (seed >> 8) % client->queues_len, arena);
    core->edit.sets_priority = seed & 2;
    core->edit.priority = (int32_t)((seed >> 16) % 5) - 2;
    core->edit.sets_deadline = (seed & 12) == 4;
    core->edit.deadline_s = (uint32_t)(seed >> 24) % 3 * 30;
    core->edit.sets_parallelism = has_parallelism(client) && (seed >> 40) % 2 == 0;
    core->edit.parallelism = (uint32_t)(seed >> 48) % 3;
    core->edit.sets_held = (seed & 112) == 16;
    core->edit.is_held = seed & 128;
    core->edit.sets_words = (seed >> 32) % 3 == 0;
    if (fake_pg_find(client->pg, ROW_TABLE_open_mark, request->target, CORE_MARK_edited, 0, &row)) {
        core->edit.revision = (uint32_t)row.mark_set.value;
    }
    if (fake_pg_find_ever(client->pg, ROW_TABLE_job, request->target, 0, 0, &row)) {
        core->edit.name = fl_arena_str(arena, row.job_new.name);
        core->edit.labels = fl_arena_str(arena, row.job_new.labels);
    }
    if (core->edit.sets_words) {
        core->edit.labels = fl_str_c(fl_arena_printf(arena, "edited=%" PRIx64 "\n", seed));
    }
}

struct engine_event *fake_client_build(struct fake_client *client, uint64_t number)
{
    const struct client_request *request = &client->requests.at[number >> 8];
    struct engine_event *event = engine_event_create();
    struct core_event *core = &event->event;

    core->request = number;
    core->tenant.n = request->tenant;
    core->actor = fl_str_c(fl_arena_printf(&event->arena, "user-%" PRIu64, number >> 8));
    core->owner = fl_str_c(fl_arena_printf(&event->arena, "owner-%" PRIu64, number >> 8 & 3));
    if (request->has_key) {
        core->key = fl_str_c(fl_arena_printf(&event->arena, "key-%" PRIu64, request->key));
        core->body_sha.at[0] = (uint8_t)request->seed;
        core->body_sha.at[1] = (uint8_t)(request->seed >> 8);
    }
    switch (request->kind) {
    case SUBMIT:
    case RETRY:
        core->kind = CORE_EV_submit;
        core->submit.waits_for_cluster = fl_hash_u64(request->seed, 37) % 3 == 0;
        if (request->shape) {
            build_chosen(client, request, number >> 8, event);
        } else {
            build_submit(client, request, number >> 8, event);
        }
        break;
    case CANCEL:
        core->kind = CORE_EV_cancel;
        break;
    case HOLD:
        core->kind = CORE_EV_hold;
        break;
    case RELEASE:
        core->kind = CORE_EV_release;
        break;
    case EDIT:
        build_edit(client, request, event);
        break;
    case READ:
        core->kind = CORE_EV_read_job;
        break;
    case EXPLAIN:
        core->kind = CORE_EV_explain;
        break;
    case LIST:
        core->kind = CORE_EV_list_jobs;
        core->list_jobs.before = request->target;
        core->list_jobs.len_max = 50;
        break;
    case QUEUE_PUT:
        core->kind = CORE_EV_queue_put;
        core->queue_put.name = queue_name(client, request->target, &event->arena);
        core->queue_put.is_paused = request->is_on;
        break;
    case CLUSTER_PUT:
        core->kind = CORE_EV_cluster_put;
        core->cluster_put.name =
            fl_str_c(fl_arena_printf(&event->arena, "c%" PRIu64, request->target));
        core->cluster_put.uid =
            fl_str_c(fl_arena_printf(&event->arena, "uid-%" PRIu64, request->target));
        break;
    case CORDON:
    case UNCORDON:
        core->kind = CORE_EV_cluster_cordon;
        core->cluster_cordon.cluster.n = (uint32_t)request->target;
        core->cluster_cordon.is_on = request->kind == CORDON;
        core->cluster_cordon.why = FL_STR("maintenance");
        break;
    case FORGET:
        core->kind = CORE_EV_cluster_forget;
        core->cluster_forget.cluster.n = (uint32_t)request->target;
        break;
    case LIST_QUEUES:
        core->kind = CORE_EV_list_queues;
        break;
    case LIST_CLUSTERS:
        core->kind = CORE_EV_list_clusters;
        break;
    default:
        build_access(request, event);
        break;
    }
    switch (core->kind) {
    case CORE_EV_cancel:
    case CORE_EV_hold:
    case CORE_EV_release:
    case CORE_EV_read_job:
    case CORE_EV_explain:
        core->job.job.n = request->target;
        break;
    default:
        break;
    }
    return event;
}
