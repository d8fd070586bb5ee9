#include "controlplane/visits/visit_status.h"

#include <inttypes.h>
#include <stdio.h>

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "shared/json/json_out.h"

enum { SIZE_NODES_MAX = 8 };

#define SIDE_MAX 65535 /* a terminal has, in characters */
_Static_assert(SIDE_MAX == UINT16_MAX, "struct fl_visit_size has 16 bits for each side");

static void write_exit_code(struct fl_json_out *json, int32_t exit_code)
{
    char text[80];

    snprintf(text, sizeof text, "command terminated with exit code %" PRId32, exit_code);
    fl_json_put_cstr(json, "message", text);
    fl_json_put_cstr(json, "reason", "NonZeroExitCode");
    fl_json_open(json, "details", '{');
    fl_json_open(json, "causes", '[');
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "reason", "ExitCode");
    snprintf(text, sizeof text, "%" PRId32, exit_code);
    fl_json_put_cstr(json, "message", text);
    fl_json_close(json, '}');
    fl_json_close(json, ']');
    fl_json_close(json, '}');
}

struct fl_str visit_status_write(const struct fl_visit_status *status,
                                 char text[VISIT_STATUS_BYTES_MAX])
{
    bool is_success = status->code == FL_OK && status->exit_code == 0;
    struct fl_json_out begun, *json = &begun;
    struct fl_buf out;
    size_t len;

    fl_buf_init(&out, VISIT_STATUS_BYTES_MAX);
    begun = fl_json_out(&out);
    fl_json_open(json, NULL, '{');
    fl_json_open(json, "metadata", '{');
    fl_json_close(json, '}');
    fl_json_put_cstr(json, "status", is_success ? "Success" : "Failure");
    if (status->code != FL_OK) {
        fl_json_put_str(json, "message", fl_str_is_text(status->text) ? status->text : FL_STR("?"));
        fl_json_put_cstr(json, "reason", fl_code_name(status->code));
    } else if (!is_success) {
        write_exit_code(json, status->exit_code);
    }
    fl_json_close(json, '}');
    len = out.is_over ? 0 : out.len;
    memcpy(text, out.at, len);
    fl_buf_fini(&out);
    return (struct fl_str){text, len};
}

bool visit_status_read_size(struct fl_str text, struct fl_visit_size *ret_size, struct fl_err *err)
{
    const struct fl_json *root = NULL, *width, *height;
    struct fl_arena arena = {0};
    struct fl_err why = {0};
    bool is_good = false;

    if (fl_json_parse_few(text, SIZE_NODES_MAX, &arena, &root, NULL, &why)) {
        width = fl_json_member(root, FL_STR("Width"));
        height = fl_json_member(root, FL_STR("Height"));
        is_good = width && height && width->kind == FL_JSON_INT && height->kind == FL_JSON_INT &&
                  width->n >= 0 && width->n <= SIDE_MAX && height->n >= 0 && height->n <= SIDE_MAX;
        if (is_good) *ret_size = (struct fl_visit_size){(uint16_t)height->n, (uint16_t)width->n};
    }
    fl_arena_fini(&arena);
    return is_good ||
           fl_fail(err, FL_INVALID,
                   "a size is {\"Width\":80,\"Height\":24}, each at most " FL_QUOTE(SIDE_MAX));
}
