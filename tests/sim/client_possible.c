#include <inttypes.h>

#include "controlplane/core/cluster_table.h"
#include "controlplane/core/shape.h"
#include "shared/base/assert.h"
#include "tests/sim/client_state.h"

/* I37: a job that can never run is refused, and no other, by the nature of the fake clusters. */

/* By a row: a cluster that was enrolled may have been removed since. */
static bool is_enrolled(const struct fake_client *client, struct fl_cluster cluster)
{
    for (size_t i = 0; i < fake_pg_len(client->pg, ROW_TABLE_cluster); i++) {
        struct row_cluster_put row = fake_pg_row(client->pg, ROW_TABLE_cluster, i).cluster_put;

        if (row.cluster == cluster.n) return row.state == CLUSTER_ENROLLED;
    }
    return false;
}

static bool wants_gpus(struct fl_str bytes)
{
    struct fl_err err = {0};
    struct shape shape;

    fl_assert(shape_decode(bytes, &shape, &err));
    for (uint32_t r = 0; r < shape.roles_len; r++) {
        if (shape.roles[r].each.gpus > 0) return true;
    }
    return false;
}

static uint32_t roles_of(struct fl_str bytes)
{
    struct fl_err err = {0};
    struct shape shape;

    fl_assert(shape_decode(bytes, &shape, &err));
    return shape.roles_len;
}

enum { NODES_MAX = 16 };

/* A leader that has heard of a node only while its GPUs were not offered knows no better.  One that
 * knew them waits for them: they are always back long before it refuses. */
static bool knows_gpus(const struct fake_client *client, uint32_t number)
{
    for (uint32_t n = 0; n < NODES_MAX; n++) {
        const char *name = client->ports.gpu_node(client->ports.ctx, number, n);

        if (!name) continue;
        if (!checks_knows_gpus(client->checks, client->clusters[number], name)) return false;
    }
    return true;
}

/* By the nature of the clusters.  Whether several roles fit depends on the order in which they are
 * tried: those jobs are left out. */
static struct fl_cluster find_able(const struct fake_client *client, struct fl_str shape,
                                   bool is_known)
{
    for (uint32_t c = 1; c <= client->config.clusters; c++) {
        if (!is_enrolled(client, client->clusters[c])) continue;
        if (is_known && wants_gpus(shape) && !knows_gpus(client, c)) continue;
        if (client->ports.could_ever(client->ports.ctx, c, shape)) return client->clusters[c];
    }
    return (struct fl_cluster){0};
}

static void I37_none_is_able(struct fake_client *client, uint64_t number, struct fl_str shape)
{
    struct fl_cluster able = find_able(client, shape, true);

    sim_mark(client->sim, MARK_refused_for_ever);
    if (!able.n || roles_of(shape) > 1) return;
    sim_broken(client->sim, "I37",
               "a job of request %" PRIu64 " is refused, and cluster %u could run it", number,
               able.n);
}

static void I37_one_is_able(struct fake_client *client, uint64_t number, struct fl_str shape)
{
    if (roles_of(shape) > 1 || find_able(client, shape, false).n) return;
    sim_broken(client->sim, "I37",
               "a job of request %" PRIu64 " is accepted, and no cluster could ever run it",
               number);
}

/* A job is refused as one that can never run only if no enrolled cluster could run it when empty,
 * and it did not ask to wait; and always then, once all have told their nodes.  Under a key an
 * earlier outcome may come again. */
void client_judge_possible(struct fake_client *client, const struct client_request *request,
                           const struct core_answer *answer)
{
    struct engine_event *event;
    bool is_all_told = !request->has_key && checks_all_told(client->checks);

    if (request->kind != SUBMIT && request->kind != RETRY) return;
    event = fake_client_build(client, answer->request);
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        enum fl_code code = answer->outcomes[i].code;
        struct fl_str shape = event->event.submit.at[i].shape;

        if (code == FL_IMPOSSIBLE && event->event.submit.waits_for_cluster) {
            sim_broken(client->sim, "I37", "a job of request %" PRIu64 " is refused, and may wait",
                       answer->request >> 8);
        }
        if (code == FL_IMPOSSIBLE) I37_none_is_able(client, answer->request >> 8, shape);
        if (code == FL_OK && is_all_told && !event->event.submit.waits_for_cluster) {
            I37_one_is_able(client, answer->request >> 8, shape);
        }
    }
    engine_event_destroy(event);
}
