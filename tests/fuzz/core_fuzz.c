/* core_fuzz.c - any bytes are a history; the core stays whole, its rows are such as the schema
 * takes, and a core loaded from them is the same.  core_drive.h says what is asserted. */
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/core_drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct core_drive_counts counts = {0};

    core_drive(data, size, &counts);
    return 0;
}
