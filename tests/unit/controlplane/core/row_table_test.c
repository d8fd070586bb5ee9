#include "controlplane/core/row_table.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static const struct row_field *field_of(enum row_kind kind, const char *name)
{
    struct row_info info = row_info(kind);

    for (size_t i = 0; i < info.len; i++) {
        if (strcmp(info.fields[i].name, name) == 0) return &info.fields[i];
    }
    fail_msg("%s has no field %s", row_kind_name(kind), name);
    return NULL;
}

static void a_kind_says_its_table_its_fold_and_where_its_fields_are(void **state)
{
    (void)state;
    assert_int_equal(row_info(ROW_mark_clear).table, ROW_TABLE_open_mark);
    assert_int_equal(row_info(ROW_mark_clear).fold, ROW_FOLD_REMOVE);
    assert_int_equal(row_table_kind(ROW_TABLE_open_mark), ROW_mark_set);
    assert_int_equal(row_table_kind(ROW_TABLE_open_job), ROW_job_new);
    assert_string_equal(row_table_name(ROW_TABLE_open_job), "open_job");
    assert_int_equal(row_info(ROW_cluster_phase).table, ROW_TABLE_none);
    assert_int_equal(row_info(ROW_unknown).len, 0);
    assert_true(field_of(ROW_job_new, "queue")->is_in_table);
    assert_true(field_of(ROW_job_new, "queue")->is_in_open_job);
    assert_true(field_of(ROW_job_new, "shape")->is_in_table);
    assert_false(field_of(ROW_job_end, "is_array")->is_in_table);
}

static void a_field_is_read_and_set_by_its_type(void **state)
{
    struct row row = {.kind = ROW_element_end,
                      .element_end = {.job = UINT64_MAX, .n = 65535, .exit_code = -7}};
    char bytes[sizeof(struct fl_digest)] = {1, [sizeof(struct fl_digest) - 1] = 2};
    const struct row_field *spec = field_of(ROW_job_new, "spec");

    (void)state;
    assert_int_equal(row_number(&row, field_of(ROW_element_end, "n")), 65535);
    assert_int_equal(row_number(&row, field_of(ROW_element_end, "exit_code")), -7);
    assert_true((uint64_t)row_number(&row, field_of(ROW_element_end, "job")) == UINT64_MAX);
    row_set_number(&row, field_of(ROW_element_end, "n"), 9);
    assert_int_equal(row.element_end.n, 9);
    assert_int_equal(row.element_end.exit_code, -7);

    row = (struct row){.kind = ROW_job_new, .job_new = {.name = FL_STR("train")}};
    assert_true(fl_str_eq(row_bytes(&row, field_of(ROW_job_new, "name")), FL_STR("train")));
    assert_false(row_set_bytes(&row, spec, FL_STR("short")));
    assert_true(row_set_bytes(&row, spec, (struct fl_str){bytes, sizeof bytes}));
    assert_memory_equal(&row.job_new.spec, bytes, sizeof bytes);
    assert_int_equal(row_number_bytes(spec), 0);
}

static void an_edit_changes_what_a_job_has_too(void **state)
{
    struct row job = {.kind = ROW_job_new,
                      .job_new = {.job = 7, .queue = 1, .shape = 3, .name = FL_STR("a")}};
    struct row edit = {.kind = ROW_job_edit,
                       .job_edit = {.job = 8, .revision = 2, .queue = 5, .name = FL_STR("b")}};

    (void)state;
    row_edit(&job, &edit);
    assert_int_equal(job.job_new.queue, 5);
    assert_true(fl_str_eq(job.job_new.name, FL_STR("b")));
    assert_int_equal(job.job_new.shape, 3);
    assert_int_equal(job.job_new.job, 7); /* the key stays */
}

/* A further field that job_new has not would be kept by no table of jobs: row_edit passes it. */
static void an_edit_has_two_fields_that_a_job_has_not(void **state)
{
    struct row_info edit = row_info(ROW_job_edit), job = row_info(ROW_job_new);
    size_t others_len = 0;

    (void)state;
    for (size_t i = 0; i < edit.len; i++) {
        const struct row_field *field = &edit.fields[i], *same = job.fields;

        if (field->type == ROW_TYPE_BATCH) continue;
        while (same < job.fields + job.len && strcmp(same->name, field->name) != 0) {
            same++;
        }
        if (same < job.fields + job.len) {
            assert_int_equal(field->type, same->type);
            assert_int_equal(field->max, same->max);
            continue;
        }
        assert_true(strcmp(field->name, "revision") == 0 || strcmp(field->name, "queue_was") == 0);
        others_len++;
    }
    assert_int_equal(others_len, 2);
}

static void a_kept_row_has_strings_of_its_own(void **state)
{
    char name[] = "train";
    struct row row = {.kind = ROW_job_new, .job_new = {.job = 7, .name = {name, 5}}};
    struct fl_arena arena = {0};

    (void)state;
    row.job_new.spec.at[0] = 9;
    row_keep(&row, &arena);
    name[0] = 'T';
    assert_true(fl_str_eq(row.job_new.name, FL_STR("train")));
    assert_int_equal(row.job_new.owner.len, 0);
    assert_int_equal(row.job_new.spec.at[0], 9);
    fl_arena_fini(&arena);
}

static struct row_key attempt(uint64_t job, uint32_t element, uint16_t n)
{
    struct row row = {.kind = ROW_attempt_new,
                      .attempt_new = {.job = job, .element = element, .n = n}};
    struct row_key key;

    row_key(&row, &key);
    return key;
}

static void keys_are_in_the_order_of_their_fields(void **state)
{
    struct row_key keys[] = {attempt(1, 0, 1), attempt(1, 0, 256), attempt(1, 255, 1),
                             attempt(1, 256, 1), attempt(256, 0, 1)};
    struct row row = {.kind = ROW_audit};

    (void)state;
    for (size_t i = 0; i + 1 < sizeof keys / sizeof *keys; i++) {
        assert_int_equal(keys[i].len, 8 + 4 + 2);
        assert_true(row_key_cmp(&keys[i], &keys[i + 1]) < 0);
        assert_int_equal(row_key_cmp(&keys[i], &keys[i]), 0);
    }
    row_key(&row, &keys[0]);
    assert_int_equal(keys[0].len, 0);
}

/* A longer key than this would be an assertion of row_key. */
static void every_key_has_room(void **state)
{
    (void)state;
    for (size_t i = 0; i < row_kinds_len; i++) {
        struct row_info info = row_info(row_kinds[i]);
        size_t bytes = 0;

        for (size_t f = 0; f < info.len; f++) {
            const struct row_field *field = &info.fields[f];

            if (!field->is_key) continue;
            bytes += row_number_bytes(field) ? row_number_bytes(field)
                     : field->max            ? field->max
                                             : sizeof(struct fl_digest);
        }
        assert_true(bytes <= ROW_KEY_BYTES_MAX);
    }
}

FL_TESTS(cmocka_unit_test(a_kind_says_its_table_its_fold_and_where_its_fields_are),
         cmocka_unit_test(a_field_is_read_and_set_by_its_type),
         cmocka_unit_test(an_edit_changes_what_a_job_has_too),
         cmocka_unit_test(an_edit_has_two_fields_that_a_job_has_not),
         cmocka_unit_test(a_kept_row_has_strings_of_its_own),
         cmocka_unit_test(keys_are_in_the_order_of_their_fields),
         cmocka_unit_test(every_key_has_room))
