#include "shared/io/program.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/base/version.h"
#include "shared/io/descriptors.h"
#include "shared/io/lifeline.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/io/mdoc.h"
#include "shared/io/notify.h"
#include "shared/io/signal.h"
#include "shared/io/text_wrap.h"

#define MODULE "main"

/* ---- running --------------------------------------------------------------------------------- */

static void on_signal(void *ctx, int number)
{
    if (number != SIGTERM && number != SIGINT) return;
    fl_log(FL_LOG_INFO, MODULE, "signal", FL_LOG_N("number", number));
    fl_loop_stop(ctx);
}

static void on_lifeline(void *ctx)
{
    fl_log(FL_LOG_INFO, MODULE, "starter_gone");
    fl_loop_stop(ctx);
}

static bool is_turning(void *ctx)
{
    (void)ctx; /* this call itself shows that the loop turns */
    return true;
}

bool fl_program_should_stop(const struct fl_program_run *run)
{
    struct pollfd lifeline = {.fd = run->lifeline_fd, .events = POLLIN};
    sigset_t pending;

    sigpending(&pending);
    return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) ||
           poll(&lifeline, 1, 0) > 0;
}

void fl_program_fail(const struct fl_program_run *run, const struct fl_err *err)
{
    *run->failure = *err;
    fl_loop_stop(run->loop);
}

static enum fl_exit run_loop(const struct fl_program_steps *steps, const struct fl_program_run *run)
{
    struct fl_err *failure = run->failure, err = {0};

    if (!steps->start(steps->ctx, run, &err)) {
        *failure = err;
    } else { /* 'err' may tell of a try before the one that was good */
        fl_notify_watch(run->notify, run->loop, steps->is_well ? steps->is_well : is_turning,
                        steps->ctx);
        fl_loop_run(run->loop);
    }
    if (failure->text[0]) {
        fl_log(FL_LOG_ERROR, MODULE, "not_started", FL_LOG_S("code", fl_code_name(failure->code)),
               FL_LOG_ERR(failure));
    }
    fl_notify_stopping(run->notify);
    steps->stop(steps->ctx);
    return failure->text[0] ? fl_exit_of(failure) : FL_EXIT_OK;
}

static enum fl_exit run(const struct fl_program *program, const struct fl_program_steps *steps,
                        struct fl_config *config)
{
    struct fl_err err = {0}, failure = {0};
    struct fl_program_run run = {.config = config, .lifeline_fd = -1, .failure = &failure};
    struct fl_lifeline *lifeline;
    struct fl_signals *signals;
    enum fl_exit code;
    int watched = -1;

    if (!fl_log_set_levels(fl_str_c(fl_config_string(config, program->log_level)), &err) ||
        !fl_lifeline_take(&run.lifeline_fd, &err)) {
        fprintf(stderr, "%s: %s\n", program->name, err.text);
        return fl_exit_of(&err);
    }
    run.descriptors = fl_descriptors_raise();
    run.notify = fl_notify_take();
    run.loop = fl_loop_create();
    signals = fl_signals_create(run.loop, on_signal, run.loop);
    if (run.lifeline_fd >= 0) watched = fcntl(run.lifeline_fd, F_DUPFD_CLOEXEC, 3);
    lifeline = fl_lifeline_create(run.loop, watched, on_lifeline, run.loop);
    code = run_loop(steps, &run);
    fl_lifeline_destroy(lifeline);
    fl_signals_destroy(signals);
    fl_notify_destroy(run.notify);
    fl_loop_destroy(run.loop);
    if (run.lifeline_fd >= 0) close(run.lifeline_fd);
    return code;
}

int fl_program_main(const struct fl_program *program, const struct fl_program_steps *steps,
                    int argc, char **argv)
{
    struct fl_log_config log = {.fd = STDERR_FILENO, .has_time = !getenv("JOURNAL_STREAM")};
    struct fl_config *config = fl_config_create(program->settings, program->settings_len);
    enum fl_config_action action = FL_CONFIG_RUN;
    enum fl_exit code = FL_EXIT_OK;
    struct fl_err err = {0};

    fl_signals_block();
    fl_log_open(&log);
    if (!fl_config_load(config, argc, argv, environ, &action, &err)) {
        fprintf(stderr, "%s: %s\n'%s --help' lists the settings\n", program->name, err.text,
                program->name);
        code = FL_EXIT_USAGE;
    } else if (action == FL_CONFIG_RUN) {
        code = run(program, steps, config);
    } else if (action == FL_CONFIG_HELP) {
        fl_program_print_help(program, stdout);
    } else if (action == FL_CONFIG_VERSION) {
        printf("%s %s\n", program->name, FL_VERSION);
    } else if (action == FL_CONFIG_PRINT) {
        fl_config_print(config, stdout);
    } else {
        fl_program_print_sample(program, stdout);
    }
    fl_config_destroy(config);
    if (fflush(stdout) != 0 && code == FL_EXIT_OK) code = FL_EXIT_IO;
    return code;
}

/* ---- groups of settings ---------------------------------------------------------------------- */

/* How many rows the group that begins at 'first' has. */
static size_t group_len(const struct fl_program *program, size_t first)
{
    size_t end = program->settings_len;

    for (const struct fl_program_group *group = program->groups; group && group->heading; group++) {
        if (group->first > first && group->first < end) end = group->first;
    }
    return end - first;
}

/* ---- help ------------------------------------------------------------------------------------ */

void fl_program_print_help(const struct fl_program *program, FILE *out)
{
    fprintf(out,
            "usage: %s [--config FILE] [--SETTING VALUE ...]\n"
            "       %s --help | --version | --print-config | --print-sample\n",
            program->name, program->name);
    for (const struct fl_program_item *verb = program->verbs; verb && verb->name; verb++) {
        fprintf(out, "       %s %s: %s\n", program->name, verb->name, verb->text);
    }
    fputc('\n', out);
    for (const char *const *text = program->about; *text; text++) {
        fl_text_wrap_put(*text, "", out);
        fputc('\n', out);
    }
    fl_text_wrap_put(
        "Settings come from the file, from FAIRLEAD_* variables and from flags; each "
        "overrides the one before. --print-config shows what they come to, --print-sample "
        "prints a file to begin with.",
        "", out);
    fputc('\n', out);
    fl_config_print_help(program->settings, group_len(program, 0), out);
    for (const struct fl_program_group *group = program->groups; group && group->heading; group++) {
        fprintf(out, "\n%s:\n", group->heading);
        fl_config_print_help(program->settings + group->first, group_len(program, group->first),
                             out);
    }
}

/* ---- a file to begin with -------------------------------------------------------------------- */

void fl_program_print_sample(const struct fl_program *program, FILE *out)
{
    fprintf(out,
            "# Settings of %s %s.\n"
            "# Each stands here as it is preset: take the '#' in front of it away to change it.\n"
            "# FAIRLEAD_* variables and flags override this file.\n",
            program->name, FL_VERSION);
    fl_config_print_sample(program->settings, group_len(program, 0), out);
    for (const struct fl_program_group *group = program->groups; group && group->heading; group++) {
        fprintf(out, "\n# ---- %s ----\n", group->heading);
        fl_config_print_sample(program->settings + group->first, group_len(program, group->first),
                               out);
    }
}

/* ---- man page -------------------------------------------------------------------------------- */

static void put_upper(const char *text, FILE *out)
{
    for (; *text; text++) {
        fputc(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text, out);
    }
}

static void put_settings(const struct fl_program *program, FILE *out)
{
    fputs(".Sh SETTINGS\n"
          "Read from the file that\n.Fl \\-config\nnames\n(a line\n.Ql key = value\neach),\n"
          "then from the environment\n.Pq Ev FAIRLEAD_KEY ,\nthen from flags; each overrides the "
          "one before.\n"
          "A secret may be given as\n.Ql @PATH\nof a file, and is printed as ***.\n"
          ".Fl \\-print\\-config\nshows what holds, and from where;\n"
          ".Fl \\-print\\-sample\nprints a file to begin with.\n",
          out);
    fl_config_print_man(program->settings, group_len(program, 0), out);
    for (const struct fl_program_group *group = program->groups; group && group->heading; group++) {
        fprintf(out, ".Ss %s\n", group->heading);
        fl_config_print_man(program->settings + group->first, group_len(program, group->first),
                            out);
    }
}

static void put_items(const char *macro, const struct fl_program_item *items, FILE *out)
{
    for (; items && items->name; items++) {
        fprintf(out, ".It %s ", macro);
        fl_mdoc_put(out, items->name);
        fl_mdoc_put(out, items->text);
    }
}

static void put_exits(FILE *out)
{
    fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < fl_exits_len; i++) {
        if (!fl_exits[i].daemon[0]) continue;
        fprintf(out, ".It %s\n", fl_exits[i].code);
        fl_mdoc_put(out, fl_exits[i].daemon);
    }
    fputs(".El\n", out);
}

void fl_program_print_man(const struct fl_program *program, FILE *out)
{
    static const struct fl_program_item environment[] = {
        {"FAIRLEAD_CONFIG", "The file of settings, where no flag names one."},
        {"FAIRLEAD_KEY", "Each setting, by its name in capitals."},
        {FL_LIFELINE_VARIABLE, "The number of a pipe's reading end: when the writing end is "
                               "closed, the program ends, and so do the jobs of an agent."},
        {NULL, NULL},
    };

    fputs(".Dd November 22, 2026\n.Dt ", out);
    put_upper(program->name, out);
    fprintf(out, " 8\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", program->name);
    fl_mdoc_put(out, program->line);
    fputs(".Sh SYNOPSIS\n.Nm\n.Op Fl \\-config Ar file\n.Op Fl \\- Ns Ar setting Ar value ...\n"
          ".Nm\n.Fl \\-help | Fl \\-version | Fl \\-print\\-config | Fl \\-print\\-sample\n.Sh "
          "DESCRIPTION\n",
          out);
    for (const char *const *text = program->about; *text; text++) {
        fl_mdoc_put(out, *text);
        fputs(".Pp\n", out);
    }
    fputs("It stays in the foreground and logs to standard error, one line an event; under\n"
          ".Xr systemd 1\nit says when it is ready, and answers the watchdog.\n",
          out);
    if (program->verbs) {
        fputs(".Bl -tag -width Ds\n", out);
        put_items("Cm", program->verbs, out);
        fputs(".El\n", out);
    }
    put_settings(program, out);
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n", out);
    put_items("Ev", environment, out);
    put_items("Ev", program->environment, out);
    fputs(".El\n.Sh FILES\n.Bl -tag -width Ds\n", out);
    put_items("Pa", program->files, out);
    fputs(".El\n", out);
    put_exits(out);
    fputs(".Sh SEE ALSO\n", out);
    for (const char *const *page = program->see_also; *page; page++) {
        fprintf(out, ".Xr %s%s\n", *page, page[1] ? " ," : "");
    }
}

void fl_program_keep_freed_memory(void)
{
    enum { KEPT_BYTES = 64 << 20, MAPPED_BYTES = 32 << 20 };

    /* A refusal costs speed only. */
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
}
