/* exits.h - what the CLI's exit codes mean, for man page and docs; the numbers are in verb.h. */
#pragma once

#include <stddef.h>

struct cli_exit_text {
    const char *code, *text;
};

extern const struct cli_exit_text cli_exits[];
extern const size_t cli_exits_len;
