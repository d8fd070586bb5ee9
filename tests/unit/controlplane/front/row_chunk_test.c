#include "controlplane/front/row_chunk.h"

#include <pthread.h>

#include "tests/fl_test.h"

enum { THREADS = 4, EACH = 20000 };

static void *share_and_release(void *ctx)
{
    struct row_chunk *chunk = ctx;

    for (int i = 0; i < EACH; i++) {
        struct row_chunk *mine = row_chunk_share(chunk);

        assert_int_equal(row_chunk_rows(mine).at[1], 'o');
        row_chunk_release(mine);
    }
    row_chunk_release(chunk);
    return NULL;
}

static void the_last_release_frees_it_whichever_thread_it_is_on(void **state)
{
    char text[] = "rows";
    struct row_chunk *chunk = row_chunk_create(fl_str_c(text));
    pthread_t threads[THREADS];

    (void)state;
    text[1] = 'x'; /* it was copied */
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(
            pthread_create(&threads[i], NULL, share_and_release, row_chunk_share(chunk)), 0);
    }
    row_chunk_release(chunk);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL); /* the sanitizers see what is left, and who comes late */
    }
    row_chunk_release(NULL);
}

FL_TESTS(cmocka_unit_test(the_last_release_frees_it_whichever_thread_it_is_on))
