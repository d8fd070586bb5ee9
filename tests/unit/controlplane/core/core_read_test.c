/* core_read_test.c - how much a question looks at before it is answered. */
#include "tests/unit/controlplane/core/core_world.h"

/* The page, good until the next batch.  *ret_looked: how much was looked at for it. */
static const struct core_answer *list(struct world *world, const char *queue, uint64_t before,
                                      size_t len_max, uint64_t *ret_looked)
{
    struct core_event event = {.kind = CORE_EV_list_jobs, .request = 1, .tenant = {1}};
    uint64_t looked = core_looked(world->core);

    event.list_jobs.queue = fl_str_c(queue);
    event.list_jobs.before = before;
    event.list_jobs.len_max = len_max;
    core_step(world->core, &event, world->batch);
    *ret_looked = core_looked(world->core) - looked;
    return &world->batch->effects.at[world->batch->effects.len - 1].answer;
}

/* Issue 11, section 3: beside a million others, a queue costs what it holds. */
static void a_page_of_a_queue_looks_at_that_queue_alone(void **state)
{
    const struct core_answer *page;
    struct world world;
    uint64_t looked;

    (void)state;
    init(&world, 1, 0);
    put_queue(&world, "empty");
    put_queue(&world, "few");
    submit_to(&world, "few", 3); /* jobs 1 to 3, and 20004 */
    for (int i = 0; i < 20; i++) {
        submit(&world, CORE_SUBMIT_MAX);
    }
    submit_to(&world, "few", 1);
    next_batch(&world);
    page = list(&world, "empty", 0, 1, &looked);
    assert_int_equal(page->jobs_len, 0);
    assert_int_equal(page->next, 0);
    assert_int_equal(looked, 0);
    page = list(&world, "few", 0, 2, &looked);
    assert_int_equal(page->jobs_len, 2);
    assert_int_equal(page->jobs[0].job.n, 20004);
    assert_int_equal(page->jobs[1].job.n, 3);
    assert_int_equal(page->next, 3);
    assert_int_equal(looked, 2);
    cancel(&world, 3); /* the cursor's own job ends between two pages */
    page = list(&world, "few", page->next, 2, &looked);
    assert_int_equal(page->jobs_len, 2);
    assert_int_equal(page->jobs[0].job.n, 2);
    assert_int_equal(page->jobs[1].job.n, 1);
    assert_int_equal(page->next, 0);
    assert_true(looked <= 4);
    fini(&world);
}

/* A long queue whose cursor is gone: its place is looked for by id, so many at a time, and an empty
 * page leads on. */
static void the_place_of_a_lost_cursor_is_looked_for_in_pieces(void **state)
{
    const struct core_answer *page;
    uint64_t looked, before = 0;
    struct world world;
    int pages = 0;

    (void)state;
    init(&world, 1, 0);
    put_queue(&world, "long");
    for (int i = 0; i < 11; i++) {
        submit_to(&world, "long", CORE_SUBMIT_MAX);
    }
    for (int i = 0; i < 25; i++) {
        submit(&world, CORE_SUBMIT_MAX);
    }
    submit_to(&world, "long", 2);
    next_batch(&world);
    page = list(&world, "long", 0, 1, &looked);
    assert_int_equal(page->jobs[0].job.n, 36002);
    cancel(&world, 36002);
    cancel(&world, 36001);
    for (before = page->next; page->jobs_len == 0 || pages == 0; pages++) {
        page = list(&world, "long", before, 1, &looked);
        before = page->next;
        assert_true(looked <= 10001);
        assert_int_not_equal(before, 0);
    }
    assert_int_equal(page->jobs[0].job.n, 11000);
    assert_int_equal(pages, 3); /* 25,000 others, 10,000 a page */
    fini(&world);
}

static void move(struct world *world, uint64_t job, const char *queue)
{
    struct core_event event = {
        .kind = CORE_EV_edit,
        .tenant = {1},
        .edit = {.job = {job}, .sets_queue = true, .queue = fl_str_c(queue)}};

    core_step(world->core, &event, world->batch);
}

/* Jobs that an edit brought into a long queue stand among the others by their ids, on every page,
 * also where the search for the others is cut and where a cursor is one of them. */
static void moved_jobs_are_listed_in_their_place(void **state)
{
    static const uint64_t moved[] = {12000, 20000, 20001, 25000, 36000}, gone[] = {5, 10999};
    const struct core_answer *page;
    uint64_t looked, before = 0, listed = 0, last = UINT64_MAX;
    struct world world;

    (void)state;
    init(&world, 1, 0);
    put_queue(&world, "long");
    for (int i = 0; i < 11; i++) {
        submit_to(&world, "long", CORE_SUBMIT_MAX); /* jobs 1 to 11000 */
    }
    for (int i = 0; i < 25; i++) {
        submit(&world, CORE_SUBMIT_MAX); /* to 36000, in another queue */
    }
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        move(&world, moved[i], "long");
    }
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        move(&world, gone[i], "ml");
    }
    next_batch(&world);
    do {
        page = list(&world, "long", before, last > 11000 ? 1 : CORE_PAGE_MAX, &looked);
        assert_true(looked <= 11001);
        for (size_t i = 0; i < page->jobs_len; i++, listed++) {
            uint64_t id = page->jobs[i].job.n;

            assert_true(id < last && id != gone[0] && id != gone[1]);
            if (id > 11000) assert_int_equal(id, moved[4 - listed]);
            last = id;
        }
        before = page->next;
        next_batch(&world);
    } while (before > 0);
    assert_int_equal(listed, 11000 - 2 + 5);
    assert_int_equal(last, 1);
    core_check(world.core);
    fini(&world);
}

static void an_explain_counts_the_nodes_that_it_may_look_at(void **state)
{
    struct core_event event = {
        .kind = CORE_EV_explain, .request = 1, .tenant = {1}, .job = {.job = {1}}};
    struct world world;
    uint64_t looked;

    (void)state;
    init(&world, 1, 0);
    submit(&world, 1);
    connect(&world);
    looked = core_looked(world.core);
    core_step(world.core, &event, world.batch);
    assert_int_equal(core_looked(world.core) - looked, 2); /* one cluster, one node */
    fini(&world);
}

/* The first by name, however they were enrolled, and the number of all. */
static void a_dry_run_tells_of_at_most_a_hundred_clusters(void **state)
{
    enum { CLUSTERS = 2 * CORE_VERDICTS_MAX };
    struct core_submit_item item = {.queue = FL_STR("ml"), .elements = 1};
    struct core_event put = {.kind = CORE_EV_cluster_put, .now = 1000, .tenant = {1}};
    struct core_event event = {.kind = CORE_EV_submit,
                               .now = 1000,
                               .request = 1,
                               .tenant = {1},
                               .submit = {.at = &item, .len = 1, .is_dry = true}};
    const struct core_answer *answer;
    struct world world;
    uint64_t looked;

    (void)state;
    init(&world, 1, 0);
    item.shape = (struct fl_str){world.shape, world.shape_len};
    for (unsigned i = 0; i < CLUSTERS; i++) { /* the ids 1, 2, ...: 7 steps on, from 0 round */
        char name[16];

        snprintf(name, sizeof name, "c%03u", (i * 7) % CLUSTERS);
        put.cluster_put.name = fl_str_c(name);
        put.cluster_put.uid = fl_str_c(name);
        core_step(world.core, &put, world.batch);
    }
    looked = core_looked(world.core);
    core_step(world.core, &event, world.batch);
    answer = &world.batch->effects.at[world.batch->effects.len - 1].answer;
    assert_int_equal(answer->outcomes[0].code, FL_OK);
    assert_true(answer->is_possible);
    assert_int_equal(answer->verdicts_len, 0);
    assert_true(core_looked(world.core) - looked < CLUSTERS); /* not asked for */
    event.submit.wants_verdicts = true;
    core_step(world.core, &event, world.batch);
    answer = &world.batch->effects.at[world.batch->effects.len - 1].answer;
    assert_int_equal(answer->enrolled, CLUSTERS);
    assert_int_equal(answer->verdicts_len, CORE_VERDICTS_MAX);
    for (unsigned i = 0; i < CORE_VERDICTS_MAX; i++) {
        unsigned id = answer->verdicts[i].cluster.n;

        assert_int_equal(((id - 1) * 7) % CLUSTERS, i);
    }
    fini(&world);
}

static void a_dry_run_stops_behind_a_cluster_of_very_many_nodes(void **state)
{
    struct core_submit_item item = {.queue = FL_STR("ml"), .elements = 1};
    struct core_event put = {.kind = CORE_EV_cluster_put, .now = 1000, .tenant = {1}};
    struct core_event nodes = {.kind = CORE_EV_nodes, .now = 1000};
    struct core_node_report node = {.is_ready = true, .name = FL_STR("n")};
    struct core_event event = {
        .kind = CORE_EV_submit,
        .now = 1000,
        .request = 1,
        .tenant = {1},
        .submit = {.at = &item, .len = 1, .is_dry = true, .wants_verdicts = true}};
    const struct core_answer *answer;
    struct world world;

    (void)state;
    init(&world, 1, 0);
    core_destroy(world.core);
    world.config.nodes_max = 2 * CORE_VERDICT_NODES_MAX;
    world.core = core_create(&world.config);
    begin(&world);
    item.shape = (struct fl_str){world.shape, world.shape_len};
    connect(&world); /* east, with one node */
    put.cluster_put.name = put.cluster_put.uid = FL_STR("west");
    core_step(world.core, &put, world.batch);
    core_step(world.core, &event, world.batch);
    answer = &world.batch->effects.at[world.batch->effects.len - 1].answer;
    assert_int_equal(answer->verdicts_len, 2);
    nodes.nodes.cluster.n = 1;
    nodes.nodes.session_epoch = 1;
    nodes.nodes.at = &node;
    nodes.nodes.len = 1;
    for (uint32_t i = 0; i < CORE_VERDICT_NODES_MAX; i++) {
        char name[16];

        snprintf(name, sizeof name, "m%u", i);
        node.name = fl_str_c(name);
        node.number = 2 + i;
        nodes.nodes.report_seq = ++world.report_seq;
        core_step(world.core, &nodes, world.batch);
    }
    core_step(world.core, &event, world.batch);
    answer = &world.batch->effects.at[world.batch->effects.len - 1].answer;
    assert_int_equal(answer->enrolled, 2);
    assert_int_equal(answer->verdicts_len, 1);
    fini(&world);
}

FL_TESTS(cmocka_unit_test(a_page_of_a_queue_looks_at_that_queue_alone),
         cmocka_unit_test(the_place_of_a_lost_cursor_is_looked_for_in_pieces),
         cmocka_unit_test(moved_jobs_are_listed_in_their_place),
         cmocka_unit_test(an_explain_counts_the_nodes_that_it_may_look_at),
         cmocka_unit_test(a_dry_run_tells_of_at_most_a_hundred_clusters),
         cmocka_unit_test(a_dry_run_stops_behind_a_cluster_of_very_many_nodes))
