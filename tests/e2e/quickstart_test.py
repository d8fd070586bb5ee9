"""docs/quickstart.md and README.md, run as they stand: every command in one shell, in order."""
import os
import re
import shutil
import subprocess
import tempfile

import fleet
from fleet import shows


def run(blocks, words):
    """In a folder that is as a reader has it, without our PATH; 'words' come in the output."""
    with tempfile.TemporaryDirectory(prefix="fl-quick-") as folder:
        # ./demo and build/release as a reader has them; ./demo builds, and here that is done already.
        os.makedirs(os.path.join(folder, "build"))
        os.symlink(fleet.BIN, os.path.join(folder, "build", "release"))
        with open(os.path.join(folder, "demo"), "w") as file:
            file.write('#!/bin/sh\nexec build/release/fairlead demo "$@"\n')
        os.chmod(os.path.join(folder, "demo"), 0o755)
        env = {name: value for name, value in os.environ.items() if not name.startswith("FAIRLEAD_")}
        env["XDG_CONFIG_HOME"] = folder
        script = "trap 'fairlead demo --stop \"$FAIRLEAD_DEMO\" 2>/dev/null' EXIT\nset -e\n" + "\n".join(blocks) + "\ntrap - EXIT\n"
        out = subprocess.run([shutil.which("bash"), "-c", script], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, timeout=300)
        assert out.returncode == 0 and "command not found" not in out.stdout, out.stdout[-2500:]
        for word in words:
            assert word in out.stdout, f"{word!r} is missing in {out.stdout[-2500:]}"


def read(*path):
    with open(os.path.join(fleet.ROOT, *path)) as file:
        return file.read()


def main():
    blocks = re.findall(r"^```sh\n(.*?)^```$", read("docs", "quickstart.md"), re.S | re.M)
    with shows(f"the {len(blocks)} blocks of the quickstart run as they stand"):
        assert len(blocks) >= 8, blocks
        run(blocks, ("hello from a cluster", "it exited with 3", "part 3", "rank 2 of 3", "answer", "NoMatchingCluster", "good morning"))
    commands = re.findall(r"^\$ (.*)$", read("README.md"), re.M)
    with shows(f"the {len(commands)} commands that README.md shows run as they stand, in a shell that knows no program of ours"):
        assert len(commands) >= 4, commands
        run(commands, ("hello from a cluster", "NoMatchingCluster"))
    fleet.finish()


main()
