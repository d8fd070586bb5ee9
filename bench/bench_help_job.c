#include "bench/bench_help_job.h"

#include <string.h>

const struct fl_usage bench_usage = {.meter = FL_METER_processes,
                                     .replicas = 1,
                                     .cpu_us = 1500,
                                     .memory_bytes = 3 << 20,
                                     .written_bytes = 4096};

/* splitmix64's: any two numbers give words that have nothing in common. */
static uint64_t scattered(uint64_t n)
{
    n *= UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ (n >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ (n >> 27)) * UINT64_C(0x94d049bb133111eb);
    return n ^ (n >> 31);
}

void bench_params_own(uint64_t n, char *out)
{
    for (int word = 0; word < BENCH_OWN_BYTES / 16; word++) {
        uint64_t bits = scattered(2 * n + (uint64_t)word + 1);

        for (int i = 0; i < 16; i++, bits >>= 4) {
            *out++ = (char)('a' + (bits & 15));
        }
    }
}

struct fl_str bench_params(uint64_t n, char *out)
{
    static const char params[] =
        "abcdefghijklmnopabcdefghijklmnop learning_rate=0.0003 input=datasets/images/part-00017 "
        "output=results/run-8841/element-00017/model epochs=12 shuffle=true order.";

    _Static_assert(sizeof params == BENCH_PARAMS_BYTES + 1, "as many as the header says");
    memcpy(out, params, BENCH_PARAMS_BYTES);
    bench_params_own(n, out);
    return (struct fl_str){out, BENCH_PARAMS_BYTES};
}
