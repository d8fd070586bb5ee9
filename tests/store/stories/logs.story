The output of a job that has none.

# a job without output has an empty log
. POST /v1/jobs {"command":["a"],"hold":true}
GET /v1/jobs/job-1/logs
    200
    X-Fairlead-Output: more
GET /v1/jobs/job-1/logs?count=10
    200
    ETag: <etag 1>
    Content-Range: lines */0
    X-Fairlead-Output: more
GET /v1/jobs/job-1/logs?format=jsonl
    200
    X-Fairlead-Output: more
with Accept: application/x-ndjson
GET /v1/jobs/job-1/logs/search?grep=a
    200
    {
      "type":"end","stopped":"end","output":"more","hits":0,"undecided":0,"gaps":0,"lines":0,
      "levels":{"none":0,"error":0,"warn":0,"info":0,"debug":0},"nextCursor":null
    }
. POST /v1/jobs/job-1:cancel
GET /v1/jobs/job-1/logs?tail=5
    200
    X-Fairlead-Output: complete
with Accept: application/x-ndjson
GET /v1/jobs/job-1/logs/search?grep=a
    200
    {
      "type":"end","stopped":"end","output":"complete","hits":0,"undecided":0,"gaps":0,"lines":0,
      "levels":{"none":0,"error":0,"warn":0,"info":0,"debug":0},"nextCursor":null
    }
with Range: lines=0-9
GET /v1/jobs/job-1/logs
    416
    Content-Range: lines */0
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Range Not Satisfiable",
      "status":416,"code":"invalid","detail":"there is no line 0 yet; they are counted from 0",
      "traceId":"<trace 1>"
    }

# senseless questions to a log are refused
. POST /v1/jobs {"command":["a"],"hold":true}
GET /v1/jobs/job-1/logs?tail=-1
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"tail","detail":"this value is not allowed here","got":"-1",
          "allowed":"integer, 0 to 9223372036854775807"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/jobs/job-1/logs?replica=3-1
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a list of replicas",
      "errors":[
        {
          "parameter":"replica","detail":"not a list of replicas","got":"3-1",
          "allowed":"as 3, 0-7 or 0,3,8-11; at most 16 parts"
        }
      ],
      "traceId":"<trace 2>"
    }
GET /v1/jobs/job-1/logs?grep=(&match=regex
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"no pattern: missing closing parenthesis, at byte 1",
      "errors":[
        {
          "parameter":"grep","detail":"no pattern: missing closing parenthesis, at byte 1",
          "got":"(","allowed":"Perl's syntax (PCRE2); match=text takes it as it stands"
        }
      ],
      "traceId":"<trace 3>"
    }
GET /v1/jobs/job-1/logs?invert=true
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this says how a pattern is meant, and there is none",
      "errors":[
        {
          "parameter":"invert","detail":"this says how a pattern is meant, and there is none",
          "got":"true","allowed":"beside 'grep'"
        }
      ],
      "traceId":"<trace 4>"
    }
GET /v1/jobs/job-1/logs?since=now
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a time",
      "errors":[{"parameter":"since","detail":"not a time","got":"now","allowed":"<time>"}],
      "traceId":"<trace 5>"
    }
GET /v1/jobs/job-1/logs/search
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"a search needs what it is to look for",
      "errors":[
        {
          "parameter":"grep","detail":"a search needs what it is to look for",
          "allowed":"a text, or with match=regex a regular expression; or a level"
        }
      ],
      "traceId":"<trace 6>"
    }
with Range: bytes=0-9
GET /v1/jobs/job-1/logs
    200
    X-Fairlead-Output: more
with Range: lines=9-0
GET /v1/jobs/job-1/logs
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a range of lines",
      "errors":[
        {
          "header":"Range","detail":"not a range of lines","got":"lines=9-0",
          "allowed":"lines=100-199 or lines=100-, one of them; the last lines: ?tail=100"
        }
      ],
      "traceId":"<trace 7>"
    }
GET /v1/jobs/job-1/logs/search?grep=a&limit=0
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"limit","detail":"this value is not allowed here","got":"0",
          "allowed":"integer, 1 to 10000"
        }
      ],
      "traceId":"<trace 8>"
    }
GET /v1/jobs/job-1/logs/search?grep=a&cursor=x
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a cursor of a log",
      "errors":[
        {
          "parameter":"cursor","detail":"not a cursor of a log","got":"x",
          "allowed":"'nextCursor' of a search of this output"
        }
      ],
      "traceId":"<trace 9>"
    }

# a stream of an ended job without output ends at once
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs/job-1:cancel
GET /v1/jobs/job-1/logs/stream
    200
    | event: end
    | data: {"type":"end","output":"complete"}
    |
with Accept: application/x-ndjson
GET /v1/jobs/job-1/logs/stream
    200
    {"type":"end","output":"complete"}
with Accept: image/png
GET /v1/jobs/job-1/logs/stream
    406
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Not Acceptable",
      "status":406,"code":"unsupported",
      "detail":"this is text/event-stream or application/x-ndjson","traceId":"<trace 1>"
    }
with Last-Event-ID: x
GET /v1/jobs/job-1/logs/stream
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a cursor of a log",
      "errors":[
        {
          "header":"Last-Event-ID","detail":"not a cursor of a log","got":"x",
          "allowed":"'id' of an event of this output"
        }
      ],
      "traceId":"<trace 2>"
    }

# the events of an ended job, from its beginning
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs/job-1:release
. POST /v1/jobs/job-1:cancel
with Accept: application/x-ndjson
GET /v1/jobs/job-1/events
    200
    | {"type":"job.submitted","at":"<time>","job":"job-1","queue":"default","name":null,"elements":1}
    | {"type":"job.held","at":"<time>","job":"job-1"}
    | {"type":"job.released","at":"<time>","job":"job-1","by":"token:<admin> first-admin"}
    | {"type":"element.ended","at":"<time>","job":"job-1","element":0,"attempt":0,"state":"cancelled","reason":"Cancelled","exitCode":0}
    | {"type":"job.ended","at":"<time>","job":"job-1","state":"cancelled","reason":"Cancelled"}
with Last-Event-ID: x
GET /v1/jobs/job-1/events
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not the id of an event",
      "errors":[
        {
          "header":"Last-Event-ID","detail":"not the id of an event","got":"x",
          "allowed":"'id' of an event"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/events?topics=weather
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown topic",
      "errors":[
        {
          "parameter":"topics","detail":"unknown topic","got":"weather",
          "allowed":"jobs, queues, clusters"
        }
      ],
      "traceId":"<trace 2>"
    }

# the last line of a stream says that it is whole
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs/job-1:cancel
with Accept: application/x-ndjson
GET /v1/jobs/job-1/logs/stream
    200
    {"type":"end","output":"complete"}
GET /v1/jobs/job-1/logs/stream
    200
    | event: end
    | data: {"type":"end","output":"complete"}
    |

# an element or a replica that a job has not is refused, and one that has not started has no output yet
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs {"command":["a"],"hold":true,"array":3,"replicas":2}
GET /v1/jobs/job-1/logs?element=1
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has one element, number 0",
      "errors":[{"parameter":"element","detail":"the job has one element, number 0","got":"1"}],
      "traceId":"<trace 1>"
    }
GET /v1/jobs/job-1/logs?replica=1
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has one replica, number 0",
      "errors":[{"parameter":"replica","detail":"the job has one replica, number 0","got":"1"}],
      "traceId":"<trace 2>"
    }
GET /v1/jobs/job-1/logs?attempt=0
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"attempt","detail":"this value is not allowed here","got":"0",
          "allowed":"integer, 1 to 65535"
        }
      ],
      "traceId":"<trace 3>"
    }
GET /v1/jobs/job-2/logs?element=3
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 3 elements, numbered from 0 to 2",
      "errors":[
        {"parameter":"element","detail":"the job has 3 elements, numbered from 0 to 2","got":"3"}
      ],
      "traceId":"<trace 4>"
    }
GET /v1/jobs/job-2/logs?element=2&replica=0,2-4
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 2 replicas, numbered from 0 to 1",
      "errors":[
        {
          "parameter":"replica","detail":"the job has 2 replicas, numbered from 0 to 1",
          "got":"0,2-4"
        }
      ],
      "traceId":"<trace 5>"
    }
GET /v1/jobs/job-2/logs/search?grep=a&element=4294967295
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 3 elements, numbered from 0 to 2",
      "errors":[
        {
          "parameter":"element","detail":"the job has 3 elements, numbered from 0 to 2",
          "got":"4294967295"
        }
      ],
      "traceId":"<trace 6>"
    }
with Accept: application/x-ndjson
GET /v1/jobs/job-2/logs/stream?element=3
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 3 elements, numbered from 0 to 2",
      "errors":[
        {"parameter":"element","detail":"the job has 3 elements, numbered from 0 to 2","got":"3"}
      ],
      "traceId":"<trace 7>"
    }
GET /v1/jobs/job-2/exec?element=3
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 3 elements, numbered from 0 to 2",
      "errors":[
        {"parameter":"element","detail":"the job has 3 elements, numbered from 0 to 2","got":"3"}
      ],
      "traceId":"<trace 8>"
    }
GET /v1/jobs/job-2/files?path=a&replica=2
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 2 replicas, numbered from 0 to 1",
      "errors":[
        {"parameter":"replica","detail":"the job has 2 replicas, numbered from 0 to 1","got":"2"}
      ],
      "traceId":"<trace 9>"
    }
GET /v1/jobs/job-2/forward?port=80&element=3
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 3 elements, numbered from 0 to 2",
      "errors":[
        {"parameter":"element","detail":"the job has 3 elements, numbered from 0 to 2","got":"3"}
      ],
      "traceId":"<trace 10>"
    }
GET /v1/jobs/job-2/exec?element=2
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict","detail":"this replica does not run now; the job is held",
      "traceId":"<trace 11>"
    }
GET /v1/jobs/job-2/logs?element=2&replica=0-7
    200
    X-Fairlead-Output: more
. POST /v1/jobs/job-2:cancel
GET /v1/jobs/job-2/logs?element=3
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 3 elements, numbered from 0 to 2",
      "errors":[
        {"parameter":"element","detail":"the job has 3 elements, numbered from 0 to 2","got":"3"}
      ],
      "traceId":"<trace 12>"
    }
GET /v1/jobs/job-2/files?path=a&element=3
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"the job has 3 elements, numbered from 0 to 2",
      "errors":[
        {"parameter":"element","detail":"the job has 3 elements, numbered from 0 to 2","got":"3"}
      ],
      "traceId":"<trace 13>"
    }
GET /v1/jobs/job-2/logs?element=2&replica=1
    200
    X-Fairlead-Output: complete
with Accept: application/x-ndjson
GET /v1/jobs/job-2/logs/stream?element=2
    200
    {"type":"end","output":"complete"}
