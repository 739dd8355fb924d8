"""Pins by prefix, and the pace at which something happens."""

import itertools
import random
from collections.abc import Callable

Pace = float | str | Callable[[], bool]


class Pins:
    """The pins of `dut` whose names begin with `prefix`, each looked up once. Underscores as in the design:
    `Pins(dut, "io_bus")["answer_payload_retry"]` is the handle `dut.io_bus_answer_payload_retry`."""

    def __init__(self, dut, prefix: str = "io"):
        self.dut, self.prefix = dut, prefix
        self._handles: dict = {}
        self._driven: dict[str, int] = {}

    def __getitem__(self, name: str):
        handle = self._handles.get(name)
        if handle is None:
            full = f"{self.prefix}_{name}" if name else self.prefix
            try:
                handle = self._handles[name] = getattr(self.dut, full)
            except AttributeError:
                near = sorted(h._name for h in self.dut if h._name.startswith(self.prefix)) or "nothing"
                raise AttributeError(f"{self.dut._name} has no pin {full}; with that prefix it has {near}") from None
        return handle

    def get(self, name: str) -> int:
        """The pin's value in the cycle that just ended."""
        return int(self[name].value)

    def set(self, name: str, value: int) -> None:
        """Drives the pin from now on; costs nothing when it has that value."""
        if self._driven.get(name) != value:
            self._driven[name] = value
            self[name].value = int(value)

    def drive(self, **values: int) -> None:
        for name, value in values.items():
            self.set(name, value)


class Payload:
    """The payload of a Stream or Flow: an int if it has no fields, a tuple if `fields` names some, else a dict of all.

    fields: names as in the design, "last", "fragment_data"; one name alone gives its int.
    """

    def __init__(self, dut, prefix: str, fields: tuple[str, ...] | str | None):
        names = [h._name for h in dut if h._name == prefix or h._name.startswith(prefix + "_")]
        assert names, f"{dut._name} has no pins {prefix}*"
        self.names = [n[len(prefix) + 1 :] for n in names]
        self.fields = (fields,) if isinstance(fields, str) else fields
        self.single = fields if isinstance(fields, str) else "" if self.names == [""] else None
        self.pins = Pins(dut, prefix)

    def read(self):
        pins = self.pins
        if self.single is not None:
            return pins.get(self.single)
        if self.fields:
            return tuple([pins.get(n) for n in self.fields])
        return {n: pins.get(n) for n in self.names}

    def write(self, value) -> None:
        if self.single is not None:
            self.pins.set(self.single, value)
        else:
            for name, v in value.items() if isinstance(value, dict) else zip(self.fields or self.names, value, strict=True):
                self.pins.set(name, v)


def pace(spec: Pace) -> Callable[[], bool]:
    """Whether something happens in this cycle. spec: a chance from 0 to 1, a pattern as "1101" that is repeated, or a function."""
    if callable(spec):
        return spec
    if isinstance(spec, str):
        assert spec and set(spec) <= {"0", "1"}, f"pace {spec!r}: a pattern consists of 0 and 1"
        pattern = itertools.cycle([c == "1" for c in spec])
        return lambda: next(pattern)
    assert 0 <= spec <= 1, f"pace {spec}: a chance is from 0 to 1"
    if spec in (0, 1):
        return lambda: bool(spec)
    return lambda: random.random() < spec


class Paced:
    """Has a `pace`, which may be given anew at any time; `self._go()` says whether this cycle is one to move in."""

    @property
    def pace(self) -> Pace:
        return self._pace

    @pace.setter
    def pace(self, spec: Pace) -> None:
        self._pace, self._go = spec, pace(spec)
