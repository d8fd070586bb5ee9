"""Each example of 'fairlead help VERB', typed into a real bash against a real fleet."""
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile

import fleet
from fleet import BIN, equal, shows, until

FAIRLEAD = os.path.join(BIN, "fairlead")

# These go on until Ctrl-C.
ENDLESS = ("fairlead events --output jsonl", "fairlead forward @last 8888", "fairlead forward @last 9000:8888",
           "fairlead cluster join north --wait > join-token", "fairlead demo --keep --clusters 5")

# These fill a terminal until a key ends them.
FULL_SCREEN = {"fairlead top --user @me --delay 5": b"q"}

# These act on what a healthy fleet does not have, and say so.
IN_VAIN = {"fairlead cluster unlock west": "west: ", "fairlead admin accept-restore": "there is nothing to accept",
           "fairlead admin restore /var/backups/fairlead/monday": "a control plane is connected"}


def verbs():
    page = subprocess.run([FAIRLEAD, "help", "man"], stdout=subprocess.PIPE, text=True, check=True).stdout.replace("\\", "")
    return re.findall(r"^\.It Cm ([a-z]+(?: [a-z-]+)?)(?: No|$)", page, re.M)


def examples(verb):
    text = subprocess.run([FAIRLEAD, *verb.split(), "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r"^Examples:\n((?:  .*\n)+)", text, re.M).group(1).replace("\n  ", "\n").strip().split("\n")


def fill(folder):
    def write(name, text):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w" if isinstance(text, str) else "wb") as file:
            file.write(text)

    write("sweep.sh", "#!/bin/sh\n#FAIRLEAD --array 3 --name sweep\necho element $FAIRLEAD_ELEMENT\n")
    for name in ("train.yaml", "jobs/a.yaml", "jobs/b.yaml"):
        write(name, "name: train\ncommand: [echo, trained]\n")
    write("many.ndjson", '{"name": "a", "command": ["true"]}\n{"name": "b", "command": ["true"]}\n')
    write("data.csv", "a,b\n")
    message = struct.pack("<HBQ", 32, 8, 7)  # a ping
    write("frames.bin", struct.pack("<IBBHII", 0, 1, 0, 0, len(message), 1) + message)


class Shell:
    def __init__(self, f, folder):
        self.f, self.folder = f, folder
        self.env = {**f.env, "PATH": f"{BIN}:{f.env['PATH']}", "TMPDIR": folder, "EDITOR": "true", "BROWSER": "true"}

    def command(self, line):
        line = line.replace("https://fairlead.example.org", self.f.url).replace("/var/backups/fairlead", os.path.join(self.folder, "backups"))
        if line.startswith("fairlead admin"):
            line = f"FAIRLEAD_CONFIG={self.folder}/fairleadd.conf {line}"
        return ["bash", "-euo", "pipefail", "-c", line]

    def run(self, line):
        """With a terminal where it wants one, on which 'exit' is typed."""
        master, slave = pty.openpty()
        os.write(master, b"exit\n")
        out = subprocess.run(self.command(line), cwd=self.folder, env=self.env, stdin=slave if " -it " in line or line == "fairlead edit @last" else subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        os.close(master)
        os.close(slave)
        return out

    def full_screen(self, line, key):
        """With a terminal, on which the key is typed once the screen is there."""
        master, slave = pty.openpty()
        process = subprocess.Popen(self.command(f"exec {line}"), cwd=self.folder, env={**self.env, "TERM": "xterm"}, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        seen = b""
        while b"Quit" not in seen:
            assert select.select([master], [], [], 60)[0], seen
            seen += os.read(master, 65536)
        os.write(master, key)
        try:
            while os.read(master, 65536):
                pass
        except OSError:  # its other end is closed
            pass
        os.close(master)
        equal(process.wait(timeout=60), 0)

    def interrupt(self, line):
        """Ctrl-C once it has said something, or waits."""
        process = subprocess.Popen(self.command(f"exec {line}"), cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        try:
            process.wait(timeout=8 if "demo" in line else 4)
            raise AssertionError(f"it ended with {process.returncode}: {process.stdout.read()!r}")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            assert process.returncode in (0, 130), process.returncode


def prepare(f, verb):
    """Makes the objects that the examples of a verb name: @last, and so on."""
    def job(*words):
        return f.cli("run", "-d", "--label", "team=vision", *words).strip()

    if verb in ("exec", "shell", "forward", "cp"):
        id = job("--replicas", "4", "sh", "-c", "echo a,b > results.csv; sleep 300")
        until("it runs", lambda: f.job(id)["state"] == "running" and f.run("exec", id, "cat", "results.csv").returncode == 0)
    elif verb in ("cancel", "release"):
        job("--hold", "true")
    elif verb == "edit":
        f.cli("queue", "create", "urgent")
        job("--hold", "true")
    elif verb == "hold":
        job("--cpus", "900", "--wait-for-cluster", "true")
    elif verb in ("logs", "describe", "failures", "retry"):  # the id in an example of retry is that of this line
        f.wait(f.cli("run", "-d", "sh", "-c", "echo an Error; exit 1").strip())
    elif verb == "cluster drain":
        f.cli("cancel", "-q", "default", "--yes")
        until("nothing runs there", lambda: f.cli("cluster", "get", "west", "-o", "jsonpath=.attempts") == "0\n")
    elif not verb.startswith("cluster"):
        f.wait(job("true"))


def main():
    with fleet.Fleet() as f, tempfile.TemporaryDirectory(prefix="fl-examples-") as folder:
        os.chmod(folder, 0o755)  # the demo's Postgres is another user's
        fill(folder)
        os.mkdir(os.path.join(folder, "backups"))
        for name, text in {"token": f.token, "fairleadd.conf": f"database = @{f.dir}/database\nstate_dir = {f.dir}/hub"}.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text + "\n")
        shell = Shell(f, folder)
        for verb in verbs():
            prepare(f, verb)
            for line in examples(verb):
                with shows(line):
                    if line in ENDLESS:
                        shell.interrupt(line)
                        continue
                    if line in FULL_SCREEN:
                        shell.full_screen(line, FULL_SCREEN[line])
                        continue
                    out = shell.run(line.replace("leave west", "leave edge"))
                    if line in IN_VAIN:
                        assert out.returncode == 1 and IN_VAIN[line] in out.stdout, (out.returncode, out.stdout)
                    else:
                        equal(out.returncode, 0, out.stdout)
            if verb == "cluster drain":
                f.cli("cluster", "uncordon", "west")
    fleet.finish()


main()
