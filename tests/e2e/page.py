"""Runs the commands of a page of docs, and compares their output with the page.

    for block in page.blocks("docs/scripting.md"):
        page.run(block, env, folder)       # AssertionError: it printed something else

After a block of 'sh' there may be one of 'text', the output of its commands.  In it '...' stands for any text of a line, and
alone on a line for any lines."""
import os
import re
import subprocess
import tempfile

import fleet

LIMIT_S = 180


def blocks(path):
    """(commands, what they print or None)"""
    with open(os.path.join(fleet.ROOT, path)) as file:
        found = re.findall(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", file.read(), re.S | re.M)
    assert found, f"{path} has no commands"
    return [(commands, printed or None) for commands, printed in found]


def pattern(printed):
    lines = []
    for line in printed.splitlines():
        lines.append("(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + "\n")
    return "".join(lines)


def run(block, env, folder):
    commands, printed = block
    with tempfile.TemporaryFile("w+") as trace:  # apart from the commands' own output
        try:
            out = subprocess.run(["bash", "-euxo", "pipefail", "-c", commands], env={**env, "BASH_XTRACEFD": str(trace.fileno())}, cwd=folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S,
                                 pass_fds=[trace.fileno()])
        except subprocess.TimeoutExpired:
            trace.seek(0)
            raise AssertionError(f"not over after {LIMIT_S} s: {trace.read()[-500:]}") from None
    assert out.returncode == 0, f"exit code {out.returncode}: {out.stderr}"
    if printed is not None:
        assert re.fullmatch(pattern(printed), out.stdout), f"it printed\n{out.stdout}and should have printed\n{printed}{out.stderr}"
