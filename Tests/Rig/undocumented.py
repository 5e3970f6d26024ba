#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what is public in the libraries and has no doc comment of its own; fails if there is anything.

    undocumented.py MODULES MODULE...     MODULES: the folder of the built modules, as .build/debug/Modules

Told by the compiler's own symbol graphs. What the compiler makes by itself is left out, and what a type has because the
standard library's protocols want it: operators, hash values, descriptions, raw values.
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


def symbols(tool, modules, module, folder):
    packages = subprocess.run(
        ["pkg-config", "--cflags-only-I", "dbus-1", "glib-2.0"], capture_output=True, text=True, check=True).stdout
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()
    headers = [word for path in packages.split() for word in ("-Xcc", path)]
    subprocess.run(
        [tool, "-module-name", module, "-I", modules, "-I", SOURCES / "CGLib", "-I", SOURCES / "CDBus", *headers,
         "-target", machine + "-unknown-linux-gnu", "-minimum-access-level", "public", "-skip-synthesized-members",
         "-output-dir", folder], check=True)
    for file in sorted(pathlib.Path(folder).glob(module + "*.symbols.json")):
        yield from json.loads(file.read_text())["symbols"]


def is_exempt(symbol):
    name = symbol["pathComponents"][-1]
    return (
        "location" not in symbol or symbol["kind"]["identifier"] == "swift.func.op" or name in WANTED_BY_PROTOCOLS
        or name == "init(rawValue:)")


def main():
    modules, names = sys.argv[1], sys.argv[2:]
    swift = subprocess.run([HERE / "find-swift.sh"], capture_output=True, text=True, check=True).stdout.strip()
    # Not beside what is found as `swift`, which may be a link or a script: beside the libraries.
    target = subprocess.run([swift, "-print-target-info"], capture_output=True, text=True, check=True).stdout
    resources = pathlib.Path(json.loads(target)["paths"]["runtimeResourcePath"])
    tool = resources.parent.parent / "bin/swift-symbolgraph-extract"
    missing = set()
    for name in names:
        found = 0
        with tempfile.TemporaryDirectory() as folder:
            for symbol in symbols(tool, modules, name, folder):
                found += 1
                if is_exempt(symbol) or symbol.get("docComment", {}).get("lines"):
                    continue
                place = symbol["location"]["uri"].split("/Sources/")[-1]
                line = symbol["location"]["position"]["line"] + 1
                missing.add((place, line, ".".join(symbol["pathComponents"])))
        if not found:
            sys.exit(f"{name}: there is nothing in it")
    for place, line, name in sorted(missing):
        print(f"{place}:{line}: {name}")
    sys.exit(1 if missing else 0)


main()
