#!/usr/bin/env python3
"""`make sim-profile`: the simulator compiled by what a run of it does (apps/lu on four sites), about 1.2 times as fast.

    tools/sim_profile.py APS

Takes some minutes. The profile is build/sim's and holds until the text of the RTL changes; then tools/sim-build builds without one again.
"""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


def build(mode: str, aps: str) -> None:
    if status := subprocess.run([ROOT / "tools/sim-build", mode, aps], cwd=ROOT).returncode:
        sys.exit(status)


def main(aps: str) -> None:
    s = run.settings(["APP=lu", f"APS={aps}"])
    program, firmware, simulator, _ = run.build(s)
    print("sim: the simulator that counts", flush=True)
    build("count", s["APS"])
    counting = ROOT / f"build/sim/a{s['APS']}-count/turnstile-sim"
    done = subprocess.run([counting, f"firmware={firmware}", f"program={program}", f"sites={s['SITES']}", f"aps={s['APS']}", "progress=0", "--", "lu", "-n", "8"],
                          stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"sim_profile: the run that counts ended with status {done.returncode}")
    print("sim: compiling by what it counted", flush=True)
    build("counted", s["APS"])
    print(simulator.relative_to(ROOT))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(print("usage: tools/sim_profile.py APS", file=sys.stderr) or 2)
    main(sys.argv[1])
