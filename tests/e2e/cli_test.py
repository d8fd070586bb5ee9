"""The command line as people and scripts use it: output, exit codes, words of errors."""
import json
import os
import subprocess
import tempfile

import fleet
from fleet import BIN, equal, shows

FAIRLEAD = os.path.join(BIN, "fairlead")


def bare(*words, stdin=None):
    """Without a fleet."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("FAIRLEAD_")}
    env["XDG_CONFIG_HOME"] = "/nonexistent"
    return subprocess.run([FAIRLEAD, *words], env=env, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


def without_a_fleet():
    with shows("help, completion and the man page are made from the tables"):
        out = bare("help")
        equal(out.returncode, 0)
        assert "cluster join" in out.stdout and "--output" in out.stdout
        equal(bare("help", "run").stdout, bare("run", "--help").stdout)
        for shell in ("bash", "zsh", "fish"):
            assert "cluster" in bare("completion", shell).stdout
        equal(subprocess.run(["bash", "-n"], input=bare("completion", "bash").stdout, text=True).returncode, 0)
        page = subprocess.run(["mandoc", "-T", "lint", "-W", "error"], input=bare("help", "man").stdout, text=True, stdout=subprocess.PIPE)
        equal(page.returncode, 0, page.stdout)
    with shows("bad command lines are exit code 64 and say what was meant"):
        for words, text in ((["runn"], "did you mean 'run'"), (["run", "--gpu", "1", "--", "x"], "did you mean --gpus"), ([], "usage"),
                            (["run"], "what is to be run"), (["cluster", "jion", "x"], "cluster join"), (["ps", "-o", "xml"], "table, wide")):
            out = bare(*words)
            equal(out.returncode, 64, " ".join(words))
            assert text in out.stderr, out.stderr
    with shows("without a control plane it says how to name one, exit code 69"):
        out = bare("ps")
        equal(out.returncode, 69)
        assert "fairlead login" in out.stderr, out.stderr
    with shows("a token is never sent in the clear"):
        out = bare("ps", "--url", "http://example.org:80")
        equal(out.returncode, 64)
        assert "in the clear" in out.stderr, out.stderr


def running(f):
    with shows("run follows a job and has its exit code"):
        out = f.run("run", "--", "sh", "-c", "echo one; echo two; exit 3")
        equal(out.returncode, 3, out.stderr)
        equal(out.stdout, "one\ntwo\n")
        equal(f.run("run", "--", "sh", "-c", "kill -9 $$").returncode, 137)
        equal(f.run("run", "--", "true").returncode, 0)
    with shows("a deadline is exit code 124"):
        equal(f.run("run", "--deadline", "1s", "--", "sleep", "60").returncode, 124)
    with shows("replicas are told apart in a followed log"):
        out = f.run("run", "--replicas", "3", "--", "sh", "-c", "sleep 0.$FAIRLEAD_REPLICA; echo rank $FAIRLEAD_REPLICA")
        equal(sorted(line.split("rank")[1] for line in out.stdout.splitlines()), [" 0", " 1", " 2"])
    with shows("a script brings its flags, the command line wins"), tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
        script.write("#!/bin/sh\n#FAIRLEAD --name scripted --label kind=a\n#FAIRLEAD --env A=1\necho \"$A $B $1\"\n")
        script.flush()
        out = f.run("run", "--script", script.name, "-e", "B=2", "--", "three")
        equal(out.returncode, 0, out.stderr)
        equal(out.stdout, " 2 three\n")  # --env of the command line stands for all of the script's
    with shows("-o json, jsonl and name are for scripts"):
        job = f.cli("run", "-d", "-n", "held", "--hold", "--label", "kind=b", "--", "true").strip()
        equal(json.loads(f.cli("get", job, "-o", "json"))["state"], "held")
        assert job in f.cli("ps", "-o", "name").split()
        assert any(json.loads(line)["id"] == job for line in f.cli("ps", "-o", "jsonl", "-l", "kind=b").splitlines())
        f.cli("release", job)
        f.cli("wait", job)
        assert job in f.cli("ps", "--all", "-l", "kind=b")
    with shows("wait says what became of it: 0, 1 and 75"):
        bad, slow = (f.cli("run", "-d", "--", *words).strip() for words in (["false"], ["sleep", "300"]))
        equal(f.run("wait", bad).returncode, 0)
        equal(f.run("wait", bad, "--for", "succeeded").returncode, 1)
        equal(f.run("wait", slow, "--timeout", "1s").returncode, 75)
        equal(f.run("wait", slow, "--for", "running").returncode, 0)
        f.cli("cancel", slow)
        f.cli("wait", slow)
        equal(json.loads(f.cli("get", slow, "-o", "json"))["state"], "cancelled")
    with shows("logs: all, the tail, one replica, what matches"):
        job = f.cli("run", "-d", "--replicas", "2", "--", "sh", "-c", "for i in 1 2 3; do echo $FAIRLEAD_REPLICA line $i; done").strip()
        f.cli("wait", job)
        equal(len(f.cli("logs", job).splitlines()), 6)
        equal(f.cli("logs", job, "-r", "1").splitlines(), ["1 line 1", "1 line 2", "1 line 3"])
        equal(f.cli("logs", job, "-r", "0", "--tail", "1"), "0 line 3\n")
        equal(len(f.cli("logs", job, "--grep", "line [12]").splitlines()), 4)
        assert "1 line 3" in f.cli("logs", "-f", job)
    with shows("describe has every attempt and the last lines; explain has every cluster"):
        text = f.cli("describe", job)
        assert "succeeded" in text and "line 3" in text, text
        waits = f.cli("run", "-d", "--cpus", "900", "--", "true").strip()
        fleet.until("explain says why", lambda: "NoMatchingCluster" in f.cli("explain", waits), 30)
        text = f.cli("explain", waits)
        assert all(cluster in text for cluster in ("east", "west", "edge")), text
        f.cli("cancel", waits)
    with shows("@last and @last-failed stand for jobs"):
        job = f.cli("run", "-d", "--", "false").strip()
        f.cli("wait", job)
        equal(f.cli("get", "@last", "-o", "name").strip(), job)
        equal(f.cli("get", "@last-failed", "-o", "name").strip(), job)


def acting(f):
    with shows("retry runs the failed elements again, as a new job"):
        job = f.cli("run", "-d", "--array", "4", "--", "sh", "-c", "echo part $FAIRLEAD_ELEMENT; test $FAIRLEAD_ELEMENT != 2").strip()
        f.cli("wait", job)
        again = f.cli("retry", job, "--failed").strip()
        f.cli("wait", again)
        equal(f.cli("logs", again), "part 2\n")
    with shows("cancel by label: asked first, then done and counted"):
        jobs = [f.cli("run", "-d", "-l", "sweep=x", "--hold", "--", "true").strip() for _ in range(3)]
        out = f.run("cancel", "-l", "sweep=x")
        equal(out.returncode, 64)
        assert "3 jobs would be" in out.stdout and "--yes" in out.stderr, out.stdout + out.stderr
        assert "3 of 3" in f.cli("cancel", "-l", "sweep=x", "--yes")
        for job in jobs:
            f.wait(job, "cancelled")
    with shows("submit takes YAML of several documents, and says which line is wrong"):
        text = "name: a\ncommand: [echo, a]\n---\nname: b\ncommand: [echo, b]\n"
        equal(len(f.cli("submit", "-d", "-", stdin=text).split()), 2)
        out = f.run("submit", "-", stdin="name: a\ncommand: [echo]\nreplicass: 2\n")
        equal(out.returncode, 65, out.stderr)
        assert "line 3" in out.stderr and "replicas" in out.stderr, out.stderr
    with shows("queues: made, paused, resumed"):
        f.cli("queue", "create", "night", "--paused")
        job = f.cli("run", "-d", "-q", "night", "--", "true").strip()
        fleet.until("it says QueuePaused", lambda: "QueuePaused" in f.cli("explain", job), 30)
        f.cli("queue", "resume", "night")
        f.cli("wait", job)
        assert "night" in f.cli("queue", "ls")
        out = f.run("run", "-d", "-q", "nowhere", "--", "true")
        assert out.returncode != 0 and "nowhere" in out.stderr, out.stderr
    with shows("clusters: listed, cordoned, and back"):
        equal(sorted(f.cli("cluster", "ls", "-o", "name").split()), ["east", "edge", "west"])
        f.cli("cluster", "cordon", "west", "--reason", "maintenance")
        assert "cordoned" in f.cli("cluster", "get", "west")
        f.cli("cluster", "uncordon", "west")
        fleet.until("it is ready", lambda: "ready" in f.cli("cluster", "get", "west"), 30)
    with shows("a token may do what its scopes say, until it is revoked"):
        made = json.loads(f.cli("token", "create", "reader", "--scope", "read", "-o", "json"))
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(made["token"] + "\n")
            file.flush()
            env = dict(f.env, FAIRLEAD_TOKEN="")
            run = lambda *words: subprocess.run([FAIRLEAD, *words, "--token-file", file.name], env=env, stdout=subprocess.PIPE,
                                                stderr=subprocess.PIPE, text=True, timeout=60)
            equal(run("ps").returncode, 0)
            equal(run("run", "-d", "--", "true").returncode, 77)
            f.cli("token", "revoke", made["id"])
            fleet.until("it is refused", lambda: run("ps").returncode == 77, 30)
    with shows("login remembers, context chooses"):
        f.cli("login", f.url, "--name", "lab", stdin=f.token + "\n")
        assert "lab" in f.cli("context", "ls")
        env = {name: value for name, value in f.env.items() if name not in ("FAIRLEAD_URL", "FAIRLEAD_TOKEN")}
        equal(subprocess.run([FAIRLEAD, "ps"], env=env, stdout=subprocess.DEVNULL, timeout=60).returncode, 0)
    with shows("doctor finds nothing wrong with a fresh fleet"):
        out = f.run("doctor")
        equal(out.returncode, 0, out.stdout)
    with shows("events of a job end with its end"):
        job = f.cli("run", "-d", "--", "true").strip()
        f.cli("wait", job)
        types = [json.loads(line)["type"] for line in f.cli("events", job, "-o", "jsonl").splitlines()]
        equal((types[0], types[-1]), ("job.submitted", "job.ended"), str(types))


def main():
    without_a_fleet()
    with fleet.Fleet() as f:
        running(f)
        acting(f)
    fleet.finish()


main()
