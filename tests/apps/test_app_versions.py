"""Programs in two versions, over shared memory and over messages of their own: both give the sequential answer, bit by bit (BZ-37, BZ-T21)."""
import re

import moldyn
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


@pytest.mark.parametrize("version", [[], ["-c"]])
@pytest.mark.parametrize("molecules, steps, life, cutoff", [(27, 23, 20, 160), (50, 5, 2, 250), (7, 3, 1, 100)])
def test_positions_are_those_of_another_implementation(molecules, steps, life, cutoff, version):
    """By numbers of Python, without a list, at any number of processes."""
    expected = f"moldyn: correct, positions are {moldyn.answer(molecules, steps, cutoff):08x}"
    program = build("moldyn", native=True)
    for processes in (1, 2, 4, 7):
        done = run_native(program, processes, "-n", molecules, "-i", steps, "-l", life, "-r", cutoff, *version)
        assert done.status == 0 and expected in done.out and ("by messages" in done.out) == bool(version), done.out + done.err


def test_a_section_longer_than_a_ring_is_granted_again():
    """Five hundred molecules a process: over seventy messages, sixteen a grant."""
    answers = [run_native(build("moldyn", native=True), 2, "-n", 1000, "-i", 2, *version).out for version in ([], ["-c"])]
    first, second = (re.search(r"moldyn: correct, positions are \w+", out)[0] for out in answers)
    assert first == second


def test_forces_are_those_of_lennard_and_jones():
    """The fixed-point force of both implementations beside the formula: closer than one in two hundred, but for the few that are nearly nothing."""
    for hundredths in range(85, 250):
        distance = hundredths / 100
        formula = 24 * (2 * distance**-14 - distance**-8) * distance
        assert moldyn.force(64, distance) == pytest.approx(formula, rel=0.005, abs=0.01), distance


def test_a_value_that_did_not_come_is_loud(tmp_path):
    text = (ROOT / "apps/em3d/em3d.c.in").read_text()
    right = "memcpy(p->take[m.tag].ghost + p->taken[m.tag]++ * VALUES, m.payload, m.bytes);"
    assert text.count(right) == 1
    source = tmp_path / "em3d.c.in"
    source.write_text(text.replace(right, right.replace("m.bytes", "m.bytes / 2")))
    done = run_native(build(source, native=True, out=tmp_path / "out"), 4, "-n", "200", "-r", "60", "-c")
    assert done.status == 1 and "sequentially" in done.out, done.out


@pytest.mark.parametrize("version, right, wrong", [
    ([], "if (!is_zero(part[i])) add(section[i], part[i]);", "if (!is_zero(part[i]) && turn != 2) add(section[i], part[i]);"),
    (["-c"], "add(part[first + i], in + 3 * i);", "if (i < 6) add(part[first + i], in + 3 * i);"),
    (["-c"], "while (*next < end && is_zero(part[*next])) (*next)++;", "while (*next < end && *next % 5) (*next)++;"),
    ([], "number % life == 0", "number == 0"),
])
def test_a_force_that_is_lost_is_loud(version, right, wrong, tmp_path):
    """A turn that is left out, the end of a message, the beginning of one; and a list that is never built again."""
    text = (ROOT / "apps/moldyn/moldyn.c.in").read_text()
    assert text.count(right) == 1
    source = tmp_path / "moldyn.c.in"
    source.write_text(text.replace(right, wrong))
    done = run_native(build(source, native=True, out=tmp_path / "out"), 4, "-n", "64", "-i", "400", *version)
    assert done.status == 1 and "sequentially" in done.out, done.out + done.err


@pytest.mark.parametrize("version, right, wrong", [([], "memcpy(value, f->value, sizeof f->value);", "memcpy(value, f->value, 32);"), (["-c"], "memcpy(value, m.payload, m.bytes);", "memcpy(value, m.payload, 32);")])
def test_a_face_that_did_not_come_whole_is_loud(version, right, wrong, tmp_path):
    text = (ROOT / "apps/appbt/appbt.c.in").read_text()
    assert text.count(right) == 1
    source = tmp_path / "appbt.c.in"
    source.write_text(text.replace(right, wrong))
    done = run_native(build(source, native=True, out=tmp_path / "out"), 4, *version)
    assert done.status == 1 and "sequentially" in done.out, done.out
