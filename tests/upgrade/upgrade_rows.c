#include "tests/upgrade/upgrade_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/row.h"
#include "shared/base/assert.h"

#define WORD_job "u64"
#define WORD_u8 "u8"
#define WORD_flag "u8"
#define WORD_u16 "u16"
#define WORD_code "u16"
#define WORD_u32 "u32"
#define WORD_u64 "u64"
#define WORD_some_u64 "u64"
#define WORD_i32 "i32"
#define WORD_i64 "i64"
#define WORD_digest "digest"

static const char *const lines[ROW_KINDS_LEN] = {
#define F(type, name) " " WORD_##type ":" #name
#define B(type, name, max) " bytes:" #name
#define ROW(name, number, fold, table, fields) [number] = #number " " #name fields,
#include "controlplane/core/rows.def"
};

void upgrade_rows_list(struct fl_buf *out)
{
    for (size_t i = 0; i < ROW_KINDS_LEN; i++) {
        if (!lines[i]) continue;
        fl_assert(fl_buf_put(out, lines[i], strlen(lines[i])) && fl_buf_put_u8(out, '\n'));
    }
}

/* Is the line of 'len' bytes a beginning of today's, up to the end of a word? */
static bool is_kept(const char *line, size_t len, const char *today)
{
    return strncmp(line, today, len) == 0 && (today[len] == '\0' || today[len] == ' ');
}

/* The word behind the number. */
static bool is_named(const char *line, size_t len, const char *name)
{
    const char *space = memchr(line, ' ', len);

    return space && strncmp(space + 1, name, strlen(name)) == 0 && space[1 + strlen(name)] == ' ';
}

bool upgrade_rows_are_kept(const char *list, char why[256])
{
    while (*list) {
        size_t len = strcspn(list, "\n");
        unsigned long number = strtoul(list, NULL, 10);
        bool is_used = number < ROW_KINDS_LEN && lines[number];

        snprintf(why, 256, "rows.def no longer keeps \"%.*s\"", (int)len, list);
        if (is_used && !is_kept(list, len, lines[number])) return false;
        for (size_t i = 0; !is_used && i < row_kinds_len; i++) {
            if (is_named(list, len, row_kind_name(row_kinds[i]))) return false;
        }
        list += len + (list[len] != '\0');
    }
    return true;
}
