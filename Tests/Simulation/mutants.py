#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many defects the simulation finds: applies one patch at a time to a copy of the source and simulates it.

    mutants.py [NAME…]

MUTANTS=FOLDER  patches to use instead of those in Tests/Simulation/Mutants
SECONDS_EACH=60 the processor time that the simulation has for each
IGNORE=A;B      rules that are not checked, by a part of their names: those that a known defect breaks

A seed counts only if it breaks no invariant without a patch. The last line is `N of M mutants found`; the exit status is 1
if fewer than 95 % were found.
"""

import concurrent.futures
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from simulate import FLAGS, SWIFT

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("MUTANTS") or ROOT / "Tests/Simulation/Mutants")
LIMIT = float(os.environ.get("SECONDS_EACH") or 60)
TREE = ROOT / ".build/mutants"
HOURS = "1"
# Of ten seeds, those whose worlds differ most: with the client library or without, in the system and in a session, with a
# bus that fails or without, with a receiver or only the location of the network address.
SEEDS = [tens + ones for tens in range(0, 200, 10) for ones in (3, 6, 4, 1, 2, 8)]
IGNORE = ["--ignore", os.environ["IGNORE"]] if os.environ.get("IGNORE") else []


def world(seed):
    """Returns the options of a seed: most worlds have the system deployment and a bus that works."""
    return {4: ["--session"], 6: ["--bus-faults"], 8: ["--session", "--bus-faults"]}.get(seed % 10, [])


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def copy_tree():
    """Updates the copy to the current state of all files that git tracks, and removes others."""
    tracked = run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], check=True).stdout.split("\n")
    files = {name for name in tracked if name and (ROOT / name).is_file()}
    TREE.mkdir(parents=True, exist_ok=True)
    for folder in ("Sources", "Tests", "Examples", "Benchmarks"):
        for path in (TREE / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(TREE)) not in files:
                path.unlink()
    for name in sorted(files):
        source, target = ROOT / name, TREE / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())


def build():
    command = [SWIFT, "build", "--package-path", TREE, "--scratch-path", TREE / ".build", "--product", "simulate",
               *FLAGS]
    result = run(command)
    if result.returncode:
        return None, result.stdout
    return pathlib.Path(run([*command, "--show-bin-path"], check=True).stdout.split()[-1]) / "simulate", ""


def run_seed(program, seed, **variables):
    """Returns the rule that the seed breaks, or nothing, and the processor time that it took."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen([program, str(seed), HOURS, *world(seed), *IGNORE], stdout=output,
                                   stderr=subprocess.DEVNULL, env={**os.environ, **variables},
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (90, 90)))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        rules = [line[7:].strip() for line in output if line.startswith("broken ")]
    seconds = used.ru_utime + used.ru_stime
    if process.returncode == -signal.SIGXCPU:
        return "the run ends", seconds
    return (rules[0] if rules else "the service does not crash" if process.returncode else None), seconds


def found_by(program, seeds):
    total = 0
    for seed in seeds:
        rule, seconds = run_seed(program, seed)
        total += seconds
        if rule:
            return f"found by seed {seed} in {total:.0f} s: {rule}"
        if total > LIMIT:
            break
    return None


def report(name, program, seeds):
    result = found_by(program, seeds)
    program.unlink()
    print(f"{name}: {result or 'NOT FOUND'}", flush=True)
    return result is not None


def sound_seeds():
    """Returns seeds that break nothing in the unchanged source, as many as can be needed."""
    program, output = build()
    if not program:
        sys.exit(output)
    total, seeds = 0, []
    for seed in SEEDS:
        if seeds and total >= LIMIT:
            break
        rule, seconds = run_seed(program, seed)
        if rule:
            print(f"seed {seed} is left out: {rule}", flush=True)
        else:
            seeds.append(seed)
            total += seconds
    return seeds or sys.exit("No seed passes without a mutant")


def built(patch):
    """Builds a mutant. Returns the path of the built program, or the reason why there is none."""
    applied = run(["patch", "-p1", "--forward", "--no-backup-if-mismatch", "-d", TREE, "-i", patch.resolve()])
    program, output = build() if not applied.returncode else (None, "")
    copy_tree()
    if applied.returncode:
        return None, "no longer applies"
    if not program:
        return None, f"does not compile: {[line for line in output.splitlines() if 'error' in line][:1]}"
    (TREE / "programs").mkdir(exist_ok=True)
    return shutil.copy2(program, TREE / "programs" / patch.stem), ""


def target(patch):
    """Returns the changed file. Mutants are sorted by it, so that consecutive builds share most of their work."""
    return next(line for line in patch.read_text().splitlines() if line.startswith("+++ "))


def main():
    patches = [path for path in FOLDER.glob("*.patch") if not sys.argv[1:] or path.stem in sys.argv[1:]]
    copy_tree()
    seeds = sound_seeds()
    # While one mutant is built, others are simulated.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tasks = []
        for patch in sorted(patches, key=lambda patch: (target(patch), patch.stem)):
            program, problem = built(patch)
            if program:
                tasks.append(pool.submit(report, patch.stem, program, seeds))
            else:
                print(f"{patch.stem}: {problem}", flush=True)
        found = sum(task.result() for task in tasks)
    print(f"{found} of {len(patches)} mutants found")
    return 0 if patches and found >= 0.95 * len(patches) else 1


if __name__ == "__main__":
    sys.exit(main())
