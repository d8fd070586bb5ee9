"""Each event of the log has a row in docs/log-events.md, and each row an event.

An event is a module and a word: fl_log(LEVEL, "module", "event", ...), where MODULE is the file's own macro and a choice
may stand for the word.  A function log_...(LEVEL, "event", ...) logs for its file's module.
"""
import os
import re

from report import text_of

PAGE = "docs/log-events.md"
RULE = "each event of the log is explained"
PRODUCT = ("shared/", "controlplane/", "agent/", "cli/")
LEVEL = r"FL_LOG_(?:DEBUG|INFO|WARN|ERROR)\s*,\s*"
CALL = re.compile(r"\bfl_log\(([^;]*?" + LEVEL + r"(MODULE|\"\w+\")\s*,\s*([^;]*?))(?:,\s*FL_LOG_|\)\s*;)", re.S)
WRAPPED = re.compile(r"\blog_\w+\(\s*" + LEVEL + r"\"(\w+)\"")
ROW = re.compile(r"^\| `(\w+)` \| ([\w, ]+) \|", re.M)


def events_in(text):
    """Yields (module, event) for each in the text of a C file."""
    macro = re.search(r'#define MODULE "(\w+)"', text)
    modules = set()
    for _, module, words in CALL.findall(text):
        module = macro[1] if module == "MODULE" and macro else module.strip('"')
        modules.add(module)
        for word in re.findall(r'"(\w+)"', words):
            yield module, word
    for word in WRAPPED.findall(text):
        for module in modules:
            yield module, word


def check_log_events(root, paths, report):
    report.rule(RULE)
    page = text_of(os.path.join(root, PAGE)) if PAGE in paths else ""
    rows = {(module.strip(), event) for event, modules in ROW.findall(page) for module in modules.split(",")}
    logged = {}
    for path in paths:
        if path.endswith(".c") and path.startswith(PRODUCT):
            for one in events_in(text_of(os.path.join(root, path))):
                logged.setdefault(one, path)
    for (module, event), path in sorted(logged.items()):
        if (module, event) not in rows:
            report.breach(RULE, path, f"{PAGE} has no row for event={event} of mod={module}")
    for module, event in sorted(rows - set(logged)):
        report.breach(RULE, PAGE, f"nothing logs event={event} of mod={module}")
