/* kube_status.h - why the API server refused: its Status object as an error of ours.
 * The error's text has the server's own words, cut to the size of an error; control characters
 * become spaces.  An answer that is no Status, as a proxy may give, is known by its number alone.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_json;

enum {
    KUBE_REASON_BYTES_MAX = 40,
    KUBE_STATUS_BYTES_MAX = 64 << 10, /* a longer answer is not read */
};

struct kube_failure {
    struct fl_err err;
    unsigned status;                    /* HTTP's; 0: no answer came */
    char reason[KUBE_REASON_BYTES_MAX]; /* "NotFound", "Expired"; "" where none is given */
    fl_ms retry_after_ms;               /* the server names this wait; -1: it names none */
};

/*  status           code
 *  400 422          INVALID
 *  401 403          DENIED
 *  404 410          ABSENT
 *  409              EXISTS for AlreadyExists, else CONFLICT
 *  413              TOO_LARGE
 *  405 406 415 501  UNSUPPORTED
 *  429 5xx          UNAVAILABLE
 *  other            IO
 * 'body' may be cut or anything else. */
void kube_status_read(unsigned status, struct fl_str body, struct kube_failure *ret_failure);

/* The same for a Status within a watch: its own 'code' is the number. */
void kube_status_of(const struct fl_json *object, struct kube_failure *ret_failure);

/* The end of a long text, from one of its colons on, as a view: each layer of a cluster puts its
 * own words in front, and the last ones say why. */
struct fl_str kube_status_last_words(struct fl_str text);

/* The text of a Retry-After header; -1: no number of seconds up to a day. */
fl_ms kube_status_retry_after(struct fl_str header);
