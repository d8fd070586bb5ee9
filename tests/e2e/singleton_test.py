"""Jobs that run one at a time under their name and owner: in order, over cancel, hold, retry and a kill; from the document, a
batch and the command line."""
import os
import tempfile

import fleet
import hub
from after_help import batch, cli, post, times
from fleet import equal, shows

QUICK, SLOW = ["true"], ["sleep", "60"]


def single(name, command=None, **more):
    return {"name": name, "command": command or QUICK, "singleton": True, **more}


def reason(h, job):
    got = h.job(job)
    return got["state"], got["reason"]


def cancel(h, *jobs):
    for job in jobs:
        h.patient("POST", f"/v1/jobs/{job}:cancel", also=(404, 409))


def in_order(h):
    with shows("singletons of one name run one after another, in the order of submission, and say for which job they wait"):
        jobs = [h.submit(single("sync", command)) for command in (SLOW, ["sleep", "1"], ["sleep", "1"])]
        beside = [h.submit({"name": "sync", "command": QUICK}), h.submit(single("other"))]
        got = h.job(jobs[2])
        equal((got["state"], got["reason"], got["singleton"]), ("queued", "WaitsForTurn", True))
        assert f"{jobs[0]} (" in got["sentence"] and "1 more before it" in got["sentence"], got
        sentence = h.api("GET", f"/v1/jobs/{jobs[1]}/explain")["sentence"]
        assert f"it waits for the end of {jobs[0]} (" in sentence, sentence
        assert jobs[0] in cli(h, "explain", jobs[1]).stdout
        assert "alone under its name and owner" in cli(h, "describe", jobs[1]).stdout
        for job in beside:
            h.wait(job, "succeeded")
        cancel(h, jobs[0])
        for job in jobs[1:]:
            h.wait(job, "succeeded")
        equal([h.job(job)["singleton"] for job in beside], [False, True])
        for one, next_one in zip(jobs, jobs[1:]):
            assert times(h, one)[1] <= times(h, next_one)[0], (times(h, one), times(h, next_one))
        assert all(times(h, job)[0] < times(h, jobs[0])[1] for job in beside), "others of the name wait for nothing"
    with shows("the end of one in the middle starts nothing, that of a held first one lets the next one start"):
        first, middle, last = (h.submit(single("sync", SLOW if i == 0 else QUICK)) for i in range(3))
        h.wait(first, "running")
        cancel(h, middle)
        equal(reason(h, last), ("queued", "WaitsForTurn"))
        cancel(h, first)
        h.wait(last, "succeeded")
        held, behind = h.submit(single("sync", hold=True)), h.submit(single("sync"))
        equal(reason(h, behind), ("queued", "WaitsForTurn"))
        assert f"{held} (held)" in h.job(behind)["sentence"], h.job(behind)
        cancel(h, held)
        h.wait(behind, "succeeded")


def others(h):
    with shows("an owner's singletons do not wait for those of another one, and a queue is no part of the name"):
        h.api("POST", "/v1/queues", {"name": "second"})
        amy = h.api("POST", "/v1/tokens", {"name": "amy-laptop", "owner": "amy", "scopes": ["submit", "read"]})["token"]
        first = h.submit(single("sync", SLOW))
        status, hers = post(h, single("sync"), token=amy)
        equal(status, 201, hers)
        behind = h.submit(single("sync", queue="second"))
        h.wait(hers["id"], "succeeded")
        equal(reason(h, behind), ("queued", "WaitsForTurn"))
        cancel(h, first)
        h.wait(behind, "succeeded")


def again(h):
    with shows("a retry is a singleton, too, and waits; the same key gives the same job, and another meaning is refused"):
        done = h.submit(single("sync"))
        h.wait(done, "succeeded")
        first = h.submit(single("sync", SLOW), key="alone")
        repeated = h.api("POST", f"/v1/jobs/{done}:retry")["id"]
        equal((h.job(repeated)["singleton"], *reason(h, repeated)), (True, "queued", "WaitsForTurn"))
        equal(h.submit(single("sync", SLOW), key="alone"), first)
        status, _, text = h.ask("POST", "/v1/jobs", {"name": "sync", "command": SLOW}, headers={"Idempotency-Key": "alone"})
        equal(status, 409, text)
        cancel(h, first)
        h.wait(repeated, "succeeded")
    with shows("a kill of the control plane keeps turns: the first goes on, the second starts when it has ended"):
        first, second = h.submit(single("sync", ["sleep", "8"])), h.submit(single("sync"))
        h.wait(first, "running")
        h.kill()
        h.start()
        h.wait_cluster("east", "ready")
        h.wait(second, "succeeded")
        assert times(h, first)[1] <= times(h, second)[0], (times(h, first), times(h, second))


def wrong(h):
    with shows("a singleton without a name is refused, and the name of one is not edited"):
        status, problem = post(h, {"command": QUICK, "singleton": True})
        equal(status, 422, problem)
        assert "a singleton needs a name" in problem["detail"], problem
        status, problem = post(h, {"command": QUICK, "name": "a", "singleton": "yes"})
        equal((status, problem["errors"][0]["pointer"]), (422, "/singleton"), problem)
        job = h.submit(single("sync", hold=True))
        out = cli(h, "edit", job, "--name", "else", code=1)
        assert "cannot be changed" in out.stderr, out.stderr
        cli(h, "edit", job, "--label", "a=b", "--priority", "3")
        equal((h.job(job)["name"], h.job(job)["labels"]), ("sync", {"a": "b"}))
        cancel(h, job)


def lines(h):
    with shows("lines of a batch are singletons by the spec that they use, or by themselves"):
        results = batch(h, {"spec": "s", "job": single("batch", ["sleep", "1"])}, {"use": "s"}, {"use": "s"}, {"use": "s", "singleton": False},
                        {"spec": "t", "job": {"command": QUICK, "singleton": True}}, {"use": "t", "name": "batch"}, {"use": "t"})
        ids = [one.get("id") for one in results]
        equal([h.job(job)["singleton"] for job in (ids[1], ids[2], ids[3], ids[5])], [True, True, False, True])
        assert "a singleton needs a name" in results[6]["problem"]["detail"], results
        for job in (ids[1], ids[2], ids[3], ids[5]):
            h.wait(job, "succeeded")
        assert times(h, ids[1])[1] <= times(h, ids[2])[0] <= times(h, ids[2])[1] <= times(h, ids[5])[0]


def verbs(h):
    with shows("fairlead run --singleton needs a name, which a script has from its file, as in Slurm"):
        assert "--singleton needs --name" in cli(h, "run", "--singleton", "true", code=64).stderr
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "sync.sh")
            with open(file, "w") as out:
                out.write("#!/bin/sh\n#SBATCH --dependency=singleton\nsleep 1\n")
            first = cli(h, "run", "--detach", "--script", file).stdout.strip()
            second = cli(h, "run", "--detach", "--name", "sync.sh", "--singleton", "true").stdout.strip()
            equal([(h.job(job)["name"], h.job(job)["singleton"]) for job in (first, second)], [("sync.sh", True)] * 2)
            h.wait(second, "succeeded")
            assert times(h, first)[1] <= times(h, second)[0]


def main():
    with hub.Hub() as h:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        in_order(h)
        others(h)
        again(h)
        wrong(h)
        lines(h)
        verbs(h)
    fleet.finish()


main()
