"""APP=: what is legal, and one sentence with exit status 2 for the rest."""
import subprocess

import pytest
from app_runs import ROOT, app


@pytest.mark.parametrize("what", ["nope", "apps/include/parmacs.m4", "apps/runtime/link.ld", ""])
def test_unknown_program_names_the_legal_ones(what, tmp_path):
    done = app(what, out=tmp_path)
    assert done.returncode == 2
    (sentence,) = done.stderr.splitlines()
    assert "appbt, em3d, hello, is, latency, logp, lu, moldyn, ocean, polls, records, several, thrash, transfers, water" in sentence


def test_empty_folder_is_no_program(tmp_path):
    done = app(tmp_path, out=tmp_path / "out")
    assert done.returncode == 2 and "legal are files named *.c, *.C or *.c.in" in done.stderr


def test_program_that_does_not_compile(tmp_path):
    (tmp_path / "x.c").write_text("int main(void) { return y; }\n")
    done = app(tmp_path / "x.c", out=tmp_path / "out")
    assert done.returncode == 2 and "does not compile" in done.stderr.splitlines()[-1]


def test_quote_that_never_ends_is_m4s_complaint(tmp_path):
    (tmp_path / "x.C").write_text("MAIN_ENV\nint main() { LOCK(`a) }\n")
    done = app(tmp_path / "x.C", out=tmp_path / "out")
    assert done.returncode == 2 and "does not go through m4" in done.stderr.splitlines()[-1]


def test_globals_too_large_for_the_private_window(tmp_path):
    (tmp_path / "x.c").write_text("int big[20000000];\nint main(int c, char **v) { return big[c]; }\n")
    done = app(tmp_path / "x.c", out=tmp_path / "out")
    assert done.returncode == 2 and "G_MALLOC for large ones" in done.stderr.splitlines()[-1]


def test_the_largest_stack_links(tmp_path):
    """The start page lies below it, and jumps over it."""
    (tmp_path / "x.c").write_text("int main(void) { return 0; }\n")
    done = app("--link=TS_STACK=33554432", tmp_path / "x.c", out=tmp_path / "out")
    assert done.returncode == 0, done.stderr


def test_second_build_does_nothing_and_a_change_builds(tmp_path):
    source = tmp_path / "x.c"
    source.write_text("int main(void) { return 0; }\n")
    first = app(source, out=tmp_path / "out").stdout
    built = (tmp_path / "out" / "x" / "x.elf").stat().st_mtime_ns
    assert app(source, out=tmp_path / "out").stdout == first
    assert (tmp_path / "out" / "x" / "x.elf").stat().st_mtime_ns == built
    source.write_text("int main(void) { return 1; }\n")
    app(source, out=tmp_path / "out")
    assert (tmp_path / "out" / "x" / "x.elf").stat().st_mtime_ns != built


def test_plain_c_with_parmacs_words_goes_through_m4(tmp_path):
    (tmp_path / "x.c").write_text("MAIN_ENV\nint main() { MAIN_INITENV() MAIN_END }\n")
    assert app("--native", tmp_path / "x.c", out=tmp_path / "out").returncode == 0


def test_no_path_of_this_machine_is_committed():
    files = subprocess.run(["git", "ls-files", "apps", "tests/apps", "tools/app.py", "tools/parmacs.py", "mk/apps.mk"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert not [f for f in files if str(ROOT) in (ROOT / f).read_text(errors="replace")]
