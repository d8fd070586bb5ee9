A node with taints takes only replicas that tolerate each of them.

# a job waits beside a node that is kept for others, with the reason; one that tolerates the taint starts there
. queue ml
. cluster east
. agent east up n1 cpu=4, n2 cpu=8 taint=team=vision:NoSchedule
submit ml cpu=8
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east TaintNotTolerated: node n2 has the taint team=vision:NoSchedule, which the job does not tolerate; with a toleration of it the job could run on east
submit ml cpu=8 tolerate=team=vision:NoSchedule
    shape_new shape=2 body=(37 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n2
    answer ok
    | job-2
    east <- start job-2/0#1 seq=1 nodes=2
nodes east
    answer ok
    | node n1 number=1 cpu=4/4
    | node n2 number=2 cpu=0/8 taint=team=vision:NoSchedule

# key, value and effect count; without them a toleration goes for more
. queue ml
. cluster east
. agent east up n1 cpu=80 taint=team=vision:NoSchedule;urgent:NoExecute
submit waits ml cpu=1 tolerate=team=vision:NoSchedule
    shape_new shape=1 body=(37 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
submit waits ml cpu=1 tolerate=team=audio:NoSchedule;urgent
    shape_new shape=2 body=(43 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
submit waits ml cpu=1 tolerate=team=vision:NoExecute;urgent
    shape_new shape=3 body=(43 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east TaintNotTolerated: node n1 has the taint urgent:NoExecute, which the job does not tolerate; with a toleration of it the job could run on east
explain 2
    answer ok: no cluster could run it, even when empty
    | job-2 queued NoMatchingCluster
    | east TaintNotTolerated: node n1 has the taint team=vision:NoSchedule, which the job does not tolerate; with a toleration of it the job could run on east
submit ml cpu=1 tolerate=team=vision;urgent:NoExecute
    shape_new shape=4 body=(43 bytes)
    job_new job=4 tenant=1 queue=1 shape=4 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-4+1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-4
    east <- start job-4/0#1 seq=1 nodes=1
submit ml cpu=1 tolerate=team;urgent=
    shape_new shape=5 body=(27 bytes)
    job_new job=5 tenant=1 queue=1 shape=5 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-5+1
    attempt_new job=5 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-5
    east <- start job-5/0#1 seq=2 nodes=1
submit ml cpu=1 tolerate=*:NoExecute;*:NoSchedule
    shape_new shape=6 body=(39 bytes)
    job_new job=6 tenant=1 queue=1 shape=6 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-6+1
    attempt_new job=6 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-6
    east <- start job-6/0#1 seq=3 nodes=1
submit ml cpu=1 tolerate=*
    shape_new shape=7 body=(16 bytes)
    job_new job=7 tenant=1 queue=1 shape=7 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-7+1
    attempt_new job=7 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-7
    east <- start job-7/0#1 seq=4 nodes=1

# a replica that asks for a device tolerates NoSchedule of its name, the other replicas of its gang do not
. queue ml
. cluster east
. agent east up n1 cpu=8 gpu=4 taint=nvidia.com/gpu=present:NoSchedule, n2 cpu=2
submit ml cpu=2 gpu=1 + cpu=2
    shape_new shape=1 body=(18 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=(5 bytes)
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1,2
submit ml cpu=4
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
explain 2
    answer ok: no cluster could run it, even when empty
    | job-2 queued NoMatchingCluster
    | east TaintNotTolerated: node n1 has the taint nvidia.com/gpu=present:NoSchedule, which the job does not tolerate; with a toleration of it the job could run on east
. agent east nodes n1 cpu=8 gpu=4 taint=nvidia.com/gpu=present:NoExecute, n2 cpu=2
submit waits ml cpu=1 gpu=2
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
explain 3
    answer ok: no cluster could run it, even when empty
    | job-3 queued NoMatchingCluster
    | east TaintNotTolerated: node n1 has the taint nvidia.com/gpu=present:NoExecute, which the job does not tolerate; with a toleration of it the job could run on east

# a device by its own name
. queue ml
. cluster east
. agent east up n1 cpu=8 test/fpga=2 taint=test/fpga:NoSchedule
submit ml cpu=1 test/fpga=1
    shape_new shape=1 body=(24 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
submit waits ml cpu=1
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2

# there is room, on nodes with taints alone
. queue ml
. cluster east
. agent east up n1 cpu=4, n2 cpu=4 taint=a:NoSchedule, n3 cpu=4 taint=a:NoSchedule;b=c:NoSchedule
. submit ml cpu=3
submit ml cpu=2
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
explain 2
    answer ok: enough is free in sum, but no set of nodes holds every replica; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-2 queued Fragmented
    | east Fragmented: needs 2.000 CPU, 0 MiB; east has 9.000 CPU, 196608 MiB free in all, at most 4.000 CPU, 65536 MiB on one node; node n2 has the taint a:NoSchedule, which the job does not tolerate; with a toleration of it the job would start now

# a taint that goes lets a waiting job start
. queue ml
. cluster east
. agent east up n1 cpu=4 taint=a:NoSchedule, n2 cpu=2
submit ml cpu=4
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
agent east nodes n1 cpu=4
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- ack 2

# a taint that comes ends nothing, and is no reason to refuse for a while
. queue ml
. cluster east
. agent east up n1 cpu=4
. tick 11s
. submit ml cpu=1
. agent east nodes n1 cpu=4 taint=a:NoSchedule
submit ml cpu=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
. tick 960s
submit ml cpu=1
    answer ok
    | impossible: no enrolled cluster can ever run this: east could hold it if it tolerated the taint a:NoSchedule of its nodes; add that to its tolerations (--tolerate), or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# a node that is cordoned keeps its taints, and so is no room for who does not tolerate them; that it comes back changes nothing
. queue ml
. cluster east
. agent east up ends n1 cpu=4 notready taint=a:NoSchedule, n2 cpu=1 end
submit ml cpu=2
    answer ok
    | impossible: no enrolled cluster can ever run this: east could hold it if it tolerated the taint a:NoSchedule of its nodes; add that to its tolerations (--tolerate), or wait for a cluster that could (waitForCluster, --wait-for-cluster)
. agent east nodes n1 cpu=4 taint=a:NoSchedule
. agent east nodes n1 cpu=4 notready taint=a:NoSchedule
submit ml cpu=2
    answer ok
    | impossible: no enrolled cluster can ever run this: east could hold it if it tolerated the taint a:NoSchedule of its nodes; add that to its tolerations (--tolerate), or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# a node with a taint that would hold one replica is no help to many
. queue ml
. cluster east
. agent east up ends n1 cpu=8, n2 cpu=4 taint=node-role.kubernetes.io/control-plane:NoSchedule end
submit ml replicas=20 cpu=1
    answer ok
    | impossible: no enrolled cluster can ever run this: its 20 replicas start together, and the cluster with most room (east) holds 8 of them at once; ask for at most 8, or wait for a cluster that could (waitForCluster, --wait-for-cluster)
submit ml replicas=10 cpu=1
    answer ok
    | impossible: no enrolled cluster can ever run this: east could hold it if it tolerated the taint node-role.kubernetes.io/control-plane:NoSchedule of its nodes; add that to its tolerations (--tolerate), or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# taints are named for each role: the head has a place, and the workers have none
. queue ml
. cluster east
. agent east up ends n1 cpu=8, n2 cpu=8 gpu=4 taint=nvidia.com/gpu:NoSchedule;team=vision:NoSchedule end
submit ml cpu=2 + replicas=2 cpu=1 gpu=1
    answer ok
    | impossible: no enrolled cluster can ever run this: east could hold it if it tolerated the taints nvidia.com/gpu:NoSchedule and team=vision:NoSchedule of its nodes; add them to its tolerations (--tolerate), or wait for a cluster that could (waitForCluster, --wait-for-cluster)

# a claim is on nodes that the job may have
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8 taint=a:NoSchedule
. submit ml cpu=5
submit ml cpu=8
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
explain 2
    answer ok: enough is free in sum, but no set of nodes holds every replica; it is first in its queue and has claimed room on east (nodes: 1; the first: n1): others use that only as long as it starts no later
    | job-2 queued Fragmented
    | east Fragmented: needs 8.000 CPU, 0 MiB; east has 11.000 CPU, 131072 MiB free in all, at most 8.000 CPU, 65536 MiB on one node; node n2 has the taint a:NoSchedule, which the job does not tolerate; with a toleration of it the job would start now
submit ml cpu=2
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
submit ml cpu=8 tolerate=a
    shape_new shape=4 body=(16 bytes)
    job_new job=4 tenant=1 queue=1 shape=4 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-4+1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n2
    answer ok
    | job-4
    east <- start job-4/0#1 seq=2 nodes=2

# a list that no agent writes is not heard
. queue ml
. cluster east
. agent east up n1 cpu=8 taint=a:PreferNoSchedule, n2 cpu=8 taint=b:NoSchedule;a:NoSchedule, n3 cpu=8 taint=*:NoSchedule, n4 cpu=1
nodes east
    answer ok
    | node n4 number=4 cpu=1/1
