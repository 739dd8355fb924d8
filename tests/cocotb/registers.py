"""Registers, addresses, words and codes by the names of the C header, made from the RTL (docs/developer/registers.md).

    from registers import NIU_TAGQ, NIU_RESPONDER, NIU_CMD_CTRL_TAG

A register is its byte offset, an array gives that of register i as NIU_RESPONDER(i), a field puts a value in its place:
NIU_CMD_CTRL_TAG(3), and takes it out: NIU_EV_COUNT_HIGH.of(word).
"""

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
subprocess.run([_ROOT / "tools" / "niuheader"], check=True)
sys.path.insert(0, str(_ROOT / "build" / "include"))
from niu_regs import *  # noqa: E402, F403
