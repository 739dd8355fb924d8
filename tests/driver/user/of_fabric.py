"""The libfabric provider, installed, by libfabric's own programs, against the RTL of the card."""
import fcntl
import os
import re
import socket
import struct
import subprocess

import pytest
from kit import INSTALLED

PROVIDERS = next(INSTALLED.glob("lib/*/libfabric"))
ENVIRONMENT = {**os.environ, "FI_PROVIDER_PATH": str(PROVIDERS), "FI_LOG_LEVEL": "warn"}


@pytest.fixture(scope="module", autouse=True)
def loopback():
    """fi_pingpong and MPI meet by TCP, MPI by a name; the guest's first process has asked for neither."""
    socket.sethostname("guest")
    up, lo = 0x1, b"lo"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        fcntl.ioctl(line, 0x8914, struct.pack("16sh14x", lo, up)) # SIOCSIFFLAGS


def run(*command):
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)


def pingpong(*options):
    """What the client prints; both must end well."""
    command = ["fi_pingpong", "-p", "turnstile", "-e", "rdm", "-c", *options]
    server = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for _ in range(20):
            client = run(*command, "127.0.0.1")
            if "Connection refused" not in client.stderr + client.stdout:
                break
        said = server.communicate(timeout=60)[0]
    finally:
        server.kill()
    assert client.returncode == 0 and server.returncode == 0, client.stdout + client.stderr + said
    return client.stdout


def test_fi_info_lists_the_card():
    done = run("fi_info", "-p", "turnstile")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"provider: turnstile\s+fabric: turnstile\s+domain: turnstile0\s+version: 0\.1\s+type: FI_EP_RDM", done.stdout), done.stdout


def test_fi_pingpong_runs_between_two_processes():
    for mode, size, times in (("msg", 64, 5), ("tagged", 1500, 2)):
        assert re.search(rf"^\S+ +{times} +={times} ", pingpong("-m", mode, "-S", str(size), "-I", str(times)), re.MULTILINE)


def built(compiler, source, *libraries):
    program = f"/dev/scratch/{source}"
    done = run(compiler, "-Wall", "-Werror", "-o", program, f"tests/driver/user/{source}.c", *libraries)
    assert done.returncode == 0, done.stderr
    return program


def test_memory_is_written_and_read_and_a_peer_leaves():
    done = run(built("gcc", "fabric", "-lfabric"))
    assert done.returncode == 0 and "all as it should be" in done.stdout, done.stdout + done.stderr


def test_an_mpi_program_runs_between_two_processes():
    """Debian's OpenMPI, which uses the system's libfabric."""
    done = run("mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2", "--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "turnstile", built("mpicc", "mpi"))
    assert done.returncode == 0 and "ranks 2 sum 3" in done.stdout, done.stdout + done.stderr
