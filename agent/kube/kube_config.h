/* kube_config.h - how to reach an API server, and as whom: from a kubeconfig or from inside a pod.
 * It reads no file and no environment: the caller hands in the text, and gets either the bytes that
 * stood in it or the path of a file to read.  A relative path in a kubeconfig is relative to the
 * kubeconfig's folder, as for kubectl.  The caller reads a token's file before each use: in a pod
 * the kubelet replaces it.
 * Refused by name: exec plugins and auth-provider (a program would run), user name and password
 * (API servers take none since 1.19), 'as' (the agent acts as itself only), proxy-url, and
 * insecure-skip-tls-verify (anybody could answer).
 * Uses shared/base, shared/json and shared/yaml.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_arena;

enum {
    KUBE_CONFIG_BYTES_MAX = 1 << 20, /* bounds the text, as FL_YAML_BYTES_MAX does */
    KUBE_CONFIG_PEM_BYTES_MAX = 64 << 10,
    KUBE_CONFIG_TOKEN_BYTES_MAX = 16 << 10,
    KUBE_CONFIG_VALUE_BYTES_MAX = 4096, /* any other string */
};

#define KUBE_CONFIG_POD_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

/* PEM text or the path of a file that holds it; both empty: not given. */
struct kube_pem {
    struct fl_str data, path;
};

struct kube_config {
    struct fl_str server;            /* https://HOST[:PORT][/PATH], no slash at its end */
    struct kube_pem ca;              /* not given: the system's authorities */
    struct fl_str server_name;       /* the name in the server's certificate; empty: HOST */
    struct kube_pem certificate;     /* both or neither of these two */
    struct kube_pem key;             /* never logged */
    struct fl_str token, token_path; /* at most one of them is set; never logged */
    struct fl_str namespace;         /* empty: none is named */
    struct fl_str namespace_path;    /* the file that names it, in a pod; else empty */
};

/* The context of that name, or the current one where 'context' is empty.  'folder' is the
 * kubeconfig's.  On false: FL_TOO_LARGE for a limit, FL_ABSENT for a name that stands nowhere,
 * FL_UNSUPPORTED for what is refused above, else FL_INVALID. */
FL_CHECK bool kube_config_read(struct fl_str text, struct fl_str context, struct fl_str folder,
                               struct fl_arena *arena, struct kube_config *ret_config,
                               struct fl_err *err);

/* As a pod reaches its own cluster.  'host' and 'port' are KUBERNETES_SERVICE_HOST and
 * KUBERNETES_SERVICE_PORT; empty is FL_ABSENT: this is no pod. */
FL_CHECK bool kube_config_in_pod(struct fl_str host, struct fl_str port, struct fl_arena *arena,
                                 struct kube_config *ret_config, struct fl_err *err);
