#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that everything in the tree agrees on a version, builds the source archive, and prints what remains for a human.

    release.py VERSION [FOLDER]      FOLDER: for the archive (.build-release)

With UNPUBLISHED=1 addresses under .invalid, which a release must fill in, are only named. Versions before this one are tags:
v1.1.0, …
"""

import datetime
import email.utils
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
        "packaging/man/geopublicist.1": r'^\.TH .*"geopublicist (\S+)"',
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
        named, = find(page, r'^\.(?:Dd |TH \S+ \S+ ")(\w+ \d+, \d+)')
        changed = run("git", "log", "-1", "--format=%as", "--", str(page)).strip()
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


def check_compatibility(version):
    """Within a major version, nothing on the bus goes away or changes its type. Returns the release it was compared with."""
    tags = run("git", "tag", "--merged", "HEAD", "--sort=-version:refname", "v*").split()
    earlier = os.environ.get("PREVIOUS") or next((tag for tag in tags if tag != f"v{version}"), None)
    if not earlier or earlier.startswith("v") and earlier.split(".")[0] != f"v{version.split('.')[0]}":
        return None
    now = {member for path in (ROOT / "dbus").glob("*.xml") for member in members(path.read_text())}
    for path in run("git", "ls-tree", "--name-only", earlier, "dbus/").split():
        if path.endswith(".xml"):
            for member in members(run("git", "show", f"{earlier}:{path}")):
                expect(member in now, f"the bus: {member[0]}.{member[2]} of {earlier} is gone or has changed")
    return earlier


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


def main(version, folder=str(ROOT / ".build-release")):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit("A version is three numbers: 1.2.0")
    check_versions(version)
    check_dates()
    check_sections()
    earlier = check_compatibility(version)
    expect(not run("git", "status", "--porcelain"), "there are changes that are not committed")
    missing = list(addresses())
    if not os.environ.get("UNPUBLISHED"):
        for place in missing:
            expect(False, f"{place}: an address has to be filled in")
    if problems:
        sys.exit("\n".join(["Not ready:", *(f"  {problem}" for problem in problems)]))
    path, digest = archive(folder)
    print(f"{path}\nsha256 {digest}")
    print(f"The interface on the bus is compatible with {earlier}." if earlier else
          "No earlier release of this major version is tagged, so compatibility was not compared.")
    print("What remains:")
    steps = [f"fill in the addresses in {', '.join(sorted({place.split(':')[0] for place in missing}))}"] if missing else []
    steps += [
        *([f"swift package diagnose-api-breaking-changes {earlier}"] if earlier else []),
        "on machines of both architectures: make check deb-check, as root make deb-test; packaging/check-recipes.sh",
        f"git tag --sign v{version} && git push origin v{version}",
        f"gpg --armor --detach-sign {path.name}, and upload both",
        f"packaging/arch/PKGBUILD: sha256sums=('{digest}')",
        "packaging/source-package.sh FOLDER, debsign, dput",
    ]
    print("\n".join(f"  {number}. {step}" for number, step in enumerate(steps, 1)))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: make release VERSION=1.2.0")
    main(*sys.argv[1:])
