#include "tests/unit/controlplane/engine/engine_world.h"

/* Batches that the database refuses, and requests that were made before. */

/* ---- poison ---------------------------------------------------------------------------------- */

static void of_a_thousand_only_the_culprit_is_refused(void **state)
{
    struct world *world = leader();

    (void)state;
    world->is_quiet = true;
    world->answers_ok = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        adopt(world, new_submit(100 + i, i == 500 ? "poison" : "fine", 1));
    }
    run(world);
    assert_int_equal(world->answers_ok, 999);
    assert_int_equal(world->answers_invalid, 1);
    assert_int_equal(world->answers_other, 0);
    assert_int_equal(engine_stats(world->engine).quarantined, 1);
    assert_int_equal(engine_stats(world->engine).refused, 2);
    assert_int_equal(core_stats(engine_core(world->engine)).jobs, 999);
    assert_int_equal(engine_state(world->engine), ENGINE_LEADING);
    end(world);
}

static void the_events_of_a_refused_batch_are_stepped_again_one_by_one(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nsubmit 6 b\nsubmit 7 poison\nturn\nsubmit 8 c\nturn\n"
                "done 3 ok\n");
    forget_story(world);
    play(world, "done 4 poison\nsubmit 9 d\nhello 1 1\nturn\ntaken\n");
    story_is(world, "0 drop\n"
                    "0 refused unavailable\n" /* the agent's: it will be offered again */
                    "0 take from 4\n"
                    "0 load\n");
    play(world, "loaded\nturn\n");
    story_is(world, "0 began 2\n"
                    "0 commit 4 epoch 2: b\n"
                    "0 commit 5 epoch 2: poison\n");
    play(world, "done 4 ok\nturn\ndone 5 poison\n");
    story_is(world, "0 notice 4\n"
                    "0 answer 6 ok job-2\n"
                    "0 commit 6 epoch 2: c\n"
                    "0 quarantine submit: 23514 check\n"
                    "0 answer 7 bug\n"
                    "0 drop\n");
    play(world, "turn\ntaken\nloaded\nturn\ndone 5 ok\ndone 6 ok\n");
    story_is(world, "0 take from 5\n"
                    "0 load\n"
                    "0 began 3\n"
                    "0 commit 5 epoch 3: c\n"
                    "0 commit 6 epoch 3: d\n"
                    "0 notice 5\n"
                    "0 answer 8 ok job-3\n"
                    "0 notice 6\n"
                    "0 answer 9 ok job-4\n");
    play(world, "submit 10 e\nsubmit 11 f\nat 59999\n");
    story_is(world, "59999 commit 7 epoch 3: e\n"
                    "59999 commit 8 epoch 3: f\n");
    play(world, "done 7 ok\ndone 8 ok\nsubmit 12 g\nsubmit 13 h\nat 60000\n");
    assert_non_null(strstr(world->story, "commit 9 epoch 3: g h"));
    end(world);
}

static void what_was_poisoned_with_a_lost_database_is_not_forgotten(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\ndone 3 poison\nsubmit 6 b\nturn\ntake fails away\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 drop\n"
                    "0 take from 3\n"
                    "0 answer 6 unavailable\n"); /* accepted in the hope of a quick reload */
    play(world, "at 200\ntaken\nloaded\nturn\ndone 3 ok\n");
    story_is(world, "200 take from 3\n"
                    "200 load\n"
                    "200 began 2\n"
                    "200 commit 3 epoch 2: a\n"
                    "200 notice 3\n"
                    "200 answer 5 ok job-1\n");
    end(world);
}

/* ---- refusals that pass ---------------------------------------------------------------------- */

static void what_the_database_cannot_do_now_is_done_when_it_can(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nsubmit 6 b\ndone 3 away\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 drop\n"
                    "0 answer 6 unavailable\n");
    assert_string_equal(engine_why(world->engine), "the database cannot do this now: a lock");
    play(world, "turn\ntaken\nloaded\nturn\ndone 3 away\nat 200\ntaken\nloaded\nturn\n"
                "done 3 ok\n");
    story_is(world, "0 take from 3\n"
                    "0 load\n"
                    "0 began 2\n"
                    "0 commit 3 epoch 2: a\n"
                    "0 drop\n"
                    "200 take from 3\n"
                    "200 load\n"
                    "200 began 3\n"
                    "200 commit 3 epoch 3: a\n"
                    "200 notice 3\n"
                    "200 answer 5 ok job-1\n");
    assert_int_equal(engine_stats(world->engine).quarantined, 0);
    end(world);
}

/* It is not refused for ever: asked again, it may find the database well. */
static void a_request_is_given_up_after_20_refusals(void **state)
{
    struct world *world = leader();
    size_t refusals = 0;

    (void)state;
    play(world, "submit 5 a\nturn\n");
    while (!strstr(world->story, "answer 5")) {
        world->now += 10000;
        play(world, "done 3 away\n");
        world->now += 5000;
        play(world, "turn\ntaken\nloaded\nturn\n");
        refusals++;
        assert_true(refusals <= 21);
    }
    assert_int_equal(refusals, 21);
    assert_non_null(strstr(world->story, "answer 5 unavailable"));
    assert_int_equal(engine_stats(world->engine).suspects_len, 0);
    end(world);
}

static void a_request_refused_for_now_is_answered_while_the_database_stays_away(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\ndone 3 away\nturn\ntake fails away\nat 10000\n");
    assert_non_null(strstr(world->story, "10000 answer 5 unavailable"));
    end(world);
}

static void a_cluster_that_poisons_is_not_listened_to_for_a_while(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "hello 1 1\nturn\ndone 3 poison\nturn\ntaken\nloaded\nhello 1 1\nturn\n"
                "done 3 poison\n");
    story_is(world, "0 commit 3 epoch 1: cluster_put\n"
                    "0 drop\n"
                    "0 take from 3\n"
                    "0 load\n"
                    "0 began 2\n"
                    "0 commit 3 epoch 2: cluster_put\n"
                    "0 quarantine session_open: 23514 check\n"
                    "0 drop\n");
    play(world, "turn\ntaken\nloaded\nhello 1 1\nsubmit 5 a\nturn\n");
    story_is(world, "0 take from 3\n"
                    "0 load\n"
                    "0 began 3\n"
                    "0 refused denied\n"
                    "0 commit 3 epoch 3: a\n");
    play(world, "done 3 ok\nat 60000\nhello 1 1\nturn\n");
    story_is(world, "0 notice 3\n"
                    "0 answer 5 ok job-1\n"
                    "60000 commit 4 epoch 3: cluster_put\n");
    end(world);
}

static void suspects_go_alone_however_long_it_takes(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;

    (void)state;
    config.alone_ms = 0;
    world = leader_with(config);
    play(world, "submit 5 a\nsubmit 6 poison\nsubmit 7 c\nturn\n");
    run(world);
    story_is(world, "0 commit 3 epoch 1: a poison c\n"
                    "0 drop\n"
                    "0 take from 3\n"
                    "0 load\n"
                    "0 began 2\n"
                    "0 commit 3 epoch 2: a\n"
                    "0 commit 4 epoch 2: poison\n"
                    "0 notice 3\n"
                    "0 answer 5 ok job-1\n"
                    "0 commit 5 epoch 2: c\n"
                    "0 quarantine submit: 23514 check\n"
                    "0 answer 6 bug\n"
                    "0 drop\n"
                    "0 take from 4\n"
                    "0 load\n"
                    "0 began 3\n"
                    "0 commit 4 epoch 3: c\n"
                    "0 notice 4\n"
                    "0 answer 7 ok job-2\n");
    end(world);
}

static void what_agents_said_before_a_reload_is_not_stepped_after_it(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nhello 1 1\nsubmit 6 b\ndone 3 poison\n");
    forget_story(world);
    run(world);
    story_is(world, "0 take from 3\n"
                    "0 load\n"
                    "0 began 2\n"
                    "0 commit 3 epoch 2: a\n"
                    "0 commit 4 epoch 2: b\n"
                    "0 notice 3\n"
                    "0 answer 5 ok job-1\n"
                    "0 notice 4\n"
                    "0 answer 6 ok job-2\n");
    end(world);
}

/* No request is to blame: a timer notices a silent cluster. */
static void what_the_core_decides_by_itself_is_tried_ever_more_rarely(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;

    (void)state;
    config.core.silence_ms = 1000;
    config.retry_max_ms = 100000;
    world = leader_with(config);
    play(world, "hello 1 1\nturn\ndone 3 ok\nbye 1 1\nturn\n");
    forget_story(world);
    play(world, "at 1000\ndone 4 poison\nturn\ntaken\nloaded\nsubmit 5 a\nturn\ndone 4 ok\n");
    story_is(world, "1000 commit 4 epoch 1: cluster_phase\n"
                    "1000 drop\n"
                    "1000 take from 4\n"
                    "1000 load\n"
                    "1000 began 2\n"
                    "1000 commit 4 epoch 2: a\n"
                    "1000 notice 4\n"
                    "1000 answer 5 ok job-1\n");
    play(world, "submit 6 b\nat 2000\n");
    story_is(world, "2000 commit 5 epoch 2: cluster_phase\n"
                    "2000 commit 6 epoch 2: b\n"); /* not together */
    play(world, "submit 7 c\ndone 5 poison\nsubmit 8 d\n");
    story_is(world, "2000 drop\n"
                    "2000 answer 7 unavailable\n"
                    "2000 refused 8 unavailable\n");
    assert_non_null(strstr(engine_why(world->engine), "decided by itself: 23514 check"));
    assert_int_equal(engine_breaker(world->engine), ENGINE_NOT_LEADING);
    assert_int_equal(engine_deadline(world->engine), 2200);
    play(world, "at 2200\ntaken\nloaded\nturn\ndone 5 ok\n");
    story_is(world, "2200 take from 5\n"
                    "2200 load\n"
                    "2200 began 3\n"
                    "2200 commit 5 epoch 3: b\n" /* b was in the batch behind, and not at fault */
                    "2200 notice 5\n"
                    "2200 answer 6 ok job-2\n");
    play(world, "at 3200\ndone 6 poison\n");
    assert_int_equal(engine_deadline(world->engine), 3600);
    play(world, "at 3600\ntaken\nloaded\nat 4600\ndone 6 poison\n");
    assert_int_equal(engine_deadline(world->engine), 5400);
    end(world);
}

/* ---- Idempotency-Key ------------------------------------------------------------------------- */

static void a_repeated_key_gets_the_stored_answer(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a key=k body=1\nturn\n");
    story_is(world, "0 lookup 1 k\n");
    assert_int_equal(engine_stats(world->engine).keys_len, 1);
    play(world, "found 1\nturn\ndone 3 ok\n");
    assert_int_equal(engine_stats(world->engine).keys_len, 0);
    play(world, "submit 6 a key=k body=1\nturn\nfound 2\nturn\n");
    play(world, "submit 7 a key=k body=2\nturn\nfound 3\nturn\n");
    play(world, "submit 8 b key=l body=2\nturn\nfound 4 bad\nturn\n");
    play(world, "found 4\nturn\n"); /* its request has been answered already */
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 notice 3\n"
                    "0 answer 5 ok job-1\n"
                    "0 lookup 2 k\n"
                    "0 answer 6 ok job-1\n"
                    "0 lookup 3 k\n"
                    "0 answer 7 conflict\n"
                    "0 lookup 4 l\n"
                    "0 answer 8 unavailable\n");
    assert_int_equal(engine_stats(world->engine).keys_len, 0);
    end(world);
}

static void a_key_in_flight_is_a_conflict_until_it_is_settled(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a key=k\nturn\nsubmit 6 a key=k\nturn\nfound 1\nturn\nsubmit 7 a key=k\n"
                "turn\ndone 3 ok\nsubmit 8 a key=k\nturn\nfound 2\n");
    story_is(world, "0 lookup 1 k\n"
                    "0 refused 6 conflict\n"
                    "0 commit 3 epoch 1: a\n"
                    "0 refused 7 conflict\n"
                    "0 notice 3\n"
                    "0 answer 5 ok job-1\n"
                    "0 lookup 2 k\n"
                    "0 answer 8 ok job-1\n");
    end(world);
}

static void a_reload_settles_keys(void **state)
{
    struct world *world = leader();

    (void)state;
    /* k landed unseen, l did not, m was still being looked up */
    play(world, "submit 5 a key=k\nsubmit 6 b key=l\nturn\nfound 1\nturn\nfound 2\nturn\n"
                "submit 7 c key=m\nturn\nlands 3\ndone 3 cut\nturn\n");
    assert_int_equal(engine_stats(world->engine).keys_len, 2); /* their fate is open */
    play(world, "taken\n");
    assert_int_equal(engine_stats(world->engine).keys_len, 0);
    play(world, "found 3\nloaded\n");
    forget_story(world);
    play(world, "submit 8 a key=k\nsubmit 9 b key=l\nturn\nfound 4\nfound 5\nturn\n");
    story_is(world, "0 lookup 4 k\n"
                    "0 lookup 5 l\n"
                    "0 answer 8 ok job-1\n"
                    "0 commit 4 epoch 2: b\n");
    end(world);
}

static void a_refused_key_is_free_again_and_a_poisoned_one_is_looked_up_again(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world,
         "submit 5 poison key=k\nturn\nfound 1\nturn\nsubmit 6 b key=l\nturn\ndone 3 poison\n"
         "turn\ntaken\nfound 2\nloaded\nturn\n");
    assert_int_equal(engine_stats(world->engine).keys_len, 2);
    play(world, "found 3\nfound 4\nturn\ndone 3 poison\nturn\ntaken\nloaded\nturn\nfound 5\nturn\n"
                "done 3 ok\n");
    story_is(world, "0 lookup 1 k\n"
                    "0 commit 3 epoch 1: poison\n"
                    "0 lookup 2 l\n"
                    "0 drop\n"
                    "0 take from 3\n"
                    "0 load\n"
                    "0 began 2\n"
                    "0 lookup 3 k\n"
                    "0 lookup 4 l\n"
                    "0 commit 3 epoch 2: poison\n"
                    "0 commit 4 epoch 2: b\n"
                    "0 quarantine submit: 23514 check\n"
                    "0 answer 5 bug\n"
                    "0 drop\n"
                    "0 take from 3\n"
                    "0 load\n"
                    "0 began 3\n"
                    "0 lookup 5 l\n"
                    "0 commit 3 epoch 3: b\n"
                    "0 notice 3\n"
                    "0 answer 6 ok job-1\n");
    assert_int_equal(engine_stats(world->engine).keys_len, 0);
    play(world, "submit 7 fine key=k\nturn\nfound 6\nturn\n");
    assert_non_null(strstr(world->story, "commit 4 epoch 3: fine"));
    end(world);
}

static void keys_are_bounded(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;
    struct engine_event *event;
    char longest[FL_KEY_BYTES_MAX + 2];

    (void)state;
    config.keys_max = 1;
    world = leader_with(config);
    play(world, "submit 5 a key=k\nsubmit 6 b key=l\nturn\n");
    memset(longest, 'k', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    event = new_event(CORE_EV_read_job, 7);
    event->event.key = copied(event, longest);
    adopt(world, event);
    story_is(world, "0 lookup 1 k\n"
                    "0 refused 6 full\n"
                    "0 refused 7 too_large\n");
    end(world);
}

FL_TESTS(cmocka_unit_test(of_a_thousand_only_the_culprit_is_refused),
         cmocka_unit_test(the_events_of_a_refused_batch_are_stepped_again_one_by_one),
         cmocka_unit_test(what_was_poisoned_with_a_lost_database_is_not_forgotten),
         cmocka_unit_test(what_the_database_cannot_do_now_is_done_when_it_can),
         cmocka_unit_test(a_request_is_given_up_after_20_refusals),
         cmocka_unit_test(a_request_refused_for_now_is_answered_while_the_database_stays_away),
         cmocka_unit_test(a_cluster_that_poisons_is_not_listened_to_for_a_while),
         cmocka_unit_test(suspects_go_alone_however_long_it_takes),
         cmocka_unit_test(what_agents_said_before_a_reload_is_not_stepped_after_it),
         cmocka_unit_test(what_the_core_decides_by_itself_is_tried_ever_more_rarely),
         cmocka_unit_test(a_repeated_key_gets_the_stored_answer),
         cmocka_unit_test(a_key_in_flight_is_a_conflict_until_it_is_settled),
         cmocka_unit_test(a_reload_settles_keys),
         cmocka_unit_test(a_refused_key_is_free_again_and_a_poisoned_one_is_looked_up_again),
         cmocka_unit_test(keys_are_bounded))
