#include "controlplane/core/named_resources.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

void named_resources_fini(struct named_resources *named)
{
    fl_free(named->at);
    *named = (struct named_resources){0};
}

static void reserve(struct named_resources *named, uint8_t len)
{
    struct named_resource *at;

    if (len <= named->cap) return;
    at = fl_new_array(struct named_resource, len);
    if (named->len > 0) memcpy(at, named->at, named->len * sizeof *at);
    fl_free(named->at);
    named->at = at;
    named->cap = len;
}

void named_resources_copy_all(struct named_resources *to, const struct named_resources *from)
{
    reserve(to, from->len);
    if (from->len > 0) memcpy(to->at, from->at, from->len * sizeof *to->at);
    to->len = from->len;
}

struct named_resource *named_resources_find(const struct named_resources *named, uint8_t number)
{
    for (uint8_t i = 0; i < named->len && named->at[i].number <= number; i++) {
        if (named->at[i].number == number) return &named->at[i];
    }
    return NULL;
}

struct named_resource *named_resources_need(struct named_resources *named, uint8_t number)
{
    struct named_resource *found = named_resources_find(named, number);
    uint8_t i = named->len;

    fl_assert(number > 0);
    if (found) return found;
    reserve(named, (uint8_t)(named->len + 1));
    for (; i > 0 && named->at[i - 1].number > number; i--) {
        named->at[i] = named->at[i - 1];
    }
    named->at[i] = (struct named_resource){.number = number};
    named->len++;
    return &named->at[i];
}

static bool is_zero(const struct named_resource *resource)
{
    return !resource->total && !resource->free && !resource->owed && !resource->held &&
           !resource->claimed && !resource->guests && !resource->late;
}

void named_resources_prune(struct named_resources *named)
{
    uint8_t kept = 0;

    for (uint8_t i = 0; i < named->len; i++) {
        if (!is_zero(&named->at[i])) named->at[kept++] = named->at[i];
    }
    named->len = kept;
    if (kept == 0) named_resources_fini(named);
}

bool named_resources_any_claimed(const struct named_resources *named)
{
    for (uint8_t i = 0; i < named->len; i++) {
        if (named->at[i].claimed > 0) return true;
    }
    return false;
}

uint64_t named_resource_empty(const struct named_resource *resource, bool is_bare)
{
    uint64_t left = named_resource_least(resource->held + resource->free, resource->total);

    if (is_bare || resource->claimed == 0) return left;
    left -= named_resource_least(left, resource->guests);
    return left - named_resource_least(left, resource->claimed);
}

uint64_t named_resource_spare(const struct named_resource *resource)
{
    return resource->claimed == 0
               ? resource->free
               : named_resource_least(resource->free, named_resource_empty(resource, false));
}

uint64_t named_resource_take(struct named_resource *resource, uint64_t amount)
{
    uint64_t taken = named_resource_least(amount, resource->free);

    resource->free -= taken;
    resource->owed += amount - taken;
    return taken;
}

uint64_t named_resource_give(struct named_resource *resource, uint64_t amount)
{
    uint64_t paid = named_resource_least(amount, resource->owed);
    uint64_t given = named_resource_least(amount - paid, resource->total - resource->free);

    resource->owed -= paid;
    resource->free += given;
    return given;
}
