A job that no cluster could ever run is refused when it is submitted.

# larger than each node: the largest is named, and with 'waits' it is accepted
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. agent west up n1 cpu=4
. tick 11s
submit ml cpu=900
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
submit waits ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
submit ml cpu=8
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    east <- start job-2/0#1 seq=1 nodes=1

# a busy, cordoned, silent or drained cluster counts as it is when empty
. queue ml
. cluster east
. agent east up n1 cpu=8
. tick 11s
. submit ml cpu=8
submit ml cpu=8
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
. cordon east
submit ml cpu=8
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
. agent east nodes n1 cpu=8 free=0
. agent east lost
. tick 120s
submit ml cpu=8
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-4+1
    answer ok
    | job-4
submit ml cpu=9
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 9 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# a gang that the cluster with most room cannot hold
. queue ml
. cluster east
. agent east up n1 cpu=4, n2 cpu=4
. tick 11s
submit ml replicas=4 cpu=2
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=(11 bytes)
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1,1,2,2
submit ml replicas=5 cpu=2
    answer ok
    | impossible: no enrolled cluster can ever run this: its 5 replicas start together, and the cluster with most room (east) holds 4 of them at once; ask for at most 4, or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# no cluster is enrolled: accepted, and the reason says so
. queue ml
submit ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
explain 1
    answer ok: no cluster is enrolled; it starts once one has joined (fairlead cluster join NAME)
    | job-1 queued NoCluster

# a cluster that has not told its nodes, or not since a reload, excludes nothing
. queue ml
. cluster east
submit ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
. agent east up n1 cpu=8
submit ml cpu=900
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
. tick 11s
submit ml cpu=900
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
. reload
submit ml cpu=900
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3

# its lists leave none; a label that no node carries
. queue ml
. cluster east
. agent east up n1 cpu=8
. tick 11s
submit ml cpu=1 clusters=nowhere
    answer ok
    | impossible: no enrolled cluster can ever run this: its lists of clusters leave none of those enrolled, which are east; name another one, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
submit ml cpu=1 not=east
    answer ok
    | impossible: no enrolled cluster can ever run this: its lists of clusters leave none of those enrolled, which are east; name another one, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
submit ml cpu=1 select=gpu:h100
    answer ok
    | impossible: no enrolled cluster can ever run this: it asks for nodes with gpu=h100, and none carries that; leave it out, or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# in a request the one job is refused, and the other accepted
. queue ml
. cluster east
. agent east up n1 cpu=8
. tick 11s
submit key=a ml cpu=1 | ml cpu=900
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    idempotency tenant=1 body_sha=00000000 key=a answer=(34 bytes)
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
    east <- start job-1/0#1 seq=1 nodes=1

# a dry run that asks for it says what each cluster says, in the order of their names; it makes nothing
. queue ml
. cluster west
. cluster east
. agent east up n1 cpu=8
. agent west up n1 cpu=2
. tick 11s
submit dry where ml cpu=4
    answer ok
    | job-0
    | east Fits: fits on east now
    | west NoMatchingCluster: needs 4.000 CPU, 0 MiB; the most that one node of west has is 2.000 CPU, 65536 MiB
submit dry ml cpu=4
    answer ok
    | job-0
submit dry where ml cpu=900
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
submit dry where waits ml cpu=900
    answer ok
    | job-0
    | east NoMatchingCluster: needs 900.000 CPU, 0 MiB; the most that one node of east has is 8.000 CPU, 65536 MiB
    | west NoMatchingCluster: needs 900.000 CPU, 0 MiB; the most that one node of west has is 2.000 CPU, 65536 MiB

# the session is lost between two nodes: the rest of them may be the larger ones
. queue ml
. cluster east
. agent east up n1 cpu=4
. tick 5s
. agent east lost
. tick 20s
submit ml cpu=8
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
. agent east up n1 cpu=4
. tick 9s
. agent east nodes n2 cpu=6 number=2
. tick 9s
submit ml cpu=8
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
. tick 2s
submit ml cpu=8
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 8 CPUs, and the largest node (east) has 6; ask for at most 6 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
submit ml cpu=6
    shape_new shape=2 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n2
    answer ok
    | job-3
    east <- start job-3/0#1 seq=1 nodes=2

# a node that restarts, or is replaced, is missing for a while: nothing is refused for that
. queue ml
. cluster east
. agent east up n1 cpu=8 gpu=8 , n2 cpu=4
. agent east nodes n2 cpu=4 number=2
. agent east nodes n1 cpu=8 gpu=0
. tick 840s
submit ml cpu=1 gpu=8
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
. agent east nodes n1 cpu=8 gpu=8
. agent east nodes n1 cpu=0 mem=0 notready
. tick 840s
submit ml cpu=8
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
. tick 120s
submit ml cpu=8
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 8 CPUs, and the largest node (east) has 4; ask for at most 4 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# a cluster scaled to zero counts as one that has not told its nodes; and so before its first one
. queue ml
. cluster east
. agent east up
. tick 20s
submit ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
. agent east nodes n1 cpu=8
. agent east nodes n1 cpu=8
submit ml cpu=900
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
. agent east nodes n1 cpu=0 mem=0 notready
. tick 3600s
submit ml cpu=900
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2

# by the setting impossible_jobs=wait each is accepted; a dry run still says what can be
config impossible_jobs=wait
. queue ml
. cluster east
. agent east up n1 cpu=8
. tick 11s
submit ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
submit dry where ml cpu=900
    answer ok
    | job-0
    | east NoMatchingCluster: needs 900.000 CPU, 0 MiB; the most that one node of east has is 8.000 CPU, 65536 MiB

# an agent that says when its list of nodes ends has told all at once, and not before, however quiet it is
. queue ml
. cluster east
. agent east hello ends
. agent east inventory end
. agent east nodes n1 cpu=8
. tick 11s
submit ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
. agent east nodes n2 cpu=16 number=2 end
submit ml cpu=900
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 16; ask for at most 16 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
. reload
. agent east up ends n1 cpu=8, n2 cpu=16 end
submit ml cpu=900
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 16; ask for at most 16 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# a list that is cut has told nothing: by the agent, which has more nodes than it keeps, or since a report was not taken
. queue ml
. cluster east
. cluster west
. agent east up ends n1 cpu=8 end cut
. agent west up ends n1 cpu=8 end
. tick 11s
submit ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
. agent east hello ends
. agent east inventory end
. agent east nodes n1 cpu=8, n2 cpu=8 number=70000 end
submit ml cpu=900
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
. agent east up ends n1 cpu=8 end
submit ml cpu=900
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
. agent east nodes n1 cpu=8 end cut
submit ml cpu=900
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3

# an agent of before is known since it was quiet, and then has more nodes: a job that was refused is judged again
. queue ml
. cluster east
. agent east up n1 cpu=8
. tick 11s
submit ml cpu=900
    answer ok
    | impossible: no enrolled cluster can ever run this: a replica asks for 900 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
. agent east nodes n2 cpu=8 number=70000
submit ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1

# a cluster without nodes says so, and excludes nothing; nodes that a new session does not list are gone at once
. queue ml
. cluster east
. agent east up ends end
submit ml cpu=900
    shape_new shape=1 body=(13 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoMatchingCluster: needs 900.000 CPU, 0 MiB; the most that one node of east has is 0.000 CPU, 0 MiB
. agent east nodes n1 cpu=8, n2 cpu=8 number=2
nodes east
    answer ok
    | node n1 number=1 cpu=8/8
    | node n2 number=2 cpu=8/8
. agent east up ends n1 cpu=8 end
nodes east
    answer ok
    | node n1 number=1 cpu=8/8
. agent east up ends end
nodes east
    answer ok
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NoMatchingCluster: needs 900.000 CPU, 0 MiB; the most that one node of east has is 0.000 CPU, 0 MiB
