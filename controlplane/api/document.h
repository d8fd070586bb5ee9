/* document.h - the body of a submit, JSON or YAML by its content type, as a tree. */
#pragma once

#include "controlplane/api/call.h"

/* A YAML body holds exactly one document.  NULL: the call was answered. */
const struct fl_json *api_document(struct api_call *call);

/* Key and body of a request that creates something, put into the event; false: the call was
 * answered, and the event is destroyed. */
FL_CHECK bool api_idempotent(struct api_call *call, struct engine_event *event);
