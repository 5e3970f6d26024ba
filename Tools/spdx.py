#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lists source files without a licence line, and fails if there are any. With --fix it adds the line."""

import pathlib
import subprocess
import sys

IDENTIFIER = "SPDX-License-Identifier:"
LINE = f"{IDENTIFIER} Apache-2.0"
TOP = pathlib.Path(__file__).resolve().parents[1]
COMMENTS = {
    "// ": {".swift", ".c", ".h", ".js", ".modulemap", ".rules"},
    "# ": {".py", ".sh", ".bash", ".service", ".desktop", ".yml"},
    "<!-- ": {".xml", ".policy"},
}
# A line that must stay the first one.
HEADS = ("#!", "#compdef", "// swift-tools-version", "<?xml")


def source_files():
    names = subprocess.run(["git", "-c", f"safe.directory={TOP}", "-C", TOP, "ls-files", "-z"], capture_output=True,
                           check=True, text=True).stdout.split("\0")
    for path in (TOP / name for name in names if name and not name.startswith("Tests/Fuzz/Seeds/")):
        if path.is_file() and not path.is_symlink():
            yield path


def marker(path, text):
    """Returns the beginning of a comment in this file, or None if it is not a source file."""
    if text.startswith("#!"):
        return "# "
    return next((begin for begin, suffixes in COMMENTS.items() if path.suffix in suffixes), None)


def add(path, text, begin):
    lines = text.split("\n")
    place = 1 if lines[0].startswith(HEADS) else 0
    lines.insert(place, f"{begin}{LINE}{' -->' if begin == '<!-- ' else ''}")
    # A comment about the file is a separate paragraph.
    if begin == "# " and lines[place + 1].startswith("#"):
        lines.insert(place + 1, "#")
    path.write_text("\n".join(lines))


lacking = []
for path in source_files():
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        continue
    begin = marker(path, text)
    if begin and text.strip() and IDENTIFIER not in text[:600]:
        lacking.append(path)
        if "--fix" in sys.argv:
            add(path, text, begin)
if lacking and "--fix" not in sys.argv:
    print("Without a licence (Tools/spdx.py --fix adds it):", *lacking, sep="\n  ", file=sys.stderr)
    sys.exit(1)
