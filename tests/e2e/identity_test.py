"""Which agents may join, which are cut off, and how work survives a certificate's end: real agents, real TLS."""
import contextlib
import os
import shutil
import socket
import subprocess
import threading
import time

import fleet
import hub
from fleet import equal, shows, until


def joining(h):
    with shows("a join token is good once"):
        token = h.join("east")
        h.agent("east", token)
        h.wait_cluster("east", "ready")
        thief = h.agent("thief", token)
        until("the second agent gives up", lambda: thief.poll() is not None)
        assert thief.returncode != 0
        assert "token" in h.log("agent-thief"), h.log("agent-thief")
        h.wait_cluster("east", "ready")
    with shows("a forged token is refused, other agents are not disturbed"):
        liar = h.agent("liar", h.join("west")[:-8] + "AAAAAAAA")
        until("the agent gives up", lambda: liar.poll() is not None)
        assert liar.returncode != 0, h.log("agent-liar")
        h.wait_cluster("east", "ready")
    with shows("a client that does not speak our TLS is refused, and other clients do not notice"):
        for hello in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x00", os.urandom(300), b""):
            with socket.create_connection(("127.0.0.1", h.ports["tunnel"]), 10) as plain:
                plain.settimeout(30)
                plain.sendall(hello)
                if hello:
                    until("it is closed", lambda plain=plain: closes(plain), 30)
        h.wait_cluster("east", "ready")


def closes(sock):
    """True: the other side has closed it, with a word (an alert) or without."""
    try:
        while sock.recv(4096):
            pass
        return True
    except ConnectionError:
        return True
    except socket.timeout:
        return False


def revoking(h):
    with shows("a revoked cluster is cut off, and its certificate is refused"):
        h.agent("north", h.join("north"))
        h.wait_cluster("north", "ready")
        h.api("POST", "/v1/clusters/north:revoke")
        h.wait_cluster("north", "revoked")
        until("it has dialed again, and was sent away", lambda: any(
            "event=not_connected" in line and "denied: " in line for line in h.log("agent-north").splitlines()))
        equal(h.state("north"), "revoked")
        h.wait_cluster("east", "ready")
    with shows("a new join token lets it in again, with its jobs"):
        pass_on = h.join("north")
        agent = h.processes[-1]
        agent.kill()
        agent.wait()
        h.agent("north", pass_on)
        h.wait_cluster("north", "ready")


def renewing(h):
    with shows("certificates of 20 s are renewed under a job that does not notice"):
        job = h.submit({"command": ["sh", "-c", "for i in $(seq 1 45); do echo line $i; sleep 1; done"], "clusters": ["east"]})
        h.wait(job, "running")
        before = h.api("GET", "/v1/clusters/east")["certificateGeneration"]
        equal(h.wait(job)["state"], "succeeded")
        after = h.api("GET", "/v1/clusters/east")["certificateGeneration"]
        assert after >= before + 3, f"generations {before} to {after}"
        attempts = h.api("GET", f"/v1/jobs/{job}")["attempts"]
        equal(len(attempts), 1)


def audited(h, word, cluster):
    """Whether the audit has an entry that begins with these words."""
    return any(entry["what"].startswith(f"{word} {cluster} ") for entry in h.api("GET", "/v1/audit?limit=500")["audit"])


def copied(h, cluster, name):
    """The agent's whole state directory as another agent's: a clone, or a thief's."""
    shutil.copytree(os.path.join(h.dir, "agent-" + cluster), os.path.join(h.dir, "agent-" + name), symlinks=True)


def twins(h):
    with shows("when two agents have one identity, one works in peace, and the audit has it"):
        h.agent("twin", h.join("twin"))
        h.wait_cluster("twin", "ready")
        copied(h, "twin", "twin-2")
        copy = h.agent("twin-2")
        until("the audit has the second one", lambda: audited(h, "cluster_duplicate", "twin"))
        equal(h.wait(h.submit({"command": ["sleep", "3"], "clusters": ["twin"]}))["state"], "succeeded")
        copy.kill()
        copy.wait()


class Relay:
    """Passes connections on to a port, until it is shut: then those that are there stay, and no new one comes."""

    def __init__(self, port):
        self.to, self.listener, self.open = port, socket.create_server(("127.0.0.1", 0)), True
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            if not self.open:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.to), 30)
            far.settimeout(None)
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    @staticmethod
    def pump(one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def stealing(h):
    """Certificates of 90 s: renewed after 45, and the old ones are good for 45 more."""
    relay, direct = Relay(h.ports["tunnel"]), {"hub": f"127.0.0.1:{h.ports['tunnel']}"}
    own = h.agent("kept", h.join("kept"), settings={"hub": f"127.0.0.1:{relay.port}"})
    h.agent("plain", h.join("plain"))
    taken = h.agent("taken", h.join("taken"))
    for cluster in ("kept", "plain", "taken"):
        h.wait_cluster(cluster, "ready")
        copied(h, cluster, cluster + "-thief")
    relay.open = False  # its next certificate is issued, and never shown
    with shows("an old certificate that comes once the newer one was used locks the cluster, until a person unlocks it"):
        until("it is renewed and has come back", lambda: h.log("agent-plain").count("mod=tunnel event=opened") == 2)
        thief = h.agent("plain-thief")
        h.wait_cluster("plain", "locked")
        until("it is audited", lambda: audited(h, "cluster_lock", "plain"))
        until("the control plane sends it away", lambda: "sent_away" in h.log("agent-plain-thief"))
        thief.kill()
        thief.wait()
        env = {**os.environ, "FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": h.token, "FAIRLEAD_CA_FILE": os.path.join(h.settings["state_dir"], "ca.crt")}
        told = subprocess.run([os.path.join(fleet.BIN, "fairlead"), "cluster", "unlock", "plain"], env=env, check=True, capture_output=True, text=True, timeout=60)
        equal(told.stderr, "plain may speak again\n")
        h.wait_cluster("plain", "ready")  # its owner went on asking
        equal(h.wait(h.submit({"command": ["true"], "clusters": ["plain"]}))["state"], "succeeded")
    with shows("a new join token lets a locked cluster in again, too, with its job"):
        job = h.submit({"command": ["sh", "-c", f"until [ -e {h.dir}/go ]; do sleep 0.1; done; echo done"], "clusters": ["taken"]})
        h.wait(job, "running")
        until("it is renewed and has come back", lambda: h.log("agent-taken").count("mod=tunnel event=opened") >= 2)
        thief = h.agent("taken-thief")
        h.wait_cluster("taken", "locked")
        for agent in (thief, taken):
            agent.kill()
            agent.wait()
        h.agent("taken", h.join("taken"))
        h.wait_cluster("taken", "ready")
        with open(f"{h.dir}/go", "w"):
            pass
        done = h.wait(job)
        equal((done["state"], len(done["attempts"])), ("succeeded", 1))
        until("its output is whole", lambda: h.output(job) == b"done\n")
    with shows("an agent that renews from an old certificate locks the cluster, until a person unlocks it"):
        until("it is renewed", lambda: "event=renewed" in h.log("agent-kept"))
        own.kill()
        own.wait()
        thief = h.agent("kept-thief", settings=direct)
        h.wait_cluster("kept", "locked")
        until("it is audited", lambda: audited(h, "cluster_lock", "kept"))
        thief.kill()
        thief.wait()
        h.api("POST", "/v1/clusters/kept:unlock")
        h.agent("kept", settings=direct)
        h.wait_cluster("kept", "ready")
        equal(h.wait(h.submit({"command": ["true"], "clusters": ["kept"]}))["state"], "succeeded")


LINES = "i=0; while [ $i -lt {lines} ]; do echo line $i; i=$((i+1)); sleep 0.02; done; echo $FAIRLEAD_JOB_ID >> {ledger}"


def renewing_long(h, seconds):
    """Certificates of 60 s under work that never pauses: each attempt runs once, each log is whole."""
    ledger, jobs, ends = os.path.join(h.dir, "ledger"), [], time.monotonic() + seconds
    with shows(f"certificates of 60 s are renewed under load for {seconds} s: no attempt touched, no gap in a log"):
        h.agent("busy", h.join("busy"))
        h.wait_cluster("busy", "ready")
        while time.monotonic() < ends:
            while len(jobs) >= 8 and h.api("GET", f"/v1/jobs/{jobs[-8]}")["state"] not in ("succeeded", "failed"):
                time.sleep(0.2)
            lines = 500 + 37 * (len(jobs) % 40)  # 10 to 40 s
            command = LINES.format(lines=lines, ledger=ledger)
            jobs.append(h.submit({"command": ["sh", "-c", command], "env": {"LINES": str(lines)}, "clusters": ["busy"], "resources": {"cpu": "10m"}}))
        for n, job in enumerate(jobs):
            done = h.wait(job)
            equal((done["state"], len(done["attempts"])), ("succeeded", 1), job)
            wanted = "".join(f"line {i}\n" for i in range(500 + 37 * (n % 40)))
            until(f"the log of {job} is whole", lambda job=job, wanted=wanted: h.output(job).decode() == wanted)
        with open(ledger) as file:
            equal(len(file.read().split()), len(jobs), "what ran")
        assert h.api("GET", "/v1/clusters/busy")["certificateGeneration"] >= seconds // 40
        print(f"# {len(jobs)} jobs, certificate generation {h.api('GET', '/v1/clusters/busy')['certificateGeneration']}", flush=True)


PROXY_CONF = """Port {port}
Listen {host}
Timeout 600
LogFile "{log}"
LogLevel Connect
MaxClients 20
Allow {guest}
ConnectPort {api}
ConnectPort {tunnel}
"""


def through_a_proxy(h):
    """An agent in a network of its own, from which only a proxy can be reached."""
    space = f"fl{os.getpid()}"
    host, guest = "10.213.77.1", "10.213.77.2"

    def ip(*words):
        subprocess.run(["ip", *words], check=True, timeout=30)

    with shows("an agent without a direct way joins and works through a CONNECT proxy, whose log is the witness"):
        ip("netns", "add", space)
        try:
            ip("link", "add", space, "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("addr", "add", f"{host}/30", "dev", space)
            ip("link", "set", space, "up")
            ip("-n", space, "addr", "add", f"{guest}/30", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            port, log, conf = hub.free_port(), os.path.join(h.dir, "proxy-access.txt"), os.path.join(h.dir, "proxy.conf")
            with open(conf, "w") as file:
                file.write(PROXY_CONF.format(port=port, host=host, guest=guest, log=log, api=h.ports["api"], tunnel=h.ports["tunnel"]))
            proxy = h.spawn("proxy", ["tinyproxy", "-d", "-c", conf])
            until("the proxy listens", lambda: open_port(host, port))
            inside = ("ip", "netns", "exec", space)
            direct = subprocess.run([*inside, "python3", "-c", f"import socket; socket.create_connection(('127.0.0.1', {h.ports['api']}), 3)"],
                                    stderr=subprocess.DEVNULL, timeout=30)
            assert direct.returncode != 0, "there is a direct way"
            agent = h.agent("far", h.join("far"), wrap=inside, settings={"proxy": f"http://{host}:{port}"})
            h.wait_cluster("far", "ready")
            equal(h.wait(h.submit({"command": ["true"], "clusters": ["far"]}))["state"], "succeeded")
            with open(log) as file:
                text = file.read()
            for what in ("api", "tunnel"):
                assert f"127.0.0.1:{h.ports[what]}" in text, f"the proxy saw no {what}: {text[-800:]}"
            agent.terminate()
            agent.wait()
            proxy.terminate()
            proxy.wait()
        finally:
            ip("netns", "del", space)


DEAF = r"""
import os, select, socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 53))
print("listens", flush=True)
lifeline = int(os.environ["FAIRLEAD_LIFELINE"])
while lifeline not in select.select([server, lifeline], [], [])[0]:
    print(server.recv(4096), flush=True)
"""


def behind_a_deaf_name_server(h):
    """It hears each question and answers none; left to itself, the C library waits for two minutes.

    Both are in a network of their own, where port 53 is free, and the agent's /etc names no other server.
    """
    space, host, etc = f"fl{os.getpid()}", "10.213.77.53", os.path.join(h.dir, "etc")
    os.mkdir(etc)
    for name, text in (("resolv.conf", f"nameserver {host}\noptions timeout:30 attempts:4\n"), ("nsswitch.conf", "hosts: dns\n")):
        with open(os.path.join(etc, name), "w") as file:
            file.write(text)

    def ip(*words):
        subprocess.run(["ip", *words], check=True, timeout=30)

    with shows("an agent whose name server does not answer gives the dial up, goes on, and ends on SIGTERM"):
        h.agent("named", h.join("named"))
        h.wait_cluster("named", "ready")
        agent = h.processes[-1]
        agent.terminate()
        agent.wait()
        ip("netns", "add", space)
        try:
            ip("-n", space, "addr", "add", f"{host}/32", "dev", "lo")
            ip("-n", space, "link", "set", "lo", "up")
            inside = ("ip", "netns", "exec", space)
            deaf = h.spawn("deaf", ["python3", "-c", DEAF, host], wrap=inside)
            until("the name server listens", lambda: "listens" in h.log("deaf"))
            agent = h.agent("named", wrap=(*inside, "unshare", "-m", "sh", "-c", 'mount --bind "$0" /etc && exec "$@"', etc),
                            settings={"hub": f"controlplane.example:{h.ports['tunnel']}"})
            until("it is asked", lambda: "controlplane" in h.log("deaf"))
            until("it gives up that dial", lambda: "no name server answers in time" in h.log("agent-named"))
            dials = h.log("agent-named").count("event=not_connected")
            until("and the next one", lambda: h.log("agent-named").count("event=not_connected") > dials)
            since = time.monotonic()
            agent.terminate()
            equal(agent.wait(60), 0, "exit code")
            took = time.monotonic() - since
            print(f"# it ended {took:.1f} s after SIGTERM, while a lookup was under way", flush=True)
            assert took < 20, f"{took:.1f} s"
            deaf.terminate()
            deaf.wait()
        finally:
            ip("netns", "del", space)


def open_port(host, port):
    try:
        socket.create_connection((host, port), 1).close()
        return True
    except OSError:
        return False


def main():
    with hub.Hub({"api_tls": "on", "agent_certificate_lifetime": "20s"}) as h:
        joining(h)
        revoking(h)
        renewing(h)
        if os.geteuid() == 0:
            through_a_proxy(h)
            behind_a_deaf_name_server(h)
    with hub.Hub({"api_tls": "on", "agent_certificate_lifetime": "90s"}) as h:
        twins(h)  # not with short ones: a copy of a certificate that is renewed meanwhile locks the cluster
        stealing(h)
    if fleet.MODE == "long":
        with hub.Hub({"api_tls": "on", "agent_certificate_lifetime": "60s"}) as h:
            renewing_long(h, 600)
    fleet.finish()


main()
