#include "shared/base/usage.h"

#include "shared/base/assert.h"

const char *fl_meter_name(enum fl_meter meter)
{
    switch (meter) {
#define FL_METER_NAME(name, number, meaning)                                                       \
    case FL_METER_##name:                                                                          \
        return #name;
        FL_METERS(FL_METER_NAME)
#undef FL_METER_NAME
    case FL_METER_none:
        return "none";
    case FL_METERS_LEN:
        break;
    }
    fl_unreachable("every meter is above");
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A sum is stored as a signed number. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

void fl_usage_add(struct fl_usage *to, const struct fl_usage *more)
{
    if (more->meter == FL_METER_none) return;
    if (to->meter == FL_METER_none || more->meter < to->meter) to->meter = more->meter;
    to->replicas =
        to->replicas > UINT32_MAX - more->replicas ? UINT32_MAX : to->replicas + more->replicas;
    to->cpu_us = sum(to->cpu_us, more->cpu_us);
    if (more->memory_bytes > to->memory_bytes) to->memory_bytes = more->memory_bytes;
    to->read_bytes = sum(to->read_bytes, more->read_bytes);
    to->written_bytes = sum(to->written_bytes, more->written_bytes);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *at, uint64_t n, unsigned bytes)
{
    for (unsigned i = bytes; i > 0; i--) {
        *at++ = (uint8_t)(n >> (8 * (i - 1)));
    }
    return at;
}

struct fl_str fl_usage_write(const struct fl_usage *usage, uint8_t ret_bytes[FL_USAGE_BYTES])
{
    uint8_t *at = ret_bytes;

    if (usage->meter == FL_METER_none) return (struct fl_str){0};
    at = put(at, usage->meter, 1);
    at = put(at, usage->replicas, 4);
    at = put(at, usage->cpu_us, 8);
    at = put(at, usage->memory_bytes, 8);
    at = put(at, usage->read_bytes, 8);
    put(at, usage->written_bytes, 8);
    return (struct fl_str){(const char *)ret_bytes, FL_USAGE_BYTES};
}

static uint64_t take(const char **at, unsigned bytes)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < bytes; i++) {
        n = n << 8 | (uint8_t) * (*at)++;
    }
    return n;
}

static struct fl_usage read_up_to(struct fl_str bytes, uint64_t max)
{
    const char *at = bytes.at;
    struct fl_usage usage;
    uint64_t meter;

    if (bytes.len != FL_USAGE_BYTES) return (struct fl_usage){0};
    meter = take(&at, 1);
    usage.replicas = (uint32_t)take(&at, 4);
    usage.cpu_us = take(&at, 8);
    usage.memory_bytes = take(&at, 8);
    usage.read_bytes = take(&at, 8);
    usage.written_bytes = take(&at, 8);
    if (meter == FL_METER_none || meter >= FL_METERS_LEN || usage.replicas == 0 ||
        usage.cpu_us > max || usage.memory_bytes > max || usage.read_bytes > max ||
        usage.written_bytes > max) {
        return (struct fl_usage){0};
    }
    usage.meter = (enum fl_meter)meter;
    return usage;
}

struct fl_usage fl_usage_read(struct fl_str bytes)
{
    return read_up_to(bytes, INT64_MAX);
}

struct fl_usage fl_usage_read_one(struct fl_str bytes)
{
    struct fl_usage usage = read_up_to(bytes, FL_USAGE_MAX);

    return usage.replicas == 1 ? usage : (struct fl_usage){0};
}
