"""A job that no enrolled cluster could ever run is refused with the nearest one that fits; a dry run says where it would go."""
import json

import fleet
import hub
from after_help import batch, cli
from fleet import equal, shows, until

LARGE = {"command": ["true"], "resources": {"cpu": 900}}
REFUSED = "a replica asks for 900 CPUs, and the largest node (east) has 4; ask for at most 4 CPUs"


def ask(h, document, query="", key=None, token=None):
    status, _, text = h.ask("POST", f"/v1/jobs{query}", document, headers={"Authorization": f"Bearer {token or h.token}", **({"Idempotency-Key": key} if key else {})})
    return status, json.loads(text)


def cancel(h, job):
    h.patient("POST", f"/v1/jobs/{job}:cancel", also=(404, 409))


def without_clusters(h):
    with shows("while no cluster is enrolled a job is accepted, and its reason says so"):
        job = h.submit(LARGE)
        got = until("it is judged", lambda: (lambda one: one if one["reason"] == "NoCluster" else None)(h.api("GET", f"/v1/jobs/{job}/explain")))
        equal(got["whoCanAct"], "admin")
        assert "fairlead cluster join" in got["sentence"], got
        status, answer = ask(h, LARGE, "?dryRun=true&placement=true")
        equal((status, answer["placement"]), (200, {"possible": True, "enrolled": 0, "clusters": []}))
        cancel(h, job)


def refused(h):
    with shows("once the nodes are known it is refused with the numbers, in a dry run too; the key stays free"):
        until("its nodes are known", lambda: ask(h, LARGE, "?dryRun=true")[0] == 422)
        for query in ("", "?dryRun=true"):
            status, problem = ask(h, LARGE, query, None if query else "large")
            equal((status, problem["code"]), (422, "impossible"))
            assert REFUSED in problem["detail"] and "waitForCluster" in problem["detail"], problem
        status, job = ask(h, LARGE, "?waitForCluster=true", "large")
        equal((status, job["state"]), (201, "queued"))
        cancel(h, job["id"])
    with shows("an amount that no node has is to be left out; the words say which nodes were looked at"):
        status, problem = ask(h, {"command": ["true"], "resources": {"gpus": 2}, "clusters": ["east"]})
        equal((status, problem["code"]), (422, "impossible"))
        assert "a replica asks for 2 GPUs, and no node that it may go to has any; leave out GPUs" in problem["detail"], problem
    with shows("in a batch its line alone is refused"):
        results = batch(h, {"command": ["true"]}, LARGE, {"command": ["true"], "replicas": 9, "resources": {"cpu": 1}})
        equal([one.get("problem", {}).get("code") for one in results], [None, "impossible", "impossible"])
        assert "(east) holds 4 of them at once" in results[2]["problem"]["detail"], results
        h.wait(results[0]["id"], "succeeded")


def placed(h):
    with shows("a dry run says what each cluster says, if it is asked and the token may read"):
        status, answer = ask(h, {"command": ["true"]}, "?dryRun=true")
        equal((status, "placement" in answer), (200, False))
        submits = h.api("POST", "/v1/tokens", {"name": "submits", "scopes": ["submit"]})["token"]
        status, answer = ask(h, LARGE, "?dryRun=true&placement=true&waitForCluster=true", token=submits)
        equal((status, answer["placement"]), (200, {"possible": False}))
        status, answer = ask(h, {"command": ["true"]}, "?dryRun=true&placement=true")
        one, = answer["placement"]["clusters"]
        equal((status, answer["placement"]["possible"], one["cluster"], one["reason"]), (200, True, "east", "Fits"))
        status, answer = ask(h, LARGE, "?dryRun=true&placement=true&waitForCluster=true")
        one, = answer["placement"]["clusters"]
        equal((status, answer["placement"]["possible"], one["reason"], one["whoCanAct"]), (200, False, "NoMatchingCluster", "user"))
    with shows("fairlead run says so; with --dry-run there is a line for each cluster, beside the document"):
        out = cli(h, "run", "--cpus", "900", "true", code=65)
        assert REFUSED in out.stderr, out.stderr
        out = cli(h, "run", "--dry-run", "true")
        equal(json.loads(out.stdout)["dryRun"], True)
        assert "east: Fits: fits on east now" in out.stderr, out.stderr
        job = cli(h, "run", "--detach", "--cpus", "900", "--wait-for-cluster", "true").stdout.strip()
        equal(h.job(job)["state"], "queued")
        cancel(h, job)
        cli(h, "retry", job, code=65)
        again = cli(h, "retry", job, "--wait-for-cluster").stdout.strip()
        equal(h.job(again)["state"], "queued")
        cancel(h, again)


def many(h):
    with shows("a retry of many says why the first could not run again, or lets them wait; the command line ends with 1"):
        h.api("POST", "/v1/queues", {"name": "many"})
        jobs = [h.api("POST", "/v1/jobs?waitForCluster=true&hold=true&queue=many", LARGE)["id"] for _ in range(3)]
        h.api("POST", "/v1/jobs:cancel", {"queue": "many"})
        for job in jobs:
            h.wait(job, "cancelled")
        chosen = {"queue": "many", "state": "cancelled"}
        got = h.api("POST", "/v1/jobs:retry", chosen)
        equal((got["matched"], got["changed"], got["failed"], got["firstFailure"]["job"], got["firstFailure"]["code"]), (3, 0, 3, jobs[-1], "impossible"))
        assert REFUSED in got["firstFailure"]["detail"], got
        out = cli(h, "retry", "--queue", "many", "--state", "cancelled", "--yes", code=1)
        equal(out.stdout, "0 of 3 jobs are run again\n")
        assert "3 jobs could not be run again" in out.stderr and REFUSED in out.stderr, out.stderr
        out = cli(h, "retry", "--queue", "many", "--state", "cancelled", "--yes", "--wait-for-cluster")
        equal(out.stdout, "3 of 3 jobs are run again\n")
        equal(h.api("POST", "/v1/jobs:retry", chosen | {"waitForCluster": True})["changed"], 3)
        h.api("POST", "/v1/jobs:cancel", {"queue": "many"})


def lost(h, agent):
    with shows("a cluster that is cordoned, or away, counts with its nodes"):
        h.api("POST", "/v1/clusters/east:cordon", {"reason": "repairs"})
        agent.terminate()
        agent.wait()
        until("it is away", lambda: not h.api("GET", "/v1/clusters/east")["connected"])
        job = h.submit({"command": ["true"]})
        equal(h.job(job)["state"], "queued")
        cancel(h, job)
        assert REFUSED in ask(h, LARGE)[1]["detail"]


def waiting():
    with hub.Hub({"impossible_jobs": "wait"}) as h, shows("with impossible_jobs=wait it is accepted, and a dry run says what it is"):
        h.agent("east", h.join("east"), settings={"cpus": "4", "memory": "8GiB"})
        h.wait_cluster("east", "ready")
        until("its nodes are known", lambda: not ask(h, LARGE, "?dryRun=true&placement=true")[1]["placement"]["possible"])
        status, job = ask(h, LARGE)
        equal((status, job["state"]), (201, "queued"))


def main():
    with hub.Hub() as h:
        without_clusters(h)
        agent = h.agent("east", h.join("east"), settings={"cpus": "4", "memory": "8GiB"})
        h.wait_cluster("east", "ready")
        refused(h)
        placed(h)
        many(h)
        lost(h, agent)
    waiting()
    fleet.finish()


main()
