#include "agent/kube/pod_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/kube/kube_json.h"
#include "shared/base/assert.h"
#include "shared/base/job_limits.h"
#include "shared/base/job_name.h"
#include "shared/json/json_out.h"

#define MANAGED_BY "app.kubernetes.io/managed-by"
#define OURS "fairlead"
#define LABEL(word) "fairlead.dev/" word

void pod_identity_name(const struct pod_identity *identity, char ret_name[POD_NAME_BYTES_MAX + 1])
{
    char job[FL_JOB_NAME_MAX];
    int len;

    fl_job_name(identity->attempt.job, job);
    len = snprintf(ret_name, POD_NAME_BYTES_MAX + 1, "fl-%s-%" PRIu32 "-%u-" FL_STR_FMT "-%" PRIu32,
                   job + strlen("job-"), identity->attempt.element, identity->attempt.n,
                   FL_STR_ARG(identity->role), identity->replica);
    fl_assert(len > 0 && len <= POD_NAME_BYTES_MAX);
}

void pod_identity_service(const struct pod_identity *identity,
                          char ret_name[POD_NAME_BYTES_MAX + 1])
{
    char job[FL_JOB_NAME_MAX];

    fl_job_name(identity->attempt.job, job);
    snprintf(ret_name, POD_NAME_BYTES_MAX + 1, "fl-%s-%" PRIu32 "-%u", job + strlen("job-"),
             identity->attempt.element, identity->attempt.n);
}

void pod_identity_host(const struct pod_identity *identity, char ret_name[POD_NAME_BYTES_MAX + 1])
{
    snprintf(ret_name, POD_NAME_BYTES_MAX + 1, FL_STR_FMT "-%" PRIu32, FL_STR_ARG(identity->role),
             identity->replica);
}

static void put_number(struct fl_json_out *json, const char *key, uint64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, n);
    fl_json_put_cstr(json, key, text);
}

void pod_identity_put_attempt(const struct pod_identity *identity, struct fl_json_out *json)
{
    char job[FL_JOB_NAME_MAX];

    fl_job_name(identity->attempt.job, job);
    fl_json_put_cstr(json, MANAGED_BY, OURS);
    fl_json_put_cstr(json, LABEL("job"), job);
    put_number(json, LABEL("element"), identity->attempt.element);
    put_number(json, LABEL("attempt"), identity->attempt.n);
    put_number(json, LABEL("incarnation"), identity->attempt.incarnation);
}

void pod_identity_put_labels(const struct pod_identity *identity, struct fl_json_out *json)
{
    pod_identity_put_attempt(identity, json);
    fl_json_put_str(json, LABEL("role"), identity->role);
    put_number(json, LABEL("replica"), identity->replica);
}

static bool read_number(const struct fl_json *labels, const char *key, uint64_t max,
                        uint64_t *ret_n)
{
    return fl_str_parse_u64(kube_json_string(labels, key), ret_n) && *ret_n <= max;
}

bool pod_identity_read(const struct fl_json *metadata, struct pod_identity *ret_identity)
{
    const struct fl_json *labels = kube_json_at(metadata, "labels");
    struct pod_identity identity = {.role = kube_json_string(labels, LABEL("role"))};
    uint64_t element, attempt, incarnation, replica;
    char name[POD_NAME_BYTES_MAX + 1];

    if (!kube_json_says(labels, MANAGED_BY, OURS) || !fl_str_is_name(identity.role) ||
        identity.role.len > FL_JOB_ROLE_NAME_BYTES_MAX ||
        !fl_job_parse(kube_json_string(labels, LABEL("job")), &identity.attempt.job, NULL) ||
        !read_number(labels, LABEL("element"), UINT32_MAX, &element) ||
        !read_number(labels, LABEL("attempt"), UINT16_MAX, &attempt) ||
        !read_number(labels, LABEL("incarnation"), UINT32_MAX, &incarnation) ||
        !read_number(labels, LABEL("replica"), FL_JOB_REPLICAS_MAX - 1, &replica)) {
        return false;
    }
    identity.attempt.element = (uint32_t)element;
    identity.attempt.n = (uint16_t)attempt;
    identity.attempt.incarnation = (uint32_t)incarnation;
    identity.replica = (uint32_t)replica;
    pod_identity_name(&identity, name);
    if (!kube_json_says(metadata, "name", name)) return false;
    *ret_identity = identity;
    return true;
}
