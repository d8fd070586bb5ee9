#include "controlplane/api/route_metrics.h"

#include "controlplane/api/route.h"
#include "tests/fl_test.h"

static void each_route_has_its_requests_errors_and_latency(void **state)
{
    static const struct api_route jobs = {.path = "/v1/jobs", .method = API_POST},
                                  job = {.path = "/v1/jobs/{job}", .method = API_GET};
    static const char gone[] =
        "fairlead_http_route_errors_total{method=\"GET\",route=\"/v1/jobs/{job}\",class=\"gone\"} "
        "1\n";
    static const char *const lines[] = {
        "fairlead_http_route_requests_total{method=\"POST\",route=\"/v1/jobs\"} 3\n",
        "fairlead_http_route_requests_total{method=\"GET\",route=\"/v1/jobs/{job}\"} 1\n",
        "fairlead_http_route_requests_total{method=\"other\",route=\"other\"} 1\n",
        "fairlead_http_route_errors_total{method=\"POST\",route=\"/v1/jobs\",class=\"4xx\"} 1\n",
        "fairlead_http_route_errors_total{method=\"POST\",route=\"/v1/jobs\",class=\"5xx\"} 1\n",
        gone,
        "fairlead_http_route_errors_total{method=\"other\",route=\"other\",class=\"4xx\"} 1\n",
        "fairlead_http_route_seconds_count{method=\"POST\",route=\"/v1/jobs\"} 3\n",
        "fairlead_http_route_seconds_sum{method=\"POST\",route=\"/v1/jobs\"} 2\n",
        "fairlead_http_route_seconds_bucket{method=\"POST\",route=\"/v1/jobs\",le=\"1\"} 2\n",
    };
    struct fl_metrics *metrics = fl_metrics_create();
    struct route_metrics *one, *other;
    struct fl_buf text;

    (void)state;
    fl_metrics_add(metrics, route_metric_families, ROUTE_METRICS_LEN);
    one = route_metrics_create(metrics);
    other = route_metrics_create(metrics);
    route_metrics_count(one, &jobs, 201, 0);
    route_metrics_count(other, &jobs, 422, 500);
    route_metrics_count(one, &jobs, 503, 1500);
    route_metrics_count(one, &job, 304, 10);
    route_metrics_count(one, &job, 0, 10);
    route_metrics_count(other, NULL, 404, 0);
    fl_buf_init(&text, 1 << 20);
    assert_true(fl_metrics_write(metrics, &text));
    fl_buf_put_u8(&text, 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!strstr((const char *)text.at, lines[i])) fail_msg("no %sin\n%s", lines[i], text.at);
    }
    assert_null(strstr((const char *)text.at, "route=\"/v1/jobs\",class=\"gone\""));
    fl_buf_fini(&text);
    route_metrics_destroy(one);
    route_metrics_destroy(other);
    fl_metrics_destroy(metrics);
}

FL_TESTS(cmocka_unit_test(each_route_has_its_requests_errors_and_latency))
