/* Gives up output that was not taken in time: removes its files and leaves a note of its size, so
 * that a later reader gets a gap of known size instead of an output that merely stops. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/output/output_name.h"
#include "agent/process/process_state.h"
#include "shared/io/file.h"
#include "shared/io/log.h"

static bool write_note(int dir, uint64_t bytes, struct fl_err *err)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%" PRIu64, bytes);

    return fl_file_write(dir, LAYOUT_GIVEN_UP, text, (size_t)len, 0600, err);
}

static void remove_output(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    if (!folder) {
        if (fd >= 0) close(fd);
        return;
    }
    while ((entry = readdir(folder))) {
        uint64_t offset;

        if (output_name_parse(entry->d_name, &offset)) unlinkat(dir, entry->d_name, 0);
    }
    closedir(folder);
}

/* The job's files are kept as after any other end, or removed bit by bit. */
static void put_files_away(struct process_replica *replica)
{
    struct process *process = replica->process;
    char from[LAYOUT_NAME_MAX + sizeof("/" LAYOUT_FILES)];
    char to[LAYOUT_NAME_MAX + sizeof(PROCESS_GONE "-" LAYOUT_FILES)];

    if (process_results_take(replica)) return;
    snprintf(from, sizeof(from), "%s/" LAYOUT_FILES, replica->name);
    snprintf(to, sizeof(to), PROCESS_GONE "%s-" LAYOUT_FILES, replica->name);
    if (renameat2(process->dir, from, process->dir, to, RENAME_NOREPLACE) == 0) {
        process_sweeper_remove_later(process, to);
    }
}

static void set_end(struct process_replica *replica, uint64_t bytes)
{
    replica->end.is_known = replica->end.is_given_up = true;
    replica->end.bytes = bytes;
    if (replica->end.at == 0) replica->end.at = layout_now();
}

void given_up_write(struct process_replica *replica)
{
    struct process *process = replica->process;
    uint64_t bytes = replica->end.bytes;
    int dir = openat(process->dir, replica->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct fl_err err = {0};
    bool is_noted;

    if (dir >= 0) {
        is_noted = write_note(dir, bytes, &err);
        remove_output(dir);
        if (!is_noted && !write_note(dir, bytes, &err)) { /* now there may be room */
            fl_log(FL_LOG_WARN, "process", "not_noted", FL_LOG_S("replica", replica->name),
                   FL_LOG_ERR(&err));
        }
        close(dir);
    }
    put_files_away(replica);
    set_end(replica, bytes);
    /* Only now: an agent that dies before its note is written gives nothing up. */
    fl_log(FL_LOG_WARN, "process", "output_given_up", FL_LOG_S("replica", replica->name),
           FL_LOG_N("bytes", bytes), FL_LOG_N("after_ms", process->config.log_grace_ms));
    replica->place = (struct output_place){0};
    process_events_output(replica);
}

void given_up_read(struct process_replica *replica)
{
    struct fl_err err = {0};
    struct fl_buf buf;
    uint64_t bytes;

    fl_buf_init(&buf, 64);
    if (layout_read(replica->dir, LAYOUT_GIVEN_UP, &buf, &err) &&
        fl_str_parse_u64((struct fl_str){(const char *)buf.at, buf.len}, &bytes)) {
        set_end(replica, bytes);
    }
    fl_buf_fini(&buf);
}
