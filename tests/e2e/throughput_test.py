"""Jobs that came, started and ended, by the hour and by the day: each job, first start and end counts once, also over a kill of
the control plane."""
import contextlib
import datetime
import json
import os
import pty
import subprocess

import fleet
import hub
from fleet import BIN, equal, shows, until

COUNTS = ("submitted", "started", "succeeded", "failed", "cancelled")


def cli(h, *words, code=0):
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir)
    out = subprocess.run([os.path.join(BIN, "fairlead"), *words], env=env, capture_output=True, text=True, timeout=60)
    equal(out.returncode, code, f"exit code of {words}: {out.stderr}")
    return out


def counted(h, query="", token=None):
    """All that has happened is in it."""
    return until("all is counted", lambda: (lambda got: got["countedTo"] is None and got)(h.api("GET", f"/v1/throughput?{query}", token=token)))


def counts(sums):
    return tuple(sums[name] for name in COUNTS)


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def waits_of(h, jobs):
    """From the first placement of each element; in milliseconds."""
    waits = []
    for job in jobs:
        at = time_of(h.api("GET", f"/v1/jobs/{job}")["submittedAt"])
        waits += [round((time_of(one["placedAt"]) - at).total_seconds() * 1000) for one in h.api("GET", f"/v1/jobs/{job}/attempts")["attempts"] if one["attempt"] == 1]
    return sorted(waits)


def near(got, exact):
    assert exact / 1.1893 - 1 <= got <= exact * 1.1893 + 1, (got, exact)


def work(h):
    """One that succeeds, one that fails at its third attempt, an array of three, and one that is cancelled before it starts."""
    h.api("POST", "/v1/queues", {"name": "vision"})
    jobs = [h.submit({"command": ["sleep", "0.4"], "queue": "vision"}), h.submit({"command": ["sh", "-c", "exit 3"], "retry": 2}),
            h.submit({"command": ["true"], "array": 3, "hold": True})]
    held = h.submit({"command": ["true"], "hold": True})
    h.patient("POST", f"/v1/jobs/{held}:cancel")
    for job in jobs[:2]:
        h.wait(job, "succeeded", "failed")
    h.patient("POST", f"/v1/jobs/{jobs[2]}:release")
    h.wait(jobs[2], "succeeded")
    return jobs


def sums(h, jobs):
    with shows("jobs, first starts and ends count once: a retry is no further start, and one that never started has no wait"):
        got = counted(h)
        equal(counts(got["total"]), (4, 5, 2, 1, 1))
        equal(got["total"]["waits"]["count"], 5)
        equal(got["total"]["runs"]["count"], 4)
        equal((got["step"], got["countedFrom"], len(got["steps"])), ("hour", None, 24))
        for name in COUNTS:
            equal(sum(step[name] for step in got["steps"]), got["total"][name], name)
    with shows("the waits are those of the jobs themselves: the longest exactly, percentiles within 19 %"):
        waits, told = waits_of(h, jobs), got["total"]["waits"]
        equal(told["maxMillis"], waits[-1])
        near(told["p50Millis"], waits[2])
        near(told["p95Millis"], waits[-1])
        assert 400 <= got["total"]["runs"]["maxMillis"] < 60000, got["total"]
    with shows("a queue has its own, and a day has its hours"):
        equal(counts(counted(h, "queue=vision")["total"]), (1, 1, 1, 0, 0))
        equal(counts(counted(h, "queue=default")["total"]), (3, 4, 1, 1, 1))
        days = counted(h, "step=day")
        equal((len(days["steps"]), counts(days["total"])), (30, (4, 5, 2, 1, 1)))
        assert all(step["at"].endswith("T00:00:00.000Z") for step in days["steps"]), days
    with shows("steps in which nothing happened are there, with zeros and without times"):
        empty = counted(h, "since=2020-01-31T10:20:00Z&until=2020-01-31T12:00:00Z")
        equal([step["at"] for step in empty["steps"]], ["2020-01-31T10:00:00.000Z", "2020-01-31T11:00:00.000Z"])
        equal((empty["since"], empty["until"]), ("2020-01-31T10:00:00.000Z", "2020-01-31T12:00:00.000Z"))
        for step in empty["steps"] + [empty["total"]]:
            equal(counts(step), (0, 0, 0, 0, 0))
            equal(step["waits"], {"count": 0, "p50Millis": None, "p95Millis": None, "maxMillis": None})
        equal(len(counted(h, "since=2020-01-01&until=2020-01-31")["steps"]), 31 * 24)
        equal(len(counted(h, "step=day&since=2020-01-01&until=2020-01-31")["steps"]), 31)


def rights(h):
    with shows("a token for one queue sees that queue alone"):
        own = h.api("POST", "/v1/tokens", {"name": "vision", "scopes": ["read"], "queue": "vision"})["token"]
        equal(counts(counted(h, token=own)["total"]), (1, 1, 1, 0, 0))
        status, _, text = h.ask("GET", "/v1/throughput?queue=default", headers={"Authorization": f"Bearer {own}"})
        equal((status, json.loads(text)["code"]), (422, "absent"))
    with shows("a token without the scope read is refused"):
        other = h.api("POST", "/v1/tokens", {"name": "sender", "scopes": ["submit"]})["token"]
        equal(h.ask("GET", "/v1/throughput", headers={"Authorization": f"Bearer {other}"})[0], 403)
    with shows("a question that cannot be answered is refused by the name of its part, and says what would do"):
        for query, part, allowed in (("step=week", "step", "hour"), ("since=soon", "since", "2026-01-31"), ("until=2026-02-30", "until", "2026-01-31"), ("queue=none", "queue", None),
                                     ("since=2026-01-02&until=2026-01-01", "since", "before 'until'"), ("since=2026-01-01&until=2026-03-01", "since", "step=day"),
                                     ("since=2020-01-01&until=2026-01-01&step=day", "since", "later 'since'")):
            status, _, text = h.ask("GET", f"/v1/throughput?{query}")
            equal(status, 422, query)
            error, = json.loads(text)["errors"]
            equal(error["parameter"], part, query)
            assert not allowed or allowed in error["allowed"], error
        assert "1440 steps of an hour; one answer has 1000 at most" in h.ask("GET", "/v1/throughput?since=2026-01-01&until=2026-03-01")[2].decode()


def verb(h):
    with shows("fairlead throughput shows them as a table, and says on stderr what all steps have together"):
        out = cli(h, "throughput", "--utc")
        rows = out.stdout.splitlines()
        equal(rows[0].split()[:6], ["TIME", "SUBMITTED", "STARTED", "SUCCEEDED", "FAILED", "CANCELLED"])
        equal(len(rows), 25)
        assert "together: 4 submitted, 5 started, 2 succeeded, 1 failed, 1 cancelled; half waited at most" in out.stderr, out.stderr
        assert "#" not in out.stdout, "a bar is for terminals"
        steps = [json.loads(line) for line in cli(h, "throughput", "vision", "--since", "2h", "-o", "jsonl").stdout.splitlines()]
        equal(sum(step["started"] for step in steps), 1)
        equal(len(cli(h, "throughput", "--step", "day", "--since", "2026-01-30", "--until", "2026-01-31").stdout.splitlines()), 3)
        equal(cli(h, "throughput", "--since", "1h", "-o", "custom-columns=N:.submitted,P95:.waits.p95Millis").stdout.splitlines()[0].split(), ["N", "P95"])
        for words, part in ((("--step", "week"), "--step week: wants hour or day"), (("--since", "soon"), "--since soon: wants a day"), (("--since", "2026-01-02", "--until", "2026-01-01"), "since: not before"),
                            (("none",), "none"), (("one", "two"), "usage: fairlead throughput"), (("--since", "1000h", "--until", "2099-01-01"), "1000 at most")):
            out = subprocess.run([os.path.join(BIN, "fairlead"), "throughput", *words], capture_output=True, text=True, timeout=60,
                                 env=dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir))
            assert out.returncode in (64, 65, 1) and part in out.stderr, (words, out.returncode, out.stderr)


def read_all(terminal):
    """Until its other end is gone, which is an error on Linux."""
    text = b""
    with contextlib.suppress(OSError):
        while more := os.read(terminal, 65536):
            text += more
    return text


def on_a_terminal(h):
    with shows("on a terminal a bar shows how many jobs ended, the longest where most did"):
        ours, theirs = pty.openpty()
        env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir, TERM="xterm")
        subprocess.run([os.path.join(BIN, "fairlead"), "throughput", "--step", "day", "--since", "1d", "--no-pager"], env=env, stdout=theirs, stderr=subprocess.DEVNULL, timeout=60, check=True)
        os.close(theirs)
        rows = read_all(ours).decode().split("\r\n")
        os.close(ours)
        assert rows[0].endswith("ENDED"), rows
        assert any(row.endswith(" " + "#" * 20) for row in rows), rows


def survives(h):
    with shows("a kill of the control plane loses none and counts none twice; a job from before it is known"):
        job = h.submit({"command": ["true"], "hold": True})
        before = counted(h)
        h.kill()
        h.start()
        h.wait_cluster("east", "ready")
        equal(counted(h)["total"], before["total"])
        h.patient("POST", f"/v1/jobs/{job}:release")
        h.wait(job, "succeeded")
        until("it is counted, too", lambda: counts(counted(h)["total"]) == (5, 6, 3, 1, 1))
        equal(counted(h)["total"]["waits"]["maxMillis"], max(counted(h)["total"]["waits"]["maxMillis"], waits_of(h, [job])[-1]))


def main():
    with hub.Hub() as h:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        jobs = work(h)
        sums(h, jobs)
        rights(h)
        verb(h)
        on_a_terminal(h)
        survives(h)
    fleet.finish()


main()
