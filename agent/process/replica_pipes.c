/* The two pipes between the agent and a supervisor: news come, commands go. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/process_state.h"

bool replica_pipes_open(struct process_replica *replica,
                        void (*on_news)(void *ctx, unsigned events), struct fl_err *err)
{
    struct process *process = replica->process;
    char path[LAYOUT_NAME_MAX + sizeof("/" LAYOUT_NEWS)];

    if (process->news_len >= process->news_max) {
        return fl_fail(err, FL_FULL,
                       "all %zu descriptors for replicas are in use; raise the limit "
                       "of open files (LimitNOFILE)",
                       process->news_max);
    }
    snprintf(path, sizeof(path), "%s/" LAYOUT_NEWS, replica->name);
    replica->news = openat(process->dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (replica->news < 0) return fl_fail(err, FL_IO, "cannot open %s: %s", path, strerror(errno));
    process->news_len++;
    fl_watch_init(&replica->watch, process->loop, replica->news, on_news, replica);
    fl_watch_set(&replica->watch, FL_WATCH_READ);
    return true;
}

void replica_pipes_close(struct process_replica *replica)
{
    fl_watch_off(&replica->watch);
    if (replica->news < 0) return;
    close(replica->news);
    replica->news = -1;
    replica->process->news_len--;
}

bool replica_pipes_send(struct process_replica *replica, struct layout_command command)
{
    char path[LAYOUT_NAME_MAX + sizeof("/" LAYOUT_CONTROL)];
    uint8_t bytes[LAYOUT_COMMAND_BYTES];
    bool is_sent;
    int fd;

    snprintf(path, sizeof(path), "%s/" LAYOUT_CONTROL, replica->name);
    fd = openat(replica->process->dir, path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    /* Without a supervisor there is no reader, and the end of 'news' will show that.  With one it
     * is our own trouble, which passes. */
    if (fd < 0) return false;
    layout_command_encode(command, bytes);
    is_sent = write(fd, bytes, sizeof(bytes)) == sizeof(bytes);
    close(fd);
    return is_sent;
}
