Acceptance, placement and the two-step start.

# a job that fits starts in the very batch that accepts it
queue ml
    queue_put queue=1 tenant=1 is_paused=0 name=ml
    audit tenant=1 actor=ann body=queue_put ml
    answer ok id=1
cluster east
    cluster_put cluster=1 state=1 session_epoch=0 name=east uid=uid
    audit tenant=1 actor=ann body=cluster_put east
    answer ok id=1
agent east hello
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
agent east inventory end
agent east nodes n1 cpu=8
    east <- ack 1
submit ml cpu=2 spec=a
    shape_new shape=1 body=(12 bytes)
    spec_new job=0 digest=61616161 body=a
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=61616161
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1

# GO follows only when every replica is created, and the job succeeds when every replica exits with 0
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml replicas=3 cpu=2
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=(8 bytes)
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1,1,1
agent east reports 1/0#1 r0 created, 1/0#1 r2 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    replica_phase job=1 element=0 n=1 replica=2 created exit_code=0
    east <- ack 3
agent east reports 1/0#1 r1 created
    replica_phase job=1 element=0 n=1 replica=1 created exit_code=0
    east <- go job-1/0#1 seq=2
    east <- ack 4
2s agent east reports 1/0#1 r0-2 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 running exit_code=0
    replica_phase job=1 element=0 n=1 replica=2 running exit_code=0
    east <- ack 7
read 1
    answer ok
    | job-1 running on east attempt=1
3s agent east reports 1/0#1 r0 exited 0, 1/0#1 r1 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=0
    east <- ack 9
agent east reports 1/0#1 r2 exited 0
    replica_phase job=1 element=0 n=1 replica=2 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=ddd
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 10
read 1
    answer absent: no open job is called job-1; it may have ended

# GO waits for the reconciled inventory, and a replica past its gate needs none
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
. submit ml cpu=1
2s agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r0-1 created, 2/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 created exit_code=0
    replica_phase job=2 element=0 n=1 replica=0 running exit_code=0
agent east inventory end
    east <- go job-1/0#1 seq=1

# an array starts element by element, as there is room
. queue ml
. cluster east
. agent east up n1 cpu=2
submit ml x4 cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=4 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/2#1 seq=3 nodes=1
    east <- ack 2
agent east reports 1/0#2 r0 exited 0
    east <- ack 3
agent east reports 1/1#1 r0 exited 0, 1/2#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    replica_phase job=1 element=2 n=1 replica=0 exited exit_code=0
    element_end job=1 element=2 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/3#1 seq=4 nodes=1
    east <- ack 5
read 1
    answer ok
    | job-1 starting Dispatching elements=4 started=4 live=1 succeeded=3 failed=0 cancelled=0
    | element 3#1 assigned on east:n1 pending
agent east reports 1/3#1 r0 exited 0
    replica_phase job=1 element=3 n=1 replica=0 exited exit_code=0
    element_end job=1 element=3 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=1
    east <- ack 6

# an array with a failed element fails, with the others of it undisturbed
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml x3 cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- start job-1/2#1 seq=3 nodes=1
agent east reports 1/1#1 r0 exited 7
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=7
    element_end job=1 element=1 n=1 failed ReplicaFailed exit_code=7 first_replica=0 outputs=d
    east <- ack 2
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 3
agent east reports 1/2#1 r0 exited 0
    replica_phase job=1 element=2 n=1 replica=0 exited exit_code=0
    element_end job=1 element=2 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 failed ElementsFailed is_array=1
    east <- ack 4

# nothing starts before the inventory is reconciled, nor before nodes are known
. queue ml
. cluster east
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
agent east hello
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
agent east inventory &
agent east nodes n1 cpu=8
    east <- ack 1
agent east inventory end
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
agent east nodes n1 cpu=8
    east <- ack 2

# a round starts as many as its budget allows, and goes on next turn
config starts_max=2
. queue ml
. cluster east
submit ml x5 cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=5 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
agent east up n1 cpu=8
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=4 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- ack 1
    east <- start job-1/2#1 seq=3 nodes=1
    east <- start job-1/3#1 seq=4 nodes=1
    east <- start job-1/4#1 seq=5 nodes=1

# a hold that comes before the gate opens takes the attempt back
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
hold 1
    audit tenant=1 actor=ann body=hold job-1
    mark_set job=1 kind=1 value=1
    answer ok
agent east reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    east <- stop job-1/0#1 seq=2 HeldBack
    east <- ack 2
agent east reports 1/0#1 r0 refused
    replica_phase job=1 element=0 n=1 replica=0 refused exit_code=0
    attempt_end job=1 element=0 n=1 HeldBack exit_code=0 ready_at=1000
    east <- ack 3
tick 1h
release 1
    audit tenant=1 actor=ann body=release job-1
    mark_clear job=1 kind=1
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/0#2 seq=3 nodes=1
agent east reports 1/0#2 r0 created
    replica_phase job=1 element=0 n=2 replica=0 created exit_code=0
    east <- go job-1/0#2 seq=4
    east <- ack 4

# a job whose GO was on its way when its agent came back, held meanwhile, has run: it succeeds
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml
agent east reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    east <- go job-1/0#1 seq=2
    east <- ack 2
. hold 1
. agent east lost
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r0 created, end
    east <- stop job-1/0#1 seq=1 HeldBack
agent east reports 1/0#1 r0 exited 0 finished
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0 has_marks=1
    east <- ack 1

# a hold after the gate opened lets the job run, also when its agent comes back before it runs
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2
. agent east reports 1/0#1 r0-1 created
hold 1
    audit tenant=1 actor=ann body=hold job-1
    mark_set job=1 kind=1 value=1
    answer ok
agent east reports 1/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    east <- ack 4
agent east lost
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r0 running, 1/0#1 r1 created, end
    east <- go job-1/0#1 seq=1
