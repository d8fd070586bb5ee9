#include "shared/spec/job_schema.h"

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/json/json.h"
#include "shared/json/json_out.h"
#include "shared/spec/job_fields.h"
#include "tests/fl_test.h"

#define PREFIX "#/components/schemas/"

static const struct fl_json *schemas(struct fl_buf *buf, struct fl_arena *arena)
{
    struct fl_json_out out = fl_json_out(buf);
    const struct fl_json *root;
    struct fl_err err = {0};

    fl_json_open(&out, NULL, '{');
    fl_job_schema(&out);
    fl_json_close(&out, '}');
    if (!fl_json_parse((struct fl_str){(const char *)buf->at, buf->len}, arena, &root, NULL,
                       &err)) {
        fail_msg("%s", err.text);
    }
    return root;
}

static void every_field_of_the_table_is_a_property(void **state)
{
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1 << 18);
    root = schemas(&buf, &arena);
    assert_int_equal(root->len, FL_JOB_OBJECTS_LEN);
    for (int object = 0; object < FL_JOB_OBJECTS_LEN; object++) {
        struct fl_job_fields fields = fl_job_fields((enum fl_job_object)object);
        struct fl_str name = fl_str_c(fl_job_object_name((enum fl_job_object)object));
        const struct fl_json *schema = fl_json_member(root, name), *many;

        assert_non_null(schema);
        assert_int_equal(fl_json_member(schema, FL_STR("additionalProperties"))->n, 0);
        /* The field that stands for many names is a pattern. */
        many = fl_json_member(schema, FL_STR("patternProperties"));
        assert_int_equal(fl_json_member(schema, FL_STR("properties"))->len + (many ? 1 : 0),
                         fields.len);
        for (size_t i = 0; i < fields.len; i++) {
            const struct fl_json *property =
                fields.at[i].kind == FL_JOB_KIND_devices_named
                    ? many->first
                    : fl_json_member(fl_json_member(schema, FL_STR("properties")),
                                     fields.at[i].name);

            assert_non_null(property);
            assert_true(fl_json_member(property, FL_STR("description"))->text.len > 0);
            assert_true(property->len > 1); /* and what it may hold */
        }
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

static void every_reference_leads_to_a_schema(void **state)
{
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_buf buf;
    const char *at;
    size_t n = 0;

    (void)state;
    fl_buf_init(&buf, 1 << 18);
    root = schemas(&buf, &arena);
    fl_buf_put_u8(&buf, 0);
    for (at = (const char *)buf.at; (at = strstr(at, PREFIX)); n++) {
        const char *name = at + sizeof PREFIX - 1;

        at = strchr(name, '"');
        assert_non_null(at);
        assert_non_null(fl_json_member(root, (struct fl_str){name, (size_t)(at - name)}));
    }
    assert_true(n >= 8);
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

static void a_refused_field_is_none_that_we_have(void **state)
{
    const struct fl_job_refused *refused;

    (void)state;
    for (size_t i = 0; (refused = fl_job_refused_at(i)); i++) {
        assert_null(fl_job_find_field(refused->object, refused->name));
        assert_true(strlen(refused->why) > 0);
    }
}

/* The reader takes an empty text as none, and a value without quotes. */
static void a_toleration_may_have_what_its_reader_takes(void **state)
{
    static const struct {
        const char *field, *keyword, *first;
        size_t len;
    } rows[] = {
        {"operator", "enum", "", 3}, {"effect", "enum", "", 4}, {"value", "type", "string", 3}};
    struct fl_arena arena = {0};
    const struct fl_json *properties;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1 << 18);
    properties =
        fl_json_member(fl_json_member(schemas(&buf, &arena),
                                      fl_str_c(fl_job_object_name(FL_JOB_OBJECT_toleration))),
                       FL_STR("properties"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fl_json *list = fl_json_member(
            fl_json_member(properties, fl_str_c(rows[i].field)), fl_str_c(rows[i].keyword));

        assert_int_equal(list->kind, FL_JSON_LIST);
        assert_int_equal(list->len, rows[i].len);
        assert_true(fl_str_eq(list->first->text, fl_str_c(rows[i].first)));
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(every_field_of_the_table_is_a_property),
         cmocka_unit_test(every_reference_leads_to_a_schema),
         cmocka_unit_test(a_refused_field_is_none_that_we_have),
         cmocka_unit_test(a_toleration_may_have_what_its_reader_takes))
