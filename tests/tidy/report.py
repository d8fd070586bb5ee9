"""Shared by the modules of tests/tidy: the report, and the reading of files."""
import os
import re

SKIPPED_FOLDERS = {".git", "build", "node_modules", "__pycache__"}
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


class Report:
    """Collects the breaches rule by rule and prints how each rule fared."""

    def __init__(self, *rules):
        self.breaches = {rule: [] for rule in rules}
        self.warnings = []

    def rule(self, name):
        self.breaches.setdefault(name, [])

    def breach(self, name, where, why):
        self.breaches[name].append(f"{where}: {why}")

    def finish(self):
        for warning in self.warnings:
            print(f"warning - {warning}")
        for name, found in self.breaches.items():
            print(f"ok - {name}" if not found else "\n".join(f"not ok - {name}: {b}" for b in found))
        return 1 if any(self.breaches.values()) else 0


def walk(root):
    """The paths of all files below root, in order, without what a build or git put there."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(s for s in subfolders if s not in SKIPPED_FOLDERS)
        for name in sorted(n for n in names if n not in SKIPPED_FOLDERS):  # the .git of a work tree is a file
            yield os.path.relpath(os.path.join(folder, name), root)


def text_of(path):
    """The text of a file; None when the file is binary."""
    with open(path, "rb") as file:
        data = file.read()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def without(text, keep):
    """The text with its comments and literals blanked, lines kept; those for which keep(token) is true stay."""
    return TOKEN.sub(lambda m: m[0] if keep(m[0]) else re.sub(r"[^\n]", " ", m[0]), text)
