#include "shared/io/metrics.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/fl_test.h"

enum { REQUESTS, LEADER, WAIT, FAMILIES };

static const double bounds[] = {0.5, 1, 2};

static const struct fl_metric_family families[FAMILIES] = {
    [REQUESTS] = {"fairlead_requests_total", FL_METRIC_COUNTER, "route,code", "Requests answered.",
                  .series_max = 4},
    [LEADER] = {"fairlead_leader", FL_METRIC_GAUGE, NULL, "1 when this replica leads."},
    [WAIT] = {"fairlead_wait_seconds", FL_METRIC_HISTOGRAM, "queue", "From submit to start.",
              .bounds = bounds, .bounds_len = 3},
};

static const char *expose(struct fl_metrics *metrics, char text[8192])
{
    struct fl_buf buf;

    fl_buf_init(&buf, 8191);
    assert_true(fl_metrics_write(metrics, &buf));
    if (buf.len > 0) memcpy(text, buf.at, buf.len);
    text[buf.len] = '\0';
    fl_buf_fini(&buf);
    return text;
}

static struct fl_metrics *create(void)
{
    struct fl_metrics *metrics = fl_metrics_create();

    fl_metrics_add(metrics, families, FAMILIES);
    return metrics;
}

static void the_text_is_what_prometheus_reads(void **state)
{
    struct fl_metrics *metrics = create();
    struct fl_metric *wait = fl_metric(metrics, &families[WAIT], "ml\"\\\n");
    char text[8192];

    (void)state;
    fl_metric_add(fl_metric(metrics, &families[REQUESTS], "/v1/jobs", "200"), 2);
    fl_metric_add(fl_metric(metrics, &families[REQUESTS], "/v1/jobs", "200"), 1);
    fl_metric_add(fl_metric(metrics, &families[REQUESTS], "/livez", "200"), 1);
    fl_metric_set(fl_metric(metrics, &families[LEADER]), 1);
    fl_metric_observe(wait, 0.5);
    fl_metric_observe(wait, 0.75);
    fl_metric_observe(wait, 99);
    assert_string_equal(expose(metrics, text),
                        "# HELP fairlead_leader 1 when this replica leads.\n"
                        "# TYPE fairlead_leader gauge\n"
                        "fairlead_leader 1\n"
                        "# HELP fairlead_requests_total Requests answered.\n"
                        "# TYPE fairlead_requests_total counter\n"
                        "fairlead_requests_total{route=\"/livez\",code=\"200\"} 1\n"
                        "fairlead_requests_total{route=\"/v1/jobs\",code=\"200\"} 3\n"
                        "# HELP fairlead_wait_seconds From submit to start.\n"
                        "# TYPE fairlead_wait_seconds histogram\n"
                        "fairlead_wait_seconds_bucket{queue=\"ml\\\"\\\\\\n\",le=\"0.5\"} 1\n"
                        "fairlead_wait_seconds_bucket{queue=\"ml\\\"\\\\\\n\",le=\"1\"} 2\n"
                        "fairlead_wait_seconds_bucket{queue=\"ml\\\"\\\\\\n\",le=\"2\"} 2\n"
                        "fairlead_wait_seconds_bucket{queue=\"ml\\\"\\\\\\n\",le=\"+Inf\"} 3\n"
                        "fairlead_wait_seconds_sum{queue=\"ml\\\"\\\\\\n\"} 100.25\n"
                        "fairlead_wait_seconds_count{queue=\"ml\\\"\\\\\\n\"} 3\n");
    fl_metrics_destroy(metrics);
    fl_metrics_destroy(NULL);
}

static void further_label_sets_share_one_series(void **state)
{
    struct fl_metrics *metrics = create();
    char route[16], text[8192];

    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(route, sizeof route, "/%d", i);
        fl_metric_add(fl_metric(metrics, &families[REQUESTS], route, "404"), 1);
    }
    expose(metrics, text);
    assert_non_null(strstr(text, "{route=\"/2\",code=\"404\"} 1\n"));
    assert_null(strstr(text, "{route=\"/3\""));
    assert_non_null(strstr(text, "{route=\"other\",code=\"other\"} 97\n"));
    assert_ptr_equal(fl_metric(metrics, &families[REQUESTS], "/1", "404"),
                     fl_metric(metrics, &families[REQUESTS], "/1", "404"));
    fl_metrics_destroy(metrics);
}

static void a_long_label_is_cut_between_characters(void **state)
{
    struct fl_metrics *metrics = create();
    char label[FL_METRIC_LABEL_MAX + 8], text[8192];

    (void)state;
    memset(label, 'a', sizeof label);
    memcpy(label + FL_METRIC_LABEL_MAX - 1, "\xc3\xa4", 2);
    label[sizeof label - 1] = '\0';
    fl_metric_observe(fl_metric(metrics, &families[WAIT], label), 1);
    expose(metrics, text);
    assert_null(strstr(text, "\xc3"));
    assert_non_null(strstr(text, "aaa\"} 1\n"));
    fl_metrics_destroy(metrics);
}

static void *count(void *ctx)
{
    struct fl_metrics *metrics = ctx;

    for (int i = 0; i < 10000; i++) {
        fl_metric_add(fl_metric(metrics, &families[LEADER]), 1);
        fl_metric_observe(fl_metric(metrics, &families[WAIT], "q"), 1);
    }
    return NULL;
}

static void no_count_is_lost_between_threads(void **state)
{
    struct fl_metrics *metrics = create();
    pthread_t threads[4];
    char text[8192];

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count, metrics), 0);
    }
    expose(metrics, text);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_true(fl_metric_value(fl_metric(metrics, &families[LEADER])) == 40000);
    assert_non_null(strstr(expose(metrics, text), "_count{queue=\"q\"} 40000\n"));
    fl_metrics_destroy(metrics);
}

static void set_leader(void *ctx)
{
    fl_metric_set(fl_metric(ctx, &families[LEADER]), 0.1);
}

static void collectors_run_before_each_exposition_and_what_does_not_fit_is_said(void **state)
{
    struct fl_metrics *metrics = create();
    struct fl_buf buf;
    char text[8192];

    (void)state;
    fl_metrics_on_collect(metrics, set_leader, metrics);
    assert_non_null(strstr(expose(metrics, text), "fairlead_leader 0.1\n"));
    fl_buf_init(&buf, 10);
    assert_false(fl_metrics_write(metrics, &buf));
    fl_buf_fini(&buf);
    fl_metrics_destroy(metrics);
}

static void the_reference_comes_from_the_rows(void **state)
{
    char *printed = NULL;
    size_t printed_len;
    FILE *out = open_memstream(&printed, &printed_len);

    (void)state;
    assert_non_null(out);
    fl_metrics_print_markdown(families, FAMILIES, out);
    fclose(out);
    assert_non_null(strstr(
        printed, "| `fairlead_requests_total` | counter | route,code | Requests answered. |\n"));
    free(printed);
}

FL_TESTS(cmocka_unit_test(the_text_is_what_prometheus_reads),
         cmocka_unit_test(further_label_sets_share_one_series),
         cmocka_unit_test(a_long_label_is_cut_between_characters),
         cmocka_unit_test(no_count_is_lost_between_threads),
         cmocka_unit_test(collectors_run_before_each_exposition_and_what_does_not_fit_is_said),
         cmocka_unit_test(the_reference_comes_from_the_rows))
