"""Clocks that a test sets: libfaketime before a program, with a file that says how far its wall clock is off."""
import contextlib
import glob
import os

LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)


def forget_dead():
    """The library names its shared memory by the process, does not remove it when that is killed, and then ends the next of
    that number."""
    for path in glob.glob("/dev/shm/*faketime_*"):
        if not os.path.exists(f"/proc/{path.rpartition('_')[2]}"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


class Clock:
    """The clock of one or more programs.  It leaves the monotonic clock alone, and the processes that an agent starts for
    jobs."""

    def __init__(self, path):
        assert LIBRARY, "libfaketime is not there: apt-get install faketime"
        self.path = path
        self.step(0)

    def step(self, seconds):
        """From now on (a tenth of a second late at most) it is so many seconds ahead of the host's."""
        with open(self.path + ".new", "w") as file:
            file.write(f"{seconds:+d}\n")
        os.chmod(self.path + ".new", 0o644)
        os.rename(self.path + ".new", self.path)

    def env(self):
        forget_dead()
        return {"LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": self.path, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "FAKETIME_FORCE_MONOTONIC_FIX": "0"}


class Clocked:
    """For a Hub: each program that has a clock in 'clocks', by name, runs by it.  Postgres is 'postgres', an agent its
    cluster."""

    def make_clocks(self, *names):
        self.clocks = {name: Clock(os.path.join(self.dir, f"clock-{name}")) for name in names}

    def env_of(self, name):
        return self.clocks[name].env() if name in self.clocks else {}

    def spawn(self, name, words, wrap=(), env=None):
        return super().spawn(name, words, wrap, {**(env or os.environ), **self.env_of(name.removeprefix("agent-"))})

    def postgres(self, verb, *settings):
        super().postgres(verb, *settings, env=self.env_of("postgres"))
