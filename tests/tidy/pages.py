"""Pages of docs/ that say what the tree says: decisions, rooms, words, the simulator's share, the worked example."""
import os
import re
import subprocess

from report import text_of

EXAMPLE = "tests/tidy/worked_example.patch"


def page(root, paths, path):
    return text_of(os.path.join(root, path)) if path in paths else ""


# ---- decisions -----------------------------------------------------------------------------------------------

PART = r"\d{4} \([^()]+\)"
STATUS = re.compile(rf"^Status: (superseded by \d{{4}}|accepted(?:; (?:in part superseded|refined) by {PART}(?:, {PART})*)?)$", re.M)


def check_decisions(root, paths, report):
    rule = "a decision says whether it holds"
    report.rule(rule)
    notes = {m[1]: path for path in paths if (m := re.fullmatch(r"docs/decisions/(\d{4})-[^/]*\.md", path))}
    index = text_of(os.path.join(root, "docs/decisions/README.md")) if notes else ""
    listed = dict(re.findall(r"^- \[(\d{4})\]\((\S+?)\)", index, re.M))
    for number, path in notes.items():
        text = text_of(os.path.join(root, path))
        status = STATUS.search(text)
        if not status:
            report.breach(rule, f"{path}:1", "lacks 'Status: accepted', 'Status: superseded by NNNN', or "
                          "'Status: accepted' with '; in part superseded by NNNN (part)' or '; refined by NNNN (part)'")
        for successor in re.findall(r"\b\d{4}\b(?= \(|$)", status[1]) if status else ():
            if successor not in notes or successor == number:
                report.breach(rule, f"{path}:1", f"superseded by {successor}, which is no other note that is there")
        if not re.search(r"^Decides: \S", text, re.M):
            report.breach(rule, f"{path}:1", "lacks 'Decides: ' and one sentence")
        if listed.get(number) != os.path.basename(path):
            report.breach(rule, "docs/decisions/README.md:1", f"does not list {path}")
    for number in listed.keys() - notes.keys():
        report.breach(rule, "docs/decisions/README.md:1", f"lists {number}, which is not there")


# ---- folders of the product on the pages that explain them all ---------------------------------------------------


def check_rooms(root, paths, report):
    """Each folder of the control plane has a row in the table of rooms; its name, and an agent's, is among our words."""
    rule, word_rule = "a folder of the control plane is a room of docs/architecture.md", "a folder's name is in docs/glossary.md"
    report.rule(rule)
    report.rule(word_rule)
    rows = re.findall(r"^\|([^|]*)\|", page(root, paths, "docs/architecture.md"), re.M)
    rooms = set(re.findall(r"`controlplane/(\w+)`", "".join(rows)))
    glossary = page(root, paths, "docs/glossary.md")
    words = " ".join(re.findall(r"^\|([^|]*)\|", glossary, re.M) + re.findall(r"^## .*", glossary, re.M))
    folders = {(m[1], m[2]) for path in paths if (m := re.match(r"(controlplane|agent)/(\w+)/", path))}
    for program, folder in sorted(folders):
        if program == "controlplane" and folder not in rooms:
            report.breach(rule, f"controlplane/{folder}", "docs/architecture.md has no row for it")
        if not re.search(rf"\b{folder.removesuffix('s')}s?\b", words):
            report.breach(word_rule, f"{program}/{folder}", "docs/glossary.md has no line for it")


def check_simulated(root, paths, report):
    """A folder of the control plane is in the text of docs/simulator.md, as simulated or as left out and why."""
    rule = "a folder of the control plane is simulated, or docs/simulator.md says why not"
    report.rule(rule)
    text = page(root, paths, "docs/simulator.md")
    folders = {m[1] for path in paths if (m := re.match(r"controlplane/(\w+)/", path))}
    for folder in sorted(folders - set(re.findall(r"`(?:controlplane/)?(\w+)/", text))):
        report.breach(rule, f"controlplane/{folder}", "docs/simulator.md does not name it")


# ---- the worked example of docs/hacking.md ---------------------------------------------------------------------
# EXAMPLE keeps its edits as they were rehearsed.  It must apply to the tree, and each line of code of the page
# must be among its lines: so the page is read again when the code that it changes has become another.


def squeezed(code):
    """Code without comments, white space, and the seams of a string over two lines."""
    code = re.sub(r"\s+", "", re.sub(r"/\*.*?\*/", "", code, flags=re.S))
    return code.replace('""', "")


def lines_of_example(text):
    """Yields (line number, code) for the rows of its table and the lines of its blocks 'c' and 'story'."""
    section = re.search(r"^## One change, end to end(?:.|\n)*?(?=^## )", text, re.M)
    first, is_code = text[: section.start()].count("\n") + 1 if section else 0, False
    for number, line in enumerate(section[0].split("\n") if section else (), first):
        if fence := re.match(r" *```(\w*)", line):
            is_code = fence[1] in ("c", "story")
        elif is_code and line.strip():
            yield number, line.split("/*")[0]
        elif row := re.match(r" *\| `\S+` \| [^|]+ \| `(.+)` \|$", line):
            yield number, row[1]


def check_example(root, paths, report):
    rule = "the worked example can be carried out"
    report.rule(rule)
    numbers = [int(m[1]) for path in paths if (m := re.fullmatch(r"schema/(\d{4})_\w+\.sql", path))]
    text = page(root, paths, "docs/hacking.md")
    for number in re.findall(r"`schema/(\d{4})_\w+\.sql`", text):
        if int(number) != max(numbers) + 1:
            report.breach(rule, "docs/hacking.md:1", f"says {number}, and the next migration is {max(numbers) + 1:04}: "
                          "carry out the steps once more")
    if EXAMPLE not in paths:
        report.breach(rule, "docs/hacking.md:1", f"its edits are not kept in {EXAMPLE}")
        return
    tried = subprocess.run(["patch", "-p1", "--fuzz=0", "--dry-run", "--force", "--silent", "-i", os.path.abspath(os.path.join(root, EXAMPLE))],
                           cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if tried.returncode != 0:
        report.breach(rule, f"{EXAMPLE}:1", f"{tried.stdout.strip().split(chr(10))[0]}: carry out the steps of docs/hacking.md "
                      "once more, mend the page, and keep the new edits")
    added = squeezed("".join(re.findall(r"^\+(?!\+\+ )(.*\n)", text_of(os.path.join(root, EXAMPLE)), re.M)))
    for number, code in lines_of_example(text):
        if squeezed(code) not in added:
            report.breach(rule, f"docs/hacking.md:{number}", f"'{code.strip()}' is no line of {EXAMPLE}")
