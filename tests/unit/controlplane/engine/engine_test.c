#include "tests/unit/controlplane/engine/engine_world.h"

/* ---- the way of a batch ---------------------------------------------------------------------- */

static void it_takes_loads_and_leads(void **state)
{
    struct world *world = world_with(config_of_tests());

    (void)state;
    assert_int_equal(engine_deadline(world->engine), 0);
    play(world, "submit 9 early\nturn\nturn\nsubmit 9 early\ntaken\nsubmit 9 early\n");
    assert_null(engine_core(world->engine));
    play(world, "loaded\n");
    assert_non_null(engine_core(world->engine));
    assert_int_equal(engine_state(world->engine), ENGINE_LEADING);
    play(world, "queue 1 main\nturn\ndone 1 ok\n");
    story_is(world, "0 refused 9 unavailable\n"
                    "0 take from 0\n"
                    "0 refused 9 unavailable\n"
                    "0 load\n"
                    "0 refused 9 unavailable\n"
                    "0 began 1\n"
                    "0 commit 1 epoch 1: queue_put\n"
                    "0 notice 1\n"
                    "0 answer 1 ok\n");
    end(world);
}

static void effects_leave_after_their_commit_and_in_order(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nsubmit 6 b\nturn\nsubmit 7 c\nturn\nsubmit 8 d\nturn\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 commit 4 epoch 1: b\n"); /* two in flight; new events form the next */
    play(world, "done 3 ok\nturn\n");
    story_is(world, "0 notice 3\n"
                    "0 answer 5 ok job-1\n"
                    "0 commit 5 epoch 1: c d\n");
    play(world, "done 4 ok\ndone 5 ok\nturn\n");
    story_is(world, "0 notice 4\n"
                    "0 answer 6 ok job-2\n"
                    "0 notice 5\n"
                    "0 answer 7 ok job-3\n"
                    "0 answer 8 ok job-4\n");
    assert_true(engine_deadline(world->engine) > 0);
    end(world);
}

static void keep_answer(struct world *world, const struct core_answer *answer)
{
    if (answer->request == 9) *(struct core_answer *)world->ctx = *answer;
}

/* Two turns make up one batch while two others are in flight. */
static void a_tokens_answer_has_the_time_of_its_row(void **state)
{
    struct world *world = leader();
    struct engine_event *event;
    struct core_answer answer = {0};

    (void)state;
    world->on_answer = keep_answer;
    world->ctx = &answer;
    play(world, "submit 5 a\nturn\nsubmit 6 b\nturn\n");
    event = new_event(CORE_EV_token_put, 9);
    event->event.token_put.id = FL_STR("0123456789abcdef");
    event->event.token_put.name = FL_STR("t");
    event->event.token_put.scopes = CORE_SCOPE_read;
    event->event.token_put.ttl_ms = 1000;
    adopt(world, event);
    play(world, "turn\n");
    world->now += 7;
    play(world, "submit 7 c\nturn\ndone 3 ok\nturn\ndone 4 ok\nturn\ndone 5 ok\nturn\n");
    assert_int_equal(answer.code, FL_OK);
    assert_int_equal(answer.at + 1000, answer.id); /* it expires by the row's time */
    end(world);
}

static void beside_another_batch_only_a_large_one_goes(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;

    (void)state;
    config.beside_bytes_min = 500;
    world = leader_with(config);
    play(world, "submit 5 a\nturn\nsubmit 6 b\nturn\n");
    story_is(world, "0 commit 3 epoch 1: a\n");
    assert_true(engine_deadline(world->engine) > 0); /* it waits, and does not turn for it */
    play(world, "submit 7 c\nsubmit 8 d\nsubmit 9 e\nsubmit 10 f\nsubmit 11 g\nturn\n");
    story_is(world, "0 commit 4 epoch 1: b c d e f g\n");
    play(world, "done 3 ok\nsubmit 12 h\nturn\n");
    story_is(world, "0 notice 3\n"
                    "0 answer 5 ok job-1\n");
    play(world, "done 4 ok\nturn\n");
    story_is(world, "0 notice 4\n"
                    "0 answer 6 ok job-2\n"
                    "0 answer 7 ok job-3\n"
                    "0 answer 8 ok job-4\n"
                    "0 answer 9 ok job-5\n"
                    "0 answer 10 ok job-6\n"
                    "0 answer 11 ok job-7\n"
                    "0 commit 5 epoch 1: h\n");
    end(world);
}

static void frames_to_agents_follow_the_commit_too(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "hello 1 1\nturn\nlands 3\ndone 3 ok\n");
    story_is(world, "0 commit 3 epoch 1: cluster_put\n"
                    "0 notice 3\n"
                    "0 send welcome\n");
    end(world);
}

/* The ledger of usage reads no batch behind it. */
static void the_newest_batch_that_is_counted_is_known(void **state)
{
    struct world *world = leader();
    uint64_t found = engine_stats(world->engine).batch_counted;

    (void)state;
    assert_int_equal(engine_stats(world->engine).batch_newest, 2);
    assert_true(found <= 2);
    play(world, "hello 1 1\nturn\nlands 3\ndone 3 ok\n");
    assert_int_equal(engine_stats(world->engine).batch_newest, 3);
    assert_int_equal(engine_stats(world->engine).batch_counted, found);
    play(world, "submit 5 a\nturn\n");
    assert_int_equal(engine_stats(world->engine).batch_counted, found); /* not before its commit */
    play(world, "done 4 ok\n");
    assert_int_equal(engine_stats(world->engine).batch_counted, 4);
    play(world, "cancel 7 1\nturn\ndone 5 ok\n");
    assert_int_equal(engine_stats(world->engine).batch_counted, 5);
    /* Batches of another leader may hold anything. */
    play(world, "submit 9 d\nturn\nlands 6\ndone 6 cut\nturn\ntaken\nloaded\n");
    assert_int_equal(engine_stats(world->engine).batch_newest, 6);
    assert_int_equal(engine_stats(world->engine).batch_counted, 6);
    end(world);
}

static void a_batch_without_rows_rides_the_newest_in_flight(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "read 5 1\nturn\n");
    story_is(world, "0 answer 5 absent\n"); /* nothing is in flight: at once */
    play(world, "submit 6 a\nturn\nread 7 1\nturn\nread 8 9\nturn\nsubmit 9 b\nturn\nread 10 2\n"
                "turn\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 commit 4 epoch 1: b\n"); /* riders use up no number */
    play(world, "done 3 ok\nturn\n");
    story_is(world, "0 notice 3\n"
                    "0 answer 6 ok job-1\n"
                    "0 answer 7 ok\n"
                    "0 answer 8 absent\n");
    play(world, "done 4 ok\n");
    story_is(world, "0 notice 4\n"
                    "0 answer 9 ok job-2\n"
                    "0 answer 10 ok\n");
    end(world);
}

static void a_batch_is_closed_at_its_limits_and_no_request_is_split(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;

    (void)state;
    config.batch_jobs_max = 4;
    world = leader_with(config);
    play(world, "submit 5 a\nturn\nsubmit 6 b\nturn\n");
    adopt(world, new_submit(7, "c", 3));
    adopt(world, new_submit(8, "d", 3));
    adopt(world, new_submit(9, "e", 1));
    play(world, "turn\ndone 3 ok\nturn\ndone 4 ok\nturn\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 commit 4 epoch 1: b\n"
                    "0 notice 3\n"
                    "0 answer 5 ok job-1\n"
                    "0 commit 5 epoch 1: c c c d d d\n"
                    "0 notice 4\n"
                    "0 answer 6 ok job-2\n"
                    "0 commit 6 epoch 1: e\n");
    end(world);

    config = config_of_tests();
    config.batch_bytes_max = 1; /* one event fills it */
    world = leader_with(config);
    play(world, "submit 5 a\nsubmit 6 b\nsubmit 7 c\nturn\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 commit 4 epoch 1: b\n");
    end(world);

    config = config_of_tests();
    config.batch_memory_max = 1; /* so does its answer */
    world = leader_with(config);
    play(world, "submit 5 a\nsubmit 6 b\nsubmit 7 c\nturn\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 commit 4 epoch 1: b\n");
    end(world);
}

static void a_turn_does_no_more_than_its_budget(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;
    uint64_t before;

    (void)state;
    config.turn_work_max = 10;
    world = leader_with(config);
    world->is_quiet = true;
    for (uint64_t i = 0; i < 35; i++) {
        adopt(world, new_event(CORE_EV_read_job, 100 + i));
    }
    for (uint64_t turn = 1; turn <= 4; turn++) {
        assert_true(engine_deadline(world->engine) <= world->now);
        before = engine_stats(world->engine).events;
        play(world, "turn\n");
        assert_int_equal(engine_stats(world->engine).events - before, turn < 4 ? 10 : 5);
    }
    assert_true(engine_deadline(world->engine) > world->now);
    adopt(world, new_submit(1, "a", 30)); /* larger than a turn's work: it goes, alone */
    adopt(world, new_submit(2, "b", 1));
    before = engine_stats(world->engine).events;
    play(world, "turn\n");
    assert_int_equal(engine_stats(world->engine).events - before, 1);
    end(world);
}

/* Each event is charged with the looks of the core: here they look at 64 clusters each. */
static void a_turn_is_charged_with_what_its_events_look_at(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;
    uint64_t before;

    (void)state;
    config.turn_work_max = 10;
    world = leader_with(config);
    world->is_quiet = true;
    play(world, "submit 5 a\nturn\ndone 3 ok\n");
    for (uint64_t i = 0; i < 4 * CORE_LOOKS_PER_EVENT; i++) {
        struct engine_event *event = new_event(CORE_EV_cluster_put, 200 + i);

        event->event.cluster_put.name = event->event.cluster_put.uid =
            fl_str_c(fl_arena_printf(&event->arena, "c%d", (int)i));
        adopt(world, event);
    }
    for (uint64_t i = 4; i < 16; i++) {
        char line[32];

        play(world, "turn\n");
        snprintf(line, sizeof line, "done %d ok\n", (int)i);
        if (world->sent_len > 0) play(world, line);
    }
    assert_int_equal(engine_stats(world->engine).inbox_len, 0);
    for (uint64_t i = 0; i < 10; i++) {
        struct engine_event *event = new_event(CORE_EV_explain, 100 + i);

        event->event.job.job.n = 1;
        adopt(world, event);
    }
    before = engine_stats(world->engine).events;
    play(world, "turn\n");
    assert_int_equal(engine_stats(world->engine).events - before, 3); /* 4 each; the last passes */
    assert_true(engine_deadline(world->engine) <= world->now);
    end(world);
}

static void what_is_held_for_a_slow_commit_is_bounded(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;
    struct engine_stats stats;

    (void)state;
    config.held_bytes_max = 200000;
    config.inbox_max = 500;
    world = leader_with(config);
    play(world, "submit 5 a\nturn\n");
    world->is_quiet = true;
    for (uint64_t i = 0; i < 5000; i++) {
        adopt(world, new_event(CORE_EV_read_job, 100 + i));
        play(world, "turn\n");
    }
    stats = engine_stats(world->engine);
    assert_int_equal(stats.inbox_len, 500); /* nothing more was stepped, and then it was full */
    assert_true(stats.events < 2000);
    assert_true(engine_deadline(world->engine) > world->now);
    run(world);
    assert_int_equal(engine_stats(world->engine).inbox_len, 0);
    end(world);
}

static void a_full_inbox_refuses(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;
    struct engine_event *event;

    (void)state;
    config.inbox_max = 2;
    config.inbox_bytes_max = 64 << 10;
    world = leader_with(config);
    play(world, "submit 5 a\nsubmit 6 b\nsubmit 7 c\nhello 1 1\nturn\nsubmit 8 d\n");
    story_is(world, "0 refused 7 full\n"
                    "0 refused full\n"
                    "0 commit 3 epoch 1: a b\n");
    event = new_event(CORE_EV_read_job, 9);
    fl_arena_alloc(&event->arena, 50 << 10);
    adopt(world, event);
    event = new_event(CORE_EV_read_job, 10);
    fl_arena_alloc(&event->arena, 60 << 10);
    adopt(world, event); /* 'd' and both are over the bytes */
    event = new_event(CORE_EV_read_job, 11);
    fl_arena_alloc(&event->arena, 64 << 10);
    adopt(world, event); /* never fits */
    story_is(world, "0 refused 10 full\n"
                    "0 refused 11 too_large\n");
    end(world);
}

/* ---- a commit whose fate is unknown ---------------------------------------------------------- */

static void an_unknown_commit_that_landed_is_answered(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nhello 1 1\nturn\nread 6 1\nturn\nsubmit 7 b\nturn\nsubmit 8 c\nturn\n"
                "lands 3\ndone 3 cut\n");
    story_is(world, "0 commit 3 epoch 1: a cluster_put\n"
                    "0 commit 4 epoch 1: b\n"
                    "0 drop\n"
                    "0 answer 8 unavailable\n"); /* it was never sent */
    play(world, "submit 9 d\nturn\ntaken\n");
    story_is(world, "0 refused 9 unavailable\n"
                    "0 take from 3\n"
                    "0 notice 3\n" /* durable: answers go out, frames to agents do not */
                    "0 answer 5 ok job-1\n"
                    "0 answer 6 ok\n"
                    "0 answer 7 unavailable\n"
                    "0 load\n");
    play(world, "loaded\nread 10 1\nread 11 2\nturn\n");
    story_is(world, "0 began 2\n"
                    "0 answer 10 ok\n"
                    "0 answer 11 absent\n");
    end(world);
}

static void an_unknown_commit_that_did_not_land_is_not(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\ndone 3 cut\nturn\ntaken\nloaded\nread 6 1\nturn\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 drop\n"
                    "0 take from 3\n"
                    "0 answer 5 unavailable\n"
                    "0 load\n"
                    "0 began 2\n"
                    "0 answer 6 absent\n");
    play(world, "submit 7 b\nturn\n"); /* the number is free again */
    story_is(world, "0 commit 3 epoch 2: b\n");
    end(world);
}

static void a_strangers_batch_of_the_same_number_is_not_ours(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nstranger lands 3\ndone 3 reload\nturn\ntaken\nloaded\n"
                "submit 6 b\nturn\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 drop\n"
                    "0 take from 3\n"
                    "0 answer 5 unavailable\n"
                    "0 load\n"
                    "0 began 3\n"
                    "0 commit 4 epoch 3: b\n");
    end(world);
}

static void a_fate_that_stays_open_is_told_so_after_a_while(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nlands 3\ndone 3 cut\nat 100\ntake fails away\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 drop\n"
                    "100 take from 3\n");
    assert_int_equal(engine_breaker(world->engine), ENGINE_DB_LOST);
    play(world, "at 300\ntake fails away\nat 700\n");
    assert_int_equal(engine_deadline(world->engine), 10000); /* while it takes, this long */
    play(world, "at 10000\n");
    story_is(world, "300 take from 3\n"
                    "700 take from 3\n"
                    "10000 answer 5 unavailable\n");
    play(world, "taken\nloaded\n");
    story_is(world, "10000 load\n"
                    "10000 began 2\n"); /* answered once, although it had landed */
    end(world);
}

static void a_row_that_contradicts_the_others_is_named_and_tried_again(void **state)
{
    struct world *world = leader();
    struct row stray = {.kind = ROW_job_new, .job_new = {.job = 7, .queue = 99, .elements = 1}};

    (void)state;
    play(world, "lease lost\nat 200\ntaken\n");
    forget_story(world);
    world->results.load_row(world->engine, &stray);
    play(world, "loaded\n");
    story_is(world, "200 drop\n");
    assert_int_equal(engine_state(world->engine), ENGINE_STANDBY);
    assert_true(strlen(engine_why(world->engine)) > 0);
    assert_int_equal(engine_deadline(world->engine), 400);
    play(world, "at 400\ntaken\nload fails\nat 700\nat 800\ntaken\nloaded\n");
    story_is(world, "400 take from 0\n"
                    "400 load\n"
                    "400 drop\n"
                    "800 take from 0\n"
                    "800 load\n"
                    "800 began 4\n");
    end(world);
}

static void an_open_fates_time_counts_from_the_loss(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nat 9000\ndone 3 cut\nat 9001\ntake fails away\n");
    forget_story(world);
    play(world, "at 18999\n");
    story_is(world, "18999 take from 3\n");
    play(world, "at 19000\n");
    story_is(world, "19000 answer 5 unavailable\n");
    end(world);
}

static void the_cores_time_does_not_go_back_over_a_takeover(void **state)
{
    struct world *world = leader();
    fl_ms before;

    (void)state;
    play(world, "submit 5 a\nat 1000\ndone 3 ok\n");
    before = world->rows->at;
    assert_int_equal(before, 1700000001000);
    world->wall -= 60 * FL_MINUTE_MS; /* Postgres's clock was set back */
    play(world, "lease lost\nat 1200\ntaken\nat 1300\nloaded\nsubmit 6 b\nturn\n");
    assert_int_equal(world->sent[0].batch->at, before + 100); /* since it took, at 1200 */
    world->wall += 2 * 60 * FL_MINUTE_MS;
    play(world, "lease lost\nat 1500\ntaken\nloaded\nsubmit 7 c\nturn\n");
    assert_int_equal(world->sent[0].batch->at, world->wall + 1500);
    end(world);
}

/* ---- deposed --------------------------------------------------------------------------------- */

static void the_deposed_stands_by(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nsubmit 6 b\nturn\nsubmit 7 c\nturn\ndone 3 deposed\n"
                "submit 8 d\nhello 1 1\nturn\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 commit 4 epoch 1: b\n"
                    "0 drop\n"
                    "0 answer 7 unavailable\n"
                    "0 answer 5 unavailable\n"
                    "0 answer 6 unavailable\n"
                    "0 refused 8 unavailable\n"
                    "0 refused unavailable\n");
    assert_int_equal(engine_breaker(world->engine), ENGINE_NOT_LEADING);
    play(world, "at 1000\ntake fails deposed\nat 1999\nat 2000\ntake fails deposed\nat 3000\n");
    story_is(world, "1000 take from 0\n"
                    "2000 take from 0\n"
                    "3000 take from 0\n");
    end(world);
}

static void a_lost_lease_stops_everything_at_once(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nsubmit 6 b\nturn\nsubmit 7 c\nturn\nlands 3\nlease lost\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 commit 4 epoch 1: b\n"
                    "0 drop\n"
                    "0 answer 7 unavailable\n");
    assert_null(engine_core(world->engine));
    world->results.committed(world->engine, 3, ENGINE_COMMITTED, NULL,
                             0); /* too late to be believed */
    story_is(world, "");
    play(world, "at 200\ntaken\n");
    story_is(world, "200 take from 3\n"
                    "200 notice 3\n"
                    "200 answer 5 ok job-1\n"
                    "200 answer 6 unavailable\n"
                    "200 load\n");
    play(world, "lease lost\nat 400\nlease lost\nat 500\nat 600\ntake fails deposed\nlease lost\n");
    story_is(world, "200 drop\n"
                    "400 take from 0\n"
                    "400 drop\n"
                    "600 take from 0\n");
    end(world);
}

static void when_another_leads_open_fates_are_told_unknown(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nlease lost\nat 200\ntake fails deposed\nat 1200\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 drop\n"
                    "200 take from 3\n"
                    "200 answer 5 unavailable\n"
                    "1200 take from 0\n");
    end(world);
}

/* ---- trouble with the database --------------------------------------------------------------- */

static void a_full_disk_refuses_by_name_and_is_tried_at_growing_intervals(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nsubmit 6 b\nturn\nsubmit 7 c\nturn\ndone 3 full\nsubmit 8 d\n"
                "at 199\n");
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 commit 4 epoch 1: b\n"
                    "0 drop\n"
                    "0 answer 7 no_space\n"
                    "0 answer 5 no_space\n"
                    "0 answer 6 no_space\n"
                    "0 refused 8 no_space\n");
    assert_int_equal(engine_breaker(world->engine), ENGINE_DB_FULL);
    play(world, "at 200\ntake fails full\nat 599\nat 600\ntaken\nloaded\nsubmit 9 e\nturn\n"
                "done 3 full\n");
    story_is(world, "200 take from 0\n"
                    "600 take from 0\n"
                    "600 load\n"
                    "600 began 2\n"
                    "600 commit 3 epoch 2: e\n"
                    "600 drop\n"
                    "600 answer 9 no_space\n");
    assert_int_equal(engine_deadline(world->engine), 1400); /* leading in between changed nothing */
    play(world, "at 1400\ntake fails full\nat 3000\ntake fails full\nat 6200\ntake fails full\n");
    assert_int_equal(engine_deadline(world->engine), 11200);
    play(world, "at 11200\ntake fails full\n");
    assert_int_equal(engine_deadline(world->engine), 16200); /* and not longer than that */
    play(world, "at 16200\ntaken\nloaded\n");
    assert_int_equal(engine_breaker(world->engine), ENGINE_OPEN_FOR_WORK);
    forget_story(world);
    play(world, "submit 10 f\nat 21200\ndone 3 ok\nsubmit 11 g\nturn\ndone 4 full\n");
    assert_int_equal(engine_deadline(world->engine), 21400); /* a good while of leading did */
    end(world);
}

static void a_lost_connection_is_taken_again_at_once_but_not_in_a_loop(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\ndone 3 cut\nturn\ntaken\nloaded\nsubmit 6 b\nturn\ndone 3 cut\n"
                "turn\nat 200\ntaken\nloaded\nsubmit 7 c\nturn\ndone 3 cut\n");
    assert_int_equal(engine_deadline(world->engine), 600);
    story_is(world, "0 commit 3 epoch 1: a\n"
                    "0 drop\n"
                    "0 take from 3\n"
                    "0 answer 5 unavailable\n"
                    "0 load\n"
                    "0 began 2\n"
                    "0 commit 3 epoch 2: b\n"
                    "0 drop\n"
                    "200 take from 3\n"
                    "200 answer 6 unavailable\n"
                    "200 load\n"
                    "200 began 3\n"
                    "200 commit 3 epoch 3: c\n"
                    "200 drop\n");
    end(world);
}

/* The loss timer of a silent cluster stands still while a commit takes too long, and starts in full
 * after. */
static void the_core_is_told_when_the_database_is_away_and_back(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;

    (void)state;
    config.core.silence_ms = 5000;
    world = leader_with(config);
    play(world, "hello 1 1\nat 10\ndone 3 ok\nbye 1 1\nat 1000\n");
    if (engine_stats(world->engine).inflight_len > 0) play(world, "done 4 ok\n");
    assert_int_equal(engine_deadline(world->engine), 6000); /* the cluster's silence ends */
    forget_story(world);
    play(world, "submit 5 a\nat 1500\n");
    assert_int_equal(engine_deadline(world->engine), 3500); /* the commit's patience ends */
    play(world, "at 3500\nat 6500\nat 20000\n");
    assert_int_equal(engine_stats(world->engine).inflight_len, 1);
    finish(world, world->sent[0].batch->number, ENGINE_COMMITTED);
    assert_true(engine_deadline(world->engine) <= 20000);
    forget_story(world);
    play(world, "turn\nat 24999\n");
    story_is(world, "");
    assert_int_equal(engine_deadline(world->engine), 25000);
    play(world, "at 25000\n");
    assert_int_equal(engine_stats(world->engine).inflight_len, 1);
    assert_non_null(strstr(world->story, "cluster_phase"));
    end(world);
}

static void the_patience_with_a_commit_begins_when_its_turn_has_come(void **state)
{
    struct world *world = leader();

    (void)state;
    play(world, "submit 5 a\nturn\nsubmit 6 b\nturn\n");
    assert_int_equal(engine_deadline(world->engine), 2000);
    play(world, "at 1500\ndone 3 ok\nturn\n");
    assert_int_equal(engine_deadline(world->engine), 3500);
    end(world);
}

static void more_room_for_jobs_reaches_the_core(void **state)
{
    struct world *world = leader();

    (void)state;
    world->job_below = 1;
    play(world, "lease lost\nat 200\ntaken\nloaded\n");
    forget_story(world);
    play(world, "submit 5 a\nturn\nroom 2 0\nsubmit 6 b\nturn\n");
    story_is(world, "200 answer 5 unavailable\n"
                    "200 commit 3 epoch 2: b\n");
    end(world);
}

static void room_that_ends_while_they_wait_refuses_them(void **state)
{
    struct engine_config config = config_of_tests();
    struct world *world;

    (void)state;
    config.batch_jobs_max = 1;
    world = leader_with(config);
    world->batch_below = 6; /* 4 and 5 are kept for agents */
    play(world, "lease lost\nat 200\ntaken\nloaded\n");
    forget_story(world);
    play(world, "submit 5 a\nsubmit 6 b\nread 7 1\nturn\ndone 3 ok\n");
    story_is(world, "200 commit 3 epoch 2: a\n"
                    "200 answer 6 unavailable\n"
                    "200 notice 3\n"
                    "200 answer 5 ok job-1\n"
                    "200 answer 7 ok\n");
    end(world);
}

static void without_room_for_batches_changes_are_refused_and_reads_are_not(void **state)
{
    struct world *world = leader();

    (void)state;
    world->results.room(world->engine, 0, 0); /* it only ever grows */
    play(world, "submit 5 a\nturn\ndone 3 ok\nlease lost\n");
    world->batch_below = 7; /* two of 4 5 6 are kept */
    play(world, "at 200\ntaken\nloaded\nsubmit 6 b\nturn\n");
    forget_story(world);
    play(world, "submit 7 c\nread 8 1\nhello 1 1\nturn\nhello 1 2\nturn\n");
    story_is(world, "200 refused 7 unavailable\n"
                    "200 commit 5 epoch 2: cluster_put\n"); /* two are in flight */
    play(world, "done 4 ok\nturn\ndone 5 ok\ndone 6 ok\nhello 1 3\nturn\nread 9 1\nturn\n");
    forget_story(world);
    assert_true(engine_deadline(world->engine) > 200); /* it does not spin */
    play(world, "room 2000000 1000\nturn\nsubmit 10 d\nturn\n");
    assert_non_null(strstr(world->story, "commit 7 epoch 2"));
    assert_non_null(strstr(world->story, "commit 8 epoch 2: d"));
    end(world);
}

static void the_longest_turn_is_remembered(void **state)
{
    struct world *world = leader();

    (void)state;
    engine_turn(world->engine, 100);
    engine_turned(world->engine, 107);
    engine_turn(world->engine, 200);
    engine_turned(world->engine, 203);
    assert_int_equal(engine_stats(world->engine).turn_longest_ms, 7);
    end(world);
}

FL_TESTS(cmocka_unit_test(it_takes_loads_and_leads),
         cmocka_unit_test(effects_leave_after_their_commit_and_in_order),
         cmocka_unit_test(a_tokens_answer_has_the_time_of_its_row),
         cmocka_unit_test(beside_another_batch_only_a_large_one_goes),
         cmocka_unit_test(frames_to_agents_follow_the_commit_too),
         cmocka_unit_test(the_newest_batch_that_is_counted_is_known),
         cmocka_unit_test(a_batch_without_rows_rides_the_newest_in_flight),
         cmocka_unit_test(a_batch_is_closed_at_its_limits_and_no_request_is_split),
         cmocka_unit_test(a_turn_does_no_more_than_its_budget),
         cmocka_unit_test(a_turn_is_charged_with_what_its_events_look_at),
         cmocka_unit_test(what_is_held_for_a_slow_commit_is_bounded),
         cmocka_unit_test(a_full_inbox_refuses),
         cmocka_unit_test(an_unknown_commit_that_landed_is_answered),
         cmocka_unit_test(an_unknown_commit_that_did_not_land_is_not),
         cmocka_unit_test(a_strangers_batch_of_the_same_number_is_not_ours),
         cmocka_unit_test(a_fate_that_stays_open_is_told_so_after_a_while),
         cmocka_unit_test(a_row_that_contradicts_the_others_is_named_and_tried_again),
         cmocka_unit_test(an_open_fates_time_counts_from_the_loss),
         cmocka_unit_test(the_cores_time_does_not_go_back_over_a_takeover),
         cmocka_unit_test(the_deposed_stands_by),
         cmocka_unit_test(a_lost_lease_stops_everything_at_once),
         cmocka_unit_test(when_another_leads_open_fates_are_told_unknown),
         cmocka_unit_test(a_full_disk_refuses_by_name_and_is_tried_at_growing_intervals),
         cmocka_unit_test(a_lost_connection_is_taken_again_at_once_but_not_in_a_loop),
         cmocka_unit_test(the_core_is_told_when_the_database_is_away_and_back),
         cmocka_unit_test(the_patience_with_a_commit_begins_when_its_turn_has_come),
         cmocka_unit_test(more_room_for_jobs_reaches_the_core),
         cmocka_unit_test(room_that_ends_while_they_wait_refuses_them),
         cmocka_unit_test(without_room_for_batches_changes_are_refused_and_reads_are_not),
         cmocka_unit_test(the_longest_turn_is_remembered))
