#include "shared/base/dependency.h"

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

enum { ENTRY_BYTES = 9 };

_Static_assert(FL_JOB_AFTER_BYTES_MAX == FL_JOB_AFTER_MAX * ENTRY_BYTES, "the longest list fits");

static const struct {
    const char *name;
    enum fl_dependency_on on;
} ons[] = {
#define FL_DEPENDENCY_ROW(name, number, meaning) {#name, FL_ON_##name},
    FL_DEPENDENCY_ONS(FL_DEPENDENCY_ROW)
#undef FL_DEPENDENCY_ROW
};

enum { ONS_LEN = sizeof ons / sizeof *ons };

const char *fl_dependency_on_name(enum fl_dependency_on on)
{
    for (size_t i = 0; i < ONS_LEN; i++) {
        if (ons[i].on == on) return ons[i].name;
    }
    return NULL;
}

bool fl_dependency_on_parse(struct fl_str name, enum fl_dependency_on *ret)
{
    for (size_t i = 0; i < ONS_LEN; i++) {
        if (!fl_str_eq(name, fl_str_c(ons[i].name))) continue;
        *ret = ons[i].on;
        return true;
    }
    return false;
}

struct fl_str fl_dependencies_encode(const struct fl_dependency *at, size_t len,
                                     struct fl_arena *arena)
{
    struct fl_buf buf;

    fl_buf_init_in(&buf, FL_JOB_AFTER_BYTES_MAX, arena);
    for (size_t i = 0; i < len; i++) {
        fl_assert(at[i].job.n > 0 && at[i].line == 0);
        fl_buf_put_u64(&buf, at[i].job.n);
        fl_buf_put_u8(&buf, (uint8_t)at[i].on);
    }
    fl_assert(!buf.is_over);
    return fl_buf_take(&buf);
}

bool fl_dependencies_decode(struct fl_str bytes, struct fl_arena *arena,
                            struct fl_dependencies *ret, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct fl_dependencies list = {0};

    if (bytes.len > FL_JOB_AFTER_BYTES_MAX || bytes.len % ENTRY_BYTES != 0) {
        return fl_fail(err, FL_TORN, "%zu bytes are no list of jobs to wait for", bytes.len);
    }
    while (!fl_reader_is_done(&reader)) {
        struct fl_dependency after = {.job = {fl_read_u64(&reader)}};

        after.on = (enum fl_dependency_on)fl_read_u8(&reader);
        if (after.job.n == 0 || !fl_dependency_on_name(after.on)) {
            return fl_fail(err, FL_TORN, "a job to wait for has no id, or its end no name");
        }
        fl_arena_push(arena, &list, after);
    }
    *ret = list;
    return true;
}
