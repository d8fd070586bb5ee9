"""Manifests of Kubernetes as people have them, through the CLI and the API: run, shown, or refused by name."""
import json

import fleet
from fleet import equal, shows

# As 'kubectl create job hello --image=busybox --dry-run=client -o yaml -- echo hi' prints it.
CREATED = """apiVersion: batch/v1
kind: Job
metadata:
  creationTimestamp: null
  name: hello
spec:
  template:
    metadata:
      creationTimestamp: null
    spec:
      containers:
      - command:
        - echo
        - hi
        image: busybox
        name: hello
        resources: {}
      restartPolicy: Never
status: {}
"""


def manifest(name, command, labels=None, **spec):
    """A Job without an image, which a cluster of processes runs."""
    container = {"name": "main", "command": ["sh", "-c", command]}
    pod = {"restartPolicy": "Never", "containers": [container]}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "labels": labels or {}},
            "spec": {"backoffLimit": 0, **spec, "template": {"spec": pod}}}


def documents(*manifests):
    return "\n---\n".join(json.dumps(one) for one in manifests) + "\n"


def by_cli(f):
    with shows("a manifest that kubectl prints is taken, and waits for a cluster that has images"):
        job = f.cli("submit", "-d", "--wait-for-cluster", "-", stdin=CREATED).strip()
        equal(f.job(job)["name"], "hello")
        fleet.until("it is judged", lambda: "image" in f.cli("explain", job), 30)
        f.cli("cancel", job)
    with shows("--dry-run=server shows the job that a manifest becomes, and makes none"):
        shown = json.loads(f.cli("submit", "--wait-for-cluster", "--dry-run=server", "-", stdin=CREATED))
        container = {"image": "busybox", "command": ["echo", "hi"]}
        equal(shown["job"], {"name": "hello", "retry": 6, "roles": [{"name": "main", "template": {"spec": {"containers": [container]}}}]})
        equal(shown["dryRun"], True)
        equal(f.run("submit", "--dry-run=client", "-", stdin=CREATED).returncode, 64)
    with shows("an Indexed Job is an array, whose elements find their index"):
        text = documents(manifest("indexed", "echo index $JOB_COMPLETION_INDEX", completions=3, parallelism=3, completionMode="Indexed"))
        job = f.cli("submit", "-d", "-", stdin=text).strip()
        equal(f.wait(job)["state"], "succeeded")
        f.expect_log(job, "index 0", "index 1", "index 2")
    with shows("documents of a file, and items of a List, become jobs in their order"):
        both = [manifest("first", "true"), manifest("second", "true")]
        for text in (documents(*both), json.dumps({"apiVersion": "v1", "kind": "List", "items": both})):
            jobs = f.cli("submit", "-d", "-", stdin=text).split()
            equal([f.job(job)["name"] for job in jobs], ["first", "second"])
            for job in jobs:
                equal(f.wait(job)["state"], "succeeded")
    with shows("one document that is wrong, and none of the file is submitted"):
        before = f.cli("ps", "-a", "-o", "name").split()
        bad = manifest("third", "true", parallelism=2)
        out = f.run("submit", "-d", "-", stdin=documents(*both, bad))
        equal(out.returncode, 65, out.stderr)
        assert "document 3 of 3; nothing of it was submitted" in out.stderr and "/spec/parallelism" in out.stderr, out.stderr
        equal(f.cli("ps", "-a", "-o", "name").split(), before)
        equal(f.run("submit", "--key", "k", "-", stdin=documents(*both)).returncode, 64)
    with shows("suspend holds a job, and the label of Kueue names its queue"):
        f.cli("queue", "create", "ml")
        held = f.cli("submit", "-d", "-", stdin=documents(manifest("held", "true", suspend=True))).strip()
        equal(f.job(held)["state"], "held")
        f.cli("release", held)
        equal(f.wait(held)["state"], "succeeded")
        queued = f.cli("submit", "-d", "-", stdin=documents(manifest("queued", "true", {"kueue.x-k8s.io/queue-name": "ml"}, suspend=True))).strip()
        equal(f.wait(queued)["state"], "succeeded")
        equal((f.job(queued)["queue"], f.job(held)["queue"]), ("ml", "default"))
    with shows("--queue and --hold go over a manifest, as over a document of ours"):
        for text in (documents(manifest("over", "true")), "command: ['true']\nqueue: default\n"):
            job = f.cli("submit", "-d", "--queue", "ml", "--hold", "-", stdin=text).strip()
            equal((f.job(job)["queue"], f.job(job)["state"]), ("ml", "held"))
            f.cli("cancel", job)


def by_api(f):
    with shows("the API takes a manifest as YAML and as JSON, and names its fields in a refusal"):
        answer = f.api("POST", "/v1/jobs?waitForCluster=true", CREATED.encode(), {"Content-Type": "application/yaml"})
        equal(answer["name"], "hello")
        f.cli("cancel", answer["id"])
        equal(f.wait(f.submit(manifest("json", "true")))["state"], "succeeded")
        bad = manifest("bad", "true")
        bad["spec"]["template"]["spec"]["volumes"] = [{"name": "a", "hostPath": {"path": "/etc"}}]
        try:
            f.submit(bad)
        except fleet.Problem as refused:
            equal((refused.status, [one["pointer"] for one in json.loads(refused.body)["errors"]]), (422, ["/spec/template/spec/volumes/0/hostPath"]))
        else:
            raise AssertionError("it was taken")
    with shows("lines of a batch may be manifests"):
        lines = "\n".join(json.dumps(one) for one in (manifest("a", "true"), {"command": ["true"]}, {"apiVersion": "batch/v1", "kind": "CronJob"}))
        raw = f.api("POST", "/v1/jobs:batch", lines.encode(), {"Content-Type": "application/x-ndjson"}, raw=True)
        results = [json.loads(line) for line in raw.decode().splitlines()]
        equal(["id" in one for one in results], [True, True, False])
        assert "CronJob" in results[2]["problem"]["detail"], results[2]
        for one in results[:2]:
            equal(f.wait(one["id"])["state"], "succeeded")


def main():
    with fleet.Fleet() as f:
        by_cli(f)
        by_api(f)
    fleet.finish()


main()
