/* spec_world.h - what the tests of the job document share: a spec parsed from a text with single
 * quotes, and what it became or was refused for. */
#pragma once

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/spec/job_spec.h"
#include "tests/fl_test.h"

struct world {
    struct fl_arena arena;
    struct fl_problems problems;
    struct fl_job_spec spec;
    struct fl_buf buf;
};

static inline void begin(struct world *world)
{
    *world = (struct world){0};
    fl_buf_init(&world->buf, FL_JOB_SPEC_BYTES_MAX);
}

static inline void end(struct world *world)
{
    fl_arena_fini(&world->arena);
    fl_buf_fini(&world->buf);
}

/* Single quotes stand for double ones. */
static inline struct fl_str quoted(struct world *world, const char *text)
{
    char *copy = fl_arena_printf(&world->arena, "%s", text);

    for (char *c = copy; *c; c++) {
        if (*c == '\'') *c = '"';
    }
    return fl_str_c(copy);
}

static inline bool parse(struct world *world, const char *text)
{
    const struct fl_json *root;
    struct fl_err err = {0};

    world->problems = (struct fl_problems){0};
    if (!fl_json_parse(quoted(world, text), &world->arena, &root, NULL, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    return fl_job_spec_parse(root, &world->arena, NULL, &world->spec, &world->problems);
}

static inline void assert_good(struct world *world, const char *text)
{
    struct fl_err err = {0};

    if (parse(world, text)) return;
    (void)fl_problems_fail(&world->problems, &err);
    fail_msg("%s: %s", text, err.text);
}

/* The written text, with single quotes. */
static inline const char *written(struct world *world)
{
    char *copy = fl_arena_printf(&world->arena, FL_STR_FMT, (int)world->buf.len,
                                 (const char *)world->buf.at);

    for (char *c = copy; *c; c++) {
        if (*c == '"') *c = '\'';
    }
    fl_buf_clear(&world->buf);
    return copy;
}

static inline const char *canonical(struct world *world)
{
    assert_true(fl_job_spec_canonical(&world->buf, &world->spec));
    return written(world);
}

/* "pointer: detail" of each problem. */
static inline const char *story(struct world *world)
{
    const char *text = "";

    for (size_t i = 0; i < world->problems.len; i++) {
        const struct fl_problem *problem = &world->problems.at[i];

        text = fl_arena_printf(&world->arena, "%s" FL_STR_FMT ": " FL_STR_FMT "\n", text,
                               FL_STR_ARG(problem->pointer), FL_STR_ARG(problem->detail));
    }
    return text;
}
