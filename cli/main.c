/* main.c - 'fairlead': runs one verb and exits.  The one file of the CLI that knows all verbs. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/interrupt.h"
#include "cli/output.h"

/* In the order of cli_verbs(); each returns the exit code. */
static int (*const functions[CLI_VERBS_LEN])(struct cli *cli) = {
#define VERB(function, words, group, arguments, options, line, more, examples) verb_##function,
#include "cli/verbs.def"
#undef VERB
};

/* 'fairlead', 'fairlead --help', 'fairlead cluster --help': help without a verb.  -1: go on. */
static int help_instead(int argc, char **argv)
{
    bool is_asked = argc == 1;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) is_asked = true;
    }
    if (!is_asked) return -1;
    if (argc > 2 && argv[1][0] != '-' && cli_verb_is_group(argv[1]) && argv[2][0] == '-') {
        cli_help_group(stdout, argv[1]);
    } else if (argc == 1 || argv[1][0] == '-') {
        cli_help(argc == 1 ? stderr : stdout);
    } else {
        return -1;
    }
    return argc == 1 ? CLI_USAGE : CLI_OK;
}

int main(int argc, char **argv)
{
    static struct cli cli;
    struct fl_err err = {0};
    int code = help_instead(argc, argv);

    if (code >= 0) return code;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) argv[1] += 2; /* the verb */
    cli.program = argv[0];
    if (!cli_args_parse(argc, (const char *const *)argv, &cli.arena, &cli.args, &err)) {
        return cli_fail_err(&err);
    }
    if (!cli.args.verb) return cli_fail(CLI_USAGE, "which verb?  'fairlead help' lists them");
    if (cli_has(&cli.args, CLI_OPT_help)) {
        cli_help_verb(stdout, cli.args.verb);
        return CLI_OK;
    }
    if (!cli_settings_read(&cli.args, &cli.arena, &cli.settings, &err) ||
        !cli_output_begin(&cli, &err) || !cli_answer_begin(&cli, &err)) {
        return cli_fail_err(&err);
    }
    cli_catch_interrupt();
    code = functions[cli.args.verb - cli_verbs()](&cli);
    cli_http_end(&cli);
    cli_output_end();
    if (ferror(stdout) && code == CLI_OK) code = CLI_IO;
    return code;
}
