"""Programs with threads (GLOBALS=shared), on the functional model; the workstation's own threads say what is right."""
import pytest
from app_runs import HERE, app, build, run_native

THREADS = HERE / "threads.c"


@pytest.mark.parametrize("seed", range(1, 6))
def test_threads_do_what_those_of_the_workstation_do(run_target, seed):
    there = run_native(build(THREADS, native=True), 1)
    assert there.status == 0 and len(there.out.splitlines()) == 4
    here = run_target(build(THREADS, native=False, shared=True), 2, 2, seed=seed)
    assert (here.status, here.out) == (0, there.out), here.err


def test_a_thread_too_many_is_an_error_of_the_program(run_target):
    done = run_target(build(THREADS, native=False, shared=True), 1, 2)
    assert (done.status, done.out) == (1, "no thread 1\n")


def test_globals_of_a_parmacs_program_are_shared_on_request(run_target, tmp_path):
    """What process 0 writes after CREATE, process 1 finds, initial values and zeros included."""
    source = tmp_path / "globals.c"
    source.write_text("""#include <stdio.h>
#include <stdlib.h>
int begun = 5, zero[3000];
int *volatile late;
volatile int seen;
void work(void) { if (ts_self() == 1) { while (!late) ts_relax(); seen = *late + begun + zero[2999]; } }
int main(void)
{
    int local = 30;
    ts_create(work);
    int *mine = malloc(4);
    *mine = local + 7;
    late = mine;
    ts_wait_for_end(1);
    printf("%d\\n", seen);
    return 0;
}
""")
    done = run_target(build(source, native=False, shared=True, out=tmp_path), 2, 1)
    assert (done.status, done.out) == (0, "42\n")


@pytest.mark.parametrize("text, shared, sentence", [
    ("#include <pthread.h>\nvoid *f(void *a) { return a; }\nint main(void) { pthread_t t; return pthread_create(&t, 0, f, 0); }\n", False,
     "creates threads (pthread_create), which share their globals: GLOBALS=shared runs it"),
    ("char large[7000000];\nint main(void) { return large[5]; }\n", True, "bytes too many for the shared heap, where GLOBALS=shared gives them all but 1 MB"),
])
def test_what_cannot_run_so_is_refused(tmp_path, text, shared, sentence):
    (tmp_path / "x.c").write_text(text)
    done = app(*["--shared"] * shared, tmp_path / "x.c", out=tmp_path / "out")
    assert done.returncode == 2 and sentence in done.stderr.splitlines()[-1], done.stderr
