#include "controlplane/front/spec_cache.h"

#include "shared/base/alloc.h"
#include "tests/fl_test.h"

static struct fl_digest digest(uint8_t n)
{
    return (struct fl_digest){{n}};
}

static bool find(struct spec_cache *specs, uint64_t job, const char *document, const char *params)
{
    struct fl_buf found_document, found_params;
    struct fl_digest found;
    bool is_found;

    fl_buf_init(&found_document, 1 << 20);
    fl_buf_init(&found_params, 1 << 20);
    is_found = spec_cache_find(specs, (struct fl_job){job}, &found, &found_document, &found_params);
    if (is_found) {
        assert_int_equal(found_document.len, strlen(document));
        assert_memory_equal(found_document.at, document, strlen(document));
        assert_int_equal(found_params.len, strlen(params));
        if (params[0]) assert_memory_equal(found_params.at, params, strlen(params));
    } else {
        assert_int_equal(found_document.len + found_params.len, 0);
    }
    fl_buf_fini(&found_document);
    fl_buf_fini(&found_params);
    return is_found;
}

static void a_job_is_found_once_both_of_its_parts_are_there(void **state)
{
    struct spec_cache *specs = spec_cache_create(1 << 20);
    struct row job = {.kind = ROW_job_new,
                      .job_new = {.job = 7, .spec = digest(1), .params = FL_STR("{\"a\":\"b\"}")}};
    struct row spec = {.kind = ROW_spec_new,
                       .spec_new = {.digest = digest(1), .body = FL_STR("{}")}};

    (void)state;
    assert_false(find(specs, 7, "", ""));
    spec_cache_apply(specs, &job);
    assert_false(find(specs, 7, "", ""));
    spec_cache_apply(specs, &spec);
    assert_true(find(specs, 7, "{}", "{\"a\":\"b\"}"));
    spec_cache_put_job(specs, (struct fl_job){8}, digest(1), (struct fl_str){0});
    assert_true(find(specs, 8, "{}", ""));
    spec_cache_destroy(specs);
}

static void at_its_bound_the_oldest_go(void **state)
{
    struct spec_cache *specs = spec_cache_create(64 << 10);
    char *large = fl_new_array(char, 5000);
    struct fl_str params = {large, 5000};

    (void)state;
    memset(large, 'x', 4999);
    spec_cache_put_document(specs, digest(1), FL_STR("{}"));
    for (uint64_t job = 1; job <= 10000; job++) {
        spec_cache_put_job(specs, (struct fl_job){job}, digest(1), params);
    }
    assert_false(find(specs, 1, "", ""));
    params.len = 0;
    spec_cache_put_job(specs, (struct fl_job){10001}, digest(1), params);
    assert_true(find(specs, 10001, "{}", ""));
    fl_free(large);
    spec_cache_destroy(specs);
}

FL_TESTS(cmocka_unit_test(a_job_is_found_once_both_of_its_parts_are_there),
         cmocka_unit_test(at_its_bound_the_oldest_go))
