#include "agent/kube/kube_amounts.h"

#include <string.h>

#include "agent/kube/kube_json.h"
#include "shared/base/arena.h"
#include "shared/base/resource_name.h"
#include "shared/spec/quantity.h"

static bool parse(struct fl_str name, struct fl_str text, uint64_t *ret_n)
{
    return fl_str_eq(name, FL_STR("cpu")) ? fl_quantity_milli(text, ret_n)
                                          : fl_quantity_units(text, ret_n);
}

bool kube_amounts_read(const struct fl_json *map, struct fl_arena *arena,
                       struct kube_amounts *ret_amounts, struct fl_err *err)
{
    struct kube_amounts amounts = {0};

    if (!map || map->kind == FL_JSON_NULL) {
        *ret_amounts = amounts;
        return true;
    }
    if (map->kind != FL_JSON_OBJECT) {
        return fl_fail(err, FL_INVALID, "resources are %s, not a map",
                       fl_json_kind_name(map->kind));
    }
    if (map->len > KUBE_AMOUNTS_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "it names %u resources, and %d are the limit", map->len,
                       KUBE_AMOUNTS_MAX);
    }
    FL_JSON_EACH (item, map) {
        struct kube_amount amount = {0};

        if (item->key.len == 0 || item->key.len > KUBE_RESOURCE_NAME_BYTES_MAX) {
            return fl_fail(err, FL_INVALID, "the name of a resource has 1 to %d bytes",
                           KUBE_RESOURCE_NAME_BYTES_MAX);
        }
        if (item->kind == FL_JSON_LIST || item->kind == FL_JSON_OBJECT ||
            !parse(item->key, item->text, &amount.n)) {
            return fl_fail(err, FL_INVALID, "the amount of " FL_STR_FMT " is no quantity",
                           FL_STR_ARG(item->key));
        }
        amount.name = fl_arena_str(arena, item->key);
        kube_amounts_set(&amounts, amount, arena);
    }
    *ret_amounts = amounts;
    return true;
}

/* The first place whose name is not less. */
static size_t place_of(const struct kube_amounts *amounts, struct fl_str name)
{
    size_t low = 0, high = amounts->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (fl_str_cmp(amounts->at[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const struct kube_amounts *amounts, size_t i, struct fl_str name)
{
    return i < amounts->len && fl_str_eq(amounts->at[i].name, name);
}

uint64_t kube_amounts_of(const struct kube_amounts *amounts, struct fl_str name)
{
    size_t i = place_of(amounts, name);

    return is_at(amounts, i, name) ? amounts->at[i].n : 0;
}

void kube_amounts_set(struct kube_amounts *to, struct kube_amount amount, struct fl_arena *arena)
{
    size_t i = place_of(to, amount.name);

    if (is_at(to, i, amount.name)) {
        to->at[i].n = amount.n;
        return;
    }
    if (to->len == KUBE_AMOUNTS_MAX) {
        to->is_over = true;
        return;
    }
    fl_arena_push(arena, to, amount);
    memmove(&to->at[i + 1], &to->at[i], (to->len - 1 - i) * sizeof *to->at);
    to->at[i] = amount;
}

void kube_amounts_add(struct kube_amounts *to, const struct kube_amounts *from,
                      struct fl_arena *arena)
{
    to->is_over = to->is_over || from->is_over;
    for (size_t i = 0; i < from->len; i++) {
        uint64_t n = kube_amounts_of(to, from->at[i].name), sum;

        if (__builtin_add_overflow(n, from->at[i].n, &sum)) sum = UINT64_MAX;
        kube_amounts_set(to, (struct kube_amount){from->at[i].name, sum}, arena);
    }
}

void kube_amounts_raise(struct kube_amounts *to, const struct kube_amounts *from,
                        struct fl_arena *arena)
{
    to->is_over = to->is_over || from->is_over;
    for (size_t i = 0; i < from->len; i++) {
        uint64_t n = kube_amounts_of(to, from->at[i].name);

        if (from->at[i].n > n) n = from->at[i].n;
        kube_amounts_set(to, (struct kube_amount){from->at[i].name, n}, arena);
    }
}

/* ---- as the control plane counts them -------------------------------------------------------- */

static uint32_t narrow(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

struct kube_share kube_share_of(const struct kube_amounts *amounts, struct fl_arena *arena)
{
    struct kube_share share = {
        .usual.cpu_milli = narrow(kube_amounts_of(amounts, FL_STR("cpu"))),
        .usual.memory_bytes = kube_amounts_of(amounts, FL_STR("memory")),
    };

    for (size_t i = 0; i < amounts->len; i++) {
        struct fl_amount amount = {amounts->at[i].name, amounts->at[i].n};

        if (!fl_is_job_resource(amount.name)) continue;
        if (amount.n > FL_AMOUNT_MAX) amount.n = FL_AMOUNT_MAX;
        fl_amounts_set(&share.named, amount, arena);
    }
    return share;
}

struct kube_share kube_share_without(const struct kube_share *share, const struct kube_share *less,
                                     struct fl_arena *arena)
{
    struct kube_share left = {.usual = share->usual};

    fl_resources_take_most(&left.usual, less->usual);
    for (size_t i = 0; i < share->named.len; i++) {
        struct fl_amount amount = share->named.at[i];
        uint64_t taken = fl_amounts_of(&less->named, amount.name);

        amount.n -= taken < amount.n ? taken : amount.n;
        fl_amounts_set(&left.named, amount, arena);
    }
    return left;
}

/* With the amount of 'name' as it shall be. */
static struct fl_amounts with(const struct fl_amounts *amounts, struct fl_amount one,
                              struct fl_arena *arena)
{
    struct fl_amounts all = {0};

    for (size_t i = 0; i < amounts->len; i++) {
        fl_amounts_set(&all, amounts->at[i], arena);
    }
    if (one.name.len > 0) fl_amounts_set(&all, one, arena);
    return all;
}

struct kube_share kube_share_told(const struct kube_share *share, struct fl_str accelerator,
                                  struct fl_arena *arena)
{
    struct kube_share told = {
        .usual = share->usual,
        .named = with(&share->named, (struct fl_amount){accelerator, 0}, arena),
    };

    told.usual.gpus = narrow(fl_amounts_of(&share->named, accelerator));
    return told;
}

struct kube_share kube_share_untold(const struct kube_share *told, struct fl_str accelerator,
                                    struct fl_arena *arena)
{
    struct kube_share share = {
        .usual = told->usual,
        .named = with(&told->named, (struct fl_amount){accelerator, told->usual.gpus}, arena),
    };

    share.usual.gpus = 0;
    return share;
}

bool kube_share_is_same(const struct kube_share *a, const struct kube_share *b)
{
    return fl_resources_is_same(a->usual, b->usual) && fl_amounts_are_same(&a->named, &b->named);
}
