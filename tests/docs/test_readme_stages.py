"""tools/readme_stages.py: what was measured stands in the README, between its markers, and nothing else changes."""
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import readme_stages  # noqa: E402

READS = {"count": 3, **{name: 10.25 for name in readme_stages.STAGES}}


def written(tmp_path, document):
    file = tmp_path / "measured.json"
    file.write_text(json.dumps(document))
    return readme_stages.measured(file)


@pytest.mark.parametrize("wrap", [lambda part: part, lambda part: [{"id": "sp_dispatch"}, part]], ids=["report", "bench"])
def test_means_stand_beside_budget_and_voyager(tmp_path, wrap):
    lines = readme_stages.table(*written(tmp_path, wrap({"remote_read": READS, "command": "make run APP=hello"}))).splitlines()
    assert lines[2] == "| 1 | aP op capture | 10.2 | 5 | 7 |"
    assert lines[11] == "| | sum | 92.2 | 97 | 194 |"
    assert lines[13] == "Cycles, mean of 3 reads: `make run APP=hello`."


def test_marked_reads_alone_count_when_there_are_any(tmp_path):
    names = [f'"{name}"' for name in readme_stages.STAGES]
    lines = [",".join(["site", "ap", "mark", "address", "start", *names]), "1,0,0,0x80800000,10" + ",9" * 9]
    (tmp_path / "reads.csv").write_text("\n".join(lines) + "\n")
    assert written(tmp_path, {"remote_read": READS, "command": ""})[0] == READS
    (tmp_path / "reads.csv").write_text("\n".join([*lines, "1,0,1,0x80800000,20" + ",4" * 9, "1,0,1,0x80800080,90" + ",5" * 9]) + "\n")
    reads, _ = written(tmp_path, {"remote_read": READS, "command": ""})
    assert reads == {"count": 2, **{name: 4.5 for name in readme_stages.STAGES}}


@pytest.mark.parametrize("document, sentence", [
    ({"cycles": 1}, "nothing is called remote_read"),
    ({"remote_read": READS | {"count": 0}, "command": ""}, "no clean remote read was measured"),
    ({"remote_read": {"count": 1}, "command": ""}, "has no stage 'aP op capture'"),
])
def test_without_a_measurement_nothing_is_written(tmp_path, document, sentence):
    with pytest.raises(readme_stages.Refused, match=sentence):
        written(tmp_path, document)
