"""docs/slurm.md, row by row: the commands run, '#SBATCH' lines mean what stands beside them, the others are refused with what
to write."""
import json
import os
import re
import shlex
import tempfile

import fleet
from fleet import equal, shows

SCRIPT = '#!/bin/bash\necho "part $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_JOB_ID, which is $SLURM_JOB_ID"\n'


def tables():
    """The rows of each table, a list of cells each."""
    with open(os.path.join(fleet.ROOT, "docs", "slurm.md")) as file:
        found = re.findall(r"((?:^\|.*\n)+)", file.read(), re.M)
    return [[[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()[2:]] for table in found]


def words_of(cell):
    return re.findall(r"`([^`]*)`", cell)


class Page:
    def __init__(self, f, folder):
        self.f, self.script = f, os.path.join(folder, "train.sh")
        self.awaited = {}  # a job of the page -> one that can still end as it should
        self.write("")

    def write(self, line):
        with open(self.script, "w") as file:
            first, rest = SCRIPT.split("\n", 1)
            file.write(f"{first}\n{line}\n{rest}" if line else SCRIPT)

    def submit(self, *words):
        return self.f.cli("run", "--detach", *words).strip()

    def job_for(self, verb):
        """A job in the state in which that verb makes sense."""
        if verb in ("hold", "release", "edit"):
            return self.submit("--hold", "--array", "2", "true")
        if verb == "retry":
            job = self.submit("false")
            self.f.wait(job, "failed")
            return job
        if verb == "logs":
            job = self.submit("--array", "1-2", "true")
            self.f.wait(job, "succeeded")
            return job
        job = self.submit("sleep", "60")
        self.f.wait(job, "running")
        return job

    def run(self, command):
        words = shlex.split(command.replace("train.sh", self.script))
        equal(words[0], "fairlead", "the program")
        job = self.job_for(words[1]) if "JOB" in words else None
        words = [job if word == "JOB" else "east" if word == "NAME" else word for word in words[1:]]
        self.f.cli(*words)
        if job:
            self.f.run("cancel", job)

    def dry(self, line):
        """The document of a script with that line, without the script's own text; and the complaint, if there was one."""
        self.write(re.sub(r"job-\d", lambda found: self.awaited.get(found[0], found[0]), line))
        out = self.f.run("run", "--dry-run", "--wait-for-cluster", "-o", "json", "--script", self.script)
        if out.returncode != 0:
            return None, out.stderr
        return scrubbed(json.loads(out.stdout)), ""


def scrubbed(node):
    """Without what carries the script, in which the line stands."""
    if isinstance(node, dict):
        return {key: scrubbed(value) for key, value in node.items() if key not in ("command", "args", "env", "specDigest")}
    return [scrubbed(value) for value in node] if isinstance(node, list) else node


def main():
    commands, taken, refused = tables()
    with tempfile.TemporaryDirectory() as folder, fleet.Fleet(clusters=3) as f:
        page = Page(f, folder)
        f.cli("queue", "create", "ml")
        with shows(f"the {len(commands)} commands of the page run"):
            assert len(commands) >= 20, commands
            for _, ours, *_ in commands:
                page.run(words_of(ours)[0])
        with shows(f"{len(taken)} lines of '#SBATCH' are the '#FAIRLEAD' lines beside them"):
            assert len(taken) >= 15, taken
            plain, _ = page.dry("")
            page.awaited = {name: page.submit("--hold", "true") for name in ("job-7", "job-8")}
            page.awaited["job-9"] = page.submit("--hold", "--array", "10", "true")
            for theirs, ours in taken:
                line, flags = words_of(theirs)[0], words_of(ours)
                got, why = page.dry(f"#SBATCH {line}")
                equal(why, "", line)
                wanted, why = page.dry(f"#FAIRLEAD {flags[0]}") if flags else (plain, "")
                equal(why, "", flags)
                equal(got, wanted, line)
                assert not flags or got != plain, f"{line} changes nothing"
        with shows(f"{len(refused)} lines are refused by number and name, with what to write instead"):
            assert len(refused) >= 15, refused
            for theirs, ours in refused:
                line = words_of(theirs)[0]
                got, why = page.dry(f"#SBATCH {line}")
                assert got is None and "line 2: " in why and line.split("=")[0] in why, (line, why)
                for words in words_of(ours):
                    assert words in why, f"{line}: {words!r} is not in {why!r}"
        with shows("a script finds the numbers that Slurm gives it"):
            for array, parts in (("0-2", (0, 1, 2)), ("1-9:4", (1, 5, 9)), ("7", (7,))):
                page.write(f"#SBATCH --array={array}")
                job = page.submit("--script", page.script)
                f.wait(job, "succeeded")
                equal(sorted(f.cli("logs", job, "--raw").splitlines()), [f"part {i} of {job}, which is {job}" for i in parts])
    fleet.finish()


main()
