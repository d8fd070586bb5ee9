"""A control plane whose database may be dropped and restored, by the very commands of docs/operations.md."""
import os
import re
import subprocess
import urllib.request

import hub
from fleet import ROOT, equal

PG_BIN = next(path for path in ("/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/17/bin", "/usr/bin") if os.path.exists(f"{path}/pg_basebackup"))
MARK = r"<!-- tests/e2e/\w+_test.py runs: {} -->"


def commands(name):
    """The lines of the block behind that mark."""
    with open(os.path.join(ROOT, "docs/operations.md")) as file:
        text = file.read()
    block = re.search(MARK.format(re.escape(name)) + r"\n```sh\n(.*?)```", text, re.S)
    assert block, f"docs/operations.md has no commands for {name}"
    return block.group(1).splitlines()


class Site(hub.Hub):
    """A control plane whose database is one that may be dropped."""

    def __enter__(self):
        self.data = os.path.join(self.pg, "data")
        self.here = os.path.join(self.dir, "work")
        os.mkdir(self.here)
        os.chmod(self.here, 0o777)
        self.metrics = hub.free_port()
        self.settings["metrics_listen"] = f"127.0.0.1:{self.metrics}"
        self.more = {}  # further variables of the commands
        self.is_made = False
        return super().__enter__()

    def start(self):
        if not self.is_made:
            self.is_made = True
            self.run("createdb -T template0 fairlead")
            self.aim(self.pg)
        super().start()

    def aim(self, host):
        with open(self.database, "w") as file:
            file.write(f"host={host} user=postgres dbname=fairlead\n")

    def stop(self):
        self.process.terminate()
        equal(self.process.wait(timeout=60), 0, "the end of fairleadd")

    def run(self, line, host=None):
        env = dict(os.environ, PATH=f"{PG_BIN}:{os.environ['PATH']}", PGHOST=host or self.pg, PGUSER="postgres", PGDATA=self.data, STATE_DIR=self.settings["state_dir"])
        env.update(self.more)
        done = subprocess.run(["sh", "-ec", line], cwd=self.here, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"{line}: {done.stdout}")
        return done.stdout

    def follow(self, name, host=None):
        services = {"systemctl stop fairleadd": self.stop, "systemctl start fairleadd": self.start,
                    "systemctl stop postgresql": lambda: self.postgres("down"), "systemctl start postgresql": lambda: self.postgres("up")}
        for line in commands(name):
            services[line]() if line in services else self.run(line, host)

    def told(self):
        return [line for line in self.log("fairleadd").splitlines() if "what=history" in line]

    def figure(self, name):
        """A figure of /metrics."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.metrics}/metrics", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return float(re.search(rf"^{name} (\S+)$", answer.read().decode(), re.M).group(1))
