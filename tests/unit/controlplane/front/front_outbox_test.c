#include "controlplane/front/front_outbox.h"

#include "tests/fl_test.h"

static FL_VEC(struct outbox_letter *) got;

static void on_letter(void *ctx, struct fl_letter *letter)
{
    (void)ctx;
    fl_vec_push(&got, (struct outbox_letter *)letter);
}

static void drop_all(void)
{
    for (size_t i = 0; i < got.len; i++) {
        outbox_letter_free(got.at[i]);
    }
    fl_vec_fini(&got);
}

static void answer(struct front_outbox *outbox, uint64_t request, const char *text)
{
    struct core_effect effect = {.kind = CORE_ANSWER,
                                 .answer = {.request = request, .code = FL_ABSENT, .text = text}};

    front_outbox_effect(outbox, OUTBOX_ANSWER, &effect);
}

static void one_turn_is_one_letter_in_its_order(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct fl_mailbox *mailbox = fl_mailbox_create(loop, 8, on_letter, NULL);
    struct front_outbox *outbox = front_outbox_create(mailbox);
    struct core_batch *batch = core_batch_create(9);
    struct row row = {.kind = ROW_mark_clear, .mark_clear = {.job = 1, .kind = 1}};
    struct row_chunk *rows;
    char text[] = "gone soon";

    (void)state;
    front_outbox_flush(outbox); /* nothing was put: nothing is sent */
    answer(outbox, 1, text);
    text[0] = 'x'; /* it was copied */
    core_batch_row(batch, &row);
    rows = row_chunk_create((struct fl_str){(const char *)batch->body.at, batch->body.len});
    front_outbox_notice(outbox, batch->number, batch->at, rows);
    front_outbox_notice(outbox, 10, 0, NULL);
    row_chunk_release(rows); /* the letter has a count of its own */
    front_outbox_word(outbox, OUTBOX_REFUSED, (struct fl_cluster){3}, FL_FULL, "full");
    front_outbox_flush(outbox);
    fl_loop_turn(loop, 0);
    assert_int_equal(got.len, 1);
    assert_int_equal(got.at[0]->items.len, 4);
    assert_string_equal(got.at[0]->effects->effects.at[0].answer.text, "gone soon");
    assert_int_equal(got.at[0]->items.at[1].batch, 9);
    assert_int_equal(row_chunk_rows(got.at[0]->items.at[1].rows).len, batch->body.len);
    assert_memory_equal(row_chunk_rows(got.at[0]->items.at[1].rows).at, batch->body.at,
                        batch->body.len);
    assert_int_equal(got.at[0]->items.at[2].batch, 10);
    assert_null(got.at[0]->items.at[2].rows);
    assert_int_equal(got.at[0]->items.at[3].cluster.n, 3);
    assert_string_equal(got.at[0]->items.at[3].text, "full");
    drop_all();
    core_batch_destroy(batch);
    front_outbox_destroy(outbox);
    fl_mailbox_destroy(mailbox);
    fl_loop_destroy(loop);
}

static void a_full_mailbox_makes_the_letter_grow(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct fl_mailbox *mailbox = fl_mailbox_create(loop, 1, on_letter, NULL);
    struct front_outbox *outbox = front_outbox_create(mailbox);

    (void)state;
    for (uint64_t turn = 1; turn <= 4; turn++) {
        answer(outbox, turn, "a");
        front_outbox_flush(outbox);
    }
    fl_loop_turn(loop, 0);
    assert_int_equal(got.len, 1);
    front_outbox_flush(outbox);
    fl_loop_turn(loop, 0);
    assert_int_equal(got.len, 2);
    assert_int_equal(got.at[1]->items.len, 3);
    assert_int_equal(got.at[1]->effects->effects.at[2].answer.request, 4);
    drop_all();
    front_outbox_destroy(outbox);
    fl_mailbox_destroy(mailbox);
    fl_loop_destroy(loop);
}

static void past_its_bound_it_says_that_something_was_lost(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct fl_mailbox *mailbox = fl_mailbox_create(loop, 8, on_letter, NULL);
    struct front_outbox *outbox = front_outbox_create(mailbox);
    char *body = fl_new_array(char, 262144);
    struct row_chunk *rows = row_chunk_create((struct fl_str){body, 262144});

    (void)state;
    for (size_t i = 0; i <= OUTBOX_BYTES_MAX / 262144; i++) {
        front_outbox_notice(outbox, 1 + i, 0, rows);
    }
    row_chunk_release(rows);
    answer(outbox, 1, "a");
    front_outbox_flush(outbox);
    fl_loop_turn(loop, 0);
    assert_int_equal(got.len, 1);
    assert_int_equal(got.at[0]->items.len, 1);
    assert_int_equal(got.at[0]->items.at[0].kind, OUTBOX_LOST);
    drop_all();
    fl_free(body);
    front_outbox_destroy(outbox);
    fl_mailbox_destroy(mailbox);
    fl_loop_destroy(loop);
}

FL_TESTS(cmocka_unit_test(one_turn_is_one_letter_in_its_order),
         cmocka_unit_test(a_full_mailbox_makes_the_letter_grow),
         cmocka_unit_test(past_its_bound_it_says_that_something_was_lost))
