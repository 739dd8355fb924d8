"""Protocols beside Stache on the RTL: programs with pages of their modes, right answers, every load and the memory at the end compared (VY-11)."""

import re

import pytest
from cluster_runs import PROGRAMS, run


def right(done):
    assert done.status == 0 and "correct" in done.out and "sP:" not in done.out, done.out + done.err
    assert done.report["ending"] == "exited" and done.report["checked"]["loads"] > 0 and done.report["checked"]["bytes_at_end"] > 0
    return done


def taken(done, protocol, *names):
    return [done.report["taken_messages"][protocol][name] for name in names]


@pytest.mark.parametrize("sites, aps", [(4, 1)])
def test_pages_of_two_modes_in_one_program(sites, aps):
    """Records in migratory pages, locks and everything else in Stache's: a record misses once, not twice."""
    done = right(run("records", sites, aps, "-m migratory -s migratory.moves -r 8", protocol="stache,migratory"))
    ask, take, data, back = taken(done, "migratory", "Ask", "Take", "Data", "Back")
    assert ask == data and 0 < take == back, done.report["taken_messages"]
    assert done.report["protocol"]["moves"] == data
    assert done.report["taken_messages"]["stache"]["GetRO"] > 0
    told = [int(n) for n in re.findall(r"migratory.moves at the site of process \d: (\d+)", done.out)]
    assert told == [site["moves"] for site in done.report["sites"]] and sum(told) == data


def test_a_release_brings_copies_up_to_date():
    """Producers write pages that others read, and a page of another's home: right answers, and copies beside the writer."""
    done = right(run(PROGRAMS / "updates.c", 4, 1, "update", protocol="stache,update"))
    get, write, lend, take, back, changed, ack = taken(done, "update", "Get", "Write", "Lend", "Take", "Return", "Changed", "Ack")
    assert 0 < write == lend == take == back and 0 < changed == ack and get == taken(done, "update", "Data")[0]
    assert done.report["protocol"]["visits"] == write and done.report["protocol"]["updates"] == changed


def test_a_program_is_told_what_the_firmware_does_not_have():
    done = run("records", 2, 1, "-m migratory")
    assert done.status not in (0, 2, 3) and "no protocol of this run has a page mode 'migratory': PROTOCOL= names those that the firmware holds" in done.out, done.out


def test_an_image_that_is_too_large_is_refused(tmp_path):
    huge = tmp_path / "huge.c"
    huge.write_text('#include "tempest.h"\nstatic uint32_t words[20000] = {1};\nstatic void f(uint32_t a, uint32_t meta) { tt_error("word", words[a % 20000]++, meta); }\n'
                    'const struct tt_protocol huge = {.name = "huge", .modes = {{"huge", .home = {f, f, 1, 1}, .copy = {f, f, 1, 1}}}};\n')
    done = run("hello", 2, 1, protocol=f"stache,{huge}")
    assert done.status == 2 and re.search(r"the image of stache,\S+ is too large: \d+ bytes of data, \d+ more than the sP's 65536: link fewer protocols", done.err), done.err


@pytest.mark.parametrize("sites, aps", [(2, 1), (4, 1)])
def test_every_access_to_numa_pages_goes_to_the_home(sites, aps):
    """VY-T6: words and single bytes, each site served while it waits itself; no site keeps what it fetched (VY-12)."""
    rounds = 3
    done = right(run(PROGRAMS / "numa.c", sites, aps, str(rounds), protocol="stache,numa"))
    read, write, take, data, lend, back, left = taken(done, "numa", "Read", "Write", "Take", "Data", "Lend", "Return", "Left")
    assert read == data == left and write == lend == back and take == read + write, done.report["taken_messages"]
    assert done.report["protocol"] | {"numa_reads": read, "numa_writes": write} == done.report["protocol"]
    accesses = rounds * sites  # of each process in each round: 8 words and 4 bytes stored, read twice and once
    assert write >= 12 * accesses and read >= 20 * accesses


@pytest.mark.parametrize("name, sites, arguments", [("appbt", 3, "-n 16 -i 1"), ("em3d", 3, "-n 256 -d 1 -r 10 -i 2"), ("moldyn", 4, "-n 27 -i 5")])
def test_messages_are_faster_than_shared_memory(name, sites, arguments):
    """BZ-T21: the version with messages gives the same answer, has hardly a miss, and takes fewer cycles (BZ-37)."""
    cycles, misses = zip(*((int(re.search(r"(\d+) cycles", done.out)[1]), done.report["misses"]["remote"])
                           for done in (right(run(name, sites, 1, arguments + version)) for version in ("", " -c"))), strict=True)
    assert cycles[1] < cycles[0] and misses[1] < misses[0] / 2, (cycles, misses)


@pytest.mark.parametrize("version, writes", [("", 2), pytest.param(" -c", 0, marks=pytest.mark.full)])
def test_em3d_faults_as_often_as_blizzard(version, writes):
    """BZ-T21: of its blocks of each kind of nodes a home writes each once an iteration, and both neighbours have read it before.

    The thesis' counts a node (its tables 4.5, 4.6: 101376 write faults, 202752 read faults, as many Get RO, Inval RO and data, no upgrade) are 2 and 4
    for each of 512 blocks (8192 nodes of a kind, 128 B) in 99 iterations, and nothing with messages.
    """
    names = ("write_faults", "read_faults", "get_ro", "inval_ro", "data", "upgrade", "get_rw", "inval_rw")
    first, second = (right(run("em3d", 4, 1, f"-n 128 -d 1 -r 80 -i {iterations}{version}")).report["sites"] for iterations in (1, 2))
    blocks = 128 // 4 * 8 // 128
    expected = [blocks * writes * n for n in (1, 2, 2, 2, 2, 0, 0, 0)]
    for site, (a, b) in enumerate(zip(first, second, strict=True)):
        assert [b[name] - a[name] for name in names] == expected, f"site {site}"
