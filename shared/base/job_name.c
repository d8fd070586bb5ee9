#include "shared/base/job_name.h"

#include <string.h>

static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

#define PREFIX "job-"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define DIGITS_MAX 13 /* 64 bits, 5 a digit */

_Static_assert(PREFIX_LEN + DIGITS_MAX + 1 == FL_JOB_NAME_MAX, "the longest name fits exactly");

void fl_job_name(struct fl_job job, char out[FL_JOB_NAME_MAX])
{
    size_t len = 1;

    while (len < DIGITS_MAX && job.n >> (5 * len)) {
        len++;
    }
    memcpy(out, PREFIX, PREFIX_LEN);
    for (size_t i = 0; i < len; i++) {
        out[PREFIX_LEN + i] = digits[job.n >> (5 * (len - 1 - i)) & 31];
    }
    out[PREFIX_LEN + len] = 0;
}

bool fl_job_parse(struct fl_str s, struct fl_job *ret_job, struct fl_err *err)
{
    uint64_t n = 0;

    if (s.len <= PREFIX_LEN || memcmp(s.at, PREFIX, PREFIX_LEN) != 0) {
        return fl_fail(err, FL_INVALID, "a job id starts with \"job-\" and has digits behind it");
    }
    if (s.len >= FL_JOB_NAME_MAX) {
        return fl_fail(err, FL_INVALID, "a job id has at most %d characters", FL_JOB_NAME_MAX - 1);
    }
    if (s.at[PREFIX_LEN] == '0') {
        return fl_fail(err, FL_INVALID, "the digits of a job id do not start with 0");
    }
    for (size_t i = PREFIX_LEN; i < s.len; i++) {
        const char *digit = s.at[i] ? strchr(digits, s.at[i]) : NULL;

        if (!digit) {
            return fl_fail(err, FL_INVALID,
                           "a job id has digits and lower-case letters but i, l, o and u");
        }
        if (n >> 59) return fl_fail(err, FL_INVALID, "a job id has at most 64 bits");
        n = n << 5 | (uint64_t)(digit - digits);
    }
    ret_job->n = n;
    return true;
}
