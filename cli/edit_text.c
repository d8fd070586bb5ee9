#include "cli/edit_text.h"

#include <string.h>

#include "cli/answer_yaml.h"
#include "cli/json_read.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"
#include "shared/yaml/yaml.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* The members in the order of the text; 'may_go': one that is taken away is null. */
static const struct member {
    const char *name;
    bool may_go;
} members[] = {
    {"queue", false},      {"priority", false}, {"hold", false},  {"deadline", true},
    {"parallelism", true}, {"name", true},      {"labels", true},
};

static bool is_held(const json_t *job)
{
    const char *state = json_string_value(json_object_get(job, "state"));

    return state && strcmp(state, "held") == 0;
}

/* As it is now: a new reference. */
static json_t *value_of(const json_t *job, const char *name)
{
    json_t *value = json_object_get(job, name);

    if (strcmp(name, "hold") == 0) return json_boolean(is_held(job));
    return value ? json_incref(value) : json_null();
}

void cli_edit_text_write(const json_t *job, FILE *out)
{
    json_t *shown = json_object();

    fprintf(
        out,
        "# %s, %s. Change it, save, and leave the editor; lines with '#' do not count.\n"
        "# deadline is in seconds, or 1h30m. Deadline, parallelism, name and labels go away with "
        "their line.\n# A text without a change edits nothing.\n",
        json_string_value(json_object_get(job, "id")),
        json_string_value(json_object_get(job, "state")));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        json_object_set_new(shown, members[i].name, value_of(job, members[i].name));
    }
    cli_yaml_put(shown, out);
    json_decref(shown);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* *ret_root is NULL where the text is empty but for comments. */
static bool parse(struct fl_str text, struct fl_arena *arena, const struct fl_json **ret_root,
                  struct fl_err *err)
{
    struct fl_yaml *yaml = fl_yaml_create(text);
    const struct fl_json *root = NULL, *more = NULL;
    struct fl_place at = {0};
    bool is_good = fl_yaml_next(yaml, arena, &root, &at, err) &&
                   (!root || fl_yaml_next(yaml, arena, &more, &at, err));

    fl_yaml_destroy(yaml);
    if (!is_good) return fl_err_wrap(err, "line %u", at.line);
    if (root && (root->kind != FL_JSON_OBJECT || more)) {
        return fl_fail(err, FL_INVALID, "the text is no list of members, as 'queue: default'");
    }
    *ret_root = root;
    return true;
}

static json_t *tree_of(const struct fl_json *node)
{
    struct fl_json_out out;
    struct fl_buf buf;
    json_t *tree;

    fl_buf_init(&buf, (size_t)4 * CLI_EDIT_TEXT_MAX);
    out = fl_json_out(&buf);
    fl_json_put_tree(&out, node);
    tree = json_loadb((const char *)buf.at, buf.len, JSON_DECODE_ANY, NULL);
    fl_buf_fini(&buf);
    return tree ? tree : json_null();
}

/* A label's value is a text, also where it looks like a number. */
static json_t *label_of(const struct fl_json *node)
{
    bool is_plain =
        node->kind == FL_JSON_BOOL || node->kind == FL_JSON_INT || node->kind == FL_JSON_REAL;

    return is_plain ? json_stringn(node->text.at, node->text.len) : tree_of(node);
}

/* NULL: the labels stay as they are. */
static json_t *labels_changed(const json_t *job, const struct fl_json *node)
{
    json_t *before = json_object_get(job, "labels"), *changes = json_object(), *value;
    const char *key;

    FL_JSON_EACH (item, node) {
        json_t *label = label_of(item);
        json_t *old = json_object_getn(before, item->key.at, item->key.len);

        if (old && json_equal(old, label)) {
            json_decref(label);
        } else {
            json_object_setn_new(changes, item->key.at, item->key.len, label);
        }
    }
    json_object_foreach(before, key, value)
    {
        if (!fl_json_member(node, fl_str_c(key))) json_object_set_new(changes, key, json_null());
    }
    if (json_object_size(changes) > 0) return changes;
    json_decref(changes);
    return NULL;
}

/* NULL: the member stays as it is. */
static json_t *member_changed(const json_t *job, const struct member *member,
                              const struct fl_json *node)
{
    json_t *before, *after;

    if (!node && !member->may_go) return NULL;
    if (node && node->kind == FL_JSON_OBJECT && strcmp(member->name, "labels") == 0) {
        return labels_changed(job, node);
    }
    before = value_of(job, member->name);
    after = node ? tree_of(node) : json_null();
    if (json_equal(before, after) ||
        (json_is_null(after) && json_object_size(before) == 0 && json_is_object(before))) {
        json_decref(after);
        after = NULL;
    }
    json_decref(before);
    return after;
}

json_t *cli_edit_text_read(const json_t *job, struct fl_str text, struct fl_arena *arena,
                           struct fl_err *err)
{
    const struct fl_json *root = NULL;
    json_t *body, *change;

    if (!parse(text, arena, &root, err)) return NULL;
    body = json_object();
    if (!root) return body;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const struct member *member = &members[i];

        change = member_changed(job, member, fl_json_member(root, fl_str_c(member->name)));
        if (change) json_object_set_new(body, member->name, change);
    }
    FL_JSON_EACH (item, root) {
        bool is_known = false;

        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            is_known = is_known || fl_str_eq(item->key, fl_str_c(members[i].name));
        }
        if (!is_known) json_object_setn_new(body, item->key.at, item->key.len, tree_of(item));
    }
    return body;
}
