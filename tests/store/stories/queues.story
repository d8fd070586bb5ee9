Queues.

# a queue is made, paused, resumed and removed
POST /v1/queues {"name":"ml"}
    201
    {
      "name":"ml","paused":false,"defaultCpu":null,"jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
rows
    queue_put queue=2 tenant=1 is_paused=0 name=ml is_removed=0 has_default_cpu=0 default_cpu_milli=0
    audit tenant=1 actor=token:<admin> first-admin body=queue_put ml peer=<peer>
GET /v1/queues
    200
    ETag: <etag 1>
    {
      "queues":[
        {
          "name":"default","paused":false,"defaultCpu":null,"jobs":0,
          "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
        },
        {
          "name":"ml","paused":false,"defaultCpu":null,"jobs":0,
          "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
        }
      ]
    }
POST /v1/queues/ml:pause
    200
    {
      "name":"ml","paused":true,"defaultCpu":null,"jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
rows
    queue_put queue=2 tenant=1 is_paused=1 name=ml is_removed=0 has_default_cpu=0 default_cpu_milli=0
    audit tenant=1 actor=token:<admin> first-admin body=queue_put ml paused peer=<peer>
POST /v1/queues/ml:pause
    200
    {
      "name":"ml","paused":true,"defaultCpu":null,"jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
rows
POST /v1/queues/ml:resume
    200
    {
      "name":"ml","paused":false,"defaultCpu":null,"jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
DELETE /v1/queues/ml
    200
    {"name":"ml"}
rows
    queue_put queue=2 tenant=1 is_paused=0 name=ml is_removed=1 has_default_cpu=0 default_cpu_milli=0
    audit tenant=1 actor=token:<admin> first-admin body=queue_remove ml peer=<peer>
GET /v1/queues/ml
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 1>"
    }

# a queue that is there stays as it is, but for what is given
. POST /v1/queues {"name":"ml","paused":true,"defaultCpu":"500m"}
POST /v1/queues {"name":"ml"}
    201
    {
      "name":"ml","paused":true,"defaultCpu":"500m","jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
rows
POST /v1/queues {"name":"ml","paused":false}
    201
    {
      "name":"ml","paused":false,"defaultCpu":"500m","jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
PATCH /v1/queues/ml {"defaultCpu":null}
    200
    {
      "name":"ml","paused":false,"defaultCpu":null,"jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
rows
    queue_put queue=2 tenant=1 is_paused=0 name=ml is_removed=0 has_default_cpu=0 default_cpu_milli=0
    audit tenant=1 actor=token:<admin> first-admin body=queue_put ml peer=<peer>
PATCH /v1/queues/ml {"defaultCpu":"2"}
    200
    {
      "name":"ml","paused":false,"defaultCpu":"2","jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
PATCH /v1/queues/ml {}
    200
    {
      "name":"ml","paused":false,"defaultCpu":"2","jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }

# a queue with open jobs is not removed; its ended ones keep its name
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"queue":"ml","hold":true}
GET /v1/queues/ml
    200
    ETag: <etag 1>
    {
      "name":"ml","paused":false,"defaultCpu":null,"jobs":1,
      "byState":{"held":1,"queued":0,"starting":0,"running":0,"stopping":0}
    }
DELETE /v1/queues/ml
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict","detail":"1 job of queue ml has not ended; cancel it or wait for its end",
      "traceId":"<trace 1>"
    }
. POST /v1/jobs/job-1:cancel
DELETE /v1/queues/ml
    200
    {"name":"ml"}
only id queue state
GET /v1/jobs/job-1
    200
    ETag: <etag 2>
    {"id":"job-1","queue":"ml","state":"cancelled"}
POST /v1/jobs {"command":["a"],"queue":"ml"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent",
      "detail":"queue \"ml\" does not exist; create it, or name another",
      "errors":[
        {
          "pointer":"/queue","detail":"queue \"ml\" does not exist; create it, or name another",
          "got":"ml"
        }
      ],
      "traceId":"<trace 2>"
    }

# a queue that is made again has its old jobs, and one that is gone is not removed again
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"queue":"ml","hold":true}
. POST /v1/jobs/job-1:cancel
. DELETE /v1/queues/ml
DELETE /v1/queues/ml
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"this queue does not exist","traceId":"<trace 1>"
    }
only id queue
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1","queue":"ml"}]}
only id queue
GET /v1/jobs?queue=ml
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1","queue":"ml"}]}
POST /v1/jobs:cancel {"queue":"ml"}
    200
    {"dryRun":false,"matched":0,"changed":0,"failed":0,"more":false}
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"queue":"ml","hold":true}
only id queue cursor
GET /v1/jobs?queue=ml
    200
    ETag: <etag 2>
    {"jobs":[{"id":"job-2","queue":"ml"}],"cursor":"e0"}
only id queue
GET /v1/jobs?queue=ml&state=ended
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1","queue":"ml"}]}

# the default queue stays, and may be paused
DELETE /v1/queues/default
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict",
      "detail":"jobs that name no queue go to queue default, so it stays; pause it, and nothing of it starts",
      "traceId":"<trace 1>"
    }
rows
. POST /v1/queues/default:pause
only id queue state
POST /v1/jobs {"command":["a"]}
    201
    Location: /v1/jobs/job-1
    {"id":"job-1","queue":"default","state":"queued"}

# the answer names the mistake in a queue
POST /v1/queues {}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this is required",
      "errors":[
        {
          "pointer":"/name","detail":"this is required",
          "allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"
        }
      ],
      "traceId":"<trace 1>"
    }
POST /v1/queues {"name":"Big"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/name","detail":"this value is not allowed here","got":"Big",
          "allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/queues {"name":"-a"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/name","detail":"this value is not allowed here","got":"-a",
          "allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"
        }
      ],
      "traceId":"<trace 3>"
    }
POST /v1/queues {"name":"a","paused":"yes"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/paused","detail":"this value is not allowed here","got":"yes",
          "allowed":"boolean"
        }
      ],
      "traceId":"<trace 4>"
    }
POST /v1/queues {"name":"a","defaultCpu":"lots"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a number of CPUs",
      "errors":[
        {
          "pointer":"/defaultCpu","detail":"not a number of CPUs","got":"lots",
          "allowed":"2, 1.5 or 500m; 0 for none; null for the control plane's default_cpu"
        }
      ],
      "traceId":"<trace 5>"
    }
POST /v1/queues {"name":"a","limit":5}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field",
      "errors":[{"pointer":"/limit","detail":"unknown field","got":"limit"}],"traceId":"<trace 6>"
    }
PATCH /v1/queues/none {"paused":true}
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"this queue does not exist","traceId":"<trace 7>"
    }
POST /v1/queues/none:pause
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"this queue does not exist","traceId":"<trace 8>"
    }
DELETE /v1/queues/none
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"this queue does not exist","traceId":"<trace 9>"
    }

# queues are listed page by page
. POST /v1/queues {"name":"a"}
. POST /v1/queues {"name":"b"}
only name cursor
GET /v1/queues?limit=2
    200
    ETag: <etag 1>
    {"queues":[{"name":"default"},{"name":"a"}],"cursor":"3"}
only name cursor
GET /v1/queues?limit=2&cursor=3
    200
    ETag: <etag 2>
    {"queues":[{"name":"b"}]}
GET /v1/queues?cursor=b
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a cursor of this list",
      "errors":[
        {
          "parameter":"cursor","detail":"not a cursor of this list","got":"b",
          "allowed":"'cursor' of the page before"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/queues?limit=501
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"limit","detail":"this value is not allowed here","got":"501",
          "allowed":"integer, 1 to 500"
        }
      ],
      "traceId":"<trace 2>"
    }
