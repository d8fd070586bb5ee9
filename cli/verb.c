#include "cli/verb.h"

#include <string.h>

#include "shared/base/assert.h"

const struct cli_option cli_options[CLI_OPTIONS_LEN] = {
#define OPTION(name, letter, value, is_many, text) {#name, letter, value, is_many, text},
#include "cli/options.def"
#undef OPTION
};

const char *const cli_verb_options[CLI_VERBS_LEN] = {
#define VERB(function, words, arguments, options, line, more) options,
#include "cli/verbs.def"
#undef VERB
};

_Static_assert(CLI_OPTIONS_LEN <= 128, "a verb's flags are bits of two words");

static struct cli_verb verbs[CLI_VERBS_LEN] = {
#define VERB(function, words, arguments, options, line, more)                                      \
    {words, arguments, {0, 0}, line, more},
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
