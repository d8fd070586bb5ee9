"""Coverage: do the tests that are named for a module run it?

In a build with --coverage each test counts in a folder of its own (CMakeLists.txt).  gcov reads the counts of the
tests that are named for a module; the lines that they ran, taken together, must be a good part of the module.
"""
import json
import os
import re
import subprocess
import sys

from folders import modules_in, tests_of
from report import Report, walk

PART_MIN = 0.5  # the share of a module's lines: the rest is mostly for failures of the system around it


NOT_RUN = "tests/kube/"  # needs a cluster: ./check --long --only coverage leaves it out

# Modules that write no counts although their tests run them.
NOT_COUNTED = {
    "shared/base/assert.c": "its test ends in abort(), which writes none",
    "agent/supervise/child.c": "a child writes none: it becomes another program",
    "agent/supervise/visitor.c": "the same",
    "cli/terminal.c": "its test is a child that ends by _exit, which writes none",
    "cli/demo/demo_keeper.c": "the keeper ends by _exit, which writes none",
    "cli/demo/demo_postgres.c": "its processes become another program",
    "cli/demo/demo_relay.c": "the relay ends by _exit, which writes none",
}


def test_name(path):
    """tests/unit/a/b_test.c -> unit/a/b, as ctest knows it; tests/sim/main.c -> sim"""
    return re.sub(r"^tests/|_(test|fuzz)\.(c|py)$|/main\.c$", "", path)


def files_below(folder, ending):
    return [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names
            if name.endswith(ending) and "/CMakeFiles/" in place + "/"]


def gcov(files):
    """{source: (lines run, lines)} of counts (.gcda) or, with none run, of the compiler's notes (.gcno)."""
    lines = {}
    ran = subprocess.run(["gcov", "--json-format", "--stdout", *files], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL) if files else None
    if ran and ran.returncode:
        sys.exit("tidy: gcov cannot read the counts: the build has changed since its tests ran; run them again")
    for document in map(json.loads, ran.stdout.splitlines() if ran else ()):
        for file in document["files"]:
            path = os.path.normpath(os.path.join(document["current_working_directory"], file["file"]))
            run, all_ = lines.setdefault(os.path.relpath(path), (set(), set()))
            all_.update(line["line_number"] for line in file["lines"])
            run.update(line["line_number"] for line in file["lines"] if line["count"])
    return lines


def lines_run(build, test):
    """{source: lines} that one test ran."""
    counts = files_below(os.path.join(build, "coverage", test), ".gcda")
    for path in counts:  # gcov wants the compiler's note beside the counts
        note = os.path.join(build, "CMakeFiles", path.split("/CMakeFiles/", 1)[1].removesuffix("gcda") + "gcno")
        if not os.path.exists(path.removesuffix("gcda") + "gcno"):
            os.symlink(os.path.abspath(note), path.removesuffix("gcda") + "gcno")
    return {source: run for source, (run, _) in gcov(counts).items()}


def check_coverage(root, build):
    rule = "named tests run their module"
    report = Report(rule)
    paths = list(walk(root))
    named = tests_of(root, paths)
    run_by = {test: lines_run(build, test_name(test)) for test in sorted(set().union(*named.values()))}
    if not any(run_by.values()):
        sys.exit(f"tidy: no counts in {build}/coverage: run its tests first")
    notes = gcov(files_below(os.path.join(build, "CMakeFiles"), ".c.gcno"))
    for module in modules_in(paths):
        lines = notes.get(module, ((), ()))[1]  # none: a file of tables
        run = set().union(*(run_by[test].get(module, ()) for test in named[module]))
        if all(test.startswith(NOT_RUN) for test in named[module]):
            continue
        if module not in NOT_COUNTED and len(run) < PART_MIN * len(lines):
            report.breach(rule, module, f"{len(run)} of {len(lines)} lines run by {', '.join(sorted(named[module]))}")
    return report.finish()
