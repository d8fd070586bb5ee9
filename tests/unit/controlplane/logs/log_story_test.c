/* log_story_test.c - every story in stories/: replicas write, and below each read, indented, what
 * was given.  A store with a front and an agent's real pump plays them (log_world.h).
 *
 *   config attempt_bytes_max=300000     the store begins again with this
 *   write 7/0#1 r0 "one\n" at=2s     times=9: so often, %d in it is the number, a second later each
 *   end 7/0#1 r0                     the replica has ended
 *   cut, restart, crash              the tunnel, the store, its machine
 *   seal 1                           until so many sealed files are there
 *   forget 7
 *   read 7 element=0 replicas=0-1 line=3 tail=2 since=5s until=9s ended=0#1:dl given-up
 *   read 7 page=2                    the first page, of so many lines
 *   read 7 on                        behind what was read last
 *   search 7 "text" regex any-case without     then as read; a match is in brackets
 *
 * Before each read the store has all that was written. */
#include <inttypes.h>

#include "shared/base/arena.h"
#include "shared/base/job_name.h"
#include "shared/io/clock.h"
#include "tests/story_files.h"
#include "tests/unit/controlplane/logs/log_world.h"

enum { SHOWN = 8, WORDS_MAX = 32, FORGOTTEN_MAX = 8, LETTERS_MAX = 16 };

struct teller {
    struct log_world world;
    struct fl_arena arena;
    struct fl_buf out;
    char *words[WORDS_MAX];
    size_t words_len, word;
    uint64_t forgotten[FORGOTTEN_MAX];
    size_t forgotten_len;
    char cursor[LOG_CURSOR_BYTES_MAX + 1];
};

static struct teller teller;

/* ---- telling --------------------------------------------------------------------------------- */

static void FL_PRINTF(1, 2) tell(const char *fmt, ...)
{
    char text[4096];
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    assert_in_range(len, 0, sizeof text - 1);
    assert_true(fl_buf_put(&teller.out, text, (size_t)len));
}

static void tell_byte(uint8_t c)
{
    if (c == '\n') {
        tell("\\n");
    } else if (c == '"' || c == '\\') {
        tell("\\%c", c);
    } else if (c < ' ' || c > '~') {
        tell("\\x%02x", c);
    } else {
        tell("%c", c);
    }
}

/* A match stands in brackets. */
static void tell_bytes(const struct log_world_read *read, size_t n)
{
    const struct log_line *line = &read->lines.at[n];
    const struct log_span *spans = read->spans.at + read->spans_at.at[n];
    const uint8_t *at = read->bytes.at + read->at.at[n];

    tell("\"");
    for (size_t i = 0; i <= line->bytes.len; i++) {
        for (size_t s = 0; s < line->spans_len; s++) {
            if (spans[s].end == i) tell("]");
        }
        for (size_t s = 0; s < line->spans_len; s++) {
            if (spans[s].begin == i) tell("[");
        }
        if (i < line->bytes.len) tell_byte(at[i]);
    }
    tell("\"");
}

static const char *attempt_text(struct fl_attempt attempt)
{
    char name[FL_JOB_NAME_MAX];

    fl_job_name(attempt.job, name);
    return fl_arena_printf(&teller.arena, "%s/%u#%u", name, attempt.element, attempt.n);
}

static void tell_line(const struct log_world_read *read, size_t i)
{
    const struct log_line *line = &read->lines.at[i];

    tell("    %s r%u line %" PRIu64, attempt_text(line->attempt), line->replica, line->number);
    if (line->time) tell(" at=%" PRId64 "s", line->time / 1000);
    if (line->gap) {
        tell(" gap %s of %" PRIu64 " bytes, %" PRIu64 " lines\n", fl_log_gap_name(line->gap),
             line->gap_bytes, line->gap_lines);
        return;
    }
    tell(" ");
    tell_bytes(read, i);
    if (!line->is_begin) tell(" goes on");
    if (!line->is_end) tell(" is not over");
    if (line->is_undecided) tell(" is undecided");
    tell("\n");
}

static void tell_read(const struct log_world_read *read)
{
    size_t len = read->lines.len, left_out = len > SHOWN ? len - SHOWN : 0;

    for (size_t i = 0; i < len; i++) {
        if (left_out > 0 && i == SHOWN / 2) {
            tell("    ... and %zu more\n", left_out);
            i += left_out;
        }
        tell_line(read, i);
    }
    if (read->err.code != FL_OK) {
        tell("    %s: %s\n", fl_code_name(read->err.code), read->err.text);
        return;
    }
    tell("    of %" PRIu64 " lines", read->lines_total);
    if (read->sources_live) tell(", %u outputs go on", read->sources_live);
    if (read->sources_lost) tell(", %u are lost", read->sources_lost);
    tell("\n");
}

/* ---- words ----------------------------------------------------------------------------------- */

_Noreturn static void wrong(const char *why)
{
    print_error("%s at '%s'\n", why,
                teller.word < teller.words_len ? teller.words[teller.word] : "the end of the line");
    fail();
    exit(1);
}

static const char *peek(void)
{
    return teller.word < teller.words_len ? teller.words[teller.word] : NULL;
}

static const char *next(void)
{
    if (!peek()) wrong("a word is missing");
    return teller.words[teller.word++];
}

static bool take(const char *word)
{
    if (!peek() || strcmp(peek(), word) != 0) return false;
    teller.word++;
    return true;
}

/* The rest of "key=rest"; NULL: it is another word. */
static const char *take_value(const char *key)
{
    size_t len = strlen(key);

    if (!peek() || strncmp(peek(), key, len) != 0 || peek()[len] != '=') return NULL;
    return next() + len + 1;
}

static bool take_number(const char *key, uint64_t *number)
{
    const char *text = take_value(key);

    if (text) *number = strtoull(text, NULL, 10);
    return text != NULL;
}

/* "5s" */
static bool take_time(const char *key, fl_ms *time)
{
    uint64_t seconds;
    bool is_there = take_number(key, &seconds);

    if (is_there) *time = (fl_ms)seconds * 1000;
    return is_there;
}

/* Words are parted by blanks; one in quotes holds some, and \n \" \\ \xNN. */
static void split(const char *line)
{
    char *to = fl_arena_alloc(&teller.arena, strlen(line) + 1);
    unsigned byte;

    teller.words_len = teller.word = 0;
    while (*line) {
        bool is_quoted = false;

        while (*line == ' ') {
            line++;
        }
        if (!*line) break;
        assert_true(teller.words_len < WORDS_MAX);
        teller.words[teller.words_len++] = to;
        while (*line && (is_quoted || *line != ' ')) {
            if (*line == '"') {
                is_quoted = !is_quoted;
                line++;
            } else if (*line == '\\' && line[1] == 'x' && sscanf(line + 2, "%2x", &byte) == 1) {
                *to++ = (char)byte;
                line += 4;
            } else if (*line == '\\' && line[1]) {
                *to++ = line[1] == 'n' ? '\n' : line[1];
                line += 2;
            } else {
                *to++ = *line++;
            }
        }
        *to++ = '\0';
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static size_t output(bool is_made)
{
    struct log_world *world = &teller.world;
    unsigned element, attempt, replica;
    uint64_t job;

    if (sscanf(next(), "%" SCNu64 "/%u#%u", &job, &element, &attempt) != 3) wrong("no attempt");
    if (sscanf(next(), "r%u", &replica) != 1) wrong("no replica");
    for (size_t i = 0; i < world->outputs_len; i++) {
        const struct log_truth *truth = &world->outputs[i];

        if (truth->attempt.job.n == job && truth->attempt.element == element &&
            truth->attempt.n == attempt && truth->replica == replica) {
            return i;
        }
    }
    if (!is_made) wrong("it has not written");
    return log_world_add(world, job, element, (uint16_t)attempt, replica);
}

static void write_output(void)
{
    size_t i = output(true);
    const char *text = next(), *hole = strstr(text, "%d");
    uint64_t times = 1;
    fl_ms at = 1000;

    while (take_number("times", &times) || take_time("at", &at)) {
    }
    for (uint64_t n = 0; n < times; n++) {
        const char *line = hole ? fl_arena_printf(&teller.arena, "%.*s%" PRIu64 "%s",
                                                  (int)(hole - text), text, n, hole + 2)
                                : text;

        log_world_write(&teller.world, i, line, strlen(line), at + (fl_ms)n * 1000);
    }
}

static void configure(void)
{
    struct log_store_config *config = &teller.world.config;
    uint64_t number;

    while (peek()) {
        if (take_number("attempt_bytes_max", &number)) {
            config->attempt_bytes_max = number;
        } else if (take_number("segment_bytes", &number)) {
            config->segment_bytes = (uint32_t)number;
        } else {
            wrong("no such setting");
        }
    }
    log_world_restart(&teller.world);
}

static bool is_forgotten(uint64_t job)
{
    for (size_t i = 0; i < teller.forgotten_len; i++) {
        if (teller.forgotten[i] == job) return true;
    }
    return false;
}

static bool is_stored(size_t i)
{
    const struct log_truth *truth = &teller.world.outputs[i];
    struct log_query query = log_world_whole(truth->attempt.job.n);
    struct log_world_read read = {0};
    bool is_exact;

    log_world_read(&teller.world, &query, &read);
    is_exact = log_world_is_exact(&teller.world, &read, i, 0);
    log_world_read_fini(&read);
    return is_exact && (!truth->is_ended || truth->is_taken);
}

static void store_all(void)
{
    fl_ms end = fl_clock_mono() + 60000;

    for (size_t i = 0; i < teller.world.outputs_len; i++) {
        if (is_forgotten(teller.world.outputs[i].attempt.job.n)) continue;
        while (!is_stored(i)) {
            assert_true(fl_clock_mono() < end);
            log_world_step(&teller.world);
        }
    }
}

/* By age, since a story writes little. */
static void seal(uint64_t files)
{
    fl_ms age = teller.world.config.segment_age_ms;

    store_all();
    teller.world.config.segment_age_ms = 1;
    log_world_restart(&teller.world);
    log_world_wait_sealed(&teller.world, files);
    teller.world.config.segment_age_ms = age;
    log_world_restart(&teller.world);
}

static void forget(void)
{
    struct fl_err err = {0};
    uint64_t job = strtoull(next(), NULL, 10);

    assert_true(teller.forgotten_len < FORGOTTEN_MAX);
    teller.forgotten[teller.forgotten_len++] = job;
    if (!log_store_forget(teller.world.store, (struct fl_job){job}, &err)) fail_msg("%s", err.text);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool take_range(struct log_query *query)
{
    struct log_replicas range;
    const char *text = take_value("replicas");

    if (!text) return false;
    if (sscanf(text, "%u-%u", &range.first, &range.last) != 2) wrong("no range");
    query->replicas[query->replicas_len++] = range;
    return true;
}

/* "ended=0#1:dl" and "given-up": the job has ended with this attempt. */
static bool take_end(struct log_query *query, struct log_attempt *attempt)
{
    static char letters[LETTERS_MAX];
    static struct log_attempts attempts;
    const char *text = take_value("ended");
    unsigned element, n;

    if (!text) return false;
    if (sscanf(text, "%u#%u:%15s", &element, &n, letters) != 3) wrong("no end");
    *attempt = (struct log_attempt){
        .attempt = {query->job, element, (uint16_t)n, .incarnation = 1},
        .letters = fl_str_c(letters),
        .is_given_up = take("given-up"),
    };
    attempts = (struct log_attempts){attempt, 1};
    query->attempts = &attempts;
    return true;
}

static bool take_number32(const char *key, uint32_t *number)
{
    uint64_t n = 0;
    bool is_there = take_number(key, &n);

    if (is_there) *number = (uint32_t)n;
    return is_there;
}

static bool take_from(struct log_query *query)
{
    if (take_number("line", &query->n)) {
        query->from = LOG_FROM_LINE;
    } else if (take_number("tail", &query->n)) {
        query->from = LOG_FROM_TAIL;
    } else if (take("on")) {
        query->from = LOG_FROM_CURSOR;
        query->cursor = fl_str_c(teller.cursor);
    } else {
        return false;
    }
    return true;
}

static void read_job(struct log_query query)
{
    struct log_world_read read = {0};
    struct log_attempt attempt;
    uint32_t attempt_n;

    while (peek()) {
        if (take_from(&query) || take_range(&query) || take_end(&query, &attempt)) continue;
        if (take_time("since", &query.since) || take_time("until", &query.until)) continue;
        if (take_number32("element", &query.element)) {
            query.has_element = true;
        } else if (take_number32("attempt", &attempt_n)) {
            query.has_attempt = true;
            query.attempt = (uint16_t)attempt_n;
        } else if (take_number32("page", &query.lines_max)) {
            read.pages_max = 1;
        } else {
            wrong("no such word of a read");
        }
    }
    store_all();
    log_world_read(&teller.world, &query, &read);
    tell_read(&read);
    memcpy(teller.cursor, read.cursor, sizeof teller.cursor);
    log_world_read_fini(&read);
}

static void search_job(void)
{
    struct log_query query = log_world_whole(strtoull(next(), NULL, 10));
    struct log_pattern_text text = {.text = fl_str_c(next())};
    const char *levels = take_value("level");
    struct fl_err err = {0};

    if (levels && !fl_line_levels_parse(fl_str_c(levels), &query.levels)) wrong("no levels");
    query.is_search = true;
    if (text.text.len == 0) {
        read_job(query);
        return;
    }
    while (true) {
        if (take("regex")) {
            text.is_regex = true;
        } else if (take("any-case")) {
            text.ignores_case = true;
        } else if (take("without")) {
            text.is_inverted = true;
        } else {
            break;
        }
    }
    query.pattern = log_pattern_create(&text, &err);
    if (query.pattern) {
        read_job(query);
    } else {
        tell("    %s: %s\n", fl_code_name(err.code), err.text);
    }
}

/* ---- a story --------------------------------------------------------------------------------- */

static void play_line(const char *line)
{
    const char *verb;

    tell("%s\n", line);
    split(line);
    verb = next();
    if (strcmp(verb, "config") == 0) {
        configure();
    } else if (strcmp(verb, "write") == 0) {
        write_output();
    } else if (strcmp(verb, "end") == 0) {
        log_world_end(&teller.world, output(false));
    } else if (strcmp(verb, "cut") == 0) {
        log_world_cut(&teller.world);
    } else if (strcmp(verb, "restart") == 0) {
        log_world_restart(&teller.world);
    } else if (strcmp(verb, "crash") == 0) {
        log_world_crash(&teller.world);
    } else if (strcmp(verb, "seal") == 0) {
        seal(strtoull(next(), NULL, 10));
    } else if (strcmp(verb, "forget") == 0) {
        forget();
    } else if (strcmp(verb, "read") == 0) {
        read_job(log_world_whole(strtoull(next(), NULL, 10)));
    } else if (strcmp(verb, "search") == 0) {
        search_job();
    } else {
        wrong("no such verb");
    }
    if (peek()) wrong("too many words");
    fl_arena_reset(&teller.arena);
}

static char *play(const char *text)
{
    char *told;

    memset(&teller, 0, sizeof teller);
    fl_buf_init(&teller.out, STORY_TEXT_MAX);
    log_world_init(&teller.world, 1);
    while (*text) {
        size_t len = strcspn(text, "\n");
        const char *line = fl_arena_copy(&teller.arena, text, len);

        if (*text == '#' || len == 0) {
            tell("%s\n", line);
        } else if (*text != ' ') {
            play_line(line);
        }
        text += len + (text[len] == '\n');
    }
    log_world_fini(&teller.world);
    fl_arena_fini(&teller.arena);
    told = memcpy(fl_alloc(teller.out.len + 1), teller.out.at, teller.out.len);
    told[teller.out.len] = '\0';
    fl_buf_fini(&teller.out);
    return told;
}

int main(void)
{
    static const struct story_teller of_logs = {"stories of the log store", play, NULL};

    return story_files_main("tests/unit/controlplane/logs/stories", &of_logs);
}
