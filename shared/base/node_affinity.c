#include "shared/base/node_affinity.h"

#include <string.h>

#include "shared/base/job_limits.h"

enum { KEY_BYTES_MAX = 317 }; /* a prefix of 253, a slash, a name */

static const struct {
    const char *name;
    size_t values_min, values_max;
} operators[] = {
    [FL_NODE_In] = {"In", 1, FL_JOB_NODE_VALUES_MAX},
    [FL_NODE_NotIn] = {"NotIn", 1, FL_JOB_NODE_VALUES_MAX},
    [FL_NODE_Exists] = {"Exists", 0, 0},
    [FL_NODE_DoesNotExist] = {"DoesNotExist", 0, 0},
    [FL_NODE_Gt] = {"Gt", 1, 1},
    [FL_NODE_Lt] = {"Lt", 1, 1},
};

const char *fl_node_operator_name(enum fl_node_operator operates)
{
    return operators[operates].name;
}

bool fl_node_operator_parse(struct fl_str name, enum fl_node_operator *ret)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!fl_str_eq(name, fl_str_c(operators[i].name))) continue;
        *ret = (enum fl_node_operator)i;
        return true;
    }
    return false;
}

size_t fl_node_operator_values_min(enum fl_node_operator operates)
{
    return operators[operates].values_min;
}

size_t fl_node_operator_values_max(enum fl_node_operator operates)
{
    return operators[operates].values_max;
}

static bool read_number(struct fl_str text, uint64_t *ret)
{
    return fl_str_parse_u64(text, ret) && *ret <= INT64_MAX;
}

bool fl_node_number_is(struct fl_str value)
{
    uint64_t number;

    return read_number(value, &number);
}

/* ---- the text -------------------------------------------------------------------------------- */

static bool is_label_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
}

/* All of the front that a key or a value may have. */
static struct fl_str take_bytes(struct fl_str *text)
{
    struct fl_str front = {text->at, 0};

    while (front.len < text->len && is_label_byte(text->at[front.len])) {
        front.len++;
    }
    text->at += front.len;
    text->len -= front.len;
    return front;
}

static bool take_mark(struct fl_str *text, const char *mark)
{
    size_t len = strlen(mark);

    if (text->len < len || memcmp(text->at, mark, len) != 0) return false;
    text->at += len;
    text->len -= len;
    return true;
}

static bool take_set(struct fl_str *text, struct fl_str *ret)
{
    struct fl_str front = *text;
    size_t len = 0;

    do {
        if (len++ == FL_JOB_NODE_VALUES_MAX) return false;
        if (take_bytes(text).len > FL_NODE_VALUE_BYTES_MAX) return false;
    } while (take_mark(text, ","));
    *ret = (struct fl_str){front.at, front.len - text->len};
    return take_mark(text, ")");
}

/* The operator and its values, behind the key. */
static bool take_rest(struct fl_str *text, struct fl_node_requirement *to)
{
    bool is_not = false, is_less = false;

    if (take_mark(text, " in (") || (is_not = take_mark(text, " notin ("))) {
        to->operates = is_not ? FL_NODE_NotIn : FL_NODE_In;
        return take_set(text, &to->values);
    }
    if (take_mark(text, ">") || (is_less = take_mark(text, "<"))) {
        to->operates = is_less ? FL_NODE_Lt : FL_NODE_Gt;
        to->values = take_bytes(text);
        return to->values.len <= FL_NODE_VALUE_BYTES_MAX && fl_node_number_is(to->values);
    }
    to->operates = FL_NODE_Exists;
    return true;
}

bool fl_node_requirement_take(struct fl_str *term, struct fl_node_requirement *ret)
{
    struct fl_node_requirement one = {0};
    struct fl_str rest = *term;
    bool is_absent = take_mark(&rest, "!");

    one.key = take_bytes(&rest);
    if (one.key.len == 0 || one.key.len > KEY_BYTES_MAX) return false;
    if (is_absent) {
        one.operates = FL_NODE_DoesNotExist;
    } else if (!take_rest(&rest, &one)) {
        return false;
    }
    if (rest.len > 0 && (!take_mark(&rest, ",") || rest.len == 0)) return false;
    *term = rest;
    *ret = one;
    return true;
}

static bool are_sorted(struct fl_str values)
{
    struct fl_str one, last = {0};

    for (bool is_first = true; fl_str_next_word(&values, ',', &one); is_first = false) {
        if (!is_first && fl_str_cmp(last, one) >= 0) return false;
        last = one;
    }
    return true;
}

/* Adds its requirements to *len. */
static bool is_term(struct fl_str term, size_t *len)
{
    struct fl_str last = {0};

    while (term.len > 0) {
        struct fl_node_requirement one;
        struct fl_str text = term;

        if ((*len)++ == FL_JOB_NODE_REQUIREMENTS_MAX) return false;
        if (!fl_node_requirement_take(&term, &one) || !are_sorted(one.values)) return false;
        text.len -= term.len + (term.len > 0 ? strlen(",") : 0);
        if (last.len > 0 && fl_str_cmp(last, text) >= 0) return false;
        last = text;
    }
    return last.len > 0;
}

bool fl_node_affinity_is(struct fl_str text)
{
    struct fl_str last = {0};
    size_t requirements = 0;

    if (text.len == 0 || text.len > FL_JOB_AFFINITY_BYTES_MAX || text.at[text.len - 1] != '\n') {
        return false;
    }
    for (size_t len = 0; text.len > 0; len++) {
        struct fl_str term = fl_str_cut(&text, '\n');

        if (len == FL_JOB_NODE_TERMS_MAX || !is_term(term, &requirements)) return false;
        if (len > 0 && fl_str_cmp(last, term) >= 0) return false;
        last = term;
    }
    return true;
}

/* ---- the rule -------------------------------------------------------------------------------- */

static bool find_value(struct fl_str labels, struct fl_str key, struct fl_str *ret)
{
    while (labels.len > 0) {
        struct fl_str line = fl_str_cut(&labels, '\n');

        if (line.len <= key.len || line.at[key.len] != '=') continue;
        if (memcmp(line.at, key.at, key.len) != 0) continue;
        *ret = (struct fl_str){line.at + key.len + 1, line.len - key.len - 1};
        return true;
    }
    return false;
}

static bool is_among(struct fl_str values, struct fl_str value)
{
    struct fl_str one;

    while (fl_str_next_word(&values, ',', &one)) {
        if (fl_str_eq(one, value)) return true;
    }
    return false;
}

static bool is_met(const struct fl_node_requirement *one, struct fl_str labels)
{
    struct fl_str value;
    bool has = find_value(labels, one->key, &value);
    uint64_t number, limit;

    switch (one->operates) {
    case FL_NODE_In:
        return has && is_among(one->values, value);
    case FL_NODE_NotIn:
        return !has || !is_among(one->values, value);
    case FL_NODE_Exists:
        return has;
    case FL_NODE_DoesNotExist:
        return !has;
    case FL_NODE_Gt:
    case FL_NODE_Lt:
        break;
    }
    if (!has || !read_number(value, &number) || !read_number(one->values, &limit)) return false;
    return one->operates == FL_NODE_Gt ? number > limit : number < limit;
}

static bool matches_term(struct fl_str term, struct fl_str labels)
{
    struct fl_node_requirement one;

    while (term.len > 0) {
        if (!fl_node_requirement_take(&term, &one) || !is_met(&one, labels)) return false;
    }
    return true;
}

bool fl_node_affinity_matches(struct fl_str text, struct fl_str labels)
{
    while (text.len > 0) {
        if (matches_term(fl_str_cut(&text, '\n'), labels)) return true;
    }
    return false;
}
