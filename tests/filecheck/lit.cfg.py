"""Configuration of the FileCheck tests: `lit tests/filecheck`."""

# pyright: reportUndefinedVariable=false, reportUnknownMemberType=false
# ruff: noqa: F821

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from support import warm_tools

from vyre_dialect.testing import configure

configure(config, __file__)
config.name = "vyre"
config.environment["PATH"] = f"{warm_tools.start()}{os.pathsep}{config.environment['PATH']}"
ROOT = Path(__file__).parents[2]
config.substitutions += [
    ("%examples", str(ROOT / "examples")),
    ("%policies", str(ROOT / "passes" / "schedule")),
]
