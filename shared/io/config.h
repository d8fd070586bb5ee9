/* config.h - the settings of a program, from one table.
 * The table is a .def file of rows SETTING(key, KIND, preset, min, max, text), from which the
 * program makes an enum and an array, and with them reads by number; --help,
 * docs/reference/settings.md and all refusals come from the same rows:
 *
 *     enum { #define SETTING(key, ...) CONFIG_##key, ... CONFIG_LEN };
 *     static const struct fl_config_setting settings[] = { #define SETTING FL_CONFIG_ROW ... };
 *
 *     file         api_listen = 127.0.0.1:8474      '#' begins a comment; quotes are no syntax
 *     environment  FAIRLEAD_API_LISTEN
 *     flag         --api-listen 127.0.0.1:8474      or --api-listen=...
 *
 * each overrides the one before.  A setting that no source names has its preset.  A refusal names
 * the place (file and line, variable or flag), the setting, the mistake, and for an unknown setting
 * the nearest that exists; the caller then does not use the config.  FAIRLEAD_
 * variables that name no setting are left alone: jobs have them.
 *
 * Kinds:  STRING PATH  text of min..max bytes, max 0 is 4096
 *         INT          min..max
 *         DURATION     500ms 30s 5m 24h 7d; min, max and the value are in ms
 *         BYTES        4096 64KiB 8MiB 2GiB; min, max and the value are in bytes
 *         BOOL         true or false
 *         LIST         words separated by commas, min..max of them, max 0 is 64
 *         SECRET       text, or @PATH of a file that holds it; a flag may give @PATH only, since
 *                      other users can see flags; printed as ***
 * A preset of NULL must be set by some source; fl_config_load says so when it is not.
 * Uses shared/base and stdio.  Not thread-safe; read-only after loading, so threads may then share
 * it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

enum { FL_CONFIG_FILE_MAX = 1 << 20, FL_CONFIG_TEXT_MAX = 4096, FL_CONFIG_LIST_MAX = 64 };

enum fl_config_kind {
    FL_CONFIG_STRING,
    FL_CONFIG_PATH,
    FL_CONFIG_INT,
    FL_CONFIG_DURATION,
    FL_CONFIG_BYTES,
    FL_CONFIG_BOOL,
    FL_CONFIG_LIST,
    FL_CONFIG_SECRET,
};

struct fl_config_setting {
    const char *key; /* lower_case_words */
    enum fl_config_kind kind;
    const char *preset; /* as it would be written in the file; NULL: must be set */
    int64_t min, max;
    const char *text; /* a sentence for people */
};

#define FL_CONFIG_ROW(key, kind, preset, min, max, text)                                           \
    {#key, FL_CONFIG_##kind, preset, min, max, text},

struct fl_config_list {
    const char *const *at;
    size_t len;
};

struct fl_config;

/* The table is borrowed and stays.  All settings have their presets, which must fit their rows. */
struct fl_config *fl_config_create(const struct fl_config_setting *settings, size_t len);
void fl_config_destroy(struct fl_config *config); /* NULL is fine */

/* ---- sources, weakest first; each replaces what those before said ---------------------------- */

FL_CHECK bool fl_config_read_text(struct fl_config *config, const char *file, struct fl_str text,
                                  struct fl_err *err); /* 'file' is for refusals */
FL_CHECK bool fl_config_read_file(struct fl_config *config, const char *path, struct fl_err *err);
FL_CHECK bool fl_config_read_env(struct fl_config *config, char *const *env, struct fl_err *err);

/* argv[0] is skipped; every word must be a flag or its value. */
FL_CHECK bool fl_config_read_flags(struct fl_config *config, int argc, char *const *argv,
                                   struct fl_err *err);

/* Reads all of it, for program.h: --config FILE (else FAIRLEAD_CONFIG, else no file), then
 * environment, then flags, then checks that nothing is missing.  The other actions are answered by
 * the caller. */
enum fl_config_action {
    FL_CONFIG_RUN,
    FL_CONFIG_HELP,    /* --help */
    FL_CONFIG_VERSION, /* --version */
    FL_CONFIG_PRINT,   /* --print-config */
    FL_CONFIG_SAMPLE,  /* --print-sample */
};

FL_CHECK bool fl_config_load(struct fl_config *config, int argc, char *const *argv,
                             char *const *env, enum fl_config_action *ret_action,
                             struct fl_err *err);

/* ---- reading, by row number; the kind must fit ----------------------------------------------- */

const char *fl_config_string(const struct fl_config *config, size_t i); /* STRING PATH SECRET */
int64_t fl_config_int(const struct fl_config *config, size_t i);        /* INT DURATION BYTES */
bool fl_config_bool(const struct fl_config *config, size_t i);
struct fl_config_list fl_config_list(const struct fl_config *config, size_t i);
/* True if a source set it; false if it has its preset. */
bool fl_config_is_set(const struct fl_config *config, size_t i);

/* ---- for people ------------------------------------------------------------------------------ */

/* Every setting as a line for the file, under a comment that names its source; secrets as ***. */
void fl_config_print(const struct fl_config *config, FILE *out);

/* The lines of a file to begin with: each setting behind a '#', as it is preset, below what it
 * means. */
void fl_config_print_sample(const struct fl_config_setting *settings, size_t len, FILE *out);

/* The part of --help that lists settings; the rows of a Markdown table; the list of a man page
 * (mdoc). */
void fl_config_print_help(const struct fl_config_setting *settings, size_t len, FILE *out);
void fl_config_print_markdown(const struct fl_config_setting *settings, size_t len, FILE *out);
void fl_config_print_man(const struct fl_config_setting *settings, size_t len, FILE *out);
