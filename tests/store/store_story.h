/* store_story.h - the store in stories: instances of a control plane over one real Postgres, in
 * plain words, and below a line, indented, what came of it.  Each story has a fresh database.
 *
 *   A takes over [, unsure of batch 2]     A is the state directory, A2 its next process
 *   A loads                                the rows that a core of A's is loaded from
 *   A commits batch 2 [under epoch 9]: job 7, attempt 1 of job 7, ...
 *   A sends batch 2: job 7                 does not wait for the answer
 *   A hears                                the answer to the oldest batch that it has sent
 *   A learns that its lease is lost
 *   A says goodbye, A is gone              it gives its lease up, or leaves without a word
 *   the lease runs out                     of one that is gone; no one waits for it
 *   the database comes from a backup
 *   jobs are locked, jobs are unlocked     a batch with a job waits meanwhile
 *   the writers' connections break
 *   a new job meets 53100 no space left, a new job meets no error
 *   Postgres is read-only, Postgres is writable
 *   batch 2 has a row of a newer program
 *   the tables, the events, the partitions of job
 *   A has room for jobs below 4000         waits until it has
 *   job has no partition below 2000        waits until that is so
 *
 * A first line "partitions of 1000 jobs and 100 batches, old at once" makes small ones, which go
 * when all in them has ended.  The rows of a batch are listed in store_story.c. */
#pragma once

/* The caller frees the text. */
char *store_story_tell(const char *text);
