From the flags of 'run', and from documents, to the request.

# flags become the members of a document
fairlead run --detach --name sweep --array 4 --cpus 1 --memory 2Gi --gpus 1 -- python3 train.py --fast
< 201 {"id":"job-7","state":"queued","queue":"default"}
    POST /v1/jobs {"resources":{"cpu":"1","memory":"2Gi","gpus":1},"name":"sweep","array":4,"command":["python3","train.py","--fast"]}
    | job-7
fairlead run -d -q ml -n a -p 5 -t 2h --retries 3 -e A=b -e C= -l team=red true
< 201 {"id":"job-7","state":"queued","queue":"ml"}
    POST /v1/jobs {"name":"a","queue":"ml","deadline":"2h","retry":3,"priority":5,"env":{"A":"b","C":""},"labels":{"team":"red"},"command":["true"]}
    | job-7
fairlead run --hold --replicas 2 --image alpine --cluster east --not-cluster west --node-label disk=ssd true
< 201 {"id":"job-8","state":"held","queue":"default"}
    POST /v1/jobs {"image":"alpine","clusters":["east"],"notClusters":["west"],"hold":true,"replicas":2,"nodeSelector":{"disk":"ssd"},"command":["true"]}
    ! job-8 held in default
fairlead run -d --resource rdma/hca=1 --require-limits --workdir /data --key once -- sh -c 'echo $A'
< 201 {"id":"job-9","state":"queued","queue":"default"}
    POST /v1/jobs {"workingDir":"/data","requireLimits":true,"resources":{"rdma/hca":"1"},"command":["sh","-c","echo $A"]}
        with Idempotency-Key: once
    | job-9

# an affinity is conditions on labels, as kubectl writes them
fairlead run -d --affinity 'zone in (b,a),!spot,cores>8' --affinity 'gpu notin (old)' true
< 201 {"id":"job-9","state":"queued","queue":"default"}
    POST /v1/jobs {"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["b","a"]},{"key":"spot","operator":"DoesNotExist"},{"key":"cores","operator":"Gt","values":["8"]}]},{"matchExpressions":[{"key":"gpu","operator":"NotIn","values":["old"]}]}]}}},"command":["true"]}
    | job-9
fairlead run -d --affinity 'zone=a' true
    ! fairlead: --affinity zone=a: wants conditions with ',' between them, each KEY in (A,B), KEY notin (A,B), KEY, !KEY, KEY>NUMBER or KEY<NUMBER, as 'zone in (a,b),!spot'
    exit 64
fairlead run -d --affinity 'gpu,cores>x' true
    ! fairlead: --affinity gpu,cores>x: wants conditions with ',' between them, each KEY in (A,B), KEY notin (A,B), KEY, !KEY, KEY>NUMBER or KEY<NUMBER, as 'zone in (a,b),!spot'
    exit 64
fairlead run -d --affinity 'gpu,' true
    ! fairlead: --affinity gpu,: wants conditions with ',' between them, each KEY in (A,B), KEY notin (A,B), KEY, !KEY, KEY>NUMBER or KEY<NUMBER, as 'zone in (a,b),!spot'
    exit 64

# a secret of the environment is named
fairlead run -d --secret-env HF_TOKEN=hf-token/token true
< 201 {"id":"job-9","state":"queued","queue":"default"}
    POST /v1/jobs {"secretEnv":{"HF_TOKEN":"hf-token/token"},"command":["true"]}
    | job-9
fairlead run -d --secret-env HF_TOKEN true
    ! fairlead: --secret-env HF_TOKEN: wants NAME=SECRET/KEY
    exit 64

# a mount is a path and a source, and perhaps read-only
fairlead run -d --mount /data=claim/datasets/train/images,ro --mount /dev/shm=memory:8Gi --mount /s=disk --mount /k=secret/hf --mount /c=configMap/c true
< 201 {"id":"job-9","state":"queued","queue":"default"}
    POST /v1/jobs {"mounts":[{"path":"/data","claim":"datasets","subPath":"train/images","readOnly":true},{"path":"/dev/shm","empty":"memory","size":"8Gi"},{"path":"/s","empty":"disk"},{"path":"/k","secret":"hf"},{"path":"/c","configMap":"c"}],"command":["true"]}
    | job-9
fairlead run -d --mount /data=nfs/x true
    ! fairlead: --mount /data=nfs/x: wants PATH=SOURCE[,ro], where the source is claim/NAME, configMap/NAME, secret/NAME, disk[:SIZE] or memory[:SIZE], as /data=claim/datasets,ro
    exit 64
fairlead run -d --mount claim/datasets true
    ! fairlead: --mount claim/datasets: wants PATH=SOURCE[,ro], where the source is claim/NAME, configMap/NAME, secret/NAME, disk[:SIZE] or memory[:SIZE], as /data=claim/datasets,ro
    exit 64

# a toleration is a key, and perhaps its value and the effect
fairlead run -d --tolerate nvidia.com/gpu=present:NoSchedule --tolerate spot --tolerate '*:NoExecute' --tolerate a= true
< 201 {"id":"job-9","state":"queued","queue":"default"}
    POST /v1/jobs {"tolerations":[{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"},{"key":"spot","operator":"Exists"},{"operator":"Exists","effect":"NoExecute"},{"key":"a"}],"command":["true"]}
    | job-9
fairlead run -d --tolerate a:Later true
    ! fairlead: --tolerate a:Later: wants KEY[=VALUE][:EFFECT], where the effect is NoSchedule, NoExecute or PreferNoSchedule, as nvidia.com/gpu=present:NoSchedule
    exit 64

# a job runs after others, which are named by their ids, or are the last ones
fairlead run -d --after job-7,job-8:any --after job-9:fail true
< 201 {"id":"job-10","state":"queued","queue":"default"}
    POST /v1/jobs {"after":[{"job":"job-7","on":"success"},{"job":"job-8","on":"any"},{"job":"job-9","on":"failure"}],"command":["true"]}
    | job-10
fairlead run -d --after @last true
< 200 {"jobs":[{"id":"job-9"}]}
< 200 {"jobs":[{"id":"job-12"}]}
< 201 {"id":"job-13","state":"queued","queue":"default"}
    GET /v1/jobs?limit=1&state=open
    GET /v1/jobs?limit=1&state=ended
    POST /v1/jobs {"after":[{"job":"job-12","on":"success"}],"command":["true"]}
    | job-13
fairlead run -d --after job-7:sometimes true
    ! fairlead: --after job-7:sometimes: after the colon comes ok, any, fail or each
    exit 64
fairlead run -d --after @first true
    ! fairlead: '@first': there is @last and @last-failed
    exit 64

# a dry run prints the document as it was understood
fairlead run --dry-run --cpus 2 true
< 200 {"dryRun":true,"job":{"roles":[]}}
    POST /v1/jobs?dryRun=true&placement=true {"resources":{"cpu":"2"},"command":["true"]}
    | {"dryRun":true,"job":{"roles":[]}}

# a dry run says what the first clusters say, and how many more there are
fairlead run --dry-run --wait-for-cluster true
< 200 {"dryRun":true,"placement":{"possible":false,"enrolled":317,"clusters":[{"cluster":"c00","reason":"Fits","detail":"now"},{"cluster":"c01","reason":"Fits","detail":"now"},{"cluster":"c02","reason":"Fits","detail":"now"},{"cluster":"c03","reason":"Fits","detail":"now"},{"cluster":"c04","reason":"Fits","detail":"now"},{"cluster":"c05","reason":"Fits","detail":"now"},{"cluster":"c06","reason":"Fits","detail":"now"},{"cluster":"c07","reason":"Fits","detail":"now"},{"cluster":"c08","reason":"Fits","detail":"now"},{"cluster":"c09","reason":"Fits","detail":"now"},{"cluster":"c10","reason":"Fits","detail":"now"},{"cluster":"c11","reason":"Fits","detail":"now"},{"cluster":"c12","reason":"Fits","detail":"now"},{"cluster":"c13","reason":"Fits","detail":"now"},{"cluster":"c14","reason":"Fits","detail":"now"},{"cluster":"c15","reason":"Fits","detail":"now"},{"cluster":"c16","reason":"Fits","detail":"now"},{"cluster":"c17","reason":"Fits","detail":"now"},{"cluster":"c18","reason":"Fits","detail":"now"},{"cluster":"c19","reason":"Fits","detail":"now"},{"cluster":"c20","reason":"Fits","detail":"now"},{"cluster":"c21","reason":"Fits","detail":"now"}]}}
    POST /v1/jobs?dryRun=true&placement=true&waitForCluster=true {"command":["true"]}
    | {"dryRun":true,"placement":{"possible":false,"enrolled":317,"clusters":[{"cluster":"c00","reason":"Fits","detail":"now"},{"cluster":"c01","reason":"Fits","detail":"now"},{"cluster":"c02","reason":"Fits","detail":"now"},{"cluster":"c03","reason":"Fits","detail":"now"},{"cluster":"c04","reason":"Fits","detail":"now"},{"cluster":"c05","reason":"Fits","detail":"now"},{"cluster":"c06","reason":"Fits","detail":"now"},{"cluster":"c07","reason":"Fits","detail":"now"},{"cluster":"c08","reason":"Fits","detail":"now"},{"cluster":"c09","reason":"Fits","detail":"now"},{"cluster":"c10","reason":"Fits","detail":"now"},{"cluster":"c11","reason":"Fits","detail":"now"},{"cluster":"c12","reason":"Fits","detail":"now"},{"cluster":"c13","reason":"Fits","detail":"now"},{"cluster":"c14","reason":"Fits","detail":"now"},{"cluster":"c15","reason":"Fits","detail":"now"},{"cluster":"c16","reason":"Fits","detail":"now"},{"cluster":"c17","reason":"Fits","detail":"now"},{"cluster":"c18","reason":"Fits","detail":"now"},{"cluster":"c19","reason":"Fits","detail":"now"},{"cluster":"c20","reason":"Fits","detail":"now"},{"cluster":"c21","reason":"Fits","detail":"now"}]}}
    ! c00: Fits: now
    ! c01: Fits: now
    ! c02: Fits: now
    ! c03: Fits: now
    ! c04: Fits: now
    ! c05: Fits: now
    ! c06: Fits: now
    ! c07: Fits: now
    ! c08: Fits: now
    ! c09: Fits: now
    ! c10: Fits: now
    ! c11: Fits: now
    ! c12: Fits: now
    ! c13: Fits: now
    ! c14: Fits: now
    ! c15: Fits: now
    ! c16: Fits: now
    ! c17: Fits: now
    ! c18: Fits: now
    ! c19: Fits: now
    ! and 297 more clusters
    ! no enrolled cluster could ever run it
fairlead run --dry-run true
< 200 {"dryRun":true,"placement":{"possible":true,"enrolled":0,"clusters":[]}}
    POST /v1/jobs?dryRun=true&placement=true {"command":["true"]}
    | {"dryRun":true,"placement":{"possible":true,"enrolled":0,"clusters":[]}}
    ! no cluster is enrolled: it would wait
fairlead run --dry-run true
< 200 {"dryRun":true,"placement":{"possible":true}}
    POST /v1/jobs?dryRun=true&placement=true {"command":["true"]}
    | {"dryRun":true,"placement":{"possible":true}}

# several documents are checked without a word on clusters before the first is submitted
fairlead submit -
| command: [a]
| ---
| command: [b]
< 200 {"dryRun":true}
< 422 {"detail":"no"}
    POST /v1/jobs?dryRun=true {"command":["a"]}
    POST /v1/jobs?dryRun=true {"command":["b"]}
    ! fairlead: no
    !   in -, document 2 of 2; nothing of it was submitted
    exit 65
fairlead submit --dry-run -
| command: [a]
| ---
| command: [b]
< 200 {"dryRun":true}
< 422 {"detail":"no"}
    POST /v1/jobs?dryRun=true&placement=true {"command":["a"]}
    POST /v1/jobs?dryRun=true&placement=true {"command":["b"]}
    | {"dryRun":true}
    ! fairlead: no
    !   in -, document 2 of 2; those after it were not submitted
    exit 65

# a command line that is wrong is refused before anything is sent
fairlead run
    ! fairlead: the command is missing: fairlead run [FLAGS] [--] COMMAND [ARG...]
    exit 64
fairlead run --cpus
    ! fairlead: --cpus wants a value: --cpus N
    exit 64
fairlead run --cpu 2 true
    ! fairlead: no flag --cpu here; did you mean --cpus?
    exit 64
fairlead run --env A true
    ! fairlead: --env A: wants NAME=VALUE
    exit 64
fairlead run --env =b true
    ! fairlead: --env =b: wants NAME=VALUE
    exit 64
fairlead run --array many true
    ! fairlead: --array many: wants a number of elements from 1 to 16777216, or their indexes as 1-100:3 or 1,4,9-12; %M behind it: M of them at the same time
    exit 64
fairlead run --priority 1.5 true
    ! fairlead: --priority 1.5: wants a number from -1000 to 1000
    exit 64
fairlead run --resource rdma true
    ! fairlead: --resource rdma: wants NAME=AMOUNT
    exit 64
fairlead run -o xml true
    ! fairlead: --output xml: wants table, wide, json, jsonl, yaml, name, jsonpath=... or custom-columns=...
    exit 64

# a field that a flag made is named by that flag
fairlead run --cpus two true
< 422 {"detail":"/resources/cpu: this is not what cpu holds","errors":[{"pointer":"/resources/cpu","detail":"this is not what cpu holds","got":"\"two\"","allowed":"cores like 2, 1.5 or 500m"}]}
    POST /v1/jobs {"resources":{"cpu":"two"},"command":["true"]}
    ! fairlead: --cpus two: wants cores like 2, 1.5 or 500m
    exit 65
fairlead run --env FAIRLEAD_X=1 true
< 422 {"detail":"not a variable name","errors":[{"pointer":"/env/FAIRLEAD_X","detail":"not a variable name","got":"\"1\"","allowed":"letters"}]}
    POST /v1/jobs {"env":{"FAIRLEAD_X":"1"},"command":["true"]}
    ! fairlead: --env FAIRLEAD_X: not a variable name; wants letters
    exit 65
fairlead run --queue none true
< 422 {"detail":"queue \"none\" does not exist","errors":[{"pointer":"/queue","detail":"queue \"none\" does not exist; create it, or name another","got":"none"}]}
    POST /v1/jobs {"queue":"none","command":["true"]}
    ! fairlead: --queue none: queue "none" does not exist; create it, or name another
    exit 65

# a document is sent as it stands, and the error for a mistake in it has its line
fairlead submit --detach -
| command: ["true"]
| resources: {cpu: 2}
< 201 {"id":"job-7","state":"queued","queue":"default"}
    POST /v1/jobs
        | command: ["true"]
        | resources: {cpu: 2}
        with Content-Type: application/yaml
    | job-7
fairlead submit --detach --queue ml --hold --after job-1 -
| command: ["true"]
< 201 {"id":"job-7","state":"held","queue":"ml"}
    POST /v1/jobs?queue=ml&hold=true&after=job-1:success
        | command: ["true"]
        with Content-Type: application/yaml
    | job-7
fairlead submit -
| command: ["true"]
| cpus: 2
< 422 {"detail":"/cpus: unknown field","errors":[{"pointer":"/cpus","detail":"unknown field; did you mean cpu?","got":"\"cpus\"","allowed":"cpu","line":2,"col":1}]}
    POST /v1/jobs
        | command: ["true"]
        | cpus: 2
        with Content-Type: application/yaml
    ! fairlead: /cpus: unknown field
    !   line 2, column 1: /cpus: unknown field; did you mean cpu? (got "cpus") (allowed: cpu)
    !   in -
    exit 65
fairlead submit -
| command: [a
< 400 {"detail":"did not find expected ',' or ']'","errors":[{"pointer":"","detail":"did not find expected ',' or ']'","line":2,"col":1}]}
    ! fairlead: -, line 2, column 1: while parsing a flow sequence, did not find expected ',' or ']'; nothing of it was submitted
    exit 65
