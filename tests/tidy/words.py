"""Plain words: the signs of a sentence that a stranger must decode, counted and held under a ceiling.

house-style section 10: name the actor and the verb.  A sentence does not begin with who, what, whose or of; and
'nobody', 'such', 'is told', 'is said', 'is none' are signs to write it again.  A sign is no proof: the ceilings
leave room for the few sentences that are plain in spite of one.

Counted are comments of C (one that bears any sign counts once) and texts that people read: string literals of at
least three words, and sentences of Markdown.  docs/reference and docs/man are made from the literals of *.def.
"""
import os
import re

from report import TOKEN, text_of, walk

CEILINGS = "tests/tidy/words_ceilings"  # how many of each kind may bear a sign; the numbers only go down
KINDS = ("comments", "comments of tests", "texts")

BEGIN = r"(?:^|[.!?:;|]\s+)(?:[-*>\"'(\[]\s*)*(?:who|what|whose|whom|of|whoever|whatever)\b"
ANYWHERE = (r"\bnobody\b|\bsuch\b(?! as\b)|\bwhoever\b|\bwhatever\b|"
            r"\b(?:is|are|was|were|be|been|being) (?:told|said)\b|(?<!there )\b(?:is|are|was|were) none\b")
SIGN = re.compile(f"{BEGIN}|{ANYWHERE}", re.I)

LITERAL = r'"(?:\\.|[^"\\\n])*"'
TEXT = re.compile(rf"{LITERAL}(?:\s*(?:{LITERAL}|\bPRI\w+))*")
THREE_WORDS = re.compile(r"[A-Za-z]{2,}[,:;.']? +[A-Za-z]+[,:;.']? +[A-Za-z]{2,}")
MADE_DOCS = ("docs/reference/", "docs/man/")


def sign_in(text):
    """The first sign in a text, or None."""
    found = SIGN.search(re.sub(r"\s+", " ", text).strip())
    return found and found[0].strip(" .:;!?|")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def comments_of(text):
    for found in TOKEN.finditer(text):
        if found[0].startswith("/*"):
            yield line_of(text, found.start()), re.sub(r"\n\s*\*?", " ", found[0][2:-2])


def literals_of(text):
    code = TOKEN.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)
    for found in TEXT.finditer(code):
        literal = re.sub(rf"\s*\bPRI\w+\s*", "N", found[0])
        literal = re.sub(r'"\s*"', "", literal).replace("\\n", " ").strip('"')
        if THREE_WORDS.search(literal):
            yield line_of(code, found.start()), literal


def sentences_of(text):
    """Sentences of Markdown, its code left out."""
    text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "X", text)
    position = 0
    for part in re.split(r"(\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+\.)\s?)|(?<=[.!?:;])\s|\|)", text):
        if part and part.strip(" \n|"):
            yield line_of(text, position + len(part) - len(part.lstrip())), re.sub(r"^[\s#>*|-]+", "", part)
        position += len(part or "")


def signs_of(root, paths):
    """Yields (kind, path, line, sign, text) for each comment or text that bears a sign."""
    for path in paths:
        is_c, is_test = path.endswith((".c", ".h", ".def")), path.startswith("tests/")
        is_page = path.endswith(".md") and not path.startswith(MADE_DOCS)
        text = text_of(os.path.join(root, path)) if is_c or is_page else None
        if text is None:
            continue
        found = []
        if is_c:
            found += [("comments of tests" if is_test else "comments", *one) for one in comments_of(text)]
        if is_c and not is_test:
            found += [("texts", *one) for one in literals_of(text)]
        if is_page:
            found += [("texts", *one) for one in sentences_of(text)]
        for kind, line, words in found:
            if sign := sign_in(words):
                yield kind, path, line, sign, re.sub(r"\s+", " ", words).strip()


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
