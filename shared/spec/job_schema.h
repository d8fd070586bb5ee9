/* job_schema.h - the job document as JSON Schema, made from fields.def.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

struct fl_json_out;

/* Writes one member for each kind of object ("JobDocument", "JobRole", ...) into the object that is
 * open, which is "components": {"schemas": {...}} of an OpenAPI 3.1 document. */
void fl_job_schema(struct fl_json_out *out);
