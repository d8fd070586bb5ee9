Nodes that come and go under ever new names.

# an agent reports new nodes long after nodes_max others, and the core places work on them
config nodes_max=2
. queue ml
. cluster east
. agent east up a1 cpu=4, a2 cpu=2
submit ml cpu=4
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=a1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
agent east nodes a2 cpu=0 mem=0 notready number=2
    east <- ack 2
agent east nodes b2 cpu=8 number=2
    east <- ack 3
submit ml cpu=8
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=b2
    answer ok
    | job-2
    east <- start job-2/0#1 seq=2 nodes=2
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 succeeded Succeeded is_array=0
    east <- ack 4
agent east nodes b2 cpu=0 mem=0 notready number=2
    east <- ack 5
agent east nodes c2 cpu=6 number=3
    east <- ack 6
submit ml cpu=6
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=c2
    answer ok
    | job-3
    east <- start job-3/0#1 seq=3 nodes=3
nodes east
    answer ok
    | node a1 number=1 cpu=0/4
    | node c2 number=3 cpu=0/6
agent east nodes d3 cpu=6 number=4
    east <- ack 7
reload
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r0 running, 3/0#1 r0 running end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=3 element=0 n=1 replica=0 running exit_code=0
agent east nodes d1 cpu=4 number=1, d2 cpu=6 number=2
    east <- ack 1
submit ml cpu=6
    job_new job=4 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-4+1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=d2
    answer ok
    | job-4
    east <- start job-4/0#1 seq=1 nodes=2
read 1
    answer ok
    | job-1 running on east attempt=1
read 3
    answer ok
    | job-3 running on east attempt=1
agent east nodes d1 cpu=4 free=4 number=1
    east <- ack 2
agent east reports 1/0#1 r0 exited 0, 3/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    replica_phase job=3 element=0 n=1 replica=0 exited exit_code=0
    element_end job=3 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=3 succeeded Succeeded is_array=0
    east <- ack 4
nodes east
    answer ok
    | node d1 number=1 cpu=4/4
    | node d2 number=2 cpu=0/6

# the nodes of attempts that ended are not loaded, and those of live ones are, however many there were
config nodes_max=1
. queue ml
. cluster east
. agent east up a1 cpu=4
. submit ml x4 cpu=4
. agent east reports 1/0#1 r0 exited 0
agent east nodes b1 cpu=4 number=1
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=b1
    east <- start job-1/2#1 seq=3 nodes=1
    east <- ack 3
. agent east reports 1/1#1 r0 exited 0
agent east nodes c1 cpu=4 number=1
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=c1
    east <- start job-1/3#1 seq=4 nodes=1
    east <- ack 5
reload
read 1
    answer ok
    | job-1 starting Dispatching elements=4 started=4 live=2 succeeded=2 failed=0 cancelled=0
    | element 2#1 assigned on east:b1 pending
    | element 3#1 assigned on east:c1 pending
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/2#1 r0 running end
    replica_phase job=1 element=2 n=1 replica=0 running exit_code=0
    attempt_end job=1 element=3 n=1 NeverArrived exit_code=0 outputs=l ready_at=1000
agent east nodes c1 cpu=4 free=0 number=1
    east <- ack 1
nodes east
    answer ok
    | node c1 number=1 cpu=0/4
agent east reports 1/2#1 r0 exited 0
    replica_phase job=1 element=2 n=1 replica=0 exited exit_code=0
    element_end job=1 element=2 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 2
