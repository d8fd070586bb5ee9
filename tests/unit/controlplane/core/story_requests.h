/* story_requests.h - the verbs of people: each takes the words of its line and makes one event, or
 * what is submitted.  A part of story.h. */
#pragma once

#include "tests/unit/controlplane/core/story_teller.h"

/* "a=1;b=2" */
static void read_labels(struct teller *teller, struct shape *shape, const char *text)
{
    char *copy = fl_arena_copy(&teller->arena, text, strlen(text)), *save = NULL;

    for (char *at = strtok_r(copy, ";", &save); at; at = strtok_r(NULL, ";", &save)) {
        char *value = strchr(at, ':');

        if (!value) wrong(teller, "no label");
        *value = '\0';
        shape->node_labels[shape->node_labels_len++] =
            (struct shape_label){str(at), str(value + 1)};
    }
}

/* "zone_in_(a,b);!ssd": terms, which are sorted; a space is '_'. */
static struct fl_str affinity_of(struct teller *teller, const char *text)
{
    struct fl_str lines = lines_of(teller, text);
    char *copy = fl_arena_copy(&teller->arena, lines.at, lines.len);

    for (size_t i = 0; i < lines.len; i++) {
        if (copy[i] == '_') copy[i] = ' ';
    }
    return (struct fl_str){copy, lines.len};
}

static void read_names(struct teller *teller, struct fl_str *names, uint32_t *len, const char *text)
{
    char *copy = fl_arena_copy(&teller->arena, text, strlen(text)), *save = NULL;

    for (char *at = strtok_r(copy, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
        names[(*len)++] = str(at);
    }
}

/* The last role asks for so much of it. */
static void add_kind(struct shape *shape, struct fl_str name, uint64_t amount)
{
    uint32_t k = 0;

    while (k < shape->kinds_len && fl_str_cmp(shape->kinds[k], name) < 0) {
        k++;
    }
    if (k == shape->kinds_len || !fl_str_eq(shape->kinds[k], name)) {
        assert_true(shape->kinds_len < SHAPE_KINDS_MAX);
        for (uint32_t i = shape->kinds_len++; i > k; i--) {
            shape->kinds[i] = shape->kinds[i - 1];
            for (uint32_t r = 0; r < shape->roles_len; r++) {
                shape->roles[r].named[i] = shape->roles[r].named[i - 1];
                shape->roles[r].named[i - 1] = 0;
            }
        }
        shape->kinds[k] = name;
    }
    shape->roles[shape->roles_len - 1].named[k] = amount;
}

/* All cpu becomes a resource with a name. */
static void name_cpu(struct shape *shape)
{
    struct shape named = *shape;

    named.roles_len = 0;
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        uint32_t milli = shape->roles[r].each.cpu_milli;

        named.roles_len++;
        named.roles[r].each.cpu_milli = 0;
        if (milli > 0) add_kind(&named, FL_STR("test/cpu"), milli);
    }
    *shape = named;
}

static bool read_role(struct teller *teller, struct shape_role *role)
{
    uint32_t n;

    if (take_u32(teller, "cpu", &n)) return role->each.cpu_milli = n * 1000, true;
    if (take_u32(teller, "mcpu", &n)) return role->each.cpu_milli = n, true;
    if (take_u32(teller, "gpu", &n)) return role->each.gpus = n, true;
    if (take_u32(teller, "mem", &n)) return role->each.memory_bytes = (uint64_t)n << 30, true;
    if (take_u32(teller, "replicas", &n)) return role->replicas = role->replicas_min = n, true;
    if (take_u32(teller, "min", &n)) return role->replicas_min = n, true;
    return false;
}

static bool read_shape_word(struct teller *teller, struct shape *shape)
{
    struct shape_role *role = &shape->roles[shape->roles_len - 1];
    struct fl_str name;
    const char *text;
    uint64_t n;

    if (take_named(teller, &name, &n)) return add_kind(shape, name, n), true;
    if (read_role(teller, role)) return true;
    if (take(teller, "+")) {
        shape->roles[shape->roles_len++] = (struct shape_role){.replicas = 1, .replicas_min = 1};
        return true;
    }
    if (take(teller, "image")) return shape->has_image = true;
    if ((text = take_value(teller, "select"))) return read_labels(teller, shape, text), true;
    if ((text = take_value(teller, "affinity"))) {
        shape->affinity = affinity_of(teller, text);
        return true;
    }
    if ((text = take_value(teller, "tolerate"))) {
        shape->tolerations = lines_of(teller, text);
        return true;
    }
    if ((text = take_value(teller, "clusters"))) {
        read_names(teller, shape->clusters, &shape->clusters_len, text);
        return true;
    }
    if ((text = take_value(teller, "not"))) {
        read_names(teller, shape->not_clusters, &shape->not_clusters_len, text);
        return true;
    }
    return false;
}

/* "3,5-8": these elements, and as many */
static void read_picks(struct teller *teller, struct core_submit_item *item, const char *text)
{
    char *copy = fl_arena_copy(&teller->arena, text, strlen(text)), *save = NULL;
    struct fl_element_set picks = {0};
    struct fl_err err = {0};
    struct fl_buf bytes;

    for (char *at = strtok_r(copy, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
        uint32_t first = 0, last;
        int words = sscanf(at, "%u-%u", &first, &last);

        if (words < 1) wrong(teller, "no element");
        if (words < 2) last = first;
        for (; first <= last; first++) {
            assert_true(fl_element_set_add(&picks, first, &err));
        }
    }
    fl_buf_init(&bytes, FL_ELEMENT_SET_BYTES_MAX);
    assert_true(fl_element_set_encode(&bytes, &picks));
    item->picked = (struct fl_str){fl_arena_copy(&teller->arena, bytes.at, bytes.len), bytes.len};
    item->elements = fl_element_set_count(&picks);
    fl_buf_fini(&bytes);
    fl_element_set_fini(&picks);
}

/* "1,line2:any,3:success=failed": these jobs, the last of which has ended so */
static void read_after(struct teller *teller, struct core_submit_item *item, const char *text)
{
    struct {
        struct core_dependency *at;
        size_t len, cap;
    } list = {0};
    char *copy = fl_arena_copy(&teller->arena, text, strlen(text)), *save = NULL;

    for (char *at = strtok_r(copy, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
        struct core_dependency after = {.after.on = FL_ON_success};
        char *ended = strchr(at, '='), *on;

        if (ended) *ended++ = '\0';
        on = strchr(at, ':');
        if (on) *on++ = '\0';
        if (on && !fl_dependency_on_parse(str(on), &after.after.on)) {
            wrong(teller, "no end of a job");
        }
        if (strncmp(at, "line", 4) == 0) {
            after.after.line = (uint32_t)strtoul(at + 4, NULL, 10);
        } else {
            after.after.job.n = strtoull(at, NULL, 10);
        }
        if (ended && strcmp(ended, "absent") == 0) after.ended = CORE_NO_JOB;
        if (ended && strcmp(ended, "indexes") == 0) after.ended = CORE_OTHER_INDEXES;
        for (int state = JOB_held; ended && state <= JOB_cancelled; state++) {
            const char *name = job_state_name((enum job_state)state);

            if (name && strcmp(name, ended) == 0) after.ended = (uint8_t)state;
        }
        fl_arena_push(&teller->arena, &list, after);
    }
    item->after = list.at;
    item->after_len = list.len;
}

static bool read_item_word(struct teller *teller, struct core_submit_item *item)
{
    const char *at = peek(teller), *text;
    uint64_t n;

    if (at && at[0] == 'x' && isdigit((unsigned char)at[1])) {
        item->elements = (uint32_t)strtoul(at + 1, NULL, 10);
        teller->word++;
        return true;
    }
    if (take(teller, "held")) return item->is_held = true;
    if (take(teller, "alone")) return item->is_singleton = true;
    if (take_u32(teller, "retries", &item->retries_max)) return true;
    if (take_u32(teller, "deadline", &item->deadline_s)) return true;
    if (take_u32(teller, "limit", &item->parallelism)) return true;
    if ((text = take_value(teller, "prio"))) {
        item->priority = (int32_t)strtol(text, NULL, 10);
        return true;
    }
    if (take_number(teller, "retry_of", &n)) return item->retry_of.n = n, true;
    if ((text = take_value(teller, "after"))) return read_after(teller, item, text), true;
    if ((text = take_value(teller, "picks"))) return read_picks(teller, item, text), true;
    if ((text = take_value(teller, "name"))) return item->name = str(text), true;
    if ((text = take_value(teller, "spec"))) {
        item->spec = str(text);
        memset(item->spec_digest.at, text[0], sizeof item->spec_digest.at);
        return true;
    }
    return false;
}

/* One job; the words up to '|' or the end. */
static struct core_submit_item read_item(struct teller *teller, uint64_t *copies)
{
    struct core_submit_item item = {.elements = 1, .queue = str(next(teller))};
    struct shape shape = {.roles_len = 1, .roles = {{.replicas = 1, .replicas_min = 1}}};
    struct fl_buf bytes;
    bool is_bad = false;

    fl_buf_init(&bytes, FL_JOB_SHAPE_BYTES_MAX);
    while (peek(teller) && strcmp(peek(teller), "|") != 0) {
        if (take_number(teller, "jobs", copies)) continue;
        if (take(teller, "badshape")) {
            is_bad = true;
        } else if (!read_item_word(teller, &item) && !read_shape_word(teller, &shape)) {
            wrong(teller, "what of the job is this");
        }
    }
    if (teller->is_cpu_named) name_cpu(&shape);
    assert_true(shape_encode(&bytes, &shape));
    item.shape.at = fl_arena_copy(&teller->arena, bytes.at, bytes.len);
    item.shape.len = bytes.len - is_bad;
    fl_buf_fini(&bytes);
    return item;
}

static void submit(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_submit};
    struct {
        struct core_submit_item *at;
        size_t len, cap;
    } items = {0};
    const char *text;

    while ((text = take_value(teller, "key"))) {
        event.key = str(text);
    }
    if ((text = take_value(teller, "owner"))) event.owner = str(text);
    event.submit.is_dry = take(teller, "dry");
    event.submit.wants_verdicts = take(teller, "where");
    event.submit.waits_for_cluster = take(teller, "waits");
    (void)take_u32(teller, "tenant", &event.tenant.n);
    do {
        uint64_t copies = 1;
        struct core_submit_item item = read_item(teller, &copies);

        for (uint64_t i = 0; i < copies; i++) {
            fl_arena_push(&teller->arena, &items, item);
        }
    } while (take(teller, "|"));
    event.submit.at = items.at;
    event.submit.len = items.len;
    ask(teller, &event);
}

static void job_request(struct teller *teller, enum core_event_kind kind)
{
    struct core_event event = {.kind = kind, .job.job = {strtoull(next(teller), NULL, 10)}};
    const char *text;
    uint64_t n;

    if ((text = take_value(teller, "key"))) event.key = str(text);
    if (take_number(teller, "tenant", &n)) event.tenant.n = (uint32_t)n;
    (void)take_u32(teller, "from", &event.job.element_from);
    ask(teller, &event);
}

/* edit JOB [edits=N] [queue=Q] [prio=N] [deadline=S] [limit=N] [name=TEXT] [labels=TEXT]
 * [held|released] */
static void edit(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_edit,
                               .edit.job = {strtoull(next(teller), NULL, 10)}};
    const char *text;

    if ((text = take_value(teller, "key"))) event.key = str(text);
    (void)take_u32(teller, "tenant", &event.tenant.n);
    (void)take_u32(teller, "edits", &event.edit.revision);
    if ((text = take_value(teller, "queue"))) event.edit.queue = str(text);
    event.edit.sets_queue = text != NULL;
    text = take_value(teller, "prio");
    event.edit.sets_priority = text != NULL;
    if (text) event.edit.priority = (int32_t)strtol(text, NULL, 10);
    event.edit.sets_deadline = take_u32(teller, "deadline", &event.edit.deadline_s);
    event.edit.sets_parallelism = take_u32(teller, "limit", &event.edit.parallelism);
    if ((text = take_value(teller, "name"))) event.edit.name = str(text);
    event.edit.sets_words = text != NULL;
    if ((text = take_value(teller, "labels"))) event.edit.labels = str(text);
    event.edit.sets_words = event.edit.sets_words || text;
    event.edit.is_held = take(teller, "held");
    event.edit.sets_held = event.edit.is_held || take(teller, "released");
    ask(teller, &event);
}

static void list(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_list_jobs, .list_jobs.before = 0};
    uint64_t n;

    for (;;) {
        if (take_number(teller, "before", &event.list_jobs.before)) continue;
        if (take_number(teller, "max", &n)) {
            event.list_jobs.len_max = n;
            continue;
        }
        if (!peek(teller)) break;
        event.list_jobs.queue = str(next(teller));
    }
    ask(teller, &event);
}

static void queue(struct teller *teller)
{
    struct fl_str name = str(next(teller));
    struct core_event event = {.kind = CORE_EV_queue_put, .queue_put.name = name};

    (void)take_u32(teller, "tenant", &event.tenant.n);
    event.queue_put.is_change = take(teller, "known");
    event.queue_put.is_paused = take(teller, "paused");
    event.queue_put.keeps_paused = take(teller, "keeps");
    event.queue_put.has_default_cpu = take_u32(teller, "cpu", &event.queue_put.default_cpu_milli);
    event.queue_put.sets_default_cpu = event.queue_put.has_default_cpu || take(teller, "nocpu");
    if (take(teller, "removed")) {
        event = (struct core_event){.kind = CORE_EV_queue_remove, .queue_remove.name = name};
    }
    ask(teller, &event);
}

static void cluster(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_cluster_put, .cluster_put.name = str(next(teller))};
    const char *uid = take_value(teller, "uid");

    event.cluster_put.uid = str(uid ? uid : "uid");
    ask(teller, &event);
}

static void cordon(struct teller *teller, bool is_on)
{
    struct core_event event = {.kind = CORE_EV_cluster_cordon};

    find_cluster(teller, next(teller), &event.cluster_cordon.cluster.n);
    event.cluster_cordon.is_on = is_on;
    if (peek(teller)) event.cluster_cordon.why = str(next(teller));
    ask(teller, &event);
}

static void of_cluster(struct teller *teller, enum core_event_kind kind)
{
    struct core_event event = {.kind = kind};

    find_cluster(teller, next(teller), &event.cluster_forget.cluster.n);
    ask(teller, &event);
}

static void drain(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_cluster_drain};

    find_cluster(teller, next(teller), &event.cluster_drain.cluster.n);
    event.cluster_drain.is_stop = take(teller, "stop");
    if (peek(teller)) event.cluster_drain.why = str(next(teller));
    ask(teller, &event);
}

/* A letter stands for a whole digest. */
static bool take_digest(struct teller *teller, const char *key, struct fl_digest *ret)
{
    const char *text = take_value(teller, key);

    if (text) memset(ret->at, text[0], sizeof ret->at);
    return text != NULL;
}

static fl_ms take_time(struct teller *teller, const char *key, fl_ms otherwise)
{
    const char *text = take_value(teller, key);

    if (text && !is_time(text, &otherwise)) wrong(teller, "no time");
    return otherwise;
}

static void join(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_join_put, .join_put.name = str(next(teller))};

    if (!take_digest(teller, "token", &event.join_put.token)) wrong(teller, "which token");
    event.join_put.ttl_ms = take_time(teller, "ttl", FL_HOUR_MS);
    ask(teller, &event);
}

static void unjoin(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_join_revoke};

    if (!take_digest(teller, "token", &event.join_revoke.token)) wrong(teller, "which token");
    ask(teller, &event);
}

static void enrol(struct teller *teller)
{
    struct core_event event = {
        .kind = CORE_EV_enrol,
        .enrol = {.uid = FL_STR("uid"), .uuid = FL_STR("0e984725-c51c-4bf4-9960-e1c80e27aba0")}};
    const char *text;

    if (!take_digest(teller, "token", &event.enrol.token)) wrong(teller, "which token");
    if (!take_digest(teller, "key", &event.enrol.key)) wrong(teller, "which key");
    if ((text = take_value(teller, "uid"))) event.enrol.uid = str(text);
    if ((text = take_value(teller, "uuid"))) event.enrol.uuid = str(text);
    ask(teller, &event);
}

static void renew(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_renew};

    find_cluster(teller, next(teller), &event.renew.cluster.n);
    if (!take_number(teller, "generation", &event.renew.generation)) wrong(teller, "which one");
    if (!take_digest(teller, "key", &event.renew.key)) wrong(teller, "which key");
    ask(teller, &event);
}

static void token(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_token_put,
                               .token_put = {.id = str(next(teller)), .scopes = CORE_SCOPE_read}};
    const char *text;
    uint32_t n;
    fl_ms ttl;

    memset(event.token_put.mac.at, 'm', sizeof event.token_put.mac.at);
    if ((text = take_value(teller, "name"))) event.token_put.name = str(text);
    if ((text = take_value(teller, "queue"))) event.token_put.queue = str(text);
    if ((text = take_value(teller, "maker"))) event.token_put.maker = str(text);
    if ((text = take_value(teller, "owner"))) event.token_put.owner = str(text);
    if (take_u32(teller, "scopes", &n)) event.token_put.scopes = (uint8_t)n;
    ttl = take_time(teller, "ttl", 0);
    event.token_put.ttl_ms = ttl;
    ask(teller, &event);
}

static void untoken(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_token_revoke, .token_revoke.id = str(next(teller))};

    event.token_revoke.has_made = take(teller, "made");
    ask(teller, &event);
}

/* retoken ID to=SECRET by=ID [with=SECRET] [grace=TIME] [ttl=TIME]; a secret by its first letter */
static void retoken(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_token_rotate, .token_rotate.id = str(next(teller))};
    const char *text;

    if (!take_digest(teller, "to", &event.token_rotate.mac)) wrong(teller, "to which secret");
    if ((text = take_value(teller, "by"))) event.token_rotate.by = str(text);
    FL_IGNORE(take_digest(teller, "with", &event.token_rotate.shown));
    event.token_rotate.grace_ms = take_time(teller, "grace", 0);
    event.token_rotate.ttl_ms = take_time(teller, "ttl", -1);
    event.token_rotate.has_ttl = event.token_rotate.ttl_ms >= 0;
    if (!event.token_rotate.has_ttl) event.token_rotate.ttl_ms = 0;
    ask(teller, &event);
}

/* denied ACTION from=ADDRESS [trace=ID], denied unwritten=N */
static void denied(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_denied};
    const char *text;
    uint64_t n;

    if (take_number(teller, "unwritten", &n)) {
        event.denied.unwritten = n;
    } else {
        event.denied.what = str(next(teller));
        event.denied.outcome = FL_STR("denied");
    }
    if ((text = take_value(teller, "from"))) event.peer = str(text);
    if ((text = take_value(teller, "trace"))) event.trace = str(text);
    ask(teller, &event);
}

/* visit WHAT [from=ADDRESS] */
static void visit(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_visit, .visit.what = str(next(teller))};
    const char *text;

    if ((text = take_value(teller, "from"))) event.peer = str(text);
    ask(teller, &event);
}

static void page(struct teller *teller, enum core_event_kind kind)
{
    struct core_event event = {.kind = kind};
    uint64_t n = 0;

    (void)take_u32(teller, "from", &event.list.from);
    if (take_number(teller, "max", &n)) event.list.len_max = n;
    ask(teller, &event);
}

static void nodes(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_list_nodes};

    find_cluster(teller, next(teller), &event.list_nodes.cluster.n);
    ask(teller, &event);
}
