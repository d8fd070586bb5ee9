#include "cli/help.h"

#include <string.h>

#include "shared/io/exits.h"
#include "shared/io/mdoc.h"
#include "shared/io/text_wrap.h"

enum { VERB_COLUMN = 24, TEXT_COLUMN = 34, EXAMPLE_BYTES_MAX = 200 };

static void put_dashed(FILE *out, const char *name)
{
    for (; *name; name++) {
        fputc(*name == '_' ? '-' : *name, out);
    }
}

static void put_wrapped(FILE *out, const char *text, int indent)
{
    char blanks[TEXT_COLUMN + 1];

    snprintf(blanks, sizeof blanks, "%*s", indent, "");
    fl_text_wrap_put(text, blanks, out);
}

static void put_option(FILE *out, const struct cli_option *option)
{
    int column = 6;

    if (option->letter) {
        fprintf(out, "  -%c, --", option->letter);
    } else {
        fputs("      --", out);
    }
    put_dashed(out, option->name);
    column += 2 + (int)strlen(option->name);
    if (option->value) {
        fprintf(out, " %s", option->value);
        column += 1 + (int)strlen(option->value);
    }
    if (column + 2 > TEXT_COLUMN) {
        fprintf(out, "\n%*s", TEXT_COLUMN, "");
    } else {
        fprintf(out, "%*s", TEXT_COLUMN - column, "");
    }
    put_wrapped(out, option->text, TEXT_COLUMN);
}

static void put_verb_line(FILE *out, const struct cli_verb *verb)
{
    fprintf(out, "  %-*s", VERB_COLUMN - 2, verb->words);
    put_wrapped(out, verb->line, VERB_COLUMN);
}

static void put_examples(FILE *out, const struct cli_verb *verb, const char *before)
{
    for (const char *at = verb->examples; *at; at += *at == '\n') {
        int len = (int)strcspn(at, "\n");

        fprintf(out, "%s%.*s\n", before, len, at);
        at += len;
    }
}

void cli_help(FILE *out)
{
    fputs("fairlead - batch and AI work over many clusters\n\n"
          "usage: fairlead VERB [ARGUMENTS] [FLAGS]\n\n",
          out);
    for (int group = 0; group < CLI_GROUPS_LEN; group++) {
        fprintf(out, "%s%s:\n", group ? "\n" : "", cli_group_titles[group]);
        for (int i = 0; i < CLI_VERBS_LEN; i++) {
            if ((int)cli_verbs()[i].group == group) put_verb_line(out, &cli_verbs()[i]);
        }
    }
    fputs("\nWith every verb:\n", out);
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        if (cli_option_is_global((enum cli_option_id)i)) put_option(out, &cli_options[i]);
    }
    fputs("\n'fairlead help VERB' says more, with examples.  First steps: 'fairlead demo --keep', "
          "or 'fairlead "
          "login URL'.\n",
          out);
}

void cli_help_group(FILE *out, const char *group)
{
    size_t len = strlen(group);

    fprintf(out, "usage: fairlead %s VERB [ARGUMENTS] [FLAGS]\n\n", group);
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const struct cli_verb *verb = &cli_verbs()[i];

        if (strncmp(verb->words, group, len) == 0 && verb->words[len] == ' ') {
            put_verb_line(out, verb);
        }
    }
}

void cli_help_verb(FILE *out, const struct cli_verb *verb)
{
    bool has_own = false;

    fprintf(out, "usage: fairlead %s%s%s\n\n", verb->words, *verb->arguments ? " " : "",
            verb->arguments);
    put_wrapped(out, verb->line, 0);
    if (*verb->more) {
        fputc('\n', out);
        put_wrapped(out, verb->more, 0);
    }
    fputs("\nExamples:\n", out);
    put_examples(out, verb, "  ");
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        enum cli_option_id option = (enum cli_option_id)i;

        if (cli_option_is_global(option) || !cli_verb_takes(verb, option)) continue;
        if (!has_own) fputs("\nFlags:\n", out);
        has_own = true;
        put_option(out, &cli_options[i]);
    }
    fputs("\nWith every verb:\n", out);
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        if (cli_option_is_global((enum cli_option_id)i)) put_option(out, &cli_options[i]);
    }
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void put_mdoc_option(FILE *out, const struct cli_option *option)
{
    fputs(".It ", out);
    if (option->letter) fprintf(out, "Fl %c , ", option->letter);
    fputs("Fl \\-", out);
    put_dashed(out, option->name);
    if (option->value) fprintf(out, " Ar %s", option->value);
    fputc('\n', out);
    fl_mdoc_put(out, option->text);
}

static void put_mdoc_exits(FILE *out)
{
    fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < fl_exits_len; i++) {
        if (!fl_exits[i].cli[0]) continue;
        fprintf(out, ".It %s\n", fl_exits[i].code);
        fl_mdoc_put(out, fl_exits[i].cli);
    }
    fputs(".El\n", out);
}

static void put_mdoc_examples(FILE *out, const struct cli_verb *verb)
{
    fputs(".Bd -literal -offset indent\n", out);
    for (const char *at = verb->examples; *at; at += *at == '\n') {
        char line[EXAMPLE_BYTES_MAX];
        size_t len = strcspn(at, "\n");

        snprintf(line, sizeof line, "%.*s", (int)len, at);
        fl_mdoc_put(out, line);
        at += len;
    }
    fputs(".Ed\n", out);
}

void cli_help_man(FILE *out)
{
    fputs(".Dd November 22, 2026\n.Dt FAIRLEAD 1\n.Os\n.Sh NAME\n.Nm fairlead\n"
          ".Nd batch and AI work over many clusters\n.Sh SYNOPSIS\n.Nm\n.Ar verb\n.Op Ar argument "
          "...\n"
          ".Op Ar flag ...\n.Sh DESCRIPTION\n"
          "Submits jobs to a Fairlead control plane, follows and explains them, and administers "
          "its clusters.\n"
          "The verbs:\n.Bl -tag -width Ds\n",
          out);
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const struct cli_verb *verb = &cli_verbs()[i];

        fprintf(out, ".It Cm %s", verb->words);
        if (*verb->arguments) {
            fputs(" No ", out);
            for (const char *c = verb->arguments; *c; c++) {
                if (*c == '-') fputc('\\', out);
                fputc(*c, out);
            }
        }
        fputc('\n', out);
        fl_mdoc_put(out, verb->line);
        if (*verb->more) {
            fputs(".Pp\n", out);
            fl_mdoc_put(out, verb->more);
        }
        put_mdoc_examples(out, verb);
    }
    fputs(".El\n.Pp\nThe flags, each of which only some verbs take\n"
          ".Pq Ql fairlead help VERB lists them :\n.Bl -tag -width Ds\n",
          out);
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        put_mdoc_option(out, &cli_options[i]);
    }
    fputs(".El\n.Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
          ".It Ev FAIRLEAD_URL , Ev FAIRLEAD_TOKEN , Ev FAIRLEAD_CA_FILE , Ev FAIRLEAD_CONTEXT\n"
          "As the flags of these names, which win.\n"
          ".It Ev NO_COLOR , Ev PAGER , Ev https_proxy , Ev no_proxy\nAs usual.\n.El\n",
          out);
    put_mdoc_exits(out);
}

void cli_help_markdown(FILE *out)
{
    fputs("# Command line\n\nMade by `docs/gen/cli.c` from `cli/verbs.def` and `cli/options.def`; "
          "change those, not "
          "this.\n\nData goes to standard output, talk to standard error. A job is named by its id "
          "(`job-7m2k`), by "
          "`@last` or by\n`@last-failed`.\n\n## Verbs\n",
          out);
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const struct cli_verb *verb = &cli_verbs()[i];
        const char *between = "\nFlags: ";

        fprintf(out, "\n### `fairlead %s%s%s`\n\n%s.%s%s\n", verb->words,
                *verb->arguments ? " " : "", verb->arguments, verb->line, *verb->more ? " " : "",
                verb->more);
        for (int o = 0; o < CLI_OPTIONS_LEN; o++) {
            if (cli_option_is_global((enum cli_option_id)o)) continue;
            if (!cli_verb_takes(verb, (enum cli_option_id)o)) continue;
            fprintf(out, "%s`--", between);
            put_dashed(out, cli_options[o].name);
            fputc('`', out);
            between = ", ";
        }
        if (between[0] == ',') fputs(".\n", out);
        fputs("\n```sh\n", out);
        put_examples(out, verb, "");
        fputs("```\n", out);
    }
    fputs("\n## Flags\n\n| flag | value | |\n|---|---|---|\n", out);
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        fputs("| `--", out);
        put_dashed(out, cli_options[i].name);
        fputc('`', out);
        if (cli_options[i].letter) fprintf(out, ", `-%c`", cli_options[i].letter);
        fprintf(out, " | %s | %s%s |\n", cli_options[i].value ? cli_options[i].value : "",
                cli_options[i].text, cli_options[i].is_many ? "; may be repeated" : "");
    }
    fputs("\n## Exit codes\n\n| code | |\n|---|---|\n", out);
    for (size_t i = 0; i < fl_exits_len; i++) {
        if (fl_exits[i].cli[0]) fprintf(out, "| %s | %s |\n", fl_exits[i].code, fl_exits[i].cli);
    }
}
