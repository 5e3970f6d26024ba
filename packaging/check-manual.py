#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the manual pages with what they describe. Prints what is missing or wrong and then fails.

    check-manual.py PROGRAM...       from the top of the source tree, with the built programs

geopublicist.conf(5) must contain every group and key of the shipped configuration file with its default, and each program's
page every option that the program's --help lists. manual.py writes org.geopublicist.Location1(5).
"""

import pathlib
import re
import subprocess
import sys

MANUAL = pathlib.Path("packaging/man")
missing = []


def expect(condition, page, what):
    if not condition:
        missing.append(f"{page}: {what}")


def sections(text, macro):
    """Returns the text below each line with this macro, by title."""
    parts = re.split(rf"^\.{macro} (.*)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def check_configuration():
    page = MANUAL / "geopublicist.conf.5"
    parts = sections(sections(page.read_text(), "Sh")["DESCRIPTION"], "Ss")
    shipped, group = {}, None
    for line in pathlib.Path("packaging/geopublicist.conf").read_text().splitlines():
        if line.startswith("["):
            group = shipped.setdefault(line.strip("[]"), {})
        elif re.match(r"#[a-z-]+=", line):
            key, value = line[1:].split("=")
            group[key] = value
    written = {title.removeprefix("Group "): text for title, text in parts.items()}
    expect(written.keys() == shipped.keys(), page.name, f"groups: {sorted(written.keys() ^ shipped.keys())}")
    for group in written.keys() & shipped.keys():
        texts = dict(zip(*[iter(re.split(r"^\.It Cm (.*)\n", written[group], flags=re.M)[1:])] * 2))
        expect(texts.keys() == shipped[group].keys(), page.name,
               f"keys of {group}: {sorted(texts.keys() ^ shipped[group].keys())}")
        for key in texts.keys() & shipped[group].keys():
            expect(f"default {shipped[group][key]}" in " ".join(texts[key].split()), page.name,
                   f"default of {group}, {key}")
    # The program must have the same keys, because it rejects unknown ones.
    sources = "".join(p.read_text() for p in pathlib.Path("Sources/LocationService/Contract").glob("*.swift"))
    for group in shipped:
        expect(f'"{group}"' in sources, "geopublicist.conf", f"the program has no group {group}")
        for key in shipped[group]:
            expect(f'"{key}"' in sources, "geopublicist.conf", f"the program has no key {key}")


def check_options(program):
    pages = [p for p in MANUAL.iterdir() if p.name in (f"{pathlib.Path(program).name}.{n}" for n in (1, 8))]
    expect(pages, program, "no page")
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", text))
    for page in pages:
        written = set(re.findall(r"\bFl \\-([a-z][a-z-]*)", page.read_text()))
        written |= set(re.findall(r"\\-\\-([a-z][a-z-]*)", page.read_text().replace("Fl \\-", "")))
        expect(known <= written, page.name, f"nothing about {sorted(known - written)}")


check_configuration()
for program in sys.argv[1:]:
    check_options(program)
for line in missing:
    print(line, file=sys.stderr)
sys.exit(1 if missing else 0)
