"""The benchmarks of the whole: fairleadd and its Postgres, clients over TLS, agents over TLS tunnels.

bench/run has the table of them; here is how they are driven.  Agents are fake (bench/agents_bench.c: real sockets,
frames and messages, nothing runs) but for B18, whose agent and processes are real.
"""
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# Jobs of the load ask for no CPU, so the nodes of the fake agents do not bound the figures.
os.environ["FAIRLEAD_DEFAULT_CPU"] = "0"
FIGURES = "up started ended live doubled stopped lost enrolled log_bytes log_acked outputs hold".split()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
READY_S = 60
QUEUE = "bench"


class Failure(Exception):
    pass


def until(what, is_done, limit_s, pause_s=0.02):
    end = time.monotonic() + limit_s
    while not is_done():
        if time.monotonic() > end:
            raise Failure(f"{what}: not in {limit_s} s")
        time.sleep(pause_s)


def free_port():
    """Below those that the kernel gives to outgoing connections, so that none takes it while a program is started again."""
    while True:
        port = random.randrange(12000, 30000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def cpu_s(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            words = file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def rss_bytes(pid):
    with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def kernel_bytes():
    """Unreclaimable slabs and TCP buffers of the whole machine: both ends of every connection are in it."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        slab = next(int(line.split()[1]) * 1024 for line in file if line.startswith("SUnreclaim:"))
    with open("/proc/net/sockstat", encoding="utf-8") as file:
        pages = next(int(line.split()[-1]) for line in file if line.startswith("TCP:"))
    return slab + pages * os.sysconf("SC_PAGE_SIZE")


class Live:
    """A control plane of this build on a database of its own, and what speaks with it."""

    def __init__(self, run, conninfo, prefix=(), settings=()):
        self.run = run
        self.conninfo = conninfo
        self.prefix = list(run.prefix or prefix)
        self.settings = list(settings)
        self.processes = []

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="fl-live-")
        self.figures_path = os.path.join(self.dir, "figures")
        self.ports = {name: free_port() for name in ("api", "tunnel", "metrics")}
        with open(os.path.join(self.dir, "database"), "w", encoding="utf-8") as file:
            file.write(self.conninfo + "\n")
        self.start()
        self.api("POST", "/v1/queues", {"name": QUEUE})
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            self.end(process)
        shutil.rmtree(self.dir)

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
        if process.poll() is None:
            process.kill()
        process.wait()

    def spawn(self, name, words, stdout=None):
        log = open(os.path.join(self.dir, name + ".log"), "ab")
        process = subprocess.Popen([*self.prefix, *words], stdin=subprocess.DEVNULL, stdout=stdout or log, stderr=log)
        process.fl_name = name
        self.processes.append(process)
        log.close()
        return process

    def log(self, name):
        with open(os.path.join(self.dir, name + ".log"), errors="replace", encoding="utf-8") as file:
            return file.read()[-2000:]

    def start(self):
        words = [os.path.join(self.run.folder, "fairleadd"), "--database", "@" + os.path.join(self.dir, "database"),
                 "--state-dir", os.path.join(self.dir, "hub"), "--api-listen", f"127.0.0.1:{self.ports['api']}",
                 "--tunnel-listen", f"127.0.0.1:{self.ports['tunnel']}", "--metrics-listen", f"127.0.0.1:{self.ports['metrics']}", "--api-tls", "on",
                 "--log-level", "warn", *self.settings]
        self.hub = self.spawn("fairleadd", words)
        self.token_path = os.path.join(self.dir, "hub/admin-token")
        until("the control plane is ready", self.is_ready, READY_S)

    def is_ready(self):
        if self.hub.poll() is not None:
            raise Failure(f"fairleadd ended: {self.log('fairleadd')}")
        try:
            with open(self.token_path, encoding="utf-8") as file:
                self.token = file.readline().strip()
            self.api("GET", "/readyz")
            return True
        except OSError:
            return False

    def api(self, method, path, body=None):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE # it was started above, on loopback
        request = urllib.request.Request(f"https://127.0.0.1:{self.ports['api']}{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode())
        request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=30, context=context) as answer:
            return json.loads(answer.read() or b"{}")

    def reach(self):
        return [f"--api=127.0.0.1:{self.ports['api']}", f"--token={self.token_path}"]

    # ---- the tools

    def tool_path(self, name):
        return os.path.join(self.run.folder, "bench", name)

    def agents(self, count, *more, name="bench", limit_s=900):
        """Those of another name than the first have figures of their own."""
        process = self.spawn(f"agents-{name}", [self.tool_path("agents_bench"), *self.reach(),
                             f"--hub=127.0.0.1:{self.ports['tunnel']}", f"--figures={self.figures_of(name)}",
                             f"--agents={count}", f"--name={name}", f"--seconds={limit_s}", *more])
        until(f"{count} agents are up", lambda: self.check(process) and self.figure("up", name) == count, 60 + count / 20)
        return process

    def figures_of(self, name):
        return self.figures_path if name == "bench" else f"{self.figures_path}.{name}"

    def check(self, process):
        if process.poll() is not None:
            raise Failure(f"{process.fl_name} ended with {process.returncode}: {self.log(process.fl_name)}")
        return True

    def figures(self, name="bench"):
        try:
            with open(self.figures_of(name), "rb") as file:
                return dict(zip(FIGURES, struct.unpack(f"<{len(FIGURES)}Q", file.read())))
        except (FileNotFoundError, struct.error):
            return dict.fromkeys(FIGURES, 0)

    def figure(self, key, name="bench"):
        return self.figures(name)[key]

    def hold(self, is_on, name="bench"):
        with open(self.figures_of(name), "r+b") as file:
            file.seek(8 * FIGURES.index("hold"))
            file.write(struct.pack("<Q", int(is_on)))

    def begin(self, name, *args):
        return self.spawn(name, [self.tool_path(name), *args, *self.reach()], stdout=subprocess.PIPE)

    def finish(self, process, limit_s):
        try:
            out = process.communicate(timeout=limit_s)[0]
        except subprocess.TimeoutExpired:
            raise Failure(f"{process.fl_name} took longer than {limit_s} s") from None
        self.processes.remove(process)
        if process.returncode != 0:
            raise Failure(f"{process.fl_name}: exit {process.returncode}: {self.log(process.fl_name)}; "
                          f"fairleadd: {self.log('fairleadd')}")
        return json.loads(out)

    def load(self, case, *args, seconds, warm=1):
        process = self.begin("load_bench", case, f"--seconds={seconds}", f"--warm={warm}", *args)
        return self.finish(process, seconds + warm + 90)

    # ---- CPU and memory used

    def cpu(self):
        """CPU seconds so far: Postgres, and ours but for the tools that post."""
        with open(os.path.join(self.run.pg.folder, "data/postmaster.pid"), encoding="utf-8") as file:
            postmaster = int(file.readline())
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(postmaster)], stdout=subprocess.PIPE, text=True,
                                  check=False).stdout.split()
        agents = sum(cpu_s(p.pid) for p in self.processes if p.fl_name.startswith("agents"))
        return {"pg": cpu_s(postmaster) + sum(map(cpu_s, map(int, children))), "hub": cpu_s(self.hub.pid), "agents": agents}


def with_half(figure, half):
    """Notes in the figure whether the measured system reaches half of the goal, the least that is accepted."""
    figure["half"] = bool(half)
    return figure


def rounds_of(run):
    return 1 if run.is_quick else 3


def seconds_of(run):
    return 3 if run.is_quick else 8


# ---- submission


def submit_rows(run, figure, name, floors, case, args, more):
    """One candidate between two floors, in turns."""
    ratios, lines, cpus = [], [], []
    floor_lines = [floors()]
    for _ in range(rounds_of(run)):
        with run.pg.database() as conninfo, Live(run, conninfo) as live:
            before = live.cpu()
            lines.append(live.load(case, *args, seconds=seconds_of(run)))
            after = live.cpu()
            jobs = lines[-1]["jobs"] * (seconds_of(run) + 1) / seconds_of(run) # the warm second is in it
            cpus.append({key: (after[key] - before[key]) * 1e6 / jobs for key in after})
        floor_lines.append(floors())
        floor = (floor_lines[-1]["value"] + floor_lines[-2]["value"]) / 2
        ratios.append(lines[-1]["value"] / floor)
    value = statistics.median(line["value"] for line in lines)
    return figure(name, value, "jobs/s", floor=statistics.median(line["value"] for line in floor_lines),
                  ratio=statistics.median(ratios), values=[line["value"] for line in lines],
                  floors=[line["value"] for line in floor_lines],
                  detail={"pg_cpu_us": statistics.median(cpu["pg"] for cpu in cpus),
                          "own_cpu_us": statistics.median(cpu["hub"] for cpu in cpus),
                          "p50_ms": statistics.median(line["p50_ms"] for line in lines),
                          "p99_ms": statistics.median(line["p99_ms"] for line in lines)}, **more)


def listener_floor(run):
    return run.tool("http_bench", "requests", "--connections=256", "--seconds=2", "--warm=0.5")


def copy_floor(run):
    return run.on_fresh("floor", "copy-500", times=["--seconds=2", "--warm=0.5"])


def single(figure):
    def run_one(run):
        found = []
        for name, args in (("B2", []), ("B2k", ["--keyed=1"])):
            row = submit_rows(run, figure, name, lambda: listener_floor(run), "single", args,
                              {"ratio_goal": 0.5, "goal": (">=", 70000)})
            found.append(with_half(row, row["value"] >= 35000 or row["ratio"] >= 0.25))
            found.append(figure(f"{name}.p99", row["detail"]["p99_ms"], "ms", goal=("<=", 8), values=[row["detail"]["p99_ms"]]))
        return found
    return run_one


def bulk(figure):
    def run_one(run):
        row = submit_rows(run, figure, "B1", lambda: copy_floor(run), "batch", [],
                          {"ratio_goal": 0.45, "goal": (">=", 265000)})
        own = submit_rows(run, figure, "B1.distinct", lambda: copy_floor(run), "batch", ["--distinct=1"],
                          {"goal": (">=", 100000)})
        return [with_half(row, row["value"] >= 132500 or row["ratio"] >= 0.225), own]
    return run_one


# ---- whole life


def life(figure):
    def run_one(run):
        seconds = 20 if run.is_quick else 600
        floors = [run.on_fresh("floor", "life-events-500", times=["--seconds=2", "--warm=0.5"])]
        with run.pg.database() as conninfo, Live(run, conninfo) as live:
            live.agents(10)
            live.load("life", f"--figures={live.figures_path}", seconds=2 if run.is_quick else 10)
            before, ended = live.cpu(), live.figure("ended")
            line = live.load("life", f"--figures={live.figures_path}", seconds=seconds, warm=0)
            after, seen = live.cpu(), live.figures()
            jobs = seen["ended"] - ended
        floors.append(run.on_fresh("floor", "life-events-500", times=["--seconds=2", "--warm=0.5"]))
        if seen["doubled"] or seen["lost"]:
            raise Failure(f"a job ran twice, or a tunnel was lost: {seen}")
        floor = statistics.mean(f["value"] for f in floors)
        parts = {key: (after[key] - before[key]) * 1e6 / jobs for key in after}
        parts["load"] = line["load_cpu_s"] * 1e6 / jobs
        steady = line["last_per_s"] / line["first_per_s"]
        row = figure("B4", line["value"], "jobs/s", floor=floor, ratio=line["value"] / floor, ratio_goal=0.40,
                     goal=(">=", 110000), values=[line["value"]], floors=[f["value"] for f in floors],
                     detail={"pg_cpu_us": parts["pg"], "own_cpu_us": parts["hub"], "seconds": seconds,
                             "refused": line["refused"]})
        cpu = figure("B5", sum(parts.values()), "us CPU/job", goal=("<=", 17), values=[sum(parts.values())],
                     detail={f"{key}_us": value for key, value in parts.items()})
        return [with_half(row, row["value"] >= 55000 or row["ratio"] >= 0.20),
                figure("B4.steady", steady, "last/first", goal=(">=", 0.95), values=[line["first_per_s"], line["last_per_s"]]),
                cpu]
    return run_one


def start_floor(run):
    """The least time from submit to start, in ms: a request, three hops, two commits of one row."""
    times = ["--seconds=1", "--warm=0.3"]
    rtt_ms = run.tool("echo_bench", "rtt", *times)["value"] / 1000
    commit_ms = run.on_fresh("floor", "unnest-1", times=times)["batch_p50_ms"]
    return rtt_ms + 3 * rtt_ms / 2 + 2 * commit_ms


def start_latency(figure):
    def run_one(run):
        idle, loaded, rates, floors = [], [], [], [start_floor(run)]
        probes = 300 if run.is_quick else 2000
        for _ in range(rounds_of(run)):
            with run.pg.database() as conninfo, Live(run, conninfo) as live:
                probe = [f"--hub=127.0.0.1:{live.ports['tunnel']}", f"--probe={probes}", "--seconds=200"]
                idle.append(live.finish(live.begin("agents_bench", *probe, "--name=idle",
                                                   f"--figures={live.figures_path}.idle"), 220))
                live.agents(10)
                full = live.load("life", f"--figures={live.figures_path}", seconds=seconds_of(run))["value"]
                rates.append(full / 2)
                load = live.begin("load_bench", "life", f"--figures={live.figures_path}", "--jobs=50", f"--rate={full / 2}",
                                  f"--seconds={4 + probes / 60}", "--warm=0")
                loaded.append(live.finish(live.begin("agents_bench", *probe, "--name=loaded",
                                                     f"--figures={live.figures_path}.loaded"), 220))
                live.end(load)
            floors.append(start_floor(run))
        floor = statistics.median(floors)
        p50 = statistics.median(line["value"] for line in idle)
        p99 = statistics.median(line["p99_ms"] for line in idle)
        busy = statistics.median(line["p99_ms"] for line in loaded)
        row = figure("B9", p50, "ms", floor=floor, ratio=floor / p50, ratio_goal=0.5, goal=("<=", 0.9),
                     values=[line["value"] for line in idle], floors=floors,
                     detail={"answer_p50_ms": statistics.median(line["answer_p50_ms"] for line in idle)})
        return [with_half(row, p50 <= 1.8 or floor / p50 >= 0.25),
                figure("B9.p99", p99, "ms", goal=("<=", 2.5), values=[line["p99_ms"] for line in idle]),
                figure("B9.loaded.p99", busy, "ms", goal=("<=", 15), values=[line["p99_ms"] for line in loaded],
                       detail={"rate": statistics.median(rates),
                               "p50_ms": statistics.median(line["value"] for line in loaded)})]
    return run_one


# ---- many agents


def fleet_size(run):
    return 500 if run.is_quick else 10000


def idle_agents(figure):
    def run_one(run):
        count, seconds = fleet_size(run), 10 if run.is_quick else 30
        with run.pg.database() as conninfo, Live(run, conninfo) as live:
            rss, kernel = rss_bytes(live.hub.pid), kernel_bytes()
            live.agents(count)
            time.sleep(3)
            rss = (rss_bytes(live.hub.pid) - rss) / count / 1024
            kernel = (kernel_bytes() - kernel) / 2 / count / 1024
            cpu = cpu_s(live.hub.pid)
            time.sleep(seconds)
            cpu = (cpu_s(live.hub.pid) - cpu) / seconds * 100
        return [figure("B10", rss + kernel, "KB/agent", goal=("<=", 36), values=[rss, kernel],
                       detail={"rss_kb": rss, "kernel_kb": kernel, "agents": count}),
                figure("B10.cpu", cpu, "% of a core", goal=("<=", 2), values=[cpu])]
    return run_one


def storm(figure):
    def run_one(run):
        count = fleet_size(run)
        jobs = 1000 if run.is_quick else 10000
        with run.pg.database() as conninfo, Live(run, conninfo) as live:
            agents = live.agents(count)
            live.hold(True)
            line = json.dumps({"spec": "s", "job": {"queue": QUEUE, "command": ["true"], "resources": {"cpu": "1"}}}) + "\n"
            for _ in range(jobs // 500):
                submit_lines(live, line + '{"use":"s"}\n' * 500)
            until("all jobs run", lambda: live.figure("started") == jobs, 120)
            live.hub.send_signal(signal.SIGKILL)
            live.hub.wait()
            until("the agents saw it go", lambda: live.figure("up") == 0, 60)
            began = time.monotonic()
            live.start()
            ready = time.monotonic() - began
            until("all agents are back", lambda: live.check(agents) and live.figure("up") == count, 300)
            back = time.monotonic() - began
            live.hold(False)
            until("all jobs ended", lambda: live.check(agents) and live.figure("ended") >= jobs, 120)
            seen = live.figures()
        bad = jobs - seen["ended"] + seen["doubled"] + seen["stopped"]
        limit = 0.00031 * 2 * count / 2 + 0.000064 * count / 2 # both ends of a handshake, two processors
        return [figure("B11", back, "s", floor=limit, ratio=limit / back, goal=("<=", 6), values=[back],
                       detail={"ready_s": ready, "agents": count}),
                figure("B11.wrong", bad, "jobs lost or doubled", goal=("<=", 0), values=[bad])]
    return run_one


def livez_times(live, seconds):
    """How long /livez took, a connection each, in milliseconds; the slowest last."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    took, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        request = f"https://127.0.0.1:{live.ports['api']}/livez"
        with urllib.request.urlopen(request, timeout=30, context=context) as answer:
            answer.read()
        took.append((time.monotonic() - began) * 1000)
        time.sleep(0.02)
    return sorted(took)


def strangers(figure):
    def run_one(run):
        seconds = 5 if run.is_quick else 20
        quiet, took = [], []
        with run.pg.database() as conninfo, Live(run, conninfo) as live:
            attack = [sys.executable, os.path.join(ROOT, "tests/e2e/strangers.py"), "hello", "2000", *map(str, (live.ports["tunnel"], live.ports["api"]))]
            for _ in range(rounds_of(run)):
                quiet.append(livez_times(live, seconds))
                hellos = live.spawn("strangers", ["nice", *attack])
                time.sleep(2)
                took.append(livez_times(live, seconds))
                live.end(hellos)
        p99 = [[times[len(times) * 99 // 100] for times in each] for each in (took, quiet)]
        value, floor = map(statistics.median, p99)
        return [figure("strangers", value, "ms p99", floor=floor, ratio=floor / value, goal=("<=", 50), values=p99[0], floors=p99[1])]
    return run_one


def submit_lines(live, text):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    request = urllib.request.Request(f"https://127.0.0.1:{live.ports['api']}/v1/jobs:batch", method="POST",
                                     data=text.encode(), headers={"Authorization": f"Bearer {live.token}",
                                                                  "Content-Type": "application/x-ndjson"})
    with urllib.request.urlopen(request, timeout=60, context=context) as answer:
        if b"problem" in answer.read():
            raise Failure("a job was refused")


# ---- output


def one_flow(run, lines_per_s, sources, seconds):
    """Lines a second that are on disk, and the ages of those that one reader of one job saw."""
    with run.pg.database() as conninfo, Live(run, conninfo) as live:
        agents = live.agents(10, f"--lines={lines_per_s}")
        live.hold(True)
        job = live.api("POST", "/v1/jobs", {"queue": QUEUE, "command": ["true"], "resources": {"cpu": "1"}})["id"]
        line = json.dumps({"spec": "s", "job": {"queue": QUEUE, "command": ["true"], "resources": {"cpu": "1"}}}) + "\n"
        for _ in range(sources // 500):
            submit_lines(live, line + '{"use":"s"}\n' * 500)
        until("all sources write", lambda: live.check(agents) and live.figure("started") > sources, 60)
        reader = live.begin("follow_bench", "stream", f"--job={job}", f"--seconds={seconds}", "--warm=1")
        time.sleep(1)
        before, cpu, began = live.figure("log_acked"), live.cpu(), time.monotonic()
        time.sleep(seconds)
        rate = (live.figure("log_acked") - before) / 120 / (time.monotonic() - began)
        used = (live.cpu()["hub"] - cpu["hub"]) * 1e6 / max(rate * seconds, 1)
        return rate, live.finish(reader, seconds + 90), used


def logs(figure):
    def run_one(run):
        sources, seconds = 1000, seconds_of(run)
        rate, _, cpu = one_flow(run, 0, sources, seconds)
        asked, seen, _ = one_flow(run, 100000, sources, seconds)
        return [figure("B13", rate, "lines/s", goal=(">=", 1200000), values=[rate], detail={"own_cpu_us": cpu}),
                figure("B13.p99", seen["value"], "ms", goal=("<=", 20), values=[seen["value"]],
                       detail={"p50_ms": seen["p50_ms"], "lines_per_s": asked})]
    return run_one


def tiny_jobs(figure):
    """Jobs with a line of output each, a thousand a second, while a reader follows a job of another cluster."""
    def run_one(run):
        seconds, early = (40, 10) if run.is_quick else (1800, 300)
        with run.pg.database() as conninfo, Live(run, conninfo) as live:
            agents = live.agents(10, "--brief=1", limit_s=seconds + 300)
            other = live.agents(1, "--lines=50", name="other", limit_s=seconds + 300)
            live.hold(True, "other")
            job = live.api("POST", "/v1/jobs", {"queue": QUEUE, "command": ["true"], "clusters": ["other-0"], "resources": {"cpu": "1"}})["id"]
            until("the other cluster's job runs", lambda: live.figure("started", "other") == 1, 60)
            load = live.begin("load_bench", "life", f"--figures={live.figures_path}", "--rate=1000", "--connections=1",
                              f"--seconds={seconds}", "--warm=0")
            reader = live.begin("follow_bench", "stream", f"--job={job}", f"--seconds={seconds - 5}")
            time.sleep(early)
            outputs, before = live.figure("outputs"), rss_bytes(live.hub.pid)
            time.sleep(seconds - early - 1)
            live.check(agents), live.check(other)
            after, all_outputs = rss_bytes(live.hub.pid), live.figure("outputs")
            rate = (all_outputs - outputs) / (seconds - early - 1)
            seen, line = live.finish(reader, 90), live.finish(load, 90)
        return [figure("tiny", after / before, "x its memory", goal=("<=", 1.1), values=[before / 1e6, after / 1e6],
                       detail={"outputs_per_s": rate, "outputs": all_outputs, "jobs_per_s": line["value"]}),
                figure("tiny.p99", seen["value"], "ms", goal=("<=", 100), values=[seen["value"]], detail={"p50_ms": seen["p50_ms"]})]
    return run_one


# ---- real processes


def processes(figure):
    def run_one(run):
        tasks = 1000 if run.is_quick else 10000

        def floor():
            with tempfile.TemporaryDirectory() as folder:
                return run.tool("spawn_bench", "loop", f"--tasks={tasks // 2}", f"--dir={folder}")["value"]

        floors = [floor()]
        with run.pg.database() as conninfo, Live(run, conninfo) as live:
            token = live.api("POST", "/v1/clusters/real/join-tokens", {})["token"]
            path = os.path.join(live.dir, "join")
            with open(path, "w", encoding="utf-8") as file:
                file.write(token + "\n")
            agent = live.spawn("agents-real", [os.path.join(run.folder, "fairlead-agent"), "--state-dir",
                               os.path.join(live.dir, "agent"), "--join-token", "@" + path, "--cgroup", "off", "--cpus", "16",
                               "--memory", "16GiB", "--log-level", "warn"])

            def is_up():
                live.check(agent)
                with contextlib.suppress(urllib.error.HTTPError):
                    return live.api("GET", "/v1/clusters/real")["state"] == "ready"
                return False

            until("the agent is up", is_up, 60)
            began = time.monotonic()
            job = live.api("POST", "/v1/jobs", {"queue": QUEUE, "command": ["true"], "array": tasks,
                                                "resources": {"cpu": "1", "memory": "16Mi"}})["id"]

            def is_over():
                live.check(agent)
                return live.api("GET", f"/v1/jobs/{job}")["state"] in ("succeeded", "failed", "cancelled")

            until("all tasks ended", is_over, 300, 0.1)
            rate = tasks / (time.monotonic() - began)
            if live.api("GET", f"/v1/jobs/{job}")["state"] != "succeeded":
                raise Failure("the tasks failed")
        floors.append(floor())
        mean = statistics.mean(floors)
        return [figure("B18", rate, "tasks/s", floor=mean, ratio=rate / mean, ratio_goal=0.9, values=[rate], floors=floors)]
    return run_one
