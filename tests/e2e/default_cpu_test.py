"""The CPU that counts for work that asks for none: by the setting, by its queue; in documents, batches and under keys."""
import json
import os
import subprocess

import fleet
import hub
from fleet import BIN, equal, shows, until
from follower import Stream

SLEEP = ["sleep", "600"]


def cli(h, *words, code=0):
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir, XDG_STATE_HOME=h.dir)
    out = subprocess.run([os.path.join(BIN, "fairlead"), *words], env=env, capture_output=True, text=True, timeout=60)
    equal(out.returncode, code, f"exit code of {words}: {out.stdout} {out.stderr}")
    return out


def resources(spec):
    """The resources that each role's replicas ask for."""
    return [role["template"]["spec"]["containers"][0].get("resources") for role in spec["roles"]]


def asked(h, job):
    return resources(h.job(job)["spec"])


def spreads(h):
    with shows("work that asks for nothing counts as one CPU a replica: it fills all clusters, what is left waits, and nothing is limited"):
        jobs = [h.submit({"command": SLEEP}) for _ in range(4)]
        until("they run", lambda: all(h.job(job)["state"] == "running" for job in jobs))
        equal(sorted(h.job(job)["cluster"] for job in jobs), ["east", "east", "west", "west"])
        equal(asked(h, jobs[0]), [{"requests": {"cpu": "1"}}])
        fifth = h.submit({"command": SLEEP})
        until("it waits, and its reason names the CPU", lambda: "cpu" in json.dumps(h.api("GET", f"/v1/jobs/{fifth}/explain")).lower())
        equal(h.job(fifth)["state"], "queued")
        for job in [*jobs, fifth]:
            h.api("POST", f"/v1/jobs/{job}:cancel", {})
            h.wait(job, "cancelled")
    with shows("a job's own request stays, role by role"):
        job = h.submit({"command": SLEEP, "hold": True, "resources": {"cpu": "100m"}})
        equal(asked(h, job), [{"requests": {"cpu": "100m"}, "limits": {"cpu": "100m"}}])
        container = {"containers": [{"command": SLEEP, "resources": {"requests": {"cpu": "250m"}}}]}
        roles = [{"name": "a", "template": {"spec": container}},
                 {"name": "b", "template": {"spec": {"containers": [{"command": SLEEP, "resources": {"limits": {"memory": "1Mi"}}}]}}}]
        job = h.submit({"roles": roles, "hold": True})
        equal(asked(h, job), [{"requests": {"cpu": "250m"}}, {"requests": {"cpu": "1", "memory": "1Mi"}, "limits": {"memory": "1Mi"}}])
    with shows("a dry run shows it, and its document is accepted as it is"):
        dry = h.api("POST", "/v1/jobs?dryRun=true&hold=true", {"command": SLEEP})
        equal(resources(dry["job"]), [{"requests": {"cpu": "1"}}])
        equal(asked(h, h.submit(dry["job"])), [{"requests": {"cpu": "1"}}])


def queues(h):
    with shows("a queue has a default of its own, from then on; jobs that are there keep theirs"):
        equal(h.api("GET", "/v1/queues/default")["defaultCpu"], None)
        before = h.submit({"command": SLEEP, "hold": True, "queue": "default"})
        equal(h.api("POST", "/v1/queues", {"name": "small", "defaultCpu": "0.25"})["defaultCpu"], "250m")
        equal(h.api("PATCH", "/v1/queues/default", {"defaultCpu": "500m"})["defaultCpu"], "500m")
        after = h.submit({"command": SLEEP, "hold": True})
        small = h.submit({"command": SLEEP, "hold": True, "queue": "small"})
        equal([asked(h, job) for job in (before, after, small)], [[{"requests": {"cpu": cpu}}] for cpu in ("1", "500m", "250m")])
    with shows("a change of one thing leaves the others; null is the setting again; 0 asks for nothing"):
        h.api("POST", "/v1/queues/default:pause")
        queue = h.api("PATCH", "/v1/queues/default", {"defaultCpu": "0"})
        equal((queue["paused"], queue["defaultCpu"]), (True, "0"))
        equal(asked(h, h.submit({"command": SLEEP, "hold": True})), [None])
        queue = h.api("PATCH", "/v1/queues/default", {"paused": False})
        equal((queue["paused"], queue["defaultCpu"]), (False, "0"))
        equal(h.api("POST", "/v1/queues", {"name": "default"})["defaultCpu"], "0")
        equal(h.api("PATCH", "/v1/queues/default", {"defaultCpu": None})["defaultCpu"], None)
        equal(asked(h, h.submit({"command": SLEEP, "hold": True})), [{"requests": {"cpu": "1"}}])
    with shows("a follower of events sees the change"):
        stream = Stream(h, "/v1/events")
        until("it follows", lambda: stream.status == 200)
        for cpu in ("3", None):
            h.api("PATCH", "/v1/queues/default", {"defaultCpu": cpu})
        told = until("both changes", lambda: (lambda got: got if len(got) == 2 else None)(
            [event for name, event in list(stream.events) if name == "queue.changed"]))
        stream.stop()
        equal([(event["queue"], event["paused"], event["defaultCpu"]) for event in told], [("default", False, "3"), ("default", False, None)])
    with shows("it outlives a kill"):
        h.kill()
        h.start()
        equal(h.api("GET", "/v1/queues/small")["defaultCpu"], "250m")
        equal(asked(h, h.submit({"command": SLEEP, "hold": True, "queue": "small"})), [{"requests": {"cpu": "250m"}}])
    with shows("each line of a batch has that of its queue, also by a spec of many lines; an earlier spec stays as it was"):
        lines = [{"command": SLEEP, "hold": True}, {"command": SLEEP, "hold": True, "queue": "small"},
                 {"spec": "s", "job": {"command": SLEEP, "hold": True, "queue": "small"}}, {"use": "s"},
                 {"use": "s", "queue": "default"}, {"use": "s"}, {"command": SLEEP, "hold": True, "resources": {"cpu": 1}}]
        _, _, text = h.ask("POST", "/v1/jobs:batch", lines)
        ids = [line["id"] for line in map(json.loads, text.splitlines()) if "id" in line]
        equal([asked(h, job)[0]["requests"]["cpu"] for job in ids], ["1", "250m", "250m", "1", "250m", "1"])
        digest = h.job(ids[1])["specDigest"]
        _, _, text = h.ask("POST", "/v1/jobs:batch", [{"useDigest": digest, "queue": "default"}])
        equal(asked(h, json.loads(text)["id"]), [{"requests": {"cpu": "250m"}}])
    with shows("so many other defaults a batch makes of its specs; a spec that asks for CPU needs none"):
        for i in range(17):
            h.api("POST", "/v1/queues", {"name": f"q{i}", "defaultCpu": f"{i + 10}m"})
        uses = [{"use": "s", "queue": f"q{i}"} for i in range(17)]
        for job, refused in (({"command": SLEEP, "hold": True}, 1), ({"command": SLEEP, "hold": True, "resources": {"cpu": 1}}, 0)):
            _, _, text = h.ask("POST", "/v1/jobs:batch", [{"spec": "s", "job": job}, *uses, *uses])
            got = [json.loads(line) for line in text.splitlines()][1:]
            equal([i % 17 for i, line in enumerate(got) if "problem" in line], [16, 16] * refused)
            assert all("resources.cpu" in line["problem"]["detail"] for line in got if "problem" in line), got
            equal(asked(h, got[20]["id"])[0]["requests"]["cpu"], "13m" if refused else "1")
    with shows("a token for one queue submits with that queue's default"):
        token = h.api("POST", "/v1/tokens", {"name": "of-small", "scopes": ["read", "submit"], "queue": "small"})["token"]
        job = h.api("POST", "/v1/jobs", {"command": SLEEP, "hold": True}, token=token)["id"]
        equal(asked(h, job), [{"requests": {"cpu": "250m"}}])
    with shows("a key means the document as it was written: it is the same job after the default has changed"):
        first = h.submit({"command": SLEEP, "hold": True, "queue": "small"}, key="the-key")
        h.api("PATCH", "/v1/queues/small", {"defaultCpu": "2"})
        equal(h.submit({"command": SLEEP, "hold": True, "queue": "small"}, key="the-key"), first)
        equal(asked(h, first), [{"requests": {"cpu": "250m"}}])


def refusals(h):
    with shows("a value that is no number of CPUs is refused by name, and changes nothing; an absent queue is not made"):
        for bad in ("much", "-1", "100001", ""):
            for method, path in (("POST", "/v1/queues"), ("PATCH", "/v1/queues/small")):
                status, _, text = h.ask(method, path, {"name": "other", "defaultCpu": bad} if method == "POST" else {"defaultCpu": bad})
                equal((status, json.loads(text)["errors"][0]["pointer"]), (422, "/defaultCpu"), text)
        equal(h.ask("PATCH", "/v1/queues/small", {"defaultCpu": 2})[0], 422)
        equal(h.ask("PATCH", "/v1/queues/none", {"defaultCpu": "2"})[0], 404)
        equal(h.api("GET", "/v1/queues/small")["defaultCpu"], "2")
        equal(h.ask("GET", "/v1/queues/other")[0], 404)
    with shows("an invalid setting is refused at the start, by name"):
        done = subprocess.run([os.path.join(BIN, "fairleadd"), "--database", "@" + h.database, "--state-dir", os.path.join(h.dir, "other"),
                               "--default-cpu", "much"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 64 and "is no number of CPUs like 1 or 500m" in done.stderr and "default_cpu" in done.stderr, done


def by_command(h):
    with shows("the command line makes, changes and shows it"):
        assert "queue night is there" in cli(h, "queue", "create", "night", "--default-cpu", "1.5").stderr
        equal(cli(h, "queue", "ls").stdout.split("\n")[0].split(), ["QUEUE", "STATE", "HELD", "QUEUED", "STARTING", "RUNNING", "STOPPING", "DEFAULT", "CPU"])
        equal([line.split()[-1] for line in cli(h, "queue", "ls").stdout.splitlines() if line.startswith(("night", "default"))], ["preset", "1500m"])
        assert "queue night is changed" in cli(h, "queue", "edit", "night", "--default-cpu", "preset").stderr
        equal(cli(h, "queue", "get", "night").stdout.splitlines()[1].split()[-1], "preset")
        assert "say what to change: --default-cpu" in cli(h, "queue", "edit", "night", code=64).stderr
        assert "not a number of CPUs" in cli(h, "queue", "edit", "night", "--default-cpu", "much", code=65).stderr
    with shows("a queue that is made again keeps its pause, unless the command says otherwise"):
        cli(h, "queue", "pause", "night")
        cli(h, "queue", "create", "night")
        equal(h.api("GET", "/v1/queues/night")["paused"], True)


def main():
    with hub.Hub({"default_cpu": "1"}) as h:
        for name in ("east", "west"):
            h.agent(name, h.join(name), settings={"cpus": 2})
            h.wait_cluster(name, "ready")
        spreads(h)
        queues(h)
        refusals(h)
        by_command(h)
    fleet.finish()


main()
