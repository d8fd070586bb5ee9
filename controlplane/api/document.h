/* document.h - the body of a submit, JSON or YAML by its content type, as a tree. */
#pragma once

#include "controlplane/api/call.h"

/* A YAML body holds exactly one document.  NULL: the call was answered. */
const struct fl_json *api_document(struct api_call *call);
