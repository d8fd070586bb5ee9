"""A whole fleet for one test: the real programs, a private Postgres, on loopback.

    with fleet.Fleet() as f:                      # 'fairlead demo --detach' starts it, and takes it away
        job = f.submit({"command": ["true"]})
        f.wait(job)

FL_BIN is the folder of the programs; FL_TEST_MODE is fast, full or long.  A test prints 'ok - sentence' or
'not ok - sentence: why' for each thing it has shown (use 'shows'), and exits with 1 when one failed.
Nothing here waits for a fixed time: 'until' looks again and again, within a generous limit.
"""
import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("FL_BIN") or os.path.join(ROOT, "build", "release")
MODE = os.environ.get("FL_TEST_MODE", "full")
LONG_S = 120

failures = 0


def by_mode(fast, full, long):
    return {"fast": fast, "full": full, "long": long}[MODE]


@contextlib.contextmanager
def shows(sentence):
    """The block shows the sentence, or fails."""
    global failures
    try:
        yield
        print(f"ok - {sentence}", flush=True)
    except Exception as error:  # any failure of the block is one of the sentence
        failures += 1
        why = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"not ok - {sentence}: {why[:600]}", flush=True)
        traceback.print_exc(file=sys.stdout)


def finish():
    sys.exit(1 if failures else 0)


def equal(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what or 'value'}: got {got!r}, wanted {wanted!r}")


def until(what, look, limit_s=LONG_S, every_s=0.05):
    """Calls 'look' until it answers something true, which is returned."""
    end = time.monotonic() + limit_s
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"not within {limit_s} s: {what}")
        time.sleep(every_s)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Problem(Exception):
    """The API refused."""

    def __init__(self, status, body):
        self.status, self.body = status, body
        super().__init__(f"status {status}: {body}")


class Fleet:
    def __init__(self, clusters=3, env=None):
        self.clusters, self.env = clusters, dict(os.environ, **(env or {}))
        self.env["FAIRLEAD_DEFAULT_CPU"] = "0"  # many small jobs share this machine
        for name in ("FAIRLEAD_URL", "FAIRLEAD_TOKEN", "FAIRLEAD_CONTEXT"):
            self.env.pop(name, None)
        self.home = tempfile.mkdtemp(prefix="fl-home-")
        self.env["XDG_CONFIG_HOME"] = self.home

    def __enter__(self):
        out = subprocess.run([os.path.join(BIN, "fairlead"), "demo", "--detach", "-o", "json", "--clusters", str(self.clusters)],
                             env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LONG_S)
        if out.returncode != 0:
            raise RuntimeError(f"the fleet does not start: {out.stderr}")
        self.about = json.loads(out.stdout)
        self.dir, self.url, self.pids = self.about["dir"], self.about["url"], self.about["pids"]
        with open(self.about["token_file"]) as file:
            self.token = file.readline().strip()
        self.env.update(FAIRLEAD_URL=self.url, FAIRLEAD_TOKEN=self.token)
        return self

    def __exit__(self, kind, error, trace):
        if kind:
            self.tell_logs()
        subprocess.run([os.path.join(BIN, "fairlead"), "demo", "--stop", self.dir], env=self.env, timeout=LONG_S)
        subprocess.run(["rm", "-rf", self.home], check=True)

    def tell_logs(self):
        for name in sorted(os.listdir(os.path.join(self.dir, "log"))):
            with open(os.path.join(self.dir, "log", name), errors="replace") as file:
                print(f"--- {name}, its end:", *file.readlines()[-15:], sep="\n", flush=True)

    # ---- programs ------------------------------------------------------------------------------------------

    def pid_of(self, name):
        """The process of that program now; it may have been started again since.  0: none."""
        def children(pid):
            try:
                with open(f"/proc/{pid}/task/{pid}/children") as file:
                    return [int(word) for word in file.read().split()]
            except OSError:
                return []

        is_cluster = name not in ("postgres", "fairleadd")
        for pid in children(self.pids["keeper"]):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().decode(errors="replace").split("\0")
            except OSError:
                continue
            program = os.path.basename(words[0])
            if not is_cluster and program == name:
                return pid
            if is_cluster and program == "fairlead-agent" and f"{self.dir}/agents/{name}" in words:
                return pid
        return 0

    def kill(self, name, number=signal.SIGKILL):
        pid = until(f"{name} runs", lambda: self.pid_of(name))
        os.kill(pid, number)
        return pid

    # ---- the command line ----------------------------------------------------------------------------------

    def cli(self, *words, code=0, stdin=None, timeout=LONG_S):
        """stdout of a command, whose exit code must be 'code' (None: any)."""
        out = self.run(*words, stdin=stdin, timeout=timeout)
        if code is not None and out.returncode != code:
            raise AssertionError(f"fairlead {' '.join(words)}: exit code {out.returncode}, wanted {code}: {out.stderr}")
        return out.stdout

    def run(self, *words, stdin=None, timeout=LONG_S):
        return subprocess.run([os.path.join(BIN, "fairlead"), *words], env=self.env, input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=timeout)

    # ---- the API -------------------------------------------------------------------------------------------

    def api(self, method, path, body=None, headers=None, timeout=30, raw=False):
        """The answer, decoded; raises Problem when the status is not 2xx."""
        where = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=timeout)
        try:
            data = json.dumps(body) if isinstance(body, (dict, list)) else body
            sent = {"Authorization": f"Bearer {self.token}"}
            if data is not None:
                sent["Content-Type"] = "application/json"
            sent.update(headers or {})
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            got = answer.read()
        finally:
            connection.close()
        if answer.status not in range(200, 300):
            raise Problem(answer.status, got.decode(errors="replace"))
        return got if raw else json.loads(got or b"null")

    def patient(self, *args, limit_s=LONG_S, **more):
        """'api', asked again while the control plane is away or busy."""
        def look():
            try:
                return (self.api(*args, **more),)
            except Problem as problem:
                if problem.status not in (429, 503, 507):
                    raise
            except (OSError, http.client.HTTPException):
                pass
            return None

        return until(f"{args[0]} {args[1]}", look, limit_s)[0]

    def expect_log(self, job, *lines):
        """These lines, in any order; a job may have ended while its output is still with its agent."""
        said = lambda: self.log(job).decode().splitlines()
        until(f"the log of {job} is whole", lambda: len(said()) >= len(lines), 60)
        equal(sorted(said()), sorted(lines))

    def submit(self, document, key=None, waits=False):
        """'waits': accepted even if no cluster could ever run it."""
        return self.patient("POST", "/v1/jobs?waitForCluster=true" if waits else "/v1/jobs", document, {"Idempotency-Key": key} if key else {})["id"]

    def job(self, job):
        return self.patient("GET", f"/v1/jobs/{job}")

    def wait(self, job, *states, limit_s=LONG_S):
        """The job, once it is in one of the states; without any: once it has ended."""
        states = states or ("succeeded", "failed", "cancelled")
        last = {}

        def look():
            last.update(self.job(job))
            return last["state"] in states

        try:
            until(f"{job} is {' or '.join(states)}", look, limit_s)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; it is {json.dumps(last)[:400]}") from None
        return last

    def log(self, job, **query):
        words = urllib.parse.urlencode(dict(query, format="text"))
        return self.patient("GET", f"/v1/jobs/{job}/logs?{words}", raw=True)
