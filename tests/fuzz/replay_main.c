/* replay_main.c - a main for fuzz targets that were not built with libFuzzer: it hands them every
 * file of a corpus, so that gcc and every sanitizer see the inputs that once mattered.  It fails
 * when there is none: a replay of nothing would pass for ever. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { INPUT_BYTES_MAX = 16 * 1024 * 1024 };

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak)); /* a target may have one */

static void die(const char *what, const char *path)
{
    fprintf(stderr, "%s: ", path);
    perror(what);
    exit(1);
}

static void replay_file(const char *path)
{
    struct stat found;
    FILE *file = fopen(path, "rb");
    uint8_t *data;
    size_t size;

    if (!file || fstat(fileno(file), &found) != 0) die("open", path);
    if (found.st_size > INPUT_BYTES_MAX) {
        fprintf(stderr, "%s: over %d bytes\n", path, INPUT_BYTES_MAX);
        exit(1);
    }
    size = (size_t)found.st_size;
    data = malloc(size ? size : 1); /* no larger than the input: ASan sees one byte too far */
    if (!data || fread(data, 1, size, file) != size) die("read", path);
    fclose(file);
    fprintf(stderr, "replay %s\n", path); /* the last one named is the one that crashed */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t replay_dir(const char *dir)
{
    struct dirent **entries;
    size_t files_len = 0;
    int entries_len = scandir(dir, &entries, NULL, by_name);

    if (entries_len < 0) die("scandir", dir);
    for (int i = 0; i < entries_len; i++) {
        char path[4096];
        struct stat found;

        snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        free(entries[i]);
        if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) continue;
        replay_file(path);
        files_len++;
    }
    free(entries);
    return files_len;
}

int main(int argc, char **argv)
{
    size_t files_len = 0;

    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        struct stat found;

        if (stat(argv[i], &found) != 0) die("stat", argv[i]);
        if (S_ISDIR(found.st_mode)) {
            files_len += replay_dir(argv[i]);
        } else {
            replay_file(argv[i]);
            files_len++;
        }
    }
    if (files_len == 0) {
        printf("not ok - usage: %s FILE|FOLDER...  (with at least one input)\n", argv[0]);
        return 1;
    }
    printf("ok - %s replays %zu inputs\n", argv[0], files_len);
    return 0;
}
