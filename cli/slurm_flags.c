#include "cli/slurm_flags.h"

#include <string.h>

#include "shared/base/str.h"
#include "shared/spec/indexes.h"

/* The meaning of a flag here: 'take' writes our flag's value, or says why it cannot; without 'take'
 * the flag is refused, and 'instead' says how to write its purpose. */
struct slurm {
    const char *name;
    char letter;
    bool has_value;
    const char *ours; /* without dashes; NULL: none */
    const char *(*take)(const char *value, struct fl_arena *arena, struct fl_err *err);
    const char *instead;
};

/* ---- values ---------------------------------------------------------------------------------- */

static const char *same(const char *value, struct fl_arena *arena, struct fl_err *err)
{
    (void)arena;
    (void)err;
    return value;
}

static bool parse_number(const char *text, size_t len, uint64_t *ret)
{
    return len > 0 && len <= 9 && fl_str_parse_u64((struct fl_str){text, len}, ret);
}

/* "90", "90:30", "1:30:00", "2-12", "2-12:30", "2-12:30:00": minutes, unless there are days. */
static const char *time_limit(const char *value, struct fl_arena *arena, struct fl_err *err)
{
    const char *at = value, *dash = strchr(value, '-');
    uint64_t days = 0, parts[3] = {0}, seconds;
    size_t len = 0;

    if (dash && !parse_number(value, (size_t)(dash - value), &days)) goto bad;
    if (dash) at = dash + 1;
    for (;; at++) {
        size_t digits = strcspn(at, ":");

        if (len == 3 || !parse_number(at, digits, &parts[len++])) goto bad;
        at += digits;
        if (!*at) break;
    }
    if (dash) {
        seconds = days * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
    } else if (len == 3) {
        seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
    } else {
        seconds = parts[0] * 60 + parts[1];
    }
    if (seconds > 0) return fl_arena_printf(arena, "%llus", (unsigned long long)seconds);
bad:
    fl_fail(err, FL_INVALID, "wants minutes, HH:MM:SS or D-HH:MM:SS, as --deadline 90m does");
    return NULL;
}

/* "4000", "4000M", "16G": megabytes without a letter, and all are powers of 1,024. */
static const char *memory(const char *value, struct fl_arena *arena, struct fl_err *err)
{
    size_t digits = strspn(value, "0123456789");
    uint64_t number;
    char unit = value[digits] ? value[digits] : 'M';

    if (unit >= 'a') unit = (char)(unit - 'a' + 'A');
    if (parse_number(value, digits, &number) && number > 0 && strchr("KMGT", unit) &&
        (!value[digits] || !value[digits + 1])) {
        return fl_arena_printf(arena, "%llu%ci", (unsigned long long)number, unit);
    }
    fl_fail(err, FL_INVALID, "wants a size such as 4000M or 16G");
    return NULL;
}

/* "1-100", "0-99:4%8", "1,3,5-9".  One number is an array of that one element, which our flag
 * writes as a range. */
static const char *array(const char *value, struct fl_arena *arena, struct fl_err *err)
{
    const char *percent = strchr(value, '%');
    struct fl_str list = {value, percent ? (size_t)(percent - value) : strlen(value)};
    struct fl_indexes indexes;
    uint64_t limit;

    if (!percent) percent = "";
    if (*percent && (!parse_number(percent + 1, strlen(percent + 1), &limit) || limit == 0)) {
        fl_fail(err, FL_INVALID,
                "behind the %% stands how many elements may run at the same time, from 1");
        return NULL;
    }
    if (!fl_indexes_parse(list, arena, &indexes, err)) return NULL;
    if (indexes.text.len == 0) return fl_arena_printf(arena, "%u%s", indexes.len, percent);
    list = indexes.text;
    if (indexes.len > 1) return fl_arena_printf(arena, FL_STR_FMT "%s", FL_STR_ARG(list), percent);
    return fl_arena_printf(arena, FL_STR_FMT "-" FL_STR_FMT "%s", FL_STR_ARG(list),
                           FL_STR_ARG(list), percent);
}

/* "gpu:2", "gpu:a100:2", "gpu", or a plain number for --gpus. */
static const char *gpus(const char *value, struct fl_arena *arena, struct fl_err *err)
{
    const char *count = strrchr(value, ':');
    bool is_gres = strncmp(value, "gpu", 3) == 0 && (!value[3] || value[3] == ':');
    uint64_t number = 1;

    if (is_gres && !count) return "1";
    count = count ? count + 1 : value;
    if ((is_gres || !strchr(value, ':')) && parse_number(count, strlen(count), &number)) {
        return fl_arena_printf(arena, "%llu", (unsigned long long)number);
    }
    fl_fail(err, FL_INVALID, "only GPUs by number: '#FAIRLEAD --gpus N'");
    return NULL;
}

/* "afterok:job-7:job-8,afterany:job-9" */
static const char *dependency(const char *value, struct fl_arena *arena, struct fl_err *err)
{
    static const struct {
        const char *slurm, *ours;
    } kinds[] = {
        {"afterok", "ok"}, {"afterany", "any"}, {"afternotok", "fail"}, {"aftercorr", "each"}};
    enum { KINDS_LEN = sizeof kinds / sizeof *kinds };
    char *text = fl_arena_copy(arena, value, strlen(value)), *part;
    const char *list = "";

    while ((part = strsep(&text, ","))) {
        const char *kind = strsep(&part, ":"), *job;
        size_t i = 0;

        if (strcmp(kind, "singleton") == 0 && !part) continue; /* has_singleton() sees it */
        while (i < KINDS_LEN && strcmp(kind, kinds[i].slurm) != 0) {
            i++;
        }
        if (i == KINDS_LEN) {
            fl_fail(
                err, FL_INVALID,
                "singleton, and afterok, afterany, afternotok and aftercorr with ids of jobs are "
                "kept, as in '#FAIRLEAD --after job-7:any'; '%s' is not",
                kind);
            return NULL;
        }
        do {
            job = strsep(&part, ":");
            if (!job || !*job) {
                fl_fail(err, FL_INVALID, "lacks the id of a job, as in '--dependency=%s:job-7'",
                        kind);
                return NULL;
            }
            list = fl_arena_printf(arena, "%s%s%s:%s", list, *list ? "," : "", job, kinds[i].ours);
        } while (part);
    }
    return list;
}

/* Whether it is one of the words between the commas. */
static bool has_singleton(const char *value)
{
    static const char word[] = "singleton";
    const char *at = value;

    while ((at = strstr(at, word))) {
        const char *end = at + sizeof word - 1;

        if ((at == value || at[-1] == ',') && (*end == ',' || !*end)) return true;
        at = end;
    }
    return false;
}

/* One task is what a job is. */
static const char *one(const char *value, struct fl_arena *arena, struct fl_err *err)
{
    (void)arena;
    if (strcmp(value, "1") == 0 || strcmp(value, "1-1") == 0) return "";
    fl_fail(err, FL_INVALID,
            "'#FAIRLEAD --replicas %s' starts so many together; each runs the whole script, with "
            "its number in $FAIRLEAD_REPLICA, and srun is not needed",
            value);
    return NULL;
}

/* A flag that has no value, or that says what is so anyhow. */
static const char *nothing(const char *value, struct fl_arena *arena, struct fl_err *err)
{
    (void)value;
    (void)arena;
    (void)err;
    return "";
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char OUTPUT[] = "output is kept by Fairlead: take the line out, and read it with "
                             "'fairlead logs JOB'";
static const char MAIL[] = "there is no mail: take the line out; 'fairlead wait JOB' waits";

static const struct slurm flags[] = {
    {"job-name", 'J', true, "name", same, NULL},
    {"cpus-per-task", 'c', true, "cpus", same, NULL},
    {"mem", 0, true, "memory", memory, NULL},
    {"gres", 0, true, "gpus", gpus, NULL},
    {"gpus", 'G', true, "gpus", gpus, NULL},
    {"gpus-per-node", 0, true, "gpus", gpus, NULL},
    {"gpus-per-task", 0, true, "gpus", gpus, NULL},
    {"time", 't', true, "deadline", time_limit, NULL},
    {"array", 'a', true, "array", array, NULL},
    {"chdir", 'D', true, "workdir", same, NULL},
    {"hold", 'H', false, "hold", nothing, NULL},
    {"nodes", 'N', true, NULL, one, NULL},
    {"ntasks", 'n', true, NULL, one, NULL},
    {"ntasks-per-node", 0, true, NULL, one, NULL},
    {"no-requeue", 0, false, NULL, nothing, NULL},
    {"requeue", 0, false, NULL, NULL,
     "a lost node costs no retry here; for failures write '#FAIRLEAD --retries N'"},
    {"partition", 'p', true, NULL, NULL,
     "write '#FAIRLEAD --queue NAME' for a share, or '#FAIRLEAD --cluster NAME' for a place"},
    {"account", 'A', true, NULL, NULL, "write '#FAIRLEAD --queue NAME'"},
    {"qos", 'q', true, NULL, NULL, "write '#FAIRLEAD --queue NAME', or '#FAIRLEAD --priority N'"},
    {"constraint", 'C', true, NULL, NULL, "write '#FAIRLEAD --node-label KEY=VALUE'"},
    {"nodelist", 'w', true, NULL, NULL, "write '#FAIRLEAD --node-label KEY=VALUE'"},
    {"exclude", 'x', true, NULL, NULL, "write '#FAIRLEAD --not-cluster NAME'"},
    {"export", 0, true, NULL, NULL,
     "nothing of your environment goes along; write '#FAIRLEAD --env NAME=VALUE' for each"},
    {"nice", 0, true, NULL, NULL, "write '#FAIRLEAD --priority N'"},
    {"mem-per-cpu", 0, true, NULL, NULL, "write '#FAIRLEAD --memory SIZE' for all CPUs together"},
    {"dependency", 'd', true, "after", dependency, NULL},
    {"exclusive", 0, false, NULL, NULL, "ask for all of a node's CPUs: '#FAIRLEAD --cpus N'"},
    {"output", 'o', true, NULL, NULL, OUTPUT},
    {"error", 'e', true, NULL, NULL, OUTPUT},
    {"mail-type", 0, true, NULL, NULL, MAIL},
    {"mail-user", 0, true, NULL, NULL, MAIL},
};

static const struct slurm *find(const char *word, const char **ret_value)
{
    bool is_long = word[1] == '-';
    size_t len = is_long ? strcspn(word + 2, "=") : 1;

    *ret_value = NULL;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const struct slurm *flag = &flags[i];

        if (is_long ? strlen(flag->name) != len || strncmp(flag->name, word + 2, len) != 0
                    : flag->letter != word[1] || !flag->letter) {
            continue;
        }
        if (is_long && word[2 + len] == '=') *ret_value = word + 3 + len;
        if (!is_long && word[2]) *ret_value = word + 2;
        return flag;
    }
    return NULL;
}

bool slurm_flag(const char *const *words, size_t words_len, size_t *i, struct fl_arena *arena,
                const char *ret_flags[SLURM_FLAGS_MAX], size_t *ret_len, struct fl_err *err)
{
    const char *word = words[*i], *value = NULL, *ours;
    const struct slurm *flag = word[0] == '-' && word[1] ? find(word, &value) : NULL;

    *ret_len = 0;
    if (!flag) {
        return fl_fail(err, FL_INVALID,
                       "%s is not known here: take the line out, or write its meaning as #FAIRLEAD "
                       "flags; 'fairlead help run' lists them",
                       word);
    }
    ++*i;
    if (flag->has_value && !value) {
        if (*i == words_len) return fl_fail(err, FL_INVALID, "%s: the value is missing", word);
        value = words[(*i)++];
    }
    if (!flag->take) return fl_fail(err, FL_UNSUPPORTED, "%s: %s", word, flag->instead);
    ours = flag->take(value, arena, err);
    if (!ours) return fl_err_wrap(err, "--%s %s", flag->name, value);
    if (!flag->ours) return true;
    if (value && flag->take == dependency && has_singleton(value)) {
        ret_flags[(*ret_len)++] = "--singleton";
        if (!*ours) return true;
    }
    ret_flags[(*ret_len)++] = fl_arena_printf(arena, "--%s", flag->ours);
    if (flag->has_value) ret_flags[(*ret_len)++] = ours;
    return true;
}
