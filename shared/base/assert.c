#include "shared/base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void fl_assert_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}
