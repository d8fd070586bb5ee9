#include "cli/sort_answers.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"

bool cli_order_parse(const char *text, struct fl_arena *arena, struct cli_order *ret_order,
                     struct fl_err *err)
{
    ret_order->is_descending = *text == '-';
    text += ret_order->is_descending;
    ret_order->path = cli_path_parse(fl_str_c(text), arena, err);
    return ret_order->path != NULL;
}

struct item {
    json_t *item;
    const json_t *key; /* NULL: none */
    size_t place;
    bool is_descending;
};

static int rank(const json_t *key)
{
    if (!key || json_is_null(key)) return 3;
    if (json_is_number(key)) return 0;
    return json_is_string(key) ? 1 : 2;
}

static int compare_keys(const json_t *a, const json_t *b)
{
    if (json_is_integer(a) && json_is_integer(b)) {
        return (json_integer_value(a) > json_integer_value(b)) -
               (json_integer_value(a) < json_integer_value(b));
    }
    if (json_is_number(a)) {
        return (json_number_value(a) > json_number_value(b)) -
               (json_number_value(a) < json_number_value(b));
    }
    if (json_is_boolean(a)) return json_is_true(a) - json_is_true(b);
    return json_is_string(a) ? strverscmp(json_string_value(a), json_string_value(b)) : 0;
}

static int compare(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = rank(a->key) - rank(b->key);

    if (order == 0) {
        order = compare_keys(a->key, b->key);
        if (a->is_descending) order = -order;
    }
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

void cli_order_apply(const struct cli_order *order, json_t *list)
{
    size_t len = json_array_size(list);
    struct item *items = fl_new_array(struct item, len);

    for (size_t i = 0; i < len; i++) {
        json_t *one = json_array_get(list, i);

        items[i] = (struct item){json_incref(one), cli_path_first(order->path, one), i,
                                 order->is_descending};
    }
    qsort(items, len, sizeof *items, compare);
    json_array_clear(list);
    for (size_t i = 0; i < len; i++) {
        json_array_append_new(list, items[i].item);
    }
    fl_free(items);
}
