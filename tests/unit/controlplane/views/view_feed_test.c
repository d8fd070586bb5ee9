/* The engine thread never waits for a reader, and a reader sees all that was pushed before. */
#include "controlplane/views/view_feed.h"

#include <sys/resource.h>
#include <time.h>

#include "controlplane/views/directory.h"
#include "controlplane/views/token_table.h"
#include "controlplane/views/views.h"
#include "shared/base/poison.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"

enum { READERS = 4, TOKENS = 5000, APPLIES = 20000, WAIT_US_MAX = 50, PAGE = 100 };

static struct row token_row(char id[33], uint32_t n)
{
    snprintf(id, 33, "token-%08u", n);
    return (struct row){.kind = ROW_token_put,
                        .token_put = {.id = fl_str_c(id), .name = FL_STR("n"), .scopes = 1}};
}

static void rows_are_folded_in_their_order_before_the_next_look(void **state)
{
    struct views *views = views_create();
    struct fl_queue_id queue;
    struct token_grant token;
    char id[33];
    struct row put = token_row(id, 1);
    struct row drop = {.kind = ROW_token_drop, .token_drop = {.id = put.token_put.id}};

    (void)state;
    views_apply(views, &put);
    views_apply(views, &drop);
    views_apply(views, &put);
    assert_true(token_table_find(views->tokens, fl_str_c(id), &token));
    views_apply(views, &drop);
    assert_false(token_table_find(views->tokens, fl_str_c(id), &token));
    views_apply(views, &(struct row){.kind = ROW_queue_put,
                                     .queue_put = {.queue = 7, .name = FL_STR("default")}});
    assert_true(directory_queue_id(views->directory, FL_STR("default"), &queue));
    assert_int_equal(queue.n, 7);
    assert_false(directory_queue_is_paused(views->directory, queue));
    views_apply(views,
                &(struct row){.kind = ROW_queue_put, .queue_put = {.queue = 7, .is_paused = true}});
    assert_true(directory_queue_is_paused(views->directory, queue));
    assert_false(directory_queue_is_paused(views->directory, (struct fl_queue_id){8}));
    views_apply(views, &put); /* no reader comes: the sanitizer would report a leak */
    views_destroy(views);
}

struct shared {
    struct views *views;
    atomic_bool is_over;
    atomic_uint_fast64_t looks;
};

/* The longest looks there are: a page, and a walk over all tokens. */
static void *look_all_the_time(void *ctx)
{
    struct shared *shared = ctx;
    struct token_grant page[PAGE];

    while (!atomic_load(&shared->is_over)) {
        token_table_page(shared->views->tokens, FL_STR(""), FL_STR(""), page, PAGE);
        token_table_has_admin(shared->views->tokens, INT64_MAX);
        atomic_fetch_add(&shared->looks, 1);
    }
    return NULL;
}

static long waits(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* A thread that waits gives up its CPU by itself; being descheduled is no wait for a reader. */
static void apply_waits_for_no_reader(void **state)
{
    struct shared shared = {.views = views_create()};
    pthread_t readers[READERS];
    int64_t longest_us = 0, longest_wait_us = 0;
    struct token_grant token;
    long waited = 0;
    char id[33];

    (void)state;
    for (uint32_t i = 0; i < TOKENS; i++) {
        struct row row = token_row(id, i);

        views_apply(shared.views, &row);
    }
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, look_all_the_time, &shared), 0);
    }
    for (uint32_t i = 0; i < APPLIES; i++) {
        struct row row = token_row(id, i % TOKENS);
        long before = waits();
        int64_t took = fl_clock_mono_us();

        views_apply(shared.views, &row);
        took = fl_clock_mono_us() - took;
        if (took > longest_us) longest_us = took;
        if (waits() == before) continue;
        waited++;
        if (took > longest_wait_us) longest_wait_us = took;
    }
    atomic_store(&shared.is_over, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i], NULL);
    }
    printf(
        "%d applies beside %d readers (%d looks): %ld waited, the longest wait %d us; the longest "
        "apply %d us, with what the machine gave to others\n",
        APPLIES, READERS, (int)shared.looks, waited, (int)longest_wait_us, (int)longest_us);
    assert_true(shared.looks > 0);
    assert_true(token_table_find(shared.views->tokens, fl_str_c(id), &token));
    assert_int_equal(token_table_len(shared.views->tokens), TOKENS);
    if (!FL_POISON) assert_true(longest_wait_us <= WAIT_US_MAX);
    views_destroy(shared.views);
}

FL_TESTS(cmocka_unit_test(rows_are_folded_in_their_order_before_the_next_look),
         cmocka_unit_test(apply_waits_for_no_reader))
