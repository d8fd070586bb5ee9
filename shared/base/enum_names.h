/* enum_names.h - makes the function that names the values of an enum, from the enum's table.
 * A table is a macro of rows.  Where values count up from 0 a row is X(name, ...), else
 * X(name, number, ...), and perhaps a meaning follows:
 *
 *     #define FL_CAUSES(X) X(none, 0, "...") X(out_of_memory, 1, "...")
 *     FL_ENUM_NAMES(fl_cause_name, enum fl_cause, FL_CAUSES(FL_NAME_NUMBERED))
 *
 * A value that the table lacks is "?", since it may come from a newer peer. */
#pragma once

#include <stddef.h>

#define FL_NAME(name, ...) #name,
#define FL_NAME_NUMBERED(name, number, ...) [number] = #name,
#define FL_MEANING(name, meaning, ...) meaning,
#define FL_MEANING_NUMBERED(name, number, meaning) [number] = meaning,

/* Defines 'const char *function(type value)'; the expanded table follows. */
#define FL_ENUM_NAMES(function, type, ...)                                                         \
    const char *function(type value)                                                               \
    {                                                                                              \
        static const char *const names[] = {__VA_ARGS__};                                          \
        size_t i = (size_t)value;                                                                  \
                                                                                                   \
        return i < sizeof names / sizeof *names && names[i] ? names[i] : "?";                      \
    }
