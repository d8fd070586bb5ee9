#include "controlplane/api/failure_groups.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/hex.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

struct failure_groups {
    FL_VEC(struct failure_group *) all; /* as they came */
    FL_VEC(const struct failure_group *) sorted;
    struct fl_map by_id; /* id to place in 'all' */
    uint32_t failed, apart;
};

/* 48 bits: among FAILURE_GROUPS_MAX groups two are taken for one once in 500 million jobs. */
static void make_id(const struct read_failure *failure, struct fl_str pattern,
                    char ret_id[FAILURE_ID_MAX])
{
    uint64_t hash = fl_hash_u64(fl_hash_u64(0, (uint64_t)failure->reason),
                                (uint64_t)(uint32_t)failure->exit_code);
    uint8_t bytes[FAILURE_ID_BYTES];

    hash = fl_hash64(hash, pattern.at, pattern.len);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(hash >> (8 * i));
    }
    fl_hex_print(bytes, sizeof bytes, ret_id);
}

void failure_group_id(const struct read_failure *failure, char ret_id[FAILURE_ID_MAX])
{
    char pattern[FAILURE_PATTERN_BYTES_MAX + 1];

    make_id(failure, failure_pattern(failure->words, pattern), ret_id);
}

bool failure_group_is_id(struct fl_str text)
{
    uint8_t bytes[FAILURE_ID_BYTES];

    return text.len == FAILURE_ID_MAX - 1 && fl_hex_parse(text.at, sizeof bytes, bytes);
}

struct failure_groups *failure_groups_create(void)
{
    return fl_new(struct failure_groups);
}

void failure_groups_destroy(struct failure_groups *groups)
{
    if (!groups) return;
    for (size_t i = 0; i < groups->all.len; i++) {
        fl_free(groups->all.at[i]);
    }
    fl_vec_fini(&groups->all);
    fl_vec_fini(&groups->sorted);
    fl_map_fini(&groups->by_id);
    fl_free(groups);
}

static struct failure_group *begin_group(struct failure_groups *groups,
                                         const struct read_failure *failure, struct fl_str pattern,
                                         const char *id)
{
    struct failure_group *group = fl_new(struct failure_group);
    struct fl_str line = fl_str_begin(failure->words, FL_WORDS_BYTES_MAX);

    memcpy(group->id, id, sizeof group->id);
    memcpy(group->pattern, pattern.at, pattern.len + 1);
    if (line.len > 0) memcpy(group->line, line.at, line.len);
    group->first = *failure;
    group->first.words = (struct fl_str){group->line, line.len};
    fl_map_put(&groups->by_id, id, FAILURE_ID_MAX - 1, groups->all.len);
    fl_vec_push(&groups->all, group);
    return group;
}

/* NULL: there are too many groups. */
static struct failure_group *group_of(struct failure_groups *groups,
                                      const struct read_failure *failure)
{
    char text[FAILURE_PATTERN_BYTES_MAX + 1], id[FAILURE_ID_MAX];
    struct fl_str pattern = failure_pattern(failure->words, text);
    uint64_t place;

    make_id(failure, pattern, id);
    if (fl_map_find(&groups->by_id, id, FAILURE_ID_MAX - 1, &place)) return groups->all.at[place];
    if (groups->all.len == FAILURE_GROUPS_MAX) return NULL;
    return begin_group(groups, failure, pattern, id);
}

static void add_element(struct failure_group *group, uint32_t element)
{
    struct failure_run *last = group->runs_len > 0 ? &group->runs[group->runs_len - 1] : NULL;

    fl_assert(!last || element > last->last);
    group->count++;
    if (group->has_more_runs) return;
    if (last && last->last + 1 == element) {
        last->last = element;
    } else if (group->runs_len == FAILURE_RUNS_MAX) {
        group->has_more_runs = true;
    } else {
        group->runs[group->runs_len++] = (struct failure_run){element, element};
    }
}

void failure_groups_add(struct failure_groups *groups, const struct read_failure *failure)
{
    struct failure_group *group = group_of(groups, failure);

    groups->failed++;
    if (group) {
        add_element(group, failure->element);
    } else {
        groups->apart++;
    }
}

static int by_count(const void *a, const void *b)
{
    const struct failure_group *left = *(const struct failure_group *const *)a;
    const struct failure_group *right = *(const struct failure_group *const *)b;

    if (left->count != right->count) return left->count < right->count ? 1 : -1;
    return (left->first.element > right->first.element) -
           (left->first.element < right->first.element);
}

const struct failure_group *const *failure_groups_sorted(struct failure_groups *groups,
                                                         size_t *ret_len)
{
    fl_vec_clear(&groups->sorted);
    for (size_t i = 0; i < groups->all.len; i++) {
        fl_vec_push(&groups->sorted, groups->all.at[i]);
    }
    if (groups->sorted.len > 0) {
        qsort(groups->sorted.at, groups->sorted.len, sizeof *groups->sorted.at, by_count);
    }
    *ret_len = groups->sorted.len;
    return groups->sorted.at;
}

uint32_t failure_groups_failed(const struct failure_groups *groups)
{
    return groups->failed;
}

uint32_t failure_groups_apart(const struct failure_groups *groups)
{
    return groups->apart;
}
