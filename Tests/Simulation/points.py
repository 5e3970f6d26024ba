#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the simulation would not notice: disables single conditions and statements of the service.

    points.py [FOLDER…]

MINUTES=30  how long to disable points, in random order
SEED=1      determines the order
SEEDS=3     in how many worlds a point may be noticed

A point is an operand of a condition, which becomes true beside `&&` and false beside `||`, or a statement that calls or
assigns something. All points are compiled into one program, except those with which it does not compile. Points that
never matter in the first worlds are listed as `idle`: either a situation is missing, or the point is redundant. Others are
listed as `unnoticed` if no rule is broken without them: either a rule is missing, or nothing can show the difference.
Folders are those of Sources, by default the ones of the service and the client library.
"""

import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import time

import mutants

TREE = mutants.ROOT / ".build/points"
FOLDERS = ["Gatekeeper", "GeoClue", "GeopublicistClient", "LocationModel", "LocationService", "Publicist", "Wiring"]
WORLDS = range(1, 15)

SUPPORT = """import Glibc
nonisolated(unsafe) private let counts = makeCounts()
nonisolated private func makeCounts() -> UnsafeMutablePointer<Int32> {
  let counts = UnsafeMutablePointer<Int32>.allocate(capacity: COUNT)
  counts.initialize(repeating: 0, count: COUNT)
  if getenv("POINTS") != nil { atexit { write() } }
  return counts
}
nonisolated private func write() {
  guard let path = getenv("POINTS"), let file = fopen(path, "a") else { return }
  for number in 0..<COUNT where counts[number] != 0 { fputs("\\(number) \\(counts[number])\\n", file) }
  fclose(file)
}
nonisolated private let disabled: Int32 = getenv("POINT").map { atoi($0) } ?? -1
nonisolated private func count(_ number: Int, _ matters: Bool) { if matters { counts[number] &+= 1 } }
@inline(never) nonisolated func pointAnd(_ number: Int, _ operand: @autoclosure () -> Bool) -> Bool {
  let value = operand()
  count(number, !value)
  return value || disabled == number
}
@inline(never) nonisolated func pointOr(_ number: Int, _ operand: @autoclosure () -> Bool) -> Bool {
  let value = operand()
  count(number, value)
  return value && disabled != number
}
@inline(never) nonisolated func pointRuns(_ number: Int) -> Bool {
  count(number, true)
  return disabled != number
}
"""


class Line:
    """A line of Swift, in which brackets and operators are found outside of strings and comments."""

    def __init__(self, text):
        self.text = text
        self.code = re.sub(r'"(?:\\.|[^"\\])*"', lambda match: '"' + "_" * (len(match[0]) - 2) + '"', text)
        self.code = re.sub(r"//.*", lambda match: "_" * len(match[0]), self.code)

    def end(self, begin, stops):
        """Returns where the expression from an index ends: at a closing bracket or, outside of brackets, a separator."""
        depth = 0
        for index in range(begin, len(self.code)):
            if depth == 0 and any(self.code.startswith(stop, index) for stop in stops):
                return index
            depth += self.code[index] in "([{"
            depth -= self.code[index] in ")]}"
            if depth < 0:
                return len(self.code[:index].rstrip())
        return len(self.code)

    def begin(self, end):
        """Returns where the operand before an index begins."""
        depth = 0
        for index in range(end - 1, -1, -1):
            depth += self.code[index] in ")]}"
            depth -= self.code[index] in "([{"
            before = re.search(r"(?:^\s*|[(\[{] ?|, | && | \|\| | = | \? | : | in | where |\?\? |\b(?:return|if|guard|while) )$",
                               self.code[:index])
            if depth == 0 and before or depth < 0:
                return index if depth == 0 else index + 1
        return 0

    @property
    def is_balanced(self):
        return sum(self.code.count(c) for c in "([{") == sum(self.code.count(c) for c in ")]}")


STOPS = [",", " && ", " || ", " ? ", " : ", " ?? ", " else {", " where ", "; "]


def operands(line, in_condition):
    """Returns the places of operands: where each begins and ends, and whether it is one of `&&` or of a list."""
    found = []
    stops = STOPS + ([" {"] if in_condition else [])
    for match in re.finditer(r"(?:^\s*| )(&&|\|\|) ", line.code):
        kind = "And" if match[1] == "&&" else "Or"
        if match[0].strip() and not re.fullmatch(r"\s*(&&|\|\|) ", line.code[:match.end()]):
            found.append((line.begin(match.start()), match.start(), kind))
        found.append((match.end(), line.end(match.end(), stops), kind))
    if in_condition:
        begin = re.match(r"\s*(?:\} else )?(?:(?:if|guard|while)\b ?)?", line.code).end()
        while begin < len(line.code) and not re.match(r"else|[{&|]", line.code[begin:]):
            end = line.end(begin, [",", " {", " else {"])
            clause = line.code[begin:end]
            if not re.match(r"(?:let|var|case|#)\b", clause) and not re.search(r"&&|\|\|", clause):
                found.append((begin, end, "And"))
            if not line.code.startswith(",", end):
                break
            begin = end + 2
    return found


STATEMENT = re.compile(r"(?!return|let|var|throw|try|case|default|break|continue|for|switch|super|func|init|self\.init)"
                       r"[a-z_$][\w.?!]*(?:\[[^\]]*\])?[\w.?!]*(?:\(.*\)(?: \{ .* \})?|(?: [-+]?=) .*)$")


def is_statement(line, before, after):
    """Whether a line is a whole statement that can be left out."""
    return (STATEMENT.match(line.code.strip()) and line.is_balanced
            and not re.search(r"(?:[,(=?+|-]|&&|\breturn|\bin)$", before.strip())
            and not re.match(r"[.?&|+)\-*=,]", after.strip()))


class Source:
    """A file with points."""

    def __init__(self, path, dropped):
        self.path, self.dropped, self.points = path, dropped, []

    def rewrite(self, first):
        """Returns the text with points whose numbers begin with the given one."""
        lines = [Line(text) for text in self.path.read_text().split("\n")]
        result, in_condition, before, first_line = [], False, "", None
        for number, line in enumerate(lines, 1):
            code, places = line.code.strip(), []
            begins = re.match(r"(?:\} else )?(?:if|guard|while)\b", code)
            if not code.startswith(("_", "@", "import", "case ")):
                after = lines[number].code if number < len(lines) else ""
                places = operands(line, bool(begins) or in_condition)
                places = [place for place in places if not (place[1] == len(line.code) and re.match(r"[.]", after.strip()))]
                # Properties must be set by an initialiser.
                if re.match(r"(?:\w+ )*init\??[(<]", code) and not code.endswith("}"):
                    first_line = line.code[:len(line.code) - len(line.code.lstrip())] + "}"
                if not places and is_statement(line, before, after) and not (first_line and re.match(r"[\w.]+ = ", code)):
                    places = [(len(line.code) - len(line.code.lstrip()), len(line.code), "Runs")]
            if line.code.rstrip() == first_line:
                first_line = None
            if begins or in_condition:
                in_condition = not re.search(r"\{$| \{ ", line.code)
            result.append(self.insert(line.text, number, places, first))
            before = line.code if code else before
        return "\n".join(result)

    def insert(self, text, number, places, first):
        taken = []
        for begin, end, kind in sorted(places, key=lambda place: place[1] - place[0]):
            if begin < end and all(end <= other[0] or begin >= other[1] for other in taken):
                taken.append((begin, end, kind))
        for begin, end, kind in sorted(taken, reverse=True):
            if (number, begin) in self.dropped:
                continue
            point = first + len(self.points)
            self.points.append({"file": str(self.path.relative_to(mutants.ROOT / "Sources")), "line": number,
                                "column": begin, "kind": kind, "text": text[begin:end]})
            code = text[begin:end]
            changed = f"if pointRuns({point}) {{ {code} }}" if kind == "Runs" else f"point{kind}({point}, {code})"
            text = text[:begin] + changed + text[end:]
        return text


def rewrite(folders, dropped):
    """Writes the sources with points. Returns the points."""
    points = []
    for folder in folders:
        for path in sorted((mutants.ROOT / "Sources" / folder).rglob("*.swift")):
            name = str(path.relative_to(mutants.ROOT / "Sources"))
            source = Source(path, dropped[name])
            text = source.rewrite(len(points))
            points += source.points
            target = TREE / "Sources" / name
            if target.read_text() != text:
                target.write_text(text)
    for folder in folders:
        (TREE / "Sources" / folder / "Points.swift").write_text(SUPPORT.replace("COUNT", str(len(points))))
    return points


def build(folders):
    """Builds the program without the points with which it does not compile. Returns it, the points, and how many are left
    out."""
    dropped = collections.defaultdict(set)
    while True:
        points = rewrite(folders, dropped)
        program, output = mutants.build()
        if program:
            return program, points, sum(map(len, dropped.values()))
        wrong = set()
        for name, line, text in set(re.findall(r"/Sources/(\S+?):(\d+):\d+: (?:error|warning: result of)(.*)", output)):
            lines = range(int(line) - 2, int(line) + 1) if "missing return" in text else [int(line)]
            variable = re.search(r"'(?:self\.)?(\w+)' used before", text)
            for point in points:
                if point["file"] == name and (
                        point["line"] in lines or variable and point["kind"] == "Runs"
                        and re.match(rf"(?:self\.)?{variable[1]} = ", point["text"])):
                    wrong.add((name, point["line"], point["column"]))
        if not wrong:
            sys.exit(output)
        for name, line, column in wrong:
            dropped[name].add((line, column))


def matters(program):
    """Returns how often each point mattered in each of the first worlds."""
    counts = collections.defaultdict(dict)

    def run(seed):
        path = TREE / f"points.{seed}"
        path.unlink(missing_ok=True)
        command = [program, str(seed), mutants.HOURS, *mutants.world(seed), *mutants.IGNORE]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env={**os.environ, "POINTS": str(path)}).returncode:
            print(f"seed {seed} is left out, because it breaks a rule", flush=True)
            return seed, ""
        return seed, path.read_text()

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, text in pool.map(run, WORLDS):
            for line in text.splitlines():
                number, count = map(int, line.split())
                counts[number][seed] = count
    return counts


def noticed_by(program, number, seeds):
    """Returns the rule that is broken without a point, or nothing."""
    for seed in seeds:
        rule, _ = mutants.simulate(program, seed, POINT=str(number))
        if rule:
            return rule
    return None


def main():
    folders = sys.argv[1:] or FOLDERS
    mutants.TREE = TREE
    mutants.copy_tree()
    program, points, dropped = build(folders)
    counts = matters(program)
    for number, point in enumerate(points):
        if not counts[number]:
            print(f"idle {point['file']}:{point['line']}: {point['text']}")
    order = [number for number in range(len(points)) if counts[number]]
    random.Random(int(os.environ.get("SEED") or 1)).shuffle(order)
    end = time.monotonic() + 60 * float(os.environ.get("MINUTES") or 30)

    def disable(number):
        """Returns whether a point is noticed, or nothing when the time is over."""
        if time.monotonic() > end:
            return None
        # Prefer the worlds in which the point matters often, but not the longer ones among them.
        seeds = sorted(counts[number], key=lambda seed: (-min(counts[number][seed], 20), seed))
        rule = noticed_by(program, number, seeds[:int(os.environ.get("SEEDS") or 3)])
        if not rule:
            print(f"unnoticed {points[number]['file']}:{points[number]['line']}: {points[number]['text']}", flush=True)
        return rule is not None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [result for result in pool.map(disable, order) if result is not None]
    print(f"{len(order)} of {len(points)} points matter, {dropped} do not compile; "
          f"{sum(results)} of {len(results)} were noticed")


if __name__ == "__main__":
    main()
