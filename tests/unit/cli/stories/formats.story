Answers as tables, data and templates.

# a table for people has a head, and cells for what is not known
fairlead ps
< 200 {"jobs":[{"id":"job-8","name":"train","state":"running","queue":"ml","cluster":"east","elements":{"total":9,"succeeded":3},"reason":null},{"id":"job-7","name":null,"state":"queued","queue":"default","cluster":null,"elements":{"total":1},"reason":"NoMatchingCluster"}]}
    GET /v1/jobs?limit=50&state=open
    | JOB    NAME   STATE    QUEUE    CLUSTER  ELEMENTS  AGE  TOOK  NOTE
    | job-8  train  running  ml       east          3/9    -     -  -
    | job-7  -      queued   default  -               1    -     -  NoMatchingCluster
fairlead ps -o wide --all
< 200 {"jobs":[{"id":"job-8","name":"train","state":"failed","queue":"ml","cluster":"east","priority":5,"submittedBy":"ann","labels":{"a":"1","b":"2"},"elements":{"total":1},"exitCode":3,"reason":"ExitCode"}]}
    GET /v1/jobs?limit=50
    | JOB    NAME   STATE   QUEUE  CLUSTER  ELEMENTS  AGE  TOOK  PRIORITY  USER  LABELS   NOTE
    | job-8  train  failed  ml     east            1    -     -  5         ann   a=1,b=2  ExitCode, exit 3
fairlead ps
< 200 {"jobs":[]}
    GET /v1/jobs?limit=50&state=open
    | JOB  NAME  STATE  QUEUE  CLUSTER  ELEMENTS  AGE  TOOK  NOTE

# the filter of a list goes into its query
fairlead ps -q ml -s queued -s running -l team=red,a=b -u @me -n 'train-*' --limit 5
< 200 {"jobs":[],"cursor":"e0"}
< 200 {"jobs":[]}
    GET /v1/jobs?limit=5&queue=ml&state=queued,running&label=team%3Dred%2Ca%3Db&submittedBy=%40me&name=train-%2A
    GET /v1/jobs?limit=5&queue=ml&state=queued,running&label=team%3Dred%2Ca%3Db&submittedBy=%40me&name=train-%2A&cursor=e0
    | JOB  NAME  STATE  QUEUE  CLUSTER  ELEMENTS  AGE  TOOK  NOTE
fairlead ps --limit 0
    ! fairlead: --limit 0: wants a number from 1 to 100000
    exit 64
fairlead ps --limit many
    ! fairlead: --limit many: wants a number from 1 to 100000
    exit 64

# the same list in each format
fairlead ps -o json
< 200 {"jobs":[{"id":"job-8","name":"b"},{"id":"job-7","name":"a"}]}
    GET /v1/jobs?limit=50&state=open
    | [
    |   {
    |     "id": "job-8",
    |     "name": "b"
    |   },
    |   {
    |     "id": "job-7",
    |     "name": "a"
    |   }
    | ]
fairlead ps -o jsonl
< 200 {"jobs":[{"id":"job-8","name":"b"},{"id":"job-7","name":"a"}]}
    GET /v1/jobs?limit=50&state=open
    | {"id":"job-8","name":"b"}
    | {"id":"job-7","name":"a"}
fairlead ps -o yaml
< 200 {"jobs":[{"id":"job-8","name":"yes","labels":{"a":"1"}},{"id":"job-7","name":null}]}
    GET /v1/jobs?limit=50&state=open
    | - id: job-8
    |   name: "yes"
    |   labels:
    |     a: "1"
    | - id: job-7
    |   name: null
fairlead ps -o name --sort name
< 200 {"jobs":[{"id":"job-8","name":"b"},{"id":"job-7","name":"a"}]}
    GET /v1/jobs?limit=50&state=open
    | job-7
    | job-8
fairlead ps -o jsonpath='{.id}: {.name}'
< 200 {"jobs":[{"id":"job-8","name":"b"},{"id":"job-7","name":"a"}]}
    GET /v1/jobs?limit=50&state=open
    | job-8: b
    | job-7: a
fairlead ps -o custom-columns=JOB:.id,FAILED:.elements.failed --sort -id
< 200 {"jobs":[{"id":"job-8","elements":{"failed":2}},{"id":"job-7","elements":{}}]}
    GET /v1/jobs?limit=50&state=open
    | JOB    FAILED
    | job-8  2
    | job-7  -

# a format that cannot be is refused before anything is asked
fairlead ps -o xml
    ! fairlead: --output xml: wants table, wide, json, jsonl, yaml, name, jsonpath=... or custom-columns=...
    exit 64
fairlead ps -o jsonpath={.id
    ! fairlead: --output jsonpath: '}' is missing behind '{.id'
    exit 64
fairlead ps -o custom-columns=JOB
    ! fairlead: --output custom-columns: 'JOB' is no column: wants HEAD:PATH, as JOB:.id,FAILED:.elements.failed
    exit 64
fairlead ps --color blue
    ! fairlead: --color blue: wants auto, always or never
    exit 64

# a message from outside loses its control characters
fairlead cancel job-7
< 409 {"detail":"odd \u001b[31mtext"}
    POST /v1/jobs/job-7:cancel
    ! fairlead: job-7: odd ?[31mtext
    exit 1

# a list of queues, and of tokens
fairlead queue ls
< 200 {"queues":[{"name":"default","paused":false,"defaultCpu":null,"jobs":3,"byState":{"held":1,"queued":2,"starting":0,"running":0,"stopping":0}},{"name":"ml","paused":true,"defaultCpu":"500m","jobs":0,"byState":{}}]}
    GET /v1/queues
    | QUEUE    STATE   HELD  QUEUED  STARTING  RUNNING  STOPPING  DEFAULT CPU
    | default  open       1       2         0        0         0       preset
    | ml       paused     0       0         0        0         0         500m
fairlead token ls
< 200 {"tokens":[{"id":"abc","name":"ci","scopes":["read","submit"],"queue":"ml","expiresAt":"2026-05-01T10:00:00.000Z","maker":"def","owner":null}]}
    GET /v1/tokens
    | ID   NAME  SCOPES       QUEUE  EXPIRES                  MAKER  OWNER
    | abc  ci    read,submit  ml     2026-05-01 10:00:00 UTC  def    -
