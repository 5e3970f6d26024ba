#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that everything in the tree agrees on a version, builds the source archive, tries it as each distribution and on
arm64, and prints the steps that remain to be done by hand.

    release.py VERSION [FOLDER]      FOLDER: for the archive (.build-release)

UNPUBLISHED=1 only names the addresses under .invalid, which a release must fill in. QUICK=1 compiles nothing. Earlier versions
are the tags v1.1.0, …, or PREVIOUS names a commit.
"""

import datetime
import email.utils
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


def text(path):
    return (ROOT / path).read_text()


def find(path, pattern):
    """The groups of the first match in a file, and empty ones if there is none."""
    match = re.search(pattern, text(path), re.M)
    return match.groups() if match else ("",) * re.compile(pattern).groups


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def check_versions(version):
    places = {
        "Sources/ProcessSupport/Program.swift": r'current = "(.*?)"',
        "CHANGELOG.md": r"^## (\S+)",
        "debian/changelog": r"^geopublicist \(([^-)]*)-",
        "packaging/metainfo/org.geopublicist.Location1.metainfo.xml": r'<release version="(.*?)"',
        "packaging/fedora/geopublicist.spec": r"^Version: *(\S+)",
        "packaging/arch/PKGBUILD": r"^pkgver=(\S+)",
        "packaging/nix/package.nix": r'version = "(.*?)"',
    }
    for path, pattern in places.items():
        found, = find(path, pattern)
        expect(found == version, f"{path}: the version is {found or 'missing'}")
    newest, = find("packaging/fedora/geopublicist.spec", r"^%changelog\n\* .* - (\S+)-")
    expect(newest == version, f"packaging/fedora/geopublicist.spec: the changelog begins with {newest or 'nothing'}")


def check_dates():
    """The changelogs have the same day; no page of the manual has changed after the day that it names."""
    day, = find("CHANGELOG.md", r"^## \S+ - (\d{4}-\d\d-\d\d)$")
    expect(day, "CHANGELOG.md: the first section has no date: ## VERSION - YYYY-MM-DD")
    appstream, = find("packaging/metainfo/org.geopublicist.Location1.metainfo.xml", r'<release version=".*?" date="(.*?)"')
    expect(appstream == day, f"the metainfo's date is {appstream}, not {day}")
    signature, = find("debian/changelog", r"^ -- .*>  (.*)$")
    debian = email.utils.parsedate_to_datetime(signature).date().isoformat() if signature else ""
    expect(debian == day, f"debian/changelog: the date is {debian or 'missing'}, not {day}")
    suite, = find("debian/changelog", r"^geopublicist \(.*\) (\S+);")
    expect(suite != "UNRELEASED", "debian/changelog: UNRELEASED")
    entry, = find("packaging/fedora/geopublicist.spec", r"^%changelog\n\* \w+ (\w+ \d+ \d+) ")
    fedora = datetime.datetime.strptime(entry, "%b %d %Y").date().isoformat() if entry else ""
    expect(fedora == day, f"packaging/fedora/geopublicist.spec: the date is {fedora or 'missing'}, not {day}")
    for page in sorted((ROOT / "packaging/man").iterdir()):
        named, = find(page, r"^\.Dd (\w+ \d+, \d+)")
        sources = ["dbus"] if page.suffix == ".in" else []
        changed = run("git", "log", "-1", "--format=%as", "--", str(page), *sources).strip()
        dated = datetime.datetime.strptime(named, "%B %d, %Y").date().isoformat() if named else ""
        expect(changed <= dated <= day, f"{page.relative_to(ROOT)}: dated {dated or 'nowhere'}, last changed {changed}")


def check_sections():
    newest = re.split(r"^## ", text("CHANGELOG.md"), flags=re.M)[1]
    titles = re.findall(r"^### (.*)$", newest, re.M)
    expect(titles and not set(titles) - {"Added", "Changed", "Fixed"},
           f"CHANGELOG.md: the sections are Added, Changed and Fixed, not {', '.join(titles) or 'none'}")


def members(document):
    """Each member of each interface, with its types: what a program may rely on."""
    for interface in xml.fromstring(document).iter("interface"):
        for member in interface:
            if member.tag in ("method", "signal", "property"):
                types = [(argument.get("direction", ""), argument.get("type")) for argument in member.iter("arg")]
                yield (interface.get("name"), member.tag, member.get("name"), member.get("type"), member.get("access"), *types)


def previous(version):
    """The last release of this major version, which nothing may break; None if there is none."""
    tags = run("git", "tag", "--merged", "HEAD", "--sort=-version:refname", "v*").split()
    earlier = os.environ.get("PREVIOUS") or next((tag for tag in tags if tag != f"v{version}"), None)
    if not earlier or earlier.startswith("v") and earlier.split(".")[0] != f"v{version.split('.')[0]}":
        return None
    return earlier


def check_bus(earlier):
    """Nothing on the bus goes away or changes its type."""
    now = {member for path in (ROOT / "dbus").glob("*.xml") for member in members(path.read_text())}
    for path in run("git", "ls-tree", "--name-only", earlier, "dbus/").split():
        if path.endswith(".xml"):
            for member in members(run("git", "show", f"{earlier}:{path}")):
                expect(member in now, f"the bus: {member[0]}.{member[2]} of {earlier} was removed or changed")


def check_api(earlier):
    """Each change that breaks programs in Swift is announced: its line is in api-breakages.txt."""
    result = subprocess.run(["Tools/api.py", earlier], cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        problems.extend(result.stderr.splitlines())


def addresses():
    """Where an address still has to be filled in: FILE:LINE."""
    for folder in ("debian", "packaging/arch", "packaging/fedora", "packaging/nix"):
        for path in sorted((ROOT / folder).iterdir()):
            for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
                if re.search(r"[a-z]\.invalid\b", line):
                    yield f"{path.relative_to(ROOT)}:{number}"


def archive(folder):
    """Builds the archive twice; both must be the same."""
    with tempfile.TemporaryDirectory() as scratch:
        again = pathlib.Path(run("packaging/source-archive.sh", scratch).strip()).read_bytes()
    path = pathlib.Path(run("packaging/source-archive.sh", folder).strip())
    if path.read_bytes() != again:
        sys.exit("The source archive is not reproducible")
    return path, hashlib.sha256(again).hexdigest()


def step(*command):
    """Runs one of the long checks and says how long it took. Its output is shown."""
    begun = time.monotonic()
    print(f"== {' '.join(command)}", flush=True)
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        sys.exit(f"Not ready: {' '.join(command)} failed")
    print(f"== {time.monotonic() - begun:.0f} s", flush=True)


def main(version, folder=str(ROOT / ".build-release")):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit("A version is three numbers: 1.2.0")
    is_quick = bool(os.environ.get("QUICK"))
    check_versions(version)
    check_dates()
    check_sections()
    earlier = previous(version)
    if earlier:
        check_bus(earlier)
        if not is_quick:
            print("Comparing the Swift API …", flush=True)
            check_api(earlier)
    expect(not run("git", "status", "--porcelain"), "there are changes that are not committed")
    missing = list(addresses())
    if not os.environ.get("UNPUBLISHED"):
        for place in missing:
            expect(False, f"{place}: an address has to be filled in")
    if problems:
        sys.exit("\n".join(["Not ready:", *(f"  {problem}" for problem in problems)]))
    path, digest = archive(folder)
    print(f"{path}\nsha256 {digest}")
    print(f"Compatible with {earlier}: the bus{'' if is_quick else ', the Swift API'}." if earlier else
          "No earlier release of this major version is tagged, so compatibility was not compared.")
    later = {"make check": False, "make deb-check": False, "packaging/check-recipes.sh --build": not is_quick,
             "make deb-test": False, "make deb-arm64": not is_quick and os.getuid() == 0 and platform.machine() == "x86_64"}
    for command in [command for command, is_run in later.items() if is_run]:
        step(*command.split())
    print("What remains:")
    steps = [f"fill in the addresses in {', '.join(sorted({place.split(':')[0] for place in missing}))}"] if missing else []
    steps += [
        *([f"Tools/api.py {earlier}"] if earlier and is_quick else []),
        f"as root: {', '.join(command for command, is_run in later.items() if not is_run)}",
        f"git tag --sign v{version} && git push origin v{version}",
        f"gpg --armor --detach-sign {path.name}, and upload both",
        f"packaging/arch/PKGBUILD: sha256sums=('{digest}')",
        "packaging/source-package.sh FOLDER, debsign, dput",
        f"packaging/api-breakages.txt: v{version} as the baseline, and no changes",
    ]
    print("\n".join(f"  {number}. {step}" for number, step in enumerate(steps, 1)))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: make release VERSION=1.2.0")
    main(*sys.argv[1:])
