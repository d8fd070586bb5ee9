/* A kubeconfig, as an administrator hands it in.
 * Properties: a configuration that is taken names an https server and an identity; certificate and
 * key come together, one token at most, no string holds a control character, and a second reading
 * agrees.  A refusal has a text.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/kube_config.patch) takes a certificate without its key.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/kube_config_fuzz -max_total_time=60 DIR tests/fuzz/corpus/kube_config
 *     tests/fuzz/planted.sh kube_config */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "agent/kube/kube_config.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"

static void check_line(struct fl_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        fl_assert((unsigned char)s.at[i] >= ' ' && s.at[i] != 0x7f);
    }
}

static bool is_given(struct kube_pem pem)
{
    check_line(pem.path);
    fl_assert(pem.data.len == 0 || pem.path.len == 0);
    fl_assert(pem.data.len <= KUBE_CONFIG_PEM_BYTES_MAX);
    return pem.data.len + pem.path.len > 0;
}

static void check_config(const struct kube_config *config)
{
    bool has_certificate = is_given(config->certificate), has_key = is_given(config->key);

    (void)is_given(config->ca);
    fl_assert(config->server.len > 8 && memcmp(config->server.at, "https://", 8) == 0);
    fl_assert(config->server.at[config->server.len - 1] != '/');
    fl_assert(has_certificate == has_key);
    fl_assert(has_key || config->token.len + config->token_path.len > 0);
    fl_assert(config->token.len == 0 || config->token_path.len == 0);
    fl_assert(config->namespace.len == 0 || fl_str_is_name(config->namespace));
    check_line(config->server);
    check_line(config->server_name);
    check_line(config->token);
    check_line(config->token_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str text = {(const char *)data, size};
    struct kube_config config, again;
    struct fl_arena arena = {0};
    struct fl_err err = {0};

    if (size > 1 << 14) return 0;
    if (kube_config_read(text, (struct fl_str){0}, FL_STR("/etc"), &arena, &config, &err)) {
        check_config(&config);
        fl_assert(kube_config_read(text, (struct fl_str){0}, FL_STR("/etc"), &arena, &again, &err));
        fl_assert(fl_str_eq(config.server, again.server) && fl_str_eq(config.token, again.token));
    } else {
        fl_assert(err.text[0] && err.code != FL_OK);
    }
    fl_arena_fini(&arena);
    return 0;
}
