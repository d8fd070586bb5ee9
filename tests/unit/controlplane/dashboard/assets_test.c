/* The files in the program are those of the repository. */
#include "controlplane/dashboard/assets.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/buf.h"
#include "shared/io/file.h"
#include "tests/fl_test.h"

enum { FILE_BYTES_MAX = 1 << 20 };

static const struct file {
    const char *path, *name;
} files[] = {
#define ASSET(path, file, content_type) {path, file},
#include "controlplane/dashboard/built/assets.def"
#undef ASSET
};

static void each_file_of_the_build_is_in_the_program(void **state)
{
    struct asset asset;
    size_t seen = 0;

    (void)state;
    if (!asset_find(FL_STR(ASSET_PAGE), &asset)) return; /* built with -DFAIRLEAD_UI=OFF */
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct fl_err err = {0};
        struct fl_buf bytes;
        char name[256];

        snprintf(name, sizeof name, "controlplane/dashboard/built/%s", files[i].name);
        fl_buf_init(&bytes, FILE_BYTES_MAX);
        assert_true(fl_file_read(AT_FDCWD, name, &bytes, &err));
        assert_true(asset_find(fl_str_c(files[i].path), &asset));
        assert_int_equal(asset.body.len, bytes.len);
        assert_memory_equal(asset.body.at, bytes.at, bytes.len);
        assert_int_equal(asset.is_gzip, strstr(name, ".gz") != NULL);
        assert_int_equal(asset.is_gzip, bytes.at[0] == 0x1f);
        fl_buf_fini(&bytes);
        seen++;
    }
    assert_true(seen > 1);
}

static void another_path_has_no_file(void **state)
{
    struct asset asset;

    (void)state;
    assert_false(asset_find(FL_STR("/ui/"), &asset));
    assert_false(asset_find(FL_STR("/ui/app.js"), &asset));
    assert_false(asset_find((struct fl_str){0}, &asset));
}

FL_TESTS(cmocka_unit_test(each_file_of_the_build_is_in_the_program),
         cmocka_unit_test(another_path_has_no_file))
