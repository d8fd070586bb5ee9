#include "shared/io/text_wrap.h"

#include <string.h>

enum { COLUMNS = 100 };

void fl_text_wrap_put(const char *text, const char *prefix, FILE *out)
{
    size_t begin = strlen(prefix);
    size_t column = begin;

    while (*text) {
        size_t len = strcspn(text, " ");

        if (column > begin && column + 1 + len > COLUMNS) {
            fprintf(out, "\n%s", prefix);
            column = begin;
        } else if (column > begin) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, len, out);
        column += len;
        text += len;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}
