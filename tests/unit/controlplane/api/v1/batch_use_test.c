/* The API's fields of lines that use a spec are those of the job document's table. */
#include "controlplane/api/v1/resources.h"
#include "shared/spec/job_fields.h"
#include "tests/fl_test.h"

static bool has_field(const struct api_object *object, struct fl_str name)
{
    for (const struct api_field *field = object->fields; field->name; field++) {
        if (fl_str_eq(fl_str_c(field->name), name)) return true;
    }
    return false;
}

static void a_line_has_each_own_member_and_no_other(void **state)
{
    struct fl_job_fields fields = fl_job_fields(FL_JOB_OBJECT_job);

    (void)state;
    for (size_t i = 0; i < fields.len; i++) {
        bool is_own = fields.at[i].flags & FL_FIELD_OWN;

        assert_int_equal(has_field(&batch_use_object, fields.at[i].name), is_own);
        assert_int_equal(has_field(&batch_use_digest_object, fields.at[i].name), is_own);
    }
}

FL_TESTS(cmocka_unit_test(a_line_has_each_own_member_and_no_other))
