/* kube_settings.h - opens the Kubernetes runtime from its settings (kube_settings.def).
 * Uses shared code and agent/runtime.h. */
#pragma once

#include "agent/runtime.h"

/* By their place behind setup->setting_first. */
enum kube_setting {
#define SETTING(key, kind, preset, min, max, text) KUBE_SETTING_##key,
#include "agent/kube/kube_settings.def"
#undef SETTING
};

/* Reads the kubeconfig, or what the kubelet gives a pod.  The API server is not asked yet: it may
 * be away while the agent starts. */
FL_CHECK bool kube_settings_open(const struct runtime_setup *setup, struct runtime *ret_runtime,
                                 struct fl_err *err);

/* kube_clear.h, with the same settings. */
FL_CHECK bool kube_settings_clear(const struct runtime_setup *setup, fl_ms give_up_ms,
                                  const struct runtime_clear_port *port,
                                  struct runtime_clear *ret_clear, struct fl_err *err);
