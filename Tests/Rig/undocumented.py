#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what is public in the libraries and has no doc comment of its own; fails if there is anything.

    undocumented.py MODULES MODULE...     MODULES: the folder of the built modules, as .build/debug/Modules

Told by the compiler's own symbol graphs. What the compiler makes by itself is left out, and what a type has because the
standard library's protocols want it: operators, hash values, descriptions, raw values. So is what could only repeat a
description that exists: overloads of a described member, and the parts of an operator's type.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "Sources"
WANTED_BY_PROTOCOLS = {
    "rawValue", "description", "hashValue", "hash(into:)", "encode(to:)", "init(from:)", "init(stringLiteral:)",
    "init(integerLiteral:)", "init(dictionaryLiteral:)", "init(exactly:)", "magnitude", "negate()",
}

# Types that keep what they are made of: their description, and that of the method that makes them, says it all.
STORES_ITS_ARGUMENTS = {
    "AnySubscriber", "AsyncPublisher", "AsyncThrowingPublisher", "Deferred", "Empty", "Fail", "Just",
    "ObservableObjectPublisher", "Optional", "PassthroughSubject", "Published", "Publishers", "Record", "Result",
    "Subscribers",
}


def symbols(tool, modules, module, folder):
    packages = subprocess.run(
        ["pkg-config", "--cflags-only-I", "dbus-1", "glib-2.0"], capture_output=True, text=True, check=True).stdout
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()
    headers = [word for path in packages.split() for word in ("-Xcc", path)]
    subprocess.run(
        [tool, "-module-name", module, "-I", modules, "-I", SOURCES / "CGLib", "-I", SOURCES / "CDBus",
         "-I", SOURCES / "CDispatch", *headers,
         "-target", machine + "-unknown-linux-gnu", "-minimum-access-level", "public", "-skip-synthesized-members",
         "-output-dir", folder], check=True)
    for file in sorted(pathlib.Path(folder).glob(module + "*.symbols.json")):
        yield from json.loads(file.read_text())["symbols"]


def base_name(symbol):
    return symbol["pathComponents"][-1].split("(")[0]


def is_documented(symbol):
    return bool(symbol.get("docComment", {}).get("lines"))


def is_exempt(symbol, documented):
    name = symbol["pathComponents"][-1]
    kind = symbol["kind"]["identifier"]
    is_member = len(symbol["pathComponents"]) > 1
    return (
        "location" not in symbol or kind == "swift.func.op" or name in WANTED_BY_PROTOCOLS or name == "init(rawValue:)"
        # A form of a member that is described where it is declared first: nothing but the same words could be written.
        or is_member and base_name(symbol) in documented
        # What an operator's type stores, and how it is made, follows from the operator.
        or is_member and symbol["pathComponents"][0] in STORES_ITS_ARGUMENTS and (
            kind in ("swift.init", "swift.property", "swift.typealias")))


def main():
    modules, names = sys.argv[1], sys.argv[2:]
    swift = subprocess.run([HERE / "find-swift.sh"], capture_output=True, text=True, check=True).stdout.strip()
    # Not beside what is found as `swift`, which may be a link or a script: beside the libraries.
    target = subprocess.run([swift, "-print-target-info"], capture_output=True, text=True, check=True).stdout
    resources = pathlib.Path(json.loads(target)["paths"]["runtimeResourcePath"])
    tool = resources.parent.parent / "bin/swift-symbolgraph-extract"
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found[name] = list(symbols(tool, modules, name, folder))
        if not found[name]:
            sys.exit(f"{name}: it has no public symbols")
    everything = [symbol for part in found.values() for symbol in part]
    documented = {base_name(symbol) for symbol in everything if is_documented(symbol)} - {"init"}
    missing = set()
    for symbol in everything:
        if is_documented(symbol) or is_exempt(symbol, documented):
            continue
        place = symbol["location"]["uri"].split("/Sources/")[-1]
        line = symbol["location"]["position"]["line"] + 1
        missing.add((place, line, ".".join(symbol["pathComponents"])))
    for place, line, name in sorted(missing):
        print(f"{place}:{line}: {name}")
    sys.exit(1 if missing else 0)


main()
