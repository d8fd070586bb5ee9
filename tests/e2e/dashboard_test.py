"""The dashboard in a real browser: Debian's Chromium, driven by the programs of tests/browser against a fleet of this test's
own.

Each prints a line for each sentence that it has shown. Screenshots of what they saw are in build/browser/shots.
"""
import os
import shutil
import subprocess
import sys

import fleet
from fleet import ROOT, equal, shows

PROGRAMS = os.path.join(ROOT, "tests", "browser")
DIR = os.path.join(ROOT, "build", "browser")


def install():
    """Installs the npm packages of the programs, once for each lock."""
    lock, mark = os.path.join(PROGRAMS, "package-lock.json"), os.path.join(DIR, "node_modules", ".made_for")
    with open(lock, "rb") as file:
        wanted = file.read()
    os.makedirs(DIR, exist_ok=True)
    for name in os.listdir(PROGRAMS):
        if name.endswith((".mjs", ".json")):
            shutil.copy(os.path.join(PROGRAMS, name), DIR)
    if os.path.exists(mark):
        with open(mark, "rb") as file:
            if file.read() == wanted:
                return
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--fetch-retries=5"], cwd=DIR, check=True, timeout=600)
    with open(mark, "wb") as file:
        file.write(wanted)


def program(f, name, *words):
    """Runs it; its lines are ours."""
    with shows(f"{name} runs to its end, and what it shows is so"):
        shots = os.path.join(DIR, "shots", name)
        shutil.rmtree(shots, ignore_errors=True)
        os.makedirs(shots)
        done = subprocess.run(["node", f"{name}.mjs", "--url", f.url, "--token", f.token, "--shots", shots, *words], cwd=DIR,
                              stdout=sys.stdout, stderr=subprocess.STDOUT, timeout=900)
        assert done.returncode == 0, f"exit code {done.returncode}"


def restart(f):
    """The control plane is killed under an open page; the demo's keeper starts it again."""
    job = f.submit({"command": ["sh", "-c", "i=0; while true; do echo tick $i; i=$((i+1)); sleep 0.2; done"], "resources": {"cpu": "100m"}})
    f.wait(job, "running")
    with shows("restart runs to its end, and what it shows is so"):
        shots = os.path.join(DIR, "shots", "restart")
        page = subprocess.Popen(["node", "restart.mjs", "--url", f.url, "--token", f.token, "--job", job, "--shots", shots], cwd=DIR,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in page.stdout:
                if line == "READY\n":
                    f.kill("fairleadd")
                    f.patient("GET", "/v1/whoami")
                    page.stdin.write("go on\n")
                    page.stdin.flush()
                else:
                    print(line, end="", flush=True)
            equal(page.wait(timeout=60), 0, "exit code")
        finally:
            page.kill()
            page.wait()
    f.api("POST", f"/v1/jobs/{job}:cancel")


def types(f):
    with shows("the types of its sources are those of openapi.json"):
        folder = os.path.join(ROOT, "controlplane", "dashboard")
        described = os.path.join(DIR, "openapi.json")
        with open(described, "wb") as file:
            file.write(f.api("GET", "/v1/openapi.json", raw=True))
        made = subprocess.run(["node", "make_types.mjs", described], cwd=folder, stdout=subprocess.PIPE, check=True, timeout=60).stdout
        with open(os.path.join(folder, "src", "api", "types.ts"), "rb") as file:
            equal(made.decode(), file.read().decode())


def main():
    install()
    with fleet.Fleet() as f:
        types(f)
        program(f, "dashboard")
        program(f, "groups")
        program(f, "shell")
        restart(f)
        program(f, "logs", "--lines", str(fleet.by_mode(100_000, 1_000_000, 10_000_000)))
        program(f, "live_logs")


main()
fleet.finish()
