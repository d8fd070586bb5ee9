#include "controlplane/engine/high_water.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/hash.h"

#define FIRST_LINE "fairlead high-water 1\n"

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    {"batch", offsetof(struct high_water, batch)},
    {"batch_highest", offsetof(struct high_water, batch_highest)},
    {"jobs", offsetof(struct high_water, jobs)},
    {"job_next", offsetof(struct high_water, job_next)},
    {"job_below", offsetof(struct high_water, job_below)},
    {"epoch_below", offsetof(struct high_water, epoch_below)},
    {"incarnation", offsetof(struct high_water, incarnation)},
    {"is_closed", offsetof(struct high_water, is_closed)},
};

enum { FIELDS_LEN = sizeof fields / sizeof *fields };

static size_t print(char *text, size_t at, const char *name, uint64_t value)
{
    int len = snprintf(text + at, HIGH_WATER_BYTES_MAX - at, "%s %" PRIu64 "\n", name, value);

    return at + (size_t)len;
}

size_t high_water_encode(const struct high_water *water, char text[HIGH_WATER_BYTES_MAX])
{
    size_t len = sizeof FIRST_LINE - 1;

    memcpy(text, FIRST_LINE, sizeof FIRST_LINE);
    for (size_t i = 0; i < FIELDS_LEN; i++) {
        uint64_t value;

        memcpy(&value, (const char *)water + fields[i].offset, sizeof value);
        len = print(text, len, fields[i].name, value);
    }
    return print(text, len, "sum", fl_hash64(0, text, len));
}

/* The line "NAME VALUE" at *at; false: another stands there. */
static bool read_line(const char *text, size_t *at, const char *name, uint64_t *ret)
{
    size_t name_len = strlen(name);
    char *end;

    if (strncmp(text + *at, name, name_len) != 0 || text[*at + name_len] != ' ') return false;
    *ret = strtoull(text + *at + name_len + 1, &end, 10);
    if (*end != '\n') return false;
    *at = (size_t)(end + 1 - text);
    return true;
}

static bool read_fields(const char *text, struct high_water *water)
{
    size_t at = sizeof FIRST_LINE - 1, summed;
    uint64_t value;

    for (size_t i = 0; i < FIELDS_LEN; i++) {
        if (!read_line(text, &at, fields[i].name, &value)) return false;
        memcpy((char *)water + fields[i].offset, &value, sizeof value);
    }
    summed = at;
    return read_line(text, &at, "sum", &value) && text[at] == '\0' &&
           value == fl_hash64(0, text, summed);
}

bool high_water_decode(struct fl_str bytes, struct high_water *ret_water, struct fl_err *err)
{
    static const char word[] = "fairlead high-water ";
    char text[HIGH_WATER_BYTES_MAX] = {0}, again[HIGH_WATER_BYTES_MAX];
    struct high_water water = {0};

    if (bytes.len > 0 && bytes.len < sizeof text) memcpy(text, bytes.at, bytes.len);
    if (strncmp(text, word, sizeof word - 1) == 0 && strchr(text, '\n') &&
        strncmp(text, FIRST_LINE, sizeof FIRST_LINE - 1) != 0) {
        return fl_fail(err, FL_INVALID, "another release of fairleadd wrote it; run that one");
    }
    /* Printed again it must be the same: so there is one form. */
    if (strncmp(text, FIRST_LINE, sizeof FIRST_LINE - 1) != 0 || !read_fields(text, &water) ||
        high_water_encode(&water, again) != bytes.len || memcmp(again, text, bytes.len) != 0 ||
        water.job_next > water.job_below || water.incarnation > UINT32_MAX) {
        return fl_fail(err, FL_TORN, "it is damaged: its sum is not that of its lines");
    }
    *ret_water = water;
    return true;
}
