#include "cli/args.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/slurm_flags.h"
#include "shared/base/closest_match.h"
#include "shared/base/job_limits.h"

enum { SCRIPT_WORDS_MAX = 256 };

/* ---- flags ----------------------------------------------------------------------------------- */

static bool is_named(enum cli_option_id option, const char *name, size_t len)
{
    return strlen(cli_option_name(option)) == len &&
           memcmp(cli_option_name(option), name, len) == 0;
}

static bool fail_unknown(const struct cli_args *args, const char *name, size_t len,
                         struct fl_err *err)
{
    struct fl_closest_match match = fl_closest_match((struct fl_str){name, len});

    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        if (args->verb && !cli_verb_takes(args->verb, (enum cli_option_id)i)) continue;
        fl_closest_match_offer(&match, fl_str_c(cli_option_name((enum cli_option_id)i)));
    }
    if (!match.best.len) {
        return fl_fail(err, FL_INVALID, "no flag --%.*s here; see 'fairlead help%s%s'", (int)len,
                       name, args->verb ? " " : "", args->verb ? args->verb->words : "");
    }
    return fl_fail(err, FL_INVALID, "no flag --%.*s here; did you mean --" FL_STR_FMT "?", (int)len,
                   name, FL_STR_ARG(match.best));
}

static int find_long(const struct cli_args *args, const char *name, size_t len)
{
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        if (args->verb && !cli_verb_takes(args->verb, (enum cli_option_id)i)) continue;
        if (is_named((enum cli_option_id)i, name, len)) return i;
    }
    return -1;
}

static int find_letter(const struct cli_args *args, char letter)
{
    for (int i = 0; i < CLI_OPTIONS_LEN; i++) {
        if (cli_options[i].letter != letter) continue;
        if (!args->verb || cli_verb_takes(args->verb, (enum cli_option_id)i)) return i;
    }
    return -1;
}

static bool put(struct cli_args *args, int option, const char *value, struct fl_arena *arena,
                struct fl_err *err)
{
    if (args->values[option].len && !cli_options[option].is_many) {
        if (!cli_options[option].value) return true;
        return fl_fail(err, FL_INVALID, "--%s is given twice",
                       cli_option_name((enum cli_option_id)option));
    }
    fl_arena_push(arena, &args->values[option], value);
    return true;
}

/* Reads the flag at *i and its value; *i moves to the last word that it used. */
static bool take_long(struct cli_args *args, const char *const *argv, size_t len, size_t *i,
                      struct fl_arena *arena, struct fl_err *err)
{
    const char *name = argv[*i] + 2;
    size_t name_len = strcspn(name, "=");
    const char *value = name[name_len] ? name + name_len + 1 : NULL;
    int option = find_long(args, name, name_len);

    if (option < 0) return fail_unknown(args, name, name_len, err);
    if (option == CLI_OPT_dry_run && value && strcmp(value, "server") == 0) {
        value = NULL; /* kubectl's word for what is done anyhow */
    }
    if (!cli_options[option].value) {
        if (value) return fl_fail(err, FL_INVALID, "--%.*s takes no value", (int)name_len, name);
        return put(args, option, "", arena, err);
    }
    if (!value) {
        if (*i + 1 >= len) {
            return fl_fail(err, FL_INVALID, "--%.*s wants a value: --%.*s %s", (int)name_len, name,
                           (int)name_len, name, cli_options[option].value);
        }
        value = argv[++*i];
    }
    return put(args, option, value, arena, err);
}

static bool take_letters(struct cli_args *args, const char *const *argv, size_t len, size_t *i,
                         struct fl_arena *arena, struct fl_err *err)
{
    for (const char *c = argv[*i] + 1; *c; c++) {
        int option = find_letter(args, *c);

        if (option < 0) {
            return fl_fail(err, FL_INVALID, "no flag -%c here; see 'fairlead help%s%s'", *c,
                           args->verb ? " " : "", args->verb ? args->verb->words : "");
        }
        if (!cli_options[option].value) {
            if (!put(args, option, "", arena, err)) return false;
            continue;
        }
        if (c[1]) return put(args, option, c + 1, arena, err);
        if (*i + 1 >= len) {
            return fl_fail(err, FL_INVALID, "-%c wants a value: -%c %s", *c, *c,
                           cli_options[option].value);
        }
        return put(args, option, argv[++*i], arena, err);
    }
    return true;
}

/* ---- the verb -------------------------------------------------------------------------------- */

/* Whether 'word' is the first word of 'words': "cluster" is, for "cluster join". */
static bool begins_with_word(const char *words, const char *word)
{
    size_t len = strlen(word);

    return strncmp(words, word, len) == 0 && (words[len] == 0 || words[len] == ' ');
}

static const struct cli_verb *find_verb(const char *first, const char *second)
{
    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const struct cli_verb *verb = &cli_verbs()[i];
        const char *blank = strchr(verb->words, ' ');

        if (!begins_with_word(verb->words, first)) continue;
        if (!blank || (second && strcmp(blank + 1, second) == 0)) return verb;
    }
    return NULL;
}

/* The verb here for a word of other tools; NULL: there is none. */
static const char *habit_of(const char *word)
{
    static const char *const habits[][2] = {
        {"apply", "submit"},
        {"attach", "logs --follow"},
        {"clusters", "cluster ls"},
        {"create", "submit"},
        {"delete", "cancel"},
        {"jobs", "ps"},
        {"kill", "cancel"},
        {"list", "ps"},
        {"ls", "ps"},
        {"nodes", "cluster get"},
        {"port-forward", "forward"},
        {"queues", "queue ls"},
        {"rm", "cancel"},
        {"sacct", "ps --all"},
        {"sbatch", "run --script"},
        {"scancel", "cancel"},
        {"scontrol", "describe"},
        {"show", "describe"},
        {"sinfo", "cluster ls"},
        {"squeue", "ps"},
        {"srun", "run"},
        {"ssh", "shell"},
        {"status", "describe"},
        {"stop", "cancel"},
        {"tokens", "token ls"},
    };

    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (strcmp(habits[i][0], word) == 0) return habits[i][1];
    }
    return NULL;
}

static bool fail_verb(const char *first, const char *second, struct fl_err *err)
{
    bool is_inner = cli_verb_is_group(first);
    struct fl_closest_match match = fl_closest_match(fl_str_c(is_inner && second ? second : first));

    for (int i = 0; i < CLI_VERBS_LEN; i++) {
        const char *words = cli_verbs()[i].words;
        const char *blank = strchr(words, ' ');

        if (!is_inner) {
            fl_closest_match_offer(&match, (struct fl_str){words, strcspn(words, " ")});
        } else if (blank && begins_with_word(words, first)) {
            fl_closest_match_offer(&match, fl_str_c(blank + 1));
        }
    }
    if (is_inner && !second) {
        return fl_fail(err, FL_INVALID, "'%s' wants one more word; see 'fairlead help %s'", first,
                       first);
    }
    if (!is_inner && habit_of(first)) match.best = fl_str_c(habit_of(first));
    if (!match.best.len) {
        return fl_fail(err, FL_INVALID, "no verb '%s%s%s'; see 'fairlead help'", first,
                       is_inner ? " " : "", is_inner ? second : "");
    }
    return fl_fail(err, FL_INVALID, "no verb '%s%s%s'; did you mean '%s%s" FL_STR_FMT "'?", first,
                   is_inner ? " " : "", is_inner ? second : "", is_inner ? first : "",
                   is_inner ? " " : "", FL_STR_ARG(match.best));
}

/* Finds the verb's words: the first two that are neither flags nor values of flags. */
static bool find_words(int argc, const char *const *argv, size_t ret_at[2], size_t *ret_len)
{
    *ret_len = 0;
    for (size_t i = 1; i < (size_t)argc && *ret_len < 2 && strcmp(argv[i], "--") != 0; i++) {
        struct cli_args any = {0};

        if (argv[i][0] != '-' || !argv[i][1]) {
            ret_at[(*ret_len)++] = i;
        } else if (argv[i][1] == '-') {
            int option = find_long(&any, argv[i] + 2, strcspn(argv[i] + 2, "="));

            if (option >= 0 && cli_options[option].value && !strchr(argv[i], '=')) i++;
        } else {
            int option = find_letter(&any, argv[i][1]);

            if (option >= 0 && cli_options[option].value && !argv[i][2]) i++;
        }
    }
    return *ret_len > 0;
}

/* How many words a verb has before "[--] COMMAND"; SIZE_MAX: it takes no command. */
static size_t words_before_command(const struct cli_verb *verb)
{
    const char *at = verb ? verb->arguments : "", *end = strstr(at, "[--]");
    size_t words = 0;

    if (!end) return SIZE_MAX;
    while (at < end) {
        size_t len = strcspn(at, " ");

        words += at[0] != '[';
        at += len + 1;
    }
    return words;
}

bool cli_args_parse(int argc, const char *const *argv, struct fl_arena *arena,
                    struct cli_args *ret_args, struct fl_err *err)
{
    struct cli_args args = {0};
    size_t at[2] = {0}, found, skip[2] = {0};

    if (find_words(argc, argv, at, &found)) {
        const char *first = argv[at[0]], *second = found == 2 ? argv[at[1]] : NULL;

        skip[0] = at[0];
        if (cli_verb_is_group(first) && second) skip[1] = at[1];
        args.verb = find_verb(first, second);
        if (!args.verb) return fail_verb(first, second, err);
    }
    for (size_t i = 1; i < (size_t)argc; i++) {
        const char *word = argv[i];

        if (i == skip[0] || (skip[1] && i == skip[1])) continue;
        if (strcmp(word, "--") == 0) {
            args.command = &argv[i + 1];
            args.command_len = (size_t)argc - i - 1;
            break;
        }
        if (word[0] != '-' || !word[1]) {
            if (args.words.len == words_before_command(args.verb)) {
                args.command = &argv[i];
                args.command_len = (size_t)argc - i;
                break;
            }
            if (args.verb && !*args.verb->arguments) {
                return fl_fail(err, FL_INVALID, "'%s' takes no further word, and there is '%s'",
                               args.verb->words, word);
            }
            fl_arena_push(arena, &args.words, word);
        } else if (word[1] == '-') {
            if (!take_long(&args, argv, (size_t)argc, &i, arena, err)) return false;
        } else if (!take_letters(&args, argv, (size_t)argc, &i, arena, err)) {
            return false;
        }
    }
    *ret_args = args;
    return true;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* The words of one line; quotes hold blanks together. */
static bool cut_words(const char *line, size_t len, struct fl_arena *arena, const char **ret_words,
                      size_t *ret_len, struct fl_err *err)
{
    size_t i = 0;

    *ret_len = 0;
    while (true) {
        char *word;
        size_t word_len = 0;
        char quote = 0;

        while (i < len && isspace((unsigned char)line[i])) {
            i++;
        }
        if (i == len) return true;
        if (*ret_len == SCRIPT_WORDS_MAX) {
            return fl_fail(err, FL_INVALID, "a line of flags has more than %d words",
                           SCRIPT_WORDS_MAX);
        }
        word = fl_arena_alloc(arena, len - i + 1);
        for (; i < len && (quote || !isspace((unsigned char)line[i])); i++) {
            if (quote && line[i] == quote) {
                quote = 0;
            } else if (!quote && (line[i] == '\'' || line[i] == '"')) {
                quote = line[i];
            } else {
                word[word_len++] = line[i];
            }
        }
        if (quote) return fl_fail(err, FL_INVALID, "a quote is not closed");
        word[word_len] = 0;
        ret_words[(*ret_len)++] = word;
    }
}

static bool take_flags(struct cli_args *script, const char *const *words, size_t words_len,
                       struct fl_arena *arena, struct fl_err *err)
{
    for (size_t i = 0; i < words_len; i++) {
        bool is_good = words[i][0] == '-' && words[i][1];

        if (!is_good) {
            return fl_fail(err, FL_INVALID, "'%s' is no flag: a #FAIRLEAD line holds flags only",
                           words[i]);
        }
        is_good = words[i][1] == '-' ? take_long(script, words, words_len, &i, arena, err)
                                     : take_letters(script, words, words_len, &i, arena, err);
        if (!is_good) return false;
    }
    return true;
}

static bool take_slurm_flags(struct cli_args *script, const char *const *words, size_t words_len,
                             struct fl_arena *arena, struct fl_err *err)
{
    for (size_t i = 0; i < words_len;) {
        const char *ours[SLURM_FLAGS_MAX];
        size_t len;

        if (!slurm_flag(words, words_len, &i, arena, ours, &len, err) ||
            !take_flags(script, ours, len, arena, err)) {
            return false;
        }
    }
    return true;
}

/* --array N%M has the limit in it that --parallelism says: one stands for the other. */
static bool has_limit(const struct cli_args *args)
{
    const char *array = cli_value(args, CLI_OPT_array);

    return cli_has(args, CLI_OPT_parallelism) || (array && strchr(array, '%'));
}

static const char *without_limit(const char *array, struct fl_arena *arena)
{
    return fl_arena_copy(arena, array, strcspn(array, "%"));
}

/* 'take' reads the words of a line. */
static bool take_line(struct cli_args *args, const struct cli_args *given, struct fl_str line,
                      bool (*take)(struct cli_args *, const char *const *, size_t,
                                   struct fl_arena *, struct fl_err *),
                      struct fl_arena *arena, struct fl_err *err)
{
    const char *words[SCRIPT_WORDS_MAX];
    struct cli_args script = {.verb = args->verb};
    size_t words_len;

    if (!cut_words(line.at, line.len, arena, words, &words_len, err) ||
        !take(&script, words, words_len, arena, err)) {
        return false;
    }
    for (int o = 0; o < CLI_OPTIONS_LEN; o++) {
        if (given->values[o].len) continue; /* the command line wins */
        if (o == CLI_OPT_parallelism && has_limit(given)) continue;
        for (size_t i = 0; i < script.values[o].len; i++) {
            const char *value = script.values[o].at[i];

            if (o == CLI_OPT_array && has_limit(given)) value = without_limit(value, arena);
            if (!put(args, o, value, arena, err)) return false;
        }
    }
    return true;
}

/* Takes the mark and a blank off the line's front. */
static bool take_mark(struct fl_str *line, struct fl_str mark)
{
    if (line->len <= mark.len || memcmp(line->at, mark.at, mark.len) != 0 ||
        !isspace((unsigned char)line->at[mark.len])) {
        return false;
    }
    line->at += mark.len;
    line->len -= mark.len;
    return true;
}

bool cli_args_script(struct cli_args *args, const char *text, struct fl_arena *arena,
                     struct fl_err *err)
{
    struct cli_args given = *args;
    int number = 1;

    for (const char *at = text; *at; number++) {
        struct fl_str line = {at, strcspn(at, "\n")};
        bool is_good = true;

        at += line.len;
        if (*at) at++;
        if (take_mark(&line, FL_STR("#FAIRLEAD"))) {
            is_good = take_line(args, &given, line, take_flags, arena, err);
        } else if (take_mark(&line, FL_STR("#SBATCH"))) {
            args->is_slurm = true;
            is_good = take_line(args, &given, line, take_slurm_flags, arena, err);
        }
        if (!is_good) return fl_err_wrap(err, "line %d", number);
    }
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

bool cli_has(const struct cli_args *args, enum cli_option_id option)
{
    return args->values[option].len > 0;
}

const char *cli_value(const struct cli_args *args, enum cli_option_id option)
{
    return args->values[option].len ? args->values[option].at[0] : NULL;
}

bool cli_number(const struct cli_args *args, enum cli_option_id option, long fallback, long min,
                long max, long *ret_number, struct fl_err *err)
{
    const char *text = cli_value(args, option);
    char *end = NULL;
    long number;

    if (!text) {
        *ret_number = fallback;
        return true;
    }
    errno = 0;
    number = strtol(text, &end, 10);
    if (errno || end == text || *end || number < min || number > max) {
        return fl_fail(err, FL_INVALID, "--%s %s: wants a number from %ld to %ld",
                       cli_option_name(option), text, min, max);
    }
    *ret_number = number;
    return true;
}

bool cli_duration(const char *text, int64_t *ret_ms)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {{'d', 86400000}, {'h', 3600000}, {'m', 60000}, {'s', 1000}};
    int64_t sum = 0;
    const char *at = text;

    while (*at) {
        char *end = NULL;
        long long number;
        int64_t ms = *at ? 1000 : 0;

        errno = 0;
        number = isdigit((unsigned char)*at) ? strtoll(at, &end, 10) : -1;
        if (errno || number < 0 || number > 10000000000) break;
        if (*end) {
            ms = 0;
            for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
                if (*end == units[i].unit) ms = units[i].ms;
            }
            if (!ms) break;
            end++;
        }
        sum += number * ms;
        at = end;
    }
    if (*at || at == text) return false;
    *ret_ms = sum;
    return true;
}

bool cli_span(const struct cli_args *args, enum cli_option_id option, int64_t *ret_ms,
              struct fl_err *err)
{
    const char *text = cli_value(args, option);

    if (!text || cli_duration(text, ret_ms)) return true;
    return fl_fail(err, FL_INVALID, "--%s %s: wants a time, as 90s, 30m, 2h or 1h30m",
                   cli_option_name(option), text);
}

bool cli_numbers(const char *text, struct fl_arena *arena, uint32_t **ret_at, size_t *ret_len,
                 struct fl_err *err)
{
    struct {
        uint32_t *at;
        size_t len, cap;
    } list = {0};
    const char *at = text;

    do {
        char *end = NULL;
        unsigned long first, last;

        errno = 0;
        if (!isdigit((unsigned char)*at)) goto bad;
        first = last = strtoul(at, &end, 10);
        if (*end == '-') {
            if (!isdigit((unsigned char)end[1])) goto bad;
            last = strtoul(end + 1, &end, 10);
        }
        if (errno || last < first || last >= FL_JOB_ELEMENTS_MAX || (*end && *end != ',')) goto bad;
        if (list.len && first <= list.at[list.len - 1]) goto bad;
        if (last - first >= CLI_NUMBERS_MAX - list.len) {
            return fl_fail(err, FL_TOO_LARGE, "'%s' names more than %d", text, CLI_NUMBERS_MAX);
        }
        for (unsigned long n = first; n <= last; n++) {
            fl_arena_push(arena, &list, (uint32_t)n);
        }
        at = *end ? end + 1 : end;
        if (*end && !*at) goto bad;
    } while (*at);
    *ret_at = list.at;
    *ret_len = list.len;
    return true;
bad:
    return fl_fail(err, FL_INVALID,
                   "'%s' is no list of numbers: write 3, 0-7 or 1,4,9-12, ascending", text);
}
