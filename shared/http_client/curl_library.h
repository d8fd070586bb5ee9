/* curl_library.h - libcurl, loaded when the first client is made; for this folder alone.
 * It brings 25 libraries along.  A program that sends no request, as an agent that has enrolled or
 * 'fairlead help', starts in half the time without them.  So libcurl is not linked: curl_library.c
 * defines the functions of it that this folder calls, and passes each call on.
 * Thread-safe once loaded. */
#pragma once

#include "shared/base/err.h"

#define FL_CURL_FILE "libcurl.so.4"

/* Loads it unless it is there already.  FL_IO: it cannot be loaded, is too old, or does
 * not stand on OpenSSL. */
FL_CHECK bool fl_curl_load(const char *file, struct fl_err *err);
