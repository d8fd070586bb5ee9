/* bench_help_enrol.h - fake agents become members: join token and certificate over the API, as real
 * ones do.  Keys and certificates are only in memory. */
#pragma once

#include <openssl/ssl.h>
#include <stddef.h>

#include "bench/bench_help_figures.h"
#include "bench/bench_help_http.h"

struct bench_identity {
    EVP_PKEY *key;
    X509 *cert;
};

/* Clusters NAME-0 ... NAME-(len-1), by some threads at once. */
void bench_enrol(const struct bench_api *api, const char *name, struct bench_identity *ret,
                 size_t len, struct bench_figures *figures);
void bench_identity_fini(struct bench_identity *identity);
