#include "controlplane/core/sched/round.h"

#include "shared/base/assert.h"

enum outcome { STARTED, EXHAUSTED, OVER_BUDGET };

/* So many jobs of a queue are asked whether they could claim room, until one could. */
enum { CLAIMANTS_MAX = 8 };

void round_fini(struct round *round)
{
    for (size_t i = 0; i < round->turns.len; i++) {
        fl_heap_fini(&round->turns.at[i].heads);
    }
    fl_vec_fini(&round->turns);
    fl_vec_fini(&round->heads);
    fl_vec_fini(&round->ranks);
    fl_heap_fini(&round->by_rank);
    fl_vec_fini(&round->decisions);
    fl_arena_fini(&round->arena);
    chooser_fini(&round->chooser);
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* At the limit of started elements only what has started before can start. */
static bool is_ready_only(const struct round *round, const struct round_view *view)
{
    return view->elements->elements.len + round->fresh_started >= view->elements_max;
}

static void open_job(const struct round_view *view, struct round_head *head, struct job_slot slot)
{
    const struct job *job = slot.n ? job_table_at(view->jobs, slot) : NULL;
    const struct job_run *run = job ? job_table_run(view->jobs, job) : NULL;

    head->job = slot;
    head->ready = run ? run->ready_first : (struct element_slot){0};
    head->fresh = job ? job_table_fresh(view->jobs, job) : 0;
    head->left = job ? job_table_starts_left(view->jobs, job) : 0;
}

/* On to the next job while nothing of this one may start. */
static void find_work(const struct round *round, const struct round_view *view,
                      struct round_head *head)
{
    bool is_ready = is_ready_only(round, view);

    while (head->job.n && (head->left == 0 || (!head->ready.n && (is_ready || head->fresh == 0)))) {
        const struct job *job = job_table_at(view->jobs, head->job);

        if (job->place == JOB_IN_LINE) head->line = job->right;
        open_job(view, head,
                 queue_table_after(view->queues, view->jobs, head->bucket, head->job, head->line,
                                   is_ready));
    }
}

static void take_element(struct round *round, const struct round_view *view,
                         struct round_head *head)
{
    head->left--;
    if (head->ready.n) {
        head->ready = element_table_at(view->elements, head->ready)->next;
    } else {
        head->fresh--;
        round->fresh_started++;
    }
    find_work(round, view, head);
}

static void push_head(const struct round_view *view, const struct round *round,
                      struct round_turn *turn, size_t i)
{
    const struct round_head *head = &round->heads.at[i];

    if (!head->job.n) return;
    fl_heap_push(&turn->heads,
                 (struct fl_heap_item){
                     .key = -(int64_t)queue_table_bucket(view->queues, head->bucket)->priority,
                     .tie = job_table_at(view->jobs, head->job)->id,
                     .value = i});
}

/* True: the queue has something to start, or a claim. */
static bool gather(struct round *round, const struct round_view *view, struct round_turn *turn,
                   const struct queue *queue)
{
    bool is_ready = is_ready_only(round, view);

    turn->queue = queue->id;
    turn->has_claimant = turn->has_started = turn->is_claim_gone = turn->has_claimed = false;
    turn->asked_len = 0;
    turn->heads.len = 0;
    for (size_t i = 0; i < queue->buckets.len && !queue->is_paused; i++) {
        struct bucket_slot slot = queue->buckets.at[i];
        struct round_head head = {.bucket = slot,
                                  .line = queue_table_bucket(view->queues, slot)->line_first};

        open_job(view, &head, queue_table_first(view->queues, view->jobs, slot, is_ready));
        find_work(round, view, &head);
        if (!head.job.n) continue;
        fl_vec_push(&round->heads, head);
        push_head(view, round, turn, round->heads.len - 1);
    }
    return turn->heads.len > 0 || queue->claim.cluster.n;
}

static struct round_rank *rank_of(const struct round *round, struct fl_queue_id queue)
{
    return &round->ranks.at[queue.n - 1];
}

static struct round_turn *need_turn(struct round *round, size_t i)
{
    if (i == round->turns.len) fl_vec_push(&round->turns, (struct round_turn){0});
    return &round->turns.at[i];
}

/* The queues that hold a claim, the oldest first: so many of them; then those that have something
 * to start, beginning behind the one that was served last. */
static size_t gather_all(struct round *round, const struct round_view *view,
                         size_t *ret_holders_len)
{
    const struct queue_table *table = view->queues;
    size_t turns_len = 0, behind = fl_vec_lower_bound(&table->ids, n, view->queue_served.n + 1);

    round->heads.len = round->by_rank.len = 0;
    while (round->ranks.len < table->queues.len) {
        fl_vec_push(&round->ranks, (struct round_rank){0});
    }
    for (size_t i = 0; i < table->ids.len; i++) {
        struct fl_queue_id id = table->ids.at[i];

        if (!queue_table_at(table, id)->claim.cluster.n) continue;
        fl_heap_push(&round->by_rank, (struct fl_heap_item){.key = (int64_t)rank_of(round, id)->no,
                                                            .tie = id.n,
                                                            .value = id.n});
    }
    while (round->by_rank.len > 0) {
        struct fl_queue_id id = {(uint32_t)fl_heap_pop(&round->by_rank).value};

        (void)gather(round, view, need_turn(round, turns_len++), queue_table_at(view->queues, id));
    }
    *ret_holders_len = turns_len;
    for (size_t i = 0; i < table->ids.len; i++) {
        struct fl_queue_id id = table->ids.at[(behind + i) % table->ids.len];
        const struct queue *queue = queue_table_at(table, id);

        if (queue->is_paused || queue->buckets.len == 0 || queue->claim.cluster.n) continue;
        turns_len += gather(round, view, need_turn(round, turns_len), queue);
    }
    return turns_len;
}

/* ---- decisions ------------------------------------------------------------------------------- */

static const struct claim *claim_of(const struct round_view *view, const struct round_turn *turn)
{
    const struct claim *claim = &queue_table_at(view->queues, turn->queue)->claim;

    return claim->cluster.n && !turn->is_claim_gone ? claim : NULL;
}

static uint32_t shape_id(const struct round_view *view, const struct round_head *head)
{
    struct shape_slot shape = queue_table_bucket(view->queues, head->bucket)->shape;

    return shape_table_at(view->shapes, shape)->id;
}

static bool is_holder(const struct round_view *view, const struct round_turn *turn,
                      const struct round_head *head)
{
    const struct claim *claim = claim_of(view, turn);

    return claim && claim->shape == shape_id(view, head);
}

static void end_claim(struct round *round, struct round_turn *turn)
{
    turn->is_claim_gone = true;
    fl_vec_push(&round->decisions,
                (struct decision){.kind = DECISION_UNCLAIM, .queue = turn->queue});
}

static void start(struct round *round, const struct round_view *view, struct round_turn *turn,
                  struct round_head *head, struct placement placement)
{
    const struct bucket *bucket = queue_table_bucket(view->queues, head->bucket);
    struct round_rank *rank = rank_of(round, turn->queue);

    placement.nodes = fl_arena_copy(&round->arena, placement.nodes,
                                    placement.nodes_len * sizeof *placement.nodes);
    if (is_holder(view, turn, head)) end_claim(round, turn);
    if (rank->shape == shape_id(view, head)) rank->shape = 0; /* the next one waits anew */
    choose_start(&round->chooser, shape_table_at(view->shapes, bucket->shape), &placement);
    fl_vec_push(&round->decisions, (struct decision){.kind = DECISION_START,
                                                     .queue = turn->queue,
                                                     .bucket = head->bucket,
                                                     .job = head->job,
                                                     .placement = placement});
    round->queue_served = turn->queue;
    head->has_started = true;
    take_element(round, view, head);
}

/* Whether the newest start took of a node that the claim waits for. */
static bool passes(const struct round *round, const struct claim *claim)
{
    const struct placement *placement = &round->decisions.at[round->decisions.len - 1].placement;

    if (placement->cluster.n != claim->cluster.n) return false;
    for (uint32_t i = 0; i < placement->nodes_len; i++) {
        size_t at = fl_vec_lower_bound(&claim->parts, node, placement->nodes[i]);

        if (at < claim->parts.len && claim->parts.at[at].node == placement->nodes[i]) return true;
    }
    return false;
}

/* A claim that its own queue uses up must not keep others from theirs: where it does, it ends, and
 * its queue waits for the next one behind them.  One at a time. */
static void end_passed_claim(struct round *round, const struct round_view *view, size_t turns_len)
{
    for (size_t i = 0; i < turns_len; i++) {
        struct round_turn *turn = &round->turns.at[i];
        const struct claim *claim = &queue_table_at(view->queues, turn->queue)->claim;
        struct round_rank *rank = rank_of(round, turn->queue);

        if (!claim->cluster.n) return; /* those with a claim come first */
        if (turn->is_claim_gone || !rank->is_passed) continue;
        if (!room_is_closed(&round->chooser.room, claim->cluster)) continue;
        end_claim(round, turn);
        turn->has_claimed = true; /* the next one is for a later round */
        rank->shape = 0;
        return;
    }
}

static void make_claim(struct round *round, const struct round_view *view, struct round_turn *turn)
{
    const struct round_head *head = &round->heads.at[turn->claimant];
    struct shape_slot shape = queue_table_bucket(view->queues, head->bucket)->shape;
    const struct shape_entry *entry = shape_table_at(view->shapes, shape);
    struct claim_draft draft;

    turn->has_claimed = true;
    if (!claim_make(&round->chooser, entry, choose_memo(&round->chooser, entry, shape),
                    view->claims_percent_max, &round->arena, &draft)) {
        return;
    }
    rank_of(round, turn->queue)->is_passed = false;
    room_claim(&round->chooser.room, draft.cluster, draft.parts, draft.parts_len, true);
    fl_vec_push(&round->decisions, (struct decision){.kind = DECISION_CLAIM,
                                                     .queue = turn->queue,
                                                     .bucket = head->bucket,
                                                     .job = head->job,
                                                     .claim = draft});
}

static bool wants_claim(const struct round_view *view, const struct round_turn *turn)
{
    return turn->has_claimant && !turn->has_claimed && !claim_of(view, turn);
}

/* A queue that begins to wait for a claim gets a rank; among several at once, as after a reload,
 * the one with the oldest job gets the first. */
static void give_ranks(struct round *round, const struct round_view *view, size_t turns_len)
{
    for (size_t i = 0; i < turns_len; i++) {
        const struct round_turn *turn = &round->turns.at[i];
        const struct round_head *head = &round->heads.at[turn->claimant];

        if (!wants_claim(view, turn)) continue;
        if (rank_of(round, turn->queue)->shape == shape_id(view, head)) continue;
        fl_heap_push(&round->by_rank,
                     (struct fl_heap_item){.key = (int64_t)job_table_at(view->jobs, head->job)->id,
                                           .value = i});
    }
    while (round->by_rank.len > 0) {
        const struct round_turn *turn = &round->turns.at[fl_heap_pop(&round->by_rank).value];

        *rank_of(round, turn->queue) = (struct round_rank){
            .shape = shape_id(view, &round->heads.at[turn->claimant]), .no = ++round->ranks_given};
    }
}

/* Each queue's first job that fits nowhere now keeps its claim, or gets one: those that have waited
 * for one longest come first. */
static void make_claims(struct round *round, const struct round_view *view, size_t turns_len)
{
    give_ranks(round, view, turns_len);
    for (size_t i = 0; i < turns_len; i++) {
        const struct round_turn *turn = &round->turns.at[i];

        if (!wants_claim(view, turn)) continue;
        fl_heap_push(
            &round->by_rank,
            (struct fl_heap_item){.key = (int64_t)rank_of(round, turn->queue)->no, .value = i});
    }
    while (round->by_rank.len > 0 && round->chooser.room.looked < view->looks_max) {
        make_claim(round, view, &round->turns.at[fl_heap_pop(&round->by_rank).value]);
    }
    round->by_rank.len = 0; /* the others in later rounds */
    end_passed_claim(round, view, turns_len);
}

/* Whether the job may hold the queue's claim.  Only the first few that wait are looked at, and none
 * once the round has looked at all that it may: others come in later rounds. */
static bool may_want(struct round *round, const struct round_view *view, struct round_turn *turn,
                     const struct round_head *head)
{
    struct shape_slot shape = queue_table_bucket(view->queues, head->bucket)->shape;
    const struct shape_entry *entry = shape_table_at(view->shapes, shape);

    if (is_holder(view, turn, head)) return true;
    if (turn->asked_len == CLAIMANTS_MAX) return false;
    if (round->chooser.room.looked >= view->looks_max) return false;
    turn->asked_len++;
    return claim_is_possible(&round->chooser, entry, choose_memo(&round->chooser, entry, shape));
}

/* The first of the queue that is short of room gets the queue's claim. */
static void refuse(struct round *round, const struct round_view *view, struct round_turn *turn,
                   size_t i, enum reason why)
{
    const struct round_head *head = &round->heads.at[i];
    const struct bucket *bucket = queue_table_bucket(view->queues, head->bucket);
    bool is_other = claim_of(view, turn) && !is_holder(view, turn, head);

    if (!choose_could_ever(&round->chooser, view->shapes, bucket->shape)) {
        why = REASON_NoMatchingCluster;
    } else if (!turn->has_claimant && why != REASON_ClusterUnhealthy &&
               may_want(round, view, turn, head)) {
        turn->has_claimant = true;
        turn->claimant = i;
        if (is_other) end_claim(round, turn);
    }
    if (bucket->why == (uint8_t)why && !head->has_started) return;
    fl_vec_push(&round->decisions, (struct decision){.kind = DECISION_REFUSE,
                                                     .queue = turn->queue,
                                                     .bucket = head->bucket,
                                                     .why = why});
}

/* The queue's next head; NULL: it has none. */
static struct round_head *next_head(struct round *round, const struct round_view *view,
                                    struct round_turn *turn, size_t *ret_i)
{
    const struct fl_heap_item *top;

    while ((top = fl_heap_peek(&turn->heads))) {
        struct round_head *head = &round->heads.at[top->value];

        find_work(round, view, head); /* the limit of elements may have been reached meanwhile */
        *ret_i = top->value;
        if (head->job.n && job_table_at(view->jobs, head->job)->id == top->tie) return head;
        (void)fl_heap_pop(&turn->heads);
        push_head(view, round, turn, *ret_i);
    }
    return NULL;
}

/* True: it starts, and what comes behind it in its bucket is the head.  False: it is refused, and
 * its bucket is out of this round. */
static bool try_head(struct round *round, const struct round_view *view, struct round_turn *turn,
                     size_t i, struct shape_memo *memo)
{
    struct round_head *head = &round->heads.at[i];
    struct shape_slot shape = queue_table_bucket(view->queues, head->bucket)->shape;
    const struct shape_entry *entry = shape_table_at(view->shapes, shape);
    const struct claim *claim = claim_of(view, turn);
    struct placement placement;
    enum reason why;

    if (!memo) memo = choose_memo(&round->chooser, entry, shape);
    round->tried++;
    why = choose(&round->chooser, entry, memo, view->unconfirmed_max, &placement);
    if (why != REASON_Fits && is_holder(view, turn, head) &&
        claim_is_free(&round->chooser.room, claim, view->unconfirmed_max, &placement)) {
        why = REASON_Fits;
    }
    (void)fl_heap_pop(&turn->heads);
    if (why != REASON_Fits) {
        refuse(round, view, turn, i, why);
        return false;
    }
    start(round, view, turn, head, placement);
    push_head(view, round, turn, i);
    return true;
}

/* ---- holders of claims ----------------------------------------------------------------------- */

/* Those before it in its queue are bound by all claims but the queue's own. */
static void serve_before_holder(struct round *round, const struct round_view *view,
                                struct round_turn *turn)
{
    const struct claim *claim = claim_of(view, turn);
    const struct round_head *head;
    size_t i;

    room_unclaim(&round->chooser.room, claim->cluster, claim->parts.at, claim->parts.len);
    while (!turn->has_started && !turn->is_claim_gone &&
           (head = next_head(round, view, turn, &i)) != NULL) {
        if (is_holder(view, turn, head)) break;
        turn->has_started = try_head(round, view, turn, i, NULL);
    }
    if (turn->has_started && passes(round, claim)) rank_of(round, turn->queue)->is_passed = true;
    room_claim(&round->chooser.room, claim->cluster, claim->parts.at, claim->parts.len, false);
}

/* It is bound by older claims only, which is all that are in the overlay now. */
static void serve_holder(struct round *round, const struct round_view *view,
                         struct round_turn *turn)
{
    const struct claim *claim = claim_of(view, turn);
    struct round_rank *rank = rank_of(round, turn->queue);
    const struct round_head *head;
    size_t i;

    if (!claim) return;
    head = turn->has_started ? NULL : next_head(round, view, turn, &i);
    if (head && is_holder(view, turn, head)) {
        turn->has_started = try_head(round, view, turn, i, &rank->memo);
    }
    if (turn->is_claim_gone) return;
    if (!claim_is_whole(&round->chooser.room, claim)) {
        end_claim(round, turn);
        return;
    }
    room_claim(&round->chooser.room, claim->cluster, claim->parts.at, claim->parts.len, false);
}

/* Not asked in this round: its claim stands as it is, unless something broke it. */
static void leave_holder(struct round *round, const struct round_view *view,
                         struct round_turn *turn)
{
    const struct claim *claim = claim_of(view, turn);

    turn->heads.len = 0;
    if (!claim) return;
    turn->has_claimant = claim_is_whole(&round->chooser.room, claim);
    if (!turn->has_claimant) {
        end_claim(round, turn);
        return;
    }
    room_claim(&round->chooser.room, claim->cluster, claim->parts.at, claim->parts.len, false);
}

/* Each of the two walks has a quarter of the looks.  However small the budget, the first one is
 * asked; and those that cost nothing, as in serve(): or rounds would follow each other for ever. */
static bool may_ask_holder(const struct round *round, const struct round_view *view,
                           uint32_t starts, uint64_t spent, uint64_t asked_before)
{
    return starts < view->starts_max &&
           (spent < view->looks_max / 4 || round->chooser.asked == asked_before);
}

/* The first to which the round before did not come. */
static size_t first_holder(const struct round *round, size_t holders_len)
{
    for (size_t i = 0; i < holders_len; i++) {
        if (rank_of(round, round->turns.at[i].queue)->no >= round->holder_from) return i;
    }
    return 0;
}

/* Each queue that holds a claim may start one element; gives how many do.  The room of a claim that
 * ends now is for the next round: in this one, others have been refused for it.  Where half of the
 * looks or the starts are used up the next round goes on. */
static uint32_t serve_holders(struct round *round, const struct round_view *view,
                              size_t holders_len, bool *ret_is_left)
{
    size_t first = first_holder(round, holders_len), end = first;
    uint64_t asked_before = round->chooser.asked, looked = round->chooser.room.looked, spent = 0;
    uint32_t starts = 0;

    while (end < holders_len &&
           may_ask_holder(round, view, starts, round->chooser.room.looked - looked, asked_before)) {
        serve_before_holder(round, view, &round->turns.at[end]);
        starts += round->turns.at[end++].has_started;
    }
    for (size_t i = 0; i < holders_len; i++) {
        const struct claim *claim = &queue_table_at(view->queues, round->turns.at[i].queue)->claim;

        room_unclaim(&round->chooser.room, claim->cluster, claim->parts.at, claim->parts.len);
    }
    for (size_t i = 0; i < holders_len; i++) {
        struct round_turn *turn = &round->turns.at[i];
        bool had_started = turn->has_started;

        if (i > first && i < end && !may_ask_holder(round, view, starts, spent, asked_before)) {
            end = i;
        }
        looked = round->chooser.room.looked;
        if (i < first || i >= end) {
            leave_holder(round, view, turn);
        } else {
            serve_holder(round, view, turn);
            starts += turn->has_started && !had_started;
            spent += round->chooser.room.looked - looked;
        }
    }
    for (size_t i = 0; i < holders_len; i++) {
        const struct claim *claim = &queue_table_at(view->queues, round->turns.at[i].queue)->claim;

        if (!round->turns.at[i].is_claim_gone) continue;
        room_claim(&round->chooser.room, claim->cluster, claim->parts.at, claim->parts.len, false);
    }
    *ret_is_left = first > 0 || end < holders_len;
    round->holder_from = end < holders_len ? rank_of(round, round->turns.at[end].queue)->no : 0;
    return starts;
}

/* ---- jobs that wait for a claim -------------------------------------------------------------- */

/* A job that was refused before, is first in its queue and still does not fit claims room before
 * anything else is started.  So claims come back after a reload, as the agents do.  Half of the
 * round's looks are left for what may start. */
static void find_claimants(struct round *round, const struct round_view *view,
                           struct round_turn *turn)
{
    const struct round_head *head;
    size_t i;

    while (!turn->has_claimant && (head = next_head(round, view, turn, &i)) != NULL) {
        const struct bucket *bucket = queue_table_bucket(view->queues, head->bucket);
        const struct shape_entry *shape = shape_table_at(view->shapes, bucket->shape);
        struct placement unused;
        enum reason why;

        if (bucket->why == REASON_none || round->chooser.room.looked >= view->looks_max / 2) return;
        why = choose(&round->chooser, shape, choose_memo(&round->chooser, shape, bucket->shape),
                     view->unconfirmed_max, &unused);
        if (why == REASON_Fits) return;
        (void)fl_heap_pop(&turn->heads);
        refuse(round, view, turn, i, why);
    }
}

/* ---- all queues ------------------------------------------------------------------------------ */

/* One start of the queue.  However small the budget, one head is asked for here, and a cluster that
 * has said no already costs nothing: so rounds that follow each other come to all heads. */
static enum outcome serve(struct round *round, const struct round_view *view,
                          struct round_turn *turn, uint64_t asked_before, bool *ret_is_holder_left)
{
    const struct round_head *head;
    size_t i;

    while ((head = next_head(round, view, turn, &i)) != NULL) {
        if (round->chooser.room.looked >= view->looks_max && round->chooser.asked > asked_before) {
            return OVER_BUDGET;
        }
        if (is_holder(view, turn, head)) {
            if (!turn->has_claimant) { /* its turn is the next round's, and theirs behind it */
                *ret_is_holder_left = turn->has_claimant = true;
                turn->heads.len = 0;
                return EXHAUSTED;
            }
            (void)fl_heap_pop(&turn->heads); /* one like it was refused already */
            refuse(round, view, turn, i, (enum reason)rank_of(round, turn->queue)->memo.said);
            continue;
        }
        if (try_head(round, view, turn, i, NULL)) return STARTED;
    }
    if (!turn->has_claimant && claim_of(view, turn)) end_claim(round, turn);
    return EXHAUSTED;
}

/* The turn to which the round before did not come, at its starts; else the first. */
static size_t take_first_turn(struct round *round, size_t turns_len)
{
    struct fl_queue_id from = round->turn_from;

    round->turn_from = (struct fl_queue_id){0};
    for (size_t i = 0; from.n && i < turns_len; i++) {
        if (round->turns.at[i].queue.n == from.n) return i;
    }
    return 0;
}

bool round_run(struct round *round, const struct round_view *view)
{
    uint64_t asked_before;
    uint32_t starts;
    size_t turns_len, holders_len, first;
    bool is_over, is_holder_left, has_started = true;

    fl_arena_reset(&round->arena);
    fl_vec_clear(&round->decisions);
    round->fresh_started = 0;
    round->queue_served = view->queue_served;
    chooser_begin(&round->chooser, view->clusters);
    turns_len = gather_all(round, view, &holders_len);
    starts = serve_holders(round, view, holders_len, &is_holder_left);
    for (size_t i = holders_len; i < turns_len; i++) {
        find_claimants(round, view, &round->turns.at[i]);
    }
    make_claims(round, view, turns_len);
    asked_before = round->chooser.asked;
    is_over = starts >= view->starts_max;
    first = is_over ? 0 : take_first_turn(round, turns_len);
    while (has_started && !is_over) {
        has_started = false;
        for (size_t i = 0; i < turns_len && !is_over; i++) {
            struct round_turn *turn = &round->turns.at[(first + i) % turns_len];
            uint64_t asked = round->chooser.asked;

            if (turn->heads.len == 0 && (turn->has_claimant || !claim_of(view, turn))) continue;
            switch (serve(round, view, turn, asked_before, &is_holder_left)) {
            case OVER_BUDGET:
                /* Asked for nothing, it is the next round's first; else those behind it are. */
                round->queue_served.n = turn->queue.n - (round->chooser.asked == asked);
                is_over = true;
                break;
            case STARTED:
                starts++;
                has_started = true;
                is_over = starts >= view->starts_max;
                if (is_over) round->turn_from = round->turns.at[(first + i + 1) % turns_len].queue;
                break;
            case EXHAUSTED:
                break;
            }
        }
        make_claims(round, view, turns_len); /* before more of what is free is given away */
    }
    return is_over || is_holder_left;
}
