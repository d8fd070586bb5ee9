#include "controlplane/core/core_command.h"

#include <string.h>

#include "controlplane/core/core_event.h" /* CORE_SUBMIT_MAX */
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/enum_names.h"

enum { ANSWER_TEXT_MAX = 512 };

#define BODY_BYTES_MAX                                                                             \
    ((size_t)1 << 30) /* Postgres takes no more; the engine closes a batch far below */

struct core_batch *core_batch_create(uint64_t number)
{
    struct core_batch *batch = fl_new(struct core_batch);

    batch->number = number;
    fl_buf_init(&batch->body, BODY_BYTES_MAX);
    return batch;
}

void core_batch_destroy(struct core_batch *batch)
{
    if (!batch) return;
    fl_vec_fini(&batch->rows);
    fl_vec_fini(&batch->effects);
    fl_buf_fini(&batch->body);
    fl_arena_fini(&batch->arena);
    fl_free(batch);
}

size_t core_batch_bytes(const struct core_batch *batch)
{
    return fl_arena_bytes(&batch->arena) + batch->rows.len * sizeof(struct row) + batch->body.len +
           batch->effects.len * sizeof(struct core_effect);
}

void core_batch_row(struct core_batch *batch, const struct row *row)
{
    size_t cap = batch->body.cap;
    const uint8_t *at;
    bool is_written;

    fl_vec_push(&batch->rows, *row);
    is_written = row_move(&batch->body, &batch->rows.at[batch->rows.len - 1]);
    fl_assert(is_written);
    if (row->kind == ROW_job_new) batch->jobs++;
    if (row_kind_ends_attempts(row->kind)) batch->has_ends = true;
    if (batch->body.cap == cap) return;
    at = batch->body.at; /* it has grown, and moved: once each time that it doubles */
    for (size_t i = 0; i < batch->rows.len; i++) {
        at = row_point(&batch->rows.at[i], at);
    }
    fl_assert(at == batch->body.at + batch->body.len);
}

static const char *kept_text(struct fl_arena *arena, const char *text)
{
    return text ? fl_arena_copy(arena, text, strlen(text)) : NULL;
}

#define KEEP_ARRAY(arena, list)                                                                    \
    do {                                                                                           \
        if (list##_len > 0) {                                                                      \
            list = fl_arena_copy((arena), list, list##_len * sizeof *list);                        \
        }                                                                                          \
    } while (0)

static void keep_resources(struct fl_arena *arena, struct core_resource_view *named, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        named[i].name = kept_text(arena, named[i].name);
    }
}

static void keep_views(struct fl_arena *arena, struct core_answer *answer)
{
    for (size_t i = 0; i < answer->elements_len; i++) {
        struct core_element_view *view = &answer->elements[i];

        view->nodes = kept_text(arena, view->nodes);
        KEEP_ARRAY(arena, view->replicas);
    }
    for (size_t i = 0; i < answer->clusters_len; i++) {
        struct core_cluster_view *view = &answer->clusters[i];

        view->name = kept_text(arena, view->name);
        view->uid = kept_text(arena, view->uid);
        view->uuid = kept_text(arena, view->uuid);
        view->cordon = kept_text(arena, view->cordon);
        KEEP_ARRAY(arena, view->named);
        keep_resources(arena, view->named, view->named_len);
    }
    for (size_t i = 0; i < answer->nodes_len; i++) {
        struct core_node_view *view = &answer->nodes[i];

        view->name = kept_text(arena, view->name);
        view->labels = kept_text(arena, view->labels);
        view->taints = kept_text(arena, view->taints);
        KEEP_ARRAY(arena, view->named);
        keep_resources(arena, view->named, view->named_len);
    }
    for (size_t i = 0; i < answer->queues_len; i++) {
        answer->queues[i].name = kept_text(arena, answer->queues[i].name);
    }
}

static void keep_answer(struct fl_arena *arena, struct core_answer *answer)
{
    answer->text = kept_text(arena, answer->text);
    answer->sentence = kept_text(arena, answer->sentence);
    KEEP_ARRAY(arena, answer->outcomes);
    KEEP_ARRAY(arena, answer->jobs);
    KEEP_ARRAY(arena, answer->verdicts);
    answer->uuid = kept_text(arena, answer->uuid);
    answer->name = kept_text(arena, answer->name);
    KEEP_ARRAY(arena, answer->elements);
    KEEP_ARRAY(arena, answer->clusters);
    KEEP_ARRAY(arena, answer->nodes);
    KEEP_ARRAY(arena, answer->queues);
    keep_views(arena, answer);
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        answer->outcomes[i].text = kept_text(arena, answer->outcomes[i].text);
    }
    for (size_t i = 0; i < answer->verdicts_len; i++) {
        answer->verdicts[i].text = kept_text(arena, answer->verdicts[i].text);
    }
}

void core_batch_effect(struct core_batch *batch, const struct core_effect *effect)
{
    struct core_effect *kept;

    fl_vec_push(&batch->effects, *effect);
    kept = &batch->effects.at[batch->effects.len - 1];
    switch (kept->kind) {
    case CORE_ANSWER:
        keep_answer(&batch->arena, &kept->answer);
        break;
    case CORE_SEND:
        kept->send.text = kept_text(&batch->arena, kept->send.text);
        KEEP_ARRAY(&batch->arena, kept->send.nodes);
        break;
    }
}

bool core_outcome_is_final(const struct core_outcome *outcome)
{
    return outcome->code == FL_OK || outcome->code == FL_INVALID || outcome->code == FL_TOO_LARGE ||
           outcome->code == FL_UNSUPPORTED;
}

bool core_answer_encode(struct fl_buf *out, const struct core_answer *answer)
{
    fl_buf_put_u16(out, (uint16_t)answer->code);
    fl_buf_put_str(out, fl_str_c(answer->text));
    fl_buf_put_u64(out, answer->id);
    fl_buf_put_var(out, answer->outcomes_len);
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        const struct core_outcome *outcome = &answer->outcomes[i];

        fl_buf_put_u16(out, (uint16_t)outcome->code);
        fl_buf_put_u64(out, outcome->job.n);
        fl_buf_put_str(out, fl_str_c(outcome->text));
    }
    return !out->is_over;
}

static const char *read_text(struct fl_reader *reader, struct fl_arena *arena)
{
    struct fl_str text = fl_read_bytes(reader, ANSWER_TEXT_MAX);

    return text.len > 0 ? fl_arena_copy(arena, text.at, text.len) : NULL;
}

bool core_answer_decode(struct fl_str bytes, struct fl_arena *arena, struct core_answer *ret_answer,
                        struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct core_answer answer = {0};
    uint64_t outcomes_len;

    answer.code = (enum fl_code)fl_read_u16(&reader);
    answer.text = read_text(&reader, arena);
    answer.id = fl_read_u64(&reader);
    outcomes_len = fl_read_var(&reader);
    if (reader.is_bad || outcomes_len > CORE_SUBMIT_MAX) {
        return fl_fail(
            err, FL_TORN,
            "a stored answer is cut, or has over " FL_QUOTE(CORE_SUBMIT_MAX) " outcomes");
    }
    answer.outcomes_len = outcomes_len;
    answer.outcomes = fl_arena_array(arena, struct core_outcome, outcomes_len);
    for (size_t i = 0; i < outcomes_len; i++) {
        answer.outcomes[i].code = (enum fl_code)fl_read_u16(&reader);
        answer.outcomes[i].job.n = fl_read_u64(&reader);
        answer.outcomes[i].text = read_text(&reader, arena);
    }
    if (!fl_reader_is_done(&reader)) return fl_fail(err, FL_TORN, "a stored answer is cut");
    *ret_answer = answer;
    return true;
}

FL_ENUM_NAMES(core_send_name, enum core_send_kind, CORE_SENDS(FL_NAME))
