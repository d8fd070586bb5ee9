#include "controlplane/core/singleton_table.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

struct singleton {
    uint64_t job;
    struct singleton_line_slot line;
    struct singleton_slot prev, next;
};

struct line {
    char *bytes; /* tenant and key, as in by_key; ours */
    uint32_t bytes_len;
    struct singleton_slot first, last;
    uint32_t len;
};

enum {
    TENANT_BYTES = 4,
    LINE_BYTES_MAX = TENANT_BYTES + SINGLETON_KEY_BYTES_MAX,
};

void singleton_table_init(struct singleton_table *table)
{
    *table = (struct singleton_table){0};
    fl_slab_init(&table->singletons, sizeof(struct singleton), SINGLETONS_MAX);
    fl_slab_init(&table->lines, sizeof(struct line), SINGLETONS_MAX);
}

static struct singleton *singleton_at(const struct singleton_table *table,
                                      struct singleton_slot slot)
{
    return fl_slab_at(&table->singletons, slot.n);
}

static struct line *line_at(const struct singleton_table *table, struct singleton_line_slot slot)
{
    return fl_slab_at(&table->lines, slot.n);
}

void singleton_table_fini(struct singleton_table *table)
{
    for (struct singleton_line_slot slot = {1}; slot.n <= table->lines.used; slot.n++) {
        if (fl_slab_is_taken(&table->lines, slot.n)) fl_free(line_at(table, slot)->bytes);
    }
    fl_slab_fini(&table->singletons);
    fl_slab_fini(&table->lines);
    fl_page_map_fini(&table->of_job);
    fl_map_fini(&table->by_key);
}

/* ---- keys ------------------------------------------------------------------------------------ */

struct fl_str singleton_key(struct fl_str owner, struct fl_str name, struct fl_arena *arena)
{
    struct fl_buf buf;

    fl_assert(owner.len <= SINGLETON_OWNER_BYTES_MAX && name.len <= FL_JOB_NAME_BYTES_MAX);
    fl_buf_init_in(&buf, SINGLETON_KEY_BYTES_MAX, arena);
    fl_buf_put_u8(&buf, (uint8_t)owner.len);
    fl_buf_put(&buf, owner.at, owner.len);
    fl_buf_put(&buf, name.at, name.len);
    fl_assert(!buf.is_over);
    return fl_buf_take(&buf);
}

bool singleton_key_is_whole(struct fl_str key)
{
    size_t owner_len = key.len > 0 ? (uint8_t)key.at[0] : SIZE_MAX;

    return owner_len <= SINGLETON_OWNER_BYTES_MAX && key.len > 1 + owner_len &&
           key.len <= 1 + owner_len + FL_JOB_NAME_BYTES_MAX;
}

struct fl_str singleton_key_name(struct fl_str key)
{
    size_t from = 1 + (size_t)(uint8_t)key.at[0];

    return (struct fl_str){key.at + from, key.len - from};
}

/* ---- lines ----------------------------------------------------------------------------------- */

static size_t put_tenant(char bytes[LINE_BYTES_MAX], uint32_t tenant, struct fl_str key)
{
    fl_assert(singleton_key_is_whole(key));
    memcpy(bytes, &tenant, TENANT_BYTES);
    memcpy(bytes + TENANT_BYTES, key.at, key.len);
    return TENANT_BYTES + key.len;
}

/* NULL: it is empty, and there is no line. */
static struct line *find_line(const struct singleton_table *table, uint32_t tenant,
                              struct fl_str key, struct singleton_line_slot *ret_slot)
{
    char bytes[LINE_BYTES_MAX];
    size_t len = put_tenant(bytes, tenant, key);
    uint64_t slot;

    if (!fl_map_find(&table->by_key, bytes, len, &slot)) return NULL;
    *ret_slot = (struct singleton_line_slot){(uint32_t)slot};
    return line_at(table, *ret_slot);
}

static struct line *make_line(struct singleton_table *table, uint32_t tenant, struct fl_str key,
                              struct singleton_line_slot *ret_slot)
{
    char bytes[LINE_BYTES_MAX];
    size_t len = put_tenant(bytes, tenant, key);
    struct singleton_line_slot slot = {fl_slab_take(&table->lines)};
    struct line *line = line_at(table, slot);

    line->bytes = fl_new_array(char, len);
    memcpy(line->bytes, bytes, len);
    line->bytes_len = (uint32_t)len;
    fl_map_put(&table->by_key, bytes, len, slot.n);
    *ret_slot = slot;
    return line;
}

bool singleton_table_has_room(const struct singleton_table *table)
{
    return table->singletons.len < SINGLETONS_MAX;
}

uint32_t singleton_table_len(const struct singleton_table *table, uint32_t tenant,
                             struct fl_str key)
{
    struct singleton_line_slot slot;
    const struct line *line = find_line(table, tenant, key, &slot);

    return line ? line->len : 0;
}

uint64_t singleton_table_last(const struct singleton_table *table, uint32_t tenant,
                              struct fl_str key)
{
    struct singleton_line_slot slot;
    const struct line *line = find_line(table, tenant, key, &slot);

    return line ? singleton_at(table, line->last)->job : 0;
}

void singleton_table_add(struct singleton_table *table, uint32_t tenant, struct fl_str key,
                         uint64_t job)
{
    struct singleton_slot slot = {fl_slab_take(&table->singletons)};
    struct singleton_line_slot line_slot;
    struct line *line = find_line(table, tenant, key, &line_slot);
    struct singleton *singleton;

    fl_assert(slot.n);
    if (!line) line = make_line(table, tenant, key, &line_slot);
    singleton = singleton_at(table, slot);
    *singleton = (struct singleton){.job = job, .line = line_slot, .prev = line->last};
    if (line->last.n) {
        fl_assert(singleton_at(table, line->last)->job < job);
        singleton_at(table, line->last)->next = slot;
    } else {
        line->first = slot;
    }
    line->last = slot;
    line->len++;
    fl_page_map_put(&table->of_job, job, slot.n);
}

/* ---- one job of a line ----------------------------------------------------------------------- */

static const struct singleton *find(const struct singleton_table *table, uint64_t job)
{
    return singleton_at(table, (struct singleton_slot){fl_page_map_find(&table->of_job, job)});
}

uint64_t singleton_table_first(const struct singleton_table *table, uint64_t job)
{
    const struct singleton *singleton = find(table, job);

    return singleton_at(table, line_at(table, singleton->line)->first)->job;
}

struct fl_str singleton_table_key(const struct singleton_table *table, uint64_t job)
{
    const struct singleton *singleton = find(table, job);
    const struct line *line = line_at(table, singleton->line);

    return (struct fl_str){line->bytes + TENANT_BYTES, line->bytes_len - TENANT_BYTES};
}

uint32_t singleton_table_before(const struct singleton_table *table, uint64_t job)
{
    const struct singleton *singleton = find(table, job);
    uint32_t len = 0;

    for (; singleton->prev.n; singleton = singleton_at(table, singleton->prev)) {
        len++;
    }
    return len;
}

uint64_t singleton_table_remove(struct singleton_table *table, uint64_t job)
{
    struct singleton_slot slot = {fl_page_map_remove(&table->of_job, job)};
    struct singleton *singleton = singleton_at(table, slot);
    struct singleton_line_slot line_slot = singleton->line;
    struct singleton_slot prev = singleton->prev, next = singleton->next;
    struct line *line = line_at(table, line_slot);

    if (prev.n) {
        singleton_at(table, prev)->next = next;
    } else {
        line->first = next;
    }
    if (next.n) {
        singleton_at(table, next)->prev = prev;
    } else {
        line->last = prev;
    }
    fl_slab_give(&table->singletons, slot.n);
    if (--line->len == 0) {
        fl_map_remove(&table->by_key, line->bytes, line->bytes_len);
        fl_free(line->bytes);
        fl_slab_give(&table->lines, line_slot.n);
    }
    return prev.n || !next.n ? 0 : singleton_at(table, next)->job;
}
