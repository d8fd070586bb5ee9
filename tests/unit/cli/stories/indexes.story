Arrays of which the elements have indexes.

# --array takes the indexes, too; those that count from 0 are the elements' own numbers
fairlead run --dry-run --array 1-100:3%8 true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"indexes":"1-100:3","parallelism":8,"command":["true"]}
    | {"dryRun":true}
fairlead run --dry-run --array 1,2,3,7 true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"indexes":"1-3,7","command":["true"]}
    | {"dryRun":true}
fairlead run --dry-run --array 7-7 true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"indexes":"7","command":["true"]}
    | {"dryRun":true}
fairlead run --dry-run --array 0-9 true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"array":10,"command":["true"]}
    | {"dryRun":true}
fairlead run --array 9-1 true
    ! fairlead: --array 9-1: '9-1' ends before it begins: the smaller number comes first
    exit 64
fairlead run --array 1-9,5 true
    ! fairlead: --array 1-9,5: '5' does not begin behind 9, the number before it: each number stands once, in ascending order
    exit 64
fairlead run --array 1,x true
    ! fairlead: --array 1,x: 'x' is no number up to 999999999 and no range of them, as 7, 1-9 or 1-9:2
    exit 64
fairlead run --array 1-9%0 true
    ! fairlead: --array 1-9%0: behind the % stands how many elements may run at the same time, from 1
    exit 64

# describe shows the index beside the number of the element
fairlead describe job-7
< 200 {"id":"job-7","state":"failed","reason":"ReplicaFailed","submittedAt":"2026-01-31T09:00:00.000Z","elements":{"total":3,"succeeded":2,"failed":1},"spec":{"indexes":"1-7:3","roles":[]},"attempts":[{"element":2,"attempt":1,"cluster":"east","nodes":["n1"],"exitCode":2}]}
< 200 {"attempts":[{"element":2,"attempt":1,"cluster":"east","nodes":["n1"],"placedAt":"2026-01-31T09:00:01.000Z","endedAt":"2026-01-31T09:00:02.000Z","exitCode":2,"reason":"ReplicaFailed","firstReplica":0,"words":"no part 7","elementState":"failed"}]}
< 200 {"attempts":[{"element":0,"attempt":1},{"element":1,"attempt":1}]}
< 200 {"attempts":[]}
< 200 {}
    GET /v1/jobs/job-7
    GET /v1/jobs/job-7/attempts?limit=11&cursor=0.0&state=failed
    GET /v1/jobs/job-7/attempts?limit=1000&cursor=0.0&state=succeeded
    GET /v1/jobs/job-7/attempts?limit=1000&cursor=0.0&state=cancelled
    GET /v1/jobs/job-7/logs?format=text&tail=10&element=2&attempt=1&replica=0
        with Accept: text/plain
    | job          job-7
    | state        failed
    | reason       ReplicaFailed
    | submitted    2026-01-31 09:00:00 UTC
    | indexes      1-7:3
    | elements      3 total  2 succeeded  1 failed
    |
    | ELEMENT  INDEX  ATTEMPT  CLUSTER  NODES  EXIT  REASON         FIRST  CPU  MEMORY  PLACED                   ENDED
    |       2      7        1  east     n1        2  ReplicaFailed      0    -       -  2026-01-31 09:00:01 UTC  2026-01-31 09:00:02 UTC
    |
    | succeeded    0-1
    |
    | element 2 (index 7), attempt 1, replica 0 failed with:
    |     no part 7
    |
    | last lines of element 2 (index 7), attempt 1, replica 0:
    | {}
fairlead describe job-7
< 200 {"id":"job-7","state":"running","reason":"none","elements":{"total":3},"spec":{"indexes":"1-7:3"},"live":[{"element":1,"attempt":1,"state":"running","cluster":"east","nodes":["n1"],"replicas":["running"]}],"attempts":[]}
< 200 {"attempts":[]}
< 200 {"attempts":[]}
< 200 {"attempts":[]}
    GET /v1/jobs/job-7
    GET /v1/jobs/job-7/attempts?limit=11&cursor=0.0&state=failed
    GET /v1/jobs/job-7/attempts?limit=1000&cursor=0.0&state=succeeded
    GET /v1/jobs/job-7/attempts?limit=1000&cursor=0.0&state=cancelled
    | job          job-7
    | state        running
    | indexes      1-7:3
    | elements      3 total
    |
    | ELEMENT  INDEX  ATTEMPT  STATE    CLUSTER  NODES  REPLICAS  NOTE
    |       1      4        1  running  east     n1     running   -
    |

# --index names elements by their indexes
fairlead describe job-7 --index 4-7:3 -o jsonl
< 200 {"id":"job-7","spec":{"indexes":"1-7:3"}}
< 200 {"id":"job-7","spec":{"indexes":"1-7:3"}}
< 200 {"attempts":[{"element":1,"attempt":1},{"element":2,"attempt":1}]}
    GET /v1/jobs/job-7
    GET /v1/jobs/job-7
    GET /v1/jobs/job-7/attempts?limit=101&cursor=1.0
    | {"element":1,"attempt":1,"index":4}
    | {"element":2,"attempt":1,"index":7}
fairlead retry job-7 --index 1,7
< 200 {"id":"job-7","spec":{"indexes":"1-7:3"}}
< 201 {"id":"job-8","state":"queued"}
    GET /v1/jobs/job-7
    POST /v1/jobs/job-7:retry {"elements":[0,2]}
    | job-8
    ! job-7 runs again as job-8
fairlead retry job-7 --index 5
< 200 {"id":"job-7","spec":{"indexes":"1-7:3"}}
    GET /v1/jobs/job-7
    ! fairlead: no element of job-7 has the index 5: they are 1-7:3
    exit 64
fairlead retry job-7 --index 2
< 200 {"id":"job-7","spec":{}}
< 201 {"id":"job-8","state":"queued"}
    GET /v1/jobs/job-7
    POST /v1/jobs/job-7:retry {"elements":[2]}
    | job-8
    ! job-7 runs again as job-8
fairlead retry job-7 job-8 --index 2
    ! fairlead: --index is of one job: name one JOB
    exit 64
fairlead retry job-7 --index 2 --element 1
    ! fairlead: --element and --index name the same: write one of them
    exit 64
fairlead retry job-7 --index 2-1
    ! fairlead: --index 2-1: '2-1' ends before it begins: the smaller number comes first
    exit 64
fairlead retry --queue ml --index 1
    ! fairlead: --failure, --element and --index are of one job: name a JOB
    exit 64
fairlead logs job-7 --index 5-9
    ! fairlead: --index 5-9: one index here
    exit 64
fairlead exec job-7 --index 1,4 -- true
    ! fairlead: --index 1,4: one index here
    exit 64
fairlead cp job-7:a . --index 1,4
    ! fairlead: --index 1,4: one index here
    exit 64
fairlead forward job-7 80 --index 1-2
    ! fairlead: --index 1-2: one index here
    exit 64

# an ended job says until when its files are kept, and when they are gone
fairlead describe job-7
< 200 {"id":"job-7","state":"succeeded","reason":"none","endedAt":"2026-01-31T09:00:00.000Z","elements":{"total":1},"spec":{"roles":[{"template":{"spec":{"containers":[{}]}}}]},"attempts":[{"element":0,"attempt":1,"cluster":"east"}]}
< 200 {"nodes":[{"name":"n1","labels":{"fairlead.io/keep-results":"86400"}}]}
< 404 {}
    GET /v1/jobs/job-7
    GET /v1/clusters/east/nodes?limit=1
    GET /v1/jobs/job-7/logs?format=text&tail=10
        with Accept: text/plain
    | job          job-7
    | state        succeeded
    | ended        2026-01-31 09:00:00 UTC
    | files        kept on east until 2026-02-01 09:00:00 UTC, and gone since
    |
    | ELEMENT  ATTEMPT  CLUSTER  NODES  EXIT  REASON  FIRST  CPU  MEMORY  PLACED  ENDED
    |       0        1  east     -         -  -           -    -       -  -       -
fairlead describe job-7
< 200 {"id":"job-7","state":"succeeded","reason":"none","endedAt":"2226-01-31T09:00:00.000Z","elements":{"total":1},"attempts":[{"element":0,"attempt":1,"cluster":"east"}]}
< 200 {"nodes":[{"name":"n1","labels":{"fairlead.io/keep-results":"86400"}}]}
< 404 {}
    GET /v1/jobs/job-7
    GET /v1/clusters/east/nodes?limit=1
    GET /v1/jobs/job-7/logs?format=text&tail=10
        with Accept: text/plain
    | job          job-7
    | state        succeeded
    | ended        2226-01-31 09:00:00 UTC
    | files        kept on east until 2226-02-01 09:00:00 UTC at most: fairlead cp --list job-7:
    |
    | ELEMENT  ATTEMPT  CLUSTER  NODES  EXIT  REASON  FIRST  CPU  MEMORY  PLACED  ENDED
    |       0        1  east     -         -  -           -    -       -  -       -
fairlead describe job-7
< 200 {"id":"job-7","state":"failed","reason":"ClusterForgotten","endedAt":"2026-01-31T09:00:00.000Z","elements":{"total":1},"attempts":[{"element":0,"attempt":1,"cluster":"east","reason":"ClusterForgotten"}]}
< 200 {"nodes":[{"name":"n1","labels":{"fairlead.io/keep-results":"86400"}}]}
< 404 {}
    GET /v1/jobs/job-7
    GET /v1/clusters/east/nodes?limit=1
    GET /v1/jobs/job-7/logs?format=text&tail=10
        with Accept: text/plain
    | job          job-7
    | state        failed
    | reason       ClusterForgotten
    | ended        2026-01-31 09:00:00 UTC
    | files        fairlead cp --list job-7: shows what is kept of them on east
    |
    | ELEMENT  ATTEMPT  CLUSTER  NODES  EXIT  REASON            FIRST  CPU  MEMORY  PLACED  ENDED
    |       0        1  east     -         -  ClusterForgotten      -    -       -  -       -
fairlead describe job-7
< 200 {"id":"job-7","state":"succeeded","reason":"none","endedAt":"2026-01-31T09:00:00.000Z","elements":{"total":1},"attempts":[{"element":0,"attempt":1,"cluster":"east"},{"element":0,"attempt":2,"cluster":"west"},{"element":0,"attempt":3,"cluster":"east"}]}
< 200 {"nodes":[{"name":"n1","labels":{"fairlead.io/keep-results":"0"}}]}
< 200 {"nodes":[{"name":"pool-1","labels":{}}]}
< 404 {}
    GET /v1/jobs/job-7
    GET /v1/clusters/east/nodes?limit=1
    GET /v1/clusters/west/nodes?limit=1
    GET /v1/jobs/job-7/logs?format=text&tail=10
        with Accept: text/plain
    | job          job-7
    | state        succeeded
    | ended        2026-01-31 09:00:00 UTC
    | files        east keeps none (its agent's keep_results is 0)
    | files        fairlead cp --list job-7: shows what is kept of them on west
    |
    | ELEMENT  ATTEMPT  CLUSTER  NODES  EXIT  REASON  FIRST  CPU  MEMORY  PLACED  ENDED
    |       0        1  east     -         -  -           -    -       -  -       -
    |       0        2  west     -         -  -           -    -       -  -       -
    |       0        3  east     -         -  -           -    -       -  -       -
fairlead describe job-7
< 200 {"id":"job-7","state":"succeeded","reason":"none","endedAt":"2026-01-31T09:00:00.000Z","elements":{"total":1},"spec":{"roles":[{"template":{"spec":{"containers":[{"workingDir":"/data"}]}}}]},"attempts":[{"element":0,"attempt":1,"cluster":"east"}]}
< 404 {}
    GET /v1/jobs/job-7
    GET /v1/jobs/job-7/logs?format=text&tail=10
        with Accept: text/plain
    | job          job-7
    | state        succeeded
    | ended        2026-01-31 09:00:00 UTC
    | files        not kept: it has a workingDir of its own
    |
    | ELEMENT  ATTEMPT  CLUSTER  NODES  EXIT  REASON  FIRST  CPU  MEMORY  PLACED  ENDED
    |       0        1  east     -         -  -           -    -       -  -       -
