"""'fairlead top' in a real terminal: tmux is the terminal, bash starts the program in it, and what a person would see is read
from the screen."""
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import time

import fleet
import hub
from fleet import BIN, equal, is_alive, shows, until

FAIRLEAD = os.path.join(BIN, "fairlead")
WAIT_S = 60


class Terminal:
    """A tmux of its own with one bash in it."""

    def __init__(self, h, columns=80, rows=24, **env):
        self.dir = tempfile.mkdtemp(prefix="fl-top-")
        self.socket = os.path.join(self.dir, "tmux")
        self.env = {name: value for name, value in os.environ.items() if name not in ("TMUX", "NO_COLOR", "FAIRLEAD_CONTEXT")}
        env = {"PATH": f"{BIN}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": h.token,
               "XDG_CONFIG_HOME": self.dir, "PS1": "$ ", "HISTFILE": "", **env}
        shell = shlex.join(["env", *(f"{name}={value}" for name, value in env.items()), "bash", "--norc", "--noprofile", "-i"])
        self.server = subprocess.Popen(["tmux", "-D", "-S", self.socket, "-f", "/dev/null"], env=self.env, stdin=subprocess.DEVNULL)
        until("tmux is there", lambda: os.path.exists(self.socket), WAIT_S)
        until("a window is there", lambda: self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), shell, check=False), WAIT_S)
        self.type("cd '%s'; stty -g >before; echo line of before" % self.dir)
        self.sees("^line of before")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind:
            with contextlib.suppress(Exception):
                print("--- the screen:", self.screen(), sep="\n", flush=True)
        self.tmux("kill-server", check=False)
        self.server.wait(timeout=WAIT_S)
        subprocess.run(["rm", "-rf", self.dir], check=True)

    def tmux(self, *words, check=True):
        out = subprocess.run(["tmux", "-S", self.socket, *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=WAIT_S)
        if check and out.returncode != 0:
            raise RuntimeError(f"tmux {words}: {out.stderr}")
        return out.stdout if check else out.returncode == 0

    def screen(self, *words):
        return self.tmux("capture-pane", "-p", *words)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)
        return self

    def text(self, text):
        self.tmux("send-keys", "-l", text)
        return self

    def type(self, line):
        return self.text(line).keys("Enter")

    def sees(self, pattern, without=None):
        """The screen, once it has the pattern."""
        def look():
            text = self.screen()
            return text if re.search(pattern, text, re.M) and not (without and re.search(without, text, re.M)) else None

        try:
            return until(f"{pattern!r} is seen", look, WAIT_S)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; the screen: {self.screen()}") from None

    def start(self, *words):
        self.tmux("clear-history")
        self.type(f"clear; echo line of before; sh -c 'echo $$ >pid; exec fairlead top {' '.join(words)}'; echo exit code $?; stty -g >after")
        self.sees(r"F10Quit", r"asking the control plane")
        with open(os.path.join(self.dir, "pid")) as file:
            self.pid = int(file.read())
        return self

    def ends(self, code):
        """The program has ended with that code and left the terminal as it was."""
        text = self.sees(rf"^exit code {code}\n\$$")
        assert "line of before" in text and "F10Quit" not in text, text  # the screen of before is back
        until("the program has ended", lambda: not is_alive(self.pid), WAIT_S)
        self.type("echo typed")  # seen as it is typed, and its answer in the first column
        self.sees(r"\$ echo typed\ntyped\n")
        with open(os.path.join(self.dir, "before")) as before, open(os.path.join(self.dir, "after")) as after:
            equal(after.read(), before.read(), "the terminal's settings")

    def order(self):
        """The ids of the rows."""
        return re.findall(r"^[ *](job-\w+)", self.screen(), re.M)


def environment(h):
    given = {name: value for name, value in os.environ.items() if name != "FAIRLEAD_CONTEXT"}
    return {**given, "FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": h.token, "LC_ALL": "C.UTF-8"}


def seen_state(t, job, state):
    return t.sees(rf"^[ *]{job}\s+\S+\s+{state}\b")


def lists(h):
    with Terminal(h) as t:
        with shows("jobs appear and change their state while one looks"):
            t.start("--delay", "0.5")
            t.sees(r"^fairlead  http://127\.0\.0\.1:\d+  first-admin +\S* +connected  \d\d:\d\d:\d\d  every 0\.5 s$")
            t.sees(r"^east +ready +CPU\[ +0/8\] Mem\[ +0B/16G\] GPU\[")
            t.sees("no jobs: 'fairlead run echo hello' starts one")
            job = h.submit({"name": "lasting", "command": ["sh", "-c", "until [ -e end ]; do sleep 0.2; done"], "hold": True, "resources": {"cpu": "4"}})
            seen_state(t, job, "held")
            h.api("POST", f"/v1/jobs/{job}:release")
            text = seen_state(t, job, "running")
            assert re.search(rf"{job} .* east ", text), text
            t.sees(r"^east +ready +CPU\[\|+ +4/8\]")
            t.sees(r"^Jobs: 1 open; 1 shown: 1 running$")
            h.api("POST", f"/v1/jobs/{job}:cancel")
            seen_state(t, job, "cancelled")
        with shows("names that other people chose show, and steer no terminal"):
            wide = h.submit({"name": "日本語", "command": ["true"]})
            t.sees(rf"^ {wide} +日本語 +(succeeded|running|queued|starting)")
        with shows("q leaves the terminal as it was"):
            t.keys("q").ends(0)


def chosen(h):
    jobs = {name: h.submit({"name": name, "command": ["true"], "hold": True, "priority": priority})
            for name, priority in (("apple", 3), ("berry", 1), ("cherry", 2))}
    apple, berry, cherry = jobs.values()
    with Terminal(h) as t:
        t.start("--state", "held")
        t.sees(cherry)
        with shows("rows are sorted by the column that the menu gives, and the other way round"):
            equal(t.order(), [cherry, berry, apple])
            t.keys("F6", "Down", "Enter")
            until("sorted by name", lambda: t.order() == [apple, berry, cherry], WAIT_S)
            t.text("I")
            until("the other way round", lambda: t.order() == [cherry, berry, apple], WAIT_S)
        with shows("a filter leaves only rows that have its text, and Esc brings the others back"):
            t.keys("F4").text("BERR")
            until("filtered", lambda: t.order() == [berry], WAIT_S)
            t.keys("Enter").sees("filter: BERR")
            t.keys("Escape")
            until("all again", lambda: len(t.order()) == 3, WAIT_S)
        with shows("a search moves the cursor to the row that has its text"):
            t.keys("Home").sees(r"\b1/3$")
            t.text("/apple").sees(r"\b3/3$")
            t.keys("Escape").sees("F10Quit")
        with shows("a user is chosen at the control plane, and Esc takes the choice back"):
            t.text("u").sees(r"^User \(@me")
            t.text("somebody").keys("Enter").sees("no jobs")
            t.sees("user: somebody").index("[1 Jobs]")
            t.keys("Escape")
            until("all again", lambda: len(t.order()) == 3, WAIT_S)
        with shows("cancel names the jobs that are tagged, and does nothing but after y"):
            t.keys("Home").text("  ").sees("2 tagged")
            text = t.keys("F9").sees(r"^ cancel 2 jobs\?")
            assert re.search(rf"^   {cherry}  held  cherry$", text, re.M) and re.search(rf"^   {berry}  held  berry$", text, re.M), text
            t.text("n").sees("nothing was changed")
            equal({h.job(job)["state"] for job in jobs.values()}, {"held"})
            t.text("c").sees("cancel 2 jobs")
            t.text("y").sees("cancel: all 2 were done")
            until("both are gone from the list", lambda: t.order() == [apple], WAIT_S)
            equal([h.job(job)["state"] for job in jobs.values()], ["held", "cancelled", "cancelled"])
        t.keys("q").ends(0)


def acted(h):
    job = h.submit({"name": "speaks", "command": ["sh", "-c", "echo a line of it; until [ -e end ]; do sleep 0.2; done"], "hold": True})
    with Terminal(h) as t:
        t.start("--delay", "0.5", "--user", "@me")
        seen_state(t, job, "held")
        with shows("Enter shows all about a job, as it is now"):
            t.keys("Home", "Enter").sees(rf"^ {job}  held")
            t.sees(r"^ Why: Held")
            t.text("R").sees(rf"^ {job}  running")
            t.sees(r"^ +cluster +east")
            t.keys("Escape").sees("F10Quit")
        with shows("l shows its output as it comes, and leads back"):
            t.text("l").sees("a line of it", "F10Quit")
            t.keys("C-c").sees("-- Enter leads back --")
            t.keys("Enter").sees("F10Quit")
            seen_state(t, job, "running")
        with shows("a queue is paused and resumed, after a question"):
            t.text("2").sees(r"^ default +open")
            t.text("H").sees(r"^ pause 1 queue\?")
            t.text("y").sees(r"^ default +paused")
            assert h.api("GET", "/v1/queues/default")["paused"]
            t.text("R").sees(r"^ resume 1 queue\?")
            t.text("y").sees(r"^ default +open")
        with shows("clusters and nodes have tabs of their own"):
            t.text("3").sees(r"^ east +ready +1/1 ")
            t.keys("Enter").sees(r"cluster: east")
            t.sees(r"^ east +\S+ +ready ")
        t.keys("q").ends(0)
    h.api("POST", f"/v1/jobs/{job}:cancel")
    h.wait(job)


def limited(h):
    lines = "".join(json.dumps({"name": f"many-{number}", "command": ["true"], "hold": True, "labels": {"many": "yes"}}) + "\n" for number in range(510))
    subprocess.run([FAIRLEAD, "submit", "--detach", "-"], env=environment(h), input=lines, stdout=subprocess.DEVNULL, check=True, text=True, timeout=120)
    with Terminal(h) as t:
        with shows("with many jobs it has the newest 500, and says that there are more"):
            t.start("--label", "many=yes").sees(r"^Jobs: 51\d open; 500 of more shown: 500 held$")
            newest = t.order()[0]
            t.keys("End").sees(r"\b500/500$")
            assert newest not in t.order(), t.order()
            t.keys("Home").sees(r"\b1/500$")
            equal(t.order()[0], newest)
        t.keys("q").ends(0)
    subprocess.run([FAIRLEAD, "cancel", "--label", "many=yes", "--yes"], env=environment(h), stdout=subprocess.DEVNULL, check=True, timeout=120)


def refused(h):
    job = h.submit({"name": "guarded", "command": ["true"], "hold": True})
    reader = h.api("POST", "/v1/tokens", {"name": "reader", "scopes": ["read"]})
    with Terminal(h, FAIRLEAD_TOKEN=reader["token"]) as t:
        t.start("--delay", "0.5")
        with shows("a token that may only look is refused a cancel, and the job stays"):
            t.text("/guarded").keys("Enter").text("c").sees(rf"^   {job}  held  guarded$")
            t.text("y").sees(rf"^{job}: 403 \S")
            equal(h.job(job)["state"], "held")
        with shows("a token that counts no more is a refusal, and no lost connection"):
            h.api("DELETE", f"/v1/tokens/{reader['id']}")
            t.sees(r"^refused, trying again( in \d s)?: 401 \S")
            t.sees(job)
        t.keys("q").ends(0)
    h.api("POST", f"/v1/jobs/{job}:cancel")


def resized(h):
    with Terminal(h) as t:
        t.start()
        with shows("it fills a larger terminal, and says when one is too small"):
            t.tmux("resize-window", "-x", "200", "-y", "60")
            text = t.sees(r"ELEMENTS +AGE +TOOK +PRI +USER +NOTE")
            until("the last row is used", lambda: "F10" in t.screen().rstrip("\n").split("\n")[-1] and t.screen().count("\n") == 60, WAIT_S)
            t.tmux("resize-window", "-x", "50", "-y", "10")
            t.sees("wants 60x12, has 50x10; Ctrl-C quits")
            t.tmux("resize-window", "-x", "80", "-y", "24")
            t.sees("F10Quit")
        t.keys("q").ends(0)


def away(h):
    with Terminal(h) as t:
        t.start("--delay", "0.5")
        with shows("while the control plane is away the last data stays, and it says when it tries again"):
            rows = t.order()
            h.kill()
            t.sees(r"^disconnected, trying again( in \d s)?: \S")
            t.sees(r" disconnected  \d\d:\d\d:\d\d  every")
            equal(t.order()[:10], rows[:10])
        with shows("it goes on by itself when the control plane is back"):
            h.start()
            h.wait_cluster("east", "ready")
            t.sees(r" connected  \d\d:\d\d:\d\d  every", "disconnected")
            job = h.submit({"name": "later", "command": ["true"], "hold": True})
            seen_state(t, job, "held")
        t.keys("q").ends(0)


def left(h):
    with Terminal(h) as t:
        for how, code in (("C-c", 130), ("F10", 0)):
            with shows(f"{how} leaves the terminal as it was"):
                t.start().keys(how).ends(code)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with shows(f"{number.name} leaves the terminal as it was"):
                t.start()
                os.kill(t.pid, number)
                t.ends(130)
        with shows("interrupts that come so fast that it ends at once leave the terminal as it was"):
            t.start()
            cpus = os.sched_getaffinity(0)
            for pid in (0, t.pid):
                os.sched_setaffinity(pid, {min(cpus)})
            os.sched_setscheduler(t.pid, os.SCHED_IDLE, os.sched_param(0))  # so both are there before it runs again
            for number in (signal.SIGINT, signal.SIGTERM):
                os.kill(t.pid, number)
            os.sched_setaffinity(0, cpus)
            t.ends(130)
        with shows("Ctrl-Z gives the terminal to the shell, and fg brings the screen back"):
            t.type("clear; echo line of before; fairlead top").sees("F10Quit")
            t.keys("C-z").sees(r"Stopped", "F10Quit")
            t.type("stty -g >after; echo in between").sees(r"\nin between\n")
            t.type("fg").sees("F10Quit", "in between")
            t.keys("q").sees(r"^in between\n", "F10Quit")
            with open(os.path.join(t.dir, "before")) as before, open(os.path.join(t.dir, "after")) as after:
                equal(after.read(), before.read(), "the terminal's settings")


def looks(h):
    color = r"\x1b\[([0-9;]*;)?(3[0-7]|4[0-7])(;[0-9;]*)?m"
    with shows("there are colours, and with NO_COLOR none"):
        with Terminal(h) as t:
            t.start()
            assert re.search(color, t.screen("-e")), t.screen("-e")
            t.keys("q").ends(0)
        with Terminal(h, NO_COLOR="1") as t:
            t.start()
            assert not re.search(color, t.screen("-e")), t.screen("-e")
            assert "\x1b[7m" in t.screen("-e"), t.screen("-e")  # the cursor is seen without them
            t.keys("q").ends(0)
    with shows("a terminal without UTF-8 gets ASCII alone"):
        with Terminal(h, LC_ALL="C") as t:
            t.start()
            assert t.screen().isascii(), t.screen()
            t.keys("q").ends(0)


def elsewhere(h):
    def run(*words, **more):
        return subprocess.run([FAIRLEAD, "top", *words], env={**environment(h), **more}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    with shows("without a terminal it says what to do instead"):
        out = run()
        equal((out.returncode, out.stdout), (64, ""))
        assert "'fairlead ps'" in out.stderr and "--once" in out.stderr, out.stderr
    with shows("--once prints one page, of the jobs that are meant"):
        job = h.submit({"name": "paged", "command": ["true"], "hold": True, "labels": {"page": "one"}})
        out = run("--once", "--label", "page=one")
        equal(out.returncode, 0, out.stderr)
        assert out.stdout.startswith("fairlead ") and "\x1b" not in out.stdout, out.stdout
        equal(re.findall(r"^ (job-\w+) +paged +held ", out.stdout, re.M), [job], out.stdout)
        out = run("--once", "--state", "running", "--queue", "default")
        assert "no jobs" in out.stdout, out.stdout
    with shows("it refuses what it cannot do, with the exit codes of other verbs"):
        for words, more, code, text in ((("--once", "--delay", "0.1"), {}, 64, "from 0.5 to 60"), (("--once", "-o", "json"), {}, 64, "fairlead ps"),
                                        (("--once", "x"), {}, 64, "no further word"), (("--once",), {"FAIRLEAD_TOKEN": "wrong"}, 77, ""),
                                        (("--once",), {"FAIRLEAD_URL": "http://127.0.0.1:1"}, 69, "cannot be reached")):
            out = run(*words, **more)
            equal((out.returncode, out.stdout), (code, ""), out.stderr)
            assert text in out.stderr, out.stderr
    with Terminal(h) as t:
        with shows("a terminal that terminfo does not know, or that cannot be written on at any place, is named"):
            t.type("TERM=nowhere fairlead top; echo exit code $?").sees(r"TERM=nowhere: (.*\n)+.*exit code 64$")
            t.type("clear; TERM=dumb fairlead top; echo exit code $?").sees(r"TERM=dumb: (.*\n)+.*exit code 64$")


def main():
    with hub.Hub() as h:
        h.agent("east", h.join("east"), settings={"hub": f"127.0.0.1:{h.ports['tunnel']}", "cpus": "8", "memory": "16GiB"})
        h.wait_cluster("east", "ready")
        for part in (lists, chosen, acted, limited, refused, resized, away, left, looks, elsewhere):
            part(h)
    fleet.finish()


main()
