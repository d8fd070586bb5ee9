#include "controlplane/core/core_command.h"

#include "tests/fl_test.h"

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void a_kept_answer_comes_back_with_its_codes_jobs_and_texts(void **state)
{
    struct core_outcome outcomes[] = {{.code = FL_OK, .job = {7}},
                                      {.code = FL_ABSENT, .text = "no such queue"}};
    struct core_answer answer = {.request = 9,
                                 .code = FL_CONFLICT,
                                 .text = "why",
                                 .id = UINT64_MAX,
                                 .outcomes = outcomes,
                                 .outcomes_len = 2};
    struct core_answer back;
    struct fl_arena arena = {0};
    struct fl_buf buf;
    struct fl_err err = {0};

    (void)state;
    fl_buf_init(&buf, 1000);
    assert_true(core_answer_encode(&buf, &answer));
    assert_true(core_answer_decode(view(&buf), &arena, &back, &err));
    assert_int_equal(back.code, FL_CONFLICT);
    assert_string_equal(back.text, "why");
    assert_int_equal(back.id, UINT64_MAX);
    assert_int_equal(back.request, 0); /* the repeating request has its own number */
    assert_int_equal(back.outcomes_len, 2);
    assert_int_equal(back.outcomes[0].job.n, 7);
    assert_null(back.outcomes[0].text);
    assert_int_equal(back.outcomes[1].code, FL_ABSENT);
    assert_string_equal(back.outcomes[1].text, "no such queue");
    for (size_t len = 0; len < buf.len; len++) {
        assert_false(
            core_answer_decode((struct fl_str){(const char *)buf.at, len}, &arena, &back, &err));
        assert_int_equal(err.code, FL_TORN);
    }
    fl_buf_put_u8(&buf, 0);
    assert_false(core_answer_decode(view(&buf), &arena, &back, &err));
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

static void
an_answer_with_too_many_outcomes_is_refused_before_memory_is_taken_for_them(void **state)
{
    struct core_answer back;
    struct fl_arena arena = {0};
    struct fl_buf buf;
    struct fl_err err = {0};

    (void)state;
    fl_buf_init(&buf, 1000);
    fl_buf_put_u16(&buf, 0);
    fl_buf_put_str(&buf, FL_STR(""));
    fl_buf_put_u64(&buf, 0);
    fl_buf_put_var(&buf, UINT64_MAX);
    assert_false(core_answer_decode(view(&buf), &arena, &back, &err));
    assert_int_equal(err.code, FL_TORN);
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

static void an_answer_that_does_not_fit_is_not_encoded(void **state)
{
    struct core_answer answer = {.code = FL_FULL, .text = "a text of some length"};
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 20);
    assert_false(core_answer_encode(&buf, &answer));
    fl_buf_fini(&buf);
}

static void a_batch_keeps_all_that_a_row_points_to(void **state)
{
    struct core_batch *batch = core_batch_create(5);
    char name[] = "name", labels[] = "a=b", params[] = "{}", picked[] = "0-3";
    struct row row = {.kind = ROW_job_new,
                      .job_new = {.job = 1,
                                  .name = {name, 4},
                                  .labels = {labels, 3},
                                  .params = {params, 2},
                                  .picked = {picked, 3}}};
    struct fl_buf buf;

    (void)state;
    core_batch_row(batch, &row);
    fl_buf_init(&buf, 1 << 10);
    assert_true(row_encode(&buf, &row));
    assert_int_equal(batch->body.len, buf.len);
    assert_memory_equal(batch->body.at, buf.at, buf.len);
    fl_buf_fini(&buf);
    memset(name, '#', sizeof name);
    memset(labels, '#', sizeof labels);
    memset(params, '#', sizeof params);
    memset(picked, '#', sizeof picked);
    assert_true(fl_str_eq(batch->rows.at[0].job_new.name, FL_STR("name")));
    assert_true(fl_str_eq(batch->rows.at[0].job_new.labels, FL_STR("a=b")));
    assert_true(fl_str_eq(batch->rows.at[0].job_new.params, FL_STR("{}")));
    assert_true(fl_str_eq(batch->rows.at[0].job_new.picked, FL_STR("0-3")));
    row = (struct row){.kind = ROW_shape_drop, .shape_drop = {3}};
    core_batch_row(batch, &row);
    assert_int_equal(batch->jobs, 1);
    assert_int_equal(batch->rows.len, 2);
    core_batch_destroy(batch);
    core_batch_destroy(NULL);
}

static void rows_keep_their_texts_while_the_body_grows_and_moves(void **state)
{
    struct core_batch *batch = core_batch_create(5);
    char text[64];

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        struct row row = {.kind = ROW_audit, .audit = {.tenant = 1}};

        snprintf(text, sizeof text, "token %u", i);
        row.audit.actor = fl_str_c(text);
        row.audit.body = i % 2 ? fl_str_c(text) : (struct fl_str){0};
        core_batch_row(batch, &row);
        row = (struct row){.kind = ROW_job_end, .job_end = {.job = i}};
        core_batch_row(batch, &row);
    }
    for (unsigned i = 0; i < 1000; i++) {
        const struct row_audit *audit = &batch->rows.at[2 * (size_t)i].audit;
        const uint8_t *at = (const uint8_t *)audit->actor.at;

        snprintf(text, sizeof text, "token %u", i);
        assert_true(fl_str_eq(audit->actor, fl_str_c(text)));
        assert_true(fl_str_eq(audit->body, i % 2 ? fl_str_c(text) : (struct fl_str){0}));
        assert_true(at >= batch->body.at && at < batch->body.at + batch->body.len);
        assert_int_equal(batch->rows.at[2 * i + 1].job_end.job, i);
    }
    core_batch_destroy(batch);
}

static void a_batch_keeps_copies_of_all_that_an_effect_points_to(void **state)
{
    struct core_batch *batch = core_batch_create(5);
    char text[] = "text", sentence[] = "sentence", outcome_text[] = "outcome",
         verdict_text[] = "verdict";
    struct core_outcome outcome = {.code = FL_FULL, .text = outcome_text};
    struct core_verdict verdict = {.cluster = {1}, .reason = REASON_Fits, .text = verdict_text};
    struct core_job_view job = {.job = {4}};
    uint32_t nodes[] = {3, 4};
    struct core_effect answer = {.kind = CORE_ANSWER,
                                 .answer = {.request = 1,
                                            .code = FL_FULL,
                                            .text = text,
                                            .outcomes = &outcome,
                                            .outcomes_len = 1,
                                            .jobs = &job,
                                            .jobs_len = 1,
                                            .verdicts = &verdict,
                                            .verdicts_len = 1,
                                            .sentence = sentence}};
    struct core_effect send = {
        .kind = CORE_SEND,
        .send = {.kind = CORE_SEND_start, .nodes = nodes, .nodes_len = 2, .text = text}};
    const struct core_answer *kept;

    (void)state;
    core_batch_effect(batch, &answer);
    core_batch_effect(batch, &send);
    memset(text, '#', 4);
    memset(sentence, '#', 8);
    memset(outcome_text, '#', 7);
    memset(verdict_text, '#', 7);
    memset(nodes, 0, sizeof nodes);
    outcome = (struct core_outcome){0};
    verdict = (struct core_verdict){0};
    job = (struct core_job_view){0};
    kept = &batch->effects.at[0].answer;
    assert_string_equal(kept->text, "text");
    assert_string_equal(kept->sentence, "sentence");
    assert_string_equal(kept->outcomes[0].text, "outcome");
    assert_string_equal(kept->verdicts[0].text, "verdict");
    assert_int_equal(kept->jobs[0].job.n, 4);
    assert_int_equal(batch->effects.at[1].send.nodes[1], 4);
    assert_string_equal(batch->effects.at[1].send.text, "text");
    core_batch_destroy(batch);
}

static void every_frame_has_its_name(void **state)
{
    (void)state;
    assert_string_equal(core_send_name(CORE_SEND_welcome), "welcome");
    assert_string_equal(core_send_name(CORE_SEND_bye), "bye");
}

FL_TESTS(
    cmocka_unit_test(a_kept_answer_comes_back_with_its_codes_jobs_and_texts),
    cmocka_unit_test(an_answer_with_too_many_outcomes_is_refused_before_memory_is_taken_for_them),
    cmocka_unit_test(an_answer_that_does_not_fit_is_not_encoded),
    cmocka_unit_test(a_batch_keeps_all_that_a_row_points_to),
    cmocka_unit_test(rows_keep_their_texts_while_the_body_grows_and_moves),
    cmocka_unit_test(a_batch_keeps_copies_of_all_that_an_effect_points_to),
    cmocka_unit_test(every_frame_has_its_name))
