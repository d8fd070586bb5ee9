#include "cli/completion.h"

#include <string.h>

#include "cli/verb.h"

/* ---- choices --------------------------------------------------------------------------------- */

#define JOBS "ps --all --limit 100 --output name"
#define CLUSTERS "cluster ls --output name"
#define QUEUES "queue ls --output name"
#define TOKENS "token ls --output name"
#define CONTEXTS "context --output name"

/* Words, and a command line of fairlead that prints more; NULL: none. */
struct choices {
    const char *words, *asked;
};

static const struct {
    enum cli_option_id option;
    struct choices choices;
} values[] = {
    {CLI_OPT_output, {"table wide json jsonl yaml name jsonpath= custom-columns=", NULL}},
    {CLI_OPT_color, {"auto always never", NULL}},
    {CLI_OPT_context, {"", CONTEXTS}},
    {CLI_OPT_queue, {"", QUEUES}},
    {CLI_OPT_token_queue, {"", QUEUES}},
    {CLI_OPT_cluster, {"", CLUSTERS}},
    {CLI_OPT_not_cluster, {"", CLUSTERS}},
    {CLI_OPT_state, {"held queued starting running stopping succeeded failed cancelled", NULL}},
    {CLI_OPT_for, {"done succeeded running", NULL}},
    {CLI_OPT_step, {"hour day", NULL}},
    {CLI_OPT_scope, {"read submit cancel exec admin", NULL}},
    {CLI_OPT_outcome, {"done unauthenticated denied hidden", NULL}},
    {CLI_OPT_sort, {"name state queue cluster priority submittedAt endedAt", NULL}},
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The verb table names the kind of each argument. */
static struct choices arguments_of(const struct cli_verb *verb)
{
    const char *words = verb->words, *arguments = verb->arguments;

    if (begins(arguments, "JOB") || begins(arguments, "[JOB") || begins(arguments, "[FLAGS] JOB")) {
        return (struct choices){"@last @last-failed", JOBS};
    }
    if (begins(words, "cluster ") && *arguments && !strstr(words, "join")) {
        return (struct choices){"", CLUSTERS};
    }
    if (begins(arguments, "[QUEUE]") ||
        (begins(words, "queue ") && *arguments && !strstr(words, "create"))) {
        return (struct choices){"", QUEUES};
    }
    if (strcmp(words, "token revoke") == 0 || strcmp(words, "token rotate") == 0) {
        return (struct choices){"", TOKENS};
    }
    if (strcmp(words, "context") == 0) return (struct choices){"ls use rm", CONTEXTS};
    if (strcmp(words, "completion") == 0) return (struct choices){"bash zsh fish", NULL};
    return (struct choices){0};
}

static bool is_first_of_word(int i)
{
    size_t len = strcspn(cli_verbs()[i].words, " ");

    for (int j = 0; j < i; j++) {
        const char *other = cli_verbs()[j].words;

        if (strcspn(other, " ") == len && strncmp(other, cli_verbs()[i].words, len) == 0) {
            return false;
        }
    }
    return true;
}

/* ---- bash, and zsh by its way of taking bash's ----------------------------------------------- */

static void put_first_words(FILE *out)
{
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        if (!is_first_of_word(i)) continue;
        fprintf(out, "%s%.*s", i ? " " : "", (int)strcspn(cli_verbs()[i].words, " "),
                cli_verbs()[i].words);
    }
}

static void put_second_words(FILE *out, const char *first, size_t len)
{
    const char *between = "";

    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const char *words = cli_verbs()[i].words;

        if (strncmp(words, first, len) != 0 || words[len] != ' ') continue;
        fprintf(out, "%s%s", between, words + len + 1);
        between = " ";
    }
}

static void put_flags(FILE *out, const struct cli_verb *verb)
{
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        if (!cli_verb_takes(verb, (enum cli_option_id)i)) continue;
        fprintf(out, " --%s", cli_option_name((enum cli_option_id)i));
    }
}

static void put_bash_choices(FILE *out, struct choices choices)
{
    fprintf(out, "choices='%s'", choices.words ? choices.words : "");
    if (choices.asked) fprintf(out, "; _fairlead_ask %s", choices.asked);
    fputs(" ;;\n", out);
}

static void put_bash_verbs(FILE *out)
{
    fputs("    case \"$first $second\" in\n", out);
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const struct cli_verb *verb = &cli_verbs()[i];

        fprintf(out, "    '%s'%s) flags='", verb->words, strchr(verb->words, ' ') ? "" : "\\ *");
        put_flags(out, verb);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n", out);
}

static void put_bash_values(FILE *out)
{
    fputs("    case $before in\n", out);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char letter = cli_options[values[i].option].letter;

        fprintf(out, "    --%s", cli_option_name(values[i].option));
        if (letter) fprintf(out, " | -%c", letter);
        fputs(") is_value=1; ", out);
        put_bash_choices(out, values[i].choices);
    }
    fputs("    esac\n", out);
}

static void put_bash_second(FILE *out)
{
    fputs("        case $first in\n", out);
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const char *words = cli_verbs()[i].words;
        size_t len = strcspn(words, " ");

        if (!is_first_of_word(i) || !words[len]) continue;
        fprintf(out, "        %.*s) choices='", (int)len, words);
        put_second_words(out, words, len);
        fputs("' ;;\n", out);
    }
    fputs("        esac\n", out);
}

static void put_bash_arguments(FILE *out)
{
    fputs("        case \"$first $second\" in\n", out);
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const struct cli_verb *verb = &cli_verbs()[i];
        struct choices choices = arguments_of(verb);

        if (!choices.words) continue;
        fprintf(out, "        '%s'%s) ", verb->words, strchr(verb->words, ' ') ? "" : "\\ *");
        put_bash_choices(out, choices);
    }
    fputs("        esac\n", out);
}

static void put_bash(FILE *out)
{
    fputs(
        "_fairlead_ask() { choices+=\" $(timeout 1 \"${COMP_WORDS[0]}\" \"$@\" 2>/dev/null)\"; }\n"
        "_fairlead() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local first=${COMP_WORDS[1]} second=${COMP_WORDS[2]} choices='' flags='' is_value=''\n"
        "    [[ $word == = ]] && word=''\n"
        "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n",
        out);
    put_bash_verbs(out);
    fputs("    if ((COMP_CWORD == 1)); then choices='", out);
    put_first_words(out);
    fputs("'\n    elif [[ $word == -* ]]; then choices=$flags\n    else\n", out);
    put_bash_values(out);
    fputs("    fi\n"
          "    if [[ -z $is_value && -z $choices && $COMP_CWORD == 2 ]]; then\n",
          out);
    put_bash_second(out);
    fputs("    fi\n"
          "    if [[ -z $is_value && -z $choices ]]; then\n",
          out);
    put_bash_arguments(out);
    fputs("    fi\n"
          "    COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
          "    [[ ${#COMPREPLY[@]} != 1 || $COMPREPLY != *= ]] || compopt -o nospace 2>/dev/null\n"
          "    [[ -n $choices ]] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "}\n"
          "complete -F _fairlead fairlead kubectl-fairlead\n",
          out);
}

/* ---- fish ------------------------------------------------------------------------------------ */

/* A text in single quotes. */
static void put_fish_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void put_fish_choices(FILE *out, struct choices choices)
{
    fprintf(out, " -x -a '%s", choices.words);
    if (choices.asked) {
        fprintf(out, "%s(timeout 1 fairlead %s 2>/dev/null)", *choices.words ? " " : "",
                choices.asked);
    }
    fputc('\'', out);
}

static void put_fish_option(FILE *out, const struct cli_verb *verb, enum cli_option_id option)
{
    struct choices choices = {0};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (values[i].option == option) choices = values[i].choices;
    }
    fprintf(out, "complete -c fairlead -n '__fairlead_is %s' -l %s", verb->words,
            cli_option_name(option));
    if (cli_options[option].letter) fprintf(out, " -s %c", cli_options[option].letter);
    if (choices.words) {
        put_fish_choices(out, choices);
    } else if (cli_options[option].value) {
        fputs(" -r -F", out);
    }
    fputs(" -d ", out);
    put_fish_text(out, cli_options[option].text);
    fputc('\n', out);
}

static void put_fish_verb(FILE *out, int i)
{
    const struct cli_verb *verb = &cli_verbs()[i];
    struct choices choices = arguments_of(verb);
    int len = (int)strcspn(verb->words, " ");

    if (is_first_of_word(i)) {
        fprintf(out, "complete -c fairlead -n __fairlead_begins -a %.*s", len, verb->words);
        if (!verb->words[len]) {
            fputs(" -d ", out);
            put_fish_text(out, verb->line);
        }
        fputc('\n', out);
    }
    if (verb->words[len]) {
        fprintf(out, "complete -c fairlead -n '__fairlead_begins %.*s' -a %s -d ", len, verb->words,
                verb->words + len + 1);
        put_fish_text(out, verb->line);
        fputc('\n', out);
    }
    fprintf(out, "complete -c fairlead -n '__fairlead_is %s'", verb->words);
    if (choices.words) {
        put_fish_choices(out, choices);
    } else {
        fputs(" -F", out);
    }
    fputc('\n', out);
    for (int k = 0; k < CLI_OPTIONS_LEN; k++) {
        if (cli_verb_takes(verb, (enum cli_option_id)k)) {
            put_fish_option(out, verb, (enum cli_option_id)k);
        }
    }
}

static void put_fish(FILE *out)
{
    fputs("function __fairlead_is # the command line has these first words\n"
          "    set -l words (commandline -opc)\n"
          "    string match -q -- \"$argv *\" \"$words[2..] \"\n"
          "end\n"
          "function __fairlead_begins # and no more than these\n"
          "    set -l words (commandline -opc)\n"
          "    test \"$words[2..]\" = \"$argv\"\n"
          "end\n"
          "complete -c fairlead -f\n",
          out);
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        put_fish_verb(out, i);
    }
}

bool cli_completion(FILE *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0) {
        put_bash(out);
    } else if (strcmp(shell, "zsh") == 0) {
        fputs("autoload -U +X bashcompinit && bashcompinit\n", out);
        put_bash(out);
    } else if (strcmp(shell, "fish") == 0) {
        put_fish(out);
    } else {
        return false;
    }
    return true;
}
