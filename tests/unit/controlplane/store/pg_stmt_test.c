/* The text of statements on rows, one of each fold. */
#include "controlplane/store/pg_stmt.h"

#include "controlplane/store/row_columns.h"
#include "tests/fl_test.h"

static void is(enum pg_stmt stmt, const char *sql)
{
    struct pg_stmt_text text;

    pg_stmt_text(stmt, &text);
    assert_string_equal(text.sql, sql);
}

static void each_fold_has_its_statement(void **state)
{
    (void)state;
    is(PG_STMT_counter,
       "insert into counter(id, value) select u.id, u.value from (select unnest($1) id, unnest($2)"
       " value) u on conflict (id) do update set value = excluded.value");
    is(PG_STMT_mark_set,
       "insert into open_mark(job, kind, value, body, at) select u.job, u.kind, u.value, u.body, $5"
       " from (select unnest($1) job, unnest($2) kind, unnest($3) value, unnest($4) body) u"
       " on conflict (job, kind) do update set value = excluded.value, body = excluded.body,"
       " at = excluded.at");
    is(PG_STMT_mark_clear,
       "delete from open_mark m using unnest($1, $2) u(job, kind) cross join lateral (select s.ctid"
       " as at from open_mark s where s.job = u.job and s.kind = u.kind offset 0) x"
       " where m.ctid = x.at");
    is(PG_STMT_job_end,
       "insert into job_end(job, state, reason, batch) select u.job, u.state, u.reason, $4"
       " from (select unnest($1) job, unnest($2) state, unnest($3) reason) u");
    is(PG_STMT_spec_new,
       "insert into spec(job, digest, body) select u.job, u.digest, u.body from (select unnest($1)"
       " job, unnest($2) digest, unnest($3) body) u where (select true from spec s"
       " where s.job = u.job and s.digest = u.digest and s.job between $4 and $5) is null");
    is(PG_STMT_audit,
       "insert into audit(tenant, actor, body, outcome, peer, trace, n, batch, at) select u.tenant,"
       " u.actor, u.body, u.outcome, u.peer, u.trace, u.n, $8, $9 from (select unnest($1) tenant,"
       " unnest($2) actor, unnest($3) body, unnest($4) outcome, unnest($5) peer, unnest($6) trace,"
       " unnest($7) n) u");
    is(PG_STMT_queues_page,
       "select id, tenant, is_paused, name, is_removed, has_default_cpu, default_cpu_milli from"
       " queue where id > $1 order by id limit $2");
}

static void a_column_of_one_value_is_a_plain_parameter(void **state)
{
    struct pg_stmt_text text;

    (void)state;
    is(PG_STMT_audit_alike,
       "insert into audit(tenant, actor, body, outcome, peer, trace, n, batch, at) select $1, $2,"
       " u.body, u.outcome, $5, u.trace, u.n, $8, $9 from (select unnest($3) body, unnest($4)"
       " outcome, unnest($6) trace, unnest($7) n) u");
    pg_stmt_text(PG_STMT_audit_alike, &text);
    assert_int_equal(text.types[0], PG_INT4);
    assert_int_equal(text.types[1], PG_BYTEA);
    assert_int_equal(text.types[2], PG_BYTEA_ARRAY);
    assert_int_equal(text.sources[0], PG_OF_ONE);
    assert_int_equal(text.sources[1], PG_OF_ONE + 1);
    assert_int_equal(text.sources[2], 2);
    is(PG_STMT_attempt_first_alike,
       "insert into attempt(job, incarnation, cluster, nodes, batch, element, n, prev) select"
       " u.job, $2, $3, u.nodes, $5, 0, 1, case when (select true from element_end x where x.job"
       " between $6 and $7 limit 1) is null then 0 when (select true from element_end x where x.job"
       " = any($1) and x.element = 0 and x.job between $6 and $7 limit 1) then null else 0 end"
       " from (select unnest($1) job, unnest($4) nodes) u");
}

/* Whether the statement has a column as one value. */
static bool goes_once(enum pg_stmt stmt, const char *column)
{
    struct row_columns columns = row_columns(pg_stmts[pg_stmts[stmt].of].place);
    struct pg_stmt_text text;

    pg_stmt_text(stmt, &text);
    for (int i = 0; i < text.params; i++) {
        if (text.sources[i] < PG_OF_ONE || text.sources[i] == UINT8_MAX) continue;
        if (strcmp(columns.at[text.sources[i] - PG_OF_ONE]->name, column) == 0) return true;
    }
    return false;
}

static void numbers_of_alike_rows_go_once_and_texts_that_are_named(void **state)
{
    static const char *const once[] = {"tenant", "queue", "shape", "priority", "spec", "owner"};
    static const char *const arrays[] = {"job", "retry_of", "name", "labels", "params", "picked"};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        assert_true(goes_once(PG_STMT_job_new_alike, once[i]));
        assert_false(goes_once(PG_STMT_job_new_alike, arrays[i]));
    }
    assert_true(goes_once(PG_STMT_open_job_alike, "owner"));
    assert_false(goes_once(PG_STMT_open_job_alike, "job"));
    assert_true(goes_once(PG_STMT_element_end_alike, "element")); /* second in the key */
    assert_false(goes_once(PG_STMT_element_end_alike, "job"));
    assert_false(goes_once(PG_STMT_audit_alike, "n")); /* a count differs from row to row */
}

static bool has_column(unsigned place, const char *name)
{
    struct row_columns columns = row_columns(place);

    for (size_t i = 0; i < columns.len; i++) {
        if (strcmp(columns.at[i]->name, name) == 0) return true;
    }
    return false;
}

/* A word that is misspelled would do nothing. */
static void a_statement_of_alike_rows_names_columns_of_its_table(void **state)
{
    (void)state;
    for (int i = 0; i < PG_STMTS_LEN; i++) {
        const struct pg_stmt_info *info = &pg_stmts[i];
        char names[200], *name, *rest = names;

        if (!info->alike) continue;
        assert_true(info->of < (enum pg_stmt)i);
        (void)snprintf(names, sizeof names, "%s %s", info->with, info->without);
        while ((name = strsep(&rest, " "))) {
            assert_true(!*name || has_column(pg_stmts[info->of].place, name));
        }
    }
}

/* A job has no revision, and open_job no name and no labels. */
static void an_edit_sets_the_columns_that_the_table_has(void **state)
{
    (void)state;
    is(PG_STMT_open_job_edited,
       "update open_job m set queue = u.queue, priority = u.priority, deadline_s = u.deadline_s,"
       " parallelism = u.parallelism from (select unnest($1) job, unnest($2) queue, unnest($3)"
       " priority, unnest($4) deadline_s, unnest($5) parallelism) u where m.job = u.job and m.job"
       " = any($1) and m.job between $6 and $7");
}

static void parameters_have_types_and_say_where_they_come_from(void **state)
{
    struct pg_stmt_text text;

    (void)state;
    pg_stmt_text(PG_STMT_attempt_first, &text); /* without 'element' and 'n' */
    assert_int_equal(text.params, 7);
    assert_int_equal(text.types[0], PG_INT8_ARRAY);
    assert_int_equal(text.types[3], PG_BYTEA_ARRAY);
    assert_int_equal(text.types[4], PG_INT8);
    assert_int_equal(text.sources[0], 0);
    assert_int_equal(text.sources[1], 3);
    assert_int_equal(text.sources[4], PG_OF_BATCH);
    assert_int_equal(text.sources[5], PG_OF_LO);
    assert_int_equal(text.sources[6], PG_OF_HI);
    assert_non_null(strstr(text.sql, "x.job = any($1)"));
}

static void every_table_has_room_for_more_columns(void **state)
{
    (void)state;
    for (unsigned place = 1; place < ROW_PLACES_LEN; place++) {
        assert_true(row_columns(place).len + 4 <= ROW_COLUMNS_MAX);
        assert_int_equal(row_columns(place).len, row_columns_len(place));
    }
    assert_true(ROW_COLUMNS_MAX + 4 <= PG_PARAMS_MAX);
}

FL_TESTS(cmocka_unit_test(each_fold_has_its_statement),
         cmocka_unit_test(a_column_of_one_value_is_a_plain_parameter),
         cmocka_unit_test(numbers_of_alike_rows_go_once_and_texts_that_are_named),
         cmocka_unit_test(a_statement_of_alike_rows_names_columns_of_its_table),
         cmocka_unit_test(an_edit_sets_the_columns_that_the_table_has),
         cmocka_unit_test(parameters_have_types_and_say_where_they_come_from),
         cmocka_unit_test(every_table_has_room_for_more_columns))
