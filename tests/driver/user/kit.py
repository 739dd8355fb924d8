"""What tests in the guest share: the card's aP runs tests/driver/card, which does what tests/driver/requests.h has."""
import os
import random
import re
import signal
from contextlib import contextmanager
from pathlib import Path

import turnstile

DEVICE = "/dev/turnstile0"
SYSFS = Path("/sys/class/turnstile/turnstile0")
DRIVER = Path("/sys/bus/pci/drivers/turnstile")
ADDRESS = "0000:00:00.0"
INSTALLED = Path(os.environ["INSTALLED"])
AP = turnstile.name_of_ap(0, 0)
NOBODY = 65534
REQUEST = {name: int(value) for name, value in re.findall(r"CARD_(\w+) = (\d+)", Path("tests/driver/requests.h").read_text())}
SEED = int(os.environ.get("SEED") or 1)


def seeded() -> random.Random:
    print(f"SEED={SEED}")
    return random.Random(SEED)


@contextmanager
def card_with_queue():
    with turnstile.Card() as card:
        card.queue = card.express_open()
        yield card


@contextmanager
def card_with_basic_queue():
    with turnstile.Card() as card:
        card.queue = card.basic_open()
        card.name = turnstile.name_of_queue(0, card.queue - 8)
        yield card


def send(card, to, word, tag=0, priority=0):
    """However often there is no room."""
    while True:
        try:
            return card.send(to, word, tag, priority)
        except turnstile.Error as error:
            if error.code != turnstile.Code.FULL:
                raise


def asked(card, request, word):
    """What the aP answers."""
    send(card, AP, word, REQUEST[request])
    answer = card.receive(timeout=20)
    assert answer.sender == AP and answer.tag == REQUEST[request]
    return answer.word


def in_child(run, user=None) -> int:
    """The exit status of a process of its own; below 0: minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            if user is not None:
                os.setgid(user)
                os.setuid(user)
            status = run() or 0
        except BaseException as error:
            print(f"in the child: {type(error).__name__}: {error}", flush=True)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def process(run):
    """One that goes on until it is killed, after it wrote a line to the pipe that it is given."""
    ready, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            run(write)
            signal.pause()
        finally:
            os._exit(1)
    os.close(write)
    said = os.read(ready, 100)
    os.close(ready)
    assert said, "the child is not ready"
    try:
        yield child, said
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
