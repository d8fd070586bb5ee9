"""Jobs that a test holds in its hand: they write lines until the test orders their end, and record their steps in a ledger."""
import os
import signal
import time

import fleet
from fleet import equal, until

# argv: folder, name.  'begin' with its process in the ledger, a line each tenth of a second, until there is a file
# 'end-NAME' with an exit code, or a signal as "-9"; then 'end' with the number of lines.
WORKER = r"""
import os, sys, time
folder, name = sys.argv[1:]
me = ' '.join(os.environ['FAIRLEAD_' + n] for n in ('JOB_ID', 'ELEMENT', 'ATTEMPT', 'REPLICA'))
def tell(word, number):
    f = os.open(folder + '/ledger', os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(f, f'{word} {me} {number}\n'.encode())
    os.close(f)
tell('begin', os.getpid())
lines = 0
while not os.path.exists(f'{folder}/end-{name}'):
    print(me, lines, flush=True)
    lines += 1
    time.sleep(0.1)
code = int(open(f'{folder}/end-{name}').read())
tell('end', lines)
if code < 0: os.kill(os.getpid(), -code)
sys.exit(code)
"""


def born(pid):
    """When that process was started, so that a number used again is not taken for it.  None: it is not there."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return None if words[0] == "Z" else words[19]
    except OSError:
        return None


class Worker:
    def __init__(self, h, name, **document):
        self.h, self.name, self.folder = h, name, h.dir
        document.setdefault("resources", {"cpu": "100m", "memory": "16Mi"})
        self.job = h.submit({"name": name, "command": ["python3", "-c", WORKER, self.folder, name], **document})

    def ledger(self, wanted):
        """(attempt, replica, number) of each line of that word."""
        try:
            with open(os.path.join(self.folder, "ledger")) as file:
                lines = [line.split() for line in file]
        except FileNotFoundError:
            return []
        return [(int(attempt), int(replica), int(number)) for word, job, _, attempt, replica, number in lines
                if word == wanted and job == self.job]

    def began(self, limit_s=fleet.LONG_S):
        self.first = until(f"{self.name} runs", lambda: self.ledger("begin"), limit_s)[0]
        self.pid = self.first[2]
        self.born = born(self.pid)
        assert self.born, f"{self.name} is gone"
        return self

    def untouched(self):
        equal(born(self.pid), self.born, f"the process of {self.name}")
        equal(self.ledger("begin"), [self.first], f"begin lines of {self.name}")

    def tell_end(self, code=0):
        path = os.path.join(self.folder, f"end-{self.name}")
        with open(path + ".new", "w") as file:
            file.write(f"{code}\n")
        os.rename(path + ".new", path)

    def is_over(self):
        return born(self.pid) != self.born

    def check(self, state, code=0, limit_s=fleet.LONG_S):
        """It ended so, in its first attempt, and its output is all there, once."""
        job = self.h.wait(self.job, limit_s=limit_s)
        equal(job["state"], state, f"state of {self.name}")
        equal(self.ledger("begin"), [self.first], f"begin lines of {self.name}")
        attempts = [(one["attempt"], one.get("exitCode")) for one in job["attempts"]]
        equal(attempts, [(self.first[0], code)], f"attempts and exit codes of {self.name}")
        lines = self.ledger("end")[0][2]
        wanted = "".join(f"{self.job} 0 {self.first[0]} 0 {i}\n" for i in range(lines)).encode()
        until(f"the output of {self.name} is whole", lambda: self.h.output(self.job) == wanted, 60)


def watch(workers, seconds):
    """For so long, none of them is touched."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for worker in workers:
            worker.untouched()
        time.sleep(0.2)


def end_process(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
