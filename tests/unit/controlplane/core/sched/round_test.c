#include "controlplane/core/sched/round.h"

#include "tests/unit/controlplane/core/sched/sched_world.h"

enum { JOBS_MAX = 4000 };

/* A world with queues, and the memory and settings of its rounds. */
struct table {
    struct world world;
    struct queue_table queues;
    struct job_table jobs;
    struct element_table elements;
    struct round round;
    struct fl_queue_id queue_served;
    uint32_t starts_max, elements_max;
    uint64_t looks_max, next_id;
    char story[1024]; /* the decisions of the newest rounds */
};

static void open_table(struct table *table)
{
    memset(table, 0, sizeof *table);
    init(&table->world);
    queue_table_init(&table->queues, 8, 64);
    job_table_init(&table->jobs, JOBS_MAX);
    element_table_init(&table->elements, 64);
    table->starts_max = 100;
    table->elements_max = JOBS_MAX;
    table->looks_max = 1000000;
}

static void close_table(struct table *table)
{
    round_fini(&table->round);
    element_table_fini(&table->elements);
    job_table_fini(&table->jobs);
    queue_table_fini(&table->queues);
    fini(&table->world);
}

static void add_queues_from(struct table *table, uint32_t first, uint32_t last)
{
    char name[16];

    for (uint32_t i = first - 1; i < last; i++) {
        struct fl_err err = {0};
        struct fl_queue_id id = {0};

        (void)snprintf(name, sizeof name, "q%u", i + 1);
        assert_true(
            queue_table_add(&table->queues, id, (struct fl_tenant){1}, fl_str_c(name), &id, &err));
    }
}

static void add_queues(struct table *table, uint32_t len)
{
    add_queues_from(table, 1, len);
}

/* A job of so many elements; its slot. */
static struct job_slot submit_array(struct table *table, uint32_t queue, const struct shape *shape,
                                    int32_t priority, uint32_t elements)
{
    struct job_slot slot = job_table_add(&table->jobs, (struct fl_job){++table->next_id});
    struct job *job = job_table_at(&table->jobs, slot);

    job->elements = elements;
    job->bucket = queue_table_need_bucket(&table->queues, (struct fl_queue_id){queue}, priority,
                                          shape_in(&table->world, shape));
    queue_table_join(&table->queues, &table->jobs, slot);
    queue_table_enter(&table->queues, &table->jobs, slot);
    return slot;
}

static struct job_slot submit(struct table *table, uint32_t queue, const struct shape *shape)
{
    return submit_array(table, queue, shape, 0, 1);
}

/* ---- carried out ----------------------------------------------------------------------------- */

static void start(struct table *table, const struct decision *decision)
{
    struct job *job = job_table_at(&table->jobs, decision->job);
    struct cluster *cluster = at(&table->world, decision->placement.cluster.n);
    const struct shape *shape =
        &shape_table_at(&table->world.shapes,
                        queue_table_bucket(&table->queues, decision->bucket)->shape)
             ->shape;

    for (uint32_t i = 0; i < decision->placement.nodes_len; i++) {
        cluster_take(&table->world.clusters, cluster, decision->placement.nodes[i],
                     shape_role_of(shape, i)->each);
        (void)cluster_hold(cluster, decision->placement.nodes[i], shape_role_of(shape, i)->each);
    }
    cluster->node_cursor = decision->placement.cursor;
    if (++job->elements_next == job->elements) {
        queue_table_remove(&table->queues, &table->jobs, decision->job);
    }
}

static void begin_claim(struct table *table, const struct decision *decision)
{
    struct claim *claim = &queue_table_at(&table->queues, decision->queue)->claim;
    struct shape_slot shape = queue_table_bucket(&table->queues, decision->bucket)->shape;

    assert_int_equal(claim->cluster.n, 0);
    claim->cluster = decision->claim.cluster;
    claim->shape = shape_table_at(&table->world.shapes, shape)->id;
    at(&table->world, claim->cluster.n)->claims_len++;
    for (size_t i = 0; i < decision->claim.parts_len; i++) {
        fl_vec_push(&claim->parts, decision->claim.parts[i]);
        cluster_claim(at(&table->world, claim->cluster.n), decision->claim.parts[i].node,
                      decision->claim.parts[i].room);
    }
    for (uint32_t i = 0; i < shape_table_at(&table->world.shapes, shape)->replicas; i++) {
        fl_vec_push(&claim->nodes, decision->claim.nodes[i]);
    }
}

static void end_claim(struct table *table, struct fl_queue_id queue)
{
    struct claim *claim = &queue_table_at(&table->queues, queue)->claim;
    struct cluster *cluster = at(&table->world, claim->cluster.n);

    for (size_t i = 0; i < claim->parts.len; i++) {
        cluster_unclaim(cluster, claim->parts.at[i].node, claim->parts.at[i].room);
    }
    cluster->claims_len--;
    claim->cluster.n = 0;
    fl_vec_clear(&claim->parts);
    fl_vec_clear(&claim->nodes);
    cluster_table_grow(&table->world.clusters, cluster);
}

static void carry_out(struct table *table, const struct decision *decision)
{
    const char *comma = table->story[0] ? ", " : "";
    size_t len = strlen(table->story);
    char *to = table->story + len;
    size_t room = sizeof table->story - len;
    uint64_t job = decision->job.n ? job_table_at(&table->jobs, decision->job)->id : 0;

    switch (decision->kind) {
    case DECISION_START:
        (void)snprintf(to, room, "%sstart %u on %u", comma, (unsigned)job,
                       decision->placement.cluster.n);
        start(table, decision);
        break;
    case DECISION_REFUSE:
        (void)snprintf(to, room, "%sq%u %s", comma, decision->queue.n, reason_name(decision->why));
        queue_table_bucket(&table->queues, decision->bucket)->why = (uint8_t)decision->why;
        break;
    case DECISION_CLAIM:
        (void)snprintf(to, room, "%sclaim %u on %u", comma, (unsigned)job,
                       decision->claim.cluster.n);
        begin_claim(table, decision);
        break;
    case DECISION_UNCLAIM:
        (void)snprintf(to, room, "%sunclaim q%u", comma, decision->queue.n);
        end_claim(table, decision->queue);
        break;
    }
}

static bool run_once(struct table *table)
{
    struct round_view view = {.clusters = &table->world.clusters,
                              .queues = &table->queues,
                              .jobs = &table->jobs,
                              .elements = &table->elements,
                              .shapes = &table->world.shapes,
                              .queue_served = table->queue_served,
                              .unconfirmed_max = 1000000,
                              .elements_max = table->elements_max,
                              .claims_percent_max = 50,
                              .starts_max = table->starts_max,
                              .looks_max = table->looks_max};
    bool has_more = round_run(&table->round, &view);

    cluster_table_settle(&table->world.clusters);
    table->queue_served = table->round.queue_served;
    table->story[0] = '\0';
    for (size_t i = 0; i < table->round.decisions.len; i++) {
        carry_out(table, &table->round.decisions.at[i]);
        has_more = has_more || table->round.decisions.at[i].kind == DECISION_UNCLAIM;
    }
    return has_more;
}

/* The decisions of one round. */
static const char *run(struct table *table)
{
    (void)run_once(table);
    return table->story;
}

static void give_back(struct table *table, uint32_t cluster, uint32_t node, uint32_t cores)
{
    cluster_unhold(at(&table->world, cluster), node, cpu(cores), 0);
    cluster_give(&table->world.clusters, at(&table->world, cluster), node, cpu(cores));
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void queues_take_turns_and_within_one_priority_goes_before_age(void **state)
{
    static struct table table;
    struct shape one = gang(1, 1), two = gang(1, 2);

    (void)state;
    open_table(&table);
    add_queues(&table, 3);
    node(&table.world, enrol(&table.world, "east"), "n1", 16);
    submit(&table, 1, &one);
    submit(&table, 1, &two);
    submit_array(&table, 1, &one, 5, 1);
    submit(&table, 2, &one);
    submit(&table, 3, &two);
    submit(&table, 3, &one);
    table.queue_served.n = 1;
    assert_string_equal(run(&table), "start 4 on 1, start 5 on 1, start 3 on 1, start 6 on 1, "
                                     "start 1 on 1, start 2 on 1");
    assert_int_equal(table.queue_served.n, 1);
    assert_string_equal(run(&table), "");
    close_table(&table);
}

static void a_paused_queue_starts_nothing(void **state)
{
    static struct table table;
    struct shape one = gang(1, 1);

    (void)state;
    open_table(&table);
    add_queues(&table, 2);
    node(&table.world, enrol(&table.world, "east"), "n1", 8);
    submit(&table, 1, &one);
    submit(&table, 2, &one);
    table.queues.queues.at[0].is_paused = true;
    assert_string_equal(run(&table), "start 2 on 1");
    table.queues.queues.at[0].is_paused = false;
    assert_string_equal(run(&table), "start 1 on 1");
    close_table(&table);
}

static void at_the_limit_of_elements_nothing_new_starts(void **state)
{
    static struct table table;
    struct shape one = gang(1, 1);

    (void)state;
    open_table(&table);
    add_queues(&table, 1);
    node(&table.world, enrol(&table.world, "east"), "n1", 8);
    submit_array(&table, 1, &one, 0, 5);
    table.elements_max = 3;
    assert_string_equal(run(&table), "start 1 on 1, start 1 on 1, start 1 on 1");
    close_table(&table);
}

/* ---- refusals and claims --------------------------------------------------------------------- */

static void a_job_that_does_not_fit_is_passed_and_claims_room(void **state)
{
    static struct table table;
    struct shape small = gang(1, 2), large = gang(1, 8);

    (void)state;
    open_table(&table);
    add_queues(&table, 1);
    node(&table.world, enrol(&table.world, "east"), "n1", 8);
    submit(&table, 1, &small);
    submit(&table, 1, &large);
    submit(&table, 1, &small);
    assert_string_equal(run(&table), "start 1 on 1, q1 InsufficientCapacity, start 3 on 1, "
                                     "claim 2 on 1");
    submit(&table, 1, &small);
    assert_string_equal(run(&table), "q1 Claimed");
    give_back(&table, 1, 0, 2); /* one of the two that were there first */
    assert_string_equal(run(&table), "");
    give_back(&table, 1, 0, 2);
    assert_string_equal(run(&table), "unclaim q1, start 2 on 1, q1 InsufficientCapacity");
    assert_string_equal(run(&table), "claim 4 on 1");
    close_table(&table);
}

static void no_cluster_could_run_it_is_no_reason_to_claim(void **state)
{
    static struct table table;
    struct shape large = gang(1, 9);

    (void)state;
    open_table(&table);
    add_queues(&table, 1);
    node(&table.world, enrol(&table.world, "east"), "n1", 8);
    submit(&table, 1, &large);
    assert_string_equal(run(&table), "q1 NoMatchingCluster");
    assert_string_equal(run(&table), ""); /* once is enough */
    node(&table.world, at(&table.world, 1), "n1", 9);
    assert_string_equal(run(&table), "start 1 on 1");
    close_table(&table);
}

static void a_more_important_job_takes_over_the_claim_of_its_queue(void **state)
{
    static struct table table;
    struct shape small = gang(1, 2), large = gang(1, 8), larger = gang(2, 4);

    (void)state;
    open_table(&table);
    add_queues(&table, 1);
    node(&table.world, enrol(&table.world, "east"), "n1", 8);
    submit(&table, 1, &small);
    assert_string_equal(run(&table), "start 1 on 1");
    submit(&table, 1, &large);
    assert_string_equal(run(&table), "q1 InsufficientCapacity, claim 2 on 1");
    submit_array(&table, 1, &larger, 1, 1);
    while (run_once(&table)) {
    }
    assert_int_equal(table.queues.queues.at[0].claim.shape, entry_of(&table.world, &larger)->id);
    give_back(&table, 1, 0, 2);
    assert_string_equal(run(&table), "unclaim q1, start 3 on 1");
    close_table(&table);
}

/* Each has what the other one waits for: the one that claimed first starts first. */
static void of_two_that_wait_for_each_others_room_the_older_claim_goes_first(void **state)
{
    static struct table table;
    struct shape all = gang(2, 8), half = gang(1, 8);

    (void)state;
    open_table(&table);
    add_queues(&table, 2);
    node(&table.world, enrol(&table.world, "east"), "n1", 8);
    node(&table.world, at(&table.world, 1), "n2", 8);
    (void)cluster_hold(at(&table.world, 1), 0, cpu(8));
    cluster_take(&table.world.clusters, at(&table.world, 1), 0, cpu(8));
    (void)cluster_hold(at(&table.world, 1), 1, cpu(8));
    cluster_take(&table.world.clusters, at(&table.world, 1), 1, cpu(8));
    submit(&table, 1, &all);
    assert_string_equal(run(&table), "q1 InsufficientCapacity, claim 1 on 1");
    submit(&table, 2, &half);
    assert_string_equal(run(&table), "q2 InsufficientCapacity"); /* no room for a claim beside it */
    give_back(&table, 1, 0, 8);
    assert_string_equal(run(&table), "q2 Claimed");
    give_back(&table, 1, 1, 8);
    assert_string_equal(run(&table), "unclaim q1, start 1 on 1, q2 InsufficientCapacity");
    close_table(&table);
}

/* ---- budgets --------------------------------------------------------------------------------- */

static void a_round_ends_at_its_starts_and_the_next_one_goes_on(void **state)
{
    static struct table table;
    struct shape one = gang(1, 1);

    (void)state;
    open_table(&table);
    add_queues(&table, 3);
    node(&table.world, enrol(&table.world, "east"), "n1", 16);
    for (uint32_t i = 0; i < 6; i++) {
        submit(&table, i % 3 + 1, &one);
    }
    table.starts_max = 2;
    assert_true(run_once(&table));
    assert_string_equal(table.story, "start 1 on 1, start 2 on 1");
    assert_true(run_once(&table));
    assert_string_equal(table.story, "start 3 on 1, start 4 on 1");
    assert_true(run_once(&table));
    assert_string_equal(table.story, "start 5 on 1, start 6 on 1");
    assert_false(run_once(&table));
    assert_string_equal(table.story, "");
    close_table(&table);
}

/* With no budget at all, each round asks for one head, and all have been asked after some. */
static void rounds_that_look_at_little_come_to_everybody(void **state)
{
    static struct table table;
    unsigned rounds = 0;

    (void)state;
    open_table(&table);
    add_queues(&table, 4);
    node(&table.world, enrol(&table.world, "east"), "n1", 40);
    for (uint32_t i = 0; i < 40; i++) {
        struct shape shape = gang(1, 41 + i % 10);

        submit(&table, i % 4 + 1, &shape);
    }
    for (uint32_t queue = 1; queue <= 4; queue++) {
        struct shape one = gang(1, 1);

        submit(&table, queue, &one);
    }
    table.looks_max = 0;
    while (run_once(&table)) {
        assert_true(++rounds < 200);
    }
    assert_int_equal(at(&table.world, 1)->free_sum.cpu_milli, 36000);
    close_table(&table);
}

/* Each queue's job claims a node, the first one's two; all are full, and twice as many as claims
 * may take. */
static void claim_full_nodes(struct table *table, uint32_t len)
{
    static struct shape whole, two;
    struct cluster *cluster;

    whole = gang(1, 8);
    two = gang(2, 8);
    open_table(table);
    add_queues(table, len);
    cluster = enrol(&table->world, "east");
    for (uint32_t i = 0; i < 2 * (len + 1); i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", i + 1);
        node(&table->world, cluster, name, 8);
        (void)cluster_hold(cluster, i, cpu(8));
        cluster_take(&table->world.clusters, cluster, i, cpu(8));
    }
    for (uint32_t i = 0; i < len; i++) {
        submit(table, i + 1, i ? &whole : &two);
        while (run_once(table)) {
        }
        assert_int_equal(table->queues.queues.at[i].claim.cluster.n, 1);
    }
}

/* The node that the queue's job claims becomes free. */
static void free_claimed(struct table *table, uint32_t queue)
{
    give_back(table, 1, table->queues.queues.at[queue - 1].claim.parts.at[0].node, 8);
}

static void claims_that_a_round_comes_not_to_stand_and_are_the_next_ones(void **state)
{
    static struct table table;
    unsigned rounds = 0;

    (void)state;
    claim_full_nodes(&table, 6);
    free_claimed(&table, 3);
    free_claimed(&table, 6);
    table.looks_max = 0;
    while (run_once(&table)) {
        assert_true(++rounds < 20);
    }
    assert_true(rounds >= 6);
    for (uint32_t i = 0; i < 6; i++) { /* two nodes are free: the oldest claim's job has them */
        assert_int_equal(table.queues.queues.at[i].claim.cluster.n, i > 0);
    }
    assert_int_equal(at(&table.world, 1)->free_sum.cpu_milli, 0);
    close_table(&table);
}

static void a_claim_that_a_round_comes_not_to_binds_others(void **state)
{
    static struct table table;
    struct shape small = gang(1, 1);

    (void)state;
    claim_full_nodes(&table, 6);
    add_queues_from(&table, 7, 7);
    submit(&table, 7, &small);
    free_claimed(&table, 6);
    table.looks_max = 0;
    assert_true(run_once(&table));
    assert_string_equal(table.story, "q7 Claimed");
    close_table(&table);
}

/* All that were asked before cost something again, since the cluster has grown. */
static void rounds_go_on_behind_the_claims_that_were_asked(void **state)
{
    static struct table table;
    unsigned rounds = 0;

    (void)state;
    claim_full_nodes(&table, 6);
    free_claimed(&table, 6);
    table.looks_max = 0;
    while (at(&table.world, 1)->free_sum.cpu_milli > 0) {
        assert_true(++rounds <= 6);
        cluster_table_grow(&table.world.clusters, at(&table.world, 1));
        (void)run_once(&table);
    }
    close_table(&table);
}

/* Two queues hold claims and have work behind it that fits, which uses up each round's starts. */
static void queues_without_claims_have_their_turns_too(void **state)
{
    static struct table table;
    struct shape small = gang(1, 1);
    struct job_slot job;

    (void)state;
    claim_full_nodes(&table, 2);
    add_queues_from(&table, 3, 3);
    submit_array(&table, 1, &small, 0, 10);
    submit_array(&table, 2, &small, 0, 10);
    job = submit(&table, 3, &small);
    give_back(&table, 1, 5, 4);
    table.starts_max = 1;
    for (unsigned rounds = 0; rounds < 3; rounds++) {
        (void)run_once(&table);
    }
    assert_int_equal(job_table_at(&table.jobs, job)->elements_next, 1);
    close_table(&table);
}

/* The parts of all claims are more than the looks of a round: their jobs are asked all the same. */
static void wide_claims_do_not_use_up_the_looks_for_asking(void **state)
{
    static struct table table;
    unsigned rounds = 0;

    (void)state;
    claim_full_nodes(&table, 6);
    table.looks_max = 40;
    cluster_table_grow(&table.world.clusters, at(&table.world, 1));
    while (run_once(&table)) {
        rounds++;
    }
    assert_true(rounds <= 3);
    close_table(&table);
}

static void jobs_with_claims_end_a_round_at_its_starts_too(void **state)
{
    static struct table table;

    (void)state;
    claim_full_nodes(&table, 3);
    for (uint32_t i = 0; i < 3; i++) {
        free_claimed(&table, i + 1);
    }
    give_back(&table, 1, table.queues.queues.at[0].claim.parts.at[1].node, 8);
    table.starts_max = 2;
    assert_true(run_once(&table));
    assert_string_equal(table.story, "unclaim q1, start 1 on 1, unclaim q2, start 2 on 1");
    while (run_once(&table)) {
    }
    assert_int_equal(at(&table.world, 1)->free_sum.cpu_milli, 0);
    close_table(&table);
}

/* Its many heads are refused anew in each round, since the cluster has grown. */
static void a_queue_of_refused_jobs_keeps_no_other_waiting(void **state)
{
    static struct table table;
    struct shape one = gang(1, 1);
    struct job_slot job;
    uint32_t rounds = 0;

    (void)state;
    open_table(&table);
    add_queues(&table, 2);
    node(&table.world, enrol(&table.world, "east"), "n1", 40);
    for (uint32_t i = 0; i < 30; i++) {
        struct shape shape = gang(1, 41 + i);

        submit(&table, 1, &shape);
    }
    (void)run(&table);
    job = submit(&table, 2, &one);
    table.looks_max = 20;
    while (job_table_at(&table.jobs, job)->elements_next == 0) {
        assert_true(++rounds <= 3);
        cluster_table_grow(&table.world.clusters, at(&table.world, 1));
        (void)run_once(&table);
    }
    close_table(&table);
}

/* Others use the nodes of 16 clusters, so that no job could have a claim; to see that costs a look
 * at all nodes, which are more than a round's looks. */
static void large_clusters_leave_a_round_looks_for_many_jobs(void **state)
{
    enum { CLUSTERS = 16, NODES = 48, LOOKS = 400, SHAPES = 30 };
    static struct table table;
    uint32_t rounds = 0;

    (void)state;
    _Static_assert(CLUSTERS * NODES > LOOKS, "they are more");
    open_table(&table);
    add_queues(&table, 4);
    for (uint32_t c = 1; c <= CLUSTERS; c++) {
        char name[16];

        (void)snprintf(name, sizeof name, "c%u", c);
        (void)enrol(&table.world, name);
        for (uint32_t i = 0; i < NODES; i++) {
            (void)snprintf(name, sizeof name, "n%u", i);
            node(&table.world, at(&table.world, c), name, 80);
            cluster_take(&table.world.clusters, at(&table.world, c), i, cpu(79));
        }
    }
    for (uint32_t i = 0; i < SHAPES; i++) {
        struct shape shape = gang(1, 2 + i);

        submit(&table, i % 4 + 1, &shape);
    }
    while (run_once(&table)) {
    }
    cluster_table_grow(&table.world.clusters, at(&table.world, CLUSTERS));
    table.looks_max = LOOKS;
    while (run_once(&table)) {
        assert_true(++rounds < SHAPES / 3);
    }
    close_table(&table);
}

/* A queue whose first job can have no claim asks for one once, however much others start. */
static void who_can_have_no_claim_costs_a_round_little(void **state)
{
    static struct table table;
    struct shape all = gang(64, 8), large = gang(64, 7), one = gang(1, 1);
    uint64_t alone = 0;

    (void)state;
    for (int is_beside = 0; is_beside < 2; is_beside++) {
        open_table(&table);
        add_queues(&table, 3);
        (void)enrol(&table.world, "east");
        (void)enrol(&table.world, "west");
        for (uint32_t i = 0; i < 64; i++) {
            char name[16];

            (void)snprintf(name, sizeof name, "n%u", i);
            node(&table.world, at(&table.world, 1), name, 8);
            cluster_take(&table.world.clusters, at(&table.world, 1), i, cpu(8));
            (void)cluster_hold(at(&table.world, 1), i, cpu(8));
            node(&table.world, at(&table.world, 2), name, 8);
        }
        one.clusters[0] = FL_STR("west");
        large.clusters[0] = all.clusters[0] = FL_STR("east");
        one.clusters_len = large.clusters_len = all.clusters_len = 1;
        submit(&table, 1, &all);
        (void)run(&table);
        if (is_beside) submit(&table, 2, &large);
        submit_array(&table, 3, &one, 0, 400);
        table.starts_max = 1000;
        (void)run(&table);
        if (!is_beside) alone = table.round.chooser.room.looked;
        if (is_beside) assert_true(table.round.chooser.room.looked < 2 * alone);
        close_table(&table);
    }
}

FL_TESTS(cmocka_unit_test(queues_take_turns_and_within_one_priority_goes_before_age),
         cmocka_unit_test(a_paused_queue_starts_nothing),
         cmocka_unit_test(at_the_limit_of_elements_nothing_new_starts),
         cmocka_unit_test(a_job_that_does_not_fit_is_passed_and_claims_room),
         cmocka_unit_test(no_cluster_could_run_it_is_no_reason_to_claim),
         cmocka_unit_test(a_more_important_job_takes_over_the_claim_of_its_queue),
         cmocka_unit_test(of_two_that_wait_for_each_others_room_the_older_claim_goes_first),
         cmocka_unit_test(a_round_ends_at_its_starts_and_the_next_one_goes_on),
         cmocka_unit_test(rounds_that_look_at_little_come_to_everybody),
         cmocka_unit_test(claims_that_a_round_comes_not_to_stand_and_are_the_next_ones),
         cmocka_unit_test(a_claim_that_a_round_comes_not_to_binds_others),
         cmocka_unit_test(rounds_go_on_behind_the_claims_that_were_asked),
         cmocka_unit_test(queues_without_claims_have_their_turns_too),
         cmocka_unit_test(wide_claims_do_not_use_up_the_looks_for_asking),
         cmocka_unit_test(jobs_with_claims_end_a_round_at_its_starts_too),
         cmocka_unit_test(a_queue_of_refused_jobs_keeps_no_other_waiting),
         cmocka_unit_test(large_clusters_leave_a_round_looks_for_many_jobs),
         cmocka_unit_test(who_can_have_no_claim_costs_a_round_little))
