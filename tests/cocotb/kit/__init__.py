"""What every bench needs, once: clock, reset and time-out, pins, streams, Site Bus, links, packets, register port.

One step a clock cycle, at its rising edge: what is read then are the values of the cycle that ends (`bench.cycle`), what is driven
then counts from the next cycle on. So a bench may drive any design, also one with a path from an input to an output.
Random numbers come from `random` alone, which cocotb seeds anew for each test from SEED=.
"""

from kit.bench import Bench, test
from kit.pins import Pins, pace
from kit.streams import Monitor, Sink, Source

__all__ = ["Bench", "Monitor", "Pins", "Sink", "Source", "pace", "test"]
