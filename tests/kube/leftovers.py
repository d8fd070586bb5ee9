#!/usr/bin/env python3
"""Lists all that clusters could leave on a machine, before and after, and compares the lists.

    leftovers.py COMMAND [ARG...]      runs it, and says whether it left anything; its exit code, or 1
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is

import node
import programs
from cluster import STATE

# These change by themselves on any machine: the last process id, and the counters of the random generator.
RESTLESS = ("kernel/ns_last_pid", "kernel/random/")


def sysctls():
    """Those that can be written: the others count things.  An interface of ours brings its own along, and is listed itself."""
    values = {}
    for folder, _, names in os.walk("/proc/sys"):
        for name in names:
            path = os.path.join(folder, name)
            key = path.removeprefix("/proc/sys/")
            if os.stat(path).st_mode & 0o200 and not key.startswith(RESTLESS) and "/flk" not in key:
                values[key] = node.read(path)
    return values


def processes():
    """Those that run our programs, or live in a namespace of a node."""
    found = set()
    for pid in node.all_pids():
        words = node.read(f"/proc/{pid}/cmdline").replace("\0", " ")
        is_other = node.namespace(pid, "pid") not in (0, node.namespace(os.getpid(), "pid"))
        if is_other or STATE in words or f"{programs.CACHE}/" in words:
            found.add((pid, words[:80]))
    return found


def cgroups():
    return {folder for tree in node.hierarchies() for folder, _, _ in os.walk(tree) if "/flk" in folder}


def files():
    """Also each cluster's own folder: a test that was killed may have left another's."""
    found = [STATE, "/var/lib/kubelet", "/var/lib/cni", "/var/log/pods", "/run/containerd", "/etc/cni"]
    if os.path.exists(STATE):
        found += [f"{STATE}/{name}" for name in os.listdir(STATE)]
    return {path for path in found if os.path.exists(path)}


def snapshot():
    return {
        "processes": processes(),
        "mounts": set(node.read("/proc/self/mounts").splitlines()),
        "cgroups": cgroups(),
        "interfaces": set(os.listdir("/sys/class/net")),
        "files": files(),
        "sysctls": {f"{key} = {value.strip()}" for key, value in sysctls().items()},
    }


def difference(before, after):
    """Sentences; none: nothing is left and nothing is changed."""
    found = []
    for what, old in before.items():
        found += [f"{what}: new: {one}" for one in sorted(map(str, after[what] - old))]
        if what != "processes":
            found += [f"{what}: gone: {one}" for one in sorted(map(str, old - after[what]))]
    return found


def main():
    before = snapshot()
    code = subprocess.run(sys.argv[1:]).returncode
    found = difference(before, snapshot())
    sentence = "no process, mount, cgroup, interface, namespace, file or sysctl is left or changed"
    print(f"not ok - {sentence}: {'; '.join(found)[:600]}" if found else f"ok - {sentence}", flush=True)
    sys.exit(code or bool(found))


if __name__ == "__main__":
    main()
