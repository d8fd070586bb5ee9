#include "cli/job_flags.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/job_selector.h"
#include "shared/base/job_limits.h"
#include "shared/base/node_affinity.h"
#include "shared/base/str.h"
#include "shared/base/taint.h"
#include "shared/spec/indexes.h"

/* The command that runs a script: it writes the script to a file in the replica's folder, so that
 * its '#!' line counts. */
#define RUN_SCRIPT                                                                                 \
    "printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec "         \
    "./script "                                                                                    \
    "\"$@\""
/* A script for Slurm finds its numbers under the names that it knows, too.  An older agent gives no
 * index, and takes only jobs whose elements have none. */
#define SLURM_NAMES                                                                                \
    "export SLURM_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_JOB_ID=\"$FAIRLEAD_JOB_ID\" "            \
    "SLURM_ARRAY_TASK_ID=\"${FAIRLEAD_INDEX:-$FAIRLEAD_ELEMENT}\"; "

static bool put_pairs(struct cli *cli, json_t *document, const char *key, enum cli_option_id option,
                      struct fl_err *err)
{
    json_t *pairs = json_object_get(document, key);

    for (size_t i = 0; i < cli->args.values[option].len; i++) {
        const char *text = cli->args.values[option].at[i], *equals = strchr(text, '=');

        if (!equals || equals == text) {
            return fl_fail(err, FL_INVALID, "--%s %s: wants %s", cli_option_name(option), text,
                           cli_options[option].value);
        }
        if (!pairs) {
            pairs = json_object();
            json_object_set_new(document, key, pairs);
        }
        json_object_set_new(pairs, fl_arena_printf(&cli->arena, "%.*s", (int)(equals - text), text),
                            json_string(equals + 1));
    }
    return true;
}

static void put_list(struct cli *cli, json_t *document, const char *key, enum cli_option_id option)
{
    json_t *list = json_array();

    for (size_t i = 0; i < cli->args.values[option].len; i++) {
        json_array_append_new(list, json_string(cli->args.values[option].at[i]));
    }
    if (json_array_size(list)) {
        json_object_set_new(document, key, list);
    } else {
        json_decref(list);
    }
}

static void put_text(struct cli *cli, json_t *document, const char *key, enum cli_option_id option)
{
    if (cli_has(&cli->args, option)) {
        json_object_set_new(document, key, json_string(cli_value(&cli->args, option)));
    }
}

/* The end of a job by its name here, or by the flag's own. */
static const char *end_of(const char *word)
{
    static const struct {
        const char *word, *on;
    } ends[] = {{"ok", "success"},   {"success", "success"}, {"any", "any"},
                {"fail", "failure"}, {"failure", "failure"}, {"each", "each"}};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (strcmp(word, ends[i].word) == 0) return ends[i].on;
    }
    return NULL;
}

/* One of --after: "job-8:any". */
static bool put_one_after(struct cli *cli, char *word, json_t *list, int *ret_code)
{
    char *colon = strchr(word, ':');
    const char *on = colon ? end_of(colon + 1) : "success", *id;

    if (!on) {
        *ret_code =
            cli_fail(CLI_USAGE, "--after %s: after the colon comes ok, any, fail or each", word);
        return false;
    }
    if (colon) *colon = '\0';
    id = cli_job_id(cli, word, ret_code);
    if (!id) return false;
    json_array_append_new(list, json_pack("{s:s, s:s}", "job", id, "on", on));
    return true;
}

/* --after job-7,job-8:any.  An empty one is a mistake, or the job would start at once. */
json_t *cli_after_of_flags(struct cli *cli, int *ret_code)
{
    json_t *list = json_array();
    bool is_good = true;

    for (size_t i = 0; i < cli->args.values[CLI_OPT_after].len && is_good; i++) {
        const char *value = cli->args.values[CLI_OPT_after].at[i];
        char *text = fl_arena_copy(&cli->arena, value, strlen(value)), *word;

        while (is_good && (word = strsep(&text, ","))) {
            if (!*word || *word == ':') {
                *ret_code = cli_fail(CLI_USAGE, "--after '%s': a job is missing", value);
                is_good = false;
            } else {
                is_good = put_one_after(cli, word, list, ret_code);
            }
        }
    }
    if (is_good) return list;
    json_decref(list);
    return NULL;
}

static bool put_after(struct cli *cli, json_t *document, int *ret_code)
{
    json_t *list = cli_after_of_flags(cli, ret_code);

    if (json_array_size(list)) json_object_set(document, "after", list);
    json_decref(list);
    return list != NULL;
}

static bool put_number(struct cli *cli, json_t *document, const char *key,
                       enum cli_option_id option, long min, long max, struct fl_err *err)
{
    long number;

    if (!cli_has(&cli->args, option)) return true;
    if (!cli_number(&cli->args, option, 0, min, max, &number, err)) return false;
    json_object_set_new(document, key, json_integer(number));
    return true;
}

/* The limit of --array 100%8, as in Slurm; --parallelism says the same number or none. */
static bool put_limit(struct cli *cli, json_t *document, const char *limit, struct fl_err *err)
{
    const char *array = cli_value(&cli->args, CLI_OPT_array);
    const json_t *said = json_object_get(document, "parallelism");
    uint64_t at_once;

    if (!fl_str_parse_u64(fl_str_c(limit), &at_once) || at_once == 0 ||
        at_once > FL_JOB_ELEMENTS_MAX) {
        return fl_fail(err, FL_INVALID,
                       "--array %s: behind the %% stands how many elements may run at the same "
                       "time, from 1",
                       array);
    }
    if (said && (uint64_t)json_integer_value(said) != at_once) {
        return fl_fail(err, FL_INVALID,
                       "--array %s and --parallelism %s say different limits: write one of them",
                       array, cli_value(&cli->args, CLI_OPT_parallelism));
    }
    json_object_set_new(document, "parallelism", json_integer((json_int_t)at_once));
    return true;
}

/* "1-100:3" of --array: the numbers of the elements. */
static bool put_indexes(struct cli *cli, json_t *document, struct fl_str list, struct fl_err *err)
{
    struct fl_indexes indexes;

    if (!fl_indexes_parse(list, &cli->arena, &indexes, err)) {
        return fl_err_wrap(err, "--array " FL_STR_FMT, FL_STR_ARG(fl_str_begin(list, 40)));
    }
    if (indexes.text.len == 0) {
        json_object_set_new(document, "array", json_integer(indexes.len));
    } else {
        json_object_set_new(document, "indexes", json_stringn(indexes.text.at, indexes.text.len));
    }
    return true;
}

/* "100": so many elements.  Anything longer says their numbers. */
static bool put_elements(struct cli *cli, json_t *document, struct fl_str text, struct fl_err *err)
{
    uint64_t elements;

    if (text.len > 0 && (memchr(text.at, '-', text.len) || memchr(text.at, ',', text.len))) {
        return put_indexes(cli, document, text, err);
    }
    if (!fl_str_parse_u64(text, &elements) || elements == 0 || elements > FL_JOB_ELEMENTS_MAX) {
        return fl_fail(err, FL_INVALID,
                       "--array %s: wants a number of elements from 1 to " FL_QUOTE(
                           FL_JOB_ELEMENTS_MAX) ", or their indexes as 1-100:3 or 1,4,9-12; %%M "
                                                "behind it: M of them at the same time",
                       cli_value(&cli->args, CLI_OPT_array));
    }
    json_object_set_new(document, "array", json_integer((json_int_t)elements));
    return true;
}

static bool put_array(struct cli *cli, json_t *document, struct fl_err *err)
{
    const char *array = cli_value(&cli->args, CLI_OPT_array);
    const char *percent = array ? strchr(array, '%') : NULL;
    struct fl_str text = fl_str_c(array);

    if (percent) text.len = (size_t)(percent - array);
    return (!array || put_elements(cli, document, text, err)) &&
           put_number(cli, document, "parallelism", CLI_OPT_parallelism, 1, FL_JOB_ELEMENTS_MAX,
                      err) &&
           (!percent || put_limit(cli, document, percent + 1, err));
}

static void put_part(json_t *object, const char *key, struct fl_str text)
{
    if (text.len > 0) json_object_set_new(object, key, json_stringn(text.at, text.len));
}

static json_t *expression_of(struct fl_node_requirement one)
{
    json_t *object = json_object(), *values = json_array();
    struct fl_str value;

    put_part(object, "key", one.key);
    put_part(object, "operator", fl_str_c(fl_node_operator_name(one.operates)));
    while (fl_str_next_word(&one.values, ',', &value)) {
        json_array_append_new(values, json_stringn(value.at ? value.at : "", value.len));
    }
    if (json_array_size(values)) json_object_set(object, "values", values);
    json_decref(values);
    return object;
}

/* NULL: it is no term. */
static json_t *term_of(struct fl_str text)
{
    json_t *expressions = json_array();
    struct fl_node_requirement one;

    while (text.len > 0 && fl_node_requirement_take(&text, &one)) {
        json_array_append_new(expressions, expression_of(one));
    }
    if (text.len == 0 && json_array_size(expressions)) {
        return json_pack("{s:o}", "matchExpressions", expressions);
    }
    json_decref(expressions);
    return NULL;
}

/* --affinity 'zone in (a,b),!spot': each is one term of node_affinity.h. */
static bool put_affinity(struct cli *cli, json_t *document, struct fl_err *err)
{
    json_t *terms = json_array();

    for (size_t i = 0; i < cli->args.values[CLI_OPT_affinity].len; i++) {
        const char *value = cli->args.values[CLI_OPT_affinity].at[i];
        json_t *term = term_of(fl_str_c(value));

        if (!term) {
            json_decref(terms);
            return fl_fail(err, FL_INVALID,
                           "--affinity %s: wants conditions with ',' between them, each KEY in "
                           "(A,B), KEY notin (A,B), KEY, !KEY, KEY>NUMBER or KEY<NUMBER, as "
                           "'zone in (a,b),!spot'",
                           value);
        }
        json_array_append_new(terms, term);
    }
    if (json_array_size(terms)) {
        json_object_set_new(document, "affinity",
                            json_pack("{s:{s:{s:O}}}", "nodeAffinity",
                                      "requiredDuringSchedulingIgnoredDuringExecution",
                                      "nodeSelectorTerms", terms));
    }
    json_decref(terms);
    return true;
}

/* --tolerate nvidia.com/gpu=present:NoSchedule: the text of taint.h. */
static bool put_tolerations(struct cli *cli, json_t *document, struct fl_err *err)
{
    json_t *list = json_array();

    for (size_t i = 0; i < cli->args.values[CLI_OPT_tolerate].len; i++) {
        const char *value = cli->args.values[CLI_OPT_tolerate].at[i];
        struct fl_toleration one;
        json_t *object;

        if (!fl_toleration_parse(fl_str_c(value), &one)) {
            json_decref(list);
            return fl_fail(err, FL_INVALID,
                           "--tolerate %s: wants KEY[=VALUE][:EFFECT], where the effect is "
                           "NoSchedule, NoExecute or PreferNoSchedule, as "
                           "nvidia.com/gpu=present:NoSchedule",
                           value);
        }
        object = json_object();
        put_part(object, "key", one.key);
        if (one.operates == FL_TOLERATES_Exists) put_part(object, "operator", FL_STR("Exists"));
        put_part(object, "value", one.value);
        put_part(object, "effect", fl_str_c(fl_taint_effect_name(one.effect)));
        json_array_append_new(list, object);
    }
    if (json_array_size(list)) json_object_set(document, "tolerations", list);
    json_decref(list);
    return true;
}

/* claim/datasets/train, configMap/NAME, secret/NAME, disk:10Gi, memory.  False: it is another. */
static bool put_source(json_t *mount, struct fl_str source)
{
    static const char *const kinds[] = {"claim", "configMap", "secret"};
    struct fl_str kind = fl_str_cut(&source, '/'), size = kind, name;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!fl_str_eq(kind, fl_str_c(kinds[i]))) continue;
        name = fl_str_cut(&source, '/');
        put_part(mount, kinds[i], name);
        put_part(mount, "subPath", source);
        return name.len > 0;
    }
    if (source.len > 0) return false;
    kind = fl_str_cut(&size, ':');
    put_part(mount, "empty", kind);
    put_part(mount, "size", size);
    return fl_str_eq(kind, FL_STR("disk")) || fl_str_eq(kind, FL_STR("memory"));
}

/* --mount /data=claim/datasets,ro */
static bool put_mounts(struct cli *cli, json_t *document, struct fl_err *err)
{
    json_t *list = json_array();

    for (size_t i = 0; i < cli->args.values[CLI_OPT_mount].len; i++) {
        const char *value = cli->args.values[CLI_OPT_mount].at[i];
        struct fl_str source = fl_str_c(value), path = fl_str_cut(&source, '='), mode = source;
        json_t *mount = json_object();
        bool is_good;

        source = fl_str_cut(&mode, ',');
        put_part(mount, "path", path);
        is_good = path.len > 0 && put_source(mount, source) &&
                  (mode.len == 0 || fl_str_eq(mode, FL_STR("ro")));
        if (mode.len > 0) json_object_set_new(mount, "readOnly", json_true());
        json_array_append_new(list, mount);
        if (!is_good) {
            json_decref(list);
            return fl_fail(err, FL_INVALID,
                           "--mount %s: wants PATH=SOURCE[,ro], where the source is claim/NAME, "
                           "configMap/NAME, secret/NAME, disk[:SIZE] or memory[:SIZE], as "
                           "/data=claim/datasets,ro",
                           value);
        }
    }
    if (json_array_size(list)) json_object_set(document, "mounts", list);
    json_decref(list);
    return true;
}

static bool put_fields(struct cli *cli, json_t *document, struct fl_err *err)
{
    json_t *resources = json_object();

    put_text(cli, resources, "cpu", CLI_OPT_cpus);
    put_text(cli, resources, "memory", CLI_OPT_memory);
    if (!put_number(cli, resources, "gpus", CLI_OPT_gpus, 0, 4096, err)) {
        json_decref(resources);
        return false;
    }
    if (json_object_size(resources)) {
        json_object_set(document, "resources", resources);
    }
    json_decref(resources);
    put_text(cli, document, "name", CLI_OPT_name);
    put_text(cli, document, "queue", CLI_OPT_queue);
    put_text(cli, document, "image", CLI_OPT_image);
    put_text(cli, document, "workingDir", CLI_OPT_workdir);
    put_text(cli, document, "deadline", CLI_OPT_deadline);
    put_list(cli, document, "clusters", CLI_OPT_cluster);
    put_list(cli, document, "notClusters", CLI_OPT_not_cluster);
    if (cli_has(&cli->args, CLI_OPT_require_limits)) {
        json_object_set_new(document, "requireLimits", json_true());
    }
    if (cli_has(&cli->args, CLI_OPT_hold)) json_object_set_new(document, "hold", json_true());
    return put_number(cli, document, "replicas", CLI_OPT_replicas, 1, FL_JOB_REPLICAS_MAX, err) &&
           put_array(cli, document, err) &&
           put_number(cli, document, "retry", CLI_OPT_retries, 0, 1000, err) &&
           put_number(cli, document, "priority", CLI_OPT_priority, -1000, 1000, err) &&
           put_pairs(cli, document, "resources", CLI_OPT_resource, err) &&
           put_pairs(cli, document, "env", CLI_OPT_env, err) &&
           put_pairs(cli, document, "secretEnv", CLI_OPT_secret_env, err) &&
           put_pairs(cli, document, "labels", CLI_OPT_label, err) &&
           put_pairs(cli, document, "nodeSelector", CLI_OPT_node_label, err) &&
           put_affinity(cli, document, err) && put_tolerations(cli, document, err) &&
           put_mounts(cli, document, err);
}

/* ---- scripts --------------------------------------------------------------------------------- */

static const char *read_script(struct cli *cli, const char *file, struct fl_err *err)
{
    FILE *in = fopen(file, "re");
    struct stat status;
    char *text;
    size_t len;

    if (!in || fstat(fileno(in), &status) < 0) {
        fl_fail(err, FL_IO, "%s cannot be read: %s", file, strerror(errno));
        if (in) fclose(in);
        return NULL;
    }
    text = fl_arena_alloc(&cli->arena, FL_JOB_ENV_VALUE_BYTES_MAX + 2);
    len = fread(text, 1, FL_JOB_ENV_VALUE_BYTES_MAX + 1, in);
    fclose(in);
    if (len > FL_JOB_ENV_VALUE_BYTES_MAX) {
        fl_fail(err, FL_INVALID,
                "%s is larger than " FL_QUOTE(
                    FL_JOB_ENV_VALUE_BYTES_MAX) " bytes: put it where the clusters can read it and "
                                                "run that",
                file);
    } else if (strlen(text) < len) {
        fl_fail(err, FL_INVALID, "%s holds a zero byte: it is no script", file);
    } else if (strncmp(text, "#!", 2) != 0) {
        fl_fail(err, FL_INVALID,
                "%s does not begin with '#!': its first line says what runs it, as '#!/bin/sh'",
                file);
    } else {
        return text;
    }
    return NULL;
}

static json_t *command_of_script(const char *text, const struct cli_args *args, json_t *document)
{
    const char *runner = args->is_slurm ? SLURM_NAMES RUN_SCRIPT : RUN_SCRIPT;
    json_t *command = json_pack("[s, s, s, s]", "/bin/sh", "-c", runner, "script"), *env;

    for (size_t i = 0; i < args->command_len; i++) {
        json_array_append_new(command, json_string(args->command[i]));
    }
    env = json_object_get(document, "env");
    if (!env) {
        env = json_object();
        json_object_set_new(document, "env", env);
    }
    json_object_set_new(env, "JOB_SCRIPT", json_string(text));
    return command;
}

/* A script without a name is called as its file is, as in Slurm. */
static bool put_singleton(struct cli *cli, json_t *document, const char *file, struct fl_err *err)
{
    const char *slash = file ? strrchr(file, '/') : NULL;

    if (!cli_has(&cli->args, CLI_OPT_singleton)) return true;
    if (!cli_has(&cli->args, CLI_OPT_name)) {
        if (!file) {
            return fl_fail(err, FL_INVALID,
                           "--singleton needs --name NAME: it runs alone among singletons of its "
                           "name and owner");
        }
        if (json_object_set_new(document, "name", json_string(slash ? slash + 1 : file)) != 0) {
            return fl_fail(err, FL_INVALID,
                           "--singleton needs --name NAME: the script's own name is not UTF-8");
        }
    }
    json_object_set_new(document, "singleton", json_true());
    return true;
}

/* ---- together -------------------------------------------------------------------------------- */

json_t *cli_job_of_flags(struct cli *cli, int *ret_code)
{
    const char *file = cli_value(&cli->args, CLI_OPT_script), *script = NULL;
    json_t *document = json_object(), *command;
    struct fl_err err = {0};

    if (file) {
        script = read_script(cli, file, &err);
        if (!script || (!cli_args_script(&cli->args, script, &cli->arena, &err) &&
                        !fl_err_wrap(&err, "%s", file))) {
            *ret_code = cli_fail_err(&err);
            goto no;
        }
    }
    if (!put_fields(cli, document, &err) || !put_singleton(cli, document, file, &err)) {
        *ret_code = cli_fail_err(&err);
        goto no;
    }
    if (!put_after(cli, document, ret_code)) goto no;
    if (!script && !cli->args.command_len && !cli_has(&cli->args, CLI_OPT_image)) {
        *ret_code = cli_fail(CLI_USAGE,
                             "the command is missing: fairlead run [FLAGS] [--] COMMAND [ARG...]");
        goto no;
    }
    if (script) {
        json_object_set_new(document, "command", command_of_script(script, &cli->args, document));
    } else if (cli->args.command_len) {
        command = json_array();
        for (size_t i = 0; i < cli->args.command_len; i++) {
            json_array_append_new(command, json_string(cli->args.command[i]));
        }
        json_object_set_new(document, "command", command);
    }
    return document;
no:
    json_decref(document);
    return NULL;
}
