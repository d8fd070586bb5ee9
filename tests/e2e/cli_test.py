"""The command line as people and scripts use it: output, exit codes, words of errors."""
import json
import os
import pty
import re
import signal
import struct
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


def complete(line):
    """What a real bash offers at the end of the line."""
    script = """source <("$0" completion bash); COMP_WORDS=($1); [[ $1 == *" " ]] && COMP_WORDS+=("")
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _fairlead; echo "${COMPREPLY[*]}" """
    return subprocess.run(["bash", "-c", script, FAIRLEAD, line], stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout.split()


def on_a_terminal(f, *words, **env):
    """What a command writes to a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([FAIRLEAD, *words], env=dict(f.env, TERM="xterm", **env), stdin=slave, stdout=slave, stderr=subprocess.DEVNULL)
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        text += piece
    os.close(master)
    process.wait(timeout=60)
    return text.decode()


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
    with shows("version says this program's, and that no control plane answers"):
        out = bare("version", "--url", "http://127.0.0.1:9")
        equal(out.returncode, 0)
        assert out.stdout.startswith("fairlead ") and "control plane at http://127.0.0.1:9" in out.stdout, out.stdout
        assert set(json.loads(bare("version", "-o", "json").stdout)) == {"cli"}
    with shows("wire dump prints the messages in a file of frames, and refuses what is no frame"):
        message = struct.pack("<HBQ", 32, 8, 7)  # ping, 8 bytes, its nonce
        frame = struct.pack("<IBBHII", 0, 1, 0, 0, len(message), 1) + message
        with tempfile.NamedTemporaryFile() as file:
            file.write(frame)
            file.flush()
            out = bare("wire", "dump", file.name)
            file.write(b"\xff" * 16)
            file.flush()
            torn = bare("wire", "dump", file.name)
        equal(out.returncode, 0, out.stderr)
        assert "ping" in out.stdout and "nonce=7" in out.stdout, out.stdout
        equal((torn.returncode, torn.stdout), (65, out.stdout))
        assert file.name in torn.stderr, torn.stderr
    with shows("every verb has help that names its flags, and the man page has them all"):
        page = bare("help", "man").stdout.replace("\\", "")
        verbs = re.findall(r"^\.It Cm ([a-z]+(?: [a-z]+)?)(?: No|$)", page, re.M)
        assert len(verbs) > 30, verbs
        for verb in verbs:
            out = bare(*verb.split(), "--help")
            equal(out.returncode, 0, verb)
            for flag in re.findall(r"--([a-z-]+)", out.stdout.split("Flags:")[-1]):
                assert f"Fl -{flag}" in page, f"{verb}: {flag}"
    with shows("completion offers verbs, second words, flags and files in a real bash"):
        equal(complete("fairlead clu"), ["cluster"])
        assert {"ls", "join", "drain"} <= set(complete("fairlead cluster "))
        equal(sorted(complete("fairlead run --re")), ["--replicas", "--retries"])
        assert complete("fairlead submit /et") == ["/etc"]
    with shows("bad command lines are exit code 64 and say what was meant"):
        for words, text in ((["runn"], "did you mean 'run'"), (["run", "--gpu", "1", "--", "x"], "did you mean --gpus"), ([], "usage"),
                            (["run"], "the command is missing"), (["cluster", "jion", "x"], "cluster join"), (["ps", "-o", "xml"], "table, wide")):
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
        equal(len(f.cli("logs", job, "--grep", "line 2").splitlines()), 2)
        equal(f.cli("logs", job, "-r", "1", "--grep", "no such").splitlines(), [])
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
        held = [f.cli("run", "-d", "--hold", "--", "true").strip() for _ in range(3)]
        equal(f.cli("get", "@last", "-o", "name").strip(), held[-1])
        equal(f.cli("ps", "-o", "name", "--limit", "3").split(), held[::-1])
        equal(f.cli("get", "@last-failed", "-o", "name").strip(), job)
        for one in held:
            f.cli("cancel", one)
            f.cli("wait", one)
    with shows("logs of a job that never ran say why, and what would change it, exit code 1"):
        follower = subprocess.Popen([FAIRLEAD, "logs", "-f", one := f.cli("run", "-d", "--hold", "--", "true").strip()], env=f.env,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            said = follower.stderr.readline()
            assert "is held" in said and f"fairlead release {one}" in said, said
            f.cli("cancel", one)
            said = follower.communicate(timeout=60)
        finally:
            follower.kill()
            follower.wait()
        equal((follower.returncode, said[0]), (1, ""))
        assert "is cancelled" in said[1] and f"fairlead retry {one}" in said[1], said[1]


def failing(f):
    with shows("of a gang the replica that failed first is named, and its code is the exit code"):
        out = f.run("run", "--replicas", "3", "--", "sh", "-c", "echo rank $FAIRLEAD_REPLICA; test $FAIRLEAD_REPLICA = 2 && exit 9; sleep 300")
        equal(out.returncode, 9, out.stderr)
        assert "replica 2 was the first" in out.stderr, out.stderr
        text = f.cli("describe", "@last")
        assert "attempt 1, replica 2:" in text and "rank 2" in text and "rank 1" not in text, text
    with shows("describe of an array counts its ends and has the last lines of each that failed"):
        job = f.cli("run", "-d", "--array", "3", "--", "sh", "-c", "echo part $FAIRLEAD_ELEMENT; exit $FAIRLEAD_ELEMENT").strip()
        f.cli("wait", job)
        text = f.cli("describe", job)
        assert re.search("elements +3 total +1 succeeded +2 failed", text), text
        assert text.index("last lines of element 1,") < text.index("last lines of element 2,"), text
        assert "part 0" not in text, text
    with shows("Ctrl-C stops watching, exit code 130, and the job goes on"):
        process = subprocess.Popen([FAIRLEAD, "run", "--", "sh", "-c", "echo begun; sleep 300"], env=f.env, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        equal(process.stdout.readline(), "begun\n")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        equal(process.returncode, 130, said)
        job = re.search(r"(job-\w+) goes on", said).group(1)
        equal(f.job(job)["state"], "running")
        text = f.cli("explain", job)
        assert "it runs" in text and "it is on " in text and "VERDICT" not in text, text
        f.cli("cancel", job)
        equal(f.run("logs", "-f", job).returncode, 0)
        f.wait(job)
        assert "cancel" in f.cli("explain", job).lower()
    with shows("what is not there is named, exit code 1"):
        for words in (("get", "job-zzzz"), ("describe", "job-zzzz"), ("logs", "job-zzzz"), ("cancel", "job-zzzz")):
            out = f.run(*words)
            equal((out.returncode, out.stderr.count("\n")), (1, 1), f"{words}: {out.stderr}")
            assert "job-zzzz" in out.stderr, out.stderr


def reading(f):
    with shows("logs of chosen replicas, each line with its number; --raw and one replica without"):
        job = f.cli("run", "-d", "--replicas", "4", "--", "sh", "-c", "echo rank $FAIRLEAD_REPLICA").strip()
        f.cli("wait", job)
        equal(sorted(f.cli("logs", job, "-r", "0,2-3").splitlines()), ["[0] rank 0", "[2] rank 2", "[3] rank 3"])
        equal(sorted(f.cli("logs", job, "-r", "0-1", "--raw").splitlines()), ["rank 0", "rank 1"])
        equal(f.cli("logs", job, "-r", "3"), "rank 3\n")
        equal(f.cli("logs", job, "--since", "2100-01-01T00:00:00Z"), "")
        equal(len(f.cli("logs", job, "--since", "1h").splitlines()), 4)
        equal(f.run("logs", job, "--since", "noon").returncode, 64)
        equal(f.run("logs", job, "-r", "two").returncode, 65)
        equal({json.loads(line)["replica"] for line in f.cli("logs", job, "-o", "jsonl").splitlines()}, {0, 1, 2, 3})
    with shows("on a terminal there is colour and a pager; NO_COLOR, --color and --no-pager are obeyed"):
        assert "\033[32msucceeded" in on_a_terminal(f, "ps", "--all", PAGER=""), on_a_terminal(f, "ps", "--all", PAGER="")
        assert "\033[" not in on_a_terminal(f, "ps", "--all", PAGER="", NO_COLOR="1")
        assert "\033[" in f.cli("ps", "--all", "--color", "always") and "\033[" not in f.cli("ps", "--all")
        assert on_a_terminal(f, "ps", "--all", PAGER="sed s/^/paged:/").startswith("paged:JOB")
        assert on_a_terminal(f, "ps", "--all", "--no-pager", PAGER="sed s/^/paged:/").startswith("JOB")
    with shows("a job cannot play with the terminal of who reads its log"):
        job = f.cli("run", "-d", "--", "printf", r"\033]0;title\007\033[31mred\033[0m\n").strip()
        f.cli("wait", job)
        text = on_a_terminal(f, "logs", job, PAGER="")
        assert "\033]" not in text and "\007" not in text and "\033[31mred" in text, repr(text)
        assert "\033]0;title\007" in f.cli("logs", job, "--raw")
    with shows("wide has more columns; a list that goes on says so"):
        assert "LABELS" in f.cli("ps", "--all", "-o", "wide") and "LABELS" not in f.cli("ps", "--all")
        out = f.run("ps", "--all", "--limit", "2")
        assert len(out.stdout.splitlines()) == 3 and "there are more" in out.stderr, out.stderr
    with shows("no token is seen in a process list, and contexts are for their owner alone"):
        process = subprocess.Popen([FAIRLEAD, "events"], env=f.env, stdout=subprocess.PIPE, text=True)
        try:
            for pid in [process.pid, *(f.pid_of(name) or pid for name, pid in f.pids.items())]:
                with open(f"/proc/{pid}/cmdline") as file:
                    assert f.token not in file.read(), pid
        finally:
            process.kill()
            process.communicate()
        f.cli("login", f.url, "--name", "mine", stdin=f.token + "\n")
        equal(os.stat(os.path.join(f.home, "fairlead", "contexts.json")).st_mode & 0o777, 0o600)
    with shows("the token of a context goes to no other URL"):
        env = {name: value for name, value in f.env.items() if name not in ("FAIRLEAD_URL", "FAIRLEAD_TOKEN")}
        equal(subprocess.run([FAIRLEAD, "ps"], env=env, stdout=subprocess.DEVNULL, timeout=60).returncode, 0)
        other = f.url.replace("127.0.0.1", "localhost")
        out = subprocess.run([FAIRLEAD, "ps", "--url", other], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        equal(out.returncode, 77, out.stderr)
        assert "no token" in out.stderr, out.stderr


def submitting(f):
    with shows("submit takes batches, as lines and as a list, and a folder"), tempfile.TemporaryDirectory() as folder:
        lines = '{"spec":"s","job":{"command":["sh","-c","echo lr $FAIRLEAD_PARAM_LR"]}}\n' + "".join(
            f'{{"use":"s","params":{{"lr":"{n}"}}}}\n' for n in range(3))
        jobs = f.cli("submit", "-", stdin=lines).split()
        equal(len(jobs), 3)
        f.cli("wait", *jobs)
        equal([f.cli("logs", job) for job in jobs], ["lr 0\n", "lr 1\n", "lr 2\n"])
        equal(len(f.cli("submit", "-", stdin='[{"command":["true"]},{"command":["true"]}]').split()), 2)
        out = f.run("submit", "-", stdin='{"command":["true"]}\n{"comand":["true"]}\n')
        equal((out.returncode, len(out.stdout.split())), (65, 1), out.stderr)
        assert "document 2" in out.stderr and "did you mean command" in out.stderr, out.stderr
        for name, text in (("a.yaml", "command: ['true']\n"), ("b.ndjson", lines), ("c.txt", "no document")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        equal(len(f.cli("submit", "-d", folder).split()), 4)
    with shows("wait for many by label; one that failed makes it 1 with --for succeeded"):
        jobs = [f.cli("run", "-d", "-l", "many=yes", "--", word).strip() for word in ("true", "false", "true")]
        out = f.run("wait", "-l", "many=yes")
        equal(out.returncode, 0, out.stderr)
        assert all(job in out.stderr for job in jobs), out.stderr
        equal(f.run("wait", "-l", "many=yes", "--for", "succeeded").returncode, 1)


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
        out = f.run("run", "-d", "-q", "night", "--", "true")
        job = out.stdout.strip()
        assert "queue night is paused" in out.stderr and "'fairlead queue resume night'" in out.stderr, out.stderr
        fleet.until("it says QueuePaused", lambda: "QueuePaused" in f.cli("explain", job), 30)
        assert "next: fairlead queue resume night" in f.cli("explain", job)
        out = f.run("logs", job)
        equal((out.returncode, out.stdout, out.stderr.count("\n")), (1, "", 1), out.stderr)
        assert "is queued" in out.stderr and "queue is paused" in out.stderr and "fairlead queue resume night" in out.stderr, out.stderr
        f.cli("queue", "resume", "night")
        f.cli("wait", job)
        out = f.run("run", "-d", "-q", "night", "--", "true")
        equal(out.stderr, "")
        f.cli("wait", out.stdout.strip())
        equal((f.run("logs", job).returncode, f.cli("logs", "-f", job)), (0, ""))
        f.cli("queue", "pause", "night")
        f.cli("run", "-d", "-q", "night", "--hold", "--", "true")
        equal([line.split() for line in f.cli("queue", "ls").splitlines() if "night" in line], [["night", "paused", "1"]])
        equal(f.cli("queue", "get", "night").split()[-3:], ["night", "paused", "1"])
        equal(json.loads(f.cli("queue", "get", "night", "-o", "json")), {"name": "night", "paused": True, "jobs": 1})
        f.cli("queue", "resume", "night")
    with shows("a queue is removed once its jobs have ended"):
        held = f.cli("run", "-d", "--hold", "-q", "night", "--", "true").strip()
        out = f.run("queue", "rm", "night")
        assert out.returncode != 0 and "2 jobs of queue night have not ended" in out.stderr, out.stderr
        for queued in f.cli("ps", "-q", "night", "-o", "name").split():
            f.cli("cancel", queued)
            f.run("wait", queued)
        equal(f.run("queue", "rm", "night").stderr, "queue night is removed\n")
        assert "night" not in f.cli("queue", "ls")
        assert "night" in f.cli("get", held)
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
            run = lambda verb, *words: subprocess.run([FAIRLEAD, verb, "--token-file", file.name, *words], env=env, stdout=subprocess.PIPE,
                                                stderr=subprocess.PIPE, text=True, timeout=60)
            equal(run("ps").returncode, 0)
            out = run("run", "-d", "--", "true")
            equal(out.returncode, 77)
            assert "scope submit" in out.stderr, out.stderr
            equal([line.split()[1:4] for line in f.cli("token", "ls").splitlines() if made["id"] in line], [["reader", "read", "-"]])
            f.cli("token", "revoke", made["id"])
            fleet.until("it is refused", lambda: run("ps").returncode == 77, 30)
    with shows("login remembers, context chooses"):
        f.cli("login", f.url, "--name", "lab", stdin=f.token + "\n")
        assert "lab" in f.cli("context", "ls")
        env = {name: value for name, value in f.env.items() if name not in ("FAIRLEAD_URL", "FAIRLEAD_TOKEN")}
        equal(subprocess.run([FAIRLEAD, "ps"], env=env, stdout=subprocess.DEVNULL, timeout=60).returncode, 0)
        f.cli("login", f.url, "--name", "other", stdin=f.token + "\n")
        chosen = lambda: [line.split()[1] for line in f.cli("context").splitlines() if line.startswith("*")]
        equal(chosen(), ["other"])
        f.cli("context", "use", "lab")
        equal(chosen(), ["lab"])
        f.cli("context", "rm", "other")
        assert "other" not in f.cli("context", "ls")
        equal(f.run("context", "use", "other").returncode, 1)
    with shows("doctor finds nothing wrong with a fresh fleet"):
        out = f.run("doctor")
        equal(out.returncode, 0, out.stdout)
    with shows("events of a job end with its end"):
        job = f.cli("run", "-d", "--", "true").strip()
        f.cli("wait", job)
        types = [json.loads(line)["type"] for line in f.cli("events", job, "-o", "jsonl").splitlines()]
        equal((types[0], types[-1]), ("job.submitted", "job.ended"), str(types))


def parting(f):
    with shows("a cluster is drained, revoked, and forgotten only with --yes"):
        job = f.cli("run", "-d", "--cluster", "edge", "--", "sleep", "300").strip()
        f.cli("wait", job, "--for", "running")
        f.cli("cluster", "drain", "edge", "--reason", "moved", "--stop-jobs")
        text = f.cli("cluster", "get", "edge")
        assert "cordoned: moved" in text and "edge" in text, text
        fleet.until("its job waits again", lambda: f.job(job)["cluster"] is None, 60)
        f.cli("cancel", job)
        f.cli("cluster", "revoke", "edge")
        fleet.until("it is cut off", lambda: "revoked" in f.cli("cluster", "ls"), 30)
        out = f.run("cluster", "rm", "edge")
        equal((out.returncode, "--yes" in out.stderr), (64, True), out.stderr)
        f.cli("cluster", "rm", "edge", "--yes")
        equal(sorted(f.cli("cluster", "ls", "-o", "name").split()), ["east", "west"])
        equal(f.run("cluster", "get", "edge").returncode, 1)
    with shows("a join token is printed alone, with the command to use it beside"):
        out = f.run("cluster", "join", "north", "--ttl", "10m")
        equal((out.returncode, len(out.stdout.split())), (0, 1), out.stderr)
        assert "fairlead-agent --join-token" in out.stderr, out.stderr
        equal(f.run("cluster", "join", "north", "--ttl", "soon").returncode, 64)
        assert set(json.loads(f.cli("cluster", "join", "north", "-o", "json"))) >= {"token", "expiresAt"}


def demo_that_cannot(folder):
    """In mount namespaces of its own."""
    def run(prepare):
        script = f"{prepare} || exit 99; TMPDIR={folder} exec {FAIRLEAD} demo"
        return subprocess.run(["unshare", "-m", "sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=300)

    bare_machine, full_disk = run("mount -t tmpfs none /usr/lib/postgresql"), run(f"mount -t tmpfs -o size=12m,mode=1777 none {folder}")
    equal(bare_machine.returncode, 1, bare_machine.stderr)
    assert "postgresql" in bare_machine.stderr and "apt-get install" in bare_machine.stderr, bare_machine.stderr
    equal(full_disk.returncode, 1, full_disk.stderr)
    assert "is full" in full_disk.stderr and "TMPDIR" in full_disk.stderr, full_disk.stderr
    equal(os.listdir(folder), [])


def main():
    without_a_fleet()
    if os.geteuid() == 0 and os.path.isdir("/usr/lib/postgresql") and subprocess.run(["unshare", "-m", "true"]).returncode == 0:
        with shows("the demo without Postgres, or on a full disk, says what is missing, and leaves nothing"), tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o711)
            demo_that_cannot(folder)
    with fleet.Fleet() as f:
        running(f)
        failing(f)
        reading(f)
        submitting(f)
        acting(f)
        parting(f)
    fleet.finish()


main()
