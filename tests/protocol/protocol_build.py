"""The firmware's protocol, page and service files as a program of the workstation, with UBSan and AddressSanitizer: any report ends it."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "protocol"
sys.path.insert(0, str(ROOT / "tools"))
import protocols  # noqa: E402

LIMIT = 60  # seconds for a program of rows; a second is usual
FRAMEWORK = [source for part in ("tempest", "services") for source in sorted((ROOT / "fw" / part).glob("*.c"))]
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-Wno-unused-parameter", "-O1", "-g", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", "-DTT_WORKSTATION", f"-I{HERE}/workstation", *(f"-I{ROOT}/fw/{part}" for part in ("niu/functions", "tempest", "services"))]


def build(name: str, sources: list[pathlib.Path], image: str = "stache") -> pathlib.Path:
    """Compiles `sources` with the firmware of an image; every pytest worker for itself."""
    folder = ROOT / "build" / "test" / "protocol" / f"{name}-{os.getpid()}"
    folder.mkdir(parents=True, exist_ok=True)
    chosen = protocols.resolve(image)
    (folder / "table.c").write_text(protocols.table(chosen))
    objects = []
    for index, protocol in enumerate(chosen):
        for source in protocol.sources:
            objects.append(folder / f"{protocol.name}-{source.stem}.o")
            subprocess.run(["gcc", *FLAGS, f"-DTT_PROTOCOL_INDEX={index}", "-c", source, "-o", objects[-1]], check=True)
    subprocess.run(["gcc", *FLAGS, *sources, *FRAMEWORK, folder / "table.c", *objects, "-o", folder / name], check=True)
    return folder / name


def rows_of(name: str, sources: list[pathlib.Path], image: str = "stache") -> tuple[subprocess.CompletedProcess, list[str]]:
    """Runs a program of rows behind the recorder; also its lines."""
    program = build(name, [*sources, HERE / "workstation/recorder.c"], image)
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(program, 1, f"FAIL a handler that does not return: {program} ran for {LIMIT} s\n", "")
    return done, [line for line in done.stdout.splitlines() if line]
