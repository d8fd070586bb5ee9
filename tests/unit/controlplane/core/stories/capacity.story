What is free, and for whom.

# a start is deducted until a report includes it, and not twice
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=3
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
agent east nodes n1 cpu=8 mark=0
    east <- ack 2
explain 1
    answer ok: placed; its cluster is creating it
    | job-1 starting Dispatching on east attempt=1
    | east Fits: fits on east now
submit ml cpu=3
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    east <- start job-2/0#1 seq=2 nodes=1
agent east nodes n1 cpu=8 free=5 mark=1
    east <- ack 3
explain 1
    answer ok: placed; its cluster is creating it
    | job-1 starting Dispatching on east attempt=1
    | east InsufficientCapacity: needs 3.000 CPU, 0 MiB; east has 2.000 CPU, 65536 MiB free of 8.000 CPU, 65536 MiB
agent east nodes n1 cpu=8 free=2 mark=2
    east <- ack 4
explain 1
    answer ok: placed; its cluster is creating it
    | job-1 starting Dispatching on east attempt=1
    | east InsufficientCapacity: needs 3.000 CPU, 0 MiB; east has 2.000 CPU, 65536 MiB free of 8.000 CPU, 65536 MiB

# an exit gives back at once what the start took
. queue ml
. cluster east
. agent east up n1 cpu=4
. submit ml cpu=4
submit ml cpu=4
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
agent east nodes n1 cpu=4 free=0
    east <- ack 2
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=2 nodes=1
    east <- ack 3

# replicas of a gang give back one by one
. queue ml
. cluster east
. agent east up n1 cpu=4
. submit ml replicas=2 cpu=2
. submit ml cpu=2
agent east reports 1/0#1 r0 running, 1/0#1 r1 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 running exit_code=0
    east <- ack 3
agent east reports 1/0#1 r1 exited 0
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=0
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=2 nodes=1
    east <- ack 4

# a report replaces what was known, and a node that is not ready takes nothing
. queue ml
. cluster east
. agent east up n1 cpu=8
agent east nodes n1 cpu=8 free=0
    east <- ack 2
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
agent east nodes n1 cpu=8 notready
    east <- ack 3
agent east nodes n1 cpu=8 free=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- ack 4

# giving up a lost START adds no room: the agent's report already has it as free
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml replicas=2 cpu=5
2s agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory end
agent east nodes n1 cpu=8
    east <- ack 1
submit ml cpu=6
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    east <- start job-2/0#1 seq=1 nodes=1
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=2 Cancelled
    answer ok
agent east reports 1/0#1 all absent
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    east <- ack 2
explain 2
    answer ok: placed; its cluster is creating it
    | job-2 starting Dispatching on east attempt=1
    | east InsufficientCapacity: needs 6.000 CPU, 0 MiB; east has 2.000 CPU, 65536 MiB free of 8.000 CPU, 65536 MiB
submit ml cpu=4
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3

# a gang goes all or nothing, over the nodes of one cluster
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=4, n2 cpu=3
. agent west up n1 cpu=2, n2 cpu=2, n3 cpu=2
submit ml replicas=5 cpu=2
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoMatchingCluster: needs 5 x (2.000 CPU, 0 MiB); the most that one node of east has is 4.000 CPU, 65536 MiB
    | west NoMatchingCluster: needs 5 x (2.000 CPU, 0 MiB); the most that one node of west has is 2.000 CPU, 65536 MiB
submit ml replicas=4 cpu=1 + replicas=2 cpu=1
    shape_new shape=2 body=(18 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=(17 bytes)
    answer ok
    | job-2
    east <- start job-2/0#1 seq=1 nodes=1,1,1,1,2,2
submit ml replicas=3 cpu=2
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=2 nodes=(8 bytes)
    answer ok
    | job-3
    west <- start job-3/0#1 seq=1 nodes=1,2,3

# roles share the nodes
. queue ml
. cluster east
. agent east up n1 cpu=4, n2 cpu=4
submit ml cpu=3 + replicas=2 cpu=2 + cpu=1
    shape_new shape=1 body=(24 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=(11 bytes)
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1,2,2,1

# the least loaded cluster takes it
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. agent west up n1 cpu=4
submit ml x4 cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=4 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=2 nodes=n1
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
    west <- start job-1/1#1 seq=1 nodes=1
    east <- start job-1/2#1 seq=2 nodes=1
    east <- start job-1/3#1 seq=3 nodes=1

# the load of a cluster is that of what it has least left of: CPU, memory or GPUs
. queue ml
. cluster cpus
. cluster memory
. cluster gpus
. cluster evenly
. agent cpus up n1 cpu=10 mem=10 gpu=10
. agent memory up n1 cpu=10 mem=10 gpu=10
. agent gpus up n1 cpu=10 mem=10 gpu=10
. agent evenly up n1 cpu=10 mem=10 gpu=10
. submit ml clusters=cpus cpu=7
. submit ml clusters=memory mem=6
. submit ml clusters=gpus gpu=5
. submit ml clusters=evenly cpu=4 mem=4 gpu=4
submit ml x7 cpu=1
    shape_new shape=5 body=(12 bytes)
    job_new job=5 tenant=1 queue=1 shape=5 priority=0 elements=7 spec=00000000
    audit tenant=1 actor=ann body=submit job-5+1
    attempt_new job=5 element=0 n=1 incarnation=1 cluster=4 nodes=n1
    attempt_new job=5 element=1 n=1 incarnation=1 cluster=3 nodes=n1
    attempt_new job=5 element=2 n=1 incarnation=1 cluster=3 nodes=n1
    attempt_new job=5 element=3 n=1 incarnation=1 cluster=3 nodes=n1
    attempt_new job=5 element=4 n=1 incarnation=1 cluster=3 nodes=n1
    attempt_new job=5 element=5 n=1 incarnation=1 cluster=3 nodes=n1
    attempt_new job=5 element=6 n=1 incarnation=1 cluster=3 nodes=n1
    answer ok
    | job-5
    evenly <- start job-5/0#1 seq=2 nodes=1
    gpus <- start job-5/1#1 seq=2 nodes=1
    gpus <- start job-5/2#1 seq=3 nodes=1
    gpus <- start job-5/3#1 seq=4 nodes=1
    gpus <- start job-5/4#1 seq=5 nodes=1
    gpus <- start job-5/5#1 seq=6 nodes=1
    gpus <- start job-5/6#1 seq=7 nodes=1

# the core finds the least loaded of many clusters after each start, and after loads that went up and down
. queue ml
. cluster a
. cluster b
. cluster c
. cluster d
. cluster e
. cluster f
. agent a up n1 cpu=20
. agent b up n1 cpu=20
. agent c up n1 cpu=20
. agent d up n1 cpu=20
. agent e up n1 cpu=20
. agent f up n1 cpu=20
. submit ml clusters=a cpu=9
. submit ml clusters=b cpu=6
. submit ml clusters=c cpu=8
. submit ml clusters=d cpu=3
. submit ml clusters=e cpu=7
. submit ml clusters=f cpu=5
submit ml x9 cpu=1
    shape_new shape=7 body=(12 bytes)
    job_new job=7 tenant=1 queue=1 shape=7 priority=0 elements=9 spec=00000000
    audit tenant=1 actor=ann body=submit job-7+1
    attempt_new job=7 element=0 n=1 incarnation=1 cluster=4 nodes=n1
    attempt_new job=7 element=1 n=1 incarnation=1 cluster=4 nodes=n1
    attempt_new job=7 element=2 n=1 incarnation=1 cluster=4 nodes=n1
    attempt_new job=7 element=3 n=1 incarnation=1 cluster=6 nodes=n1
    attempt_new job=7 element=4 n=1 incarnation=1 cluster=2 nodes=n1
    attempt_new job=7 element=5 n=1 incarnation=1 cluster=4 nodes=n1
    attempt_new job=7 element=6 n=1 incarnation=1 cluster=6 nodes=n1
    attempt_new job=7 element=7 n=1 incarnation=1 cluster=2 nodes=n1
    attempt_new job=7 element=8 n=1 incarnation=1 cluster=4 nodes=n1
    answer ok
    | job-7
    d <- start job-7/0#1 seq=2 nodes=1
    d <- start job-7/1#1 seq=3 nodes=1
    d <- start job-7/2#1 seq=4 nodes=1
    f <- start job-7/3#1 seq=2 nodes=1
    b <- start job-7/4#1 seq=2 nodes=1
    d <- start job-7/5#1 seq=5 nodes=1
    f <- start job-7/6#1 seq=3 nodes=1
    b <- start job-7/7#1 seq=3 nodes=1
    d <- start job-7/8#1 seq=6 nodes=1
agent a nodes n1 cpu=20 free=20 mark=1
    a <- ack 2
agent c nodes n1 cpu=20 free=18 mark=1
    c <- ack 2
submit ml x6 cpu=1
    job_new job=8 tenant=1 queue=1 shape=7 priority=0 elements=6 spec=00000000
    audit tenant=1 actor=ann body=submit job-8+1
    attempt_new job=8 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=8 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=8 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=8 element=3 n=1 incarnation=1 cluster=3 nodes=n1
    attempt_new job=8 element=4 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=8 element=5 n=1 incarnation=1 cluster=3 nodes=n1
    answer ok
    | job-8
    a <- start job-8/0#1 seq=2 nodes=1
    a <- start job-8/1#1 seq=3 nodes=1
    a <- start job-8/2#1 seq=4 nodes=1
    c <- start job-8/3#1 seq=2 nodes=1
    a <- start job-8/4#1 seq=5 nodes=1
    c <- start job-8/5#1 seq=3 nodes=1

# a cordoned cluster takes nothing new and keeps what it has
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
cordon east upgrade
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid cordon=upgrade
    audit tenant=1 actor=ann body=cluster_cordon east upgrade
    answer ok
submit ml cpu=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
explain 2
    answer ok: clusters that could run it are silent or cordoned
    | job-2 queued ClusterUnhealthy
    | east ClusterUnhealthy: east is cordoned: upgrade
agent east reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    east <- go job-1/0#1 seq=2
    east <- ack 2
cordon east upgrade
    answer ok
reload
agent east hello resync
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid cordon=upgrade
    east <- resync session=2
agent east inventory 1/0#1 r0 running, end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
agent east nodes n1 cpu=8 free=7
    east <- ack 1
uncordon east
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    audit tenant=1 actor=ann body=cluster_cordon east off
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-2/0#1 seq=1 nodes=1

# clusters and notClusters decide where it may go
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. agent west up n1 cpu=8
submit ml cpu=1 clusters=west
    shape_new shape=1 body=(17 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=2 nodes=n1
    answer ok
    | job-1
    west <- start job-1/0#1 seq=1 nodes=1
submit ml cpu=1 not=east,north
    shape_new shape=2 body=(23 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=2 nodes=n1
    answer ok
    | job-2
    west <- start job-2/0#1 seq=2 nodes=1
submit waits ml cpu=1 clusters=north
    shape_new shape=3 body=(18 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
explain 3
    answer ok: no cluster could run it, even when empty
    | job-3 queued NoMatchingCluster
    | east ClusterExcluded: the job's clusters or notClusters exclude east
    | west ClusterExcluded: the job's clusters or notClusters exclude west

# the node selector wants every label on every node
. queue ml
. cluster east
. agent east up n1 cpu=8 labels=disk:ssd, n2 cpu=8 labels=disk:ssd;zone:a
submit ml replicas=2 cpu=1 select=disk:ssd;zone:a
    shape_new shape=1 body=(28 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=(5 bytes)
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=2,2
submit ml cpu=1 select=disk:hdd
    shape_new shape=2 body=(21 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
explain 2
    answer ok: no cluster could run it, even when empty
    | job-2 queued NoMatchingCluster
    | east NodeSelectorUnmatched: none of 2 nodes of east carries the node labels asked for

# a job with an image needs a runtime that has images
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 image
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoImages: the job has an image or mounts, and east runs processes
agent east hello images
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory end
agent east nodes n1 cpu=8
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- ack 1

# a cluster with too many unconfirmed starts gets no more until its agent confirms one
config unconfirmed_max=2
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml x3 cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
explain 1
    answer ok: placed; its cluster is creating it
    | job-1 starting Dispatching elements=3 started=2 live=2 succeeded=0 failed=0 cancelled=0 on east attempt=1
    | east DispatchLimit: east has 2 starts to confirm, the most it may
agent east reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- go job-1/0#1 seq=3
    east <- start job-1/2#1 seq=4 nodes=1
    east <- ack 2

# a node with a name too many is left out, the others are not
config nodes_max=2
. queue ml
. cluster east
. agent east up n1 cpu=1, n2 cpu=1, n3 cpu=9
submit ml cpu=2
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
submit ml replicas=2 cpu=1
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=(5 bytes)
    answer ok
    | job-2
    east <- start job-2/0#1 seq=1 nodes=1,2

# nothing fits because no node is known: a cluster without nodes runs nothing, and holds up no job
. queue ml
. queue dev
. cluster east
. cluster west
. agent east up n1 cpu=1
. agent west up
submit ml cpu=2
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
    | east NoMatchingCluster: needs 2.000 CPU, 0 MiB; the most that one node of east has is 1.000 CPU, 65536 MiB
    | west NoMatchingCluster: needs 2.000 CPU, 0 MiB; the most that one node of west has is 0.000 CPU, 0 MiB

# a lost START goes again only where there is still room for it
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml replicas=2 cpu=5
2s agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory end
agent east nodes n1 cpu=8
    east <- ack 1
submit ml cpu=4
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    east <- start job-2/0#1 seq=1 nodes=1
agent east nodes n2 cpu=8 number=2
    east <- ack 2
tick 31s
  32.000s
    attempt_end job=1 element=0 n=1 NeverArrived exit_code=0 ready_at=32000

# a lost START waits for its node to be ready again
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml replicas=2 cpu=5
. 2s agent east hello
. agent east inventory end
agent east nodes n1 cpu=8, n2 cpu=8 notready
    east <- ack 1
agent east nodes n2 cpu=8 number=2
    east <- start job-1/0#1 seq=1 nodes=1,2
    east <- ack 2

# a lost START does not go again to a node that is not ready in time
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml replicas=2 cpu=5
. 2s agent east hello
. agent east inventory end
agent east nodes n1 cpu=8, n2 cpu=8 notready
    east <- ack 1
tick 31s
  32.000s
    attempt_end job=1 element=0 n=1 NeverArrived exit_code=0 ready_at=32000

# a lost START of several roles goes again to the nodes it shares
. queue ml
. cluster east
. agent east up n1 cpu=4, n2 cpu=4
. submit ml cpu=3 + replicas=2 cpu=2 + cpu=1
2s agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory end
agent east nodes n1 cpu=4, n2 cpu=4
    east <- start job-1/0#1 seq=1 nodes=1,2,2,1
    east <- ack 1
explain 1
    answer ok: placed; its cluster is creating it
    | job-1 starting Dispatching on east attempt=1
    | east InsufficientCapacity: needs 4 replicas of 3 roles, the first 3.000 CPU, 0 MiB each; east has 0.000 CPU, 131072 MiB free of 8.000 CPU, 131072 MiB

# a start that a report leaves no room for gives nothing back that was never there
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=4
agent east nodes n1 cpu=8 free=1 mark=0
    east <- ack 2
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 3
nodes east
    answer ok
    | node n1 number=1 cpu=1/8
submit ml cpu=4
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2

# a resource with a name is counted as the others are
. queue ml
. cluster east
. agent east up n1 cpu=8 rdma/hca=4, n2 cpu=8 rdma/hca=1 x.io/fpga=2
. submit ml cpu=1 rdma/hca=2 x4
5s queues
    answer ok
    | queue ml jobs=1 starting=1
6s explain 1
    answer ok: placed; its cluster is creating it
    | job-1 starting Dispatching elements=4 started=2 live=2 succeeded=0 failed=0 cancelled=0 on east attempt=1
    | east InsufficientCapacity: needs 1.000 CPU, 0 MiB, 2 rdma/hca; east has 14.000 CPU, 131072 MiB, 1 rdma/hca free of 16.000 CPU, 131072 MiB, 5 rdma/hca
7s submit ml rdma/hca=1 x.io/fpga=1
    shape_new shape=2 body=(33 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n2
    answer ok
    | job-2
    east <- start job-2/0#1 seq=3 nodes=2
8s submit ml cpu=1 + rdma/hca=1 cpu=1 replicas=2
    shape_new shape=3 body=(30 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
9s explain 3
    answer ok: clusters that could run it are busy
    | job-3 queued InsufficientCapacity
    | east InsufficientCapacity: needs 3 replicas of 2 roles, the first 1.000 CPU, 0 MiB, 0 rdma/hca each; east has 14.000 CPU, 131072 MiB, 0 rdma/hca free of 16.000 CPU, 131072 MiB, 5 rdma/hca

# a name that no node has offered fits nowhere, until one does
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x.io/fpga=1
    shape_new shape=1 body=(24 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
1s explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoMatchingCluster: needs 1.000 CPU, 0 MiB, 1 x.io/fpga; the most that one node of east has is 8.000 CPU, 65536 MiB, 0 x.io/fpga
2s agent east nodes n1 cpu=8, n2 cpu=8 x.io/fpga=1
    resource_put resource=1 name=x.io/fpga
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n2
    east <- start job-1/0#1 seq=1 nodes=2
    east <- ack 2
3s submit ml x.io/fpga=1
    shape_new shape=2 body=(23 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
4s explain 2
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n2): others use that only as long as it starts no later
    | job-2 queued InsufficientCapacity
    | east InsufficientCapacity: needs 0.000 CPU, 0 MiB, 1 x.io/fpga; east has 15.000 CPU, 131072 MiB, 0 x.io/fpga free of 16.000 CPU, 131072 MiB, 1 x.io/fpga

# names and what is held of them live on in a fresh core
. queue ml
. cluster east
. agent east up n1 cpu=8 x.io/fpga=2 rdma/hca=2
. submit ml x.io/fpga=1
. submit ml x.io/fpga=2
reload
1s agent east up n1 cpu=8 rdma/hca=2 x.io/fpga=2
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
    attempt_end job=1 element=0 n=1 NeverArrived exit_code=0 outputs=l ready_at=1000
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=1 nodes=1
    east <- ack 1
2s explain 2
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-2 queued InsufficientCapacity
    | east InsufficientCapacity: needs 0.000 CPU, 0 MiB, 2 x.io/fpga; east has 8.000 CPU, 65536 MiB, 1 x.io/fpga free of 8.000 CPU, 65536 MiB, 2 x.io/fpga

# a claim keeps what its job asks for by name
. queue big
. queue small
. cluster east
. agent east up n1 cpu=8 rdma/hca=4
. submit small cpu=1 rdma/hca=3
. submit big cpu=1 rdma/hca=4
5s submit small cpu=1 rdma/hca=1 x3
    shape_new shape=3 body=(23 bytes)
    job_new job=3 tenant=1 queue=2 shape=3 priority=0 elements=3 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
6s explain 3
    answer ok: there is room, and jobs that were first and wait for more have claimed it
    | job-3 queued Claimed elements=3 started=0 live=0 succeeded=0 failed=0 cancelled=0
    | east Claimed: needs 1.000 CPU, 0 MiB, 1 rdma/hca; east has 7.000 CPU, 65536 MiB, 1 rdma/hca free, of which earlier jobs (1) have claimed 1.000 CPU, 0 MiB, 4 rdma/hca

# one cluster brings in sixteen names, and another's are not lost by it
. queue ml
. cluster east
. cluster west
. agent east up n1 x.io/r0=1 x.io/r1=1 x.io/r2=1 x.io/r3=1 x.io/r4=1 x.io/r5=1 x.io/r6=1 x.io/r7=1, n2 x.io/r8=1 x.io/r9=1 x.io/r10=1 x.io/r11=1 x.io/r12=1 x.io/r13=1 x.io/r14=1 x.io/r15=1, n3 x.io/r16=1 x.io/r17=1
. agent west up n1 x.io/r20=1
. submit ml x.io/r17=1
. submit ml x.io/r20=1
. submit ml x.io/r0=1
5s explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoMatchingCluster: needs 0.000 CPU, 0 MiB, 1 x.io/r17; the most that one node of east has is 0.000 CPU, 65536 MiB, 0 x.io/r17
    | west NoMatchingCluster: needs 0.000 CPU, 0 MiB, 1 x.io/r17; the most that one node of west has is 0.000 CPU, 65536 MiB, 0 x.io/r17
5s explain 2
    answer ok: placed; its cluster is creating it
    | job-2 starting Dispatching on west attempt=1
    | east NoMatchingCluster: needs 0.000 CPU, 0 MiB, 1 x.io/r20; the most that one node of east has is 0.000 CPU, 65536 MiB, 0 x.io/r20
    | west InsufficientCapacity: needs 0.000 CPU, 0 MiB, 1 x.io/r20; west has 0.000 CPU, 65536 MiB, 0 x.io/r20 free of 0.000 CPU, 65536 MiB, 1 x.io/r20
5s explain 3
    answer ok: placed; its cluster is creating it
    | job-3 starting Dispatching on east attempt=1
    | east InsufficientCapacity: needs 0.000 CPU, 0 MiB, 1 x.io/r0; east has 0.000 CPU, 196608 MiB, 0 x.io/r0 free of 0.000 CPU, 196608 MiB, 1 x.io/r0
    | west NoMatchingCluster: needs 0.000 CPU, 0 MiB, 1 x.io/r0; the most that one node of west has is 0.000 CPU, 65536 MiB, 0 x.io/r0

# a cluster and its nodes show what has a name, also what none is left of
. queue ml
. cluster east
. agent east up n1 cpu=8 rdma/hca=4, n2 cpu=8 rdma/hca=1 ephemeral-storage=10737418240
. submit ml cpu=1 rdma/hca=1 ephemeral-storage=1073741824
. submit ml cpu=1 rdma/hca=5
5s clusters
    answer ok
    | east uid=uid open connected attempts=1 nodes=2/2 cpu=15/16 generation=0 rdma/hca=4/5 ephemeral-storage=9663676416/10737418240
5s nodes east
    answer ok
    | node n1 number=1 cpu=8/8 rdma/hca=4/4
    | node n2 number=2 cpu=7/8 rdma/hca=0/1 ephemeral-storage=9663676416/10737418240
5s explain 2
    answer ok: no cluster could run it, even when empty
    | job-2 queued NoMatchingCluster
    | east NoMatchingCluster: needs 1.000 CPU, 0 MiB, 5 rdma/hca; the most that one node of east has is 8.000 CPU, 65536 MiB, 4 rdma/hca
6s submit ml cpu=1 ephemeral-storage=10737418240
    shape_new shape=3 body=(36 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
7s explain 3
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n2): others use that only as long as it starts no later
    | job-3 queued InsufficientCapacity
    | east InsufficientCapacity: needs 1.000 CPU, 0 MiB, 10240 MiB ephemeral-storage; east has 15.000 CPU, 131072 MiB, 9216 MiB ephemeral-storage free of 16.000 CPU, 131072 MiB, 10240 MiB ephemeral-storage

# a cluster with two kinds of accelerators has no gpus, and explain names both kinds
. queue ml
. cluster east
. agent east up n1 cpu=8 amd.com/gpu=8 rdma/hca=1, n2 cpu=8 nvidia.com/gpu=2
. submit ml cpu=1 gpu=1
5s explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoMatchingCluster: needs 1.000 CPU, 0 MiB, 1 GPU; the most that one node of east has is 8.000 CPU, 65536 MiB; accelerators are there by name only (amd.com/gpu, nvidia.com/gpu): ask for one of these, or let the agent's kube_accelerator say which of them gpus are
