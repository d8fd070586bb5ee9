#include "controlplane/store/migrations.h"

/* The assembler copies the files from the include path.  The build does not notice when one of them
 * changes: touch this file then.  A test compares the copies. */
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
