#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the Swift libraries with the last release: packaging/api-breakages.txt must list each change that breaks programs.

    api.py [COMMIT]     COMMIT: of the release; without it the one that the list names, if this repository contains it

The API of the release is kept in the build folder. A state that was compared before is not compared again.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "packaging/api-breakages.txt"
INPUTS = [ROOT / "Package.swift", ROOT / "Sources", LIST]


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def skip(reason):
    print(f"The Swift API was not compared with the last release: {reason}.")
    sys.exit()


def main(asked=None):
    commit = asked or re.search(r"^# Baseline: (\S+)", LIST.read_text(), re.M).group(1)
    swift = pathlib.Path(run("Tools/find-swift.sh").stdout.strip()).resolve()
    if not asked and run("git", "cat-file", "-e", f"{commit}^{{commit}}").returncode != 0:
        skip(f"no git repository with commit {commit}")
    if not asked and not (swift.parent / "swift-api-digester").exists():
        skip("swift-api-digester is missing")

    build = pathlib.Path(run("Tools/swift.sh", "build", "--show-bin-path").stdout.strip()).parent
    stamp = build / "api-compared"
    if stamp.exists() and stamp.read_text() == commit and not run("find", *INPUTS, "-newer", stamp).stdout:
        return

    # SwiftPM builds the release again for modules that are newer than the release, unless others are named.
    revision = run("git", "rev-parse", f"{commit}^{{commit}}").stdout.strip()
    modules = [path.stem for path in (build / "apidiff" / revision).glob("*.json")]
    command = ["Tools/swift.sh", "package", "diagnose-api-breaking-changes", commit]
    result = run(*command, *(["--targets", *modules] if modules else []))
    found = set(re.findall(r"💔 (API breakage: .*)", result.stdout))
    if result.returncode != 0 and not found:
        sys.exit(result.stdout + result.stderr)
    shutil.rmtree(build / "apidiff" / f"{revision}-checkout", ignore_errors=True)
    announced = {line for line in LIST.read_text().splitlines() if not line.startswith("#")}
    problems = [f"not in packaging/api-breakages.txt: {line}" for line in sorted(found - announced)]
    problems += [f"packaging/api-breakages.txt: this does not break anything: {line}" for line in sorted(announced - found)]
    if problems:
        sys.exit("\n".join(problems))
    stamp.write_text(commit)


if __name__ == "__main__":
    main(*sys.argv[1:])
