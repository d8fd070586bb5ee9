"""An array of which each element waits for the same element of another one: over a kill, in any order, and what is refused."""
import os
import tempfile

import fleet
import hub
from after_help import batch, cli, post
from fleet import equal, shows, until

WAIT = 'until [ -e "{}/$FAIRLEAD_ELEMENT" ]; do sleep 0.1; done; read -r code <"{}/$FAIRLEAD_ELEMENT"; exit "$code"'


class Gates:
    """The test tells each element of 'command' when to end, and how."""
    def __init__(self, folder):
        self.folder = folder
        self.command = ["/bin/sh", "-c", WAIT.format(folder, folder)]

    def open(self, element, code=0):
        path = os.path.join(self.folder, str(element))
        with open(path + ".new", "w") as file:
            file.write(f"{code}\n")
        os.rename(path + ".new", path)


def succeeded(h, job):
    attempts = h.api("GET", f"/v1/jobs/{job}/attempts")["attempts"]
    return sorted(one["element"] for one in attempts if one.get("elementState") == "succeeded")


def begun(h, job):
    return sorted({one["element"] for one in h.api("GET", f"/v1/jobs/{job}/attempts")["attempts"]})


def follows(h, folder):
    gates = Gates(folder)
    with shows("elements start as those of the other array succeed, in any order, while the rest of it runs"):
        results = batch(h, {"command": gates.command, "array": 6}, {"command": ["true"], "array": 6, "after": [{"line": 1, "on": "each"}]})
        first, second = (one["id"] for one in results)
        equal(h.job(second)["after"], [{"job": first, "on": "each"}])
        equal((h.job(second)["state"], h.job(second)["reason"]), ("queued", "WaitsForElements"))
        assert f"6 of 6 elements wait for the success of the same element of {first} (" in h.api("GET", f"/v1/jobs/{second}/explain")["sentence"]
        gates.open(4)
        until("element 4 has followed", lambda: succeeded(h, second) == [4])
        assert f"each element of {first}" in cli(h, "describe", second).stdout
    with shows("one that fails ends the element that waits for it, which has no attempt"):
        gates.open(2, code=1)
        until("element 2 is over", lambda: h.job(second)["elements"]["cancelled"] == 1)
        assert f"4 of 6 elements wait for the success of the same element of {first} (running)" in cli(h, "explain", second).stdout
    with shows("a kill of the control plane forgets neither"):
        gates.open(0)
        until("element 0 has followed", lambda: succeeded(h, second) == [0, 4])
        h.kill()
        gates.open(5)
        h.start()
        h.wait_cluster("east", "ready")
        until("element 5 has followed", lambda: succeeded(h, second) == [0, 4, 5])
        equal(begun(h, second), [0, 4, 5])
        equal(h.job(first)["state"], "running")
        gates.open(1)
        gates.open(3)
        h.wait(first, "failed")
        job = h.wait(second)
        equal((job["state"], job["reason"]), ("cancelled", "NeverMet"), job)
        equal(succeeded(h, second), [0, 1, 3, 4, 5])
        assert f"the same elements of {first}, which failed" in h.api("GET", f"/v1/jobs/{second}/explain")["sentence"]


def stops(h):
    with shows("a chain of three ends with the first one that is cancelled"):
        first = h.submit({"command": ["true"], "array": 3, "hold": True})
        second = h.submit({"command": ["true"], "array": 3, "after": [{"job": first, "on": "each"}]})
        third = h.submit({"command": ["true"], "array": 3, "after": [{"job": second, "on": "each"}]})
        h.patient("POST", f"/v1/jobs/{first}:cancel")
        for job in (second, third):
            got = h.wait(job)
            equal((got["state"], got["reason"], got["elements"]["cancelled"]), ("cancelled", "NeverMet", 3), got)
            equal(begun(h, job), [])


def refused(h):
    with shows("arrays that cannot wait element by element are refused, with both numbers or with the words to write instead"):
        first = h.submit({"command": ["true"], "array": 3, "hold": True})
        for document, status, words in (({"array": 2}, 422, "it has 3, and this job 2"), ({}, 422, "it has 3, and this job 1")):
            got, problem = post(h, {"command": ["true"], "after": [{"job": first, "on": "each"}], **document})
            equal(got, status, problem)
            assert words in problem["detail"], problem
        cli(h, "release", first)
        h.wait(first, "succeeded")
        got, problem = post(h, {"command": ["true"], "array": 3, "after": [{"job": first, "on": "each"}]})
        equal(got, 409, problem)
        assert "has ended" in problem["detail"] and "run after the job itself" in problem["detail"], problem
    with shows("fairlead run --after JOB:each, and a script for Slurm, say the same"):
        first = cli(h, "run", "--detach", "--hold", "--array", "2", "true").stdout.strip()
        second = cli(h, "run", "--detach", "--array", "2", "--after", f"{first}:each", "true").stdout.strip()
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
            script.write(f"#!/bin/sh\n#SBATCH --array=0-1 --dependency=aftercorr:{second}\ntrue\n")
            script.flush()
            third = cli(h, "run", "--detach", "--script", script.name).stdout.strip()
        equal([h.job(job)["after"] for job in (second, third)], [[{"job": first, "on": "each"}], [{"job": second, "on": "each"}]])
        cli(h, "release", first)
        h.wait(third, "succeeded")


def main():
    with hub.Hub() as h, tempfile.TemporaryDirectory() as folder:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        follows(h, folder)
        stops(h)
        refused(h)
    fleet.finish()


main()
