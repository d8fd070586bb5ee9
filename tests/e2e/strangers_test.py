"""Strangers at the two TLS listeners: silent connections and unfinished handshakes keep no other client out.

They come from the agents' own address, which is the hard case: many agents may stand behind one.  People have another."""
import json
import os
import subprocess
import sys
import time

import fleet
import hub
import relay
from fleet import equal, shows, until

SILENT = 1200
HELLOS_A_SECOND = fleet.by_mode(1000, 2000, 4000)
BACK_S = 60  # strangers who keep others out do so for as long as they are there; how long it takes is printed, of /livez bench/run strangers says more
ATTACK_S = fleet.by_mode(6, 10, 30)


def live_times(h, end):
    """How long /livez took, a connection each, in seconds; the slowest last."""
    took = []
    while time.monotonic() < end:
        began = time.monotonic()
        status, _, _ = h.ask("GET", "/livez", timeout=BACK_S)
        equal(status, 200)
        took.append(time.monotonic() - began)
        time.sleep(0.02)
    return sorted(took)


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
    until("the agent is back", lambda: (lambda c: c["connected"] and c["session"] != before)(cluster()), BACK_S)
    took = time.monotonic() - began
    for line in closed()[said + 1:]:
        print(f"# a dial failed: {line}", flush=True)
    return took - sum(int(line.rsplit("again_ms=", 1)[1]) for line in closed()[said:]) / 1000


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
                took = [under("silent", SILENT, ports, lambda way=way, each=each: come_back(each, way)) for _ in range(fleet.by_mode(1, 2, 5))]
                print("# back after", *(f"{s:.2f} s" for s in took), flush=True)
            with shows(f"{name}: {HELLOS_A_SECOND} unfinished handshakes a second keep no agent out"):
                took = [under("hello", HELLOS_A_SECOND, ports, lambda way=way, each=each: come_back(each, way)) for _ in range(fleet.by_mode(1, 2, 5))]
                print("# back after", *(f"{s:.2f} s" for s in took), flush=True)
            with shows(f"{name}: and /livez is answered meanwhile"):
                took = under("hello", HELLOS_A_SECOND, ports, lambda each=each: live_times(each, time.monotonic() + ATTACK_S))
                print(f"# of {len(took)}: median {took[len(took) // 2] * 1000:.1f} ms, longest {took[-1] * 1000:.1f} ms", flush=True)
    fleet.finish()


main()
