#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that the simulation finds defects: puts one after another into a copy of the source and simulates each.

    mutants.py [NAME…]

MUTANTS=FOLDER  patches to use instead of those in Tests/Simulation/Mutants
SECONDS_EACH=60 the processor time that the simulation has for each
IGNORE=A;B      rules that are not checked, by a part of their names: those that a known defect breaks

A seed counts only if it breaks no invariant without a patch. The last line is `N of M mutants found`; the exit status is 1
if fewer than 95 % were found.
"""

import os
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("MUTANTS") or ROOT / "Tests/Simulation/Mutants")
LIMIT = float(os.environ.get("SECONDS_EACH") or 60)
TREE = ROOT / ".build/mutants"
HOURS = "1"
IGNORE = ["--ignore", os.environ["IGNORE"]] if os.environ.get("IGNORE") else []


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def copy_tree():
    """Brings the copy up to date: with the files that git knows, as they are now, and none besides."""
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
    swift = run([ROOT / "Tests/Rig/find-swift.sh"], check=True).stdout.strip()
    command = [swift, "build", "--package-path", TREE, "--scratch-path", TREE / ".build", "--product", "simulate"]
    result = run(command)
    if result.returncode:
        return None, result.stdout
    return pathlib.Path(run([*command, "--show-bin-path"], check=True).stdout.split()[-1]) / "simulate", ""


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def simulate(program, seed):
    """Returns the rule that the seed breaks, or nothing."""
    try:
        result = subprocess.run([program, str(seed), HOURS, *IGNORE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                timeout=600, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (90, 90)))
    except subprocess.TimeoutExpired:
        return "the run ends"
    rules = [line[7:] for line in result.stdout.splitlines() if line.startswith("broken ")]
    return rules[0] if rules else "the service does not crash" if result.returncode else None


def found_by(program, seeds):
    began = processor_time()
    for seed in seeds:
        rule = simulate(program, seed)
        if rule:
            return seed, rule
        if processor_time() - began > LIMIT:
            break
    return None


def sound_seeds():
    """The first seeds that break nothing in the unchanged source, as many as can be needed."""
    program, output = build()
    if not program:
        sys.exit(output)
    began, seeds, seed = processor_time(), [], 0
    while processor_time() - began < LIMIT or not seeds:
        seed += 1
        rule = simulate(program, seed)
        if rule:
            print(f"seed {seed} is left out: {rule}", flush=True)
        else:
            seeds.append(seed)
        if seed > 200:
            sys.exit("There is no sound seed")
    return seeds


def main():
    patches = sorted(path for path in FOLDER.glob("*.patch") if not sys.argv[1:] or path.stem in sys.argv[1:])
    copy_tree()
    seeds = sound_seeds()
    found, judged = 0, 0
    for patch in patches:
        applied = run(["patch", "-p1", "--forward", "--no-backup-if-mismatch", "-d", TREE, "-i", patch.resolve()])
        if applied.returncode:
            print(f"{patch.stem}: does not apply any more", flush=True)
            judged += 1
        else:
            program, output = build()
            judged += 1
            if not program:
                print(f"{patch.stem}: does not compile: {[line for line in output.splitlines() if 'error' in line][:1]}")
            else:
                result = found_by(program, seeds)
                found += result is not None
                print(f"{patch.stem}: " + (f"found by seed {result[0]}: {result[1]}" if result else "NOT FOUND"), flush=True)
        copy_tree()
    print(f"{found} of {judged} mutants found")
    return 0 if judged and found >= 0.95 * judged else 1


if __name__ == "__main__":
    sys.exit(main())
