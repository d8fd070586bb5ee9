#include "controlplane/core/resource_table.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/resource_name.h"

void resource_table_fini(struct resource_table *table)
{
    for (size_t i = 0; i < table->names.len; i++) {
        fl_free((void *)table->names.at[i].at);
    }
    fl_vec_fini(&table->names);
}

uint8_t resource_table_find(const struct resource_table *table, struct fl_str name)
{
    for (size_t i = 0; i < table->names.len && name.len > 0; i++) {
        if (fl_str_eq(table->names.at[i], name)) return (uint8_t)(i + 1);
    }
    return 0;
}

bool resource_table_put(struct resource_table *table, uint8_t number, struct fl_str name,
                        struct fl_err *err)
{
    if (number == 0 || number > RESOURCES_MAX || !fl_is_resource_name(name)) {
        return fl_fail(err, FL_INVALID, "resource %u cannot be, or has no name", number);
    }
    while (table->names.len < number) {
        fl_vec_push(&table->names, (struct fl_str){0});
    }
    if (table->names.at[number - 1].len > 0 || resource_table_find(table, name)) {
        return fl_fail(err, FL_EXISTS, "resource %u, " FL_STR_FMT ", is there already", number,
                       FL_STR_ARG(name));
    }
    name.at = memcpy(fl_alloc(name.len), name.at, name.len);
    table->names.at[number - 1] = name;
    return true;
}

uint8_t resource_table_add(struct resource_table *table, struct fl_str name)
{
    uint8_t number = (uint8_t)(table->names.len + 1);
    struct fl_err err;

    if (number > RESOURCES_MAX) return 0;
    fl_assert(resource_table_put(table, number, name, &err));
    return number;
}

struct fl_str resource_table_name(const struct resource_table *table, uint8_t number)
{
    fl_assert(number > 0 && number <= table->names.len);
    return table->names.at[number - 1];
}
