#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the manual pages with what they describe. Prints what is missing or wrong and then fails.

    check-manual.py PROGRAM...       from the top of the source tree, with the built programs

org.geopublicist.Location1(5) must contain every method, signal, property (with type and access), error, option and
dictionary key of the interface XML, and no others; geopublicist.conf(5) every group and key of the shipped
configuration file with its default; each program's page every option that the program's --help lists, and no others.
"""

import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

MANUAL = pathlib.Path("packaging/man")
INTERFACES = sorted(pathlib.Path("dbus").glob("org.geopublicist.*.xml"))
missing = []


def expect(condition, page, what):
    if not condition:
        missing.append(f"{page}: {what}")


def sections(text):
    """Returns the text below each .Sh line, by title."""
    parts = re.split(r"^\.Sh (.*)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def subsections(text):
    parts = re.split(r"^\.Ss (.*)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def items(text, macro):
    """Returns the items of a list with this macro, by their first word."""
    found = {}
    for line in re.findall(rf"^\.It {macro} (.*)$", text, flags=re.M):
        found[line.split()[0]] = line
    return found


def arguments(member, direction=None):
    return [f"{a.get('type')} {a.get('name')}" for a in member.iter("arg")
            if direction is None or a.get("direction", "in") == direction]


def check_interface(page, chapters, interface):
    name = interface.get("name")
    title = f"THE INTERFACE {name}"
    expect(title in chapters, page, f"no section {title}")
    parts = subsections(chapters.get(title, ""))

    methods = {m.get("name"): m for m in interface.iter("method")}
    written = items(parts.get("Methods", ""), "Fn")
    expect(written.keys() == methods.keys(), page, f"methods of {name}: {sorted(written.keys() ^ methods.keys())}")
    for method in written.keys() & methods.keys():
        line = written[method].replace('"', "")
        expected = " ".join(arguments(methods[method], "in"))
        results = " , ".join(f"Fa {a}" for a in arguments(methods[method], "out"))
        if results:
            expected += f" No \\(-> {results}"
        expect(line.split(" ", 1)[1:] == ([expected.strip()] if expected.strip() else []), page,
               f"{name}.{method}: is '{line}', must end with '{expected}'")

    signals = {s.get("name"): s for s in interface.iter("signal")}
    written = items(parts.get("Signals", ""), "Fn")
    expect(written.keys() == signals.keys(), page, f"signals of {name}: {sorted(written.keys() ^ signals.keys())}")
    for signal in written.keys() & signals.keys():
        expect(re.findall(r'"([^"]*)"', written[signal]) == arguments(signals[signal]), page, f"{name}.{signal}")

    properties = {p.get("name"): p for p in interface.iter("property")}
    written = items(parts.get("Properties", ""), "Va")
    expect(written.keys() == properties.keys(), page,
           f"properties of {name}: {sorted(written.keys() ^ properties.keys())}")
    for key in written.keys() & properties.keys():
        access = {"read": "read", "readwrite": "read and write"}[properties[key].get("access")]
        emits = properties[key].find("annotation[@name='org.freedesktop.DBus.Property.EmitsChangedSignal']").get("value")
        how = {"const": "constant", "true": f"{access}, changes signalled", "false": access}[emits]
        line = f"{key} Li {properties[key].get('type')} Pq {how}"
        expect(written[key] == line, page, f"is '{written[key]}', must be '{line}'")


def words_of_xml(text):
    """Returns the errors, options and keys named in the comments of the XML."""
    comments = " ".join(" ".join(re.findall(r"<!--(.*?)-->", text, flags=re.S)).split())
    errors = set(re.findall(r"\b(NotAuthorized|Timeout|Unavailable|InvalidOption|LimitsExceeded|"
                            r"InteractiveAuthorizationRequired|UnknownObject)\b", comments))
    options = set(re.findall(r"\b([a-z]+(?:-[a-z]+)*) [sudbi]\b(?=[ ,.(;])", comments))
    keys = set(re.findall(r"\b([A-Z][A-Za-z]+)(?:, [A-Z][a-z]+)? +(?:[dsbtuo]|\(tt\))(?=[ ,.:])", comments))
    limits = set()
    for found in re.findall(r"Keys: ((?:[a-z-]+, )+[a-z-]+)\.", comments):
        limits |= set(found.split(", "))
    kebab = set(re.findall(r"\b[a-z]+(?:-[a-z]+)+\b", comments)) & set(
        "not-determined authorized-when-in-use authorized-always no-agent authorization-required disabled-by-user "
        "rejected-by-agent session-inactive disallowed-by-configuration disallowed-by-policy policy-unavailable "
        "reduced-accuracy geoclue-not-installed geoclue-restarting no-source no-fix by-consumer".split())
    return errors | options | keys | limits | kebab


def check_location1():
    page = MANUAL / "org.geopublicist.Location1.5"
    text = page.read_text()
    chapters = sections(text)
    for file in INTERFACES:
        for interface in xml.parse(file).getroot().iter("interface"):
            check_interface(page.name, chapters, interface)
        for word in sorted(words_of_xml(file.read_text())):
            expect(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text), page.name, f"nothing about {word}")


def check_configuration():
    page = MANUAL / "geopublicist.conf.5"
    parts = subsections(sections(page.read_text())["DESCRIPTION"])
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


check_location1()
check_configuration()
for program in sys.argv[1:]:
    check_options(program)
for line in missing:
    print(line, file=sys.stderr)
sys.exit(1 if missing else 0)
