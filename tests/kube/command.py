"""Shared by tests/kube/up, down, nodes, load, fault, kubectl and helm: numbers, and errors in one line."""
import os
import signal
import sys

import programs
import settings
from cluster import Cluster
from node import until

SIGNALS = {"stop": signal.SIGTERM, "kill": signal.SIGKILL, "pause": signal.SIGSTOP, "resume": signal.SIGCONT}
PROGRAMS = settings.CONTROL_PLANE + settings.NODE + settings.FAKE


def number(word, usage):
    if not word.isdigit():
        sys.exit(f"usage: tests/kube/{usage}")
    return int(word)


def main(usage, do, words_min, words_max=99):
    words = sys.argv[1:]
    if not words_min <= len(words) <= words_max or not words[0].isdigit():
        sys.exit(f"usage: tests/kube/{usage}")
    try:
        do(Cluster(int(words[0])), *words[1:])
    except (programs.Missing, RuntimeError, ValueError, TimeoutError) as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")


def run_tool(cluster, name, words):
    os.execve(f"{cluster.bin}/{name}", [name, *words], cluster.environment())


def fault(cluster, verb, what, i=1):
    """A verb on a program of node I, or on the node itself."""
    node = cluster.node(i)
    if what == "node" and verb == "kill":
        node.switch_off()
    elif what == "node" and verb == "start":
        node.switch_on()
        node.start_containerd(cluster.images())
        cluster.start_kubelet(node)
    elif what in PROGRAMS and verb == "start":
        node.start(what)
        if what == "kube-apiserver":
            until("the API server is ready", cluster.is_ready)
    elif what in PROGRAMS and verb in ("stop", "kill"):
        node.end(what, SIGNALS[verb])
    elif what in PROGRAMS and verb in SIGNALS:
        node.signal(what, SIGNALS[verb])
    else:
        raise ValueError(f"cannot {verb} {what}: start, stop, kill, pause or resume one of {', '.join(PROGRAMS)}; "
                         "kill or start 'node'")
