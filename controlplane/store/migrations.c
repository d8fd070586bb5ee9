#include "controlplane/store/migrations.h"

/* The assembler copies the files; the include path finds them.  A build does not see that an
 * included file has changed: touch this one, and a test compares the two. */
#define MIGRATION(number, name)                                                                    \
    __asm__(".pushsection .rodata\n"                                                               \
            "migration_" #number ":\n"                                                             \
            ".incbin \"schema/" #number "_" #name ".sql\"\n"                                       \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char migration_##number[];
#include "schema/migrations.def"
#undef MIGRATION

const struct migration migrations[] = {
#define MIGRATION(number, name) {1##number - 10000, #number "_" #name, migration_##number},
#include "schema/migrations.def"
#undef MIGRATION
};
const size_t migrations_len = sizeof(migrations) / sizeof(migrations[0]);
