#include "controlplane/api/label_counts.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

struct label_counts {
    FL_VEC(struct label_count *) all; /* as they came */
    FL_VEC(const struct label_count *) sorted;
    struct fl_map by_value; /* value to place in 'all' */
    struct label_sums without, others, total;
    struct fl_str key;
    char key_bytes[];
};

struct label_counts *label_counts_create(struct fl_str key)
{
    struct label_counts *counts = fl_alloc(sizeof *counts + key.len);

    if (key.len > 0) memcpy(counts->key_bytes, key.at, key.len);
    counts->key = (struct fl_str){counts->key_bytes, key.len};
    return counts;
}

void label_counts_destroy(struct label_counts *counts)
{
    if (!counts) return;
    for (size_t i = 0; i < counts->all.len; i++) {
        fl_free(counts->all.at[i]);
    }
    fl_vec_fini(&counts->all);
    fl_vec_fini(&counts->sorted);
    fl_map_fini(&counts->by_value);
    fl_free(counts);
}

/* From "key=value\n" lines.  A value may have '=', a key has none. */
static bool find_value(struct fl_str lines, struct fl_str key, struct fl_str *ret_value)
{
    while (lines.len > 0) {
        struct fl_str line = fl_str_cut(&lines, '\n');
        struct fl_str name = fl_str_cut(&line, '=');

        if (!fl_str_eq(name, key)) continue;
        *ret_value = line;
        return true;
    }
    return false;
}

/* NULL: there are too many values. */
static struct label_count *count_of(struct label_counts *counts, struct fl_str value)
{
    struct label_count *count;
    char *copy;
    uint64_t place;

    if (fl_map_find(&counts->by_value, value.at, value.len, &place)) return counts->all.at[place];
    if (counts->all.len == LABEL_COUNTS_MAX) return NULL;
    count = fl_alloc(sizeof *count + value.len);
    copy = (char *)(count + 1);
    if (value.len > 0) memcpy(copy, value.at, value.len);
    *count = (struct label_count){.value = {copy, value.len}};
    fl_map_put(&counts->by_value, value.at, value.len, counts->all.len);
    fl_vec_push(&counts->all, count);
    return count;
}

static enum label_count_state state_of(const struct read_job *job)
{
    if (!job->is_ended) return LABEL_COUNT_open;
    if (job->state == JOB_succeeded) return LABEL_COUNT_succeeded;
    return job->state == JOB_failed ? LABEL_COUNT_failed : LABEL_COUNT_cancelled;
}

static void add(struct label_sums *sums, enum label_count_state state)
{
    sums->jobs++;
    sums->in_state[state]++;
}

void label_counts_add(struct label_counts *counts, const struct read_job *job)
{
    enum label_count_state state = state_of(job);
    struct fl_str value;

    add(&counts->total, state);
    if (!find_value(job->row.labels, counts->key, &value)) {
        add(&counts->without, state);
    } else {
        struct label_count *count = count_of(counts, value);

        add(count ? &count->sums : &counts->others, state);
    }
}

static int by_jobs(const void *a, const void *b)
{
    const struct label_count *left = *(const struct label_count *const *)a;
    const struct label_count *right = *(const struct label_count *const *)b;

    if (left->sums.jobs != right->sums.jobs) return left->sums.jobs > right->sums.jobs ? -1 : 1;
    return fl_str_cmp(left->value, right->value);
}

const struct label_count *const *label_counts_sorted(struct label_counts *counts, size_t *ret_len)
{
    counts->sorted.len = 0;
    for (size_t i = 0; i < counts->all.len; i++) {
        fl_vec_push(&counts->sorted, counts->all.at[i]);
    }
    if (counts->sorted.len > 0) {
        qsort(counts->sorted.at, counts->sorted.len, sizeof *counts->sorted.at, by_jobs);
    }
    *ret_len = counts->sorted.len;
    return counts->sorted.at;
}

struct label_sums label_counts_without(const struct label_counts *counts)
{
    return counts->without;
}

struct label_sums label_counts_others(const struct label_counts *counts)
{
    return counts->others;
}

struct label_sums label_counts_total(const struct label_counts *counts)
{
    return counts->total;
}
