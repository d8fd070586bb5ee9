"""Plain words: the signs of a sentence that a stranger must decode, counted and held under a ceiling.

house-style section 10: name the actor and the verb.  A sentence does not begin with who, what, whose or of; and
'nobody', 'such', 'is told', 'is said', 'is none' are signs to write it again.  A sign is no proof: the ceilings
leave room for the few sentences that are plain in spite of one.

prose.py finds the comments and texts of each file; one that bears any sign counts once.  The texts of C tests are
left out: they quote what the product and its libraries print.
"""
import fnmatch
import os
import re

from prose import prose_of
from report import text_of, walk

CEILINGS = "tests/tidy/words_ceilings"  # how many of each kind may bear a sign; the numbers only go down
KINDS = ("comments", "comments of tests", "texts", "texts of tests")

BEGIN = r"(?:^|[.!?:;|]\s+)(?:[-*>\"'(\[]\s*)*(?:who|what|whose|whom|of|whoever|whatever)\b"
ANYWHERE = (r"(?<!['*])\bnobody\b|(?<!/)\bsuch\b(?! as\b| file)|\bwhoever\b|\bwhatever\b|"
            r"\b(?:is|are|was|were|be|been|being) (?:told|said)\b|(?<!there )\b(?:is|are|was|were) none\b")
SIGN = re.compile(f"{BEGIN}|{ANYWHERE}", re.I)
IN_TESTS = re.compile(r"^tests/|\.test\.tsx?$")
# Words of others, data, and the two files that say the signs.
NOT_READ = ("LICENSE", "*.patch", "controlplane/dashboard/built/*", "tests/fuzz/corpus/*", "tests/upgrade/*.sql",
            "tests/tidy/words.py", "tests/tidy/selftest")


def sign_in(text):
    """The first sign in a text, or None."""
    found = SIGN.search(re.sub(r"\s+", " ", text).strip())
    return found and found[0].strip(" .:;!?|")


def signs_of(root, paths):
    """Yields (kind, path, line, sign, text) for each comment or text that bears a sign."""
    for path in paths:
        if any(fnmatch.fnmatch(path, pattern) for pattern in NOT_READ) or not (text := text_of(os.path.join(root, path))):
            continue
        of_tests = " of tests" if IN_TESTS.search(path) and not path.endswith(".md") else ""
        for kind, line, words in prose_of(path, text):
            if kind == "text" and of_tests and path.endswith((".c", ".h", ".def")):
                continue
            if sign := sign_in(words):
                yield f"{kind}s{of_tests}", path, line, sign, re.sub(r"\s+", " ", words).strip()


def ceilings_of(root):
    with open(os.path.join(root, CEILINGS), encoding="utf-8") as file:
        rows = [re.fullmatch(r"([a-z ]+): (\d+)", line) for line in file.read().splitlines()]
    ceilings = {row[1]: int(row[2]) for row in rows}
    return {kind: ceilings.get(kind, 0) for kind in KINDS}


def check_words(root, paths, report):
    found = list(signs_of(root, paths))
    for kind, ceiling in ceilings_of(root).items():
        rule = f"plain words in {kind}"
        report.rule(rule)
        signs = [row[1:] for row in found if row[0] == kind]
        if len(signs) > ceiling:
            path, line, sign, _ = signs[-1]
            report.breach(rule, f"{path}:{line}", f"'{sign}': {len(signs)} bear a sign of house-style 10, {CEILINGS} "
                                                  f"allows {ceiling}; tests/tidy/tidy words FOLDER lists them")
        elif len(signs) < ceiling:
            report.warnings.append(f"only {len(signs)} {kind} bear a sign: lower the {ceiling} in {CEILINGS}")


def print_words(root, folder):
    """A table of folders; with a folder, the places in it."""
    paths = list(walk(root))
    if folder:
        for kind, path, line, sign, words in signs_of(root, [p for p in paths if p.startswith(folder)]):
            print(f"{path}:{line}: '{sign}' in {kind}: {words[:120]}")
        return 0
    table = {}
    for kind, path, *_ in signs_of(root, paths):
        row = table.setdefault(os.path.dirname(path) or ".", {kind: 0 for kind in KINDS})
        row[kind] += 1
    table["all"] = {kind: sum(row[kind] for row in table.values()) for kind in KINDS}
    print("".join(f"{kind:>18}" for kind in KINDS) + "  folder")
    for name, row in table.items():
        print("".join(f"{row[kind]:18}" for kind in KINDS) + f"  {name}")
    return 0
