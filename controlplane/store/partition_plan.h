/* partition_plan.h - decides which partitions to make, and writes the statements that make and
 * remove them.  There are two families: JOBS, the tables partitioned by job id, and BATCHES, those
 * partitioned by batch number.  All tables of a family have partitions of the same bounds, made
 * together.  A partition of table T that begins at N is named T_pN.
 *
 * A statement that touches a table pays for each of its partitions, so their number is bounded.
 * Below PARTITION_MANY each has the configured span.  From there on each further one makes the next
 * twice as wide, so that PARTITION_MAX is not reached; if it were, no partition would be made, and
 * the core would run out of ids and say so.  Bounds are always multiples of the span.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/types.h"

struct fl_buf;

enum partition_family { PARTITION_JOBS, PARTITION_BATCHES, PARTITION_FAMILIES_LEN };

enum {
    PARTITION_TABLES_MAX = 9,
    PARTITION_MANY = 32,
    PARTITION_MAX = 100, /* attached ones of one table */
};

/* The tables of a family, NULL after the last.  The master, whose partitions count as the family's,
 * stands last, so that it is removed last. */
extern const char *const partition_tables[PARTITION_FAMILIES_LEN][PARTITION_TABLES_MAX + 1];

const char *partition_master(enum partition_family family);

struct partition_range {
    uint64_t lo, hi; /* lo <= id < hi */
};

/* The partitions of one table, by lo. */
struct partition_list {
    struct partition_range *at;
    size_t len, cap;
};

/* True: make this one.  'list': the master's; 'attached': how many partitions the family's fullest
 * table has; 'used': the largest number in use; 'room': how far beyond 'used' partitions must
 * reach. */
FL_CHECK bool partition_wanted(const struct partition_list *list, size_t attached, uint64_t used,
                               uint64_t span, uint64_t room, struct partition_range *ret_range);

/* Whether the partition may ever go.  The one with the newest number must stay, since it tells the
 * next number. */
bool partition_may_go(struct partition_range range, uint64_t used);

/* Appends a C string that makes a partition of each table of the family; sent as one query it makes
 * all or none. */
FL_CHECK bool partition_make_sql(struct fl_buf *out, enum partition_family family,
                                 struct partition_range range);
/* Three statements, each sent alone, outside a transaction, in this order: */
void partition_detach_sql(char *out, size_t out_bytes, const char *table, uint64_t lo);
void partition_finalize_sql(char *out, size_t out_bytes, const char *table, uint64_t lo);
void partition_drop_sql(char *out, size_t out_bytes, const char *table, uint64_t lo);
/* Answers one row: the newest batch that wrote into the partition, or NULL while one of its jobs is
 * open or fewer than 'late_jobs' ids behind the newest; that batch's time; whether the two are only
 * lower bounds, which they are if the time is after 'young_from'; and whether a job that is open is
 * all that keeps it: its newest job was accepted at 'young_from' or earlier. */
void partition_newest_sql(char *out, size_t out_bytes, enum partition_family family,
                          const char *table, struct partition_range range, uint64_t late_jobs,
                          int64_t young_from);

/* Reads pg_get_expr's "FOR VALUES FROM ('0') TO ('1000000')". */
FL_CHECK bool partition_parse(const char *bound, struct partition_range *ret_range);
