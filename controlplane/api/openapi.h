/* openapi.h - the API as an OpenAPI 3.1 document, made from the routes and the fields of the job
 * document. */
#pragma once

#include "controlplane/api/route.h"

struct fl_buf;

/* Appends it. */
void api_openapi_write(struct fl_buf *out, const struct api_tables *tables);
