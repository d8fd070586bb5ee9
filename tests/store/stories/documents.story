Documents of jobs that are wrong: each fault with its place, what came and what is allowed.

# a text that is no JSON
POST /v1/jobs {
    400
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Bad Request","status":400,
      "code":"invalid","detail":"here goes a key in quotes",
      "errors":[{"pointer":"","detail":"here goes a key in quotes","line":1,"col":2}],
      "traceId":"<trace 1>"
    }
POST /v1/jobs [1]
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not an object",
      "errors":[
        {
          "pointer":"","detail":"not an object","got":"a list","allowed":"an object","line":1,
          "col":1
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs {"command":["a"]} and more
    400
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Bad Request","status":400,
      "code":"invalid","detail":"something follows behind the value",
      "errors":[{"pointer":"","detail":"something follows behind the value","line":1,"col":19}],
      "traceId":"<trace 3>"
    }
POST /v1/jobs {"command":["a"],"command":["b"]}
    400
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Bad Request","status":400,
      "code":"invalid","detail":"the key \"command\" is there twice",
      "errors":[{"pointer":"","detail":"the key \"command\" is there twice","line":1,"col":18}],
      "traceId":"<trace 4>"
    }
POST /v1/jobs
    400
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Bad Request","status":400,
      "code":"invalid","detail":"the text ends where a value goes",
      "errors":[{"pointer":"","detail":"the text ends where a value goes","line":1,"col":1}],
      "traceId":"<trace 5>"
    }

# a member that is not known, not of its kind, or out of bounds
POST /v1/jobs {"comand":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid",
      "detail":"/comand: unknown field; did you mean command? (and 1 more)",
      "errors":[
        {
          "pointer":"/comand","detail":"unknown field; did you mean command?","got":"\"comand\"",
          "allowed":"command","line":1,"col":2
        },
        {
          "pointer":"","detail":"there is neither a command nor an image: nothing to run",
          "allowed":"command: [\"sh\", \"-c\", \"...\"]"
        }
      ],
      "traceId":"<trace 1>"
    }
POST /v1/jobs {"command":"a"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid",
      "detail":"/command: this is not what command holds (and 1 more)",
      "errors":[
        {
          "pointer":"/command","detail":"this is not what command holds","got":"\"a\"",
          "allowed":"a list of texts; 1 to 4096 of them","line":1,"col":12
        },
        {
          "pointer":"","detail":"there is neither a command nor an image: nothing to run",
          "allowed":"command: [\"sh\", \"-c\", \"...\"]"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs {"command":["a"],"priority":"high"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/priority: this is not what priority holds",
      "errors":[
        {
          "pointer":"/priority","detail":"this is not what priority holds","got":"\"high\"",
          "allowed":"a whole number, from -1000 to 1000","line":1,"col":29
        }
      ],
      "traceId":"<trace 3>"
    }
POST /v1/jobs {"command":["a"],"replicas":0}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/replicas: this is not what replicas holds",
      "errors":[
        {
          "pointer":"/replicas","detail":"this is not what replicas holds","got":"0",
          "allowed":"a whole number, from 1 to 1024","line":1,"col":29
        }
      ],
      "traceId":"<trace 4>"
    }
POST /v1/jobs {"command":["a"],"resources":{"cpu":"two"}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/resources/cpu: this is not what cpu holds",
      "errors":[
        {
          "pointer":"/resources/cpu","detail":"this is not what cpu holds","got":"\"two\"",
          "allowed":"cores like 2, 1.5 or 500m","line":1,"col":37
        }
      ],
      "traceId":"<trace 5>"
    }
POST /v1/jobs {"command":["a"],"labels":{"team":1}}
    201
    Location: /v1/jobs/job-1
    {
      "id":"job-1","name":null,
      "labels":{"team":"1"},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"queued","reason":null,
      "unknownSince":null,"priority":0,"deadline":null,"parallelism":null,"revision":0,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "specDigest":"4549a82554c73a34c72d737efd8fdcd097d206f801cd85158fdcf3589c5cdbeb"
    }
POST /v1/jobs {}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid",
      "detail":"there is neither a command nor an image: nothing to run",
      "errors":[
        {
          "pointer":"","detail":"there is neither a command nor an image: nothing to run",
          "allowed":"command: [\"sh\", \"-c\", \"...\"]"
        }
      ],
      "traceId":"<trace 6>"
    }

# one answer names all faults of a document
POST /v1/jobs {"queue":7,"array":-1,"env":{"A=B":"c"},"deadline":"soon"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/queue: this is not what queue holds (and 4 more)",
      "errors":[
        {
          "pointer":"/queue","detail":"this is not what queue holds","got":"7",
          "allowed":"the name of a queue: a-z, 0-9 and '-', no '-' at an end; 1 to 63 bytes",
          "line":1,"col":10
        },
        {
          "pointer":"/array","detail":"this is not what array holds","got":"-1",
          "allowed":"a whole number, from 1 to 16777216","line":1,"col":20
        },
        {
          "pointer":"/env/A=B","detail":"not a variable name","got":"\"c\"",
          "allowed":"letters, digits, '_', '.' and '-', no digit at first, not a name of ours; 1 to 256 bytes",
          "line":1,"col":36
        },
        {
          "pointer":"/deadline","detail":"this is not what deadline holds","got":"\"soon\"",
          "allowed":"a time like 90s, 5m or 1h30m, or a number of seconds, from 1 to 31622400",
          "line":1,"col":52
        },
        {
          "pointer":"","detail":"there is neither a command nor an image: nothing to run",
          "allowed":"command: [\"sh\", \"-c\", \"...\"]"
        }
      ],
      "traceId":"<trace 1>"
    }

# the answer names the line of a mistake in YAML
with Content-Type: application/yaml
POST /v1/jobs
| command: [a]
| resources:
|   cpus: 2
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/resources/cpus: unknown field; did you mean cpu?",
      "errors":[
        {
          "pointer":"/resources/cpus","detail":"unknown field; did you mean cpu?","got":"\"cpus\"",
          "allowed":"cpu","line":3,"col":3
        }
      ],
      "traceId":"<trace 1>"
    }
with Content-Type: application/yaml
POST /v1/jobs
| command: [a
    400
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Bad Request","status":400,
      "code":"invalid","detail":"while parsing a flow sequence, did not find expected ',' or ']'",
      "errors":[
        {
          "pointer":"","detail":"while parsing a flow sequence, did not find expected ',' or ']'",
          "line":2,"col":1
        }
      ],
      "traceId":"<trace 2>"
    }
with Content-Type: application/yaml
only id state queue
POST /v1/jobs
| command: [a]
| hold: true
    201
    Location: /v1/jobs/job-1
    {"id":"job-1","queue":"default","state":"held"}

# a body of another kind is not read, and of no kind is JSON
with Content-Type: text/yaml; charset=utf-8
POST /v1/jobs
| command: [a]
| hold: true
    201
    Location: /v1/jobs/job-1
    {
      "id":"job-1","name":null,
      "labels":{},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"held","reason":"Held",
      "unknownSince":null,"priority":0,"deadline":null,"parallelism":null,"revision":0,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "specDigest":"4549a82554c73a34c72d737efd8fdcd097d206f801cd85158fdcf3589c5cdbeb"
    }
with Content-Type: APPLICATION/JSON ;charset=utf-8
POST /v1/jobs {"command":["a"],"hold":true}
    201
    Location: /v1/jobs/job-2
    {
      "id":"job-2","name":null,
      "labels":{},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"held","reason":"Held",
      "unknownSince":null,"priority":0,"deadline":null,"parallelism":null,"revision":0,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "specDigest":"4549a82554c73a34c72d737efd8fdcd097d206f801cd85158fdcf3589c5cdbeb"
    }
with Content-Type: application/x-www-form-urlencoded
POST /v1/queues {"name":"from-a-form"}
    415
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Unsupported Media Type",
      "status":415,"code":"unsupported",
      "detail":"the body is application/x-www-form-urlencoded, and this route takes application/json: say so in the header Content-Type",
      "traceId":"<trace 1>"
    }
with Content-Type: application/json-patch+json
PATCH /v1/queues/default {"maxQueued":5}
    415
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Unsupported Media Type",
      "status":415,"code":"unsupported",
      "detail":"the body is application/json-patch+json, and this route takes application/json: say so in the header Content-Type",
      "traceId":"<trace 2>"
    }
with Content-Type: application/json; charset=iso-8859-1
POST /v1/queues {"name":"latin"}
    415
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Unsupported Media Type",
      "status":415,"code":"unsupported",
      "detail":"the body is application/json; charset=iso-8859-1, and text is UTF-8 here: send it so, and leave the charset out",
      "traceId":"<trace 3>"
    }
with Content-Type: application/yaml
POST /v1/jobs:batch
| - command: [a]
    415
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Unsupported Media Type",
      "status":415,"code":"unsupported",
      "detail":"the body is application/yaml, and this route takes application/json, application/x-ndjson: say so in the header Content-Type",
      "traceId":"<trace 4>"
    }
with Content-Type: text/plain
POST /v1/jobs/job-1:cancel {}
    415
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Unsupported Media Type",
      "status":415,"code":"unsupported",
      "detail":"the body is text/plain, and this route takes application/json: say so in the header Content-Type",
      "traceId":"<trace 5>"
    }
with Content-Type: text/plain
POST /v1/jobs command
    415
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Unsupported Media Type",
      "status":415,"code":"unsupported",
      "detail":"the body is text/plain, and this route takes application/json, application/yaml: say so in the header Content-Type",
      "traceId":"<trace 6>"
    }

# a queue, a cluster and a job that are named have to be there
POST /v1/jobs {"command":["a"],"queue":"none"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent",
      "detail":"queue \"none\" does not exist; create it, or name another",
      "errors":[
        {
          "pointer":"/queue","detail":"queue \"none\" does not exist; create it, or name another",
          "got":"none"
        }
      ],
      "traceId":"<trace 1>"
    }
POST /v1/jobs {"command":["a"],"queue":"Not A Name"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/queue: this is not what queue holds",
      "errors":[
        {
          "pointer":"/queue","detail":"this is not what queue holds","got":"\"Not A Name\"",
          "allowed":"the name of a queue: a-z, 0-9 and '-', no '-' at an end; 1 to 63 bytes",
          "line":1,"col":26
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs {"command":["a"],"after":[{"job":"job-9"}]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"job-9, which it is to run after, does not exist",
      "errors":[
        {
          "pointer":"/after/0/job","detail":"job-9, which it is to run after, does not exist",
          "got":"job-9"
        }
      ],
      "traceId":"<trace 3>"
    }
POST /v1/jobs {"command":["a"],"after":[{"line":1}]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"only the jobs of a batch have lines: name the job",
      "errors":[
        {"pointer":"/after/0/line","detail":"only the jobs of a batch have lines: name the job"}
      ],
      "traceId":"<trace 4>"
    }
POST /v1/jobs {"command":["a"],"after":[{"job":"job-9","on":"sometimes"}]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/after/0/on: this is not what on holds",
      "errors":[
        {
          "pointer":"/after/0/on","detail":"this is not what on holds","got":"\"sometimes\"",
          "allowed":"success, failure, any or each","line":1,"col":47
        }
      ],
      "traceId":"<trace 5>"
    }
rows
