/* checks_state.h - the checker's knowledge, for the files that make it up alone. checks_journal.c
 * reads the journal into it; checks.c compares events with it. */
#pragma once

#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "tests/sim/checks.h"

enum { CHECKS_JOBS_MAX = 1 << 20, CHECKS_TERMS_MAX = 4096 };

/* One element as the journal has it, and what of it runs. */
struct checks_element {
    uint64_t job;
    uint32_t element;
    uint16_t n; /* its newest attempt; 0: none yet */
    bool is_live, is_ended;
    uint32_t incarnation, cluster, replicas;
    uint8_t state;
    uint16_t reason;
    int32_t exit_code;
    uint32_t first_replica;
    struct fl_attempt running_attempt; /* valid while 'running' > 0 */
    uint32_t running;
};

/* A replica of an attempt that ended, with the letter of that row. */
struct checks_output {
    struct fl_attempt attempt;
    struct fl_cluster cluster;
    uint32_t replica;
    char letter;
};

struct checks_job {
    bool is_known, is_ended, is_stopped, is_picked;
    uint8_t state;
    uint32_t elements;
    uint64_t cancel_epoch; /* the term that acknowledged its cancel; 0: none did */
};

struct checks {
    struct sim *sim;
    const struct fake_pg *pg;
    struct core_config config;
    struct policy *policy;
    struct checks_history *history;
    bool is_retired;
    struct fake_runtime *const *runtimes;
    size_t runtimes_len;
    size_t journal_len; /* entries read */
    uint64_t epoch_last;
    FL_VEC(struct checks_job) jobs; /* by id */
    size_t jobs_known, jobs_open, elements_ended;
    FL_VEC(struct checks_element) elements;
    FL_VEC(struct checks_output) outputs;
    struct fl_map element_index;     /* job, element -> place + 1 */
    struct fl_map phases;            /* job, element, n, replica -> highest state */
    struct fl_map names;             /* job names, each unique in a run */
    fl_ms term_at[CHECKS_TERMS_MAX]; /* by epoch */
    FL_VEC(fl_ms) db_back_at;        /* ever later */
};

struct checks_element_key {
    uint64_t job;
    uint64_t element;
};

struct checks_phase_key {
    uint64_t job;
    uint32_t element, n, replica, zero;
};

struct checks_job *checks_job(struct checks *checks, uint64_t id);
/* The number of one of its elements, of which there are job->elements. */
uint32_t checks_number(const struct checks *checks, uint64_t job, uint32_t place);
/* Whether the job was accepted with an element of that number. */
bool checks_has_number(const struct checks *checks, uint64_t job, uint32_t element);
/* NULL: the journal has nothing of it. */
struct checks_element *checks_find_element(const struct checks *checks, uint64_t job,
                                           uint32_t element);
struct checks_element *checks_need_element(struct checks *checks, uint64_t job, uint32_t element);
/* The highest state of the replica that the journal has. */
uint64_t checks_phase(const struct checks *checks, struct fl_attempt attempt, uint32_t replica);
/* The replica of the element's newest attempt, as the runtimes have it; NULL: none had it. */
const struct fake_replica *checks_truth(const struct checks *checks,
                                        const struct checks_element *element, uint32_t replica);

/* checks_output.c: an attempt of that element ended, with these letters. */
void checks_output_ended(struct checks *checks, const struct checks_element *element,
                         struct fl_str letters);
