"""A node of a test cluster: its own network, mounts and process ids on this machine, and the programs in them.

The first process of the node is 'pause flkN-I', which holds the namespaces.  A program is found by name among the processes
of that node.  When pause is killed, the kernel ends every process of the node, containers too, and takes mounts and network.
"""
import contextlib
import glob
import os
import signal
import subprocess
import time

import programs
import settings

# The kubelet insists on these values, which are the whole machine's.  It is shown files of its own instead.
SYSCTLS = {"vm/overcommit_memory": "1", "vm/panic_on_oom": "0", "kernel/panic": "10", "kernel/panic_on_oops": "1",
           "kernel/keys/root_maxkeys": "1000000", "kernel/keys/root_maxbytes": "25000000"}
CGROUPS = "/sys/fs/cgroup"


def until(what, look, limit_s=120, every_s=0.05):
    """Calls 'look' until it answers something true, which is returned."""
    end = time.monotonic() + limit_s
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"not within {limit_s} s: {what}")
        time.sleep(every_s)


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def namespace(pid, kind):
    try:
        return os.stat(f"/proc/{pid}/ns/{kind}").st_ino
    except OSError:
        return 0


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def words_of(pid):
    return read(f"/proc/{pid}/cmdline").rstrip("\0").split("\0")


class Node:
    def __init__(self, n, i, home, bin_folder):
        self.n, self.i, self.home, self.bin = n, i, home, bin_folder
        self.name, self.label, self.own = f"node{i}", f"flk{n}-{i}", f"{home}/node{i}"

    # ---- namespaces --------------------------------------------------------------------------------------------

    def first(self):
        """The process id of the node's first process; 0: the node is off."""
        for pid in all_pids():
            words = words_of(pid)
            if words[1:] != [self.label] or os.path.basename(words[0]) != "pause":
                continue
            ids = next((line for line in read(f"/proc/{pid}/status").splitlines() if line.startswith("NSpid:")), "")
            if len(ids.split()) > 2 and ids.split()[-1] == "1":  # not yet where 'unshare' itself has these words
                return pid
        return 0

    def plug_in(self):
        """A cable to the cluster's bridge, and the way to the pods of other nodes."""
        n = self.n
        programs.run("ip", *f"link add {self.label} type veth peer name eth0 netns {self.first()}".split())
        programs.run("ip", *f"link set {self.label} master flk{n} up".split())
        lines = ["link set lo up", f"addr add {settings.node_address(n, self.i)}/24 dev eth0", "link set eth0 up",
                 f"route add default via 10.250.{n}.1"]
        lines += [f"route add {settings.pod_range(n, other)} via {settings.node_address(n, other)}"
                  for other in range(1, settings.NODES_MAX + 1) if other != self.i]
        self.inside("sh", "-ec", "\n".join(f"ip {line}" for line in lines))

    def switch_on(self):
        """Power: the first process, private folders where programs write to fixed places, cgroups.  Starts no program."""
        settings.write_node(self.n, self.i, self.home)
        subprocess.run(["setsid", "-f", "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                        f"{self.bin}/pause", self.label], check=True, cwd="/",
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(f"{self.name} has its first process", self.first, 30)
        self.plug_in()
        lines = ["mount -t tmpfs tmpfs /run", "mount -t tmpfs tmpfs /var/log", f"mount --bind {self.own}/lib /var/lib",
                 "echo 1 >/proc/sys/net/ipv4/ip_forward"]
        for key, value in SYSCTLS.items():
            path = f"{self.own}/sysctl.{key.replace('/', '.')}"
            settings.write(path, value + "\n")
            lines.append(f"mount --bind {path} /proc/sys/{key}")
        self.inside("sh", "-ec", "\n".join(lines))
        make_cgroups(self.label)

    def inside(self, *words, limit_s=120):
        """stdout of a command in the node's namespaces."""
        first = self.first()
        if not first:
            raise RuntimeError(f"{self.name} of cluster {self.n} is off")
        return programs.run("nsenter", "-t", str(first), "-m", "-n", "-p", "--", *words, cwd="/", timeout=limit_s)

    def switch_off(self):
        """As a power cut does: no program hears of it."""
        first = self.first()
        if first:
            os.kill(first, signal.SIGKILL)
            until(f"{self.name} has ended", lambda: namespace(first, "pid") == 0, 30)
        until(f"no cgroup of {self.name} is left", lambda: remove_cgroups(self.label), 30)
        until(f"the cable of {self.name} is gone", lambda: not os.path.exists(f"/sys/class/net/{self.label}"), 30)

    # ---- programs ----------------------------------------------------------------------------------------------

    def pids(self):
        """Every process of the node and of its pods."""
        first = self.first()
        if not first:
            return []
        below, known = {first}, all_pids()
        parents = {pid: parent_of(pid) for pid in known}
        while True:
            more = {pid for pid in known if parents[pid] in below} - below
            if not more:
                return sorted(below)
            below |= more

    def pid_of(self, name):
        """The process of that program now; 0: none."""
        first = self.first()
        for pid in all_pids() if first else []:
            if namespace(pid, "pid") == namespace(first, "pid") and os.path.basename(words_of(pid)[0]) == name:
                return pid
        return 0

    def start(self, name):
        if self.pid_of(name):
            return
        words = settings.command(name, self.n, self.i, self.home, self.bin)
        log = f"{self.home}/log/{name}-{self.i}.log"
        self.inside("sh", "-c", 'log=$1; shift; exec setsid -f "$@" >>"$log" 2>&1 </dev/null', "start", log, *words)

    def signal(self, name, number):
        pid = self.pid_of(name)
        if not pid:
            raise RuntimeError(f"{name} does not run on {self.name} of cluster {self.n}")
        os.kill(pid, number)
        return pid

    def end(self, name, number):
        """Ends the program by that signal, and waits until it has ended."""
        pid = self.signal(name, number)
        until(f"{name} has ended", lambda: self.pid_of(name) != pid, 60)

    def start_containerd(self, images):
        self.start("containerd")
        until(f"containerd of {self.name} answers", self.has_containerd)
        for path in images:
            self.load_image(path)

    def has_containerd(self):
        with contextlib.suppress(RuntimeError):
            return bool(self.inside("ctr", "version"))
        return False

    def load_image(self, path):
        self.inside("ctr", "-n", "k8s.io", "images", "import", path)


def parent_of(pid):
    stat = read(f"/proc/{pid}/stat")
    return int(stat.rsplit(")", 1)[1].split()[1]) if stat else 0


# ---- cgroups ---------------------------------------------------------------------------------------------------


def hierarchies():
    """v1 has a tree for each controller, some beside v2; v2 alone has one."""
    if os.path.exists(f"{CGROUPS}/cgroup.controllers"):
        return [CGROUPS]
    return [path for path in sorted(glob.glob(f"{CGROUPS}/*")) if os.path.isdir(path) and not os.path.islink(path)]


def make_cgroups(name):
    for tree in hierarchies():
        if tree == CGROUPS:
            enable_controllers(tree)
        os.makedirs(f"{tree}/{name}", exist_ok=True)
        for key in ("cpuset.cpus", "cpuset.mems"):  # v1: empty in a new one, and then no process may enter
            if tree != CGROUPS and os.path.exists(f"{tree}/{key}"):
                settings.write(f"{tree}/{name}/{key}", read(f"{tree}/{key}"))


def enable_controllers(tree):
    lacking = {"cpu", "cpuset", "memory", "pids"} - set(read(f"{tree}/cgroup.subtree_control").split())
    try:
        if lacking:
            settings.write(f"{tree}/cgroup.subtree_control", " ".join(f"+{name}" for name in sorted(lacking)))
    except OSError as error:
        raise programs.Missing(f"cgroup v2 gives no {', '.join(sorted(lacking))} below {tree}: {error.strerror}. In a container, "
                               "its processes have to be in a group below the root first") from error


def remove_cgroups(name):
    """False as long as a process in them has not ended."""
    for tree in hierarchies():
        for folder, _, _ in os.walk(f"{tree}/{name}", topdown=False):
            try:
                os.rmdir(folder)
            except OSError:
                return False
    return True
