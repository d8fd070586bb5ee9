Partitions: each holds the jobs of a range.  They are there before a job needs one, and go when all in them is old.

# room runs ahead of the newest job
partitions of 1000 jobs and 100 batches, old at once
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A has room for jobs below 5000
A commits batch 1: job 1
  batch 1: committed
the partitions of job
  from: 0 1000 2000 3000 4000

# old partitions go, with all that was in them, and the next batch follows
partitions of 1000 jobs and 100 batches, old at once
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A has room for jobs below 3000
A commits batch 1: the whole lives of jobs 1 to 2500
  batch 1: committed
job has no partition below 2000
A has room for jobs below 7000
the partitions of job
  from: 2000 3000 4000 5000 6000
A commits batch 2: job 2501
  batch 2: committed
A takes over
  it leads: epoch 2, incarnation 1, newest batch 2

# a partition with an open job stays
partitions of 1000 jobs and 100 batches, old at once
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A has room for jobs below 4000
A commits batch 1: the whole lives of jobs 1 to 1499, job 1500, the whole lives of jobs 1501 to 3500
  batch 1: committed
job has no partition below 1000
A has room for jobs below 8000
the partitions of job
  from: 1000 2000 3000 4000 5000 6000 7000
A takes over
  it leads: epoch 2, incarnation 1, newest batch 1
A loads
  job_new of job 1500

# when the numbers jump, the next leader has room there
partitions of 1000 jobs and 100 batches, old at once
A takes over
  it leads: epoch 1, incarnation 1, newest batch 0
A commits batch 1: the next job is 5000000
  batch 1: committed
A is gone
A takes over
  it leads: epoch 2, incarnation 1, newest batch 1
A has room for jobs below 5001000
A commits batch 2: job 5000000
  batch 2: committed
