#include "controlplane/api/media_type.h"

#include "tests/fl_test.h"

static void a_type_is_known_in_any_writing(void **state)
{
    static const struct {
        const char *header;
        bool is_json, is_yaml, is_lines;
    } cases[] = {
        {"application/json", true, false, false},
        {"Application/JSON", true, false, false},
        {" application/json ;charset=utf-8", true, false, false},
        {"application/json;q=0", true, false, false},
        {"application/json-patch+json", false, false, false},
        {"application/jso", false, false, false},
        {"text/yaml", false, true, false},
        {"application/x-yaml; charset=utf-8", false, true, false},
        {"application/yaml", false, true, false},
        {"application/x-ndjson", false, false, true},
        {"application/ndjson", false, false, true},
        {"application/x-ndjsonish", false, false, false},
        {"*/*", false, false, false},
        {"application/json, text/yaml", false, false, false},
        {";", false, false, false},
        {"", false, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_str header = fl_str_c(cases[i].header);

        assert_int_equal(media_type_is(header, "application/json"), cases[i].is_json);
        assert_int_equal(media_type_is(header, "application/yaml"), cases[i].is_yaml);
        assert_int_equal(media_type_is(header, "application/x-ndjson"), cases[i].is_lines);
        assert_int_equal(media_type_is_in(header, "application/json, application/yaml"),
                         cases[i].is_json || cases[i].is_yaml);
    }
}

static void text_in_another_charset_is_known(void **state)
{
    static const struct {
        const char *header;
        bool is_utf8;
    } cases[] = {
        {"", true},
        {"application/json", true},
        {"application/json; charset=utf-8", true},
        {"application/json;Charset=\"UTF-8\"", true},
        {"application/json; charset = utf8 ; q=1", true},
        {"text/yaml; charset=US-ASCII", true},
        {"application/json; chars=latin1", true},
        {"charset=latin1", true},
        {"application/json; charset=latin1", false},
        {"application/json; charset=\"utf-16\"", false},
        {"application/json; q=1; charset=iso-8859-1", false},
        {"application/json; charset=utf-8; charset=utf-16", false},
        {"application/json; charset=", false},
        {"application/json; charset", false},
        {"application/json; charset=\"", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(media_type_is_utf8(fl_str_c(cases[i].header)), cases[i].is_utf8);
    }
}

static void the_most_exact_range_has_the_weight(void **state)
{
    static const struct {
        const char *accept;
        int events, lines;
    } cases[] = {
        {"", 1000, 1000},
        {"  ", 1000, 1000},
        {"*/*", 1000, 1000},
        {"text/*", 1000, 0},
        {"text/event-stream", 1000, 0},
        {"text/event-stream;q=0, */*", 0, 1000},
        {"*/*, text/event-stream; q=0", 0, 1000},
        {"text/*;q=0.5, */*;q=0.25, Application/X-NDJSON;Q=0.125", 500, 125},
        {"application/ndjson;level=1;q=1.000", 0, 1000},
        {"text/event-stream;q=0.000", 0, 0},
        {"text/event-stream;q=1.001", 0, 0},
        {"text/event-stream;q=2, text/event-stream;q=0.1", 100, 0},
        {"text/event-stream;q=", 0, 0},
        {"text/event-stream;q=0.1234", 0, 0},
        {"text/event-stream;q=.5", 0, 0},
        {"text/event-streams, text/event-strea, text/, /*, *, text", 0, 0},
        {",,;;,=,q=1,", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_str accept = fl_str_c(cases[i].accept);

        assert_int_equal(media_wish_for(accept, "text/event-stream").weight, cases[i].events);
        assert_int_equal(media_wish_for(accept, "application/x-ndjson").weight, cases[i].lines);
    }
}

static void a_name_has_its_place(void **state)
{
    struct fl_str accept = FL_STR("*/*, text/event-stream, application/x-ndjson");
    struct media_wish events = media_wish_for(accept, "text/event-stream");
    struct media_wish lines = media_wish_for(accept, "application/x-ndjson");
    struct media_wish other = media_wish_for(accept, "text/plain");

    (void)state;
    assert_true(events.is_named && lines.is_named && !other.is_named);
    assert_int_equal(events.place, 1);
    assert_int_equal(lines.place, 2);
    assert_int_equal(other.weight, 1000);
}

FL_TESTS(cmocka_unit_test(a_type_is_known_in_any_writing),
         cmocka_unit_test(text_in_another_charset_is_known),
         cmocka_unit_test(the_most_exact_range_has_the_weight),
         cmocka_unit_test(a_name_has_its_place))
