/* yaml.h - reads YAML documents, one after the other, into the tree of shared/json.
 * It takes the part of YAML 1.2 that says the same as JSON.  A plain scalar is null (null,
 * ~ or nothing), true or false, or a number if it is one in JSON; everything else, and everything
 * quoted, is a string: 'no', '1_000', '0x1f' and '2026-01-31' are strings, 'version: 1.10' keeps
 * its text.  Keys are strings as written.  Anchors, aliases, tags, merge keys, duplicate keys and
 * keys that are not scalars are refused by name, and so is a text over the limits of json.h.  A
 * refusal says where: line, and column in characters.
 * Uses shared/base, shared/json and libyaml.  Not thread-safe. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/json/json.h"

struct fl_arena;
struct fl_yaml; /* opaque: it holds a parser of libyaml */

enum {
    FL_YAML_BYTES_MAX = 1 << 20, /* bounds the whole text */
    FL_YAML_NODES_MAX = 10000,   /* values of a document: one takes ten times what JSON's does */
};

/* 'text' is borrowed until destroy. */
struct fl_yaml *fl_yaml_create(struct fl_str text);
void fl_yaml_destroy(struct fl_yaml *yaml); /* NULL is fine */

/* The next document, whole in the arena; *ret_root is NULL after the last one.  After a false, do
 * not call it again.  FL_TOO_LARGE: a limit is passed; FL_UNSUPPORTED: YAML allows it and we refuse
 * it; else FL_INVALID.  *ret_at (NULL is fine) says where. */
FL_CHECK bool fl_yaml_next(struct fl_yaml *yaml, struct fl_arena *arena,
                           const struct fl_json **ret_root, struct fl_place *ret_at,
                           struct fl_err *err);
