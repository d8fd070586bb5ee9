/* program.h - the main of a daemon: settings, --help, --version, --print-config, --print-sample,
 * log, signals, systemd, lifeline, exit codes.  The description of a program is one constant, from
 * which --help and its man page are made; its main gives two steps, start and stop, and nothing
 * else:
 *
 *     int main(int argc, char **argv)
 *     {
 *         struct hub hub = {0};
 *
 *         return fl_program_main(&hub_program, &(struct fl_program_steps){&hub, start, stop, NULL},
 *                                argc, argv);
 *     }
 *
 * The program ends with SIGTERM, SIGINT, or when the holder of its lifeline is gone; exits.def has
 * the exit codes.  Uses shared/base and shared/io. */
#pragma once

#include "shared/io/config.h"
#include "shared/io/exits.h"

struct fl_loop;
struct fl_notify;

/* Settings from 'first' up to the next group's; the first group has no heading. */
struct fl_program_group {
    size_t first;
    const char *heading; /* "Limits of HTTP" */
};

struct fl_program_item {
    const char *name, *text; /* "/etc/fairlead/agent.conf", what it is */
};

/* Lists end with a row of NULL. */
struct fl_program {
    const char *name;         /* "fairlead-agent" */
    const char *line;         /* its line in the man page's NAME: "runs the work of one cluster" */
    const char *const *about; /* paragraphs of plain text */
    const struct fl_config_setting *settings;
    size_t settings_len;
    size_t log_level; /* the row of the setting that holds the levels of the log */
    const struct fl_program_group *groups; /* further groups, in the order of their rows; or NULL */
    const struct fl_program_item *verbs; /* "init": a first word with which it does that; or NULL */
    const struct fl_program_item *environment; /* beside those that every program reads; or NULL */
    const struct fl_program_item *files;
    const char *const *see_also; /* "fairlead 1" */
};

/* A program that runs; all of it is the program's until 'stop' has returned. */
struct fl_program_run {
    const struct fl_config *config;
    struct fl_loop *loop;
    struct fl_notify *notify; /* the program says when it is ready */
    int lifeline_fd;          /* for children; -1: none */
    uint64_t descriptors; /* the soft limit it was started with, for children; its own is raised */
    struct fl_err *failure; /* for program.c: why the program ends; text "" while it runs well */
};

struct fl_program_steps {
    void *ctx;
    /* Before the loop turns.  False: 'stop' follows, and the program ends with fl_exit_of(err). */
    bool (*start)(void *ctx, const struct fl_program_run *run, struct fl_err *err);
    void (*stop)(void *ctx); /* all that was started; the loop no longer turns */
    /* Whether the watchdog of systemd shall be fed; NULL: as long as the loop turns. */
    bool (*is_well)(void *ctx);
};

/* Returns the exit code. */
int fl_program_main(const struct fl_program *program, const struct fl_program_steps *steps,
                    int argc, char **argv);

/* For work that 'start' only began: ends the program as if 'start' had failed with 'err'. */
void fl_program_fail(const struct fl_program_run *run, const struct fl_err *err);

/* For a 'start' that waits: whether a signal or the lifeline has asked the program to end. */
bool fl_program_should_stop(const struct fl_program_run *run);

/* ---- for people ------------------------------------------------------------------------------ */

void fl_program_print_help(const struct fl_program *program, FILE *out);
void fl_program_print_sample(const struct fl_program *program, FILE *out); /* a file of settings */
void fl_program_print_man(const struct fl_program *program, FILE *out);    /* mdoc, section 8 */

/* For a program that makes and frees large buffers all the time: freed memory stays with the
 * process, up to 64 MiB a heap.  Else it goes back to the system, and comes again page by page. */
void fl_program_keep_freed_memory(void);
