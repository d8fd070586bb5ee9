"""The ledger of usage: each ended attempt counts once, by day, queue, user and label, also over a kill of the control plane."""
import datetime
import json
import os
import subprocess

import fleet
import hub
from fleet import BIN, equal, shows, until

CPUS, MIB, REPLICAS = 0.1, 16, 2
SMALL = {"cpu": "100m", "memory": "16Mi"}
BURN = ["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 0.3"]


def cli(h, *words, code=0, token=None):
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=token or h.token, XDG_CONFIG_HOME=h.dir)
    out = subprocess.run([os.path.join(BIN, "fairlead"), *words], env=env, capture_output=True, text=True, timeout=60)
    equal(out.returncode, code, f"exit code of {words}: {out.stderr}")
    return out


def counted(h, query="", token=None):
    """All that has ended is in it."""
    return until("all is counted", lambda: (lambda got: got["countedTo"] is None and got)(h.api("GET", f"/v1/usage?{query}", token=token)))["usage"]


def millis(attempt):
    placed, ended = (datetime.datetime.fromisoformat(attempt[at].replace("Z", "+00:00")) for at in ("placedAt", "endedAt"))
    return round((ended - placed).total_seconds() * 1000)


def wanted(h, jobs, replicas=REPLICAS):
    """The sums that the attempts themselves make."""
    attempts = [one for job in jobs for one in h.api("GET", f"/v1/jobs/{job}/attempts")["attempts"]]
    held = [millis(one) for one in attempts]
    return {"attempts": len(attempts),
            "held": {"replicaMillis": replicas * sum(held), "cpuMillis": sum(round(replicas * CPUS * 1000) * ms // 1000 for ms in held),
                     "memoryMibMillis": replicas * MIB * sum(held), "gpuMillis": 0},
            "cpu": sum(one["usage"]["cpuMillis"] for one in attempts), "memory": max(one["usage"]["memoryBytes"] for one in attempts)}


def check(group, want):
    equal(group["attempts"], want["attempts"])
    equal(group["held"], want["held"])
    equal(group["measured"]["attempts"], want["attempts"])
    equal(group["measured"]["heldCpuMillis"], want["held"]["cpuMillis"])
    # Each attempt's own figure is rounded up.
    assert 0 <= want["cpu"] - group["measured"]["cpuMillis"] <= want["attempts"], (group, want)
    equal(group["measured"]["memoryBytes"], want["memory"])


def work(h):
    h.api("POST", "/v1/queues", {"name": "vision"})
    amy = h.api("POST", "/v1/tokens", {"name": "amy-laptop", "owner": "amy", "scopes": ["submit", "read"]})["token"]
    submit = lambda document, token=None: h.api("POST", "/v1/jobs", document, token=token)["id"]
    jobs = {"amy": [submit({"command": BURN, "replicas": REPLICAS, "resources": SMALL, "queue": "vision", "labels": {"project": "x", "color": "red"}}, amy)],
            "own": [submit({"command": ["sh", "-c", "exit 3"], "replicas": REPLICAS, "resources": SMALL, "retry": 1, "labels": {"project": "y"}}),
                    submit({"command": BURN, "replicas": REPLICAS, "resources": SMALL, "array": 3})]}
    held = submit({"command": ["true"], "hold": True})
    h.patient("POST", f"/v1/jobs/{held}:cancel")
    for job in jobs["amy"] + jobs["own"]:
        h.wait(job, "succeeded", "failed")
    return jobs, amy


def sums(h, jobs):
    with shows("the sums are those of the attempts themselves: held, used, measured; a job that never ran is in none"):
        group, = counted(h)
        check(group, wanted(h, jobs["amy"] + jobs["own"]))
        equal(group["attempts"], 1 + 2 + 3)
    with shows("sums are kept apart by user, queue, day and a label that is counted"):
        by_user = {one["submittedBy"]: one for one in counted(h, "by=submittedBy")}
        check(by_user.pop("amy"), wanted(h, jobs["amy"]))
        other, = by_user.values()
        check(other, wanted(h, jobs["own"]))
        equal({one["queue"]: one["attempts"] for one in counted(h, "by=queue")}, {"vision": 1, "default": 5})
        equal({one["label"]: one["attempts"] for one in counted(h, "by=label:project")}, {"x": 1, "y": 2, None: 3})
        equal([one["label"] for one in counted(h, "by=label:color")], [None])
        days = counted(h, "by=day")
        equal(sum(one["attempts"] for one in days), 6)
        assert all(len(one["day"]) == 10 for one in days), days
        equal(len(counted(h, "by=queue,submittedBy,day,label:project&limit=1")), 1)
    with shows("queue, user, label and days choose what is added up"):
        equal(counted(h, "queue=vision")[0]["attempts"], 1)
        equal(counted(h, "submittedBy=amy&label=project=x")[0]["attempts"], 1)
        equal(counted(h, "label=project=z"), [])
        equal(counted(h, "since=2020-01-01&until=2020-01-31"), [])


def rights(h, amy):
    with shows("a token for one queue adds up that queue alone"):
        own = h.api("POST", "/v1/tokens", {"name": "vision", "scopes": ["read"], "queue": "vision"})["token"]
        equal(counted(h, token=own)[0]["attempts"], 1)
        status, _, text = h.ask("GET", "/v1/usage?queue=default", headers={"Authorization": f"Bearer {own}"})
        equal(status, 422, text)
        equal(counted(h, "submittedBy=@me", token=amy)[0]["attempts"], 1)
    with shows("a question that cannot be answered is refused by the name of its part"):
        for query, part in (("by=color", "by"), ("by=day,day", "by"), ("by=label:", "by"), ("since=today", "since"), ("until=2026-02-30", "until"),
                            ("label=x", "label"), ("limit=0", "limit"), ("queue=none", "queue")):
            status, _, text = h.ask("GET", f"/v1/usage?{query}")
            equal(status, 422, query)
            equal([one["parameter"] for one in json.loads(text)["errors"]], [part], query)


def verb(h):
    with shows("fairlead usage shows them as a table, and says what is wrong with a flag"):
        out = cli(h, "usage").stdout.splitlines()
        equal(out[0].split()[:3], ["QUEUE", "USER", "ATTEMPTS"])
        assert any(row.split()[:3] == ["vision", "amy", "1"] for row in out), out
        equal(cli(h, "usage", "--by", "label:project", "--since", "7d", "--queue", "vision").stdout.splitlines()[1].split()[:2], ["x", "1"])
        equal(json.loads(cli(h, "usage", "--by", "day", "--by", "user", "--user", "amy", "-o", "jsonl").stdout)["attempts"], 1)
        assert "usage_labels" in cli(h, "usage", "--by", "label:color").stderr
        assert "nothing ended from 2020-01-01 to 2020-01-02" in cli(h, "usage", "--since", "2020-01-01", "--until", "2020-01-02").stderr
        for words, part in ((("--by", "color"), "--by color"), (("--by", "day,day"), "--by day"), (("--since", "soon"), "--since soon"), (("--limit", "0"), "--limit 0")):
            assert part in cli(h, "usage", *words, code=64).stderr, words


def survives(h, jobs):
    with shows("a kill of the control plane loses none and counts none twice"):
        before = counted(h)
        h.kill()
        h.start()
        h.wait_cluster("east", "ready")
        equal(counted(h), before)
        job = h.submit({"command": ["true"], "replicas": REPLICAS, "resources": SMALL})
        h.wait(job, "succeeded")
        until("it is counted, too", lambda: counted(h)[0]["attempts"] == 7)
        check(counted(h)[0], wanted(h, jobs["amy"] + jobs["own"] + [job]))


def main():
    with hub.Hub() as h:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        jobs, amy = work(h)
        sums(h, jobs)
        rights(h, amy)
        verb(h)
        survives(h, jobs)
    fleet.finish()


main()
