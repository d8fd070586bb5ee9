"""'fairlead demo' as a newcomer runs it, and what is left when it is killed: nothing."""
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import fleet
from fleet import BIN, equal, shows, until

DEMO = [os.path.join(BIN, "fairlead"), "demo"]


def processes_of(folder):
    """The processes that have the folder in their command line, environment or working directory."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        for what in ("cmdline", "environ"):
            try:
                with open(f"/proc/{name}/{what}", "rb") as file:
                    if folder.encode() in file.read() and fleet.is_alive(int(name)):
                        found.append(int(name))
                        break
            except OSError:
                pass
    return [pid for pid in found if pid not in SELF]


SELF = {os.getpid(), os.getppid()}


def mounts_of(folder):
    with open("/proc/self/mounts") as file:
        return [line for line in file if folder in line]


def sockets_of(folder):
    with open("/proc/net/unix") as file:
        return [line for line in file if folder in line]


def nothing_is_left(folder):
    until(f"no process of {folder} is left", lambda: not processes_of(folder), 60)
    until(f"{folder} is empty", lambda: os.listdir(folder) == [], 60)
    assert not sockets_of(folder), sockets_of(folder)
    assert not mounts_of(folder), mounts_of(folder)


def start(folder, *words, **more):
    # The folder of the demo, not ours, is what its processes are known by.
    env = dict(os.environ, TMPDIR=folder)
    return subprocess.Popen([*DEMO, *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def sign_in(url, code):
    asked = urllib.request.Request(url + "/v1/session", json.dumps({"code": code}).encode(),
                                   {"Content-Type": "application/json", "Fairlead-Page": "1"})
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def main():
    with tempfile.TemporaryDirectory(prefix="fl-demo-test-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o711)
        with shows("the demo runs its example, exits with 0 and leaves nothing"):
            demo = start(folder)
            out, _ = demo.communicate(timeout=300)
            assert demo.returncode == 0, f"exit code {demo.returncode}: {out[-1500:]}"
            for word in ("preparing part 7", "rank 3 step 100", "accuracy 0.94", "succeeded in"):
                assert word in out, f"{word!r} is not in {out[-1500:]}"
            nothing_is_left(folder)
        with shows("with --chaos a tunnel is cut and an agent killed, and the log has no gap"):
            demo = start(folder, "--chaos")
            out, _ = demo.communicate(timeout=300)
            assert demo.returncode == 0, f"exit code {demo.returncode}: {out[-1500:]}"
            assert "40 of 40 lines" in out, out[-1500:]
            nothing_is_left(folder)
        with shows("Ctrl-C ends it, and nothing is left"):
            demo = start(folder, "--keep")
            time.sleep(random.uniform(1, 5))
            demo.send_signal(signal.SIGINT)
            demo.communicate(timeout=120)
            nothing_is_left(folder)
        with shows("the link that it prints signs in to its dashboard, once"):
            demo = start(folder, "--keep")
            link = next(words for line in demo.stdout for words in re.findall(r"http://\S+/login#code=\S+", line))
            url, code = re.match(r"(http://[^/]+)/login#code=([0-9a-f]+)&next=", link).groups()
            equal([sign_in(url, code), sign_in(url, code)], [201, 403])
            demo.send_signal(signal.SIGINT)
            demo.communicate(timeout=120)
            nothing_is_left(folder)
        moments = fleet.by_mode(1, 20, 60)
        with shows(f"kill -9 of the demo at {moments} random moments leaves nothing"):
            for moment in range(moments):
                demo = start(folder)
                time.sleep(random.Random(moment).uniform(0.1, 7))
                demo.kill()
                demo.communicate(timeout=120)
                nothing_is_left(folder)
        with shows("a port that is taken is a clear message"):
            import socket
            taken = socket.socket()
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            demo = start(folder, "--port", str(taken.getsockname()[1]))
            out, _ = demo.communicate(timeout=120)
            taken.close()
            assert demo.returncode == 1 and "is taken" in out and "--port" in out, out
            nothing_is_left(folder)
    fleet.finish()


main()
