"""Reads this machine's Debian packages: the libraries that a program loads, the owner of a file, versions, licences."""
import functools
import os
import re
import subprocess

COMMON_LICENCES = "/usr/share/common-licenses"


class Missing(Exception):
    """A package or file that an image needs is not here, and how to get it."""


def run(*words, may_fail=False):
    try:
        out = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, LC_ALL="C"))
    except FileNotFoundError:
        raise Missing(f"'{words[0]}' is not here: images are built on Debian, from its packages (./check --only packages)") from None
    if out.returncode != 0 and not may_fail:
        raise Missing(f"{' '.join(words)[:200]}: {out.stderr.strip()[:500]}")
    return out.stdout


def triplet():
    return f"{os.uname().machine}-linux-gnu"


# ---- libraries ---------------------------------------------------------------------------------------------------


def libraries(path):
    """The files that the dynamic linker would map for this program or library, by the names it would ask for."""
    out = run("ldd", path, may_fail=True)
    if "not found" in out:
        lacking = ", ".join(line.split()[0] for line in out.splitlines() if "not found" in line)
        raise Missing(f"{path} needs {lacking}: ./check --only packages installs what the build needs")
    found = re.findall(r"^\s+(?:\S+ => )?(/\S+) \(0x", out, re.M)
    return sorted({merged(one) for one in found})


def merged(path):
    """The path of a file since /lib is a link to /usr/lib."""
    return f"/usr{path}" if re.match(r"/(bin|sbin|lib\w*)/", path) else path


# ---- packages ----------------------------------------------------------------------------------------------------


def owners(paths):
    """{path: package} for real files that packages have installed; both names of a merged folder are tried."""
    asked = {}
    for path in paths:
        asked[path] = asked[path.removeprefix("/usr")] = path
    found = {}
    for line in run("dpkg-query", "-S", *sorted(asked), may_fail=True).splitlines():
        packages, _, path = line.rpartition(": ")
        if path in asked and not packages.startswith("diversion"):
            found[asked[path]] = packages.split(",")[0].split(":")[0]
    strange = sorted(set(paths) - found.keys())
    if strange:
        raise Missing(f"no Debian package owns {', '.join(strange)[:300]}: an image holds only what a package installed")
    return found


@functools.lru_cache(maxsize=None)
def about(package):
    """Its fields: Package, Version, Architecture, Source, Maintainer, Homepage."""
    fields = ("Package", "Version", "Architecture", "source:Package", "source:Version", "Maintainer", "Homepage")
    words = "".join("${%s}\\t" % field for field in fields)
    rows = run("dpkg-query", "-W", "-f", words.removesuffix("\\t") + "\\n", package).splitlines()
    return dict(zip(fields, rows[0].split("\t")))


def copyright_of(package):
    path = os.path.realpath(f"/usr/share/doc/{package}/copyright")
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        raise Missing(f"{package} has no /usr/share/doc/{package}/copyright: is its documentation left out on this machine?") from None


def common_licences(text):
    """Those texts of Debian's common licences that a copyright file refers to, by path."""
    names = {name.rstrip(".") for name in re.findall(rf"{COMMON_LICENCES}/([\w.-]+)", text)}
    return {f"{COMMON_LICENCES}/{name}" for name in names if os.path.isfile(f"{COMMON_LICENCES}/{name}")}


def status_of(package):
    """As the package manager would list it; scanners read it."""
    row = about(package)
    return (f"Package: {row['Package']}\nStatus: install ok installed\nVersion: {row['Version']}\n"
            f"Architecture: {row['Architecture']}\nSource: {row['source:Package']} ({row['source:Version']})\n"
            f"Maintainer: {row['Maintainer']}\n")


# ---- licences ----------------------------------------------------------------------------------------------------

# Debian's short names that SPDX knows by another name, or by the same.
SPDX = {
    "Apache-2.0": "Apache-2.0", "Apache-2": "Apache-2.0", "BSD-2-clause": "BSD-2-Clause", "BSD-3-clause": "BSD-3-Clause",
    "BSD-2-Clause": "BSD-2-Clause", "BSD-3-Clause": "BSD-3-Clause", "BSL-1.0": "BSL-1.0", "CC0-1.0": "CC0-1.0", "Expat": "MIT",
    "ISC": "ISC", "MIT": "MIT", "PostgreSQL": "PostgreSQL", "Zlib": "Zlib", "zlib": "Zlib", "curl": "curl", "MPL-2.0": "MPL-2.0",
    "GPL-2": "GPL-2.0-only", "GPL-2+": "GPL-2.0-or-later", "GPL-3": "GPL-3.0-only", "GPL-3+": "GPL-3.0-or-later",
    "LGPL-2": "LGPL-2.0-only", "LGPL-2+": "LGPL-2.0-or-later", "LGPL-2.1": "LGPL-2.1-only", "LGPL-2.1+": "LGPL-2.1-or-later",
    "LGPL-3": "LGPL-3.0-only", "LGPL-3+": "LGPL-3.0-or-later", "GFDL-1.3": "GFDL-1.3-only", "GFDL-1.3+": "GFDL-1.3-or-later",
}


def paragraphs(text):
    """The stanzas of a machine-readable copyright file as dictionaries; an own file of another form has none."""
    if not re.match(r"\s*Format(-Specification)?: ", text):
        return []
    return [dict(re.findall(r"^([\w-]+):[ \t]*((?:.|\n(?=[ \t]))*)", part, re.M)) for part in re.split(r"\n\s*\n", text)]


def short_names(package):
    """Debian's names for the licences of a package's files; the licence of its packaging is left out."""
    names = []
    for part in paragraphs(copyright_of(package)):
        if "Files" in part and not part["Files"].startswith("debian/") and "License" in part:
            names.append(part["License"].split("\n")[0].strip())
    return sorted({name for name in names if name})


def licence(package):
    """(expression, {LicenseRef: text}): SPDX's names where there are some, else our references to Debian's text."""
    names, refs = short_names(package), {}
    if not names:
        ref = f"LicenseRef-Debian-{as_id(package)}"
        return ref, {ref: copyright_of(package)}
    parts = list(dict.fromkeys(expression(package, name, refs) for name in names))  # two of Debian's names may be one of SPDX's
    return " AND ".join(part if len(parts) == 1 or " OR " not in part else f"({part})" for part in parts), refs


def expression(package, name, refs):
    """'GPL-2+ or Expat' has two sides; a comma, or a 'with', makes it one text of Debian's."""
    sides = [name] if "," in name or " with " in name else re.split(r"\s+(?:or|and)\s+", name)
    if len(sides) == 1 or (" or " in name and " and " in name):
        return known_or_reference(package, name, refs)
    word = " OR " if " or " in name else " AND "
    return word.join(known_or_reference(package, side, refs) for side in sides)


def known_or_reference(package, name, refs):
    if name in SPDX:
        return SPDX[name]
    ref = f"LicenseRef-Debian-{as_id(package)}-{as_id(name)}"
    texts = [part["License"] for part in paragraphs(copyright_of(package)) if part.get("License", "").split("\n")[0].strip() == name]
    refs[ref] = max([*texts, name], key=len)
    return ref


def as_id(text):
    return re.sub(r"[^A-Za-z0-9.-]+", "-", text).strip("-")
