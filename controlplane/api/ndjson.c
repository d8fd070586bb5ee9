#include "controlplane/api/ndjson.h"

#include <string.h>

static bool is_blank(struct fl_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.at[i] != ' ' && line.at[i] != '\t') return false;
    }
    return true;
}

bool ndjson_next(struct ndjson *lines, struct fl_str *ret_line)
{
    while (lines->rest.len > 0) {
        const char *end = memchr(lines->rest.at, '\n', lines->rest.len);
        size_t taken = end ? (size_t)(end - lines->rest.at) + 1 : lines->rest.len;
        struct fl_str line = {lines->rest.at, end ? taken - 1 : taken};

        lines->rest.at += taken;
        lines->rest.len -= taken;
        lines->line++;
        if (line.len > 0 && line.at[line.len - 1] == '\r') line.len--;
        if (is_blank(line)) continue;
        *ret_line = line;
        return true;
    }
    return false;
}
