"""Failures by their last error line: told by agents, also by one that was killed meanwhile, grouped by the API, and one group
run again."""
import json
import os
import subprocess

import fleet
import hub
from fleet import BIN, equal, shows, until

WAYS = """
e=$FAIRLEAD_ELEMENT
case $((e % 4)) in
0) echo "Traceback (most recent call last):"; echo "  File \\"/jobs/$e/train.py\\", line 3, in <module>"; echo "ValueError: bad row $((e * 17))"; exit 1;;
1) printf '10%%\\r\\033[31mmissing key: lr\\033[0m\\n' >&2; exit 3;;
2) echo "epoch $e"; kill -9 $$;;
esac
echo "error: none of it"
"""
SMALL = {"cpu": "50m", "memory": "8Mi"}


def run(h, *words):
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir)
    return subprocess.run([os.path.join(BIN, "fairlead"), *words], env=env, capture_output=True, text=True, timeout=60)


def cli(h, *words, code=0):
    out = run(h, *words)
    equal(out.returncode, code, f"exit code of {words}: {out.stdout} {out.stderr}")
    return out.stdout


def submit(h, script, **more):
    return h.submit({"command": ["sh", "-c", script], "resources": SMALL, **more})


def failures(h, job, **more):
    return h.api("GET", f"/v1/jobs/{job}/failures", **more)


def words_of(h, job):
    return h.api("GET", f"/v1/jobs/{job}/attempts")["attempts"][-1].get("words")


def status_of(h, method, path, body=None, token=None):
    try:
        h.api(method, path, body, token=token)
        return 200, ""
    except fleet.Problem as problem:
        return problem.status, str(problem)


def grouped(h):
    array = submit(h, WAYS, array=60)
    equal(h.wait(array)["state"], "failed")
    with shows("an array of 60 elements that fails in three ways has three groups"):
        told = failures(h, array)
        equal((told["job"], told["failed"], told["others"], told["isWhole"]), (array, 45, 0, True))
        equal([(one["count"], one["reason"], one["exitCode"], one["pattern"]) for one in told["groups"]],
              [(15, "ReplicaFailed", 1, "ValueError: bad row <n>"), (15, "ReplicaFailed", 3, "missing key: lr"), (15, "ReplicaFailed", 137, "epoch <n>")])
        equal(told["groups"][0]["line"], "ValueError: bad row 0")
        equal([one["first"] for one in told["groups"]], [{"element": e, "attempt": 1, "replica": 0} for e in (0, 1, 2)])
        equal(told["groups"][1]["elements"], ",".join(str(e) for e in range(1, 60, 4)))
        assert not any(one["hasMoreElements"] for one in told["groups"]), told
    with shows("an element that succeeded has no words"):
        equal({one["element"] % 4 for one in h.api("GET", f"/v1/jobs/{array}/attempts?limit=100")["attempts"] if "words" not in one}, {3})
    return array, told["groups"]


def retried(h, array, groups):
    with shows("a retry of one group runs exactly its elements, by their numbers"):
        again = cli(h, "retry", array, "--failure", groups[1]["id"]).strip()
        h.wait(again)
        equal({one["element"] for one in h.api("GET", f"/v1/jobs/{again}/attempts?limit=100")["attempts"]}, set(range(1, 60, 4)))
        equal([(one["id"], one["count"]) for one in failures(h, again)["groups"]], [(groups[1]["id"], 15)])
    with shows("an invalid id, an id of no group and two choices are refused by name"):
        retry = lambda body: status_of(h, "POST", f"/v1/jobs/{array}:retry", body)
        code, text = retry({"failure": "nonsense"})
        assert code == 422 and "/failure" in text and "12 digits" in text, text
        code, text = retry({"failure": "0123456789ab"})
        assert code == 409 and "failures has its groups" in text, text
        code, text = retry({"failure": groups[0]["id"], "only": "failed"})
        assert code == 422 and "is enough" in text, text


def told_by_cli(h, array, groups):
    with shows("the CLI lists the groups, and describe names the largest"):
        lines = cli(h, "failures", array).splitlines()
        equal(lines[0].split(), ["COUNT", "REASON", "EXIT", "LINE", "ELEMENTS", "ID"])
        assert lines[1].split()[:3] == ["15", "ReplicaFailed", "1"] and lines[1].endswith(groups[0]["id"]), lines
        equal(cli(h, "failures", array, "--output", "name").split(), [one["id"] for one in groups])
        equal([json.loads(line) for line in cli(h, "failures", array, "--output", "jsonl").splitlines()], groups)
        text = cli(h, "describe", array)
        assert "failures     15 x ReplicaFailed 1: ValueError: bad row 0\n" in text, text
        assert "             15 x ReplicaFailed 3: missing key: lr\n" in text and "epoch 2" not in text.split("ELEMENT", 1)[0], text
        assert f"all: fairlead failures {array}\n" in text, text
        assert "element 1, attempt 1, replica 0 failed with:\n    missing key: lr\n" in text, text


def rights(h, array):
    with shows("a token of another queue does not find the job, and one that may not read is refused"):
        h.api("POST", "/v1/queues", {"name": "other"})
        other = h.api("POST", "/v1/tokens", {"name": "other", "scopes": ["read"], "queue": "other"})["token"]
        own = h.api("POST", "/v1/tokens", {"name": "own", "scopes": ["read"], "queue": "default"})["token"]
        blind = h.api("POST", "/v1/tokens", {"name": "blind", "scopes": ["submit"]})["token"]
        equal(status_of(h, "GET", f"/v1/jobs/{array}/failures", token=other)[0], 404)
        equal(status_of(h, "GET", "/v1/jobs/job-zzzz/failures")[0], 404)
        equal(status_of(h, "GET", f"/v1/jobs/{array}/failures", token=blind)[0], 403)
        equal(failures(h, array, token=own)["failed"], 45)


def further(h):
    with shows("an open job shows the failures that it has so far"):
        job = submit(h, "[ $FAIRLEAD_ELEMENT = 1 ] && { echo 'error: early'; exit 2; }; sleep 300", array=2)
        told = until("the first failure is listed", lambda: (lambda got: got["failed"] and got)(failures(h, job)))
        equal([(one["line"], one["elements"]) for one in told["groups"]], [("error: early", "1")])
        h.api("POST", f"/v1/jobs/{job}:cancel")
        h.wait(job)
    with shows("a gang's line is that of the replica that failed first"):
        job = submit(h, "trap 'echo error: I was stopped; exit 9' TERM; [ $FAIRLEAD_REPLICA = 1 ] && { sleep 1; echo 'Error: mine'; exit 2; }; sleep 300 & wait",
                     replicas=2)
        equal((h.wait(job)["exitCode"], words_of(h, job)), (2, "Error: mine"))
    with shows("a failure without output has no line, and a success no failure"):
        job = submit(h, "exit 7")
        h.wait(job)
        group, = failures(h, job)["groups"]
        equal((group["line"], group["pattern"], group["exitCode"]), ("", "", 7))
        again = h.api("POST", f"/v1/jobs/{job}:retry", {"failure": group["id"]})
        equal(again["retryOf"], job)
        h.wait(again["id"])
        job = submit(h, "echo 'error: none of it'")
        h.wait(job)
        equal(failures(h, job), {"job": job, "failed": 0, "groups": [], "others": 0, "isWhole": True})
        assert "no element of it failed" in run(h, "failures", job).stderr


def killed(h, agent):
    with shows("an agent that is killed before the end, and started again after it, still tells the line"):
        go = os.path.join(h.dir, "go-on")
        job = submit(h, f"until [ -e {go} ]; do sleep 0.1; done; echo 'Error: while the agent was away'; exit 5")
        h.wait(job, "running")
        agent.kill()
        agent.wait()
        open(go, "w").close()
        folder, = [name for name in os.listdir(os.path.join(h.dir, "agent-east", "replicas")) if name.startswith(job)]
        until("it has ended", lambda: os.path.exists(os.path.join(h.dir, "agent-east", "replicas", folder, "exit")))
        equal(h.job(job)["state"], "running")
        h.agent("east", settings=AGENT)
        equal((h.wait(job)["exitCode"], words_of(h, job)), (5, "Error: while the agent was away"))


AGENT = {"cpus": "16", "memory": "16GiB"}


def main():
    with hub.Hub() as h:
        agent = h.agent("east", h.join("east"), settings=AGENT)
        h.wait_cluster("east", "ready")
        array, groups = grouped(h)
        retried(h, array, groups)
        told_by_cli(h, array, groups)
        rights(h, array)
        further(h)
        killed(h, agent)
    fleet.finish()


main()
