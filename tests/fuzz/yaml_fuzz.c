/* A YAML text of any number of documents, as anybody might submit it.
 * Properties: a taken document is a tree that JSON can say: written as JSON it is taken by the
 * strict reader (so keys differ, depth, size and encoding are right) and written as the same bytes
 * again; lines count upwards from 1; a refusal has a text and a line; the documents end.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/yaml.patch) no longer looks for keys that are there twice.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/yaml_fuzz -max_total_time=60 DIR tests/fuzz/corpus/yaml
 *     tests/fuzz/planted.sh yaml */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"
#include "shared/yaml/yaml.h"

static void write_tree(struct fl_buf *buf, const struct fl_json *root)
{
    struct fl_json_out out = fl_json_out(buf);

    fl_json_put_tree(&out, root);
    fl_assert(!buf->is_over);
}

static void check_tree(const struct fl_json *root, struct fl_arena *arena)
{
    const struct fl_json *again;
    struct fl_buf first, second;

    fl_buf_init(&first, 1 << 24);
    fl_buf_init(&second, 1 << 24);
    write_tree(&first, root);
    fl_assert(fl_json_parse((struct fl_str){(const char *)first.at, first.len}, arena, &again, NULL,
                            NULL));
    write_tree(&second, again);
    fl_assert(first.len == second.len && memcmp(first.at, second.at, first.len) == 0);
    fl_buf_fini(&first);
    fl_buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_arena arena = {0};
    struct fl_place at = {0};
    struct fl_err err = {0};
    const struct fl_json *root;
    struct fl_yaml *yaml;
    uint32_t line = 0;
    size_t documents = 0;
    bool is_good;

    if (size > 1 << 14) return 0;
    yaml = fl_yaml_create((struct fl_str){(const char *)data, size});
    while ((is_good = fl_yaml_next(yaml, &arena, &root, &at, &err)) && root) {
        fl_assert(root->at.line >= 1 && root->at.line >= line && root->at.col >= 1);
        line = root->at.line;
        check_tree(root, &arena);
        fl_assert(++documents <= size);
    }
    if (is_good) {
        fl_assert(fl_yaml_next(yaml, &arena, &root, &at, &err) && !root);
    } else {
        fl_assert(err.text[0] && at.line >= 1);
    }
    fl_yaml_destroy(yaml);
    fl_arena_fini(&arena);
    return 0;
}
