/* json_read.h - members of an answer that may not be there. */
#pragma once

#include <jansson.h>
#include <stdint.h>

const char *cli_text(const json_t *object, const char *key); /* "" when it is not there */
int64_t cli_int(const json_t *object, const char *key);      /* 0 when it is not there */
