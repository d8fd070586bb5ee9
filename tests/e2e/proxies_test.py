"""Streams, shells and the dashboard's session through HAProxy, Caddy and nginx, set up by the blocks of docs/proxies.md."""
import contextlib
import http.client
import json
import os
import re
import subprocess
import time

import fleet
import hub
from fleet import BIN, ROOT, equal, shows, until

PAGE = {"Fairlead-Page": "1", "Sec-Fetch-Site": "same-origin"}
SOON_S = 5  # far below what a proxy that keeps answers back would take


def blocks():
    """The page's blocks, by the heading above them."""
    with open(os.path.join(ROOT, "docs", "proxies.md")) as file:
        parts = re.split(r"^## (.+)$", file.read(), flags=re.M)
    return {name: re.search(r"^```\n(.*?)^```$", text, re.M | re.S)[1] for name, text in zip(parts[1::2], parts[2::2])}


class Proxied:
    """The control plane as people see it, through a proxy."""

    def __init__(self, h, port):
        self.h, self.token, self.port, self.url = h, h.token, port, f"https://127.0.0.1:{port}"

    def connection(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.h.context())

    def ask(self, method, path, body=None, headers=None):
        connection = self.connection()
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {**({"Content-Type": "application/json"} if data else {}), **(headers or {})})
        answer = connection.getresponse()
        got = answer.read()
        connection.close()
        return answer.status, answer.headers, got


@contextlib.contextmanager
def started(h, name, words, port, log):
    with open(log, "w") as out:
        process = subprocess.Popen(words, stdout=out, stderr=out, stdin=subprocess.DEVNULL, env={**os.environ, "HOME": h.dir, "XDG_DATA_HOME": h.dir})

    def answers():
        assert process.poll() is None, f"{name} ended: {open(log).read()[-800:]}"
        try:
            return Proxied(h, port).ask("GET", "/livez")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    try:
        until(f"{name} passes requests on", answers)
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def certificate(folder):
    key, crt = os.path.join(folder, "proxy.key"), os.path.join(folder, "proxy.crt")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", crt,
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                   check=True, capture_output=True, timeout=60)
    with open(os.path.join(folder, "proxy.pem"), "w") as out:
        for path in (crt, key):
            with open(path) as file:
                out.write(file.read())
    return crt, key


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(text)
    return path


def haproxy(h, block, port):
    text = block.replace("bind :443 ssl crt /etc/haproxy/fairlead.pem", f"bind 127.0.0.1:{port} ssl crt {h.dir}/proxy.pem")
    return ["haproxy", "-db", "-f", write(h.dir, "haproxy.cfg", text)]


def caddy(h, block, port):
    text = block.replace("https://fairlead.example {", f"https://127.0.0.1:{port} {{\n    tls {h.dir}/proxy.crt {h.dir}/proxy.key")
    own = "{\n    admin off\n    auto_https disable_redirects\n}\n"
    return ["caddy", "run", "--adapter", "caddyfile", "--config", write(h.dir, "Caddyfile", own + text)]


def nginx(h, block, port):
    text = block.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace("/etc/nginx/fairlead", f"{h.dir}/proxy")
    own = f"daemon off;\npid {h.dir}/nginx.pid;\nerror_log stderr;\nuser root;\nevents {{}}\nhttp {{\naccess_log off;\n"
    for part in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"):
        own += f"{part}_temp_path {h.dir}/nginx-{part};\n"
    return ["nginx", "-p", h.dir, "-c", write(h.dir, "nginx.conf", own + text + "}\n")]


PROXIES = {"HAProxy": haproxy, "Caddy": caddy, "nginx": nginx}


def events(answer, sent, ours):
    """The event of that job, and how long after 'sent' it came; the last id."""
    last = ""
    for line in answer:
        words = line.decode().rstrip("\n")
        if words.startswith("id: "):
            last = words[4:]
        if words.startswith("data: ") and ours in words:
            return time.monotonic() - sent[0], last
    raise AssertionError("the stream has ended")


def through(h, name, port):
    p = Proxied(h, port)
    own = {"Origin": p.url, **PAGE}
    with shows(f"{name}: a browser signs in, its cookie is bound to TLS, and it changes something"):
        status, headers, answer = p.ask("POST", "/v1/session", {"token": h.token}, own)
        equal(status, 201, answer)
        cookie = headers["Set-Cookie"]
        assert cookie.startswith("__Host-fairlead=") and "; Secure" in cookie, cookie
        cookie = {"Cookie": cookie.split(";")[0]}
        status, _, answer = p.ask("POST", "/v1/jobs", {"command": ["true"], "name": "by-page"}, {**own, **cookie})
        equal(status, 201, answer)
        equal(p.ask("POST", "/v1/jobs", {"command": ["true"]}, {**PAGE, **cookie, "Origin": "https://evil.example"})[0], 403)
    with shows(f"{name}: the application is served, compressed, with its policy"):
        status, headers, page = p.ask("GET", "/jobs", headers={"Accept-Encoding": "gzip"})
        assert status == 200 and "default-src 'none'" in headers["Content-Security-Policy"], headers
        script = re.search(rb'src="(/ui/[^"]+)"', page)[1].decode()
        status, headers, _ = p.ask("GET", script, headers={"Accept-Encoding": "gzip"})
        equal((status, headers["Content-Encoding"]), (200, "gzip"))
    with shows(f"{name}: events come when they happen, and a cut stream goes on behind the last one"):
        connection = p.connection()
        connection.request("GET", "/v1/events", headers={**cookie, "Sec-Fetch-Site": "same-origin", "Accept": "text/event-stream"})
        answer = connection.getresponse()
        equal(answer.status, 200)
        sent = [time.monotonic()]
        job = h.submit({"command": ["true"]})
        waited, last = events(answer, sent, f'"{job}"')
        assert waited < SOON_S, f"{waited:.1f} s"
        connection.close()
        missed = h.submit({"command": ["true"]})
        h.wait(missed)
        connection = p.connection()
        connection.request("GET", "/v1/events", headers={**cookie, "Sec-Fetch-Site": "same-origin", "Accept": "text/event-stream", "Last-Event-ID": last})
        events(connection.getresponse(), [time.monotonic()], f'"{missed}"')
        connection.close()
    with shows(f"{name}: 'fairlead run' follows its output through it, line by line"):
        env = {"PATH": "/usr/bin:/bin", "HOME": h.dir, "FAIRLEAD_URL": p.url, "FAIRLEAD_TOKEN": h.token, "FAIRLEAD_CA_FILE": f"{h.dir}/proxy.crt"}
        run = subprocess.Popen([f"{BIN}/fairlead", "run", "sh", "-c", f"echo first; until [ -e {h.dir}/go-{name} ]; do sleep 0.1; done; echo last"],
                               env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        equal(run.stdout.readline(), "first\n")  # while the job still runs
        open(f"{h.dir}/go-{name}", "w").close()
        out, err = run.communicate(timeout=60)
        equal((out, run.returncode), ("last\n", 0), err)
    with shows(f"{name}: a command runs in a job through it"):
        job = h.submit({"command": ["sleep", "600"]})
        h.wait(job, "running")
        env = {"PATH": "/usr/bin:/bin", "HOME": h.dir, "FAIRLEAD_URL": p.url, "FAIRLEAD_TOKEN": h.token, "FAIRLEAD_CA_FILE": f"{h.dir}/proxy.crt"}
        out = subprocess.run([f"{BIN}/fairlead", "exec", "-i", job, "--", "cat"], env=env, input="through and back\n", capture_output=True, text=True, timeout=60)
        equal((out.stdout, out.returncode), ("through and back\n", 0), out.stderr)
        h.api("POST", f"/v1/jobs/{job}:cancel")
    with shows(f"{name}: a batch of 8 MB gets there"):
        line = json.dumps({"command": ["true"], "hold": True, "env": {"FILL": "x" * 16000}})
        connection = p.connection()
        connection.request("POST", "/v1/jobs:batch", (line + "\n") * 500, {"Authorization": f"Bearer {h.token}", "Content-Type": "application/x-ndjson"})
        answer = connection.getresponse()
        equal((answer.status, len(answer.read().splitlines())), (200, 500))
        connection.close()


def main():
    ports = {name: hub.free_port() for name in PROXIES}
    pages = blocks()
    with hub.Hub() as h:
        certificate(h.dir)
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        direct = h.ports["api"]
        for name, make in PROXIES.items():
            h.kill()
            h.settings["api_url"] = f"https://127.0.0.1:{ports[name]}"
            h.start()
            h.wait_cluster("east", "ready")
            block = pages[name].replace("127.0.0.1:8474", f"127.0.0.1:{direct}")
            with started(h, name, make(h, block, ports[name]), ports[name], os.path.join(h.dir, name + ".log")):
                through(h, name, ports[name])


main()
fleet.finish()
