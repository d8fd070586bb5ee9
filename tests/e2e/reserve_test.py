"""The reserve of descriptors: strangers, silent or not, leave what members, logs and the database need."""
import json
import os
import socket
import ssl
import subprocess
import sys
import time

import fleet
import hub
import relay
from fleet import equal, shows, until

DESCRIPTORS, STRANGERS = 256, 600
HELLOS_A_SECOND = 500
TURN = 32  # a connection that makes room is closed at the end of a turn of its front
WATCHED_S = fleet.by_mode(4, 6, 15)
BACK_S = 60  # the pause that an agent chooses before it dials again is in it


class Limited(hub.Hub):
    """Its control plane may open DESCRIPTORS files, once it has raised its soft limit, as a shell sets it, to the hard one."""

    def spawn(self, name, words, wrap=(), env=None):
        if name == "fairleadd":
            wrap = ("prlimit", f"--nofile={DESCRIPTORS // 4}:{DESCRIPTORS}", *wrap)
        return super().spawn(name, words, wrap, env)


def highest(h):
    return max(int(name) for name in os.listdir(f"/proc/{h.process.pid}/fd"))


def watch(h):
    """The highest descriptor while clients come and go."""
    most, end = highest(h), time.monotonic() + WATCHED_S
    while time.monotonic() < end:
        most = max(most, highest(h))
        equal(h.ask("GET", "/v1/jobs", timeout=BACK_S)[0], 200)
    return most


def come_back(h, way):
    def cluster():
        return json.loads(h.patient("GET", "/v1/clusters/east"))

    before = cluster()["session"]
    way.cut()
    until("the agent is back", lambda: (lambda c: c["connected"] and c["session"] != before)(cluster()), BACK_S)


def attacked(h, way, attack, how_many, names):
    what, ports = f"the attack '{attack}' at {' and '.join(names)}", [str(h.ports[name]) for name in names]
    words = [sys.executable, os.path.join(os.path.dirname(__file__), "strangers.py"), attack, str(how_many), *ports]
    most = DESCRIPTORS
    with subprocess.Popen(["nice", *words]) as strangers:
        try:
            until("the strangers are in", lambda: highest(h) > DESCRIPTORS // 4, 60)
            time.sleep(2)
            with shows(f"{what}: a client with a token is served"):
                most = watch(h)
                print(f"# the highest descriptor was {most}", flush=True)
            with shows(f"{what}: and an agent comes back"):
                come_back(h, way)
            with shows(f"{what}: and the reserve is free"):
                assert most < DESCRIPTORS // 4 * 3, most
                equal("no_descriptors" in h.log("fairleadd"), False)
                equal(strangers.poll(), None, "the attack")
        finally:
            strangers.kill()


def asked(h, context):
    """A stranger's connection that has asked once and stays; None: it was closed."""
    sock = socket.create_connection(("127.0.0.1", h.ports["api"]), 60)
    try:
        sock = context.wrap_socket(sock) if context else sock
        sock.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    except OSError:
        sock.close()
        return None
    return sock


def stay(h, what, context):
    with shows(f"strangers who asked once {what} and stay leave the reserve, too"):
        held = [asked(h, context) for _ in range(STRANGERS)]
        most = watch(h)
        print(f"# the highest descriptor was {most}", flush=True)
        assert most <= DESCRIPTORS // 4 * 3 + TURN, most
        equal("no_descriptors" in h.log("fairleadd"), False)
        for sock in filter(None, held):
            sock.close()


def main():
    anyone = ssl.create_default_context()
    anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
    with Limited({"api_tls": "on"}) as h:
        way = relay.Relay(h.ports["tunnel"])
        h.agent("east", h.join("east"), settings={"hub": f"127.0.0.1:{way.port}"})
        h.wait_cluster("east", "ready")
        h.source = ("127.0.0.9", 0)
        with shows("the control plane raises its soft limit of descriptors to the hard one"):
            with open(f"/proc/{h.process.pid}/limits") as file:
                equal(next(line.split()[3:5] for line in file if line.startswith("Max open files")), [str(DESCRIPTORS)] * 2)
        print(f"# the highest descriptor before is {highest(h)}", flush=True)
        for names in (("tunnel",), ("api",), ("tunnel", "api")):
            attacked(h, way, "silent", STRANGERS, names)
        attacked(h, way, "hello", HELLOS_A_SECOND, ("tunnel", "api"))
        words = [sys.executable, os.path.join(os.path.dirname(__file__), "strangers.py"), "silent", "8", str(h.ports["api"])]
        with subprocess.Popen(["nice", *words]) as silent:  # each that makes room is there again at once
            stay(h, "over TLS, beside silent ones,", anyone)
            silent.kill()
    with Limited() as h:
        stay(h, "without TLS", None)
    fleet.finish()


main()
