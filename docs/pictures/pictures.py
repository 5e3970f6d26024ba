#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what the command shows on a terminal, for the README; `make pictures` calls it.

    pictures.py FOLDER-OF-THE-PROGRAMS

The demo runs on a private bus, the command in a terminal of tmux, and its screen becomes an SVG file, light and dark.
"""

import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
DEMO = HERE.parent.parent / "Tests/Rig/demo.sh"
TMUX = ["tmux", "-L", f"geopublicist-pictures-{os.getpid()}", "-f", "/dev/null"]
# Debian 12's location server, which was shut down.
CONFIGURATION = """[network-nmea]\nenable=true\n[wifi]\nenable=true
url=https://location.services.mozilla.com/v1/geolocate?key=geoclue
[agent]\nwhitelist=geoclue-demo-agent\n[org.geopublicist.Location1]\nallowed=true\nsystem=true\nusers=\n"""
# The command, the parts of the command line before and after it that are not shown, seconds to the first fix, columns, rows,
# and the text for which the picture waits.
PICTURES = {
    "watch": ("geopublicist watch", "", "", "0", 52, 14, "Heading"),
    "doctor": (
        "geopublicist --session doctor", "setpriv --pdeathsig=TERM geopublicistd --session &", "--geoclue-config=.", "900",
        76, 24, r"Nothing is wrong|problems? found"),
}
PALETTES = {
    "light": {"paper": "#ffffff", "edge": "#d0d7de", "ink": "#1f2328", "dim": "#6e7781", "31": "#cf222e",
              "32": "#1a7f37", "33": "#9a6700", "34": "#0969da", "35": "#8250df", "36": "#1b7c83"},
    "dark": {"paper": "#0d1117", "edge": "#30363d", "ink": "#e6edf3", "dim": "#8b949e", "31": "#ff7b72",
             "32": "#3fb950", "33": "#d29922", "34": "#58a6ff", "35": "#bc8cff", "36": "#39c5cf"},
}
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16


def wait_for(condition, seconds=40):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.1)
    raise SystemExit("the picture did not appear in time")


def runs(line):
    """The pieces of a line of one style each, with the column where they begin."""
    style, column = set(), 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if codes := re.fullmatch(r"\x1b\[([0-9;]*)m", part):
            for code in codes[1].split(";"):
                if code in ("", "0"):
                    style = set()
                elif code in ("1", "2"):
                    style.add(code)
                elif code in ("22", "39"):
                    style = {s for s in style if (s not in "12") == (code == "22")}
                elif code in PALETTES["dark"]:
                    style = {s for s in style if s in "12"} | {code}
        elif part:
            if part.strip():
                yield column, part, set(style)
            column += len(part)


def svg(lines, columns, palette):
    width, height = columns * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">',
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" rx="8" '
        f'fill="{palette["paper"]}" stroke="{palette["edge"]}"/>']
    for row, line in enumerate(lines):
        for column, text, style in runs(line):
            stripped = text.rstrip()
            colour = next((palette[code] for code in style if code in palette), None)
            colour = colour or palette["dim" if "2" in style else "ink"]
            weight = ' font-weight="bold"' if "1" in style else ""
            parts.append(
                f'<text x="{MARGIN + column * WIDTH:.1f}" y="{MARGIN + row * HEIGHT + 14}" fill="{colour}"{weight} '
                f'textLength="{len(stripped) * WIDTH:.1f}" xml:space="preserve">{html.escape(stripped)}</text>')
    return "\n".join(parts + ["</svg>", ""])


def draw(name, environment):
    command, before, behind, _, columns, rows, awaited = PICTURES[name]
    run = f"{before} {command} {behind}; sleep 60"
    shell = f"printf '$ {command}\\n'; exec dbus-run-session -- sh -c '{run}' 2> /dev/null"
    subprocess.run(
        TMUX + ["new-session", "-d", "-x", str(columns), "-y", str(rows + 2), "-s", name, "sh", "-c", shell],
        env=environment, cwd=environment["CONFIGURATION"], check=True)

    def screen():
        text = subprocess.run(
            TMUX + ["capture-pane", "-e", "-p", "-t", name], capture_output=True, text=True, check=True).stdout
        return text.rstrip().split("\n") if re.search(awaited, text) else None

    lines = wait_for(screen)
    for mode, palette in PALETTES.items():
        (HERE / f"{name}-{mode}.svg").write_text(svg(lines, columns, palette))
    print(re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(lines)))


def picture(name, programs, configuration):
    environment = os.environ | {"GEOPUBLICIST_BIN": programs, "WAIT": PICTURES[name][3]}
    demo = subprocess.Popen([DEMO], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        address = next(filter(None, (re.search(r"BUS_ADDRESS=(\S+)", line) for line in demo.stdout)))[1]
        draw(name, environment | {
            "DBUS_SYSTEM_BUS_ADDRESS": address, "PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
            "CONFIGURATION": configuration})
    finally:
        subprocess.run(TMUX + ["kill-server"], capture_output=True)
        demo.terminate()
        demo.wait()


def main():
    with tempfile.TemporaryDirectory() as configuration:
        (pathlib.Path(configuration) / "geoclue.conf").write_text(CONFIGURATION)
        for name in PICTURES:
            picture(name, sys.argv[1], configuration)


main()
