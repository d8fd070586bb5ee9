/* tool_config.h - the kubeconfig that a tool of the tests is given.
 * Uses agent/kube/kube_config.h. */
#pragma once

#include <fcntl.h>
#include <libgen.h>

#include "agent/kube/kube_config.h"
#include "shared/base/buf.h"
#include "shared/io/file.h"

FL_CHECK static inline bool tool_config(const char *path, struct fl_arena *arena,
                                        struct kube_config *ret_config, struct fl_err *err)
{
    struct fl_str folder = fl_str_c(dirname(fl_arena_printf(arena, "%s", path)));
    struct fl_buf text;
    bool is_good;

    fl_buf_init(&text, KUBE_CONFIG_BYTES_MAX);
    is_good =
        fl_file_read(AT_FDCWD, path, &text, err) &&
        kube_config_read(fl_arena_str(arena, (struct fl_str){(const char *)text.at, text.len}),
                         (struct fl_str){0}, folder, arena, ret_config, err);
    fl_buf_fini(&text);
    return is_good || fl_err_wrap(err, "%s", path);
}
