/* sort_answers.h - the order of a list that --sort asks for: "name", ".elements.failed", and with
 * a '-' before it the last first.  Numbers go by their value, texts so that node-2 is before
 * node-10; items without the field come last.  Equal ones keep their order. */
#pragma once

#include "cli/answer_path.h"

struct cli_order {
    const struct cli_path *path; /* NULL: none */
    bool is_descending;
};

FL_CHECK bool cli_order_parse(const char *text, struct fl_arena *arena, struct cli_order *ret_order,
                              struct fl_err *err);
void cli_order_apply(const struct cli_order *order, json_t *list);
