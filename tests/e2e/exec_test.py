"""Shells, commands and forwards: into the replica's place, through the tunnel, by our own client and by a foreign one.

Exit codes, 10 MiB through stdin, terminals and their sizes, half-close; the rights, and the audit; all that ends a visit:
the command, the job, a revoked token, a cut tunnel, a hostile client."""
import hashlib
import http.client
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time

import fleet
import visit_client
from fleet import equal, shows, until
from visit_client import Visit, command

SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = (self.path * 2000).encode()
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("port", server.server_port, flush=True)
server.serve_forever()
"""
BIG = 10 << 20


def refused(call, status):
    try:
        call()
    except visit_client.Refused as error:
        equal(error.status, status, error.body)
        return json.loads(error.body)
    raise AssertionError(f"no refusal; wanted {status}")


def fairlead(f, *words, stdin=None, timeout=120):
    return subprocess.run([os.path.join(fleet.BIN, "fairlead"), *words], env=f.env, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=timeout)


def audit(f, action):
    return f.api("GET", f"/v1/audit?limit=1000&action={action}")["audit"]


def commands(f, job):
    exec_path = f"/v1/jobs/{job}/exec?"
    with shows("a command runs with the job's environment and working directory; output, errors and exit code come back"):
        out = fairlead(f, "exec", job, "--", "sh", "-c", "echo $FAIRLEAD_JOB_ID $MARK; pwd; echo oh >&2; exit 7")
        equal((out.returncode, out.stderr), (7, b"oh\n"))
        equal(out.stdout.decode().split()[:2], [job, "here"])
        assert out.stdout.decode().rstrip().endswith("/files"), out.stdout
    with shows("a command that is not there, and one that a signal ends, have a shell's exit codes"):
        equal(fairlead(f, "exec", job, "--", "no-such-command").returncode, 127)
        equal(fairlead(f, "exec", job, "--", "sh", "-c", "kill -9 $$").returncode, 137)
    with shows("10 MiB go through stdin to stdout, byte for byte, by our client"):
        data = random.Random(5).randbytes(BIG)
        out = fairlead(f, "exec", job, "-i", "--", "cat", stdin=data)
        equal((out.returncode, out.stderr, len(out.stdout)), (0, b"", BIG))
        equal(hashlib.sha256(out.stdout).hexdigest(), hashlib.sha256(data).hexdigest())
    with shows("a client that does not read holds up the command, and then gets all of it"):
        with Visit(f, exec_path + command("sh", "-c", "head -c 20000000 /dev/zero; echo written >&2")) as v:
            time.sleep(2)
            v.finish()
            equal((v.exit_code, len(v.out), v.err), (0, 20000000, b"written\n"))
    with shows("a command that does not read holds up its client; then the foreign client's 10 MiB arrive whole, in messages of any size"):
        with Visit(f, exec_path + command("sh", "-c", "sleep 2; sha256sum")) as v:
            sizes, at = random.Random(6), 0
            while at < BIG:
                n = sizes.choice([1, 100, 70000, 1 << 20])
                v.put(0, data[at:at + n])
                at += n
            v.end_input()
            v.finish()
            equal(v.out.split()[0].decode(), hashlib.sha256(data).hexdigest())
            equal((v.exit_code, v.close), (0, 1000))
    with shows("half-close: the end of input is the command's, which writes on after it; a command without input has none"):
        with Visit(f, exec_path + command("sh", "-c", "cat; sleep 0.3; echo after; exec 1>&-; sleep 0.3; echo late >&2; exit 3")) as v:
            v.put(0, b"before\n")
            v.until(lambda v: v.out == b"before\n")
            v.end_input()
            v.finish()
            equal((v.out, v.err, v.exit_code, v.closed), (b"before\nafter\n", b"late\n", 3, {1, 2}))
        equal(fairlead(f, "exec", job, "--", "cat").returncode, 0)
    with shows("a process that a command leaves in the background does not hold its visit open"):
        out = fairlead(f, "exec", job, "--", "sh", "-c", "sleep 1000 & echo done", timeout=60)
        equal((out.returncode, out.stdout), (0, b"done\n"))
    with shows("a client that leaves hangs its command up"):
        with Visit(f, exec_path + command("sh", "-c", "echo $$; sleep 1000")) as v:
            v.until(lambda v: v.out.endswith(b"\n"))
            pid = int(v.out)
            assert fleet.is_alive(pid)
        until("the command has ended", lambda: not fleet.is_alive(pid), 60)


def terminals(f, job):
    with shows("a terminal has the size that the client says, and hears when that changes"):
        with Visit(f, f"/v1/jobs/{job}/exec?" + command("sh", "-c", "trap 'stty size' WINCH; tty; echo $TERM; stty size; while :; do sleep 0.1; done",
                                                        tty="true", rows=33, columns=101, term="vt220")) as v:
            v.until(lambda v: b"33 101" in v.out)
            assert b"/dev/pts/" in v.out and b"vt220" in v.out, v.out
            v.resize(120, 40)
            v.until(lambda v: b"40 120" in v.out)
            v.put(0, b"\x03")  # Ctrl-C, as a key
            v.finish()
            equal(v.exit_code, 130)
    with shows("input that ends on a terminal ends a command that misses the key, since it changes the terminal first"):
        changes = command("sh", "-c", "echo ready; sleep 1; stty raw; head -c 1 >&2; stty sane; cat >&2; echo over", tty="true", rows=33, columns=101, term="vt220")
        with Visit(f, f"/v1/jobs/{job}/exec?" + changes) as v:
            v.until(lambda v: b"ready" in v.out)
            v.end_input()
            v.finish()
            equal(v.exit_code, 0)
            assert b"over" in v.out, v.out
    with shows("'fairlead shell' on a terminal is a shell with job control; the terminal is as before when it ends"):
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(os.path.join(fleet.BIN, "fairlead"), ["fairlead", "shell", job], f.env)
        before = termios.tcgetattr(fd)
        seen = b""

        def read_until(what, limit_s=30):
            nonlocal seen
            end = time.monotonic() + limit_s
            while not re.search(what, seen):
                if time.monotonic() > end:
                    raise TimeoutError(f"no {what!r} in {seen!r}")
                if select.select([fd], [], [], 0.2)[0]:
                    try:
                        seen += os.read(fd, 4096)
                    except OSError:
                        break

        os.write(fd, b"echo $((6 * 7))x\n")
        read_until(rb"42x")
        os.write(fd, b"tty; stty size\n")
        read_until(rb"/dev/pts/\d+")
        raw = termios.tcgetattr(fd)
        assert raw[3] != before[3], "the terminal is not raw"
        os.write(fd, b"exit 5\n")
        _, how = os.waitpid(pid, 0)
        equal(os.waitstatus_to_exitcode(how), 5)
        equal(termios.tcgetattr(fd)[3], before[3], "the terminal's flags")
        os.close(fd)


def forwards(f, job):
    port = int(until("its port", lambda: re.search(rb"port (\d+)", f.log(job))).group(1))
    local = subprocess.Popen([os.path.join(fleet.BIN, "fairlead"), "forward", job, f"0:{port}"], env=f.env, stderr=subprocess.PIPE, text=True)
    try:
        here = int(re.search(r":(\d+) leads", local.stderr.readline()).group(1))
        with shows("100 requests reach an HTTP server in a job through 'fairlead forward', on kept and on new connections, some at once"):
            def ask(n):
                kept = http.client.HTTPConnection("127.0.0.1", here, timeout=60)
                for i in range(n):
                    kept.request("GET", f"/{n}-{i}")
                    answer = kept.getresponse()
                    equal((answer.status, answer.read()), (200, f"/{n}-{i}".encode() * 2000))
                kept.close()
                done.append(n)

            done = []
            threads = [threading.Thread(target=ask, args=(n,)) for n in [1] * 20 + [5] * 6 + [25, 25]]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            equal(sum(done), 100)
    finally:
        local.send_signal(signal.SIGINT)
        equal(local.wait(20), 0, local.stderr.read())
    with shows("a port at which nothing listens is refused by name"):
        with Visit(f, f"/v1/jobs/{job}/forward?port=1") as v:
            v.finish()
            equal(v.status["status"], "Failure")
            assert "port 1 of the replica" in v.status["message"], v.status


def permissions(f, job):
    exec_path = f"/v1/jobs/{job}/exec?" + command("true")
    made = f.api("POST", "/v1/tokens", {"name": "reader", "scopes": ["read", "submit", "cancel"]})
    with shows("without the scope exec: 403 before any handshake, and a row of the audit"):
        problem = refused(lambda: Visit(f, exec_path, token=made["token"]), 403)
        assert "exec" in problem["detail"], problem
        until("the row", lambda: any(r["outcome"] == "denied" and "reader" in r["actor"] for r in audit(f, "execJob")), 60)
    with shows("a visit has a row when it begins, with its command, and one when it ends, with its outcome"):
        with Visit(f, f"/v1/jobs/{job}/exec?" + command("sh", "-c", "exit 9")) as v:
            v.finish()
        row = until("its end", lambda: next((r for r in audit(f, "end_exec") if "exit code 9" in r["what"]), None), 60)
        equal(row["object"], job)
        assert any("exit 9" in r["what"] and r["object"] == job and r["outcome"] == "done" for r in audit(f, "exec")), audit(f, "exec")
    with shows("a token with the scope exec alone may enter; revoked, it is thrown out at once, and hears why"):
        visitor = f.api("POST", "/v1/tokens", {"name": "visitor", "scopes": ["exec"]})
        with Visit(f, f"/v1/jobs/{job}/exec?" + command("sh", "-c", "echo in; sleep 1000"), token=visitor["token"]) as v:
            v.until(lambda v: v.out == b"in\n")
            began = time.monotonic()
            f.api("DELETE", f"/v1/tokens/{visitor['id']}")
            v.finish()
            assert time.monotonic() - began < 60
            equal((v.close, v.status["reason"]), (1008, "denied"))
            assert "revoked" in v.status["message"], v.status
    with shows("a page of another origin, a plain request, HEAD, a foreign subprotocol and an unknown job are refused"):
        refused(lambda: Visit(f, exec_path, headers={"Origin": "https://evil.example"}), 403)
        refused(lambda: Visit(f, exec_path, headers={"Origin": f.url, "Host": "evil.example"}), 403)
        with Visit(f, exec_path, headers={"Origin": f.url}) as v:
            equal(v.finish().exit_code, 0)
        refused(lambda: Visit(f, exec_path, headers={"Upgrade": None}), 400)
        refused(lambda: Visit(f, exec_path, headers={"Sec-WebSocket-Version": "8"}), 400)
        refused(lambda: Visit(f, exec_path, headers={"Sec-WebSocket-Key": "short"}), 400)
        refused(lambda: Visit(f, exec_path, headers={"Sec-WebSocket-Protocol": "v1.channel.k8s.io"}), 422)
        refused(lambda: Visit(f, f"/v1/jobs/job-zzzz/exec?" + command("true")), 404)
        for bad in ("command=ls", "command=%5B%5D", "command=%5B1%5D", "replica=70000", "rows=0", "what=1"):
            refused(lambda: Visit(f, f"/v1/jobs/{job}/exec?{bad}"), 422)
        problem = refused(lambda: Visit(f, f"/v1/jobs/{job}/forward"), 422)
        equal((problem["errors"][0]["parameter"], "missing" in problem["errors"][0]["detail"]), ("port", True), problem)
    with shows("a job that waits, a replica that is not there, and a job that has ended are refused with what they are"):
        held = f.submit({"command": ["true"], "hold": True})
        assert "held" in refused(lambda: Visit(f, f"/v1/jobs/{held}/exec?" + command("true")), 409)["detail"]
        assert "one replica" in refused(lambda: Visit(f, exec_path + "&replica=9"), 422)["detail"]
        f.api("POST", f"/v1/jobs/{held}:cancel")
        assert "cancelled" in refused(lambda: Visit(f, f"/v1/jobs/{held}/exec?" + command("true")), 409)["detail"]
        equal(fairlead(f, "exec", held, "--", "true").returncode, 1)


def hostile(f, job):
    path = f"/v1/jobs/{job}/exec?" + command("cat")
    bad = {
        "an unmasked frame": (1002, lambda v: v.socket.sendall(b"\x82\x02\x00a")),
        "a reserved bit": (1002, lambda v: v.socket.sendall(b"\xc2\x80\0\0\0\0")),
        "text": (1003, lambda v: v.frame(1, b"\0hello")),
        "an unknown opcode": (1002, lambda v: v.frame(3, b"\0")),
        "a continuation of nothing": (1002, lambda v: v.frame(0, b"\0")),
        "a ping of 126 bytes": (1002, lambda v: v.frame(9, bytes(126))),
        "a frame of 2^62 bytes": (1009, lambda v: v.socket.sendall(b"\x82\xff" + struct.pack(">Q", 1 << 62) + bytes(4))),
        "an unknown channel": (1008, lambda v: v.put(7, b"x")),
        "output from a client": (1008, lambda v: v.put(1, b"x")),
        "OPEN from a client": (1008, lambda v: v.put(16, bytes(40))),
        "an invalid size": (1008, lambda v: v.put(4, b"{\"Width\":-1,\"Height\":1}")),
        "a size without end": (1008, lambda v: v.put(4, b" " * 100000)),
        "the end of a channel that is not a client's": (1008, lambda v: v.put(255, b"\1")),
    }
    with shows("a hostile client is thrown out, each with its code, and others go on"):
        with Visit(f, path) as other:
            for what, (code, do) in bad.items():
                with Visit(f, path) as v:
                    do(v)
                    v.finish()
                    equal(v.close, code, what)
            with Visit(f, path) as v:  # input behind its end breaks a rule of the visit, not of the tunnel
                v.end_input()
                v.put(0, b"late")
                assert v.finish().close in (1000, 1008), v.close
            other.put(0, b"still here")
            other.end_input()
            equal(other.finish().out, b"still here")
        equal(f.api("GET", "/v1/clusters")["clusters"][0]["connected"], True)


def ends(f):
    job = f.submit({"command": ["sleep", "1000"]})
    f.wait(job, "running")
    with shows("a visit ends with its job, and what it left in the background, too"):
        with Visit(f, f"/v1/jobs/{job}/exec?" + command("sh", "-c", "sleep 777 & echo $!; exit 0")) as v:
            background = int(v.finish().out)
        assert fleet.is_alive(background)
        with Visit(f, f"/v1/jobs/{job}/exec?" + command("sh", "-c", "echo in; sleep 1000")) as v:
            v.until(lambda v: v.out == b"in\n")
            f.api("POST", f"/v1/jobs/{job}:cancel")
            v.finish()
            equal(v.status["reason"], "unavailable")
            assert "the replica has ended" in v.status["message"], v.status
        until("nothing is left", lambda: not fleet.is_alive(background), 60)
    job = f.submit({"command": ["sleep", "1000"]})
    cluster = until("it runs", lambda: next((e["cluster"] for e in f.job(job).get("live", []) if e["replicas"] == ["running"]), None))
    with shows("a cut tunnel ends a visit with a clear word, and the job goes on"):
        client = subprocess.Popen([os.path.join(fleet.BIN, "fairlead"), "exec", job, "--", "sh", "-c", "echo in; sleep 1000"],
                                  env=f.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        equal(client.stdout.readline(), "in\n")
        f.kill(cluster)
        _, told = client.communicate(timeout=60)
        equal(client.returncode, 69, told)
        assert f"the tunnel was cut: cluster {cluster}" in told, told
        until("it can be entered again", lambda: fairlead(f, "exec", job, "--", "true").returncode == 0)
    f.api("POST", f"/v1/jobs/{job}:cancel")


def main():
    with fleet.Fleet(clusters=2) as f:
        job = f.submit({"command": ["python3", "-c", SERVER], "env": {"MARK": "here"}})
        f.wait(job, "running")
        commands(f, job)
        terminals(f, job)
        forwards(f, job)
        permissions(f, job)
        hostile(f, job)
        f.api("POST", f"/v1/jobs/{job}:cancel")
        ends(f)
    fleet.finish()


if __name__ == "__main__":
    main()
