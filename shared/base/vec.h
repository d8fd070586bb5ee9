/* vec.h - a growing array of any type, as macros over 'struct { T *at; size_t len, cap; }'.
 * FL_VEC(T) declares the struct; zeroed is empty.  Items move when it grows: keep indices, not
 * pointers.  'v' is a pointer to the vector; every argument is evaluated once, and an item before
 * the vector changes.  Items may be written as compound literals.  An index out of range is a bug
 * (fl_assert).
 * A list that functions pass to each other has a struct with a name and the same three fields;
 * fl_arena_push takes it too.  Uses libc only.  Not thread-safe. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

#define FL_VEC(T)                                                                                  \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t len, cap;                                                                           \
    }

#define fl_vec_push(v, ...)                                                                        \
    do {                                                                                           \
        __typeof__(v) fl_push_v_ = (v);                                                            \
        __typeof__(*fl_push_v_->at) fl_push_item_ = __VA_ARGS__;                                   \
        if (fl_push_v_->len == fl_push_v_->cap) {                                                  \
            fl_push_v_->at = fl_vec_grow(fl_push_v_->at, &fl_push_v_->cap, fl_push_v_->len + 1,    \
                                         sizeof(*fl_push_v_->at));                                 \
        }                                                                                          \
        fl_push_v_->at[fl_push_v_->len++] = fl_push_item_;                                         \
    } while (0)

/* The last item, removed; the vector is not empty. */
#define fl_vec_pop(v)                                                                              \
    __extension__({                                                                                \
        __typeof__(v) fl_pop_v_ = (v);                                                             \
        fl_assert(fl_pop_v_->len > 0);                                                             \
        fl_pop_v_->at[--fl_pop_v_->len];                                                           \
    })

/* At i <= len; the items from i on move up. */
#define fl_vec_insert(v, i, ...)                                                                   \
    do {                                                                                           \
        __typeof__(v) fl_ins_v_ = (v);                                                             \
        size_t fl_ins_i_ = (i);                                                                    \
        __typeof__(*fl_ins_v_->at) fl_ins_item_ = __VA_ARGS__;                                     \
        fl_assert(fl_ins_i_ <= fl_ins_v_->len);                                                    \
        if (fl_ins_v_->len == fl_ins_v_->cap) {                                                    \
            fl_ins_v_->at = fl_vec_grow(fl_ins_v_->at, &fl_ins_v_->cap, fl_ins_v_->len + 1,        \
                                        sizeof(*fl_ins_v_->at));                                   \
        }                                                                                          \
        memmove(&fl_ins_v_->at[fl_ins_i_ + 1], &fl_ins_v_->at[fl_ins_i_],                          \
                (fl_ins_v_->len - fl_ins_i_) * sizeof(*fl_ins_v_->at));                            \
        fl_ins_v_->at[fl_ins_i_] = fl_ins_item_;                                                   \
        fl_ins_v_->len++;                                                                          \
    } while (0)

/* Keeps the order: the items after i < len move down. */
#define fl_vec_remove(v, i)                                                                        \
    do {                                                                                           \
        __typeof__(v) fl_rem_v_ = (v);                                                             \
        size_t fl_rem_i_ = (i);                                                                    \
        fl_assert(fl_rem_i_ < fl_rem_v_->len);                                                     \
        fl_rem_v_->len--;                                                                          \
        memmove(&fl_rem_v_->at[fl_rem_i_], &fl_rem_v_->at[fl_rem_i_ + 1],                          \
                (fl_rem_v_->len - fl_rem_i_) * sizeof(*fl_rem_v_->at));                            \
    } while (0)

/* In a vector sorted by the number 'field' ("id.n" is fine): the first index whose field is not
 * less than key, len when all are less. */
#define fl_vec_lower_bound(v, field, key)                                                          \
    __extension__({                                                                                \
        __typeof__(v) fl_low_v_ = (v);                                                             \
        __typeof__(fl_low_v_->at->field) fl_low_key_ = (key);                                      \
        size_t fl_low_i_ = 0;                                                                      \
        size_t fl_low_end_ = fl_low_v_->len;                                                       \
        while (fl_low_i_ < fl_low_end_) {                                                          \
            size_t fl_low_mid_ = fl_low_i_ + (fl_low_end_ - fl_low_i_) / 2;                        \
            if (fl_low_v_->at[fl_low_mid_].field < fl_low_key_) {                                  \
                fl_low_i_ = fl_low_mid_ + 1;                                                       \
            } else {                                                                               \
                fl_low_end_ = fl_low_mid_;                                                         \
            }                                                                                      \
        }                                                                                          \
        fl_low_i_;                                                                                 \
    })

/* Room for n items in all, so that the next pushes up to n do not move anything. */
#define fl_vec_reserve(v, n)                                                                       \
    do {                                                                                           \
        __typeof__(v) fl_res_v_ = (v);                                                             \
        size_t fl_res_n_ = (n);                                                                    \
        if (fl_res_n_ > fl_res_v_->cap) {                                                          \
            fl_res_v_->at =                                                                        \
                fl_vec_grow(fl_res_v_->at, &fl_res_v_->cap, fl_res_n_, sizeof(*fl_res_v_->at));    \
        }                                                                                          \
    } while (0)

#define fl_vec_clear(v) ((void)((v)->len = 0)) /* keeps the memory */

/* Frees, and leaves an empty vector. */
#define fl_vec_fini(v)                                                                             \
    do {                                                                                           \
        __typeof__(v) fl_fini_v_ = (v);                                                            \
        if (fl_fini_v_) {                                                                          \
            fl_free(fl_fini_v_->at);                                                               \
            fl_fini_v_->at = NULL;                                                                 \
            fl_fini_v_->len = fl_fini_v_->cap = 0;                                                 \
        }                                                                                          \
    } while (0)

/* Behind the macros: at least cap_min items, at least twice the old. */
void *fl_vec_grow(void *at, size_t *cap, size_t cap_min, size_t item_bytes);
