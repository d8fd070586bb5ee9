#include "shared/spec/job_spec.h"

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/yaml/yaml.h"
#include "tests/fl_test.h"

#define FILE_MAX 65536

static struct fl_str read_file(const char *path, struct fl_arena *arena)
{
    char *text = fl_arena_alloc(arena, FILE_MAX);
    FILE *file = fopen(path, "r");
    size_t len;

    if (!file) fail_msg("%s cannot be read", path);
    len = fread(text, 1, FILE_MAX, file);
    fclose(file);
    assert_in_range(len, 1, FILE_MAX - 1);
    return (struct fl_str){text, len};
}

/* The canonical bytes are written and read again, so that the example would reach an agent. */
static struct fl_job_spec accepted(const struct fl_json *root, const char *path,
                                   struct fl_arena *arena)
{
    struct fl_problems problems = {0};
    struct fl_job_spec spec = {0}, again;
    struct fl_err err = {0};
    struct fl_buf buf;

    if (!fl_job_spec_parse(root, arena, NULL, &spec, &problems)) {
        (void)fl_problems_fail(&problems, &err);
        fail_msg("%s: %s", path, err.text);
    }
    fl_buf_init(&buf, FL_JOB_SPEC_BYTES_MAX);
    assert_true(fl_job_spec_canonical(&buf, &spec));
    assert_true(
        fl_job_spec_read((struct fl_str){(const char *)buf.at, buf.len}, arena, &again, &err));
    fl_buf_fini(&buf);
    return spec;
}

static size_t read_jobs(const char *path, struct fl_arena *arena, struct fl_job_spec *specs,
                        size_t specs_max)
{
    struct fl_yaml *yaml = fl_yaml_create(read_file(path, arena));
    const struct fl_json *root;
    struct fl_err err = {0};
    size_t n = 0;

    for (;;) {
        if (!fl_yaml_next(yaml, arena, &root, NULL, &err)) fail_msg("%s: %s", path, err.text);
        if (!root) break;
        assert_true(n < specs_max);
        specs[n++] = accepted(root, path, arena);
    }
    fl_yaml_destroy(yaml);
    return n;
}

static void the_training_example_is_three_jobs_in_order(void **state)
{
    struct fl_arena arena = {0};
    struct fl_job_spec specs[4] = {0};

    (void)state;
    assert_int_equal(read_jobs("examples/train.yaml", &arena, specs, 4), 3);
    assert_true(fl_str_eq(specs[0].name, FL_STR("prepare")));
    assert_int_equal(specs[0].elements, 8);
    assert_int_equal(specs[1].replicas, 4);
    assert_true(fl_str_eq(specs[1].roles.at[0].env.at[1].value, FL_STR("0.10")));
    assert_true(fl_str_eq(specs[2].name, FL_STR("evaluate")));
    assert_int_equal(specs[1].after.at[0].line, 1);
    assert_int_equal(specs[2].after.at[0].line, 2);
    for (size_t i = 0; i < 3; i++) {
        assert_false(specs[i].has_image);
    }
    fl_arena_fini(&arena);
}

static void the_array_example_shares_one_document(void **state)
{
    struct fl_arena arena = {0};
    struct fl_job_spec specs[1] = {0};

    (void)state;
    assert_int_equal(read_jobs("examples/array.yaml", &arena, specs, 1), 1);
    assert_int_equal(specs[0].elements, 100);
    fl_arena_fini(&arena);
}

static void the_training_on_machines_mounts_its_data(void **state)
{
    struct fl_arena arena = {0};
    struct fl_job_spec specs[1] = {0};

    (void)state;
    assert_int_equal(read_jobs("examples/ddp.yaml", &arena, specs, 1), 1);
    assert_int_equal(specs[0].replicas, 4);
    assert_true(specs[0].has_image);
    fl_arena_fini(&arena);
}

static void the_gang_example_has_two_roles(void **state)
{
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_job_spec spec;
    struct fl_err err = {0};

    (void)state;
    if (!fl_json_parse(read_file("examples/gang.json", &arena), &arena, &root, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    spec = accepted(root, "examples/gang.json", &arena);
    assert_int_equal(spec.roles.len, 2);
    assert_int_equal(spec.replicas, 4);
    fl_arena_fini(&arena);
}

/* The next block of the manual that is fenced as 'kind'; *at goes behind it. */
static struct fl_str next_block(const char **at, const char *kind)
{
    const char *start = strstr(*at, kind);
    const char *stop = start ? strstr(start + strlen(kind), "```") : NULL;

    if (!stop) {
        fail_msg("no block behind: %.40s", *at);
        return (struct fl_str){0};
    }
    start += strlen(kind);
    *at = stop + 3;
    return (struct fl_str){start, (size_t)(stop - start)};
}

static const struct fl_json *read_one(struct fl_str text, struct fl_arena *arena)
{
    struct fl_yaml *yaml = fl_yaml_create(text);
    const struct fl_json *root;
    struct fl_err err = {0};

    if (!fl_yaml_next(yaml, arena, &root, NULL, &err)) fail_msg("%s", err.text);
    fl_yaml_destroy(yaml);
    assert_non_null(root);
    return root;
}

static void the_manual_tells_the_truth(void **state)
{
    struct fl_arena arena = {0};
    struct fl_str page = read_file("docs/job-document.md", &arena);
    const char *at = page.at ? page.at : "";
    struct fl_problems problems = {0};
    struct fl_str stored;
    struct fl_job_spec spec;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, FL_JOB_SPEC_BYTES_MAX);
    spec = accepted(read_one(next_block(&at, "```yaml\n"), &arena), "the short form", &arena);
    assert_true(fl_job_spec_canonical(&buf, &spec));
    fl_buf_put_u8(&buf, '\n');
    spec = accepted(read_one(next_block(&at, "```yaml\n"), &arena), "mounts", &arena);
    assert_int_equal(spec.roles.at[0].mounts.len, 5);
    assert_int_equal(spec.roles.at[0].secret_env.len, 1);
    spec = accepted(read_one(next_block(&at, "```yaml\n"), &arena), "parameters", &arena);
    assert_int_equal(spec.params.len, 1);
    spec = accepted(read_one(next_block(&at, "```yaml\n"), &arena), "after others", &arena);
    assert_int_equal(spec.after.len, 2);
    assert_int_equal(spec.after.at[0].on, FL_ON_success);
    assert_int_equal(spec.after.at[1].on, FL_ON_any);
    assert_false(fl_job_spec_parse(read_one(next_block(&at, "```yaml\n"), &arena), &arena, NULL,
                                   &spec, &problems));
    assert_int_equal(problems.len, 1);
    assert_true(fl_str_eq(problems.at[0].pointer, FL_STR("/roles/1/template")));
    (void)next_block(&at, "```json\n");
    stored = next_block(&at, "```json\n");
    assert_true(fl_str_eq(stored, (struct fl_str){(const char *)buf.at, buf.len}));
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(the_training_example_is_three_jobs_in_order),
         cmocka_unit_test(the_array_example_shares_one_document),
         cmocka_unit_test(the_training_on_machines_mounts_its_data),
         cmocka_unit_test(the_gang_example_has_two_roles),
         cmocka_unit_test(the_manual_tells_the_truth))
