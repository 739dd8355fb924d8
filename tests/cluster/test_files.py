"""Files and stdin of programs (issue 9): the same on the cluster and on the workstation, confined, refused with errno and counted."""
import os
import subprocess
import sys

import pytest
from cluster_runs import PROGRAMS, ROOT, environment, right, run

STDIN = "3 2.5\n10 20\n30\nfirst line\nsecond\n"


def native(app, processes, **keys) -> subprocess.CompletedProcess:
    given = [f"{k.upper()}={v}" for k, v in {"app": app, "processes": processes, **keys}.items()]
    return subprocess.run([sys.executable, ROOT / "tools/native.py", *given], cwd=ROOT, env=environment(), capture_output=True, text=True)


def output(name, process, stream="out") -> str:
    return (ROOT / f"build/run/{name}/output/process-{process}.{stream}").read_text()


@pytest.fixture
def stdin(tmp_path):
    path = tmp_path / "input"
    path.write_text(STDIN)
    return path


def test_files_and_stdin_are_those_of_the_workstation(stdin):
    """Each process's lines, stderr, and the file that was written."""
    name = "test-files"
    done = right(run(PROGRAMS / "files", 2, 1, name=name, stdin=stdin), "[0] last, without an end of line", "[0] to stderr")
    there = native(PROGRAMS / "files", 2, stdin=stdin)
    assert there.returncode == 0
    assert output(name, 0) + output(name, 1) != there.stdout  # process 1 comes before the last line there
    mine = [line for line in output(name, 0).splitlines() + output(name, 1).splitlines()]
    assert sorted(mine) == sorted(there.stdout.splitlines()) and len(mine) == 13
    assert [line for line in output(name, 1).splitlines()] == ["process 1: site", "process 1: bus", "process 1: owner"]
    assert output(name, 0, "err") == there.stderr == "to stderr \5\16\17\20.\n"
    files = [ROOT / f"build/run/{folder}/files" for folder in (name, "native-files")]
    assert files[0].joinpath("result.txt").read_text() == files[1].joinpath("result.txt").read_text() == "sum 60\nweight 2.500\n"
    assert sorted(os.listdir(files[0])) == sorted(os.listdir(files[1])) == ["data", "result.txt"]
    calls = done.report["host_calls"]
    assert calls["refused"] == 1 and calls["stray"] == 0 and calls["cycles"] > 100 * calls["calls"] > 0
    assert f"host calls               {calls['calls']}, 1 refused" in done.out
    assert calls["bytes_written"] == 2100 + len("sum 60\nweight 2.500\n") and calls["bytes_read"] > 2100 + len(STDIN)


def test_a_program_without_files_makes_no_call():
    done = right(run("hello", 2, 1))
    assert not any(done.report["host_calls"].values()) and "host calls" not in done.out


def test_what_every_system_refuses_has_the_same_errno():
    name = "test-refusals"
    done = run(PROGRAMS / "refusals.c", 1, 1, "posix", name=name)
    there = native(PROGRAMS / "refusals.c", 1, args="posix")
    assert done.status == there.returncode == 0
    assert output(name, 0) == there.stdout and len(there.stdout.splitlines()) == 29
    assert done.report["host_calls"]["refused"] == sum(line.rsplit(": ")[1].startswith("E") for line in there.stdout.splitlines()) - 4  # 4 are found out by the runtime


def test_no_path_leads_out(tmp_path):
    """Links and pipes come into the folder only from outside, so the simulator is asked itself."""
    name, folder, secret = "test-confined", tmp_path / "files", tmp_path / "secret"
    built = run(PROGRAMS / "refusals.c", 1, 1, "posix", name=name)
    assert built.status == 0
    secret.write_text("kept")
    (folder / "inner").mkdir(parents=True)
    (folder / "way").symlink_to(tmp_path)
    (folder / "link").symlink_to(secret)
    (tmp_path / "out").write_text("kept")
    (tmp_path / "report.json").write_text("kept")
    os.mkfifo(folder / "pipe")
    os.makedirs(tmp_path / "streams")
    done = subprocess.run([ROOT / "build/sim/a1/turnstile-sim", f"firmware={ROOT / 'build/fw/stache/firmware.elf'}", f"names={ROOT / 'build/fw/stache/names.txt'}",
                           f"program={ROOT / 'build/apps/refusals/refusals.elf'}", f"files={folder}", f"streams={tmp_path / 'streams'}", "--", "refusals", "confined"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told = dict(line.rsplit(": ", 1) for line in (tmp_path / "streams/process-0.out").read_text().splitlines() if ": " in line)
    assert list(told.values()) == ["EACCES"] * 6 + ["ENOTDIR", "ELOOP", "ELOOP", "EACCES", "EINVAL", "EBADF", "EBADF", "ESPIPE", "more than 0", "EFBIG", "EOVERFLOW"], told
    assert "61 opened, then EMFILE 20 times" in done.stdout
    assert secret.read_text() == "kept" and (tmp_path / "report.json").exists() and sorted(os.listdir(folder)) == ["inner", "link", "new", "pipe", "way"]


def test_a_call_full_of_nonsense_is_answered():
    """Every answer is an errno; rings during a call are counted; the run goes on."""
    done = run(PROGRAMS / "rings.c", 1, 1)
    assert done.status == 0 and "[0] alive" in done.out, done.out
    assert done.out.count(": 88") == 2 and done.out.count(": 22") == 10 and done.out.count(": 9") == 2, done.out
    calls = done.report["host_calls"]
    assert calls["stray"] > 20 and calls["calls"] == calls["refused"] >= 15 and calls["calls"] + calls["stray"] == 14 + 50


@pytest.mark.parametrize("keys, sentence", [
    ({"stdin": "nowhere"}, "STDIN=nowhere is no file"),
    ({"files": "nowhere"}, "FILES=nowhere: 'nowhere' is no file; legal are paths of files, commas between"),
    ({"files": "README.md,docs/README.md"}, "FILES=README.md,docs/README.md: two are called 'README.md', by which the program opens them"),
])
def test_what_is_no_file_is_refused(keys, sentence):
    done = run("hello", **keys)
    assert done.status == 2 and done.err == f"run: {sentence}\n"
    assert native("hello", 2, **keys).stderr == f"run-native: {sentence}\n"


def test_a_program_gets_copies_of_its_files(tmp_path):
    """Data files of its folder and those of FILES=; no source, nothing hidden, no link that leads out."""
    sys.path.insert(0, str(ROOT / "tools"))
    import files

    folder = tmp_path / "program"
    for name in ("program.c", "program.H", "input", "deep/er/table", ".hidden", ".git/config"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (tmp_path / "outside").write_text("outside")
    (folder / "out").symlink_to(tmp_path / "outside")
    (folder / "in").symlink_to("input")
    target = tmp_path / "target"
    files.stage(str(folder), files.given(f"{tmp_path / 'outside'}", ""), target)
    found = {str(p.relative_to(target)): p.read_text() for p in target.rglob("*") if p.is_file()}
    assert found == {"input": "input", "deep/er/table": "deep/er/table", "in": "input", "outside": "outside"}
    files.stage(str(folder / "program.c"), [], target)
    assert not list(target.iterdir())
