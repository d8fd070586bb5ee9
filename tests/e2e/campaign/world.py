"""The programs of a run and what can befall them.  Each fault is carried out and, where it lasts, healed by the same call."""
import os
import resource
import shutil
import signal
import stat
import struct
import time

import clocks
import fleet
import operations
import relay
from fleet import until
from schedule import CLUSTERS

SETTINGS = {"api_tls": "on", "log_segment": "1MiB", "log_segment_age": "15s"}
ROOM = {"cpus": "8", "memory": "8GiB"}
HUB_BYTES_MAX, AGENT_BYTES_MAX = 512 << 20, 160 << 20
DESCRIPTORS_MAX = 1024  # the most that a program may have open at any time
SEALED_TRAILER_BYTES, SEALED_TABLES_AT = 128, 48  # controlplane/logs/sealed_row.c
FOLDERS = ("ledger", "truth", "once")


class World(clocks.Clocked, operations.Site):
    def __init__(self):
        super().__init__(SETTINGS)
        self.make_clocks("fairleadd", "postgres", *CLUSTERS)
        self.agents, self.relays, self.counts, self.flips, self.highest, self.stopped = {}, {}, {}, [], {}, []
        for name in FOLDERS:
            os.mkdir(os.path.join(self.dir, name))

    def __enter__(self):
        super().__enter__()
        for name in CLUSTERS:
            self.relays[name] = relay.Relay(self.ports["tunnel"])
            self.start_agent(name, self.join(name))
            self.wait_cluster(name, "ready")
        return self

    def __exit__(self, kind, error, trace):
        for pid in self.stopped:
            send(pid, signal.SIGCONT)
        super().__exit__(kind, error, trace)

    def keep(self):
        """A copy of the folder, without Postgres, that stays."""
        kept = self.dir + ".kept"
        shutil.copytree(self.dir, kept, ignore=lambda folder, names: ["p", "work"] if folder == self.dir else [name for name in names if is_special(folder, name)])
        return kept

    def start_agent(self, name, token=None):
        self.agents[name] = self.agent(name, token, settings={"hub": f"127.0.0.1:{self.relays[name].port}", **ROOM})

    # ---- faults ------------------------------------------------------------------------------------------------

    def befall(self, fault):
        self.counts[fault.kind] = self.counts.get(fault.kind, 0) + 1
        getattr(self, fault.kind.replace(" ", "_"))(fault)
        self.measure()

    def kill_hub(self, _):
        self.kill()
        self.start()

    def kill_agent(self, fault):
        agent = self.agents[fault.cluster]
        agent.kill()
        agent.wait()
        self.start_agent(fault.cluster)

    def one_supervisor(self, fault):
        there = sorted(self.supervisors())
        return there[int(fault.share * len(there))] if there else None

    def kill_supervisor(self, fault):
        pid = self.one_supervisor(fault)
        if pid:
            send(pid, signal.SIGKILL)

    def crash_postgres(self, _):
        self.postgres("crash")

    def kill_backend(self, fault):
        """The whole server goes through recovery then."""
        with open(os.path.join(self.data, "postmaster.pid")) as file:
            postmaster = file.readline().strip()
        with open(f"/proc/{postmaster}/task/{postmaster}/children") as file:
            there = sorted(map(int, file.read().split()))
        if there:
            send(there[int(fault.share * len(there))], signal.SIGKILL)

    def pause(self, pid, seconds):
        self.stopped.append(pid)
        send(pid, signal.SIGSTOP)
        time.sleep(seconds)
        send(pid, signal.SIGCONT)
        self.stopped.remove(pid)

    def stop_hub(self, fault):
        self.pause(self.process.pid, fault.seconds)

    def stop_agent(self, fault):
        self.pause(self.agents[fault.cluster].pid, fault.seconds)

    def stop_supervisor(self, fault):
        pid = self.one_supervisor(fault)
        if pid:
            self.pause(pid, fault.seconds)

    def second_hub(self, fault):
        """A standby with a copy of the state directory leads while the first stands still, which then finds itself deposed."""
        folder = os.path.join(self.dir, "standby")
        shutil.copytree(self.settings["state_dir"], folder, ignore=shutil.ignore_patterns("logs", "lock", "instance", "*.new"))
        words = [os.path.join(fleet.BIN, "fairleadd"), "--database", "@" + self.database, "--state-dir", folder, "--metrics-listen", "", "--api-tls", "on",
                 "--api-listen", f"127.0.0.1:{operations.hub.free_port()}", "--tunnel-listen", f"127.0.0.1:{operations.hub.free_port()}"]
        standby = self.spawn("standby", words)
        self.pause(self.process.pid, 6 + fault.seconds)
        is_alive = standby.poll() is None
        standby.kill()
        standby.wait()
        shutil.rmtree(folder)
        assert is_alive, f"the standby ended with {standby.returncode}: {self.log('standby')[-1500:]}"

    def cut_tunnels(self, _):
        for one in self.relays.values():
            one.cut()

    def freeze_tunnel(self, fault):
        wires = self.relays[fault.cluster].freeze(up=fault.share < 0.7, down=fault.share > 0.3)
        time.sleep(fault.seconds)
        relay.thaw(wires)

    def short(self, pid, fault):
        """No more descriptors than it has now, but for a few."""
        try:
            _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            soft, _ = resource.prlimit(pid, resource.RLIMIT_NOFILE, (descriptors(pid) + fault.spare, hard))
            time.sleep(fault.seconds)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
        except ProcessLookupError:
            pass

    def short_hub(self, fault):
        self.short(self.process.pid, fault)

    def short_agent(self, fault):
        self.short(self.agents[fault.cluster].pid, fault)

    def flip_a_bit(self, fault):
        """In what is written of a file of output.  Its header and a sealed file's tables are left: each has one checksum
        (decision 75)."""
        folder = os.path.join(self.settings["state_dir"], "logs")
        names = sorted(name for name in os.listdir(folder) if name.endswith((".open", ".sealed")))
        sizes = {name: end_of_entries(os.path.join(folder, name)) for name in names}
        names = [name for name in names if sizes[name] > 64]
        if not names:
            return
        name = names[int(fault.share * len(names))]
        at = 40 + int(fault.second_share * (sizes[name] - 40))
        try:
            with open(os.path.join(folder, name), "r+b", buffering=0) as file:
                byte = os.pread(file.fileno(), 1, at)
                os.pwrite(file.fileno(), bytes([byte[0] ^ 1 << fault.spare]), at)
        except FileNotFoundError:  # it was sealed or merged meanwhile
            return
        self.flips.append(f"{name} at {at} of {sizes[name]}")
        if fault.seconds < 3:
            self.kill_hub(fault)

    def step(self, program, fault):
        """A new leader is the first to see a step that could move its time."""
        self.clocks[program].step(fault.step_s)
        if program not in CLUSTERS:
            self.kill_hub(fault)

    def step_hub(self, fault):
        self.step("fairleadd", fault)

    def step_agent(self, fault):
        self.step(fault.cluster, fault)

    def step_postgres(self, fault):
        self.step("postgres", fault)

    # ---- observed on the way -----------------------------------------------------------------------------------

    def heal(self):
        for clock in self.clocks.values():
            clock.step(0)
        for name in CLUSTERS:
            self.wait_cluster(name, "ready", limit_s=180)

    def measure(self):
        for name, process in (("fairleadd", self.process), *self.agents.items()):
            if process.poll() is not None:
                raise AssertionError(f"{name} ended by itself with {process.returncode}: {self.log(name if name == 'fairleadd' else 'agent-' + name)[-1500:]}")
            seen, was = (descriptors(process.pid), resident(process.pid)), self.highest.get(name, (0, 0))
            self.highest[name] = (max(seen[0], was[0]), max(seen[1], was[1]))
            assert self.highest[name][0] <= DESCRIPTORS_MAX, f"{name} has {seen[0]} descriptors"
            assert seen[1] <= (HUB_BYTES_MAX if name == "fairleadd" else AGENT_BYTES_MAX), f"{name} has {seen[1]} bytes"


def end_of_entries(path):
    """0: the file is gone, or not whole."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if path.endswith(".open") or size < SEALED_TRAILER_BYTES:
                return size
            return struct.unpack("<Q", os.pread(file.fileno(), 8, size - SEALED_TRAILER_BYTES + SEALED_TABLES_AT))[0]
    except FileNotFoundError:
        return 0


def is_special(folder, name):
    mode = os.lstat(os.path.join(folder, name)).st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def restore(h, load, jobs_len):
    """The dump, which has so many jobs, is put back as docs/operations.md says.  How many it has forgotten, the log's word, and
    all jobs so far."""
    with load.lock:
        h.follow("restore a dump")
        for job in load.jobs[jobs_len:]:
            job.is_lost = True
        for job in load.jobs:
            job.is_weak |= not job.is_lost and job.state is None
            if job.is_lost and job.follower:
                job.follower.stop()
        lost = sum(job.is_lost for job in load.jobs)
        line = until("the log tells of the loss", lambda: h.told()[-1:], 30)[0]
        return lost, line, len(load.jobs)
