"""docs/tasks/*.md and docs/scripting.md, command by command, each page against a fresh fleet."""
import glob
import os
import tempfile

import fleet
import page
from fleet import shows

PAGES = ["docs/scripting.md", *(os.path.relpath(path, fleet.ROOT) for path in sorted(glob.glob(f"{fleet.ROOT}/docs/tasks/*.md")) if not path.endswith("README.md"))]


def main():
    for path in PAGES:
        with fleet.Fleet() as f, tempfile.TemporaryDirectory(prefix="fl-page-") as folder:
            env = {**f.env, "PATH": f"{fleet.BIN}:{f.env['PATH']}", "XDG_CONFIG_HOME": folder}
            for block in page.blocks(path):
                with shows(f"{path}: {block[0].splitlines()[0]}"):
                    page.run(block, env, folder)
    with shows("every page of docs/tasks is in its README.md"):
        with open(os.path.join(fleet.ROOT, "docs", "tasks", "README.md")) as file:
            text = file.read()
        missing = [path for path in PAGES if f"({os.path.basename(path)})" not in text and f"(../{os.path.basename(path)})" not in text]
        assert not missing, missing
    fleet.finish()


main()
