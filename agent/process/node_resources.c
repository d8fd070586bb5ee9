#include "agent/process/node_resources.h"

#include <string.h>

#include "agent/core/agent_event.h" /* AGENT_NODE_NAMED_MAX */
#include "shared/base/arena.h"
#include "shared/base/resource_name.h"
#include "shared/spec/quantity.h"

static struct fl_str trim(struct fl_str s)
{
    while (s.len > 0 && s.at[0] == ' ') {
        s = (struct fl_str){s.at + 1, s.len - 1};
    }
    while (s.len > 0 && s.at[s.len - 1] == ' ') {
        s.len--;
    }
    return s;
}

/* Takes the text before 'end', and 'end' too; all of the text, if 'end' is not in it. */
static struct fl_str take_until(struct fl_str *text, char end)
{
    const char *at = text->len > 0 ? memchr(text->at, end, text->len) : NULL;
    size_t len = at ? (size_t)(at - text->at) : text->len;
    struct fl_str part = {text->at, len};

    *text = (struct fl_str){text->at + len, text->len - len};
    if (at) *text = (struct fl_str){at + 1, text->len - 1};
    return trim(part);
}

static bool read_number(struct fl_str name, struct fl_str text, uint64_t *ret_n)
{
    if (fl_is_bytes_resource(name)) return fl_quantity_units(text, ret_n);
    return fl_str_parse_u64(text, ret_n);
}

static bool read_part(struct fl_str part, struct fl_arena *arena, struct fl_amounts *amounts,
                      struct fl_err *err)
{
    struct fl_str rest = part, name = take_until(&rest, '='), number = trim(rest);
    uint64_t n;

    if (!fl_is_job_resource(name)) {
        return fl_fail(err, FL_INVALID,
                       "'" FL_STR_FMT "' is no NAME=AMOUNT with the name of a resource: it has a "
                       "'/', as in rdma/hca=4, or is ephemeral-storage, hugepages-2Mi or "
                       "hugepages-1Gi",
                       FL_STR_ARG(part));
    }
    if (!read_number(name, number, &n) || n > FL_AMOUNT_MAX) {
        return fl_fail(err, FL_INVALID,
                       "'" FL_STR_FMT "': the amount is not %s up to 2^" FL_QUOTE(FL_AMOUNT_BITS),
                       FL_STR_ARG(part),
                       fl_is_bytes_resource(name) ? "a number of bytes, as 10Gi,"
                                                  : "a whole number");
    }
    if (fl_amounts_of(amounts, name) > 0) {
        return fl_fail(err, FL_INVALID, FL_STR_FMT " is there twice", FL_STR_ARG(name));
    }
    fl_amounts_set(amounts, (struct fl_amount){fl_arena_str(arena, name), n}, arena);
    return true;
}

bool node_resources_read(struct fl_str text, struct fl_arena *arena, struct fl_amounts *ret_amounts,
                         struct fl_err *err)
{
    struct fl_amounts amounts = {0};

    text = trim(text);
    while (text.len > 0) {
        if (!read_part(take_until(&text, ','), arena, &amounts, err)) {
            return fl_err_wrap(err, "node_resources");
        }
        if (amounts.len > AGENT_NODE_NAMED_MAX) {
            return fl_fail(err, FL_TOO_LARGE,
                           "node_resources: it names more than %d resources, the most of a node",
                           AGENT_NODE_NAMED_MAX);
        }
    }
    *ret_amounts = amounts;
    return true;
}
