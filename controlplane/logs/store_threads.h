/* store_threads.h - gives log_front.c the threads of its store. */
#pragma once

#include <stddef.h>

#include "shared/base/types.h"

struct log_reader;
struct log_store;
struct log_worker;

struct log_store_threads {
    struct log_worker *worker;
    struct log_reader *reader;
    size_t requests_max;
    fl_ms stray_wait_ms;
};

struct log_store_threads log_store_threads(const struct log_store *store);
