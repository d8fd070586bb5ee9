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
    struct front_outbox *outbox = fl_new(struct front_outbox);

    outbox->mailbox = mailbox;
    return outbox;
}

void front_outbox_destroy(struct front_outbox *outbox)
{
    if (!outbox) return;
    outbox_letter_free(outbox->letter);
    fl_free(outbox);
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

static struct outbox_letter *letter_of(struct front_outbox *outbox)
{
    if (!outbox->letter) {
        outbox->letter = fl_new(struct outbox_letter);
        outbox->letter->effects = core_batch_create(0);
    }
    return outbox->letter;
}

void front_outbox_effect(struct front_outbox *outbox, enum outbox_kind kind,
                         const struct core_effect *effect)
{
    struct outbox_letter *letter = letter_of(outbox);

    core_batch_effect(letter->effects, effect);
    fl_vec_push(&letter->items,
                (struct outbox_item){.kind = kind, .effect = letter->effects->effects.len - 1});
}

void front_outbox_word(struct front_outbox *outbox, enum outbox_kind kind,
                       struct fl_cluster cluster, enum fl_code code, const char *text)
{
    struct outbox_letter *letter = letter_of(outbox);
    struct outbox_item item = {.kind = kind, .cluster = cluster, .code = code};

    if (text) item.text = fl_arena_printf(&letter->effects->arena, "%s", text);
    fl_vec_push(&letter->items, item);
}

void front_outbox_want_rows(struct front_outbox *outbox, bool wants_rows)
{
    atomic_store(&outbox->wants_rows, wants_rows);
}

bool front_outbox_wants_rows(struct front_outbox *outbox)
{
    return atomic_load(&outbox->wants_rows);
}

void front_outbox_notice(struct front_outbox *outbox, uint64_t batch, fl_ms at,
                         struct row_chunk *rows)
{
    struct outbox_letter *letter = letter_of(outbox);
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

void front_outbox_flush(struct front_outbox *outbox)
{
    if (!outbox->letter) return;
    if (is_too_large(outbox->letter)) {
        outbox_letter_free(outbox->letter);
        outbox->letter = NULL;
        front_outbox_word(outbox, OUTBOX_LOST, (struct fl_cluster){0}, FL_OK, NULL);
    }
    if (fl_mailbox_put(outbox->mailbox, &outbox->letter->letter)) outbox->letter = NULL;
}
