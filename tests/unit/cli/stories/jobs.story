Jobs that are named or chosen, and what is done to them.

# jobs that are named are acted on one by one, and a failure stops no other
fairlead cancel job-7 job-8 job-9
< 200 {"id":"job-7","state":"cancelled"}
< 404 {"detail":"not found, or this token may not see it"}
< 200 {"id":"job-9","state":"stopping"}
    POST /v1/jobs/job-7:cancel
    POST /v1/jobs/job-8:cancel
    POST /v1/jobs/job-9:cancel
    ! job-7 will be cancelled
    ! fairlead: job-8: not found, or this token may not see it
    ! job-9 will be cancelled
    exit 1
fairlead hold job-7
< 409 {"detail":"the job has ended already: it was cancelled"}
    POST /v1/jobs/job-7:hold
    ! fairlead: job-7: the job has ended already: it was cancelled
    exit 1
fairlead release job-7 -o json
< 200 {"id":"job-7","state":"queued"}
    POST /v1/jobs/job-7:release
    | {
    |   "id": "job-7",
    |   "state": "queued"
    | }
    ! job-7 may start
fairlead cancel
    ! fairlead: usage: fairlead cancel JOB... or --queue, --state, --label, --user, --name
    exit 64

# jobs that a filter chooses are counted first, and nothing is done without a word
fairlead cancel --queue ml --state queued --label team=red --user @me --name 'train-*' --dry-run
< 200 {"dryRun":true,"matched":12,"changed":0,"more":false}
    POST /v1/jobs:cancel {"queue":"ml","submittedBy":"@me","name":"train-*","state":["queued"],"labels":{"team":"red"},"dryRun":true}
    | 12 jobs would be cancelled
fairlead cancel --queue ml
< 200 {"dryRun":true,"matched":1,"changed":0,"more":false}
    POST /v1/jobs:cancel {"queue":"ml","dryRun":true}
    | 1 job would be cancelled
    ! fairlead: nothing was changed; say --yes to do it, or --dry-run to only ask
    exit 64
fairlead cancel --queue ml --yes
< 200 {"dryRun":false,"matched":1000,"changed":1000,"more":true,"cursor":"o71"}
< 200 {"dryRun":false,"matched":5,"changed":4,"more":false}
    POST /v1/jobs:cancel {"queue":"ml","dryRun":false}
    POST /v1/jobs:cancel {"queue":"ml","dryRun":false,"cursor":"o71"}
    | 1004 of 1005 jobs are cancelled
fairlead cancel --queue ml --dry-run
< 200 {"dryRun":true,"matched":100000,"changed":0,"more":true,"cursor":"o71"}
< 200 {"dryRun":true,"matched":5,"changed":0,"more":false}
    POST /v1/jobs:cancel {"queue":"ml","dryRun":true}
    POST /v1/jobs:cancel {"queue":"ml","dryRun":true,"cursor":"o71"}
    | 100005 jobs would be cancelled
fairlead cancel --state done --yes
< 422 {"detail":"unknown state","errors":[{"pointer":"/state","detail":"unknown state","got":"done","allowed":"held, queued"}]}
    POST /v1/jobs:cancel {"state":["done"],"dryRun":false}
    ! fairlead: --state done: unknown state; wants held, queued
    exit 65
fairlead cancel --label team
    ! fairlead: --label team: wants KEY=VALUE
    exit 64
fairlead cancel --label team=red --label team=blue
    ! fairlead: --label team=blue: the filter has a value for team already
    exit 64

# a filter and a dry run are not for jobs that are named
fairlead cancel job-7 --dry-run
    ! fairlead: a filter and --dry-run are not for jobs that are named: leave job-7 out, or the flags
    exit 64
fairlead cancel job-7 --queue ml
    ! fairlead: a filter and --dry-run are not for jobs that are named: leave job-7 out, or the flags
    exit 64
fairlead hold job-7 --dry-run
    ! fairlead: a filter and --dry-run are not for jobs that are named: leave job-7 out, or the flags
    exit 64
fairlead hold job-7 --label team=red --yes
    ! fairlead: a filter and --dry-run are not for jobs that are named: leave job-7 out, or the flags
    exit 64
fairlead release job-7 --dry-run
    ! fairlead: a filter and --dry-run are not for jobs that are named: leave job-7 out, or the flags
    exit 64
fairlead release job-7 --state held
    ! fairlead: a filter and --dry-run are not for jobs that are named: leave job-7 out, or the flags
    exit 64
fairlead retry job-7 --dry-run
    ! fairlead: a filter and --dry-run are not for jobs that are named: leave job-7 out, or the flags
    exit 64
fairlead retry job-7 --name 'train-*'
    ! fairlead: a filter and --dry-run are not for jobs that are named: leave job-7 out, or the flags
    exit 64
fairlead cancel job-7 --yes
< 200 {"id":"job-7"}
    POST /v1/jobs/job-7:cancel
    ! job-7 will be cancelled

# an ended job is run again, as a whole or in part
fairlead retry job-7
< 201 {"id":"job-8","state":"queued"}
    POST /v1/jobs/job-7:retry {}
    | job-8
    ! job-7 runs again as job-8
fairlead retry job-7 --failed
< 409 {"detail":"it did not fail"}
    POST /v1/jobs/job-7:retry {"only":"failed"}
    ! fairlead: job-7: it did not fail
    exit 1
fairlead retry job-7 --element 0-2,7
< 201 {"id":"job-9","state":"queued"}
    POST /v1/jobs/job-7:retry {"elements":[0,1,2,7]}
    | job-9
    ! job-7 runs again as job-9
fairlead retry job-7 --element 2-0
    ! fairlead: '2-0' is no list of numbers: write 3, 0-7 or 1,4,9-12, ascending
    exit 64
fairlead retry --queue q --failure 0b32524e94c9
    ! fairlead: --failure, --element and --index are of one job: name a JOB
    exit 64
fairlead retry --queue q --element 3 --yes
    ! fairlead: --failure, --element and --index are of one job: name a JOB
    exit 64
fairlead retry --queue q --yes --wait-for-cluster
< 200 {"dryRun":false,"matched":1,"changed":1,"failed":0,"more":false}
    POST /v1/jobs:retry {"queue":"q","waitForCluster":true,"dryRun":false}
    | 1 of 1 jobs are run again
fairlead retry --queue q --yes
< 200 {"dryRun":false,"matched":5000,"changed":0,"failed":5000,"firstFailure":{"job":"job-9001","code":"impossible","detail":"no enrolled cluster can ever run this"},"more":true,"cursor":"e4002"}
< 200 {"dryRun":false,"matched":2,"changed":1,"failed":1,"firstFailure":{"job":"job-4001","code":"conflict","detail":"its spec is not kept any more"},"more":false}
    POST /v1/jobs:retry {"queue":"q","dryRun":false}
    POST /v1/jobs:retry {"queue":"q","dryRun":false,"cursor":"e4002"}
    | 1 of 5002 jobs are run again
    ! fairlead: 5001 jobs could not be run again; the first: job-9001: no enrolled cluster can ever run this
    exit 1
fairlead cancel --queue q --yes -o json
< 200 {"dryRun":false,"matched":1,"changed":0,"failed":1,"firstFailure":{"code":"unavailable","detail":"too many wait"},"more":false}
    POST /v1/jobs:cancel {"queue":"q","dryRun":false}
    | {
    |   "dryRun": false,
    |   "matched": 1,
    |   "changed": 0,
    |   "failed": 1,
    |   "firstFailure": {
    |     "code": "unavailable",
    |     "detail": "too many wait"
    |   },
    |   "more": false
    | }
    ! fairlead: 1 job could not be cancelled; the first: too many wait
    exit 1
fairlead retry
    ! fairlead: usage: fairlead retry JOB... or --queue, --state, --label, --user, --name
    exit 64

# the last job is found among open and ended ones
fairlead get @last -o name
< 200 {"jobs":[],"cursor":"o3"}
< 200 {"jobs":[{"id":"job-2"}]}
< 200 {"jobs":[{"id":"job-10"}]}
< 200 {"id":"job-10","state":"succeeded"}
    GET /v1/jobs?limit=1&state=open
    GET /v1/jobs?limit=1&state=open&cursor=o3
    GET /v1/jobs?limit=1&state=ended
    GET /v1/jobs/job-10
    | job-10
fairlead get @last-failed
< 200 {"jobs":[]}
    GET /v1/jobs?limit=1&state=failed
    ! fairlead: @last-failed: job not found
    exit 1
fairlead get @newest
    ! fairlead: '@newest': there is @last and @last-failed
    exit 64

# an edit sends what was named, and only for the revision that was meant
fairlead edit job-7 --priority 5 --label team=red --label old- --deadline none
< 200 {"id":"job-7","revision":1}
    PATCH /v1/jobs/job-7 {"deadline":null,"priority":5,"labels":{"team":"red","old":null}}
    ! job-7 is edited
fairlead edit job-7 --queue ml --revision 3
< 412 {"detail":"the job is not as If-Match says: its revision is 4 now; read it, and decide again"}
    PATCH /v1/jobs/job-7 {"queue":"ml"}
        with If-Match: "3"
    ! fairlead: the job is not as If-Match says: its revision is 4 now; read it, and decide again
    exit 1
fairlead edit job-7 --priority high
    ! fairlead: --priority high: wants a number from -1000 to 1000
    exit 64

# an edit, a hold and a release are of jobs that a filter chooses, too
fairlead edit --where queue=ml --where state=queued --where label=team=red --where name='train-*' --where user=@me --priority 10 --queue urgent --dry-run
< 200 {"dryRun":true,"matched":3,"changed":0,"failed":0,"more":false}
    POST /v1/jobs:edit {"state":["queued"],"labels":{"team":"red"},"queue":"ml","name":"train-*","submittedBy":"@me","edit":{"queue":"urgent","priority":10},"dryRun":true}
    | 3 jobs would be edited
fairlead edit --where queue=ml --release --yes
< 200 {"dryRun":false,"matched":3,"changed":1,"unchanged":2,"failed":0,"more":false}
    POST /v1/jobs:edit {"queue":"ml","edit":{"hold":false},"dryRun":false}
    | 1 of 3 jobs are edited; 2 were as wanted before
fairlead edit --where queue=ml --hold --yes
< 200 {"dryRun":false,"matched":3,"changed":2,"unchanged":0,"failed":1,"firstFailure":{"code":"conflict","detail":"it is being ended"},"more":false}
    POST /v1/jobs:edit {"queue":"ml","edit":{"hold":true},"dryRun":false}
    | 2 of 3 jobs are edited
    ! fairlead: 1 job could not be edited; the first: it is being ended
    exit 1
fairlead edit --where queue=ml --priority 1
< 200 {"dryRun":true,"matched":3,"changed":0,"failed":0,"more":false}
    POST /v1/jobs:edit {"queue":"ml","edit":{"priority":1},"dryRun":true}
    | 3 jobs would be edited
    ! fairlead: nothing was changed; say --yes to do it, or --dry-run to only ask
    exit 64
fairlead edit --where queue=ml --where queue=b --priority 1
    ! fairlead: --where queue=b: wants queue, user or name, each once, or state or label, as --where queue=ml --where label=team=red
    exit 64
fairlead edit --where label=team=red --where label=team=blue --priority 1
    ! fairlead: --where label=team=blue: the filter has a value for team already
    exit 64
fairlead edit --where label=team --priority 1
    ! fairlead: --where label=team: wants queue, user or name, each once, or state or label, as --where queue=ml --where label=team=red
    exit 64
fairlead edit --where cluster=east --priority 1
    ! fairlead: --where cluster=east: wants queue, user or name, each once, or state or label, as --where queue=ml --where label=team=red
    exit 64
fairlead edit --where queue=ml
    ! fairlead: say what to change: --queue, --priority, --deadline, --parallelism, --name, --label, --hold or --release; one job on a terminal: in an editor
    exit 64
fairlead edit --where queue=ml --name x
    ! fairlead: --name, --label and --revision are of one job: name JOBs in place of --where
    exit 64
fairlead edit job-7 --where queue=ml --priority 1
    ! fairlead: --where chooses the jobs: leave job-7 out, or --where
    exit 64
fairlead edit job-7 --priority 1 --dry-run
    ! fairlead: --dry-run and --yes are for the jobs that --where chooses
    exit 64
fairlead edit --priority 1
    ! fairlead: usage: fairlead edit JOB... [FLAGS], or --where KEY=VALUE... [FLAGS]
    exit 64
fairlead hold --name 'train-*' --yes
< 200 {"dryRun":false,"matched":2,"changed":2,"failed":0,"more":false}
    POST /v1/jobs:edit {"name":"train-*","edit":{"hold":true},"dryRun":false}
    | 2 of 2 jobs are held
fairlead release --label team=red --dry-run
< 200 {"dryRun":true,"matched":2,"changed":0,"failed":0,"more":false}
    POST /v1/jobs:edit {"labels":{"team":"red"},"state":["held"],"edit":{"hold":false},"dryRun":true}
    | 2 jobs would be released
fairlead release --queue ml --state queued --yes
< 200 {"dryRun":false,"matched":2,"changed":2,"failed":0,"more":false}
    POST /v1/jobs:edit {"queue":"ml","state":["queued"],"edit":{"hold":false},"dryRun":false}
    | 2 of 2 jobs are released
fairlead release
    ! fairlead: usage: fairlead release JOB... or --queue, --state, --label, --user, --name
    exit 64
fairlead edit --where queue=none --queue new --yes
< 422 {"detail":"it is not there","errors":[{"pointer":"/edit/queue","detail":"this queue does not exist, or not for this token","got":"new"}]}
    POST /v1/jobs:edit {"queue":"none","edit":{"queue":"new"},"dryRun":false}
    ! fairlead: --queue new: this queue does not exist, or not for this token
    exit 65
fairlead edit --where queue=none --where label=a=b --where label=-=c --queue new --yes
< 422 {"detail":"it is not there","errors":[{"pointer":"/queue","detail":"this queue does not exist, or not for this token","got":"none"}]}
    POST /v1/jobs:edit {"labels":{"a":"b","-":"c"},"queue":"none","edit":{"queue":"new"},"dryRun":false}
    ! fairlead: --where queue=none: this queue does not exist, or not for this token
    exit 65
fairlead edit --where state=held --where state=slept --priority 1 --yes
< 422 {"detail":"unknown state","errors":[{"pointer":"/state","detail":"unknown state","got":"slept","allowed":"held, queued"}]}
    POST /v1/jobs:edit {"state":["held","slept"],"edit":{"priority":1},"dryRun":false}
    ! fairlead: --where state=slept: unknown state; wants held, queued
    exit 65
fairlead edit --where user=ann --where name=x --priority 1 --yes
< 422 {"detail":"wrong","errors":[{"pointer":"/name","detail":"wrong"},{"pointer":"/submittedBy","detail":"wrong"}]}
    POST /v1/jobs:edit {"submittedBy":"ann","name":"x","edit":{"priority":1},"dryRun":false}
    ! fairlead: --where name=x: wrong
    ! fairlead: --where user=ann: wrong
    exit 65
fairlead edit --where label=a=b --where label=c/d=e --priority 1 --yes
< 422 {"detail":"wrong","errors":[{"pointer":"/labels/c~1d","detail":"wrong"}]}
    POST /v1/jobs:edit {"labels":{"a":"b","c/d":"e"},"edit":{"priority":1},"dryRun":false}
    ! fairlead: --where label=c/d=e: wrong
    exit 65
fairlead hold --queue none --yes
< 422 {"detail":"it is not there","errors":[{"pointer":"/queue","detail":"this queue does not exist, or not for this token","got":"none"}]}
    POST /v1/jobs:edit {"queue":"none","edit":{"hold":true},"dryRun":false}
    ! fairlead: --queue none: this queue does not exist, or not for this token
    exit 65
fairlead release --user '' --yes
< 422 {"detail":"wrong","errors":[{"pointer":"/submittedBy","detail":"wrong"}]}
    POST /v1/jobs:edit {"submittedBy":"","state":["held"],"edit":{"hold":false},"dryRun":false}
    ! fairlead: --user : wrong
    exit 65

# a word that JSON cannot have is refused, and never left out
fairlead cancel --queue ml --name x\ff --yes
    ! fairlead: --name: a word of the command line is no UTF-8
    exit 64
fairlead cancel --queue ml --label a=\ff --yes
    ! fairlead: --label: a word of the command line is no UTF-8
    exit 64
fairlead release --queue ml --state \ff --yes
    ! fairlead: --state: a word of the command line is no UTF-8
    exit 64
fairlead edit --where queue=ml --where name=x\ff --priority 1 --yes
    ! fairlead: --where: a word of the command line is no UTF-8
    exit 64
fairlead edit --where queue=ml --where label=\ff=a --priority 1 --yes
    ! fairlead: --where: a word of the command line is no UTF-8
    exit 64
fairlead edit job-7 --priority 1 --name x\ff
    ! fairlead: --name: a word of the command line is no UTF-8
    exit 64
fairlead edit job-7 --priority 1 --label x=\ff
    ! fairlead: --label: a word of the command line is no UTF-8
    exit 64
fairlead retry job-7 --failure \ff
    ! fairlead: --failure: a word of the command line is no UTF-8
    exit 64
