/* identity_folder.h - the identity in files: STATE_DIR/identity/NAME, each 0600, in a folder of
 * 0700.  A file is written under another name, synced, and renamed. */
#pragma once

#include "agent/tunnel/identity_store.h"

struct identity_store identity_folder(const char *state_dir); /* the path is borrowed */
