"""--output and what it may change: standard output, and nothing else."""
import json
import re
import subprocess

import fleet
from fleet import equal, shows

DATA = ("json", "jsonl", "yaml", "name", "jsonpath={.}", "custom-columns=ANY:.")
FORMATS = ("table", "wide", *DATA)


def steady(text):
    """Without what differs from one run to the next: ids, spans, times."""
    text = re.sub(r"\b(job-[0-9a-z]+|q\d+|token [0-9a-z]{12})\b", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[ T][\d:.]+( \w+|Z|[+-][\d:]+)", "TIME", text)
    return re.sub(r"\b\d+(\.\d+)?( ?m?s|m\d+s)\b", "SPAN", text)


def same_in_every_format(f):
    """Each command again and again: as text, then in each format."""
    ended = f.cli("run", "-d", "-n", "ended", "true").strip()
    failed = f.cli("run", "-d", "-n", "failed", "false").strip()
    f.cli("wait", ended, failed, "--for", "done")
    held = f.cli("run", "-d", "-n", "held", "--hold", "true").strip()
    blocked = f.cli("run", "-d", "-n", "blocked", "--gpus", "9", "--wait-for-cluster", "true").strip()
    count = iter(range(1000))
    commands = [
        ("ps", "--all"), ("ps", "-q", "nosuch"), ("ps", "--all", "--limit", "1"), ("get", ended), ("get", ended, held), ("get", "job-nope"),
        ("get", ended, "job-nope"), ("describe", ended), ("describe", failed), ("explain", held), ("explain", blocked), ("events", ended),
        ("logs", ended), ("logs", held), ("hold", held), ("hold", ended), ("release", ended), ("cancel", ended), ("wait", ended),
        ("wait", failed, "--for", "succeeded"), ("wait", held, "--timeout", "0s"), ("retry", ended), ("retry", held),
        ("run", "-d", "true"), ("run", "true"), ("run", "sh", "-c", "echo out; exit 3"), ("run", "--hold", "true"), ("run", "--dry-run", "true"),
        ("cluster", "ls"), ("cluster", "get", "east"), ("cluster", "get", "nosuch"), ("cluster", "cordon", "east"), ("cluster", "uncordon", "east"),
        ("cluster", "drain", "east", "--detach"), ("cluster", "drain", "east", "--timeout", "0s"), ("cluster", "uncordon", "east"),
        ("cluster", "join", "north"), ("cluster", "join", "north", "--helm"), ("queue", "ls"), ("queue", "get", "default"),
        ("queue", "create", lambda: f"q{next(count)}"), ("queue", "create", lambda: f"q{next(count)}", "--paused"), ("queue", "pause", "default"),
        ("queue", "resume", "default"), ("token", "ls"), ("token", "create", "another"), ("token", "revoke", "--dry-run", "nosuch"), ("audit", "--limit", "3"),
        ("audit", "--subject", "nobody"), ("doctor",), ("version",), ("context",), ("cancel", "-q", "nosuch", "--dry-run"), ("retry", "--state", "failed", "--dry-run")]

    def outcome(words):
        out = f.run(*(word() if callable(word) else word for word in words))
        return out.returncode, steady(out.stderr), out.stdout

    for words in commands:
        with shows(f"fairlead {' '.join('NAME' if callable(word) else word for word in words)}: exit code and stderr are the same in every format".replace(ended, "ENDED")
                   .replace(held, "HELD").replace(failed, "FAILED").replace(blocked, "BLOCKED")):
            code, said, _ = outcome(words)
            for format in FORMATS:
                flag = f"--output={format}"
                got = outcome(("run", flag, *words[1:])) if words[0] == "run" else outcome((*words, flag))
                equal(got[:2], (code, said), format)
                if format in ("json", "jsonl") and got[2]:
                    documents(got[2])


def documents(text):
    """One JSON document after the other, and nothing else."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        _, end = decoder.raw_decode(text, at)
        at = end + len(text[end:]) - len(text[end:].lstrip())


def answers(f):
    with shows("a name, a path and a column say the same; a list is one document, or a line each"):
        for words in (("ps", "--all"), ("cluster", "ls"), ("queue", "ls"), ("token", "ls")):
            as_json = json.loads(f.cli(*words, "-o", "json"))
            lines = [json.loads(line) for line in f.cli(*words, "-o", "jsonl").splitlines()]
            key = "id" if words[0] in ("ps", "token") else "name"
            names = [one[key] for one in as_json]
            equal([one[key] for one in lines], names)
            equal(f.cli(*words, "-o", "name").split(), names)
            equal(f.cli(*words, "-o", f"jsonpath=.{key}").split(), names)
            equal(f.cli(*words, "-o", f"custom-columns=K:.{key}").split(), ["K", *names])
            equal(re.findall(rf"^(?:- |  ){key}: \"?([^\"\n]+)", f.cli(*words, "-o", "yaml"), re.M), names)
    with shows("rows that come one by one have one head"):
        job = f.cli("run", "-d", "true").strip()
        f.cli("wait", job)
        rows = f.cli("events", job, "-o", "custom-columns=WHAT:.type,JOB:.job").splitlines()
        equal((rows[0].split(), rows[1].split(), rows[-1].split()), (["WHAT", "JOB"], ["job.submitted", job], ["job.ended", job]))
    with shows("several answers in YAML are documents of their own"):
        two = [f.cli("run", "-d", "--hold", "true").strip() for _ in range(2)]
        equal(f.cli("cancel", *two, "-o", "yaml").count("\n---\nid: job-"), 1)
    with shows("times are the machine's, or with --utc in UTC; data has the API's"):
        here = {**f.env, "TZ": "Asia/Tokyo"}
        run = lambda *words: subprocess.run([f"{fleet.BIN}/fairlead", *words], env=here, stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout
        at = json.loads(run("get", job, "-o", "json"))["submittedAt"]
        assert at.endswith("Z") and " JST" in run("describe", job), at
        assert f"{at[:10]} {at[11:19]} UTC" in run("describe", job, "--utc"), run("describe", job, "--utc")
        assert "+09:00  job.submitted" in run("events", job) and f"{at}  job.submitted" in run("events", job, "--utc")


def main():
    with fleet.Fleet(clusters=1) as f:
        answers(f)
        same_in_every_format(f)
    fleet.finish()


main()
