"""Who may join, who is cut off, what a certificate's end does to work: real agents, real TLS."""
import os
import socket
import subprocess
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
        equal(h.state("east"), "ready")
    with shows("a token that nobody made is refused, others are not disturbed"):
        liar = h.agent("liar", h.join("west")[:-8] + "AAAAAAAA")
        until("the agent gives up", lambda: liar.poll() is not None)
        assert liar.returncode != 0, h.log("agent-liar")
        equal(h.state("east"), "ready")
    with shows("what does not speak our TLS is refused, and nobody else notices"):
        for hello in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x00", os.urandom(300), b""):
            with socket.create_connection(("127.0.0.1", h.ports["tunnel"]), 10) as plain:
                plain.settimeout(30)
                plain.sendall(hello)
                if hello:
                    until("it is closed", lambda plain=plain: closes(plain), 30)
        equal(h.state("east"), "ready")


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
    with shows("a revoked cluster is cut off within 5 seconds, and its certificate is refused"):
        h.agent("north", h.join("north"))
        h.wait_cluster("north", "ready")
        h.api("POST", "/v1/clusters/north:revoke")
        h.wait_cluster("north", "revoked", limit_s=5)
        time.sleep(3)  # it dials again in this time
        equal(h.state("north"), "revoked")
        equal(h.state("east"), "ready")
    with shows("a new join token lets it in again, with its jobs"):
        pass_on = h.join("north")
        agent = h.processes[-1]
        agent.kill()
        agent.wait()
        for name in ("identity", "identity.json"):
            path = os.path.join(h.dir, "agent-north", name)
            if os.path.isdir(path):
                subprocess.run(["rm", "-rf", path], check=True)
            elif os.path.exists(path):
                os.unlink(path)
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


def main():
    with hub.Hub({"api_tls": "on", "agent_certificate_lifetime": "20s"}) as h:
        joining(h)
        revoking(h)
        renewing(h)
    fleet.finish()


main()
