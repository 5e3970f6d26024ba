#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the texts for users from the sources, and merges them into the languages.

    update.py              updates the languages, with GNU gettext's msgmerge
    update.py LANGUAGE     begins a new one
    update.py --check      writes nothing, and fails if a language lacks a text or has an old one

xgettext does not know Swift. A text is an argument of tr(), or one of the sentences of LocationModel, which the service sends
in English and the command translates. {1}, {2} … are values, in the order of the source; a translation may use another.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from swiftliterals import joined

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
# What a text begins with, in the files of a line of POTFILES.
MARKS = {
    "tr": r"\btr\(\s*(?=\")",
    "sentences": r"case [.\w, ]+:\s*(?=\")|\? (?=\"No )",
    "help": r"\bhelp: (?=\")",
}
HEADER = """# Texts of Geopublicist.
# This file has the licence of Geopublicist.
msgid ""
msgstr ""
"Project-Id-Version: geopublicist\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


def messages(path, kind):
    """Yields the text, the plural or None, and the expressions of the values."""
    text = path.read_text()
    if kind == "policy":
        for found in re.findall(r'gettext-domain="geopublicist">([^<]*)<', text):
            yield found, None, []
        return
    for mark in re.finditer(MARKS[kind], text):
        # A sentence that is a word of the contract is not for people.
        key, values, end = joined(text, mark.end())
        if kind == "sentences" and " " not in key:
            continue
        plural = re.match(r",\s*(?=\")", text[end:]) if kind == "tr" else None
        yield key, joined(text, end + plural.end())[0] if plural else None, values


def collected():
    found = {}
    for line in (HERE / "POTFILES").read_text().splitlines():
        kind, pattern = line.split()
        for path in sorted(TOP.glob(pattern)):
            for key, plural, values in messages(path, kind):
                entry = found.setdefault(key, [plural, values])
                entry[0] = entry[0] or plural
    return found


def template():
    entries = [HEADER]
    for key, (plural, values) in collected().items():
        lines = ["#. {%d}: %s" % (number, re.sub(r"\s+", " ", value)) for number, value in enumerate(values, 1)]
        lines.append(f"msgid {quoted(key)}")
        lines += [f"msgid_plural {quoted(plural)}", 'msgstr[0] ""', 'msgstr[1] ""'] if plural else ['msgstr ""']
        entries.append("\n".join(lines) + "\n")
    return "\n".join(entries)


def strings(entry, name):
    """The texts of a keyword of an entry, without their quotation marks."""
    for block in re.findall(rf'^{name}(?:\[\d\])? ((?:".*"\n?)+)', entry, re.M):
        yield "".join(line[1:-1] for line in block.splitlines())


def merged(language, template):
    """Returns a language with the texts of the template. Texts that are not in it become comments that begin with #~."""
    options = ["--quiet", "--no-wrap", "--no-location", "--no-fuzzy-matching", "-o", "-"]
    return subprocess.run(["msgmerge", *options, language, template], check=True, stdout=subprocess.PIPE, text=True).stdout


def mistakes(language, template):
    """Yields what is wrong with a language: texts without a translation, with other values, or not in the sources."""
    for entry in merged(language, template).split("\n\n")[1:]:
        keys, values = list(strings(entry, "msgid")) + list(strings(entry, "msgid_plural")), list(strings(entry, "msgstr"))
        if entry.startswith("#~"):
            if f"\n{entry.splitlines()[0][3:]}\n" in language.read_text():
                yield f"{language.name}: not in the sources, run po/update.py: {entry.splitlines()[0][3:]}"
            continue
        if "#, fuzzy" in entry or not all(values):
            yield f"{language.name}: not translated: {keys[0]}"
        wanted = {number for key in keys for number in re.findall(r"\{\d\}", key)}
        for value in filter(None, values):
            if set(re.findall(r"\{\d\}", value)) != wanted:
                yield f"{language.name}: other values: {value}"


def main():
    languages, wrong = sorted(HERE.glob("*.po")), []
    with tempfile.NamedTemporaryFile("w", suffix=".pot") as file:
        file.write(template())
        file.flush()
        if sys.argv[1:] == ["--check"]:
            for language in languages:
                subprocess.run(["msgfmt", "--check-format", "-o", "/dev/null", language], check=True)
                wrong += mistakes(language, file.name)
        else:
            for name in sys.argv[1:]:
                options = ["--no-translator", "--no-wrap", "-l", name, "-o", HERE / f"{name}.po"]
                subprocess.run(["msginit", *options, "-i", file.name], check=True)
            for language in languages:
                language.write_text(merged(language, file.name))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
