#include "cli/json_read.h"

const char *cli_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

int64_t cli_int(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}
