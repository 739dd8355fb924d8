"""libturnstile and the command `turnstile`, installed and used in a Linux guest with the RTL of the card: the tests in tests/driver/user."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import host_build  # noqa: E402
from test_driver import boot, kernel, kernel_of  # noqa: E402, F401


def functions() -> set[str]:
    return {name for file in (ROOT / "tests/driver/user").glob("of_*.py") for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)}


def test_processes_use_the_card_by_library_and_command(kernel):  # noqa: F811
    """VY-16, VY-22, VY-25, VY-34: messages, shared memory, errors in words, processes that die, threads, a card that goes, any arguments; each subcommand; libfabric and MPI."""
    run = boot(TESTS="user", TIMEOUT="200")
    passed = {re.sub(r"\[.*", "", name) for name in re.findall(r"^guest: passed (\S+)", run.console, re.MULTILINE)}
    assert run.summary and run.summary[1] == 0 and run.summary[0] > 50 and passed == functions(), run.last(80)


@pytest.mark.full
@pytest.mark.parametrize("seed", ["2"])
def test_library_and_command_on_a_kernel_that_checks_itself(seed):
    kernel_of("debug")
    run = boot(TESTS="user", KERNEL="debug", SEED=seed, TIMEOUT="400")
    assert run.summary and run.summary[1] == 0 and run.summary[0] > 50, run.last(80)


def test_the_installed_tree_is_what_the_page_says(tmp_path):
    host_build.call("tools/niuheader")
    host_build.call("make", "-s", "-C", ROOT / "host-driver", "install", f"OUT={tmp_path}/out", f"REGISTERS={ROOT}/build/include", f"DESTDIR={tmp_path}/tree", "PREFIX=/opt/turnstile")
    tree = tmp_path / "tree/opt/turnstile"
    files = {str(path.relative_to(tree)) for path in tree.rglob("*") if not path.is_dir()}
    provider = f"lib/{subprocess.run(['gcc', '-print-multiarch'], capture_output=True, text=True, check=True).stdout.strip()}/libfabric/libturnstile-fi.so"
    assert files == {"bin/turnstile", "include/turnstile_host.h", "lib/libturnstile.a", "lib/libturnstile.so", "lib/libturnstile.so.0", "lib/libturnstile.so.0.1.0",
                     "lib/pkgconfig/turnstile.pc", "lib/python3/dist-packages/turnstile.py", "share/man/man1/turnstile.1", "share/man/man3/libturnstile.3",
                     "share/man/man7/fi_turnstile.7", provider}
    dynamic = subprocess.run(["readelf", "-d", tree / "lib/libturnstile.so"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"SONAME.*\[libturnstile\.so\.0\]", dynamic) and set(re.findall(r"NEEDED.*\[(.*)\]", dynamic)) <= {"libc.so.6", "ld-linux-x86-64.so.2"}
    for compiler in (["gcc", "-std=c11", "-x", "c"], ["g++", "-std=c++17", "-x", "c++"]):
        done = subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", tree / "include/turnstile_host.h"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    exported = subprocess.run(["nm", "-D", "--defined-only", tree / "lib/libturnstile.so"], capture_output=True, text=True, check=True).stdout
    names = set(re.findall(r" T (\w+)", exported))
    declared = set(re.findall(r"\b(ts_\w+)\(", re.sub(r"/\*.*?\*/|^static inline.*?^}", "", (ROOT / "host-driver/lib/turnstile_host.h").read_text(), flags=re.DOTALL | re.MULTILINE)))
    declared -= {"ts_name_of_ap", "ts_name_of_queue"}
    assert names == declared
    loaded = subprocess.run(["nm", "-D", "--defined-only", tree / provider], capture_output=True, text=True, check=True).stdout
    assert re.findall(r" [A-Z] (\w+)", loaded) == ["fi_prov_ini"]


@pytest.mark.parametrize("page", sorted((ROOT / "host-driver/man").iterdir()), ids=lambda page: page.name)
def test_a_man_page_is_clean_and_complete(page):
    done = subprocess.run(["groff", "-mdoc", "-ww", "-z", "-Tutf8", page], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    header = (ROOT / "host-driver/lib/turnstile_host.h").read_text()
    said = page.read_text()
    if page.suffix == ".3":
        missing = [name for name in re.findall(r"\b(TS_ERROR_\w+) =", header) + re.findall(r"^\w[\w *]*?(ts_(?!name)\w+)\(", header, re.MULTILINE) if name not in said]
    elif page.suffix == ".7":
        settings = re.findall(r'fi_param_define\(&turnstile_provider, "(\w+)"', (ROOT / "host-driver/fabric/provider.c").read_text())
        missing = [name for name in settings if f"FI_TURNSTILE_{name.upper()}" not in said] if len(settings) == 3 else settings
    else:
        sources = (ROOT / "host-driver/tools/main.c").read_text()
        missing = [name for name in re.findall(r'^    \{"(\w+)", "', sources, re.MULTILINE) + re.findall(r'\{"(\w+)", \w+_argument', sources) if name not in said and name != "help"]
    assert missing == [] or missing == ["ts_express_store_by_call"]


def test_the_page_s_first_program_is_the_one_that_is_run():
    assert (ROOT / "tests/driver/user/first.c").read_text() in (ROOT / "docs/user/host.md").read_text()


def test_python_and_c_have_the_same_codes():
    header = dict(re.findall(r"TS_ERROR_(\w+) = (-\d+)", (ROOT / "host-driver/lib/turnstile_host.h").read_text()))
    module = dict(re.findall(r"^    (\w+) = (-\d+)$", (ROOT / "host-driver/python/turnstile.py").read_text(), re.MULTILINE))
    assert header == module and len(header) == 12
