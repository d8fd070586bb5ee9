/* cli.h - one run of the command line tool: its arguments, its control plane, and the format of its
 * output.  main.c makes it for the verb; everything in it lives until the end of the process.
 * Data goes to stdout, messages to stderr. */
#pragma once

#include <jansson.h>

#include "cli/args.h"
#include "cli/settings.h"
#include "shared/base/arena.h"

struct cli_http;
struct cli_shape;

enum cli_format {
    CLI_FORMAT_text, /* for people: the verb's own choice */
    CLI_FORMAT_table,
    CLI_FORMAT_wide,
    CLI_FORMAT_json, /* this and those behind it are data */
    CLI_FORMAT_jsonl,
    CLI_FORMAT_yaml,
    CLI_FORMAT_name,
    CLI_FORMAT_jsonpath,
    CLI_FORMAT_columns,
};

struct cli {
    struct cli_args args;
    struct cli_settings settings;
    enum cli_format format;
    struct cli_shape *shape; /* the format's template or columns, and the order of lists */
    bool is_tty;             /* stdout is a terminal */
    bool has_color;          /* stdout gets colours */
    size_t width;            /* characters in a row of the terminal; 0: not known */
    struct fl_arena arena;
    struct cli_http *http; /* NULL until the first request */
    const char *program;   /* argv[0], to find programs beside it */
};

/* Prints "fairlead: <text>" to stderr and returns 'code', so that a verb can return it. */
int cli_fail(int code, const char *fmt, ...) FL_PRINTF(2, 3);

/* The same for an error of a call: FL_INVALID is 64, FL_DENIED 77, FL_UNAVAILABLE 69, FL_IO 74
 * ... */
int cli_fail_err(const struct fl_err *err);

/* A turn of a loop that may go on for days: memory that the arena gives within it goes with its
 * end. */
struct fl_arena cli_begin_turn(struct cli *cli);
void cli_end_turn(struct cli *cli, struct fl_arena outer);

int64_t cli_now_ms(void); /* since the Unix epoch */
