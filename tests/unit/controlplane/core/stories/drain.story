Draining a cluster.

# a drained cluster takes no new work, and what runs there may end
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
drain east
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid cordon=drained
    audit tenant=1 actor=ann body=cluster_drain east wait attempts=1
    answer ok id=1
clusters
    answer ok
    | east uid=uid open connected attempts=1 nodes=1/1 cpu=7/8 generation=0 cordon=drained
submit ml cpu=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 3
uncordon east
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    audit tenant=1 actor=ann body=cluster_cordon east off
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-2/0#1 seq=2 nodes=1

# an attempt that a drain stops runs again elsewhere, uncharged, also when the control plane was loaded anew
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
drain east stop upgrade
    cluster_put cluster=1 state=1 is_draining=1 session_epoch=1 name=east uid=uid cordon=upgrade
    audit tenant=1 actor=ann body=cluster_drain east stop attempts=1
    east <- stop job-1/0#1 seq=2 Drained
    answer ok id=1
read 1
    answer ok
    | job-1 running on east attempt=1
uncordon east
    answer conflict: it is being drained; wait until what is stopped there has ended
reload
agent east hello
    cluster_put cluster=1 state=1 is_draining=1 session_epoch=2 name=east uid=uid cordon=upgrade
    east <- welcome session=2
agent east inventory 1/0#1 r0 running end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    east <- stop job-1/0#1 seq=1 Drained
. agent west up n2 cpu=8
agent east reports 1/0#1 r0 exited 143
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=143
    attempt_end job=1 element=0 n=1 Drained exit_code=0 outputs=d ready_at=1000
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=2 nodes=n2
    west <- start job-1/0#2 seq=1 nodes=1
    east <- ack 1
uncordon east
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    audit tenant=1 actor=ann body=cluster_cordon east off
    answer ok

# a drain of a silent cluster stops what lives there once it is back
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
. agent east lost
drain east stop
    cluster_put cluster=1 state=1 is_draining=1 session_epoch=1 name=east uid=uid cordon=drained
    audit tenant=1 actor=ann body=cluster_drain east stop attempts=1
    answer ok id=1
drain east stop
    answer ok id=1
agent east hello
    cluster_put cluster=1 state=1 is_draining=1 session_epoch=2 name=east uid=uid cordon=drained
    east <- welcome session=2
agent east inventory 1/0#1 r0 running end
    east <- stop job-1/0#1 seq=1 Drained
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    attempt_end job=1 element=0 n=1 Drained exit_code=0 outputs=d ready_at=1000
    east <- ack 1
forget east
    answer conflict: east is connected; stop its agent first, since what runs there would run twice

# a replica that finished before the STOP of a drain reached it has succeeded, and does not run again
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. submit ml replicas=2
. agent east reports 1/0#1 r0-1 created
. agent east reports 1/0#1 r0-1 running
. agent west up w1 cpu=8
drain east stop
    cluster_put cluster=1 state=1 is_draining=1 session_epoch=1 name=east uid=uid cordon=drained
    audit tenant=1 actor=ann body=cluster_drain east stop attempts=1
    east <- stop job-1/0#1 seq=3 Drained
    answer ok id=1
agent east reports 1/0#1 r0 exited 0 finished
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    east <- ack 6
agent east reports 1/0#1 r1 exited 0 finished
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=dd
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 7

# a gang runs again when it is not known whether STOP ended one of its replicas
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. submit ml replicas=2
. agent east reports 1/0#1 r0-1 created
. agent east reports 1/0#1 r0-1 running
. agent west up w1 cpu=8
drain east stop
    cluster_put cluster=1 state=1 is_draining=1 session_epoch=1 name=east uid=uid cordon=drained
    audit tenant=1 actor=ann body=cluster_drain east stop attempts=1
    east <- stop job-1/0#1 seq=3 Drained
    answer ok id=1
agent east reports 1/0#1 r0 exited 0 finished
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    east <- ack 6
agent east reports 1/0#1 r1 exited 0
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=0
    attempt_end job=1 element=0 n=1 Drained exit_code=0 outputs=dd ready_at=1000
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=2 nodes=(5 bytes)
    west <- start job-1/0#2 seq=1 nodes=1,1
    east <- ack 7
