"""What no image can hold is refused when it is built, in one sentence that says by how much; and make new-protocol writes what is right."""

import sys

import pytest
from protocol_build import ROOT, protocols

sys.path.insert(0, str(ROOT / "tools"))
import new_protocol  # noqa: E402

SIDE = "{f, f, TT_READ_WRITE, 4}"
MODE = f'{{"m", .home = {SIDE}, .copy = {SIDE}}}'


def descriptor(name, modes=MODE, messages="", more=""):
    return ('#include "tempest.h"\nstatic void f(uint32_t a, uint32_t meta) {}\n'
            f'const struct tt_protocol {name} = {{.name = "{name}", .modes = {{{modes}}}, .messages = {{{messages}}}, {more}}};\n')


def refusal(tmp_path, *sources):
    """The sentence with which an image of these protocols, (name, text) each, is refused."""
    paths = []
    for i, (name, text) in enumerate(sources):
        paths.append(tmp_path / str(i) / f"{name}.c")
        paths[-1].parent.mkdir()
        paths[-1].write_text(text)
    with pytest.raises(protocols.Refused) as refused:
        protocols.describe(protocols.resolve(",".join(map(str, paths))), tmp_path / "made")
    return str(refused.value)


@pytest.mark.parametrize("text, sentence", [
    (descriptor("p", modes=""), "protocol p has no mode: no page could choose it"),
    (descriptor("p", modes=f'{{"m", .home = {{0, f, TT_INVALID, 1}}, .copy = {SIDE}}}'), "mode m of p, at its home, has no handler of a load that its tag forbids"),
    (descriptor("p", modes=f'{{"m", .home = {SIDE}, .copy = {{f, f, TT_INVALID, 3}}}}'), "mode m of p, at a copy, has 3 bytes of state a block: legal are 1, 2, 4, 8, 16"),
    (descriptor("p", modes=f'{{"m", .home = {SIDE}, .copy = {{f, f, 0, 1}}}}'), "mode m of p, at a copy, opens with tag 0: legal are TT_INVALID, TT_READ_ONLY, TT_READ_WRITE"),
    (descriptor("p", modes=", ".join([MODE] * 5)), "protocol p has 5 modes, 1 more than 4"),
    (descriptor("p", messages='[26] = {"X", f, TT_LOW}'), "protocol p has 27 message types (a number each, and one for early parts of data), 3 more than 24"),
    (descriptor("p", messages='[22] = {"X", f, TT_HIGH, .data = 1}, [24] = {"Y", f, TT_LOW}'), "protocol p has 25 message types"),
    (descriptor("p", messages='[2] = {"X", f}'), "message 2 (X) of p lacks a channel: TT_LOW or TT_HIGH"),
    (descriptor("p", messages='[2] = {"X", 0, TT_LOW}'), "message 2 (X) of p lacks a handler"),
    (descriptor("p", messages='[3] = {"X", f, TT_HIGH, .data = 1}'), "message 3 (X) of p carries data, so its number must be even"),
    (descriptor("p", messages='[2] = {"X", f, TT_LOW, .data = 1}'), "message 2 (X) of p carries data, so its channel must be high"),
    (descriptor("p", messages='[2] = {"X", f, TT_HIGH, .data = 1}, [3] = {"Y", f, TT_LOW}'), "message 2 (X) of p carries data, so number 3, which Y has, is that of its early parts"),
    (descriptor("p", more='.counters = {[17] = "c"}'), "protocol p has 18 counters, 2 more than 16"),
    (descriptor("p", more='.services = {{"s", 0}}'), "service s of p has no handler"),
    (descriptor("p").replace('.name = "p"', '.name = "q"'), "the descriptor of p has .name = q: file, variable and .name are one word"),
    ("int nothing;\n", "protocol p has no descriptor: 'const struct tt_protocol p' (fw/tempest/protocol.h) is in none of its files"),
])
def test_a_descriptor_that_cannot_be_is_refused(tmp_path, text, sentence):
    assert refusal(tmp_path, ("p", text)).startswith(sentence)


def test_protocols_that_cannot_be_together_are_refused(tmp_path):
    for i, (sources, sentence) in enumerate([
        ([("p", descriptor("p"))] * 2, "two protocols are called p: an image holds one of a name"),
        ([("p", descriptor("p")), ("q", descriptor("q"))], "two modes of the image are called m: programs could not tell them apart"),
        ([(f"p{k}", descriptor(f"p{k}", modes=MODE.replace('"m"', f'"m{k}"'))) for k in range(9)], "the image has 9 protocols, 1 more than 8"),
        ([(f"p{k}", descriptor(f"p{k}", modes=", ".join(MODE.replace('"m"', f'"m{k}{n}"') for n in range(3)))) for k in range(6)], "the image has 18 modes, 2 more than 16"),
    ]):
        folder = tmp_path / f"case{i}"
        folder.mkdir()
        assert refusal(folder, *sources) == sentence


def test_eight_protocols_of_24_types_are_one_image(tmp_path):
    paths = []
    for k in range(8):
        messages = ", ".join(f'[{n}] = {{"M{n}", f, TT_LOW}}' for n in range(24))
        paths.append(tmp_path / f"p{k}.c")
        paths[-1].write_text(descriptor(f"p{k}", modes=MODE.replace('"m"', f'"m{k}"'), messages=messages))
    chosen = protocols.resolve(",".join(map(str, paths)))
    protocols.describe(chosen, tmp_path / "made")
    assert [len(p.messages) for p in chosen] == [24] * 8


def test_an_unknown_protocol_is_told_what_there_is():
    with pytest.raises(protocols.Refused, match=r"PROTOCOL=stache,mesi: 'mesi' is no protocol: legal are migratory, .*stache"):
        protocols.resolve("stache,mesi")


def test_a_new_protocol_is_a_right_one_of_that_name(tmp_path):
    source, *tables = new_protocol.write("ours", tmp_path)
    chosen = protocols.resolve(f"stache,{source}")
    protocols.describe(chosen, tmp_path / "made")
    assert chosen[1].modes == [("ours", "sequential")] and all(
        "migratory" not in path.read_text().split("\n", 1)[1] for path in (source, *tables))


@pytest.mark.parametrize("name, sentence", [("", "NAME= is not legal"), ("Mine", "NAME=Mine is not legal"), ("stache", "NAME=stache is taken")])
def test_a_name_that_cannot_be_is_refused(name, sentence, tmp_path, capsys):
    with pytest.raises(SystemExit) as left:
        new_protocol.write(name, tmp_path)
    assert left.value.code == 2 and sentence in capsys.readouterr().err
