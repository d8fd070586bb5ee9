#include "shared/yaml/yaml.h"

#include <string.h>
#include <yaml.h>

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"

struct fl_yaml {
    struct fl_str text;
    yaml_parser_t parser;
    bool is_begun, is_ended, is_failed;
};

/* A list or object that is open. */
struct level {
    struct fl_json *node;
    const struct fl_json **link; /* where the next item is hung */
    struct fl_json *valueless;   /* the member whose key was read and whose value comes next */
};

/* A document that is being read. */
struct builder {
    struct fl_arena *arena;
    struct fl_place *ret_at;
    struct fl_err *err;
    struct fl_json *root;
    uint32_t nodes, depth;
    struct level levels[FL_JSON_DEPTH_MAX];
};

struct fl_yaml *fl_yaml_create(struct fl_str text)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    struct fl_yaml *yaml = fl_new(struct fl_yaml);
    bool has_memory = yaml_parser_initialize(&yaml->parser);

    fl_assert(has_memory);
    if (text.len >= 3 && memcmp(text.at, byte_order_mark, 3) == 0) {
        text = (struct fl_str){text.at + 3, text.len - 3};
    }
    if (text.len == 0) text = FL_STR("");
    yaml->text = text;
    yaml_parser_set_encoding(&yaml->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&yaml->parser, (const unsigned char *)text.at, text.len);
    return yaml;
}

void fl_yaml_destroy(struct fl_yaml *yaml)
{
    if (!yaml) return;
    yaml_parser_delete(&yaml->parser);
    fl_free(yaml);
}

static struct fl_place place(yaml_mark_t mark)
{
    return (struct fl_place){.line = (uint32_t)mark.line + 1, .col = (uint32_t)mark.column + 1};
}

#define FAIL(builder, mark, code, ...)                                                             \
    ((builder)->ret_at ? (void)(*(builder)->ret_at = place(mark)) : (void)0,                       \
     fl_fail((builder)->err, (code), __VA_ARGS__), false) /* and the compiler knows it */

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_one_of(struct fl_str s, const char *const *words)
{
    for (; *words; words++) {
        if (fl_str_eq(s, fl_str_c(*words))) return true;
    }
    return false;
}

static bool set_scalar(const struct builder *builder, const yaml_event_t *event,
                       struct fl_json *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    struct fl_str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

    if (text.len > FL_JSON_STRING_MAX) {
        return FAIL(builder, event->start_mark, FL_TOO_LARGE, "a text has over %d bytes",
                    FL_JSON_STRING_MAX);
    }
    if (memchr(event->data.scalar.value, 0, text.len)) {
        return FAIL(builder, event->start_mark, FL_INVALID, "a text may not hold the character 0");
    }
    text.at = fl_arena_copy(builder->arena, text.at, text.len); /* the event's goes with it */
    node->text = text;
    node->kind = FL_JSON_STRING;
    if (!is_plain) return true;
    if (is_one_of(text, nulls)) {
        node->kind = FL_JSON_NULL;
    } else if (is_one_of(text, trues) || is_one_of(text, falses)) {
        node->kind = FL_JSON_BOOL;
        node->n = is_one_of(text, trues);
    } else {
        (void)fl_json_set_number(node, text);
    }
    return true;
}

/* Refuses what YAML has and JSON does not. */
static bool check_event(const struct builder *builder, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;

    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return FAIL(builder, event->start_mark, FL_UNSUPPORTED,
                    "aliases (*name) are not taken: write the value out");
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor) {
        return FAIL(builder, event->start_mark, FL_UNSUPPORTED, "anchors (&name) are not taken");
    }
    if (tag) {
        return FAIL(builder, event->start_mark, FL_UNSUPPORTED,
                    "tags (!name) are not taken: quotes make a text of anything");
    }
    return true;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static bool new_item(struct builder *builder, const yaml_event_t *event, struct fl_json **ret_item)
{
    if (builder->nodes == FL_YAML_NODES_MAX) {
        return FAIL(builder, event->start_mark, FL_TOO_LARGE, "there are over %d values",
                    FL_YAML_NODES_MAX);
    }
    builder->nodes++;
    *ret_item = fl_arena_new(builder->arena, struct fl_json);
    return true;
}

static void hang(struct level *level, struct fl_json *item)
{
    *level->link = item;
    level->link = &item->next;
    level->node->len++;
}

static bool read_key(struct builder *builder, struct level *level, const yaml_event_t *event)
{
    struct fl_json *item;

    if (event->type != YAML_SCALAR_EVENT) {
        return FAIL(builder, event->start_mark, FL_UNSUPPORTED, "a key must be a text");
    }
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
        strcmp((const char *)event->data.scalar.value, "<<") == 0) {
        return FAIL(builder, event->start_mark, FL_UNSUPPORTED,
                    "merge keys (<<) are not taken: write the fields out");
    }
    if (!new_item(builder, event, &item) || !set_scalar(builder, event, item)) return false;
    *item = (struct fl_json){.key = item->text, .key_at = place(event->start_mark)};
    hang(level, item);
    level->valueless = item;
    return true;
}

/* The value that begins with 'event'. */
static bool read_value(struct builder *builder, const yaml_event_t *event)
{
    struct level *level = builder->depth ? &builder->levels[builder->depth - 1] : NULL;
    struct fl_json *node;

    if (level && level->valueless) {
        node = level->valueless;
        level->valueless = NULL;
    } else {
        if (!new_item(builder, event, &node)) return false;
        if (level) {
            hang(level, node);
        } else {
            builder->root = node;
        }
    }
    node->at = place(event->start_mark);
    if (event->type == YAML_SCALAR_EVENT) return set_scalar(builder, event, node);
    if (builder->depth == FL_JSON_DEPTH_MAX) {
        return FAIL(builder, event->start_mark, FL_TOO_LARGE, "values are over %d deep",
                    FL_JSON_DEPTH_MAX);
    }
    node->kind = event->type == YAML_MAPPING_START_EVENT ? FL_JSON_OBJECT : FL_JSON_LIST;
    builder->levels[builder->depth++] = (struct level){node, &node->first, NULL};
    return true;
}

static bool close_level(struct builder *builder)
{
    const struct fl_json *node, *repeated = NULL;
    size_t len;

    fl_assert(builder->depth > 0); /* libyaml ends what it began */
    node = builder->levels[--builder->depth].node;

    if (node->kind == FL_JSON_OBJECT) repeated = fl_json_find_repeated(node, builder->arena);
    if (!repeated) return true;
    if (builder->ret_at) *builder->ret_at = repeated->key_at;
    len = repeated->key.len < 80 ? repeated->key.len : 80;
    return fl_fail(builder->err, FL_INVALID, "the key \"" FL_STR_FMT "\" is there twice",
                   FL_STR_ARG(((struct fl_str){repeated->key.at, len})));
}

static bool read_event(struct builder *builder, const yaml_event_t *event)
{
    struct level *level = builder->depth ? &builder->levels[builder->depth - 1] : NULL;

    switch (event->type) {
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_level(builder);
    case YAML_ALIAS_EVENT:
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (!check_event(builder, event)) return false;
        if (level && level->node->kind == FL_JSON_OBJECT && !level->valueless) {
            return read_key(builder, level, event);
        }
        return read_value(builder, event);
    case YAML_NO_EVENT: /* only behind the end of the stream */
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return true;
    }
    return true;
}

/* ---- documents ------------------------------------------------------------------------------- */

static bool check_text(const struct builder *builder, struct fl_str text)
{
    if (text.len > FL_YAML_BYTES_MAX) {
        return FAIL(builder, ((yaml_mark_t){0}), FL_TOO_LARGE, "the text is over %d bytes",
                    FL_YAML_BYTES_MAX);
    }
    return fl_json_check_text(text, builder->ret_at, builder->err);
}

static bool next_event(const struct fl_yaml *yaml, const struct builder *builder,
                       yaml_event_t *event)
{
    yaml_parser_t *parser = (yaml_parser_t *)&yaml->parser;

    if (yaml_parser_parse(parser, event)) return true;
    fl_assert(parser->error != YAML_MEMORY_ERROR);
    return FAIL(builder, parser->error == YAML_READER_ERROR ? parser->mark : parser->problem_mark,
                FL_INVALID, "%s%s%s", parser->context ? parser->context : "",
                parser->context ? ", " : "", parser->problem ? parser->problem : "no YAML");
}

static bool read_document(struct fl_yaml *yaml, struct builder *builder)
{
    for (;;) {
        yaml_event_t event;
        yaml_event_type_t type;
        bool is_good;

        if (!next_event(yaml, builder, &event)) return false;
        type = event.type;
        is_good = read_event(builder, &event);
        yaml_event_delete(&event);
        if (!is_good) return false;
        if (type == YAML_DOCUMENT_END_EVENT) return true;
        if (type == YAML_STREAM_END_EVENT) {
            yaml->is_ended = true;
            return true;
        }
    }
}

bool fl_yaml_next(struct fl_yaml *yaml, struct fl_arena *arena, const struct fl_json **ret_root,
                  struct fl_place *ret_at, struct fl_err *err)
{
    struct builder builder = {.arena = arena, .ret_at = ret_at, .err = err};
    bool is_first = !yaml->is_begun;

    fl_assert(!yaml->is_failed);
    yaml->is_begun = true;
    if ((is_first && !check_text(&builder, yaml->text)) ||
        (!yaml->is_ended && !read_document(yaml, &builder))) {
        yaml->is_failed = true;
        return false;
    }
    *ret_root = builder.root;
    return true;
}
