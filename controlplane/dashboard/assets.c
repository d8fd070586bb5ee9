#include "controlplane/dashboard/assets.h"

#include <string.h>

/* The assembler copies the files from the include path, as it does the migrations
 * (controlplane/store/migrations.c); CMakeLists.txt says on which files this one depends.  A file's
 * labels have the number of its line in assets.def. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(line) #line
#define TEXT(line) TEXT_(line)

struct file {
    const char *path, *name, *content_type, *begin, *end;
};

#ifdef FL_DASHBOARD
#define ASSET(path, file, content_type)                                                            \
    __asm__(".pushsection .rodata\n"                                                               \
            "asset_" TEXT(__LINE__) ":\n"                                                          \
                                    ".incbin \"controlplane/dashboard/built/" file "\"\n"          \
                                    "asset_end_" TEXT(__LINE__) ":\n"                              \
                                                                ".popsection\n");                  \
    extern const char JOIN(asset_, __LINE__)[], JOIN(asset_end_, __LINE__)[];
#include "controlplane/dashboard/built/assets.def"
#undef ASSET

static const struct file files[] = {
#define ASSET(path, file, content_type)                                                            \
    {path, file, content_type, JOIN(asset_, __LINE__), JOIN(asset_end_, __LINE__)},
#include "controlplane/dashboard/built/assets.def"
#undef ASSET
    {0},
};
#else
static const struct file files[] = {{0}};
#endif

bool asset_find(struct fl_str path, struct asset *ret_asset)
{
    for (const struct file *file = files; file->path; file++) {
        size_t len = strlen(file->name);

        if (!fl_str_eq(path, fl_str_c(file->path))) continue;
        *ret_asset = (struct asset){
            .content_type = file->content_type,
            .body = {file->begin, (size_t)(file->end - file->begin)},
            .is_gzip = len > 3 && strcmp(file->name + len - 3, ".gz") == 0,
        };
        return true;
    }
    return false;
}
