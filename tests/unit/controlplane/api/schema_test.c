/* The tables of routes and objects: a field takes the right values, and the tables are whole. */
#include "controlplane/api/schema.h"

#include "controlplane/api/openapi.h"
#include "controlplane/api/v1/resources.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/json/json.h"
#include "shared/spec/job_fields.h"
#include "tests/fl_test.h"

static struct fl_arena arena;

static bool takes(const struct api_field *field, const char *text)
{
    const struct fl_json *value;
    struct fl_err err = {0};

    if (!fl_json_parse(fl_str_c(text), &arena, &value, NULL, &err)) fail_msg("%s", err.text);
    return api_field_takes(field, value);
}

static void a_field_takes_what_its_table_says(void **state)
{
    const struct api_field many = API_MAY("m", "array of string", "", .words = "a, b", .max = 2);
    const struct api_field either = API_MAY("e", "array of integer or string or null", "");
    const struct api_field number = API_MAY("n", "integer", "", .min = 1, .max = 9);
    const struct api_field text = API_MAY("t", "string", "", .min = 1, .max = 3);
    const struct api_field name = API_MAY("q", "string", "", .format = API_FORMAT_name);
    const struct api_field map = API_MAY("o", "map of string", "");

    (void)state;
    assert_true(takes(&many, "[]") && takes(&many, "[\"a\",\"b\"]"));
    assert_false(takes(&many, "[\"c\"]") || takes(&many, "[\"a\",\"a\",\"a\"]"));
    assert_false(takes(&many, "\"a\"") || takes(&many, "[[\"a\"]]") || takes(&many, "[null]"));
    assert_true(takes(&either, "[1]") && takes(&either, "\"x\"") && takes(&either, "null"));
    assert_false(takes(&either, "[\"x\"]") || takes(&either, "1") || takes(&either, "{}"));
    assert_true(takes(&number, "1") && takes(&number, "9"));
    assert_false(takes(&number, "0") || takes(&number, "10") || takes(&number, "1.0"));
    assert_true(takes(&text, "\"abc\""));
    assert_false(takes(&text, "\"\"") || takes(&text, "\"abcd\"") || takes(&text, "1"));
    assert_true(takes(&name, "\"ml-2\""));
    assert_false(takes(&name, "\"-ml\"") || takes(&name, "\"\""));
    assert_true(takes(&map, "{\"a\":\"b\"}"));
    assert_false(takes(&map, "{\"a\":1}") || takes(&map, "[]"));
    fl_arena_fini(&arena);
}

static void the_item_that_is_wrong_is_found(void **state)
{
    const struct api_field many = API_MAY("m", "array of string", "", .words = "a, b", .max = 2);
    const struct api_field map = API_MAY("o", "map of string", "");
    const struct api_field number = API_MAY("n", "integer", "", .min = 1, .max = 9);
    const struct {
        const struct api_field *field;
        const char *text, *wrong; /* as its text or kind */
    } rows[] = {
        {&many, "[\"a\",\"c\"]", "c"},        {&many, "[3,\"a\"]", "3"},
        {&many, "[\"a\",\"a\",\"c\"]", NULL}, {&many, "\"a\"", NULL},
        {&map, "{\"a\":\"b\",\"c\":1}", "1"}, {&number, "10", NULL},
    };
    char allowed[API_ALLOWED_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fl_json *value, *wrong;
        struct fl_err err = {0};

        assert_true(fl_json_parse(fl_str_c(rows[i].text), &arena, &value, NULL, &err));
        wrong = api_field_wrong(rows[i].field, value);
        if (rows[i].wrong) {
            assert_true(fl_str_eq(wrong->text, fl_str_c(rows[i].wrong)));
        } else {
            assert_ptr_equal(wrong, value);
        }
    }
    api_item_allowed(&many, allowed);
    assert_string_equal(allowed, "a, b");
    api_item_allowed(&map, allowed);
    assert_string_equal(allowed, "string");
    fl_arena_fini(&arena);
}

static void a_text_of_a_query_is_read_by_its_type(void **state)
{
    const struct api_field number = API_MAY("n", "integer", "", .min = 1, .max = 9);
    const struct api_field flag = API_MAY("f", "boolean", "");
    const struct api_field word = API_MAY("w", "string", "", .words = "text, jsonl");
    const struct api_field any = API_MAY("a", "string", "");
    const struct api_field may_be_empty = API_MAY("e", "string", "", .max = 9);

    (void)state;
    assert_true(api_field_takes_text(&number, FL_STR("9")));
    assert_false(api_field_takes_text(&number, FL_STR("")));
    assert_false(api_field_takes_text(&number, FL_STR("10")));
    assert_false(api_field_takes_text(&number, FL_STR("-1")));
    assert_true(api_field_takes_text(&flag, FL_STR("")));
    assert_true(api_field_takes_text(&flag, FL_STR("false")));
    assert_false(api_field_takes_text(&flag, FL_STR("yes")));
    assert_true(api_field_takes_text(&word, FL_STR("jsonl")));
    assert_false(api_field_takes_text(&word, FL_STR("json")));
    assert_false(api_field_takes_text(&any, FL_STR("")));
    assert_true(api_field_takes_text(&may_be_empty, FL_STR("")));
}

static void what_is_allowed_is_told_in_words(void **state)
{
    const struct api_field fields[] = {
        API_MAY("", "integer", "", .min = 1, .max = 9),
        API_MAY("", "string", "", .min = 1, .max = 3),
        API_MAY("", "array of string", "", .words = "a, b"),
        API_MAY("", "string or null", ""),
    };
    const char *const wanted[] = {"integer, 1 to 9", "string, 1 to 3 bytes", "a list of a, b",
                                  "string or null"};
    char allowed[API_ALLOWED_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        api_field_allowed(&fields[i], allowed);
        assert_string_equal(allowed, wanted[i]);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

static bool is_known_object(struct fl_str name)
{
    for (const struct api_object *const *object = api_v1.objects; *object; object++) {
        if (fl_str_eq(fl_str_c((*object)->name), name)) return true;
    }
    for (int i = 0; i < FL_JOB_OBJECTS_LEN; i++) {
        if (fl_str_eq(name, fl_str_c(fl_job_object_name((enum fl_job_object)i)))) return true;
    }
    return false;
}

static void check_type(const char *whose, const char *types)
{
    static const char *const words[] = {"string", "integer", "number", "boolean", "object", "null"};
    enum api_form form;
    struct fl_str word;

    while (types && api_type_next(&types, &form, &word)) {
        bool is_known = api_type_is_object(word) && is_known_object(word);

        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            is_known |= fl_str_eq(word, fl_str_c(words[i]));
        }
        if (!is_known) fail_msg("%s: type " FL_STR_FMT, whose, FL_STR_ARG(word));
    }
}

static void check_fields(const char *whose, const struct api_field *fields)
{
    for (; fields && fields->name; fields++) {
        check_type(whose, fields->type);
        assert_true(fields->text && fields->text[0]);
        assert_true(fields->min <= fields->max);
        assert_ptr_equal(api_field_find(fields, fl_str_c(fields->name)), fields);
    }
}

static void every_type_is_known_and_every_route_tells_its_answer(void **state)
{
    (void)state;
    for (const struct api_object *const *object = api_v1.objects; *object; object++) {
        const char *words = (*object)->one_of;
        struct fl_str word;

        check_fields((*object)->name, (*object)->fields);
        while (api_word_next(&words, &word)) {
            assert_true(is_known_object(word));
        }
    }
    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        for (const struct api_route *route = resource->routes; route->path; route++) {
            check_fields(route->path, route->query);
            check_fields(route->path, route->body);
            check_type(route->path, route->answer);
            check_type(route->path, route->schema);
            if (!route->answer && !route->gives) fail_msg("%s answers what?", route->path);
        }
    }
}

/* Its members are there, of the kind that the table says, and no others. */
/* A choice that lacks one makes clients refuse what they are sent. */
static void every_event_is_among_the_events(void **state)
{
    size_t events = 0;

    (void)state;
    for (const struct api_object *const *object = api_v1.objects; *object; object++) {
        const char *name = (*object)->name, *words = event_object.one_of;
        size_t len = strlen(name);
        struct fl_str word;
        bool is_there = false;

        if (*object == &event_object || len < 5 || strcmp(name + len - 5, "Event") != 0) continue;
        while (api_word_next(&words, &word)) {
            is_there = is_there || fl_str_eq(word, fl_str_c(name));
        }
        if (!is_there) fail_msg("%s is not among the events", name);
        events++;
    }
    assert_true(events > 10);
}

static void check_example(const struct api_object *object)
{
    const struct fl_json *root;
    struct fl_err err = {0};

    if (!object->example) return;
    if (!fl_json_parse(fl_str_c(object->example), &arena, &root, NULL, &err)) {
        fail_msg("%s: %s", object->name, err.text);
    }
    FL_JSON_EACH (member, root) {
        const struct api_field *field = api_field_find(object->fields, member->key);

        if (object->fields && (!field || !api_field_takes(field, member))) {
            fail_msg("%s: " FL_STR_FMT, object->name, FL_STR_ARG(member->key));
        }
    }
    for (const struct api_field *field = object->fields; field && field->name; field++) {
        if (field->is_required && !fl_json_member(root, fl_str_c(field->name))) {
            fail_msg("the example of %s lacks %s", object->name, field->name);
        }
    }
}

static void examples_are_what_they_are_examples_of(void **state)
{
    (void)state;
    for (const struct api_object *const *object = api_v1.objects; *object; object++) {
        check_example(*object);
    }
    fl_arena_fini(&arena);
}

static void the_document_is_json(void **state)
{
    const struct fl_json *root;
    struct fl_err err = {0};
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1 << 20);
    api_openapi_write(&buf, &api_v1);
    assert_false(buf.is_over);
    if (!fl_json_parse((struct fl_str){(const char *)buf.at, buf.len}, &arena, &root, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_field_takes_what_its_table_says),
         cmocka_unit_test(the_item_that_is_wrong_is_found),
         cmocka_unit_test(a_text_of_a_query_is_read_by_its_type),
         cmocka_unit_test(what_is_allowed_is_told_in_words),
         cmocka_unit_test(every_type_is_known_and_every_route_tells_its_answer),
         cmocka_unit_test(every_event_is_among_the_events),
         cmocka_unit_test(examples_are_what_they_are_examples_of),
         cmocka_unit_test(the_document_is_json))
