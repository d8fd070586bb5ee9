#include "tests/sim/story.h"

#include <string.h>

#include "shared/base/hash.h"

void story_init(struct story *story, uint64_t seed, bool is_live)
{
    memset(story, 0, sizeof(*story));
    story->hash = fl_hash_u64(0, seed);
    story->is_live = is_live;
}

static void print_line(const struct story_line *line, FILE *out)
{
    const uint64_t *a = line->args;
    char text[256];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof(text), line->format, a[0], a[1], a[2], a[3], a[4], a[5]);
#pragma GCC diagnostic pop
    fprintf(out, "%9.3f  %s\n", (double)line->at / 1000.0, text);
}

void story_tell(struct story *story, fl_ms at, const char *format, const uint64_t args[STORY_ARGS])
{
    struct story_line *line = &story->lines[story->len++ % STORY_LINES];
    uint64_t mixed = (uint64_t)at;

    line->at = at;
    line->format = format;
    memcpy(line->args, args, sizeof(line->args));
    for (int i = 0; i < STORY_ARGS; i++) {
        mixed = mixed * 0x9e3779b97f4a7c15u + args[i];
    }
    /* The format counts by its first two characters: its address differs from run to run. */
    story->hash = fl_hash_u64(story->hash ^ mixed, (uint64_t)format[0] << 8 | (uint64_t)format[1]);
    if (story->is_live) print_line(line, stdout);
}

void story_print(const struct story *story, FILE *out)
{
    uint64_t first = story->len > STORY_LINES ? story->len - STORY_LINES : 0;

    if (first) fprintf(out, "           ... %llu lines before\n", (unsigned long long)first);
    for (uint64_t i = first; i < story->len; i++) {
        print_line(&story->lines[i % STORY_LINES], out);
    }
}
