/* store_parts.h - gives log_front.c the threads of its store. */
#pragma once

#include <stddef.h>

struct log_reader;
struct log_store;
struct log_worker;

struct log_store_parts {
    struct log_worker *worker;
    struct log_reader *reader;
    size_t requests_max;
};

struct log_store_parts log_store_parts(const struct log_store *store);
