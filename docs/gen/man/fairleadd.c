/* fairleadd.c - prints docs/man/fairleadd.8 from the description of the program. */
#include "controlplane/config.h"

int main(void)
{
    fl_program_print_man(&fairleadd_program, stdout);
    return fflush(stdout) != 0;
}
