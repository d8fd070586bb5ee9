#include "agent/kube/kube_config.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

/* "-----BEGIN X-----" in base64 */
#define PEM "LS0tLS1CRUdJTiBYLS0tLS0="

#define CLUSTER(fields) "clusters: [{name: c, cluster: {" fields "}}]\n"
#define USER(fields) "users: [{name: u, user: {" fields "}}]\n"
#define CONTEXT                                                                                    \
    "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u, namespace: team}}]\n"
#define SERVER CLUSTER("server: 'https://api.test:6443/'")

static const char *tell_pem(struct kube_pem pem, struct fl_arena *arena)
{
    if (pem.data.len > 0) return fl_arena_printf(arena, "<%s>", pem.data.at);
    return pem.path.len > 0 ? pem.path.at : "-";
}

/* The configuration in one line, or why it is refused. */
static const char *tell(const char *text, const char *context, struct fl_arena *arena)
{
    struct kube_config config;
    struct fl_err err = {0};

    if (!kube_config_read(fl_str_c(text), fl_str_c(context), FL_STR("/etc/kube"), arena, &config,
                          &err)) {
        return fl_arena_printf(arena, "%s: %s", fl_code_name(err.code), err.text);
    }
    return fl_arena_printf(arena,
                           FL_STR_FMT " ca %s name " FL_STR_FMT " cert %s key %s token " FL_STR_FMT
                                      " file " FL_STR_FMT " ns " FL_STR_FMT,
                           FL_STR_ARG(config.server), tell_pem(config.ca, arena),
                           FL_STR_ARG(config.server_name), tell_pem(config.certificate, arena),
                           tell_pem(config.key, arena), FL_STR_ARG(config.token),
                           FL_STR_ARG(config.token_path), FL_STR_ARG(config.namespace));
}

static void a_kubeconfig_names_a_server_and_an_identity(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(tell(CONTEXT SERVER USER("token: abc"), "", &arena),
                        "https://api.test:6443 ca - name  cert - key - token abc file  ns team");
    assert_string_equal(
        tell(CONTEXT CLUSTER("server: 'https://1.2.3.4', certificate-authority-data: " PEM
                             ", certificate-authority: lost, tls-server-name: api")
                 USER("client-certificate: me.crt, client-key-data: " PEM),
             "", &arena),
        "https://1.2.3.4 ca <-----BEGIN X-----> name api cert /etc/kube/me.crt key "
        "<-----BEGIN X-----> token  file  ns team");
    assert_string_equal(tell(CONTEXT SERVER USER("token: abc, tokenFile: /run/token"), "", &arena),
                        "https://api.test:6443 ca - name  cert - key - token  file /run/token ns "
                        "team");
    fl_arena_fini(&arena);
}

static void json_is_taken_as_well(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        tell("{\"current-context\":\"x\",\"contexts\":[{\"name\":\"x\",\"context\":{\"cluster\":"
             "\"c\",\"user\":\"u\"}}],\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":"
             "\"https://h\"}}],\"users\":[{\"name\":\"u\",\"user\":{\"token\":\"t\"}}]}",
             "", &arena),
        "https://h ca - name  cert - key - token t file  ns ");
    fl_arena_fini(&arena);
}

static void the_context_can_be_chosen(void **state)
{
    struct fl_arena arena = {0};
    const char *text =
        "current-context: gone\ncontexts: [{name: x, context: {cluster: c, user: u}}, "
        "{name: bad, context: {cluster: c, user: nobody}}]\n" SERVER USER("token: t");

    (void)state;
    assert_string_equal(tell(text, "x", &arena),
                        "https://api.test:6443 ca - name  cert - key - token t file  ns ");
    assert_string_equal(tell(text, "", &arena), "absent: no context is called 'gone'");
    assert_string_equal(tell(text, "bad", &arena), "absent: no user is called 'nobody'");
    assert_string_equal(tell("a: b", "", &arena),
                        "invalid: no context is named, and none is current");
    fl_arena_fini(&arena);
}

static void what_needs_more_is_refused_by_name(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        tell(CONTEXT SERVER USER("token: t, exec: {command: aws}"), "", &arena),
        "unsupported: user 'u': exec is refused: its program would be run; give a token or a "
        "client certificate instead");
    assert_string_equal(
        tell(CONTEXT SERVER USER("username: me, password: secret"), "", &arena),
        "unsupported: user 'u': username is refused: API servers take no password since 1.19; "
        "give a token instead");
    assert_string_equal(tell(CONTEXT SERVER USER("token: t, as: root"), "", &arena),
                        "unsupported: user 'u': as is refused: the agent acts as itself only; give "
                        "the credentials of that user");
    assert_string_equal(tell(CONTEXT CLUSTER("server: 'https://h', insecure-skip-tls-verify: true")
                                 USER("token: t"),
                             "", &arena),
                        "unsupported: cluster 'c': insecure-skip-tls-verify is refused: anybody "
                        "could answer as the "
                        "API server; give its CA instead");
    assert_string_equal(
        tell(CONTEXT CLUSTER("server: 'https://h', insecure-skip-tls-verify: false, proxy-url: ''")
                 USER("token: t, exec: null, as: ''"),
             "", &arena),
        "https://h ca - name  cert - key - token t file  ns team");
    fl_arena_fini(&arena);
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "invalid: a kubeconfig is one YAML document, an object"},
        {"- 1", "invalid: a kubeconfig is one YAML document, an object"},
        {CONTEXT "---\na: b", "invalid: a kubeconfig is one YAML document, an object"},
        {CONTEXT, "absent: no cluster is called 'c'"},
        {CONTEXT "clusters: [{name: c, cluster: []}]", "invalid: cluster 'c' is no object"},
        {CONTEXT CLUSTER("server: 'http://h'"),
         "invalid: cluster 'c': server must begin with https://"},
        {CONTEXT CLUSTER("server: 'https://'"), "invalid: cluster 'c': server names no host"},
        {CONTEXT CLUSTER("server: 'https://me@h'"),
         "invalid: cluster 'c': server holds a '@': https://HOST:PORT/PATH is allowed"},
        {CONTEXT CLUSTER("server: 7"),
         "invalid: cluster 'c': server is a number: a string is wanted"},
        {CONTEXT CLUSTER("server: 'https://h', certificate-authority-data: '*'"),
         "invalid: cluster 'c': certificate-authority-data is not base64"},
        {CONTEXT CLUSTER("server: 'https://h', certificate-authority-data: Zm9v"),
         "invalid: cluster 'c': certificate-authority-data holds no PEM"},
        {CONTEXT SERVER USER("client-key-data: " PEM),
         "invalid: user 'u': client-certificate and client-key need each other"},
        {CONTEXT SERVER USER(""),
         "invalid: user 'u': neither token, tokenFile nor client-certificate is given"},
        {CONTEXT SERVER USER("token: \"a\\nb\""),
         "invalid: user 'u': token holds a control character"},
    };
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(tell(cases[i].text, "", &arena), cases[i].why);
    }
    fl_arena_fini(&arena);
}

static const char *tell_pod(const char *host, const char *port, struct fl_arena *arena)
{
    struct kube_config config;
    struct fl_err err = {0};

    if (!kube_config_in_pod(fl_str_c(host), fl_str_c(port), arena, &config, &err)) {
        return fl_arena_printf(arena, "%s: %s", fl_code_name(err.code), err.text);
    }
    assert_string_equal(config.ca.path.at, KUBE_CONFIG_POD_FOLDER "/ca.crt");
    assert_string_equal(config.token_path.at, KUBE_CONFIG_POD_FOLDER "/token");
    assert_string_equal(config.namespace_path.at, KUBE_CONFIG_POD_FOLDER "/namespace");
    return fl_arena_printf(arena, FL_STR_FMT, FL_STR_ARG(config.server));
}

static void a_pod_finds_its_own_cluster(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(tell_pod("10.96.0.1", "443", &arena), "https://10.96.0.1:443");
    assert_string_equal(tell_pod("fd00::1", "443", &arena), "https://[fd00::1]:443");
    assert_string_equal(tell_pod("", "443", &arena),
                        "absent: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: "
                        "this is no pod, give a kubeconfig");
    assert_string_equal(tell_pod("a/b", "443", &arena),
                        "invalid: KUBERNETES_SERVICE_HOST is no host");
    assert_string_equal(tell_pod("h", "0", &arena),
                        "invalid: KUBERNETES_SERVICE_PORT is no port: 1 to 65535");
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_kubeconfig_names_a_server_and_an_identity),
         cmocka_unit_test(json_is_taken_as_well), cmocka_unit_test(the_context_can_be_chosen),
         cmocka_unit_test(what_needs_more_is_refused_by_name),
         cmocka_unit_test(what_is_wrong_is_named), cmocka_unit_test(a_pod_finds_its_own_cluster))
