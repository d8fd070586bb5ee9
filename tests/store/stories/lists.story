Lists of jobs: filters, pages, and what a filter has to be.

# open jobs come first, the newest first, and ended ones behind them likewise
. POST /v1/jobs {"command":["a"],"name":"one","hold":true}
. POST /v1/jobs {"command":["a"],"name":"two","hold":true}
. POST /v1/jobs {"command":["a"],"name":"three"}
. POST /v1/jobs {"command":["a"],"name":"four","hold":true}
. POST /v1/jobs/job-1:cancel
. POST /v1/jobs/job-4:cancel
only id state cursor
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-3","state":"queued"},{"id":"job-2","state":"held"}],"cursor":"e0"}
only id state cursor
GET /v1/jobs?state=ended
    200
    ETag: <etag 2>
    {"jobs":[{"id":"job-4","state":"cancelled"},{"id":"job-1","state":"cancelled"}]}
only id state cursor
GET /v1/jobs?state=open
    200
    ETag: <etag 3>
    {"jobs":[{"id":"job-3","state":"queued"},{"id":"job-2","state":"held"}]}
only id state cursor
GET /v1/jobs?state=held,cancelled
    200
    ETag: <etag 4>
    {"jobs":[{"id":"job-2","state":"held"}],"cursor":"e0"}

# a list goes on where its cursor says
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs/job-1:cancel
only id cursor
GET /v1/jobs?limit=1
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-3"}],"cursor":"o3"}
only id cursor
GET /v1/jobs?limit=1&cursor=o3
    200
    ETag: <etag 2>
    {"jobs":[{"id":"job-2"}],"cursor":"e0"}
only id cursor
GET /v1/jobs?limit=5&cursor=e0
    200
    ETag: <etag 3>
    {"jobs":[{"id":"job-1"}]}
GET /v1/jobs?cursor=x
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a cursor of a list of jobs",
      "errors":[
        {
          "parameter":"cursor","detail":"not a cursor of a list of jobs","got":"x",
          "allowed":"'cursor' of the page before"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/jobs?limit=0
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"limit","detail":"this value is not allowed here","got":"0",
          "allowed":"integer, 1 to 1000"
        }
      ],
      "traceId":"<trace 2>"
    }
GET /v1/jobs?limit=1001
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"limit","detail":"this value is not allowed here","got":"1001",
          "allowed":"integer, 1 to 1000"
        }
      ],
      "traceId":"<trace 3>"
    }

# jobs are found by label, name, queue and owner
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"hold":true,"name":"train-1","labels":{"team":"red","k":"v"}}
. POST /v1/jobs {"command":["a"],"hold":true,"name":"train-2","labels":{"team":"blue"}}
. POST /v1/jobs {"command":["a"],"hold":true,"name":"eval","queue":"ml"}
only id
GET /v1/jobs?label=team%3Dred
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1"}]}
only id
GET /v1/jobs?label=team%3Dred,k%3Dw
    200
    ETag: <etag 2>
    {}
only id
GET /v1/jobs?name=train-*
    200
    ETag: <etag 3>
    {"jobs":[{"id":"job-2"},{"id":"job-1"}]}
only id
GET /v1/jobs?name=eval
    200
    ETag: <etag 4>
    {"jobs":[{"id":"job-3"}]}
only id
GET /v1/jobs?name=Eval
    200
    ETag: <etag 2>
    {}
only id
GET /v1/jobs?queue=ml
    200
    ETag: <etag 4>
    {"jobs":[{"id":"job-3"}]}
only id
GET /v1/jobs?submittedBy=@me&name=*-2
    200
    ETag: <etag 5>
    {"jobs":[{"id":"job-2"}]}
only id
GET /v1/jobs?submittedBy=ann
    200
    ETag: <etag 2>
    {}

# a filter that is wrong is refused by its name
GET /v1/jobs?queue=none
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"no queue has this name, or this token may not see it",
      "errors":[
        {
          "parameter":"queue","detail":"no queue has this name, or this token may not see it",
          "got":"none"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/jobs?queue=default&queue=default
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this field is given twice in the query",
      "errors":[
        {
          "parameter":"queue","detail":"this field is given twice in the query","got":"queue",
          "allowed":"once"
        }
      ],
      "traceId":"<trace 2>"
    }
GET /v1/jobs?state=paused
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown state",
      "errors":[
        {
          "parameter":"state","detail":"unknown state","got":"paused",
          "allowed":"held, queued, starting, running, stopping, succeeded, failed, cancelled, open, ended"
        }
      ],
      "traceId":"<trace 3>"
    }
GET /v1/jobs?label=team
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a label that can be searched for",
      "errors":[
        {
          "parameter":"label","detail":"not a label that can be searched for","got":"team",
          "allowed":"key=value, at most 16 of 381 bytes, separated by commas"
        }
      ],
      "traceId":"<trace 4>"
    }
GET /v1/jobs?name=
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this field is empty: give a value, or leave it out",
      "errors":[
        {
          "parameter":"name","detail":"this field is empty: give a value, or leave it out",
          "allowed":"string, 1 to 253 bytes"
        }
      ],
      "traceId":"<trace 5>"
    }
GET /v1/jobs?nam=a
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field in the query",
      "errors":[{"parameter":"nam","detail":"unknown field in the query","got":"nam"}],
      "traceId":"<trace 6>"
    }
GET /v1/jobs?label=%zz
    400
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Bad Request","status":400,
      "code":"invalid","detail":"a percent sign without two hexadecimal digits behind it",
      "traceId":"<trace 7>"
    }

# jobs are counted by the value of a label, open and ended, and of one queue for a token of that queue
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"team":"vision"}}
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"team":"vision"},"queue":"ml","name":"train-1"}
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"team":"audio","try":"2"},"queue":"ml"}
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"teams":"vision"}}
. POST /v1/jobs/job-2:cancel
GET /v1/jobs:counts?by=label:team
    200
    ETag: <etag 1>
    {
      "by":"label:team",
      "values":[
        {"value":"vision","jobs":2,"open":1,"succeeded":0,"failed":0,"cancelled":1},
        {"value":"audio","jobs":1,"open":1,"succeeded":0,"failed":0,"cancelled":0}
      ],
      "without":{"jobs":1,"open":1,"succeeded":0,"failed":0,"cancelled":0},
      "others":{"jobs":0,"open":0,"succeeded":0,"failed":0,"cancelled":0},
      "total":{"jobs":4,"open":3,"succeeded":0,"failed":0,"cancelled":1},"isWhole":true
    }
GET /v1/jobs:counts?by=label:try&queue=ml
    200
    ETag: <etag 2>
    {
      "by":"label:try",
      "values":[{"value":"2","jobs":1,"open":1,"succeeded":0,"failed":0,"cancelled":0}],
      "without":{"jobs":1,"open":0,"succeeded":0,"failed":0,"cancelled":1},
      "others":{"jobs":0,"open":0,"succeeded":0,"failed":0,"cancelled":0},
      "total":{"jobs":2,"open":1,"succeeded":0,"failed":0,"cancelled":1},"isWhole":true
    }
only values value jobs
GET /v1/jobs:counts?by=label:team&name=train-*
    200
    ETag: <etag 3>
    {
      "values":[{"value":"vision","jobs":1,"open":0,"succeeded":0,"failed":0,"cancelled":1}],
      "without":{"jobs":0},
      "others":{"jobs":0},
      "total":{"jobs":1}
    }
only values value jobs
GET /v1/jobs:counts?by=label:team&label=try%3D2
    200
    ETag: <etag 4>
    {
      "values":[{"value":"audio","jobs":1,"open":1,"succeeded":0,"failed":0,"cancelled":0}],
      "without":{"jobs":0},
      "others":{"jobs":0},
      "total":{"jobs":1}
    }
only token id
POST /v1/tokens {"name":"r","scopes":["read"],"queue":"ml"}
    201
    {"id":"<id 1>","token":"<token 1>"}
as <token 1>
only values value total jobs
GET /v1/jobs:counts?by=label:team
    200
    ETag: <etag 5>
    {
      "values":[
        {"value":"audio","jobs":1,"open":1,"succeeded":0,"failed":0,"cancelled":0},
        {"value":"vision","jobs":1,"open":0,"succeeded":0,"failed":0,"cancelled":1}
      ],
      "without":{"jobs":0},
      "others":{"jobs":0},
      "total":{"jobs":2,"open":1,"succeeded":0,"failed":0,"cancelled":1}
    }
GET /v1/jobs:counts?by=label:team&queue=default
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"no queue has this name, or this token may not see it",
      "errors":[
        {
          "parameter":"queue","detail":"no queue has this name, or this token may not see it",
          "got":"default"
        }
      ],
      "traceId":"<trace 1>"
    }
as admin
GET /v1/jobs:counts?by=team
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"nothing to count by",
      "errors":[
        {
          "parameter":"by","detail":"nothing to count by","got":"team",
          "allowed":"label:KEY, with the key of a label"
        }
      ],
      "traceId":"<trace 2>"
    }
GET /v1/jobs:counts
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this field of the query is missing",
      "errors":[{"parameter":"by","detail":"this field of the query is missing","allowed":"string"}],
      "traceId":"<trace 3>"
    }

# a filter takes each label that a job may have: one without a value, and a long one; and several
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"empty":"","aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc/name":"x"}}
. POST /v1/jobs {"command":["a"],"hold":true}
only id
GET /v1/jobs?label=empty=
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1"}]}
only id
GET /v1/jobs?label=empty=,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc/name=x
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1"}]}
only id
GET /v1/jobs?label=empty=x
    200
    ETag: <etag 2>
    {}
POST /v1/jobs:cancel {"labels":{"empty":""},"dryRun":true}
    200
    {"dryRun":true,"matched":1,"changed":0,"failed":0,"more":false}
GET /v1/jobs?label=empty
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a label that can be searched for",
      "errors":[
        {
          "parameter":"label","detail":"not a label that can be searched for","got":"empty",
          "allowed":"key=value, at most 16 of 381 bytes, separated by commas"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/jobs?label==x
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a label that can be searched for",
      "errors":[
        {
          "parameter":"label","detail":"not a label that can be searched for","got":"=x",
          "allowed":"key=value, at most 16 of 381 bytes, separated by commas"
        }
      ],
      "traceId":"<trace 2>"
    }

# a list with a comma at its end is refused, as one with two commas is
GET /v1/jobs?state=held,
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown state",
      "errors":[
        {
          "parameter":"state","detail":"unknown state",
          "allowed":"held, queued, starting, running, stopping, succeeded, failed, cancelled, open, ended"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/jobs?label=a=b,
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a label that can be searched for",
      "errors":[
        {
          "parameter":"label","detail":"not a label that can be searched for",
          "allowed":"key=value, at most 16 of 381 bytes, separated by commas"
        }
      ],
      "traceId":"<trace 2>"
    }
GET /v1/jobs?state=held,,queued
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown state",
      "errors":[
        {
          "parameter":"state","detail":"unknown state",
          "allowed":"held, queued, starting, running, stopping, succeeded, failed, cancelled, open, ended"
        }
      ],
      "traceId":"<trace 3>"
    }
GET /v1/events?topics=jobs,
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown topic",
      "errors":[{"parameter":"topics","detail":"unknown topic","allowed":"jobs, queues, clusters"}],
      "traceId":"<trace 4>"
    }
