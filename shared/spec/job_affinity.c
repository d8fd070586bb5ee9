#include "shared/spec/job_affinity.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/node_affinity.h"
#include "shared/spec/job_draft.h"

#define NOTHING ((struct fl_str){0})

/* ---- texts ----------------------------------------------------------------------------------- */

static void check_requirement(const struct fl_job_check *check, const struct fl_path *path,
                              const struct fl_json *item, const struct fl_job_node_requirement *one)
{
    const char *name = fl_node_operator_name(one->operates);
    size_t least = fl_node_operator_values_min(one->operates);
    size_t most = fl_node_operator_values_max(one->operates);

    if (one->values.len > 0 && most == 0) {
        fl_job_wrong(check, path, item, NOTHING, "operator %s takes no values: leave them out",
                     name);
    } else if (most == 1 && (one->values.len != 1 || !fl_node_number_is(one->values.at[0]))) {
        fl_job_wrong(check, path, item, FL_STR("values: [\"8\"]"),
                     "operator %s compares with one whole number, not below 0", name);
    } else if (one->values.len < least) {
        fl_job_wrong(check, path, item, FL_STR("values: [a, b]"),
                     "operator %s needs values, at least one", name);
    }
}

/* The words with 'between' between them. */
static struct fl_str join(const struct fl_strs *words, char between, struct fl_arena *arena)
{
    size_t len = 0;
    char *text;

    for (size_t i = 0; i < words->len; i++) {
        len += words->at[i].len + 1;
    }
    text = fl_arena_alloc(arena, len + 1);
    len = 0;
    for (size_t i = 0; i < words->len; i++) {
        if (i > 0) text[len++] = between;
        if (words->at[i].len > 0) memcpy(text + len, words->at[i].at, words->at[i].len);
        len += words->at[i].len;
    }
    return (struct fl_str){text, len};
}

struct fl_str fl_job_requirement_text(const struct fl_job_check *check, const struct fl_path *path,
                                      const struct fl_json *item,
                                      const struct fl_job_node_requirement *one)
{
    static const struct {
        const char *before, *between, *behind;
    } marks[] = {
        [FL_NODE_In] = {"", " in (", ")"}, [FL_NODE_NotIn] = {"", " notin (", ")"},
        [FL_NODE_Exists] = {"", "", ""},   [FL_NODE_DoesNotExist] = {"!", "", ""},
        [FL_NODE_Gt] = {"", ">", ""},      [FL_NODE_Lt] = {"", "<", ""},
    };
    struct fl_str values = join(&one->values, ',', check->arena);

    check_requirement(check, path, item, one);
    return fl_str_c(fl_arena_printf(check->arena, "%s" FL_STR_FMT "%s" FL_STR_FMT "%s",
                                    marks[one->operates].before, FL_STR_ARG(one->key),
                                    marks[one->operates].between, FL_STR_ARG(values),
                                    marks[one->operates].behind));
}

struct fl_str fl_job_term_text(const struct fl_strs *requirements, struct fl_arena *arena)
{
    return join(requirements, ',', arena);
}

static size_t count_requirements(const struct fl_strs *terms)
{
    struct fl_node_requirement one;
    size_t len = 0;

    for (size_t i = 0; i < terms->len; i++) {
        struct fl_str term = terms->at[i];

        while (term.len > 0 && fl_node_requirement_take(&term, &one)) {
            len++;
        }
    }
    return len;
}

struct fl_str fl_job_affinity_text(const struct fl_job_check *check, const struct fl_path *path,
                                   const struct fl_json *node, const struct fl_strs *terms)
{
    struct fl_str text = join(terms, '\n', check->arena);

    if (count_requirements(terms) > FL_JOB_NODE_REQUIREMENTS_MAX) {
        fl_job_wrong(
            check, path, node, NOTHING,
            "the terms have over " FL_QUOTE(FL_JOB_NODE_REQUIREMENTS_MAX) " requirements together");
    } else if (text.len + 1 > FL_JOB_AFFINITY_BYTES_MAX) {
        fl_job_wrong(
            check, path, node, NOTHING,
            "the terms have over " FL_QUOTE(
                FL_JOB_AFFINITY_BYTES_MAX) " bytes together, each written as zone in (a,b),!ssd");
    }
    return fl_str_c(fl_arena_printf(check->arena, FL_STR_FMT "\n", FL_STR_ARG(text)));
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_requirement(struct fl_json_out *out, struct fl_node_requirement one)
{
    struct fl_str value;

    fl_json_open(out, NULL, '{');
    fl_json_put_str(out, "key", one.key);
    fl_json_put_cstr(out, "operator", fl_node_operator_name(one.operates));
    if (one.values.at) {
        fl_json_open(out, "values", '[');
        while (fl_str_next_word(&one.values, ',', &value)) {
            fl_json_put_str(out, NULL, value);
        }
        fl_json_close(out, ']');
    }
    fl_json_close(out, '}');
}

static void put_field_of(struct fl_json_out *out, struct fl_str node)
{
    struct fl_node_requirement one = {FL_STR("metadata.name"), FL_NODE_In, node};

    if (node.len == 0) return;
    fl_json_open(out, "matchFields", '[');
    put_requirement(out, one);
    fl_json_close(out, ']');
}

void fl_job_put_node_terms(struct fl_json_out *out, struct fl_str affinity, struct fl_str node)
{
    bool is_first = true;

    fl_json_open(out, NULL, '[');
    while (affinity.len > 0 || is_first) {
        struct fl_str term = fl_str_cut(&affinity, '\n');
        struct fl_node_requirement one;

        is_first = false;
        fl_json_open(out, NULL, '{');
        if (term.len > 0) {
            fl_json_open(out, "matchExpressions", '[');
            while (term.len > 0 && fl_node_requirement_take(&term, &one)) {
                put_requirement(out, one);
            }
            fl_json_close(out, ']');
        }
        put_field_of(out, node);
        fl_json_close(out, '}');
    }
    fl_json_close(out, ']');
}
