"""Search in the output of jobs: texts and regular expressions, their limits, and what a pattern that is too costly does."""
import http.client
import json
import os
import socket
import threading
import time
import urllib.parse

import contract
import fleet
from fleet import equal, shows, until

LINES = {"Accept": "application/x-ndjson"}
MANY = 90  # outputs
WRITER = r"""
for i in range(2000): print("%d %s epoch %d loss 0.5" % (i, "ERROR" if i % 100 == 7 else "warning:" if i % 100 == 8 else "fine", i // 10))
print("gr\u00fcn und \u00c4RGER")
"""
# Lines in which (a+)+$ backtracks without an end, many of them.
COSTLY = r"""
for i in range(20000): print("a" * 70 + "!")
print("a" * 30000 + "!")
print("b aaa")
"""


class Answer:
    def __init__(self, answer):
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        self.body = answer.read()

    def json(self):
        return json.loads(self.body)

    def lines(self):
        return [json.loads(line) for line in self.body.splitlines() if line]


def connect(f, path, headers=None, timeout=300):
    where = urllib.parse.urlsplit(f.url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=timeout)
    connection.request("GET", path, headers={"Authorization": f"Bearer {f.token}", **(headers or {})})
    return connection


def get(f, path, headers=None):
    connection = connect(f, path, headers)
    try:
        answer = Answer(connection.getresponse())
    finally:
        connection.close()
    if described:
        described[0].check("GET", path, answer.status, answer.headers, answer.body)
    return answer


described = []


def query(**words):
    return urllib.parse.urlencode(words)


def search(f, job, **words):
    """The hits, and the object behind them."""
    found = get(f, f"/v1/jobs/{job}/logs/search?{query(**words)}", LINES).lines()
    equal([one.get("type") for one in found[-1:]], ["end"])
    return found[:-1], found[-1]


def finding(f, job):
    with shows("a search gives each line that matches with its number, places and level, and then how many there are"):
        hits, end = search(f, job, grep="epoch 19 ")
        equal([hit["line"] for hit in hits], list(range(190, 200)))
        equal(hits[0]["text"], "190 fine epoch 19 loss 0.5\n")
        equal((hits[0]["matches"], hits[0]["level"]), ([9, 18], "none"))
        equal((end["hits"], end["lines"], end["undecided"], end["gaps"], end["stopped"], end["output"], end["nextCursor"]),
              (10, 2001, 0, 0, "end", "complete", None))
    with shows("a regular expression, letters of either case, and the lines that do not match"):
        hits, end = search(f, job, grep=r"^\d+ (ERROR|warning:)", match="regex")
        equal([hit["line"] % 100 for hit in hits], [7, 8] * 20)
        equal(end["levels"], {"none": 0, "error": 20, "warn": 0, "info": 0, "debug": 0} | {"none": 20})
        equal(hits[0]["matches"], [0, 7])
        equal(search(f, job, grep="error", ignoreCase="true")[1]["hits"], 20)
        equal(search(f, job, grep="error")[1]["hits"], 0)
        equal(search(f, job, grep="\u00e4rger", ignoreCase="true")[0][0]["matches"], [10, 16])
        hits, end = search(f, job, grep=r"\d epoch", match="regex", invert="true", tail="3")
        equal((end["lines"], len(hits), hits[0]["matches"]), (3, 3, []))
        equal(search(f, job, grep="loss", invert="true")[1]["hits"], 1)
        equal(search(f, job, grep="l.ss")[1]["hits"], 0)
    with shows("with levels, only lines of these come, with a pattern or without one, and the others are counted by their levels"):
        hits, end = search(f, job, level="error")
        equal([hit["line"] for hit in hits], [100 * i + 7 for i in range(20)])
        equal({hit["level"] for hit in hits}, {"error"})
        equal((end["hits"], end["lines"], end["levels"]["error"], sum(end["levels"].values())), (20, 2001, 20, 2001))
        hits, end = search(f, job, level="warn,none", grep=r"^\d+ (ERROR|warning:)", match="regex")
        equal((len(hits), end["hits"], end["levels"]["error"]), (20, 20, 20))
        equal(search(f, job, level="debug")[0], [])
        hits, end = search(f, job, level="error", limit="3")
        equal(([hit["line"] for hit in hits], end["stopped"]), ([7, 107, 207], "limit"))
        for wrong in ("grave", "", "error,,warn", "error,"):
            equal(get(f, f"/v1/jobs/{job}/logs/search?{query(level=wrong)}", LINES).status, 422, wrong)
    with shows("with a limit it stops, and its cursor goes on behind it without a hole"):
        seen, cursor, searches = [], None, 0
        while True:
            hits, end = search(f, job, grep="ERROR", limit="7", **({"cursor": cursor} if cursor else {}))
            seen, cursor, searches = seen + [hit["line"] for hit in hits], end["nextCursor"], searches + 1
            equal(end["stopped"], "limit" if cursor else "end")
            if not cursor:
                break
        equal((seen, searches), ([100 * i + 7 for i in range(20)], 3))
    with shows("as events it ends with 'end', and Last-Event-ID goes on"):
        path = f"/v1/jobs/{job}/logs/search?{query(grep='ERROR', limit='5')}"
        blocks = get(f, path).body.decode().split("\n\n")
        ids = [line.removeprefix("id: ") for block in blocks for line in block.splitlines() if line.startswith("id: ")]
        assert blocks[-2].startswith("event: end\ndata: {"), blocks[-2]
        more = get(f, path, {"Last-Event-ID": ids[-1]}).body.decode()
        assert '"line":507' in more and '"line":407' not in more, more[:300]
        path = f"/v1/jobs/{job}/logs/search?{query(level='error')}"
        ids = [line.removeprefix("id: ") for line in get(f, path).body.decode().splitlines() if line.startswith("id: ")]
        assert ids, "hits by level tell no place"
        equal(get(f, path, {"Last-Event-ID": ids[-1]}).body.decode().count('"level":"error"'), 0)
    with shows("filters of the whole output and of its stream take the same patterns"):
        words = query(grep=r"^1\d{3} ERR", match="regex")
        equal(len(get(f, f"/v1/jobs/{job}/logs?{words}").body.splitlines()), 10)
        streamed = get(f, f"/v1/jobs/{job}/logs/stream?follow=false&{words}", LINES).lines()
        equal(streamed.pop(), {"type": "end", "output": "complete"})
        equal([line["line"] for line in streamed], list(range(1007, 2000, 100)))


def many(f, job):
    """The outputs of an array's elements, more than a cursor can name."""
    with shows("the cursor of a search over many outputs is short, and the pages have each hit once, by time"):
        seen, cursor, last = [], None, ""
        while True:
            hits, end = search(f, job, grep="hit", limit="7", **({"cursor": cursor} if cursor else {}))
            seen += [(hit["element"], hit["line"]) for hit in hits]
            for hit in hits:
                assert hit["time"] >= last, (hit, last)
                last = hit["time"]
            cursor = end["nextCursor"]
            if not cursor:
                break
            assert len(cursor) <= 512, len(cursor)
            kept = cursor
        equal(sorted(seen), [(element, line) for element in range(MANY) for line in (0, 2)])
    return kept


def foreign(f, job, other, cursor):
    with shows("a cursor of another job, of other elements, or of a stream is refused with what it needs"):
        streamed = get(f, f"/v1/jobs/{job}/logs/stream?follow=false").body.decode()
        of_stream = next(line.removeprefix("id: ") for line in streamed.splitlines() if line.startswith("id: "))
        for where, words, what in ((other, dict(cursor=cursor), "is of another job"), (job, dict(cursor=cursor, element="1"), "other elements"),
                                   (job, dict(cursor=of_stream), "not a cursor of a search"), (job, dict(cursor=cursor[:-1]), "not a cursor")):
            answer = get(f, f"/v1/jobs/{where}/logs/search?{query(grep='hit', **words)}", LINES)
            error = answer.json()["errors"][0]
            equal((answer.status, error["parameter"]), (422, "cursor"), str(words))
            assert what in error["detail"] and "nextCursor" in error["allowed"], error
        answer = get(f, f"/v1/jobs/{job}/logs/stream?follow=false", {"Last-Event-ID": cursor})
        equal((answer.status, answer.json()["errors"][0]["header"]), (422, "Last-Event-ID"))


def refusing(f, job):
    with shows("an invalid pattern is refused with PCRE2's words, the place, and the parameter's name"):
        for route in ("logs", "logs/stream", "logs/search"):
            answer = get(f, f"/v1/jobs/{job}/{route}?{query(grep='a(b', match='regex')}", LINES if route != "logs" else None)
            error = answer.json()["errors"][0]
            equal((answer.status, error["parameter"]), (422, "grep"), route)
            assert "missing closing parenthesis, at byte 3" in error["detail"] and "match=text" in error["allowed"], error
        for words in (dict(grep="x", match="glob"), dict(grep="x\ny"), dict(match="regex"), dict(invert="true"), dict(grep=r"a\Cb", match="regex"),
                      dict(grep="x", limit="0"), dict(grep="x", cursor="nonsense"), dict(grep="x" * 257), {}):
            equal(get(f, f"/v1/jobs/{job}/logs/search?{query(**words)}", LINES).status, 422, str(words))
    with shows("so does the command line"):
        try:
            f.cli("logs", job, "--grep", "a(b", "--regex")
            raise AssertionError("it was taken")
        except Exception as error:
            assert "parenthesis" in str(error), error


def cpu_s(f):
    """The CPU time that the control plane has used."""
    with open(f"/proc/{f.pid_of('fairleadd')}/stat") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def is_idle(f):
    before = cpu_s(f)
    time.sleep(0.3)  # a span to measure in
    return cpu_s(f) - before < 0.1


def costly(f, job):
    with shows("while a pattern backtracks without an end others are answered, and the search accounts for every line"):
        got = []
        thread = threading.Thread(target=lambda: got.append(search(f, job, grep="(a+)+$", match="regex")), daemon=True)
        thread.start()
        slowest, asked = 0, 0
        while thread.is_alive() and asked < 200:
            begin = time.monotonic()
            equal(get(f, "/livez").status, 200)
            equal(get(f, f"/v1/jobs/{job}").status, 200)
            equal(get(f, f"/v1/jobs/{job}/logs?tail=1").body, b"b aaa\n")
            slowest, asked = max(slowest, time.monotonic() - begin), asked + 1
        thread.join(600)
        hits, end = got[0]
        print(f"# {asked} rounds of requests beside it, the slowest {slowest * 1000:.0f} ms")
        assert asked > 3, "the search was over at once"
        equal((end["undecided"], end["hits"], end["lines"]), (20001, 1, 20002))
        assert hits[0]["undecided"] and "matches" not in hits[0], hits[0]
        equal(hits[-1]["text"], "b aaa\n")
    with shows("a client that leaves ends its search, also one that has found nothing yet"):
        until("it does nothing else", lambda: is_idle(f))
        before = cpu_s(f)
        path = f"/v1/jobs/{job}/logs/search?{query(grep='a*a*a*a*[cd]', match='regex')}"  # milliseconds a line
        connections = [connect(f, path) for _ in range(3)]
        for connection in connections:
            equal(connection.getresponse().status, 200)
        until("they are at work", lambda: cpu_s(f) - before > 1)
        for connection in connections:
            connection.sock.shutdown(socket.SHUT_RDWR)
            connection.close()
        until("nothing is looked for any more", lambda: is_idle(f))
        print(f"# {cpu_s(f) - before:.1f} s of CPU for three searches that were left")
        assert cpu_s(f) - before < 15, cpu_s(f) - before


def command_line(f, job):
    with shows("the command line searches by text and pattern, marks nothing where it is no terminal, and follows"):
        equal(f.cli("logs", job, "--grep", "1907 ").splitlines(), ["1907 ERROR epoch 190 loss 0.5"])
        equal(len(f.cli("logs", job, "--grep", "^1.*error", "-E", "-i").splitlines()), 11)
        equal(f.cli("logs", job, "--grep", "loss", "-v").splitlines(), ["gr\u00fcn und \u00c4RGER"])
        equal(f.cli("logs", job, "--grep", "nothing like it"), "")
        equal(len(f.cli("logs", "-f", job, "--grep", r"^\d+ ERROR", "--regex").splitlines()), 20)
        marked = f.cli("logs", job, "--grep", r"\d+7 ERROR", "--regex", "--tail", "100", "--color", "always")
        equal(marked, "\033[1;31m1907 ERROR\033[0m epoch 190 loss 0.5\n")


def main():
    with fleet.Fleet() as f:
        described.append(contract.Contract(get(f, "/v1/openapi.json").json()))
        job = f.submit({"command": ["python3", "-c", WRITER], "env": {"PYTHONIOENCODING": "utf-8"}})
        f.wait(job)
        until("its output is whole", lambda: get(f, f"/v1/jobs/{job}/logs?tail=1").headers["x-fairlead-output"] == "complete")
        finding(f, job)
        refusing(f, job)
        command_line(f, job)
        wide = f.submit({"array": MANY, "command": ["sh", "-c", "echo hit; echo miss; echo another hit"]})
        f.wait(wide)
        until("its output is whole", lambda: get(f, f"/v1/jobs/{wide}/logs?tail=1").headers["x-fairlead-output"] == "complete")
        foreign(f, wide, job, many(f, wide))
        heavy = f.submit({"command": ["python3", "-c", COSTLY]})
        f.wait(heavy)
        until("its output is whole", lambda: get(f, f"/v1/jobs/{heavy}/logs?tail=1").headers["x-fairlead-output"] == "complete")
        costly(f, heavy)
    fleet.finish()


main()
