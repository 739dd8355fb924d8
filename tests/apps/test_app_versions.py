"""Programs in two versions, over shared memory and over messages of their own: both give the sequential answer, bit by bit (BZ-37, BZ-T21)."""
import pytest
from app_runs import ROOT, build, run_native


@pytest.mark.parametrize("processes", [1, 2, 4])
@pytest.mark.parametrize("version", [[], ["-c"]])
def test_both_versions_give_the_sequential_answer(version, processes):
    done = run_native(build("appbt", native=True), processes, "-n", "40", "-l", "2", *version)
    assert done.status == 0 and "appbt: correct" in done.out and ("by messages" in done.out) == bool(version), done.out + done.err


@pytest.mark.parametrize("processes", [1, 2, 4, 7])
@pytest.mark.parametrize("graph", ["-r 40 -d 3", "-n 200 -r 100 -s 3", "-n 8 -r 5 -s 1"])
def test_values_in_messages_give_the_sequential_answer(graph, processes):
    done = run_native(build("em3d", native=True), processes, *graph.split(), "-c")
    assert done.status == 0 and "em3d: correct" in done.out and "by messages" in done.out, done.out + done.err


def test_a_value_that_did_not_come_is_loud(tmp_path):
    text = (ROOT / "apps/em3d/em3d.c.in").read_text()
    right = "memcpy(p->take[m.tag].ghost + p->taken[m.tag]++ * VALUES, m.payload, m.bytes);"
    assert text.count(right) == 1
    source = tmp_path / "em3d.c.in"
    source.write_text(text.replace(right, right.replace("m.bytes", "m.bytes / 2")))
    done = run_native(build(source, native=True, out=tmp_path / "out"), 4, "-n", "200", "-r", "60", "-c")
    assert done.status == 1 and "sequentially" in done.out, done.out


@pytest.mark.parametrize("version, right, wrong", [([], "memcpy(value, f->value, sizeof f->value);", "memcpy(value, f->value, 32);"), (["-c"], "memcpy(value, m.payload, m.bytes);", "memcpy(value, m.payload, 32);")])
def test_a_face_that_did_not_come_whole_is_loud(version, right, wrong, tmp_path):
    text = (ROOT / "apps/appbt/appbt.c.in").read_text()
    assert text.count(right) == 1
    source = tmp_path / "appbt.c.in"
    source.write_text(text.replace(right, wrong))
    done = run_native(build(source, native=True, out=tmp_path / "out"), 4, *version)
    assert done.status == 1 and "sequentially" in done.out, done.out
