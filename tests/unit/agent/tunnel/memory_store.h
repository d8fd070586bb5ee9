/* memory_store.h - an agent's store in memory, as a Secret would be; it may be full, or away. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "agent/tunnel/identity_store.h"
#include "shared/base/vec.h"
#include "tests/fl_test.h"

struct memory_text {
    char name[40];
    struct fl_buf bytes;
};

struct memory_store {
    FL_VEC(struct memory_text) texts;
    bool is_full, is_away;  /* writes fail; everything does */
    const char *unreadable; /* the text of this name is there, and cannot be read now */
};

static inline struct memory_text *memory_store_find(struct memory_store *memory, const char *name)
{
    for (size_t i = 0; i < memory->texts.len; i++) {
        if (strcmp(memory->texts.at[i].name, name) == 0) return &memory->texts.at[i];
    }
    return NULL;
}

static inline bool memory_store_list(void *self, void (*fn)(void *ctx, const char *name), void *ctx,
                                     struct fl_err *err)
{
    struct memory_store *memory = self;

    if (memory->is_away) return fl_fail(err, FL_UNAVAILABLE, "away");
    if (memory->texts.len == 0) return fl_fail(err, FL_ABSENT, "no such Secret");
    for (size_t i = 0; i < memory->texts.len; i++) {
        fn(ctx, memory->texts.at[i].name);
    }
    return true;
}

static inline bool memory_store_read(void *self, const char *name, struct fl_buf *ret_text,
                                     struct fl_err *err)
{
    const struct memory_store *memory = self;
    struct memory_text *text = memory_store_find(self, name);

    if (!text) return fl_fail(err, FL_ABSENT, "no text %s", name);
    if (memory->unreadable && strcmp(name, memory->unreadable) == 0) {
        return fl_fail(err, FL_IO, "%s: too many open files", name);
    }
    return fl_buf_put(ret_text, text->bytes.at, text->bytes.len) ||
           fl_fail(err, FL_TOO_LARGE, "%s", name);
}

static inline bool memory_store_write(void *self, const char *name, struct fl_str bytes,
                                      struct fl_err *err)
{
    struct memory_store *memory = self;
    struct memory_text *text = memory_store_find(memory, name);

    if (memory->is_full) return fl_fail(err, FL_IO, "full");
    if (!text) {
        fl_vec_push(&memory->texts, (struct memory_text){0});
        text = &memory->texts.at[memory->texts.len - 1];
        snprintf(text->name, sizeof text->name, "%s", name);
        fl_buf_init(&text->bytes, 1 << 20);
    }
    fl_buf_clear(&text->bytes);
    assert_true(fl_buf_put(&text->bytes, bytes.at, bytes.len));
    return true;
}

static inline bool memory_store_remove(void *self, const char *name, struct fl_err *err)
{
    struct memory_store *memory = self;
    struct memory_text *text = memory_store_find(memory, name);

    (void)err;
    if (!text) return true;
    fl_buf_fini(&text->bytes);
    fl_vec_remove(&memory->texts, (size_t)(text - memory->texts.at));
    return true;
}

static const struct identity_store_ops memory_store_ops = {memory_store_list, memory_store_read,
                                                           memory_store_write, memory_store_remove};

static inline void memory_store_fini(struct memory_store *memory)
{
    while (memory->texts.len) {
        assert_true(memory_store_remove(memory, memory->texts.at[0].name, NULL));
    }
    fl_vec_fini(&memory->texts);
}
