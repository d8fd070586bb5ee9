/* fairlead_agent.c - prints docs/man/fairlead-agent.8 from the description of the program. */
#include "agent/config.h"

int main(void)
{
    fl_program_print_man(&agent_program, stdout);
    return fflush(stdout) != 0;
}
