"""Where people wrote prose: the comments and the texts of a file, by its language.

A comment is also a docstring of Python.  A text is a string literal of at least three words (a message, a label), a
sentence of Markdown, or words between two tags of TSX.  Comments on lines that follow each other are one, and so are
literals that the language joins.  An empty line of a comment or docstring ends a sentence.

Not read: data that quotes what a program printed (.rows, .refused, the steps of a .story), JSON, and the strings of YAML,
.tpl and NOTES.txt, where a regular expression cannot tell a value from a template.
"""
import os
import re

LITERAL = r'"(?:\\.|[^"\\\n])*"'
C_TEXT = rf"{LITERAL}(?:\s*(?:{LITERAL}|\bPRI\w+))*"
C_COMMENT = r"/\*.*?\*/"
SLASHES = r"//[^\n]*(?:\n[ \t]*//[^\n]*)*"
HASHES = r"(?<![^\s;(])#(?!!)[^\n]*(?:\n[ \t]*#[^\n]*)*"
DASHES = r"--[^\n]*(?:\n[ \t]*--[^\n]*)*"
QUOTED = r"'(?:\\.|[^'\\\n])*'"
PY_TRIPLE = r'[rbfuRBFU]{0,2}(?:"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\')'
PY_STRING = rf"{PY_TRIPLE}|[rbfuRBFU]{{0,2}}(?:{LITERAL}|{QUOTED})"
QUOTE = "(?:\"\"\"|\'\'\'|\"|\')"
PY_QUOTE = rf"[rbfuRBFU]{{0,2}}{QUOTE}"
PY_TEXT = rf"(?:{PY_STRING})(?:\s*(?:{PY_STRING}))*"
JS_TEXT = rf"(?:{LITERAL}|{QUOTED}|`(?:\\.|[^`\\])*`)"
SQL_TEXT = r"'(?:''|[^'\n])*'"
SHELL_TEXT = rf"\"(?:\\.|[^\"\\])*\"|'[^']*'"
CHAR = r"'(?:\\.|[^'\\\n])+'"
# Code between two tags has one of these; an arrow function begins behind one of them, too.
BETWEEN_TAGS = re.compile(r"(?<=[>}])[^<>{}=;]+(?=[<{])")


def language(comment, text, skipped=r"(?!)"):
    return re.compile(rf"(?P<comment>{comment})|(?P<text>{text})|{skipped}", re.S)


C = language(C_COMMENT, C_TEXT, rf"//[^\n]*|{CHAR}")
PYTHON = language(HASHES, PY_TEXT)
# TypeScript and JavaScript: a '/' behind one of these signs begins a regular expression, which may have quotes.
JS_PATTERN = r"(?<=[(,=:\[!&|?]) ?/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
SCRIPT = language(rf"{C_COMMENT}|{SLASHES}", JS_TEXT, JS_PATTERN)
GO = language(rf"{C_COMMENT}|{SLASHES}", rf"{LITERAL}|`[^`]*`", CHAR)
SQL = language(rf"{C_COMMENT}|{DASHES}", SQL_TEXT)
SHELL = language(HASHES, SHELL_TEXT)
CMAKE = language(HASHES, LITERAL)
MARKS = language(HASHES, r"(?!)")  # '#' begins a comment, and strings are data
CSS = language(C_COMMENT, r"(?!)")
TEMPLATE = language(rf"{C_COMMENT}|{HASHES}", r"(?!)")  # Helm's comments are {{- /* words */}}
MADE_DOCS = ("docs/reference/", "docs/man/")  # made from the literals of *.def
BY_END = {".c": C, ".h": C, ".def": C, ".py": PYTHON, ".mjs": SCRIPT, ".ts": SCRIPT, ".tsx": SCRIPT, ".go": GO, ".sql": SQL, ".sh": SHELL,
          ".cmake": CMAKE, ".css": CSS, ".story": MARKS, ".yaml": TEMPLATE, ".yml": TEMPLATE, ".tpl": TEMPLATE,
          ".service": MARKS, ".conf": MARKS}
BY_NAME = {"CMakeLists.txt": CMAKE, ".clang-format": MARKS, ".clang-tidy": MARKS, "NOTES.txt": TEMPLATE, "Dockerfile": MARKS}

THREE_WORDS = re.compile(r"[A-Za-z]{2,}[,:;.']? +[A-Za-z]+[,:;.']? +[A-Za-z]{2,}")
ENDS_A_SENTENCE = re.compile(r"\n(?:[ \t]*(?:\*|#|//|--)?[ \t]*\n)+")


def language_of(path, text):
    name = os.path.basename(path)
    if found := BY_NAME.get(name) or BY_END.get(os.path.splitext(name)[1]):
        return found
    first = text.split("\n", 1)[0]
    if not first.startswith("#!"):
        return None
    return PYTHON if "python" in first else SHELL


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def words_of_comment(comment):
    """The words without the marks of the comment; an empty line becomes the end of a sentence."""
    words = re.sub(rf"^(?:/\*+|#+|//|--|{PY_QUOTE})|(?:\*/|{QUOTE})$", "", comment.strip())
    words = ENDS_A_SENTENCE.sub("\n.\n", words)
    return re.sub(r"\n[ \t]*(?:\*(?!\*)|#+|//|--)?[ \t]*", " ", words)


def words_of_text(text):
    """Joined literals as one text, a hole for each value that is put into it."""
    words = re.sub(r"\s*\bPRI\w+\s*", "N", text)
    words = re.sub(r"(?<=[\"'])\s+[rbfuRBFU]{0,2}(?=[\"'])", "", words)
    words = re.sub(r"\\n|\"\"|''", " ", words)
    words = re.sub(rf"^(?:{PY_QUOTE}|`)|(?:{QUOTE}|`)$", "", re.sub(r"\$?\{[^{}]*\}", "X", words))
    return "X" + words if words[:1].isspace() and words.strip() else words  # part of a sentence


def is_docstring(text, start):
    """True for a string that is a statement: nothing but blanks before it on its line, behind a ':' or nothing."""
    before = text[:start].rstrip()
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return not line.strip() and (not before or before.endswith(":") or before.startswith("#!") and "\n" not in before)


def sentences_of(text):
    """Sentences of Markdown, its code left out."""
    text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "X", text)
    position = 0
    for part in re.split(r"(\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+\.)\s?)|(?<=[.!?:;])\s|\|)", text):
        if part and part.strip(" \n|"):
            yield line_of(text, position + len(part) - len(part.lstrip())), re.sub(r"^[\s#>*|-]+", "", part)
        position += len(part or "")


def words_between_tags(text):
    for found in BETWEEN_TAGS.finditer(text):
        words = found[0].strip()
        if THREE_WORDS.search(words) and "//" not in words:
            begins = "X " if text[found.start() - 1] == "}" else ""
            yield line_of(text, found.start() + len(found[0]) - len(found[0].lstrip())), begins + words


def prose_of(path, text):
    """Yields ('comment' or 'text', line, words) for all prose of a file."""
    if path.endswith(".md"):
        if not path.startswith(MADE_DOCS):
            yield from (("text", line, words) for line, words in sentences_of(text))
        return
    tongue = language_of(path, text)
    if not tongue:
        return
    for found in tongue.finditer(text):
        line = line_of(text, found.start())
        if found["comment"]:
            yield "comment", line, words_of_comment(found[0])
        elif found["text"] and tongue is PYTHON and is_docstring(text, found.start()):
            yield "comment", line, words_of_comment(found[0])
        elif found["text"] and THREE_WORDS.search(words := words_of_text(found[0])):
            yield "text", line, words
    if path.endswith(".tsx"):
        code = tongue.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m["comment"] else m[0], text)
        yield from (("text", line, words) for line, words in words_between_tags(code))


def lines_of_comments(path, text):
    """Yields (number, line) for each line that has words of a comment or docstring, and no code before them."""
    tongue, lines = language_of(path, text), text.split("\n")
    for found in tongue.finditer(text) if tongue else ():
        if found["comment"] or found["text"] and tongue is PYTHON and is_docstring(text, found.start()):
            first = line_of(text, found.start())
            behind_code = text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip()
            for number in range(first + bool(behind_code), first + found[0].count("\n") + 1):
                yield number, lines[number - 1]
