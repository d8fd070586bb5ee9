#include "shared/io/config.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/io/config_value.h"
#include "shared/io/file.h"
#include "shared/io/mdoc.h"
#include "shared/io/text_wrap.h"

enum { KEY_MAX = 64, WHERE_MAX = 300 };
#define ENV_PREFIX "FAIRLEAD_"

struct held {
    struct fl_config_value value;
    char *where; /* "fairleadd.conf:3"; NULL: its preset */
};

struct fl_config {
    const struct fl_config_setting *settings;
    size_t len;
    struct held *held; /* by row */
};

struct fl_config *fl_config_create(const struct fl_config_setting *settings, size_t len)
{
    struct fl_config *config = fl_new(struct fl_config);

    config->settings = settings;
    config->len = len;
    config->held = fl_new_array(struct held, len);
    for (size_t i = 0; i < len; i++) {
        struct fl_err err = {0};
        bool is_good;

        fl_assert(strlen(settings[i].key) < KEY_MAX);
        if (!settings[i].preset) continue;
        is_good = fl_config_value_read(&settings[i], fl_str_c(settings[i].preset),
                                       &config->held[i].value, &err);
        fl_assert(is_good); /* a preset that its own row refuses is a slip in the table */
    }
    return config;
}

static void held_fini(struct held *held)
{
    fl_config_value_fini(&held->value);
    fl_free(held->where);
}

void fl_config_destroy(struct fl_config *config)
{
    if (!config) return;
    for (size_t i = 0; i < config->len; i++) {
        held_fini(&config->held[i]);
    }
    fl_free(config->held);
    fl_free(config);
}

/* ---- finding a row --------------------------------------------------------------------------- */

static size_t find(const struct fl_config *config, struct fl_str key)
{
    size_t i = 0;

    while (i < config->len && !fl_str_eq(key, fl_str_c(config->settings[i].key))) {
        i++;
    }
    return i;
}

/* How many characters to change, add or remove; each key is shorter than KEY_MAX. */
static size_t distance(struct fl_str a, struct fl_str b)
{
    size_t row[KEY_MAX + 1];

    for (size_t j = 0; j <= b.len; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = corner + (a.at[i - 1] != b.at[j - 1]);

            corner = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[b.len];
}

static bool fail_unknown(const struct fl_config *config, const char *where, struct fl_str key,
                         struct fl_err *err)
{
    const char *nearest = NULL;
    size_t least = key.len / 3 + 2; /* a key further away is hardly a typing error */

    for (size_t i = 0; i < config->len && key.len < KEY_MAX; i++) {
        size_t d = distance(key, fl_str_c(config->settings[i].key));

        if (d >= least) continue;
        least = d;
        nearest = config->settings[i].key;
    }
    if (key.len > KEY_MAX) key.len = KEY_MAX;
    if (!nearest) {
        return fl_fail(err, FL_INVALID, "%s: '" FL_STR_FMT "' is no setting", where,
                       FL_STR_ARG(key));
    }
    return fl_fail(err, FL_INVALID, "%s: '" FL_STR_FMT "' is no setting; did you mean '%s'?", where,
                   FL_STR_ARG(key), nearest);
}

/* ---- setting one ----------------------------------------------------------------------------- */

/* Reads a secret given as @PATH: the file's text without its last newline. */
static bool read_secret(struct fl_str path, struct fl_buf *ret_text, struct fl_err *err)
{
    char name[FL_CONFIG_TEXT_MAX + 1];

    if (path.len == 0 || path.len >= sizeof name || !fl_str_is_text(path)) {
        return fl_fail(err, FL_INVALID, "@ needs the path of a file");
    }
    memcpy(name, path.at, path.len);
    name[path.len] = '\0';
    if (!fl_file_read(AT_FDCWD, name, ret_text, err)) return false;
    if (ret_text->len > 0 && ret_text->at[ret_text->len - 1] == '\n') ret_text->len--;
    return true;
}

static bool set(struct fl_config *config, size_t i, const char *where, struct fl_str text,
                struct fl_err *err)
{
    const struct fl_config_setting *setting = &config->settings[i];
    struct fl_config_value value;
    struct fl_buf secret;
    bool is_good = true;

    fl_buf_init(&secret, FL_CONFIG_TEXT_MAX);
    if (setting->kind == FL_CONFIG_SECRET && text.len > 0 && text.at[0] == '@') {
        is_good = read_secret((struct fl_str){text.at + 1, text.len - 1}, &secret, err);
        text = (struct fl_str){(const char *)secret.at, secret.len};
    }
    is_good = is_good && fl_config_value_read(setting, text, &value, err);
    if (is_good) {
        held_fini(&config->held[i]);
        config->held[i].value = value;
        config->held[i].where = fl_new_array(char, strlen(where) + 1);
        memcpy(config->held[i].where, where, strlen(where));
    }
    if (secret.len > 0) explicit_bzero(secret.at, secret.len);
    fl_buf_fini(&secret);
    return is_good || fl_err_wrap(err, "%s: %s", where, setting->key);
}

/* ---- sources --------------------------------------------------------------------------------- */

static struct fl_str trim(struct fl_str s)
{
    while (s.len > 0 && isspace((unsigned char)s.at[0])) {
        s = (struct fl_str){s.at + 1, s.len - 1};
    }
    while (s.len > 0 && isspace((unsigned char)s.at[s.len - 1])) {
        s.len--;
    }
    return s;
}

static bool read_line(struct fl_config *config, const char *where, struct fl_str line,
                      const size_t *lines, struct fl_err *err)
{
    const char *equals = memchr(line.at, '=', line.len);
    struct fl_str key, value;
    size_t i;

    if (!equals) return fl_fail(err, FL_INVALID, "%s: not 'key = value'", where);
    key = trim((struct fl_str){line.at, (size_t)(equals - line.at)});
    value = trim((struct fl_str){equals + 1, line.len - (size_t)(equals - line.at) - 1});
    i = find(config, key);
    if (i == config->len) return fail_unknown(config, where, key, err);
    if (lines[i] != 0) {
        return fl_fail(err, FL_INVALID, "%s: %s is set in line %zu already", where,
                       config->settings[i].key, lines[i]);
    }
    return set(config, i, where, value, err);
}

bool fl_config_read_text(struct fl_config *config, const char *file, struct fl_str text,
                         struct fl_err *err)
{
    size_t *lines = fl_new_array(size_t, config->len); /* the line that set each; 0: not set yet */
    bool is_good = true;

    for (size_t number = 1; text.len > 0 && is_good; number++) {
        const char *end = memchr(text.at, '\n', text.len);
        size_t len = end ? (size_t)(end - text.at) : text.len;
        struct fl_str line = trim((struct fl_str){text.at, len});
        char where[WHERE_MAX];

        if (line.len > 0 && line.at[0] != '#') {
            const char *equals = memchr(line.at, '=', line.len);

            snprintf(where, sizeof where, "%s:%zu", file, number);
            is_good = read_line(config, where, line, lines, err);
            if (is_good && equals) {
                lines[find(config, trim((struct fl_str){line.at, (size_t)(equals - line.at)}))] =
                    number;
            }
        }
        if (end) len++;
        text = (struct fl_str){text.at + len, text.len - len};
    }
    fl_free(lines);
    return is_good;
}

bool fl_config_read_file(struct fl_config *config, const char *path, struct fl_err *err)
{
    struct fl_buf text;
    bool is_good;

    fl_buf_init(&text, FL_CONFIG_FILE_MAX);
    is_good =
        fl_file_read(AT_FDCWD, path, &text, err) &&
        fl_config_read_text(config, path, (struct fl_str){(const char *)text.at, text.len}, err);
    fl_buf_fini(&text);
    return is_good;
}

bool fl_config_read_env(struct fl_config *config, char *const *env, struct fl_err *err)
{
    for (; *env; env++) {
        const char *equals = strchr(*env, '=');
        char key[KEY_MAX], where[WHERE_MAX];
        size_t len, i;

        if (!equals || strncmp(*env, ENV_PREFIX, sizeof ENV_PREFIX - 1) != 0) continue;
        len = (size_t)(equals - *env) - (sizeof ENV_PREFIX - 1);
        if (len >= sizeof key) continue;
        for (size_t at = 0; at < len; at++) {
            key[at] = (char)tolower((unsigned char)(*env)[at + sizeof ENV_PREFIX - 1]);
        }
        i = find(config, (struct fl_str){key, len});
        if (i == config->len) continue;
        snprintf(where, sizeof where, "%.*s", (int)(equals - *env), *env);
        if (!set(config, i, where, fl_str_c(equals + 1), err)) return false;
    }
    return true;
}

/* "--api-listen" or "--api-listen=x" into "api_listen", and the value if it is there. */
static bool split_flag(const char *word, char ret_key[KEY_MAX], const char **ret_value,
                       struct fl_err *err)
{
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);

    if (len < 3 || word[0] != '-' || word[1] != '-') {
        return fl_fail(err, FL_INVALID, "'%.80s' is no flag: --key value", word);
    }
    if (len - 2 >= KEY_MAX) return fl_fail(err, FL_INVALID, "'%.80s' is no setting", word);
    for (size_t i = 2; i < len; i++) {
        ret_key[i - 2] = word[i] == '-' ? '_' : word[i];
    }
    ret_key[len - 2] = '\0';
    *ret_value = equals ? equals + 1 : NULL;
    return true;
}

bool fl_config_read_flags(struct fl_config *config, int argc, char *const *argv, struct fl_err *err)
{
    for (int word = 1; word < argc; word++) {
        char key[KEY_MAX], where[WHERE_MAX];
        const char *value = NULL;
        size_t i;

        if (!split_flag(argv[word], key, &value, err)) return false;
        snprintf(where, sizeof where, "%.*s", (int)(strlen(key) + 2), argv[word]);
        i = find(config, fl_str_c(key));
        if (i == config->len) return fail_unknown(config, where, fl_str_c(key), err);
        if (!value && ++word < argc) value = argv[word];
        if (!value) return fl_fail(err, FL_INVALID, "%s: needs a value", where);
        if (config->settings[i].kind == FL_CONFIG_SECRET && value[0] != '@') {
            return fl_fail(err, FL_INVALID,
                           "%s: others see flags; give @FILE, or set it in the environment", where);
        }
        if (!set(config, i, where, fl_str_c(value), err)) return false;
    }
    return true;
}

/* ---- for main -------------------------------------------------------------------------------- */

static const char *env_value(char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; *env; env++) {
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=') return *env + len + 1;
    }
    return NULL;
}

/* Takes our own flags out; the rest, with argv[0], goes to ret_rest. */
static bool take_own_flags(int argc, char *const *argv, char **ret_rest, int *ret_rest_len,
                           const char **ret_file, enum fl_config_action *ret_action,
                           struct fl_err *err)
{
    int len = 0;

    for (int i = 0; i < argc; i++) {
        if (i == 0) {
            ret_rest[len++] = argv[i];
        } else if (strcmp(argv[i], "--help") == 0) {
            *ret_action = FL_CONFIG_HELP;
        } else if (strcmp(argv[i], "--version") == 0) {
            *ret_action = FL_CONFIG_VERSION;
        } else if (strcmp(argv[i], "--print-config") == 0) {
            *ret_action = FL_CONFIG_PRINT;
        } else if (strcmp(argv[i], "--print-sample") == 0) {
            *ret_action = FL_CONFIG_SAMPLE;
        } else if (strncmp(argv[i], "--config=", 9) == 0) {
            *ret_file = argv[i] + 9;
        } else if (strcmp(argv[i], "--config") == 0) {
            if (++i == argc) return fl_fail(err, FL_INVALID, "--config: needs a value");
            *ret_file = argv[i];
        } else {
            ret_rest[len++] = argv[i];
            /* The value of another flag may look like one of ours. */
            if (!strchr(argv[i], '=') && i + 1 < argc) ret_rest[len++] = argv[++i];
        }
    }
    *ret_rest_len = len;
    return true;
}

static bool check_missing(const struct fl_config *config, struct fl_err *err)
{
    for (size_t i = 0; i < config->len; i++) {
        if (config->held[i].value.text) continue;
        return fl_fail(err, FL_INVALID, "%s is not set, and has no preset: %s",
                       config->settings[i].key, config->settings[i].text);
    }
    return true;
}

bool fl_config_load(struct fl_config *config, int argc, char *const *argv, char *const *env,
                    enum fl_config_action *ret_action, struct fl_err *err)
{
    char **rest = fl_new_array(char *, (size_t)argc + 1);
    const char *file = env_value(env, ENV_PREFIX "CONFIG");
    enum fl_config_action action = FL_CONFIG_RUN;
    int rest_len = 0;
    bool is_good = take_own_flags(argc, argv, rest, &rest_len, &file, &action, err);

    if (is_good && (action == FL_CONFIG_RUN || action == FL_CONFIG_PRINT)) {
        is_good = (!file || fl_config_read_file(config, file, err)) &&
                  fl_config_read_env(config, env, err) &&
                  fl_config_read_flags(config, rest_len, rest, err) &&
                  (action == FL_CONFIG_PRINT || check_missing(config, err));
    }
    fl_free(rest);
    if (is_good) *ret_action = action;
    return is_good;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const struct held *row(const struct fl_config *config, size_t i)
{
    fl_assert(i < config->len);
    fl_assert(config->held[i].value.text); /* fl_config_load refuses to leave a setting unset */
    return &config->held[i];
}

const char *fl_config_string(const struct fl_config *config, size_t i)
{
    const struct held *held = row(config, i);
    enum fl_config_kind kind = config->settings[i].kind;

    fl_assert(kind == FL_CONFIG_STRING || kind == FL_CONFIG_PATH || kind == FL_CONFIG_SECRET);
    return held->value.text;
}

int64_t fl_config_int(const struct fl_config *config, size_t i)
{
    const struct held *held = row(config, i);
    enum fl_config_kind kind = config->settings[i].kind;

    fl_assert(kind == FL_CONFIG_INT || kind == FL_CONFIG_DURATION || kind == FL_CONFIG_BYTES);
    return held->value.n;
}

bool fl_config_bool(const struct fl_config *config, size_t i)
{
    const struct held *held = row(config, i);

    fl_assert(config->settings[i].kind == FL_CONFIG_BOOL);
    return held->value.n != 0;
}

struct fl_config_list fl_config_list(const struct fl_config *config, size_t i)
{
    const struct held *held = row(config, i);

    fl_assert(config->settings[i].kind == FL_CONFIG_LIST);
    return (struct fl_config_list){held->value.list, held->value.list_len};
}

bool fl_config_is_set(const struct fl_config *config, size_t i)
{
    fl_assert(i < config->len);
    return config->held[i].where;
}

/* ---- for people ------------------------------------------------------------------------------ */

void fl_config_print(const struct fl_config *config, FILE *out)
{
    for (size_t i = 0; i < config->len; i++) {
        const struct held *held = &config->held[i];
        const char *text = held->value.text;

        if (!text) {
            fprintf(out, "# %s is not set\n", config->settings[i].key);
            continue;
        }
        if (config->settings[i].kind == FL_CONFIG_SECRET && text[0] != '\0') text = "***";
        fprintf(out, "# %s\n%s = %s\n", held->where ? held->where : "preset",
                config->settings[i].key, text);
    }
}

static const char *kind_name(enum fl_config_kind kind)
{
    switch (kind) {
    case FL_CONFIG_STRING:
        return "text";
    case FL_CONFIG_PATH:
        return "path";
    case FL_CONFIG_INT:
        return "number";
    case FL_CONFIG_DURATION:
        return "time";
    case FL_CONFIG_BYTES:
        return "size";
    case FL_CONFIG_BOOL:
        return "true or false";
    case FL_CONFIG_LIST:
        return "list";
    case FL_CONFIG_SECRET:
        return "secret";
    }
    return "?";
}

/* "1s to 5m", or nothing where every value of the kind is fine. */
static void print_range(const struct fl_config_setting *setting, FILE *out)
{
    char least[FL_CONFIG_QUANTITY_MAX], most[FL_CONFIG_QUANTITY_MAX];

    switch (setting->kind) {
    case FL_CONFIG_INT:
        snprintf(least, sizeof least, "%lld", (long long)setting->min);
        snprintf(most, sizeof most, "%lld", (long long)setting->max);
        break;
    case FL_CONFIG_DURATION:
        fl_config_print_duration(setting->min, least);
        fl_config_print_duration(setting->max, most);
        break;
    case FL_CONFIG_BYTES:
        fl_config_print_bytes(setting->min, least);
        fl_config_print_bytes(setting->max, most);
        break;
    default:
        return;
    }
    fprintf(out, ", %s to %s", least, most);
}

void fl_config_print_sample(const struct fl_config_setting *settings, size_t len, FILE *out)
{
    for (size_t i = 0; i < len; i++) {
        const struct fl_config_setting *setting = &settings[i];

        fputs("\n# ", out);
        fl_text_wrap_put(setting->text, "# ", out);
        fprintf(out, "# (%s", kind_name(setting->kind));
        print_range(setting, out);
        fprintf(out, "%s)\n#%s =%s%s\n", setting->preset ? "" : "; must be set", setting->key,
                setting->preset && setting->preset[0] ? " " : "",
                setting->preset ? setting->preset : "");
    }
}

static void print_flag(const char *key, FILE *out)
{
    for (; *key; key++) {
        fputc(*key == '_' ? '-' : *key, out);
    }
}

/* "(size, 1KiB to 8MiB; preset 1MiB)" */
static void print_kind(const struct fl_config_setting *setting, FILE *out)
{
    fprintf(out, "(%s", kind_name(setting->kind));
    print_range(setting, out);
    if (!setting->preset) {
        fprintf(out, "; must be set");
    } else if (setting->preset[0] != '\0') {
        fprintf(out, "; preset %s", setting->preset);
    }
    fputc(')', out);
}

void fl_config_print_help(const struct fl_config_setting *settings, size_t len, FILE *out)
{
    for (size_t i = 0; i < len; i++) {
        fprintf(out, "  --");
        print_flag(settings[i].key, out);
        fprintf(out, "  ");
        print_kind(&settings[i], out);
        fprintf(out, "\n      %s\n", settings[i].text);
    }
}

void fl_config_print_markdown(const struct fl_config_setting *settings, size_t len, FILE *out)
{
    fprintf(out, "| setting | kind | preset | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < len; i++) {
        fprintf(out, "| `%s` | %s", settings[i].key, kind_name(settings[i].kind));
        print_range(&settings[i], out);
        if (!settings[i].preset) {
            fprintf(out, " | must be set");
        } else if (settings[i].preset[0] != '\0') {
            fprintf(out, " | `%s`", settings[i].preset);
        } else {
            fprintf(out, " | none");
        }
        fprintf(out, " | %s |\n", settings[i].text);
    }
}

void fl_config_print_man(const struct fl_config_setting *settings, size_t len, FILE *out)
{
    fputs(".Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < len; i++) {
        fputs(".It Fl \\-", out);
        for (const char *key = settings[i].key; *key; key++) {
            fputs(*key == '_' ? "\\-" : (char[2]){*key, '\0'}, out);
        }
        fputc('\n', out);
        fl_mdoc_put(out, settings[i].text);
        print_kind(&settings[i], out);
        fputc('\n', out);
    }
    fputs(".El\n", out);
}
