#!/usr/bin/env python3
"""Runs one parallel program as Unix processes on this machine, with the files it has on the cluster.

    tools/native.py APP=lu PROCESSES=4 ARGS="-n 64" FILES=a,b STDIN=file

It runs in build/run/native-<app>/files, which begins with copies of its files. Exit status: the program's; 2 for bad input.
"""
import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import app as programs  # noqa: E402
import files  # noqa: E402

KEYS = ("APP", "PROCESSES", "ARGS", "FILES", "STDIN")


def main() -> int:
    given = dict(argument.partition("=")[::2] for argument in sys.argv[1:])
    if unknown := [key for key in given if key not in KEYS]:
        raise files.Refused(f"'{unknown[0]}' is not known; the keys are {', '.join(KEYS)}")
    name, stdin = given.get("APP", ""), given.get("STDIN", "")
    copies = files.given(given.get("FILES", ""), stdin)
    program = programs.build(name, True, programs.ROOT / "build/apps")
    folder = programs.ROOT / "build/run" / f"native-{programs.stem(program)}" / "files"
    files.stage(name, copies, folder)
    environment = {**os.environ, "TS_PROCESSES": given.get("PROCESSES") or "4"}
    with open(Path(stdin).expanduser() if stdin else os.devnull, "rb") as keyboard:
        return subprocess.run([program, *shlex.split(given.get("ARGS", ""))], cwd=folder, env=environment, stdin=keyboard).returncode


if __name__ == "__main__":
    try:
        status = main()
    except (files.Refused, programs.Refused) as refused:
        status = print(f"run-native: {refused}", file=sys.stderr) or 2
    sys.exit(status if status >= 0 else 128 - status)
