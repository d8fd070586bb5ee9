#include "controlplane/front/front_outbox.h"

#include <stdatomic.h>

#include "shared/base/alloc.h"

struct front_outbox {
    struct fl_mailbox *mailbox;
    struct outbox_letter *letter; /* being filled; NULL: empty */
    atomic_bool wants_rows;
};

struct front_outbox *front_outbox_create(struct fl_mailbox *mailbox)
{
    struct front_outbox *post = fl_new(struct front_outbox);

    post->mailbox = mailbox;
    return post;
}

void front_outbox_destroy(struct front_outbox *post)
{
    if (!post) return;
    outbox_letter_free(post->letter);
    fl_free(post);
}

void outbox_letter_free(struct outbox_letter *letter)
{
    if (!letter) return;
    for (size_t i = 0; i < letter->items.len; i++) {
        row_chunk_release(letter->items.at[i].rows);
    }
    fl_vec_fini(&letter->items);
    core_batch_destroy(letter->effects);
    fl_free(letter);
}

static struct outbox_letter *letter_of(struct front_outbox *post)
{
    if (!post->letter) {
        post->letter = fl_new(struct outbox_letter);
        post->letter->effects = core_batch_create(0);
    }
    return post->letter;
}

void front_outbox_effect(struct front_outbox *post, enum outbox_kind kind,
                         const struct core_effect *effect)
{
    struct outbox_letter *letter = letter_of(post);

    core_batch_effect(letter->effects, effect);
    fl_vec_push(&letter->items,
                (struct outbox_item){.kind = kind, .effect = letter->effects->effects.len - 1});
}

void front_outbox_word(struct front_outbox *post, enum outbox_kind kind, struct fl_cluster cluster,
                       enum fl_code code, const char *text)
{
    struct outbox_letter *letter = letter_of(post);
    struct outbox_item item = {.kind = kind, .cluster = cluster, .code = code};

    if (text) item.text = fl_arena_printf(&letter->effects->arena, "%s", text);
    fl_vec_push(&letter->items, item);
}

void front_outbox_want_rows(struct front_outbox *post, bool wants_rows)
{
    atomic_store(&post->wants_rows, wants_rows);
}

bool front_outbox_wants_rows(struct front_outbox *post)
{
    return atomic_load(&post->wants_rows);
}

void front_outbox_notice(struct front_outbox *post, uint64_t batch, fl_ms at,
                         struct row_chunk *rows)
{
    struct outbox_letter *letter = letter_of(post);
    struct outbox_item item = {.kind = OUTBOX_NOTICE, .batch = batch, .at = at};

    if (rows) {
        item.rows = row_chunk_share(rows);
        letter->rows_bytes += row_chunk_rows(rows).len;
    }
    fl_vec_push(&letter->items, item);
}

static bool is_too_large(const struct outbox_letter *letter)
{
    return letter->rows_bytes > OUTBOX_BYTES_MAX ||
           fl_arena_bytes(&letter->effects->arena) > OUTBOX_BYTES_MAX;
}

void front_outbox_flush(struct front_outbox *post)
{
    if (!post->letter) return;
    if (is_too_large(post->letter)) {
        outbox_letter_free(post->letter);
        post->letter = NULL;
        front_outbox_word(post, OUTBOX_LOST, (struct fl_cluster){0}, FL_OK, NULL);
    }
    if (fl_mailbox_put(post->mailbox, &post->letter->letter)) post->letter = NULL;
}
