/* answer_yaml.h - an answer as YAML that every reader takes for what it is, of version 1.1 or 1.2:
 * texts that look like something else are quoted, and what cannot be seen is escaped. */
#pragma once

#include <jansson.h>
#include <stdio.h>

void cli_yaml_put(const json_t *answer, FILE *out);
