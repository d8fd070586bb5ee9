/* id_page.h - pages of the lists that go by number: queues, clusters, nodes.
 * A cursor is the number at which the next page begins. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/api/route.h"

extern const struct api_field id_page_query[]; /* cursor and limit */

/* Where the asked page begins.  False: the call was answered with what is wrong. */
FL_CHECK bool id_page_from(struct api_call *call, uint32_t *ret_from);

/* Where the next one does; 'next' 0: nothing is written, this is the last. */
void id_page_put_next(struct fl_json_out *json, uint64_t next);
