/* fairlead_agent.c - prints docs/man/fairlead-agent.8 from the table of settings. */
#include "agent/config.h"

static const char head[] =
    ".Dd November 22, 2026\n.Dt FAIRLEAD-AGENT 8\n.Os\n.Sh NAME\n.Nm fairlead-agent\n"
    ".Nd runs the work of one cluster for Fairlead\n"
    ".Sh SYNOPSIS\n.Nm\n.Op Fl \\-config Ar file\n.Op Fl \\- Ns Ar setting Ar value ...\n"
    ".Nm\n.Fl \\-help | Fl \\-version | Fl \\-print\\-config\n"
    ".Sh DESCRIPTION\n"
    "One runs on each cluster.  At its first start it enrols with a join token, which\n"
    ".Ql fairlead cluster join NAME\nmakes; then it keeps a tunnel to\n"
    ".Xr fairleadd 8 ,\nruns what that wants here, and tells what is seen.\n"
    "It only dials out; nothing listens.\n"
    ".Pp\n"
    "What runs does not depend on it: each replica has a supervisor of its own\n"
    ".Pq Nm fairlead\\-supervise ,\nand a stop, an upgrade and even a kill of the agent leave all "
    "jobs running.\n"
    "The next agent with the same state directory adopts them.\n"
    ".Pp\n"
    "It stays in the foreground and logs to standard error, one line an event; under\n"
    ".Xr systemd 1\nit says when it is ready, and answers the watchdog.\n";

static const char tail[] =
    ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
    ".It Ev FAIRLEAD_CONFIG\nThe file of settings, where no flag names one.\n"
    ".It Ev FAIRLEAD_KEY\nEach setting, by its name in capitals.\n"
    ".It Ev https_proxy , Ev no_proxy\nAs usual, where the settings name none.\n"
    ".It Ev FAIRLEAD_LIFELINE\nThe number of a pipe's reading end: when the writing end is gone, "
    "the agent ends, and all its jobs do.\n"
    ".El\n"
    ".Sh FILES\n.Bl -tag -width Ds\n"
    ".It Pa /etc/fairlead/agent.conf\nThe settings, where the unit of systemd looks for them.\n"
    ".It Pa /var/lib/fairlead\\-agent\nIts state directory: identity, and a directory for each "
    "replica.\n"
    ".El\n"
    ".Sh EXIT STATUS\n.Bl -tag -width Ds\n"
    ".It 0\nIt was asked to end, by\n.Dv SIGTERM\nor\n.Dv SIGINT .\n"
    ".It 1\nIt could not start or join: the log says why.\n"
    ".It 2\nA setting is wrong.\n"
    ".El\n"
    ".Sh SEE ALSO\n.Xr fairlead 1 ,\n.Xr fairleadd 8\n";

int main(void)
{
    fputs(head, stdout);
    fl_config_print_man(agent_config_settings, AGENT_CONFIG_LEN, stdout);
    fputs(tail, stdout);
    return fflush(stdout) != 0;
}
