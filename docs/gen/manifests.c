/* manifests.c - prints docs/reference/manifests.md from manifest.def. */
#include <stdio.h>

#include "shared/spec/manifest_fields.h"

static void print_kinds(void)
{
    const struct fl_manifest_kind *kind;

    printf("\n## Kinds\n\n| taken | becomes |\n|---|---|\n");
    for (size_t i = 0; (kind = fl_manifest_kind_at(i)); i++) {
        if (kind->is_taken) printf("| `%s` `%s` | %s |\n", kind->api, kind->name, kind->text);
    }
    printf("\nRefused by name, with a remedy (all others are refused too):\n\n");
    for (size_t i = 0; (kind = fl_manifest_kind_at(i)); i++) {
        if (kind->is_taken) continue;
        printf("- `%s`%s%s: %s\n", kind->name, kind->api[0] ? " of " : "", kind->api, kind->text);
    }
}

/* "a|b" as `a`, `b`. */
static void print_values(const char *values)
{
    printf(" `");
    for (; *values; values++) {
        if (*values == '|') {
            printf("`, `");
        } else {
            putchar(*values);
        }
    }
    printf("` only:");
}

static void print_field(const struct fl_manifest_field *field)
{
    printf("| `" FL_STR_FMT "` | ", FL_STR_ARG(field->name));
    switch (field->rule) {
    case FL_MANIFEST_taken:
        printf("taken | %s |\n", field->text);
        break;
    case FL_MANIFEST_child:
    case FL_MANIFEST_only_item:
        printf("taken | %s%s%s |\n", fl_manifest_object_name(field->child),
               *field->text ? ": " : "", field->text);
        break;
    case FL_MANIFEST_passed:
        printf("passed over |");
        if (*field->values) print_values(field->values);
        printf(" %s |\n", field->text);
        break;
    case FL_MANIFEST_refused:
        printf("refused | %s |\n", field->text);
        break;
    }
}

static void print_object(enum fl_manifest_object object)
{
    const struct fl_manifest_field *field;

    printf("\n## %s\n\n%s\n\n| field | | |\n|---|---|---|\n", fl_manifest_object_name(object),
           fl_manifest_object_text(object));
    for (size_t i = 0; (field = fl_manifest_field_at(i)); i++) {
        if (field->object == object) print_field(field);
    }
}

int main(void)
{
    printf("# Manifests, field by field\n\n"
           "Made by `docs/gen/manifests.c` from `shared/spec/manifest.def`; change that, not this. "
           "`docs/manifests.md` explains\n"
           "it with examples. A field that is *taken* becomes the named field of the "
           "[job document](job.md); one that is *passed over* says\n"
           "nothing here. Every field that is not listed is refused by name. `null` is as no field "
           "at all, and so is a refused\n"
           "field that is empty (`[]`, `{}`, `\"\"`).\n");
    print_kinds();
    for (int object = 0; object < FL_MANIFEST_OBJECT_OBJECTS_LEN; object++) {
        print_object((enum fl_manifest_object)object);
    }
    return fflush(stdout) != 0;
}
