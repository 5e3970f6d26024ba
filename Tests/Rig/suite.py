#!/usr/bin/env python3
"""Runs the tests. Those that fail are named at the end, and each is asked once more, alone.

    suite.py [ARGUMENTS OF swift test]

A thousand tests that start programs share the cores of one machine, so a deadline can pass that is far away otherwise. A test
that fails alone as well has failed, and so has the run when more than three fail at first, or when it ends without a result.
What passed only alone is said in the last lines: it is a fault of that test's, or the first sign of one of ours.
"""

import html
import os
import re
import resource
import subprocess
import sys
import tempfile

RIG = os.path.dirname(os.path.abspath(__file__))
ASKED_AGAIN_AT_MOST = 3


def run(arguments, results):
    """Passes the run's output on, and returns its exit status and the lines about failures."""
    command = [f"{RIG}/swift.sh", "test", "--skip-build", "--disable-xctest", "--xunit-output", f"{results}.xml", *arguments]
    failures = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as program:
        for line in program.stdout:
            print(line, end="", flush=True)
            if " recorded an issue " in line:
                failures.append(line.strip())
    return program.returncode, failures


def failed_tests(results):
    """Those that failed, as `Module.Suite/test()`, or nothing where the run did not live to tell."""
    try:
        with open(f"{results}.xml", errors="replace") as file:
            cases = re.split("(?=<testcase )", file.read())
    except FileNotFoundError:
        return []
    # Not by a reader of XML: what a test has to say of its failure goes in as it is, with characters that XML does not know.
    names = [re.match('<testcase classname="([^"]*)" name="([^"]*)"', case) for case in cases if "<failure " in case]
    return [identifier(html.unescape(name[1]), html.unescape(name[2])) for name in names if name]


def identifier(suite, test):
    module, *suites = suite.split(".")
    return f"{module}.{'/'.join([*suites, test])}"


def main():
    arguments = sys.argv[1:]
    # An ordinary user has no more descriptors on their way between sockets than this, and some tests send many.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        status, failures = run(arguments, f"{folder}/all")
        if status == 0:
            return 0
        failed = failed_tests(f"{folder}/all")
        print(f"\nFailed in the run of all: {', '.join(failed) or 'the run itself'}")
        print(*failures, sep="\n")
        if not 1 <= len(failed) <= ASKED_AGAIN_AT_MOST:
            return status
        for number, test in enumerate(failed):
            print(f"\n{test} once more, alone:")
            status, _ = run(["--no-parallel", "--filter", f"^{re.escape(test)}"], f"{folder}/{number}")
            if status != 0:
                return status
        print(f"\nPassed only alone: {', '.join(failed)}")
        return 0


if __name__ == "__main__":
    sys.exit(main())
