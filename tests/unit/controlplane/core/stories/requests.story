What is asked, and how it is answered.

# each job of a request is accepted or refused by itself, and audited as one
. queue ml
submit ml cpu=1 | nowhere cpu=1 | ml cpu=1 name=two | ml x0 cpu=1 | ml badshape
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=two
    audit tenant=1 actor=ann body=submit job-1+2
    answer ok
    | job-1
    | absent: queue "nowhere" does not exist; create it, or name another
    | job-2
    | invalid: a job has 1 to 16777216 elements
    | invalid: the shape's 10 bytes are not what shape_encode writes

# a dry run judges each job as if it came alone, and makes nothing
. queue ml
. submit ml held
submit dry ml cpu=1 after=1 | ml x3 picks=1-3 spec=a | nowhere | ml after=9=absent | ml after=line7 | ml retry_of=1 | ml badshape
    answer ok
    | job-0
    | job-0
    | absent: queue "nowhere" does not exist; create it, or name another
    | absent: job-9, which it is to run after, does not exist
    | job-0
    | conflict: the job to retry has not ended; cancel it or wait for its end
    | invalid: the shape's 10 bytes are not what shape_encode writes
submit key=k dry ml
    answer ok
    | job-0
submit ml held
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2

# a request refused as a whole
. queue ml
submit ml jobs=1001 held
    answer too_large: one request has 1 to 1000 jobs

# elastic jobs are refused by name
. queue ml
submit ml replicas=4 min=2 cpu=1
    answer ok
    | unsupported: a role's min must equal its replicas: elastic jobs are not scheduled
submit ml replicas=4 min=4 held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1

# retry_of names a job that has ended
. queue ml
. submit ml held
submit ml retry_of=1 held
    answer ok
    | conflict: the job to retry has not ended; cancel it or wait for its end
. cancel 1
submit ml retry_of=1 held
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 retry_of=1
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2

# a spec is stored once for each range of ids
. queue ml
submit ml held spec=a | ml held spec=a | ml held spec=b | ml held spec=a
    shape_new shape=1 body=(11 bytes)
    spec_new job=0 digest=61616161 body=a
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=61616161
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=61616161
    mark_set job=2 kind=1 value=1
    spec_new job=0 digest=62626262 body=b
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=62626262
    mark_set job=3 kind=1 value=1
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=61616161
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+4
    answer ok
    | job-1
    | job-2
    | job-3
    | job-4
submit ml held spec=b
    job_new job=5 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=62626262
    mark_set job=5 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-5+1
    answer ok
    | job-5
reload
submit ml held spec=b
    spec_new job=0 digest=62626262 body=b
    job_new job=6 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=62626262
    mark_set job=6 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-6+1
    answer ok
    | job-6

# a submission of which nothing is settled keeps nothing under its key
. queue ml
submit key=k1 nowhere held
    answer ok
    | absent: queue "nowhere" does not exist; create it, or name another

# a submission of which some is settled has its whole answer kept
. queue ml
submit key=k1 ml held | nowhere held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+1
    idempotency tenant=1 body_sha=00000000 key=k1 answer=(34 bytes)
    answer ok
    | job-1
    | absent: queue "nowhere" does not exist; create it, or name another
cancel 1 key=k2
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    idempotency tenant=1 body_sha=00000000 key=k2 answer=(12 bytes)
    answer ok
cancel 1 key=k3
    answer absent: no open job is called job-1; it may have ended
hold 1 key=k4
    answer absent: no open job is called job-1; it may have ended

# at jobs_max further jobs are refused, until one ends
config jobs_max=2 queue_percent=100
. queue ml
submit ml jobs=3 held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    answer ok
    | job-1
    | job-2
    | full: 2 jobs are open, the most there can be
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    answer ok
submit ml held
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3

# ids go only as far as there are partitions
. queue ml
room 3
submit ml jobs=3 held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    answer ok
    | job-1
    | job-2
    | unavailable: no room for further job numbers yet; maintenance makes it, try again
room 4
submit ml held
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3

# elements_max bounds what has started; the rest waits
config elements_max=2
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
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/2#1 seq=3 nodes=1
    east <- ack 2

# queues_max and clusters_max bound queues and clusters, each with an answer
config queues_max=1 clusters_max=1
queue ml
    queue_put queue=1 tenant=1 is_paused=0 name=ml
    audit tenant=1 actor=ann body=queue_put ml
    answer ok id=1
queue dev
    answer full: there are 1 queues, the most there can be; remove one that is empty
queue ml
    answer ok id=1
cluster east
    cluster_put cluster=1 state=1 session_epoch=0 name=east uid=uid
    audit tenant=1 actor=ann body=cluster_put east
    answer ok id=1
cluster west
    answer full: 1 clusters are enrolled, the most there can be; remove one that is gone
cluster east
    answer ok id=1
cluster east uid=other
    answer exists: a cluster of this name, but with another uid, is there already; remove it first, or take another name
. forget east
cluster west
    cluster_put cluster=2 state=1 session_epoch=0 name=west uid=uid
    audit tenant=1 actor=ann body=cluster_put west
    answer ok id=2
cluster north
    answer full: 1 clusters are enrolled, the most there can be; remove one that is gone
reload
cluster north
    answer full: 1 clusters are enrolled, the most there can be; remove one that is gone

# names that are no names are refused
queue Ml
    answer invalid: a queue's name is 1 to 63 characters: a-z, 0-9 and '-', no '-' at an end
queue -ml
    answer invalid: a queue's name is 1 to 63 characters: a-z, 0-9 and '-', no '-' at an end
cluster east_1
    answer invalid: a cluster's name is 1 to 63 characters: a-z, 0-9 and '-', no '-' at an end

# at shapes_max the shape that was idle longest goes, and one in use never does
config shapes_max=2 queue_percent=100
. queue ml
submit ml cpu=1 held | ml cpu=2 held
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    answer ok
    | job-1
    | job-2
submit ml cpu=3 held
    answer ok
    | full: open jobs have 2 different shapes, the most there can be
. cancel 2
. cancel 1
submit ml cpu=3 held
    shape_drop shape=2
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
submit ml cpu=1 held
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-4+1
    answer ok
    | job-4
submit ml cpu=2 held
    answer ok
    | full: open jobs have 2 different shapes, the most there can be

# open jobs may have only so many different shapes and priorities
config shapes_max=1
. queue a
. queue b
. queue c
. queue d
. queue e
submit a held | b held | c held | d held | e held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=3 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=3 kind=1 value=1
    job_new job=4 tenant=1 queue=4 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+4
    answer ok
    | job-1
    | job-2
    | job-3
    | job-4
    | full: open jobs have too many different shapes and priorities

# reading, listing and explaining what is open
. queue ml
. queue dev
. cluster east
. cluster west
. agent east up n1 cpu=4, n2 cpu=4
. submit ml replicas=2 cpu=3 | ml cpu=2 prio=7 held | dev x3 gpu=1 | ml cpu=4
list
    answer ok
    | job-4 queued InsufficientCapacity
    | job-3 queued ClusterUnhealthy elements=3 started=0 live=0 succeeded=0 failed=0 cancelled=0
    | job-2 held Held priority=7
    | job-1 starting Dispatching on east attempt=1
list dev
    answer ok
    | job-3 queued ClusterUnhealthy elements=3 started=0 live=0 succeeded=0 failed=0 cancelled=0
list max=2
    answer ok next=3
    | job-4 queued InsufficientCapacity
    | job-3 queued ClusterUnhealthy elements=3 started=0 live=0 succeeded=0 failed=0 cancelled=0
list before=3 max=2
    answer ok
    | job-2 held Held priority=7
    | job-1 starting Dispatching on east attempt=1
list ml before=3
    answer ok
    | job-2 held Held priority=7
    | job-1 starting Dispatching on east attempt=1
list nowhere
    answer ok
read 1
    answer ok
    | job-1 starting Dispatching on east attempt=1
explain 1
    answer ok: placed; its cluster is creating it
    | job-1 starting Dispatching on east attempt=1
    | east InsufficientCapacity: needs 2 x (3.000 CPU, 0 MiB); east has 2.000 CPU, 131072 MiB free of 8.000 CPU, 131072 MiB
    | west ClusterUnhealthy: west is not connected
explain 3
    answer ok: clusters that could run it are silent or cordoned
    | job-3 queued ClusterUnhealthy elements=3 started=0 live=0 succeeded=0 failed=0 cancelled=0
    | east NoMatchingCluster: needs 0.000 CPU, 0 MiB, 1 GPU; the most that one node of east has is 4.000 CPU, 65536 MiB
    | west ClusterUnhealthy: west is not connected
explain 4
    answer ok: clusters that could run it are busy; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-4 queued InsufficientCapacity
    | east InsufficientCapacity: needs 4.000 CPU, 0 MiB; east has 2.000 CPU, 131072 MiB free of 8.000 CPU, 131072 MiB
    | west ClusterUnhealthy: west is not connected
read 9
    answer absent: no open job is called job-9; it may have ended
read 1 tenant=2
    answer absent: no open job is called job-1; it may have ended
cancel 1 tenant=2
    answer absent: no open job is called job-1; it may have ended

# a fragmented cluster says so
. queue ml
. cluster east
. agent east up n1 cpu=4 free=2, n2 cpu=4 free=2
submit ml cpu=3
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
explain 1
    answer ok: enough is free in sum, but no set of nodes holds every replica
    | job-1 queued Fragmented
    | east Fragmented: needs 3.000 CPU, 0 MiB; east has 4.000 CPU, 131072 MiB free in all, at most 2.000 CPU, 65536 MiB on one node

# a repeated request is done, and audited, once
queue ml
    queue_put queue=1 tenant=1 is_paused=0 name=ml
    audit tenant=1 actor=ann body=queue_put ml
    answer ok id=1
queue ml
    answer ok id=1
queue ml paused
    queue_put queue=1 tenant=1 is_paused=1 name=ml
    audit tenant=1 actor=ann body=queue_put ml paused
    answer ok id=1
queue ml paused
    answer ok id=1
cluster east
    cluster_put cluster=1 state=1 session_epoch=0 name=east uid=uid
    audit tenant=1 actor=ann body=cluster_put east
    answer ok id=1
cluster east
    answer ok id=1
cordon east why
    cluster_put cluster=1 state=1 session_epoch=0 name=east uid=uid cordon=why
    audit tenant=1 actor=ann body=cluster_cordon east why
    answer ok
cordon east why
    answer ok
cordon east
    cluster_put cluster=1 state=1 session_epoch=0 name=east uid=uid cordon=no reason given
    audit tenant=1 actor=ann body=cluster_cordon east no reason given
    answer ok
uncordon east
    cluster_put cluster=1 state=1 session_epoch=0 name=east uid=uid
    audit tenant=1 actor=ann body=cluster_cordon east off
    answer ok
uncordon east
    answer ok
forget east
    audit tenant=1 actor=ann body=cluster_forget east attempts=0
    cluster_put cluster=1 state=2 session_epoch=0 name=east uid=uid
    answer ok
forget east
    answer absent: this cluster is not enrolled

# a job that finds no bucket writes nothing: neither its new shape, nor that an idle one went
config shapes_max=2 queue_percent=100
. queue a
. queue b
. queue c
. queue d
. queue e
. submit a cpu=9
. cancel 1
. submit a cpu=1 | a cpu=1 prio=1 | b cpu=1 | b cpu=1 prio=1
. submit c cpu=1 | c cpu=1 prio=1 | d cpu=1 | d cpu=1 prio=1
submit e cpu=2
    answer ok
    | full: open jobs have too many different shapes and priorities

# retries and deadlines have a most
. queue ml
submit ml cpu=1 retries=1000 deadline=31622400 | ml cpu=1 retries=1001 | ml cpu=1 deadline=31622401
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 deadline_s=31622400 retries_max=1000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
    | invalid: a job has at most 1000 retries, and a deadline of at most 31622400 s
    | invalid: a job has at most 1000 retries, and a deadline of at most 31622400 s

# the queue of jobs that name none stays
. queue default
queue default removed
    answer conflict: jobs that name no queue go to queue default, so it stays; pause it, and nothing of it starts
reload
queues
    answer ok
    | queue default jobs=0

# a queue without open jobs may be removed; made again, it is the queue that it was
config queues_max=2
. queue ml
. queue dev paused
queue none removed
    answer absent: this queue does not exist
. submit ml cpu=1
queue ml removed
    answer conflict: 1 job of queue ml has not ended; cancel it or wait for its end
. cancel 1 &
queue ml removed
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0
    queue_put queue=1 tenant=1 is_paused=0 name=ml is_removed=1
    audit tenant=1 actor=ann body=queue_remove ml
    answer ok
    answer ok
queue ml removed
    answer absent: this queue does not exist
queue ml known paused
    answer absent: this queue does not exist
submit ml cpu=1
    answer ok
    | absent: queue "ml" does not exist; create it, or name another
queues
    answer ok
    | queue dev paused jobs=0
reload
queues
    answer ok
    | queue dev paused jobs=0
queue new
    queue_put queue=3 tenant=1 is_paused=0 name=new
    audit tenant=1 actor=ann body=queue_put new
    answer ok id=3
queue ml
    answer full: there are 2 queues, the most there can be; remove one that is empty
queue new removed
    queue_put queue=3 tenant=1 is_paused=0 name=new is_removed=1
    audit tenant=1 actor=ann body=queue_remove new
    answer ok
queue ml
    queue_put queue=1 tenant=1 is_paused=0 name=ml
    audit tenant=1 actor=ann body=queue_put ml
    answer ok id=1
reload
queues
    answer ok
    | queue ml jobs=0
    | queue dev paused jobs=0
. submit ml cpu=1

# a queue whose job held a claim may be removed in the turn in which that job ends
. queue ml
. queue dev
. cluster east
. agent east up n1 cpu=8
. submit dev cpu=6
. submit ml cpu=8
. cancel 2 &
queue ml removed
    audit tenant=1 actor=ann body=cancel job-2
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0
    queue_put queue=1 tenant=1 is_paused=0 name=ml is_removed=1
    audit tenant=1 actor=ann body=queue_remove ml
    answer ok
    answer ok
submit dev cpu=2
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=2 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-3
    east <- start job-3/0#1 seq=2 nodes=1
