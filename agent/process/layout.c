#include "agent/process/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"

enum {
    SPEC_MAGIC = 0x31534c46, /* "FLS1" */
    GATE_MAGIC = 0x31474c46, /* "FLG1" */
    EXIT_MAGIC = 0x31584c46, /* "FLX1" */
    PATH_BYTES_MAX = 4096,
};

/* ---- names ----------------------------------------------------------------------------------- */

void layout_name(struct fl_attempt attempt, uint32_t replica, char ret_name[LAYOUT_NAME_MAX])
{
    char job[FL_JOB_NAME_MAX];

    fl_job_name(attempt.job, job);
    snprintf(ret_name, LAYOUT_NAME_MAX, "%s-%" PRIu32 "-%" PRIu16 "-%" PRIu32 "-%" PRIu32, job,
             attempt.element, attempt.n, attempt.incarnation, replica);
}

bool layout_parse_name(const char *name, struct fl_attempt *ret_attempt, uint32_t *ret_replica)
{
    struct fl_str rest = fl_str_c(name);
    struct fl_attempt attempt = {0};
    struct fl_err err = {0};
    char again[LAYOUT_NAME_MAX];
    uint64_t numbers[4];

    /* From the end: the job's own name has a '-' in it. */
    for (int i = 3; i >= 0; i--) {
        size_t at = rest.len;

        while (at > 0 && rest.at[at - 1] != '-') {
            at--;
        }
        if (at == 0) return false;
        if (!fl_str_parse_u64((struct fl_str){rest.at + at, rest.len - at}, &numbers[i])) {
            return false;
        }
        if (numbers[i] > UINT32_MAX) return false;
        rest.len = at - 1;
    }
    if (numbers[1] > UINT16_MAX || !fl_job_parse(rest, &attempt.job, &err)) return false;
    attempt.element = (uint32_t)numbers[0];
    attempt.n = (uint16_t)numbers[1];
    attempt.incarnation = (uint32_t)numbers[2];
    layout_name(attempt, (uint32_t)numbers[3], again);
    if (strcmp(again, name) != 0) return false; /* we do not write "007" */
    *ret_attempt = attempt;
    *ret_replica = (uint32_t)numbers[3];
    return true;
}

/* ---- the spec file --------------------------------------------------------------------------- */

static void put_strings(struct fl_buf *buf, const struct layout_strings *strings)
{
    fl_buf_put_var(buf, strings->len);
    for (size_t i = 0; i < strings->len; i++) {
        fl_buf_put_str(buf, fl_str_c(strings->at[i]));
    }
}

bool layout_spec_encode(const struct layout_spec *spec, struct fl_buf *buf)
{
    size_t begin = buf->len;

    fl_buf_put_u32(buf, SPEC_MAGIC);
    fl_buf_put_u64(buf, spec->attempt.job.n);
    fl_buf_put_u32(buf, spec->attempt.element);
    fl_buf_put_u16(buf, spec->attempt.n);
    fl_buf_put_u32(buf, spec->attempt.incarnation);
    fl_buf_put_u32(buf, spec->replica);
    fl_buf_put_u32(buf, spec->node);
    fl_buf_put_u64(buf, spec->resources.memory_bytes);
    fl_buf_put_u32(buf, spec->resources.cpu_milli);
    fl_buf_put_u32(buf, spec->resources.gpus);
    fl_buf_put_u32(buf, spec->grace_ms);
    fl_buf_put_u64(buf, spec->head_bytes);
    fl_buf_put_u64(buf, spec->tail_bytes);
    fl_buf_put_str(buf, fl_str_c(spec->run));
    fl_buf_put_str(buf, fl_str_c(spec->boot));
    fl_buf_put_str(buf, spec->cgroup);
    fl_buf_put_str(buf, spec->working_dir);
    put_strings(buf, &spec->argv);
    put_strings(buf, &spec->env);
    if (spec->named.len > 0) fl_amounts_put(buf, &spec->named);
    if (buf->is_over) return false;
    return fl_buf_put_u32(buf, fl_crc32c(0, buf->at + begin, buf->len - begin));
}

static bool read_word(struct fl_reader *reader, char *ret_word, size_t word_max)
{
    struct fl_str word = fl_read_bytes(reader, word_max - 1);

    if (reader->is_bad || (word.len > 0 && memchr(word.at, 0, word.len))) return false;
    if (word.len > 0) memcpy(ret_word, word.at, word.len);
    ret_word[word.len] = 0;
    return true;
}

static struct fl_str read_path(struct fl_reader *reader, struct fl_arena *arena)
{
    struct fl_str path = fl_read_bytes(reader, PATH_BYTES_MAX);

    return (struct fl_str){fl_arena_copy(arena, path.at, path.len), path.len};
}

static bool read_strings(struct fl_reader *reader, struct fl_arena *arena,
                         struct layout_strings *ret_strings)
{
    uint64_t len = fl_read_var(reader);

    if (reader->is_bad || len > LAYOUT_STRINGS_MAX) return false;
    ret_strings->at = fl_arena_array(arena, char *, len + 1);
    ret_strings->len = ret_strings->cap = len;
    for (uint64_t i = 0; i < len; i++) {
        struct fl_str item = fl_read_bytes(reader, LAYOUT_SPEC_BYTES_MAX);

        if (reader->is_bad || (item.len > 0 && memchr(item.at, 0, item.len))) return false;
        ret_strings->at[i] = fl_arena_copy(arena, item.at, item.len);
    }
    return true;
}

bool layout_spec_decode(struct fl_str bytes, struct fl_arena *arena, struct layout_spec *ret_spec,
                        struct fl_err *err)
{
    struct layout_spec spec = {0};
    struct fl_reader reader;
    struct fl_reader tail;
    bool is_read;

    if (bytes.len < 8) return fl_fail(err, FL_TORN, "the spec is cut");
    tail = fl_reader(bytes.at + bytes.len - 4, 4);
    if (fl_read_u32(&tail) != fl_crc32c(0, bytes.at, bytes.len - 4)) {
        return fl_fail(err, FL_TORN, "the spec is damaged");
    }
    reader = fl_reader(bytes.at, bytes.len - 4);
    if (fl_read_u32(&reader) != SPEC_MAGIC) return fl_fail(err, FL_UNSUPPORTED, "no spec of ours");
    spec.attempt.job.n = fl_read_u64(&reader);
    spec.attempt.element = fl_read_u32(&reader);
    spec.attempt.n = fl_read_u16(&reader);
    spec.attempt.incarnation = fl_read_u32(&reader);
    spec.replica = fl_read_u32(&reader);
    spec.node = fl_read_u32(&reader);
    spec.resources.memory_bytes = fl_read_u64(&reader);
    spec.resources.cpu_milli = fl_read_u32(&reader);
    spec.resources.gpus = fl_read_u32(&reader);
    spec.grace_ms = fl_read_u32(&reader);
    spec.head_bytes = fl_read_u64(&reader);
    spec.tail_bytes = fl_read_u64(&reader);
    is_read = read_word(&reader, spec.run, sizeof(spec.run)) &&
              read_word(&reader, spec.boot, sizeof(spec.boot));
    if (is_read) {
        spec.cgroup = read_path(&reader, arena);
        spec.working_dir = read_path(&reader, arena);
    }
    is_read = is_read && read_strings(&reader, arena, &spec.argv) &&
              read_strings(&reader, arena, &spec.env);
    if (is_read && !fl_reader_is_done(&reader)) {
        is_read = fl_amounts_read(&reader, LAYOUT_NAMED_MAX, arena, &spec.named);
    }
    if (!is_read || !fl_reader_is_done(&reader) || spec.argv.len == 0) {
        return fl_fail(err, FL_TORN, "the spec makes no sense");
    }
    *ret_spec = spec;
    return true;
}

/* ---- gate and exit --------------------------------------------------------------------------- */

/* Padded with zeros; the crc stands in the last four bytes. */
static void seal_block(struct fl_buf *buf, uint8_t ret_block[LAYOUT_RECORD_BYTES])
{
    struct fl_buf crc;

    fl_assert(buf->len <= LAYOUT_RECORD_BYTES - 4);
    memset(ret_block, 0, LAYOUT_RECORD_BYTES);
    memcpy(ret_block, buf->at, buf->len);
    fl_buf_init(&crc, 4);
    fl_buf_put_u32(&crc, fl_crc32c(0, ret_block, LAYOUT_RECORD_BYTES - 4));
    memcpy(ret_block + LAYOUT_RECORD_BYTES - 4, crc.at, 4);
    fl_buf_fini(&crc);
    fl_buf_fini(buf);
}

static bool open_block(struct fl_str bytes, uint32_t magic, struct fl_reader *ret_reader)
{
    struct fl_reader tail;

    if (bytes.len != LAYOUT_RECORD_BYTES) return false;
    tail = fl_reader(bytes.at + LAYOUT_RECORD_BYTES - 4, 4);
    if (fl_read_u32(&tail) != fl_crc32c(0, bytes.at, LAYOUT_RECORD_BYTES - 4)) return false;
    *ret_reader = fl_reader(bytes.at, LAYOUT_RECORD_BYTES - 4);
    return fl_read_u32(ret_reader) == magic;
}

void layout_gate_encode(const struct layout_gate *gate, uint8_t ret_block[LAYOUT_RECORD_BYTES])
{
    struct fl_buf buf;

    fl_buf_init(&buf, LAYOUT_RECORD_BYTES);
    fl_buf_put_u32(&buf, GATE_MAGIC);
    fl_buf_put_u8(&buf, gate->is_open);
    fl_buf_put_i32(&buf, gate->session);
    fl_buf_put_i64(&buf, gate->at);
    seal_block(&buf, ret_block);
}

bool layout_gate_decode(struct fl_str bytes, struct layout_gate *ret_gate)
{
    struct fl_reader reader;

    if (!open_block(bytes, GATE_MAGIC, &reader)) return false;
    ret_gate->is_open = fl_read_u8(&reader) != 0;
    ret_gate->session = fl_read_i32(&reader);
    ret_gate->at = fl_read_i64(&reader);
    return true;
}

void layout_exit_encode(const struct layout_exit *end, uint8_t ret_block[LAYOUT_RECORD_BYTES])
{
    uint8_t usage[FL_USAGE_BYTES];
    struct fl_buf buf;

    fl_buf_init(&buf, LAYOUT_RECORD_BYTES);
    fl_buf_put_u32(&buf, EXIT_MAGIC);
    fl_buf_put_i32(&buf, end->code);
    fl_buf_put_i32(&buf, end->signal);
    fl_buf_put_u8(&buf, end->is_out_of_memory);
    fl_buf_put_u8(&buf, end->is_stopped);
    fl_buf_put_u64(&buf, end->output_bytes);
    fl_buf_put_u64(&buf, end->dropped_bytes);
    fl_buf_put_i64(&buf, end->started_at);
    fl_buf_put_i64(&buf, end->ended_at);
    fl_buf_put_str(&buf, fl_usage_write(&end->usage, usage));
    fl_buf_put_str(&buf, fl_str_c(end->line));
    seal_block(&buf, ret_block);
}

bool layout_exit_decode(struct fl_str bytes, struct layout_exit *ret_end)
{
    struct fl_reader reader;

    if (!open_block(bytes, EXIT_MAGIC, &reader)) return false;
    ret_end->code = fl_read_i32(&reader);
    ret_end->signal = fl_read_i32(&reader);
    ret_end->is_out_of_memory = fl_read_u8(&reader) != 0;
    ret_end->is_stopped = fl_read_u8(&reader) != 0;
    ret_end->output_bytes = fl_read_u64(&reader);
    ret_end->dropped_bytes = fl_read_u64(&reader);
    ret_end->started_at = fl_read_i64(&reader);
    ret_end->ended_at = fl_read_i64(&reader);
    /* An older program wrote neither of these, but zeros. */
    ret_end->usage = fl_usage_read_one(fl_read_bytes(&reader, FL_USAGE_BYTES));
    if (!read_word(&reader, ret_end->line, sizeof(ret_end->line))) ret_end->line[0] = '\0';
    return true;
}

/* ---- commands -------------------------------------------------------------------------------- */

void layout_command_encode(struct layout_command command, uint8_t ret_bytes[LAYOUT_COMMAND_BYTES])
{
    memset(ret_bytes, 0, LAYOUT_COMMAND_BYTES);
    ret_bytes[0] = (uint8_t)command.kind;
    for (int i = 0; i < 4; i++) {
        ret_bytes[4 + i] = (uint8_t)(command.grace_ms >> (8 * i));
    }
}

bool layout_command_decode(const uint8_t bytes[LAYOUT_COMMAND_BYTES],
                           struct layout_command *ret_command)
{
    struct fl_reader reader = fl_reader(bytes + 4, 4);

    if (bytes[0] != LAYOUT_GO && bytes[0] != LAYOUT_STOP && bytes[0] != LAYOUT_LEAVE) return false;
    ret_command->kind = (enum layout_command_kind)bytes[0];
    ret_command->grace_ms = fl_read_u32(&reader);
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

bool layout_read(int dir, const char *name, struct fl_buf *buf, struct fl_err *err)
{
    uint8_t piece[16384];
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t len;

    if (fd < 0) {
        return fl_fail(err, errno == ENOENT ? FL_ABSENT : FL_IO, "cannot open %s: %s", name,
                       strerror(errno));
    }
    while ((len = read(fd, piece, sizeof(piece))) > 0) {
        if (!fl_buf_put(buf, piece, (size_t)len)) {
            close(fd);
            return fl_fail(err, FL_TOO_LARGE, "%s has more than %zu bytes", name, buf->max);
        }
    }
    if (len < 0) fl_fail(err, FL_IO, "cannot read %s: %s", name, strerror(errno));
    close(fd);
    return len == 0;
}

bool layout_write_at(int fd, const void *ptr, size_t len, off_t at)
{
    const uint8_t *from = ptr;

    while (len > 0) {
        ssize_t written = pwrite(fd, from, len, at);

        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        from += written;
        at += written;
        len -= (size_t)written;
    }
    return true;
}

void layout_boot_id(char ret_boot[LAYOUT_BOOT_MAX])
{
    struct fl_err err = {0};
    struct fl_buf buf;
    size_t len = 0;

    fl_buf_init(&buf, 256);
    if (layout_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &buf, &err)) {
        while (len < buf.len && len < LAYOUT_BOOT_MAX - 1 && buf.at[len] > ' ') {
            len++;
        }
    }
    if (len > 0) {
        memcpy(ret_boot, buf.at, len);
        ret_boot[len] = 0;
    } else {
        snprintf(ret_boot, LAYOUT_BOOT_MAX, "unknown");
    }
    fl_buf_fini(&buf);
}

fl_ms layout_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (fl_ms)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
