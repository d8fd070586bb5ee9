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

FL_TESTS(cmocka_unit_test(a_page_of_a_queue_looks_at_that_queue_alone),
         cmocka_unit_test(the_place_of_a_lost_cursor_is_looked_for_in_pieces),
         cmocka_unit_test(moved_jobs_are_listed_in_their_place),
         cmocka_unit_test(an_explain_counts_the_nodes_that_it_may_look_at))
