/* A front of the log store and agents that it must not believe. */
#include "controlplane/logs/log_front.h"

#include <inttypes.h>

#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/spec/job_spec.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/logs/log_world.h"

enum { OWN_JOB = 1, WAIT_MS = 60000 };

static void say(struct log_world *world, const struct fl_log_message *message)
{
    struct fl_buf out;

    fl_buf_init(&out, 65536);
    fl_assert(fl_log_message_put(&out, message));
    log_front_frame(world->front, world->connection, (struct fl_cluster){1},
                    (struct fl_str){(const char *)out.at, out.len});
    fl_buf_fini(&out);
}

static void open_source(struct log_world *world, uint32_t source, uint64_t job)
{
    say(world, &(struct fl_log_message){.kind = FL_LOG_open,
                                        .source = source,
                                        .attempt = {.job = {job}, .n = 1, .incarnation = 1}});
}

static void close_source(struct log_world *world, uint32_t source)
{
    say(world, &(struct fl_log_message){.kind = FL_LOG_close, .source = source});
}

static void send_bytes(struct log_world *world, uint32_t source, const char *text)
{
    struct fl_log_record record = {.offset = 0, .time = 1, .bytes = fl_str_c(text)};
    struct fl_buf records;

    fl_buf_init(&records, 65536);
    fl_assert(fl_log_record_put(&records, &record));
    say(world, &(struct fl_log_message){.kind = FL_LOG_records,
                                        .source = source,
                                        .records = {(const char *)records.at, records.len}});
    fl_buf_fini(&records);
}

/* The hub's messages so far in this test: "kind source; ", a refusal with its code. */
struct story {
    char told[2000];
};

static void listen(struct log_world *world, struct story *story)
{
    struct fl_reader reader = fl_reader(world->to_agent.at, world->to_agent.len);
    struct fl_log_message message;
    struct fl_err err = {0};

    while (reader.pos < reader.len) {
        uint32_t len = fl_read_u32(&reader);
        size_t end = reader.pos + len;

        while (reader.pos < end) {
            size_t told_len = strlen(story->told);

            assert_true(fl_log_message_next(&reader, &message, &err));
            snprintf(story->told + told_len, sizeof(story->told) - told_len, "%s %u%s; ",
                     fl_log_message_name(message.kind), message.source,
                     message.kind != FL_LOG_refuse ? ""
                     : message.code == FL_DENIED   ? " denied"
                                                   : " otherwise");
        }
    }
    fl_buf_clear(&world->to_agent);
}

static void hear(struct log_world *world, struct story *story, const char *words)
{
    fl_ms end = fl_clock_mono() + WAIT_MS;

    for (listen(world, story); !strstr(story->told, words); listen(world, story)) {
        if (fl_clock_mono() > end) fail_msg("waited for '%s', heard '%s'", words, story->told);
        fl_loop_turn(world->loop, 10);
    }
}

static void agents_write_only_output_of_their_own_attempts(void **state)
{
    struct story story = {0};
    struct log_world world;

    (void)state;
    for (int is_slow = 0; is_slow <= 1; is_slow++) {
        story = (struct story){0};
        log_world_init(&world, 1);
        world.is_slow = is_slow;
        open_source(&world, 5, LOG_WORLD_FOREIGN_JOB);
        log_world_tell_owners(&world);
        hear(&world, &story, "refuse 5 denied;");
        open_source(&world, 6, LOG_WORLD_NO_JOB);
        log_world_tell_owners(&world);
        hear(&world, &story, "pause 6;");
        open_source(&world, 7, OWN_JOB);
        log_world_tell_owners(&world);
        hear(&world, &story, "cursor 7;");
        assert_int_equal(world.broken, 0);
        log_world_fini(&world);
    }
}

/* Lines that the store has of a job. */
static uint64_t lines_of(struct log_world *world, uint64_t job)
{
    struct log_query query = {.tenant = {1}, .job = {job}};
    struct log_world_read read = {0};
    uint64_t lines;

    log_world_read(world, &query, &read);
    lines = read.lines.len;
    log_world_read_fini(&read);
    return lines;
}

static void what_is_sent_before_it_is_known_whose_it_is_is_not_written(void **state)
{
    struct story story = {0};
    struct log_world world;

    (void)state;
    log_world_init(&world, 2);
    world.is_slow = true;
    world.credit = 0;
    open_source(&world, 5, LOG_WORLD_FOREIGN_JOB);
    send_bytes(&world, 5, "forged\n");
    open_source(&world, 6, OWN_JOB);
    send_bytes(&world, 6, "too early\n");
    log_world_tell_owners(&world);
    hear(&world, &story, "refuse 5 denied;");
    send_bytes(&world, 5, "forged again\n");
    hear(&world, &story, "cursor 6;");
    assert_int_equal(lines_of(&world, LOG_WORLD_FOREIGN_JOB), 0);
    assert_int_equal(lines_of(&world, OWN_JOB), 0);
    send_bytes(&world, 6, "in time\n");
    hear(&world, &story, "ack 6;");
    assert_int_equal(lines_of(&world, OWN_JOB), 1);
    log_world_fini(&world);
}

static void an_end_with_another_checksum_is_taken_and_counted(void **state)
{
    struct fl_log_record record = {.offset = 0, .time = 1, .bytes = FL_STR("one\n")};
    uint8_t header[FL_LOG_RECORD_HEADER_BYTES];
    struct story story = {0};
    struct log_world world;
    uint32_t chain;

    (void)state;
    fl_log_record_header(header, &record);
    chain = fl_log_chain(0, &record);
    log_world_init(&world, 1);
    for (uint32_t source = 1; source <= 2; source++) {
        char words[32];

        open_source(&world, source, source);
        snprintf(words, sizeof words, "cursor %u;", source);
        hear(&world, &story, words);
        send_bytes(&world, source, "one\n");
        say(&world,
            &(struct fl_log_message){
                .kind = FL_LOG_end, .source = source, .offset = 4, .chain = chain ^ (source == 2)});
        snprintf(words, sizeof words, "end_ack %u;", source);
        hear(&world, &story, words);
        assert_int_equal(log_store_stats(world.store).chains_differ, source - 1);
        assert_int_equal(lines_of(&world, source), 1);
    }
    log_world_fini(&world);
}

static void a_source_that_is_gone_is_not_opened_by_a_late_answer(void **state)
{
    struct story story = {0};
    struct log_world world;

    (void)state;
    log_world_init(&world, 3);
    world.is_slow = true;
    open_source(&world, 5, OWN_JOB);
    close_source(&world, 5);
    open_source(&world, 5, LOG_WORLD_FOREIGN_JOB); /* its number is free again */
    log_world_tell_owners(&world);
    hear(&world, &story, "refuse 5 denied;");
    open_source(&world, 6, OWN_JOB);
    log_front_closed(world.front, world.connection++); /* the agent dials again, and asks again */
    open_source(&world, 6, OWN_JOB);
    log_world_tell_owners(&world);
    hear(&world, &story, "cursor 6;");
    assert_int_equal(world.broken, 0);
    log_world_fini(&world);
}

static void a_source_that_is_opened_twice_ends_the_connection(void **state)
{
    struct story story = {0};
    struct log_world world;

    (void)state;
    log_world_init(&world, 4);
    world.is_slow = true;
    open_source(&world, 5, OWN_JOB);
    open_source(&world, 5, OWN_JOB);
    assert_int_equal(world.broken, 1);
    log_world_tell_owners(&world);
    fl_loop_turn(world.loop, 0);
    listen(&world, &story);
    assert_string_equal(story.told, "");
    log_world_fini(&world);
}

static void a_replica_that_no_attempt_has_ends_the_connection(void **state)
{
    static struct log_world world;

    (void)state;
    log_world_init(&world, 6);
    say(&world, &(struct fl_log_message){.kind = FL_LOG_open,
                                         .source = 1,
                                         .attempt = {.job = {OWN_JOB}, .n = 1, .incarnation = 1},
                                         .replica = FL_JOB_REPLICAS_MAX - 1});
    assert_int_equal(world.broken, 0);
    say(&world, &(struct fl_log_message){.kind = FL_LOG_open,
                                         .source = 2,
                                         .attempt = {.job = {OWN_JOB}, .n = 1, .incarnation = 1},
                                         .replica = FL_JOB_REPLICAS_MAX});
    assert_int_equal(world.broken, 1);
    log_world_fini(&world);
}

/* The answering side is asked for a part at a time, and no tunnel ends for it. */
static void very_many_sources_wait_for_the_look_up_of_their_owner(void **state)
{
    struct log_world world;
    enum { SOURCES = 3000, ASKED_MAX = 1024 };

    (void)state;
    log_world_init(&world, 6);
    world.is_slow = true;
    for (uint32_t i = 1; i <= SOURCES; i++) {
        say(&world, &(struct fl_log_message){
                        .kind = FL_LOG_open,
                        .source = i,
                        .attempt = {.job = {OWN_JOB}, .element = i, .n = 1, .incarnation = 1}});
    }
    say(&world, &(struct fl_log_message){.kind = FL_LOG_close, .source = SOURCES});
    assert_int_equal(world.questions.len, ASKED_MAX);
    while (log_store_stats(world.store).sources < SOURCES - 1) {
        log_world_tell_owners(&world);
        assert_true(world.questions.len <= ASKED_MAX);
        fl_loop_turn(world.loop, 1);
    }
    assert_int_equal(world.breaks, 0);
    log_world_fini(&world);
}

static void output_is_whole_when_owners_are_known_late(void **state)
{
    struct log_query query = {.tenant = {1}, .job = {OWN_JOB}};
    struct log_world_read read = {0};
    struct log_world world;

    (void)state;
    log_world_init(&world, 5);
    world.is_slow = true;
    for (uint32_t i = 0; i < 3; i++) {
        log_world_add(&world, OWN_JOB, i, 1, 0);
    }
    for (int round = 0; round < 12; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            log_world_write_random(&world, i, 20000, 1000 + round);
        }
        for (int steps = 0; steps < 5; steps++) {
            log_world_step(&world);
        }
        if (round % 3 == 0) log_world_cut(&world);
        if (round % 5 == 4) log_world_restart(&world);
    }
    for (uint32_t i = 0; i < 3; i++) {
        log_world_end(&world, i);
    }
    log_world_settle(&world);
    log_world_read(&world, &query, &read);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(log_world_is_exact(&world, &read, i, 0));
    }
    log_world_read_fini(&read);
    log_world_fini(&world);
}

/* ---- strays ---------------------------------------------------------------------------------- */

/* A world whose output 0 is a stray's and has ended; a stray is refused after so long. */
static void stray_world(struct log_world *world, fl_ms stray_wait_ms)
{
    log_world_init(world, 7);
    world->config.stray_wait_ms = stray_wait_ms;
    log_world_restart(world);
    log_world_add(world, LOG_WORLD_NO_JOB, 0, 1, 0);
    log_world_write(world, 0, "lost\n", 5, 1);
    log_world_end(world, 0);
}

static void wait_until_asked(struct log_world *world, size_t times)
{
    fl_ms end = fl_clock_mono() + WAIT_MS;

    for (; world->asked < times; log_world_step(world)) {
        if (fl_clock_mono() > end) fail_msg("asked %zu times, not %zu", world->asked, times);
    }
}

/* A restored database does not know the attempt; a newer backup may. */
static void output_of_a_stray_stays_with_its_agent(void **state)
{
    struct log_world world;

    (void)state;
    for (int is_slow = 0; is_slow <= 1; is_slow++) {
        stray_world(&world, 15 * FL_MINUTE_MS);
        world.is_slow = is_slow;
        wait_until_asked(&world, 1);
        log_world_add(&world, OWN_JOB, 0, 1, 0);
        log_world_write(&world, 1, "known\n", 6, 1);
        log_world_end(&world, 1);
        for (int steps = 0; !world.outputs[1].is_taken; steps++) { /* the other is not blocked */
            assert_true(steps < WAIT_MS);
            log_world_step(&world);
        }
        assert_false(world.outputs[0].is_taken);
        assert_int_equal(log_pump_stats(world.pump).paused, 1);
        assert_int_equal(lines_of(&world, LOG_WORLD_NO_JOB), 0);
        world.is_row_back = true;
        log_world_cut(&world);
        log_world_settle(&world);
        assert_int_equal(lines_of(&world, LOG_WORLD_NO_JOB), 1);
        log_world_fini(&world);
    }
}

static void output_of_a_stray_is_refused_in_the_end(void **state)
{
    struct log_world world;

    (void)state;
    for (int is_slow = 0; is_slow <= 1; is_slow++) {
        stray_world(&world, 20);
        world.is_slow = is_slow;
        log_world_settle(&world);
        assert_int_equal(world.asked, 2);
        assert_int_equal(log_pump_stats(world.pump).sources, 0);
        assert_int_equal(lines_of(&world, LOG_WORLD_NO_JOB), 0);
        log_world_fini(&world);
    }
}

static void output_of_a_stray_stays_while_the_history_is_disputed(void **state)
{
    struct log_world world;

    (void)state;
    stray_world(&world, 20);
    world.is_disputed = true;
    wait_until_asked(&world, 4);
    assert_false(world.outputs[0].is_taken);
    world.is_disputed = false;
    log_world_settle(&world);
    assert_int_equal(lines_of(&world, LOG_WORLD_NO_JOB), 0);
    log_world_fini(&world);
}

static void output_of_a_stray_is_taken_once_its_row_is_back(void **state)
{
    struct log_world world;

    (void)state;
    stray_world(&world, 20);
    world.is_disputed = true;
    wait_until_asked(&world, 2);
    world.is_row_back = true;
    log_world_settle(&world);
    assert_int_equal(lines_of(&world, LOG_WORLD_NO_JOB), 1);
    log_world_fini(&world);
}

/* An agent that is not told for long gives a stray up, offers it again, and dials again. */
static void a_stray_that_is_given_up_is_forgotten(void **state)
{
    struct story story = {0};
    struct log_world world;

    (void)state;
    stray_world(&world, 50);
    world.is_disputed = true; /* so that each is asked for again and again */
    open_source(&world, 5, LOG_WORLD_NO_JOB);
    hear(&world, &story, "pause 5;");
    close_source(&world, 5);
    open_source(&world, 5, OWN_JOB);
    hear(&world, &story, "cursor 5;");
    open_source(&world, 6, LOG_WORLD_NO_JOB);
    hear(&world, &story, "pause 6;");
    log_world_cut(&world);
    open_source(&world, 6, OWN_JOB);
    hear(&world, &story, "cursor 6;");
    world.is_disputed = false;
    for (fl_ms end = fl_clock_mono() + 200; fl_clock_mono() < end;) {
        fl_loop_turn(world.loop, 10);
    }
    listen(&world, &story);
    assert_null(strstr(story.told, "refuse"));
    assert_int_equal(world.asked, 4);
    assert_int_equal(world.broken, 0);
    log_world_fini(&world);
}

static void a_stray_that_is_opened_twice_ends_the_connection(void **state)
{
    struct story story = {0};
    struct log_world world;

    (void)state;
    log_world_init(&world, 8);
    open_source(&world, 5, LOG_WORLD_NO_JOB);
    hear(&world, &story, "pause 5;");
    open_source(&world, 5, OWN_JOB);
    assert_int_equal(world.broken, 1);
    log_world_fini(&world);
}

/* The same while strays are asked for again, one after the other. */
static void a_stray_that_is_opened_again_while_it_is_asked_for_ends_the_connection(void **state)
{
    enum { MORE_THAN_ASKED = 1024 + 20 };
    struct log_world world;

    (void)state;
    stray_world(&world, 300);
    world.is_disputed = true;
    for (uint32_t i = 1; i <= MORE_THAN_ASKED; i++) {
        open_source(&world, i, LOG_WORLD_NO_JOB);
    }
    world.is_slow = true;
    for (fl_ms end = fl_clock_mono() + WAIT_MS; world.asked < MORE_THAN_ASKED + 1024;) {
        assert_true(fl_clock_mono() < end);
        fl_loop_turn(world.loop, 10);
    }
    for (int i = 0; i < 10; i++) {
        fl_loop_turn(world.loop, 2); /* the last ones wait until others are answered */
    }
    assert_int_equal(world.asked, MORE_THAN_ASKED + 1024);
    open_source(&world, MORE_THAN_ASKED, LOG_WORLD_NO_JOB);
    assert_int_equal(world.broken, 0);
    world.is_slow = false;
    log_world_tell_owners(&world);
    assert_int_equal(world.broken, 1);
    log_world_fini(&world);
}

/* Half of the sources that an agent may have stay for others. */
static void strays_of_a_session_are_bounded(void **state)
{
    enum { STRAYS_MAX = FL_LOG_SOURCES_MAX / 2 };
    struct story story = {0};
    struct log_world world;

    (void)state;
    log_world_init(&world, 9);
    for (uint32_t i = 1; i <= STRAYS_MAX; i++) {
        open_source(&world, i, LOG_WORLD_NO_JOB);
    }
    fl_loop_turn(world.loop, 0);
    fl_buf_clear(&world.to_agent); /* a PAUSE for each */
    open_source(&world, STRAYS_MAX + 1, LOG_WORLD_NO_JOB);
    hear(&world, &story, "refuse 8193 denied;");
    open_source(&world, STRAYS_MAX + 1, OWN_JOB);
    hear(&world, &story, "cursor 8193;");
    close_source(&world, 77);
    open_source(&world, STRAYS_MAX + 2, LOG_WORLD_NO_JOB);
    hear(&world, &story, "pause 8194;");
    assert_null(strstr(story.told, "refuse 8194"));
    log_world_fini(&world);
}

FL_TESTS(cmocka_unit_test(agents_write_only_output_of_their_own_attempts),
         cmocka_unit_test(what_is_sent_before_it_is_known_whose_it_is_is_not_written),
         cmocka_unit_test(an_end_with_another_checksum_is_taken_and_counted),
         cmocka_unit_test(a_source_that_is_gone_is_not_opened_by_a_late_answer),
         cmocka_unit_test(a_source_that_is_opened_twice_ends_the_connection),
         cmocka_unit_test(a_replica_that_no_attempt_has_ends_the_connection),
         cmocka_unit_test(very_many_sources_wait_for_the_look_up_of_their_owner),
         cmocka_unit_test(output_is_whole_when_owners_are_known_late),
         cmocka_unit_test(output_of_a_stray_stays_with_its_agent),
         cmocka_unit_test(output_of_a_stray_is_refused_in_the_end),
         cmocka_unit_test(output_of_a_stray_stays_while_the_history_is_disputed),
         cmocka_unit_test(output_of_a_stray_is_taken_once_its_row_is_back),
         cmocka_unit_test(a_stray_that_is_given_up_is_forgotten),
         cmocka_unit_test(a_stray_that_is_opened_twice_ends_the_connection),
         cmocka_unit_test(a_stray_that_is_opened_again_while_it_is_asked_for_ends_the_connection),
         cmocka_unit_test(strays_of_a_session_are_bounded))
