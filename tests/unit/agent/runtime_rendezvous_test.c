#include "agent/runtime_rendezvous.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static size_t variables_of(const char *document, uint32_t replica, struct fl_arena *arena,
                           struct rendezvous_variable ret_variables[RENDEZVOUS_LEN])
{
    struct runtime_job *job;
    struct runtime_order *order;
    struct fl_err err = {0};
    size_t len;

    if (!runtime_job_read(fl_str_c(document), FL_STR("{}"), &job, &err)) fail_msg("%s", err.text);
    order = runtime_order_create(job, (struct fl_attempt){.job = {77}, .n = 1}, replica, 0,
                                 (struct fl_resources){0});
    len = rendezvous_variables(order, "host", 29501, arena, ret_variables);
    runtime_order_destroy(order);
    runtime_job_release(job);
    return len;
}

static void a_gang_knows_where_it_meets(void **state)
{
    static const char *const wanted[][2] = {
        {"MASTER_ADDR", "host"}, {"MASTER_PORT", "29501"},    {"RANK", "2"},
        {"WORLD_SIZE", "4"},     {"PET_MASTER_ADDR", "host"}, {"PET_MASTER_PORT", "29501"},
        {"PET_NODE_RANK", "2"},  {"PET_NNODES", "4"}};
    struct rendezvous_variable found[RENDEZVOUS_LEN];
    struct fl_arena arena = {0};

    (void)state;
    assert_int_equal(variables_of("{\"replicas\":4,\"image\":\"a\"}", 2, &arena, found),
                     RENDEZVOUS_LEN);
    for (size_t i = 0; i < RENDEZVOUS_LEN; i++) {
        assert_string_equal(found[i].name, wanted[i][0]);
        assert_string_equal(found[i].value, wanted[i][1]);
    }
    fl_arena_fini(&arena);
}

static void a_replica_that_is_alone_waits_for_nobody(void **state)
{
    struct rendezvous_variable found[RENDEZVOUS_LEN];
    struct fl_arena arena = {0};

    (void)state;
    assert_int_equal(variables_of("{\"image\":\"a\"}", 0, &arena, found), 0);
    fl_arena_fini(&arena);
}

static void the_next_attempt_element_and_job_meet_at_another_port(void **state)
{
    struct fl_attempt attempt = {.job = {2999}, .element = 0, .n = 1};
    uint16_t port = rendezvous_port(attempt);

    (void)state;
    attempt.n++;
    assert_int_not_equal(rendezvous_port(attempt), port);
    attempt.n--;
    attempt.element++;
    assert_int_not_equal(rendezvous_port(attempt), port);
    attempt.element--;
    attempt.job.n++;
    assert_int_not_equal(rendezvous_port(attempt), port);
}

static void ports_are_below_those_that_a_system_gives_out(void **state)
{
    struct fl_attempt attempt = {.job = {UINT64_MAX}, .element = UINT32_MAX, .n = UINT16_MAX};

    (void)state;
    for (uint64_t i = 0; i < 3000; i++, attempt.job.n--) {
        assert_true(rendezvous_port(attempt) >= RENDEZVOUS_PORT);
        assert_true(rendezvous_port(attempt) < 32768);
    }
}

FL_TESTS(cmocka_unit_test(a_gang_knows_where_it_meets),
         cmocka_unit_test(a_replica_that_is_alone_waits_for_nobody),
         cmocka_unit_test(the_next_attempt_element_and_job_meet_at_another_port),
         cmocka_unit_test(ports_are_below_those_that_a_system_gives_out))
