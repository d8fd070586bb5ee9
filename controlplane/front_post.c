#include "controlplane/front_post.h"

#include "shared/base/alloc.h"

struct front_post {
    struct fl_mailbox *mailbox;
    struct post_letter *letter; /* being filled; NULL: nothing was said */
};

struct front_post *front_post_create(struct fl_mailbox *mailbox)
{
    struct front_post *post = fl_new(struct front_post);

    post->mailbox = mailbox;
    return post;
}

void front_post_destroy(struct front_post *post)
{
    if (!post) return;
    post_letter_free(post->letter);
    fl_free(post);
}

void post_letter_free(struct post_letter *letter)
{
    if (!letter) return;
    fl_vec_fini(&letter->items);
    core_batch_destroy(letter->effects);
    fl_buf_fini(&letter->rows);
    fl_free(letter);
}

static struct post_letter *letter_of(struct front_post *post)
{
    if (!post->letter) {
        post->letter = fl_new(struct post_letter);
        post->letter->effects = core_batch_create(0);
        fl_buf_init(&post->letter->rows, POST_BYTES_MAX);
    }
    return post->letter;
}

void front_post_effect(struct front_post *post, enum post_kind kind,
                       const struct core_effect *effect)
{
    struct post_letter *letter = letter_of(post);

    core_batch_effect(letter->effects, effect);
    fl_vec_push(&letter->items,
                (struct post_item){.kind = kind, .effect = letter->effects->effects.len - 1});
}

void front_post_word(struct front_post *post, enum post_kind kind, struct fl_cluster cluster,
                     enum fl_code code, const char *text)
{
    struct post_letter *letter = letter_of(post);
    struct post_item item = {.kind = kind, .cluster = cluster, .code = code};

    if (text) item.text = fl_arena_printf(&letter->effects->arena, "%s", text);
    fl_vec_push(&letter->items, item);
}

void front_post_notice(struct front_post *post, const struct core_batch *batch)
{
    struct post_letter *letter = letter_of(post);
    struct post_item item = {
        .kind = POST_NOTICE, .batch = batch->number, .at = batch->at, .rows_at = letter->rows.len};

    if (!fl_buf_put(&letter->rows, batch->body.at, batch->body.len)) return; /* flush sees it */
    item.rows_len = batch->body.len;
    fl_vec_push(&letter->items, item);
}

static bool is_too_large(const struct post_letter *letter)
{
    return letter->rows.is_over || letter->rows.len > POST_BYTES_MAX ||
           fl_arena_bytes(&letter->effects->arena) > POST_BYTES_MAX;
}

void front_post_flush(struct front_post *post)
{
    if (!post->letter) return;
    if (is_too_large(post->letter)) {
        post_letter_free(post->letter);
        post->letter = NULL;
        front_post_word(post, POST_LOST, (struct fl_cluster){0}, FL_OK, NULL);
    }
    if (fl_mailbox_put(post->mailbox, &post->letter->letter)) post->letter = NULL;
}
