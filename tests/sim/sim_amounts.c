#include "tests/sim/sim_amounts.h"

static const char *const names[] = {
#define SIM_RESOURCE_NAME(name, most, per_mille) name,
    SIM_RESOURCES(SIM_RESOURCE_NAME)
#undef SIM_RESOURCE_NAME
};
_Static_assert(sizeof names / sizeof *names == SIM_RESOURCES_LEN, "each has a place");

const char *sim_resource_name(size_t i)
{
    return names[i];
}

static size_t place_of(struct fl_str name)
{
    size_t i = 0;

    while (i < SIM_RESOURCES_LEN && !fl_str_eq(name, fl_str_c(names[i]))) {
        i++;
    }
    return i;
}

struct sim_amounts sim_amounts_of(struct fl_resources usual, const struct fl_amounts *named)
{
    struct sim_amounts amounts = {.usual = usual};

    for (size_t i = 0; i < named->len; i++) {
        size_t place = place_of(named->at[i].name);

        if (place < SIM_RESOURCES_LEN) amounts.named[place] = named->at[i].n;
    }
    return amounts;
}

struct sim_amounts sim_amounts_of_role(const struct shape *shape, const struct shape_role *role)
{
    struct sim_amounts amounts = {.usual = role->each};

    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        size_t place = place_of(shape->kinds[k]);

        if (place < SIM_RESOURCES_LEN) {
            amounts.named[place] = role->named[k];
        } else if (role->named[k] > 0) {
            amounts.usual.cpu_milli = UINT32_MAX;
        }
    }
    return amounts;
}

struct fl_amounts sim_amounts_listed(const struct shape *shape, const struct shape_role *role,
                                     struct fl_arena *arena)
{
    struct fl_amounts named = {0};

    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        fl_amounts_set(&named, (struct fl_amount){shape->kinds[k], role->named[k]}, arena);
    }
    return named;
}

struct fl_amounts sim_amounts_named(const struct sim_amounts *amounts, struct sim_named *room)
{
    struct fl_amounts named = {.at = room->at, .cap = SIM_RESOURCES_LEN};

    for (size_t i = 0; i < SIM_RESOURCES_LEN; i++) {
        if (amounts->named[i] == 0) continue;
        named.at[named.len++] = (struct fl_amount){fl_str_c(names[i]), amounts->named[i]};
    }
    return named;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

void sim_amounts_add(struct sim_amounts *to, const struct sim_amounts *more)
{
    to->usual.cpu_milli += more->usual.cpu_milli;
    to->usual.memory_bytes += more->usual.memory_bytes;
    to->usual.gpus += more->usual.gpus;
    for (size_t i = 0; i < SIM_RESOURCES_LEN; i++) {
        to->named[i] += more->named[i];
    }
}

static uint64_t less(uint64_t from, uint64_t n)
{
    return n < from ? from - n : 0;
}

void sim_amounts_take(struct sim_amounts *from, const struct sim_amounts *taken)
{
    from->usual.cpu_milli = (uint32_t)less(from->usual.cpu_milli, taken->usual.cpu_milli);
    from->usual.memory_bytes = less(from->usual.memory_bytes, taken->usual.memory_bytes);
    from->usual.gpus = (uint32_t)less(from->usual.gpus, taken->usual.gpus);
    for (size_t i = 0; i < SIM_RESOURCES_LEN; i++) {
        from->named[i] = less(from->named[i], taken->named[i]);
    }
}

void sim_amounts_keep_less(struct sim_amounts *have, const struct sim_amounts *other)
{
    const struct fl_resources *r = &other->usual;

    if (r->cpu_milli < have->usual.cpu_milli) have->usual.cpu_milli = r->cpu_milli;
    if (r->memory_bytes < have->usual.memory_bytes) have->usual.memory_bytes = r->memory_bytes;
    if (r->gpus < have->usual.gpus) have->usual.gpus = r->gpus;
    for (size_t i = 0; i < SIM_RESOURCES_LEN; i++) {
        if (other->named[i] < have->named[i]) have->named[i] = other->named[i];
    }
}

void sim_amounts_keep_more(struct sim_amounts *have, const struct sim_amounts *other)
{
    const struct fl_resources *r = &other->usual;

    if (r->cpu_milli > have->usual.cpu_milli) have->usual.cpu_milli = r->cpu_milli;
    if (r->memory_bytes > have->usual.memory_bytes) have->usual.memory_bytes = r->memory_bytes;
    if (r->gpus > have->usual.gpus) have->usual.gpus = r->gpus;
    for (size_t i = 0; i < SIM_RESOURCES_LEN; i++) {
        if (other->named[i] > have->named[i]) have->named[i] = other->named[i];
    }
}

bool sim_amounts_fit(const struct sim_amounts *want, const struct sim_amounts *have)
{
    return sim_amounts_slots(have, want, 1) == 1;
}

static void bound(uint64_t *count, uint64_t room, uint64_t each)
{
    if (each > 0 && room / each < *count) *count = room / each;
}

uint32_t sim_amounts_slots(const struct sim_amounts *room, const struct sim_amounts *each,
                           uint32_t most)
{
    uint64_t count = most;

    bound(&count, room->usual.cpu_milli, each->usual.cpu_milli);
    bound(&count, room->usual.memory_bytes, each->usual.memory_bytes);
    bound(&count, room->usual.gpus, each->usual.gpus);
    for (size_t i = 0; i < SIM_RESOURCES_LEN; i++) {
        bound(&count, room->named[i], each->named[i]);
    }
    return (uint32_t)count;
}
