"""Jobs that run after others: by id, by line, from the command line; over a kill; and how they end when that can never be."""
import json
import os
import tempfile

import fleet
import hub
from after_help import batch, cli, post, times
from fleet import equal, shows

SLOW, QUICK, BAD = ["sleep", "60"], ["true"], ["false"]


def waits(h):
    with shows("a job waits until the one that it names has succeeded, and says so; both are shown where the job is shown"):
        first = h.submit({"command": ["sleep", "8"]})
        second = h.submit({"command": QUICK, "after": [{"job": first}]})
        job = h.job(second)
        equal((job["state"], job["reason"]), ("queued", "WaitsForJobs"))
        equal(job["after"], [{"job": first, "on": "success"}])
        assert f"it waits for the success of {first} (" in job["sentence"], job
        assert f"the success of {first}" in h.api("GET", f"/v1/jobs/{second}/explain")["sentence"]
        h.wait(second, "succeeded")
        assert times(h, first)[1] <= times(h, second)[0], (times(h, first), times(h, second))
        assert f"success of {first}" in cli(h, "describe", second).stdout
    with shows("one that has ended already is waited for no more, and refused where it ended otherwise"):
        bad = h.submit({"command": BAD})
        h.wait(bad, "failed")
        third = h.submit({"command": QUICK, "after": [{"job": first}, {"job": bad, "on": "failure"}, {"job": second, "on": "any"}]})
        h.wait(third, "succeeded")
        status, problem = post(h, {"command": QUICK, "after": [{"job": bad}]})
        equal(status, 409, problem)
        assert f"{bad} has ended, failed" in problem["detail"], problem


def never(h):
    with shows("a job that can never start ends, with all that wait for its success; those that wait for its failure start"):
        first = h.submit({"command": SLOW})
        second = h.submit({"command": QUICK, "after": [{"job": first}]})
        third = h.submit({"command": QUICK, "array": 3, "after": [{"job": second}]})
        clean = h.submit({"command": QUICK, "after": [{"job": first, "on": "failure"}, {"job": third, "on": "any"}]})
        h.patient("POST", f"/v1/jobs/{first}:cancel")
        h.wait(clean, "succeeded")
        for job in (second, third):
            got = h.job(job)
            equal((got["state"], got["reason"]), ("cancelled", "NeverMet"), got)
            equal(h.api("GET", f"/v1/jobs/{job}/attempts")["attempts"], [])
        equal(h.api("GET", f"/v1/jobs/{second}/explain")["sentence"], f"it was to run after the success of {first}, which was cancelled")
        assert f"the success of {second}, which was cancelled" in cli(h, "explain", third).stdout


def lines(h):
    with shows("lines of a batch name lines before them, also with other lines between"):
        results = batch(h, {"spec": "s", "job": {"command": QUICK}}, {"command": ["sleep", "1"]}, {"use": "s"},
                        {"command": QUICK, "after": [{"line": 2}, {"line": 3, "on": "any"}]}, {"use": "s", "after": [{"line": 4}]})
        ids = [one.get("id") for one in results]
        h.wait(ids[4], "succeeded")
        equal(h.job(ids[4])["after"], [{"job": ids[3], "on": "success"}])
        equal(h.job(ids[3])["after"], [{"job": ids[1], "on": "success"}, {"job": ids[2], "on": "any"}])
        assert times(h, ids[1])[1] <= times(h, ids[3])[0]
    with shows("a spec that lines share may name jobs, which all of them wait for, and no lines"):
        first = h.submit({"command": ["sleep", "1"]})
        results = batch(h, {"spec": "s", "job": {"command": QUICK, "after": [{"job": first}]}}, {"use": "s"}, {"use": "s"},
                        {"spec": "t", "job": {"command": QUICK, "after": [{"line": 2}]}}, {"use": "t"})
        assert "not after lines" in results[3]["problem"]["detail"], results
        assert "no earlier line defines" in results[4]["problem"]["detail"], results
        for one in results[1:3]:
            equal(h.job(one["id"])["after"], [{"job": first, "on": "success"}])
            h.wait(one["id"], "succeeded")
    with shows("a line that names no job before it is refused alone, by its reason"):
        results = batch(h, {"spec": "s", "job": {"command": QUICK}}, {"command": QUICK, "queue": "none"}, {"command": QUICK, "after": [{"line": 1}]},
                        {"command": QUICK, "after": [{"line": 2}]}, {"command": QUICK, "after": [{"line": 5}]}, {"command": QUICK, "hold": True})
        details = [one.get("problem", {}).get("detail", "") for one in results]
        assert "defines a spec and is no job" in details[2], details
        assert "was refused" in details[3], details
        assert "no line before this one" in details[4], details
        assert results[5].get("id"), results


def wrong(h):
    with shows("a wrong 'after' is refused by the place where it is wrong"):
        job = h.submit({"command": QUICK, "hold": True})
        for after, pointer in (("job-7", "/after"), ([], "/after"), ([{"job": "7"}], "/after/0/job"), ([{"on": "any"}], "/after/0"),
                               ([{"job": job, "line": 1}], "/after/0"), ([{"job": job, "on": "ok"}], "/after/0/on"),
                               ([{"job": job}, {"job": job, "on": "any"}], "/after/1"), ([{"line": 1}], "/after/0/line"),
                               ([{"job": job, "when": 1}], "/after/0/when"), ([{"job": job}] * 65, "/after")):
            status, problem = post(h, {"command": QUICK, "after": after})
            equal(status, 422, after)
            equal(problem["errors"][0]["pointer"], pointer, problem)
        status, problem = post(h, {"command": QUICK, "after": [{"job": "job-zzzz"}]})
        equal(status, 422, problem)
        assert "job-zzzz" in problem["detail"] and "does not exist" in problem["detail"], problem
    with shows("jobs of the query are waited for besides those of the document, and a wrong one is refused by its name"):
        other = h.submit({"command": QUICK, "hold": True})
        status, _, text = h.ask("POST", f"/v1/jobs?after={other}:any", {"command": QUICK, "hold": True, "after": [{"job": job}]})
        equal(status, 201, text)
        equal(json.loads(text)["after"], [{"job": job, "on": "success"}, {"job": other, "on": "any"}])
        waiting = json.loads(text)["id"]
        equal(h.job(waiting)["after"], json.loads(text)["after"])
        many = ",".join(f"job-{i}" for i in range(1, 66))
        for query, words in (("", "this field is empty"), (f"{other},", "not the id"), ("7", "not the id"), (f"{other}:", "not an end"), (f"{other}:ok", "not an end"),
                             (f"{other}:any:any", "not an end"), (f"{other},{other}:any", "named twice"), (job, "named twice"), (many, "at most 64")):
            status, _, text = h.ask("POST", f"/v1/jobs?dryRun=true&after={query}", {"command": QUICK, "after": [{"job": job}]})
            equal(status, 422, text)
            error, = json.loads(text)["errors"]
            assert error["parameter"] == "after" and words in error["detail"], (query, error)
        for one in (waiting, other):
            h.patient("POST", f"/v1/jobs/{one}:cancel", also=(404, 409))
    with shows("a token for one queue can wait for jobs of its queue alone"):
        h.api("POST", "/v1/queues", {"name": "vision"})
        own = h.api("POST", "/v1/tokens", {"name": "v", "scopes": ["submit", "read"], "queue": "vision"})["token"]
        status, problem = post(h, {"command": QUICK, "after": [{"job": job}]}, token=own)
        equal(status, 422, problem)
        status, mine = post(h, {"command": QUICK, "hold": True}, token=own)
        equal(status, 201, mine)
        status, got = post(h, {"command": QUICK, "after": [{"job": mine["id"]}]}, token=own)
        equal((status, got["reason"]), (201, "WaitsForJobs"), got)
        for one in (mine["id"], got["id"], job):
            h.patient("POST", f"/v1/jobs/{one}:cancel", also=(404, 409))
    with shows("a key gives the same job, also when the one that it runs after has ended meanwhile"):
        first = h.submit({"command": ["sleep", "1"]})
        second = h.submit({"command": QUICK, "after": [{"job": first}]}, key="after-key")
        h.wait(second, "succeeded")
        equal(h.submit({"command": QUICK, "after": [{"job": first}]}, key="after-key"), second)


def verbs(h):
    with shows("fairlead run --after takes ids, @last and ends, and says what is wrong with another"):
        first = cli(h, "run", "--detach", "--hold", "true").stdout.strip()
        second = cli(h, "run", "--detach", "--after", "@last", "true").stdout.strip()
        third = cli(h, "run", "--detach", "--after", f"{first}:any,{second}:ok", "true").stdout.strip()
        equal(h.job(third)["after"], [{"job": first, "on": "any"}, {"job": second, "on": "success"}])
        assert "after the colon comes ok, any, fail or each" in cli(h, "run", "--after", f"{first}:now", "true", code=64).stderr
        for value in ("", ",", f"{first},", ":any"):
            cli(h, "run", "--detach", "--after", value, "true", code=64)
        cli(h, "release", first)
        for job in (first, second, third):
            h.wait(job, "succeeded")
    with shows("a person who waits for a job learns, within two polls, which job it waits for"):
        slow = cli(h, "run", "--detach", "sleep", "8").stdout.strip()
        out = cli(h, "run", "--after", slow, "echo", "done")
        equal(out.stdout, "done\n")
        assert f"the success of {slow}" in out.stderr, out.stderr
    with shows("documents of one file run after one another, and a wrong one submits nothing"):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "two.yaml")
            text = "name: a\ncommand: [sleep, '1']\n---\nname: b\ncommand: ['true']\nafter: [{line: 1}]\n"
            with open(file, "w") as out:
                out.write(text)
            cli(h, "submit", "--dry-run", file)
            a, b = cli(h, "submit", "--detach", file).stdout.split()
            equal(h.job(b)["after"], [{"job": a, "on": "success"}])
            h.wait(b, "succeeded")
            with open(file, "w") as out:
                out.write(text.replace("line: 1", "line: 2"))
            before = h.api("GET", "/v1/jobs?limit=1")["jobs"]
            out = cli(h, "submit", "--detach", file, code=65)
            assert "document 2, which does not stand before it" in out.stderr, out.stderr
            equal(h.api("GET", "/v1/jobs?limit=1")["jobs"], before)
    with shows("fairlead submit --after lets all documents wait, also a manifest, and no batch"):
        first = cli(h, "run", "--detach", "--hold", "true").stdout.strip()
        manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "m"}, "spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "c", "command": ["true"]}]}}}}
        one = cli(h, "submit", "--detach", "--after", "@last", "-", stdin=json.dumps(manifest)).stdout.strip()
        equal(h.job(one)["after"], [{"job": first, "on": "success"}])
        two = cli(h, "submit", "--detach", "--after", f"{first},{one}:any", "-", stdin=text).stdout.split()
        named = [{"job": first, "on": "success"}, {"job": one, "on": "any"}]
        equal([h.job(job)["after"] for job in two], [named, [{"job": two[0], "on": "success"}] + named])
        before = h.api("GET", "/v1/jobs?limit=1")["jobs"]
        assert "queue, hold and after themselves" in cli(h, "submit", "--after", first, "-", code=64, stdin="[" + json.dumps(manifest) + "]").stderr
        for value in ("", ",", f"{first}:now"):
            cli(h, "submit", "--detach", "--after", value, "-", code=64, stdin=text)
        cli(h, "submit", "--detach", "--after", f"{first},{first}", "-", code=65, stdin=text)
        equal(h.api("GET", "/v1/jobs?limit=1")["jobs"], before)
        cli(h, "release", first)
        for job in (one, *two):
            h.wait(job, "succeeded")
    with shows("a batch that goes in several parts names lines of an earlier part"):
        many = [{"name": f"n{i}", "command": ["true", 0.10], "hold": True} for i in range(1500)]
        many[10]["after"] = [{"line": 5}]
        many[1200]["after"] = [{"line": 7, "on": "any"}, {"line": 1200}]
        many[1300]["after"] = [{"line": 1400}]
        out = cli(h, "submit", "--detach", "-", code=65, stdin="".join(json.dumps(one) + "\n" for one in many))
        ids = out.stdout.split()
        equal(len(ids), 1499, out.stderr)
        assert "document 1301: it is to run after document 1400" in out.stderr, out.stderr
        equal(h.job(ids[10])["after"], [{"job": ids[4], "on": "success"}])
        equal(h.job(ids[1200])["after"], [{"job": ids[6], "on": "any"}, {"job": ids[1199], "on": "success"}])
        cli(h, "cancel", "--queue", "default", "--yes")


def survives(h):
    with shows("a kill of the control plane forgets no job that is waited for"):
        first = h.submit({"command": ["sleep", "10"]})
        kept = h.submit({"command": QUICK, "hold": True})
        second = h.submit({"command": QUICK, "after": [{"job": first}, {"job": kept, "on": "failure"}]})
        h.wait(first, "running")
        h.patient("POST", f"/v1/jobs/{kept}:cancel")
        h.kill()
        h.start()
        h.wait_cluster("east", "ready")
        job = h.job(second)
        assert job["state"] in ("queued", "starting", "running", "succeeded"), job
        h.wait(second, "succeeded")
        assert times(h, first)[1] <= times(h, second)[0]


def main():
    with hub.Hub() as h:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        waits(h)
        never(h)
        survives(h)
        lines(h)
        wrong(h)
        verbs(h)
    fleet.finish()


main()
