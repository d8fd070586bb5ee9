#include "agent/kube/kube_settings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "agent/kube/kube_clear.h"
#include "agent/kube/kube_runtime.h"
#include "shared/base/arena.h"
#include "shared/base/resource_name.h"
#include "shared/io/config.h"
#include "shared/io/file.h"
#include "shared/spec/job_mount.h"
#include "shared/tls/random.h"

static const char *text(const struct runtime_setup *setup, enum kube_setting setting)
{
    return fl_config_string(setup->config, setup->setting_first + setting);
}

static int64_t number(const struct runtime_setup *setup, enum kube_setting setting)
{
    return fl_config_int(setup->config, setup->setting_first + setting);
}

static bool read_file(const char *path, size_t bytes_max, struct fl_arena *arena,
                      struct fl_str *ret_text, struct fl_err *err)
{
    struct fl_buf buf;
    bool is_read;

    fl_buf_init(&buf, bytes_max);
    is_read = fl_file_read(AT_FDCWD, path, &buf, err);
    if (is_read) *ret_text = fl_arena_str(arena, (struct fl_str){(const char *)buf.at, buf.len});
    fl_buf_fini(&buf);
    return is_read || fl_err_wrap(err, "%s", path);
}

static bool read_kubeconfig(const struct runtime_setup *setup, struct fl_arena *arena,
                            struct kube_config *ret_kube, struct fl_err *err)
{
    const char *path = text(setup, KUBE_SETTING_kubeconfig), *slash = strrchr(path, '/');
    struct fl_str folder = {path, slash ? (size_t)(slash - path) : 0}, kubeconfig = {0};

    if (slash == path) folder.len = 1;
    if (!read_file(path, KUBE_CONFIG_BYTES_MAX, arena, &kubeconfig, err)) return false;
    return kube_config_read(kubeconfig, fl_str_c(text(setup, KUBE_SETTING_kube_context)), folder,
                            arena, ret_kube, err) ||
           fl_err_wrap(err, "%s", path);
}

static bool read_pod(struct fl_arena *arena, struct kube_config *ret_kube, struct fl_err *err)
{
    if (kube_config_in_pod(fl_str_c(getenv("KUBERNETES_SERVICE_HOST")),
                           fl_str_c(getenv("KUBERNETES_SERVICE_PORT")), arena, ret_kube, err)) {
        return true;
    }
    return fl_err_wrap(err, "the setting kubeconfig is empty");
}

/* The setting, else what the configuration names, else "default". */
static bool find_namespace(const struct runtime_setup *setup, const struct kube_config *kube,
                           struct fl_arena *arena, struct fl_str *ret_namespace, struct fl_err *err)
{
    struct fl_str found = fl_str_c(text(setup, KUBE_SETTING_kube_namespace));

    if (found.len == 0) found = kube->namespace;
    if (found.len == 0 && kube->namespace_path.len > 0 &&
        !read_file(kube->namespace_path.at, KUBE_NAMESPACE_BYTES_MAX + 1, arena, &found, err)) {
        return false;
    }
    while (found.len > 0 && found.at[found.len - 1] == '\n') {
        found.len--;
    }
    if (found.len == 0) found = FL_STR("default");
    if (!fl_str_is_name(found)) {
        return fl_fail(err, FL_INVALID,
                       "namespace '" FL_STR_FMT "' is no name; allowed: " FL_NAME_ALLOWED,
                       FL_STR_ARG(found));
    }
    *ret_namespace = found;
    return true;
}

static struct pod_times times_of(const struct runtime_setup *setup)
{
    return (struct pod_times){
        .trouble_ms = {[POD_TROUBLE_image] = number(setup, KUBE_SETTING_kube_image_wait),
                       [POD_TROUBLE_container] = number(setup, KUBE_SETTING_kube_container_wait),
                       [POD_TROUBLE_sandbox] = number(setup, KUBE_SETTING_kube_volume_wait),
                       [POD_TROUBLE_unscheduled] = number(setup, KUBE_SETTING_kube_schedule_wait)},
        .output_ms = number(setup, KUBE_SETTING_kube_log_grace),
    };
}

/* The cluster, and the namespace of the pods. */
static bool find_cluster(const struct runtime_setup *setup, struct fl_arena *arena,
                         struct kube_config *ret_kube, struct fl_str *ret_namespace,
                         struct fl_err *err)
{
    bool has_kubeconfig = text(setup, KUBE_SETTING_kubeconfig)[0] != 0;

    return (has_kubeconfig ? read_kubeconfig(setup, arena, ret_kube, err)
                           : read_pod(arena, ret_kube, err)) &&
           find_namespace(setup, ret_kube, arena, ret_namespace, err);
}

static bool check_pull_secrets(struct fl_str names, struct fl_err *err)
{
    struct fl_str name;

    while (fl_str_next_word(&names, ' ', &name)) {
        if (name.len == 0 || fl_job_is_object_name(name)) continue;
        return fl_fail(err, FL_INVALID,
                       "kube_pull_secrets: '" FL_STR_FMT "' is no name of a Secret: a-z, 0-9, '-' "
                       "and '.', with a space between two names",
                       FL_STR_ARG(name));
    }
    return true;
}

static bool open_with(const struct runtime_setup *setup, struct fl_arena *arena,
                      struct runtime *ret_runtime, struct fl_err *err)
{
    struct kube_config kube;
    struct kube_runtime_config config = {
        .spool_dir = fl_arena_printf(arena, "%s/output", setup->state_dir),
        .spool_each_bytes = (uint64_t)number(setup, KUBE_SETTING_kube_output_each),
        .spool_all_bytes = (uint64_t)number(setup, KUBE_SETTING_kube_output_all),
        .kube = &kube,
        .image = fl_str_c(text(setup, KUBE_SETTING_kube_image)),
        .grants = fl_str_c(text(setup, KUBE_SETTING_kube_grants)),
        .pull_secrets = fl_str_c(text(setup, KUBE_SETTING_kube_pull_secrets)),
        .is_undisturbed =
            fl_config_bool(setup->config, setup->setting_first + KUBE_SETTING_kube_undisturbed),
        .accelerator = fl_str_c(text(setup, KUBE_SETTING_kube_accelerator)),
        .times = times_of(setup),
        .seed = fl_random_u64(),
    };
    struct kube_runtime *runtime;

    if (config.accelerator.len > 0 &&
        (!fl_is_job_resource(config.accelerator) || fl_is_bytes_resource(config.accelerator))) {
        return fl_fail(err, FL_INVALID,
                       "kube_accelerator: '" FL_STR_FMT "' is no resource's name with a '/', as "
                       "nvidia.com/gpu",
                       FL_STR_ARG(config.accelerator));
    }
    if (!check_pull_secrets(config.pull_secrets, err)) return false;
    if (!find_cluster(setup, arena, &kube, &config.namespace, err) ||
        !kube_runtime_create(setup->loop, &config, &runtime, err)) {
        return false;
    }
    *ret_runtime = kube_runtime_port(runtime);
    return true;
}

bool kube_settings_open(const struct runtime_setup *setup, struct runtime *ret_runtime,
                        struct fl_err *err)
{
    struct fl_arena arena = {0};
    bool is_open = open_with(setup, &arena, ret_runtime, err);

    fl_arena_fini(&arena);
    return is_open;
}

static void destroy_clear(void *self)
{
    kube_clear_destroy(self);
}

bool kube_settings_clear(const struct runtime_setup *setup, fl_ms give_up_ms,
                         const struct runtime_clear_port *port, struct runtime_clear *ret_clear,
                         struct fl_err *err)
{
    struct fl_arena arena = {0};
    struct kube_config kube;
    struct kube_clear_config config = {
        .kube = &kube, .give_up_ms = give_up_ms, .seed = fl_random_u64()};
    struct kube_clear *clear;
    bool is_started =
        find_cluster(setup, &arena, &kube, &config.namespace, err) &&
        kube_clear_start(setup->loop, &config, &(struct kube_clear_port){port->ctx, port->done},
                         &clear, err);

    if (is_started) *ret_clear = (struct runtime_clear){clear, destroy_clear};
    fl_arena_fini(&arena);
    return is_started;
}
