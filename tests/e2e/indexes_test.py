"""Arrays of which the elements have indexes: a script for Slurm, the numbers that people see, a retry, and pairs by index."""
import os
import tempfile

import fleet
import hub
from after_help import batch, cli, post
from fleet import equal, shows

SCRIPT = """#!/bin/sh
#SBATCH --array=5-13:4%2
echo "task $SLURM_ARRAY_TASK_ID is element $FAIRLEAD_ELEMENT with index $FAIRLEAD_INDEX"
[ "$SLURM_ARRAY_TASK_ID" != 9 ]
"""
LINES = [f"task {index} is element {element} with index {index}" for element, index in ((2, 13), (0, 5), (1, 9))]  # sorted


def logs(h, *words):
    return sorted(cli(h, "logs", "--raw", *words).stdout.splitlines())


def script(h, folder):
    path = os.path.join(folder, "train.sh")
    with open(path, "w") as file:
        file.write(SCRIPT)
    job = cli(h, "run", "--detach", "--script", path).stdout.strip()
    h.wait(job, "failed")
    with shows("a script for Slurm finds the numbers that its '--array' names, two at a time"):
        equal(logs(h, job), LINES)
        got = h.job(job)
        equal((got["elements"]["total"], got["parallelism"], got["spec"]["indexes"]), (3, 2, "5-13:4"))
    with shows("describe shows the index beside the number of the element"):
        said = cli(h, "describe", job).stdout
        assert "indexes      5-13:4" in said and "ELEMENT  INDEX  ATTEMPT" in said, said
        assert "element 1 (index 9), attempt 1" in said, said
    with shows("--element counts from 0, and --index takes the index"):
        equal(logs(h, job, "--element", "1"), [LINES[2]])
        equal(logs(h, job, "--index", "9"), [LINES[2]])
        said = cli(h, "describe", job, "--index", "5,13", "-o", "jsonl").stdout
        assert '"index":5' in said and '"index":13' in said and '"index":9' not in said, said
        assert f"no element of {job} has the index 6: they are 5-13:4" in cli(h, "logs", job, "--index", "6", code=64).stderr
    with shows("a retry of the failed element has the same index, and so has one of a chosen index"):
        again = cli(h, "retry", job, "--failed", "--detach").stdout.strip()
        h.wait(again, "failed")
        equal(logs(h, again), [LINES[2]])
        chosen = cli(h, "retry", job, "--index", "13", "--detach").stdout.strip()
        h.wait(chosen, "succeeded")
        equal(logs(h, chosen), [LINES[0]])
    with shows("the indexes survive a kill of the control plane"):
        held = cli(h, "run", "--detach", "--hold", "--script", path).stdout.strip()
        h.kill()
        h.start()
        h.wait_cluster("east", "ready")
        cli(h, "release", held)
        h.wait(held, "failed")
        equal(logs(h, held), LINES)


def documents(h):
    with shows("a document's indexes say how many elements there are; a list that is wrong is refused by name"):
        job = h.submit({"command": ["sh", "-c", "echo $FAIRLEAD_INDEX"], "indexes": "2,4-5,900"})
        h.wait(job, "succeeded")
        equal(logs(h, job), ["2", "4", "5", "900"])
        for document, words in (({"indexes": "3,1"}, "'1' does not begin behind 3"), ({"indexes": "1-9,5-12"}, "'5-12' does not begin behind 9"),
                                ({"indexes": "1-99999999"}, "over 16777216 numbers"), ({"indexes": "1-3", "array": 4}, "indexes names 3 elements")):
            status, problem = post(h, {"command": ["true"], **document})
            equal(status, 422, problem)
            assert words in problem["errors"][0]["detail"], problem
    with shows("indexes that count from 0 are no indexes"):
        job = h.submit({"command": ["true"], "indexes": "0-2", "hold": True})
        got = h.job(job)
        assert "indexes" not in got["spec"] and got["elements"]["total"] == 3, got
    with shows("lines of a batch that use a spec keep its indexes"):
        shared = {"spec": "s", "job": {"command": ["sh", "-c", "echo $FAIRLEAD_INDEX"], "indexes": "7-8"}}
        _, used, wrong = batch(h, shared, {"use": "s", "name": "used"}, {"use": "s", "array": 3})
        h.wait(used["id"], "succeeded")
        equal(logs(h, used["id"]), ["7", "8"])
        assert "indexes names 2 elements" in str(wrong["problem"]), wrong


def pairs(h):
    first = h.submit({"command": ["true"], "indexes": "1-3", "hold": True})
    after = [{"job": first, "on": "each"}]
    with shows("elements wait one by one for those of the same index"):
        second = h.submit({"command": ["sh", "-c", "true"], "indexes": "1-3", "after": after})
    with shows("arrays of other indexes are refused, by a document, by --after and in a batch"):
        for document in ({"array": 3}, {"indexes": "2-4"}, {"indexes": "1-5:2"}, {"indexes": "1-4"}):
            status, problem = post(h, {"command": ["true"], "after": after, **document})
            equal(status, 422, problem)
            assert f"give this job those of {first}" in problem["detail"], problem
        assert "the same indexes" in cli(h, "run", "--detach", "--array", "3", "--after", f"{first}:each", "true", code=65).stderr
        lines = batch(h, {"command": ["true"], "indexes": "1-3", "hold": True}, {"command": ["true"], "array": 3, "after": [{"line": 1, "on": "each"}]},
                      {"command": ["sh"], "indexes": "1-3", "after": [{"line": 1, "on": "each"}]}, {"command": ["sh"], "indexes": "2-4", "after": after},
                      {"command": ["sh"], "array": 3, "after": [{"job": first, "on": "any"}]})
        equal([("problem" in line, "the same indexes" in str(line)) for line in lines], [(False, False), (True, True), (False, False), (True, True), (False, False)])
    with shows("the pair ends well"):
        cli(h, "release", first)
        h.wait(second, "succeeded")


def main():
    with hub.Hub() as h, tempfile.TemporaryDirectory() as folder:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        script(h, folder)
        documents(h)
        pairs(h)
    fleet.finish()


main()
