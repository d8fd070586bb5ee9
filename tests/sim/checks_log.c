#include "tests/sim/checks_log.h"

static void I8_some_hub_has_all_of_it(const struct checks_log *checks, struct fl_cluster cluster,
                                      const struct fake_replica *replica)
{
    for (size_t i = 0; i < checks->stores_len; i++) {
        if (fake_log_store_is_whole(checks->stores[i], cluster, replica->attempt,
                                    replica->replica)) {
            return;
        }
    }
    sim_broken(checks->sim, "I8", "job %llu.%u attempt %u replica %u: no hub has all of its output",
               (unsigned long long)replica->attempt.job.n, replica->attempt.element,
               replica->attempt.n, replica->replica);
}

void checks_log_taken(const struct checks_log *checks, struct fl_cluster cluster,
                      const struct fake_replica *replica)
{
    I8_some_hub_has_all_of_it(checks, cluster, replica);
}

void checks_log_end(const struct checks_log *checks, struct fl_cluster cluster,
                    const struct fake_runtime *runtime)
{
    for (size_t i = 0; i < checks->stores_len; i++) {
        fake_log_store_check(checks->stores[i]);
    }
    for (size_t i = 0; i < fake_runtime_len(runtime); i++) {
        const struct fake_replica *replica = fake_runtime_at(runtime, i);

        if (!replica->run_from || replica->is_wiped) continue;
        I8_some_hub_has_all_of_it(checks, cluster, replica);
    }
}
