/* A job document in JSON, as anybody might submit it.
 * Properties: an accepted document has canonical bytes that read back as an equal spec with the
 * same canonical bytes; the whole document, as resolved, is accepted again and resolves to itself;
 * the parameters read back; each replica has a role.  A refused one has at least one problem, each
 * with a sentence and short 'got'.  The corpus holds the examples of the manual and a file for each
 * kind of field.
 * The planted bug (planted/job_spec.patch) writes 1500m of a core as one core.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/job_spec_fuzz -max_total_time=60 DIR tests/fuzz/corpus/job_spec
 *     tests/fuzz/planted.sh job_spec */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/node_affinity.h"
#include "shared/spec/job_params.h"
#include "shared/spec/job_spec.h"
#include "shared/spec/submission.h"

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static bool is_same_resources(struct fl_resources a, struct fl_resources b)
{
    return fl_resources_fit(a, b) && fl_resources_fit(b, a);
}

static bool is_same_pairs(const struct fl_text_map *a, const struct fl_text_map *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        if (!fl_str_eq(a->at[i].key, b->at[i].key) || !fl_str_eq(a->at[i].value, b->at[i].value)) {
            return false;
        }
    }
    return true;
}

static bool is_same_strs(const struct fl_strs *a, const struct fl_strs *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        if (!fl_str_eq(a->at[i], b->at[i])) return false;
    }
    return true;
}

static void check_same_mount(const struct fl_job_mount *a, const struct fl_job_mount *b)
{
    fl_assert(fl_str_eq(a->path, b->path) && fl_str_eq(a->sub_path, b->sub_path));
    fl_assert(fl_str_eq(a->claim, b->claim) && fl_str_eq(a->config_map, b->config_map));
    fl_assert(fl_str_eq(a->secret, b->secret) && fl_str_eq(a->empty, b->empty));
    fl_assert(a->size_bytes == b->size_bytes && a->is_read_only == b->is_read_only);
}

static void check_same_role(const struct fl_job_role *a, const struct fl_job_role *b)
{
    fl_assert(fl_str_eq(a->name, b->name) && fl_str_eq(a->image, b->image));
    fl_assert(fl_str_eq(a->working_dir, b->working_dir));
    fl_assert(a->replicas == b->replicas && a->replicas_min == a->replicas);
    fl_assert(a->grace_s == b->grace_s);
    fl_assert(is_same_strs(&a->command, &b->command) && is_same_strs(&a->args, &b->args));
    fl_assert(is_same_pairs(&a->env, &b->env));
    fl_assert(is_same_pairs(&a->secret_env, &b->secret_env));
    fl_assert(a->mounts.len == b->mounts.len);
    for (size_t i = 0; i < a->mounts.len; i++) {
        check_same_mount(&a->mounts.at[i], &b->mounts.at[i]);
    }
    fl_assert(is_same_pairs(&a->node_selector, &b->node_selector));
    fl_assert(fl_str_eq(a->affinity, b->affinity));
    fl_assert(a->affinity.len == 0 || fl_node_affinity_is(a->affinity));
    fl_assert(is_same_resources(a->request.usual, b->request.usual));
    fl_assert(is_same_resources(a->limit.usual, b->limit.usual));
    fl_assert(fl_amounts_are_same(&a->request.named, &b->request.named));
    fl_assert(fl_amounts_are_same(&a->limit.named, &b->limit.named));
}

/* The fields for the scheduler and the agent. */
static void check_same_spec(const struct fl_job_spec *a, const struct fl_job_spec *b)
{
    fl_assert(a->roles.len == b->roles.len);
    for (size_t i = 0; i < a->roles.len; i++) {
        check_same_role(&a->roles.at[i], &b->roles.at[i]);
    }
    fl_assert(is_same_strs(&a->clusters, &b->clusters));
    fl_assert(is_same_strs(&a->not_clusters, &b->not_clusters));
    fl_assert(a->requires_limits == b->requires_limits);
    fl_assert(a->deadline_s == b->deadline_s && a->retries == b->retries);
    fl_assert(a->replicas == b->replicas && a->has_image == b->has_image);
}

static void check_same_own(const struct fl_job_spec *a, const struct fl_job_spec *b)
{
    fl_assert(fl_str_eq(a->name, b->name) && fl_str_eq(a->queue, b->queue));
    fl_assert(is_same_pairs(&a->labels, &b->labels) && is_same_pairs(&a->params, &b->params));
    fl_assert(a->priority == b->priority && a->elements == b->elements);
    fl_assert(a->is_held == b->is_held);
    fl_assert(a->after.len == b->after.len);
    for (size_t i = 0; i < a->after.len; i++) {
        fl_assert(a->after.at[i].job.n == b->after.at[i].job.n);
        fl_assert(a->after.at[i].line == b->after.at[i].line);
        fl_assert(a->after.at[i].on == b->after.at[i].on);
    }
}

static void check_canonical(const struct fl_job_spec *spec, struct fl_arena *arena)
{
    struct fl_job_spec again;
    struct fl_buf first, second;

    fl_buf_init(&first, FL_JOB_SPEC_BYTES_MAX);
    fl_buf_init(&second, FL_JOB_SPEC_BYTES_MAX);
    if (fl_job_spec_canonical(&first, spec)) {
        fl_assert(fl_job_spec_read(view(&first), arena, &again, NULL));
        check_same_spec(spec, &again);
        fl_assert(fl_job_spec_canonical(&second, &again));
        fl_assert(fl_str_eq(view(&first), view(&second)));
    }
    fl_buf_fini(&first);
    fl_buf_fini(&second);
}

static void check_document(const struct fl_job_spec *spec, struct fl_arena *arena)
{
    struct fl_problems problems = {0};
    const struct fl_json *root;
    struct fl_job_spec again;
    struct fl_buf first, second;

    fl_buf_init(&first, 1 << 20);
    fl_buf_init(&second, 1 << 20);
    if (fl_job_spec_document(&first, spec)) {
        fl_assert(fl_json_parse(view(&first), arena, &root, NULL, NULL));
        fl_assert(fl_job_spec_parse(root, arena, NULL, &again, &problems));
        check_same_spec(spec, &again);
        check_same_own(spec, &again);
        fl_assert(fl_job_spec_document(&second, &again));
        fl_assert(fl_str_eq(view(&first), view(&second)));
    }
    fl_buf_fini(&first);
    fl_buf_fini(&second);
}

static void check_params(const struct fl_job_spec *spec, struct fl_arena *arena)
{
    struct fl_text_map again;
    struct fl_buf buf;

    fl_buf_init(&buf, FL_JOB_PARAMS_BYTES_MAX);
    if (fl_job_params_canonical(&buf, &spec->params)) {
        fl_assert(fl_job_params_read(view(&buf), arena, &again, NULL));
        fl_assert(is_same_pairs(&again, &spec->params));
    }
    fl_buf_fini(&buf);
}

static void check_replicas(const struct fl_job_spec *spec, struct fl_arena *arena)
{
    const uint32_t flats[] = {0, spec->replicas - 1};

    fl_assert(spec->replicas >= 1 && spec->replicas <= FL_JOB_REPLICAS_MAX);
    for (size_t i = 0; i < 2; i++) {
        struct fl_job_replica replica = fl_job_spec_replica(spec, &spec->params, flats[i], arena);

        fl_assert(replica.role == &spec->roles.at[replica.role_number]);
        fl_assert(replica.number < replica.role->replicas);
        fl_assert(replica.env.len >= replica.role->env.len);
        for (size_t v = 1; v < replica.env.len; v++) {
            fl_assert(fl_str_cmp(replica.env.at[v - 1].key, replica.env.at[v].key) < 0);
        }
    }
}

static void check_problems(const struct fl_problems *problems)
{
    struct fl_err err = {0};

    fl_assert(problems->len > 0 && problems->len <= FL_PROBLEMS_MAX);
    for (size_t i = 0; i < problems->len; i++) {
        const struct fl_problem *problem = &problems->at[i];

        fl_assert(problem->detail.len > 0 && fl_str_is_text(problem->detail));
        fl_assert(problem->pointer.len == 0 || problem->pointer.at[0] == '/');
        fl_assert(problem->got.len <= FL_PROBLEM_GOT_MAX + 5);
        fl_assert(fl_str_is_text(problem->got));
    }
    fl_assert(!fl_problems_fail(problems, &err) && err.text[0]);
}

/* A manifest becomes a document that can be submitted again. */
static void check_submission(const struct fl_json *root, struct fl_arena *arena)
{
    struct fl_problems problems = {0};
    struct fl_submission job = {0};

    if (fl_submission_parse(root, arena, &job, &problems)) {
        check_document(&job.spec, arena);
    } else {
        check_problems(&problems);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_problems problems = {0};
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_job_spec spec;

    if (size > 1 << 16) return 0;
    if (fl_json_parse((struct fl_str){(const char *)data, size}, &arena, &root, NULL, NULL)) {
        check_submission(root, &arena);
        if (fl_job_spec_parse(root, &arena, NULL, &spec, &problems)) {
            check_canonical(&spec, &arena);
            check_document(&spec, &arena);
            check_params(&spec, &arena);
            check_replicas(&spec, &arena);
        } else {
            check_problems(&problems);
        }
    }
    fl_arena_fini(&arena);
    return 0;
}
