/* rebuild.h - makes the tables of a sealed file again, if they are damaged or missing.
 * It walks the file's blocks and their manifests (manifest.h) and writes a new file: blocks as they
 * are, good or bad, and tables made of the manifests' rows.  So a table's damage costs nothing.  A
 * damaged block is a gap to readers, as ever.  A damaged manifest costs its block: that is a gap of
 * the outputs that go on behind it, and outputs that are wholly in it are lost.
 * It takes the memory of one block, and as long as reading and writing the file.  Knows no
 * threads. */
#pragma once

#include "controlplane/logs/sealed.h"
#include "shared/base/err.h"

struct log_rebuilt {
    struct log_sealed *sealed; /* a reference */
    uint32_t lost;             /* blocks whose manifest is damaged; those at the end do not count */
};

/* 'path' is the file of 'named', which is read from its name.  On true the new file has taken its
 * place, and the old one is kept as PATH.damaged.  On false nothing has changed: FL_TORN, there is
 * no manifest; FL_IO, FL_NO_SPACE. */
FL_CHECK bool log_rebuild(const char *dir, const char *path, const struct log_segment_header *named,
                          struct log_rebuilt *ret_rebuilt, struct fl_err *err);
