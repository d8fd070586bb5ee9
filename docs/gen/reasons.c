/* reasons.c - prints docs/reference/reasons.md from reasons.def. */
#include <stdio.h>
#include <string.h>

struct reason_row {
    const char *name, *kind, *who, *sentence;
    int number;
};

static const struct reason_row rows[] = {
#define REASON(name, number, kind, who, sentence) {#name, #kind, #who, sentence, number},
#include "controlplane/core/reasons.def"
#undef REASON
};

static void print_kind(const char *kind, const char *title)
{
    printf("\n## %s\n\n| reason | number | acts | |\n|---|---|---|---|\n", title);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].kind, kind) != 0) continue;
        printf("| %s | %d | %s | %s |\n", rows[i].name, rows[i].number, rows[i].who,
               rows[i].sentence);
    }
}

int main(void)
{
    printf(
        "# Reasons\n\n"
        "Made by `docs/gen/reasons.c` from `controlplane/core/reasons.def`; change that, not this. "
        "A job that waits\n"
        "has one reason, and `explain` gives one for each cluster; an ended job has one for good. "
        "Numbers are stored:\n"
        "they are never reused. A reason with *nobody* passes by itself.\n");
    print_kind("WAITS", "Why something waits");
    print_kind("ENDS", "Why an attempt, an element or a job ended");
    return fflush(stdout) != 0;
}
