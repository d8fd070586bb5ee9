"""Folders that explain themselves: each has a README.md, each module a test that is named for it.

A README says what the folder is for, 'Start with `file`', what it may include, and its 'Tests:'.  A module is a .c file
of the product.  tests/unit/<its path>_test.c is named for it; other tests are named in the README of its folder, in
lines below 'Tests:' like this one:
  - `module`, `other`: `tests/unit/shared/base/both_test.c`, `tests/e2e/first_test.py`
"""
import os
import re

from report import text_of

PRODUCT = ("shared/", "controlplane/", "agent/", "cli/")
SPEAKS_FOR_ALL_BELOW = ("tests/unit", "tests/fuzz", "tests/sim", "tests/kube/programs", "deploy", "docs", ".ci", "controlplane/dashboard")
README_LINES_MAX = 60

IS_TEST = re.compile(r"tests/\S+_(test|fuzz)\.(c|py)|tests/sim/main\.c")
NAMES = re.compile(r"^ *- ((?:`[\w.]+`(?:,\s+|\s+and\s+)?)+):((?:.|\n(?! *(?:-|$)))*)", re.M)


def folder_to_explain(path):
    """The folder whose README speaks for this file; '' when none has to."""
    folder = os.path.dirname(path)
    return next((top for top in SPEAKS_FOR_ALL_BELOW if f"{folder}/".startswith(f"{top}/")), folder)


def modules_in(paths):
    return [path for path in paths if path.endswith(".c") and path.startswith(PRODUCT)]


def named_in(readme):
    """Yields (module, test) for each test that a README names for a module."""
    tests = readme[readme.find("Tests:"):] if "Tests:" in readme else ""
    for line in NAMES.finditer(tests):
        for module in re.findall(r"`([\w.]+)`", line[1]):
            for test in re.findall(r"`(tests/\S+?)`", line[2]):
                yield module, test


def tests_of(root, paths):
    """{module: the tests named for it}"""
    known, named = set(paths), {module: set() for module in modules_in(paths)}
    for module in named:
        mirror = f"tests/unit/{module.removesuffix('.c')}_test.c"
        if mirror in known:
            named[module].add(mirror)
    for path in (path for path in paths if os.path.basename(path) == "README.md"):
        for name, test in named_in(text_of(os.path.join(root, path))):
            named.setdefault(f"{os.path.dirname(path)}/{name}.c", set()).add(test)
    return named


def check_readme(path, text, known, report):
    rule = "a folder says what it is for"
    folder = os.path.dirname(path)
    wanted = {"# ": r"\A# \S", "Start with": r"Start with `", "Tests:": r"Tests:"}
    if f"{folder}/".startswith(PRODUCT):
        wanted["may include"] = r"[Mm]ay include"
    for what, pattern in wanted.items():
        if not re.search(pattern, text):
            report.breach(rule, f"{path}:1", f"lacks '{what}'")
    if text.count("\n") > README_LINES_MAX:
        report.breach(rule, f"{path}:1", f"has {text.count(chr(10))} lines: about ten are meant")
    tops = {name.split("/")[0] for name in known if "/" in name}
    for place in re.findall(r"`([\w.]+/[\w./]*)`", text):
        if place.split("/")[0] in tops and not known & {place.rstrip("/"), f"{place}.h", f"{place}.c"}:
            report.breach(rule, f"{path}:1", f"names {place}, which is not there")


def check_folders(root, paths, report):
    known = set(paths) | {folder for path in paths for folder in folders_above(path)}
    report.rule("a folder says what it is for")
    for folder in sorted({folder_to_explain(path) for path in paths} - {"", ".ci"}):
        readme = f"{folder}/README.md"
        if readme in known:
            check_readme(readme, text_of(os.path.join(root, readme)), known, report)
        else:
            report.breach("a folder says what it is for", folder, "has no README.md")

    report.rule("a module has a test named for it")
    for module, tests in tests_of(root, paths).items():
        if module not in known:
            report.breach("a module has a test named for it", f"{os.path.dirname(module)}/README.md",
                          f"names tests of {module}, which is not there")
        elif not tests:
            report.breach("a module has a test named for it", module, "no test mirrors it in tests/unit, and "
                          f"{os.path.dirname(module)}/README.md names none")
        for test in tests:
            if test not in known or not IS_TEST.fullmatch(test):
                report.breach("a module has a test named for it", module, f"{test} is no test")


def folders_above(path):
    while path := os.path.dirname(path):
        yield path
