/* quantity.h - amounts and spans of time as people write them: 500m, 1.5, 2Gi; 90s, 1h30m.
 * Quantities are those of Kubernetes: a decimal number and one of n u m k M G T P E, Ki Mi Gi Ti Pi
 * Ei, or an exponent (1e3); a value between two units is rounded up.  n and u come from
 * metrics.k8s.io.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/str.h"

#define FL_QUANTITY_TEXT_MAX 24 /* bytes of what is written below, with the final zero */

/* 'text' in thousandths; false when it is no quantity, negative, or over UINT64_MAX thousandths. */
FL_CHECK bool fl_quantity_milli(struct fl_str text, uint64_t *ret_milli);

/* 'text' in whole units; the same. */
FL_CHECK bool fl_quantity_units(struct fl_str text, uint64_t *ret_units);

/* Shortest exact forms: "1500m", "2"; "512Mi", "1000". */
void fl_quantity_write_milli(uint64_t milli, char ret_text[FL_QUANTITY_TEXT_MAX]);
void fl_quantity_write_bytes(uint64_t bytes, char ret_text[FL_QUANTITY_TEXT_MAX]);

/* Whole seconds ("90"), or numbers with units d h m s, each unit at most once and in this order.
 * False for anything else and over UINT32_MAX seconds. */
FL_CHECK bool fl_duration_s(struct fl_str text, uint32_t *ret_s);
