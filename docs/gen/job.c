/* job.c - prints docs/reference/job.md from fields.def. */
#include <stdio.h>

#include "shared/spec/job_fields.h"

/* In a cell of a table. */
static void print_cell(const char *text)
{
    for (; *text; text++) {
        if (*text == '|') putchar('\\');
        putchar(*text);
    }
}

static void print_field(const struct fl_job_field *field)
{
    char allowed[FL_JOB_ALLOWED_MAX];

    fl_job_allowed(field, allowed);
    printf("| `" FL_STR_FMT "` | ", FL_STR_ARG(field->name));
    if (field->child < FL_JOB_OBJECTS_LEN) {
        const char *name = fl_job_object_name(field->child);

        printf("%s [%s](#", allowed, name);
        for (const char *c = name; *c; c++) {
            putchar(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
        }
        printf(")");
    } else {
        print_cell(allowed);
    }
    printf(" | ");
    if (field->flags & FL_FIELD_REQUIRED) printf("*Required.* ");
    if (field->flags & FL_FIELD_SHORT) printf("*Short form.* ");
    print_cell(field->text);
    printf(" |\n");
}

static void print_object(enum fl_job_object object)
{
    struct fl_job_fields fields = fl_job_fields(object);
    const struct fl_job_refused *refused;
    const char *title = "\nRefused by name, with a remedy:\n\n";

    printf("\n## %s\n\n%s\n\n| field | holds | |\n|---|---|---|\n", fl_job_object_name(object),
           fl_job_object_text(object));
    for (size_t i = 0; i < fields.len; i++) {
        print_field(&fields.at[i]);
    }
    for (size_t i = 0; (refused = fl_job_refused_at(i)); i++) {
        if (refused->object != object) continue;
        printf("%s- `" FL_STR_FMT "`: %s\n", title, FL_STR_ARG(refused->name), refused->why);
        title = "";
    }
}

int main(void)
{
    printf("# The job document, field by field\n\n"
           "Made by `docs/gen/job.c` from `shared/spec/fields.def`; change that, not this. "
           "`docs/job-document.md` explains\n"
           "it with examples. Every field that is not listed is refused by name.\n");
    for (int object = 0; object < FL_JOB_OBJECTS_LEN; object++) {
        print_object((enum fl_job_object)object);
    }
    return fflush(stdout) != 0;
}
