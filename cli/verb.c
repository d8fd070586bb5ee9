#include "cli/verb.h"

#include <string.h>

#include "shared/base/api_limits.h"
#include "shared/base/assert.h"
#include "shared/base/str.h"

const struct cli_option cli_options[CLI_OPTIONS_LEN] = {
#define OPTION(name, letter, value, is_many, text) {#name, letter, value, is_many, text},
#include "cli/options.def"
#undef OPTION
};

enum { NAME_BYTES_MAX = 31 };

const char *cli_option_name(enum cli_option_id option)
{
    static char names[CLI_OPTIONS_LEN][NAME_BYTES_MAX + 1];
    char *name = names[option];
    size_t len = strlen(cli_options[option].name);

    fl_assert(len <= NAME_BYTES_MAX);
    for (size_t i = 0; i < len; i++) {
        name[i] = cli_options[option].name[i] == '_' ? '-' : cli_options[option].name[i];
    }
    return name;
}

const char *const cli_group_titles[CLI_GROUPS_LEN] = {
#define GROUP(name, title) title,
#include "cli/groups.def"
#undef GROUP
};

const char *const cli_verb_options[CLI_VERBS_LEN] = {
#define VERB(function, words, group, arguments, options, line, more, examples) options,
#include "cli/verbs.def"
#undef VERB
};

_Static_assert(CLI_OPTIONS_LEN <= 128, "a verb's flags are bits of two words");

static struct cli_verb verbs[CLI_VERBS_LEN] = {
#define VERB(function, words, group, arguments, options, line, more, examples)                     \
    {words, CLI_GROUP_##group, arguments, {0, 0}, line, more, examples},
#include "cli/verbs.def"
#undef VERB
};

static int find_option(const char *name, size_t len)
{
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        if (strlen(cli_options[i].name) == len && memcmp(cli_options[i].name, name, len) == 0) {
            return i;
        }
    }
    return -1;
}

static void set_bits(struct cli_verb *verb, const char *names)
{
    while (*names) {
        size_t len = strcspn(names, " ");
        int option = find_option(names, len);

        fl_assert(option >= 0); /* else verbs.def names an option that options.def lacks */
        verb->options[option / 64] |= (uint64_t)1 << (option % 64);
        names += len;
        names += strspn(names, " ");
    }
}

const struct cli_verb *cli_verbs(void)
{
    static bool is_made;

    for (int i = 0; !is_made && i < CLI_VERBS_LEN; i++) {
        set_bits(&verbs[i], cli_verb_options[i]);
    }
    is_made = true;
    return verbs;
}

bool cli_option_is_global(enum cli_option_id option)
{
    return option <= CLI_OPT_help;
}

bool cli_verb_is_group(const char *word)
{
    size_t len = strlen(word);

    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        if (strncmp(verbs[i].words, word, len) == 0 && verbs[i].words[len] == ' ') return true;
    }
    return false;
}

bool cli_verb_takes(const struct cli_verb *verb, enum cli_option_id option)
{
    return cli_option_is_global(option) || (verb->options[option / 64] >> (option % 64) & 1);
}

bool cli_verb_only_looks(const struct cli_verb *verb)
{
    static const char *const looks[] = {"ps",        "top",        "get",         "describe",
                                        "explain",   "cluster ls", "cluster get", "queue ls",
                                        "queue get", "token ls",   "audit"};

    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        if (strcmp(verb->words, looks[i]) == 0) return true;
    }
    return false;
}
