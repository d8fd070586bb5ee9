/* Each flag of sbatch that people write, and its meaning or refusal here, word for word. */
#include "cli/slurm_flags.h"

#include <stdio.h>
#include <string.h>

#include "tests/fl_test.h"

struct flag_case {
    const char *words, *said; /* our flags; or, behind '!', a part of the refusal */
};

static const struct flag_case cases[] = {
    {"--job-name=train", "--name train"},
    {"-J train", "--name train"},
    {"-Jtrain", "--name train"},
    {"--cpus-per-task=4", "--cpus 4"},
    {"-c 4", "--cpus 4"},
    {"--mem=4000", "--memory 4000Mi"},
    {"--mem 16G", "--memory 16Gi"},
    {"--mem=16g", "--memory 16Gi"},
    {"--mem=0", "!--mem 0: wants a size such as 4000M or 16G"},
    {"--mem=4GB", "!wants a size"},
    {"--gres=gpu:2", "--gpus 2"},
    {"--gres=gpu:a100:4", "--gpus 4"},
    {"--gres=gpu", "--gpus 1"},
    {"--gres=license:2", "!--gres license:2: only GPUs by number"},
    {"--gpus=8", "--gpus 8"},
    {"-G 8", "--gpus 8"},
    {"--time=90", "--deadline 5400s"},
    {"-t 90:30", "--deadline 5430s"},
    {"--time=01:30:00", "--deadline 5400s"},
    {"--time=2-12", "--deadline 216000s"},
    {"--time=2-12:30:01", "--deadline 217801s"},
    {"--time=0", "!wants minutes, HH:MM:SS or D-HH:MM:SS"},
    {"--time=1:2:3:4", "!wants minutes"},
    {"--time=1:", "!wants minutes"},
    {"--time=-1", "!wants minutes"},
    {"--time=", "!wants minutes"},
    {"--array=0-99", "--array 100"},
    {"-a 0-0", "--array 1"},
    {"--array=1-10", "--array 1-10"},
    {"--array=1,3,5-9", "--array 1,3,5-9"},
    {"--array=0-99:4%8", "--array 0-96:4%8"},
    {"--array=7", "--array 7-7"},
    {"-a 0", "--array 1"},
    {"--array=9-1", "!--array 9-1: '9-1' ends before it begins"},
    {"--array=3,1", "!'1' does not begin behind 3"},
    {"--array=", "!'' is no number"},
    {"--array=1-5,x", "!'x' is no number"},
    {"--array=0-9%2", "--array 10%2"},
    {"-a 0-9%2", "--array 10%2"},
    {"--array=0-9%0", "!from 1"},
    {"--array=0-9%", "!from 1"},
    {"--array=1-9%2", "--array 1-9%2"},
    {"--array=0-9:2", "--array 0-8:2"},
    {"--hold", "--hold"},
    {"-N 1", ""},
    {"--nodes=1", ""},
    {"--ntasks=1", ""},
    {"-n 4", "!--ntasks 4: '#FAIRLEAD --replicas 4' starts so many together"},
    {"--no-requeue", ""},
    {"--requeue", "!--retries N"},
    {"--partition=gpu", "!--partition=gpu: write '#FAIRLEAD --queue NAME' for a share"},
    {"-p gpu", "!write '#FAIRLEAD --queue NAME'"},
    {"--output=%j.out", "!output is kept by Fairlead"},
    {"-e err", "!output is kept by Fairlead"},
    {"--mail-type=END", "!there is no mail"},
    {"--dependency=afterok:job-1:job-2,afterany:job-3", "--after job-1:ok,job-2:ok,job-3:any"},
    {"-d afternotok:job-1", "--after job-1:fail"},
    {"--dependency=singleton", "--singleton"},
    {"-d singleton", "--singleton"},
    {"--dependency=afterok:job-1,singleton", "--singleton --after job-1:ok"},
    {"--dependency=singleton,afterok:job-1,singleton", "--singleton --after job-1:ok"},
    {"--dependency=singleton:job-1", "!'singleton' is not"},
    {"--dependency=singletons", "!'singletons' is not"},
    {"--dependency=aftercorr:job-1", "--after job-1:each"},
    {"--dependency=afterok:job-1,after:job-2", "!'after' is not"},
    {"--dependency=afterok:", "!lacks the id of a job"},
    {"--dependency=afterok", "!lacks the id of a job"},
    {"--dependency=afterok:job-1::job-2", "!lacks the id of a job"},
    {"--reservation=x", "!--reservation=x is not known here"},
    {"--tim=1", "!is not known here"},
    {"-Z", "!is not known here"},
    {"-", "!is not known here"},
    {"train", "!train is not known here"},
    {"--time", "!--time: the value is missing"},
    {"-c", "!-c: the value is missing"},
};

static void each_flag_is_kept_or_refused_with_what_to_write(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char line[100], said[200] = "";
        const char *words[4], *ours[SLURM_FLAGS_MAX];
        struct fl_arena arena = {0};
        struct fl_err err = {0};
        size_t words_len = 0, i = 0, len;
        bool is_kept;

        snprintf(line, sizeof line, "%s", cases[c].words);
        for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
            words[words_len++] = word;
        }
        is_kept = slurm_flag(words, words_len, &i, &arena, ours, &len, &err);
        for (size_t o = 0; o < len; o++) {
            strcat(strcat(said, o ? " " : ""), ours[o]);
        }
        if (cases[c].said[0] != '!') {
            if (!is_kept) fail_msg("%s: %s", cases[c].words, err.text);
            assert_string_equal(said, cases[c].said);
            assert_int_equal(i, words_len);
        } else if (is_kept || !strstr(err.text, cases[c].said + 1)) {
            fail_msg("%s: wanted %s, got '%s' %s", cases[c].words, cases[c].said, said, err.text);
        }
        fl_arena_fini(&arena);
    }
}

FL_TESTS(cmocka_unit_test(each_flag_is_kept_or_refused_with_what_to_write))
