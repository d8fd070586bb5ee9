/* Each file in tests/unit/shared/spec/manifests is a manifest; the file of its name with .json has
 * the job document that it becomes, that with .refused what is wrong, one line a problem.
 * FL_MANIFEST_WRITE=1 writes what is found instead of comparing it. */
#include "shared/spec/submission.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/yaml/yaml.h"
#include "tests/fl_test.h"

#define FOLDER "tests/unit/shared/spec/manifests"
enum { FILE_MAX = 65536, MANIFESTS_MIN = 20 };

/* Empty: the file does not exist. */
static struct fl_str read_file(const char *path, struct fl_arena *arena)
{
    char *text = fl_arena_alloc(arena, FILE_MAX);
    FILE *file = fopen(path, "r");
    size_t len;

    if (!file) return (struct fl_str){0};
    len = fread(text, 1, FILE_MAX, file);
    fclose(file);
    assert_in_range(len, 1, FILE_MAX - 1);
    return (struct fl_str){text, len};
}

static const struct fl_json *read_yaml(struct fl_str text, struct fl_arena *arena)
{
    struct fl_yaml *yaml = fl_yaml_create(text);
    const struct fl_json *root = NULL;
    struct fl_err err = {0};

    if (!fl_yaml_next(yaml, arena, &root, NULL, &err)) fail_msg("%s", err.text);
    fl_yaml_destroy(yaml);
    assert_non_null(root);
    return root;
}

static void tell_problems(struct fl_buf *buf, const struct fl_problems *problems,
                          struct fl_arena *arena)
{
    for (size_t i = 0; i < problems->len; i++) {
        const struct fl_problem *one = &problems->at[i];
        const char *text =
            fl_arena_printf(arena, "line %u " FL_STR_FMT ": " FL_STR_FMT "\n", one->at.line,
                            FL_STR_ARG(one->pointer), FL_STR_ARG(one->detail));

        FL_IGNORE(fl_buf_put(buf, text, strlen(text)));
    }
}

/* The document that may be submitted again, or the problems. */
static bool outcome(struct fl_str yaml, struct fl_arena *arena, struct fl_buf *buf)
{
    struct fl_submission job = {0}, again = {0};
    struct fl_problems problems = {0};
    const struct fl_json *root;
    struct fl_buf second;

    if (!fl_submission_parse(read_yaml(yaml, arena), arena, &job, &problems)) {
        tell_problems(buf, &problems, arena);
        return false;
    }
    fl_buf_init_in(&second, FILE_MAX, arena);
    assert_true(fl_job_spec_document(buf, &job.spec));
    assert_true(
        fl_json_parse((struct fl_str){(const char *)buf->at, buf->len}, arena, &root, NULL, NULL));
    assert_true(fl_submission_parse(root, arena, &again, &problems));
    assert_true(fl_job_spec_document(&second, &again.spec));
    assert_int_equal(buf->len, second.len);
    assert_memory_equal(buf->at, second.at, second.len);
    FL_IGNORE(fl_buf_put_u8(buf, '\n'));
    return true;
}

static void write_file(const char *path, const struct fl_buf *buf)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(buf->at, 1, buf->len, file), buf->len);
    assert_int_equal(fclose(file), 0);
}

static void check_file(const char *name)
{
    struct fl_arena arena = {0};
    struct fl_str yaml, wanted;
    struct fl_buf buf;
    const char *path;
    bool is_taken;

    yaml = read_file(fl_arena_printf(&arena, FOLDER "/%s", name), &arena);
    fl_buf_init_in(&buf, FILE_MAX, &arena);
    is_taken = outcome(yaml, &arena, &buf);
    path = fl_arena_printf(&arena, FOLDER "/%.*s%s", (int)(strlen(name) - strlen(".yaml")), name,
                           is_taken ? ".json" : ".refused");
    if (getenv("FL_MANIFEST_WRITE")) {
        write_file(path, &buf);
    } else {
        wanted = read_file(path, &arena);
        if (!fl_str_eq(wanted, (struct fl_str){(const char *)buf.at, buf.len})) {
            fail_msg("%s gives\n%.*sand %s says\n" FL_STR_FMT, name, (int)buf.len,
                     (const char *)buf.at, path, FL_STR_ARG(wanted));
        }
    }
    fl_arena_fini(&arena);
}

static void each_manifest_becomes_its_document_or_is_refused_by_name(void **state)
{
    DIR *folder = opendir(FOLDER);
    size_t found = 0;

    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');

        if (!dot || strcmp(dot, ".yaml") != 0) continue;
        check_file(entry->d_name);
        found++;
    }
    closedir(folder);
    assert_true(found >= MANIFESTS_MIN);
}

/* The first problem of 'text'; "taken" if there is none. */
static const char *first_problem(const char *text, struct fl_arena *arena)
{
    struct fl_problems problems = {0};
    struct fl_submission job = {0};
    struct fl_err err = {0};

    if (fl_submission_parse(read_yaml(fl_str_c(text), arena), arena, &job, &problems)) {
        return "taken";
    }
    (void)fl_problems_fail(&problems, &err);
    return fl_arena_printf(arena, "%s", err.text);
}

#define JOB_HEAD "{apiVersion: batch/v1, kind: Job, "
#define POD "{containers: [{name: a, image: i}]}"
#define TEMPLATE "template: {spec: " POD "}"

static void a_value_that_cannot_be_kept_is_refused_where_it_stands(void **state)
{
    static const struct {
        const char *text, *begins;
    } cases[] = {
        {JOB_HEAD "spec: {" TEMPLATE "}}", "taken"},
        {JOB_HEAD "spec: {parallelism: 4, completions: 4, " TEMPLATE "}}", "taken"},
        {JOB_HEAD "spec: {parallelism: 2, completions: 4, " TEMPLATE "}}", "taken"},
        {JOB_HEAD "spec: {completions: 4, " TEMPLATE "}}", "taken"},
        {JOB_HEAD "spec: {parallelism: 4, " TEMPLATE "}}",
         "/spec/parallelism: a Job without completions"},
        {JOB_HEAD "spec: {parallelism: 0, " TEMPLATE "}}", "/spec/parallelism: a Job with"},
        {JOB_HEAD "spec: {completions: 0, " TEMPLATE "}}", "/spec/completions: there is nothing"},
        {JOB_HEAD "spec: {completions: -1, " TEMPLATE "}}",
         "/spec/completions: this is no whole number"},
        {JOB_HEAD "spec: {completions: many, " TEMPLATE "}}",
         "/spec/completions: this is no whole number"},
        {JOB_HEAD "spec: {parallelism: 99999999, completions: 99999999, " TEMPLATE "}}",
         "/spec/completions: this is not what array holds"},
        {JOB_HEAD "spec: {backoffLimit: 1001, " TEMPLATE "}}",
         "/spec/backoffLimit: this is not what retry holds"},
        {JOB_HEAD "spec: {backoffLimitPerIndex: 1, " TEMPLATE "}}",
         "/spec/backoffLimitPerIndex: only an Indexed Job"},
        {JOB_HEAD "spec: {completionMode: Indexed, " TEMPLATE "}}",
         "/spec/completionMode: an Indexed Job needs completions"},
        {JOB_HEAD "spec: {completionMode: Sorted, " TEMPLATE "}}",
         "/spec/completionMode: this is no completion mode"},
        {JOB_HEAD "spec: {suspend: 1, " TEMPLATE "}}", "/spec/suspend: this is neither"},
        {JOB_HEAD "spec: {paralelism: 1, " TEMPLATE "}}",
         "/spec/paralelism: unknown field; did you mean parallelism?"},
        {JOB_HEAD "spec: 7}", "/spec: not an object"},
        {JOB_HEAD "spec: {}}", "there is neither a command nor an image"},
        {JOB_HEAD "metadata: {namespace: ml}, spec: {" TEMPLATE "}}",
         "/metadata/namespace: the agent of each cluster"},
        {JOB_HEAD "metadata: {labels: {a b: c}}, spec: {" TEMPLATE "}}",
         "/metadata/labels/a b: not a label key"},
        {JOB_HEAD "metadata: {annotations: {a: b}}, spec: {" TEMPLATE "}}",
         "/metadata/annotations/a: a job has no annotations"},
        {JOB_HEAD "metadata: {labels: {a: b}}, spec: {template: {metadata: {labels: {a: c}}, "
                  "spec: " POD "}}}",
         "/spec/template/metadata/labels/a: this label has another value"},
        {"{apiVersion: batch/v1beta1, kind: Job, spec: {}}",
         "/apiVersion: a Job of this version is not taken"},
        {"{apiVersion: batch/v1, kind: CronJob, spec: {}}", "/kind: CronJob is not taken"},
        {"{apiVersion: example.org/v1, kind: Thing}", "/kind: this kind is not taken"},
        {"{apiVersion: batch/v1}", "/kind: a manifest needs its kind"},
        {"{apiVersion: v1, kind: List, items: []}", "/items: a request holds one job"},
        {"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: []}]}",
         "/items/0: a List inside a List"},
        {"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, spec: {volumes: [1], "
         "containers: [{name: a, image: i}]}}]}",
         "/items/0/spec/volumes/0: not an object"},
        {"{metadata: {labels: {a: b}}, spec: " POD "}", "taken"},
        {"{apiVersion: v1, kind: Pod, spec: {restartPolicy: Always, containers: [{image: i}]}}",
         "/spec/restartPolicy: a job ends"},
        {"{apiVersion: v1, kind: Pod, spec: {restartPolicy: OnFailure, containers: [{image: i}]}}",
         "/spec/restartPolicy: without a limit"},
        {"{apiVersion: v1, kind: Pod, spec: {containers: [{image: i}, {image: j}]}}",
         "/spec/containers: exactly one"},
        {"{apiVersion: v1, kind: Pod, spec: {containers: [{image: 'r.io:5000/i:1', "
         "imagePullPolicy: Always}]}}",
         "/spec/containers/0/imagePullPolicy: nodes pull"},
        {"{apiVersion: v1, kind: Pod, spec: {containers: [{image: 'r.io:5000/i', "
         "imagePullPolicy: Always}]}}",
         "taken"},
        {"{apiVersion: v1, kind: Pod, spec: {containers: [{image: i, env: [{name: A, value: b}], "
         "args: ['$(A)']}]}}",
         "/spec/containers/0/args/0: $(NAME) of a variable"},
        {"{apiVersion: v1, kind: Pod, spec: {containers: [{image: i, env: [{name: A, value: b}, "
         "{name: B, value: '$(A)'}]}]}}",
         "/spec/containers/0/env/1/value: $(NAME) of a variable"},
        {"{apiVersion: v1, kind: Pod, spec: {containers: [{image: i, env: [{name: A, valueFrom: "
         "{fieldRef: {fieldPath: status.podIP}}}]}]}}",
         "/spec/containers/0/env/0/valueFrom/fieldRef: a replica finds its identity"},
        {"{apiVersion: v1, kind: Pod, spec: {containers: [{image: i, env: [{name: A, value: b}], "
         "args: ['$(date)', '$$(A)']}]}}",
         "taken"},
        {"{apiVersion: v1, kind: Pod, spec: {containers: [{image: i, resources: {limits: {cpu: "
         "x}}}]}}",
         "/spec/containers/0/resources/limits/cpu: this is not what cpu holds"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_arena arena = {0};
        const char *got = first_problem(cases[i].text, &arena);

        if (strncmp(got, cases[i].begins, strlen(cases[i].begins)) != 0) {
            fail_msg("%s gives\n%s, not\n%s", cases[i].text, got, cases[i].begins);
        }
        fl_arena_fini(&arena);
    }
}

static struct fl_submission taken(const char *text, struct fl_arena *arena)
{
    struct fl_problems problems = {0};
    struct fl_submission job = {0};
    struct fl_err err = {0};

    if (!fl_submission_parse(read_yaml(fl_str_c(text), arena), arena, &job, &problems)) {
        (void)fl_problems_fail(&problems, &err);
        fail_msg("%s", err.text);
    }
    return job;
}

static void a_suspended_job_is_held_unless_kueue_is_meant_to_start_it(void **state)
{
    struct fl_arena arena = {0};
    struct fl_submission job;

    (void)state;
    job = taken(JOB_HEAD "spec: {suspend: true, " TEMPLATE "}}", &arena);
    assert_true(job.spec.is_held);
    assert_false(job.has_queue);
    job = taken(JOB_HEAD "metadata: {labels: {kueue.x-k8s.io/queue-name: ml}}, spec: {suspend: "
                         "true, " TEMPLATE "}}",
                &arena);
    assert_false(job.spec.is_held);
    assert_true(job.has_queue);
    assert_true(fl_str_eq(job.spec.queue, FL_STR("ml")));
    assert_int_equal(job.spec.labels.len, 0);
    fl_arena_fini(&arena);
}

static void doubled_dollars_are_one_and_others_stay(void **state)
{
    struct fl_arena arena = {0};
    struct fl_submission job;

    (void)state;
    job = taken("{apiVersion: v1, kind: Pod, spec: {containers: [{image: i, env: [{name: A, value: "
                "'$$x'}], args: ['$$(A) $(date) $HOME $$$$ $']}]}}",
                &arena);
    assert_true(fl_str_eq(job.spec.roles.at[0].args.at[0], FL_STR("$(A) $(date) $HOME $$ $")));
    assert_true(fl_str_eq(job.spec.roles.at[0].env.at[0].value, FL_STR("$x")));
    fl_arena_fini(&arena);
}

static void a_document_of_ours_is_read_as_ever(void **state)
{
    struct fl_arena arena = {0};
    struct fl_submission job;

    (void)state;
    job = taken("{queue: ml, command: [echo]}", &arena);
    assert_true(job.has_queue);
    assert_int_equal(job.spec.retries, 0);
    assert_false(taken("{command: [echo]}", &arena).has_queue);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(each_manifest_becomes_its_document_or_is_refused_by_name),
         cmocka_unit_test(a_value_that_cannot_be_kept_is_refused_where_it_stands),
         cmocka_unit_test(a_suspended_job_is_held_unless_kueue_is_meant_to_start_it),
         cmocka_unit_test(doubled_dollars_are_one_and_others_stay),
         cmocka_unit_test(a_document_of_ours_is_read_as_ever))
