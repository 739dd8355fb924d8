"""The Zephyr application and module without a kernel: it agrees with the RTL's registers and with itself, and says what it lacks."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import registers as niu
import yaml

ROOT = Path(__file__).resolve().parents[2]
FW = ROOT / "fw"
BINDINGS = {yaml.safe_load(path.read_text())["compatible"]: path for path in (FW / "dts/bindings").rglob("*.yaml")}
DTSI = (FW / "dts/riscv/turnstile/sp.dtsi").read_text()
DRIVERS = {path: path.read_text() for path in (FW / "drivers").rglob("*.c")}


def fw_zephyr(base: str | None, *command: str) -> subprocess.CompletedProcess:
    environment = {k: v for k, v in os.environ.items() if k != "ZEPHYR_BASE"} | ({"ZEPHYR_BASE": base} if base else {})
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("command", [("tools/zephyr.py", "stache"), ("tools/run.py", "APP=hello", "FW=zephyr")], ids=lambda c: c[0])
def test_without_a_kernel_one_line_says_what_to_set(command):
    done = fw_zephyr(None, *command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert re.search(r"ZEPHYR_BASE is not set: set it to the path of a Zephyr \d+\.\d+ tree \(docs/user/zephyr\.md\)", done.stderr)


def test_what_is_no_kernel_or_an_old_one_is_refused(tmp_path):
    done = fw_zephyr(str(tmp_path), "tools/zephyr.py", "stache")
    assert done.returncode == 2 and f"ZEPHYR_BASE={tmp_path} is no Zephyr tree" in done.stderr
    (tmp_path / "VERSION").write_text("VERSION_MAJOR = 3\nVERSION_MINOR = 7\nPATCHLEVEL = 0\n")
    done = fw_zephyr(str(tmp_path), "tools/zephyr.py", "stache")
    assert done.returncode == 2 and "is Zephyr 3.7: fw/west.yml wants 4." in done.stderr


@pytest.mark.parametrize("keys, words", [(["SHELL_LINES=stats"], "SHELL_LINES=stats needs FW=zephyr: the bare image has no shell"),
                                         (["SHELL_AT=soon"], "SHELL_AT=soon is not a number from 0 to"), (["FW=linux"], "FW=linux is not legal: bare or zephyr")])
def test_what_no_image_has_is_refused(keys, words):
    done = fw_zephyr(None, "tools/run.py", "APP=hello", *keys)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1) and words in done.stderr


def test_the_devicetree_has_the_addresses_of_the_rtl():
    found = {m[1]: (int(m[2], 16), int(m[3], 16)) for m in re.finditer(r"(\w+): [\w-]+@[0-9a-f]+ \{[^}]*?reg = <(0x[0-9a-f]+) (0x[0-9a-f]+)>", DTSI)}
    assert found == {"instruction_ram": (niu.SP_IRAM_BASE, niu.SP_IRAM_BYTES), "data_ram": (niu.SP_DRAM_BASE, niu.SP_DRAM_BYTES),
                     "niu": (niu.NIU_BASE, niu.NIU_BYTES), "timer": (niu.NIU_BASE + niu.NIU_TIME_LO, niu.NIU_TIME_HI + 4 - niu.NIU_TIME_LO),
                     "console": (niu.NIU_BASE + niu.NIU_CONSOLE, 4)}  # fmt: skip
    for unit, address in re.findall(r"@([0-9a-f]+) \{[^}]*?reg = <(0x[0-9a-f]+) ", DTSI):
        assert int(unit, 16) == int(address, 16)


def test_no_address_stands_in_a_driver():
    """Registers are those of the header that the RTL writes, the same as the bare image's."""
    for path, text in DRIVERS.items():
        assert '#include "niu_regs.h"' in text and not re.search(r"0x1[0-9a-fA-F]{7}", text), path


def test_every_node_has_a_binding_and_every_driver_a_node():
    nodes = set(re.findall(r'compatible = "(turnstile,[\w-]+)"', DTSI))
    assert nodes <= set(BINDINGS)
    driven = {m[1].replace("_", ",", 1) for text in DRIVERS.values() for m in re.finditer(r"#define DT_DRV_COMPAT (\w+)", text)}
    assert driven == nodes - {"turnstile,sp"} and len(driven) == len(DRIVERS)
    kconfig = (FW / "drivers/Kconfig").read_text()
    assert set(re.findall(r"DT_HAS_(\w+)_ENABLED", kconfig)) == {c.replace(",", "_").upper() for c in driven}


def test_module_and_manifest_name_what_is_there():
    module = yaml.safe_load((FW / "zephyr/module.yml").read_text())
    roots = {key: FW / value for key, value in module["build"]["settings"].items()}
    assert (FW / module["build"]["cmake"] / "CMakeLists.txt").exists() and (FW / module["build"]["kconfig"]).exists()
    assert (roots["board_root"] / "boards").is_dir() and (roots["soc_root"] / "soc").is_dir() and (roots["dts_root"] / "dts").is_dir()
    board = yaml.safe_load((FW / "boards/turnstile/turnstile_sp/board.yml").read_text())["board"]
    socs = {soc["name"] for soc in yaml.safe_load((FW / "soc/turnstile/sp/soc.yml").read_text())["socs"]}
    assert {soc["name"] for soc in board["socs"]} == socs
    pinned = {p["name"]: p["revision"] for p in yaml.safe_load((FW / "west.yml").read_text())["manifest"]["projects"]}
    assert re.fullmatch(r"v\d+\.\d+\.\d+", pinned["zephyr"]) and f"Zephyr {pinned['zephyr'][1:]}" in (ROOT / "docs/user/zephyr.md").read_text()
