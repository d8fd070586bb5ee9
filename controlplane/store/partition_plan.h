/* partition_plan.h - which partitions there should be, and the statements that make and remove
 * them.  Two families: JOBS, the tables partitioned by job id, and BATCHES, those partitioned by
 * batch number.  All tables of a family have partitions of the same bounds, made together.  A
 * partition of table T that begins at N is named T_pN.
 *
 * They are counted, since every statement that touches a table pays for each of its partitions:
 * from PARTITION_MANY on each new one is twice as wide as it would be with one less, so that the
 * hundred is not reached; when it were, none is made: the core then runs out of ids and says so.  A
 * partition is the configured span otherwise, and always cut at multiples of it.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/types.h"

struct fl_buf;

enum partition_family { PARTITION_JOBS, PARTITION_BATCHES, PARTITION_FAMILIES_LEN };

enum {
    PARTITION_TABLES_MAX = 6,
    PARTITION_MANY = 32,
    PARTITION_MAX = 100, /* attached, of one table */
};

/* The tables of a family, NULL after the last; the one that says which partitions there are is
 * last, so that it is removed last. */
extern const char *const partition_tables[PARTITION_FAMILIES_LEN][PARTITION_TABLES_MAX + 1];

const char *partition_master(enum partition_family family);

struct partition_range {
    uint64_t lo, hi; /* lo <= id < hi */
};

struct partition_list { /* of one family's master, by lo */
    struct partition_range *at;
    size_t len, cap;
};

/* True: make this one.  'attached': partitions of the table of the family that has most; 'used':
 * the largest number in use; 'room': how far beyond it there must be room. */
FL_CHECK bool partition_wanted(const struct partition_list *list, size_t attached, uint64_t used,
                               uint64_t span, uint64_t room, struct partition_range *ret_range);

/* Only what is behind the partition of the newest number may ever go: that one tells the next
 * number. */
bool partition_may_go(struct partition_range range, uint64_t used);

/* One text, a C string in the end, that makes a partition of each table of the family; sent as one
 * query it makes all or none. */
FL_CHECK bool partition_make_sql(struct fl_buf *out, enum partition_family family,
                                 struct partition_range range);
/* Each alone, outside a transaction, in this order: */
void partition_detach_sql(char *out, size_t out_bytes, const char *table, uint64_t lo);
void partition_finalize_sql(char *out, size_t out_bytes, const char *table, uint64_t lo);
void partition_drop_sql(char *out, size_t out_bytes, const char *table, uint64_t lo);
/* One row: the newest batch that wrote into the partition, NULL while a job of it is open; its
 * time; and whether that is only the least it can be, which holds where it is after
 * 'young_from'. */
void partition_newest_sql(char *out, size_t out_bytes, enum partition_family family,
                          const char *table, struct partition_range range, int64_t young_from);

/* Reads pg_get_expr's "FOR VALUES FROM ('0') TO ('1000000')". */
FL_CHECK bool partition_parse(const char *bound, struct partition_range *ret_range);
