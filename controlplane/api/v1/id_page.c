#include "controlplane/api/v1/id_page.h"

#include <inttypes.h>
#include <stdio.h>

#include "controlplane/api/api_state.h"

enum { PAGE = 500 };

const struct api_field id_page_query[] = {
    API_MAY("cursor", "string",
            "where the page begins: 'cursor' of the page before; empty: at the first"),
    API_MAY("limit", "integer", "the most of one page", .min = 1, .max = PAGE, .preset = PAGE),
    {0},
};

bool id_page_from(struct api_call *call, uint32_t *ret_from)
{
    struct fl_str cursor = api_query(call, "cursor");
    uint64_t n = 0;

    if (cursor.len > 0 && (!fl_str_parse_u64(cursor, &n) || n > UINT32_MAX)) {
        api_fail_parameter(call, "cursor", "not a cursor of this list", cursor,
                           "'cursor' of the page before");
        return false;
    }
    *ret_from = (uint32_t)n;
    return true;
}

void id_page_put_next(struct fl_json_out *json, uint64_t next)
{
    char cursor[24];

    if (next == 0) return;
    snprintf(cursor, sizeof cursor, "%" PRIu64, next);
    fl_json_put_cstr(json, "cursor", cursor);
}
