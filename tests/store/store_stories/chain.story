The chain: each batch follows the one before it, whole or not at all.

# batches follow one another
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
A commits batch 2: job 2
  batch 2: committed
the tables
  jobs: 1 2
  batches: 1 2

# a batch whose predecessor is missing, and one that comes again, are refused, and nothing of them stays
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
A commits batch 3: job 3
  batch 3: refused: it does not follow the newest batch
A takes over
  it leads: epoch 2, incarnation 1, newest batch 1
A commits batch 1: job 1
  batch 1: refused: it does not follow the newest batch
the tables
  jobs: 1
  batches: 1

# the batch that was sent behind a refused one fails too
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A sends batch 1: job 1, job 1
A sends batch 2: job 2
A hears
  batch 1: refused for what is in it
A hears
  batch 2: refused: it does not follow the newest batch
the tables
  jobs: none
  batches: none

# an element has one attempt at a time
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1, attempt 1 of job 1
  batch 1: committed
A commits batch 2: attempt 2 of job 1
  batch 2: refused for what is in it
A takes over
  it leads: epoch 2, incarnation 1, newest batch 1
A commits batch 2: attempt 1 of job 1
  batch 2: refused for what is in it
A takes over
  it leads: epoch 3, incarnation 1, newest batch 1
A commits batch 2: end of attempt 1 of job 1, attempt 2 of job 1
  batch 2: committed
the tables
  jobs: 1
  batches: 1 2

# the number of an attempt is one more than that before it
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1, attempt 1 of job 1
  batch 1: committed
A commits batch 2: end of attempt 1 of job 1, attempt 3 of job 1
  batch 2: refused for what is in it
the tables
  jobs: 1
  batches: 1

# an element ends once
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1, attempt 1 of job 1, end of the element of job 1 after attempt 1
  batch 1: committed
A commits batch 2: end of the element of job 1 after attempt 0
  batch 2: refused for what is in it
the tables
  jobs: 1
  batches: 1

# nothing starts after the end of its element
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1, end of the element of job 1 after attempt 0
  batch 1: committed
A commits batch 2: attempt 1 of job 1
  batch 2: refused for what is in it
A takes over
  it leads: epoch 2, incarnation 1, newest batch 1
A commits batch 2: job 2, attempt 1 of job 2
  batch 2: committed
A commits batch 3: end of attempt 1 of job 2, end of the element of job 2 after attempt 1
  batch 3: committed
A commits batch 4: attempt 2 of job 2
  batch 4: refused for what is in it
the tables
  jobs: 1 2
  batches: 1 2 3

# bytes that are no text are refused with their batch alone
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1 of a name that is no text
  batch 1: refused for what is in it
A takes over, unsure of batch 1
  it leads: epoch 2, incarnation 1, newest batch 0; batch 1 did not land
A commits batch 1: job 1
  batch 1: committed
the tables
  jobs: 1
  batches: 1

# a job beyond all partitions is refused
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 900000000
  batch 1: refused for what is in it
the tables
  jobs: none
  batches: none

# a mark that was taken away is not loaded
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1, job 2, hold of job 1, hold of job 2, release of job 1
  batch 1: committed
A commits batch 2: end of the element of job 2 after attempt 0, end of job 2
  batch 2: committed
A takes over
  it leads: epoch 2, incarnation 1, newest batch 2
A loads
  job_new of job 1
