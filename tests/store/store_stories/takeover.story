Who leads: the lease, the epoch, and what a new leader finds.  A and B are two instances of the control plane, each with
a state directory of its own.

# an empty database is taken over, and there is nothing to load
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A loads
  nothing

# B takes over from A, A's next batch comes to nothing, and B loads all that A had committed
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1, attempt 1 of job 1, hold of job 1
  batch 1: committed
A commits batch 2: job 2
  batch 2: committed
the lease runs out
B takes over
  it leads: epoch 2, incarnation 1, newest batch 2
A commits batch 3: job 3
  batch 3: not known: the connection broke before the answer
B loads
  job_new of job 1
  job_new of job 2
  mark_set of job 1
  attempt_new of job 1
B commits batch 3: job 4
  batch 3: committed
the tables
  jobs: 1 2 4
  batches: 1 2 3

# as long as the lease counts, no other instance leads, also when its holder is gone
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
B takes over
  refused: another instance has the lease
A is gone
B takes over
  refused: another instance has the lease
the lease runs out
B takes over
  it leads: epoch 2, incarnation 1, newest batch 0

# an instance that says goodbye leaves the lead to the next one at once
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
A says goodbye
B takes over
  it leads: epoch 2, incarnation 1, newest batch 1
B commits batch 2: job 2
  batch 2: committed
the tables
  jobs: 1 2
  batches: 1 2

# an instance that starts again takes over from itself at once, and the batch of its earlier process comes to nothing
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A2 takes over
  it leads: epoch 2, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: not known: the connection broke before the answer
A learns that its lease is lost
A2 commits batch 1: job 2
  batch 1: committed
the tables
  jobs: 2
  batches: 1

# a batch under an epoch that is not the newest is refused, and nothing of it stays
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
A commits batch 2 under epoch 99: job 2
  batch 2: refused: another instance leads
the tables
  jobs: 1
  batches: 1

# a database that comes from a backup begins another incarnation, once
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
the database comes from a backup
A takes over
  it leads: epoch 2, incarnation 2, newest batch 1
A takes over
  it leads: epoch 3, incarnation 2, newest batch 1
