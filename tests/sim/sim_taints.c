#include "tests/sim/sim_taints.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/prng.h"

enum { PART = 40 };

/* "key=value:Effect", each part of which may be missing. */
struct line {
    char key[PART], value[PART], effect[PART];
    bool has_value;
};

static void keep(char to[PART], const char *text)
{
    size_t len = strlen(text);

    fl_assert(len < PART);
    memcpy(to, text, len + 1);
}

static const char *read_line(const char *at, struct line *line)
{
    const char *end = strchr(at, '\n');
    char text[3 * PART] = "", *effect, *value;

    fl_assert(end && (size_t)(end - at) < sizeof text);
    memcpy(text, at, (size_t)(end - at));
    memset(line, 0, sizeof *line);
    effect = strchr(text, ':');
    if (effect) keep(line->effect, effect + 1);
    if (effect) *effect = '\0';
    value = strchr(text, '=');
    line->has_value = value != NULL;
    if (value) keep(line->value, value + 1);
    if (value) *value = '\0';
    keep(line->key, text);
    return end + 1;
}

static bool goes_for(const struct line *toleration, const struct line *taint)
{
    bool is_key = strcmp(toleration->key, "*") == 0 || strcmp(toleration->key, taint->key) == 0;
    bool is_value = !toleration->has_value || strcmp(toleration->value, taint->value) == 0;
    bool is_effect =
        toleration->effect[0] == '\0' || strcmp(toleration->effect, taint->effect) == 0;

    return is_key && is_value && is_effect;
}

/* The device of that name is asked for. */
static bool has_device(const struct shape *shape, const struct shape_role *role, const char *name)
{
    if (role->each.gpus > 0 && strcmp(name, "nvidia.com/gpu") == 0) return true;
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        if (role->named[k] == 0 || strcmp(name, "ephemeral-storage") == 0) continue;
        if (fl_str_eq(shape->kinds[k], fl_str_c(name))) return true;
    }
    return false;
}

bool sim_taints_let(const char *taints, const struct shape *shape, const struct shape_role *role)
{
    char tolerations[200] = "";
    struct line taint, toleration;

    fl_assert(shape->tolerations.len < sizeof tolerations);
    if (shape->tolerations.len > 0) {
        memcpy(tolerations, shape->tolerations.at, shape->tolerations.len);
    }
    while (*taints) {
        bool is_let;

        taints = read_line(taints, &taint);
        is_let = strcmp(taint.effect, "NoSchedule") == 0 && has_device(shape, role, taint.key);
        for (const char *at = tolerations; *at && !is_let;) {
            at = read_line(at, &toleration);
            is_let = goes_for(&toleration, &taint);
        }
        if (!is_let) return false;
    }
    return true;
}

static const char *draw(const char *const *some, size_t len, uint64_t seed, uint64_t of_thousand)
{
    struct fl_prng prng;

    fl_prng_seed(&prng, seed);
    if (fl_prng_below(&prng, 1000) >= of_thousand) return "";
    return some[fl_prng_below(&prng, len)];
}

const char *sim_taints_draw(uint64_t seed)
{
    static const char *const some[] = {
        "team=a:NoSchedule\n",
        "team=b:NoSchedule\n",
        "spot:NoExecute\n",
        "spot:NoExecute\nteam=a:NoSchedule\n",
        "sim.test/dongle:NoSchedule\n",
        "sim.test/dongle=x:NoExecute\n",
        "nvidia.com/gpu=present:NoSchedule\n",
    };

    return draw(some, sizeof some / sizeof *some, seed, 250);
}

const char *sim_tolerations_draw(uint64_t seed)
{
    static const char *const some[] = {
        "*\n",
        "team\n",
        "team=a\n",
        "team=a:NoSchedule\n",
        "team=a:NoExecute\n",
        "spot\nteam=b\n",
        "spot:NoExecute\nteam=a\n",
        "*:NoSchedule\n",
        "*:NoExecute\n",
        "nvidia.com/gpu\nsim.test/dongle=x\n",
    };

    return draw(some, sizeof some / sizeof *some, seed, 400);
}
