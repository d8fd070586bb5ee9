#include "controlplane/usage/usage_save.h"

#include <inttypes.h>
#include <stdio.h>

#include "controlplane/store/pg_array.h"
#include "controlplane/store/pg_conn.h"

/* The parameters of the statement, in its order. */
enum {
    MARK_LEN = 3,
    DAY_KEYS = 5,
    DAYS_LEN = DAY_KEYS + USAGE_SUMS_LEN,
    HOUR_KEYS = 4,
    HOUR_TIMES = HOUR_KEYS + THROUGHPUT_COUNTS_LEN, /* two histograms, each with its longest */
    HOURS_LEN = HOUR_TIMES + 4,
    ARRAYS_LEN = DAYS_LEN + HOURS_LEN,
};

static Oid type_of(size_t array)
{
    static const Oid days[DAY_KEYS] = {PG_INT4, PG_INT4, PG_INT4, PG_TEXT, PG_TEXT};
    size_t of_hours = array - DAYS_LEN;

    if (array < DAY_KEYS) return days[array];
    if (array < DAYS_LEN) return PG_INT8;
    if (of_hours < HOUR_KEYS) return PG_INT4;
    return of_hours == HOUR_TIMES || of_hours == HOUR_TIMES + 2 ? PG_TEXT : PG_INT8;
}

static void put_day(struct pg_array *arrays, const struct usage_day *day)
{
    pg_array_put_i32(&arrays[0], (uint32_t)day->day);
    pg_array_put_i32(&arrays[1], day->group.tenant);
    pg_array_put_i32(&arrays[2], day->group.queue);
    pg_array_put_str(&arrays[3], day->group.owner);
    pg_array_put_str(&arrays[4], day->group.labels);
    for (size_t i = 0; i < USAGE_SUMS_LEN; i++) {
        pg_array_put_i64(&arrays[DAY_KEYS + i], day->sums[i]);
    }
}

/* As the text of an array, since Postgres has no array of arrays of different lengths. */
static void put_histogram(struct pg_array *arrays, const struct fl_histogram *histogram)
{
    char text[FL_HISTOGRAM_BUCKETS * 21 + 3] = "{";
    size_t len = 1, buckets = FL_HISTOGRAM_BUCKETS;

    while (buckets > 0 && histogram->counts[buckets - 1] == 0) {
        buckets--;
    }
    for (size_t i = 0; i < buckets; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%" PRIu64, i ? "," : "",
                                histogram->counts[i]);
    }
    text[len++] = '}';
    pg_array_put_bytes(&arrays[0], text, len);
    pg_array_put_i64(&arrays[1], (uint64_t)histogram->longest);
}

static void put_hour(struct pg_array *arrays, const struct usage_hour *hour)
{
    pg_array_put_i32(&arrays[0], hour->step.hours);
    pg_array_put_i32(&arrays[1], (uint32_t)hour->step.hour);
    pg_array_put_i32(&arrays[2], hour->step.tenant);
    pg_array_put_i32(&arrays[3], hour->step.queue);
    for (size_t i = 0; i < THROUGHPUT_COUNTS_LEN; i++) {
        pg_array_put_i64(&arrays[HOUR_KEYS + i], hour->counts[i]);
    }
    put_histogram(&arrays[HOUR_TIMES], &hour->waits);
    put_histogram(&arrays[HOUR_TIMES + 2], &hour->runs);
}

bool usage_save(struct pg_conn *conn, const struct usage_mark *mark, const struct usage_days *days,
                const struct usage_hours *hours)
{
    struct pg_array arrays[ARRAYS_LEN] = {{0}};
    struct pg_value values[MARK_LEN + ARRAYS_LEN];
    int64_t from, to, at;
    bool is_sent;

    values[0] = pg_i64(&from, mark->from);
    values[1] = pg_i64(&to, mark->to);
    values[2] = pg_i64(&at, (uint64_t)mark->to_at);
    for (size_t i = 0; i < ARRAYS_LEN; i++) {
        pg_array_start(&arrays[i]);
    }
    for (size_t i = 0; i < days->len; i++) {
        put_day(arrays, &days->at[i]);
    }
    for (size_t i = 0; i < hours->len; i++) {
        put_hour(arrays + DAYS_LEN, &hours->at[i]);
    }
    for (size_t i = 0; i < ARRAYS_LEN; i++) {
        values[MARK_LEN + i] = pg_array_value(&arrays[i], type_of(i));
    }
    is_sent = pg_conn_send(conn, PG_STMT_usage_save, values);
    for (size_t i = 0; i < ARRAYS_LEN; i++) {
        pg_array_fini(&arrays[i]);
    }
    return is_sent;
}
