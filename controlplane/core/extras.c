#include "controlplane/core/extras.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

void extras_fini(struct extras *extras)
{
    fl_free(extras->at);
    *extras = (struct extras){0};
}

static void reserve(struct extras *extras, uint8_t len)
{
    struct extra *at;

    if (len <= extras->cap) return;
    at = fl_new_array(struct extra, len);
    if (extras->len > 0) memcpy(at, extras->at, extras->len * sizeof *at);
    fl_free(extras->at);
    extras->at = at;
    extras->cap = len;
}

void extras_copy_all(struct extras *to, const struct extras *from)
{
    reserve(to, from->len);
    if (from->len > 0) memcpy(to->at, from->at, from->len * sizeof *to->at);
    to->len = from->len;
}

struct extra *extras_find(const struct extras *extras, uint8_t number)
{
    for (uint8_t i = 0; i < extras->len && extras->at[i].number <= number; i++) {
        if (extras->at[i].number == number) return &extras->at[i];
    }
    return NULL;
}

struct extra *extras_need(struct extras *extras, uint8_t number)
{
    struct extra *found = extras_find(extras, number);
    uint8_t i = extras->len;

    fl_assert(number > 0);
    if (found) return found;
    reserve(extras, (uint8_t)(extras->len + 1));
    for (; i > 0 && extras->at[i - 1].number > number; i--) {
        extras->at[i] = extras->at[i - 1];
    }
    extras->at[i] = (struct extra){.number = number};
    extras->len++;
    return &extras->at[i];
}

static bool is_zero(const struct extra *extra)
{
    return !extra->total && !extra->free && !extra->owed && !extra->held && !extra->claimed &&
           !extra->guests && !extra->late;
}

void extras_prune(struct extras *extras)
{
    uint8_t kept = 0;

    for (uint8_t i = 0; i < extras->len; i++) {
        if (!is_zero(&extras->at[i])) extras->at[kept++] = extras->at[i];
    }
    extras->len = kept;
    if (kept == 0) extras_fini(extras);
}

bool extras_any_claimed(const struct extras *extras)
{
    for (uint8_t i = 0; i < extras->len; i++) {
        if (extras->at[i].claimed > 0) return true;
    }
    return false;
}

uint64_t extra_empty(const struct extra *extra, bool is_bare)
{
    uint64_t left = extra_least(extra->held + extra->free, extra->total);

    if (is_bare || extra->claimed == 0) return left;
    left -= extra_least(left, extra->guests);
    return left - extra_least(left, extra->claimed);
}

uint64_t extra_spare(const struct extra *extra)
{
    return extra->claimed == 0 ? extra->free : extra_least(extra->free, extra_empty(extra, false));
}

uint64_t extra_take(struct extra *extra, uint64_t amount)
{
    uint64_t taken = extra_least(amount, extra->free);

    extra->free -= taken;
    extra->owed += amount - taken;
    return taken;
}

uint64_t extra_give(struct extra *extra, uint64_t amount)
{
    uint64_t paid = extra_least(amount, extra->owed);
    uint64_t given = extra_least(amount - paid, extra->total - extra->free);

    extra->owed -= paid;
    extra->free += given;
    return given;
}
