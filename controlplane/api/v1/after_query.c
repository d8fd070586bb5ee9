#include "controlplane/api/v1/after_query.h"

#include <string.h>

#include "controlplane/api/call.h"
#include "shared/base/arena.h"
#include "shared/base/dependency.h"
#include "shared/base/job_name.h"

#define ALLOWED                                                                                    \
    "ids of jobs with commas between them, each with :success, :any, :failure or :each behind it " \
    "or none"

/* Takes the word up to the sign and the sign. */
static struct fl_str take_until(struct fl_str *rest, char sign)
{
    const char *end = memchr(rest->at, sign, rest->len);
    struct fl_str word = {rest->at, end ? (size_t)(end - rest->at) : rest->len};
    size_t passed = word.len + (end != NULL);

    *rest = (struct fl_str){rest->at + passed, rest->len - passed};
    return word;
}

static bool read_one(struct fl_str word, struct fl_dependency *ret, const char **ret_why)
{
    struct fl_str on = word, id = take_until(&on, ':');
    struct fl_err err = {0};
    bool has_on = id.len < word.len;

    *ret = (struct fl_dependency){.on = FL_ON_success};
    *ret_why = "not the id of a job";
    if (!fl_job_parse(id, &ret->job, &err)) return false;
    *ret_why = "not an end of a job";
    return !has_on || fl_dependency_on_parse(on, &ret->on);
}

static bool is_in(const struct fl_dependencies *after, struct fl_job job)
{
    for (size_t i = 0; i < after->len; i++) {
        if (after->at[i].line == 0 && after->at[i].job.n == job.n) return true;
    }
    return false;
}

bool after_query(struct api_call *call, struct fl_dependencies *after)
{
    struct fl_dependencies all = {0};
    struct fl_str rest = api_query(call, "after");
    const char *why = NULL;
    bool is_last = !api_query_has(call, "after");

    if (is_last) return true;
    all.at = fl_arena_array(&call->arena, struct fl_dependency, FL_JOB_AFTER_MAX);
    all.cap = FL_JOB_AFTER_MAX;
    for (; all.len < after->len; all.len++) {
        all.at[all.len] = after->at[all.len];
    }
    while (!is_last) {
        size_t before = rest.len;
        struct fl_str word = take_until(&rest, ',');
        struct fl_dependency one;

        is_last = word.len == before;
        if (!read_one(word, &one, &why)) {
            api_fail_parameter(call, "after", why, word, ALLOWED);
            return false;
        }
        if (is_in(&all, one.job) || all.len == all.cap) {
            why = all.len == all.cap
                      ? "a job waits for at most " FL_QUOTE(FL_JOB_AFTER_MAX) " other jobs"
                      : "named twice, here or in the document";
            api_fail_parameter(call, "after", why, word, NULL);
            return false;
        }
        all.at[all.len++] = one;
    }
    *after = all;
    return true;
}
