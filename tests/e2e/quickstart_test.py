"""docs/quickstart.md, run as it stands: every ```sh block, in one shell, in order."""
import os
import re
import shutil
import subprocess
import tempfile

import fleet
from fleet import shows


def main():
    with open(os.path.join(fleet.ROOT, "docs", "quickstart.md")) as file:
        blocks = re.findall(r"^```sh\n(.*?)^```$", file.read(), re.S | re.M)
    with tempfile.TemporaryDirectory(prefix="fl-quick-") as folder, shows(f"the {len(blocks)} blocks of the quickstart run as they stand"):
        assert len(blocks) >= 8, blocks
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
        assert out.returncode == 0, out.stdout[-2500:]
        for word in ("hello from a cluster", "it exited with 3", "part 3", "rank 2 of 3", "NoMatchingCluster", "good morning"):
            assert word in out.stdout, f"{word!r} is missing in {out.stdout[-2500:]}"
    fleet.finish()


main()
