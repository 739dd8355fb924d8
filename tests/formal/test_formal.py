"""Every property of tests/formal is proved."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import formal


@pytest.mark.parametrize("proof", [pytest.param(p, id=p.name, marks=[pytest.mark.full] if p.full else []) for p in formal.proofs()])
def test_formal(proof):
    line, against = formal.prove(proof)
    print(line)
    assert not against, f"{line}\n{against}"
