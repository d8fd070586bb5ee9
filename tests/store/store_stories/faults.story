What breaks: connections, disks, a server that may not be written, and rows that a newer program wrote.

# the answer to a batch is lost in the middle of it, and the next takeover finds that it did not land
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
jobs are locked
A sends batch 2: job 2
the writers' connections break
A hears
  batch 2: not known: the connection broke before the answer
jobs are unlocked
A takes over, unsure of batch 2
  it leads: epoch 2, incarnation 1, newest batch 1; batch 2 did not land
A commits batch 2: job 2
  batch 2: committed
the tables
  jobs: 1 2
  batches: 1 2

# a takeover that is not sure of a batch that landed finds it, and under which epoch
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
A takes over, unsure of batch 1
  it leads: epoch 2, incarnation 1, newest batch 1; batch 1 landed under epoch 1
A commits batch 2: job 2
  batch 2: committed
the tables
  jobs: 1 2
  batches: 1 2

# the connection of an idle leader breaks, and the next batch notices it
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
the writers' connections break
A commits batch 2: job 2
  batch 2: not known: the connection broke before the answer
A takes over, unsure of batch 2
  it leads: epoch 2, incarnation 1, newest batch 1; batch 2 did not land
A commits batch 2: job 2
  batch 2: committed
the tables
  jobs: 1 2
  batches: 1 2

# a full disk is not taken for a bad batch, and the leader goes on when it has space again
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
a new job meets 53100 no space left
A commits batch 1: job 1
  batch 1: refused: the disk is full
a new job meets no error
A takes over, unsure of batch 1
  it leads: epoch 2, incarnation 1, newest batch 0; batch 1 did not land
A commits batch 1: job 1
  batch 1: committed
the tables
  jobs: 1
  batches: 1

# an error of a class that Postgres does not have speaks against no batch
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
a new job meets QX001 not now
A commits batch 1: job 1
  batch 1: refused for now: not now
a new job meets no error
A takes over, unsure of batch 1
  it leads: epoch 2, incarnation 1, newest batch 0; batch 1 did not land
A commits batch 1: job 1
  batch 1: committed

# a server that is turned read-only speaks against no batch, and has no leader meanwhile
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
Postgres is read-only
A commits batch 2: job 2
  batch 2: refused for now: cannot execute INSERT in a read-only transaction
A takes over, unsure of batch 2
  refused: unavailable
Postgres is writable
A takes over, unsure of batch 2
  it leads: epoch 2, incarnation 1, newest batch 1; batch 2 did not land
A commits batch 2: job 2
  batch 2: committed
the tables
  jobs: 1 2
  batches: 1 2

# a row of a newer program is passed over, by a takeover and a load, and shown as one by the events
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: job 1
  batch 1: committed
A commits batch 2: job 2
  batch 2: committed
batch 1 has a row of a newer program
A takes over
  it leads: epoch 2, incarnation 1, newest batch 2
A loads
  job_new of job 1
  job_new of job 2
A commits batch 3: job 3
  batch 3: committed
the events
  1.0  job_new of job 1
  1.1  a row of a newer program
  2.0  job_new of job 2
  3.0  job_new of job 3
