"""The REST API as scripts use it: every route answers, refusals say where and why, streams go on where they stopped."""
import concurrent.futures
import http.client
import json
import re
import socket
import urllib.parse

import contract
import fleet
from api_call import LINES, YAML, call, described, events
from fleet import equal, shows


def description(f):
    about, first = call(f, "GET", "/v1/openapi.json").json(), f.pid_of("fairleadd")
    described.append(contract.Contract(about))
    with shows("each operation has an id of its own, a tag, and a schema for each answer"):
        routes = [route for methods in about["paths"].values() for route in methods.values()]
        equal(len({route["operationId"] for route in routes}), len(routes))
        for route in routes:
            assert route["tags"] and route["summary"], route["operationId"]
            for status, answer in route["responses"].items():
                for content in answer.get("content", {}).values():
                    assert content["schema"], (route["operationId"], status)
    with shows("the check of answers can fail: it reports a member that is not described"):
        states = b'"byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}'
        json_of_it, good = {"content-type": "application/json"}, b'{"name":"x","paused":true,"defaultCpu":null,"jobs":0,%s}' % states
        for headers, body, why in ((json_of_it, b'{"name":"x","paused":false,"defaultCpu":null,%s}' % states, "lacks jobs"),
                                   (json_of_it, b'{"name":"x","paused":1,"defaultCpu":null,"jobs":0,%s}' % states, "is not"),
                                   (json_of_it, good[:-1] + b',"more":1}', "not described"), (json_of_it | {"location": "/"}, good, "location is not")):
            try:
                described[0].check("GET", "/v1/queues/x", 200, headers, body)
                raise AssertionError(f"{body} was taken")
            except contract.Mismatch as error:
                assert why in str(error), error
    with shows("openapi.json is OpenAPI 3.1, and every reference in it resolves"):
        equal(about["openapi"].split(".")[:2], ["3", "1"])

        def walk(at):
            if isinstance(at, dict):
                if "$ref" in at:
                    target = about
                    for step in at["$ref"].removeprefix("#/").split("/"):
                        target = target[step.replace("~1", "/").replace("~0", "~")]
                for value in at.values():
                    walk(value)
            elif isinstance(at, list):
                for value in at:
                    walk(value)

        walk(about)
        for path, methods in about["paths"].items():
            names = set(re.findall(r"{(\w+)}", path))
            for method, route in methods.items():
                assert route["responses"], (path, method)
                equal({one["name"] for one in route.get("parameters", []) if one["in"] == "path"}, names, f"{method} {path}")
                for one in route.get("parameters", []):
                    assert one["schema"]["type"] in ("string", "integer", "boolean"), (path, one)
                    assert one["in"] != "path" or one["required"] is True, (path, one)
    with shows("readyz tells a probe without a token its status and nothing else"):
        answer = call(f, "GET", "/readyz?verbose", token=None)
        equal((answer.status, answer.json()), (200, {"ready": True}))
    with shows("every route answers, and all but livez, enrol and the sign-in of browsers want a token, which readyz may do without"):
        open_to_all = {"getLive", "enrol", "beginSession"}
        for path, methods in about["paths"].items():
            for method, route in methods.items():
                made = path.replace("{job}", "job-zzzz").replace("{id}", "none").replace("{cluster}", "nowhere").replace("{queue}", "nowhere")
                for token in (None, "fl_nonsense", f.token[:-1] + ("0" if f.token[-1] != "0" else "1")):
                    answer = call(f, method.upper(), made, token=token)
                    if path == "/readyz" and token is None:
                        equal(answer.status, 200)
                    elif route["operationId"] in open_to_all:
                        assert answer.status != 401 or path == "/v1/enrol", (path, answer.status)
                    else:
                        equal(answer.status, 401, f"{method} {path} with {token}")
                        equal(answer.headers["content-type"], "application/problem+json")
                if "/events" in path or method == "get" and path == "/v1/jobs/{job}/logs/stream":
                    continue  # they go on
                answer = call(f, method.upper(), made, "{}" if method in ("post", "patch") else None)
                assert answer.status < 500, (method, path, answer.status, answer.body)
                if answer.status >= 400:
                    equal(answer.json()["status"], answer.status, f"{method} {path}")
    with shows("any body gets an answer, and the control plane goes on"):
        for path, methods in about["paths"].items():
            made = path.replace("{job}", "job-zzzz").replace("{id}", "none").replace("{cluster}", "nowhere").replace("{queue}", "nowhere")
            fields = {name for route in methods.values() for content in route.get("requestBody", {}).get("content", {}).values()
                      for name in content.get("schema", {}).get("properties", {})}
            for body in ("", "{", "[]", "3", "\xff", '{"none":1}', "[" * 40, *(json.dumps({name: value}) for name in sorted(fields)
                         for value in (None, -1, 1 << 62, "", "x" * 500, [], [3], ["x"], {}, {"x": 3}, True))):
                for method in set(methods) & {"post", "patch"}:
                    answer = call(f, method.upper(), made, body.encode("latin-1"))
                    assert answer.status < 500 and (answer.status >= 400 or body in ("", "[]") or "{" in body), (path, body, answer.status, answer.body)
        equal(call(f, "GET", "/readyz").status, 200)
        equal(f.pid_of("fairleadd"), first)
    with shows("a wrong method is 405 with what there is, an unknown path 404"):
        answer = call(f, "DELETE", "/v1/jobs")
        equal((answer.status, sorted(answer.headers["allow"].split(", "))), (405, ["GET", "HEAD", "POST"]))
        equal(call(f, "GET", "/v1/nothing").status, 404)
        equal(call(f, "BREW", "/v1/jobs").status, 501)
    with shows("an ETag names an answer: 304 as long as nothing has changed, and HEAD has it without a body"):
        answer = call(f, "GET", "/v1/openapi.json")
        again = call(f, "GET", "/v1/openapi.json", headers={"If-None-Match": answer.headers["etag"]})
        equal((again.status, again.body), (304, b""))
        head = call(f, "HEAD", "/v1/openapi.json")
        equal((head.status, head.headers["etag"], head.body), (200, answer.headers["etag"], b""))


def submitting(f):
    with shows("YAML that is wrong is refused with line and column, pointer and what was meant"):
        problem = call(f, "POST", "/v1/jobs", "name: x\nresources:\n  cpux: 1\ncommand: [a]\n", YAML)
        equal((problem.status, problem.headers["content-type"]), (422, "application/problem+json"))
        error = problem.json()["errors"][0]
        equal((error["pointer"], error["line"], error["col"]), ("/resources/cpux", 3, 3))
        assert "did you mean cpu" in error["detail"] and problem.json()["traceId"], problem.json()
        equal(call(f, "POST", "/v1/jobs", "a: &x [1]\nb: *x\n", YAML).status, 400)
        equal(call(f, "POST", "/v1/jobs", '{"name": "a", "name": "b"}').status, 400)
    with shows("dryRun has the document as it was understood, and makes nothing"):
        before = call(f, "GET", "/v1/jobs").json()["jobs"]
        answer = call(f, "POST", "/v1/jobs?dryRun=true", {"command": ["true"], "replicas": 2})
        equal((answer.status, answer.json()["job"]["roles"][0]["replicas"]), (200, 2))
        equal(call(f, "POST", "/v1/jobs?dryRun=true", {"command": ["true"], "after": [{"line": 1}]}).status, 200)
        equal(call(f, "GET", "/v1/jobs").json()["jobs"], before)
    with shows("dryRun refuses what would be refused, in the same words"):
        held = call(f, "POST", "/v1/jobs", {"command": ["true"], "hold": True}).json()["id"]
        before = call(f, "GET", "/v1/jobs").json()["jobs"]
        for document, status in (({"command": ["true"], "queue": "none"}, 422), ({"command": ["true"], "after": [{"job": "job-zzzz"}]}, 422),
                                 ({"command": ["true"], "after": [{"job": held}, {"job": held, "on": "any"}]}, 422)):
            dry, real = (call(f, "POST", path, document) for path in ("/v1/jobs?dryRun=true", "/v1/jobs"))
            told = [{key: value for key, value in answer.json().items() if key != "traceId"} for answer in (dry, real)]
            equal((dry.status, told[0]), (status, told[1]), document)
            equal(real.status, status)
        equal(call(f, "GET", "/v1/jobs").json()["jobs"], before)
        call(f, "POST", f"/v1/jobs/{held}:cancel")
    with shows("a key repeats the first answer; with another body, query or route it is 409"):
        key, body = {"Idempotency-Key": "one"}, {"command": ["true"]}
        first, second = (call(f, "POST", "/v1/jobs", body, key) for _ in range(2))
        equal((first.status, first.json()["id"]), (second.status, second.json()["id"]))
        for method, path, other in (("POST", "/v1/jobs", {"command": ["false"]}), ("POST", "/v1/jobs?dryRun=true", body),
                                    ("POST", f"/v1/jobs/{first.json()['id']}:hold", body)):
            assert call(f, method, path, other, key).status in (409, 422, 200 if "dryRun" in path else 409), (path, other)
        equal(call(f, "POST", "/v1/jobs", {"command": ["false"]}, key).status, 409)
        for bad in ("k" * 129, "a b", ""):
            refused = call(f, "POST", "/v1/jobs", body, {"Idempotency-Key": bad})
            equal((refused.status, refused.json()["errors"][0]["header"]), (422, "Idempotency-Key"))
    with shows("many requests with one key at the same time make one job; the others have its answer, or 409"):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: call(f, "POST", "/v1/jobs", {"command": ["true"], "name": "once"}, {"Idempotency-Key": "race"}), range(24)))
        assert {answer.status for answer in answers} <= {201, 409}, [answer.status for answer in answers]
        ids = {answer.json()["id"] for answer in answers if answer.status == 201}
        equal(len(ids), 1)
        f.wait(ids.pop())
        equal(sum(job["name"] == "once" for job in call(f, "GET", "/v1/jobs?limit=1000&state=ended").json()["jobs"]), 1)
    with shows("a batch as lines: a spec once, used with parameters; bad lines fail alone"):
        lines = ['{"spec":"s","job":{"command":["sh","-c","echo $FAIRLEAD_PARAM_LR"]}}', '{"use":"s","params":{"lr":"0.1"}}',
                 '{"use":"s","params":{"lr":"0.2"},"name":"second"}', '{"use":"none"}', '{"comand":["x"]}', '{"command":["true"]}']
        answer = call(f, "POST", "/v1/jobs:batch", "\n".join(lines) + "\n", LINES | {"Idempotency-Key": "batch"})
        equal(answer.status, 200)
        got = answer.lines()
        equal([line["line"] for line in got], [1, 2, 3, 4, 5, 6])
        equal(["id" in line for line in got], [False, True, True, False, False, True])
        equal((got[3]["problem"]["status"], got[4]["problem"]["errors"][0]["line"]), (422, 5))
        ids = [got[1]["id"], got[2]["id"]]
        for job, wanted in zip(ids, ("0.1", "0.2")):
            f.wait(job)
            f.expect_log(job, wanted)
        one, two = (f.job(job) for job in ids)
        equal((one["specDigest"], two["name"]), (two["specDigest"], "second"))
        equal(call(f, "POST", "/v1/jobs:batch", "\n".join(lines) + "\n", LINES | {"Idempotency-Key": "batch"}).lines(), got)
        equal(call(f, "POST", "/v1/jobs:batch", lines[-1], LINES | {"Idempotency-Key": "batch"}).status, 409)
    with shows("a line that uses a spec has its own members, over those of the spec's document"):
        call(f, "POST", "/v1/queues", {"name": "own"})
        document = {"command": ["true"], "hold": True, "priority": 1, "labels": {"team": "a", "kind": "x"}, "params": {"lr": "1"}}
        own = {"queue": "own", "priority": 7, "array": 3, "labels": {"kind": "y"}, "name": "mine", "params": {"n": "2"}}
        got = call(f, "POST", "/v1/jobs:batch", [{"spec": "s", "job": document}, {"use": "s"}, {"use": "s", **own}, {"use": "s", "hold": False, "after": [{"line": 2}]},
                                                 {"use": "s", "image": "a"}, {"use": "s", "prioriti": 1}]).lines()
        plain, mine, third = (f.job(got[i]["id"]) for i in (1, 2, 3))
        equal([job["queue"] for job in (plain, mine, third)], ["default", "own", "default"])
        equal([job["priority"] for job in (plain, mine)], [1, 7])
        equal([job["labels"] for job in (plain, mine)], [{"team": "a", "kind": "x"}, {"team": "a", "kind": "y"}])
        equal((mine["name"], mine["elements"]["total"], mine["params"]), ("mine", 3, {"lr": "1", "n": "2"}))
        equal((plain["state"], mine["state"], third["state"], third["after"]), ("held", "held", "queued", [{"job": plain["id"], "on": "success"}]))
        equal(plain["specDigest"], mine["specDigest"])
        equal([(got[i]["problem"]["code"], got[i]["problem"]["errors"][0]["pointer"]) for i in (4, 5)], [("invalid", "/image"), ("invalid", "/prioriti")])
        assert "belongs to the spec" in got[4]["problem"]["detail"] and "priority" in got[5]["problem"]["detail"], got
        call(f, "POST", "/v1/jobs:cancel", {"labels": {"team": "a"}})
    with shows("a batch as a JSON list; one job too many is refused whole"):
        equal(["id" in line for line in call(f, "POST", "/v1/jobs:batch", [{"command": ["true"]}] * 3).lines()], [True] * 3)
        equal(call(f, "POST", "/v1/jobs:batch", [{"command": ["true"]}] * 1001).status, 413)


def acting(f):
    job = f.submit({"command": ["true"], "hold": True, "labels": {"kind": "acted"}})
    with shows("actions take no body or {}, say it when they come too late, and refuse fields by name"):
        for body in (None, {}):
            equal(call(f, "POST", f"/v1/jobs/{job}:hold", body).status, 200)
        refused = call(f, "POST", f"/v1/jobs/{job}:cancel", {"reason": "x"})
        equal((refused.status, refused.json()["errors"][0]["pointer"]), (422, "/reason"))
        equal(call(f, "POST", f"/v1/jobs/{job}:release", {}).status, 200)
        f.wait(job)
        equal(call(f, "POST", f"/v1/jobs/{job}:cancel", {}).status, 409)
        equal(call(f, "POST", "/v1/queues/default:resume", {}).status, 200)
    with shows("bulk: needs a filter, counts with dryRun, then acts on just those"):
        jobs = [f.submit({"command": ["true"], "hold": True, "labels": {"bulk": "yes"}}) for _ in range(5)]
        other = f.submit({"command": ["true"], "hold": True, "labels": {"bulk": "no"}})
        equal(call(f, "POST", "/v1/jobs:cancel", {}).status, 422)
        for name in ("", "n" * 254):
            equal([call(f, "POST", "/v1/jobs:cancel", {"name": name}).status, call(f, "GET", f"/v1/jobs?name={name}").status], [422, 422], name)
        equal(call(f, "POST", "/v1/jobs:edit", {"labels": {"bulk": "no such"}, "edit": {"priority": 1}}).json()["matched"], 0)
        counted = call(f, "POST", "/v1/jobs:cancel", {"labels": {"bulk": "yes"}, "dryRun": True}).json()
        equal((counted["matched"], counted["changed"]), (5, 0))
        done = call(f, "POST", "/v1/jobs:cancel", {"labels": {"bulk": "yes"}}).json()
        equal((done["matched"], done["changed"]), (5, 5))
        for one in jobs:
            f.wait(one, "cancelled")
        equal(f.job(other)["state"], "held")
        call(f, "POST", f"/v1/jobs/{other}:cancel")
        f.wait(other)
    with shows("lists: pages by cursor have each job once, filters by state and label"):
        seen, cursor = [], ""
        while True:
            page = call(f, "GET", "/v1/jobs?limit=3" + cursor).json()
            seen += [one["id"] for one in page["jobs"]]
            if "cursor" not in page:
                break
            cursor = "&cursor=" + urllib.parse.quote(page["cursor"])
        equal(len(seen), len(set(seen)))
        held = [call(f, "POST", "/v1/jobs", {"command": ["true"], "hold": True}).json()["id"] for _ in range(5)]
        opened, cursor = [], ""
        while True:
            page = call(f, "GET", "/v1/jobs?state=open&limit=2" + cursor).json()
            opened += [one["id"] for one in page["jobs"]]
            if "cursor" not in page:
                break
            cursor = "&cursor=" + urllib.parse.quote(page["cursor"])
        equal(opened[:5], held[::-1])  # open ones come newest first, over pages too
        for one in held:
            call(f, "POST", f"/v1/jobs/{one}:cancel")
        assert set(jobs) <= set(seen) and job in seen, seen
        found = call(f, "GET", "/v1/jobs?state=cancelled&label=bulk%3Dyes").json()["jobs"]
        equal(sorted(one["id"] for one in found), sorted(jobs))
        assert all("spec" not in one for one in found)
        for query in ("state=none", "lmit=1", "cursor=zz", "limit=0", "limit=1001"):
            equal(call(f, "GET", "/v1/jobs?" + query).status, 422, query)


def streaming(f):
    job = f.submit({"command": ["sh", "-c", "for i in 1 2 3 4 5; do echo line $i; done"]})
    f.wait(job)
    with shows("events of a job resume behind Last-Event-ID, as SSE and as lines"):
        whole = events(call(f, "GET", f"/v1/jobs/{job}/events").body)
        equal((whole[0][1], whole[-1][1]), ("job.submitted", "job.ended"))
        rest = events(call(f, "GET", f"/v1/jobs/{job}/events", headers={"Last-Event-ID": whole[1][0]}).body)
        equal(rest, whole[2:])
        lines = call(f, "GET", f"/v1/jobs/{job}/events", headers={"Accept": "application/x-ndjson"}).lines()
        equal([line["type"] for line in lines], [event[1] for event in whole])
        assert all("exitCode" not in line for line in lines if line.get("state") == "running"), lines
    with shows("an Accept header gives the form of events by weight, then by place"):
        for accept, form in (("text/event-stream;q=0, */*", "application/x-ndjson"), ("application/x-ndjson;q=0.5, text/*", "text/event-stream"),
                             ("application/x-ndjson, text/event-stream", "application/x-ndjson"), ("*/*", "text/event-stream")):
            answer = call(f, "GET", f"/v1/jobs/{job}/events", headers={"Accept": accept})
            equal(answer.headers["content-type"].split(";")[0], form, accept)
        equal(call(f, "GET", f"/v1/jobs/{job}/events", headers={"Accept": "*/*;q=0"}).status, 406)
    with shows("an invalid place of events is refused or answered with reset"):
        where = urllib.parse.urlsplit(f.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {f.token}", "Last-Event-ID": "999999999.0"})
        answer = connection.getresponse()
        got = b""
        while answer.status == 200 and b"event: reset" not in got:
            piece = answer.read1(4096)
            assert piece, got
            got += piece
        connection.close()
        assert answer.status in (200, 422, 400), answer.status
    with shows("logs by lines: Content-Range, ETag and 304, the tail, jsonl, one replica"):
        answer = call(f, "GET", f"/v1/jobs/{job}/logs?from=1&count=2")
        equal((answer.status, answer.body, answer.headers["content-range"]), (200, b"line 2\nline 3\n", "lines 1-2/5"))
        equal(call(f, "GET", f"/v1/jobs/{job}/logs?from=1&count=2", headers={"If-None-Match": answer.headers["etag"]}).status, 304)
        equal(call(f, "GET", f"/v1/jobs/{job}/logs?tail=1").body, b"line 5\n")
        last = call(f, "GET", f"/v1/jobs/{job}/logs?format=jsonl").lines()[-1]
        equal((last["line"], last["text"]), (4, "line 5\n"))
        equal(call(f, "GET", f"/v1/jobs/{job}/logs?since=2100-01-01T00:00:00Z").body, b"")
        equal(call(f, "GET", f"/v1/jobs/{job}/logs?since=yesterday").status, 422)
        equal(call(f, "GET", f"/v1/jobs/{job}/logs?since=1970-01-01T00:00:00Z&tail=1").body, b"line 5\n")
        answer = call(f, "GET", f"/v1/jobs/{job}/logs?from=50&count=5")
        equal((answer.status, answer.body, answer.headers["content-range"]), (200, b"", "lines */5"))
    with shows("'count' gives whole lines as Range does, and says where to go on where it ends early"):
        many = f.submit({"command": ["sh", "-c", "for i in $(seq 90); do head -c 40000 /dev/zero | tr '\\0' x; echo $i; done"]})
        f.wait(many)
        fleet.until("all of it is there", lambda: call(f, "HEAD", f"/v1/jobs/{many}/logs?count=1").headers["content-range"] == "lines 0-0/90", 60)
        whole, at, pieces = b"", "0", 0
        while at:
            answer = call(f, "GET", f"/v1/jobs/{many}/logs?from={at}&count=10000")
            whole, pieces = whole + answer.body, pieces + 1
            first, last, total = map(int, re.fullmatch(r"lines (\d+)-(\d+)/(\d+)", answer.headers["content-range"]).groups())
            equal((first, last + 1 - first, total), (int(at), answer.body.count(b"\n"), 90))
            at = answer.headers.get("x-fairlead-next-line")
            assert not at or int(at) == last + 1, answer.headers
        equal(([line[40000:] for line in whole.splitlines()], pieces > 2), ([str(n).encode() for n in range(1, 91)], True))
        answer = call(f, "GET", f"/v1/jobs/{job}/logs?tail=2&count=1")
        equal((answer.body, answer.headers["content-range"], answer.headers["x-fairlead-next-line"]), (b"line 4\n", "lines 3-3/5", "4"))
        answer = call(f, "GET", f"/v1/jobs/{job}/logs?tail=2&count=2")
        equal((answer.body, answer.headers["content-range"], answer.headers.get("x-fairlead-next-line")), (b"line 4\nline 5\n", "lines 3-4/5", None))
    with shows("Range of lines: 206 with Content-Range, 416 beyond the end, other units are not ours"):
        def ranged(text, query="", of=job, **headers):
            return call(f, "GET", f"/v1/jobs/{of}/logs{query}", headers={"Range": text, **headers})

        def is_all(of, total):
            return fleet.until("its output has come to its end", lambda: ranged("lines=0-", of=of).headers["content-range"].endswith(f"/{total}"), 60)

        is_all(job, 5)
        answer = ranged("lines=1-2")
        equal((answer.status, answer.body, answer.headers["content-range"]), (206, b"line 2\nline 3\n", "lines 1-2/5"))
        equal(answer.headers["accept-ranges"], "lines")
        equal(ranged("lines=1-2", **{"If-None-Match": answer.headers["etag"]}).status, 304)
        answer = ranged("lines=3-", "?format=jsonl")
        equal((answer.status, [line["line"] for line in answer.lines()], answer.headers["content-range"]), (206, [3, 4], "lines 3-4/5"))
        answer = ranged("lines=4-900")
        equal((answer.status, answer.body, answer.headers["content-range"]), (206, b"line 5\n", "lines 4-4/5"))
        answer = ranged("lines=5-")
        equal((answer.status, answer.headers["content-range"], answer.headers["content-type"]), (416, "lines */5", "application/problem+json"))
        equal((ranged("bytes=0-3").status, ranged("lines=1-2", **{"If-Range": '"x"'}).body.count(b"\n")), (200, 5))
        for text, query in (("lines=-2", ""), ("lines=2-1", ""), ("lines=0-1,3-4", ""), ("lines=0-1", "?count=2"), ("lines=0-1", "?tail=1")):
            equal(ranged(text, query).status, 422, text + query)
        head = call(f, "HEAD", f"/v1/jobs/{job}/logs", headers={"Range": "lines=1-2"})
        equal((head.status, head.headers["accept-ranges"], head.body), (200, "lines", b""))
    with shows("a Range gives whole lines, however long, of one output or of several"):
        wide = f.submit({"command": ["sh", "-c", "head -c 100000 /dev/zero | tr '\\0' $FAIRLEAD_REPLICA; echo; echo end $FAIRLEAD_REPLICA"], "replicas": 2})
        f.wait(wide)
        is_all(wide, 4)
        answer = ranged("lines=0-0", "?replica=1", of=wide)
        equal((answer.status, len(answer.body), set(answer.body), answer.headers["content-range"]), (206, 100001, set(b"1\n"), "lines 0-0/2"))
        whole = b""
        for n in range(4):
            answer = ranged(f"lines={n}-{n}", of=wide)
            equal((answer.status, answer.headers["content-range"]), (206, f"lines {n}-{n}/4"))
            whole += answer.body
        equal((len(whole), whole.count(b"0"), whole.count(b"1"), whole.count(b"end")), (200014, 100001, 100001, 2))
        equal((ranged("lines=0-3", of=wide).status, ranged("lines=4-", of=wide).status), (206, 416))
    with shows("logs that hold a text: as text, jsonl and events, of lines that come bit by bit too"):
        equal(call(f, "GET", f"/v1/jobs/{job}/logs?grep=ne%203").body, b"line 3\n")
        equal([line["line"] for line in call(f, "GET", f"/v1/jobs/{job}/logs?format=jsonl&grep=line&tail=2").lines()], [3, 4])
        equal(call(f, "GET", f"/v1/jobs/{job}/logs?grep=l.ne").body, b"")
        found = events(call(f, "GET", f"/v1/jobs/{job}/logs/stream?grep=line%202").body)
        equal([(event[1], json.loads(event[2]).get("text")) for event in found], [("", "line 2\n"), ("end", None)])
        assert found[0][0], found
        equal(events(call(f, "GET", f"/v1/jobs/{job}/logs/stream?grep=line", headers={"Last-Event-ID": found[0][0]}).body)[-1][1], "end")
        slow = f.submit({"command": ["sh", "-c", "for i in one two; do printf 'oh he'; sleep 1; printf 'll'; sleep 1; echo o $i; done; echo hell"]})
        found = events(call(f, "GET", f"/v1/jobs/{slow}/logs/stream?grep=hello").body)
        equal([json.loads(event[2]).get("text") for event in found], ["oh hello one\n", "oh hello two\n", None])
        found = events(call(f, "GET", f"/v1/jobs/{job}/logs/search?grep=LINE%20%5B2-3%5D&match=regex&ignoreCase=true").body)
        equal([(event[1], json.loads(event[2]).get("matches")) for event in found], [("", [0, 6]), ("", [0, 6]), ("end", None)])
        for query in ("grep=", "grep=" + "x" * 257, "grep=x%0Ay", "grep=x&count=2", "grep=(&match=regex", "match=regex"):
            equal(call(f, "GET", f"/v1/jobs/{job}/logs?{query}").status, 422, query)
    with shows("an ended array has its elements counted by their ends, alone and in the list"):
        array = f.submit({"command": ["sh", "-c", "test $FAIRLEAD_ELEMENT != 2"], "array": 4})
        f.wait(array)
        counts = {"total": 4, "succeeded": 3, "failed": 1, "cancelled": 0}
        equal(f.job(array)["elements"], counts)
        listed = {one["id"]: one["elements"] for one in call(f, "GET", "/v1/jobs?state=ended").json()["jobs"]}
        equal((listed[array], listed[job]), (counts, {"total": 1, "succeeded": 1, "failed": 0, "cancelled": 0}))
        group, = call(f, "GET", f"/v1/jobs/{array}/failures").json()["groups"]
        equal((group["exitCode"], group["line"], group["elements"]), (1, "", "2"))
        counted = call(f, "GET", "/v1/jobs:counts?by=label:no-label").json()
        equal((counted["values"], counted["without"], counted["isWhole"]), ([], counted["total"], True))
        equal(counted["total"]["jobs"], sum(counted["total"][state] for state in ("open", "succeeded", "failed", "cancelled")))
        assert counted["total"]["failed"] >= 1 and counted["total"]["succeeded"] >= 1, counted
        again = call(f, "POST", f"/v1/jobs/{array}:retry", {"only": "failed"}).json()["id"]
        f.wait(again)
        equal(f.job(again)["elements"], {"total": 1, "succeeded": 0, "failed": 1, "cancelled": 0})
    with shows("lines of a batch use the spec of an earlier job by its digest, if the token may see one"):
        first = f.submit({"command": ["sh", "-c", "echo lr $FAIRLEAD_PARAM_LR"], "params": {"lr": "1"}})
        digest, none = f.job(first)["specDigest"], "0" * 64
        body = "\n".join(json.dumps(line) for line in (
            {"useDigest": digest, "params": {"lr": "2"}, "name": "again"}, {"useDigest": none}, {"useDigest": "12"},
            {"useDigest": digest, "image": "a"}, {"command": ["true"]}, {"useDigest": digest, "queue": "nowhere"})) + "\n"
        lines = call(f, "POST", "/v1/jobs:batch", body, {**LINES, "Idempotency-Key": "by-digest"}).lines()
        equal([line.get("problem", {}).get("code") for line in lines], [None, "absent", "invalid", "invalid", None, "absent"])
        assert none in lines[1]["problem"]["detail"] and '"spec":NAME' in lines[1]["problem"]["detail"], lines[1]
        f.wait(lines[0]["id"])
        made = f.job(lines[0]["id"])
        equal((made["name"], made["specDigest"], made["params"]), ("again", digest, {"lr": "2"}))
        equal(call(f, "GET", f"/v1/jobs/{lines[0]['id']}/logs").body, b"lr 2\n")
        equal(call(f, "POST", "/v1/jobs:batch", body, {**LINES, "Idempotency-Key": "by-digest"}).lines(), lines)
        call(f, "POST", "/v1/queues", {"name": "by-digest"})
        confined = call(f, "POST", "/v1/tokens", {"name": "confined", "scopes": ["submit", "read"], "queue": "by-digest"}).json()["token"]
        one = call(f, "POST", "/v1/jobs:batch", [{"useDigest": digest}], token=confined).lines()
        equal((len(one), one[0]["problem"]["code"]), (1, "absent"))
    with shows("logs of chosen replicas: a list and a range"):
        gang = f.submit({"command": ["sh", "-c", "echo rank $FAIRLEAD_REPLICA"], "replicas": 4})
        f.wait(gang)
        for text, ranks in (("2", [2]), ("0,3", [0, 3]), ("1-2", [1, 2]), ("0-1,3", [0, 1, 3])):
            got = call(f, "GET", f"/v1/jobs/{gang}/logs?replica={text}").body.decode().splitlines()
            equal(sorted(got), [f"rank {rank}" for rank in ranks], text)
        for text in ("x", "2-1", "1,", "", "-1"):
            equal(call(f, "GET", f"/v1/jobs/{gang}/logs?replica={text}").status, 422, text)
    with shows("a part that the job has not is refused with what there is, in logs, search, stream and files, in shells and forwards alike"):
        live = f.submit({"command": ["sleep", "1000"], "replicas": 4})
        fleet.until("it runs", lambda: f.job(live)["state"] == "running")
        of_all = {gang: ("logs?", "logs/stream?", "logs/search?grep=rank&", "files?path=a&"), live: ("exec?", "forward?port=80&")}
        for path in (f"/v1/jobs/{one}/{path}" for one, paths in of_all.items() for path in paths):
            for part, value, said in (("element", 1, "one element"), ("replica", 4, "4 replicas, numbered from 0 to 3")):
                refused = call(f, "GET", f"{path}{part}={value}")
                equal(refused.status, 422, path)
                equal((refused.json()["code"], refused.json()["errors"][0]["parameter"]), ("absent", part))
                assert said in refused.json()["detail"], refused.json()
        call(f, "POST", f"/v1/jobs/{live}:cancel")
    with shows("a stream of lines ends with an object that says so, as the events do"):
        lines = call(f, "GET", f"/v1/jobs/{job}/logs/stream", headers={"Accept": "application/x-ndjson"}).lines()
        equal((len(lines), [line.get("text") for line in lines][:1], lines[-1]), (6, ["line 1\n"], {"type": "end", "output": "complete"}))
    with shows("a log stream resumes behind Last-Event-ID and ends with its job"):
        whole = events(call(f, "GET", f"/v1/jobs/{job}/logs/stream").body)
        equal((len(whole), whole[-1][1]), (6, "end"))
        place = [event[0] for event in whole if event[0]][-1]
        equal([event[1] for event in events(call(f, "GET", f"/v1/jobs/{job}/logs/stream", headers={"Last-Event-ID": place}).body)], ["end"])


def access(f):
    made = lambda name, scopes, **more: call(f, "POST", "/v1/tokens", dict(name=name, scopes=scopes, **more)).json()
    call(f, "POST", "/v1/queues", {"name": "other"})
    with shows("scopes: the rights of each, and 403 beyond them; another queue's job is 404"):
        tokens = {name: made(name, [name])["token"] for name in ("read", "submit", "cancel", "admin")}
        job = f.submit({"command": ["true"], "hold": True})
        asked = (("GET", f"/v1/jobs/{job}", None, {"read", "admin"}), ("POST", "/v1/jobs?dryRun=true", {"command": ["true"]}, {"submit", "admin"}),
                 ("POST", f"/v1/jobs/{job}:hold", {}, {"cancel", "admin"}), ("GET", "/v1/tokens", None, {"admin"}),
                 ("GET", "/v1/audit", None, {"admin"}), ("GET", "/v1/whoami", None, set(tokens)))
        for method, path, body, may in asked:
            for name, token in tokens.items():
                equal(call(f, method, path, body, token=token).status, 200 if name in may else 403, f"{name}: {method} {path}")
        queued = made("other", ["read", "submit", "cancel"], queue="other")["token"]
        for method, path in (("GET", f"/v1/jobs/{job}"), ("POST", f"/v1/jobs/{job}:cancel"), ("GET", f"/v1/jobs/{job}/logs")):
            equal(call(f, method, path, token=queued).status, 404, path)
        equal(call(f, "GET", "/v1/jobs", token=queued).json()["jobs"], [])
        equal(call(f, "POST", "/v1/jobs", {"command": ["true"]}, token=queued).json()["queue"], "other")
        assert call(f, "POST", "/v1/jobs", {"command": ["true"], "queue": "default"}, token=queued).status == 422
        equal(call(f, "GET", "/v1/clusters", token=queued).status, 200)
        equal(call(f, "POST", "/v1/clusters/east:cordon", token=queued).status, 403)
        call(f, "POST", f"/v1/jobs/{job}:cancel")
    with shows("a request acts for another person, where its token may: the job is theirs"):
        service = made("portal", ["submit", "read", "cancel", "delegate"], owner="portal-team")
        ann = {"Fairlead-As": "ann"}
        post = lambda headers, token=service["token"]: call(f, "POST", "/v1/jobs", {"command": ["true"], "hold": True}, headers, token=token)
        one, own = post(ann).json(), post({}).json()
        equal((one["submittedBy"], own["submittedBy"]), ("ann", "portal-team"))
        lines = call(f, "POST", "/v1/jobs:batch", [{"command": ["true"], "hold": True}] * 2, ann, token=service["token"]).lines()
        mine = call(f, "GET", "/v1/jobs?submittedBy=@me&state=open", headers=ann, token=service["token"]).json()["jobs"]
        equal(sorted(job["id"] for job in mine), sorted([one["id"], *(line["id"] for line in lines)]))
        many = lambda verb, body, headers={}: call(f, "POST", f"/v1/jobs:{verb}", body, headers, token=service["token"]).json()
        equal(many("cancel", {"submittedBy": "@me", "dryRun": True}, ann)["matched"], 3)
        equal(many("cancel", {"submittedBy": "ann", "state": "running"})["matched"], 0)
        equal(many("cancel", {"submittedBy": "nobody-s"})["matched"], 0)
        equal(many("cancel", {"submittedBy": "ann", "dryRun": True})["matched"], 3)
        equal(call(f, "POST", "/v1/jobs:cancel", {"submittedBy": ""}, token=service["token"]).status, 422)
        equal(call(f, "POST", f"/v1/jobs/{one['id']}:cancel", headers=ann, token=service["token"]).status, 200)
        equal(many("retry", {"submittedBy": "ann", "state": "cancelled", "dryRun": True})["matched"], 1)
        equal(many("retry", {"submittedBy": "portal-team", "state": "cancelled", "dryRun": True})["matched"], 0)
        equal(call(f, "POST", f"/v1/jobs/{one['id']}:retry", {}, {"Fairlead-As": "bob"}, token=service["token"]).json()["submittedBy"], "bob")
        what = {row["what"]: row["actor"] for row in call(f, "GET", f"/v1/audit?subject={service['id']}").json()["audit"]}
        equal(what[f"cancel {one['id']}"], f"token:{service['id']} as ann")
        equal(post(ann | {"Idempotency-Key": "as"}).json()["id"], post(ann | {"Idempotency-Key": "as"}).json()["id"])
        equal(post({"Fairlead-As": "bob", "Idempotency-Key": "as"}).status, 409)
        equal(call(f, "POST", "/v1/tokens", {"name": "anns", "scopes": ["read"]}, ann).json()["owner"], "ann")
    with shows("without that right, or with an invalid name, nothing is done"):
        plain = made("plain", ["submit", "read", "cancel"])["token"]
        refused = post(ann, plain)
        equal((refused.status, "delegate" in refused.json()["detail"]), (403, True))
        for name in ("@me", "Ann B", "a" * 64, "-ann"):
            refused = post({"Fairlead-As": name})
            equal((refused.status, refused.json()["code"], "Fairlead-As" in refused.body.decode()), (422, "invalid", True), name)
        equal(call(f, "POST", "/v1/tokens", {"name": "made", "scopes": ["delegate"]}, token=plain).status, 403)
        equal(many("cancel", {"submittedBy": "ann"})["changed"], 3)
        equal([job for job in call(f, "GET", "/v1/jobs?submittedBy=ann&state=open").json()["jobs"]], [])
        for job in call(f, "GET", "/v1/jobs?state=open&limit=1000").json()["jobs"]:
            if job["submittedBy"] in ("bob", "portal-team"):
                call(f, "POST", f"/v1/jobs/{job['id']}:cancel")
    with shows("a token outlives its maker only by a right to say so, and never the ceiling"):
        maker = made("maker", ["admin"], ttlSeconds=600)
        make = lambda scopes, token, **more: call(f, "POST", "/v1/tokens", {"name": "made", "scopes": scopes} | more, token=token)
        refused = make(["read"], maker["token"], ttlSeconds=700)
        equal((refused.status, refused.json()["errors"][0]["pointer"]), (422, "/ttlSeconds"))
        assert "outlive" in refused.json()["detail"], refused.json()
        shortened = make(["admin"], maker["token"])
        equal(shortened.status, 201)
        assert shortened.json()["expiresAt"] <= maker["expiresAt"], (shortened.json(), maker)
        equal(make(["outlive"], maker["token"]).status, 403)
        lasting = made("lasting", ["admin", "outlive"], ttlSeconds=600)
        equal(make(["read"], lasting["token"], ttlSeconds=700).status, 201)
        refused = make(["read"], lasting["token"], ttlSeconds=366 * 86400)
        assert refused.status == 422 and "token_lifetime_max" in refused.json()["detail"], refused.json()
        confined = made("confined-admin", ["admin"], queue="default")["token"]
        told = [make(["read"], confined, queue=queue).json() for queue in ("by-digest", "no-such-queue")]
        equal({(one["status"], one["detail"]) for one in told}, {(403, told[0]["detail"])}, "which queues there are")
    with shows("a queue counts its open jobs by their state"):
        call(f, "POST", "/v1/queues", {"name": "counted", "paused": True})
        counted = [call(f, "POST", "/v1/jobs", {"command": ["true"], "queue": "counted", "hold": hold}).json()["id"] for hold in (True, False, False)]
        queue = call(f, "GET", "/v1/queues/counted").json()
        equal((queue["jobs"], queue["byState"]), (3, {"held": 1, "queued": 2, "starting": 0, "running": 0, "stopping": 0}))
        assert queue in call(f, "GET", "/v1/queues").json()["queues"]
        for job in counted:
            call(f, "POST", f"/v1/jobs/{job}:cancel", {})
        equal(sum(call(f, "GET", "/v1/queues/counted").json()["byState"].values()), 0)
    with shows("a queue without open jobs is removed; the name is free, tokens of it find nothing, ended jobs keep it"):
        call(f, "POST", "/v1/queues", {"name": "passing"})
        job = call(f, "POST", "/v1/jobs", {"command": ["true"], "queue": "passing", "hold": True}).json()["id"]
        token = made("passing", ["read", "submit"], queue="passing")["token"]
        busy = call(f, "DELETE", "/v1/queues/passing")
        equal(busy.status, 409)
        assert "1 job of queue passing has not ended" in busy.json()["detail"], busy.json()
        call(f, "POST", f"/v1/jobs/{job}:cancel")
        equal(call(f, "DELETE", "/v1/queues/passing", token=token).status, 403)
        gone = call(f, "DELETE", "/v1/queues/passing", headers={"Idempotency-Key": "passing"})
        equal((gone.status, gone.json()), (200, {"name": "passing"}))
        equal(call(f, "DELETE", "/v1/queues/passing", headers={"Idempotency-Key": "passing"}).status, 200)
        equal(call(f, "DELETE", "/v1/queues/passing").status, 404)
        equal([call(f, "POST", f"/v1/queues/passing:{verb}").status for verb in ("pause", "resume")], [404, 404])
        equal(call(f, "GET", "/v1/queues/passing").status, 404)
        equal(call(f, "POST", "/v1/jobs", {"command": ["true"]}, token=token).status, 422)
        equal(call(f, "POST", f"/v1/jobs/{job}:retry", {}).status, 409)  # the job is there, its queue is not
        equal(call(f, "GET", f"/v1/jobs/{job}").json()["queue"], "passing")
        assert any("queue_remove passing" in row["what"] for row in call(f, "GET", "/v1/audit").json()["audit"])
        equal(call(f, "POST", "/v1/queues", {"name": "passing"}).status, 201)
        equal([row["id"] for row in call(f, "GET", "/v1/jobs?queue=passing&state=cancelled").json()["jobs"]], [job])
    with shows("queues come in pages"):
        whole, pages, cursor = call(f, "GET", "/v1/queues").json(), [], ""
        while cursor is not None:
            page = call(f, "GET", f"/v1/queues?limit=1&cursor={cursor}").json()
            pages, cursor = pages + page["queues"], page.get("cursor")
        equal([queue["name"] for queue in pages], [queue["name"] for queue in whole["queues"]])
        equal(call(f, "GET", "/v1/queues?cursor=x").status, 422)
    with shows("an expired or revoked token is 401; no answer holds a token's text but the one that makes or rotates it"):
        short = made("short", ["read"], ttlSeconds=1)["token"]
        fleet.until("it has expired", lambda: call(f, "GET", "/v1/whoami", token=short).status == 401, 30)
        gone = made("gone", ["read"])
        equal(call(f, "DELETE", f"/v1/tokens/{gone['id']}").status, 200)
        fleet.until("it is refused", lambda: call(f, "GET", "/v1/whoami", token=gone["token"]).status == 401, 30)
        turned = made("turned", ["read"])
        fresh = call(f, "POST", f"/v1/tokens/{turned['id']}:rotate", {"graceSeconds": 0}, token=turned["token"]).json()
        equal({name: fresh[name] for name in fresh if name not in ("token", "rotatedAt", "lastUsedAt")},
              {name: turned[name] for name in turned if name not in ("token", "rotatedAt", "lastUsedAt")})
        equal([call(f, "GET", "/v1/whoami", token=token).status for token in (turned["token"], fresh["token"])], [401, 200])
        assert fresh["token"].encode() not in call(f, "GET", "/v1/tokens").body
        assert f.token.encode() not in call(f, "GET", "/v1/tokens").body and gone["token"].encode() not in call(f, "GET", "/v1/audit?limit=1000").body
    with shows("audit says who did what, with the token's id as text"):
        rows = call(f, "GET", "/v1/audit?limit=1000").json()["audit"]
        me = call(f, "GET", "/v1/whoami").json()
        assert any(row["actor"] == f"token:{me['id']} {me['name']}" and row["what"] == f"cancel {job}" for row in rows), rows[:5]
        assert all(row["actor"].isprintable() and row["what"].isprintable() for row in rows)
    with shows("readyz?verbose tells of database, disk and tunnel"):
        ready = call(f, "GET", "/readyz?verbose").json()
        equal((ready["ready"], ready["database"]["state"], ready["disk"]["full"]), (True, "ok", False))
        assert ready["disk"]["totalBytes"] > ready["disk"]["freeBytes"] > 0 and ":" in ready["tunnelAddress"], ready


def rest(f):
    """Calls the remaining operations, so that each operation's answer is compared with its description."""
    with shows("creations and actions answer the object as GET shows it"):
        made = call(f, "POST", "/v1/jobs", {"command": ["true"], "hold": True, "labels": {"a": "b"}, "params": {"lr": 1}}).json()
        got = call(f, "GET", f"/v1/jobs/{made['id']}").json()
        equal(made, {name: got[name] for name in made})
        equal((made["name"], made["cluster"], made["endedAt"], made["state"], made["elements"]["total"]), (None, None, None, "held", 1))
        equal(call(f, "POST", f"/v1/jobs/{made['id']}:hold").json(), call(f, "GET", f"/v1/jobs/{made['id']}").json())
        equal(call(f, "POST", f"/v1/jobs/{made['id']}:cancel").json()["id"], made["id"])
        f.wait(made["id"])
        equal(call(f, "POST", f"/v1/jobs/{made['id']}:cancel").json(), call(f, "GET", f"/v1/jobs/{made['id']}").json())
        again = call(f, "POST", f"/v1/jobs/{made['id']}:retry", {}).json()
        equal((again["retryOf"], again["params"]), (made["id"], {"lr": "1"}))
        equal(call(f, "POST", "/v1/queues", {"name": "shown"}).json(), call(f, "GET", "/v1/queues/shown").json())
        equal(call(f, "POST", "/v1/queues/shown:pause").json(), call(f, "GET", "/v1/queues/shown").json())
        equal(call(f, "POST", "/v1/clusters/east:cordon", {"reason": "a look"}).json()["cordon"], "a look")
        equal(call(f, "POST", "/v1/clusters/east:drain", {"running": "wait"}).json()["name"], "east")
        equal(call(f, "POST", "/v1/clusters/east:uncordon").json()["cordon"], None)
    with shows("a repeated key gives the outcome, rendered anew"):
        body, key = {"command": ["true"]}, {"Idempotency-Key": "anew"}
        first = call(f, "POST", "/v1/jobs", body, key)
        f.wait(first.json()["id"])
        second = call(f, "POST", "/v1/jobs", body, key)
        equal((second.status, second.headers["location"], second.headers["idempotent-replayed"]), (201, first.headers["location"], "true"))
        equal((first.json()["state"], second.json()["state"]), ("queued", "succeeded"))
        assert "idempotent-replayed" not in first.headers
    with shows("a request that was refused for now is decided anew under the same key, an accepted one is not"):
        key, body = {"Idempotency-Key": "later"}, {"command": ["true"], "queue": "later"}
        both = [{"command": ["true"], "hold": True}, {"command": ["true"], "queue": "later", "hold": True}]
        equal(call(f, "POST", "/v1/jobs", body, key).status, 422)
        before = call(f, "POST", "/v1/jobs:batch", both, {"Idempotency-Key": "half"}).lines()
        equal(["id" in line for line in before], [True, False])
        call(f, "POST", "/v1/queues", {"name": "later"})
        first = call(f, "POST", "/v1/jobs", body, key)
        second = call(f, "POST", "/v1/jobs", body, key)
        equal((first.status, second.status, second.json()["id"]), (201, 201, first.json()["id"]))
        equal((first.headers.get("idempotent-replayed"), second.headers["idempotent-replayed"]), (None, "true"))
        after, repeated = (call(f, "POST", "/v1/jobs:batch", both, {"Idempotency-Key": "half"}) for _ in range(2))
        equal(["id" in line for line in after.lines()], [True, True])
        equal((after.lines()[0]["id"], after.lines()), (before[0]["id"], repeated.lines()))
        equal((after.headers.get("idempotent-replayed"), repeated.headers["idempotent-replayed"]), (None, "true"))
        equal(call(f, "POST", "/v1/jobs", {"command": ["true"]}, key).status, 409)
    with shows("a key means what was understood: JSON or YAML, spaces and a default written out are one request"):
        key = {"Idempotency-Key": "meant"}
        first = call(f, "POST", "/v1/jobs", {"command": ["true"], "name": "meant"}, key).json()["id"]
        for body, more in (('{ "name":"meant",  "command":["true"] }', {}), ('name: meant\ncommand: ["true"]\nqueue: default\n', YAML), ({"command": ["true"], "name": "meant", "priority": 0}, {})):
            same = call(f, "POST", "/v1/jobs", body, key | more)
            equal((same.status, same.json()["id"], same.headers["idempotent-replayed"]), (201, first, "true"), body)
        equal(call(f, "POST", "/v1/jobs", {"command": ["true"], "name": "meant", "priority": 1}, key).status, 409)
    with shows("a key belongs to the token's queue: another team's is another, and the next token of a queue knows it"):
        token_for = lambda name, **more: call(f, "POST", "/v1/tokens", {"name": name, "scopes": ["submit", "read"]} | more).json()["token"]
        for queue in ("team-a", "team-b"):
            call(f, "POST", "/v1/queues", {"name": queue})
        old, new, other = token_for("a-old", queue="team-a"), token_for("a-new", queue="team-a"), token_for("b", queue="team-b")
        key, body = {"Idempotency-Key": "nightly"}, {"command": ["true"], "name": "nightly"}
        ours, rotated, theirs, everybodys = (call(f, "POST", "/v1/jobs", body, key, token=token) for token in (old, new, other, ""))
        equal([answer.status for answer in (ours, rotated, theirs, everybodys)], [201] * 4)
        equal((rotated.json()["id"], rotated.headers["idempotent-replayed"]), (ours.json()["id"], "true"))
        equal([answer.json()["queue"] for answer in (ours, theirs, everybodys)], ["team-a", "team-b", "default"])
        equal(len({answer.json()["id"] for answer in (ours, theirs, everybodys)}), 3)
        equal(call(f, "POST", "/v1/jobs", {"command": ["false"]}, key, token=other).status, 409)
    with shows("a batch of many bytes is read in slices, whole and in order; a list of so many bytes is to be lines"):
        call(f, "POST", "/v1/queues", {"name": "large"})
        large = [{"command": ["true"], "queue": "large", "hold": True, "name": f"large-{i}", "env": {f"K{i}_{k}": "v" * 40 for k in range(90)}} for i in range(1000)]
        body, where = "\n".join(map(json.dumps, large)), urllib.parse.urlsplit(f.url)
        with socket.create_connection((where.hostname, where.port)) as away:  # goes while its lines are read
            away.sendall(f"POST /v1/jobs:batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {f.token}\r\nContent-Type: application/x-ndjson\r\n"
                         f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        lines = call(f, "POST", "/v1/jobs:batch", body, LINES | {"Idempotency-Key": "large"}).lines()
        equal([line["line"] for line in lines], list(range(1, 1001)))
        for at in (0, 499, 999):
            equal(call(f, "GET", f"/v1/jobs/{lines[at]['id']}").json()["name"], f"large-{at}")
        refused = call(f, "POST", "/v1/jobs:batch", large)
        assert refused.status == 413 and "application/x-ndjson" in refused.json()["detail"], refused.json()
        refused = call(f, "POST", "/v1/jobs", "command: [x]\nenv:\n" + "".join(f"  K{k}: v\n" for k in range(12000)), YAML)
        assert refused.status == 413 and "10000 values" in refused.json()["detail"], refused.json()
        call(f, "POST", "/v1/jobs:cancel", {"queue": "large"})
    with shows("many are retried once under one key, and reached by a cursor; jobs that came since are left alone"):
        call(f, "POST", "/v1/queues", {"name": "broken"})
        broken = {call(f, "POST", "/v1/jobs", {"command": ["false"], "queue": "broken"}).json()["id"] for _ in range(5)}
        for job in broken:
            f.wait(job, "failed")
        retry = lambda body, **headers: call(f, "POST", "/v1/jobs:retry", {"queue": "broken"} | body, headers)
        once = {"Idempotency-Key": "again"}
        first = retry({"limit": 2}, **once).json()
        equal((first["matched"], first["changed"], first["more"]), (2, 2, True))
        second = retry({"limit": 2, "cursor": first["cursor"]}, **once).json()
        equal((second["matched"], second["more"]), (2, True), f"{first} {second}")
        third = retry({"cursor": second["cursor"]}, **once).json()
        equal((second["changed"], third["changed"], third["more"], third.get("cursor")), (2, 1, False, None))

        def jobs():
            found, cursor = {}, ""  # a job that ends meanwhile is on both pages
            while cursor is not None:
                page = call(f, "GET", f"/v1/jobs?queue=broken&limit=1000&cursor={cursor}".removesuffix("&cursor=")).json()
                found, cursor = found | {job["id"]: job for job in page["jobs"]}, page.get("cursor")
            return list(found.values())

        equal(len(jobs()), 10)
        for job in jobs():
            f.wait(job["id"], "failed")
        repeated = retry({}, **once)
        equal((repeated.json()["matched"], repeated.json()["changed"], repeated.headers["idempotent-replayed"]), (5, 5, "true"))
        equal(len(jobs()), 10)
        retried = [call(f, "GET", f"/v1/jobs/{job['id']}").json()["retryOf"] for job in jobs() if job["id"] not in broken]
        equal(sorted(retried), sorted(broken))
        equal((retry({"cursor": "o1"}).status, retry({"cursor": "e0x"}).status, retry({"limit": 0}).status), (422, 422, 422))
        equal(retry({}, **{"Idempotency-Key": "k" * 129}).status, 422)
        equal(call(f, "POST", "/v1/jobs:cancel", {"queue": "broken", "limit": 1}).json()["matched"], 0)
    with shows("each route that takes a key says of its answer that it is a repetition, also when the job or cluster has gone on since"):
        keyed = {route["operationId"]: (method.upper(), path) for path, methods in described[0].document["paths"].items() for method, route in methods.items()
                 if any(one["name"] == "Idempotency-Key" for one in route["parameters"])}
        one, two = (call(f, "POST", "/v1/jobs", {"command": ["true"], "hold": True}).json()["id"] for _ in range(2))
        in_turn = (("submitJob", "", {"command": ["true"]}), ("submitJobs", "", [{"command": ["true"]}]), ("holdJob", one, None), ("editJob", one, {"priority": 1}), ("releaseJob", one, None),
                   ("cancelJob", two, None), ("retryJob", one, {}), ("retryJobs", "", {"queue": "broken", "limit": 1}), ("createQueue", "", {"name": "keyed"}), ("changeQueue", "keyed", {"defaultCpu": "2"}), ("pauseQueue", "keyed", None),
                   ("resumeQueue", "keyed", None), ("removeQueue", "keyed", None), ("cordonCluster", "west", {"reason": "x"}), ("drainCluster", "west", {"running": "wait"}),
                   ("uncordonCluster", "west", None), ("unlockCluster", "west", None), ("revokeCluster", "west", None), ("forgetCluster", "west", None))
        equal({operation for operation, _, _ in in_turn}, set(keyed))

        def ask(operation, name, body):
            method, path = keyed[operation]
            return call(f, method, re.sub(r"{\w+}", name, path), body, {"Idempotency-Key": f"each-{operation}"})

        for operation, name, body in in_turn:
            if operation == "retryJob":
                f.wait(one)
            first = fleet.until(f"{operation} is done", lambda: answer if (answer := ask(operation, name, body)).status < 400 else None)
            assert "idempotent-replayed" not in first.headers, operation
            second = ask(operation, name, body)
            equal((second.status, second.headers.get("idempotent-replayed")), (first.status, "true"), operation)
        f.wait(two)
        for operation, name, body in in_turn:  # the jobs have ended, queue and cluster are gone
            second = ask(operation, name, body)
            equal(second.headers.get("idempotent-replayed"), "true", operation)
            assert second.status < 400 or (name == "west" or "Queue" in operation) and second.status in (404, 409), (operation, second.status)
        equal(call(f, "POST", f"/v1/jobs/{one}:hold").status, 409)
        equal(call(f, "POST", f"/v1/jobs/{one}:hold", headers={"Idempotency-Key": "late"}).status, 409)
    with shows("an empty cursor is the first page"):
        for path in ("/v1/jobs", "/v1/queues", "/v1/clusters", "/v1/clusters/east/nodes", "/v1/tokens", "/v1/audit", f"/v1/jobs/{made['id']}/attempts"):
            equal(call(f, "GET", path + "?cursor=&limit=2").status, 200, path)
    with shows("bounds, words and required members are checked by the tables"):
        for method, path, body, pointer in (("POST", "/v1/tokens", {"name": "x"}, "/scopes"), ("POST", "/v1/tokens", {"name": "X", "scopes": ["read"]}, "/name"),
                                            ("POST", "/v1/tokens", {"name": "x", "scopes": ["read,admin"]}, "/scopes/0"),
                                            ("POST", "/v1/tokens", {"name": "x", "scopes": ["read"], "ttlSeconds": 0}, "/ttlSeconds"),
                                            ("POST", "/v1/clusters/east:drain", {"running": "kill"}, "/running"), ("GET", "/v1/jobs?limit=0", None, "limit"), ("GET", "/v1/jobs?lmit=1", None, "lmit"),
                                            ("GET", f"/v1/jobs/{made['id']}/logs?format=xml", None, "format"), ("POST", "/v1/jobs?dryRun=yes", {"command": ["x"]}, "dryRun")):
            refused = call(f, method, path, body)
            error = refused.json()["errors"][0]
            equal((refused.status, error.get("pointer", error.get("parameter")), "pointer" in error), (422, pointer, pointer.startswith("/")), path)
            assert error.get("allowed") or pointer == "lmit", refused.body
        equal(call(f, "POST", "/v1/jobs", b'{"command":["true"],"priority":9223372036854775808}').status, 422)
    with shows("parts of jobs and clusters"):
        for path in (f"/v1/jobs/{made['id']}/explain", f"/v1/jobs/{again['id']}/explain", "/v1/clusters/east", "/v1/clusters/east/nodes", "/version"):
            equal(call(f, "GET", path).status, 200, path)
        token = call(f, "POST", "/v1/clusters/late/join-tokens", {}).json()
        equal(call(f, "DELETE", f"/v1/clusters/late/join-tokens/{token['id']}").json(), {"id": token["id"]})
        equal(call(f, "POST", "/v1/jobs:retry", {"labels": {"a": "none"}}).json()["matched"], 0)
        begun = call(f, "POST", "/v1/session", {"token": f.token}, {"Fairlead-Page": "1"}, token=None)
        page = {"Cookie": begun.headers["set-cookie"].split(";")[0], "Fairlead-Page": "1"}
        shown = call(f, "GET", "/v1/session", None, page, token=None).json()
        equal((shown["token"]["id"], shown["instance"]), (begun.json()["token"]["id"], begun.json()["instance"]))
        equal(call(f, "DELETE", "/v1/session", None, page, token=None).status, 200)
    with shows("each operation has answered as openapi.json says"):
        all_of_them = {route["operationId"] for methods in described[0].document["paths"].values() for route in methods.values()}
        done = {operation for operation, status in described[0].checked if status < 400}
        equal(all_of_them - done, {"acceptRestore", "enrol", "followEvents", "execJob", "readFiles", "forwardJob"})  # a restored database, an agent, an endless stream, and visits: other tests


def main():
    with fleet.Fleet() as f:
        description(f)
        submitting(f)
        acting(f)
        streaming(f)
        access(f)
        rest(f)
    fleet.finish()


main()
