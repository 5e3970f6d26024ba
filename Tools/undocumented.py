#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lists public declarations of the libraries that have no doc comment, and fails if there are any.

    undocumented.py MODULES MODULE...     MODULES: the folder of the built modules, such as .build/debug/Modules

Reads the compiler's symbol graphs. Leaves out synthesized declarations and members that the standard library's
protocols require: operators, hash values, descriptions, raw values. Also leaves out declarations whose comment could
only repeat another: overloads of a documented member, and the parts of an operator's type.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent / "Sources"
WANTED_BY_PROTOCOLS = {
    "rawValue", "description", "hashValue", "hash(into:)", "encode(to:)", "init(from:)", "init(stringLiteral:)",
    "init(integerLiteral:)", "init(dictionaryLiteral:)", "init(exactly:)", "magnitude", "negate()",
}

# Types that only store their arguments. The comments on the type and on the method that creates it describe them.
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
        # Another form of a member that is documented at its first declaration.
        or is_member and base_name(symbol) in documented
        # The properties and initialisers of an operator's type follow from the operator.
        or is_member and symbol["pathComponents"][0] in STORES_ITS_ARGUMENTS and (
            kind in ("swift.init", "swift.property", "swift.typealias")))


def main():
    modules, names = sys.argv[1], sys.argv[2:]
    swift = subprocess.run([HERE / "find-swift.sh"], capture_output=True, text=True, check=True).stdout.strip()
    # The tool is beside the libraries. `swift` itself may be a link or a script elsewhere.
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
