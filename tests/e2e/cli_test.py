"""The command line as people and scripts use it: output, exit codes, words of errors."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

import fleet
from fleet import BIN, equal, shows

FAIRLEAD = os.path.join(BIN, "fairlead")


def bare(*words, stdin=None):
    """Without a fleet."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("FAIRLEAD_")}
    env["XDG_CONFIG_HOME"] = "/nonexistent"
    return subprocess.run([FAIRLEAD, *words], env=env, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


def complete(line, env=None):
    """The words that a real bash offers at the end of the line."""
    script = """source <("$0" completion bash); COMP_WORDS=($1); [[ $1 == *" " ]] && COMP_WORDS+=("")
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _fairlead; echo "${COMPREPLY[*]}" """
    return subprocess.run(["bash", "-c", script, FAIRLEAD, line], env=env, stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout.split()


def fish_offers(line, env=None):
    """The words that a real fish offers at the end of the line, without the texts beside them; stderr stays empty."""
    script = 'source (fairlead completion fish | psub); complete -C "$argv[1]"'
    with tempfile.TemporaryDirectory() as home:  # fish makes folders there
        env = dict(env or os.environ, PATH=f"{BIN}:{os.environ['PATH']}", HOME=home)
        out = subprocess.run(["fish", "--no-config", "-c", script, line], env=env, capture_output=True, text=True, timeout=60, check=True)
    equal(out.stderr, "")
    return [one.split("\t")[0] for one in out.stdout.splitlines()]


def zsh_shows(line, *wanted):
    """Asks a real zsh twice for completions of the line; its output must hold all wanted words."""
    master, slave = pty.openpty()
    env = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}", TERM="dumb", PS1="> ")
    process = subprocess.Popen(["zsh", "-f", "-i"], env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    text = b""

    def read_until(*words):
        nonlocal text
        while not all(word in text for word in words):
            assert select.select([master], [], [], 30)[0], text
            text += os.read(master, 65536)

    try:
        os.write(master, b"autoload -Uz compinit; compinit -u -D; source <(fairlead completion zsh); LISTMAX=0; echo is re''ady\n")
        read_until(b"is ready")
        os.write(master, line.encode() + b"\t\t")
        read_until(*(word.encode() for word in wanted))
    finally:
        process.kill()
        process.wait()
        os.close(master)


def answered(f, answer, *words):
    """The exit code of a command that asks on its terminal, and is answered so."""
    master, slave = pty.openpty()
    process = subprocess.Popen([FAIRLEAD, *words], env=f.env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    text = b""
    while b"y/N? " not in text:
        text += os.read(master, 4096)
    os.write(master, answer.encode() + b"\n")
    code = process.wait(timeout=60)
    os.close(master)
    return code


def on_a_terminal(f, *words, columns=200, **env):
    """The output of a command on a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
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
        equal(sorted(complete("fairlead run --re")), ["--replicas", "--require-limits", "--resource", "--retries"])
        assert complete("fairlead submit /et") == ["/etc"]
    with shows("completion offers what a flag may be, also behind its letter"):
        assert {"table", "yaml", "jsonpath="} <= set(complete("fairlead ps --output ")), complete("fairlead ps --output ")
        equal(complete("fairlead ps -o ya"), ["yaml"])
        equal(complete("fairlead wait --for s"), ["succeeded"])
        equal(sorted(complete("fairlead completion ")), ["bash", "fish", "zsh"])
    with shows("fish offers the same, with a text beside each, and zsh takes bash's way"):
        equal(fish_offers("fairlead clu"), ["cluster"])
        assert {"ls", "join", "drain"} <= set(fish_offers("fairlead cluster "))
        equal(fish_offers("fairlead run --re"), ["--replicas", "--require-limits", "--resource", "--retries"])
        equal(fish_offers("fairlead ps -o ya"), ["yaml"])
        equal(fish_offers("fairlead ps --state succ"), ["succeeded"])
        equal(fish_offers("fairlead submit /et"), ["/etc/"])
        assert "--stop-jobs" in fish_offers("fairlead cluster leave --") and "--stop-jobs" not in fish_offers("fairlead cluster join --")
        zsh_shows("fairlead cluster ", "cordon", "uncordon", "unlock")
        zsh_shows("fairlead ps --state succ", "succeeded")
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
    with shows("a followed log marks the lines of each replica"):
        out = f.run("run", "--replicas", "3", "--", "sh", "-c", "sleep 0.$FAIRLEAD_REPLICA; echo rank $FAIRLEAD_REPLICA")
        equal(sorted(line.split("rank")[1] for line in out.stdout.splitlines()), [" 0", " 1", " 2"])
    with shows("a script brings its flags, the command line wins"), tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
        script.write("#!/bin/sh\n#FAIRLEAD --name scripted --label kind=a\n#FAIRLEAD --env A=1\necho \"$A $B $1\"\n")
        script.flush()
        out = f.run("run", "--script", script.name, "-e", "B=2", "--", "three")
        equal(out.returncode, 0, out.stderr)
        equal(out.stdout, " 2 three\n")  # --env of the command line stands for all of the script's
    with shows("a script for Slurm brings its flags and finds its numbers; a flag that cannot be kept is refused by line and name"), \
            tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
        script.write("#!/bin/bash\n#SBATCH --job-name=slurmy --time=00:10:00\n#SBATCH --array=0-2 -c 1 --mem=64\necho task $SLURM_ARRAY_TASK_ID of $SLURM_JOB_ID\n")
        script.flush()
        job = f.cli("run", "-d", "--script", script.name).strip()
        f.cli("wait", job)
        equal(sorted(f.cli("logs", job, "--raw").splitlines()), [f"task {i} of {job}" for i in range(3)])
        spec = f.api("GET", f"/v1/jobs/{job}")
        equal((spec["name"], spec["elements"]["total"]), ("slurmy", 3))
        script.write("#SBATCH --partition=gpu\n")
        script.flush()
        out = f.run("run", "--script", script.name)
        assert out.returncode != 0 and f"{script.name}: line 5: --partition=gpu: write '#FAIRLEAD --queue NAME'" in out.stderr, out.stderr
    with shows("'--' before a command may be left out"):
        equal(f.cli("run", "-n", "plain", "echo", "-n", "--hello"), "--hello\n")
    with shows("a format changes what run prints, and neither the wait nor the exit code"):
        out = f.run("run", "-o", "json", "sh", "-c", "echo no output; exit 3")
        job = json.loads(out.stdout)
        equal((out.returncode, job["state"], job["exitCode"]), (3, "failed", 3))
        out = f.run("run", "-o", "jsonl", "sh", "-c", "echo output; exit 4")
        first, last = map(json.loads, out.stdout.splitlines())
        equal((out.returncode, first["text"], last["state"]), (4, "output\n", "failed"))
        out = f.run("run", "-o", "name", "sh", "-c", "echo no output; exit 5")
        equal((out.returncode, f.job(out.stdout.strip())["exitCode"]), (5, 5))
        equal(json.loads(f.cli("run", "-d", "-o", "json", "true"))["state"], "queued")
        text = "name: a\ncommand: [echo, a]\n---\nname: b\ncommand: [echo, b]\n"
        equal([json.loads(line)["name"] for line in f.cli("submit", "-o", "jsonl", "-", stdin=text).splitlines()], ["a", "b"])
    with shows("a person who watches a waiting job sees the reason and the next command; and again when the reason changes"):
        f.cli("queue", "create", "shut", "--paused")
        for words in (["run", "-q", "shut", "--gpus", "1", "--wait-for-cluster", "true"], ["wait", "@last"]):
            with subprocess.Popen([FAIRLEAD, *words], env=f.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watcher:
                def reason(watcher=watcher):
                    line = next(line for line in watcher.stderr if " waits: " in line)
                    return line.split(" waits: ")[1], watcher.stderr.readline().strip()

                if words[0] == "run":
                    why, cure = reason()
                    assert "queue is paused" in why and cure == "fairlead queue resume shut", (why, cure)
                    f.cli("queue", "resume", "shut")
                why, cure = reason()
                assert "no cluster could run it" in why and cure.startswith("fairlead explain job-"), (why, cure)
                watcher.send_signal(signal.SIGINT)
                watcher.communicate(timeout=30)
        f.cli("cancel", "@last")
    with shows("-o json, jsonl and name are for scripts"):
        job = f.cli("run", "-d", "-n", "held", "--hold", "--label", "kind=b", "--", "true").strip()
        equal(json.loads(f.cli("get", job, "-o", "json"))["state"], "held")
        assert job in f.cli("ps", "-o", "name").split()
        assert any(json.loads(line)["id"] == job for line in f.cli("ps", "-o", "jsonl", "-l", "kind=b").splitlines())
        f.cli("release", job)
        f.cli("wait", job)
        assert job in f.cli("ps", "--all", "-l", "kind=b")
        counted = json.loads(f.cli("counts", "kind", "-l", "kind=b", "-o", "jsonl"))
        equal((counted["value"], counted["jobs"] > 0), ("b", True))
        equal(f.cli("counts", "kind", "-l", "kind=b").split()[:7], ["VALUE", "JOBS", "OPEN", "SUCCEEDED", "FAILED", "CANCELLED", "b"])
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
        equal(len(f.cli("logs", job, "--grep", "line [12]", "--regex").splitlines()), 4)
        equal(len(f.cli("logs", job, "--grep", "line 2").splitlines()), 2)
        equal(f.cli("logs", job, "-r", "1", "--grep", "no such").splitlines(), [])
        assert "1 line 3" in f.cli("logs", "-f", job)
    with shows("ps finds the jobs of an owner, open and ended, and @me is one's own"):
        held, mine = f.cli("run", "-d", "--hold", "--", "true").strip(), ["-o", "custom-columns=ID:.id,BY:.submittedBy", "--limit", "1000"]
        for user in ("first-admin", "@me"):
            lines = f.cli("ps", "-a", "-u", user, *mine).splitlines()[1:]
            assert {held, job} <= {line.split()[0] for line in lines} and {line.split()[1] for line in lines} == {"first-admin"}, lines
        assert held in f.cli("ps", "--user", "@me") and job not in f.cli("ps", "--user", "@me")
        equal(f.cli("ps", "-a", "--user", "first", "-o", "name"), "")
        f.cli("cancel", held)
    with shows("jobs are found, waited for, cancelled and run again by name, with stars for any characters"):
        first, second, other = (f.cli("run", "-d", "--hold", "--name", name, "--", "true").strip() for name in ("tuning-1", "tuning-2", "fine-tuning"))
        found = lambda *words: set(f.cli("ps", "-o", "name", *words).split())
        equal([found("--name", name) for name in ("tuning-1", "tuning*", "*-tuning", "*ning*", "tun", "TUNING*")],
              [{first}, {first, second}, {other}, {first, second, other}, set(), set()])
        assert "2 jobs" in f.cli("cancel", "--name", "tuning-*", "--dry-run"), "it counts"
        f.cli("cancel", "--name", "tuning-*", "--yes")
        f.cli("wait", "--name", "tuning-*", code=None)
        equal((found("--name", "*tuning*"), found("-a", "--name", "*tuning*"), found("--state", "cancelled", "--name", "tuning-*")),
              ({other}, {first, second, other}, {first, second}))
        again = f.cli("retry", "--name", "tuning-1", "--state", "cancelled", "--yes", "-d")
        assert "1 job" in again, again
        f.cli("cancel", other)
    with shows("describe has every attempt and the last lines; explain has every cluster"):
        text = f.cli("describe", job)
        assert "succeeded" in text and "line 3" in text, text
        assert re.search(r"\nby +first-admin\n", text), text
        assert re.search(r" CPU +MEMORY +PLACED", text) and re.search(r" 0\.\d\ds +[\d.]+ [KM]iB ", text), text
        waits = f.cli("run", "-d", "--cpus", "900", "--wait-for-cluster", "--", "true").strip()
        fleet.until("explain says why", lambda: "NoMatchingCluster" in f.cli("explain", waits), 30)
        text = f.cli("explain", waits)
        assert all(cluster in text for cluster in ("east", "west", "edge")), text
        f.cli("cancel", waits)
    with shows("completion asks the control plane for jobs, clusters, queues, tokens and contexts; without one it offers nothing, soon"):
        env = dict(f.env, PATH=f"{BIN}:{f.env['PATH']}")
        assert {job, "@last", "@last-failed"} <= set(complete("fairlead describe ", env))
        equal(sorted(complete("fairlead cluster get e", env)), ["east", "edge"])
        equal(fish_offers("fairlead cluster get e", env), ["east", "edge"])
        assert {job, "@last", "@last-failed"} <= set(fish_offers("fairlead describe ", env))
        equal(complete("fairlead run --cluster w", env), ["west"])
        equal(complete("fairlead ps -q def", env), ["default"])
        equal(complete("fairlead queue pause def", env), ["default"])
        assert complete("fairlead token revoke ", env)
        began = time.monotonic()
        equal(complete("fairlead cluster get e", dict(env, FAIRLEAD_URL="http://127.0.0.1:9")), [])
        assert time.monotonic() - began < 20, "it waits for a control plane that is away"
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
            fleet.until("it says why", lambda: select.select([follower.stderr], [], [], 0)[0], 60)
            said = [follower.stderr.readline() for _ in range(2)]
            assert f"{one} waits: " in said[0] and "held" in said[0] and f"fairlead release {one}" in said[1], said
            f.cli("cancel", one)
            said = follower.communicate(timeout=60)
        finally:
            follower.kill()
            follower.wait()
        equal((follower.returncode, said[0]), (1, ""))
        assert "is cancelled" in said[1] and f"fairlead retry {one}" in said[1], said[1]


def failing(f):
    with shows("in a gang the replica that failed first is named, and its code is the exit code"):
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
    with shows("an array lists its failures first, then the others in runs; --state, --element and --limit list attempts"):
        job = f.cli("run", "-d", "--array", "40", "--", "sh", "-c", "[ $((FAIRLEAD_ELEMENT % 3)) != 1 ] || exit 4").strip()  # 1, 4, ... 37: 13 of them
        f.cli("wait", job)
        text = f.cli("describe", job)
        failed = [int(row) for row in re.findall(r"^ +(\d+) +1  .*ReplicaFailed", text, re.M)]
        equal(failed, list(range(1, 31, 3)), text)
        assert f"3 more failed: fairlead describe {job} --state failed --limit 13\n" in text, text
        assert re.search(r"^succeeded +0, 2-3, 5-6, ", text, re.M), text
        equal(text.count("last lines of element"), 0)  # they wrote nothing
        numbers = lambda *flags: [int(line) for line in f.cli("describe", job, *flags, "-o", "jsonpath=.element").split()]
        equal(numbers("--state", "failed"), list(range(1, 40, 3)))
        equal(numbers("--state", "failed", "--element", "0-4,7,36-39"), [1, 4, 7, 37])
        equal(numbers("--element", "0-4,7,36-39"), [0, 1, 2, 3, 4, 7, 36, 37, 38, 39])
        equal(numbers("--state", "cancelled"), [])
        out = f.run("describe", job, "--state", "failed", "--limit", "5")
        assert len(out.stdout.splitlines()) == 6 and "there are more: --limit 50" in out.stderr, out
        retried = f.cli("retry", job, "--failed").strip()
        equal(f.job(retried)["elements"]["total"], 13)
    with shows("Ctrl-C stops watching, exit code 130, and the job goes on"):
        process = subprocess.Popen([FAIRLEAD, "run", "--", "sh", "-c", "echo begun; sleep 300"], env=f.env, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        equal(process.stdout.readline(), "begun\n")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        equal(process.returncode, 130, said)
        job = re.search(r"(job-\w+) goes on", said).group(1)
        fleet.until("it is known to run: its output may be here first", lambda: f.job(job)["state"] == "running", 30)
        text = f.cli("explain", job)
        assert "it runs" in text and "it is on " in text and "VERDICT" not in text, text
        f.cli("cancel", job)
        equal(f.run("logs", "-f", job).returncode, 0)
        f.wait(job)
        assert "cancel" in f.cli("explain", job).lower()
    with shows("an absent object is named, exit code 1"):
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
    with shows("a table fits the terminal; wide cuts nothing"):
        f.cli("run", "-d", "-n", "a-name-" + "that-goes-on-" * 3, "--hold", "true")
        rows = on_a_terminal(f, "ps", "--no-pager", columns=72).splitlines()
        assert max(map(len, (re.sub(r"\033\[\d*m", "", row) for row in rows))) == 72 and any("\u2026" in row for row in rows), rows
        assert "\u2026" not in on_a_terminal(f, "ps", "--no-pager", "-o", "wide", columns=72) + f.cli("ps")
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
    with shows("a batch of any size goes in parts: definitions with it, lines numbered as in the file, and sent again with its key it makes nothing twice"):
        lines = ['{"spec":"s","job":{"command":["true"],"labels":{"large":"yes"},"queue":"large"}}'] + [f'{{"use":"s","params":{{"n":"{n}"}}}}' for n in range(2500)]
        lines[1700], lines[2300] = '{"use":"nosuch"}', ""
        f.cli("queue", "create", "large", "--paused")
        out = f.run("submit", "--key", "large", "-", stdin="\n".join(lines) + "\n")
        jobs = out.stdout.split()
        equal((out.returncode, len(jobs), len(set(jobs))), (65, 2498, 2498), out.stderr)
        assert "-, document 1701: " in out.stderr and out.stderr.count("document") == 1, out.stderr
        equal(int(f.cli("queue", "get", "large", "-o", "jsonpath=.jobs")), 2498)
        equal(f.run("submit", "--key", "large", "-", stdin="\n".join(lines) + "\n").stdout.split(), jobs)
        equal(json.loads(f.run("submit", "--key", "large", "-o", "jsonl", "-", stdin="\n".join(lines) + "\n").stdout.splitlines()[-1]), {
            "line": 2501, "id": jobs[-1], "state": "queued"})
        one = '{"command": ["echo", 0.10, "a]\\",{"],\n  "queue": "large"}'
        listed = f.cli("submit", "-", stdin="[" + ",\n".join([one] * 1200) + "]").split()
        equal(len(listed), 1200)
        equal(f.job(listed[-1])["spec"]["roles"][0]["template"]["spec"]["containers"][0]["command"], ["echo", "0.10", 'a]",{'])
        out = f.run("submit", "-", stdin='{"command":["true"]}\n{"command":["tr\0ue"]}\n{"command":["true"]}\n')
        equal((out.returncode, len(out.stdout.split())), (65, 2), out.stderr)
        f.cli("cancel", "-q", "large", "--yes")
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
    with shows("a document that the control plane would refuse keeps all of its file out"):
        before = f.cli("ps", "--all", "-o", "name", "--limit", "10000").split()
        out = f.run("submit", "-d", "-", stdin=text + "---\nqueue: none\ncommand: [echo]\n")
        equal(out.returncode, 65, out.stderr)
        assert 'queue "none" does not exist' in out.stderr and "document 3 of 3; nothing of it was submitted" in out.stderr, out.stderr
        equal(set(f.cli("ps", "--all", "-o", "name", "--limit", "10000").split()) - set(before), set(), "new jobs")
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
        equal([line.split() for line in f.cli("queue", "ls").splitlines() if "night" in line], [["night", "paused", "1", "0", "0", "0", "0", "preset"]])
        equal(f.cli("queue", "get", "night").split()[-8:], ["night", "paused", "1", "0", "0", "0", "0", "preset"])
        equal(json.loads(f.cli("queue", "get", "night", "-o", "json")), {
            "name": "night", "paused": True, "defaultCpu": None, "jobs": 1,
            "byState": {"held": 1, "queued": 0, "starting": 0, "running": 0, "stopping": 0}})
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
    with shows("token rotate prints the new text; the context uses it, a token that is given does not change a context"):
        made = json.loads(f.cli("token", "create", "turning", "--scope", "read", "-o", "json"))
        f.cli("login", f.url, "--name", "turning", stdin=made["token"] + "\n")
        out = subprocess.run([FAIRLEAD, "token", "rotate"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        equal(out.returncode, 0, out.stderr)
        assert "counts until" in out.stderr and "context turning uses it now" in out.stderr and out.stdout.startswith("fl_"), out.stderr
        who = lambda token: subprocess.run([FAIRLEAD, "ps"], env=dict(env, FAIRLEAD_URL=f.url, FAIRLEAD_TOKEN=token), capture_output=True, timeout=60).returncode
        equal([who(text) for text in (made["token"], out.stdout.strip())], [0, 0])
        equal(subprocess.run([FAIRLEAD, "ps"], env=env, stdout=subprocess.DEVNULL, timeout=60).returncode, 0)
        given = dict(env, FAIRLEAD_URL=f.url, FAIRLEAD_TOKEN=made["token"])  # its answer was lost, say: the old text asks again
        again = subprocess.run([FAIRLEAD, "token", "rotate", "-o", "json"], env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        assert "uses it now" not in again.stderr, again.stderr
        equal([who(text) for text in (made["token"], out.stdout.strip(), json.loads(again.stdout)["token"])], [0, 77, 0])
        f.cli("token", "rotate", "turning", "--grace", "0")  # by an administrator
        equal([who(text) for text in (made["token"], json.loads(again.stdout)["token"])], [77, 77])
        assert any(made["id"] in line and "turning" in line for line in f.cli("token", "ls", "-o", "wide").splitlines())
        f.cli("context", "rm", "turning")
        f.cli("context", "use", "lab")
    with shows("doctor finds nothing wrong with a fresh fleet"):
        out = f.run("doctor")
        equal(out.returncode, 0, out.stdout)
    with shows("events of a job end with its end"):
        job = f.cli("run", "-d", "--", "true").strip()
        f.cli("wait", job)
        types = [json.loads(line)["type"] for line in f.cli("events", job, "-o", "jsonl").splitlines()]
        equal((types[0], types[-1]), ("job.submitted", "job.ended"), str(types))


def parting(f):
    with shows("a cluster is drained, revoked, and forgotten only with --yes, or when a terminal says so"):
        job = f.cli("run", "-d", "--cluster", "edge", "--", "sleep", "300").strip()
        f.cli("wait", job, "--for", "running")
        out = f.run("cluster", "drain", "edge", "--reason", "moved", "--timeout", "1s")
        assert out.returncode == 75 and "1 attempt left there" in out.stderr and "stays without new work" in out.stderr, out
        f.cli("cluster", "drain", "edge", "--reason", "moved", "--detach")
        equal(f.job(job)["state"], "running")
        f.cli("cluster", "drain", "edge", "--reason", "moved", "--stop-jobs")
        equal(json.loads(f.cli("cluster", "get", "edge", "-o", "json"))["attempts"], 0)
        text = f.cli("cluster", "get", "edge")
        assert "cordoned: moved" in text and "edge" in text, text
        fleet.until("its job waits again", lambda: f.job(job)["cluster"] is None, 60)
        f.cli("cancel", job)
        f.cli("cluster", "revoke", "edge")
        fleet.until("it is cut off", lambda: "revoked" in f.cli("cluster", "ls"), 30)
        out = f.run("cluster", "rm", "edge")
        equal((out.returncode, "--yes" in out.stderr), (64, True), out.stderr)
        equal(answered(f, "n", "cluster", "rm", "edge"), 64)
        assert "edge" in f.cli("cluster", "ls")
        equal(answered(f, "y", "cluster", "rm", "edge"), 0)
        equal(sorted(f.cli("cluster", "ls", "-o", "name").split()), ["east", "west"])
        equal(f.run("cluster", "get", "edge").returncode, 1)
    with shows("a join token is printed alone, with the command to use it beside"):
        out = f.run("cluster", "join", "north", "--ttl", "10m")
        equal((out.returncode, len(out.stdout.split())), (0, 1), out.stderr)
        assert "fairlead-agent --join-token" in out.stderr, out.stderr
        equal(f.run("cluster", "join", "north", "--ttl", "soon").returncode, 64)
        assert set(json.loads(f.cli("cluster", "join", "north", "-o", "json"))) >= {"token", "expiresAt"}
    with shows("--helm prints the line that installs its agent; on a terminal the token is followed by that line"):
        line = f.cli("cluster", "join", "north", "--helm")
        assert re.fullmatch(r"helm install fairlead-agent deploy/charts/fairlead-agent --namespace fairlead-agent --create-namespace "
                            r"--set joinToken=fl-join_[\w-]+\n", line), line
        text = on_a_terminal(f, "cluster", "join", "north")
        assert re.fullmatch(r"fl-join_[\w-]+\r\n", text), text


def coming_and_going(f):
    with shows("a cluster leaves: it is drained, waited for, cut off and forgotten, or stays drained when the time is over"):
        job = f.cli("run", "-d", "--cluster", "west", "--", "sleep", "300").strip()
        f.cli("wait", job, "--for", "running")
        out = f.run("cluster", "leave", "west", "--timeout", "1s")
        equal((out.returncode, "stays without new work" in out.stderr), (75, True), out.stderr)
        assert "cordoned: it leaves" in f.cli("cluster", "get", "west")
        out = f.run("cluster", "leave", "west", "--stop-jobs")
        equal((out.returncode, re.findall(r"^ok  (\w+(?: \w+)*)", out.stderr, re.M)), (0, ["cordoned", "empty", "cut off", "forgotten"]), out.stderr)
        equal(f.cli("cluster", "ls", "-o", "name").split(), ["east"])
        f.cli("cancel", job)
        equal(f.run("cluster", "leave", "west").returncode, 1)
    with shows("join --wait says what is missing when the time is over, and ticks each step of a cluster that joins"):
        out = f.run("cluster", "join", "south", "--wait", "--timeout", "1s")
        equal((out.returncode, "no agent has shown the token" in out.stderr), (75, True), out.stderr)
        with tempfile.TemporaryDirectory() as folder:
            equal(join_and_start(f, "south", folder), (0, ["enrolled", "connected", "nodes", "ready"], True))
            f.cli("cluster", "cordon", "south")
            f.cli("cluster", "revoke", "south")
            equal(join_and_start(f, "south", folder), (1, ["enrolled", "connected", "nodes"], False))  # it is cordoned still


def join_and_start(f, name, folder):
    """'join --wait', and an agent with the token that it printed: exit code, steps, whether nothing was amiss."""
    join = subprocess.Popen([FAIRLEAD, "cluster", "join", name, "--wait"], env=f.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(f"{folder}/token", "w") as file:
        file.write(join.stdout.readline())
    agent = subprocess.Popen([os.path.join(BIN, "fairlead-agent"), "--state-dir", f"{folder}/state", "--join-token", f"@{folder}/token",
                              "--cgroup", "off"], stderr=subprocess.DEVNULL)
    try:
        _, said = join.communicate(timeout=120)
    finally:
        agent.terminate()
        agent.wait(timeout=60)
    return join.returncode, re.findall(r"^ok  (\w+)", said, re.M), f"fairlead cluster uncordon {name}" not in said


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
        coming_and_going(f)
    fleet.finish()


main()
