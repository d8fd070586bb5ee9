#include "controlplane/store/partition_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/buf.h"

#define SPAN_MAX ((uint64_t)1 << 32)

enum { DOUBLINGS_MAX = 20 };

const char *const partition_tables[PARTITION_FAMILIES_LEN][PARTITION_TABLES_MAX + 1] = {
    [PARTITION_JOBS] = {"spec", "attempt", "attempt_end", "attempt_stop", "attempt_words",
                        "element_end", "job_edit", "job_end", "job", NULL},
    [PARTITION_BATCHES] = {"audit", "journal", NULL},
};

const char *partition_master(enum partition_family family)
{
    const char *const *table = partition_tables[family];

    while (table[1]) {
        table++;
    }
    return *table;
}

bool partition_wanted(const struct partition_list *list, size_t attached, uint64_t used,
                      uint64_t span, uint64_t room, struct partition_range *ret_range)
{
    uint64_t lo = list->len > 0 ? list->at[list->len - 1].hi : 0;
    size_t doublings = attached < PARTITION_MANY ? 0 : attached - PARTITION_MANY + 1;
    uint64_t width = span << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
    uint64_t hi;

    fl_assert(span > 0 && span <= SPAN_MAX && used < INT64_MAX);
    if (attached >= PARTITION_MAX) return false;
    if (lo > used && lo - used > room) return false;
    hi = (lo > used ? lo : used) + width;
    if (hi % span > 0) hi += span - hi % span;
    if (hi > INT64_MAX) hi = INT64_MAX - INT64_MAX % span;
    if (hi <= lo) return false;
    *ret_range = (struct partition_range){lo, hi};
    return true;
}

bool partition_may_go(struct partition_range range, uint64_t used)
{
    return range.hi <= used;
}

bool partition_make_sql(struct fl_buf *out, enum partition_family family,
                        struct partition_range range)
{
    char line[512];

    for (const char *const *table = partition_tables[family]; *table; table++) {
        int len = snprintf(line, sizeof line,
                           "create table %s_p%" PRIu64 "(like %s including all);"
                           "alter table %s attach partition %s_p%" PRIu64
                           " for values from (%" PRIu64 ") to (%" PRIu64 ");",
                           *table, range.lo, *table, *table, *table, range.lo, range.lo, range.hi);

        fl_buf_put(out, line, (size_t)len);
    }
    return fl_buf_put_u8(out, 0);
}

void partition_detach_sql(char *out, size_t out_bytes, const char *table, uint64_t lo)
{
    snprintf(out, out_bytes, "alter table %s detach partition %s_p%" PRIu64 " concurrently", table,
             table, lo);
}

void partition_finalize_sql(char *out, size_t out_bytes, const char *table, uint64_t lo)
{
    snprintf(out, out_bytes, "alter table %s detach partition %s_p%" PRIu64 " finalize", table,
             table, lo);
}

void partition_drop_sql(char *out, size_t out_bytes, const char *table, uint64_t lo)
{
    snprintf(out, out_bytes, "drop table if exists %s_p%" PRIu64, table, lo);
}

void partition_newest_sql(char *out, size_t out_bytes, enum partition_family family,
                          const char *table, struct partition_range range, uint64_t late_jobs,
                          int64_t young_from)
{
    if (family == PARTITION_JOBS) {
        /* A job of it may lack its row in open_job (apply.h) until the newest is far enough ahead.
         * Ids and batches grow together, so the newest job tells the newest batch of 'job' by its
         * key.  When that alone is too young to go, it is the answer, and a lower bound: reading
         * all ends costs a second a million.  greatest() passes over NULL: an empty partition, a
         * gap of the numbers, gives -1 and may go. */
        snprintf(
            out, out_bytes,
            "select n.batch, (select j.at from journal j where j.batch = n.batch), n.is_least,"
            " n.is_pinned from (select case when b.is_open or not b.is_past then null"
            " when b.is_least then b.batch else greatest(-1,"
            " b.batch, (select max(batch) from element_end_p%" PRIu64
            "), (select max(batch) from job_end_p%" PRIu64
            ")) end as batch, b.is_least, b.is_open and b.is_past and not b.is_least as is_pinned"
            " from (select a.batch, coalesce((select j.at from journal j where j.batch = a.batch)"
            " > %" PRId64 ", false) as is_least, exists (select from open_job where job >= %" PRIu64
            " and job < %" PRIu64 ") as is_open, exists (select from job where id >= %" PRIu64
            ") as is_past from (select (select batch from job_p%" PRIu64
            " order by id desc limit 1) as batch offset 0) a offset 0) b) n",
            range.lo, range.lo, young_from, range.lo, range.hi, range.hi - 1 + late_jobs, range.lo);
        return;
    }
    snprintf(out, out_bytes,
             "select %" PRIu64 ", (select at from %s_p%" PRIu64
             " order by batch desc limit 1), false, false",
             range.hi - 1, table, range.lo);
}

bool partition_parse(const char *bound, struct partition_range *ret_range)
{
    struct partition_range range;

    if (sscanf(bound, "FOR VALUES FROM ('%" SCNu64 "') TO ('%" SCNu64 "')", &range.lo, &range.hi) !=
        2) {
        return false;
    }
    *ret_range = range;
    return range.lo < range.hi;
}
