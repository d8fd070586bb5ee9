"""The line that shows, while one waits at a terminal, what is happening; and that nothing of it stays."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import fleet
from fleet import BIN, equal, shows

FAIRLEAD = os.path.join(BIN, "fairlead")
SIGNS = r"[-\\|/]"


class Terminal:
    """A program on a terminal: 'text' is all that it wrote, 'screen' what a person sees of that."""

    def __init__(self, f, *words, columns=100, stdout=None, **env):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        env = {**f.env, "TERM": "xterm", "LC_ALL": "C", **env}
        self.process = subprocess.Popen([FAIRLEAD, *words], env=env, stdin=slave, stdout=stdout or slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self.text = ""

    def read(self, limit_s):
        """False: it has ended."""
        if not select.select([self.master], [], [], limit_s)[0]:
            return True
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            return False
        self.text += piece.decode(errors="replace")
        return bool(piece)

    def until(self, pattern, limit_s=fleet.LONG_S):
        end = time.monotonic() + limit_s
        while not re.search(pattern, self.text):
            assert self.read(1) and time.monotonic() < end, (pattern, self.text)
        return self

    def end(self):
        while self.read(fleet.LONG_S):
            pass
        os.close(self.master)
        return self.process.wait(timeout=60)

    @property
    def screen(self):
        lines = [""]
        for piece in re.findall(r"\r\n|\r\x1b\[K|\n|\r|[^\r\n]+", self.text):
            if piece in ("\r\n", "\n"):
                lines.append("")
            elif piece == "\r\x1b[K":
                lines[-1] = ""
            else:
                lines[-1] += piece
        return [line.rstrip("\r") for line in lines if line.strip("\r")]


def waiting(f):
    with shows("while a job waits the line counts the seconds; the reason is printed above it, whole"):
        terminal = Terminal(f, "run", "--name", "greedy", "--cpus", "500", "--wait-for-cluster", "true")
        terminal.until(rf"\r\x1b\[K{SIGNS} job-\d+ queued  \d+s").until(r"waits: .*\r\n(.|\r|\n)*queued  ([3-9]|\d\d)s")
        job = re.search(r"job-\d+", terminal.text)[0]
        frames = re.findall(rf"\r\x1b\[K({SIGNS}) {job} queued  (\d+)s", terminal.text)
        equal({sign for sign, _ in frames}, set("-\\|/"), "the sign turns")
        equal(terminal.screen[0], f"{job} queued in default")
        assert terminal.screen[1].startswith(f"{job} waits: "), terminal.screen
        assert re.fullmatch(rf"{SIGNS} {job} queued  \d+s", terminal.screen[-1]), terminal.screen
    with shows("Ctrl-C takes the line away and says that the job goes on"):
        os.kill(terminal.process.pid, signal.SIGINT)
        equal(terminal.end(), 130)
        assert "no longer watching" in terminal.screen[-1], terminal.screen
        assert not any(re.match(SIGNS + " ", line) for line in terminal.screen), terminal.screen
        f.patient("POST", f"/v1/jobs/{job}:cancel")


def running(f):
    with shows("a job that is silent is shown where it runs; its output takes the line away for good"):
        terminal = Terminal(f, "run", "sh", "-c", "sleep 5; printf 'step 1 '; sleep 2; echo done")
        terminal.until(r"running on \w+  \d+s")
        equal(terminal.end(), 0)
        assert not re.search(r"step 1(.|\n)*\x1b\[K" + SIGNS, terminal.text), terminal.text
        assert "step 1 done" in terminal.screen, terminal.screen
        assert not any(re.match(SIGNS + " ", line) for line in terminal.screen), terminal.screen
    with shows("an array is shown by how many have ended and where the others run, below its output"):
        terminal = Terminal(f, "run", "--color", "never", "--array", "3", "sh", "-c", "echo element $FAIRLEAD_ELEMENT; sleep $((2 * FAIRLEAD_ELEMENT + 1))")
        terminal.until(r"[12] of 3 ended; \d on \w+")
        equal(terminal.end(), 0)
        equal(sorted(line for line in terminal.screen if "element" in line), [f"[{i}] element {i}" for i in range(3)])
        assert not any(re.match(SIGNS + " ", line) for line in terminal.screen), terminal.screen


def followed(f):
    with shows("logs -f shows where a silent job is, and why one waits, until output comes"):
        job = f.cli("run", "--detach", "--hold", "sh", "-c", "sleep 5; echo begun; sleep 2; echo done").strip()
        terminal = Terminal(f, "logs", "-f", job)
        terminal.until(rf"\r\x1b\[K{SIGNS} {job} held, no output yet  \d+s").until(rf"{job} waits: .*held.*\r\n")
        f.cli("release", job)
        terminal.until(rf"{SIGNS} {job} running on \w+, no output yet  \d+s")
        equal(terminal.end(), 0)
        equal(terminal.screen[-2:], ["begun", "done"])
        assert not re.search(r"begun(.|\n)*\x1b\[K" + SIGNS, terminal.text), terminal.text


def drained(f):
    with shows("drain shows how much is left there, and takes the line away at its end"):
        job = f.submit({"command": ["sleep", "12"], "clusters": ["edge"]})
        f.wait(job, "running")
        terminal = Terminal(f, "cluster", "drain", "edge")
        terminal.until(rf"\r\x1b\[K{SIGNS} edge is draining, 1 attempt left there  \d+s")
        equal(terminal.end(), 0)
        assert terminal.screen[0] == "edge is draining: it takes no new work" and terminal.screen[1].startswith("ok  empty"), terminal.screen
        f.cli("cluster", "uncordon", "edge")
    with shows("join --wait shows what it waits for, and Ctrl-C takes the line away"):
        terminal = Terminal(f, "cluster", "join", "far", "--wait")
        terminal.until(rf"\r\x1b\[K{SIGNS} far waits for an agent with its token  \d+s")
        os.kill(terminal.process.pid, signal.SIGINT)
        equal(terminal.end(), 130)
        assert not any(re.match(SIGNS + " ", line) for line in terminal.screen), terminal.screen


def waited(f):
    with shows("wait shows the job it waits for, and how many have ended"):
        jobs = [f.submit({"command": ["sleep", seconds]}) for seconds in ("0", "5")]
        terminal = Terminal(f, "wait", *jobs)
        terminal.until(rf"{SIGNS} {jobs[1]} running on \w+; 1 of 2 jobs have ended  \d+s")
        equal(terminal.end(), 0)
        equal([line.split(" after")[0] for line in terminal.screen], [f"{job} succeeded" for job in jobs])
    with shows("on a narrow terminal it stays one line"):
        job = f.submit({"command": ["sleep", "2"]})
        terminal = Terminal(f, "wait", job, columns=24)
        equal(terminal.end(), 0)
        assert all(len(line) < 24 for line in re.findall(rf"\x1b\[K({SIGNS} [^\r\n]*)", terminal.text)), terminal.text


def elsewhere(f):
    with shows("without a terminal, and on a dumb one, nothing of it is written"):
        words = ("run", "--", "sh", "-c", "sleep 2; echo out")
        plain = subprocess.run([FAIRLEAD, *words], env={**f.env, "TERM": "xterm"}, capture_output=True, text=True, timeout=60)
        assert "\r" not in plain.stderr + plain.stdout and "\x1b" not in plain.stderr + plain.stdout, plain
        dumb = Terminal(f, *words, TERM="dumb")
        equal(dumb.end(), 0)
        assert "\x1b" not in dumb.text, dumb.text
    with shows("a terminal of UTF-8 gets its signs"):
        terminal = Terminal(f, *words, LC_ALL="C.UTF-8")
        terminal.until("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] job-")
        equal(terminal.end(), 0)


def main():
    with fleet.Fleet() as f:
        waiting(f)
        running(f)
        followed(f)
        drained(f)
        waited(f)
        elsewhere(f)
    fleet.finish()


main()
