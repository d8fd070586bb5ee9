/* fairleadd.c - prints docs/man/fairleadd.8 from the table of settings. */
#include "controlplane/config.h"

static const char head[] =
    ".Dd November 22, 2026\n.Dt FAIRLEADD 8\n.Os\n.Sh NAME\n.Nm fairleadd\n"
    ".Nd control plane of Fairlead\n"
    ".Sh SYNOPSIS\n.Nm\n.Op Fl \\-config Ar file\n.Op Fl \\- Ns Ar setting Ar value ...\n"
    ".Nm\n.Fl \\-help | Fl \\-version | Fl \\-print\\-config\n"
    ".Sh DESCRIPTION\n"
    "Accepts jobs by its REST API, decides which cluster runs them, and keeps their output.  "
    "Agents\n"
    ".Pq Xr fairlead\\-agent 8\ndial its tunnel; everything that is decided is in a Postgres "
    "database.\n"
    "At its first start it makes the tables, its CA and the first token, in the file\n"
    ".Pa admin\\-token\nof its state directory.\n"
    ".Pp\n"
    "It stays in the foreground and logs to standard error, one line an event; under\n"
    ".Xr systemd 1\nit says when it is ready, and answers the watchdog.\n";

static const char tail[] =
    ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
    ".It Ev FAIRLEAD_CONFIG\nThe file of settings, where no flag names one.\n"
    ".It Ev FAIRLEAD_KEY\nEach setting, by its name in capitals.\n"
    ".El\n"
    ".Sh FILES\n.Bl -tag -width Ds\n"
    ".It Pa /etc/fairlead/fairleadd.conf\nThe settings, where the unit of systemd looks for them.\n"
    ".It Pa /var/lib/fairleadd\nIts state directory there: CA and pepper, which must be backed up, "
    "and logs of jobs.\n"
    ".El\n"
    ".Sh EXIT STATUS\n.Bl -tag -width Ds\n"
    ".It 0\nIt was asked to end, by\n.Dv SIGTERM\nor\n.Dv SIGINT .\n"
    ".It 1\nIt could not start: the log says why.\n"
    ".It 64\nA setting is wrong.\n"
    ".It 69\nSomething that it needs was not there, and may be later.\n"
    ".El\n"
    ".Sh SEE ALSO\n.Xr fairlead 1 ,\n.Xr fairlead\\-agent 8\n";

int main(void)
{
    fputs(head, stdout);
    fl_config_print_man(config_settings, CONFIG_LEN, stdout);
    fputs(tail, stdout);
    return fflush(stdout) != 0;
}
