"""Shells, commands, copies and forwards in pods, for agent_test.py: by our own client, and by one that is not ours.

The same visits of processes are in tests/e2e/exec_test.py.
"""
import concurrent.futures
import hashlib
import http.client
import os
import random
import re
import signal
import subprocess
import tempfile
import time

from kube import equal, shows, until

import fleet
from visit_client import Visit, command

BIG = 10 << 20
REQUESTS, AT_ONCE = 1000, 8
SERVER = ("trap 'exit 0' TERM; mkdir /tmp/www; i=0; while [ $i -lt 2000 ]; do echo $i >>/tmp/www/page; i=$((i+1)); done; "
          "httpd -p 127.0.0.1:8080 -h /tmp/www; while :; do sleep 0.1; done")


def cli(s, *words, stdin=b""):
    env = dict(os.environ, FAIRLEAD_URL=s.h.url, FAIRLEAD_TOKEN=s.h.token, XDG_CONFIG_HOME=s.h.dir)
    return subprocess.run([os.path.join(fleet.BIN, "fairlead"), *words], env=env, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)


def commands(s, job):
    path = f"/v1/jobs/{job}/exec?"
    with shows("a command in a pod has its environment; output, errors and exit code come back"):
        out = cli(s, "exec", job, "--", "sh", "-c", "echo $FAIRLEAD_JOB_ID $MARK; echo oh >&2; exit 7")
        equal((out.returncode, out.stdout.decode(), out.stderr), (7, f"{job} here\n", b"oh\n"))
        equal(cli(s, "exec", job, "--", "true").returncode, 0)
    with shows("a command that is not there is refused with the cluster's words, one that is killed has 137"):
        out = cli(s, "exec", job, "--", "no-such-command")
        assert out.returncode == 1 and b"the command cannot begin" in out.stderr and b"no-such-command" in out.stderr, out
        equal(cli(s, "exec", job, "--", "sh", "-c", "kill -9 $$").returncode, 137)
    data = random.Random(5).randbytes(BIG)
    with shows("10 MiB go through stdin to stdout of a pod, byte for byte"):
        out = cli(s, "exec", job, "-i", "--", "cat", stdin=data)
        equal((out.returncode, out.stderr, len(out.stdout)), (0, b"", BIG))
        equal(hashlib.sha256(out.stdout).hexdigest(), hashlib.sha256(data).hexdigest())
    with shows("a client that does not read holds up the command in its pod, and then gets all of it"):
        with Visit(s.h, path + command("sh", "-c", "head -c 20000000 /dev/zero; echo written >&2")) as v:
            time.sleep(1)
            v.finish()
            equal((v.exit_code, len(v.out), v.err), (0, 20000000, b"written\n"))
    with shows("a command that does not read holds up its client; then the foreign client's 10 MiB arrive whole, in messages of any size"):
        with Visit(s.h, path + command("sh", "-c", "sleep 1; sha256sum")) as v:
            sizes, at = random.Random(6), 0
            while at < BIG:
                n = sizes.choice([1, 100, 70000, 1 << 20])
                v.put(0, data[at:at + n])
                at += n
            v.end_input()
            v.finish()
            equal(v.out.split()[0].decode(), hashlib.sha256(data).hexdigest())
            equal((v.exit_code, v.close), (0, 1000))
    with shows("the end of input is the command's in the pod, which writes on after it"):
        with Visit(s.h, path + command("sh", "-c", "cat; sleep 0.3; echo after; echo late >&2; exit 3")) as v:
            v.put(0, b"before\n")
            v.until(lambda v: v.out == b"before\n")
            v.end_input()
            v.finish()
            equal((v.out, v.err, v.exit_code), (b"before\nafter\n", b"late\n", 3))
    with shows("'fairlead cp' copies a file into a pod and out of it again"), tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/in", "wb") as file:
            file.write(data)
        out = cli(s, "cp", f"{folder}/in", f"{job}:/tmp/copy")
        equal(out.returncode, 0, out.stderr)
        out = cli(s, "cp", f"{job}:/tmp/copy", f"{folder}/out")
        equal(out.returncode, 0, out.stderr)
        with open(f"{folder}/out", "rb") as file:
            equal(hashlib.sha256(file.read()).hexdigest(), hashlib.sha256(data).hexdigest())


def terminals(s, job):
    path = f"/v1/jobs/{job}/exec?"
    with shows("a terminal in a pod has the size that the client says, and hears when that changes"):
        script = "trap 'stty size' WINCH; tty; stty size; while :; do sleep 0.1; done"
        with Visit(s.h, path + command("sh", "-c", script, tty="true", rows=33, columns=101)) as v:
            v.until(lambda v: b"33 101" in v.out)
            assert b"/dev/pts/" in v.out, v.out
            v.resize(120, 40)
            v.until(lambda v: b"40 120" in v.out)
            v.put(0, b"\x03")  # Ctrl-C, as a key
            v.finish()
            equal(v.exit_code, 130)
    with shows("without a command it is a shell on a terminal, with the visitor's TERM; it ends by 'exit', and by the end of input"):
        for last, code in ((b"exit 5\n", 5), (None, 0)):
            with Visit(s.h, path + "tty=true&rows=24&columns=80&term=vt220") as v:
                v.put(0, b"echo $((6 * 7))x $TERM\n")
                v.until(lambda v: b"42x vt220" in v.out)
                if last:
                    v.put(0, last)
                else:
                    v.end_input()
                v.finish()
                equal(v.exit_code, code)


def forwards(s, job):
    env = dict(os.environ, FAIRLEAD_URL=s.h.url, FAIRLEAD_TOKEN=s.h.token, XDG_CONFIG_HOME=s.h.dir)
    local = subprocess.Popen([os.path.join(fleet.BIN, "fairlead"), "forward", job, "0:8080"], env=env, stderr=subprocess.PIPE, text=True)
    wanted = "".join(f"{i}\n" for i in range(2000)).encode()

    def ask(_):
        connection = http.client.HTTPConnection("127.0.0.1", here, timeout=60)
        connection.request("GET", "/page")
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status == 200 and body == wanted

    try:
        here = int(re.search(r":(\d+) leads", local.stderr.readline()).group(1))
        with shows(f"{REQUESTS} requests reach an HTTP server in a pod through 'fairlead forward', {AT_ONCE} at once, a connection each"):
            began = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                equal(sum(pool.map(ask, range(REQUESTS))), REQUESTS)
            print(f"# {REQUESTS} requests took {time.monotonic() - began:.1f} s", flush=True)
    finally:
        local.send_signal(signal.SIGINT)
        equal(local.wait(20), 0, local.stderr.read())
    with shows("a port of a pod at which nothing listens is refused by name"):
        with Visit(s.h, f"/v1/jobs/{job}/forward?port=1") as v:
            v.finish()
            equal(v.status["status"], "Failure")
            assert "port 1 of the replica" in v.status["message"] and "refused" in v.status["message"], v.status


def ends(s, job):
    path = f"/v1/jobs/{job}/exec?"
    with shows("a client that leaves ends its shell in the pod"):
        with Visit(s.h, path + "tty=true&rows=24&columns=80&term=vt220") as v:
            v.put(0, b"exec sleep 4321\n")
            until("it runs", lambda: b"4321" in cli(s, "exec", job, "--", "ps").stdout)
        until("it has ended", lambda: b"sleep 4321" not in cli(s, "exec", job, "--", "ps").stdout, 20)
    with shows("a killed API server ends a shell with a clear word; the job goes on, and can be entered again"):
        with Visit(s.h, path + command("sh", "-c", "echo in; sleep 1000")) as v:
            v.until(lambda v: v.out == b"in\n")
            s.c.fault("kill", "kube-apiserver")
            v.finish()
            s.c.fault("start", "kube-apiserver")
            equal((v.status["reason"], v.status["message"]), ("unavailable", "the connection to the API server was cut"))
        until("it can be entered again", lambda: cli(s, "exec", job, "--", "true").returncode == 0)
    with shows("a visit ends with its pod, and says so"):
        with Visit(s.h, path + command("sh", "-c", "echo in; sleep 1000")) as v:
            v.until(lambda v: v.out == b"in\n")
            s.h.api("POST", f"/v1/jobs/{job}:cancel")
            v.finish()
            equal((v.status["reason"], v.status["message"]), ("unavailable", "the replica has ended, and with it what ran here"))


def visits(s):
    job = s.run(SERVER, env={"MARK": "here"})
    s.h.wait(job, "running")
    for part in (commands, terminals, forwards, ends):
        part(s, job)
    s.ends(job, "cancelled")
    s.wait_gone(job)
