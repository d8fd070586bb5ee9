/* sched_world.h - a few clusters with their nodes, for the tests of controlplane/core/sched.  Rooms
 * are in cores, unless a test says more. */
#pragma once

#include "controlplane/core/sched/choose.h"
#include "shared/base/buf.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/core/report_node.h"

enum { UNCONFIRMED_MAX = 10, WORLD_CLUSTERS_MAX = 64 };

static const struct fl_cluster cluster_one = {1}; /* that was enrolled first */

struct world {
    struct cluster_table clusters;
    struct shape_table shapes;
    struct chooser chooser; /* and the room in it */
    struct fl_arena arena;
};

static inline void init(struct world *world)
{
    *world = (struct world){0};
    cluster_table_init(&world->clusters, WORLD_CLUSTERS_MAX, 64);
    shape_table_init(&world->shapes, 32);
}

static inline void fini(struct world *world)
{
    chooser_fini(&world->chooser);
    shape_table_fini(&world->shapes);
    cluster_table_fini(&world->clusters);
    fl_arena_fini(&world->arena);
}

static inline struct fl_resources cpu(uint32_t cores)
{
    return (struct fl_resources){.cpu_milli = cores * 1000};
}

static inline struct cluster *at(const struct world *world, uint32_t id)
{
    return cluster_table_at(&world->clusters, (struct fl_cluster){id});
}

/* One that is connected and has told what it holds: no node yet. */
static inline struct cluster *enrol(struct world *world, const char *name)
{
    struct fl_err err = {0};
    struct cluster *cluster;

    assert_true(cluster_table_add(&world->clusters, (struct fl_cluster){0}, fl_str_c(name),
                                  FL_STR("uid"), &cluster, &err));
    cluster_begin_session(&world->clusters, cluster, cluster->id.n);
    cluster->is_reconciled = cluster->is_known = true;
    cluster_table_resize(&world->clusters, cluster);
    cluster_table_grow(&world->clusters, cluster);
    return cluster;
}

static inline void report(struct world *world, struct cluster *cluster, const char *name,
                          struct fl_resources total, struct fl_resources free, const char *labels)
{
    uint64_t i = cluster->nodes.len;

    (void)fl_map_find(&cluster->nodes_by_name, name, strlen(name), &i);
    assert_true(cluster_report_node(&world->clusters, cluster, ++world->clusters.stamp, (uint32_t)i,
                                    true, fl_str_c(name), fl_str_c(labels), total, free));
}

static inline void node(struct world *world, struct cluster *cluster, const char *name,
                        uint32_t cores)
{
    report(world, cluster, name, cpu(cores), cpu(cores), "");
}

/* The same, and it has taints. */
static inline void tainted(struct world *world, struct cluster *cluster, const char *name,
                           uint32_t cores, const char *taints)
{
    uint64_t i = cluster->nodes.len;
    struct cluster_node_report report = {.is_ready = true,
                                         .name = fl_str_c(name),
                                         .taints = fl_str_c(taints),
                                         .total = cpu(cores),
                                         .free = cpu(cores)};

    (void)fl_map_find(&cluster->nodes_by_name, name, strlen(name), &i);
    report.number = (uint32_t)i;
    report.stamp = ++world->clusters.stamp;
    assert_true(cluster_report(&world->clusters, cluster, &report));
}

enum { KIND = 5 }; /* the number of the resource x.io/fpga */

/* A node with so many cores, and so many x.io/fpga in all and free. */
static inline void node_with(struct world *world, struct cluster *cluster, const char *name,
                             uint32_t cores, uint64_t fpgas, uint64_t free)
{
    uint64_t i = cluster->nodes.len;
    struct named_offer offer = {KIND, fpgas, free};
    struct cluster_node_report report = {.is_ready = true,
                                         .name = fl_str_c(name),
                                         .total = cpu(cores),
                                         .free = cpu(cores),
                                         .offers = &offer,
                                         .offers_len = 1};

    (void)fl_map_find(&cluster->nodes_by_name, name, strlen(name), &i);
    report.number = (uint32_t)i;
    report.stamp = ++world->clusters.stamp;
    assert_true(cluster_report(&world->clusters, cluster, &report));
}

static inline struct shape gang(uint32_t replicas, uint32_t cores)
{
    return (struct shape){.roles_len = 1, .roles = {{replicas, replicas, cpu(cores)}}};
}

/* Its last role asks for so many x.io/fpga too. */
static inline void add_fpgas(struct shape *shape, uint64_t each)
{
    shape->kinds[0] = FL_STR("x.io/fpga");
    shape->kinds_len = 1;
    shape->roles[shape->roles_len - 1].named[0] = each;
}

static inline void add_role(struct shape *shape, uint32_t replicas, uint32_t cores)
{
    shape->roles[shape->roles_len++] = (struct shape_role){replicas, replicas, cpu(cores)};
}

/* The shape in the table. */
static inline struct shape_slot shape_in(struct world *world, const struct shape *shape)
{
    struct fl_err err = {0};
    struct fl_str bytes;
    struct fl_buf buf;
    struct shape_slot slot;

    fl_buf_init(&buf, FL_JOB_SHAPE_BYTES_MAX);
    assert_true(shape_encode(&buf, shape));
    bytes = (struct fl_str){(const char *)buf.at, buf.len};
    slot = shape_table_find(&world->shapes, bytes);
    if (!slot.n) assert_true(shape_table_add(&world->shapes, 0, bytes, &slot, &err));
    shape_table_number(&world->shapes, FL_STR("x.io/fpga"), KIND);
    fl_buf_fini(&buf);
    return slot;
}

static inline const struct shape_entry *entry_of(struct world *world, const struct shape *shape)
{
    return shape_table_at(&world->shapes, shape_in(world, shape));
}

/* A round begins, and has seen what changed. */
static inline void begin(struct world *world)
{
    chooser_begin(&world->chooser, &world->clusters);
    cluster_table_settle(&world->clusters);
}

/* The answer of one cluster at the beginning of a round; 'ret' may be NULL. */
static inline enum reason ask(struct world *world, uint32_t cluster, const struct shape *shape,
                              struct placement *ret)
{
    struct placement unused;

    begin(world);
    return judge(&world->chooser.room, (struct fl_cluster){cluster}, entry_of(world, shape),
                 UNCONFIRMED_MAX, ret ? ret : &unused);
}

/* The judgement of the first cluster, in words. */
static inline const char *text_of(struct world *world, const struct shape *shape)
{
    const char *text = NULL;
    enum reason said;

    begin(world);
    said = judge_explain(&world->chooser.room, cluster_one, entry_of(world, shape), UNCONFIRMED_MAX,
                         &world->arena, &text);
    assert_int_equal(said, ask(world, 1, shape, NULL));
    assert_true(text && text[0]);
    return text;
}

/* A claim of so many cores, as the tables have it once it was made. */
static inline void claim(struct cluster *cluster, uint32_t i, uint32_t cores)
{
    cluster->claims_len++;
    cluster_claim(cluster, i, cpu(cores));
}
