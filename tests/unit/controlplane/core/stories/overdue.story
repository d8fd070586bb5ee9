A cluster is connected and does not answer.

# a START that is not confirmed in a minute ends its attempt, uncharged, and a late replica is stopped
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
tick 59s
read 1
    answer ok
    | job-1 starting Dispatching on east attempt=1
tick 1s
  61.000s
    attempt_end job=1 element=0 n=1 StartUnconfirmed exit_code=0 ready_at=71812
    east <- stop job-1/0#1 seq=2 StartUnconfirmed
read 1
    answer ok
    | job-1 queued BackoffUntil
agent east reports 1/0#1 r0 created
    east <- stop job-1/0#1 seq=3 NeverArrived
    east <- ack 2
tick 12s
  71.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=4 nodes=1
agent east reports 1/0#2 r0 created
    replica_phase job=1 element=0 n=2 replica=0 created exit_code=0
    east <- go job-1/0#2 seq=5
    east <- ack 3
tick 240h

# the room of an unconfirmed attempt is not given away before its agent reports the node with its START
. queue ml
. cluster east
. agent east up n1 cpu=1
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
tick 60s
  61.000s
    attempt_end job=1 element=0 n=1 StartUnconfirmed exit_code=0 ready_at=71812
    east <- stop job-1/0#1 seq=2 StartUnconfirmed
tick 12s
agent east nodes mark=0 n1 cpu=1
    east <- ack 2
agent east nodes mark=1 n1 cpu=1
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=3 nodes=1
    east <- ack 3

# a gang of which one replica is missing ends like that
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml replicas=2 cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=(5 bytes)
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1,1
agent east reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    east <- ack 2
tick 60s
  61.000s
    attempt_end job=1 element=0 n=1 StartUnconfirmed exit_code=0 ready_at=71812
    east <- stop job-1/0#1 seq=2 StartUnconfirmed

# an attempt that is to stop is not ended by its START
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
tick 30s
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=2 Cancelled
    answer ok
tick 30s
read 1
    answer ok
    | job-1 stopping Cancelled on east attempt=1
tick 30s
  91.000s
    east <- stop job-1/0#1 seq=3 Cancelled
read 1
    answer ok
    | job-1 stopping StopUnanswered on east attempt=1

# a STOP without an end is repeated and named, and never ends the attempt
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=2 Cancelled
    answer ok
tick 59s
read 1
    answer ok
    | job-1 stopping Cancelled on east attempt=1
tick 1s
  61.000s
    east <- stop job-1/0#1 seq=3 Cancelled
read 1
    answer ok
    | job-1 stopping StopUnanswered on east attempt=1
explain 1
    answer ok: told to stop, again and again, and its cluster does not say that it has
    | job-1 stopping StopUnanswered on east attempt=1
    | east Fits: fits on east now
tick 300s
  121.000s
    east <- stop job-1/0#1 seq=4 Cancelled
  181.000s
    east <- stop job-1/0#1 seq=5 Cancelled
  241.000s
    east <- stop job-1/0#1 seq=6 Cancelled
  301.000s
    east <- stop job-1/0#1 seq=7 Cancelled
  361.000s
    east <- stop job-1/0#1 seq=8 Cancelled
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=d
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    east <- ack 3

# a session whose inventory does not end is closed, and the cluster falls silent all the same
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
agent east lost
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
tick 30s
  31.000s
    east <- bye torn: the inventory did not end within 30 s; connect again
agent east hello
    cluster_put cluster=1 state=1 session_epoch=3 name=east uid=uid
    east <- welcome session=3
tick 30s
  61.000s
    cluster_phase cluster=1 phase=0
    east <- bye torn: the inventory did not end within 30 s; connect again
read 1
    answer ok: cluster east is silent: it may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 running ClusterSilent on east attempt=1 unknown since 61s
agent east hello
    cluster_put cluster=1 state=1 session_epoch=4 name=east uid=uid
    east <- welcome session=4
agent east inventory 1/0#1 r0 running, end
    cluster_phase cluster=1 phase=1

# no time counts against a cluster while the database is away
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
db away
tick 600s
db back
tick 59s
tick 1s
  661.000s
    attempt_end job=1 element=0 n=1 StartUnconfirmed exit_code=0 ready_at=671812
    east <- stop job-1/0#1 seq=2 StartUnconfirmed
