"""The firmware's protocol, page and service files as a program of the workstation, with UBSan and AddressSanitizer: any report ends it."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "protocol"
FIRMWARE = [source for part in ("protocols", "tempest", "services") for source in sorted((ROOT / "fw" / part).glob("*.c"))]


def build(name: str, sources: list[pathlib.Path]) -> pathlib.Path:
    """Compiles `sources` with the firmware; every pytest worker for itself."""
    folder = ROOT / "build" / "test" / "protocol"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{name}-{os.getpid()}"
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-O1", "-g", "-fsanitize=address,undefined",
                    "-fno-sanitize-recover=all", "-DTT_WORKSTATION", f"-I{HERE}/workstation",
                    *(f"-I{ROOT}/fw/{part}" for part in ("tempest", "protocols", "services")),
                    *map(str, [*sources, *FIRMWARE]), "-o", str(program)], check=True)
    return program
