Agents that come and go, and what their inventories mean.

# silence makes attempts unknown after a minute, and they are never replaced
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
. agent west up n1 cpu=8
agent east lost
tick 59s
tick 1s
  61.000s
    cluster_phase cluster=1 phase=0
tick 24h
explain 1
    answer ok: cluster east is silent: it may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 running ClusterSilent on east attempt=1 unknown since 61s
    | east ClusterUnhealthy: east is not connected
    | west Fits: fits on west now
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r0 running, end
    cluster_phase cluster=1 phase=1
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 1

# the clock of silence is frozen while the database is away, and starts again in full
. queue ml
. cluster east
. agent east up n1 cpu=8
agent east lost
tick 50s
db away
tick 1h
db back
tick 59s
tick 1s
  3711.000s
    cluster_phase cluster=1 phase=0

# a session that is lost while the database is away is not silent yet
. cluster east
. agent east up n1 cpu=8
db away
agent east lost
tick 10min
db back
tick 59s
tick 1s
  661.000s
    cluster_phase cluster=1 phase=0

# after a reload every cluster gets the full time again
. cluster east
. agent east up n1 cpu=8
. tick 10min
reload
tick 59s
tick 1s
  661.000s
    cluster_phase cluster=1 phase=0

# assigned and absent, sent by this core and never seen: sent again once its nodes are known
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
agent east nodes n2 cpu=8 number=2
    east <- start job-1/0#1 seq=1 nodes=1,2
    east <- ack 2
agent east reports 1/0#1 r0-1 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 created exit_code=0
    east <- go job-1/0#1 seq=2
    east <- ack 4

# assigned and absent, and a node of it does not come back in half a minute: given up, uncharged
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
tick 29s
tick 1s
  32.000s
    attempt_end job=1 element=0 n=1 NeverArrived exit_code=0 ready_at=32000
agent east nodes n2 cpu=8 number=2
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=(5 bytes)
    east <- start job-1/0#2 seq=1 nodes=1,2
    east <- ack 2

# assigned and absent, but reported before: lost, and queued again under the next number
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 retries=0
. agent east reports 1/0#1 r0 created
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory end
    attempt_end job=1 element=0 n=1 ReplicaLost exit_code=0 outputs=l ready_at=1000
agent east nodes n1 cpu=8
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=1 nodes=1
    east <- ack 1

# assigned and absent, and loaded from rows: it may have run, so it is not sent again
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
reload
agent east hello resync
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- resync session=2
agent east inventory end
    attempt_end job=1 element=0 n=1 NeverArrived exit_code=0 outputs=l ready_at=1000
tick 12s
agent east nodes n1 cpu=8
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=1 nodes=1
    east <- ack 1

# in both: adopted, also by a core that only knows it from rows
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
. agent east reports 1/0#1 r0-1 running
reload incarnation=2
agent east hello resync
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- resync session=2
agent east inventory 1/0#1@1 r0-1 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 running exit_code=0
agent east inventory end
agent east nodes n1 cpu=8 free=6
    east <- ack 1
read 1
    answer ok
    | job-1 running on east attempt=1
agent east reports 1/0#1@1 r0-1 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=dd
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 3

# a replica that is missing from a gang was lost: the gang is stopped and goes again
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
. agent east reports 1/0#1 r0-1 running
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r1 running, end
    replica_phase job=1 element=0 n=1 replica=0 lost exit_code=0
    attempt_stop job=1 element=0 n=1 ReplicaLost exit_code=0 first_replica=0
    east <- stop job-1/0#1 seq=1 ReplicaLost
agent east reports 1/0#1 r1 exited 143
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=143
    attempt_end job=1 element=0 n=1 ReplicaLost exit_code=0 first_replica=0 outputs=ld ready_at=1000
    east <- ack 1

# the same, when only rows tell of the gang: it does not wait for ever for a replica that ended before
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
. agent east reports 1/0#1 r0-1 running
. agent east reports 1/0#1 r0 exited 0
reload
agent east hello resync
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- resync session=2
agent east inventory 1/0#1 r1 running, end
    replica_phase job=1 element=0 n=1 replica=1 running exit_code=0
    replica_phase job=1 element=0 n=1 replica=0 lost exit_code=0
    attempt_stop job=1 element=0 n=1 ReplicaLost exit_code=0 first_replica=0
    east <- stop job-1/0#1 seq=1 ReplicaLost
agent east reports 1/0#1 r1 exited 143
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=143
    attempt_end job=1 element=0 n=1 ReplicaLost exit_code=0 first_replica=0 outputs=ld ready_at=1000
    east <- ack 1

# reported and not assigned: a live attempt is stopped, an ended one only gets its ACK
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 exited 0
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r0 running, end
    east <- stop job-1/0#1 seq=1 NeverArrived
agent east reports 1/0#7 r0 exited 1
    east <- ack 1
agent east reports 1/0#8 r0 running
    east <- stop job-1/0#8 seq=2 NeverArrived
    east <- ack 2

# another number, another incarnation: another attempt
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
agent east reports 1/0#2 r0 running
    east <- stop job-1/0#2 seq=2 NeverArrived
    east <- ack 2
agent east reports 1/0#1@7 r0 running
    east <- stop job-1/0#1@7 seq=3 NeverArrived
    east <- ack 3
agent east reports 1/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    east <- ack 4

# a loss that the state directory knows of is audited, ids go on above it, and a stray of the lost part has 15 minutes
. queue ml
. cluster east
. submit ml cpu=1 held
lost ids=41 jobs=30 unsure=4 batches=7
    audit tenant=0 actor=fairleadd body=history_lost jobs=29..33 batches=7
    counter counter=2 value=2
    counter counter=3 value=40
    counter counter=1 value=41
    counter counter=4 value=39
    counter counter=5 value=46067
    counter counter=6 value=2
agent east hello
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
agent east inventory 1/0#1 r0 running, 33/0#1 r0 running, 33/0#1 r1 running, end
    east <- stop job-1/0#1 seq=1 NeverArrived
submit ml cpu=1 held
    job_new job=41 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=41 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-19+1
    answer ok
    | job-19
tick 14min
tick 1min
  901.000s
    east <- stop job-11/0#1 seq=2 NeverArrived
reload
submit ml cpu=1 held
    job_new job=42 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=42 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1a+1
    answer ok
    | job-1a

# a stray that is seen later has 15 minutes of its own
. queue ml
. cluster east
. submit ml cpu=1 held
. lost ids=41 jobs=30 unsure=4 batches=7
. agent east hello
. agent east inventory 33/0#1 r0 running, end
. tick 5min
agent east reports 34/0#1 r0 running
    east <- ack 1
tick 10min
  901.000s
    east <- stop job-11/0#1 seq=1 NeverArrived
tick 4min
tick 1min
  1201.000s
    east <- stop job-12/0#1 seq=2 NeverArrived

# an agent's own numbers move nothing
. queue ml
. cluster evil
agent evil hello
    cluster_put cluster=1 state=1 session_epoch=1 name=evil uid=uid
    evil <- welcome session=1
submit ml cpu=1 held
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1

# where only agents know of the loss, nothing is accepted or started until a person accepts the database
. queue ml
. cluster east
. cluster west
. agent west up n1 cpu=8
. submit ml cpu=1 held
agent east hello incarnation=1 batch=900 ids=41
    audit tenant=0 actor=agent body=(45 bytes)
    counter counter=7 value=1
    counter counter=8 value=900
    counter counter=9 value=41
    east <- bye conflict: this database is older than one that this agent has worked for; it is let in after 'fairlead admin accept-restore'
submit ml cpu=1
    answer ok
    | unavailable: an agent has worked for a later state of this database: it was restored; nothing is accepted until 'fairlead admin accept-restore'
release 1
    audit tenant=1 actor=ann body=release job-1
    mark_clear job=1 kind=1
    answer ok
agent east hello incarnation=2 batch=950 ids=30
    counter counter=7 value=2
    counter counter=8 value=950
    counter counter=9 value=41
    east <- bye conflict: this database is older than one that this agent has worked for; it is let in after 'fairlead admin accept-restore'
reload
agent west hello incarnation=1 batch=5 ids=20
    cluster_put cluster=2 state=1 session_epoch=2 name=west uid=uid
    west <- welcome session=2
agent west inventory end
agent west nodes n1 cpu=8
    west <- ack 1
accept-restore
    counter counter=2 value=2
    counter counter=3 value=40
    counter counter=1 value=41
    counter counter=4 value=39
    counter counter=5 value=7698
    counter counter=11 value=2
    counter counter=12 value=7699
    counter counter=6 value=950
    counter counter=7 value=0
    counter counter=8 value=0
    counter counter=9 value=0
    audit tenant=1 actor=ann body=(43 bytes)
    attempt_new job=1 element=0 n=1 incarnation=7699 cluster=2 nodes=n1
    answer ok
    west <- start job-1/0#1@7699 seq=1 nodes=1
submit ml cpu=1
    job_new job=41 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-19+1
    attempt_new job=41 element=0 n=1 incarnation=7699 cluster=2 nodes=n1
    answer ok
    | job-19
    west <- start job-19/0#1@7699 seq=2 nodes=1
agent east hello incarnation=2 batch=950 ids=30
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
accept-restore
    answer conflict: there is nothing to accept: no agent has seen a later history than this database's
reload
agent east hello incarnation=2 batch=951 ids=30
    audit tenant=0 actor=agent body=(45 bytes)
    counter counter=7 value=2
    counter counter=8 value=951
    counter counter=9 value=30
    east <- bye conflict: this database is older than one that this agent has worked for; it is let in after 'fairlead admin accept-restore'

# an agent that knows of a later incarnation than all that were known when the database was accepted
. queue ml
. cluster east
. cluster west
. agent west up n1 cpu=8
agent east hello incarnation=2 batch=900 ids=41
    audit tenant=0 actor=agent body=(45 bytes)
    counter counter=7 value=2
    counter counter=8 value=900
    counter counter=9 value=41
    east <- bye conflict: this database is older than one that this agent has worked for; it is let in after 'fairlead admin accept-restore'
accept-restore
    counter counter=2 value=1
    counter counter=3 value=40
    counter counter=1 value=41
    counter counter=4 value=40
    counter counter=5 value=47068
    counter counter=11 value=2
    counter counter=12 value=47069
    counter counter=6 value=900
    counter counter=7 value=0
    counter counter=8 value=0
    counter counter=9 value=0
    audit tenant=1 actor=ann body=(44 bytes)
    answer ok
agent west hello incarnation=3 batch=1 ids=20
    audit tenant=0 actor=agent body=(43 bytes)
    counter counter=7 value=3
    counter counter=8 value=1
    counter counter=9 value=20
    west <- bye conflict: this database is older than one that this agent has worked for; it is let in after 'fairlead admin accept-restore'

# no stray is stopped while the history is disputed, nor in the 15 minutes after a person accepted the database
. queue ml
. cluster east
. cluster west
. agent west up n1 cpu=8
agent west reports 7/0#1 r0 running
    west <- stop job-7/0#1 seq=1 NeverArrived
    west <- ack 2
. agent east hello incarnation=1 batch=900 ids=41
agent west reports 9/0#1 r0 running
    west <- ack 3
agent west reports 50/0#1 r0 running
    west <- ack 4
tick 16min
. accept-restore
tick 1min
. agent west hello
agent west inventory 9/0#1 r0 running, 50/0#1 r0 running, end
tick 13min
tick 3min
  1921.000s
    west <- stop job-9/0#1 seq=1 NeverArrived
    west <- stop job-1j/0#1 seq=2 NeverArrived
agent west reports 51/0#1 r0 running
    west <- stop job-1k/0#1 seq=3 NeverArrived
    west <- ack 1

# a gate waits while the history is disputed, and opens when a person has accepted the database
. queue ml
. cluster east
. cluster west
. agent west up n1 cpu=8
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=2 nodes=n1
    answer ok
    | job-1
    west <- start job-1/0#1 seq=1 nodes=1
agent east hello incarnation=1 batch=900 ids=41
    audit tenant=0 actor=agent body=(45 bytes)
    counter counter=7 value=1
    counter counter=8 value=900
    counter counter=9 value=41
    east <- bye conflict: this database is older than one that this agent has worked for; it is let in after 'fairlead admin accept-restore'
agent west reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    west <- ack 2
accept-restore
    counter counter=2 value=2
    counter counter=3 value=40
    counter counter=1 value=41
    counter counter=4 value=39
    counter counter=5 value=47067
    counter counter=11 value=1
    counter counter=12 value=47068
    counter counter=6 value=900
    counter counter=7 value=0
    counter counter=8 value=0
    counter counter=9 value=0
    audit tenant=1 actor=ann body=(44 bytes)
    answer ok
    west <- go job-1/0#1 seq=2

# an inventory that does not add up ends the session, and nothing starts
. queue ml
. cluster east
. submit ml cpu=1
. agent east hello
agent east inventory 5/0#1 r0 exited 0, end mistaken
    east <- bye torn: the inventory's count or digest is not that of its items; connect again
agent east nodes n1 cpu=8
. agent east hello
agent east inventory end miscounted
    east <- bye torn: the inventory's count or digest is not that of its items; connect again
tick 60s
  61.000s
    cluster_phase cluster=1 phase=0

# a superseded session is not heard, nor is its end
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east hello
agent east reports session=1 1/0#1 r0 running
agent east lost session=1
agent east lost connection=1
agent east inventory session=1 end
agent east nodes session=1 n1 cpu=8
agent east inventory end
agent east nodes n1 cpu=8
    east <- start job-1/0#1 seq=1 nodes=1
    east <- ack 3
agent east lost connection=2
agent east reports 1/0#1 r0 running

# a cluster's report of another cluster's attempt changes nothing
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. submit ml cpu=1
. agent west up n1 cpu=8
agent west reports 1/0#1 r0 exited 1
    west <- ack 2
agent west reports 1/0#1 all absent
    west <- ack 3
agent west hello
    cluster_put cluster=2 state=1 session_epoch=2 name=west uid=uid
    west <- welcome session=2
agent west inventory 1/0#1 r0 exited 1, end
read 1
    answer ok
    | job-1 starting Dispatching on east attempt=1

# reports are acknowledged up to the newest, once for all that a batch holds, and repeated ones not again
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. agent west up n1 cpu=8
. submit ml x3 cpu=1
agent east reports 1/0#1 r0 created &
agent west reports 1/1#1 r0 created &
agent east reports 1/2#1 r0 created &
agent west nodes n1 cpu=8
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    replica_phase job=1 element=1 n=1 replica=0 created exit_code=0
    replica_phase job=1 element=2 n=1 replica=0 created exit_code=0
    east <- go job-1/0#1 seq=3
    west <- go job-1/1#1 seq=2
    east <- go job-1/2#1 seq=4
    east <- ack 3
    west <- ack 3
agent east reports seq=2 1/0#1 r0 exited 1
agent east reports seq=9 1/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    east <- ack 9

# a state that is older than the known one is no news
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
agent east reports 1/0#1 r0 created
    east <- ack 3
agent east reports 1/0#1 r0 pulling
    east <- ack 4
agent east reports 1/0#1 r99 running
    east <- ack 5

# a batch in which a session ends acknowledges nothing of it
. cluster east
. agent east up n1 cpu=8
agent east nodes n1 cpu=8 &
agent east lost

# a session for a cluster that is not enrolled is refused
. cluster east
. forget east
agent east hello
    east <- bye denied: this cluster was removed; join it again

# forgetting is refused while the cluster is connected; then what it held goes elsewhere, uncharged
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. submit ml cpu=1
. submit ml replicas=2 cpu=1
. agent east reports 1/0#1 r0 running
. cancel 1
forget east
    answer conflict: east is connected; stop its agent first, since what runs there would run twice
agent east lost
. agent west up n1 cpu=8
forget east
    audit tenant=1 actor=ann body=cluster_forget east attempts=2
    cluster_put cluster=1 state=2 session_epoch=1 name=east uid=uid
    attempt_end job=2 element=0 n=1 ClusterForgotten exit_code=0 ready_at=1000
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=l
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    attempt_new job=2 element=0 n=2 incarnation=1 cluster=2 nodes=(5 bytes)
    answer ok
    west <- start job-2/0#2 seq=1 nodes=1,1
forget east
    answer absent: this cluster is not enrolled
cluster east uid=other
    cluster_put cluster=3 state=1 session_epoch=0 name=east uid=other
    audit tenant=1 actor=ann body=cluster_put east
    answer ok id=3
agent east hello
    cluster_put cluster=3 state=1 session_epoch=1 name=east uid=other
    east <- welcome session=1

# two agents of one identity: the one that comes back while the other speaks is refused, and audited once
config inventory_ms=4000000
. join east token=a
. enrol token=a key=k
. agent east hello boot=1
. agent east hello boot=2
agent east hello boot=1
    audit tenant=0 actor=agent body=(67 bytes)
    east <- bye conflict: two agents run with the identity of this cluster, and the other one is connected; stop one of them, or join this one as another cluster
agent east hello boot=1
    east <- bye conflict: two agents run with the identity of this cluster, and the other one is connected; stop one of them, or join this one as another cluster
tick 59s
agent east hello boot=1
    east <- bye conflict: two agents run with the identity of this cluster, and the other one is connected; stop one of them, or join this one as another cluster
clusters
    answer ok
    | east uid=uid open connected attempts=0 nodes=0/0 cpu=0/0 generation=1

# three of one identity, and one after the other has gone
. join east token=a
. enrol token=a key=k
. agent east hello boot=1
. agent east hello boot=2
. agent east hello boot=3
agent east hello boot=1
    audit tenant=0 actor=agent body=(67 bytes)
    east <- bye conflict: two agents run with the identity of this cluster, and the other one is connected; stop one of them, or join this one as another cluster
agent east lost
agent east hello boot=1
    cluster_put cluster=1 state=1 session_epoch=4 generation=1 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=4

# neither a restart nor a link that flaps is a second agent
config inventory_ms=4000000
. join east token=a
. enrol token=a key=k
. agent east hello boot=1
. agent east hello boot=1
. agent east hello boot=1
. agent east hello boot=2
. agent east hello boot=3
. agent east hello boot=4
agent east hello boot=4 resync
    cluster_put cluster=1 state=1 session_epoch=7 generation=1 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- resync session=7
tick 61s
agent east hello boot=1
    cluster_put cluster=1 state=1 session_epoch=8 generation=1 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=8

# a read marks an unknown attempt and says what that means, until its cluster speaks again
. queue ml
. cluster east
. agent east up n1 cpu=4
. submit ml cpu=1
agent east reports 1/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    east <- ack 2
agent east lost
tick 59s
read 1
    answer ok
    | job-1 running on east attempt=1
tick 2s
  61.000s
    cluster_phase cluster=1 phase=0
read 1
    answer ok: cluster east is silent: it may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 running ClusterSilent on east attempt=1 unknown since 61s
list
    answer ok
    | job-1 running ClusterSilent on east attempt=1 unknown since 61s
explain 1
    answer ok: cluster east is silent: it may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 running ClusterSilent on east attempt=1 unknown since 61s
    | east ClusterUnhealthy: east is not connected
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    answer ok
read 1
    answer ok: cluster east is silent: it may well be running there, so it is not started elsewhere by itself; once the cluster is back it is stopped, and if the cluster is removed it is over
    | job-1 stopping ClusterSilent on east attempt=1 unknown since 61s
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
read 1
    answer ok: cluster east is silent: it may well be running there, so it is not started elsewhere by itself; once the cluster is back it is stopped, and if the cluster is removed it is over
    | job-1 stopping ClusterSilent on east attempt=1 unknown since 61s
agent east inventory 1/0#1 r0 running end
    cluster_phase cluster=1 phase=1
    east <- stop job-1/0#1 seq=1 Cancelled
read 1
    answer ok
    | job-1 stopping Cancelled on east attempt=1

# in an array with elements on two clusters, those of the silent cluster are unknown
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=1
. agent west up n2 cpu=1
. submit ml x3 cpu=1
. agent west reports 1/1#1 r0 running
agent east lost
. tick 70s
read 1
    answer ok: cluster east is silent: its part of this job (unknown: 1 of 2 live elements) may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 running ClusterSilent elements=3 started=2 live=2 succeeded=0 failed=0 cancelled=0 unknown=1 on east attempt=1 unknown since 61s
    | element 0#1 unknown since 61s on east:n1 pending
    | element 1#1 running on west:n2 running
explain 1
    answer ok: cluster east is silent: its part of this job (unknown: 1 of 2 live elements) may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 running ClusterSilent elements=3 started=2 live=2 succeeded=0 failed=0 cancelled=0 unknown=1 on east attempt=1 unknown since 61s
    | east ClusterUnhealthy: east is not connected
    | west InsufficientCapacity: needs 1.000 CPU, 0 MiB; west has 0.000 CPU, 65536 MiB free of 1.000 CPU, 65536 MiB
forget east
    audit tenant=1 actor=ann body=cluster_forget east attempts=1
    cluster_put cluster=1 state=2 session_epoch=1 name=east uid=uid
    attempt_end job=1 element=0 n=1 ClusterForgotten exit_code=0 ready_at=71000
    answer ok
read 1
    answer ok
    | job-1 running elements=3 started=2 live=1 succeeded=0 failed=0 cancelled=0
    | element 0#1 ended
    | element 1#1 running on west:n2 running

# an array's element is unknown behind one that is not: its cluster is named all the same
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=1
. agent west up n2 cpu=1
. submit ml x3 cpu=1
. agent east reports 1/0#1 r0 running
. agent west lost
. tick 70s
read 1
    answer ok: cluster west is silent: its part of this job (unknown: 1 of 2 live elements) may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 running ClusterSilent elements=3 started=2 live=2 succeeded=0 failed=0 cancelled=0 unknown=1 on east attempt=1 unknown since 61s
    | element 0#1 running on east:n1 running
    | element 1#1 unknown since 61s on west:n2 pending
explain 1
    answer ok: cluster west is silent: its part of this job (unknown: 1 of 2 live elements) may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 running ClusterSilent elements=3 started=2 live=2 succeeded=0 failed=0 cancelled=0 unknown=1 on east attempt=1 unknown since 61s
    | east InsufficientCapacity: needs 1.000 CPU, 0 MiB; east has 0.000 CPU, 65536 MiB free of 1.000 CPU, 65536 MiB
    | west ClusterUnhealthy: west is not connected

# an agent that lists a replica behind its gate is believed, although it said once that it runs
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
. agent east lost
. agent east hello
agent east inventory 1/0#1 r0 created, end
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    east <- go job-1/0#1 seq=1
agent east reports 1/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    east <- ack 1
agent east reports 1/0#1 r0 created
    east <- ack 2
explain 1
    answer ok: it runs
    | job-1 running on east attempt=1
    | east InsufficientCapacity: needs 1.000 CPU, 0 MiB; east has 0.000 CPU, 0 MiB free of 0.000 CPU, 0 MiB
