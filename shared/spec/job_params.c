#include "shared/spec/job_params.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/map.h"
#include "shared/json/json_out.h"
#include "shared/spec/job_check.h"

#define PREFIX "FAIRLEAD_PARAM_"
#define NAME_ALLOWED                                                                               \
    "1 to " FL_QUOTE(FL_NAME_BYTES_MAX) " letters, digits and '_', no digit at first"

static char upper(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static bool is_param_name(struct fl_str s)
{
    if (s.len == 0 || s.len > FL_NAME_BYTES_MAX || (s.at[0] >= '0' && s.at[0] <= '9')) return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = upper(s.at[i]);

        if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_') return false;
    }
    return true;
}

/* The variables that the parameters become. */
static struct fl_text_map to_env(const struct fl_text_map *params, struct fl_arena *arena)
{
    struct fl_text_map env = fl_text_map_new(params->len, arena);

    for (size_t i = 0; i < params->len; i++) {
        struct fl_str key = params->at[i].key;
        char *name = fl_arena_alloc(arena, sizeof PREFIX + key.len);

        memcpy(name, PREFIX, sizeof PREFIX - 1);
        for (size_t c = 0; c < key.len; c++) {
            name[sizeof PREFIX - 1 + c] = upper(key.at[c]);
        }
        env.at[env.len++] =
            (struct fl_text_map_entry){{name, sizeof PREFIX - 1 + key.len}, params->at[i].value};
    }
    return env;
}

bool fl_job_params_parse(const struct fl_json *node, const struct fl_path *path,
                         struct fl_arena *arena, struct fl_text_map *ret_params,
                         struct fl_problems *problems)
{
    const struct fl_job_check check = {.arena = arena, .problems = problems};
    size_t problems_before = problems->len + problems->more, bytes = 0;
    struct fl_text_map params, env;
    const struct fl_text_map_entry *repeated;

    if (node->kind != FL_JSON_OBJECT || node->len > FL_JOB_PARAMS_MAX) {
        fl_job_wrong(&check, path, node,
                     FL_STR("an object of at most " FL_QUOTE(FL_JOB_PARAMS_MAX) " texts"),
                     "not a set of parameters");
        return false;
    }
    params = fl_text_map_new(node->len, arena);
    FL_JSON_EACH (item, node) {
        struct fl_path here = {.up = path, .key = item->key};

        if (!is_param_name(item->key)) {
            fl_job_wrong(&check, &here, item, FL_STR(NAME_ALLOWED), "not a parameter name");
        }
        if (item->kind == FL_JSON_NULL || item->kind == FL_JSON_LIST ||
            item->kind == FL_JSON_OBJECT || item->text.len > FL_JOB_ENV_VALUE_BYTES_MAX) {
            fl_job_wrong(&check, &here, item,
                         FL_STR("text of at most " FL_QUOTE(FL_JOB_ENV_VALUE_BYTES_MAX) " bytes"),
                         "not a parameter value");
        }
        bytes += item->key.len + item->text.len;
        params.at[params.len++] = (struct fl_text_map_entry){item->key, item->text};
    }
    if (bytes > FL_JOB_PARAMS_BYTES_MAX) {
        fl_job_wrong(&check, path, node,
                     FL_STR("at most " FL_QUOTE(FL_JOB_PARAMS_BYTES_MAX) " bytes in all"),
                     "the parameters are too long");
    }
    if (problems->len + problems->more > problems_before) return false;
    fl_text_map_sort(&params);
    env = to_env(&params, arena);
    repeated = fl_text_map_sort(&env);
    if (repeated) {
        fl_job_wrong(&check, path, NULL, (struct fl_str){0},
                     "two parameters differ in case only: both would be " FL_STR_FMT,
                     FL_STR_ARG(repeated->key));
        return false;
    }
    *ret_params = params;
    return true;
}

bool fl_job_params_canonical(struct fl_buf *out, const struct fl_text_map *params)
{
    struct fl_json_out json = fl_json_out(out);

    if (params->len == 0) return !out->is_over;
    fl_json_open(&json, NULL, '{');
    for (size_t i = 0; i < params->len; i++) {
        fl_json_put_key(&json, params->at[i].key);
        fl_json_put_str(&json, NULL, params->at[i].value);
    }
    fl_json_close(&json, '}');
    return !out->is_over;
}

bool fl_job_params_read(struct fl_str bytes, struct fl_arena *arena, struct fl_text_map *ret_params,
                        struct fl_err *err)
{
    struct fl_problems problems = {0};
    const struct fl_json *root;
    struct fl_text_map params;

    if (bytes.len == 0) {
        *ret_params = (struct fl_text_map){0};
        return true;
    }
    if (bytes.len > FL_JOB_PARAMS_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE,
                       "parameters have over " FL_QUOTE(FL_JOB_PARAMS_BYTES_MAX) " bytes");
    }
    if (!fl_json_parse(bytes, arena, &root, NULL, err)) return fl_err_wrap(err, "parameters");
    if (!fl_job_params_parse(root, NULL, arena, &params, &problems)) {
        (void)fl_problems_fail(&problems, err);
        return fl_err_wrap(err, "parameters");
    }
    *ret_params = params;
    return true;
}

/* A name in capitals, as to_env takes it: two that differ in case only are one. */
static struct fl_str capitals(struct fl_str name, char out[FL_NAME_BYTES_MAX])
{
    fl_assert(name.len <= FL_NAME_BYTES_MAX);
    for (size_t i = 0; i < name.len; i++) {
        out[i] = upper(name.at[i]);
    }
    return (struct fl_str){out, name.len};
}

struct fl_text_map fl_job_params_over(const struct fl_text_map *params,
                                      const struct fl_text_map *own, struct fl_arena *arena)
{
    struct fl_text_map merged = fl_text_map_new(params->len + own->len, arena);
    struct fl_map names = {0};
    char text[FL_NAME_BYTES_MAX];

    for (size_t i = 0; i < own->len; i++) {
        struct fl_str name = capitals(own->at[i].key, text);

        fl_map_put(&names, name.at, name.len, 1);
        merged.at[merged.len++] = own->at[i];
    }
    for (size_t i = 0; i < params->len; i++) {
        struct fl_str name = capitals(params->at[i].key, text);
        uint64_t is_own;

        if (!fl_map_find(&names, name.at, name.len, &is_own)) {
            merged.at[merged.len++] = params->at[i];
        }
    }
    fl_map_fini(&names);
    FL_IGNORE(fl_text_map_sort(&merged)); /* each set has a name once, and so has the union */
    return merged;
}

struct fl_text_map fl_job_params_merge(const struct fl_text_map *env,
                                       const struct fl_text_map *params, struct fl_arena *arena)
{
    struct fl_text_map over = to_env(params, arena);

    FL_IGNORE(fl_text_map_sort(&over)); /* in capitals their order may be another */
    return fl_text_map_over(env, &over, arena);
}
