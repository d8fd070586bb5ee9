#include "cli/exits.h"

const struct cli_exit_text cli_exits[] = {
    {"0", "it was done; a followed job succeeded"},
    {"1", "something that was asked for is not there, or did not end as asked"},
    {"1-255", "of a followed job: the exit code of the first replica that failed; 128 + N: ended "
              "by signal N"},
    {"64", "the command line is wrong"},
    {"65", "the job document is wrong"},
    {"69", "the control plane cannot be reached, or is not ready"},
    {"70", "an answer could not be understood"},
    {"74", "a file or pipe could not be read or written"},
    {"75", "wait: the time is over"},
    {"77", "the token may not do this"},
    {"124", "a followed job passed its deadline"},
    {"130", "a followed job was cancelled; or Ctrl-C"},
};
const size_t cli_exits_len = sizeof cli_exits / sizeof *cli_exits;
