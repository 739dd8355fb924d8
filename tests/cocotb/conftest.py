"""TEST=regex chooses cocotb tests; a bench of which none matches is not built."""

import os
import re
from pathlib import Path

from harness import cocotb_tests


def matches(item, wanted: str) -> bool:
    names = [t.fullname for t in cocotb_tests(item.module)] or [item.name]
    return any(re.search(wanted, name) for name in names)


def pytest_collection_modifyitems(config, items):
    wanted = os.environ.get("TEST")
    here = Path(__file__).parent
    if wanted:
        dropped = [i for i in items if here in i.path.parents and not matches(i, wanted)]
        items[:] = [i for i in items if i not in dropped]
        config.hook.pytest_deselected(items=dropped)
