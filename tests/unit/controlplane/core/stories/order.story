The order of starts.

# a head that no cluster could ever run is passed at once
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=9
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
submit ml cpu=1
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    east <- start job-2/0#1 seq=1 nodes=1
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoMatchingCluster: needs 9.000 CPU, 0 MiB; the most that one node of east has is 8.000 CPU, 65536 MiB

# small work starts beside a job that waits for room, as long as that one starts no later for it
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=4
. submit ml cpu=5
submit ml cpu=1
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-3
    east <- start job-3/0#1 seq=2 nodes=1
submit ml cpu=3
    shape_new shape=4 body=(12 bytes)
    job_new job=4 tenant=1 queue=1 shape=4 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-4+1
    answer ok
    | job-4
explain 2
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-2 queued InsufficientCapacity
    | east InsufficientCapacity: needs 5.000 CPU, 0 MiB; east has 3.000 CPU, 65536 MiB free of 8.000 CPU, 65536 MiB
explain 4
    answer ok: there is room, and jobs that were first and wait for more have claimed it
    | job-4 queued Claimed
    | east Claimed: needs 3.000 CPU, 0 MiB; east has 3.000 CPU, 65536 MiB free, of which earlier jobs (1) have claimed 5.000 CPU, 0 MiB
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=3 nodes=1
    east <- ack 2

# jobs of many sizes that wait for room keep no small one waiting
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=4
. submit ml mcpu=5001
. submit ml mcpu=5002
. submit ml mcpu=5003
submit ml cpu=1
    shape_new shape=5 body=(12 bytes)
    job_new job=5 tenant=1 queue=1 shape=5 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-5+1
    attempt_new job=5 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-5
    east <- start job-5/0#1 seq=2 nodes=1

# a claim binds all queues, on its nodes only
. queue ml
. queue dev
. cluster east
. agent east up n1 cpu=8, n2 cpu=4
. submit ml cpu=4
. submit ml cpu=4
. submit ml cpu=8
submit dev cpu=3
    shape_new shape=3 body=(12 bytes)
    job_new job=4 tenant=1 queue=2 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-4+1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n2
    answer ok
    | job-4
    east <- start job-4/0#1 seq=3 nodes=2
submit dev cpu=4
    job_new job=5 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-5+1
    answer ok
    | job-5
explain 5
    answer ok: clusters that could run it are busy
    | job-5 queued InsufficientCapacity
    | east InsufficientCapacity: needs 4.000 CPU, 0 MiB; east has 1.000 CPU, 131072 MiB free of 12.000 CPU, 131072 MiB

# a gang as large as its cluster starts once all has ended that was there before it
. queue ml
. cluster east
. agent east up n1 cpu=2, n2 cpu=2
. submit ml cpu=1
. submit ml cpu=2
. submit ml cpu=2 replicas=2
submit ml cpu=1
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-4+1
    answer ok
    | job-4
explain 3
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 2; the first: n1): others use that only as long as it starts no later
    | job-3 queued InsufficientCapacity
    | east InsufficientCapacity: needs 2 x (2.000 CPU, 0 MiB); east has 1.000 CPU, 131072 MiB free of 4.000 CPU, 131072 MiB
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 2
submit ml cpu=1
    job_new job=5 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-5+1
    answer ok
    | job-5
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 succeeded Succeeded is_array=0
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=(5 bytes)
    east <- start job-3/0#1 seq=3 nodes=2,1
    east <- ack 3

# after a reload, who waits for room claims it again before anybody takes it
. queue ml
. cluster east
. agent east up n1 cpu=2, n2 cpu=2
. submit ml cpu=2
. submit ml cpu=2
. submit ml cpu=2 replicas=2
. submit ml cpu=1
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 2
reload
agent east hello resync
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- resync session=2
agent east inventory 2/0#1 r0 running, end
    replica_phase job=2 element=0 n=1 replica=0 running exit_code=0
agent east nodes n1 cpu=2, n2 cpu=2 free=0
    east <- ack 1
submit ml cpu=1
    job_new job=5 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-5+1
    answer ok
    | job-5
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 succeeded Succeeded is_array=0
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=(5 bytes)
    east <- start job-3/0#1 seq=1 nodes=2,1
    east <- ack 2

# two who wait claim no more than half of a cluster together, and the older claim goes first
. queue ml
. queue dev
. cluster east
. agent east up n1 cpu=4, n2 cpu=4
. submit ml cpu=4
. submit ml cpu=4
. submit ml cpu=3
. submit dev cpu=3
explain 3
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-3 queued InsufficientCapacity
    | east InsufficientCapacity: needs 3.000 CPU, 0 MiB; east has 0.000 CPU, 131072 MiB free of 8.000 CPU, 131072 MiB
explain 4
    answer ok: clusters that could run it are busy
    | job-4 queued InsufficientCapacity
    | east InsufficientCapacity: needs 3.000 CPU, 0 MiB; east has 0.000 CPU, 131072 MiB free of 8.000 CPU, 131072 MiB
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=3 nodes=1
    east <- ack 2
explain 4
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-4 queued InsufficientCapacity
    | east InsufficientCapacity: needs 3.000 CPU, 0 MiB; east has 1.000 CPU, 131072 MiB free of 8.000 CPU, 131072 MiB

# a job that needs nothing waits at the dispatch limit, and claims no node
config unconfirmed_max=1
. queue ml
. cluster east
. agent east up n1 cpu=1
. submit ml cpu=1
. submit ml
explain 2
    answer ok: too many starts of this cluster are still unconfirmed
    | job-2 queued DispatchLimit
    | east DispatchLimit: east has 1 starts to confirm, the most it may
agent east reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- go job-1/0#1 seq=2
    east <- start job-2/0#1 seq=3 nodes=1
    east <- ack 2

# a claim on nodes that have changed is not explained
. queue ml
. cluster east
. agent east up n1 cpu=4
. submit ml cpu=4
. submit ml cpu=4
explain 2
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-2 queued InsufficientCapacity
    | east InsufficientCapacity: needs 4.000 CPU, 0 MiB; east has 0.000 CPU, 65536 MiB free of 4.000 CPU, 65536 MiB
agent east nodes n1 cpu=0 mem=0 notready number=1 &
explain 2
    answer ok: clusters that could run it are busy
    | job-2 queued InsufficientCapacity
    | east NoMatchingCluster: needs 4.000 CPU, 0 MiB; the most that one node of east has is 0.000 CPU, 0 MiB
    east <- ack 2

# a claim is made anew when a node of it is gone on which nothing is needed
. queue ml
. cluster east
. agent east up n1 cpu=1, n2 cpu=4 gpu=1, n3 cpu=4 gpu=1
. submit ml cpu=4 | ml cpu=3
. submit ml gpu=1 cpu=1 + cpu=4 + mcpu=0
explain 3
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 2; the first: n2): others use that only as long as it starts no later
    | job-3 queued InsufficientCapacity
    | east InsufficientCapacity: needs 3 replicas of 3 roles, the first 1.000 CPU, 0 MiB, 1 GPU each; east has 2.000 CPU, 196608 MiB, 2 GPU free of 9.000 CPU, 196608 MiB, 2 GPU
agent east nodes n1 cpu=0 mem=0 notready number=1
    east <- ack 2
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=(8 bytes)
    east <- start job-3/0#1 seq=3 nodes=3,2,2
    east <- ack 3

# more important work of the queue does not wait for the claim of less important work
. queue ml
. cluster east
. agent east up n1 cpu=4
. submit ml cpu=3
. submit ml cpu=4
submit ml prio=5 cpu=1
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=5 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-3
    east <- start job-3/0#1 seq=2 nodes=1

# another queue does not wait for that head
. queue ml
. queue dev
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=2
. submit ml cpu=7
submit dev cpu=1
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=2 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-3
    east <- start job-3/0#1 seq=2 nodes=1

# a cluster that is silent or cordoned could run it: it waits, and the reason says for what
. queue ml
. cluster east
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
explain 1
    answer ok: clusters that could run it are silent or cordoned
    | job-1 queued ClusterUnhealthy
    | east ClusterUnhealthy: east is not connected
agent east up n1 cpu=1
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- ack 1
submit ml cpu=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
agent east lost
agent east up n1 cpu=8
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-2/0#1 seq=2 nodes=1
    east <- ack 1
explain 2
    answer ok: placed; its cluster is creating it
    | job-2 starting Dispatching on east attempt=1
    | east Fits: fits on east now

# queues take turns
. queue a
. queue b
. queue c
. cluster east
. submit a x4 cpu=1 | b x2 cpu=1 | c x3 cpu=1
agent east up n1 cpu=8
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=2 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=3 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=3 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-2/0#1 seq=2 nodes=1
    east <- start job-3/0#1 seq=3 nodes=1
    east <- start job-1/1#1 seq=4 nodes=1
    east <- start job-2/1#1 seq=5 nodes=1
    east <- start job-3/1#1 seq=6 nodes=1
    east <- start job-1/2#1 seq=7 nodes=1
    east <- start job-3/2#1 seq=8 nodes=1
    east <- ack 1

# the turn goes on behind the queue that was served last
. queue a
. queue b
. queue c
. cluster east
. submit a x9 cpu=1 | b x9 cpu=1 | c x9 cpu=1
. agent east up n1 cpu=4
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=2 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/1#1 seq=5 nodes=1
    east <- ack 2
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=3 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/1#1 seq=6 nodes=1
    east <- ack 3
agent east reports 3/0#1 r0 exited 0
    replica_phase job=3 element=0 n=1 replica=0 exited exit_code=0
    element_end job=3 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/2#1 seq=7 nodes=1
    east <- ack 4

# within a queue priority goes first, then age
. queue ml
. cluster east
. submit ml cpu=1 | ml cpu=1 mem=1 prio=5 | ml cpu=1 prio=-3 | ml cpu=1 mem=2 prio=5 | ml cpu=1 mem=1
agent east up n1 cpu=4
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=5 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=1 nodes=1
    east <- start job-4/0#1 seq=2 nodes=1
    east <- start job-1/0#1 seq=3 nodes=1
    east <- start job-5/0#1 seq=4 nodes=1
    east <- ack 1
explain 3
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-3 queued InsufficientCapacity priority=-3
    | east InsufficientCapacity: needs 1.000 CPU, 0 MiB; east has 0.000 CPU, 61440 MiB free of 4.000 CPU, 65536 MiB
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 succeeded Succeeded is_array=0
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=5 nodes=1
    east <- ack 2

# jobs that come back keep their place by age
. queue ml
. cluster east
. agent east up n1 cpu=2
. submit ml jobs=2 cpu=1 retries=1
. submit ml jobs=3 cpu=1 retries=1
. hold 3
. hold 4
agent east reports 1/0#1 r0 refused, 2/0#1 r0 refused
    replica_phase job=1 element=0 n=1 replica=0 refused exit_code=0
    attempt_end job=1 element=0 n=1 StartRefused exit_code=0 first_replica=0 ready_at=11812
    replica_phase job=2 element=0 n=1 replica=0 refused exit_code=0
    attempt_end job=2 element=0 n=1 StartRefused exit_code=0 first_replica=0 ready_at=11082
    attempt_new job=5 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-5/0#1 seq=3 nodes=1
    east <- ack 3
release 4
    audit tenant=1 actor=ann body=release job-4
    mark_clear job=4 kind=1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-4/0#1 seq=4 nodes=1
tick 12s
release 3
    audit tenant=1 actor=ann body=release job-3
    mark_clear job=3 kind=1
    answer ok
agent east reports 5/0#1 r0 exited 0
    replica_phase job=5 element=0 n=1 replica=0 exited exit_code=0
    element_end job=5 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=5 succeeded Succeeded is_array=0
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=5 nodes=1
    east <- ack 4
tick 12s
agent east reports 4/0#1 r0 exited 0
    replica_phase job=4 element=0 n=1 replica=0 exited exit_code=0
    element_end job=4 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=4 succeeded Succeeded is_array=0
    attempt_new job=2 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#2 seq=6 nodes=1
    east <- ack 5
agent east reports 1/0#2 r0 exited 0
    replica_phase job=1 element=0 n=2 replica=0 exited exit_code=0
    element_end job=1 element=0 n=2 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=7 nodes=1
    east <- ack 6

# a creation that is repeated does not resume a paused queue, unless it says so
. queue ml
. queue ml paused
queue ml keeps
    answer ok id=1
queues
    answer ok
    | queue ml paused jobs=0
queue ml
    queue_put queue=1 tenant=1 is_paused=0 name=ml
    audit tenant=1 actor=ann body=queue_put ml
    answer ok id=1
queues
    answer ok
    | queue ml jobs=0

# a queue has a default CPU from the change that gives it one to the one that takes it, also over a reload
queue ml cpu=500
    queue_put queue=1 tenant=1 is_paused=0 name=ml has_default_cpu=1 default_cpu_milli=500
    audit tenant=1 actor=ann body=queue_put ml default_cpu=500m
    answer ok id=1
queue ml keeps
    answer ok id=1
queue ml known paused
    queue_put queue=1 tenant=1 is_paused=1 name=ml has_default_cpu=1 default_cpu_milli=500
    audit tenant=1 actor=ann body=queue_put ml paused default_cpu=500m
    answer ok id=1
queues
    answer ok
    | queue ml paused jobs=0 cpu=500
queue ml known keeps cpu=0
    queue_put queue=1 tenant=1 is_paused=1 name=ml has_default_cpu=1
    audit tenant=1 actor=ann body=queue_put ml paused default_cpu=0m
    answer ok id=1
reload
queue ml known keeps cpu=0
    answer ok id=1
queues
    answer ok
    | queue ml paused jobs=0 cpu=0
queue ml known keeps nocpu
    queue_put queue=1 tenant=1 is_paused=1 name=ml
    audit tenant=1 actor=ann body=queue_put ml paused
    answer ok id=1
queue ml known keeps nocpu
    answer ok id=1
queue none known cpu=1
    answer absent: this queue does not exist

# a paused queue starts nothing, and what runs goes on
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x2 cpu=5
queue ml paused
    queue_put queue=1 tenant=1 is_paused=1 name=ml
    audit tenant=1 actor=ann body=queue_put ml paused
    answer ok id=1
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 2
explain 1
    answer ok: its queue is paused
    | job-1 queued QueuePaused elements=2 started=1 live=0 succeeded=1 failed=0 cancelled=0
    | east Fits: fits on east now
reload
explain 1
    answer ok: its queue is paused
    | job-1 queued QueuePaused elements=2 started=1 live=0 succeeded=1 failed=0 cancelled=0
    | east ClusterUnhealthy: east is not connected
agent east up n1 cpu=8
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
    east <- ack 1
queue ml
    queue_put queue=1 tenant=1 is_paused=0 name=ml
    audit tenant=1 actor=ann body=queue_put ml
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok id=1
    east <- start job-1/1#1 seq=1 nodes=1

# a head that only an unknown cluster could have run is passed when that one turns out to have no nodes
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=1
. submit ml cpu=2
submit ml cpu=1
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    east <- start job-2/0#1 seq=1 nodes=1
explain 1
    answer ok: clusters that could run it are silent or cordoned
    | job-1 queued ClusterUnhealthy
    | east NoMatchingCluster: needs 2.000 CPU, 0 MiB; the most that one node of east has is 1.000 CPU, 65536 MiB
    | west ClusterUnhealthy: west is not connected
agent west up
    cluster_put cluster=2 state=1 session_epoch=1 name=west uid=uid
    west <- welcome session=1
    west <- ack 1
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoMatchingCluster: needs 2.000 CPU, 0 MiB; the most that one node of east has is 1.000 CPU, 65536 MiB
    | west NoMatchingCluster: needs 2.000 CPU, 0 MiB; the most that one node of west has is 0.000 CPU, 0 MiB

# jobs that differ in deadline and retries only are of one shape: they stand in one line, and need the room of one
config shapes_max=1 queue_percent=100
. queue ml
. cluster east
submit ml cpu=8
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
submit ml cpu=8 deadline=60
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 deadline_s=60
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
submit ml cpu=8 retries=3
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 retries_max=3
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
submit ml cpu=8 deadline=90 retries=1
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 deadline_s=90 retries_max=1
    audit tenant=1 actor=ann body=submit job-4+1
    answer ok
    | job-4
submit ml cpu=4
    answer ok
    | full: open jobs have 1 different shapes, the most there can be
. agent east up n1 cpu=8
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=2 nodes=1
    east <- ack 2
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    mark_set job=2 kind=3 value=1000
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 succeeded Succeeded is_array=0 has_marks=1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=3 nodes=1
    east <- ack 3
agent east reports 3/0#1 r0 exited 0
    replica_phase job=3 element=0 n=1 replica=0 exited exit_code=0
    element_end job=3 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=3 succeeded Succeeded is_array=0
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-4/0#1 seq=4 nodes=1
    east <- ack 4

# a queue counts its jobs by state: where they are, where they go, and over a reload
. queue ml
. queue urgent
. cluster east
. agent east up n1 cpu=4
. submit ml cpu=2
. submit ml cpu=2
. submit ml cpu=2
. submit ml cpu=2 held
queues
    answer ok
    | queue ml jobs=4 held=1 queued=1 starting=2
    | queue urgent jobs=0
. agent east reports 1/0#1 r0 created
. agent east reports 1/0#1 r0 running
queues
    answer ok
    | queue ml jobs=4 held=1 queued=1 starting=1 running=1
    | queue urgent jobs=0
. hold 3
. edit 3 queue=urgent
. cancel 2
. release 4
queues
    answer ok
    | queue ml jobs=3 queued=1 running=1 stopping=1
    | queue urgent jobs=1 held=1
reload
queues
    answer ok
    | queue ml jobs=3 queued=1 starting=1 stopping=1
    | queue urgent jobs=1 held=1
. agent east up n1 cpu=4
. agent east reports 1/0#1 r0 running
. cancel 1
queues
    answer ok
    | queue ml jobs=2 starting=1 stopping=1
    | queue urgent jobs=1 held=1

# a claim that its own queue uses up ends where it keeps another queue from one
. queue ml
. queue dev
. cluster east
. agent east up n1 cpu=8
. submit ml prio=9 cpu=4 x4 limit=1
. submit ml cpu=8
. submit dev cpu=6
explain 2
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-2 queued InsufficientCapacity
    | east InsufficientCapacity: needs 8.000 CPU, 0 MiB; east has 4.000 CPU, 65536 MiB free of 8.000 CPU, 65536 MiB
explain 3
    answer ok: clusters that could run it are busy
    | job-3 queued InsufficientCapacity
    | east InsufficientCapacity: needs 6.000 CPU, 0 MiB; east has 4.000 CPU, 65536 MiB free of 8.000 CPU, 65536 MiB
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- ack 2
explain 2
    answer ok: clusters that could run it are busy
    | job-2 queued InsufficientCapacity
    | east InsufficientCapacity: needs 8.000 CPU, 0 MiB; east has 4.000 CPU, 65536 MiB free of 8.000 CPU, 65536 MiB
explain 3
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-3 queued InsufficientCapacity
    | east InsufficientCapacity: needs 6.000 CPU, 0 MiB; east has 4.000 CPU, 65536 MiB free of 8.000 CPU, 65536 MiB
agent east reports 1/1#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=3 nodes=1
    east <- ack 3
