"""Arrays that limit how many of their elements run at the same time: from the document, a batch, the command line, Slurm and
Kubernetes; over edits, a retry and a kill."""
import json
import os
import tempfile
import time

import fleet
import hub
from after_help import batch, cli, post
from fleet import equal, shows, until

SLOW = ["sleep", "300"]


def array(elements, parallelism, command=None, **more):
    return {"command": command or SLOW, "array": elements, "parallelism": parallelism, **more}


def live(h, job):
    return h.job(job)["elements"]["live"]


def settles(h, job, count):
    """So many are live, and stay so."""
    until(f"{count} elements of {job} are live", lambda: live(h, job) == count, 60)
    time.sleep(1)
    equal(live(h, job), count, job)


def most_at_once(h, job):
    """The largest number of attempts of the job that ran at the same time."""
    attempts = h.api("GET", f"/v1/jobs/{job}/attempts?limit=500")["attempts"]
    edges = sorted([(one["placedAt"], 1) for one in attempts] + [(one["endedAt"], -1) for one in attempts if one["endedAt"]])
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def cancel(h, *jobs):
    for job in jobs:
        h.patient("POST", f"/v1/jobs/{job}:cancel", also=(404, 409))


def runs(h):
    with shows("no more elements than the parallelism have an attempt at the same time, and all of them run"):
        job = h.submit(array(12, 3, ["sleep", "0.2"]))
        equal(h.wait(job, "succeeded")["elements"]["succeeded"], 12)
        most = most_at_once(h, job)
        assert 2 <= most <= 3, most
        equal(h.job(job)["parallelism"], 3)
    with shows("an array at its limit says so, to whom it waits for, and who can change it; jobs behind it go on"):
        job = h.submit(array(40, 2))
        settles(h, job, 2)
        got = until("it is shown", lambda: (lambda j: j if j["reason"] == "ArrayThrottle" else None)(h.job(job)), 60)
        equal((got["state"], got["parallelism"]), ("running", 2))
        why = h.api("GET", f"/v1/jobs/{job}/explain")
        equal((why["reason"], why["whoCanAct"]), ("ArrayThrottle", "user"))
        assert "at most 2 elements run at the same time" in why["sentence"] and "38 wait" in why["sentence"], why
        assert f"fairlead edit {job} --parallelism N" in cli(h, "explain", job).stdout
        described = cli(h, "describe", job).stdout
        assert "2 elements at the same time" in described and "ArrayThrottle" in described, described
        assert "ArrayThrottle" in cli(h, "ps").stdout
        behind = h.submit({"command": ["true"]})
        h.wait(behind, "succeeded")
    with shows("an edit of the limit counts at once: more start, fewer stop none, and none starts all"):
        cli(h, "edit", job, "--parallelism", "4")
        settles(h, job, 4)
        h.api("PATCH", f"/v1/jobs/{job}", {"parallelism": 1})
        settles(h, job, 4)
        equal((h.job(job)["parallelism"], h.job(job)["revision"]), (1, 2))
        h.kill()
        h.start()
        h.wait_cluster("east", "ready")
        settles(h, job, 4)
        cli(h, "edit", job, "--parallelism", "6")
        settles(h, job, 6)
        cancel(h, job)
        few = h.submit(array(5, 1))
        settles(h, few, 1)
        cli(h, "edit", few, "--parallelism", "none")
        settles(h, few, 5)
        equal(h.job(few)["parallelism"], None)
        cancel(h, few)


def again(h):
    with shows("a kill of the control plane keeps the limit, and what runs counts"):
        job = h.submit(array(6, 2))
        settles(h, job, 2)
        h.kill()
        h.start()
        h.wait_cluster("east", "ready")
        settles(h, job, 2)
        cancel(h, job)
    with shows("a retry has the limit, too, also that of some elements; the key with another limit is refused"):
        done = h.submit(array(5, 2, ["false"]), key="limit")
        h.wait(done, "failed")
        for body in (None, {"elements": [1, 2, 3]}):
            repeated = h.api("POST", f"/v1/jobs/{done}:retry", body)["id"]
            equal(h.job(repeated)["parallelism"], 2)
            h.wait(repeated, "failed")
            assert most_at_once(h, repeated) <= 2
        equal(h.submit(array(5, 2, ["false"]), key="limit"), done)
        status, _, text = h.ask("POST", "/v1/jobs", array(5, 3, ["false"]), headers={"Idempotency-Key": "limit"})
        equal(status, 409, text)
    with shows("elements that fail and wait for their next attempt do not count"):
        job = h.submit(array(2, 1, ["sh", "-c", "test $FAIRLEAD_ELEMENT = 1"], retry=5))
        got = until("the second has run", lambda: (lambda e: e if e["succeeded"] == 1 else None)(h.job(job)["elements"]), 60)
        equal((got["started"], got["failed"]), (2, 0), "the first has retries left, and waits for one")
        cancel(h, job)


def wrong(h):
    with shows("a wrong limit is refused, with what to write"):
        for document, part in ((array(5, 0), ""), (array(5, "all"), ""), ({"command": SLOW, "parallelism": 2}, "there is no array")):
            status, problem = post(h, document)
            equal((status, problem["errors"][0]["pointer"]), (422, "/parallelism"), problem)
            assert part in problem["errors"][0]["detail"], problem
        plain = h.submit({"command": SLOW, "hold": True})
        assert "parallelism is for arrays" in cli(h, "edit", plain, "--parallelism", "2", code=1).stderr
        assert "wants a number from 1" in cli(h, "edit", plain, "--parallelism", "some", code=64).stderr
        cancel(h, plain)


def lines(h):
    with shows("lines of a batch have a limit by the spec that they use, or their own"):
        results = batch(h, {"spec": "s", "job": array(4, 2, ["true"])}, {"use": "s"}, {"use": "s", "parallelism": 3}, {"use": "s", "parallelism": 0})
        equal([h.job(one["id"])["parallelism"] for one in results[1:3]], [2, 3])
        equal(results[3]["problem"]["errors"][0]["pointer"], "/parallelism", results)
        for one in results[1:3]:
            h.wait(one["id"], "succeeded")


def verbs(h):
    def dry(*words):
        return json.loads(cli(h, "run", "--dry-run", "-o", "json", *words).stdout)["job"]

    with shows("--array N%M and --parallelism say the same, and not two different things"):
        for words in (("--array", "9%2"), ("--array", "9", "--parallelism", "2"), ("--array", "9%2", "--parallelism", "2")):
            got = dry(*words, "true")
            equal((got["array"], got["parallelism"]), (9, 2), words)
        assert "different limits" in cli(h, "run", "--array", "9%2", "--parallelism", "3", "true", code=64).stderr
        for word in ("9%", "9%0", "9%x", "%2", "0%2"):
            assert f"--array {word}" in cli(h, "run", "--array", word, "true", code=64).stderr
        assert "there is no array" in cli(h, "run", "--parallelism", "3", "true", code=65).stderr
    with shows("'#SBATCH --array=0-8%2' means it, and the command line goes over it"):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "sweep.sh")
            with open(file, "w") as out:
                out.write("#!/bin/sh\n#SBATCH --array=0-8%2\ntrue\n")
            equal([dry(*words, "--script", file)["parallelism"] for words in ((), ("--parallelism", "5"))], [2, 5])
            job = cli(h, "run", "--detach", "--script", file).stdout.strip()
            h.wait(job, "succeeded")
            assert most_at_once(h, job) <= 2
    with shows("a Job of Kubernetes with a parallelism below its completions is an array with that limit"):
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox", "command": ["true"]}]}}
        for spec, wanted in (({"completions": 8, "parallelism": 2}, 2), ({"completions": 8}, 1), ({"completions": 8, "parallelism": 8}, None),
                             ({"completions": 8, "parallelism": 2, "completionMode": "Indexed"}, 2)):
            manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "wq", "namespace": "default"}, "spec": {**spec, "template": template}}
            job = cli(h, "submit", "-d", "--wait-for-cluster", "-", stdin=json.dumps(manifest)).stdout.strip()
            equal((h.job(job)["elements"]["total"], h.job(job)["parallelism"]), (8, wanted), spec)
            cancel(h, job)


def main():
    with hub.Hub() as h:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        runs(h)
        again(h)
        wrong(h)
        lines(h)
        verbs(h)
    fleet.finish()


main()
