#include "controlplane/store/apply.h"

#include <endian.h>

#include "controlplane/store/row_columns.h"
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

/* The statement, in whichever of its texts. */
static enum pg_stmt stmt_of(const struct apply_stmt *sent)
{
    return pg_stmts[sent->stmt].alike ? pg_stmts[sent->stmt].of : sent->stmt;
}

static const struct apply_stmt *find(const struct apply_list *list, enum pg_stmt stmt)
{
    for (size_t i = 0; i < list->len; i++) {
        if (stmt_of(&list->at[i]) == stmt) return &list->at[i];
    }
    return NULL;
}

static void add(struct core_batch *batch, struct row row)
{
    core_batch_row(batch, &row);
}

static void only_statements_with_rows_are_built_and_the_chain_is_first(void **state)
{
    struct apply *apply = apply_create(APPLY_LATE_JOBS);
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
    assert_int_equal(stmt_of(&list->at[2]), PG_STMT_attempt_first);
    assert_int_equal(list->at[2].rows, 1);
    assert_int_equal(list->at[3].stmt, PG_STMT_attempt_end);
    assert_int_equal(list->at[4].stmt, PG_STMT_attempt_new);
    assert_int_equal(list->at[4].rows, 1);
    assert_int_equal(stmt_of(&list->at[5]), PG_STMT_element_end);
    core_batch_destroy(batch);
    apply_destroy(apply);
}

static void of_equal_specs_one_is_put(void **state)
{
    struct apply *apply = apply_create(APPLY_LATE_JOBS);
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
    struct apply *apply = apply_create(APPLY_LATE_JOBS);
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
    struct apply *apply = apply_create(APPLY_LATE_JOBS);
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

static size_t rows_of(const struct apply_list *list, enum pg_stmt stmt)
{
    const struct apply_stmt *found = find(list, stmt);

    return found ? found->rows : 0;
}

/* How many parameters of the statement are NULL. */
static size_t nulls_of(const struct apply_list *list, enum pg_stmt stmt)
{
    const struct apply_stmt *found = find(list, stmt);
    struct pg_stmt_text text;
    size_t nulls = 0;

    pg_stmt_text(found->stmt, &text);
    for (int i = 0; i < text.params; i++) {
        nulls += found->values[i].at == NULL;
    }
    return nulls;
}

static void a_column_that_no_row_of_the_batch_has_is_sent_as_one_null(void **state)
{
    struct apply *apply = apply_create(APPLY_LATE_JOBS);
    struct core_batch *batch = core_batch_create(1);
    const struct apply_list *list;

    (void)state;
    add(batch, (struct row){.kind = ROW_job_new, .job_new = {.job = 1, .name = FL_STR("a")}});
    add(batch, (struct row){.kind = ROW_job_new, .job_new = {.job = 2, .name = FL_STR("b")}});
    list = apply_build(apply, batch, 1);
    assert_int_equal(find(list, PG_STMT_job_new)->stmt, PG_STMT_job_new_alike);
    /* retry_of, labels, params, picked, owner, after */
    assert_int_equal(nulls_of(list, PG_STMT_job_new), 6);
    add(batch, (struct row){.kind = ROW_job_new, .job_new = {.job = 3, .retry_of = 1}});
    add(batch, (struct row){.kind = ROW_job_new, .job_new = {.job = 4, .picked = FL_STR("x")}});
    list = apply_build(apply, batch, 1);
    assert_int_equal(rows_of(list, PG_STMT_job_new), 4);
    assert_int_equal(nulls_of(list, PG_STMT_job_new), 4);
    core_batch_destroy(batch);
    apply_destroy(apply);
}

/* The parameter of a column, as it is sent; NULL: it goes as an array. */
static const struct pg_value *one_value(const struct apply_stmt *sent, const char *column)
{
    struct row_columns columns = row_columns(pg_stmts[stmt_of(sent)].place);
    struct pg_stmt_text text;

    pg_stmt_text(sent->stmt, &text);
    for (int i = 0; i < text.params; i++) {
        if (text.sources[i] < PG_OF_ONE) continue;
        if (strcmp(columns.at[text.sources[i] - PG_OF_ONE]->name, column) == 0) {
            return &sent->values[i];
        }
    }
    return NULL;
}

static void add_owned(struct core_batch *batch, uint64_t job, const char *owner, uint32_t queue)
{
    add(batch, (struct row){.kind = ROW_job_new,
                            .job_new = {.job = job, .owner = fl_str_c(owner), .queue = queue}});
}

static void a_value_that_all_rows_have_goes_once(void **state)
{
    static const char *const others[] = {"bob", "an", "anna", ""};
    struct apply *apply = apply_create(APPLY_LATE_JOBS);
    struct core_batch *batch = core_batch_create(1);
    const struct apply_stmt *sent;

    (void)state;
    add_owned(batch, 1, "ann", 258);
    add_owned(batch, 2, "ann", 258);
    add_owned(batch, 3, "ann", 258);
    sent = find(apply_build(apply, batch, 1), PG_STMT_job_new);
    assert_int_equal(sent->rows, 3);
    assert_int_equal(one_value(sent, "owner")->bytes, 3);
    assert_memory_equal(one_value(sent, "owner")->at, "ann", 3);
    assert_int_equal(one_value(sent, "queue")->bytes, 4);
    assert_memory_equal(one_value(sent, "queue")->at, "\0\0\1\2", 4);
    assert_null(one_value(sent, "job"));
    core_batch_destroy(batch);
    for (size_t other = 0; other < 3 * sizeof others / sizeof *others; other++) {
        batch = core_batch_create(2); /* the first, the second or the third row is another's */
        for (uint64_t job = 0; job < 3; job++) {
            add_owned(batch, job + 1, job == other % 3 ? others[other / 3] : "ann", 258);
        }
        sent = find(apply_build(apply, batch, 1), PG_STMT_job_new);
        assert_int_equal(sent->stmt, PG_STMT_job_new);
        core_batch_destroy(batch);
    }
    batch = core_batch_create(3);
    add_owned(batch, 1, "", 258);
    add_owned(batch, 2, "", 258);
    sent = find(apply_build(apply, batch, 1), PG_STMT_job_new);
    assert_null(one_value(sent, "owner")->at);
    core_batch_destroy(batch);
    batch = core_batch_create(4);
    add_owned(batch, 1, "ann", 258);
    add_owned(batch, 2, "ann", 259);
    assert_int_equal(find(apply_build(apply, batch, 1), PG_STMT_job_new)->stmt, PG_STMT_job_new);
    core_batch_destroy(batch);
    apply_destroy(apply);
}

static void accept(struct core_batch *batch, uint64_t from, uint64_t to)
{
    for (uint64_t job = from; job <= to; job++) {
        add(batch, (struct row){.kind = ROW_job_new, .job_new = {.job = job, .elements = 1}});
    }
}

/* How many rows of open_job a batch of these rows writes and takes out. */
static void expect_open(struct apply *apply, struct core_batch *batch, size_t in, size_t out)
{
    const struct apply_list *list = apply_build(apply, batch, 1);

    assert_int_equal(rows_of(list, PG_STMT_open_job), in);
    assert_int_equal(rows_of(list, PG_STMT_open_job_drop), out);
    core_batch_destroy(batch);
}

static void a_job_that_ends_before_many_newer_ones_come_costs_no_open_row(void **state)
{
    struct apply *apply = apply_create(8);
    struct core_batch *batch = core_batch_create(1);

    (void)state;
    accept(batch, 1, 8);
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 2}});
    expect_open(apply, batch, 0, 0);
    batch = core_batch_create(2);
    accept(batch, 9, 11); /* 8 ahead of 1 and of 3; 2 has ended */
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 3}});
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 4}});
    expect_open(apply, batch, 2, 1);
    batch = core_batch_create(3);
    accept(batch, 1000, 1000); /* ids were skipped: 5 to 11 are far behind now */
    accept(batch, 7, 7);       /* no core does that */
    expect_open(apply, batch, 8, 0);
    batch = core_batch_create(4);
    accept(batch, 1001, 1007);
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 1000}});
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 5}});
    expect_open(apply, batch, 0, 1);
    apply_destroy(apply);
}

static void after_a_takeover_every_open_job_has_its_row(void **state)
{
    struct apply *apply = apply_create(8);
    struct core_batch *batch = core_batch_create(1);

    (void)state;
    accept(batch, 1, 3);
    expect_open(apply, batch, 0, 0);
    apply_restart(apply, 3);
    batch = core_batch_create(2);
    accept(batch, 4, 20);
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 3}});
    add(batch, (struct row){.kind = ROW_job_end, .job_end = {.job = 20}});
    expect_open(apply, batch, 9, 1);
    apply_destroy(apply);
}

static void edit(struct core_batch *batch, uint64_t job, uint32_t revision)
{
    add(batch, (struct row){.kind = ROW_job_edit,
                            .job_edit = {.job = job, .revision = revision, .queue = 7}});
}

static bool is_of_open_job(enum pg_stmt stmt)
{
    return stmt == PG_STMT_open_job || stmt == PG_STMT_open_job_alike;
}

/* The queues in the rows that a batch writes into open_job. */
static uint32_t open_queue(const struct apply_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        const struct pg_value *queue = &list->at[i].values[2]; /* behind job and tenant */
        uint32_t be;

        if (!is_of_open_job(list->at[i].stmt)) continue;
        memcpy(&be, (const char *)queue->at + queue->bytes - sizeof be, sizeof be); /* the last */
        return be32toh(be);
    }
    return 0;
}

static void an_edit_is_kept_and_the_newest_of_a_batch_counts_for_other_rows(void **state)
{
    struct apply *apply = apply_create(8);
    struct core_batch *batch = core_batch_create(1);
    const struct apply_list *list;

    (void)state;
    accept(batch, 1, 10); /* 1 and 2 have their rows in open_job now */
    edit(batch, 1, 1);
    edit(batch, 3, 1);
    edit(batch, 1, 2);
    list = apply_build(apply, batch, 1);
    assert_int_equal(rows_of(list, PG_STMT_job_edit), 3);
    assert_int_equal(rows_of(list, PG_STMT_job_edited), 2);
    assert_int_equal(rows_of(list, PG_STMT_open_job_edited), 1);
    core_batch_destroy(batch);
    batch = core_batch_create(2);
    accept(batch, 11, 11); /* 3 has its row now, as it was edited before */
    list = apply_build(apply, batch, 1);
    assert_int_equal(rows_of(list, PG_STMT_open_job), 1);
    assert_int_equal(open_queue(list), 7);
    core_batch_destroy(batch);
    apply_destroy(apply);
}

/* Whether a row that a batch writes into open_job has this text. */
static bool is_in_open_job(const struct apply_list *list, const char *text)
{
    for (size_t i = 0; i < list->len; i++) {
        if (!is_of_open_job(list->at[i].stmt)) continue;
        for (size_t v = 0; v < PG_PARAMS_MAX; v++) {
            const struct pg_value *value = &list->at[i].values[v];

            if (value->bytes && memmem(value->at, value->bytes, text, strlen(text))) return true;
        }
    }
    return false;
}

static void a_row_that_is_written_late_has_its_owner_when_the_batch_is_gone(void **state)
{
    struct apply *apply = apply_create(8);
    struct core_batch *batch = core_batch_create(1);
    const struct apply_list *list;
    char owner[] = "ann-of-the-north";

    (void)state;
    add(batch, (struct row){.kind = ROW_job_new,
                            .job_new = {.job = 1, .elements = 1, .owner = fl_str_c(owner)}});
    expect_open(apply, batch, 0, 0);
    memset(owner, 'x', strlen(owner));
    batch = core_batch_create(2);
    edit(batch, 1, 1);
    expect_open(apply, batch, 0, 0);
    batch = core_batch_create(3);
    accept(batch, 2, 9);
    list = apply_build(apply, batch, 1);
    assert_true(is_in_open_job(list, "ann-of-the-north"));
    assert_int_equal(open_queue(list), 7);
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
    /* Numbers were passed over: partitions are wanted behind them. */
    add(batch, (struct row){.kind = ROW_counter,
                            .counter = {.counter = CORE_COUNTER_job_next, .value = 5000}});
    add(batch, (struct row){.kind = ROW_counter,
                            .counter = {.counter = CORE_COUNTER_seen_batch, .value = 9000}});
    assert_int_equal(apply_job_newest(batch), 4999);
    core_batch_destroy(batch);
}

FL_TESTS(cmocka_unit_test(a_refusal_is_told_by_state_table_and_column),
         cmocka_unit_test(what_may_pass_by_itself_is_no_poison),
         cmocka_unit_test(a_server_that_is_not_well_has_refused_nothing),
         cmocka_unit_test(only_statements_with_rows_are_built_and_the_chain_is_first),
         cmocka_unit_test(a_value_that_all_rows_have_goes_once),
         cmocka_unit_test(a_column_that_no_row_of_the_batch_has_is_sent_as_one_null),
         cmocka_unit_test(of_equal_specs_one_is_put),
         cmocka_unit_test(of_one_key_the_last_word_counts),
         cmocka_unit_test(marks_are_looked_for_where_there_may_be_some),
         cmocka_unit_test(a_job_that_ends_before_many_newer_ones_come_costs_no_open_row),
         cmocka_unit_test(after_a_takeover_every_open_job_has_its_row),
         cmocka_unit_test(an_edit_is_kept_and_the_newest_of_a_batch_counts_for_other_rows),
         cmocka_unit_test(a_row_that_is_written_late_has_its_owner_when_the_batch_is_gone),
         cmocka_unit_test(the_newest_job_of_a_batch_is_the_largest))
