#include "controlplane/api/router.h"

#include "controlplane/api/v1/resources.h"
#include "tests/fl_test.h"

static struct api_match match;

static enum api_found find(const char *method, const char *path)
{
    return api_route_find(api_v1.resources, fl_str_c(method), fl_str_c(path), &match);
}

static void a_path_finds_its_route_and_the_raw_parts_of_it(void **state)
{
    (void)state;
    assert_int_equal(find("GET", "/v1/jobs/job-7"), API_FOUND);
    assert_string_equal(match.route->path, "/v1/jobs/{job}");
    assert_int_equal(match.params_len, 1);
    assert_true(fl_str_eq(match.params[0], FL_STR("job-7")));
    assert_int_equal(find("POST", "/v1/jobs/job-7:cancel"), API_FOUND);
    assert_string_equal(match.route->path, "/v1/jobs/{job}:cancel");
    assert_true(fl_str_eq(match.params[0], FL_STR("job-7")));
    assert_int_equal(find("DELETE", "/v1/clusters/east/join-tokens/ab"), API_FOUND);
    assert_int_equal(match.params_len, 2);
    assert_int_equal(find("HEAD", "/v1/jobs"), API_FOUND);
}

static void a_literal_is_not_taken_for_a_name(void **state)
{
    (void)state;
    assert_int_equal(find("POST", "/v1/jobs:batch"), API_FOUND);
    assert_string_equal(match.route->path, "/v1/jobs:batch");
    assert_int_equal(find("GET", "/v1/jobs/job-7:cancel"), API_NO_METHOD);
    assert_int_equal(find("GET", "/v1/jobs/a:b"), API_NO_PATH);
    assert_int_equal(find("POST", "/v1/jobs/:cancel"), API_NO_PATH);
}

static void only_the_very_bytes_are_the_path(void **state)
{
    static const char *const others[] = {
        "/v1/%6Aobs", "/v1/jobs/", "//v1/jobs", "/v1//jobs",         "/V1/jobs",   "/v1/jobs/x/y/z",
        "/v1",        "/",         "/livez/",   "/livez/../v1/jobs", "/v1/jobs;x", "/x/livez",
    };

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(find("GET", others[i]), API_NO_PATH);
    }
}

static void a_wrong_method_is_told_the_right_ones(void **state)
{
    (void)state;
    assert_int_equal(find("DELETE", "/v1/jobs"), API_NO_METHOD);
    assert_string_equal(match.allow, "POST, GET, HEAD");
    assert_int_equal(find("PUT", "/livez"), API_NO_METHOD);
    assert_string_equal(match.allow, "GET, HEAD");
}

/* The name in a pattern: replaced by a word that fits it. */
static void fill(const char *pattern, char *out)
{
    while (*pattern) {
        if (*pattern == '{') {
            *out++ = 'x';
            pattern = strchr(pattern, '}') + 1;
        } else {
            *out++ = *pattern++;
        }
    }
    *out = 0;
}

static void every_route_is_found_by_its_own_pattern_and_no_two_share_one(void **state)
{
    size_t routes_len = 0;

    (void)state;
    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        for (const struct api_route *route = resource->routes; route->path; route++) {
            char path[200];

            fill(route->path, path);
            assert_int_equal(find(api_method_name(route->method), path), API_FOUND);
            assert_ptr_equal(match.route, route);
            assert_non_null(route->run);
            assert_true(route->need < API_NEEDS_LEN && strlen(route->text) > 10);
            routes_len++;
        }
    }
    assert_true(routes_len > 40);
}

FL_TESTS(cmocka_unit_test(a_path_finds_its_route_and_the_raw_parts_of_it),
         cmocka_unit_test(a_literal_is_not_taken_for_a_name),
         cmocka_unit_test(only_the_very_bytes_are_the_path),
         cmocka_unit_test(a_wrong_method_is_told_the_right_ones),
         cmocka_unit_test(every_route_is_found_by_its_own_pattern_and_no_two_share_one))
