"""A control plane and agents of a test's own, where the demo's fleet is too tame: TLS, other settings, refusals.

    with hub.Hub({"api_tls": "on"}) as h:
        agent = h.agent("east", h.join("east"))
"""
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

import fleet
from fleet import BIN, ROOT, until


def free_port():
    """Below those that the kernel gives to outgoing connections, so that none takes it while a program is started again."""
    while True:
        port = random.randrange(12000, 30000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def fill(folder, spare=0):
    """Takes what is left of that disk, but for so many bytes.  The file."""
    path = os.path.join(folder, "filler")
    with open(path, "ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
        os.ftruncate(file.fileno(), max(0, file.tell() - spare))
    return path


class Hub:
    def __init__(self, settings=None):
        self.dir = tempfile.mkdtemp(prefix="fl-hub-")
        os.chmod(self.dir, 0o711)
        self.pg = os.path.join(self.dir, "p")
        self.ports = {name: free_port() for name in ("api", "tunnel")}
        self.settings = {"state_dir": os.path.join(self.dir, "hub"), "api_listen": f"127.0.0.1:{self.ports['api']}",
                         "tunnel_listen": f"127.0.0.1:{self.ports['tunnel']}", "metrics_listen": ""}
        self.settings["default_cpu"] = "0"  # the agents here share one small machine
        self.settings.update(settings or {})
        self.tls = None
        self.source = None  # address and port that 'ask' comes from
        self.lifeline, self.ours = os.pipe()  # when this process dies in any way, all that it has started ends
        self.processes, self.disks, self.pg_settings = [], [], []
        self.url = ("https" if self.settings.get("api_tls") == "on" else "http") + f"://127.0.0.1:{self.ports['api']}"

    def __enter__(self):
        self.postgres("start", *self.pg_settings)
        self.database = os.path.join(self.dir, "database")
        with open(self.database, "w") as file:
            file.write(f"host={self.pg} user=postgres dbname=postgres\n")
        self.start()
        return self

    def __exit__(self, kind, error, trace):
        if kind:
            self.tell_logs()
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for pid in self.supervisors():
            os.kill(pid, signal.SIGTERM)
        until("no supervisor is left", lambda: not self.supervisors(), 60)
        self.postgres("stop")
        for disk in self.disks:
            subprocess.run(["umount", disk], check=True, timeout=60)
        shutil.rmtree(self.dir)
        os.close(self.ours)
        os.close(self.lifeline)

    def postgres(self, verb, *settings, env=None):
        """start, stop, crash, down, up: see tests/store/pg.sh."""
        subprocess.run([os.path.join(ROOT, "tests/store/pg.sh"), verb, self.pg, *settings], check=True, stdout=subprocess.DEVNULL, timeout=120,
                       env={**os.environ, "FL_PG_LIFELINE": str(os.getpid()), **(env or {})})

    def small_disk(self, name, size):
        """A disk of its own, which can be full: a folder for the state directory or Postgres, before the start.  Root's."""
        path = os.path.join(self.dir, name)
        os.mkdir(path)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "none", path], check=True, timeout=60)
        self.disks.append(path)
        return path

    def supervisors(self):
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read().decode(errors="replace")
            except OSError:
                continue
            if "fairlead-supervise" in words and self.dir in words and fleet.is_alive(int(name)):
                found.append(int(name))
        return found

    def tell_logs(self):
        for name in sorted(n for n in os.listdir(self.dir) if n.endswith(".log")):
            with open(os.path.join(self.dir, name), errors="replace") as file:
                print(f"--- {name}, its end:", *file.readlines()[-20:], sep="\n", flush=True)

    def spawn(self, name, words, wrap=(), env=None):
        with open(os.path.join(self.dir, name + ".log"), "ab") as log:
            process = subprocess.Popen([*wrap, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(self.lifeline,),
                                       env=dict(os.environ if env is None else env, FAIRLEAD_LIFELINE=str(self.lifeline)))
        self.processes.append(process)
        return process

    def log(self, name):
        with open(os.path.join(self.dir, name + ".log"), errors="replace") as file:
            return file.read()

    def start(self):
        words = [os.path.join(BIN, "fairleadd"), "--database", "@" + self.database]
        for key, value in self.settings.items():
            words += ["--" + key.replace("_", "-"), str(value)]
        self.process = self.spawn("fairleadd", words)
        until("the control plane is ready", self.is_ready)

    def kill(self):
        """kill -9; 'start' starts it again."""
        self.process.kill()
        self.process.wait()

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"fairleadd ended with {self.process.returncode}: {self.log('fairleadd')[-1500:]}")
        try:
            with open(os.path.join(self.settings["state_dir"], "admin-token")) as file:
                self.token = file.readline().strip()
            return self.api("GET", "/readyz") is not None
        except (OSError, fleet.Problem):
            return False

    def context(self):
        if not self.tls:  # made once: it reads all CAs of the system
            self.tls = ssl.create_default_context()
            self.tls.check_hostname = False
            self.tls.verify_mode = ssl.CERT_NONE  # only this test's own client does so
        return self.tls

    def api(self, method, path, body=None, token=None):
        token = self.token if token is None else token
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode())
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
        more = {"context": self.context()} if self.url.startswith("https") else {}
        try:
            with urllib.request.urlopen(request, timeout=30, **more) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise fleet.Problem(error.code, error.read().decode(errors="replace")) from None

    def connection(self, timeout=60):
        where = urllib.parse.urlsplit(self.url)
        if where.scheme == "https":
            return http.client.HTTPSConnection(where.hostname, where.port, timeout=timeout, context=self.context(), source_address=self.source)
        return http.client.HTTPConnection(where.hostname, where.port, timeout=timeout, source_address=self.source)

    def ask(self, method, path, body=None, headers=None, timeout=60):
        """Status, headers and body of any answer; raises OSError when there is none."""
        connection = self.connection(timeout)
        try:
            sent = {"Authorization": f"Bearer {self.token}", **(headers or {})}
            if body is not None:
                sent["Content-Type"] = "application/json"
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except http.client.HTTPException as error:  # it went away while it answered
            raise ConnectionError(str(error)) from None
        finally:
            connection.close()

    def patient(self, method, path, body=None, headers=None, limit_s=fleet.LONG_S, also=()):
        """The body of the answer, asked for again while the control plane is away or busy; 'also' has further statuses to try
        again on."""
        end = time.monotonic() + limit_s
        while True:
            try:
                status, _, got = self.ask(method, path, body, headers)
            except OSError as error:
                status, got = 503, str(error).encode()
            if status in range(200, 300):
                return got
            if status not in (429, 503, 507, *also) or time.monotonic() > end:
                raise fleet.Problem(status, got.decode(errors="replace"))
            time.sleep(0.2)

    def job(self, job):
        return json.loads(self.patient("GET", f"/v1/jobs/{job}"))

    def output(self, job):
        return self.patient("GET", f"/v1/jobs/{job}/logs?format=text")

    def join(self, cluster):
        return self.api("POST", f"/v1/clusters/{cluster}/join-tokens", {})["token"]

    def agent(self, name, token=None, wrap=(), settings=None, env=None):
        words = [os.path.join(BIN, "fairlead-agent"), "--state-dir", os.path.join(self.dir, "agent-" + name), "--cgroup", "off"]
        if token:
            file = os.path.join(self.dir, name + ".join")
            with open(file, "w") as out:
                out.write(token + "\n")
            words += ["--join-token", "@" + file]
        for key, value in (settings or {}).items():
            words += ["--" + key.replace("_", "-"), str(value)]
        return self.spawn("agent-" + name, words, wrap, env)

    def state(self, cluster):
        try:
            return self.api("GET", f"/v1/clusters/{cluster}")["state"]
        except fleet.Problem:
            return None

    def wait_cluster(self, cluster, *states, limit_s=fleet.LONG_S):
        until(f"{cluster} is {' or '.join(states)}", lambda: self.state(cluster) in states, limit_s)

    def submit(self, document, key=None, waits=False, **more):
        """'waits': accepted even if no cluster could ever run it."""
        path = "/v1/jobs?waitForCluster=true" if waits else "/v1/jobs"
        return json.loads(self.patient("POST", path, document, {"Idempotency-Key": key} if key else None, **more))["id"]

    def wait(self, job, *states, limit_s=fleet.LONG_S):
        states = states or ("succeeded", "failed", "cancelled")
        return until(f"{job} is {' or '.join(states)}", lambda: (lambda j: j if j["state"] in states else None)(self.job(job)), limit_s)
