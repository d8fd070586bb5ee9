#include "shared/io/mailbox.h"

#include <pthread.h>
#include <sched.h>

#include "shared/base/alloc.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"

enum { WAIT_MS = 60000, WRITERS = 4, LETTERS = 5000 };

struct note {
    struct fl_letter letter;
    int writer, number;
};

struct reader {
    struct fl_loop *loop;
    struct fl_mailbox *mailbox;
    int last[WRITERS]; /* number seen of each */
    size_t len, len_wanted, turn_len, turn_longest;
    struct fl_after after;
};

static void end_of_turn(void *ctx)
{
    struct reader *reader = ctx;

    if (reader->turn_len > reader->turn_longest) reader->turn_longest = reader->turn_len;
    reader->turn_len = 0;
}

static void on_letter(void *ctx, struct fl_letter *letter)
{
    struct reader *reader = ctx;
    struct note *note = (struct note *)(void *)letter;

    assert_int_equal(note->number, reader->last[note->writer] + 1);
    reader->last[note->writer] = note->number;
    reader->turn_len++;
    fl_after_put(&reader->after);
    fl_free(note);
    if (++reader->len == reader->len_wanted) fl_loop_stop(reader->loop);
}

static struct reader reader_init(struct reader *reader, size_t letters_max)
{
    *reader = (struct reader){.loop = fl_loop_create()};
    reader->mailbox = fl_mailbox_create(reader->loop, letters_max, on_letter, reader);
    fl_after_init(&reader->after, reader->loop, end_of_turn, reader);
    return *reader;
}

static void reader_fini(struct reader *reader)
{
    fl_after_off(&reader->after);
    fl_mailbox_destroy(reader->mailbox);
    fl_loop_destroy(reader->loop);
}

static struct note *note(int writer, int number)
{
    struct note *note = fl_new(struct note);

    note->writer = writer;
    note->number = number;
    return note;
}

struct writer {
    struct fl_mailbox *mailbox;
    int number;
};

static void *write_all(void *ctx)
{
    struct writer *writer = ctx;

    for (int i = 1; i <= LETTERS; i++) {
        struct note *one = note(writer->number, i);

        while (!fl_mailbox_put(writer->mailbox, &one->letter)) {
            sched_yield();
        }
    }
    return NULL;
}

static void many_writers_one_reader_nothing_lost_each_in_order(void **state)
{
    struct reader reader;
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];

    (void)state;
    reader_init(&reader, 700);
    reader.len_wanted = (size_t)WRITERS * LETTERS;
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){reader.mailbox, i};
        assert_int_equal(pthread_create(&threads[i], NULL, write_all, &writers[i]), 0);
    }
    fl_loop_run(reader.loop);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(reader.last[i], LETTERS);
    }
    assert_int_equal(fl_mailbox_len(reader.mailbox), 0);
    reader_fini(&reader);
}

static void a_turn_gets_its_share_and_the_rest_follows_without_another_wake(void **state)
{
    struct reader reader;

    (void)state;
    reader_init(&reader, 10000);
    for (int i = 1; i <= 3 * FL_MAILBOX_TURN_MAX + 1; i++) {
        assert_true(fl_mailbox_put(reader.mailbox, &note(0, i)->letter));
    }
    for (size_t turn = 1; turn <= 4; turn++) {
        fl_loop_turn(reader.loop, WAIT_MS);
        assert_int_equal(reader.len,
                         turn < 4 ? turn * FL_MAILBOX_TURN_MAX : 3 * FL_MAILBOX_TURN_MAX + 1);
    }
    assert_int_equal(reader.turn_longest, FL_MAILBOX_TURN_MAX);
    assert_true(fl_mailbox_put(reader.mailbox, &note(0, 3 * FL_MAILBOX_TURN_MAX + 2)->letter));
    fl_loop_turn(reader.loop, WAIT_MS);
    assert_int_equal(reader.len, 3 * FL_MAILBOX_TURN_MAX + 2);
    reader_fini(&reader);
}

static void at_the_limit_a_put_is_refused_and_the_letter_stays(void **state)
{
    struct reader reader;
    struct note *third = note(0, 3);

    (void)state;
    reader_init(&reader, 2);
    assert_true(fl_mailbox_put(reader.mailbox, &note(0, 1)->letter));
    assert_true(fl_mailbox_put(reader.mailbox, &note(0, 2)->letter));
    assert_false(fl_mailbox_put(reader.mailbox, &third->letter));
    assert_int_equal(fl_mailbox_len(reader.mailbox), 2);
    fl_loop_turn(reader.loop, WAIT_MS);
    assert_int_equal(reader.len, 2);
    assert_true(fl_mailbox_put(reader.mailbox, &third->letter));
    fl_loop_turn(reader.loop, WAIT_MS);
    assert_int_equal(reader.len, 3);
    reader_fini(&reader);
}

static void after_close_puts_are_refused_and_what_is_inside_can_be_taken(void **state)
{
    struct reader reader;
    struct fl_letter *letter;
    struct note *late = note(0, 3);

    (void)state;
    reader_init(&reader, 10);
    assert_true(fl_mailbox_put(reader.mailbox, &note(0, 1)->letter));
    assert_true(fl_mailbox_put(reader.mailbox, &note(0, 2)->letter));
    fl_mailbox_close(reader.mailbox);
    fl_mailbox_close(reader.mailbox);
    assert_false(fl_mailbox_put(reader.mailbox, &late->letter));
    fl_free(late);
    for (int i = 1; i <= 2; i++) {
        letter = fl_mailbox_take(reader.mailbox);
        assert_non_null(letter);
        assert_int_equal(((struct note *)(void *)letter)->number, i);
        fl_free(letter);
    }
    assert_null(fl_mailbox_take(reader.mailbox));
    fl_loop_turn(reader.loop, 0); /* rung for, but empty */
    assert_int_equal(reader.len, 0);
    reader_fini(&reader);
    fl_mailbox_destroy(NULL);
}

FL_TESTS(cmocka_unit_test(many_writers_one_reader_nothing_lost_each_in_order),
         cmocka_unit_test(a_turn_gets_its_share_and_the_rest_follows_without_another_wake),
         cmocka_unit_test(at_the_limit_a_put_is_refused_and_the_letter_stays),
         cmocka_unit_test(after_close_puts_are_refused_and_what_is_inside_can_be_taken))
