#include "controlplane/store/apply.h"

#include "tests/fl_test.h"

static enum engine_commit verdict(const char *sqlstate, const char *table, const char *column)
{
    struct pg_failure failure = {0};

    snprintf(failure.sqlstate, sizeof failure.sqlstate, "%s", sqlstate);
    snprintf(failure.table, sizeof failure.table, "%s", table);
    snprintf(failure.column, sizeof failure.column, "%s", column);
    return apply_verdict(&failure);
}

static void a_refusal_is_told_by_state_table_and_column(void **state)
{
    (void)state;
    assert_int_equal(verdict("23502", "journal_p0", "epoch"), ENGINE_DEPOSED);
    assert_int_equal(verdict("23502", "journal_p1000000", "prev"), ENGINE_RELOAD);
    assert_int_equal(verdict("23505", "journal_p0", ""), ENGINE_RELOAD);
    assert_int_equal(verdict("25P02", "", ""), ENGINE_RELOAD);
    assert_int_equal(verdict("53100", "", ""), ENGINE_NO_SPACE);
    assert_int_equal(verdict("23502", "attempt_p0", "prev"), ENGINE_POISONED);
    assert_int_equal(verdict("23505", "element_end_p0", ""), ENGINE_POISONED);
    assert_int_equal(verdict("23514", "job", ""), ENGINE_POISONED);
    assert_int_equal(verdict("22021", "", ""), ENGINE_POISONED);
    assert_int_equal(verdict("21000", "", ""), ENGINE_POISONED);
    assert_int_equal(verdict("54000", "", ""), ENGINE_POISONED);
}

static void what_may_pass_by_itself_is_no_poison(void **state)
{
    static const char *const passing[] = {"55P03", "25006", "25P03", "57014", "40001",
                                          "40P01", "42501", "P0001", "XX000", "QX001"};

    (void)state;
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        assert_int_equal(verdict(passing[i], "", ""), ENGINE_AWAY);
        assert_int_equal(verdict(passing[i], "journal_p0", ""), ENGINE_AWAY);
    }
}

static void a_server_that_is_not_well_has_refused_nothing(void **state)
{
    (void)state;
    assert_int_equal(verdict("", "", ""), ENGINE_UNKNOWN);
    assert_int_equal(verdict("57P01", "", ""), ENGINE_UNKNOWN);
    assert_int_equal(verdict("57P02", "", ""), ENGINE_UNKNOWN);
    assert_int_equal(verdict("58030", "", ""), ENGINE_UNKNOWN);
    assert_int_equal(verdict("53200", "", ""), ENGINE_UNKNOWN);
    assert_int_equal(verdict("08006", "", ""), ENGINE_UNKNOWN);
}

static const struct apply_stmt *find(const struct apply_list *list, enum pg_stmt stmt)
{
    for (size_t i = 0; i < list->len; i++) {
        if (list->at[i].stmt == stmt) return &list->at[i];
    }
    return NULL;
}

static void add(struct core_batch *batch, struct row row)
{
    core_batch_row(batch, &row);
}

static void only_statements_with_rows_are_built_and_the_chain_is_first(void **state)
{
    struct apply *apply = apply_create();
    struct core_batch *batch = core_batch_create(7);
    const struct apply_list *list;

    (void)state;
    add(batch, (struct row){.kind = ROW_cluster_phase, .cluster_phase = {.cluster = 1}});
    list = apply_build(apply, batch, 3);
    assert_int_equal(list->len, 3);
    assert_int_equal(list->at[0].stmt, PG_STMT_begin);
    assert_int_equal(list->at[1].stmt, PG_STMT_chain);
    assert_int_equal(list->at[2].stmt, PG_STMT_commit);
    add(batch, (struct row){.kind = ROW_element_end, .element_end = {.job = 1}});
    add(batch, (struct row){.kind = ROW_attempt_new, .attempt_new = {.job = 1, .n = 2}});
    add(batch, (struct row){.kind = ROW_attempt_end, .attempt_end = {.job = 1, .n = 1}});
    add(batch, (struct row){.kind = ROW_attempt_new, .attempt_new = {.job = 2, .n = 1}});
    list = apply_build(apply, batch, 3);
    assert_int_equal(list->len, 7);
    assert_int_equal(list->at[2].stmt, PG_STMT_attempt_first);
    assert_int_equal(list->at[2].rows, 1);
    assert_int_equal(list->at[3].stmt, PG_STMT_attempt_end);
    assert_int_equal(list->at[4].stmt, PG_STMT_attempt_new);
    assert_int_equal(list->at[4].rows, 1);
    assert_int_equal(list->at[5].stmt, PG_STMT_element_end);
    core_batch_destroy(batch);
    apply_destroy(apply);
}

static void of_equal_specs_one_is_put(void **state)
{
    struct apply *apply = apply_create();
    struct core_batch *batch = core_batch_create(1);
    const struct apply_list *list;

    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        add(batch, (struct row){.kind = ROW_spec_new,
                                .spec_new = {.job = i / 3, .digest = {.at = {(uint8_t)(i % 2)}}}});
    }
    list = apply_build(apply, batch, 1);
    assert_int_equal(list->len, 4);
    assert_int_equal(list->at[2].stmt, PG_STMT_spec_new);
    assert_int_equal(list->at[2].rows, 4);
    core_batch_destroy(batch);
    apply_destroy(apply);
}

static void of_one_key_the_last_word_counts(void **state)
{
    struct apply *apply = apply_create();
    struct core_batch *batch = core_batch_create(1);
    const struct apply_list *list;

    (void)state;
    for (int64_t i = 0; i < 5; i++) {
        add(batch,
            (struct row){.kind = ROW_mark_set, .mark_set = {.job = 1, .kind = 1, .value = i}});
        add(batch,
            (struct row){.kind = ROW_mark_set, .mark_set = {.job = 1, .kind = 2, .value = i}});
        add(batch, (struct row){.kind = ROW_mark_clear, .mark_clear = {.job = 1, .kind = 2}});
        add(batch, (struct row){.kind = ROW_shape_new, .shape_new = {.shape = 4}});
        add(batch, (struct row){.kind = ROW_shape_drop, .shape_drop = {.shape = 4}});
        add(batch, (struct row){.kind = ROW_counter, .counter = {.counter = 1, .value = 9}});
        add(batch, (struct row){.kind = ROW_queue_put, .queue_put = {.queue = 6}});
    }
    list = apply_build(apply, batch, 1);
    assert_int_equal(find(list, PG_STMT_mark_set)->rows, 1);
    assert_int_equal(find(list, PG_STMT_mark_clear)->rows, 1);
    assert_int_equal(find(list, PG_STMT_shape_drop)->rows, 1);
    assert_null(find(list, PG_STMT_shape_new));
    assert_int_equal(find(list, PG_STMT_counter)->rows, 1);
    assert_int_equal(find(list, PG_STMT_queue_put)->rows, 1);
    core_batch_destroy(batch);
    apply_destroy(apply);
}

static void marks_are_looked_for_where_there_may_be_some(void **state)
{
    struct apply *apply = apply_create();
    struct core_batch *batch = core_batch_create(1);
    const struct apply_list *list;

    (void)state;
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 1}});
    list = apply_build(apply, batch, 1);
    assert_int_equal(find(list, PG_STMT_open_job_drop)->rows, 1);
    assert_null(find(list, PG_STMT_open_mark_drop));
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 2, .has_marks = 1}});
    list = apply_build(apply, batch, 1);
    assert_int_equal(find(list, PG_STMT_open_job_drop)->rows, 2);
    assert_int_equal(find(list, PG_STMT_open_mark_drop)->rows, 1);
    core_batch_destroy(batch);
    apply_destroy(apply);
}

static void the_newest_job_of_a_batch_is_the_largest(void **state)
{
    struct core_batch *batch = core_batch_create(1);

    (void)state;
    assert_int_equal(apply_job_newest(batch), 0);
    add(batch, (struct row){.kind = ROW_job_new, .job_new = {.job = 5}});
    add(batch, (struct row){.kind = ROW_job_new, .job_new = {.job = 9}});
    add(batch, (struct row){.kind = ROW_attempt_new, .attempt_new = {.job = 99}});
    assert_int_equal(apply_job_newest(batch), 9);
    core_batch_destroy(batch);
}

FL_TESTS(cmocka_unit_test(a_refusal_is_told_by_state_table_and_column),
         cmocka_unit_test(what_may_pass_by_itself_is_no_poison),
         cmocka_unit_test(a_server_that_is_not_well_has_refused_nothing),
         cmocka_unit_test(only_statements_with_rows_are_built_and_the_chain_is_first),
         cmocka_unit_test(of_equal_specs_one_is_put),
         cmocka_unit_test(of_one_key_the_last_word_counts),
         cmocka_unit_test(marks_are_looked_for_where_there_may_be_some),
         cmocka_unit_test(the_newest_job_of_a_batch_is_the_largest))
