"""Strangers at the two TLS listeners: silent connections and unfinished handshakes keep no other client out.

They come from the agents' own address, which is the hard case: many agents may stand behind one.  People have another.
Two figures are limits, each as the median of several tries: an agent is back after 5 s, its own pauses taken off, and 99 of 100
answers of /livez come within 50 ms.  If they do not, and the machine had other work just before or after most tries, the test
says so, and asserts no more than that the agent is back and /livez is answered within a minute."""
import json
import os
import statistics
import subprocess
import sys
import time

import fleet
import hub
import relay
from fleet import equal, shows, until

SILENT = 1200
HELLOS_A_SECOND = fleet.by_mode(1000, 2000, 4000)
TRIES = fleet.by_mode(3, 3, 5)
BACK_S, LIVE_S = 5, 0.05
STUCK_S = 60
IDLE = 0.5  # processors
WINDOW_S = fleet.by_mode(3, 5, 10)


def live_times(h, end):
    """How long /livez took, a connection each, in seconds."""
    took = []
    while time.monotonic() < end:
        began = time.monotonic()
        status, _, _ = h.ask("GET", "/livez", timeout=STUCK_S)
        equal(status, 200)
        took.append(time.monotonic() - began)
        time.sleep(0.02)
    return took


def under(attack, how_many, ports, body):
    words = [sys.executable, os.path.join(os.path.dirname(__file__), "strangers.py"), attack, str(how_many), *map(str, ports)]
    with subprocess.Popen(["nice", *words]) as strangers:  # a process of its own, which has none of our sockets
        try:
            time.sleep(2)
            equal(strangers.poll(), None, "the attack")
            return body()
        finally:
            strangers.kill()


def come_back(h, way):
    """The agent's connection is cut; how long until it speaks again, in seconds, without the pauses that it chooses itself:
    after connections that were short, as here, they may be long."""
    def cluster():
        return json.loads(h.patient("GET", "/v1/clusters/east"))

    def closed():
        return [line for line in h.log("agent-east").splitlines() if "event=closed" in line]

    before, said = cluster()["session"], len(closed())
    way.cut()
    began = time.monotonic()
    until("the agent is back", lambda: (lambda c: c["connected"] and c["session"] != before)(cluster()), STUCK_S)
    took = time.monotonic() - began
    for line in closed()[said + 1:]:
        print(f"# a dial failed: {line}", flush=True)
    return took - sum(int(line.rsplit("again_ms=", 1)[1]) for line in closed()[said:]) / 1000


def other_work():
    """Processors that are busy now, while nothing is asked of ours."""
    def times():
        with open("/proc/stat") as file:
            numbers = [int(word) for word in file.readline().split()[1:9]]
        return sum(numbers), sum(numbers) - numbers[3] - numbers[4]

    before = times()
    time.sleep(1)
    total, busy = (now - then for now, then in zip(times(), before))
    return os.cpu_count() * busy / max(1, total)


def within(limit_s, what, take):
    took, quiet = [], []
    for _ in range(TRIES):
        others = other_work()
        took.append(take())
        others = max(others, other_work())
        if others <= IDLE:
            quiet.append(took[-1])
        print(f"# {what} {took[-1]:.3f} s; other work: {others:.2f} processors", flush=True)
    median = statistics.median(took)
    if median > limit_s and 2 * len(quiet) <= TRIES:
        print(f"# the median is {median:.3f} s, and not held against {limit_s} s: the machine had other work", flush=True)
        return
    if median > limit_s:
        median = statistics.median(quiet)
    assert median <= limit_s, f"{what} {median:.3f} s (median), more than {limit_s} s"
    print(f"# the median is {median:.3f} s, no more than {limit_s} s", flush=True)


def p99(took):
    return sorted(took)[len(took) * 99 // 100]


def main():
    with hub.Hub() as plain, hub.Hub({"api_tls": "on"}) as h:
        # The one that people ask has no TLS, so that what is measured is the tunnel's listener.
        for each, name in ((plain, "plain"), (h, "tls")):
            way = relay.Relay(each.ports["tunnel"])
            each.agent("east", each.join("east"), settings={"hub": f"127.0.0.1:{way.port}"})
            each.wait_cluster("east", "ready")
            each.source = ("127.0.0.9", 0)
            ports = [each.ports["tunnel"]] + ([each.ports["api"]] if name == "tls" else [])
            with shows(f"{name}: {SILENT} silent connections, opened again when closed, keep no agent out"):
                within(BACK_S, "back after", lambda ports=ports, way=way, each=each: under("silent", SILENT, ports, lambda: come_back(each, way)))
            with shows(f"{name}: {HELLOS_A_SECOND} unfinished handshakes a second keep no agent out"):
                within(BACK_S, "back after", lambda ports=ports, way=way, each=each: under("hello", HELLOS_A_SECOND, ports, lambda: come_back(each, way)))
            with shows(f"{name}: and /livez is answered meanwhile"):
                within(LIVE_S, "99 of 100 within", lambda ports=ports, each=each: p99(
                    under("hello", HELLOS_A_SECOND, ports, lambda: live_times(each, time.monotonic() + WINDOW_S))))
    fleet.finish()


main()
