#include "bench/bench_help_job.h"

struct fl_str bench_params(void)
{
    /* Not all alike, so that nothing on the way may take it for empty. */
    static const char params[] =
        "{\"seed\": 1234567890, \"learning_rate\": 0.0003, \"input\": "
        "\"datasets/images/part-00017\", "
        "\"output\": \"results/run-8841/element-00017\", \"epochs\": 12, \"shuffle\": true} ";

    _Static_assert(sizeof params == BENCH_PARAMS_BYTES + 1, "as many as the header says");
    return (struct fl_str){params, BENCH_PARAMS_BYTES};
}
