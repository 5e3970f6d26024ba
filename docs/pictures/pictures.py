#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what the command shows on a terminal, for the README; `make pictures` calls it.

    pictures.py FOLDER-OF-THE-PROGRAMS

The demo runs on a private bus, the command in a terminal of tmux, and what stands there becomes an SVG file, light and dark.
"""

import html
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
DEMO = HERE.parent.parent / "Tests/Rig/demo.sh"
TMUX = ["tmux", "-L", f"geopublicist-pictures-{os.getpid()}", "-f", "/dev/null"]
# Command, columns, rows, and what the picture waits for.
PICTURES = {
    "watch": ("geopublicist watch", 52, 13, "Heading"),
    # On a session bus where the service has not been started: a problem, and how to fix it.
    "doctor": ("geopublicist --session doctor", 76, 16, r"Nothing is wrong|problems? found"),
}
PALETTES = {
    "light": {"paper": "#ffffff", "edge": "#d0d7de", "ink": "#1f2328", "dim": "#6e7781", "31": "#cf222e",
              "32": "#1a7f37", "33": "#9a6700", "34": "#0969da", "35": "#8250df", "36": "#1b7c83"},
    "dark": {"paper": "#0d1117", "edge": "#30363d", "ink": "#e6edf3", "dim": "#8b949e", "31": "#ff7b72",
             "32": "#3fb950", "33": "#d29922", "34": "#58a6ff", "35": "#bc8cff", "36": "#39c5cf"},
}
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16


def wait_for(condition, seconds=20):
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
    command, columns, rows, awaited = PICTURES[name]
    shell = f"printf '$ {command}\\n'; exec dbus-run-session -- sh -c '{command}; sleep 60' 2> /dev/null"
    subprocess.run(
        TMUX + ["new-session", "-d", "-x", str(columns), "-y", str(rows + 2), "-s", name, "sh", "-c", shell],
        env=environment, check=True)

    def screen():
        text = subprocess.run(
            TMUX + ["capture-pane", "-e", "-p", "-t", name], capture_output=True, text=True, check=True).stdout
        return text.rstrip().split("\n") if re.search(awaited, text) else None

    lines = wait_for(screen)
    for mode, palette in PALETTES.items():
        (HERE / f"{name}-{mode}.svg").write_text(svg(lines, columns, palette))
    print(re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(lines)))


def main():
    programs = sys.argv[1]
    environment = os.environ | {"GEOPUBLICIST_BIN": programs, "RATE": "2"}
    demo = subprocess.Popen([DEMO], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        address = next(filter(None, (re.search(r"BUS_ADDRESS=(\S+)", line) for line in demo.stdout)))[1]
        environment |= {
            "DBUS_SYSTEM_BUS_ADDRESS": address, "PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        for name in PICTURES:
            draw(name, environment)
    finally:
        subprocess.run(TMUX + ["kill-server"], capture_output=True)
        demo.terminate()
        demo.wait()


main()
