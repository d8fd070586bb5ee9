/* identity.h - who this agent is: key, certificate chain and CA in its state directory.
 *
 *     STATE_DIR/identity/ca.pem             who signs the control plane; from enrolment
 *     STATE_DIR/identity/agent-<n>.pem      key, then chain; the highest whole one counts
 *
 * A file is written under another name, synced, and renamed; the older ones go once the newer is there.  Each
 * renewal has a name of its own because libwebsockets keeps client certificates by file name.  0600, in a
 * folder of 0700. */
#pragma once

#include <limits.h>

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct agent_identity {
    char ca_file[PATH_MAX];
    char file[PATH_MAX]; /* key and chain */
    uint64_t number;
    fl_ms begins_at, expires_at; /* of the certificate, wall clock */
};

/* FL_ABSENT: never enrolled; FL_TORN: no file is whole. */
FL_CHECK bool agent_identity_load(const char *state_dir, struct agent_identity *ret_identity,
                                  struct fl_err *err);

/* A key and a chain that belong together, both PEM, become the newest; 'ca' (PEM) is written when it is not
 * empty.  FL_INVALID: they do not. */
FL_CHECK bool agent_identity_store(const char *state_dir, struct fl_str key, struct fl_str chain,
                                   struct fl_str ca, struct fl_err *err);
