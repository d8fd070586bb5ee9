/* I40: no follower of a job hears its end too early, or never. */
#include "controlplane/logs/log_output_state.h"
#include "tests/sim/checks_state.h"

static bool has_whole(const struct checks_log *logs, struct fl_cluster cluster,
                      const struct checks_output *output)
{
    for (size_t i = 0; i < logs->stores_len; i++) {
        if (fake_log_store_is_whole(logs->stores[i], cluster, output->attempt, output->replica)) {
            return true;
        }
    }
    return false;
}

static const struct fake_replica *truth_of(const struct checks *checks,
                                           const struct checks_output *output)
{
    for (size_t i = 0; i < checks->runtimes_len; i++) {
        const struct fake_replica *found =
            fake_runtime_find(checks->runtimes[i], output->attempt, output->replica);

        if (found) return found;
    }
    return NULL;
}

static void blame(const struct checks *checks, const struct checks_output *output, const char *what)
{
    sim_broken(checks->sim, "I40", "job %llu.%u attempt %u replica %u: %s ('%c')",
               (unsigned long long)output->attempt.job.n, output->attempt.element,
               output->attempt.n, output->replica, what, output->letter);
}

void checks_output_ended(struct checks *checks, const struct checks_element *element,
                         struct fl_str letters)
{
    if (letters.len != 0 && letters.len != element->replicas) {
        sim_broken(checks->sim, "I40", "job %llu.%u attempt %u of %u replicas has %zu letters",
                   (unsigned long long)element->job, element->element, element->n,
                   element->replicas, letters.len);
    }
    for (uint32_t i = 0; i < element->replicas; i++) {
        struct checks_output output = {
            .attempt = {{element->job}, element->element, element->n, element->incarnation},
            .cluster = {element->cluster},
            .replica = i,
            .letter = letters.len > 0 ? letters.at[i] : CORE_OUTPUT_none,
        };
        const struct fake_replica *truth = truth_of(checks, &output);

        if (output.letter == CORE_OUTPUT_lost) sim_mark(checks->sim, MARK_output_lost);
        if (output.letter == CORE_OUTPUT_lost && truth && truth->run_from && truth->is_present) {
            blame(checks, &output, "called lost, its agent has it");
        }
        if (output.letter == CORE_OUTPUT_due && truth && !truth->is_taken && !truth->is_wiped) {
            sim_mark(checks->sim, MARK_output_after_end);
        }
        fl_vec_push(&checks->outputs, output);
    }
}

void checks_output_end(const struct checks *checks, const struct checks_log *logs)
{
    for (size_t i = 0; i < checks->outputs.len; i++) {
        const struct checks_output *output = &checks->outputs.at[i];
        const struct fake_replica *truth = truth_of(checks, output);
        bool has_run = truth && truth->run_from != 0;
        bool is_ended = has_whole(logs, output->cluster, output);

        switch (log_output_state(output->letter, false, is_ended, false)) {
        case LOG_OUTPUT_STATE_none:
            if (has_run) blame(checks, output, "it ran, and no follower waits for its output");
            break;
        case LOG_OUTPUT_STATE_awaited:
            if (!truth || !truth->is_wiped) blame(checks, output, "followers wait for ever");
            break;
        case LOG_OUTPUT_STATE_ended:
        case LOG_OUTPUT_STATE_lost:
            break;
        }
    }
}
