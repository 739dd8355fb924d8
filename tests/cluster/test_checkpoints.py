"""Checkpoints (issue 9): a run that goes on from one ends as the run without, whatever may differ differs, and no other file is taken."""
import json
import os
import re
import shutil
import subprocess

import pytest
from cluster_runs import PROGRAMS, ROOT, environment, right, run

PROGRAM, SITES = PROGRAMS / "saved.c", 3
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "alone")


def name(what):
    return f"test-checkpoint-{what}-{WORKER}"


def differs(report):
    """What names the run, not what happened."""
    return {k: v for k, v in report.items() if k != "command"}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    numbers = tmp_path_factory.mktemp("saved") / "numbers"
    numbers.write_text("1000\n" + "2000\n" * 500)
    return {"stdin": numbers}


@pytest.fixture(scope="module")
def whole(given):
    return right(run(PROGRAM, SITES, name=name("whole"), **given), "second: ")


@pytest.fixture(scope="module")
def saved(given):
    folder = ROOT / "build/run" / name("saved")
    shutil.rmtree(folder, ignore_errors=True)
    done = right(run(PROGRAM, SITES, name=name("saved"), save_at="mark1", threads=2, **given))
    assert re.search(r"mark 1 at cycle \d+, saved at \d+: \S+mark1.checkpoint", done.err), done.err
    return done, folder / "mark1.checkpoint"


def test_saving_changes_nothing(whole, saved):
    done, _ = saved
    assert done.out == whole.out and done.report == whole.report


@pytest.mark.parametrize("threads", [1, 3])
def test_a_run_from_a_checkpoint_ends_as_the_run_without(whole, saved, given, threads):
    """Lines printed before are of the first part; half a line is not."""
    _, file = saved
    done = right(run(PROGRAM, SITES, name=name("from"), **{"from": file}, threads=threads, **given))
    lines, all_lines = done.out.splitlines(), whole.out.splitlines()
    assert lines == all_lines and "[0] first part, second: " in done.out
    assert differs(done.report) == differs(whole.report)
    for left in ("reads.csv", "output/process-0.err"):
        mine, theirs = (ROOT / "build/run" / name(n) / left for n in ("from", "whole"))
        assert mine.exists() == theirs.exists() and (not mine.exists() or mine.read_bytes() == theirs.read_bytes())


@pytest.mark.parametrize("keys", [{"latency": 20}, {"dram": "ddr4"}, {"dram": "hbm2", "clock": 200, "seed": 3}, {"seed": 5}])
def test_memory_may_be_another(whole, saved, given, keys):
    _, file = saved
    done = right(run(PROGRAM, SITES, name=name("other"), **{"from": file}, **keys, **given), *re.findall(r"second: .*", whole.out))
    first = [[m for m in r["marks"] if m[3] == 1] for r in (done.report, whole.report)]
    assert first[0] == first[1] and done.report["cycles"] != whole.report["cycles"]
    assert json.loads((ROOT / "build/run" / name("other") / "speed.json").read_text())["cycles_per_second"] > 0


def test_a_saved_dram_goes_on(given):
    """Its queues and open rows, too."""
    keys = {"dram": "ddr3", **given}
    base = right(run(PROGRAM, SITES, name=name("dram"), save_at="mark1", **keys))
    file = ROOT / "build/run" / name("dram") / "mark1.checkpoint"
    done = right(run(PROGRAM, SITES, name=name("dram-from"), **{"from": file}, **keys))
    assert differs(done.report) == differs(base.report)


@pytest.mark.parametrize("keys, words", [
    ({"sites": 2}, "was saved with SITES=3, this run has 2"),
    ({"block": 256}, "was saved with BLOCK=128, this run has 256"),
    ({"arguments": "open"}, "was saved with ARGS=, this run has open"),
    ({"app": "hello"}, r"was saved with program=\d+ bytes, sum \w{8}, this run has \d+ bytes, sum \w{8}"),
    ({"timeout": 1000}, r"goes on at cycle \d+: TIMEOUT=1000 is over then"),
])  # fmt: skip
def test_a_checkpoint_of_another_run_is_refused(saved, given, keys, words):
    done = run(**{"app": PROGRAM, "sites": SITES, "name": name("refused"), "from": saved[1], **given, **keys})
    assert done.status == 2 and re.search("FROM=\\S+mark1.checkpoint:? " + words, done.err), done.err
    assert len(done.err.splitlines()) == 1 and not done.out


@pytest.mark.parametrize("damage, words", [
    (lambda all: all[: len(all) // 2], "is cut off or damaged: save it again"),
    (lambda all: all[:50], "is cut off or damaged: save it again"),
    (lambda all: all[:-9] + bytes([all[-9] ^ 1]) + all[-8:], "is damaged: save it again"),
    (lambda all: all.replace(b"checkpoint 1", b"checkpoint 0", 1), "is of another version of the simulator: save it again"),
    (lambda all: b"\x7fELF" + all, "is no checkpoint"),
    (lambda all: b"", "is no checkpoint"),
    (lambda all: re.sub(rb"simulator \d+", b"simulator 1", all, count=1), r"was saved with simulator=1 bytes, .*, this run has \d+ bytes"),
])  # fmt: skip
def test_a_file_that_is_none_is_refused(saved, given, tmp_path, damage, words):
    file = tmp_path / "damaged"
    file.write_bytes(damage(saved[1].read_bytes()))
    done = run(PROGRAM, SITES, name=name("refused"), **{"from": file}, **given)
    assert done.status == 2 and re.search(f"FROM={file}: {words}", done.err), done.err
    assert len(done.err.splitlines()) == 1 and not done.out


def test_a_full_disk_leaves_nothing(whole, given):
    """A limit of the shell ends the write as a full disk does; all is built by then."""
    folder = ROOT / "build/run" / name("full")
    shutil.rmtree(folder, ignore_errors=True)
    command = f"ulimit -f 400; exec {ROOT}/tools/run.py APP={PROGRAM} SITES={SITES} SAVE_AT=mark1 PAGE=0 NAME={folder.name} STDIN={given['stdin']}"
    done = subprocess.run(["bash", "-c", command], env=environment(), capture_output=True, text=True)
    assert done.returncode == 2 and re.search(r"the checkpoint \S+mark1.checkpoint \(\d+ KB\) cannot be written: File too large; nothing is left of it", done.stderr), done.stderr
    assert not list(folder.glob("mark1*"))


def test_open_files_are_not_in_it(given):
    done = run(PROGRAM, SITES, arguments="open", name=name("open"), save_at="mark1", **given)
    assert done.status == 2 and "a checkpoint holds no open files but stdin" in done.err
    assert not (ROOT / "build/run" / name("open") / "mark1.checkpoint").exists()


def test_a_mark_that_never_comes_is_told():
    done = run("hello", 2, name=name("never"), save_at="mark9")
    assert done.status == 0 and "no checkpoint: the run ended at cycle" in done.err


@pytest.mark.parametrize("keys, sentence", [
    ({"save_at": "start"}, "SAVE_AT=start is not legal: mark0 to mark4294967295, as mark1"),
    ({"save_at": "mark4294967296"}, "SAVE_AT=mark4294967296 is not legal: "),
    ({"from": "nowhere"}, "FROM=nowhere is no file: SAVE_AT=mark1 makes one, build/run/<name>/mark1.checkpoint"),
    ({"save_at": "mark1", "waves": 1}, "WAVES=1 with SAVE_AT=: a checkpoint holds nothing for it, leave one of them out"),
    ({"save_at": "mark1", "gdb": "ap0.0"}, "GDB=ap0.0 with SAVE_AT=: "),
    ({"from": __file__, "trace": 1}, "TRACE=1 with FROM=: "),
    ({"from": __file__, "reset": 1}, "RESET=1 with FROM=: "),
])  # fmt: skip
def test_bad_input_gets_one_sentence(keys, sentence):
    done = run("hello", **keys)
    assert done.status == 2 and sentence in done.err and len(done.err.splitlines()) == 1 and not done.out, done.err
