/* pause.c - the first process of a pod, and of a node's namespaces.
 * It reaps the processes that lost their parent, and ends on SIGTERM. */
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

int main(void)
{
    sigset_t wanted;

    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGTERM);
    sigprocmask(SIG_BLOCK, &wanted, NULL);
    for (;;) {
        int number = 0;

        if (sigwait(&wanted, &number) == 0 && number != SIGCHLD) return 0;
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
}
