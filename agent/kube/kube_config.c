#include "agent/kube/kube_config.h"

#include <string.h>

#include "agent/kube/base64_text.h"
#include "shared/base/arena.h"
#include "shared/yaml/yaml.h"

struct reader {
    struct fl_str folder;
    struct fl_arena *arena;
    struct fl_err *err;
};

struct refusal {
    const char *key, *why;
};

static const struct refusal user_refusals[] = {
    {"exec", "its program would be run; give a token or a client certificate instead"},
    {"auth-provider", "it left Kubernetes in 1.26; give a token or a client certificate instead"},
    {"username", "API servers take no password since 1.19; give a token instead"},
    {"password", "API servers take no password since 1.19; give a token instead"},
    {"as", "the agent acts as itself only; give the credentials of that user"},
    {"as-uid", "the agent acts as itself only; give the credentials of that user"},
    {"as-groups", "the agent acts as itself only; give the credentials of that user"},
    {"as-user-extra", "the agent acts as itself only; give the credentials of that user"},
    {NULL, NULL},
};

static const struct refusal cluster_refusals[] = {
    {"insecure-skip-tls-verify", "anybody could answer as the API server; give its CA instead"},
    {"proxy-url", "the agent connects by itself; let it reach the server directly"},
    {NULL, NULL},
};

/* Absent, null, false and "" say nothing. */
static bool is_given(const struct fl_json *value)
{
    if (!value || value->kind == FL_JSON_NULL) return false;
    if (value->kind == FL_JSON_BOOL) return value->n != 0;
    return value->kind != FL_JSON_STRING || value->text.len > 0;
}

static bool check_refusals(const struct reader *reader, const struct fl_json *object,
                           const struct refusal *refusals)
{
    for (; refusals->key; refusals++) {
        if (!is_given(fl_json_member(object, fl_str_c(refusals->key)))) continue;
        return fl_fail(reader->err, FL_UNSUPPORTED, "%s is refused: %s", refusals->key,
                       refusals->why);
    }
    return true;
}

static bool has_control(struct fl_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.at[i] < ' ' || s.at[i] == 0x7f) return true;
    }
    return false;
}

/* A string of one line; empty where it is absent. */
static bool read_string(const struct reader *reader, const struct fl_json *object, const char *key,
                        size_t bytes_max, struct fl_str *ret_value)
{
    const struct fl_json *value = fl_json_member(object, fl_str_c(key));

    *ret_value = (struct fl_str){0};
    if (!is_given(value)) return true;
    if (value->kind != FL_JSON_STRING) {
        return fl_fail(reader->err, FL_INVALID, "%s is %s: a string is wanted", key,
                       fl_json_kind_name(value->kind));
    }
    if (value->text.len > bytes_max) {
        return fl_fail(reader->err, FL_TOO_LARGE, "%s has %zu bytes: %zu are allowed", key,
                       value->text.len, bytes_max);
    }
    if (has_control(value->text)) {
        return fl_fail(reader->err, FL_INVALID, "%s holds a control character", key);
    }
    *ret_value = fl_arena_str(reader->arena, value->text);
    return true;
}

static bool read_path(const struct reader *reader, const struct fl_json *object, const char *key,
                      struct fl_str *ret_path)
{
    if (!read_string(reader, object, key, KUBE_CONFIG_VALUE_BYTES_MAX, ret_path)) return false;
    if (ret_path->len == 0 || ret_path->at[0] == '/' || reader->folder.len == 0) return true;
    *ret_path = fl_str_c(fl_arena_printf(reader->arena, FL_STR_FMT "/" FL_STR_FMT,
                                         FL_STR_ARG(reader->folder), FL_STR_ARG(*ret_path)));
    return true;
}

/* NAME-data holds base64 of PEM and wins over NAME, a path. */
static bool read_pem(const struct reader *reader, const struct fl_json *object, const char *key,
                     struct kube_pem *ret_pem)
{
    const char *data_key = fl_arena_printf(reader->arena, "%s-data", key);
    const struct fl_json *data = fl_json_member(object, fl_str_c(data_key));

    *ret_pem = (struct kube_pem){0};
    if (!is_given(data)) return read_path(reader, object, key, &ret_pem->path);
    if (data->kind != FL_JSON_STRING) {
        return fl_fail(reader->err, FL_INVALID, "%s is %s: a string is wanted", data_key,
                       fl_json_kind_name(data->kind));
    }
    if (data->text.len / 4 * 3 > KUBE_CONFIG_PEM_BYTES_MAX) {
        return fl_fail(reader->err, FL_TOO_LARGE, "%s is over %d bytes", data_key,
                       KUBE_CONFIG_PEM_BYTES_MAX);
    }
    if (!base64_text_read(data->text, reader->arena, &ret_pem->data)) {
        return fl_fail(reader->err, FL_INVALID, "%s is not base64", data_key);
    }
    if (!memmem(ret_pem->data.at, ret_pem->data.len, "-----BEGIN ", strlen("-----BEGIN "))) {
        return fl_fail(reader->err, FL_INVALID, "%s holds no PEM", data_key);
    }
    return true;
}

static bool is_pem_given(struct kube_pem pem)
{
    return pem.data.len > 0 || pem.path.len > 0;
}

/* 'https://' and a host; no user, query or fragment. */
static bool check_server(struct kube_config *config, struct fl_err *err)
{
    static const char scheme[] = "https://";
    size_t len = sizeof scheme - 1;
    struct fl_str server = config->server, rest;

    if (server.len == 0) return fl_fail(err, FL_INVALID, "the cluster names no server");
    if (server.len < len || memcmp(server.at, scheme, len) != 0) {
        return fl_fail(err, FL_INVALID, "server must begin with https://");
    }
    rest = (struct fl_str){server.at + len, server.len - len};
    if (rest.len == 0 || rest.at[0] == '/' || rest.at[0] == ':') {
        return fl_fail(err, FL_INVALID, "server names no host");
    }
    for (size_t i = 0; i < rest.len; i++) {
        if (strchr(" @?#\\\"<>", rest.at[i])) {
            return fl_fail(err, FL_INVALID,
                           "server holds a '%c': https://HOST:PORT/PATH is allowed", rest.at[i]);
        }
    }
    while (config->server.at[config->server.len - 1] == '/') {
        config->server.len--;
    }
    return true;
}

static bool read_cluster(const struct reader *reader, const struct fl_json *cluster,
                         struct kube_config *config)
{
    return check_refusals(reader, cluster, cluster_refusals) &&
           read_string(reader, cluster, "server", KUBE_CONFIG_VALUE_BYTES_MAX, &config->server) &&
           check_server(config, reader->err) &&
           read_string(reader, cluster, "tls-server-name", KUBE_CONFIG_VALUE_BYTES_MAX,
                       &config->server_name) &&
           read_pem(reader, cluster, "certificate-authority", &config->ca);
}

/* A token's file wins over a token, as in client-go. */
static bool read_user(const struct reader *reader, const struct fl_json *user,
                      struct kube_config *config)
{
    bool has_certificate, has_key;

    if (!check_refusals(reader, user, user_refusals) ||
        !read_pem(reader, user, "client-certificate", &config->certificate) ||
        !read_pem(reader, user, "client-key", &config->key) ||
        !read_string(reader, user, "token", KUBE_CONFIG_TOKEN_BYTES_MAX, &config->token) ||
        !read_path(reader, user, "tokenFile", &config->token_path)) {
        return false;
    }
    if (config->token_path.len > 0) config->token = (struct fl_str){0};
    has_certificate = is_pem_given(config->certificate);
    has_key = is_pem_given(config->key);
    if (has_certificate != has_key) {
        return fl_fail(reader->err, FL_INVALID,
                       "client-certificate and client-key need each other");
    }
    if (!has_key && config->token.len == 0 && config->token_path.len == 0) {
        return fl_fail(reader->err, FL_INVALID,
                       "neither token, tokenFile nor client-certificate is given");
    }
    return true;
}

/* The object 'kind' of the entry called 'name' in 'list', one of a kubeconfig's three lists. */
static const struct fl_json *find_named(const struct reader *reader, const struct fl_json *root,
                                        const char *list, const char *kind, struct fl_str name)
{
    const struct fl_json *entries = fl_json_member(root, fl_str_c(list));

    if (entries && entries->kind == FL_JSON_LIST) {
        FL_JSON_EACH (entry, entries) {
            const struct fl_json *found = fl_json_member(entry, FL_STR("name"));
            const struct fl_json *object = fl_json_member(entry, fl_str_c(kind));

            if (!found || found->kind != FL_JSON_STRING || !fl_str_eq(found->text, name)) continue;
            if (object && object->kind == FL_JSON_OBJECT) return object;
            fl_fail(reader->err, FL_INVALID, "%s '" FL_STR_FMT "' is no object", kind,
                    FL_STR_ARG(name));
            return NULL;
        }
    }
    fl_fail(reader->err, FL_ABSENT, "no %s is called '" FL_STR_FMT "'", kind, FL_STR_ARG(name));
    return NULL;
}

static bool read_context(const struct reader *reader, const struct fl_json *root,
                         struct fl_str context, struct kube_config *config)
{
    const struct fl_json *object;
    struct fl_str cluster, user;

    if (context.len == 0 &&
        !read_string(reader, root, "current-context", KUBE_CONFIG_VALUE_BYTES_MAX, &context)) {
        return false;
    }
    if (context.len == 0) {
        return fl_fail(reader->err, FL_INVALID, "no context is named, and none is current");
    }
    object = find_named(reader, root, "contexts", "context", context);
    if (!object || !read_string(reader, object, "cluster", KUBE_CONFIG_VALUE_BYTES_MAX, &cluster) ||
        !read_string(reader, object, "user", KUBE_CONFIG_VALUE_BYTES_MAX, &user) ||
        !read_string(reader, object, "namespace", FL_NAME_BYTES_MAX, &config->namespace)) {
        return false;
    }
    if (config->namespace.len > 0 && !fl_str_is_name(config->namespace)) {
        return fl_fail(reader->err, FL_INVALID, "namespace is no name: " FL_NAME_ALLOWED);
    }
    object = find_named(reader, root, "clusters", "cluster", cluster);
    if (!object) return false;
    if (!read_cluster(reader, object, config)) {
        return fl_err_wrap(reader->err, "cluster '" FL_STR_FMT "'", FL_STR_ARG(cluster));
    }
    object = find_named(reader, root, "users", "user", user);
    if (!object) return false;
    if (!read_user(reader, object, config)) {
        return fl_err_wrap(reader->err, "user '" FL_STR_FMT "'", FL_STR_ARG(user));
    }
    return true;
}

/* One document that is an object. */
static bool read_document(struct fl_str text, const struct reader *reader,
                          const struct fl_json **ret_root)
{
    struct fl_yaml *yaml = fl_yaml_create(text);
    const struct fl_json *second = NULL;
    struct fl_place at = {0};
    bool is_read = fl_yaml_next(yaml, reader->arena, ret_root, &at, reader->err) &&
                   (!*ret_root || fl_yaml_next(yaml, reader->arena, &second, &at, reader->err));

    fl_yaml_destroy(yaml);
    if (!is_read) return fl_err_wrap(reader->err, "line %u", at.line);
    if (!*ret_root || (*ret_root)->kind != FL_JSON_OBJECT || second) {
        return fl_fail(reader->err, FL_INVALID, "a kubeconfig is one YAML document, an object");
    }
    return true;
}

bool kube_config_read(struct fl_str text, struct fl_str context, struct fl_str folder,
                      struct fl_arena *arena, struct kube_config *ret_config, struct fl_err *err)
{
    struct reader reader = {folder, arena, err};
    struct kube_config config = {0};
    const struct fl_json *root;

    if (text.len > KUBE_CONFIG_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "the kubeconfig has %zu bytes: %d are allowed", text.len,
                       KUBE_CONFIG_BYTES_MAX);
    }
    if (!read_document(text, &reader, &root) || !read_context(&reader, root, context, &config)) {
        return false;
    }
    *ret_config = config;
    return true;
}

bool kube_config_in_pod(struct fl_str host, struct fl_str port, struct fl_arena *arena,
                        struct kube_config *ret_config, struct fl_err *err)
{
    struct kube_config config = {0};
    uint64_t number;
    bool is_ipv6 = host.len > 0 && memchr(host.at, ':', host.len);

    if (host.len == 0 || port.len == 0) {
        return fl_fail(err, FL_ABSENT,
                       "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: "
                       "this is no pod, give a kubeconfig");
    }
    if (host.len > KUBE_CONFIG_VALUE_BYTES_MAX || has_control(host) ||
        memchr(host.at, '/', host.len)) {
        return fl_fail(err, FL_INVALID, "KUBERNETES_SERVICE_HOST is no host");
    }
    if (!fl_str_parse_u64(port, &number) || number == 0 || number > UINT16_MAX) {
        return fl_fail(err, FL_INVALID, "KUBERNETES_SERVICE_PORT is no port: 1 to 65535");
    }
    config.server =
        fl_str_c(fl_arena_printf(arena, "https://%s" FL_STR_FMT "%s:%u", is_ipv6 ? "[" : "",
                                 FL_STR_ARG(host), is_ipv6 ? "]" : "", (unsigned)number));
    config.ca.path = FL_STR(KUBE_CONFIG_POD_FOLDER "/ca.crt");
    config.token_path = FL_STR(KUBE_CONFIG_POD_FOLDER "/token");
    config.namespace_path = FL_STR(KUBE_CONFIG_POD_FOLDER "/namespace");
    if (!check_server(&config, err)) return fl_err_wrap(err, "KUBERNETES_SERVICE_HOST");
    *ret_config = config;
    return true;
}
