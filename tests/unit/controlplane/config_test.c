/* The settings http_*: each has a least value with which the API serves, and less is refused. */
#include "controlplane/config.h"

#include "controlplane/api/route.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/logs/pattern.h"
#include "shared/base/str.h"
#include "tests/unit/controlplane/http/http_world.h"

/* The shares of a token: their least counts beside the presets of the others, and the other way. */
static bool is_share(size_t i)
{
    return i == CONFIG_http_token_percent || i == CONFIG_http_token_rate;
}

static int64_t preset(size_t i)
{
    uint64_t n;

    assert_true(fl_str_parse_u64(fl_str_c(config_settings[i].preset), &n));
    return (int64_t)n;
}

static int64_t least_but_shares(size_t i)
{
    return is_share(i) ? preset(i) : config_settings[i].min;
}

static int64_t least_of_shares(size_t i)
{
    return is_share(i) ? config_settings[i].min : preset(i);
}

static struct http_limits limits_of(int64_t (*value)(size_t i))
{
    return (struct http_limits){
#define HTTP_LIMIT(name, type, ...) .name = (type)value(CONFIG_http_##name),
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
    };
}

/* Starts with this value of one setting, as the program reads it. */
static bool reads(size_t i, int64_t value, struct fl_err *err)
{
    struct fl_config *config = fl_config_create(config_settings, CONFIG_LEN);
    char line[128];
    bool is_read;

    snprintf(line, sizeof line, "%s = %" PRId64 "\n", config_settings[i].key, value);
    is_read = fl_config_read_text(config, "fairleadd.conf", fl_str_c(line), err);
    fl_config_destroy(config);
    return is_read;
}

static void less_than_the_least_of_a_limit_is_refused_by_name(void **state)
{
    struct fl_err err = {0};

    (void)state;
    for (size_t i = CONFIG_http_head_bytes_max; i < CONFIG_LEN; i++) {
        const struct fl_config_setting *setting = &config_settings[i];
        char least[64];

        snprintf(least, sizeof least, "must be %" PRId64 " to ", setting->min);
        if (reads(i, setting->min - 1, &err)) fail_msg("%s is too small", setting->key);
        assert_non_null(strstr(err.text, setting->key));
        assert_non_null(strstr(err.text, least));
        if (!reads(i, setting->min, &err)) fail_msg("%s", err.text);
    }
}

/* The headers that a browser sends with a change, and those that a proxy adds: none is too many. */
static const char *const headers[] = {
    "Host",
    "Connection",
    "sec-ch-ua",
    "sec-ch-ua-mobile",
    "sec-ch-ua-platform",
    "User-Agent",
    "Accept",
    "Content-Type",
    "Authorization",
    "Cookie",
    "Origin",
    "Sec-Fetch-Site",
    "Sec-Fetch-Mode",
    "Sec-Fetch-Dest",
    "Referer",
    "Accept-Encoding",
    "Accept-Language",
    "Idempotency-Key",
    "traceparent",
    "If-None-Match",
    "DNT",
    "Sec-GPC",
    "Priority",
    "Cache-Control",
    "Pragma",
    "X-Forwarded-For",
    "X-Forwarded-Proto",
    "X-Forwarded-Host",
    "X-Real-IP",
    "Via",
    "X-Request-Id",
};

enum {
    HEADERS_LEN = sizeof headers / sizeof *headers,
    VALUE_BYTES = 104,
    PATTERN_BYTES = 3 * LOG_PATTERN_BYTES_MAX /* percent-encoded */
};

static size_t largest_fixed_body(void)
{
    size_t most = 0;

    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        for (const struct api_route *route = resource->routes; route->path; route++) {
            if (route->body_max == API_BODY || route->body_max == API_BODY_BATCH) continue;
            if (route->body_max > most) most = route->body_max;
        }
    }
    return most;
}

static void put(struct fl_buf *buf, const char *text)
{
    assert_true(fl_buf_put(buf, text, strlen(text)));
}

static void put_many(struct fl_buf *buf, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        put(buf, "x");
    }
}

/* All headers, of which "Host" has to be a name, with as much as limits.h leaves for them. */
static void put_request(struct fl_buf *buf, size_t target_bytes, size_t body_bytes)
{
    char length[64];

    put(buf, "POST /sum?q=");
    put_many(buf, target_bytes - 7);
    put(buf, " HTTP/1.1\r\n");
    for (size_t i = 0; i < HEADERS_LEN; i++) {
        put(buf, headers[i]);
        put(buf, ": ");
        put_many(buf, VALUE_BYTES);
        put(buf, "\r\n");
    }
    snprintf(length, sizeof length, "Content-Length: %zu\r\n\r\n", body_bytes);
    put(buf, length);
    put_many(buf, body_bytes);
}

static void serves(const struct http_limits *limits, size_t target_bytes, size_t body_bytes)
{
    struct world *world = world_create(limits);
    struct client *client = client_open(world, true);
    struct fl_buf request;

    fl_buf_init(&request, SIZE_MAX);
    put_request(&request, target_bytes, body_bytes);
    client_send(client, (struct fl_str){(const char *)request.at, request.len});
    client_expect(client, "200", "a request of the API");
    fl_buf_fini(&request);
    client_close(client);
    world_destroy(world);
}

static void the_api_is_served_with_all_limits_at_their_least(void **state)
{
    struct http_limits limits = limits_of(least_but_shares);
    struct fl_err err = {0};

    (void)state;
    if (!http_limits_check_together(&limits, &err)) fail_msg("%s", err.text);
    assert_true(largest_fixed_body() <= limits.body_bytes_max);
    assert_true(PATTERN_BYTES <= limits.target_bytes_max);
    serves(&limits, limits.target_bytes_max, limits.body_bytes_max);
    limits = limits_of(least_of_shares);
    if (!http_limits_check_together(&limits, &err)) fail_msg("%s", err.text);
}

static void refused(const struct http_limits *limits, const char *one, const char *other,
                    const char *mend)
{
    struct fl_err err = {0};

    assert_false(http_limits_check_together(limits, &err));
    assert_int_equal(err.code, FL_INVALID);
    if (!strstr(err.text, one) || !strstr(err.text, other) || !strstr(err.text, mend)) {
        fail_msg("%s", err.text);
    }
    assert_true(strlen(err.text) < sizeof err.text - 1);
}

/* Each of the mends that a refusal names is enough, and one less is not. */
static void limits_that_do_not_fit_one_another_are_refused_with_a_mend(void **state)
{
    struct http_limits limits = limits_of(preset);
    struct fl_err err = {0};

    (void)state;
    assert_true(http_limits_check_together(&limits, &err));
    limits.bodies_bytes_max = 8388608;
    refused(&limits, "http_bodies_bytes_max is 8388608", "http_batch_bytes_max, 8388608",
            "http_bodies_bytes_max to 16777216 at least, or http_batch_bytes_max to 4194304 at");
    limits.bodies_bytes_max = 16777215;
    assert_false(http_limits_check_together(&limits, &err));
    limits.bodies_bytes_max = 16777216;
    assert_true(http_limits_check_together(&limits, &err));
    limits.bodies_bytes_max = 8388608;
    limits.batch_bytes_max = 4194304;
    assert_true(http_limits_check_together(&limits, &err));
    limits.body_bytes_max = 4194305;
    refused(&limits, "http_bodies_bytes_max is 8388608", "http_body_bytes_max, 4194305",
            "http_body_bytes_max to 4194304 at most");

    limits = limits_of(preset);
    limits.target_bytes_max = 12289;
    refused(&limits, "http_head_bytes_max is 16384", "http_target_bytes_max, 12289",
            "http_head_bytes_max to 16385 at least");
    limits.head_bytes_max = 16385;
    assert_true(http_limits_check_together(&limits, &err));
}

static void a_share_that_is_too_small_for_a_token_is_refused_with_a_mend(void **state)
{
    struct http_limits limits = limits_of(preset);
    struct fl_err err = {0};

    (void)state;
    limits.token_percent = 1;
    limits.unsent_bytes_max = 6553600;
    refused(&limits, "http_token_percent is 1 of http_unsent_bytes_max, 6553600",
            "http_stream_bytes_max, 65536", "http_unsent_bytes_max to 6553700 at least");
    limits.unsent_bytes_max = 6553699;
    assert_false(http_limits_check_together(&limits, &err));
    limits.unsent_bytes_max = 6553700;
    assert_true(http_limits_check_together(&limits, &err));
    limits.answer_bytes_max = 65537;
    refused(&limits, "http_unsent_bytes_max, 6553700", "http_answer_bytes_max, 65537",
            "http_unsent_bytes_max to 6553800 at least");
    limits.answer_bytes_max = 65536;
    limits.connections_max = 199;
    refused(&limits, "http_token_percent is 1 of http_connections_max, 199", "2",
            "http_connections_max to 200 at least");
    limits.connections_max = 200;
    assert_true(http_limits_check_together(&limits, &err));
}

FL_TESTS(cmocka_unit_test(less_than_the_least_of_a_limit_is_refused_by_name),
         cmocka_unit_test(the_api_is_served_with_all_limits_at_their_least),
         cmocka_unit_test(limits_that_do_not_fit_one_another_are_refused_with_a_mend),
         cmocka_unit_test(a_share_that_is_too_small_for_a_token_is_refused_with_a_mend))
